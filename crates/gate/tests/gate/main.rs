//! The gate in virtual time.

/// Side by side.
mod side;
/// A device in virtual time.
mod support;
/// One gate, several threads.
mod threads;

use std::sync::atomic::Ordering::Relaxed;

use cleave_gate::{Answer, Gate, Order, Waited, Why};
use support::*;

#[test]
fn what_is_in_flight_is_bounded_and_the_device_never_idles() {
    for truth in [3 * US, 20 * US, 300 * US, 900 * US, 5 * MS, 50 * MS] {
        let (page, fake) = (Page::new(100), Fake::at(MS));
        page.give(always());
        let gate = Gate::new(page.words());
        saturate(&gate, &fake, 3000 * MS, |_| (kernel(1), 1, truth));
        let (start, busy) = (fake.now.get(), fake.busy.get());
        let mut most = 0;
        saturate(&gate, &fake, start + 1000 * MS, |_| {
            most = most.max(page.flight().in_flight_ns);
            (kernel(1), 1, truth)
        });
        let bound = (2 * MS).max(2 * truth) + truth / 10;
        assert!(most <= bound + 500 * US, "{truth}: {most} in flight");
        let idle = 1000 * MS - (fake.busy.get() - busy).min(1000 * MS);
        assert!(idle <= 10 * MS, "{truth}: idle for {idle}");
        drain(&gate, &fake);
        assert_eq!((page.flight().in_flight_ns, page.flight().commands), (0, 0));
        assert_eq!(fake.marks.get(), 0, "every mark is given back");
    }
}

#[test]
fn credit_is_used_up_by_one_command_at_most() {
    for truth in [20 * US, 300 * US, 5 * MS] {
        let (page, fake) = (Page::new(50), Fake::at(MS));
        page.give(always());
        let gate = Gate::new(page.words());
        saturate(&gate, &fake, 500 * MS, |_| (kernel(1), 1, truth));
        drain(&gate, &fake);
        page.give(Order { credit_ns: 4 * MS, ..always() });
        let before = fake.busy.get();
        let why = use_up(&gate, &fake, kernel(1), truth);
        let used = fake.busy.get() - before;
        assert!((4 * MS..4 * MS + truth + truth / 20).contains(&(used + truth / 20)), "{truth}: {used}");
        assert_eq!(why.seq, gate.seq().load(Relaxed));
        // The first command of the next turn passes however long it takes.
        page.give(Order { credit_ns: 1, ..always() });
        fake.now.set(fake.drained_at());
        assert!(submit(&gate, &fake, kernel(1), 1, truth).is_ok());
        assert!(submit(&gate, &fake, kernel(1), 1, truth).is_err());
    }
}

#[test]
fn a_turn_that_is_taken_ends_at_once() {
    let (page, fake) = (Page::new(50), Fake::at(MS));
    page.give(always());
    let gate = Gate::new(page.words());
    saturate(&gate, &fake, 50 * MS, |_| (kernel(1), 1, 20 * US));
    drain(&gate, &fake);
    assert!(submit(&gate, &fake, kernel(1), 1, 20 * US).is_ok());
    assert!(gate.try_pass(kernel(1), 1).is_some(), "the batch is open");
    page.give(Order { credit_ns: 0, ..always() });
    assert_eq!(gate.try_pass(kernel(1), 1), None);
    assert_eq!(submit(&gate, &fake, kernel(1), 1, 20 * US).unwrap_err().why, Why::Closed);
    // What had been drawn ahead does not count in the next turn.
    page.give(Order { credit_ns: 40 * US, ..always() });
    let passed = (0..100).take_while(|_| submit(&gate, &fake, kernel(1), 1, 20 * US).is_ok()).count();
    assert!((2..=3).contains(&passed), "{passed}");
    page.give(Order { paused: true, ..always() });
    assert_eq!(submit(&gate, &fake, kernel(1), 1, 20 * US).unwrap_err().why, Why::Closed);
}

