//! The thread that moves: out when the node wants it, and in again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;

use cleave_api::cuda::types::*;
use cleave_ledger::{clock, futex};
use cleave_slot::Place;

use super::blocks::Segment;
use super::host_unsafe::Host;
use super::segment::{self, Courier};
use super::{MOVABLE, Movable, grants, is_sent, say, seats};
use crate::books::lock;
use crate::cards::Card;
use crate::gate::thread_unsafe;
use crate::real_unsafe::cuda as real;
use crate::{contexts, log};

/// How long work on the device may take to end before a move is given up for the moment: kernels may wait for others that
/// wait at the door.
const PATIENCE_NS: u64 = 2_000_000_000;
/// How long after that it is tried again, and how long after the device was found too full.
const LATER_NS: u64 = 500_000_000;
const SOON_NS: u64 = 2_000_000;
/// How often it is looked what the node wants, should nobody have said that it changed.
const LOOK_NS: u64 = 1_000_000_000;

/// What became of an attempt.
#[derive(PartialEq, Eq)]
enum Moved {
    Done,
    /// Somebody is still at work.
    Busy,
    /// There is no room yet.
    Full,
}

struct Mover {
    movable: &'static Movable,
    /// What is on the host, by segment.
    away: BTreeMap<u64, (Segment, Host)>,
    /// A wait for the device that has not ended.
    waiting: Option<Arc<AtomicU32>>,
    /// How long the last ways out and in took.
    out_ns: u64,
    in_ns: Option<u64>,
}

impl Movable {
    /// Whether there is a thread that moves; the first to ask starts it.
    pub(super) fn has_mover(&'static self) -> bool {
        *self.mover.get_or_init(|| {
            let mover = Mover { movable: self, away: BTreeMap::new(), waiting: None, out_ns: 0, in_ns: None };
            let started = thread_unsafe::spawn("cleave-mover", || mover.run());
            thread_unsafe::at_exit(end);
            if let Err(why) = &started {
                log::aloud(format_args!("no thread to move memory with, so there is none: {why}"));
            }
            started.is_ok()
        })
    }

    /// A context in which memory of a device can be copied.
    fn context_on(&self, card: &Card) -> Option<CUcontext> {
        let contexts = lock(&self.contexts);
        let known = contexts.iter().find(|(_, on)| on.device == card.device);
        known.map(|(context, _)| CUcontext(*context as usize)).or_else(|| contexts::primary(card.device))
    }
}

/// The process ends: the driver goes, and nothing may be asked of it any more. What is under way stops at the next segment.
extern "C" fn end() {
    if let Some(movable) = MOVABLE.get().and_then(Option::as_ref) {
        movable.ends.store(true, SeqCst);
        drop(lock(&movable.moving));
    }
}

impl Mover {
    fn run(mut self) {
        thread_unsafe::stay_out_of_recordings();
        loop {
            let movable = self.movable;
            let mut words: Vec<_> = grants().map(|grant| grant.slot.sendings()).collect();
            words.push((&movable.calls, movable.calls.load(SeqCst)));
            let one = lock(&movable.moving);
            if movable.ends.load(SeqCst) {
                return;
            }
            let moved = if is_sent() { self.leave() } else { self.come_back() };
            drop(one);
            let pause = match moved {
                Moved::Done => LOOK_NS,
                Moved::Busy => LATER_NS,
                Moved::Full => SOON_NS,
            };
            futex::wait_any(&words, Some(clock::now_ns() + pause));
        }
    }

    /// Moves everything to the host, or nothing.
    fn leave(&mut self) -> Moved {
        let here = |movable: &Movable, away: &BTreeMap<u64, _>| -> Vec<Segment> {
            let segments = lock(&movable.blocks).segments();
            segments.into_iter().filter(|segment| !away.contains_key(&segment.start)).collect()
        };
        if here(self.movable, &self.away).is_empty() {
            // It was to come back, and none of it had yet.
            if !self.away.is_empty() {
                self.say_away();
            }
            return Moved::Done;
        }
        say(Place::Leaving);
        let begin = clock::now_ns();
        let until = begin + PATIENCE_NS;
        if !self.movable.door.close(until) || !self.wait_for_device(until) {
            return self.stay();
        }
        self.movable.reap();
        let segments = here(self.movable, &self.away);
        let mut copies = Vec::with_capacity(segments.len());
        for segment in &segments {
            if self.movable.ends.load(SeqCst) {
                return self.stay();
            }
            match self.fetch(segment) {
                Ok(host) => copies.push(host),
                Err(why) => {
                    log::say(format_args!("memory stays on the device: {} bytes, {why:?}", segment.bytes));
                    return self.stay();
                }
            }
        }
        let mut bytes = 0;
        for (segment, host) in segments.into_iter().zip(copies) {
            if segment::unback(segment.start, segment.bytes).is_ok() {
                bytes += segment.bytes;
                self.away.insert(segment.start, (segment, host));
            }
        }
        self.out_ns = clock::now_ns() - begin;
        self.say_moved(bytes);
        self.say_away();
        Moved::Done
    }

