//! The daemon's decisions over fake devices, with slots and folders as they are.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use cleave_slot::Slot;

use super::*;
use crate::card::{Holder, Mode};
use crate::check;
use crate::config::{Cap, Rules};
use crate::drivers::tests::card;
use crate::home::Home;
use crate::protocol::{Driver, Memory, Set, Shim, Status};
use crate::scratch::Scratch;

/// How shares are kept.
mod policies;

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;

/// A machine with one real device of 16 GiB.
struct Machine {
    scratch: Scratch,
    rules: Rules,
    cards: Vec<Card>,
}

impl Machine {
    fn new() -> Machine {
        Machine { scratch: Scratch::new(), rules: Rules::default(), cards: vec![card(Kind::Real, 1, 16)] }
    }

    fn node(&self) -> Node {
        let home = Home::at(self.scratch.path());
        let store = Store::open(home.tenants()).unwrap();
        let config = Config { home, embedded: false, libraries: None, rules: self.rules.clone() };
        let mut node = Node::new(config, store, self.view(), None, Box::new(|| 1_000)).unwrap();
        node.round(self.view());
        node
    }

    fn view(&self) -> View {
        View { cards: self.cards.clone(), ..View::default() }
    }
}

fn root() -> Peer {
    Peer { pid: std::process::id(), uid: sys_unsafe::user(), gid: 0 }
}

fn user(uid: u32) -> Peer {
    Peer { uid, gid: uid, ..root() }
}

fn asker(peer: Peer) -> Asker {
    Asker { peer, watch: Watch::on_peer(peer.pid, None) }
}

fn wish(memory: Memory, compute: u32) -> Start {
    let ask = Ask { memory, compute: Some(compute), command: vec!["/bin/prog".into()], ..Ask::default() };
    // Not bound to a process: these tests are one process, and the tenants are many.
    Start { ask, lifetime: Lifetime::Grant, ..Start::default() }
}

fn start(node: &mut Node, wish: &Start) -> Result<Started, Refusal> {
    start_as(node, wish, root())
}

fn start_as(node: &mut Node, wish: &Start, peer: Peer) -> Result<Started, Refusal> {
    node.start(wish, asker(peer), &BTreeSet::new()).map_err(|(refusal, _)| refusal)
}

fn slot(started: &Started) -> Slot {
    Slot::open(&started.folder.join("gpu0")).unwrap()
}

/// Enough rounds for everything that is not done in each.
fn rounds(node: &mut Node, machine: &Machine) {
    for _ in 0..8 {
        node.round(machine.view());
    }
}

fn status(node: &Node) -> Status {
    node.status(&root())
}

#[test]
fn grants_never_add_up_to_more_than_the_device() {
    let machine = Machine::new();
    let mut node = machine.node();
    let first = start(&mut node, &wish(Memory::Percent(50), 60)).unwrap();
    assert_eq!((first.grants[0].memory, first.grants[0].compute), (8 * GIB, 60));
    assert_eq!((first.name.as_str(), first.softgpu.is_none()), ("prog", true));
    assert_eq!(slot(&first).terms().memory, 8 * GIB);
    let refused = start(&mut node, &wish(Memory::Bytes(9 * GIB), 10)).unwrap_err();
    assert_eq!(refused.reason, Reason::NoRoom);
    assert!(refused.why.contains("has 8.0 GiB of 16.0 GiB free, 40 % compute"), "{refused}");
    assert_eq!(start(&mut node, &wish(Memory::Bytes(GIB), 41)).unwrap_err().reason, Reason::NoRoom);
    start(&mut node, &wish(Memory::Bytes(8 * GIB), 40)).unwrap();
    assert_eq!(start(&mut node, &wish(Memory::Bytes(MIB), 1)).unwrap_err().reason, Reason::NoRoom);
    let device = &status(&node).devices[0];
    assert_eq!((device.granted, device.free, device.compute_free), (16 * GIB, 0, 0));
    node.end(&first.tenant, &root()).unwrap();
    assert!(!first.folder.exists());
    assert_eq!(status(&node).devices[0].free, 8 * GIB);
    assert_eq!(node.end(&first.tenant, &root()).unwrap_err().reason, Reason::NoTenant);
}

