//! Whether the driver is initialised in this process, and in this process only.
//!
//! A child of fork() inherits our memory but not our threads, so it must find the driver uninitialised. The flag therefore
//! lives in a page that the kernel wipes in children: the check is one load, and no fork handler is installed.

use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};
use std::sync::{Mutex, OnceLock, PoisonError};

use cleave_api::cuda::types::*;

use crate::gpu::SoftGpu;
use crate::log;

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
    // SAFETY: once stored, the pointer refers to a page that is never unmapped.
    !flag.is_null() && unsafe { &*flag }.load(Relaxed) != 0
}

/// A page of our own, holding a raised flag, that reads as zero in forked children.
fn page() -> Result<*mut AtomicU32, CUresult> {
    const PAGE: usize = 4096;
    let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new anonymous mapping disturbs nothing.
    let page = unsafe { libc::mmap(std::ptr::null_mut(), PAGE, prot, flags, -1, 0) };
    if page == libc::MAP_FAILED {
        return Err(CUDA_ERROR_OUT_OF_MEMORY);
    }
    // SAFETY: the page is ours, readable and writable, and zero is a valid value.
    let wiped = unsafe { libc::madvise(page, PAGE, libc::MADV_WIPEONFORK) } == 0;
    if !wiped {
        log::warn(format_args!("cannot detect fork error={}", std::io::Error::last_os_error()));
    }
    let flag = page.cast::<AtomicU32>();
    // SAFETY: as above; nobody else knows the page yet.
    unsafe { &*flag }.store(1, Relaxed);
    Ok(flag)
}
