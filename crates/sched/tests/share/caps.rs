use cleave_sched::share::{Arbiter, Desk, Engine, Id, Order, Policy, Seen};

use super::world::{MS, US};
use super::{SECOND, with};

#[test]
fn who_waits_for_what_its_cap_keeps_out_is_let_on() {
    let mut arbiter = Arbiter::new();
    arbiter.set(1, with(Policy::Fixed, 30));
    // A kernel that waits for one that waits at the gate; nothing it does ends, and each time that is waited for longer.
    let spins = Seen { waiting: 1, in_flight_ns: 100 * US, commands: 1, progress_at: MS, ..Seen::default() };
    let (mut now, mut let_on) = (MS, 0);
    let mut closed_since = None;
    let mut first = None;
    while now < SECOND {
        let step = arbiter.step(now, &[(1, spins)]);
        for (_, order) in step.orders {
            if order.credit_ns == 0 {
                closed_since.get_or_insert(now);
            } else if let Some(since) = closed_since.take() {
                let_on += 1;
                first.get_or_insert(now - since);
            }
        }
        now = step.wake_at.max(now + 50 * US);
    }
    assert!(first.is_some_and(|first| first <= 20 * MS), "kept out for {first:?}");
    assert!((4..=8).contains(&let_on), "let on {let_on} times in a second");
}

#[test]
fn who_waited_for_itself_before_is_let_on_soon() {
    let mut arbiter = Arbiter::new();
    arbiter.set(1, with(Policy::Fixed, 30));
    // Kernels that each wait for the next one.
    let spins = |number: u64, now: u64| Seen {
        waiting: 1,
        in_flight_ns: 500 * US,
        commands: 1,
        retired_ns: number,
        progress_at: now,
        ..Seen::default()
    };
    let (mut now, mut number, mut moved_at) = (MS, 1, MS);
    let mut took = Vec::new();
    let mut looks = 0;
    while took.len() < 20 {
        let step = arbiter.step(now, &[(1, spins(number, moved_at))]);
        looks += 1;
        let let_on = step.orders.iter().any(|(_, order)| order.credit_ns > 0);
        if let_on {
            took.push(now - moved_at);
            (number, moved_at) = (number + 1, now + 50 * US);
        }
        now = step.wake_at.max(now + 50 * US);
        assert!(now < 10 * SECOND, "{took:?}");
    }
    // Once it is not known yet that it helps; before that it still has what it saved.
    assert_eq!(took.iter().filter(|ns| **ns > 3 * MS).count(), 1, "{took:?}");
    assert!(looks < 200, "{looks}");
}

/// A device of one tenant and a device of another, or of the same, under caps of 30 %.
fn two_devices(one: Id, other: Id) -> Desk {
    let mut desk = Desk::default();
    desk.set(0, one, with(Policy::Fixed, 30));
    desk.set(1, other, with(Policy::Fixed, 30));
    desk
}

/// A look at what there is on each device; true if `id` is let on at `device`.
fn lets_on(desk: &mut Desk, now: &mut u64, seen: &[(usize, Id, Seen)], id: Id, device: usize) -> bool {
    let seen = |device: usize, engine| {
        let here = seen.iter().filter(|(there, ..)| engine == Engine::Gr && *there == device);
        here.map(|(_, id, seen)| (*id, *seen)).collect()
    };
    let mut found = false;
    let wake_at = desk.step(*now, seen, |there, engine, other, order: Order| {
        found |= (there, engine, other) == (device, Engine::Gr, id) && order.lets_on;
    });
    *now = wake_at.clamp(*now + 50 * US, *now + MS);
    found
}

/// Work that does not move, and a thread that is kept from more.
fn stands(commands: u32, waiting: u32) -> Seen {
    Seen {
        waiting,
        in_flight_ns: u64::from(commands) * 100 * US,
        commands,
        progress_at: MS,
        ..Seen::default()
    }
}

#[test]
fn work_on_one_device_lets_on_what_it_may_wait_for_on_another() {
    let mut desk = two_devices(1, 1);
    // Both are at work, until it owes something on both.
    let mut now = MS;
    while now < 8 * MS {
        lets_on(&mut desk, &mut now, &[(0, 1, stands(1, 0)), (1, 1, stands(1, 0))], 1, 0);
    }
    // What it had on the first is done, and the next waits there: nothing on that device says that anything is amiss.
    let done = Seen { retired_ns: 1, progress_at: now, ..stands(0, 1) };
    let since = now;
    while !lets_on(&mut desk, &mut now, &[(0, 1, done), (1, 1, stands(1, 0))], 1, 0) {
        assert!(now < since + 20 * MS, "kept out for {} ms", (now - since) / MS);
    }
}

