//! Every interleaving of a few records' operations, with a kill at every step of owners and recoverers, by exhaustive search.
//! The machines are the real ones; the memory is an array, so that the search can put it back.

use std::cell::Cell;
use std::collections::HashSet;

use super::*;

/// The shared memory of three records, read and written in one order.
struct Memory<const SEQUENCES: u32>([Cell<u64>; 10]);

impl<const SEQUENCES: u32> Memory<SEQUENCES> {
    fn cell(&self, place: Place) -> &Cell<u64> {
        &self.0[match place {
            Place::Total => 0,
            Place::Settled(record) => record.index() * 3 - 2,
            Place::Note(record) => record.index() * 3 - 1,
            Place::Confirmed(record) => record.index() * 3,
        }]
    }

    fn used(&self) -> u32 {
        Total::unpack(self.0[0].get()).used
    }
}

impl<const SEQUENCES: u32> Cells for Memory<SEQUENCES> {
    const SEQUENCES: u32 = SEQUENCES;

    fn load(&self, place: Place, _: Ordering) -> u64 {
        self.cell(place).get()
    }

    fn store(&self, place: Place, word: u64, _: Ordering) {
        self.cell(place).set(word);
    }

    fn exchange(&self, place: Place, old: u64, new: u64) -> bool {
        let same = self.cell(place).get() == old;
        if same {
            self.cell(place).set(new);
        }
        same
    }
}

/// Who acts for a record right now.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Actor {
    /// Its owner, between two operations.
    Idle,
    /// Its owner, in the middle of one.
    Busy(Change),
    /// Nobody: the owner, or the recoverer after it, was killed.
    Dead,
    /// A recoverer.
    Recovering(Recovery),
}

/// A record with its owner's script: units to charge, or to release if negative.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Life {
    actor: Actor,
    script: Vec<i64>,
    /// How often the record may still lose its actor.
    kills: u8,
    /// What it holds, by the changes the counter made in its name.
    holds: i64,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct World {
    memory: [u64; 10],
    lives: Vec<Life>,
}

/// What a search is about.
struct Search {
    limit: u32,
    scripts: &'static [&'static [i64]],
    /// How often each record may lose its actor.
    kills: u8,
    /// Where the records' sequences stand in the beginning.
    sequence: u32,
    /// Whether the first record's next owner goes on with what the last one held.
    keeps: bool,
}

#[derive(Default, Debug)]
struct Found {
    worlds: usize,
    denials: usize,
    ends: usize,
}

impl Search {
    /// Looks at every world that can come about; each is checked.
    fn run<const SEQUENCES: u32>(&self) -> Found {
        let memory = Memory::<SEQUENCES>([const { Cell::new(0) }; 10]);
        let lives = self.scripts.iter().enumerate().map(|(at, script)| {
            memory.cell(Place::Settled(id(at))).set(Settled { held: 0, sequence: self.sequence }.pack());
            memory.cell(Place::Note(id(at))).set(Note { delta: 0, sequence: self.sequence }.pack());
            Life { actor: Actor::Idle, script: script.to_vec(), kills: self.kills, holds: 0 }
        });
        let first = World { lives: lives.collect(), memory: memory.0.each_ref().map(Cell::get) };

        let (mut seen, mut open, mut found) = (HashSet::new(), vec![first], Found::default());
        while let Some(world) = open.pop() {
            if !seen.insert(digest(&world)) {
                continue;
            }
            found.worlds += 1;
            self.check(&memory, &world);
            let mut ends = true;
            for at in 0..world.lives.len() {
                for kill in [false, true] {
                    if let Some(next) = self.next(&memory, &world, at, kill, &mut found) {
                        ends = false;
                        open.push(next);
                    }
                }
            }
            if ends {
                found.ends += 1;
                for life in &world.lives {
                    assert!(life.script.is_empty() && life.actor == Actor::Idle, "stuck: {world:?}");
                }
            }
        }
        found
    }

