//! C's own stdout: what kernels print must appear in order with what the program prints.

unsafe extern "C" {
    static mut stdout: *mut libc::FILE;
}

/// Writes through the C library's buffer and flushes it.
pub fn write(text: &[u8]) {
    // SAFETY: `stdout` is set before any code of ours runs and is only read here; the C library locks the stream.
    unsafe {
        let file = stdout;
        if !file.is_null() {
            libc::fwrite(text.as_ptr().cast(), 1, text.len(), file);
            libc::fflush(file);
        }
    }
}
