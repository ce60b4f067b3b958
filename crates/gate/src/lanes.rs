//! When what is in flight is expected to end, by stream. Kernels that leave room for others run side by side, as on the lanes of a road: one more
//! that ends no later than what is on its way already costs nobody anything.

/// What is on its way.
#[derive(Default)]
pub struct Lanes {
    /// When the last command of each stream is expected to end, the last of all first.
    ends: Vec<(u64, u64)>,
    /// The turn in which something last came that ends later than all before it.
    turn: u64,
    /// When the last of what credit was drawn for ends.
    paid: u64,
    /// What is submitted until then may all begin at the same moment.
    begins_at: u64,
}

/// Where a command would run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lane {
    /// When it would begin, and end.
    start: u64,
    end: u64,
    /// By how much all that is in flight would end later.
    pub more: u64,
}

/// Those a command is compared with, as if there were room for all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Company {
    /// How many others are beside it for at least half of its time.
    pub beside: u16,
    /// The stream of the last of them.
    pub last: u64,
    /// How much later than that it would end.
    pub later: u64,
}

impl Lanes {
    /// Where a command that takes `ns` by itself would run, if `width` of its kind run side by side.
    pub fn place(&self, ns: u64, width: u16, stream: u64, now: u64) -> Lane {
        let full_until = self.others(stream).nth(usize::from(width.max(1)) - 1).map_or(0, |(_, end)| end);
        let start = self.own(stream, now).max(full_until);
        let end = start.saturating_add(ns);
        let more = end.saturating_sub(self.last(now)).min(ns);
        // Nobody submits two commands at the same moment, and as long as the first has not begun it does not matter.
        let alike = (ns / 16).max(self.begins_at.saturating_sub(now).min(ns / 4));
        let more = if more <= alike { 0 } else { more };
        Lane { start, end, more }
    }

    /// With what a command that takes `ns` by itself is compared. It would end about when the last of all others does or before, and none
    /// of them only has something left to do, for which it might wait.
    pub fn company(&self, ns: u64, stream: u64, now: u64) -> Option<Company> {
        let start = self.own(stream, now);
        let end = start.saturating_add(ns);
        let (last, last_end) = self.others(stream).next()?;
        let later = end.saturating_sub(last_end);
        let there = self.others(stream).filter(|(_, end)| *end > start || *end <= now).count();
        let beside = self.others(stream).take_while(|(_, other)| *other >= end - ns / 2).count();
        let company = Company { beside: u16::try_from(beside).unwrap_or(u16::MAX), last, later };
        (later <= ns / 4 && there == beside).then_some(company)
    }

    /// A command of a turn goes there, and credit was drawn for it or not. What costs nothing moves nothing: many of them would.
    pub fn take(&mut self, lane: Lane, stream: u64, pays: bool, turn: u64, now: u64) {
        let last = self.last(now);
        let end = if lane.more == 0 { lane.end.min(last) } else { lane.end };
        if lane.more > 0 && pays {
            (self.turn, self.paid) = (turn, end);
        }
        self.ends.retain(|(other, _)| *other != stream);
        let at = self.ends.partition_point(|(_, other)| *other > end);
        self.ends.insert(at, (stream, end));
    }

    /// Whether a command there is done when the rest of its turn is. It may be submitted so far ahead and no further.
    pub fn is_free(&self, lane: Lane, turn: u64, ahead: u64, now: u64) -> bool {
        lane.more == 0 && self.turn == turn && lane.start <= now.saturating_add(ahead)
    }

    /// Whether a command there fills up the rest of its turn: it ends only a part of its time later than what was paid for.
    pub fn fills_up(&self, lane: Lane, ns: u64, turn: u64, ahead: u64, now: u64) -> bool {
        let is_rest = lane.end <= self.paid.saturating_add(ns / 4);
        self.turn == turn && is_rest && lane.start <= now.saturating_add(ahead)
    }

    /// Whether a stream has something on its way.
    pub fn has(&self, stream: u64) -> bool {
        self.ends.iter().any(|(other, _)| *other == stream)
    }

    /// Where nothing is on its way, the first may not begin before.
    pub fn begins_at(&mut self, at: u64) {
        if self.ends.is_empty() {
            self.begins_at = at;
        }
    }

    /// Other streams than these have nothing in flight.
    pub fn keep(&mut self, is_in_flight: impl Fn(u64) -> bool) {
        self.ends.retain(|(stream, _)| is_in_flight(*stream));
    }

    /// When a stream is done with what it has.
    fn own(&self, stream: u64, now: u64) -> u64 {
        let own = self.ends.iter().find(|(other, _)| *other == stream);
        own.map_or(now, |(_, end)| now.max(*end))
    }

    /// All streams but one, the last first.
    fn others(&self, stream: u64) -> impl Iterator<Item = (u64, u64)> {
        self.ends.iter().copied().filter(move |(other, _)| *other != stream)
    }

