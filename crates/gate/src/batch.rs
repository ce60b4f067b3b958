//! Batches: commands that are followed together. Each ends with a mark on every stream it touched.

use std::collections::VecDeque;

use crate::device::{Command, Device};
use crate::lanes::Company;
use crate::open::{Left, STREAMS};

/// Commands that are submitted and marked.
pub struct Batch<M> {
    pub ns: u64,
    pub commands: u32,
    /// How long the longest of them runs, as far as that is known.
    longest: u64,
    marks: Vec<(u64, Option<M>)>,
    /// What could not be marked counts as done from then on.
    until: u64,
    sample: Option<Sample<M>>,
    /// It did not move while others waited for room: it may wait for them, and takes none of it any more.
    excused: bool,
}

/// A command that is measured: the last one of its batch.
pub struct Sample<M> {
    pub command: Command,
    /// What was drawn for it, and what it may take.
    pub drawn: u64,
    pub expected: u64,
    /// What is expected is not believed yet.
    pub unsure: bool,
    pub stream: u64,
    pub from: M,
    /// The end of the last of those it is compared with.
    pub last: Option<M>,
    /// The turn in which it was submitted, if nobody else was on the device then.
    pub clean_in: Option<u64>,
    /// How many stalls had been broken before it.
    pub breaks: Breaks,
    pub says: Says,
}

/// What a sample is good for.
#[derive(Clone, Copy, Default)]
pub struct Says {
    /// What a command of its kind takes of the device.
    pub cost: Option<Whose>,
    /// What it takes by itself: nothing else was in flight.
    pub alone: bool,
    /// Whether it fits beside others.
    pub company: Option<Company>,
    /// There was work before it on its stream.
    pub behind: bool,
}

impl Says {
    /// Whether it is good for anything.
    pub fn is_any(&self) -> bool {
        self.cost.is_some() || self.alone || self.company.is_some()
    }
}

/// Whose the time is that a sample took.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Its own: what is beside it takes nothing from it.
    Own,
    /// That of all that was in flight meanwhile.
    All,
}

/// How many stalls were broken: by a window that was opened, and by the arbiter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Breaks {
    pub nudges: u64,
    pub let_on: u64,
}

/// What became of a batch.
pub struct Retired {
    pub ns: u64,
    pub commands: u32,
    pub longest: u64,
    pub excused: bool,
    pub measured: Option<Measured>,
}

/// What a sample says.
pub struct Measured {
    pub command: Command,
    pub drawn: u64,
    pub expected: u64,
    pub ns: u64,
    /// What it was expected to take was not believed.
    pub unsure: bool,
    /// How much later it was done than the last of those it is compared with.
    pub later: Option<u64>,
    pub clean_in: Option<u64>,
    pub breaks: Breaks,
    pub says: Says,
}

impl<M> Sample<M> {
    /// It is not needed any more.
    pub fn give_back<D: Device<Mark = M>>(self, device: &D) {
        device.give_back(self.from);
        self.last.into_iter().for_each(|mark| device.give_back(mark));
    }
}

impl<M> Batch<M> {
    /// Marks the ends of the streams that the commands went to.
    pub fn close<D: Device<Mark = M>>(
        device: &D,
        Left { ns, commands }: Left,
        longest: u64,
        streams: impl Iterator<Item = u64>,
        sample: Option<Sample<M>>,
        now: u64,
    ) -> Batch<M> {
        let is_timed = |stream| sample.as_ref().is_some_and(|sample: &Sample<M>| sample.stream == stream);
        let marks = streams.map(|stream| (stream, device.put(stream, is_timed(stream)))).collect();
        // Twice what is expected: a device that is shared is slower.
        Batch {
            ns,
            commands,
            longest,
            marks,
            until: now.saturating_add(ns.max(longest).saturating_mul(2)),
            sample,
            excused: false,
        }
    }

    /// When it is expected to be done, if its first command begins at `at`. Of what is not known nobody knows.
    fn due(&self, at: u64) -> u64 {
        let unsure = self.sample.as_ref().is_some_and(|sample| sample.unsure);
        if unsure { at } else { at.saturating_add(self.ns) }
    }

    /// Whether it takes now this, now that.
    fn varies(&self) -> bool {
        self.sample.as_ref().is_some_and(|sample| sample.expected > sample.drawn)
    }

    /// What went to a stream is done. A mark that measures is kept: it says so itself.
    fn settle<D: Device<Mark = M>>(&mut self, device: &D, is: impl Fn(u64) -> bool) {
        let sampled = self.sample.as_ref().map(|sample| sample.stream);
        self.marks.retain_mut(|(stream, mark)| {
            let settled = is(*stream) && Some(*stream) != sampled;
            if settled && let Some(mark) = mark.take() {
                device.give_back(mark);
            }
            !settled
        });
    }

    /// Whether all of it is done. `behind` are streams known to have come no further than an earlier batch.
    fn is_done<D: Device<Mark = M>>(&self, device: &D, behind: &mut Behind, now: u64) -> bool {
        let mut done = true;
        for (stream, mark) in &self.marks {
            let passed = match mark {
                Some(_) if behind.has(*stream) => false,
                Some(mark) => device.is_done(mark),
                None => now >= self.until,
            };
            if !passed {
                behind.add(*stream);
                done = false;
            }
        }
        done
    }

