//! What a command is let pass for: for what it takes by itself, or for what it adds to what is on its way already.

use crate::device::Command;
use crate::lanes::{Company, Lane, Lanes};
use crate::order::Standing;
use crate::times::{Beside, Expected, Times};

/// Nothing is in flight for nothing: that it is done must be seen.
const LEAST: u64 = 1_000;

/// What a command is let pass for.
pub struct Fare {
    /// What it draws of the credit.
    pub cost: u64,
    /// What it takes of the window.
    pub most: u64,
    /// How long it runs.
    pub length: u64,
    /// How many of its kind run side by side.
    pub width: u16,
    /// It is done when the rest of the turn is: it needs no credit and no room.
    pub is_free: bool,
    /// It is let pass to see whether one more runs beside others than is known to.
    pub is_trial: bool,
    /// What is known of it and where it would run, if it takes long enough for that to matter.
    beside: Option<(Beside, Lane)>,
}

impl Fare {
    /// By itself, without regard to others.
    pub fn single(expected: &Expected) -> Fare {
        Fare {
            cost: expected.ns,
            most: expected.most,
            length: expected.ns,
            width: 1,
            is_free: false,
            is_trial: false,
            beside: None,
        }
    }

    /// Among what is in flight.
    pub fn among(
        lanes: &Lanes,
        expected: &Expected,
        beside: Beside,
        stream: u64,
        standing: &Standing,
        now: u64,
    ) -> Fare {
        let lane = lanes.place(beside.length, beside.width, stream, now);
        let single = Fare { length: beside.length, beside: Some((beside, lane)), ..Fare::single(expected) };
        if beside.width == 1 {
            return single;
        }
        Fare {
            cost: lane.more,
            most: lane.more.max(LEAST),
            width: beside.width,
            is_free: lanes.is_free(lane, standing.turn, ahead(beside, standing), now),
            ..single
        }
    }

    /// A command for which there is no credit is let pass where it fills up what was paid for: streams are never quite in step, and else
    /// one kernel of a turn's last would have the device for itself.
    pub fn or_rest(&self, lanes: &Lanes, standing: &Standing, now: u64) -> Option<Fare> {
        let (beside, lane) = self.beside.filter(|(beside, _)| beside.width > 1)?;
        let fills_up = lanes.fills_up(lane, beside.length, standing.turn, ahead(beside, standing), now);
        fills_up.then_some(Fare { cost: 0, is_free: true, ..*self })
    }

    /// A command that has to wait is let pass now and then where one more of its kind than is known to fit could begin at once.
    pub fn or_trial(
        &self,
        lanes: &Lanes,
        times: &Times,
        command: Command,
        stream: u64,
        standing: &Standing,
        now: u64,
    ) -> Option<Fare> {
        let (beside, _) = self.beside.filter(|(beside, _)| beside.alone > 0)?;
        let lane = lanes.place(beside.length, beside.width + 1, stream, now);
        let company = lanes.company(beside.length, stream, now);
        let says_something = company.is_some_and(|company| company.beside == beside.width);
        let tries = says_something && lanes.is_free(lane, standing.turn, 0, now) && times.tries_more(command);
        tries.then_some(Fare {
            cost: 0,
            // If it does not fit it is waited for as long.
            most: beside.length,
            is_free: true,
            is_trial: true,
            beside: Some((beside, lane)),
            ..*self
        })
    }

    /// With whom to compare it to see whether it fits; None if that would say nothing.
    pub fn company(&self, lanes: &Lanes, stream: u64, now: u64) -> Option<Company> {
        let (beside, _) = self.beside.filter(|(beside, _)| beside.alone > 0)?;
        lanes.company(beside.length, stream, now)
    }

    /// Whether it is long enough for who is beside it to matter, and nobody knows what it takes by itself, or it is to be seen again.
    pub fn asks_alone(&self, again: bool) -> bool {
        self.beside.is_some_and(|(beside, _)| beside.alone == 0 || again)
    }

    /// It passes.
    pub fn take(&self, lanes: &mut Lanes, stream: u64, turn: u64, now: u64) {
        if let Some((_, lane)) = self.beside {
            lanes.take(lane, stream, !self.is_free, turn, now);
        }
    }
}

/// How far ahead something may be submitted for nothing: whatever is let pass is followed by as much as runs beside it, and two commands may
/// be in flight, one after the other.
fn ahead(beside: Beside, standing: &Standing) -> u64 {
    standing.window.max(beside.length + beside.length / 16)
}
