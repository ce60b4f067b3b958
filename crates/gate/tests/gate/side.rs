//! Commands that run side by side, and such that do not.

use cleave_gate::{Gate, Order};

use crate::support::*;

/// A tenant with its turn, on a device where streams run side by side or not.
fn at_work(wide: bool) -> (Page, Fake) {
    let (page, fake) = (Page::new(50), Fake::at(MS));
    fake.wide.set(wide);
    page.give(always());
    (page, fake)
}

/// Turns of hardly any credit, in which a program on four streams submits what it is let, `apart` from each other. How many commands
/// pass in each.
fn turns(wide: bool, truth: u64, apart: u64, count: usize) -> (Vec<usize>, Page, Fake) {
    let (page, fake) = at_work(wide);
    let gate = Gate::new(page.words());
    saturate(&gate, &fake, 20 * truth, |passed| (kernel(1), passed % 4 + 1, truth));
    drain(&gate, &fake);
    let mut stream = 0;
    let passed = (0..count).map(|_| {
        page.give(Order { credit_ns: 1, ..always() });
        let passed = (0..20).take_while(|_| {
            fake.now.set(fake.now.get() + apart);
            let passes = submit(&gate, &fake, kernel(1), stream % 4 + 1, truth).is_ok();
            stream += u64::from(passes);
            passes
        });
        let passed = passed.count();
        page.give(Order { credit_ns: 0, ..always() });
        drain(&gate, &fake);
        passed
    });
    let passed = passed.collect();
    (passed, page, fake)
}

#[test]
fn what_runs_beside_others_needs_no_credit_of_its_own() {
    for truth in [500 * US, MS, 10 * MS, 50 * MS] {
        let (passed, page, fake) = turns(true, truth, 4 * US, 40);
        assert!(passed.iter().all(|passed| (1..=4).contains(passed)), "{truth}: {passed:?}");
        assert_eq!(passed[30..], [4; 10], "{truth}: {passed:?}");
        assert_eq!((page.flight().in_flight_ns, page.flight().commands), (0, 0));
        assert_eq!(fake.marks.get(), 0, "every mark is given back");
    }
}

#[test]
fn a_thread_that_is_held_up_between_two_submissions_has_no_less_beside_others() {
    for truth in [500 * US, MS, 10 * MS] {
        let (passed, ..) = turns(true, truth, truth / 13, 60);
        assert_eq!(passed[50..], [4; 10], "{truth}: {passed:?}");
    }
}

#[test]
fn what_takes_the_whole_device_is_hardly_tried_beside_others() {
    for truth in [500 * US, MS, 10 * MS, 50 * MS] {
        let (passed, ..) = turns(false, truth, 4 * US, 1000);
        let more: usize = passed.iter().map(|passed| passed - 1).sum();
        assert!(more <= 25, "{truth}: {more} too many in 1000 turns");
    }
}

#[test]
fn what_no_longer_runs_side_by_side_is_noticed() {
    let (page, fake) = at_work(true);
    let gate = Gate::new(page.words());
    let next = |passed| (kernel(1), passed % 4 + 1, 2 * MS);
    saturate(&gate, &fake, 500 * MS, next);
    let most = |fake: &Fake| fake.drained_at().saturating_sub(fake.now.get());
    fake.wide.set(false);
    saturate(&gate, &fake, 6000 * MS, next);
    let mut ahead = 0;
    saturate(&gate, &fake, 7000 * MS, |passed| {
        ahead = ahead.max(most(&fake));
        next(passed)
    });
    // Sixteen before. With four always at work, nothing tells two side by side from one after the other.
    assert!(ahead <= 10 * MS, "{ahead} ns are in flight");
}

#[test]
fn a_stream_that_is_destroyed_is_compared_with_nothing() {
    let (page, fake) = at_work(true);
    let gate = Gate::new(page.words());
    saturate(&gate, &fake, 300 * MS, |passed| (kernel(1), passed % 4 + 1, 5 * MS));
    for stream in 1..=4 {
        gate.part_with(&fake, stream, fake.now.get());
    }
    fake.gone.set(true);
    for stream in 5..=8 {
        submit(&gate, &fake, kernel(1), stream, 5 * MS).ok();
    }
    gate.abandon(&fake, |_| true, fake.now.get());
    fake.now.set(fake.now.get() + 100 * MS);
    drain(&gate, &fake);
    assert_eq!(page.flight().commands, 0);
}
