//! Files that are cut short under a mapping: whoever touches what is gone gets a signal that ends the process.
//!
//! A tenant owns its `usage` and can truncate it; the node must survive that. So the node, and only the node, handles the
//! signal: where a slot it has open is missing a page it gets a page of zeros of its own instead, and the slot counts as
//! damaged.

use std::io;
use std::ptr;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::{Mutex, OnceLock, PoisonError};

/// A range that may lose its file. `start` is 0 if there is none.
struct Place {
    start: AtomicUsize,
    len: AtomicUsize,
    faults: AtomicUsize,
}

/// Two for each slot: more grants than a machine has.
static PLACES: [Place; 8192] =
    [const { Place { start: AtomicUsize::new(0), len: AtomicUsize::new(0), faults: AtomicUsize::new(0) } };
        8192];

/// Held to enter a range; the handler only reads.
static ENTERING: Mutex<()> = Mutex::new(());

/// What the signal did before, and the size of a page.
static BEFORE: OnceLock<(libc::sigaction, usize)> = OnceLock::new();

/// A range whose loss is survived as long as this lives, which is not longer than the mapping.
pub struct Watched(Option<&'static Place>);

impl Watched {
    /// Watches over the memory of `value`. Beyond some thousand slots it is not watched over.
    pub fn new<T>(value: &T) -> Watched {
        let _turn = ENTERING.lock().unwrap_or_else(PoisonError::into_inner);
        let place = PLACES.iter().find(|place| place.start.load(Relaxed) == 0);
        if let Some(place) = place {
            place.len.store(size_of::<T>(), Relaxed);
            place.faults.store(0, Relaxed);
            place.start.store(ptr::from_ref(value).addr(), Release);
        }
        Watched(place)
    }

    /// Whether a part of it was found missing.
    pub fn has_lost(&self) -> bool {
        self.0.is_some_and(|place| place.faults.load(Relaxed) > 0)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(place) = self.0 {
            place.start.store(0, Release);
        }
    }
}

/// Makes this process survive that the files of a slot it has open as the node are cut short. For a daemon, at its start; what
/// the signal did before it still does for everything else.
pub fn survive_truncation() -> io::Result<()> {
    let mut failed = None;
    BEFORE.get_or_init(|| {
        // SAFETY: plain numbers and zeros; the handler is written for being one.
        unsafe {
            let mut ours: libc::sigaction = std::mem::zeroed();
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGBUS, ptr::null(), &mut before);
            ours.sa_sigaction = on_fault as *const () as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&mut ours.sa_mask);
            if libc::sigaction(libc::SIGBUS, &ours, ptr::null_mut()) != 0 {
                failed = Some(io::Error::last_os_error());
            }
            (before, libc::sysconf(libc::_SC_PAGESIZE) as usize)
        }
    });
    failed.map_or(Ok(()), Err)
}

extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel gives a valid description of the fault.
    let at = unsafe { (*info).si_addr() }.addr();
    if !is_replaced(at) {
        pass_on(signal, info, context);
    }
}

/// Puts a page of zeros under `at`, if it lies in a range we watch over.
fn is_replaced(at: usize) -> bool {
    let Some(&(_, page)) = BEFORE.get() else { return false };
    let holds = |place: &&Place| {
        let start = place.start.load(Acquire);
        start != 0 && (start..start + place.len.load(Relaxed)).contains(&at)
    };
    let Some(place) = PLACES.iter().find(holds) else { return false };
    place.faults.fetch_add(1, Relaxed);
    let (access, kind) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED);
    // SAFETY: a page of a mapping that is ours and stays as long as it is watched over; its contents are gone already. The
    // call is one the kernel allows in a handler, and the C library's wrapper of it only sets errno, which is put back.
    unsafe {
        let errno = *libc::__errno_location();
        let mapped = libc::mmap((at & !(page - 1)) as *mut libc::c_void, page, access, kind, -1, 0);
        *libc::__errno_location() = errno;
        mapped != libc::MAP_FAILED
    }
}

/// Does what the signal did before.
fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let Some((before, _)) = BEFORE.get() else { return };
    match before.sa_sigaction {
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: puts back what was there; the instruction faults again and ends the process.
            unsafe { libc::sigaction(signal, before, ptr::null_mut()) };
        }
        handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
            type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
            // SAFETY: that flag says which kind of function it is.
            let handler = unsafe { std::mem::transmute::<usize, Handler>(handler) };
            handler(signal, info, context);
        }
        handler => {
            // SAFETY: without that flag it is this kind.
            let handler = unsafe { std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(handler) };
            handler(signal);
        }
    }
}
