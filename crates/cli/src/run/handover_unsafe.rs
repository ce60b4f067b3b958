//! Becoming the program. Nothing of ours may be left in it: no process in between, no signal, no descriptor, no mask.

use std::ffi::{CString, OsString, c_char, c_int};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::ptr;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

/// What the standard library changes before `main`: it ignores SIGPIPE, and it opens descriptors 0 to 2 if they are closed.
/// So the original is noted earlier still. Bits 0 to 2: that descriptor was closed. Bit 3: SIGPIPE was ignored already.
static ORIGIN: AtomicU8 = AtomicU8::new(0);
const IGNORED: u8 = 1 << 3;

#[used]
#[unsafe(link_section = ".init_array")]
static NOTE_ORIGIN: extern "C" fn() = {
    extern "C" fn note() {
        let mut origin = 0;
        for descriptor in 0..3 {
            // SAFETY: asks about a descriptor by number; a closed one is an error and nothing more.
            if unsafe { libc::fcntl(descriptor, libc::F_GETFD) } == -1 {
                origin |= 1 << descriptor;
            }
        }
        // SAFETY: an all-zero sigaction is a valid value, and the call only fills it in.
        let ignored = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGPIPE, ptr::null(), &mut action) == 0
                && action.sa_sigaction == libc::SIG_IGN
        };
        ORIGIN.store(origin | if ignored { IGNORED } else { 0 }, Relaxed);
    }
    note
};

/// Puts the program in this process's place; returns only if that fails. `script`: the kernel may not know what it is, and then
/// it is given to the shell, as shells do.
pub fn hand_over(
    program: &Path,
    words: &[OsString],
    variables: Vec<(OsString, OsString)>,
    script: bool,
) -> io::Error {
    match execute(program, words, variables, script) {
        Ok(error) | Err(error) => error,
    }
}

fn execute(
    program: &Path,
    words: &[OsString],
    variables: Vec<(OsString, OsString)>,
    script: bool,
) -> io::Result<io::Error> {
    let path = c_string(program.as_os_str().to_os_string())?;
    let words = words.iter().cloned().map(c_string).collect::<io::Result<Vec<_>>>()?;
    let variables = variables.into_iter().map(|(mut name, value)| {
        name.push("=");
        name.push(value);
        c_string(name)
    });
    let variables = variables.collect::<io::Result<Vec<_>>>()?;
    let (list, environment) = (pointers(&words), pointers(&variables));
    let shell: Vec<*const c_char> =
        [c"sh".as_ptr(), path.as_ptr()].into_iter().chain(list.iter().copied().skip(1)).collect();
    restore();
    // SAFETY: all strings end with a zero byte, both lists with a null pointer, and they live until the calls return.
    unsafe {
        libc::execve(path.as_ptr(), list.as_ptr(), environment.as_ptr());
        if script && io::Error::last_os_error().raw_os_error() == Some(libc::ENOEXEC) {
            libc::execve(c"/bin/sh".as_ptr(), shell.as_ptr(), environment.as_ptr());
        }
    }
    let error = io::Error::last_os_error();
    // Whoever reports the error writes to a pipe perhaps; that must not kill it.
    // SAFETY: ignoring a signal has no conditions.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    Ok(error)
}

/// Signals and descriptors as they were when this process began. Handlers and the alternate stack go with the execution.
fn restore() {
    let origin = ORIGIN.load(Relaxed);
    let action = if origin & IGNORED != 0 { libc::SIG_IGN } else { libc::SIG_DFL };
    // SAFETY: neither disposition runs code of ours.
    unsafe { libc::signal(libc::SIGPIPE, action) };
    for descriptor in 0..3 as c_int {
        if origin & (1 << descriptor) != 0 {
            // SAFETY: the flag takes effect at the execution; until then the descriptor stays usable.
            unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
    }
}

fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
}

fn c_string(text: OsString) -> io::Result<CString> {
    CString::new(text.into_vec()).map_err(|error| {
        let shown = String::from_utf8_lossy(&error.into_vec()).into_owned();
        io::Error::new(io::ErrorKind::InvalidInput, format!("{shown:?} has a zero byte in it"))
    })
}