#[test]
fn times_that_are_wrong_become_right() {
    for (learnt, truth) in [(MS, 20 * US), (20 * US, MS), (50 * MS, 100 * US), (US, 50 * MS)] {
        let (page, fake) = (Page::new(100), Fake::at(MS));
        page.give(always());
        let gate = Gate::new(page.words());
        for _ in 0..600 {
            while let Err(wait) = submit(&gate, &fake, kernel(1), 1, learnt) {
                fake.now.set(wait.until);
            }
        }
        drain(&gate, &fake);
        for _ in 0..1000 {
            while let Err(wait) = submit(&gate, &fake, kernel(1), 1, truth) {
                fake.now.set(wait.until);
            }
        }
        drain(&gate, &fake);
        let charged_before = charged(&page);
        for _ in 0..256 {
            while let Err(wait) = submit(&gate, &fake, kernel(1), 1, truth) {
                fake.now.set(wait.until);
            }
        }
        let each = (charged(&page) - charged_before) / 256;
        assert!(each.abs_diff(truth) <= truth / 4 + 3 * US, "{learnt} became {each} and not {truth}");
    }
}

#[test]
fn who_waits_for_something_else_looks_only_where_there_is_something_to_see() {
    let (page, fake) = (Page::new(50), Fake::at(MS));
    let gate = Gate::new(page.words());
    page.give(always());
    assert!(!gate.is_due(fake.now.get()), "nothing ever came here");
    assert!(submit(&gate, &fake, kernel(1), 1, 20 * US).is_ok());
    gate.poll(&fake, fake.now.get());
    assert!(gate.is_due(fake.now.get()), "others wait for it");
    page.give(Order { tracked: false, ..always() });
    assert!(!gate.is_due(fake.now.get() + 500 * US), "it was looked at a moment ago");
    assert!(gate.is_due(fake.now.get() + 2 * MS));
}

/// The first command of a turn waits for the last work of another, and what it took is not its own.
#[test]
fn what_is_measured_has_work_before_it() {
    let (page, fake) = (Page::new(50), Fake::at(MS));
    page.give(always());
    let gate = Gate::new(page.words());
    saturate(&gate, &fake, 500 * MS, |_| (kernel(1), 1, MS));
    for turn in 0..3000 {
        drain(&gate, &fake);
        fake.occupy(150 * US);
        page.give(Order { credit_ns: (2 + turn % 3) * MS + 500 * US, shared: true, ..always() });
        submit(&gate, &fake, kernel(1), 1, MS).unwrap();
        let predicted = page.flight().in_flight_ns;
        assert!(predicted.abs_diff(MS) <= 2 * US, "{predicted}");
        use_up(&gate, &fake, kernel(1), MS);
    }
    // Who waits for each of its commands has nothing else to measure.
    page.give(always());
    for _ in 0..2000 {
        drain(&gate, &fake);
        submit(&gate, &fake, kernel(1), 1, MS / 2).unwrap();
    }
    let predicted = page.flight().in_flight_ns;
    assert!(predicted.abs_diff(MS / 2) <= 2 * US, "{predicted}");
}

#[test]
fn without_an_arbiter_the_own_share_is_kept() {
    for truth in [20 * US, 300 * US, 5 * MS, 50 * MS] {
        for percent in [1, 10, 30, 90] {
            let (page, fake) = (Page::new(percent), Fake::at(MS));
            let gate = Gate::new(page.words());
            saturate(&gate, &fake, 2000 * MS, |_| (kernel(1), 1, truth));
            let (start, busy) = (fake.now.get(), fake.busy.get());
            let span = (200 * truth * 100 / u64::from(percent)).max(2000 * MS);
            saturate(&gate, &fake, start + span, |_| (kernel(1), 1, truth));
            let got = (fake.busy.get() - busy) as f64 / (fake.now.get() - start) as f64 * 100.0;
            // Counted when submitted: up to two commands are ahead.
            let ahead = 200.0 * truth as f64 / span as f64;
            let error = (got - f64::from(percent)).abs() - ahead;
            assert!(error < 0.7f64.min(f64::from(percent) / 5.0), "{percent} % of {truth}: {got}");
        }
    }
    let (page, fake) = (Page::new(100), Fake::at(MS));
    let gate = Gate::new(page.words());
    saturate(&gate, &fake, 2 * MS, |passed| {
        fake.now.set(fake.now.get() + US);
        (kernel(passed % 50), passed % 20 + 1, 20 * US)
    });
    assert_eq!(fake.puts.get(), 0, "who has it all and no arbiter is left alone");
    assert!(!gate.has_work(), "and nobody follows it");
}

