//! Who is about to hand work on memory to the driver. While memory moves nobody may be, and while it is away nobody can.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;

use cleave_ledger::{clock, futex};

/// How long anybody sleeps before looking again: whoever should wake it may be gone.
const LOOK_AGAIN_NS: u64 = 100_000_000;

/// A door that many pass and one closes.
#[derive(Default)]
pub struct Door {
    closed: AtomicU32,
    inside: AtomicU32,
}

/// Somebody inside, until dropped.
#[must_use]
pub struct Inside<'a>(&'a Door);

impl Door {
    /// Goes in, if the door is open.
    #[inline]
    pub fn try_enter(&self) -> Option<Inside<'_>> {
        self.inside.fetch_add(1, SeqCst);
        let inside = Inside(self);
        // One of the two sees the other: who goes in the door, or who closes it the one inside.
        (self.closed.load(SeqCst) == 0).then_some(inside)
    }

    /// Sleeps while the door is closed, but not for ever: the caller looks again.
    pub fn wait(&self) {
        futex::wait(&self.closed, 1, Some(clock::now_ns() + LOOK_AGAIN_NS));
    }

    /// Closes it, and waits until nobody is inside. False if somebody still is at `until`: then it is open again.
    pub fn close(&self, until: u64) -> bool {
        self.closed.store(1, SeqCst);
        loop {
            let inside = self.inside.load(SeqCst);
            if inside == 0 {
                return true;
            }
            if clock::now_ns() >= until {
                self.open();
                return false;
            }
            futex::wait(&self.inside, inside, Some(until.min(clock::now_ns() + LOOK_AGAIN_NS)));
        }
    }

    pub fn open(&self) {
        self.closed.store(0, SeqCst);
        futex::wake(&self.closed, u32::MAX);
    }
}

impl Drop for Inside<'_> {
    #[inline]
    fn drop(&mut self) {
        let last = self.0.inside.fetch_sub(1, SeqCst) == 1;
        if last && self.0.closed.load(SeqCst) != 0 {
            futex::wake(&self.0.inside, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_inside_while_it_is_closed() {
        let door = Door::default();
        let inside = door.try_enter().unwrap();
        assert!(!door.close(clock::now_ns() + 1_000_000), "somebody is inside");
        assert!(door.try_enter().is_some(), "so it is open again");
        drop(inside);
        assert!(door.close(u64::MAX) && door.try_enter().is_none());
        door.open();
        assert!(door.try_enter().is_some());
    }

    #[test]
    fn a_storm_at_the_door() {
        let (door, busy) = (Door::default(), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        let Some(_inside) = door.try_enter() else {
                            door.wait();
                            continue;
                        };
                        assert_ne!(busy.load(SeqCst), u32::MAX);
                    }
                });
            }
            for _ in 0..2_000 {
                assert!(door.close(u64::MAX));
                busy.store(u32::MAX, SeqCst);
                busy.store(0, SeqCst);
                door.open();
            }
        });
    }
}