    fn say_away(&self) {
        say(Place::Host);
        seats().for_each(cleave_slot::Seat::ring);
    }

    /// Says what moved, and how long it takes there and back: in takes as long as out, until it is known.
    fn say_moved(&self, bytes: u64) {
        let swap_ns = self.out_ns + self.in_ns.unwrap_or(self.out_ns);
        seats().for_each(|seat| seat.moved(bytes, swap_ns));
    }

    /// Not now: the program goes on. What is away already keeps the door closed.
    fn stay(&self) -> Moved {
        if self.away.is_empty() {
            say(Place::Device);
            self.movable.door.open();
        }
        Moved::Busy
    }

    fn fetch(&self, segment: &Segment) -> Result<Host, CUresult> {
        let mut host = Host::new(segment.bytes as usize).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let context = self.movable.context_on(segment.card).ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        segment::within(context, || Courier::new()?.fetch(segment.start, host.bytes_mut()))??;
        Ok(host)
    }

    /// Waits until the device has done all it was asked for, on a thread of its own: kernels may never end.
    fn wait_for_device(&mut self, until: u64) -> bool {
        let ended = |word: &AtomicU32| {
            while word.load(SeqCst) == 0 && clock::now_ns() < until {
                futex::wait(word, 0, Some(until));
            }
            word.load(SeqCst) != 0
        };
        // One that was given up on first: two would not end any sooner.
        if self.waiting.as_deref().is_some_and(|word| !ended(word)) {
            return false;
        }
        let contexts: Vec<CUcontext> =
            lock(&self.movable.contexts).keys().map(|context| CUcontext(*context as usize)).collect();
        let word = Arc::new(AtomicU32::new(0));
        let told = Arc::clone(&word);
        let wait = move || {
            thread_unsafe::stay_out_of_recordings();
            for context in contexts {
                let _whatever_came = segment::within(context, real::cuCtxSynchronize);
            }
            told.store(1, SeqCst);
            futex::wake(&told, u32::MAX);
        };
        if thread_unsafe::spawn("cleave-drain", wait).is_err() {
            return false;
        }
        self.waiting = (!ended(&word)).then_some(word);
        self.waiting.is_none()
    }

    /// Brings back what is away, as far as there is room.
    fn come_back(&mut self) -> Moved {
        if self.away.is_empty() {
            return Moved::Done;
        }
        say(Place::Returning);
        let begin = clock::now_ns();
        let (mut bytes, mut copies) = (0, Vec::new());
        while let Some(entry) = self.away.first_entry() {
            if self.movable.ends.load(SeqCst) {
                return Moved::Busy;
            }
            let (segment, host) = entry.get();
            match segment::back(segment.card.device, segment.start, segment.bytes) {
                Ok(()) => {}
                Err(CUDA_ERROR_OUT_OF_MEMORY) => return Moved::Full,
                Err(why) => log::say(format_args!("memory cannot come back: {why:?}")),
            }
            let delivered = self.movable.context_on(segment.card).map(|context| {
                segment::within(context, || Courier::new()?.deliver(host.bytes(), segment.start))
            });
            // A context that is broken says so to the program as well.
            if !matches!(delivered, Some(Ok(Ok(())))) {
                log::say(format_args!("memory came back without its content: {delivered:?}"));
            }
            bytes += segment.bytes;
            copies.push(entry.remove());
        }
        self.in_ns = Some(clock::now_ns() - begin);
        self.say_moved(bytes);
        say(Place::Device);
        self.movable.door.open();
        seats().for_each(cleave_slot::Seat::ring);
        // Nobody waits for the host to have its memory back.
        drop(copies);
        Moved::Done
    }
}
