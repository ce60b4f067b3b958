//! The few system calls that the standard library does not have.

/// The user this process acts as.
pub fn user() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

/// A name nobody can guess: 32 hexadecimal digits.
pub fn random_name() -> std::io::Result<String> {
    let mut bytes = [0_u8; 16];
    // SAFETY: the buffer is ours and as long as it is said to be. So few bytes come whole or not at all.
    let read = unsafe { libc::syscall(libc::SYS_getrandom, bytes.as_mut_ptr(), bytes.len(), 0) };
    if read != bytes.len() as libc::c_long {
        return Err(std::io::Error::last_os_error());
    }
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