    fn last(&self, now: u64) -> u64 {
        self.ends.first().map_or(now, |(_, end)| now.max(*end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// What each of some commands on these streams adds.
    fn adds(width: u16, streams: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let mut lanes = Lanes::default();
        let streams = streams.into_iter().enumerate();
        streams
            .map(|(at, stream)| {
                let now = 100 * MS + at as u64 * 3_000;
                let lane = lanes.place(MS, width, stream, now);
                lanes.take(lane, stream, true, 1, now);
                lane.more / 10_000 * 10_000
            })
            .collect()
    }

    #[test]
    fn what_fits_beside_costs_nothing() {
        assert_eq!(adds(4, [1, 2, 3, 4, 1, 2, 3, 4]), [MS, 0, 0, 0, MS, 0, 0, 0]);
        assert_eq!(adds(4, [1, 2, 3, 4, 5, 6]), [MS, 0, 0, 0, MS, 0], "four at a time");
        assert_eq!(adds(2, [1, 2, 3, 4]), [MS, 0, MS, 0]);
        assert_eq!(adds(1, [1, 2, 3, 4]), [MS; 4]);
        assert_eq!(adds(4, [1, 1, 1, 2, 2, 2, 2]), [MS, MS, MS, 0, 0, 0, MS], "a stream keeps its order");
    }

    #[test]
    fn only_so_far_ahead_and_in_its_turn() {
        let mut lanes = Lanes::default();
        let long = lanes.place(50 * MS, 4, 1, 0);
        lanes.take(long, 1, true, 7, 0);
        let mut passed = 0;
        loop {
            let lane = lanes.place(MS, 4, 2, 0);
            if !lanes.is_free(lane, 7, 2 * MS, 0) {
                break;
            }
            lanes.take(lane, 2, true, 7, 0);
            passed += 1;
        }
        assert_eq!(passed, 3, "one begins now, one in 1 ms and one in 2");
        let lane = lanes.place(MS, 4, 3, 0);
        assert!(lanes.is_free(lane, 7, 2 * MS, 0) && !lanes.is_free(lane, 8, 2 * MS, 0));
        lanes.keep(|stream| stream == 2);
        assert_eq!(lanes.place(4 * MS, 4, 3, 0).more, MS, "what is done is not on its way");
        lanes.keep(|_| false);
        assert_eq!(lanes.place(MS, 4, 3, 0).more, MS);
    }

    #[test]
    fn the_last_of_a_turn_are_not_alone() {
        let mut lanes = Lanes::default();
        let first = lanes.place(MS, 4, 1, 0);
        lanes.take(first, 1, true, 7, 0);
        // Four streams that are a tenth of a kernel apart each, and go on for as long as they are let.
        let mut passed = 0;
        for round in 0..3 {
            for stream in 2..=4 {
                let now = round * MS + (stream - 1) * MS / 10;
                let lane = lanes.place(MS, 4, stream, now);
                assert!(!lanes.is_free(lane, 7, 2 * MS, now), "they end later");
                assert!(!lanes.fills_up(lane, MS, 8, 2 * MS, now), "it was paid for in another turn");
                if lanes.fills_up(lane, MS, 7, 2 * MS, now) {
                    lanes.take(lane, stream, false, 7, now);
                    passed += 1;
                }
            }
        }
        assert_eq!(passed, 2, "up to a quarter later than what was paid for, and none begins another round");
    }

    #[test]
    fn who_is_beside_is_there_for_a_while() {
        let mut lanes = Lanes::default();
        for stream in 1..=3 {
            let lane = lanes.place(stream * MS, 4, stream, 0);
            lanes.take(lane, stream, true, 1, 0);
        }
        let company =
            |ns, stream| lanes.company(ns, stream, MS / 2).map(|one| (one.beside, one.last, one.later));
        assert_eq!(company(MS, 1), Some((2, 3, 0)), "behind what is before it on its stream");
        assert_eq!(company(MS, 2), Some((1, 3, 0)));
        assert_eq!(company(MS, 3), None, "it ends long after all others");
        assert_eq!(company(MS, 9), Some((3, 3, 0)));
        assert_eq!(company(3 * MS, 9), None, "it might wait for what the first has left to do");
        assert_eq!(Lanes::default().company(MS, 1, 0), None);
    }

    #[test]
    fn the_end_does_not_creep() {
        let mut lanes = Lanes::default();
        let first = lanes.place(16 * MS, 9, 1, 0);
        lanes.take(first, 1, true, 1, 0);
        let free = (2..100).take_while(|stream| {
            let now = (stream - 1) * MS / 2;
            let lane = lanes.place(16 * MS, 200, *stream, now);
            lanes.take(lane, *stream, true, 1, now);
            lane.more == 0
        });
        assert_eq!(free.count(), 2, "up to a sixteenth later than the first");
    }
}
