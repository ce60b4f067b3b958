//! Shares in virtual time: the arbiter against a device that slices time by itself.

/// Tenants that may never have more than their share.
mod caps;
/// A device, tenants and a node.
mod world;

use cleave_sched::share::{Arbiter, Course, Id, LENT_NS, Order, Policy, Seen, Share};
use world::{MS, Program, US, World};

const SECOND: u64 = 1000 * MS;

fn burst(percent: u32) -> Share {
    Share { percent, ..Share::default() }
}

fn with(policy: Policy, percent: u32) -> Share {
    Share { percent, policy, ..Share::default() }
}

/// The greatest difference between asked and got over windows of `window`, after a second to settle.
fn worst(world: &World, tenant: usize, asked: f64, window: u64) -> f64 {
    let windows = (SECOND.div_ceil(window)..world.now / window - 1).map(|i| i * window);
    let errors = windows.map(|from| (world.percent(tenant, from, from + window) - asked).abs());
    errors.fold(0.0, f64::max)
}

/// What a tenant got of the whole time but the first second.
fn got(world: &World, tenant: usize) -> f64 {
    world.percent(tenant, SECOND, world.now)
}

#[test]
fn saturating_tenants_get_what_they_asked_for() {
    let shares: [&[u32]; 6] =
        [&[50, 50], &[90, 10], &[60, 30, 10], &[99, 1], &[40, 30, 20, 10], &[30, 20, 15, 10, 10, 5, 5, 5]];
    let mut wrong = Vec::new();
    for shares in shares {
        for kernel in [20 * US, 200 * US, MS, 10 * MS, 50 * MS] {
            wrong.extend(check(shares, kernel, kernel));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn beliefs_that_start_out_wrong_do_not_matter() {
    let mut wrong = Vec::new();
    for (kernel, believed) in [(MS, 20 * US), (20 * US, MS), (10 * MS, 100 * US), (200 * US, 50 * MS)] {
        wrong.extend(check(&[70, 30], kernel, believed));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs saturating tenants, and tells what is not as it should be.
fn check(shares: &[u32], kernel: u64, believed: u64) -> Vec<String> {
    let mut wrong = Vec::new();
    let tenants: Vec<_> = shares.iter().map(|p| (burst(*p), kernel, Program::Saturate)).collect();
    let mut world = World::new(&tenants);
    world.tenants[0].believed = believed;
    let window = SECOND.max(200 * kernel);
    world.run(SECOND + 4 * window);
    let what = format!("{shares:?}, kernels of {} us", kernel / US);
    for (i, percent) in shares.iter().enumerate() {
        let asked = f64::from(*percent);
        let one_kernel = |window: u64| 100.0 * kernel as f64 / window as f64;
        let (error, allowed) =
            (worst(&world, i, asked, window), 1.5f64.min(asked / 5.0) + one_kernel(window));
        if error > allowed {
            wrong.push(format!("{what}: tenant {i} is off by {error:.2}, {allowed:.2} allowed"));
        }
        let error = worst(&world, i, asked, 100 * MS);
        if kernel <= MS && error > 5.0 + one_kernel(100 * MS) {
            wrong.push(format!("{what}: tenant {i} is off by {error:.2} in 100 ms"));
        }
    }
    let switching = world.switches as f64 * 50e3;
    let idle = 100.0 * (1.0 - (world.busy as f64 + switching) / world.now as f64);
    if idle > 1.0 {
        wrong.push(format!("{what}: idle for {idle:.2} % besides switches"));
    }
    if world.looks * SECOND / world.now > 1500 {
        wrong.push(format!("{what}: {} looks", world.looks));
    }
    wrong
}

#[test]
fn idle_time_is_lent_in_proportion_and_given_back() {
    let mut world = World::new(&[
        (burst(20), 200 * US, Program::Saturate),
        (burst(10), 200 * US, Program::Saturate),
        (burst(70), 200 * US, Program::Idle),
    ]);
    world.run(2 * SECOND);
    assert!((got(&world, 0) - 66.7).abs() < 2.0, "{}", got(&world, 0));
    assert!((got(&world, 1) - 33.3).abs() < 2.0, "{}", got(&world, 1));
    let back = world.now;
    world.tenants[2].program = Program::Saturate;
    world.run(SECOND);
    let first = world.tenants[2].done.first().copied().unwrap_or(u64::MAX) - back;
    assert!(first < 5 * MS, "its first kernel came after {first} ns");
    let soon = world.percent(2, back, back + 100 * MS);
    assert!((soon - 70.0).abs() < 6.0, "{soon}");
}

#[test]
fn a_lone_tenant_has_everything_unless_its_share_is_fixed() {
    for (share, expected) in
        [(burst(10), 100.0), (with(Policy::Fixed, 30), 30.0), (with(Policy::BestEffort, 0), 100.0)]
    {
        for kernel in [20 * US, MS, 10 * MS] {
            let mut world = World::new(&[(share, kernel, Program::Saturate)]);
            world.run(4 * SECOND);
            assert!((got(&world, 0) - expected).abs() < 1.5, "{share:?} {kernel}: {}", got(&world, 0));
        }
    }
}

#[test]
fn a_fixed_share_is_never_exceeded_and_the_rest_is_lent() {
    let mut world = World::new(&[
        (with(Policy::Fixed, 25), MS, Program::Saturate),
        (burst(25), MS, Program::Saturate),
        (burst(25), MS, Program::Idle),
    ]);
    world.run(5 * SECOND);
    assert!((got(&world, 0) - 25.0).abs() < 1.5, "{}", got(&world, 0));
    assert!(got(&world, 1) > 72.0, "{}", got(&world, 1));
    // Who comes back is not behind by what the fixed one did not get.
    world.tenants[2].program = Program::Saturate;
    let back = world.now;
    world.run(SECOND);
    let (others, late) = (world.percent(1, back, back + 200 * MS), world.percent(2, back, back + 200 * MS));
    assert!((others - 37.5).abs() < 4.0 && (late - 37.5).abs() < 4.0, "{others} {late}");
}

#[test]
fn best_effort_gets_what_is_left_and_gives_way() {
    let mut world = World::new(&[
        (burst(50), MS, Program::Bursts { on: 50 * MS, off: 50 * MS }),
        (with(Policy::BestEffort, 0), MS, Program::Saturate),
    ]);
    world.run(4 * SECOND);
    assert!(got(&world, 0) > 48.0, "{}", got(&world, 0));
    assert!(got(&world, 1) > 45.0, "{}", got(&world, 1));
    // While the other is at work it gets nothing but what was in flight.
    let inside = (20..39).map(|i| world.percent(1, i * 100 * MS + 5 * MS, i * 100 * MS + 50 * MS));
    assert!(inside.clone().all(|percent| percent == 0.0), "{:?}", inside.collect::<Vec<_>>());
}

#[test]
fn priority_decides_who_is_lent_to_and_guarantees_hold() {
    let first = Share { priority: 1, ..burst(40) };
    let mut world = World::new(&[(first, MS, Program::Saturate), (burst(40), MS, Program::Saturate)]);
    world.run(4 * SECOND);
    assert!((got(&world, 0) - 59.0).abs() < 2.5, "{}", got(&world, 0));
    assert!((got(&world, 1) - 40.0).abs() < 2.0, "{}", got(&world, 1));
}

fn p99(latencies: &[u64]) -> u64 {
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() * 99 / 100]
}

#[test]
fn a_latency_tenant_is_hardly_later_than_alone() {
    let share = Share { latency: true, ..burst(40) };
    for (count, kernel) in [(20, 500 * US), (2, 500 * US)] {
        let requests = Program::Requests { count, every: u64::from(count) * kernel * 10 / 3 };
        let mut alone = World::new(&[(share, kernel, requests)]);
        alone.run(5 * SECOND);
        let mut world = World::new(&[
            (share, kernel, requests),
            (with(Policy::BestEffort, 0), 100 * US, Program::Saturate),
        ]);
        world.run(5 * SECOND);
        // The narrow window, a switch, and what is launched until the node has looked.
        let (alone, beside) = (p99(&alone.tenants[0].latencies), p99(&world.tenants[0].latencies));
        assert!(beside <= alone + alone / 10 || beside <= alone + 700 * US, "{beside} beside, {alone} alone");
        let left = 100.0 - got(&world, 0);
        // After every request its tenant may come back for a while: many small ones cost more.
        let part = if count == 20 { 0.9 } else { 0.65 };
        assert!(got(&world, 1) > part * left, "{} of {left}", got(&world, 1));
    }
}

#[test]
fn programs_that_wait_for_every_kernel_get_their_share_of_what_they_do_alone() {
    let think = Program::Think { ns: 60 * US };
    let mut alone = World::new(&[(burst(50), 500 * US, think)]);
    alone.run(3 * SECOND);
    let mut world = World::new(&[(burst(50), 500 * US, think), (burst(50), 500 * US, think)]);
    world.run(3 * SECOND);
    for tenant in 0..2 {
        let part = got(&world, tenant) / got(&alone, 0);
        assert!(part > 0.48, "{part}");
    }
}

#[test]
fn a_change_acts_within_a_hundred_milliseconds() {
    let mut world = World::new(&[(burst(80), MS, Program::Saturate), (burst(20), MS, Program::Saturate)]);
    world.run(2 * SECOND);
    world.set(0, burst(20));
    world.set(1, burst(80));
    let (at, later) = (world.now, world.now + 100 * MS);
    world.run(SECOND);
    assert!((world.percent(0, later, later + 100 * MS) - 20.0).abs() < 5.0);
    let soon = world.percent(1, at, later);
    assert!(soon > 70.0, "{soon}");
    // To fixed, and paused.
    world.set(1, with(Policy::Fixed, 30));
    world.run(SECOND);
    let fixed = world.percent(1, world.now - 900 * MS, world.now);
    assert!((fixed - 30.0).abs() < 2.0, "{fixed}");
    world.set(1, Share { paused: true, ..burst(80) });
    let at = world.now + 10 * MS;
    world.run(SECOND);
    assert_eq!(world.percent(1, at, world.now), 0.0);
    assert!(world.percent(0, at, world.now) > 98.0);
    world.set(1, burst(80));
    world.run(SECOND);
    assert!(world.percent(1, world.now - 900 * MS, world.now) > 75.0);
}

#[test]
fn a_stopped_holder_delays_the_others_by_a_turn() {
    for kernel in [20 * US, MS, 10 * MS] {
        let mut world =
            World::new(&[(burst(50), kernel, Program::Saturate), (burst(50), MS, Program::Saturate)]);
        world.run(SECOND);
        for _ in 0..20 {
            world.run(1_300 * US);
            world.tenants[0].stopped = true;
            let from = world.now;
            world.run(100 * MS);
            let done: Vec<u64> = world.tenants[1].done.iter().copied().filter(|at| *at >= from).collect();
            let longest = done.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(u64::MAX);
            let first = done.first().copied().unwrap_or(u64::MAX) - from;
            let bound = 6 * MS + 2 * kernel + MS;
            assert!(first.max(longest) < bound, "kernel {kernel}: {first} {longest}");
            world.tenants[0].stopped = false;
            let after = &mut world.tenants[0];
            after.resume();
            world.run(50 * MS);
        }
    }
}

#[test]
fn an_endless_kernel_leaves_the_device_to_go_round() {
    let mut world =
        World::new(&[(burst(50), 1000 * SECOND, Program::Saturate), (burst(50), MS, Program::Saturate)]);
    world.tenants[0].believed = 100 * US;
    world.run(3 * SECOND);
    assert!(world.arbiter.is_stuck(0));
    assert!((got(&world, 1) - 48.0).abs() < 3.0, "{}", got(&world, 1));
    world.end(0);
    world.run(SECOND);
    let after = world.percent(1, world.now - 500 * MS, world.now);
    assert!(after > 98.0, "{after}");
}

#[test]
fn long_turns_are_long() {
    let long = with(Policy::TimeShare { quantum_ns: 300 * MS }, 50);
    let mut world = World::new(&[(long, MS, Program::Saturate), (long, MS, Program::Saturate)]);
    world.run(6 * SECOND);
    assert!((got(&world, 0) - 50.0).abs() < 6.0, "{}", got(&world, 0));
    assert!(world.switches < 25, "{}", world.switches);
}

#[test]
fn managed_is_hardly_less_than_unmanaged() {
    for kernel in [20 * US, MS] {
        let tenants: Vec<_> = [50, 30, 20].iter().map(|p| (burst(*p), kernel, Program::Saturate)).collect();
        let (mut managed, mut free) = (World::new(&tenants), World::unmanaged(&tenants));
        managed.run(3 * SECOND);
        free.run(3 * SECOND);
        assert!(managed.busy as f64 >= 0.98 * free.busy as f64, "{} {}", managed.busy, free.busy);
    }
}

#[test]
fn only_those_hear_of_a_turn_whose_it_is_or_was() {
    let tenants = vec![(burst(3), MS, Program::Saturate); 32];
    let mut world = World::new(&tenants);
    world.run(SECOND);
    let (before, looks) = (world.orders, world.looks);
    world.run(SECOND);
    let (orders, looks) = (world.orders - before, world.looks - looks);
    // Two for each of some 500 turns, which end by themselves.
    assert!(looks < 900 && (900..1200).contains(&orders), "{orders} orders in {looks} looks");
}

#[test]
fn turns_of_many_take_few_looks_and_nothing_else() {
    for kernel in [200 * US, MS] {
        let mut world = World::new(&[(burst(1), kernel, Program::Saturate); 64]);
        world.run(SECOND);
        let (looks, busy, from) = (world.looks, world.busy, world.now);
        world.run(3 * SECOND);
        let (looks, busy) = ((world.looks - looks) / 3, (world.busy - busy) / (3 * SECOND / 100));
        assert!(looks < 450, "{looks} looks a second");
        assert!(busy >= 96, "{busy} % busy");
        for tenant in 0..64 {
            let got = world.percent(tenant, from, world.now);
            assert!((got - 100.0 / 64.0).abs() < 100.0 / 64.0 / 5.0, "{got} %");
        }
    }
}

#[test]
fn who_stops_among_many_delays_the_others_by_a_turn() {
    let mut world = World::new(&[(burst(4), 200 * US, Program::Saturate); 24]);
    world.run(SECOND);
    for stopped in [3, 11] {
        world.tenants[stopped].stopped = true;
        let from = world.now;
        world.run(SECOND);
        let others = world.tenants.iter().filter(|tenant| !tenant.stopped).flat_map(|tenant| &tenant.done);
        let mut done: Vec<u64> = others.copied().filter(|at| *at >= from).collect();
        done.sort_unstable();
        let longest = done.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(u64::MAX);
        assert!(longest < 6 * MS, "{longest} ns");
    }
}

#[test]
fn who_is_told_to_ring_again_is_looked_at_once_more() {
    let mut arbiter = Arbiter::new();
    let waits = Seen { waiting: 1, ..Seen::default() };
    let mut seen: Vec<(Id, Seen)> = (0..24).map(|id| (id, waits)).collect();
    seen.iter().for_each(|(id, _)| arbiter.set(*id, burst(4)));
    let (mut now, mut holder) = (MS, None);
    while now < 50 * MS {
        let step = arbiter.step(now, &seen);
        for (id, order) in step.orders {
            match holder {
                // It comes, and does nothing more from then on.
                None if order.watched && order.credit_ns > 0 => {
                    holder = Some(id);
                    seen[id as usize].1 = Seen { retired_ns: 1, progress_at: now, ..Seen::default() };
                }
                // What it begins at this moment it does not ring for.
                Some(one) if one == id && !order.watched => {
                    assert!(step.wake_at <= now + 500 * US, "looks again in {} ns", step.wake_at - now);
                    return;
                }
                _ => {}
            }
        }
        now = step.wake_at.max(now + 50 * US);
    }
    panic!("{holder:?} was never told");
}

#[test]
fn who_says_for_ever_that_its_last_work_is_under_way_gives_its_turn_away() {
    let mut arbiter = Arbiter::new();
    arbiter.set(1, burst(50));
    arbiter.set(2, burst(50));
    let (mut liar, mut honest) = (Seen::default(), Seen { waiting: 1, ..Seen::default() });
    let (mut turns, mut longest, mut since) = (0, 0, 0);
    for now in (0..4 * SECOND).step_by(MS as usize) {
        let works = |seen: Seen| Seen {
            waiting: 0,
            in_flight_ns: MS,
            commands: 1,
            retired_ns: seen.retired_ns + MS,
            progress_at: now,
            ..seen
        };
        liar = works(liar);
        liar.waiting = u32::from(arbiter.holder() != Some(1));
        let idle = Seen { waiting: 1, in_flight_ns: 0, commands: 0, ..honest };
        honest = if arbiter.holder() == Some(2) { works(honest) } else { idle };
        arbiter.step(now, &[(1, liar), (2, honest)]);
        if arbiter.holder() == Some(2) {
            (turns, since) = (turns + 1, now);
        }
        longest = longest.max(now - since);
    }
    assert!(longest < 120 * MS, "it waits for {} ms", longest / MS);
    assert!((1600..2400).contains(&turns), "{turns} of 4000 ms");
}

#[test]
fn time_that_nobody_saw_is_nobodys() {
    let mut world = World::new(&[(burst(50), MS, Program::Saturate), (burst(50), MS, Program::Saturate)]);
    world.run(SECOND);
    world.node_stopped = true;
    world.run(5 * SECOND);
    world.node_stopped = false;
    world.run(SECOND);
    for tenant in 0..2 {
        let after = world.percent(tenant, world.now - 900 * MS, world.now);
        assert!((after - 50.0).abs() < 2.5, "{after}");
    }
}

#[test]
fn who_looks_up_from_its_waiting_has_not_gone() {
    let mut arbiter = Arbiter::new();
    arbiter.set(1, burst(90));
    arbiter.set(2, burst(10));
    let works = |now| Seen {
        waiting: 1,
        in_flight_ns: 2 * MS,
        commands: 2,
        retired_ns: now,
        progress_at: now,
        ..Seen::default()
    };
    let waits = Seen { waiting: 1, ..Seen::default() };
    // The first has its turn, and the second has waited for longer than anybody may do nothing.
    let mut now = MS;
    arbiter.step(now, &[(1, works(now)), (2, waits)]);
    while arbiter.holder() != Some(1) || now < 2 * MS {
        now += 100 * US;
        arbiter.step(now, &[(1, works(now)), (2, waits)]);
        assert!(now < SECOND, "it never had its turn");
    }
    now += 20 * US;
    let step = arbiter.step(now, &[(1, works(now)), (2, Seen::default())]);
    assert!(step.orders.iter().all(|(id, order)| *id != 2 || order.credit_ns == 0), "{:?}", step.orders);
    let lent = |(id, order): &(Id, Order)| *id == 1 && order.credit_ns >= LENT_NS;
    assert!(
        !step.orders.iter().any(lent),
        "what is its own is not lent for a moment's look: {:?}",
        step.orders
    );
    assert!(arbiter.is_active(2));
    // It does not wait again: it has gone.
    arbiter.step(now + MS, &[(1, works(now + MS)), (2, Seen::default())]);
    assert!(!arbiter.is_active(2));
}

/// Two who wait, of whom the first is given its turn and does not come.
fn no_show(now: &mut u64) -> Arbiter {
    let mut arbiter = Arbiter::new();
    arbiter.set(1, burst(90));
    arbiter.set(2, burst(10));
    let waits = Seen { waiting: 1, ..Seen::default() };
    arbiter.step(*now, &[(1, waits), (2, waits)]);
    assert_eq!(arbiter.holder(), Some(1));
    while arbiter.holder() == Some(1) {
        *now += 100 * US;
        arbiter.step(*now, &[(1, waits), (2, waits)]);
    }
    assert!(*now <= 4 * MS, "{now}");
    arbiter
}

#[test]
fn who_does_not_come_is_asked_again_when_it_rings_or_after_a_while() {
    for rings in [false, true] {
        let mut now = MS;
        let mut arbiter = no_show(&mut now);
        let passed_over = now;
        while arbiter.holder() != Some(1) {
            now += 100 * US;
            let first = Seen { waiting: 1, rings: u32::from(rings), ..Seen::default() };
            let second = Seen { commands: 1, in_flight_ns: 100 * US, ..Seen::default() };
            let second = Seen { retired_ns: now, progress_at: now, ..second };
            arbiter.step(now, &[(1, first), (2, second)]);
            assert!(now < SECOND, "it never had its turn again");
        }
        let after = now - passed_over;
        assert_eq!(after < 2 * MS, rings, "asked again after {after}");
        assert!(after <= 6 * MS, "asked again after {after}");
    }
}

#[test]
fn whose_work_is_delayed_by_that_of_another_was_there() {
    let mut arbiter = Arbiter::new();
    arbiter.set(1, burst(50));
    arbiter.set(2, burst(50));
    // The first has enough at work for its turn, which cannot begin: what the second had at work takes longer than predicted.
    let first = Seen { waiting: 1, commands: 20, in_flight_ns: 2 * MS, progress_at: MS, ..Seen::default() };
    let second = Seen { waiting: 1, commands: 1, in_flight_ns: 100 * US, progress_at: MS, ..Seen::default() };
    let mut now = MS;
    let mut given = Vec::new();
    while now < 10 * MS {
        arbiter.step(now, &[(1, first), (2, second)]);
        if given.last() != Some(&arbiter.holder()) {
            given.push(arbiter.holder());
        }
        now += 100 * US;
    }
    let done = Seen { commands: 0, in_flight_ns: 0, retired_ns: 100 * US, progress_at: now, ..second };
    for _ in 0..5 {
        arbiter.step(now, &[(1, first), (2, done)]);
        now += 100 * US;
    }
    assert_eq!(arbiter.holder(), Some(1), "{given:?}");
}

#[test]
fn what_changes_within_a_turn_is_no_second_turn() {
    let mut arbiter = Arbiter::new();
    (1..=3).for_each(|id| arbiter.set(id, burst(30)));
    let waits = Seen { waiting: 1, ..Seen::default() };
    let works = Seen { commands: 1, in_flight_ns: 500 * US, progress_at: MS, ..Seen::default() };
    let step = arbiter.step(MS, &[(1, waits), (2, waits)]);
    let begun: Vec<_> = step.orders.iter().filter(|(id, _)| *id == 1).map(|(_, order)| *order).collect();
    assert!(matches!(begun[..], [Order { course: Course::Begins, shared: false, credit_ns: 1.., .. }]));
    // The third begins with what an idle tenant has: the first hears that it is not alone, and nothing else.
    let step = arbiter.step(MS + 300 * US, &[(1, works), (2, waits), (3, works)]);
    let told: Vec<_> = step.orders.iter().filter(|(id, _)| *id == 1).map(|(_, order)| *order).collect();
    assert!(matches!(told[..], [Order { course: Course::GoesOn, shared: true, .. }]), "{told:?}");
}

#[test]
fn lent_credit_is_renewed_whatever_else_is_said_meanwhile() {
    let mut arbiter = Arbiter::new();
    (1..=2).for_each(|id| arbiter.set(id, burst(50)));
    let (mut credit, mut said) = (0, 0);
    for ms in 1..1000 {
        // It uses what it has, and again and again its window is another because of the other one's latency.
        credit -= MS as i64;
        arbiter.set(2, Share { latency: ms / 30 % 2 == 1, ..burst(50) });
        let commands = if ms == 1 { 0 } else { 2 };
        let works = Seen { waiting: 1, commands, retired_ns: ms, progress_at: ms * MS, ..Seen::default() };
        let works = if ms == 1 { works } else { Seen { waiting: 0, in_flight_ns: MS, ..works } };
        let step = arbiter.step(ms * MS, &[(1, works), (2, Seen::default())]);
        for (_, order) in step.orders.iter().filter(|(id, _)| *id == 1) {
            said += 1;
            if matches!(order.course, Course::Begins | Course::Renewed) {
                credit = order.credit_ns as i64;
            }
        }
        assert!(credit > 0, "at {ms} ms");
    }
    assert!(said >= 30, "{said} orders");
}

#[test]
fn a_lapse_of_a_moment_costs_a_moment() {
    for lapse in [300 * US, SECOND] {
        let mut arbiter = Arbiter::new();
        arbiter.set(1, burst(50));
        arbiter.set(2, burst(50));
        let works = |retired: u64, at: u64| Seen {
            waiting: 1,
            in_flight_ns: 100 * US,
            commands: 1,
            retired_ns: retired,
            progress_at: at,
            ..Seen::default()
        };
        let waits = Seen { waiting: 1, ..Seen::default() };
        // One kernel of the first holds the device for 40 ms; nobody could take it away.
        let mut now = MS;
        arbiter.step(now, &[(1, waits), (2, waits)]);
        assert_eq!(arbiter.holder(), Some(1));
        while now < 41 * MS {
            now += MS / 2;
            arbiter.step(now, &[(1, Seen { in_flight_ns: 50 * MS, ..works(0, MS) }), (2, waits)]);
        }
        // Then the second, which is owed as much, is away for a while.
        let had = |arbiter: &Arbiter| [arbiter.got(1), arbiter.got(2)];
        let until = now + lapse;
        while now < until {
            now += 100 * US;
            arbiter.step(now, &[(1, works(now, now)), (2, Seen::default())]);
        }
        let before = had(&arbiter);
        let end = now + 60 * MS;
        while now < end {
            now += 100 * US;
            let on_turn = arbiter.holder();
            let one = |id| if on_turn == Some(id) { works(now, now) } else { waits };
            arbiter.step(now, &[(1, one(1)), (2, one(2))]);
        }
        let after = had(&arbiter);
        let (first, second) = (after[0] - before[0], after[1] - before[1]);
        assert_eq!(second > first + 20 * MS, lapse < MS, "lapse {lapse}: {first} and {second}");
    }
}
