//! Multiprocessors: what is free on each, and the choice of one for a block.

use crate::card::{Card, Shape, registers_taken, threads_taken};

/// What a block takes of its multiprocessor, or what is free there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Room {
    slots: u32,
    threads: u32,
    registers: u64,
    shared: u32,
}

impl Room {
    /// An empty multiprocessor.
    pub fn of_card(card: &Card) -> Room {
        Room {
            slots: card.blocks_per_sm,
            threads: card.threads_per_sm,
            registers: card.registers_per_sm.into(),
            shared: card.shared_per_sm,
        }
    }

    /// What a block of `shape` takes. One that is too big for any multiprocessor takes a whole one: refusing it is the driver's business.
    pub fn of_block(shape: &Shape, card: &Card) -> Room {
        let whole = Room::of_card(card);
        Room {
            slots: 1,
            threads: threads_taken(shape.threads).min(whole.threads),
            registers: registers_taken(shape.threads, shape.registers).min(whole.registers),
            shared: shape.shared.min(whole.shared),
        }
    }

    fn fits(&self, block: &Room) -> bool {
        self.slots >= block.slots
            && self.threads >= block.threads
            && self.registers >= block.registers
            && self.shared >= block.shared
    }

    /// How many such blocks fit.
    fn holds(&self, block: &Room) -> u64 {
        let by = |free: u64, taken: u64| free.checked_div(taken).unwrap_or(u64::MAX);
        by(self.slots.into(), block.slots.into())
            .min(by(self.threads.into(), block.threads.into()))
            .min(by(self.registers, block.registers))
            .min(by(self.shared.into(), block.shared.into()))
    }
}

/// All multiprocessors of a device.
#[derive(Clone, Debug)]
pub struct Sms {
    free: Vec<Room>,
}

impl Sms {
    pub fn new(card: &Card) -> Sms {
        Sms { free: vec![Room::of_card(card); card.sms.max(1) as usize] }
    }

    /// The multiprocessor for such a block: the one with the most free threads, then slots, then the first.
    pub fn choose(&self, block: &Room) -> Option<u32> {
        let mut best: Option<(u32, u32, u32)> = None;
        for (sm, free) in self.free.iter().enumerate() {
            if free.fits(block)
                && best.is_none_or(|(threads, slots, _)| (free.threads, free.slots) > (threads, slots))
            {
                best = Some((free.threads, free.slots, sm as u32));
            }
        }
        best.map(|(_, _, sm)| sm)
    }

    /// How many such blocks fit right now, on all together.
    pub fn holds(&self, block: &Room) -> u64 {
        self.free.iter().map(|free| free.holds(block)).sum()
    }

    pub fn take(&mut self, sm: u32, block: &Room) {
        let free = &mut self.free[sm as usize];
        free.slots -= block.slots;
        free.threads -= block.threads;
        free.registers -= block.registers;
        free.shared -= block.shared;
    }

    pub fn give_back(&mut self, sm: u32, block: &Room) {
        let free = &mut self.free[sm as usize];
        free.slots += block.slots;
        free.threads += block.threads;
        free.registers += block.registers;
        free.shared += block.shared;
    }
}
