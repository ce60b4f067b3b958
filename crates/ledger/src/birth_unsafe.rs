//! A number that tells a process from the one it was forked from, for one load.
//!
//! It stands in a page the kernel wipes in a forked child, however it was forked; a pid would need a system call each time, and
//! the first process of a pid namespace has the number of many another.

use std::ptr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicPtr, AtomicU64};

/// The page; no lock guards its making, or a thread the child does not have could hold it.
static PAGE: AtomicPtr<AtomicU64> = AtomicPtr::new(ptr::null_mut());
/// The last number given, here and in the forebears.
static LAST: AtomicU64 = AtomicU64::new(0);

/// This process's number: another than that of any process it descends from without exec. What carries an earlier one was
/// made by a forebear.
#[inline]
pub fn birth() -> u64 {
    // SAFETY: null, or a page that stays mapped.
    let page = unsafe { PAGE.load(Acquire).as_ref() };
    match page.map_or(0, |page| page.load(Relaxed)) {
        0 => first(page),
        number => number,
    }
}

#[cold]
fn first(page: Option<&'static AtomicU64>) -> u64 {
    let Some(page) = page.or_else(make) else { return u64::from(std::process::id()) << 32 };
    let number = LAST.fetch_add(1, Relaxed) + 1;
    page.compare_exchange(0, number, AcqRel, Acquire).map_or_else(|other| other, |_| number)
}

/// The page, made by whoever comes first. None before Linux 4.14, where no page is wiped.
fn make() -> Option<&'static AtomicU64> {
    const BYTES: usize = 4096;
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping at a place the kernel chooses; advised and unmapped only as long as nobody else knows it; an
    // anonymous page is zero, aligned, and stays once it is in `PAGE`.
    unsafe {
        let page = libc::mmap(ptr::null_mut(), BYTES, access, kind, -1, 0);
        if page == libc::MAP_FAILED {
            return None;
        }
        let wiped = libc::madvise(page, BYTES, libc::MADV_WIPEONFORK) == 0;
        let ours = wiped && PAGE.compare_exchange(ptr::null_mut(), page.cast(), AcqRel, Acquire).is_ok();
        if !ours {
            libc::munmap(page, BYTES);
        }
        PAGE.load(Acquire).as_ref()
    }
}
