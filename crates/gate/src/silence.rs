//! Whether the arbiter is still there. Who waits for a turn trusts it until its word is over, or for as long as an answer may take;
//! then the process goes by its own share, until the arbiter speaks again.

use crate::order::Standing;

/// How long an answer may take: a turn, and a slice of the device.
pub const ANSWER: u64 = 5_500_000;

/// What a gate knows of it.
#[derive(Default)]
pub struct Silence {
    /// The word after which the arbiter was asked, and when.
    asked: Option<(u64, u64)>,
    /// The word after which nothing came.
    last: Option<u64>,
}

impl Silence {
    /// Whether nobody is there any more, as far as is known.
    pub fn is_gone(&self, standing: &Standing) -> bool {
        standing.lease == 0 || self.last == Some(standing.word)
    }

    /// A thread comes that has waited for a turn, and none came; or one that has not, as where work of others runs side by side and costs
    /// nothing more.
    pub fn judge(&mut self, standing: &Standing, has_waited: bool, now: u64) {
        let until = match has_waited {
            true => self.trusts_until(standing),
            // What is at work is told again before the word is over.
            false => self.asked_at(standing).map(|at| at.max(standing.lease).saturating_add(ANSWER)),
        };
        if until.is_some_and(|until| now >= until) {
            self.last = Some(standing.word);
        }
    }

    /// Whether a thread that waits, or begins to, asks: the arbiter does not know of it, or its word is over. An answer changes the word;
    /// a question may be an old one, of somebody who passed meanwhile.
    pub fn asks_for_turn(&mut self, standing: &Standing, begins: bool, now: u64) -> bool {
        let is_known = standing.knows && now < standing.lease;
        let is_old = |at: u64| begins && now >= at.saturating_add(ANSWER);
        !is_known && self.asked_at(standing).is_none_or(is_old) && self.ask(standing, now)
    }

    /// Whether one that goes on asks: the word is over.
    pub fn asks_at_work(&mut self, standing: &Standing, now: u64) -> bool {
        let is_over = standing.lease != 0 && now >= standing.lease;
        is_over && self.asked_at(standing).is_none() && self.ask(standing, now)
    }

    /// Nothing is at work: nobody answers what was asked for it.
    pub fn rests(&mut self) {
        self.asked = None;
    }

    /// Until when who waits for a turn trusts the arbiter; None if it has to ask first.
    pub fn trusts_until(&self, standing: &Standing) -> Option<u64> {
        match self.asked_at(standing) {
            Some(at) => Some(at.saturating_add(ANSWER)),
            None => standing.knows.then_some(standing.lease),
        }
    }

    fn ask(&mut self, standing: &Standing, now: u64) -> bool {
        self.asked = Some((standing.word, now));
        true
    }

    fn asked_at(&self, standing: &Standing) -> Option<u64> {
        self.asked.filter(|(word, _)| *word == standing.word).map(|(_, at)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Order;
    use crate::words::{DrawnWords, TurnWords};

    const MS: u64 = 1_000_000;

    fn said(lease_until: u64, knows: bool) -> Standing {
        let words = TurnWords::default();
        let _nobody_sleeps_here =
            words.give(&DrawnWords::default(), &Order { lease_until, knows, ..Order::default() });
        words.read()
    }

    #[test]
    fn who_is_known_to_wait_trusts_the_word_and_no_longer() {
        let mut silence = Silence::default();
        let word = said(20 * MS, true);
        assert!(!silence.asks_for_turn(&word, true, MS), "it is known");
        silence.judge(&word, true, 20 * MS - 1);
        assert!(!silence.is_gone(&word));
        silence.judge(&word, true, 20 * MS);
        assert!(silence.is_gone(&word));
        assert!(!silence.is_gone(&said(21 * MS, true)), "it speaks again");
    }

    #[test]
    fn who_is_not_known_asks_and_waits_for_an_answer() {
        let mut silence = Silence::default();
        // However long the word holds.
        let word = said(1000 * MS, false);
        silence.judge(&word, true, MS);
        assert!(!silence.is_gone(&word), "nobody has asked");
        assert!(
            silence.asks_for_turn(&word, true, MS) && !silence.asks_for_turn(&word, false, 2 * MS),
            "once is enough"
        );
        assert_eq!(silence.trusts_until(&word), Some(MS + ANSWER));
        silence.judge(&word, true, MS + ANSWER - 1);
        assert!(!silence.is_gone(&word));
        let answer = said(1000 * MS, true);
        silence.judge(&answer, true, MS + ANSWER);
        assert!(!silence.is_gone(&answer), "it was heard");
        silence.judge(&word, true, MS + ANSWER);
        assert!(silence.is_gone(&word), "or not");
    }

    #[test]
    fn a_question_of_long_ago_is_none() {
        let mut silence = Silence::default();
        let word = said(5 * MS, true);
        assert!(silence.asks_for_turn(&word, true, 9 * MS), "a word that is over was for another");
        // It passed, and comes back.
        assert!(silence.asks_for_turn(&word, true, 50 * MS));
        silence.judge(&word, true, 51 * MS);
        assert!(!silence.is_gone(&word));
    }

    #[test]
    fn who_goes_on_without_a_turn_expects_to_be_told_again() {
        let mut silence = Silence::default();
        let word = said(20 * MS, true);
        assert!(!silence.asks_at_work(&word, 19 * MS), "it holds");
        assert!(silence.asks_at_work(&word, 30 * MS) && !silence.asks_at_work(&word, 31 * MS), "once");
        silence.judge(&word, false, 30 * MS + ANSWER - 1);
        assert!(!silence.is_gone(&word));
        silence.rests();
        silence.judge(&word, false, 900 * MS);
        assert!(!silence.is_gone(&word), "nobody answers who does nothing any more");
        assert!(silence.asks_at_work(&word, 900 * MS));
        silence.judge(&word, false, 900 * MS + ANSWER);
        assert!(silence.is_gone(&word));
        // Asked for a turn, but it went on without one before anybody looked.
        let word = said(2000 * MS, false);
        assert!(silence.asks_for_turn(&word, true, 1000 * MS));
        silence.judge(&word, false, 2000 * MS + ANSWER - 1);
        assert!(!silence.is_gone(&word), "its word still holds");
        silence.judge(&word, false, 2000 * MS + ANSWER);
        assert!(silence.is_gone(&word));
    }

    #[test]
    fn where_there_never_was_one_nobody_asks() {
        let mut silence = Silence::default();
        let never = TurnWords::default().read();
        assert!(silence.is_gone(&never) && !silence.asks_at_work(&never, MS));
    }
}
