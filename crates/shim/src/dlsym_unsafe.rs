//! `dlsym`, which programs that load the driver themselves go through.
//!
//! Every name without a hook is handed to the real `dlsym` by a jump that leaves registers and stack as they came:
//! `RTLD_NEXT` and `RTLD_DEFAULT` depend on who asks, and the answer must be the one without us. For a hooked name the real
//! one is asked first, and its "no" stays a "no". Nothing is initialised and nothing is allocated here: constructors of other
//! libraries, and our own standard library, come this way before `main`.

use core::ffi::{CStr, c_char, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering::*};

use crate::driver::{self, Library};
use crate::elf_unsafe::{self as elf};
use crate::names::{self, Known, Meaning};
use crate::unwrapped;

/// What to do with a look-up: go on to the function at `jump`, or return `answer` if there is none. Two registers in C.
#[repr(C)]
struct Verdict {
    jump: *const (),
    answer: *const (),
}

// The two versions under which glibc exports it; build.rs writes the linker's half.
#[cfg(all(not(test), target_arch = "x86_64"))]
core::arch::global_asm!(
    ".text",
    ".p2align 4",
    ".globl cleave_dlsym_old",
    ".type cleave_dlsym_old,@function",
    ".globl cleave_dlsym_new",
    ".type cleave_dlsym_new,@function",
    "cleave_dlsym_old:",
    "cleave_dlsym_new:",
    "endbr64",
    "push rdi",
    "push rsi",
    "sub rsp, 8",
    "mov rdx, [rsp + 24]", // who asks
    "call {decide}",
    "add rsp, 8",
    "pop rsi",
    "pop rdi",
    "test rax, rax",
    "jz 2f",
    "jmp rax",
    "2:",
    "mov rax, rdx",
    "ret",
    ".size cleave_dlsym_old, . - cleave_dlsym_old",
    ".size cleave_dlsym_new, . - cleave_dlsym_new",
    ".symver cleave_dlsym_old, dlsym@GLIBC_2.2.5",
    ".symver cleave_dlsym_new, dlsym@@GLIBC_2.34",
    decide = sym decide,
);

#[cfg(all(not(test), target_arch = "aarch64"))]
core::arch::global_asm!(
    ".text",
    ".p2align 4",
    ".globl cleave_dlsym_old",
    ".type cleave_dlsym_old,@function",
    ".globl cleave_dlsym_new",
    ".type cleave_dlsym_new,@function",
    "cleave_dlsym_old:",
    "cleave_dlsym_new:",
    "stp x29, x30, [sp, #-32]!",
    "mov x29, sp",
    "stp x0, x1, [sp, #16]",
    "mov x2, x30", // who asks
    "bl {decide}",
    "mov x16, x0",
    "mov x17, x1",
    "ldp x0, x1, [sp, #16]",
    "ldp x29, x30, [sp], #32",
    "cbz x16, 2f",
    "br x16",
    "2:",
    "mov x0, x17",
    "ret",
    ".size cleave_dlsym_old, . - cleave_dlsym_old",
    ".size cleave_dlsym_new, . - cleave_dlsym_new",
    ".symver cleave_dlsym_old, dlsym@GLIBC_2.17",
    ".symver cleave_dlsym_new, dlsym@@GLIBC_2.34",
    decide = sym decide,
);

type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *const ();

#[cfg_attr(test, allow(dead_code))]
extern "C" fn decide(handle: *mut c_void, name: *const c_char, asker: usize) -> Verdict {
    let Some(real) = real() else {
        // Without a dlsym behind us there is nothing to find.
        return Verdict { jump: core::ptr::null(), answer: core::ptr::null() };
    };
    let pass = Verdict { jump: real as *const (), answer: core::ptr::null() };
    if name.is_null() {
        return pass;
    }
    // SAFETY: the program passed a name, as dlsym demands.
    let text = unsafe { CStr::from_ptr(name) }.to_bytes();
    match names::meaning(text) {
        Meaning::Hooked(library, known) => {
            if is_inside(library, asker) {
                return pass;
            }
            Verdict { jump: core::ptr::null(), answer: look_up(real, library, known, handle, name) }
        }
        Meaning::Plain => pass,
        Meaning::Unknown => {
            if names::would_matter(text) {
                unwrapped::count();
            }
            pass
        }
    }
}