#[test]
fn without_an_arbiter_what_runs_side_by_side_still_does() {
    for (percent, truth) in [(10, MS), (30, MS), (30, 100 * US), (60, MS)] {
        let (page, fake) = (Page::new(percent), Fake::at(MS));
        fake.wide.set(true);
        let gate = Gate::new(page.words());
        let next = |passed| (kernel(1), passed % 4 + 1, truth);
        saturate(&gate, &fake, 1000 * MS, next);
        let start = fake.now.get();
        let passed = saturate(&gate, &fake, start + 2000 * MS, next);
        // Alone, without limits, four at a time are always at work.
        let got = (passed * truth) as f64 / 4.0 / (fake.now.get() - start) as f64 * 100.0;
        let asked = f64::from(percent);
        assert!((0.85 * asked..=asked + 1.5).contains(&got), "{percent} % of {truth}: {got}");
    }
}

#[test]
fn a_lease_that_ends_leaves_the_own_share() {
    let (page, fake) = (Page::new(30), Fake::at(MS));
    page.give(Order { lease_until: 100 * MS, ..always() });
    let gate = Gate::new(page.words());
    saturate(&gate, &fake, 100 * MS, |_| (kernel(1), 1, 100 * US));
    assert!(fake.busy.get() > 95 * MS, "all of it while the arbiter says so");
    let busy = fake.busy.get();
    saturate(&gate, &fake, 1100 * MS, |_| (kernel(1), 1, 100 * US));
    let got = (fake.busy.get() - busy) / (10 * MS);
    assert!((29..=31).contains(&got), "{got} %");
    page.give(always());
    let busy = fake.busy.get();
    let from = fake.now.get();
    saturate(&gate, &fake, from + 100 * MS, |_| (kernel(1), 1, 100 * US));
    assert!(fake.busy.get() - busy > 95 * MS, "and again");
    page.give(Order { credit_ns: 0, lease_until: fake.now.get() + 5 * MS, ..always() });
    let wait = submit(&gate, &fake, kernel(1), 1, 100 * US).unwrap_err();
    assert!(wait.until <= fake.now.get() + 5 * MS, "nobody waits beyond the lease");
}

#[test]
fn a_pause_outlives_the_arbiter() {
    for percent in [30, 100] {
        let (page, fake) = (Page::new(percent), Fake::at(MS));
        page.give(Order { paused: true, knows: true, lease_until: 5 * MS, ..always() });
        let gate = Gate::new(page.words());
        let mut waiter = gate.waiter();
        let mut passes = || submit_as(&mut waiter, &gate, &fake, (kernel(1), 1, 100 * US)).is_ok();
        for ms in 1..1000 {
            fake.now.set(ms * MS);
            assert!(!passes(), "{percent} % after {ms} ms");
        }
        page.give(always());
        assert!(passes());
    }
}

/// A process whose siblings have three quarters of the device sees nothing done for longer than it expects, again and again.
#[test]
fn what_waits_for_siblings_does_not_pile_up() {
    let (page, fake) = (Page::new(100), Fake::at(MS));
    let window_ns = 20 * MS;
    page.give(Order { window_ns, tracked: false, ..always() });
    let gate = Gate::new(page.words());
    let mut most = 0;
    saturate(&gate, &fake, 2000 * MS, |passed| {
        if passed % 40 == 0 {
            fake.occupy(6 * MS);
        }
        most = most.max(page.flight().in_flight_ns);
        fake.now.set(fake.now.get() + 4 * US);
        (kernel(1), 1, 50 * US)
    });
    assert!(most <= 2 * window_ns + 10 * MS, "{} ms in flight", most / MS);
}

