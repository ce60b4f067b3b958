//! For how long what a tenant was told holds: until the arbiter will have looked again, and a little longer. Who waits for a turn is told
//! that it holds until the turn is due, by how long the last one took to come, so that nobody wakes before to see that nothing is new.
//! A tenant whose next word does not come knows that the arbiter is gone.

/// So much later than it should an arbiter may speak before it counts as gone: a slice of the device.
pub const LATE_WORD_NS: u64 = 2_000_000;
/// A tenant may be given another turn at once when its credit is used up; somebody has to look first.
const LEAST_WAIT_NS: u64 = 3_500_000;
/// The longest a tenant waits without another word.
const LONGEST_WAIT_NS: u64 = 500_000_000;

/// Until when an arbiter's word holds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Lease {
    pub until: u64,
    /// It is known that the tenant waits, or will when its credit is used up. Who is not known to wait expects an answer first.
    pub knows: bool,
}

/// How a tenant stands to turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It waits for one.
    Kept,
    /// It has one that ends, with so much credit since then.
    Holds { since: u64, credit_ns: u64 },
    /// Neither.
    Else,
}

/// How long a tenant's turns take to come, and what it was told of that.
#[derive(Debug, Default)]
pub struct Waits {
    since: Option<u64>,
    /// The last two.
    last: [u64; 2],
    lease: Lease,
}

impl Waits {
    /// How it stands now.
    pub fn see(&mut self, standing: Standing, now: u64) {
        match standing {
            Standing::Kept => {
                self.since.get_or_insert(now);
            }
            Standing::Holds { .. } => {
                if let Some(since) = self.since.take() {
                    self.last = [self.last[1], now.saturating_sub(since).min(LONGEST_WAIT_NS)];
                }
            }
            Standing::Else => self.since = None,
        }
    }

    /// Nobody looked for a while: what seems to have been a long wait was none.
    pub fn lapse(&mut self) {
        self.since = None;
    }

    /// How long the next is expected to be: one that was long is no rule.
    fn usual(&self) -> u64 {
        self.last[0].min(self.last[1])
    }

    /// The word it is given, if the arbiter looks at `look_at` at the latest.
    pub fn word(&mut self, standing: Standing, look_at: u64) -> Lease {
        let due = match standing {
            Standing::Kept => self.since.unwrap_or(0).saturating_add(self.usual()),
            Standing::Holds { since, credit_ns } => {
                since.saturating_add(credit_ns).saturating_add(self.usual().max(LEAST_WAIT_NS))
            }
            Standing::Else => 0,
        };
        let until = due.max(look_at).saturating_add(LATE_WORD_NS);
        self.lease = Lease { until, knows: is_known(standing, look_at) };
        self.lease
    }

    /// Until when the last one holds.
    pub fn told_until(&self) -> u64 {
        self.lease.until
    }

    /// Whether what it was told is not enough: the word is of something else, or over too soon. Who does nothing expects none.
    pub fn needs_word(&self, standing: Standing, idle: bool, look_at: u64) -> bool {
        let knows = is_known(standing, look_at);
        self.lease.knows != knows || !idle && self.told_until() < look_at.saturating_add(LATE_WORD_NS)
    }
}

/// Whether somebody will have looked by when the tenant waits. What is used up long before has to be told.
fn is_known(standing: Standing, look_at: u64) -> bool {
    match standing {
        Standing::Kept => true,
        Standing::Holds { since, credit_ns } => {
            look_at <= since.saturating_add(credit_ns).saturating_add(LEAST_WAIT_NS)
        }
        Standing::Else => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn a_word_holds_beyond_the_next_look() {
        let mut waits = Waits::default();
        waits.see(Standing::Kept, 10 * MS);
        let word = waits.word(Standing::Kept, 13 * MS);
        assert_eq!(word, Lease { until: 15 * MS, knows: true });
        assert!(!waits.needs_word(Standing::Kept, false, 13 * MS));
        assert!(waits.needs_word(Standing::Kept, false, 13 * MS + 1), "it would be over too soon");
        assert!(waits.needs_word(Standing::Else, true, 13 * MS), "it waits no more");
        assert!(!waits.word(Standing::Else, 13 * MS).knows);
    }

    #[test]
    fn who_waits_is_told_when_its_turn_is_due() {
        let mut waits = Waits::default();
        let turn = Standing::Holds { since: 30 * MS, credit_ns: 3 * MS };
        waits.see(turn, 0);
        for _ in 0..2 {
            assert_eq!(waits.word(turn, 31 * MS).until, 38_500_000, "not by a single wait");
            waits.see(Standing::Kept, 10 * MS);
            waits.see(turn, 30 * MS);
        }
        // Twenty milliseconds after its credit is used up, and a slice.
        assert_eq!(waits.word(turn, 31 * MS).until, 55 * MS);
        waits.see(Standing::Kept, 34 * MS);
        assert_eq!(waits.word(Standing::Kept, 35 * MS).until, 56 * MS);
        waits.see(Standing::Kept, 60 * MS);
        assert!(waits.needs_word(Standing::Kept, false, 61 * MS));
        assert_eq!(
            waits.word(Standing::Kept, 61 * MS).until,
            63 * MS,
            "it is late, and may come at every look"
        );
        for _ in 0..2 {
            waits.see(turn, 4000 * MS);
            waits.see(Standing::Kept, 0);
        }
        waits.see(turn, 4000 * MS);
        assert_eq!(waits.word(turn, 31 * MS).until, 535 * MS, "nobody waits for ever");
    }

    #[test]
    fn who_gave_up_is_not_who_waited() {
        let mut waits = Waits::default();
        waits.see(Standing::Kept, 0);
        waits.see(Standing::Else, 90 * MS);
        waits.see(Standing::Kept, 100 * MS);
        waits.see(Standing::Holds { since: 103 * MS, credit_ns: MS }, 103 * MS);
        waits.see(Standing::Kept, 105 * MS);
        waits.lapse();
        waits.see(Standing::Kept, 900 * MS);
        waits.see(Standing::Holds { since: 905 * MS, credit_ns: MS }, 905 * MS);
        waits.see(Standing::Kept, 906 * MS);
        assert_eq!(waits.word(Standing::Kept, 0).until, 911 * MS);
    }
}
