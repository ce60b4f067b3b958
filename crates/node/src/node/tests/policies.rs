//! How shares are kept: what is booked, what changes live, what stays over a restart.

use super::*;
use crate::policy::Policy;

fn with(policy: &str, compute: Option<u32>) -> Start {
    let start = wish(Memory::Bytes(GIB), 1);
    Start { ask: Ask { policy: policy.parse().unwrap(), compute, ..start.ask }, ..start }
}

fn grant(node: &Node, id: &str) -> crate::protocol::GrantStatus {
    let tenants = status(node).tenants;
    tenants.into_iter().find(|tenant| tenant.id == id).unwrap().grants[0].clone()
}

#[test]
fn best_effort_is_always_welcome_but_beside_an_exclusive_one() {
    let machine = Machine::new();
    let mut node = machine.node();
    start(&mut node, &with("burst", Some(100))).unwrap();
    let lowly = start(&mut node, &with("best-effort", None)).unwrap();
    assert_eq!((lowly.grants[0].compute, &lowly.grants[0].policy), (0, &Policy::BestEffort));
    assert_eq!(status(&node).devices[0].compute_free, 0);
    assert_eq!(start(&mut node, &with("exclusive", None)).unwrap_err().reason, Reason::NoRoom);

    let machine = Machine::new();
    let mut node = machine.node();
    let owner = start(&mut node, &with("exclusive", None)).unwrap();
    assert_eq!(owner.grants[0].compute, 100);
    for other in [with("best-effort", None), with("burst", Some(1))] {
        let refused = start(&mut node, &other).unwrap_err();
        assert!(refused.reason == Reason::NoRoom && refused.why.contains("has it to itself"), "{refused}");
    }
    let inside = Start { parent: Some(owner.tenant.clone()), ..with("burst", Some(50)) };
    start(&mut node, &inside).unwrap();
    let share =
        Set { tenant: owner.tenant, policy: Some(Policy::Burst), compute: Some(60), ..Set::default() };
    node.set(&share, &root()).unwrap();
    start(&mut node, &with("best-effort", None)).unwrap();
}

#[test]
fn a_policy_changes_under_a_running_tenant_and_stays_over_a_restart() {
    let machine = Machine::new();
    let mut node = machine.node();
    let id = start(&mut node, &with("burst", Some(30))).unwrap().tenant;
    let set = |change: Set| Set { tenant: id.clone(), ..change };
    let change =
        Set { policy: Some(Policy::Fixed), priority: Some(-2), latency: Some(true), ..Set::default() };
    node.set(&set(change), &root()).unwrap();
    let now = grant(&node, &id);
    assert_eq!((now.compute, now.policy.as_str(), now.priority, now.latency), (30, "fixed", -2, true));
    let lowly = Set { policy: Some(Policy::BestEffort), ..Set::default() };
    node.set(&set(lowly), &root()).unwrap();
    assert_eq!((grant(&node, &id).compute, status(&node).devices[0].compute_free), (0, 100));
    let refused = node.set(&set(Set { compute: Some(5), ..Set::default() }), &root()).unwrap_err();
    assert!(refused.why.contains("best-effort takes no share"), "{refused}");
    let back = Set { policy: Some(Policy::Burst), compute: Some(40), ..Set::default() };
    node.set(&set(back), &root()).unwrap();
    node.set_paused(&id, true, &root()).unwrap();
    drop(node);
    let mut node = machine.node();
    let now = grant(&node, &id);
    assert_eq!((now.compute, now.policy.as_str(), now.priority, now.paused), (40, "burst", -2, true));
    node.set_paused(&id, false, &root()).unwrap();
    assert!(!grant(&node, &id).paused);
    if sys_unsafe::user() == 0 {
        let refused = node.set_paused(&id, true, &user(4321)).unwrap_err();
        assert_eq!(refused.reason, Reason::NotAllowed);
    }
}

