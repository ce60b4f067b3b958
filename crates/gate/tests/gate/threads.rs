//! One gate, several threads.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicI64, AtomicU64};

use crate::support::{Page, always, kernel};
use cleave_gate::{Answer, Device, Gate, Order};

/// Whatever is submitted is done a little later.
struct Quick {
    clock: AtomicU64,
    marks: AtomicI64,
}

impl Device for Quick {
    type Mark = u64;

    fn put(&self, stream: u64, _: bool) -> Option<u64> {
        // A stream that cannot be marked now and then.
        if stream == 3 {
            return None;
        }
        self.marks.fetch_add(1, Relaxed);
        Some(self.clock.fetch_add(1, Relaxed) + 30)
    }

    fn put_if(&self, stream: u64, is_there: impl Fn() -> bool) -> Option<Self::Mark> {
        is_there().then(|| self.put(stream, true)).flatten()
    }

    fn is_done(&self, mark: &u64) -> bool {
        self.clock.fetch_add(1, Relaxed) > *mark
    }

    fn between(&self, _: &u64, _: &u64) -> Option<u64> {
        Some(2_000)
    }

    fn give_back(&self, _: u64) {
        self.marks.fetch_sub(1, Relaxed);
    }

    fn ring(&self) {}
}

#[test]
fn nothing_is_lost_between_threads() {
    let page = Page::new(100);
    page.give(always());
    let gate = Gate::new(page.words());
    let device = Quick { clock: AtomicU64::new(0), marks: AtomicI64::new(0) };
    let now = || device.clock.fetch_add(500, Relaxed);
    let work = |stream: u64| {
        let mut passed = 0;
        while passed < 20_000 {
            let command = kernel(passed % 5 + 1);
            if gate.try_pass(command, stream).is_some() {
                passed += 1;
                continue;
            }
            match gate.ask(&device, &mut gate.waiter(), command, stream, now()) {
                Answer::Go(ticket) => {
                    gate.launched(&device, ticket, true, now());
                    passed += 1;
                }
                Answer::Wait(wait) => drop(device.clock.fetch_max(wait.until, Relaxed)),
            }
        }
    };
    std::thread::scope(|scope| {
        (1..=3).for_each(|stream| drop(scope.spawn(move || work(stream))));
        scope.spawn(|| {
            for _ in 0..2_000 {
                page.give(always());
                gate.poll(&device, now());
                page.give(Order { credit_ns: 10_000, ..always() });
                std::thread::yield_now();
                page.give(always());
            }
        });
    });
    while let Some(next) = gate.poll(&device, now()).next {
        device.clock.fetch_max(next, Relaxed);
    }
    assert_eq!((page.flight().in_flight_ns, page.flight().commands), (0, 0));
    assert_eq!(device.marks.load(Relaxed), 0);
}