#[test]
fn a_request_repeated_gives_the_same_tenant() {
    let machine = Machine::new();
    let mut node = machine.node();
    let again = Start { ticket: "t".into(), ..wish(Memory::Bytes(GIB), 10) };
    let first = start(&mut node, &again).unwrap();
    assert_eq!(start(&mut node, &again).unwrap(), first);
    let another = start_as(&mut node, &again, user(4321)).unwrap();
    assert_ne!(another.tenant, first.tenant, "a ticket is its user's");
}

#[test]
fn kinds_of_devices_are_chosen_and_named() {
    let mut machine = Machine::new();
    let mut node = machine.node();
    let soft = Start { driver: Driver::Soft, ..wish(Memory::Bytes(GIB), 10) };
    assert_eq!(start(&mut node, &soft).unwrap_err().reason, Reason::NoDevice);
    machine.cards.push(card(Kind::Soft, 2, 4));
    node.round(machine.view());
    assert_eq!(start(&mut node, &soft).unwrap().grants[0].kind, Kind::Soft);
    let mut named = wish(Memory::Bytes(GIB), 10);
    assert_eq!(start(&mut node, &named).unwrap().grants[0].kind, Kind::Real);
    named.ask.devices = vec![machine.cards[1].uuid.clone()];
    assert_eq!(start(&mut node, &named).unwrap().grants[0].kind, Kind::Soft);
    named.ask.devices.push(machine.cards[0].uuid.clone());
    assert_eq!(start(&mut node, &named).unwrap_err().reason, Reason::Nonsense);
    machine.cards[0].mode = Mode::Prohibited;
    node.round(machine.view());
    assert_eq!(start(&mut node, &wish(Memory::Bytes(GIB), 10)).unwrap_err().reason, Reason::NoDevice);
}

#[test]
fn a_partitioned_device_is_given_out_as_its_instances() {
    let mut machine = Machine::new();
    let whole = machine.cards[0].uuid.clone();
    machine.cards[0].mode = Mode::Partitioned;
    let mut node = machine.node();
    let refusal = start(&mut node, &wish(Memory::Bytes(GIB), 10)).unwrap_err();
    assert!(refusal.reason == Reason::NoDevice && refusal.why.contains("has no instance"), "{refusal:?}");

    let uuid = cleave_slot::Uuid::Mig([3; 16]).to_string();
    machine.cards.push(Card { uuid: uuid.clone(), ..card(Kind::Real, 3, 2) });
    node.round(machine.view());
    let started = start(&mut node, &wish(Memory::Bytes(GIB), 10)).unwrap();
    assert_eq!((started.grants[0].uuid.as_str(), started.grants[0].total), (uuid.as_str(), 2 * GIB));
    let mut named = wish(Memory::Bytes(GIB), 10);
    named.ask.devices = vec![whole.clone()];
    let refusal = start(&mut node, &named).unwrap_err();
    assert!(refusal.why.starts_with(&format!("{whole} is partitioned")), "{refusal:?}");
    assert_eq!(status(&node).devices.iter().map(|device| &device.uuid).collect::<Vec<_>>(), [&uuid]);
}