#[test]
fn commands_that_wait_for_each_other_are_let_through() {
    let (page, fake) = (Page::new(30), Fake::at(MS));
    page.give(always());
    let gate = Gate::new(page.words());
    // Three that never end, each on its own stream, and only the sixth command would release them.
    let begin = fake.now.get();
    for stream in 1..=6 {
        let truth = if stream <= 3 { FOREVER } else { 5 * MS };
        while let Err(wait) = submit(&gate, &fake, kernel(stream * 7), stream, truth) {
            assert_eq!(wait.why, Why::Window);
            fake.now.set(wait.until);
        }
    }
    assert!(fake.now.get() - begin < 200 * MS, "{}", fake.now.get() - begin);
    fake.release();
    drain(&gate, &fake);
    assert_eq!(page.flight().commands, 0);
    assert_eq!(fake.marks.get(), 0);
}

/// Four commands on streams of their own that do not end by themselves, so that the window is full.
fn stall(gate: &Gate<'_, Fake>, fake: &Fake) {
    for stream in 1..=4 {
        submit(gate, fake, kernel(7), stream, FOREVER).expect("the window is not full yet");
    }
    assert_eq!(submit(gate, fake, kernel(1), 9, MS).expect_err("it is full now").why, Why::Window);
}

#[test]
fn who_could_break_a_stall_waits_for_a_turn_only_once() {
    let (page, fake) = (Page::new(30), Fake::at(MS));
    page.give(always());
    let gate = Gate::new(page.words());
    stall(&gate, &fake);
    page.give(Order { credit_ns: 0, ..always() });
    fake.now.set(fake.now.get() + 10 * MS);
    let mut waiter = gate.waiter();
    for _ in 0..5 {
        let Answer::Wait(wait) = gate.ask(&fake, &mut waiter, kernel(1), 9, fake.now.get()) else { panic!() };
        assert_eq!((wait.why, page.flight().waiting), (Why::Closed, 1), "the arbiter must see that it waits");
        fake.now.set(fake.now.get() + MS);
    }
    page.give(Order { credit_ns: 500 * US, lets_on: true, ..always() });
    assert!(matches!(gate.ask(&fake, &mut waiter, kernel(1), 9, fake.now.get()), Answer::Go(_)));
}

#[test]
fn beside_what_stalls_others_go_on_as_ever() {
    let (page, fake) = (Page::new(30), Fake::at(MS));
    page.give(always());
    let gate = Gate::new(page.words());
    // Longer than the window, so that two of them are in flight at a time.
    saturate(&gate, &fake, 200 * MS, |_| (kernel(2), 9, 3 * MS));
    drain(&gate, &fake);
    stall(&gate, &fake);
    let begin = fake.now.get();
    for _ in 0..30 {
        while let Err(wait) = submit(&gate, &fake, kernel(2), 9, 3 * MS) {
            fake.now.set(wait.until);
        }
        assert!(page.flight().commands <= 4 + 2);
    }
    let took = fake.now.get() - begin;
    assert!(took < 30 * 3 * MS + 20 * MS, "{} ms", took / MS);
}

#[test]
fn what_was_measured_while_others_were_kept_is_not_believed() {
    let (page, fake) = (Page::new(30), Fake::at(MS));
    for (lets_on, unsure) in [(false, false), (true, true)] {
        let gate = Gate::new(page.words());
        for _ in 0..8 {
            page.give(always());
            submit(&gate, &fake, kernel(7), 1, 20 * MS).unwrap();
            page.give(Order { lets_on, ..always() });
            drain(&gate, &fake);
        }
        // What is not believed is looked at soon, what is believed when it should be done.
        submit(&gate, &fake, kernel(7), 1, 20 * MS).unwrap();
        let next = gate.poll(&fake, fake.now.get()).next.unwrap() - fake.now.get();
        drain(&gate, &fake);
        assert_eq!(next < 100 * US, unsure, "let on: {lets_on}, looked at again after {} us", next / US);
    }
}

