//! How often a tenant is looked at because it rings. One that rings for ever is looked at no more often than others can bear.

/// Between two looks at a tenant that rings all the time, and how many looks may follow each other at once before that.
const APART_NS: u64 = 250_000;
const AT_ONCE: u64 = 32;

/// The bell of one tenant, as far as it was heard.
#[derive(Debug, Default)]
pub struct Bell {
    rung: u32,
    /// The moment up to which the tenant's looks are used up.
    used_until: u64,
}

impl Bell {
    /// Whether it rang since it was last heard; `rung` is how often it ever did.
    pub fn hear(&mut self, rung: u32, now: u64) -> bool {
        if rung == self.rung || self.is_muted(now) {
            return false;
        }
        self.rung = rung;
        self.used_until = self.used_until.max(now) + APART_NS;
        true
    }

    /// What it was when it was last heard.
    pub fn rung(&self) -> u32 {
        self.rung
    }

    fn is_muted(&self, now: u64) -> bool {
        self.muted_until() > now
    }

    /// Until when nobody listens to it.
    pub fn muted_until(&self) -> u64 {
        self.used_until.saturating_sub(APART_NS * AT_ONCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bell_is_heard_at_once_and_one_that_rings_for_ever_now_and_then() {
        let mut bell = Bell::default();
        assert!(!bell.hear(0, 5));
        assert!(bell.hear(1, 5) && !bell.hear(1, 6) && bell.hear(2, 6));
        let mut heard = 0;
        for (number, now) in (10..1_000_010_000_u64).step_by(10_000).enumerate() {
            heard += u32::from(bell.hear(number as u32 + 3, now));
        }
        assert!((4000..4100).contains(&heard), "{heard} times in a second");
        assert!(bell.muted_until() <= 1_000_010_000 + APART_NS);
        assert!(bell.hear(7, 2_000_000_000));
    }
}