#[test]
fn what_strangers_and_the_reserve_hold_is_not_granted() {
    let mut machine = Machine::new();
    machine.rules.reserve.memory = GIB;
    machine.cards[0].kept = GIB;
    machine.cards[0].holders = Some(vec![Holder { pid: 4_000_000, memory: 4 * GIB }]);
    let mut node = machine.node();
    assert_eq!(start(&mut node, &wish(Memory::Bytes(11 * GIB), 10)).unwrap_err().reason, Reason::NoRoom);
    start(&mut node, &wish(Memory::Bytes(10 * GIB), 10)).unwrap();
    let device = &status(&node).devices[0];
    assert_eq!((device.unmanaged[0].pid, device.unmanaged[0].memory), (4_000_000, 4 * GIB));
    assert_eq!((device.reserved, device.free), (2 * GIB, 0));
    let found = check::findings(&status(&node), &node.machine());
    assert!(
        found.iter().any(|finding| finding.id == "unmanaged" && finding.what.contains("4000000")),
        "{found:?}"
    );
}

#[test]
fn what_only_the_driver_shows_is_charged_and_growth_stops_there() {
    let mut machine = Machine::new();
    let mut node = machine.node();
    let tenant = start(&mut node, &wish(Memory::Bytes(100 * MIB), 10)).unwrap();
    let slot = slot(&tenant);
    let seat = slot.join("prog").unwrap();
    seat.charge(30 * MIB).unwrap();
    seat.set_contexts(1);
    machine.cards[0].holders = Some(vec![Holder { pid: std::process::id(), memory: 80 * MIB }]);
    node.round(machine.view());
    assert_eq!((slot.used(), slot.free()), (80 * MIB, 20 * MIB));
    assert!(seat.charge(21 * MIB).is_err());
    let grant = status(&node).tenants[0].grants[0].clone();
    assert_eq!((grant.used, grant.overhead, grant.free), (80 * MIB, 50 * MIB, 20 * MIB));
    assert_eq!((grant.processes[0].pid, grant.processes[0].overhead), (std::process::id(), 50 * MIB));
    assert_eq!(status(&node).tenants[0].shim, Shim::Alive);
    assert!(status(&node).devices[0].unmanaged.is_empty());
    node.round(machine.view());
    assert_eq!(slot.terms().context, 50 * MIB, "the same at two looks");

    // Above the limit nothing is lost and nothing more is given; the device counts it.
    machine.cards[0].holders = Some(vec![Holder { pid: std::process::id(), memory: 150 * MIB }]);
    node.round(machine.view());
    assert_eq!((slot.used(), slot.free()), (150 * MIB, 0));
    assert_eq!(status(&node).devices[0].granted, 150 * MIB);
    machine.cards[0].holders = None;
    node.round(machine.view());
    assert_eq!(slot.used(), 30 * MIB, "a driver that does not say charges nothing");

    // A driver that fails for a moment frees nothing, and neither does a daemon that comes back in that moment.
    machine.cards[0].holders = Some(vec![Holder { pid: std::process::id(), memory: 80 * MIB }]);
    node.round(machine.view());
    node.round(View::default());
    assert_eq!(slot.used(), 80 * MIB);
    drop(node);
    machine.cards.clear();
    let mut node = machine.node();
    assert_eq!(slot.used(), 80 * MIB);
    machine.cards = vec![card(Kind::Real, 1, 16)];
    node.round(machine.view());
    assert_eq!(slot.used(), 30 * MIB);
}

