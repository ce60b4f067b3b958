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
}

/// What `bar.red` collects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Votes {
    pub yes: u32,
    pub all: u32,
}

impl Cta {
    /// `threads` more arrive at barrier `id`; gives the phase to wait for the end of.
    pub fn arrive(&mut self, id: u8, threads: u32, expected: u32, votes: Votes) -> u32 {
        let id = usize::from(id & 15);
        let phase = self.phases[id];
        let barrier = &mut self.barriers[id];
        barrier.arrived += threads;
        barrier.expected = expected;
        barrier.votes.yes += votes.yes;
        barrier.votes.all += votes.all;
        self.open_if_complete(id);
        phase
    }

    /// What the phase that just ended collected.
    pub fn votes(&self, id: u8, phase: u32) -> Votes {
        self.barriers[usize::from(id & 15)].results[(phase & 1) as usize]
    }

    /// Threads exited: barriers that wait for the whole block wait for fewer.
    pub fn threads_exited(&mut self, threads: u32) {
        self.alive = self.alive.saturating_sub(threads);
        for id in 0..self.barriers.len() {
            self.open_if_complete(id);
        }
    }

    fn open_if_complete(&mut self, id: usize) {
        let barrier = &mut self.barriers[id];
        let needed = if barrier.expected == 0 { self.alive } else { barrier.expected };
        if barrier.arrived > 0 && barrier.arrived >= needed {
            barrier.results[(self.phases[id] & 1) as usize] = barrier.votes;
            barrier.votes = Votes::default();
            barrier.arrived = 0;
            self.phases[id] = self.phases[id].wrapping_add(1);
        }
    }
}
