use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use crate::sameness::sameness;
use crate::state::State;
use crate::steps::Step;
use crate::world::{World, life_of, name_of};

/// How it ends if nothing more goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every pod has run to its end, or was refused, and nothing is held for anybody.
    Well,
    Stuck,
    Leak,
}

/// States from which it ends well. Shared, because each state on the way from one that is good is good as well, and
/// need not be followed twice.
#[derive(Clone, Debug, Default)]
pub struct Helped(Arc<[Mutex<Set>; 16]>);

type Set = HashSet<u64, BuildHasherDefault<Same>>;

/// Sums of `sameness` need no second hashing.
#[derive(Default)]
pub struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

impl Helped {
    fn shard(&self, sum: u64) -> std::sync::MutexGuard<'_, Set> {
        self.0[(sum >> 32) as usize % 16].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// More steps than any way to the end has; whoever needs more goes in circles.
const ENOUGH: usize = 500;

impl World {
    /// Follows one way on which nothing more goes wrong, and tells how it ends. That such a way exists from each reachable
    /// state is what "never stuck" means here: on every way it cannot hold, because a leader that does not notice
    /// that it was replaced may do harm for as long as it likes.
    pub fn end(&self, state: &State) -> End {
        let mut way = Vec::new();
        let mut now = Cow::Borrowed(state);
        for _ in 0..ENOUGH {
            let sum = sameness(&now);
            if self.helped.shard(sum).contains(&sum) {
                return self.well(way);
            }
            way.push(sum);
            match self.help(&now) {
                Some(next) => now = Cow::Owned(next),
                None if !now.pods.iter().all(|pod| pod.is_over()) => return End::Stuck,
                None if holds(&now) => return End::Leak,
                None => return self.well(way),
            }
        }
        End::Stuck
    }

    fn well(&self, way: Vec<u64>) -> End {
        for sum in way {
            self.helped.shard(sum).insert(sum);
        }
        End::Well
    }

    /// The state after the most helpful step, if there is one that changes anything.
    fn help(&self, state: &State) -> Option<State> {
        let mut steps = Vec::new();
        self.steps(state, &mut steps);
        let mut helpful: Vec<(u8, Step)> =
            steps.into_iter().filter_map(|step| Some((rank(state, &step)?, step))).collect();
        helpful.sort_by_key(|(rank, _)| *rank);
        helpful.into_iter().find_map(|(_, step)| self.take(state, step))
    }
}

/// Which step helps most: the lowest. `None` for what goes wrong, and for what nobody needs.
fn rank(state: &State, step: &Step) -> Option<u8> {
    let newest = |uid, at: usize| state.pods[name_of(uid)].lives[life_of(uid)].len() == at + 1;
    Some(match step {
        Step::Return { .. } => 0,
        Step::Resign { .. } => 1,
        Step::Land { .. } => 2,
        Step::Lead { .. } if state.flights.is_empty() && state.books.iter().all(Option::is_none) => 3,
        Step::Tell { uid, at, .. } if newest(*uid, *at) => 4,
        Step::TellNode { uid, at, .. } if newest(*uid, *at) => 4,
        Step::Stop { .. } => 5,
        Step::Confirm { .. } => 6,
        Step::Judge { .. } => 7,
        Step::Read { .. } => 8,
        Step::Start { .. } => 9,
        Step::End { .. } => 10,
        Step::BindMember { .. } => 11,
        Step::Expire { .. } => 12,
        Step::Decide { .. } => 13,
        Step::ReserveGang { .. } => 14,
        _ => return None,
    })
}

/// Whether anything is held, kept or running.
fn holds(state: &State) -> bool {
    let books = state.books.iter().flatten().any(|book| book.load().next().is_some());
    let nodes = state.nodes.iter().any(|node| {
        !node.alive.is_empty()
            || node.ledger.granted().next().is_some()
            || node.ledger.waiting().next().is_some()
    });
    books || nodes
}
