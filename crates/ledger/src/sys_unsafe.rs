//! The system calls behind clock, futex and tokens, with plain arguments and checked answers.

use std::io;
use std::os::fd::RawFd;
use std::sync::atomic::AtomicU32;
use std::{mem, ptr};

/// A moment or a span of the monotonic clock.
fn timespec(ns: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    }
}

/// CLOCK_MONOTONIC as this process sees it, in nanoseconds.
pub fn monotonic() -> u64 {
    let mut now = timespec(0);
    // SAFETY: writes one timespec. The call cannot fail for this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Sleeps until CLOCK_MONOTONIC reads `at`; signals are handled and the sleep goes on.
pub fn sleep_until(at: u64) {
    let at = timespec(at);
    // SAFETY: reads one timespec; with an absolute time nothing is written.
    while unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &at, ptr::null_mut()) }
        == libc::EINTR
    {}
}

/// Waits while `word` is `expected`, at most until CLOCK_MONOTONIC reads `until`. False if that came first.
pub fn futex_wait(word: &AtomicU32, expected: u32, until: Option<u64>) -> bool {
    let until = until.map(timespec);
    let until = until.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the word is a live reference, the timespec lives until the call returns. The bitset form takes an absolute
    // time; without the private flag it works across processes.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT_BITSET,
            expected,
            until,
            ptr::null::<u32>(),
            libc::FUTEX_BITSET_MATCH_ANY,
        )
    };
    answer == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::ETIMEDOUT)
}

/// Wakes at most `count` of those who wait for `word`, in any process.
pub fn futex_wake(word: &AtomicU32, count: u32) {
    let count = count.min(i32::MAX as u32);
    // SAFETY: the word is a live reference; nothing is read or written.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, count) };
}

/// A word to wait on, as the kernel takes it: `struct futex_waitv`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Waited {
    expected: u64,
    address: u64,
    flags: u32,
    reserved: u32,
}

/// A word of 32 bits; without the private flag it works across processes.
const FUTEX_32: u32 = 2;

/// As [`futex_wait`], on at most 128 words together. None if the kernel cannot.
pub fn futex_wait_any(words: &[(&AtomicU32, u32)], until: Option<u64>) -> Option<bool> {
    let mut waited = [Waited { expected: 0, address: 0, flags: FUTEX_32, reserved: 0 }; 128];
    for (place, (word, expected)) in waited.iter_mut().zip(words) {
        place.expected = u64::from(*expected);
        place.address = word.as_ptr().addr() as u64;
    }
    let until = until.map(timespec);
    let until = until.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the words are live references, the list and the timespec live until the call returns; the time is absolute.
    let answer = unsafe {
        let count = words.len().min(waited.len());
        libc::syscall(libc::SYS_futex_waitv, waited.as_ptr(), count, 0, until, libc::CLOCK_MONOTONIC)
    };
    if answer >= 0 {
        return Some(true);
    }
    match io::Error::last_os_error().raw_os_error() {
        Some(libc::ETIMEDOUT) => Some(false),
        Some(libc::EAGAIN | libc::EINTR) => Some(true),
        _ => None,
    }
}

/// Another descriptor of the same opening, numbered `least` or higher and closed at exec, if the process may have one.
pub fn move_up(file: RawFd, least: RawFd) -> Option<RawFd> {
    // SAFETY: takes and gives numbers.
    let moved = unsafe { libc::fcntl(file, libc::F_DUPFD_CLOEXEC, least) };
    (moved >= 0).then_some(moved)
}

/// Device and inode of the file behind a descriptor.
pub fn identity(file: RawFd) -> io::Result<(u64, u64)> {
    // SAFETY: a plain struct of numbers, for which zeros are values.
    let mut about: libc::stat = unsafe { mem::zeroed() };
    // SAFETY: writes one stat.
    if unsafe { libc::fstat(file, &mut about) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((about.st_dev, about.st_ino))
}

/// Closes a descriptor the caller owns.
pub fn close(file: RawFd) {
    // SAFETY: the caller's own descriptor; there is nothing to do about an error.
    unsafe { libc::close(file) };
}

/// One byte of a file, as the locking calls want it.
fn byte(at: u32, kind: i32) -> libc::flock {
    // SAFETY: a plain struct of numbers. The pid must be zero for F_OFD_GETLK.
    let mut range: libc::flock = unsafe { mem::zeroed() };
    range.l_type = kind as libc::c_short;
    range.l_whence = libc::SEEK_SET as libc::c_short;
    range.l_start = libc::off_t::from(at);
    range.l_len = 1;
    range
}

/// Takes the process's write lock on byte `at` without waiting. False if another process has it.
pub fn lock(file: RawFd, at: u32) -> io::Result<bool> {
    // SAFETY: reads one flock.
    if unsafe { libc::fcntl(file, libc::F_SETLK, &byte(at, libc::F_WRLCK)) } == 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::EAGAIN | libc::EACCES) => Ok(false),
        _ => Err(error),
    }
}

/// Drops the process's lock on byte `at`.
pub fn unlock(file: RawFd, at: u32) -> io::Result<()> {
    // SAFETY: reads one flock.
    if unsafe { libc::fcntl(file, libc::F_SETLK, &byte(at, libc::F_UNLCK)) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Who has byte `at` locked, this process included, as a pid of this process's pid namespace; 0 if it has none there.
pub fn locker(file: RawFd, at: u32) -> io::Result<Option<u32>> {
    let mut range = byte(at, libc::F_WRLCK);
    // Asked for an open file description, which owns no lock here, so that the process's own locks are seen too.
    // SAFETY: reads and writes one flock.
    if unsafe { libc::fcntl(file, libc::F_OFD_GETLK, &mut range) } != 0 {
        return Err(io::Error::last_os_error());
    }
    if range.l_type == libc::F_UNLCK as libc::c_short {
        return Ok(None);
    }
    Ok(Some(u32::try_from(range.l_pid).unwrap_or(0)))
}
