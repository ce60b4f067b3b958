//! GFLOPS of three matrix products: one output per thread, 4x4 outputs per thread with vector loads (the shape of kernel that
//! tensor compilers emit), and 16x16 tiles in shared memory. `cargo run --release -p cleave-simt --example matmul [workers [naive | tuned | tiled]]`

#[path = "matmul/driver_unsafe.rs"]
#[allow(unsafe_code)]
mod driver_unsafe;
#[path = "matmul/kernels.rs"]
#[allow(dead_code)]
mod kernels;

use cleave_simt::Target;
use driver_unsafe::Driver;
use std::time::Instant;

const N: u32 = 512;

/// Time all threads of this process spent on a processor: what a noisy machine leaves comparable.
fn cpu_seconds() -> f64 {
    let of_task = |entry: std::io::Result<std::fs::DirEntry>| -> Option<f64> {
        let text = std::fs::read_to_string(entry.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    let tasks = std::fs::read_dir("/proc/self/task").map(|tasks| tasks.filter_map(of_task).sum::<f64>());
    tasks.unwrap_or(0.0) / 1e9
}

fn main() {
    let workers = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(1);
    let only = std::env::args().nth(2);
    let driver = Driver::new(workers, N);
    let flops = 2.0 * f64::from(N).powi(3);
    for (name, source, grid, block) in [
        ("naive", kernels::naive(N), [N / 32, N / 8, 1], [32, 8, 1]),
        ("tuned", kernels::tuned(N), [N / 64, N / 32, 1], [8, 16, 1]),
        ("tiled", kernels::tiled(N), [N / 16, N / 16, 1], [16, 16, 1]),
    ] {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let kernel = driver.compile(&source, "matmul", Target::default());
        let (mut best, mut best_cpu) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..5 {
            let (start, cpu) = (Instant::now(), cpu_seconds());
            driver.run(&kernel, grid, block, None);
            best = best.min(start.elapsed().as_secs_f64());
            best_cpu = best_cpu.min(cpu_seconds() - cpu);
        }
        let error = driver.worst_error();
        let [wall, core] = [best, best_cpu].map(|seconds| flops / seconds / 1e9);
        println!(
            "{name}: {wall:.2} GFLOPS with {workers} workers, {core:.2} per busy core, worst error {error:.1e}"
        );
    }
    let kernel = driver.compile(kernels::EMPTY, "empty", Target::default());
    let mut times: Vec<f64> = (0..2000)
        .map(|_| {
            let start = Instant::now();
            driver.run(&kernel, [1, 1, 1], [1, 1, 1], None);
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("empty launch: median {:.1} us, p90 {:.1} us", times[1000], times[1800]);
}