#[test]
fn a_timetable_is_booked_for_the_day_and_followed() {
    let machine = Machine::new();
    let mut node = machine.node();
    let tide = "tidal=06:00-18:00=70,18:00-06:00=20";
    let id = start(&mut node, &with(tide, None)).unwrap().tenant;
    let at = |policy: &str, minute| policy.parse::<Policy>().unwrap().percent_at(minute, 0);
    assert_eq!(grant(&node, &id).compute, at(tide, node.minute()));
    assert_eq!(status(&node).devices[0].compute_free, 30);
    let against = "tidal=06:00-18:00=30,18:00-06:00=80";
    start(&mut node, &with(against, None)).unwrap();
    assert_eq!(status(&node).devices[0].compute_free, 0);
    // Half a day later it is the other way round.
    let before = grant(&node, &id).compute;
    node.clock = Box::new(|| 1_000 + 12 * 3_600_000);
    node.round(machine.view());
    assert_eq!(grant(&node, &id).compute, 90 - before);
    let other = Set {
        tenant: id.clone(),
        policy: Some("tidal=06:00-18:00=70,18:00-06:00=21".parse().unwrap()),
        ..Set::default()
    };
    assert_eq!(node.set(&other, &root()).unwrap_err().reason, Reason::NoRoom);
    let lower = Set { policy: Some("tidal=06:00-18:00=10,18:00-06:00=20".parse().unwrap()), ..other };
    node.set(&lower, &root()).unwrap();
    assert_eq!(status(&node).devices[0].compute_free, 0, "at night the other one has all the rest");
    let steady = Set { tenant: id, policy: Some(Policy::Fixed), compute: Some(15), ..Set::default() };
    node.set(&steady, &root()).unwrap();
    assert_eq!(status(&node).devices[0].compute_free, 5);
}

#[test]
fn a_pause_holds_for_those_inside() {
    let machine = Machine::new();
    let mut node = machine.node();
    let outer = start(&mut node, &with("burst", Some(50))).unwrap().tenant;
    let inside = Start { parent: Some(outer.clone()), ..wish(Memory::Percent(50), 50) };
    let inner = start(&mut node, &inside).unwrap().tenant;
    node.set_paused(&outer, true, &root()).unwrap();
    assert!(grant(&node, &inner).paused);
    node.set_paused(&inner, false, &root()).unwrap();
    assert!(grant(&node, &inner).paused, "it is inside a paused one");
    node.set_paused(&outer, false, &root()).unwrap();
    assert!(!grant(&node, &inner).paused);
    assert!(node.is_drained(&outer) && node.is_drained("nobody"));
}

#[test]
fn the_processes_of_a_tenant_are_found_and_no_others() {
    let machine = Machine::new();
    let mut node = machine.node();
    let main = sleeper(&[]);
    let peer = Peer { pid: main.id(), ..root() };
    let wish = Start { lifetime: Lifetime::Process, ..wish(Memory::Bytes(GIB), 50) };
    let outer = node.start(&wish, asker(peer), &BTreeSet::new()).map_err(|(refusal, _)| refusal).unwrap();
    let inside =
        Start { parent: Some(outer.tenant.clone()), lifetime: Lifetime::Grant, ..with("burst", Some(10)) };
    let inside = Start { ask: Ask { memory: Memory::Bytes(MIB), ..inside.ask }, ..inside };
    let inner = start(&mut node, &inside).unwrap();
    let [child, nested] =
        [&outer, &inner].map(|started| sleeper(&[("CLEAVE_TENANT", started.folder.as_path())]));
    let stranger = sleeper(&[]);
    // The daemon itself sits in the slot here, and must not end itself.
    let seat = slot(&outer).join("prog").unwrap();
    let victims = node.victims(&outer.tenant, &root()).unwrap();
    let found: BTreeSet<u32> = victims.iter().map(|victim| victim.pid).collect();
    assert_eq!(found, BTreeSet::from([main.id(), child.id(), nested.id()]));
    drop(seat);
    if sys_unsafe::user() == 0 {
        assert_eq!(node.victims(&outer.tenant, &user(4321)).err().unwrap().reason, Reason::NotAllowed);
    }
    for child in [main, child, nested, stranger] {
        end(child);
    }
}
