//! A thread of our own in a foreign process: it takes none of the program's signals and disturbs none of its recordings.

use std::{io, ptr, thread};

use crate::real_unsafe::cuda as real;
use cleave_api::cuda::types::CU_STREAM_CAPTURE_MODE_RELAXED;

/// Bytes of its stack: it calls the driver.
const STACK: usize = 512 << 10;

/// Starts a thread that no signal of the program is given to.
pub fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // SAFETY: sets of numbers; the calling thread's mask is put back below.
    let before = unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        before
    };
    let spawned = thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(run);
    // SAFETY: as above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, ptr::null_mut()) };
    spawned.map(drop)
}

/// Runs `run` when the process ends, before what was registered earlier: the driver is still there.
pub fn at_exit(run: extern "C" fn()) {
    // SAFETY: a function of this library, which is never unloaded.
    unsafe { libc::atexit(run) };
}

/// Timers of this thread come when they are due.
pub fn wake_on_time() {
    // SAFETY: takes numbers, and concerns this thread alone.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64) };
}

/// What this thread asks the driver is never taken for a part of a recording, whoever records.
pub fn stay_out_of_recordings() {
    let mut mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    let _older_drivers_record_nothing = real::cuThreadExchangeStreamCaptureMode((&mut mode).into());
}