/// A thread whose commands nearly fill the window comes to its own beside one whose small ones always find some room in it.
#[test]
fn small_commands_do_not_keep_large_ones_out() {
    let (page, fake) = (Page::new(100), Fake::at(MS));
    page.give(always());
    let gate = Gate::new(page.words());
    let (small, large) = ((kernel(1), 1, 100 * US), (kernel(2), 2, 1900 * US));
    for known in [small, large] {
        saturate(&gate, &fake, fake.now.get() + 100 * MS, |_| known);
        drain(&gate, &fake);
    }
    let (mut passed, mut waiter) = ([0; 2], gate.waiter());
    let end = fake.now.get() + 500 * MS;
    while fake.now.get() < end {
        let wait = loop {
            match submit(&gate, &fake, small.0, small.1, small.2) {
                Ok(()) => passed[0] += 1,
                Err(wait) => break wait,
            }
        };
        passed[1] += u32::from(submit_as(&mut waiter, &gate, &fake, large).is_ok());
        fake.now.set(wait.until.max(fake.now.get() + 10 * US));
    }
    assert!(passed[1] >= 50 && passed[0] >= 500, "{passed:?}");
}

#[test]
fn a_long_command_does_not_make_others_pile_up() {
    let (page, fake) = (Page::new(30), Fake::at(MS));
    page.give(always());
    let gate = Gate::new(page.words());
    let mut most = 0;
    saturate(&gate, &fake, 60_000 * MS, |_| {
        most = most.max(page.flight().commands);
        (kernel(1), 1, 1000 * MS)
    });
    assert!(most <= 14, "{most} commands of a second each in flight");
}

