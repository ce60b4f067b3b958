//! The monotonic clock of the initial time namespace: one time for all containers of a machine.
//!
//! A time namespace shifts CLOCK_MONOTONIC for the processes in it. What is written into a shared page is therefore the time
//! without the shift, and every process takes off its own.

use std::sync::OnceLock;

use crate::sys_unsafe;

/// Nanoseconds on the monotonic clock of the initial time namespace.
pub fn now_ns() -> u64 {
    sys_unsafe::monotonic().saturating_add_signed(shift().saturating_neg())
}

/// Sleeps until [`now_ns`] reads `at`.
pub fn sleep_until(at: u64) {
    sys_unsafe::sleep_until(own(at));
}

/// `at` on this process's own clock, as system calls take it.
pub(crate) fn own(at: u64) -> u64 {
    at.saturating_add_signed(shift())
}

/// How far this process's clock is ahead of the initial namespace's. A process cannot change its time namespace while it
/// runs (only the one its children will have), so once is enough.
fn shift() -> i64 {
    static SHIFT: OnceLock<i64> = OnceLock::new();
    *SHIFT.get_or_init(|| {
        let namespace = std::fs::read_link("/proc/self/ns/time").ok();
        // The offsets are those of the children's namespace, which differs after a bare unshare(2); the initial one has a
        // fixed number, so at least there the file is not believed.
        if namespace.is_none_or(|name| name.as_os_str() == "time:[4026531834]") {
            return 0;
        }
        std::fs::read_to_string("/proc/self/timens_offsets").map_or(0, |text| offset(&text))
    })
}

/// The monotonic line of an offsets file: seconds and nanoseconds.
fn offset(text: &str) -> i64 {
    let line = text.lines().find_map(|line| line.strip_prefix("monotonic"));
    let mut numbers = line.unwrap_or("").split_whitespace().map(|number| number.parse::<i64>().unwrap_or(0));
    let (seconds, ns) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    seconds.saturating_mul(1_000_000_000).saturating_add(ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_read_as_the_kernel_writes_them() {
        assert_eq!(offset("monotonic           0         0\nboottime            0         0\n"), 0);
        assert_eq!(offset("monotonic      100000       500\nboottime  7 0\n"), 100_000_000_000_500);
        assert_eq!(offset("monotonic          -3  25\n"), -2_999_999_975);
        assert_eq!(offset("nothing of the kind"), 0);
        assert_eq!(offset("monotonic x"), 0);
    }

    #[test]
    fn a_sleep_ends_when_its_time_has_come() {
        let at = now_ns() + 3_000_000;
        sleep_until(at);
        assert!(now_ns() >= at);
        sleep_until(0);
    }
}
