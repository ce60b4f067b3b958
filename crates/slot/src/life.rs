//! Whether a process lives that lost its token.
//!
//! A program may close every descriptor it does not know, ours too, and with it drop its token; it is not dead, and what it
//! holds is still held. So a record also says who its owner is: pid, start time, pid namespace, and where `usage` is mapped in
//! it. Whoever is in the same pid namespace can look: no such process, another start time, or a zombie is a death; so is a
//! process that has gone on to another program by exec, which keeps its pid and start but not the mapping.

use std::fs;
use std::io::{self, BufRead, BufReader};

/// Who a process is, for others in its pid namespace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    pub pid: u32,
    /// When it began, in clock ticks of the initial time namespace.
    pub start: u64,
    /// Its pid namespace; 0 where /proc does not show that one.
    pub space: u64,
}

/// A file, as the list of a process's mappings names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inode(pub u64);

impl Identity {
    /// This process.
    pub fn own() -> Identity {
        let pid = std::process::id();
        let start = fs::read_to_string("/proc/self/stat").ok().and_then(|text| Stat::parse(&text));
        Identity { pid, start: start.map_or(0, |stat| unshifted(stat.start)), space: own_space() }
    }

    /// The same process as it is called in this pid namespace.
    pub fn called(self, pid: u32) -> Identity {
        Identity { pid, space: own_space(), ..self }
    }

    /// Whether this process, which has `file` mapped at `at`, is seen to live. False also where it cannot be seen.
    pub fn is_seen(&self, file: Inode, at: u64) -> bool {
        if self.space == 0 || self.space != own_space() {
            return false;
        }
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok();
        let Some(stat) = stat.and_then(|text| Stat::parse(&text)) else { return false };
        // A shift of the clock need not be a whole number of ticks.
        if stat.is_dead() || unshifted(stat.start).abs_diff(self.start) > 1 {
            return false;
        }
        match fs::File::open(format!("/proc/{}/maps", self.pid)) {
            Ok(maps) => is_mapped(BufReader::new(maps), file, at),
            // Gone meanwhile; or it may not be looked at, and then careful: as if it lived.
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }
}

/// The pid namespace of this process, if /proc shows the processes of it.
fn own_space() -> u64 {
    let shown = fs::read_link("/proc/self").ok().and_then(|link| link.to_str()?.parse().ok());
    if shown != Some(std::process::id()) {
        return 0;
    }
    let link = fs::read_link("/proc/self/ns/pid").ok();
    link.and_then(|link| namespace(link.to_str()?)).unwrap_or(0)
}

/// The number in `pid:[4026531836]`.
fn namespace(link: &str) -> Option<u64> {
    link.strip_prefix("pid:[")?.strip_suffix(']')?.parse().ok()
}

/// A start time as the initial time namespace has it; the kernel shifts what it shows by the reader's.
fn unshifted(start: u64) -> u64 {
    let offsets = fs::read_to_string("/proc/self/timens_offsets").unwrap_or_default();
    start.saturating_add_signed(shift(&offsets).saturating_neg())
}

/// The shift of the boot clock in ticks.
fn shift(offsets: &str) -> i64 {
    let line = offsets.lines().find_map(|line| line.strip_prefix("boottime"));
    let mut numbers = line.unwrap_or("").split_whitespace().map(|number| number.parse::<i64>().unwrap_or(0));
    let (seconds, ns) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    seconds.saturating_mul(TICKS).saturating_add(ns / (1_000_000_000 / TICKS))
}

/// Clock ticks per second, as /proc counts on every machine we run on.
const TICKS: i64 = 100;

/// What a line of /proc/PID/stat says.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    state: char,
    threads: u64,
    start: u64,
}

impl Stat {
    fn parse(text: &str) -> Option<Stat> {
        // The name, in parentheses, may hold anything, parentheses too.
        let mut fields = text[text.rfind(')')? + 1..].split_whitespace();
        let state = fields.next()?.chars().next()?;
        let threads = fields.nth(16)?.parse().ok()?;
        let start = fields.nth(1)?.parse().ok()?;
        Some(Stat { state, threads, start })
    }

    /// The first thread may end before the others; it is a zombie as long as they live.
    fn is_dead(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x') && self.threads <= 1
    }
}

/// Whether a list of mappings has `file` at `at`.
fn is_mapped(maps: impl BufRead, file: Inode, at: u64) -> bool {
    /// More mappings than a process may have, unless somebody raised that by far.
    const LINES: usize = 1 << 20;
    let matches = |line: String| {
        let mut fields = line.split_whitespace();
        let start = fields.next().and_then(|range| u64::from_str_radix(range.split('-').next()?, 16).ok());
        let inode = fields.nth(3).and_then(|inode| inode.parse().ok());
        (start, inode) == (Some(at), Some(file.0))
    };
    maps.lines().map_while(Result::ok).take(LINES).any(matches)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel_are_understood() {
        let rest = "S 1 2 3 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 4 0 12345 1000 2 184";
        for name in ["(sh)", "(a) b) (c)", "()"] {
            let stat = Stat::parse(&format!("77 {name} {rest}")).unwrap();
            assert_eq!(stat, Stat { state: 'S', threads: 4, start: 12345 });
        }
        assert_eq!(Stat::parse(""), None);
        assert_eq!(Stat::parse("1 (a) S 2 3"), None);
        assert_eq!(namespace("pid:[4026531836]"), Some(4_026_531_836));
        assert_eq!(namespace("pid:[]"), None);
        assert_eq!(shift("monotonic 5 0\nboottime  -3 20000000\n"), -298);
        assert_eq!(shift("nothing"), 0);
    }

    #[test]
    fn a_zombie_is_dead_once_its_threads_are() {
        assert!(Stat { state: 'Z', threads: 1, start: 0 }.is_dead());
        assert!(!Stat { state: 'Z', threads: 2, start: 0 }.is_dead());
        assert!(!Stat { state: 'T', threads: 1, start: 0 }.is_dead());
    }

    #[test]
    fn a_mapping_is_known_by_place_and_file() {
        let maps = "00400000-00452000 r-xp 00000000 08:02 173521 /usr/bin/dbus\n\
                    7f00a000-7f00b000 rw-s 00000000 00:18 4242 /dev/shm/a (deleted)\n";
        assert!(is_mapped(maps.as_bytes(), Inode(4242), 0x7f00_a000));
        assert!(!is_mapped(maps.as_bytes(), Inode(4242), 0x7f00_b000));
        assert!(!is_mapped(maps.as_bytes(), Inode(4243), 0x7f00_a000));
        assert!(!is_mapped(&b"\xff\xfe"[..], Inode(1), 1));
    }

    #[test]
    fn other_lives_are_not_taken_for_this_one() {
        let own = Identity::own();
        if own.space == 0 {
            println!("skipped: /proc does not show this process");
            return;
        }
        assert!(!own.is_seen(Inode(1), 1), "alive, but maps no such file");
        assert!(!Identity { start: own.start + 5, ..own }.is_seen(Inode(1), 1));
        assert!(!Identity { space: own.space + 1, ..own }.is_seen(Inode(1), 1));
        assert!(!Identity { pid: u32::MAX, ..own }.is_seen(Inode(1), 1));
    }
}
