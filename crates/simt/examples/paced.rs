//! What emulating the card of the preset `paced` costs at full load: processor time per modelled second, without AVX-512.
//! `cargo run --release -p cleave-simt --example paced [workers]`

#[path = "matmul/driver_unsafe.rs"]
#[allow(unsafe_code, dead_code)]
mod driver_unsafe;
#[path = "matmul/kernels.rs"]
mod kernels;

use cleave_pace::{Card, Chip, KernelId, Shape};
use cleave_simt::{Isa, Kernel, Pacing, Target};
use driver_unsafe::Driver;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const N: u32 = 512;

/// A kernel alone on the chip, with all the time in the world.
struct Alone {
    card: Card,
    state: Mutex<State>,
}

struct State {
    chip: Chip,
    kernel: KernelId,
    /// When and where blocks start that nobody asked about yet.
    starts: HashMap<u64, (u64, u32)>,
    end: u64,
}

impl Alone {
    fn new(card: Card, kernel: &Kernel, grid: [u32; 3], block: [u32; 3]) -> Alone {
        let mut chip = Chip::new(card.clone());
        let shape = Shape {
            blocks: grid.iter().map(|&n| u64::from(n)).product(),
            threads: block.iter().product(),
            registers: kernel.registers,
            shared: kernel.static_shared,
            priority: 0,
            cooperative: false,
        };
        let kernel = chip.launch(shape, 0);
        Alone { card, state: Mutex::new(State { chip, kernel, starts: HashMap::new(), end: 0 }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pacing for Alone {
    fn start(&self, block: u64) -> Option<(u64, u32)> {
        let State { chip, starts, .. } = &mut *self.state();
        while let Some(start) = chip.next(u64::MAX) {
            starts.insert(start.block, (start.at, start.sm));
        }
        starts.remove(&block)
    }
    fn horizon(&self) -> u64 {
        u64::MAX
    }
    fn reached(&self, block: u64, at: u64) {
        let State { chip, kernel, .. } = &mut *self.state();
        chip.reached(*kernel, block, at);
    }
    fn ended(&self, block: u64, at: u64) {
        let State { chip, kernel, end, .. } = &mut *self.state();
        if let Some(at) = chip.ended(*kernel, block, at) {
            *end = at;
        }
    }
    fn globaltimer(&self, at: u64) -> Option<u64> {
        Some(at)
    }
    fn card(&self) -> &Card {
        &self.card
    }
}

/// Time all threads of this process spent on a processor.
fn cpu_ns() -> f64 {
    let of_task = |entry: std::io::Result<std::fs::DirEntry>| -> Option<f64> {
        let text = std::fs::read_to_string(entry.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    std::fs::read_dir("/proc/self/task").map_or(0.0, |tasks| tasks.filter_map(of_task).sum())
}

/// Processor time of a launch and its end, without what the driver adds.
fn launches(driver: &Driver, card: &Card, target: Target) {
    const COUNT: u32 = 5_000;
    let kernel = driver.compile(kernels::EMPTY, "empty", target);
    for paced in [false, true] {
        let before = cpu_ns();
        for _ in 0..COUNT {
            let pacing =
                || -> Arc<dyn Pacing> { Arc::new(Alone::new(card.clone(), &kernel, [1; 3], [32, 1, 1])) };
            driver.run(&kernel, [1; 3], [32, 1, 1], paced.then(pacing));
        }
        let each = (cpu_ns() - before) / f64::from(COUNT) / 1e3;
        println!("empty kernel, launched and waited for, paced {paced}: {each:.1} us of processor");
    }
}

fn main() {
    let workers = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(2);
    let driver = Driver::new(workers, N);
    let card = Card::paced();
    launches(&driver, &card, Target { isa: Isa::Avx2 });
    let full = [N / 32, N / 8, 1];
    let mut programs = vec![
        ("empty", kernels::EMPTY.to_string(), "empty", [16, 1, 1], [256, 1, 1]),
        ("matmul, one output per thread", kernels::naive(N), "matmul", full, [32, 8, 1]),
        ("matmul, 4x4 per thread", kernels::tuned(N), "matmul", [N / 64, N / 32, 1], [8, 16, 1]),
        ("matmul, 16x16 tiles", kernels::tiled(N), "matmul", [N / 16, N / 16, 1], [16, 16, 1]),
        ("arithmetic", kernels::arithmetic(), "k", [64, 1, 1], [256, 1, 1]),
        ("triad", kernels::triad(N), "k", [128, 1, 1], [256, 1, 1]),
        ("gather", kernels::gather(N), "k", [64, 1, 1], [256, 1, 1]),
        ("atomics", kernels::atomics(N), "k", [64, 1, 1], [256, 1, 1]),
    ];
    programs.extend(kernels::classes().map(|(name, source)| (name, source, "k", [64, 1, 1], [256, 1, 1])));
    for (name, source, entry, grid, block) in programs {
        let kernel = driver.compile(&source, entry, Target { isa: Isa::Avx2 });
        let (mut best, mut modelled, mut free) = (f64::INFINITY, 0, f64::INFINITY);
        for _ in 0..3 {
            let pacing = Arc::new(Alone::new(card.clone(), &kernel, grid, block));
            let before = cpu_ns();
            driver.run(&kernel, grid, block, Some(pacing.clone()));
            best = best.min(cpu_ns() - before);
            modelled = pacing.state().end;
            let before = cpu_ns();
            driver.run(&kernel, grid, block, None);
            free = free.min(cpu_ns() - before);
        }
        let load = 100.0 * best / (2.0 * modelled as f64);
        println!(
            "{name}: {:.3} ms modelled, {:.3} ms of processor ({:.3} free-running): {load:.1} % of two cores",
            modelled as f64 / 1e6,
            best / 1e6,
            free / 1e6,
        );
    }
}
