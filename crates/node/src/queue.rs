//! Who waits for room, first come first served. Pure: tickets only; the threads that wait ask it whose turn it is.
//!
//! A later one overtakes only onto devices that nobody before it could use: who waits for much is not starved by those who
//! want little.

use std::collections::BTreeSet;

/// The number of a waiter.
pub type Number = u64;

#[derive(Debug)]
pub struct Queue<T> {
    next: Number,
    waiting: Vec<(Number, T)>,
}

impl<T> Default for Queue<T> {
    fn default() -> Queue<T> {
        Queue { next: 0, waiting: Vec::new() }
    }
}

impl<T> Queue<T> {
    /// Stands at the end of the line.
    pub fn join(&mut self, who: T) -> Number {
        self.next += 1;
        self.waiting.push((self.next, who));
        self.next
    }

    /// Got what it waited for, or went away.
    pub fn leave(&mut self, number: Number) {
        self.waiting.retain(|(waiter, _)| *waiter != number);
    }

    /// How many stand before it, counted from 1.
    pub fn position(&self, number: Number) -> u32 {
        let before = self.waiting.iter().take_while(|(waiter, _)| *waiter != number).count();
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    }

    pub fn waiting(&self) -> impl Iterator<Item = &T> {
        self.waiting.iter().map(|(_, who)| who)
    }

    pub fn update(&mut self, number: Number, change: impl FnOnce(&mut T)) {
        if let Some((_, who)) = self.waiting.iter_mut().find(|(waiter, _)| *waiter == number) {
            change(who);
        }
    }

    /// What those before it may still come to use; it must keep its hands off.
    pub fn spoken_for<K: Ord>(&self, number: Number, wants: impl Fn(&T) -> Vec<K>) -> BTreeSet<K> {
        let before = self.waiting.iter().take_while(|(waiter, _)| *waiter != number);
        before.flat_map(|(_, who)| wants(who)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_come_first_served_on_the_same_device() {
        let mut queue = Queue::default();
        let [a, b, c] = ["1", "12", "3"].map(|wants| queue.join(wants));
        let wants = |who: &&str| who.chars().collect::<Vec<char>>();
        assert!(queue.spoken_for(a, wants).is_empty());
        assert_eq!(queue.spoken_for(b, wants), BTreeSet::from(['1']));
        assert_eq!(queue.spoken_for(c, wants), BTreeSet::from(['1', '2']), "3 is c's to take");
        assert_eq!([a, b, c].map(|number| queue.position(number)), [1, 2, 3]);
        queue.leave(a);
        assert_eq!([b, c].map(|number| queue.position(number)), [1, 2]);
        assert!(queue.spoken_for(b, wants).is_empty());
        assert_eq!(queue.waiting().count(), 2);
    }
}
