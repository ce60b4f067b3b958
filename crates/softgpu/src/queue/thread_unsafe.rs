//! Threads of ours inside a foreign program: its signals stay with its own threads.

use std::io;
use std::mem::MaybeUninit;

/// Raised by the code that a thread itself runs; a host function's fault belongs to the program's handlers.
const OWN: [i32; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS, libc::SIGABRT];

/// Starts a thread that the program's signals are never delivered to.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let (mut blocked, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: the sets live across the calls, and `sigfillset` makes the first one valid before it is used.
    unsafe {
        libc::sigfillset(blocked.as_mut_ptr());
        for signal in OWN {
            libc::sigdelset(blocked.as_mut_ptr(), signal);
        }
        // A new thread inherits the mask of the one that starts it.
        libc::pthread_sigmask(libc::SIG_SETMASK, blocked.as_ptr(), before.as_mut_ptr());
    }
    let started = std::thread::Builder::new().name(name.into()).spawn(body);
    // SAFETY: `before` was filled in above; the call cannot fail with these arguments.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    started.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    fn is_blocked(signal: i32) -> bool {
        let mut set = MaybeUninit::uninit();
        // SAFETY: asks for the current mask only.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, std::ptr::null(), set.as_mut_ptr());
            libc::sigismember(set.as_ptr(), signal) == 1
        }
    }

    #[test]
    fn signals_stay_away_from_our_threads_only() {
        let (send, received) = channel();
        let ask = move || {
            send.send((is_blocked(libc::SIGUSR1), is_blocked(libc::SIGSEGV))).expect("the test lives")
        };
        spawn("test", ask).expect("a thread");
        assert_eq!(received.recv(), Ok((true, false)));
        assert!(!is_blocked(libc::SIGUSR1));
    }
}