#[test]
fn limits_change_under_a_running_tenant() {
    let machine = Machine::new();
    let mut node = machine.node();
    let tenant = start(&mut node, &wish(Memory::Bytes(4 * GIB), 30)).unwrap();
    let slot = slot(&tenant);
    let seat = slot.join("prog").unwrap();
    seat.charge(3 * GIB).unwrap();
    let set = |memory, compute| Set { tenant: tenant.tenant.clone(), memory, compute, ..Set::default() };
    node.set(&set(Some(Memory::Bytes(GIB)), None), &root()).unwrap();
    assert_eq!((slot.memory(), slot.used(), slot.free()), (GIB, 3 * GIB, 0), "it keeps what it has");
    assert!(seat.charge(1).is_err());
    assert_eq!(status(&node).devices[0].free, 13 * GIB, "and that is not given to others");
    seat.release(2 * GIB);
    assert_eq!(status(&node).devices[0].free, 15 * GIB);
    node.set(&set(Some(Memory::Percent(100)), Some(100)), &root()).unwrap();
    assert_eq!((slot.memory(), slot.terms().compute), (16 * GIB, 100));
    let other = start(&mut node, &wish(Memory::Bytes(GIB), 1)).unwrap_err();
    assert_eq!(other.reason, Reason::NoRoom);
    assert_eq!(
        node.set(&set(Some(Memory::Bytes(17 * GIB)), None), &root()).unwrap_err().reason,
        Reason::NeverFits
    );
    if sys_unsafe::user() == 0 {
        let refused = node.set(&set(None, Some(10)), &user(4321)).unwrap_err();
        assert_eq!(refused.reason, Reason::NotAllowed);
        assert_eq!(node.end(&tenant.tenant, &user(4321)).unwrap_err().reason, Reason::NotAllowed);
    }
    assert_eq!(slot.terms().compute, 100);

    // The next daemon finds the limits as they were set.
    drop(node);
    let node = machine.node();
    let grant = &status(&node).tenants[0].grants[0];
    assert_eq!((grant.memory, grant.compute), (16 * GIB, 100));
}

/// A tenant owns its page of usage; what it writes there must not take room from others.
#[test]
fn what_a_tenant_says_it_uses_counts_only_within_its_grant() {
    let machine = Machine::new();
    let mut node = machine.node();
    let tenant = start(&mut node, &wish(Memory::Bytes(GIB), 10)).unwrap();
    let usage = tenant.folder.join("gpu0/usage");
    let whole = fs::read(&usage).unwrap();
    // Everything behind the header: the counter says whatever these bytes say.
    let mut spoilt = whole.clone();
    spoilt[4096..].fill(0xa5);
    fs::write(&usage, &spoilt).unwrap();
    node.round(machine.view());
    assert_eq!(status(&node).devices[0].free, 15 * GIB);
    start(&mut node, &wish(Memory::Bytes(15 * GIB), 10)).unwrap();
}

/// A tenant may cut its page of usage short while the daemon has it mapped.
#[test]
fn a_tenant_that_truncates_its_files_harms_itself_alone() {
    cleave_slot::survive_truncation().unwrap();
    let machine = Machine::new();
    let mut node = machine.node();
    let [hostile, other] = [1, 2].map(|gib| start(&mut node, &wish(Memory::Bytes(gib * GIB), 10)).unwrap());
    fs::OpenOptions::new()
        .write(true)
        .open(hostile.folder.join("gpu0/usage"))
        .unwrap()
        .set_len(4096)
        .unwrap();
    rounds(&mut node, &machine);
    let now = status(&node);
    let trouble = |id: &str| now.tenants.iter().find(|tenant| tenant.id == id).unwrap().trouble.clone();
    assert!(trouble(&hostile.tenant).is_some_and(|why| why.contains("cut short")));
    assert_eq!(trouble(&other.tenant), None);
    assert_eq!(now.devices[0].free, 13 * GIB);
    node.end(&hostile.tenant, &root()).unwrap();
}

