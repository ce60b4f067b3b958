//! Turns on GR: who has it, who is next, and what happens when one dies, stops or stays too long.
//!
//! The rules, each a small function over shared words that any process may call at any time:
//! * The turn is held lazily. An owner without work keeps it until somebody else wants it and the clock has reached the end of its work.
//! * An owner with work keeps it to the end of its slice, and longer only while nobody waits. It then passes it on itself.
//! * An owner that is dead loses it at the end of its slice; one that shows no life for a while beyond that is parked: passed over until it
//!   speaks up again.
//! * The next owner is the next record that waits, in cyclic order. Whoever notices that a turn has ended passes it on, to whomever it belongs.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use cleave_ledger::futex;
use cleave_pace::clock::standing;
use cleave_pace::turns::{TICK_NS, Tenure, next};

use crate::clock::{Clock, Places, is_record};
use crate::engine::EngineWords;

/// The answer to "is it my turn?".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Yes: from `begin`, which may be ahead of the clock, to the tenure's end.
    Mine { begin: u64, tenure: Tenure },
    /// No. Look again when the bell rings, or at this monotonic time.
    Theirs { look_at: u64 },
}

/// The turns of one device.
pub struct Turns {
    words: &'static EngineWords,
    places: Arc<dyn Places>,
    clock: Clock,
    slice: u64,
    switch: u64,
}

/// How long an owner that lives may stay silent after the end of its slice, in monotonic time: a thread on a busy machine may wait that long for
/// its core. In paced mode the device's clock stands meanwhile.
const FREE_GRACE: u64 = 1_000_000;
const PACED_GRACE: u64 = 20_000_000;

/// What an owner's right to the turn is worth now.
enum Claim {
    /// Good at least until this monotonic time.
    Until(u64),
    /// Over since this device time.
    Ended(u64),
    /// Over, though the owner has work: it is dead, or seems to be stopped.
    Lapsed { dead: bool },
}

