//! How busy an engine was: a total, and the last seconds in buckets of 100 ms of device time.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cleave_ledger::shared;

use crate::engine::{ENGINES, Engine};

/// Length of a bucket.
pub const BUCKET_NS: u64 = 100_000_000;
/// Buckets of a ring: the last full second and some time to read it in.
const BUCKETS: usize = 32;
/// What utilisation is taken over.
const WINDOW: u64 = 10;

shared! {
    /// What one process used of one device, or what all did that have ended.
    pub struct Usage {
        engines: [Busy; ENGINES],
    }
}

shared! {
    /// What one process used of one engine. Written by that process alone.
    pub struct Busy {
        total_ns: AtomicU64,
        /// When the work that runs now began, plus one; 0 when nothing runs.
        since: AtomicU64,
        /// Bucket number in the upper half, busy nanoseconds in the lower.
        ring: [AtomicU64; BUCKETS],
    }
}

impl Usage {
    pub fn of(&self, engine: Engine) -> &Busy {
        &self.engines[engine as usize]
    }

    /// Takes over what an ended process used, so that a device's utilisation does not drop when its user ends. Several may
    /// do so at once. What is taken is gone there first: a taker that dies loses some, and counts nothing twice.
    pub(crate) fn inherit(&self, from: &Usage) {
        for (to, from) in self.engines.iter().zip(&from.engines) {
            from.since.store(0, Relaxed);
            to.total_ns.fetch_add(from.total_ns.swap(0, Relaxed), Relaxed);
            for word in &from.ring {
                let (bucket, busy) = split(word.swap(0, Relaxed));
                to.add_to(bucket, busy);
            }
        }
    }
}

impl Busy {
    /// Work begins at `now`, in device time.
    pub fn begin(&self, now: u64) {
        self.since.store(now.wrapping_add(1), Release);
    }

    /// The work that began last ends.
    pub fn end(&self, now: u64) {
        if let Some(since) = self.since.load(Relaxed).checked_sub(1) {
            self.add(since, now);
            self.since.store(0, Release);
        }
    }

    /// Counts work that ran from `from` to `to`.
    pub fn add(&self, from: u64, to: u64) {
        let busy = to.saturating_sub(from);
        self.total_ns.fetch_add(busy, Relaxed);
        // Of long work only the end is remembered in buckets.
        let mut at = from.max(to.saturating_sub(BUCKETS as u64 * BUCKET_NS));
        while at < to {
            let end = ((at / BUCKET_NS + 1) * BUCKET_NS).min(to);
            self.add_to(at / BUCKET_NS, end - at);
            at = end;
        }
    }

    /// Busy nanoseconds since the record was claimed, work that runs at `now` included.
    pub fn total_ns(&self, now: u64) -> u64 {
        let running = self.since.load(Acquire).checked_sub(1).map_or(0, |since| now.saturating_sub(since));
        self.total_ns.load(Relaxed) + running
    }

    /// Busy nanoseconds in the last full second before `now`. What runs has run until `until`.
    fn last_second_ns(&self, now: u64, until: u64) -> u64 {
        let end = now / BUCKET_NS;
        (end.saturating_sub(WINDOW)..end).map(|bucket| self.bucket_ns(bucket, until)).sum()
    }

    /// Busy nanoseconds in one bucket, as far as it is remembered.
    pub fn bucket_ns(&self, bucket: u64, now: u64) -> u64 {
        let (number, busy) = split(self.slot(bucket).load(Acquire));
        let known = if number == bucket & NUMBER { busy } else { 0 };
        let running = self.since.load(Acquire).checked_sub(1).map_or(0, |since| {
            let (start, end) = (bucket * BUCKET_NS, ((bucket + 1) * BUCKET_NS).min(now));
            end.saturating_sub(since.max(start))
        });
        (known + running).min(BUCKET_NS)
    }

    fn slot(&self, bucket: u64) -> &AtomicU64 {
        &self.ring[(bucket % BUCKETS as u64) as usize]
    }

    fn add_to(&self, bucket: u64, busy: u64) {
        if busy == 0 {
            return;
        }
        let number = bucket & NUMBER;
        let _ = self.slot(bucket).fetch_update(Release, Relaxed, |word| {
            let (old, before) = split(word);
            let newer = old.wrapping_sub(number) & NUMBER;
            match newer {
                0 => Some(number << 32 | (before + busy).min(BUCKET_NS)),
                // The slot already serves a later bucket.
                1..=SOON => None,
                _ => Some(number << 32 | busy.min(BUCKET_NS)),
            }
        });
    }
}

/// What a process used, as others read it. One that was stopped in the middle of its work cannot say that the work no longer
/// runs; it ran as long as the process had the engine.
#[derive(Clone, Copy)]
pub struct Used {
    usage: &'static Usage,
    /// When it lost GR, if it did.
    lost_gr: Option<u64>,
}

impl Used {
    pub(crate) fn new(usage: &'static Usage, lost_gr: Option<u64>) -> Used {
        Used { usage, lost_gr }
    }

