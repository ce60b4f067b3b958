//! What the operating system knows about a process.

use std::fs;

/// What a process was started as; `None` if it is not there, or not ours to see.
pub fn name(pid: u32) -> Option<String> {
    let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let program = line.split(|&byte| byte == 0).next().unwrap_or_default();
    if !program.is_empty() {
        return Some(String::from_utf8_lossy(program).into_owned());
    }
    // A process may have overwritten its command line; its short name remains.
    fs::read_to_string(format!("/proc/{pid}/comm")).ok().map(|name| name.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_a_name() {
        let own = name(std::process::id()).expect("this process is there");
        assert_eq!(std::env::args().next(), Some(own));
        assert_eq!(name(u32::MAX), None);
    }
}
