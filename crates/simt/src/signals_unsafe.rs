//! Threads that no signal of the application ever reaches.

/// Room for the C library's `sigset_t` on every Linux (glibc and musl use 128 bytes).
#[repr(C, align(16))]
struct SigSet([u8; 128]);

const SIG_SETMASK: i32 = 2;

unsafe extern "C" {
    fn sigfillset(set: *mut SigSet) -> i32;
    fn pthread_sigmask(how: i32, set: *const SigSet, old: *mut SigSet) -> i32;
}

/// Runs `spawn` with all signals blocked in this thread: threads it starts inherit that.
pub fn with_signals_blocked(spawn: impl FnOnce()) {
    let mut all = SigSet([0; 128]);
    let mut before = SigSet([0; 128]);
    // SAFETY: both sets are as large as the C library's type and live across the calls.
    let blocked =
        unsafe { sigfillset(&mut all) == 0 && pthread_sigmask(SIG_SETMASK, &all, &mut before) == 0 };
    spawn();
    if blocked {
        // SAFETY: `before` was filled in by the call above.
        unsafe { pthread_sigmask(SIG_SETMASK, &before, std::ptr::null_mut()) };
    }
}
