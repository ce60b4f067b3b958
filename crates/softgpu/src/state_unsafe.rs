//! Whether the driver is initialised in this process, and in this process only.
//!
//! A child of fork() inherits our memory but not our threads, so it must find the driver uninitialised. The flag therefore
//! lives in a page that the kernel wipes in children: the check is one load, and no fork handler is installed.

use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};
use std::sync::{Mutex, OnceLock, PoisonError};

use cleave_api::cuda::types::*;

use crate::gpu::SoftGpu;

static GPU: OnceLock<SoftGpu> = OnceLock::new();
static FLAG: AtomicPtr<AtomicU32> = AtomicPtr::new(std::ptr::null_mut());
static STARTING: Mutex<()> = Mutex::new(());

/// The device state, for every call but the few that work before cuInit.
#[inline]
pub fn running() -> Result<&'static SoftGpu, CUresult> {
    match GPU.get() {
        Some(gpu) if here() => Ok(gpu),
        _ => Err(CUDA_ERROR_NOT_INITIALIZED),
    }
}

/// Initialises the driver; again and again costs nothing. In a forked child of an initialised process it never succeeds.
pub fn start() -> Result<(), CUresult> {
    if !FLAG.load(Acquire).is_null() {
        return running().map(|_| ());
    }
    let _one = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if !FLAG.load(Acquire).is_null() {
        return running().map(|_| ());
    }
    let gpu = SoftGpu::new()?;
    let flag = page()?;
    let _ = GPU.set(gpu);
    FLAG.store(flag, Release);
    Ok(())
}

/// Whether the flag was raised by this very process.
fn here() -> bool {
    let flag = FLAG.load(Acquire);
    if flag.is_null() {
        return false;
    }
    // SAFETY: once stored, the pointer refers to a page that is never unmapped.
    let owner = unsafe { &*flag }.load(Relaxed);
    owner == WIPED_ELSEWHERE || owner == std::process::id()
}

/// What the page holds when the kernel sees to it that children read zero. Where it does not (before 4.14), the page
/// holds the number of the process, and each call has to ask for its own.
const WIPED_ELSEWHERE: u32 = u32::MAX;

/// A page of our own, holding a raised flag, that does not count in forked children.
fn page() -> Result<*mut AtomicU32, CUresult> {
    const PAGE: usize = 4096;
    let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new anonymous mapping disturbs nothing.
    let page = unsafe { libc::mmap(std::ptr::null_mut(), PAGE, prot, flags, -1, 0) };
    if page == libc::MAP_FAILED {
        return Err(CUDA_ERROR_OUT_OF_MEMORY);
    }
    // SAFETY: the page is ours, and nobody uses it yet.
    let wiped = unsafe { libc::madvise(page, PAGE, libc::MADV_WIPEONFORK) } == 0;
    let flag = page.cast::<AtomicU32>();
    // SAFETY: the page is readable and writable, and zero is a valid value.
    unsafe { &*flag }.store(if wiped { WIPED_ELSEWHERE } else { std::process::id() }, Relaxed);
    Ok(flag)
}
