//! Work that seems to wait for what a cap keeps out: whether more is to be let on for it.
//!
//! Nobody can see what a kernel waits for. So it is tried: where work takes much longer than it should while its tenant is kept
//! from submitting more, a little more is let on. What takes long for another reason must not get past its cap by this: each
//! time it was in vain makes the next one later.

use super::QUANTUM_NS;

/// Work that takes so much longer than predicted may wait for other work.
pub const STALL_NS: u64 = 4 * QUANTUM_NS;
/// The same where it did the last time.
pub const KNOWN_STALL_NS: u64 = 1_000_000;
/// Work that does not move so long after more was let on does not wait for it.
const VAIN_NS: u64 = 2 * QUANTUM_NS;
/// More than this is not held against it: seven seconds are long for a kernel, and not for ever for one that waits.
const MOST_IN_VAIN: u32 = 9;

/// Work that is expected to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Late {
    /// Something of it should be done by then.
    pub at: u64,
    /// When something last was.
    pub since: u64,
}

/// Other work that may wait for what a tenant is kept from on an engine; of each kind what should have moved first.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Elsewhere {
    /// Its own, on other devices.
    pub own: Option<Late>,
    /// Other tenants', on any.
    pub others: Option<Late>,
}

/// Whose work waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Whose {
    Own,
    Others,
}

/// What came of letting more on.
#[derive(Clone, Copy, Default)]
struct Lesson {
    /// It has helped the last time.
    helped: bool,
    /// What speaks against it: how often it has not, half of that for each time it has.
    in_vain: u32,
}

impl Lesson {
    fn patience(self) -> u64 {
        if self.helped { KNOWN_STALL_NS } else { STALL_NS << self.in_vain }
    }

    fn learn(&mut self, moved: bool) {
        self.in_vain = match (moved, self.helped) {
            (true, _) => self.in_vain / 2,
            (false, false) => self.in_vain + 1,
            // It had moved by itself then, just when more was let on.
            (false, true) => self.in_vain + 2,
        };
        self.in_vain = self.in_vain.min(MOST_IN_VAIN);
        self.helped = moved;
    }
}

/// More was let on.
#[derive(Clone, Copy)]
struct LetOn {
    /// When, or when that was last seen to go on.
    at: u64,
    /// For whose work, and since when that had not moved.
    whose: Whose,
    since: u64,
}

/// What is known of a tenant on an engine.
#[derive(Default)]
pub struct Stall {
    pub elsewhere: Elsewhere,
    let_on: Option<LetOn>,
    own: Lesson,
    others: Lesson,
}

impl Stall {
    /// From when on more is to be let on, where `here` is what it has at work on this engine. Once it has been, it is waited for
    /// whether it helps.
    pub fn lets_on_at(&self, here: Option<Late>) -> Option<u64> {
        self.next(here).map(|(at, ..)| at).filter(|_| self.let_on.is_none())
    }

    /// Whether its own work was seen to wait for what it was kept from.
    pub fn waits_for_itself(&self) -> bool {
        self.own.helped
    }

    /// Whether more was let on, and it is not known whether that helps.
    pub fn is_let_on(&self) -> bool {
        self.let_on.is_some()
    }

    /// More is let on from now on.
    pub fn let_on(&mut self, here: Option<Late>, now: u64) {
        if let (None, Some((_, whose, since))) = (self.let_on, self.next(here)) {
            self.let_on = Some(LetOn { at: now, whose, since });
        }
    }

    /// Whether it helped shows soon after, and by nothing but the work it was done for. Work elsewhere may wait for the last of
    /// much that is let on here: as long as that `goes_on` it is waited for.
    pub fn judge(&mut self, here: Option<Late>, goes_on: bool, now: u64) {
        let Some(let_on) = &mut self.let_on else { return };
        let late = self.elsewhere.late(let_on.whose, here);
        let moved = late.is_none_or(|late| late.since != let_on.since);
        if goes_on && late != here {
            let_on.at = now;
        }
        if moved || now >= let_on.at.saturating_add(VAIN_NS) {
            let lesson = match let_on.whose {
                Whose::Own => &mut self.own,
                Whose::Others => &mut self.others,
            };
            lesson.learn(moved);
            self.let_on = None;
        }
    }

    /// When more would be let on next, for whose work, and since when that has not moved.
    fn next(&self, here: Option<Late>) -> Option<(u64, Whose, u64)> {
        let all = [(Whose::Own, self.own), (Whose::Others, self.others)];
        let due = all.into_iter().filter_map(|(whose, lesson)| {
            let late = self.elsewhere.late(whose, here)?;
            Some((late.at.saturating_add(lesson.patience()), whose, late.since))
        });
        due.min_by_key(|(at, ..)| *at)
    }
}

impl Elsewhere {
    fn late(&self, whose: Whose, here: Option<Late>) -> Option<Late> {
        match whose {
            Whose::Own => here.into_iter().chain(self.own).min(),
            Whose::Others => self.others,
        }
    }
}