#[test]
fn what_is_let_on_for_work_elsewhere_may_take_long() {
    let mut desk = two_devices(1, 1);
    let mut now = MS;
    while now < 8 * MS {
        lets_on(&mut desk, &mut now, &[(0, 1, stands(1, 0)), (1, 1, stands(1, 0))], 1, 0);
    }
    // The work on the second device waits for the last of much that the first has to do, a millisecond each.
    let (mut first, mut last) = (None, 0);
    let until = now + 100 * MS;
    while now < until {
        let moves = Seen { retired_ns: now / MS, progress_at: now / MS * MS, ..stands(1, 1) };
        if lets_on(&mut desk, &mut now, &[(0, 1, moves), (1, 1, stands(1, 0))], 1, 0) {
            (first, last) = (first.or(Some(now)), now);
        }
    }
    let first = first.expect("is let on");
    assert!(last - first > 60 * MS, "let on for {} ms", (last - first) / MS);
}

#[test]
fn who_waited_for_itself_and_owes_on_one_device_begins_nothing_on_another() {
    let mut desk = two_devices(1, 1);
    // A kernel on the first device that stood still until more of its own was let on.
    let mut now = MS;
    while !lets_on(&mut desk, &mut now, &[(0, 1, stands(1, 1)), (1, 1, stands(0, 0))], 1, 0) {}
    let done = Seen { retired_ns: 1, progress_at: now, ..stands(0, 1) };
    lets_on(&mut desk, &mut now, &[(0, 1, done), (1, 1, stands(0, 0))], 1, 0);
    // It has saved all it can on the second, and owes on the first: it gets its turn on both, when it has paid.
    let since = now;
    let mut turns = [None; 2];
    while turns.contains(&None) && now < since + 200 * MS {
        let seen = |device, engine| match engine {
            Engine::Gr => vec![(1, if device == 0 { done } else { stands(0, 1) })],
            _ => Vec::new(),
        };
        desk.step(now, seen, |device, engine, _, order: Order| {
            if engine == Engine::Gr && order.credit_ns > 0 {
                turns[device].get_or_insert(now - since);
            }
        });
        now += MS / 4;
    }
    let [Some(first), Some(second)] = turns else { panic!("{turns:?}") };
    assert!(first > 10 * MS, "paid after {first} ns");
    assert!(first.abs_diff(second) <= MS, "{first} and {second} ns");
}

#[test]
fn work_of_one_tenant_lets_on_another_that_owes_for_standing_still() {
    let mut desk = two_devices(1, 2);
    let mut now = MS;
    while now < 101 * MS {
        lets_on(&mut desk, &mut now, &[(0, 1, stands(1, 0)), (1, 2, stands(0, 0))], 1, 0);
    }
    // What the first waited for has come. Now the second waits, for what the first owes 70 ms for.
    let done = Seen { retired_ns: 1, progress_at: now, ..stands(0, 1) };
    let waits = Seen { progress_at: now, ..stands(1, 0) };
    let since = now;
    while !lets_on(&mut desk, &mut now, &[(0, 1, done), (1, 2, waits)], 1, 0) {
        assert!(now < since + 20 * MS, "kept out for {} ms", (now - since) / MS);
    }
}

#[test]
fn who_owes_for_work_is_not_let_on_for_that_of_others() {
    let mut desk = two_devices(1, 2);
    // A hundred milliseconds of work that moves all the time, drawn as one order: it owes seventy.
    let mut now = MS;
    while now < 101 * MS {
        let moves = Seen { retired_ns: now, progress_at: now, ..stands(1, 0) };
        lets_on(&mut desk, &mut now, &[(0, 1, moves), (1, 2, stands(0, 0))], 1, 0);
    }
    let done = Seen { retired_ns: now, progress_at: now, ..stands(0, 1) };
    let long = Seen { progress_at: now, ..stands(1, 0) };
    let until = now + 150 * MS;
    while now < until {
        assert!(!lets_on(&mut desk, &mut now, &[(0, 1, done), (1, 2, long)], 1, 0), "{now}");
    }
}

/// A tenant with a cap of 20 % on a device of its own: its commands take `ns` each and are `predicted`, two are in flight at
/// most and the next one waits.
#[derive(Default)]
struct Capped {
    ns: u64,
    predicted: u64,
    ends: Vec<u64>,
    seen: Seen,
    credit: i64,
    done: u64,
}