    /// The world after the next step for record `at`, or after its actor is killed.
    fn next<const SEQUENCES: u32>(
        &self,
        memory: &Memory<SEQUENCES>,
        world: &World,
        at: usize,
        kill: bool,
        found: &mut Found,
    ) -> Option<World> {
        put(memory, world);
        let mut next = world.clone();
        let life = &mut next.lives[at];
        if kill {
            if life.kills == 0 || life.actor == Actor::Dead {
                return None;
            }
            life.kills -= 1;
            life.actor = Actor::Dead;
            return Some(next);
        }

        let before = memory.used();
        let progress = match &mut life.actor {
            Actor::Idle => {
                if life.script.is_empty() {
                    return None;
                }
                let units = life.script.remove(0);
                let size = u32::try_from(units.abs()).unwrap();
                let change =
                    if units < 0 { Change::release(id(at), size) } else { Change::charge(id(at), size) };
                life.actor = Actor::Busy(change);
                return Some(next);
            }
            Actor::Busy(change) => change.step(memory, &|| self.limit),
            Actor::Dead => {
                let keeps = self.keeps && at == 0;
                let recovery = if keeps { Recovery::keeping(id(at)) } else { Recovery::of(id(at)) };
                life.actor = Actor::Recovering(recovery);
                return Some(next);
            }
            Actor::Recovering(recovery) => recovery.step(memory),
        };
        life.holds += i64::from(memory.used()) - i64::from(before);
        match progress {
            Progress::On => {}
            Progress::Done(_) => {
                let recovered = matches!(life.actor, Actor::Recovering(_)) && !(self.keeps && at == 0);
                assert!(!recovered || life.holds == 0, "recovered, but holds {}: {world:?}", life.holds);
                // A new owner goes on with what is left of the script.
                life.actor = Actor::Idle;
            }
            Progress::Denied { used, limit } => {
                let Actor::Busy(change) = &life.actor else { panic!("a release is denied: {world:?}") };
                assert_eq!((used, limit), (before, self.limit));
                assert!(i64::from(used) + change.delta > i64::from(limit), "denied what fits: {world:?}");
                found.denials += 1;
                life.actor = Actor::Idle;
            }
        }
        next.memory = memory.0.each_ref().map(Cell::get);
        Some(next)
    }

    /// What holds in every world: nothing above the limit, the counter is the sum of what all hold, and a reader finds what
    /// each of them holds, also if it is dead or in the middle of something.
    fn check<const SEQUENCES: u32>(&self, memory: &Memory<SEQUENCES>, world: &World) {
        put(memory, world);
        assert!(memory.used() <= self.limit, "above the limit: {world:?}");
        let sum: i64 = world.lives.iter().map(|life| life.holds).sum();
        assert_eq!(i64::from(memory.used()), sum, "{world:?}");
        for (at, life) in world.lives.iter().enumerate() {
            assert_eq!(i64::from(held(memory, id(at))), life.holds, "record {at} of {world:?}");
        }
    }
}

fn id(at: usize) -> RecordId {
    RecordId::new(at as u16 + 1).unwrap()
}

fn put<const SEQUENCES: u32>(memory: &Memory<SEQUENCES>, world: &World) {
    for (cell, word) in memory.0.iter().zip(world.memory) {
        cell.set(word);
    }
}

/// Worlds are many and large; 128 bits of hash tell them apart.
fn digest(world: &World) -> (u64, u64) {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hashers = [DefaultHasher::new(), DefaultHasher::new()];
    1u8.hash(&mut hashers[1]);
    hashers.iter_mut().for_each(|hasher| world.hash(hasher));
    (hashers[0].finish(), hashers[1].finish())
}

/// As the words have them.
const WIDE: u32 = words::SEQUENCES;
/// Few enough sequence numbers to come around within a script.
const NARROW: u32 = 5;

#[test]
fn owners_and_their_recoverers_are_killed_at_every_step() {
    let scripts: &[&[i64]] = &[&[2, -1], &[1, 2, -3]];
    let found = Search { limit: 3, scripts, kills: 2, sequence: 0, keeps: false }.run::<WIDE>();
    assert!(found.denials > 0 && found.worlds > 400_000, "{found:?}");
}

#[test]
fn a_third_record_confirms_while_a_second_is_late() {
    let scripts: &[&[i64]] = &[&[1, 1], &[1], &[1]];
    let found = Search { limit: 3, scripts, kills: 1, sequence: 0, keeps: false }.run::<WIDE>();
    assert!(found.denials > 0 && found.worlds > 200_000, "{found:?}");
}

#[test]
fn a_sequence_that_comes_around_brings_back_no_old_confirmation() {
    // Each amount in use is there but once: the counter itself never looks the same after a whole turn.
    let scripts: &[&[i64]] = &[&[1, 2, 4, 8, 16, 32, 64], &[64]];
    let found = Search { limit: 200, scripts, kills: 1, sequence: 0, keeps: false }.run::<NARROW>();
    assert!(found.worlds > 200_000, "{found:?}");
}

#[test]
fn the_last_sequence_number_is_followed_by_the_first() {
    for sequence in [WIDE / 2 - 1, WIDE - 1] {
        let scripts: &[&[i64]] = &[&[2, -1, 1], &[1, 1]];
        let found = Search { limit: 4, scripts, kills: 1, sequence, keeps: false }.run::<WIDE>();
        assert!(found.worlds > 50_000, "{found:?}");
    }
}

#[test]
fn a_new_owner_goes_on_with_what_the_last_one_held() {
    let scripts: &[&[i64]] = &[&[2, -1, 1], &[1, 2, -3]];
    let found = Search { limit: 4, scripts, kills: 2, sequence: 0, keeps: true }.run::<WIDE>();
    assert!(found.denials > 0 && found.worlds > 400_000, "{found:?}");
}