    fn retire<D: Device<Mark = M>>(mut self, device: &D) -> Retired {
        let measured = self.sample.take().and_then(|sample| {
            let to = self.marks.iter().find(|(stream, _)| *stream == sample.stream);
            let to = to.and_then(|(_, mark)| mark.as_ref());
            let ns = to.and_then(|to| device.between(&sample.from, to));
            // What is still at work will be done later than this one.
            let later = sample.last.as_ref().zip(to);
            let later = later
                .and_then(|(last, to)| if device.is_done(last) { device.between(last, to) } else { Some(0) });
            let Sample { command, drawn, expected, unsure, clean_in, breaks, says, .. } = sample;
            sample.give_back(device);
            Some(Measured { command, drawn, expected, ns: ns?, unsure, later, clean_in, breaks, says })
        });
        self.marks.into_iter().filter_map(|(_, mark)| mark).for_each(|mark| device.give_back(mark));
        let Batch { ns, commands, longest, excused, .. } = self;
        Retired { ns, commands, longest, excused, measured }
    }
}

/// Batches in flight, in the order they were closed.
pub struct Flights<M> {
    batches: VecDeque<(u64, Batch<M>)>,
    /// How many there ever were.
    closed: u64,
}

impl<M> Default for Flights<M> {
    fn default() -> Flights<M> {
        Flights { batches: VecDeque::new(), closed: 0 }
    }
}

impl<M> Flights<M> {
    pub fn push(&mut self, batch: Batch<M>) {
        self.closed += 1;
        self.batches.push_back((self.closed, batch));
    }

    /// How many batches there ever were.
    pub fn closed(&self) -> u64 {
        self.closed
    }

    /// What the oldest one is expected to take, if that is believed.
    pub fn believed(&self) -> Option<u64> {
        let (_, batch) = self.batches.front()?;
        batch.sample.as_ref().is_none_or(|sample| !sample.unsure).then_some(batch.ns.max(batch.longest))
    }

    /// How long the longest command in flight runs.
    pub fn longest(&self) -> u64 {
        self.batches.iter().map(|(_, batch)| batch.longest).max().unwrap_or(0)
    }

    /// All that is in flight is excused: what it is together.
    pub fn excuse(&mut self) -> Left {
        let mut all = Left::default();
        for (_, batch) in &mut self.batches {
            batch.excused = true;
            all.ns = all.ns.saturating_add(batch.ns);
            all.commands += batch.commands;
        }
        all
    }

    /// When the oldest one is expected to be done, if it began at `at`; whether it may well be done sooner.
    pub fn due(&self, at: u64) -> Option<(u64, bool)> {
        self.batches.front().map(|(_, batch)| (batch.due(at), batch.varies()))
    }

    /// Whether a stream has something in flight.
    pub fn has(&self, stream: u64) -> bool {
        self.streams().any(|one| one == stream)
    }

    /// Whether no other stream has.
    pub fn only(&self, stream: u64) -> bool {
        self.streams().all(|one| one == stream)
    }

    /// Whether several streams have something in flight.
    pub fn is_crowded(&self) -> bool {
        self.streams().next().is_some_and(|first| !self.only(first))
    }

    fn streams(&self) -> impl Iterator<Item = u64> {
        self.batches.iter().flat_map(|(_, batch)| batch.marks.iter().map(|(stream, _)| *stream))
    }

    /// Takes out what is done. A stream goes in order, so each is asked about until it is found behind.
    pub fn retire<D: Device<Mark = M>>(&mut self, device: &D, now: u64) -> Vec<Retired> {
        let (mut behind, mut done) = (Behind::default(), Vec::new());
        let mut at = 0;
        while at < self.batches.len() && !behind.is_full() {
            if self.batches[at].1.is_done(device, &mut behind, now) {
                done.extend(self.batches.remove(at).map(|(_, batch)| batch.retire(device)));
            } else {
                at += 1;
            }
        }
        done
    }

    /// The streams that `is` picks have come past all batches up to the number `seen`.
    pub fn settle<D: Device<Mark = M>>(&mut self, device: &D, seen: u64, is: impl Fn(u64) -> bool) {
        for (_, batch) in self.batches.iter_mut().take_while(|(number, _)| *number <= seen) {
            batch.settle(device, &is);
        }
    }

    /// Gives every mark back that `is` picks: what it stood for is done when it was expected to be.
    pub fn unmark<D: Device<Mark = M>>(&mut self, device: &D, is: impl Fn(&M) -> bool) {
        for (_, batch) in &mut self.batches {
            let is_one = |sample: &Sample<M>| is(&sample.from) || sample.last.as_ref().is_some_and(&is);
            if let Some(sample) = batch.sample.take_if(|sample| is_one(sample)) {
                sample.give_back(device);
            }
            for mark in batch.marks.iter_mut().filter_map(|(_, mark)| mark.take_if(|mark| is(mark))) {
                device.give_back(mark);
            }
        }
    }
}

/// Streams that are known to be behind, a few of them.
#[derive(Default)]
struct Behind {
    streams: [u64; STREAMS],
    count: usize,
}

impl Behind {
    fn has(&self, stream: u64) -> bool {
        self.streams[..self.count].contains(&stream)
    }

    fn add(&mut self, stream: u64) {
        if !self.has(stream) && !self.is_full() {
            self.streams[self.count] = stream;
            self.count += 1;
        }
    }

    fn is_full(&self) -> bool {
        self.count == STREAMS
    }
}
