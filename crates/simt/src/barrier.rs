//! Barriers of a block: `bar.sync`, `bar.arrive`, `bar.red`.

use crate::block::Cta;

/// One of the sixteen barriers. Its phase is kept apart, in [`Cta::phases`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Barrier {
    /// Threads that arrived in this phase.
    arrived: u32,
    /// Threads that must arrive; 0 for all of the block that have not exited.
    expected: u32,
    /// Predicates of `bar.red` in this phase: how many were true, how many there were.
    votes: Votes,
    /// The votes of the last two phases, by parity: a thread reads its result after the barrier opened.
    results: [Votes; 2],
    /// The latest clock of a warp that arrived in this phase.
    latest: u64,
    /// When the last two phases ended, by parity, on the warps' clocks.
    opened: [u64; 2],
}

/// What `bar.red` collects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Votes {
    pub yes: u32,
    pub all: u32,
}

impl Cta {
    /// `threads` more arrive at barrier `id` when their clock shows `at`; gives the phase to wait for the end of.
    pub fn arrive(&mut self, id: u8, threads: u32, expected: u32, votes: Votes, at: u64) -> u32 {
        let id = usize::from(id & 15);
        let phase = self.phases[id];
        let barrier = &mut self.barriers[id];
        barrier.arrived += threads;
        barrier.expected = expected;
        barrier.votes.yes += votes.yes;
        barrier.votes.all += votes.all;
        barrier.latest = barrier.latest.max(at);
        self.open_if_complete(id);
        phase
    }

    /// What the phase that just ended collected.
    pub fn votes(&self, id: u8, phase: u32) -> Votes {
        self.barriers[usize::from(id & 15)].results[(phase & 1) as usize]
    }

    /// When the phase that ended last did, on the clock of the warps.
    pub fn opened(&self, id: u8, phase: u32) -> u64 {
        self.barriers[usize::from(id & 15)].opened[(phase & 1) as usize]
    }

    /// Threads exited when their clock showed `at`: barriers that wait for the whole block wait for fewer.
    pub fn threads_exited(&mut self, threads: u32, at: u64) {
        self.alive = self.alive.saturating_sub(threads);
        for id in 0..self.barriers.len() {
            if self.barriers[id].arrived > 0 && self.barriers[id].expected == 0 {
                self.barriers[id].latest = self.barriers[id].latest.max(at);
            }
            self.open_if_complete(id);
        }
    }

    fn open_if_complete(&mut self, id: usize) {
        let barrier = &mut self.barriers[id];
        let needed = if barrier.expected == 0 { self.alive } else { barrier.expected };
        if barrier.arrived > 0 && barrier.arrived >= needed {
            barrier.results[(self.phases[id] & 1) as usize] = barrier.votes;
            barrier.opened[(self.phases[id] & 1) as usize] = barrier.latest;
            barrier.votes = Votes::default();
            barrier.latest = 0;
            barrier.arrived = 0;
            self.phases[id] = self.phases[id].wrapping_add(1);
        }
    }
}
