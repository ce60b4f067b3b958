//! Another value of one variable, for the time of one call.
//!
//! The list of variables is copied and the copy put in the place of the program's: `setenv` would free what other threads are
//! reading.

use core::ffi::c_char;
use core::ptr::null_mut;
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

use crate::process_unsafe::PerProcess;

unsafe extern "C" {
    static mut environ: *mut *mut c_char;
}

/// One at a time: two copies would put each other back. A forked child does not wait for threads of its parent.
static TURN: PerProcess<Mutex<()>> = PerProcess::new();

/// Calls `call` while the variable `name` is `value`.
pub fn with<R>(name: &str, value: &str, call: impl FnOnce() -> R) -> R {
    let _turn = TURN.get_or(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let Ok(entry) = CString::new(format!("{name}={value}")) else { return call() };
    // SAFETY: a word of libc's; the program changes it only by setenv and its like, which it must not do while other threads
    // read variables.
    let before = unsafe { environ };
    // Somebody may keep the copy, as setenv keeps what it finds: it stays.
    let copy = copied(before, name, entry).leak().as_mut_ptr();
    // SAFETY: a list in the form that libc demands, which is never freed.
    unsafe { environ = copy };
    let answer = call();
    // SAFETY: as above. If another list is there, somebody set a variable meanwhile and that list is the program's.
    unsafe {
        if environ == copy {
            environ = before;
        }
    }
    answer
}

/// The variables of a list with one of them replaced.
fn copied(list: *mut *mut c_char, name: &str, entry: CString) -> Vec<*mut c_char> {
    let mut copy = Vec::new();
    let mut at = list;
    // SAFETY: libc's list: null, or pointers to texts with a null behind the last.
    while let Some(&variable) = unsafe { at.as_ref() }.filter(|variable| !variable.is_null()) {
        // SAFETY: a text that ends in zero.
        let text = unsafe { std::ffi::CStr::from_ptr(variable) }.to_bytes();
        let is_it = text.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'='));
        if !is_it {
            copy.push(variable);
        }
        // SAFETY: not the last one yet.
        at = unsafe { at.add(1) };
    }
    copy.push(entry.into_raw());
    copy.push(null_mut());
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_seen_for_the_time_of_the_call() {
        let name = "CLEAVE_TEST_OF_VISIBLE";
        assert_eq!(std::env::var_os(name), None);
        let others = std::env::vars_os().count();
        with(name, "a", || {
            assert_eq!(std::env::var(name).as_deref(), Ok("a"));
            assert_eq!(std::env::vars_os().count(), others + 1);
        });
        assert_eq!(std::env::var_os(name), None);
        let path = std::env::var_os("PATH");
        with("PATH", "/nowhere", || assert_eq!(std::env::var("PATH").as_deref(), Ok("/nowhere")));
        assert_eq!(std::env::var_os("PATH"), path);
    }
}
