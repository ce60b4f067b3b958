//! Records of the dead, found sooner than by the daemon's rounds: a process that was killed has work in flight for ever, until
//! somebody looks whether it lives. That takes system calls, and with a tenant that lies many of them: not in the arbiters' thread.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};

use cleave_slot::NodeSlot;

/// Slots that wait to be looked at; who does not get in asks again.
const QUEUE: usize = 64;

/// How long nothing of a tenant's work moves before somebody looks, and the longest time between two such looks.
const FIRST_NS: u64 = 4_000_000;
const LONGEST_NS: u64 = 500_000_000;

/// Whoever looks whether processes live.
pub type Recovery = SyncSender<Arc<NodeSlot>>;

/// A thread for it; without one, the daemon's rounds do it alone.
pub fn start() -> Option<Recovery> {
    let (sender, receiver) = sync_channel::<Arc<NodeSlot>>(QUEUE);
    let look = move || {
        for slot in receiver {
            slot.recover();
        }
    };
    std::thread::Builder::new().name("recovery".into()).spawn(look).ok().map(|_| sender)
}

/// When to look at one tenant.
#[derive(Debug, Default)]
pub struct Doubt<T> {
    last: T,
    moved_at: u64,
    looked_at: u64,
}

impl<T: PartialEq> Doubt<T> {
    /// Takes in where its work stands; whether it is time to look. While nothing moves, each look is twice as late as the last.
    pub fn arises(&mut self, work: T, is_there: bool, now: u64) -> bool {
        if work != self.last || !is_there {
            (self.last, self.moved_at, self.looked_at) = (work, now, now);
            return false;
        }
        let wait = (self.looked_at - self.moved_at).clamp(FIRST_NS, LONGEST_NS);
        let due = now.saturating_sub(self.looked_at) >= wait;
        if due {
            self.looked_at = now;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubt_arises_when_nothing_moves_and_then_less_and_less_often() {
        let mut doubt = Doubt::default();
        let ms = |ms: u64| ms * 1_000_000;
        assert!(!doubt.arises(7, true, ms(100)));
        let looks: Vec<u64> = (101..3000).filter(|now| doubt.arises(7, true, ms(*now))).collect();
        assert_eq!(looks[..4], [104, 108, 116, 132]);
        assert!(looks.windows(2).all(|two| two[1] - two[0] <= 500));
        assert!(!doubt.arises(8, true, ms(3000)) && !doubt.arises(8, true, ms(3003)));
        assert!(doubt.arises(8, true, ms(3004)));
        assert!(!doubt.arises(8, false, ms(4000)), "there is nothing to doubt");
    }
}
