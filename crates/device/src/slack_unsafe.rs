//! Timers that fire when they should: the kernel lets a thread's sleeps run over by its timer slack, 50 µs unless told otherwise.

/// Runs `sleep` with the least slack there is; the calling thread's own comes back afterwards.
pub fn with_sharp_timers<T>(sleep: impl FnOnce() -> T) -> T {
    // SAFETY: these calls take and give plain numbers and concern the calling thread alone.
    let before = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK, 0, 0, 0, 0) };
    set(1);
    let slept = sleep();
    if let Ok(before @ 1..) = u64::try_from(before) {
        set(before);
    }
    slept
}

/// Gives the calling thread the least slack for good.
pub fn sharpen() {
    set(1);
}

fn set(ns: u64) {
    // SAFETY: as above.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, ns as libc::c_ulong, 0, 0, 0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slack() -> i32 {
        // SAFETY: as above.
        unsafe { libc::prctl(libc::PR_GET_TIMERSLACK, 0, 0, 0, 0) }
    }

    #[test]
    fn the_threads_own_slack_comes_back() {
        let before = slack();
        assert_eq!(with_sharp_timers(slack), 1);
        assert_eq!(slack(), before);
    }
}
