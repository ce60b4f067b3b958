//! The few system calls that the standard library does not have.

use std::ffi::{CString, OsStr};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The user this process acts as.
pub fn user() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

/// The group this process acts as.
pub fn group() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::getegid() }
}

/// Hour, minute and second of the day at a second since 1970, where this machine is.
pub fn time_of_day(second: u64) -> [i32; 3] {
    let second = libc::time_t::try_from(second).unwrap_or(0);
    let mut local = MaybeUninit::<libc::tm>::zeroed();
    // SAFETY: reads one number, fills one struct; both are ours.
    unsafe { libc::localtime_r(&second, local.as_mut_ptr()) };
    // SAFETY: any bit pattern is a value of these integers, and the pointer among them is not read.
    let local = unsafe { local.assume_init() };
    [local.tm_hour, local.tm_min, local.tm_sec]
}

/// What matters of the file system a path is on.
pub struct Mount {
    pub noexec: bool,
    pub nosuid: bool,
    /// Bytes an ordinary user may still write.
    pub free: u64,
}

pub fn mount(path: &Path) -> io::Result<Mount> {
    let path = c_string(path.as_os_str())?;
    let mut about = MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: the path ends with a zero byte, and the buffer is of the type the call fills.
    if unsafe { libc::statvfs(path.as_ptr(), about.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call succeeded, and any bit pattern is a value of these integers.
    let about = unsafe { about.assume_init() };
    Ok(Mount {
        noexec: about.f_flag & libc::ST_NOEXEC != 0,
        nosuid: about.f_flag & libc::ST_NOSUID != 0,
        free: about.f_bavail.saturating_mul(about.f_frsize),
    })
}

/// Whether this process may execute the file.
pub fn may_execute(path: &Path) -> bool {
    let Ok(path) = c_string(path.as_os_str()) else {
        return false;
    };
    // SAFETY: the path ends with a zero byte.
    unsafe { libc::faccessat(libc::AT_FDCWD, path.as_ptr(), libc::X_OK, libc::AT_EACCESS) == 0 }
}

/// Whether the file gives capabilities to whoever executes it.
pub fn has_capabilities(path: &Path) -> bool {
    let Ok(path) = c_string(path.as_os_str()) else {
        return false;
    };
    // SAFETY: both strings end with a zero byte; without a buffer the call only tells the size.
    let size =
        unsafe { libc::getxattr(path.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0) };
    size > 0
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes()).map_err(|_| io::ErrorKind::InvalidInput.into())
}