#[test]
fn a_nested_tenant_takes_from_its_parent() {
    let machine = Machine::new();
    let mut node = machine.node();
    let outer = start(&mut node, &wish(Memory::Bytes(8 * GIB), 50)).unwrap();
    let inside = Start { parent: Some(outer.tenant.clone()), ..wish(Memory::Percent(50), 50) };
    let inner = start(&mut node, &inside).unwrap();
    assert_eq!((inner.grants[0].memory, inner.grants[0].compute), (4 * GIB, 25));
    assert_eq!(slot(&outer).free(), 4 * GIB);
    let device = &status(&node).devices[0];
    assert_eq!((device.granted, device.free, device.compute_free), (8 * GIB, 8 * GIB, 50));
    let again = start(&mut node, &inside).unwrap();
    let refused = start(&mut node, &inside).unwrap_err();
    assert_eq!(refused.reason, Reason::NoRoom);
    assert!(refused.why.contains("of your grant"), "{refused}");
    node.round(machine.view());
    assert_eq!(slot(&outer).free(), 0, "a round changes nothing");
    node.end(&again.tenant, &root()).unwrap();
    assert_eq!(slot(&outer).free(), 4 * GIB);

    // The next daemon goes on with it.
    drop(node);
    let mut node = machine.node();
    assert_eq!(slot(&outer).free(), 4 * GIB);
    let raise = Set { tenant: inner.tenant.clone(), memory: Some(Memory::Bytes(6 * GIB)), ..Set::default() };
    node.set(&raise, &root()).unwrap();
    assert_eq!(slot(&outer).free(), 2 * GIB);
    node.end(&outer.tenant, &root()).unwrap();
    assert!(!node.has_tenants(), "who takes from it ends with it");
    let orphan = Start { parent: Some(outer.tenant), ..wish(Memory::Percent(50), 50) };
    assert_eq!(start(&mut node, &orphan).unwrap_err().reason, Reason::NoTenant);
}

#[test]
fn users_have_caps() {
    let mut machine = Machine::new();
    machine.rules.caps.everyone = Cap { memory: Some(4 * GIB), compute: Some(50), tenants: Some(2) };
    machine.rules.caps.users.insert("4322".into(), Cap { memory: Some(GIB), ..Cap::default() });
    let mut node = machine.node();
    let mut ask = |uid, gib: u64| start_as(&mut node, &wish(Memory::Bytes(gib * GIB), 10), user(uid));
    ask(4321, 3).unwrap();
    assert_eq!(ask(4321, 2).unwrap_err().reason, Reason::OverCap);
    ask(4321, 1).unwrap();
    assert!(ask(4321, 1).unwrap_err().why.contains("as many tenants"));
    assert_eq!(ask(4322, 2).unwrap_err().reason, Reason::OverCap);
    ask(4322, 1).unwrap();
    ask(0, 8).unwrap();
}

#[test]
fn who_comes_later_keeps_off_what_others_wait_for() {
    let mut machine = Machine::new();
    machine.cards.push(card(Kind::Real, 2, 4));
    let mut node = machine.node();
    start(&mut node, &wish(Memory::Bytes(10 * GIB), 10)).unwrap();
    let large = wish(Memory::Bytes(8 * GIB), 10);
    let refusal = start(&mut node, &large).unwrap_err();
    let wants: BTreeSet<Spot> = node.spots(&large, &root(), &refusal).into_iter().collect();
    assert_eq!(wants.len(), 2);
    let small = wish(Memory::Bytes(GIB), 10);
    let behind = node.start(&small, asker(root()), &wants).map_err(|(refusal, _)| refusal).unwrap_err();
    assert!(behind.why.contains("others wait"), "{behind}");
    let only_first: BTreeSet<Spot> =
        wants.into_iter().filter(|spot| spot.1 == machine.cards[1].uuid).collect();
    let taken = node.start(&small, asker(root()), &only_first).map_err(|(refusal, _)| refusal).unwrap();
    assert_eq!(taken.grants[0].uuid, machine.cards[0].uuid, "not where it would fit best");
}

fn sleeper(environment: &[(&str, &Path)]) -> Child {
    let mut command = Command::new("cat");
    command.stdin(Stdio::piped()).envs(environment.iter().copied());
    command.spawn().unwrap()
}

