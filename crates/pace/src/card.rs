//! Size and speed of a modelled device, and what a kernel takes of it.

/// Classes of instructions with a latency of their own, in the order of `cleave_simt::Class`.
pub const CLASSES: usize = 10;

/// A modelled device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    pub sms: u32,
    pub clock_khz: u32,
    pub threads_per_sm: u32,
    pub blocks_per_sm: u32,
    pub registers_per_sm: u32,
    pub shared_per_sm: u32,
    /// How long a process keeps an engine while others wait.
    pub slice_ns: u64,
    /// What passing GR on to another process costs.
    pub switch_ns: u64,
    /// Bandwidth of one copy engine.
    pub copy_bytes_per_us: u64,
    /// From the moment a kernel may start to its first block.
    pub start_ns: u64,
    /// Cycles from an instruction to the next one of the same warp, per class.
    pub latency: [u32; CLASSES],
}

/// What a kernel asks of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// At least one.
    pub blocks: u64,
    /// Threads per block.
    pub threads: u32,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of shared memory per block.
    pub shared: u32,
    /// Greater goes first.
    pub priority: i32,
    /// All blocks start at the same moment.
    pub cooperative: bool,
}

/// Threads of a warp.
const WARP: u32 = 32;
/// Hardware hands out registers to a warp in units of this many.
const REGISTER_UNIT: u32 = 256;

impl Default for Card {
    /// The device of free-running mode: its limits shape occupancy, its speed is the CPU's.
    fn default() -> Card {
        Card {
            sms: 108,
            clock_khz: 1_410_000,
            threads_per_sm: 2048,
            blocks_per_sm: 32,
            registers_per_sm: 64 << 10,
            shared_per_sm: 164 << 10,
            slice_ns: 2_000_000,
            switch_ns: 0,
            copy_bytes_per_us: 25_000,
            start_ns: 2_000,
            latency: LATENCY,
        }
    }
}

/// Integer, float, double, special, matrix, global, shared, local, atomic, control. Of the order of what current hardware has, with the caches
/// that are not modelled averaged in; longer where emulation takes long (special functions, matrices, atomics), so that no class
/// of instructions makes the paced card outrun the host.
const LATENCY: [u32; CLASSES] = [4, 4, 8, 48, 128, 64, 24, 8, 128, 16];

impl Card {
    /// The card of the preset `paced`: so slow that emulating it at full load takes a quarter of two ordinary cores.
    pub fn paced() -> Card {
        Card {
            sms: 4,
            clock_khz: 1_000,
            threads_per_sm: 1024,
            blocks_per_sm: 16,
            registers_per_sm: 64 << 10,
            shared_per_sm: 64 << 10,
            slice_ns: 2_000_000,
            switch_ns: 50_000,
            copy_bytes_per_us: 500,
            start_ns: 3_000,
            latency: LATENCY,
        }
    }

    /// Time of so many cycles.
    pub fn ns(&self, cycles: u64) -> u64 {
        scale(cycles, 1_000_000, self.clock_khz.into())
    }

    /// Whole cycles in so much time.
    pub fn cycles(&self, ns: u64) -> u64 {
        scale(ns, self.clock_khz.into(), 1_000_000)
    }

    /// Cycles until so much time has passed: the first that is not before.
    pub fn cycles_until(&self, ns: u64) -> u64 {
        let cycles = (u128::from(ns) * u128::from(self.clock_khz)).div_ceil(1_000_000);
        u64::try_from(cycles).unwrap_or(u64::MAX)
    }

    /// How long a copy engine moves so many bytes; never nothing.
    pub fn copy_ns(&self, bytes: u64) -> u64 {
        let bandwidth = u128::from(self.copy_bytes_per_us.max(1));
        let ns = (u128::from(bytes) * 1000).div_ceil(bandwidth);
        u64::try_from(ns).unwrap_or(u64::MAX).max(1)
    }

    /// How many blocks like these a multiprocessor holds at a time; 0 if not even one.
    pub fn blocks_per_sm(&self, threads: u32, registers: u32, shared: u32) -> u32 {
        let by_threads = self.threads_per_sm / threads_taken(threads);
        let by_registers = u64::from(self.registers_per_sm) / registers_taken(threads, registers);
        let by_shared = self.shared_per_sm.checked_div(shared).unwrap_or(u32::MAX);
        by_threads.min(by_shared).min(self.blocks_per_sm).min(u32::try_from(by_registers).unwrap_or(u32::MAX))
    }
}

/// Threads a block takes: whole warps.
pub(crate) fn threads_taken(threads: u32) -> u32 {
    threads.max(1).checked_next_multiple_of(WARP).unwrap_or(u32::MAX)
}

/// Registers a block takes.
pub(crate) fn registers_taken(threads: u32, registers: u32) -> u64 {
    let warps = u64::from(threads.max(1).div_ceil(WARP));
    let per_warp = (u64::from(registers.max(1)) * u64::from(WARP)).next_multiple_of(REGISTER_UNIT.into());
    warps * per_warp
}

fn scale(value: u64, by: u64, over: u64) -> u64 {
    let scaled = u128::from(value) * u128::from(by) / u128::from(over.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_and_time_agree() {
        let card = Card { clock_khz: 2_000, ..Card::default() };
        assert_eq!((card.ns(3), card.cycles(1_500)), (1_500, 3));
        assert_eq!((card.cycles(1_999), card.cycles_until(1_501), card.cycles_until(1_500)), (3, 4, 3));
        let card = Card { clock_khz: 1_410_000, ..Card::default() };
        assert_eq!(card.ns(1_410_000_000_000_000), 1_000_000_000_000_000);
    }

    #[test]
    fn occupancy_is_bounded_by_each_resource() {
        let card = Card::default();
        assert_eq!(card.blocks_per_sm(64, 16, 0), 32);
        assert_eq!(card.blocks_per_sm(1024, 16, 0), 2);
        assert_eq!(card.blocks_per_sm(256, 255, 0), 1);
        assert_eq!(card.blocks_per_sm(32, 16, 48 << 10), 3);
        assert_eq!(card.blocks_per_sm(32, 16, 165 << 10), 0);
    }

    #[test]
    fn a_copy_takes_bytes_over_bandwidth() {
        let card = Card { copy_bytes_per_us: 500, ..Card::default() };
        assert_eq!((card.copy_ns(500_000), card.copy_ns(0), card.copy_ns(1)), (1_000_000, 1, 2));
    }
}