    /// Busy nanoseconds since the record was claimed.
    pub fn total_ns(&self, engine: Engine, now: u64) -> u64 {
        self.usage.of(engine).total_ns(self.until(engine, now))
    }

    /// Busy nanoseconds in the last full second before `now`.
    pub fn last_second_ns(&self, engine: Engine, now: u64) -> u64 {
        self.usage.of(engine).last_second_ns(now, self.until(engine, now))
    }

    /// Busy nanoseconds in one bucket.
    pub fn bucket_ns(&self, engine: Engine, bucket: u64, now: u64) -> u64 {
        self.usage.of(engine).bucket_ns(bucket, self.until(engine, now))
    }

    fn until(&self, engine: Engine, now: u64) -> u64 {
        self.lost_gr.filter(|_| engine == Engine::Gr).map_or(now, |lost| lost.min(now))
    }
}

/// Bucket numbers have 32 bits and come around in thirteen years.
const NUMBER: u64 = u32::MAX as u64;
const SOON: u64 = NUMBER / 2;

fn split(word: u64) -> (u64, u64) {
    (word >> 32, word & NUMBER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cleave_ledger::Pages;

    const MS: u64 = 1_000_000;

    fn usage(n: usize) -> &'static [Usage] {
        Pages::anonymous(n * size_of::<Usage>()).expect("memory").slice(0, n)
    }

    #[test]
    fn work_is_spread_over_the_buckets_it_ran_in() {
        let busy = usage(1)[0].of(Engine::Gr);
        busy.add(950 * MS, 1_230 * MS);
        let now = 2_000 * MS;
        let buckets: Vec<u64> = (9..13).map(|bucket| busy.bucket_ns(bucket, now) / MS).collect();
        assert_eq!(buckets, [50, 100, 100, 30]);
        assert_eq!((busy.last_second_ns(now, now), busy.total_ns(now)), (230 * MS, 280 * MS));
        assert_eq!(busy.last_second_ns(9_000 * MS, 9_000 * MS), 0);
    }

    #[test]
    fn short_work_adds_up_to_the_nanosecond() {
        let busy = usage(1)[0].of(Engine::Ce0);
        (0..1000).for_each(|i| busy.add(i * 1000, i * 1000 + 7));
        assert_eq!((busy.bucket_ns(0, BUCKET_NS), busy.total_ns(0)), (7_000, 7_000));
    }

    #[test]
    fn work_that_runs_is_seen_before_it_ends_and_counted_once() {
        let busy = usage(1)[0].of(Engine::Gr);
        busy.begin(0);
        assert_eq!(busy.last_second_ns(1_500 * MS, 1_500 * MS), 1_000 * MS);
        assert_eq!(busy.total_ns(1_500 * MS), 1_500 * MS);
        busy.end(1_500 * MS);
        assert_eq!(busy.last_second_ns(1_500 * MS, 1_500 * MS), 1_000 * MS);
        busy.end(1_600 * MS);
        assert_eq!(busy.total_ns(9_000 * MS), 1_500 * MS, "nothing was running");
    }

    #[test]
    fn who_lost_the_engine_ran_until_then() {
        let usage = &usage(1)[0];
        usage.of(Engine::Gr).begin(1_000 * MS);
        let now = 3_000 * MS;
        let second = |lost| Used::new(usage, lost).last_second_ns(Engine::Gr, now) / MS;
        assert_eq!(
            [None, Some(2_300 * MS), Some(500 * MS), Some(9_000 * MS)].map(second),
            [1_000, 300, 0, 1_000]
        );
        let used = Used::new(usage, Some(2_300 * MS));
        assert_eq!((used.total_ns(Engine::Gr, now), used.bucket_ns(Engine::Gr, 23, now)), (1_300 * MS, 0));
    }

    #[test]
    fn old_buckets_make_room_and_late_work_does_not_take_it_back() {
        let busy = usage(1)[0].of(Engine::Gr);
        busy.add(0, 100 * MS);
        busy.add(3_200 * MS, 3_210 * MS);
        assert_eq!(busy.bucket_ns(0, 4_000 * MS), 0, "forgotten");
        busy.add(0, 50 * MS);
        assert_eq!(busy.bucket_ns(32, 4_000 * MS), 10 * MS);
        busy.add(0, u64::MAX / 2);
        assert_eq!(busy.bucket_ns(u64::MAX / 2 / BUCKET_NS - 1, u64::MAX), BUCKET_NS);
    }

    #[test]
    fn what_the_dead_used_is_inherited_once() {
        let [all, one] = usage(2) else { unreachable!() };
        all.of(Engine::Gr).add(0, 10 * MS);
        one.of(Engine::Gr).add(0, 20 * MS);
        all.inherit(one);
        all.inherit(one);
        let busy = all.of(Engine::Gr);
        assert_eq!((busy.bucket_ns(0, BUCKET_NS), busy.total_ns(0)), (30 * MS, 30 * MS));
    }
}
