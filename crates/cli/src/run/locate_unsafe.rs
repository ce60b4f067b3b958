//! Where the loader finds a library.

use std::ffi::CString;
use std::path::PathBuf;

/// Loads a library by name into this process, and tells where it was.
pub fn locate(name: &str) -> Option<PathBuf> {
    let text = CString::new(name).ok()?;
    // SAFETY: loads a driver's library, whose constructors do not expect more than any program gives them. It stays loaded: this
    // process ends as soon as it has answered.
    let handle = unsafe { libc::dlopen(text.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
    if handle.is_null() {
        return None;
    }
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    // The file behind the name has the driver's version in its own: `libcuda.so.535.309.01` for `libcuda.so.1`.
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let mut paths = maps.lines().filter_map(|line| line.find('/').map(|at| PathBuf::from(&line[at..])));
    paths.find(|path| {
        path.file_name().and_then(|file| file.to_str()).is_some_and(|file| file.starts_with(stem))
    })
}
