//! Streams, as a gate knows them: by a number that means the same stream on every thread.

use std::cell::Cell;

use cleave_api::cuda::types::*;

use crate::real_unsafe::cuda as real;

/// A stream as a call names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// One that the program made.
    Made(CUstream),
    /// The one that waits for all others of its context, and they for it.
    Legacy,
    /// This thread's own.
    Own,
}

/// Handles are addresses, which leave these bits free.
const MADE: u64 = 1 << 62;
const LEGACY: u64 = 1;
const OWN: u64 = 2 << 62;
const KIND: u64 = 3 << 62;

thread_local! {
    /// Its address is this thread's number.
    static HERE: Cell<u64> = const { Cell::new(0) };
}

impl Stream {
    /// What a function of the plain form means by a handle.
    #[inline]
    pub fn plain(stream: CUstream) -> Stream {
        match stream {
            CUstream(0) | CU_STREAM_LEGACY => Stream::Legacy,
            CU_STREAM_PER_THREAD => Stream::Own,
            made => Stream::Made(made),
        }
    }

    /// What a function means whose default stream is the thread's own.
    #[inline]
    pub fn per_thread(stream: CUstream) -> Stream {
        match stream {
            CUstream(0) | CU_STREAM_PER_THREAD => Stream::Own,
            CU_STREAM_LEGACY => Stream::Legacy,
            made => Stream::Made(made),
        }
    }

    /// The number.
    #[inline]
    pub fn id(self) -> u64 {
        match self {
            Stream::Made(stream) => stream.0 as u64 | MADE,
            Stream::Legacy => LEGACY,
            Stream::Own => here() | OWN,
        }
    }

    /// The stream of a number, if this thread can name it: another thread's own cannot be reached.
    pub fn of(id: u64) -> Option<Stream> {
        match id & KIND {
            MADE => Some(Stream::Made(CUstream((id & !KIND) as usize))),
            OWN => (id == here() | OWN).then_some(Stream::Own),
            _ => Some(Stream::Legacy),
        }
    }

    /// A handle that means it in functions of the plain form.
    pub fn handle(self) -> CUstream {
        match self {
            Stream::Made(stream) => stream,
            Stream::Legacy => CU_STREAM_LEGACY,
            Stream::Own => CU_STREAM_PER_THREAD,
        }
    }
}

#[inline]
fn here() -> u64 {
    HERE.with(|here| std::ptr::from_ref(here).addr() as u64)
}

/// The context that is current on this thread, if there is one.
pub fn current() -> Option<CUcontext> {
    let mut context = CUcontext(0);
    real::cuCtxGetCurrent((&mut context).into()).ok().ok()?;
    Some(context).filter(|context| context.0 != 0)
}

/// The context of a stream that a program made; those without a name have the current one.
pub fn context(stream: Stream) -> Option<CUcontext> {
    let Stream::Made(stream) = stream else { return None };
    let mut context = CUcontext(0);
    real::cuStreamGetCtx(stream, (&mut context).into()).ok().ok()?;
    Some(context).filter(|context| context.0 != 0)
}

/// Runs calls while a context is current.
pub fn within<R>(context: CUcontext, calls: impl FnOnce() -> R) -> R {
    if current() == Some(context) || real::cuCtxPushCurrent_v2(context) != CUDA_SUCCESS {
        return calls();
    }
    let result = calls();
    let mut popped = CUcontext(0);
    let _as_before = real::cuCtxPopCurrent_v2((&mut popped).into());
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_means_one_stream() {
        let made = Stream::plain(CUstream(0x7f00_0000_1000));
        for stream in [made, Stream::Legacy, Stream::Own] {
            assert_eq!(Stream::of(stream.id()), Some(stream));
            assert_ne!(stream.id(), 0);
        }
        assert_eq!(Stream::plain(CUstream(0)), Stream::Legacy);
        assert_eq!(Stream::per_thread(CUstream(0)), Stream::Own);
        assert_eq!(Stream::per_thread(CU_STREAM_LEGACY), Stream::Legacy);
        let theirs = std::thread::spawn(|| Stream::Own.id()).join().expect("ends");
        assert_eq!(Stream::of(theirs), None, "another thread's own");
    }
}