impl Capped {
    fn new(ns: u64, predicted: u64) -> Capped {
        Capped { ns, predicted, seen: Seen { waiting: 1, ..Seen::default() }, ..Capped::default() }
    }

    /// What it does; whether anybody has to look. The device stands still for 50 ms every two seconds, as it does where the
    /// machine sleeps.
    fn goes_on(&mut self, now: u64) -> bool {
        if self.ends.first().is_some_and(|end| *end <= now) {
            self.ends.remove(0);
            self.done += self.ns;
            self.seen.retired_ns += self.predicted;
            self.seen.progress_at = now;
        }
        if self.credit > 0 && self.ends.len() < 2 {
            if self.ends.is_empty() {
                self.seen.progress_at = now;
            }
            let begin = self.ends.last().copied().unwrap_or(now);
            let slept = begin / (2 * SECOND) != (begin + self.ns) / (2 * SECOND);
            self.ends.push(begin + self.ns + if slept { 50 * MS } else { 0 });
            self.credit -= self.predicted as i64;
        }
        let before = (self.seen.commands, self.seen.waiting);
        let after = (self.ends.len() as u32, u32::from(self.credit <= 0));
        (self.seen.commands, self.seen.waiting) = after;
        self.seen.in_flight_ns = self.predicted * self.ends.len() as u64;
        before != after
    }
}

/// What tenants get in `seconds`, in percent of their devices.
fn capped<const N: usize>(tenants: [Capped; N], seconds: u64) -> [f64; N] {
    run(tenants, |device| device as Id, seconds)
}

/// The same with the number of the tenant on each device.
fn run<const N: usize>(mut tenants: [Capped; N], id: impl Fn(usize) -> Id, seconds: u64) -> [f64; N] {
    let mut desk = Desk::default();
    for device in 0..N {
        desk.set(device, id(device), with(Policy::Fixed, 20));
    }
    let mut look_at = 0;
    for now in (0..seconds * SECOND).step_by(50 * US as usize) {
        let changed = tenants.iter_mut().filter_map(|tenant| tenant.goes_on(now).then_some(())).count() > 0;
        if changed || now >= look_at {
            let seen = tenants.each_ref().map(|tenant| tenant.seen);
            let seen = |device: usize, engine| match engine {
                Engine::Gr => vec![(id(device), seen[device])],
                _ => Vec::new(),
            };
            look_at = desk.step(now, seen, |device, engine, _, order| {
                if engine == Engine::Gr {
                    tenants[device].credit = order.credit_ns as i64;
                }
            });
        }
    }
    tenants.map(|tenant| 100.0 * tenant.done as f64 / (seconds * SECOND) as f64)
}

#[test]
fn nobody_gets_past_its_cap_by_work_that_takes_long() {
    for (ns, predicted) in [(2 * MS, 2 * MS), (200 * US, 200 * US), (30 * MS, 30 * MS), (30 * MS, 500 * US)] {
        let [got] = capped([Capped::new(ns, predicted)], 10);
        assert!((15.0..21.5).contains(&got), "{got} % with {ns} ns predicted as {predicted}");
    }
    // A kernel that takes longer than anybody waits for: after some that were let on in vain it keeps to its cap too.
    let [got] = capped([Capped::new(400 * MS, 500 * US)], 120);
    assert!((15.0..25.0).contains(&got), "{got} %");
}

#[test]
fn nobody_gets_past_its_cap_by_work_of_others_that_takes_long() {
    let long = || Capped::new(400 * MS, 500 * US);
    for (ns, predicted) in [(200 * US, 200 * US), (2 * MS, 2 * MS), (30 * MS, 30 * MS), (30 * MS, 500 * US)] {
        let [got, other] = capped([Capped::new(ns, predicted), long()], 60);
        assert!((15.0..21.5).contains(&got), "{got} % with {ns} ns predicted as {predicted}");
        assert!((15.0..26.0).contains(&other), "{other} %");
    }
}

#[test]
fn who_does_different_work_on_two_devices_gets_its_share_of_both() {
    for (one, other) in [(200 * US, 2 * MS), (200 * US, 30 * MS), (2 * MS, 30 * MS)] {
        for got in run([Capped::new(one, one), Capped::new(other, other)], |_| 1, 10) {
            assert!((18.0..21.5).contains(&got), "{got} % with {one} and {other} ns");
        }
    }
}
