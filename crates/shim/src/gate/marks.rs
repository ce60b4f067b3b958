//! Events of the driver, as marks of a gate. None of these calls waits for the device.

use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use cleave_api::cuda::types::*;
use cleave_gate::Device;
use cleave_slot::Slot;

use super::captures;
use super::streams::{self, Stream};
use crate::books::lock;
use crate::process_unsafe::PerProcess;
use crate::real_unsafe::cuda as real;

/// The events of a device.
pub struct Marks {
    slot: &'static Slot,
    pools: Mutex<Vec<Pool>>,
    /// The context that commands came from last, for who has none.
    last: AtomicUsize,
}

/// Events of a context that nobody uses.
struct Pool {
    context: CUcontext,
    /// Without and with a time.
    free: [Vec<CUevent>; 2],
}

/// An event that was put into a stream.
pub struct Mark {
    event: CUevent,
    context: CUcontext,
    timed: bool,
}

impl Mark {
    pub fn context(&self) -> CUcontext {
        self.context
    }
}

/// As long as this is held nobody puts a mark into any stream.
pub fn still() -> MutexGuard<'static, ()> {
    static MARKING: PerProcess<Mutex<()>> = PerProcess::new();
    lock(MARKING.get_or(Mutex::default))
}

impl Marks {
    pub fn new(slot: &'static Slot) -> Marks {
        Marks { slot, pools: Mutex::default(), last: AtomicUsize::new(0) }
    }

    /// Remembers where commands come from.
    pub fn remember_context(&self) {
        if let Some(context) = streams::current() {
            self.last.store(context.0, Relaxed);
        }
    }

    /// Whether commands came from one context only, as far as marks were put.
    pub fn only_context(&self) -> bool {
        lock(&self.pools).len() <= 1
    }

    /// A context is about to be destroyed: its events go first.
    pub fn forget(&self, context: CUcontext) {
        let _unless_another = self.last.compare_exchange(context.0, 0, Relaxed, Relaxed);
        let mut pools = lock(&self.pools);
        let Some(at) = pools.iter().position(|pool| pool.context == context) else { return };
        let pool = pools.swap_remove(at);
        drop(pools);
        pool.free.into_iter().flatten().for_each(destroy);
    }

    fn take(&self, context: CUcontext, timed: bool) -> Option<CUevent> {
        let mut pools = lock(&self.pools);
        let pool = match pools.iter_mut().find(|pool| pool.context == context) {
            Some(pool) => pool,
            None => {
                pools.push(Pool { context, free: [Vec::new(), Vec::new()] });
                pools.last_mut()?
            }
        };
        if let Some(event) = pool.free[usize::from(timed)].pop() {
            return Some(event);
        }
        drop(pools);
        let mut event = CUevent(0);
        let flags = if timed { 0 } else { CU_EVENT_DISABLE_TIMING.0 };
        real::cuEventCreate((&mut event).into(), flags).ok().ok()?;
        Some(event)
    }

    /// Puts a mark, while nobody destroys a stream.
    fn record(&self, stream: Stream, timed: bool) -> Option<Mark> {
        // The legacy stream must not be touched while others are recorded.
        if stream == Stream::Legacy && captures::any() {
            return None;
        }
        captures::aside(|| {
            let context = self.context_of(stream)?;
            streams::within(context, || {
                let mark = Mark { event: self.take(context, timed)?, context, timed };
                if real::cuEventRecord(mark.event, stream.handle()) == CUDA_SUCCESS {
                    return Some(mark);
                }
                self.give_back(mark);
                None
            })
        })
    }

    /// The context that a mark on a stream belongs to.
    fn context_of(&self, stream: Stream) -> Option<CUcontext> {
        let last = || Some(CUcontext(self.last.load(Relaxed))).filter(|context| context.0 != 0);
        streams::context(stream).or_else(streams::current).or_else(last)
    }
}

fn destroy(event: CUevent) {
    let _gone_either_way = captures::aside(|| real::cuEventDestroy_v2(event));
}

impl Device for Marks {
    type Mark = Mark;

    fn put(&self, stream: u64, timed: bool) -> Option<Mark> {
        let _one = still();
        self.record(Stream::of(stream)?, timed)
    }

    fn put_if(&self, stream: u64, is_there: impl Fn() -> bool) -> Option<Mark> {
        let _one = still();
        if is_there() { self.record(Stream::of(stream)?, true) } else { None }
    }

    fn is_done(&self, mark: &Mark) -> bool {
        let query = || streams::within(mark.context, || real::cuEventQuery(mark.event));
        // Whatever else it says, it will not say anything better later.
        captures::aside(query) != CUDA_ERROR_NOT_READY
    }

    fn between(&self, from: &Mark, to: &Mark) -> Option<u64> {
        let mut milliseconds = 0_f32;
        let ask = || real::cuEventElapsedTime((&mut milliseconds).into(), from.event, to.event);
        captures::aside(|| streams::within(to.context, ask)).ok().ok()?;
        // Negative or no number at all becomes nought.
        Some((f64::from(milliseconds) * 1e6) as u64)
    }

    fn give_back(&self, mark: Mark) {
        let mut pools = lock(&self.pools);
        match pools.iter_mut().find(|pool| pool.context == mark.context) {
            Some(pool) => pool.free[usize::from(mark.timed)].push(mark.event),
            None => destroy(mark.event),
        }
    }

    fn ring(&self) {
        self.slot.ring();
    }
}
