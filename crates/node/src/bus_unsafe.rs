//! Surviving a file that was cut short under a mapping.
//!
//! A tenant owns its page of usage and may truncate the file while the daemon has it mapped; the kernel then answers the daemon's
//! next look with a signal that kills. A tenant can damage only itself: instead of dying, the daemon puts an empty page in the
//! place of the lost one, sees an empty account there, and goes on.

use std::io;
use std::{mem, ptr};

/// From now on, a lost page of a mapped file reads as zeros in this process.
pub fn survive() -> io::Result<()> {
    // SAFETY: a plain struct of numbers, filled below; an empty mask is all zeros.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    action.sa_sigaction = patch as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
    // SAFETY: the handler does nothing but system calls.
    if unsafe { libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Pages are at least this large; larger ones are a multiple, and patched piece by piece.
const PAGE: usize = 4096;

extern "C" fn patch(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    /// The address is mapped, but nothing is behind it.
    const BUS_ADRERR: libc::c_int = 2;
    // SAFETY: the kernel gives a handler of this kind a filled struct; the address is there for this signal. The page is one that
    // cannot be touched without this signal, so whatever is mapped there is lost already. The call itself is made directly, so
    // that nothing of the C library runs in the handler but that.
    let patched = unsafe {
        let at = (*info).si_addr() as usize & !(PAGE - 1);
        let flags = libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        (*info).si_code == BUS_ADRERR
            && libc::syscall(libc::SYS_mmap, at, PAGE, protection, flags, -1, 0) != -1
    };
    if !patched {
        // Something else is wrong: what was done comes again, and now it kills.
        // SAFETY: plain numbers.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_file_cut_short_reads_as_zeros() {
        survive().unwrap();
        let scratch = Scratch::new();
        let path = scratch.path().join("pages");
        fs::write(&path, [7_u8; 4 * PAGE]).unwrap();
        let file = fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        // SAFETY: a fresh mapping of a file that is as long; read as bytes, by nobody else.
        let mapped = unsafe {
            use std::os::fd::AsRawFd;
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let at = libc::mmap(ptr::null_mut(), 4 * PAGE, protection, libc::MAP_SHARED, file.as_raw_fd(), 0);
            assert_ne!(at, libc::MAP_FAILED);
            at.cast::<u8>()
        };
        // SAFETY: within the mapping; what is lost is patched.
        let read = |at: usize| unsafe { ptr::read_volatile(mapped.add(at)) };
        assert_eq!((read(0), read(3 * PAGE)), (7, 7));
        file.set_len(PAGE as u64).unwrap();
        assert_eq!((read(0), read(PAGE), read(3 * PAGE + 5)), (7, 0, 0));
    }
}