/// The most commands in flight while such are submitted without pause until then.
fn most_in_flight(
    (page, gate, fake): (&Page, &Gate<'_, Fake>, &Fake),
    ms: u64,
    truth: impl Fn(u64) -> u64,
) -> u32 {
    let mut most = 0;
    saturate(gate, fake, fake.now.get() + ms * MS, |passed| {
        most = most.max(page.flight().commands);
        (kernel(1), 1, truth(passed))
    });
    most
}

/// Beside a latency tenant what is longer than the window is followed by the next when it is nearly done: nothing on its own stream could
/// be waited for.
#[test]
fn behind_a_long_command_the_next_comes_when_that_is_nearly_done() {
    let (page, fake) = (Page::new(30), Fake::at(MS));
    let narrow = Order { window_ns: 500 * US, ..always() };
    page.give(narrow);
    let gate = Gate::new(page.words());
    saturate(&gate, &fake, 100 * MS, |_| (kernel(1), 1, MS));
    let (start, busy, mut most) = (fake.now.get(), fake.busy.get(), 0);
    saturate(&gate, &fake, start + 1000 * MS, |_| {
        most = most.max(fake.drained_at().saturating_sub(fake.now.get()));
        (kernel(1), 1, MS)
    });
    assert!(most <= MS + 250 * US, "{most} ns are left to do");
    assert!(fake.busy.get() - busy >= 999 * MS, "the device is never idle");

    drain(&gate, &fake);
    submit(&gate, &fake, kernel(1), 1, MS).unwrap();
    let wait = submit(&gate, &fake, kernel(1), 1, MS).unwrap_err();
    assert_eq!(wait.why, Why::Window, "it need not ring for that");
    assert!(
        submit(&gate, &fake, kernel(1), 2, MS).is_ok(),
        "the first may wait for what is on another stream"
    );
    drain(&gate, &fake);
    page.give(always());
    saturate(&gate, &fake, fake.now.get() + 100 * MS, |_| (kernel(2), 1, 3 * MS));
    drain(&gate, &fake);
    submit(&gate, &fake, kernel(2), 1, 3 * MS).unwrap();
    assert!(
        submit(&gate, &fake, kernel(2), 1, 3 * MS).is_ok(),
        "where nobody's work goes first, two are in flight"
    );
    drain(&gate, &fake);
    page.give(Order { credit_ns: 1, ..narrow });
    submit(&gate, &fake, kernel(1), 1, MS).unwrap();
    assert_eq!(submit(&gate, &fake, kernel(1), 1, MS).unwrap_err().why, Why::Closed, "the arbiter must know");
}

#[test]
fn what_takes_now_this_now_that_is_bounded_by_the_longer() {
    let (page, fake) = (Page::new(30), Fake::at(MS));
    page.give(Order { shared: true, ..always() });
    let gate = Gate::new(page.words());
    let all = (&page, &gate, &fake);
    let either = |passed: u64| if passed.is_multiple_of(2) { 50 * US } else { 10 * MS };
    most_in_flight(all, 1000, either);
    let busy = fake.busy.get();
    let most = most_in_flight(all, 1000, either);
    assert!(most <= 2, "{most} of which one may take 10 ms");
    assert!(fake.busy.get() - busy > 970 * MS, "the device stood idle");
    most_in_flight(all, 200, |_| 50 * US);
    let most = most_in_flight(all, 100, |_| 50 * US);
    assert!(most > 20, "they are all short again, and only {most} are in flight");
}

#[test]
fn what_suddenly_takes_long_is_noticed_by_what_is_in_flight() {
    let (page, fake) = (Page::new(30), Fake::at(MS));
    page.give(Order { shared: true, ..always() });
    let gate = Gate::new(page.words());
    let all = (&page, &gate, &fake);
    most_in_flight(all, 1000, |_| 100 * US);
    most_in_flight(all, 500, |_| 5 * MS);
    let most = most_in_flight(all, 500, |_| 5 * MS);
    assert!(most <= 2, "{most} of 5 ms");
}

#[test]
fn many_streams_and_many_kernels_are_all_followed() {
    let (page, fake) = (Page::new(100), Fake::at(MS));
    page.give(always());
    let gate = Gate::new(page.words());
    let passed = saturate(&gate, &fake, 500 * MS, |passed| {
        (kernel(passed * 31 % 20_000), passed * 7 % 100 + 1, 10 * US + passed % 7 * US)
    });
    assert!(passed > 20_000, "{passed}");
    drain(&gate, &fake);
    assert_eq!((page.flight().in_flight_ns, page.flight().commands), (0, 0));
    assert_eq!(fake.marks.get(), 0);
}

#[test]
fn what_the_driver_refuses_costs_nothing() {
    let (page, fake) = (Page::new(100), Fake::at(MS));
    page.give(always());
    let gate = Gate::<Fake>::new(page.words());
    for _ in 0..1000 {
        match gate.ask(&fake, &mut gate.waiter(), kernel(1), 1, fake.now.get()) {
            Answer::Go(ticket) => gate.launched(&fake, ticket, false, fake.now.get()),
            Answer::Wait(wait) => panic!("{wait:?}"),
        }
    }
    assert_eq!((page.flight().in_flight_ns, page.flight().commands), (0, 0));
    assert!(charged(&page) <= MS, "{}", charged(&page));
    saturate(&gate, &fake, 20 * MS, |_| (kernel(1), 1, 20 * US));
    drain(&gate, &fake);
    assert!(submit(&gate, &fake, kernel(1), 1, 20 * US).is_ok());
    let cost = gate.try_pass(kernel(1), 1).unwrap();
    gate.refused(cost);
    assert_eq!(page.flight().commands, 1);
    assert_eq!(fake.marks.get(), 0);
}

#[test]
fn who_waits_for_the_device_tells_what_is_done() {
    let (page, fake) = (Page::new(100), Fake::at(MS));
    page.give(always());
    let gate = Gate::new(page.words());
    saturate(&gate, &fake, 400 * MS, |_| (kernel(1), 1, 20 * US));
    drain(&gate, &fake);
    let puts = fake.puts.get();
    for round in 0..100 {
        for _ in 0..2 {
            submit(&gate, &fake, kernel(1), 1, 20 * US).unwrap();
        }
        let before = gate.before();
        fake.now.set(fake.drained_at());
        let waited = if round % 2 == 0 { Waited::Stream(1) } else { Waited::All };
        gate.synced(&fake, before, waited, fake.now.get());
        assert_eq!((page.flight().in_flight_ns, page.flight().commands), (0, 0));
    }
    assert!(fake.puts.get() - puts <= 4, "{} marks for nothing", fake.puts.get() - puts);
    // Another stream is not covered, nor what came while the program waited.
    submit(&gate, &fake, kernel(1), 1, 20 * US).unwrap();
    let before = gate.before();
    gate.synced(&fake, before, Waited::Stream(2), fake.now.get());
    assert_eq!(page.flight().commands, 1);
    submit(&gate, &fake, kernel(1), 1, 20 * US).unwrap();
    gate.synced(&fake, before, Waited::All, fake.now.get());
    gate.poll(&fake, fake.now.get());
    assert_eq!(page.flight().commands, 2);
}

#[test]
fn the_bell_rings_when_work_comes_and_when_there_is_none() {
    let (page, fake) = (Page::new(100), Fake::at(MS));
    page.give(always());
    let gate = Gate::new(page.words());
    for _ in 0..3 {
        let rings = fake.rings.get();
        submit(&gate, &fake, kernel(1), 1, 20 * US).unwrap();
        assert_eq!(fake.rings.get(), rings + 1, "busy");
        fake.now.set(fake.drained_at() + 10 * US);
        let mut next = gate.poll(&fake, fake.now.get()).next;
        while page.flight().commands > 0 {
            fake.now.set(next.unwrap());
            next = gate.poll(&fake, fake.now.get()).next;
        }
        assert_eq!(next, Some(fake.now.get() + 200 * US), "not yet known to stay idle");
        submit(&gate, &fake, kernel(1), 1, 20 * US).unwrap();
        assert_eq!(fake.rings.get(), rings + 1, "it never said that it was idle");
        drain(&gate, &fake);
        assert_eq!(fake.rings.get(), rings + 2, "idle");
        assert_eq!(gate.poll(&fake, fake.now.get()).next, None);
    }
    page.give(Order { credit_ns: 0, ..always() });
    let rings = fake.rings.get();
    let mut waiter = gate.waiter();
    for _ in 0..3 {
        let Answer::Wait(wait) = gate.ask(&fake, &mut waiter, kernel(1), 1, fake.now.get()) else { panic!() };
        assert_eq!((wait.why, page.flight().waiting, fake.rings.get()), (Why::Closed, 1, rings + 1));
        gate.waited(&wait, 70);
        assert_eq!(page.flight().waiting, 1, "it still waits");
    }
    assert_eq!(page.flight().waited_ns, 210);
    page.give(always());
    let Answer::Go(ticket) = gate.ask(&fake, &mut waiter, kernel(1), 1, fake.now.get()) else { panic!() };
    assert_eq!((page.flight().waiting, page.flight().commands), (0, 1));
    gate.launched(&fake, ticket, true, fake.now.get());
}

#[test]
fn who_is_watched_does_not_ring_for_turns() {
    for watched in [true, false] {
        let (page, fake) = (Page::new(100), Fake::at(MS));
        let gate = Gate::new(page.words());
        let rings = fake.rings.get();
        page.give(Order { credit_ns: 2 * MS, watched, ..always() });
        submit(&gate, &fake, kernel(1), 1, 500 * US).unwrap();
        assert_eq!(fake.rings.get() - rings, u32::from(!watched), "for the one it has");
        for _ in 0..10 {
            while submit(&gate, &fake, kernel(1), 1, 500 * US).is_ok() {}
            fake.now.set(fake.now.get() + 100 * US);
        }
        page.give(Order { credit_ns: 0, watched, ..always() });
        drain(&gate, &fake);
        let rings = fake.rings.get();
        let mut waiter = gate.waiter();
        // Another order came meanwhile.
        page.turn.seq.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        assert!(matches!(gate.ask(&fake, &mut waiter, kernel(1), 1, fake.now.get()), Answer::Wait(_)));
        let rang = fake.rings.get() - rings;
        assert_eq!((page.flight().waiting, rang), (1, u32::from(!watched)), "for the next");
    }
}

#[test]
fn who_looks_when_the_bell_rings_sees_why_it_rang() {
    let (page, fake) = (&*Box::leak(Box::new(Page::new(100))), Fake::at(MS));
    page.give(always());
    let gate = Gate::new(page.words());
    fake.looks.set(Some(page));
    submit(&gate, &fake, kernel(1), 1, 20 * US).unwrap();
    drain(&gate, &fake);
    page.give(Order { credit_ns: 0, ..always() });
    submit(&gate, &fake, kernel(1), 1, 20 * US).unwrap_err();
    assert_eq!(*fake.heard.borrow(), [(1, 0), (0, 0), (0, 1)], "work, none, and somebody who waits");
}

#[test]
fn who_waits_for_room_does_not_wait_for_a_turn() {
    let (page, fake) = (Page::new(100), Fake::at(MS));
    page.give(always());
    let gate = Gate::new(page.words());
    let wait = (0..1000).find_map(|_| submit(&gate, &fake, kernel(1), 1, MS).err()).unwrap();
    assert_eq!(wait.why, Why::Window);
    let mut waiter = gate.waiter();
    assert!(matches!(gate.ask(&fake, &mut waiter, kernel(1), 1, fake.now.get()), Answer::Wait(_)));
    gate.waited(&wait, 70);
    assert_eq!((page.flight().waiting, page.flight().waited_ns), (0, 0));
    drain(&gate, &fake);
    page.give(Order { credit_ns: 0, ..always() });
    assert!(matches!(gate.ask(&fake, &mut waiter, kernel(1), 1, fake.now.get()), Answer::Wait(_)));
    assert_eq!(page.flight().waiting, 1);
    drop(waiter);
    assert_eq!(page.flight().waiting, 0);
}

#[test]
fn who_looks_late_does_not_say_that_work_ended_late() {
    let (page, fake) = (Page::new(100), Fake::at(MS));
    page.give(always());
    let gate = Gate::new(page.words());
    saturate(&gate, &fake, 500 * MS, |_| (kernel(1), 1, MS));
    drain(&gate, &fake);
    fake.now.set(fake.now.get() + MS);
    submit(&gate, &fake, kernel(1), 1, MS).unwrap();
    submit(&gate, &fake, kernel(1), 1, MS).unwrap();
    let first_ends = fake.drained_at() - MS;
    fake.now.set(first_ends + 300 * US);
    gate.poll(&fake, fake.now.get());
    assert_eq!(page.flight().commands, 1);
    assert!(page.flight().progress_at.abs_diff(first_ends) < 50 * US, "not when it was looked");
    // The second was seen not to be done.
    fake.now.set(fake.drained_at() - 10 * US);
    gate.poll(&fake, fake.now.get());
    let looked_at = fake.now.get();
    drain(&gate, &fake);
    assert!(page.flight().progress_at >= looked_at);
}

#[test]
fn what_is_destroyed_is_not_waited_for() {
    let (page, fake) = (Page::new(100), Fake::at(MS));
    page.give(always());
    let gate = Gate::new(page.words());
    submit(&gate, &fake, kernel(1), 1, FOREVER).unwrap();
    submit(&gate, &fake, kernel(2), 2, FOREVER).unwrap();
    gate.part_with(&fake, 1, fake.now.get());
    assert_eq!(page.flight().commands, 2, "a stream's end is not its work's");
    gate.abandon(&fake, |_| true, fake.now.get());
    assert_eq!(fake.marks.get(), 0);
    fake.now.set(fake.now.get() + 2 * MS);
    gate.poll(&fake, fake.now.get());
    assert_eq!(page.flight().commands, 0);
}
