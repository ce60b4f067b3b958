//! Blocks freed in stream order: they are in use until the stream has come so far.

use cleave_api::cuda::types::*;

use super::Movable;
use crate::books::lock;
use crate::capture;
use crate::real_unsafe::cuda as real;

/// The stream a call is ordered on, and what number nought means there.
#[derive(Clone, Copy)]
pub struct Lane {
    pub stream: CUstream,
    pub per_thread: bool,
}

impl Lane {
    pub fn wait(self) -> CUresult {
        match self.per_thread {
            false => real::cuStreamSynchronize(self.stream),
            true => real::cuStreamSynchronize_ptsz(self.stream),
        }
    }

    /// An event behind all that was asked of the stream so far.
    fn mark(self) -> Option<CUevent> {
        let mut event = CUevent(0);
        real::cuEventCreate((&mut event).into(), CU_EVENT_DISABLE_TIMING.0).ok().ok()?;
        let recorded = match self.per_thread {
            false => real::cuEventRecord(event, self.stream),
            true => real::cuEventRecord_ptsz(event, self.stream),
        };
        if recorded != CUDA_SUCCESS {
            let _gone = real::cuEventDestroy_v2(event);
            return None;
        }
        Some(event)
    }
}

/// A block, and when it is out of use.
pub struct Later {
    start: u64,
    event: CUevent,
    /// The context the event is of, and goes with.
    context: CUcontext,
}

impl Movable {
    /// Frees a block in stream order. Nothing if there is no such block, or if the stream is being recorded: a recording cannot
    /// free what it did not allocate, and the driver says so.
    pub fn free_in_order(&'static self, start: u64, lane: Lane) -> Option<CUresult> {
        lock(&self.blocks).at(start)?;
        if capture::records(lane.stream, lane.per_thread) {
            return None;
        }
        let mut context = CUcontext(0);
        let asked = real::cuCtxGetCurrent((&mut context).into());
        if asked != CUDA_SUCCESS {
            return Some(asked);
        }
        let Some(event) = lane.mark() else {
            let waited = lane.wait();
            return if waited == CUDA_SUCCESS { self.free(start) } else { Some(waited) };
        };
        let mut later = lock(&self.later);
        let mut blocks = lock(&self.blocks);
        if blocks.at(start).is_none() {
            let _gone = real::cuEventDestroy_v2(event);
            return Some(CUDA_ERROR_INVALID_VALUE);
        }
        blocks.free_later(start);
        later.push(Later { start, event, context });
        Some(CUDA_SUCCESS)
    }

    /// Gives back what is out of use by now. Called from inside the door.
    pub(super) fn reap(&self) {
        let done = |later: &mut Later| real::cuEventQuery(later.event) != CUDA_ERROR_NOT_READY;
        let gone: Vec<Later> = {
            let mut later = lock(&self.later);
            if later.is_empty() {
                return;
            }
            capture::aside(|| later.extract_if(.., done).collect())
        };
        self.give_back(gone, |event| {
            let _gone = real::cuEventDestroy_v2(event);
        });
    }

    /// The same, if memory is here: after a wait of the program.
    pub fn reap_if_here(&self) {
        if !lock(&self.later).is_empty()
            && let Some(_inside) = self.door.try_enter()
        {
            self.reap();
        }
    }

    /// Waits until all of it is out of use.
    pub(super) fn wait_for_later(&self) {
        let events: Vec<CUevent> = lock(&self.later).iter().map(|later| later.event).collect();
        capture::aside(|| {
            for event in events {
                let _whatever_came = real::cuEventSynchronize(event);
            }
        });
        self.reap();
    }

    /// A context is gone with its streams: nothing is in use there any more.
    pub(super) fn forget_later(&self, context: CUcontext) {
        let gone = lock(&self.later).extract_if(.., |later| later.context == context).collect();
        self.give_back(gone, |_| {});
    }

    fn give_back(&self, gone: Vec<Later>, and: impl Fn(CUevent)) {
        for Later { start, event, .. } in gone {
            and(event);
            self.remove(start);
        }
    }
}
