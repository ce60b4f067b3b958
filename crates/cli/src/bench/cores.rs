//! What the host of a virtual machine takes of its cores: a thread that is not let run looks like one that does nothing, and no share
//! is kept better than its tenants come.

/// Ticks of all cores so far.
#[derive(Clone, Copy)]
pub struct Cores {
    all: u64,
    taken: u64,
}

impl Cores {
    /// As the kernel counts them; None where it does not.
    pub fn read() -> Option<Cores> {
        Cores::parse(&std::fs::read_to_string("/proc/stat").ok()?)
    }

    fn parse(stat: &str) -> Option<Cores> {
        let line = stat.lines().next()?.strip_prefix("cpu ")?;
        // user, nice, system, idle, iowait, irq, softirq, steal; those of guests are in the first two already.
        let ticks = line.split_whitespace().take(8).map(str::parse).collect::<Result<Vec<u64>, _>>().ok()?;
        Some(Cores { all: ticks.iter().sum(), taken: *ticks.get(7)? })
    }

    /// What was taken since then, in percent.
    pub fn taken_since(self, then: Cores) -> f64 {
        let all = self.all.saturating_sub(then.all).max(1);
        100.0 * self.taken.saturating_sub(then.taken) as f64 / all as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_host_took_is_a_part_of_all() {
        let then = Cores::parse("cpu  10 0 10 70 0 0 0 10 5 0\ncpu0 1 2\n").unwrap();
        let now = Cores::parse("cpu  30 0 30 120 0 0 0 20 9 0\n").unwrap();
        assert_eq!(now.taken_since(then), 10.0);
        assert_eq!(then.taken_since(now), 0.0);
        for text in ["", "cpu 1 2 3\n", "cpu a b c d e f g h\n", "intr 5\n"] {
            assert!(Cores::parse(text).is_none(), "{text}");
        }
    }
}
