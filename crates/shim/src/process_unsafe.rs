//! What belongs to this process and to none of its children.
//!
//! A child of fork() inherits our memory but neither our threads nor our death token, so it must find nothing here and begin
//! anew. The value is therefore reached through a page that the kernel wipes in children: finding it costs two loads, no fork
//! handler is installed, and raw clone() is covered as well.

use core::marker::PhantomData;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};

/// A value made once in each process that asks for it, and never dropped: destructors of the program may still need it.
pub struct PerProcess<T> {
    page: AtomicPtr<Page>,
    _holds: PhantomData<T>,
}

#[repr(C)]
struct Page {
    value: AtomicPtr<()>,
    stage: AtomicU32,
    /// The process that made the page, where the kernel does not wipe it.
    owner: AtomicU32,
}

const NOTHING: u32 = 0;
const MAKING: u32 = 1;
const WIPED_ELSEWHERE: u32 = u32::MAX;

// SAFETY: what is handed out is a shared reference to a T that is never dropped.
unsafe impl<T: Send + Sync> Sync for PerProcess<T> {}

impl<T: Send + Sync + 'static> PerProcess<T> {
    pub const fn new() -> PerProcess<T> {
        PerProcess { page: AtomicPtr::new(null_mut()), _holds: PhantomData }
    }

    /// The value, if this process made it.
    #[inline]
    pub fn get(&self) -> Option<&'static T> {
        // SAFETY: once stored, the pointer refers to a page that is never unmapped.
        let page = unsafe { self.page.load(Acquire).as_ref() }?;
        let value = page.value.load(Acquire);
        if value.is_null() || !page.is_ours() {
            return None;
        }
        // SAFETY: only `get_or` stores it, and it stores a leaked T.
        Some(unsafe { &*value.cast::<T>() })
    }

    /// The value; the first to ask in this process makes it, and others wait for that.
    #[inline]
    pub fn get_or(&self, make: impl FnOnce() -> T) -> &'static T {
        match self.get() {
            Some(value) => value,
            None => self.make(make),
        }
    }

    #[cold]
    fn make(&self, make: impl FnOnce() -> T) -> &'static T {
        let Some(page) = self.page() else {
            // Without a page nothing can be remembered; the value then lasts for this call.
            return Box::leak(Box::new(make()));
        };
        if !page.is_ours() {
            page.value.store(null_mut(), Relaxed);
            page.stage.store(NOTHING, Relaxed);
            page.owner.store(std::process::id(), Release);
        }
        loop {
            if let Some(value) = self.get() {
                return value;
            }
            if page.stage.compare_exchange(NOTHING, MAKING, Acquire, Relaxed).is_ok() {
                let value: &'static T = Box::leak(Box::new(make()));
                page.value.store((&raw const *value).cast_mut().cast(), Release);
                return value;
            }
            std::thread::yield_now();
        }
    }

    /// The page, mapped by whoever comes first.
    fn page(&self) -> Option<&'static Page> {
        // SAFETY: never unmapped once stored.
        if let Some(page) = unsafe { self.page.load(Acquire).as_ref() } {
            return Some(page);
        }
        let fresh = map()?;
        let page = match self.page.compare_exchange(null_mut(), fresh, AcqRel, Acquire) {
            Ok(_) => fresh,
            Err(theirs) => {
                // SAFETY: our own mapping, seen by nobody.
                unsafe { libc::munmap(fresh.cast(), PAGE) };
                theirs
            }
        };
        // SAFETY: as above.
        unsafe { page.as_ref() }
    }
}

impl Page {
    #[inline]
    fn is_ours(&self) -> bool {
        let owner = self.owner.load(Relaxed);
        // A wiped page reads zero here, and its value is gone already.
        owner == WIPED_ELSEWHERE || owner == 0 || owner == std::process::id()
    }
}

const PAGE: usize = 4096;

fn map() -> Option<*mut Page> {
    let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new anonymous mapping disturbs nothing.
    let page = unsafe { libc::mmap(null_mut(), PAGE, prot, flags, -1, 0) };
    if page == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the page is ours, and nobody uses it yet.
    let wiped = unsafe { libc::madvise(page, PAGE, libc::MADV_WIPEONFORK) } == 0;
    let page = page.cast::<Page>();
    // SAFETY: readable and writable, and zeroes are a valid Page.
    unsafe { &*page }.owner.store(if wiped { WIPED_ELSEWHERE } else { std::process::id() }, Relaxed);
    Some(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_finds_nothing_and_makes_its_own() {
        static NUMBER: PerProcess<u32> = PerProcess::new();
        assert_eq!(NUMBER.get(), None);
        assert_eq!(*NUMBER.get_or(|| 7), 7);
        assert_eq!(*NUMBER.get_or(|| 8), 7, "made once");
        // SAFETY: the child calls nothing but what is tested, and ends at once.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let anew = NUMBER.get().is_none() && *NUMBER.get_or(|| 9) == 9 && NUMBER.get() == Some(&9);
            // SAFETY: ends this process.
            unsafe { libc::_exit(if anew { 0 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: waits for our own child.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(status, 0);
        assert_eq!(NUMBER.get(), Some(&7), "the parent keeps its own");
    }

    #[test]
    fn threads_that_come_together_share_one() {
        static MADE: AtomicU32 = AtomicU32::new(0);
        static NUMBER: PerProcess<u32> = PerProcess::new();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| NUMBER.get_or(|| MADE.fetch_add(1, Relaxed)));
            }
        });
        assert_eq!(MADE.load(Relaxed), 1);
    }
}
