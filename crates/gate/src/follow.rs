//! Following what was submitted: by looking at marks, and by what the program itself has waited for.

use std::sync::atomic::Ordering::Relaxed;

use crate::device::Device;
use crate::gate::Gate;
use crate::inner::due;

/// What was submitted before a program began to wait for the device.
#[derive(Clone, Copy)]
pub struct Before {
    closed: u64,
    stamp: u64,
}

/// What a program has waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waited {
    /// One stream.
    Stream(u64),
    /// Everything.
    All,
}

/// What there is to follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Polled {
    /// When to look again; None if nothing is in flight that has to be looked at.
    pub next: Option<u64>,
}

/// Where nobody else wants the engine a program that sees something done looks what else is, but no more often than this.
const APART: u64 = 1_000_000;

impl<D: Device> Gate<'_, D> {
    /// Whether anything may be in flight that is followed. The first command of a batch is seen at once, and those after it with it.
    pub fn has_work(&self) -> bool {
        self.words.flight.commands.load(Relaxed) > 0
    }

    /// Whether it is time to look, for a program that waited for something else.
    pub fn is_due(&self, now: u64) -> bool {
        let apart = if self.is_tracked() { 0 } else { APART };
        self.has_work() && now >= self.polled_at.load(Relaxed).saturating_add(apart)
    }

    /// Looks at what is in flight.
    pub fn poll(&self, device: &D, now: u64) -> Polled {
        self.polled_at.store(now, Relaxed);
        let standing = self.words.turn.read();
        let mut inner = self.lock();
        self.retire(&mut inner, device, &standing, now);
        let mut next = inner.look_at(now);
        let mut rings = false;
        if inner.is_drained() {
            let room = self.open.left().commands;
            inner.seal(&self.open);
            let at = inner.open_due();
            if inner.used.commands == 0 {
                // Sealed from here on, so that the next command is noticed.
                next = inner.tell_idle_at();
                if next.is_some_and(|at| at <= now) {
                    // The arbiter may think that the tenant is on turn.
                    let credit = standing.allowed.wrapping_sub(self.words.drawn.charged.load(Relaxed));
                    rings = credit as i64 > 0;
                    inner.told_idle();
                    next = None;
                }
            } else if at <= now {
                inner = self.close(inner, device, None, now);
                next = Some(due(at, now));
            } else {
                inner.unseal(&self.open, room);
                next = Some(at);
            }
        }
        inner.publish(&self.words, &self.open);
        drop(inner);
        if rings {
            device.ring();
        }
        Polled { next }
    }

    /// The program is about to wait for the device.
    pub fn before(&self) -> Before {
        Before { closed: self.closed.load(Relaxed), stamp: self.open.stamp() }
    }

    /// The program has waited: what was submitted before is done, and nobody has to look.
    pub fn synced(&self, device: &D, before: Before, waited: Waited, now: u64) {
        let standing = self.words.turn.read();
        let mut inner = self.lock();
        inner.flights.settle(device, before.closed, |stream| match waited {
            Waited::Stream(one) => one == stream,
            Waited::All => true,
        });
        let covered = match waited {
            Waited::Stream(one) => self.open.only(one),
            Waited::All => true,
        };
        if covered && self.open.stamp() == before.stamp {
            inner.seal(&self.open);
            if inner.used.commands > 0 {
                drop(self.open.turn_over());
                let ns = inner.settle(now);
                self.words.drawn.gpu_ns.fetch_add(ns, Relaxed);
            }
        }
        self.retire(&mut inner, device, &standing, now);
        inner.publish(&self.words, &self.open);
    }

    /// A stream is about to be destroyed: what went to it is marked while it can be.
    pub fn part_with(&self, device: &D, stream: u64, now: u64) {
        let mut inner = self.lock();
        inner.lanes.keep(|other| other != stream);
        if self.open.has(stream) {
            let inner = self.close(inner, device, None, now);
            inner.publish(&self.words, &self.open);
        }
    }

    /// The marks that `is` picks, and the streams of the open batch, are about to be destroyed: they are given back. What they
    /// stood for counts as done when it was expected to be.
    pub fn abandon(&self, device: &D, is: impl Fn(&D::Mark) -> bool, now: u64) {
        let mut inner = self.close(self.lock(), device, None, now);
        inner.flights.unmark(device, is);
        inner.lanes.keep(|_| false);
        inner.publish(&self.words, &self.open);
    }
}
