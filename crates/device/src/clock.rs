//! The device clock: nanoseconds since the device was made, less the time it stood still.
//!
//! Free mode: it never stands. Paced mode: it does not pass the end of the slice of a process that is at work; when such a process is late, the time
//! stood is counted as slip before the turn moves on. So it never runs backwards, and all processes read the same.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use cleave_ledger::clock as monotonic;
use cleave_pace::clock::{elapsed_at, reading};
use cleave_pace::turns::Tenure;

use crate::engine::{EngineFields, EngineWords};
use crate::slack_unsafe::with_sharp_timers;

/// The processes of a device, as far as turns are concerned.
pub trait Places: Send + Sync {
    /// The fields of a record, whose number is 1 to 1022.
    fn fields(&self, record: u16) -> &EngineFields;
    /// Whether the process of that record lives. A system call.
    fn is_alive(&self, record: u16) -> bool;
}

/// Monotonic nanoseconds that all processes of the machine agree on.
pub type Source = Box<dyn Fn() -> u64 + Send + Sync>;

/// The clock of one device.
pub struct Clock {
    paced: bool,
    /// When the device was made.
    epoch: u64,
    words: &'static EngineWords,
    places: Arc<dyn Places>,
    source: Source,
    /// The latest time this process was shown. The slice of an owner that was stopped just when it took the turn may end in the past.
    shown: AtomicU64,
}

/// How long a sleeper that finds the clock standing waits before it looks again.
const STANDING: u64 = 200_000;

impl Clock {
    /// The clock of a device made at `epoch`, in monotonic time.
    pub fn new(paced: bool, epoch: u64, words: &'static EngineWords, places: Arc<dyn Places>) -> Clock {
        Clock::with_source(paced, epoch, words, places, Box::new(monotonic::now_ns))
    }

    /// The same on any monotonic time.
    pub fn with_source(
        paced: bool,
        epoch: u64,
        words: &'static EngineWords,
        places: Arc<dyn Places>,
        source: Source,
    ) -> Clock {
        Clock { paced, epoch, words, places, source, shown: AtomicU64::new(0) }
    }

    pub fn is_paced(&self) -> bool {
        self.paced
    }

    /// What the clock shows.
    pub fn now(&self) -> u64 {
        if !self.paced {
            return self.elapsed();
        }
        loop {
            // The turn before the slip: whoever moves the turn on has counted the slip before.
            let word = self.words.turn.load(SeqCst);
            let tenure = Tenure::unpack(word, self.elapsed().saturating_sub(self.slip_ns()));
            let works = is_record(tenure.owner) && self.places.fields(tenure.owner).running.load(SeqCst) != 0;
            let slip = self.slip_ns();
            let now = reading(self.elapsed(), slip, works.then_some(tenure.end));
            if self.words.turn.load(SeqCst) == word {
                return now.max(self.shown.fetch_max(now, Relaxed));
            }
        }
    }

    /// What it would show if it were not standing.
    pub fn running(&self) -> u64 {
        self.elapsed().saturating_sub(self.slip_ns())
    }

    /// How long the device stood still so far.
    pub fn slip_ns(&self) -> u64 {
        if self.paced { self.words.slip_ns() } else { 0 }
    }

    /// Monotonic time now.
    pub fn monotonic(&self) -> u64 {
        (self.source)()
    }

    /// Monotonic time at which the clock shows `at` if it does not stand before.
    pub fn wall(&self, at: u64) -> u64 {
        elapsed_at(at, self.slip_ns()).saturating_add(self.epoch)
    }

    /// Blocks until the clock shows `at`. When it stands, `standing` is called now and then: perhaps nobody else moves it on.
    pub fn sleep_until(&self, at: u64, mut standing: impl FnMut()) {
        if self.now() >= at {
            return;
        }
        with_sharp_timers(|| {
            while self.now() < at {
                let wall = self.wall(at);
                let now = self.monotonic();
                if wall > now {
                    monotonic::sleep_until(wall);
                } else {
                    standing();
                    monotonic::sleep_until(now.saturating_add(STANDING));
                }
            }
        });
    }

    /// Monotonic time since the device was made.
    pub(crate) fn elapsed(&self) -> u64 {
        self.monotonic().saturating_sub(self.epoch)
    }
}

/// Lets the calling thread, which is one of ours, wake up when it should.
pub fn sharpen_timers() {
    crate::slack_unsafe::sharpen();
}

/// Whether a number found in a shared word can be a record's.
pub(crate) fn is_record(number: u16) -> bool {
    cleave_ledger::RecordId::new(number).is_some()
}
