//! The few system calls that the standard library does not have.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The user this process acts as.
pub fn user() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

/// Whether this process may write what is at `path`; false if nothing is.
pub fn may_write(path: &Path) -> bool {
    let Ok(path) = c_path(path) else { return false };
    // SAFETY: the path ends with a zero and lives until the call returns.
    unsafe { libc::faccessat(libc::AT_FDCWD, path.as_ptr(), libc::W_OK, libc::AT_EACCESS) == 0 }
}

/// How many bytes the file system of `path` can hold, if it is a tmpfs.
pub fn tmpfs_bytes(path: &Path) -> io::Result<Option<u64>> {
    let path = c_path(path)?;
    // SAFETY: a plain struct of numbers.
    let mut about: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path ends with a zero, and the struct is ours to fill.
    if unsafe { libc::statfs(path.as_ptr(), &mut about) } != 0 {
        return Err(io::Error::last_os_error());
    }
    if about.f_type != libc::TMPFS_MAGIC {
        return Ok(None);
    }
    let bytes = about.f_blocks.saturating_mul(about.f_bsize as u64);
    // A tmpfs without a limit says zero.
    Ok(Some(if bytes == 0 { u64::MAX } else { bytes }))
}

/// Makes the file `len` bytes long with all blocks reserved: a full file system is an error here and not a signal later.
pub fn reserve(file: &File, len: u64) -> io::Result<()> {
    let len = libc::off_t::try_from(len).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: plain numbers. Where the file system has no such call, the C library writes the zeros.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, len) } {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// A file that only descriptors name.
pub fn memory_file(name: &CStr) -> io::Result<File> {
    // By number: the C library got the function later than the one we must run on.
    // SAFETY: the name ends with a zero and lives until the call returns.
    let fd = unsafe { libc::syscall(libc::SYS_memfd_create, name.as_ptr(), libc::MFD_CLOEXEC) };
    let fd = i32::try_from(fd).ok().filter(|&fd| fd >= 0).ok_or_else(io::Error::last_os_error)?;
    // SAFETY: the kernel has just given us this descriptor, and nobody else knows it.
    Ok(unsafe { File::from_raw_fd(fd) })
}

/// Sixteen random bytes.
pub fn random() -> io::Result<[u8; 16]> {
    let mut bytes = [0_u8; 16];
    // SAFETY: the buffer is ours and as long as it is said to be. So few bytes come whole or not at all.
    let read = unsafe { libc::syscall(libc::SYS_getrandom, bytes.as_mut_ptr(), bytes.len(), 0) };
    if read == bytes.len() as libc::c_long { Ok(bytes) } else { Err(io::Error::last_os_error()) }
}

fn c_path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| io::ErrorKind::InvalidInput.into())
}