fn end(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_tenant_lasts_as_long_as_its_processes() {
    let machine = Machine::new();
    let mut node = machine.node();
    let main = sleeper(&[]);
    let peer = Peer { pid: main.id(), ..root() };
    let wish = Start { lifetime: Lifetime::Process, ..wish(Memory::Bytes(GIB), 10) };
    let tenant = node.start(&wish, asker(peer), &BTreeSet::new()).map_err(|(refusal, _)| refusal).unwrap();
    rounds(&mut node, &machine);
    assert!(status(&node).tenants[0].running);
    // A daemonised child: no seat yet, but the tenant's name in its environment.
    let child = sleeper(&[("CLEAVE_TENANT", &tenant.folder)]);
    end(main);
    rounds(&mut node, &machine);
    assert!(!status(&node).tenants[0].running);
    let seat = slot(&tenant).join("prog").unwrap();
    end(child);
    rounds(&mut node, &machine);
    assert!(node.has_tenants(), "a process sits in its slot");
    drop(seat);
    rounds(&mut node, &machine);
    assert!(!node.has_tenants() && !tenant.folder.exists());
    // Nobody there to make a tenant for.
    let gone =
        node.start(&wish, Asker { peer, watch: None }, &BTreeSet::new()).map_err(|(refusal, _)| refusal);
    assert_eq!(gone.unwrap_err().reason, Reason::Failed);
}

#[test]
fn the_next_daemon_adopts_everything() {
    let mut machine = Machine::new();
    let mut node = machine.node();
    let kept = start(&mut node, &wish(Memory::Bytes(4 * GIB), 30)).unwrap();
    let main = sleeper(&[]);
    let dead = sleeper(&[]);
    let of = |child: &Child| asker(Peer { pid: child.id(), ..root() });
    let process = Start { lifetime: Lifetime::Process, ..wish(Memory::Bytes(GIB), 10) };
    let [alive, gone] = [&main, &dead].map(|child| node.start(&process, of(child), &BTreeSet::new()));
    let alive = alive.map_err(|(refusal, _)| refusal).unwrap();
    assert!(gone.is_ok());
    let seat = slot(&kept).join("prog").unwrap();
    seat.charge(GIB).unwrap();
    machine.cards[0].holders = Some(vec![Holder { pid: std::process::id(), memory: GIB + 50 * MIB }]);
    node.round(machine.view());
    let before = status(&node);
    drop(node);
    end(dead);

    let mut node = machine.node();
    rounds(&mut node, &machine);
    let after = status(&node);
    let ids =
        |status: &Status| status.tenants.iter().map(|tenant| tenant.id.clone()).collect::<BTreeSet<String>>();
    assert_eq!(ids(&after), BTreeSet::from([kept.tenant.clone(), alive.tenant.clone()]));
    assert!(ids(&before).is_superset(&ids(&after)));
    let find =
        |status: &Status, id: &str| status.tenants.iter().find(|tenant| tenant.id == id).cloned().unwrap();
    let (mut old, new) = (find(&before, &kept.tenant), find(&after, &kept.tenant));
    old.adopted = true;
    assert_eq!(new, old, "but for that, it is the same in every field");
    assert!(find(&after, &alive.tenant).running);
    assert_eq!((after.node.adopted, after.devices[0].granted), (3, 5 * GIB));
    end(main);
}

#[test]
fn garbage_is_told_and_nothing_else_is_lost() {
    let machine = Machine::new();
    let mut node = machine.node();
    let make = |node: &mut Node| start(node, &wish(Memory::Bytes(GIB), 10)).unwrap();
    let [whole, no_record, no_slot, nothing, misnamed] = [(); 5].map(|()| make(&mut node));
    drop(node);
    fs::write(no_record.folder.join("tenant.json"), "{").unwrap();
    let record = |started: &Started| started.folder.join("tenant.json");
    fs::copy(record(&whole), record(&misnamed)).unwrap();
    fs::write(no_slot.folder.join("gpu0/limits"), [0xff; 100]).unwrap();
    fs::write(nothing.folder.join("tenant.json"), "").unwrap();
    fs::remove_dir_all(nothing.folder.join("gpu0")).unwrap();

    let mut node = machine.node();
    let after = status(&node);
    let trouble = |started: &Started| {
        after.tenants.iter().find(|tenant| tenant.id == started.tenant).map(|tenant| tenant.trouble.is_some())
    };
    let troubles = [&whole, &no_record, &no_slot, &misnamed, &nothing].map(trouble);
    assert_eq!(troubles, [Some(false), Some(true), Some(true), Some(true), None]);
    assert_eq!(after.devices[0].granted, 4 * GIB, "what is known of them is not granted again");
    let found = check::findings(&after, &node.machine());
    let told = |id: &str| found.iter().filter(|finding| finding.id == id).count();
    assert_eq!((told("broken_tenant"), told("stray_tenant")), (3, 1), "{found:?}");
    let raise = Set { tenant: no_slot.tenant.clone(), compute: Some(5), ..Set::default() };
    assert_eq!(node.set(&raise, &root()).unwrap_err().reason, Reason::Failed);
    let stray = nothing.folder.file_name().unwrap().to_str().unwrap();
    for id in [stray, &misnamed.tenant, &no_record.tenant, &no_slot.tenant, &whole.tenant] {
        node.end(id, &root()).unwrap();
    }
    assert_eq!(fs::read_dir(machine.scratch.path().join("tenants")).unwrap().count(), 0);
}

/// Whatever stands in the files of a tenant, the daemon starts, tells of it or not, and others do not notice.
#[test]
fn whatever_is_on_disk_the_daemon_goes_on() {
    cleave_slot::survive_truncation().unwrap();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |bound: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % bound
    };
    for turn in 0..60 {
        let machine = Machine::new();
        let mut node = machine.node();
        let [bystander, victim] = [(); 2].map(|()| start(&mut node, &wish(Memory::Bytes(GIB), 10)).unwrap());
        drop(node);
        for _ in 0..=next(2) {
            let path = victim
                .folder
                .join(["tenant.json", "gpu0/limits", "gpu0/usage", "gpu0/lock0"][next(4) as usize]);
            let mut bytes = fs::read(&path).unwrap();
            match next(3) {
                0 => bytes.truncate(next(bytes.len() as u64 + 1) as usize),
                1 => bytes.extend((0..next(5000)).map(|byte| byte as u8)),
                _ => {}
            }
            for _ in 0..next(64) {
                // The first bytes say most.
                let within = [64, 4096, 1 << 20][next(3) as usize];
                let at = next(within) as usize;
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = next(256) as u8;
                }
            }
            fs::write(&path, bytes).unwrap();
        }
        let mut node = machine.node();
        rounds(&mut node, &machine);
        let now = status(&node);
        let kept = now.tenants.iter().find(|tenant| tenant.id == bystander.tenant).unwrap();
        assert_eq!((kept.trouble.as_ref(), kept.grants[0].memory), (None, GIB), "turn {turn}");
        check::findings(&now, &node.machine());
        start(&mut node, &wish(Memory::Bytes(GIB), 10)).unwrap();
        // What it is called now is the damage's business; its folder is not.
        let names = [&victim.tenant, victim.folder.file_name().unwrap().to_str().unwrap()];
        let others = now.tenants.iter().map(|tenant| tenant.id.as_str()).filter(|id| *id != bystander.tenant);
        let ended = names.into_iter().chain(others).filter(|id| node.end(id, &root()).is_ok()).count();
        assert!(ended >= 1, "turn {turn}: {now:?}");
    }
}

/// The folder of a container's grant is open to whoever knows its name: only its owner is told.
#[test]
fn secrets_are_told_to_their_owners() {
    let machine = Machine::new();
    let mut node = machine.node();
    let tenant = start_as(&mut node, &wish(Memory::Bytes(GIB), 10), user(4321)).unwrap();
    assert!(tenant.folder.to_str().unwrap().len() > 40);
    let told = |peer: &Peer| node.status(peer).tenants[0].folder.clone();
    assert_eq!((told(&user(4321)), told(&root())), (tenant.folder.clone(), tenant.folder.clone()));
    assert_eq!(told(&user(4322)), Path::new(""));
}