/// Whether the question comes from us or from the driver: they mean the driver's own functions.
fn is_inside(library: Library, asker: usize) -> bool {
    elf::holding(asker).is_some_and(|object| driver::is_own(&object) || library.is(&object))
}

/// The answer for a hooked name: our function, if the real answer is the driver's.
fn look_up(
    real: Dlsym,
    library: Library,
    known: &'static Known,
    handle: *mut c_void,
    name: *const c_char,
) -> *const () {
    // In the order of the process we come first ourselves: what is meant is whatever stands behind us.
    let handle = if handle == libc::RTLD_DEFAULT { libc::RTLD_NEXT } else { handle };
    // SAFETY: the program's own question, or one about what is loaded after us.
    let found = unsafe { real(handle, name) };
    let Some(object) = elf::holding(found as usize).filter(|_| !found.is_null()) else {
        return found;
    };
    if driver::is_own(&object) {
        // It is us who are found. Through an empty drop-in the driver's name was asked for, and the driver decides; through
        // the program's own handle, whoever comes after us in the order of the process.
        let there = match elf::is_called(handle, |path| library.is_named(path)) {
            true => library.function(known.name).is_some(),
            // SAFETY: a question about what is loaded after us.
            false => !unsafe { real(libc::RTLD_NEXT, name) }.is_null(),
        };
        return if there { hook(known) } else { core::ptr::null() };
    }
    if library.is(&object) {
        library.remember(&object);
        return hook(known);
    }
    // A function of the same name in some other library is that library's business.
    found
}

fn hook(known: &'static Known) -> *const () {
    known.hook.0.unwrap_or(core::ptr::null())
}

/// The `dlsym` that would have been called without us: of the first object behind us that has one (another preload's, or the
/// C library's), whatever version it has there.
fn real() -> Option<Dlsym> {
    static REAL: AtomicPtr<()> = AtomicPtr::new(null_mut());
    let mut address = REAL.load(Relaxed);
    if address.is_null() {
        address = core::ptr::with_exposed_provenance_mut(find_real()?);
        REAL.store(address, Relaxed);
    }
    // SAFETY: a function called dlsym, of the C library or of something that stands in for it.
    Some(unsafe { core::mem::transmute::<*mut (), Dlsym>(address) })
}

fn find_real() -> Option<usize> {
    let mut passed = false;
    let behind = elf::each(|object| {
        let own = driver::is_own(object);
        passed |= own;
        if passed && !own { object.function(b"dlsym") } else { None }
    });
    // As the need of a drop-in we may be loaded after the C library.
    behind
        .or_else(|| elf::each(|object| if driver::is_own(object) { None } else { object.function(b"dlsym") }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_real_one_is_the_c_librarys() {
        let real = real().expect("the C library has one");
        // SAFETY: a look-up by name.
        let (ours, theirs) = unsafe {
            (real(libc::RTLD_DEFAULT, c"puts".as_ptr()), libc::dlsym(libc::RTLD_DEFAULT, c"puts".as_ptr()))
        };
        assert_eq!(ours as usize, theirs as usize);
    }

    #[test]
    fn other_names_go_on_untouched() {
        let verdict = decide(libc::RTLD_NEXT, c"puts".as_ptr(), 0);
        assert_eq!(verdict.jump, real().map_or(core::ptr::null(), |real| real as *const ()));
        let verdict = decide(core::ptr::null_mut(), core::ptr::null(), 0);
        assert!(!verdict.jump.is_null());
    }

    #[test]
    fn a_hooked_name_without_a_driver_is_not_there() {
        let verdict = decide(libc::RTLD_DEFAULT, c"cuMemAlloc_v2".as_ptr(), 0);
        assert!(verdict.jump.is_null() && verdict.answer.is_null());
    }
}