impl Turns {
    pub fn new(
        words: &'static EngineWords,
        places: Arc<dyn Places>,
        clock: Clock,
        slice_ns: u64,
        switch_ns: u64,
    ) -> Turns {
        Turns { words, places, clock, slice: slice_ns, switch: switch_ns }
    }

    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    pub fn words(&self) -> &'static EngineWords {
        self.words
    }

    /// `me` has work from `ready` on. Its last work ended at the frontier it left with.
    pub fn enter(&self, me: u16, ready: u64) -> Turn {
        let mine = self.places.fields(me);
        let (word, tenure) = self.read();
        let idle_since = mine.frontier.load(Relaxed);
        let mut begin = tenure.end.saturating_sub(self.slice);
        if tenure.owner == me && (ready > idle_since || ready >= tenure.end) && self.is_wanted(me) {
            // Others came while there was nothing to do here, or the slice is over: theirs is the turn, whoever is quicker now.
            self.pass_on(word, tenure, idle_since, 0);
        } else if tenure.owner == me && ready.max(self.clock.now()) >= tenure.end {
            // Before we say that we are at work: the clock will not pass the end of the slice from then on, and has passed this one.
            let (at, next) = tenure.pass(me, self.not_long_ago(ready), self.slice, self.switch);
            begin = at;
            self.swap(word, next);
        }
        mine.parked.store(0, SeqCst);
        mine.since.store(ready, Relaxed);
        self.show_life(me);
        // Before the exchange below: who finds us without work also finds the word changed.
        mine.running.store(1, SeqCst);
        let (word, tenure) = self.read();
        let turn = match tenure.owner {
            0 => Some(tenure.pass(me, self.not_long_ago(ready), self.slice, self.switch)),
            owner => (owner == me).then(|| (begin, renewed(tenure, tenure.end))),
        };
        if let Some((begin, tenure)) = turn
            && self.swap(word, tenure)
        {
            return Turn::Mine { begin, tenure };
        }
        self.words.ask(me);
        self.ring(self.read().1.owner);
        self.look(me)
    }

    /// Whether it is the turn of `me`, who waits for it; passes it on if its owner has no right to it any more.
    pub fn look(&self, me: u16) -> Turn {
        loop {
            let (word, tenure) = self.read();
            if tenure.owner == me {
                self.words.withdraw(me);
                self.show_life(me);
                return Turn::Mine { begin: tenure.end.saturating_sub(self.slice), tenure };
            }
            self.places.fields(me).parked.store(0, SeqCst);
            // Again and again: somebody may have taken us for dead.
            self.words.ask(me);
            match self.claim(tenure) {
                Claim::Until(look_at) => return Turn::Theirs { look_at },
                claim => self.end_claim(word, tenure, claim, me),
            }
        }
    }

    /// The work of `me` ends at `frontier`, in device time. Whoever waits gets the turn then.
    pub fn leave(&self, me: u16, frontier: u64) {
        let mine = self.places.fields(me);
        self.words.withdraw(me);
        mine.frontier.store(frontier, Relaxed);
        let (word, tenure) = self.read();
        if tenure.owner == me {
            self.count_slip(tenure);
        }
        // Before looking who waits: who asks from now on finds us without work.
        mine.running.store(0, SeqCst);
        if tenure.owner != me || !self.is_wanted(me) {
            return;
        }
        match self.claim(tenure) {
            Claim::Until(_) => self.heir(tenure.owner, 0).into_iter().for_each(|heir| self.ring(heir)),
            claim => self.end_claim(word, tenure, claim, 0),
        }
    }

    /// The slice of `me` is over and it has more work: passes the turn on if anybody waits for it.
    pub fn yield_turn(&self, me: u16, tenure: Tenure) -> Option<Turn> {
        if !self.is_wanted(me) {
            return None;
        }
        let mine = self.places.fields(me);
        mine.since.store(tenure.end, Relaxed);
        self.words.ask(me);
        let at = if self.clock.is_paced() { tenure.end } else { self.clock.now() };
        self.pass_on(tenure.pack(), tenure, at, me);
        Some(self.look(me))
    }

    /// Moves the end of a tenure; `None` if it has been taken away.
    pub fn extend(&self, tenure: Tenure, end: u64) -> Option<Tenure> {
        let next = renewed(tenure, end.next_multiple_of(TICK_NS));
        self.swap(tenure.pack(), next).then_some(next)
    }

    /// Counts the time the clock has been standing at the end of this tenure, because its owner was late.
    pub fn count_slip(&self, tenure: Tenure) {
        if self.clock.is_paced() {
            let standing = |slip| standing(self.clock.elapsed(), slip, tenure.end);
            self.words.count_slip(tenure.pack(), tenure.generation, standing);
        }
    }

    /// Whether anybody but `me` waits.
    pub fn is_wanted(&self, me: u16) -> bool {
        self.words.waiting_besides(me) != [0; _]
    }

    /// Whether this very tenure still stands.
    pub fn holds(&self, tenure: Tenure) -> bool {
        self.words.turn.load(SeqCst) == tenure.pack()
    }

    /// Since when `me` has been without the turn it had, if it was taken away.
    pub fn lost_at(&self, me: u16) -> u64 {
        self.places.fields(me).since.load(Relaxed)
    }

    /// `me` gets on with its emulation.
    pub fn show_life(&self, me: u16) {
        self.places.fields(me).progress.store(self.clock.monotonic(), Relaxed);
    }

    /// Up to where in device time the work of `me` is done.
    pub fn set_frontier(&self, me: u16, frontier: u64) {
        self.places.fields(me).frontier.store(frontier, Relaxed);
    }

    /// Takes the turn from an owner that cannot give it back, so that the clock gets on though nobody waits.
    pub fn settle(&self) {
        let (word, tenure) = self.read();
        if let claim @ Claim::Lapsed { .. } = self.claim(tenure) {
            self.end_claim(word, tenure, claim, 0);
        }
    }

    /// Ends all claims of a record whose process is gone. May be done again.
    pub fn forget(&self, record: u16) {
        let fields = self.places.fields(record);
        self.words.withdraw(record);
        let (word, tenure) = self.read();
        if tenure.owner == record {
            if fields.running.load(SeqCst) != 0 {
                self.count_slip(tenure);
            }
            self.pass_on(word, tenure, tenure.end.min(self.clock.now()), 0);
        }
        fields.running.store(0, SeqCst);
        fields.parked.store(0, SeqCst);
        fields.frontier.store(0, Relaxed);
    }

    /// What the bell of `me` shows; to be read before looking at the turn.
    pub fn bell(&self, me: u16) -> u32 {
        self.places.fields(me).bell.load(SeqCst)
    }

    /// Sleeps until the bell of `me` shows something else than `seen`, or until this monotonic time. False if the time came first.
    pub fn wait(&self, me: u16, seen: u32, until: Option<u64>) -> bool {
        futex::wait(&self.places.fields(me).bell, seen, until)
    }

    /// Makes `record` look again.
    pub fn ring(&self, record: u16) {
        if is_record(record) {
            let bell = &self.places.fields(record).bell;
            bell.fetch_add(1, SeqCst);
            futex::wake(bell, u32::MAX);
        }
    }

    fn read(&self) -> (u64, Tenure) {
        let word = self.words.turn.load(SeqCst);
        (word, Tenure::unpack(word, self.clock.running()))
    }

    fn swap(&self, word: u64, next: Tenure) -> bool {
        self.words.turn.compare_exchange(word, next.pack(), SeqCst, SeqCst).is_ok()
    }

    fn claim(&self, tenure: Tenure) -> Claim {
        if !is_record(tenure.owner) {
            return Claim::Ended(0);
        }
        let owner = self.places.fields(tenure.owner);
        if owner.running.load(SeqCst) == 0 {
            let frontier = owner.frontier.load(Relaxed);
            return match self.clock.running() >= frontier {
                true => Claim::Ended(frontier),
                false => Claim::Until(self.clock.wall(frontier)),
            };
        }
        let (now, end) = (self.clock.monotonic(), self.clock.wall(tenure.end));
        if now < end {
            return Claim::Until(end);
        }
        if !self.places.is_alive(tenure.owner) {
            return Claim::Lapsed { dead: true };
        }
        let grace = if self.clock.is_paced() { PACED_GRACE } else { FREE_GRACE };
        let silent = end.max(owner.progress.load(Relaxed)).saturating_add(grace);
        if now < silent { Claim::Until(silent) } else { Claim::Lapsed { dead: false } }
    }

    fn end_claim(&self, word: u64, tenure: Tenure, claim: Claim, me: u16) {
        let at = match claim {
            Claim::Until(_) => return,
            Claim::Ended(at) => at,
            Claim::Lapsed { dead } => {
                let owner = self.places.fields(tenure.owner);
                if !dead {
                    owner.parked.store(1, SeqCst);
                }
                owner.since.store(self.clock.now(), Relaxed);
                self.count_slip(tenure);
                tenure.end
            }
        };
        self.pass_on(word, tenure, at, me);
    }

    /// Gives the turn to the next in line, or to nobody. Does nothing if the word has changed.
    fn pass_on(&self, word: u64, tenure: Tenure, ended: u64, me: u16) {
        let Some(heir) = self.heir(tenure.owner, me) else {
            self.swap(word, Tenure { owner: 0, ..renewed(tenure, tenure.end) });
            return;
        };
        let at = self.not_long_ago(ended.max(self.places.fields(heir).since.load(Relaxed)));
        if self.swap(word, tenure.pass(heir, at, self.slice, self.switch).1) {
            self.ring(heir);
        }
    }

    /// When a slice begins whose owner could have begun at `at`, had anybody looked. In paced mode what was missed can be made up for, but the end
    /// of the slice must lie ahead: the clock will not pass it, and must not have done so already.
    fn not_long_ago(&self, at: u64) -> u64 {
        let now = self.clock.now();
        if self.clock.is_paced() { at.max(now.saturating_sub(self.slice / 2)) } else { now }
    }

    /// The next in line. Those that are dead stop waiting; `me`, who asks, is alive.
    fn heir(&self, owner: u16, me: u16) -> Option<u16> {
        let waiting = self.words.waiting_besides(0);
        next(owner, &waiting, |record| {
            if !is_record(record) || self.places.fields(record).parked.load(SeqCst) != 0 {
                return false;
            }
            let alive = record == me || self.places.is_alive(record);
            if !alive {
                self.words.withdraw(record);
            }
            alive
        })
    }
}

/// The same tenure with another end.
fn renewed(tenure: Tenure, end: u64) -> Tenure {
    Tenure { generation: (tenure.generation + 1) & 0xfff, end, ..tenure }
}

#[cfg(test)]
mod tests;
