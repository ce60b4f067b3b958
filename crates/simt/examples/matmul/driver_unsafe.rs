//! Just enough of a driver to run a product of two matrices.

use cleave_simt::{Config, Discard, Gpu, Kernel, Launch, Pacing, Program, Range, Ranges, Target};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::channel;

pub struct Driver {
    gpu: Gpu,
    ranges: Arc<Ranges>,
    n: u32,
    /// c, a, b.
    matrices: [Box<[f32]>; 3],
}

const BASE: u64 = 0x7000_0000_0000;

impl Driver {
    pub fn new(workers: usize, n: u32) -> Driver {
        let count = (n * n) as usize;
        let numbers = |seed: u32| {
            let mut x = seed;
            let next = move || {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (x >> 8) as f32 / (1 << 24) as f32 - 0.5
            };
            std::iter::repeat_with(next).take(count).collect::<Box<[f32]>>()
        };
        let mut matrices = [vec![0.0; count].into(), numbers(1), numbers(2)];
        let ranges = Arc::new(Ranges::new());
        for (i, matrix) in (0u64..).zip(&mut matrices) {
            let start = BASE + i * 0x1_0000_0000;
            let host = matrix.as_mut_ptr().expose_provenance() as u64;
            // SAFETY: the matrices live as long as the ranges and are only looked at between launches.
            let range = unsafe {
                Range::mapped(start, size_of_val(&**matrix) as u64, host.wrapping_sub(start), true)
            };
            ranges.insert(range).expect("matrices are apart");
        }
        Driver { gpu: Gpu::start(Config { workers, ..Config::default() }), ranges, n, matrices }
    }

    pub fn compile(&self, source: &str, name: &str, target: Target) -> Arc<Kernel> {
        let module = cleave_ptx::parse(source).unwrap_or_else(|errors| panic!("{errors:?}"));
        let program = Program::compile(&module, &HashMap::new(), &target);
        program.unwrap_or_else(|error| panic!("{error}")).kernel(name).expect("kernel exists")
    }

    pub fn run(
        &self,
        kernel: &Arc<Kernel>,
        grid: [u32; 3],
        block: [u32; 3],
        pacing: Option<Arc<dyn Pacing>>,
    ) {
        let params: Vec<u8> = (0..3).flat_map(|i| (BASE + i * 0x1_0000_0000).to_le_bytes()).collect();
        let launch = Launch {
            kernel: kernel.clone(),
            grid,
            block,
            dynamic_shared: 0,
            params: params.into(),
            cooperative: false,
            workspace: 0,
            ranges: self.ranges.clone(),
            stack: 1024,
            priority: 0,
            id: 0,
            output: Arc::new(Discard),
            heap: None,
            pacing,
        };
        let (send, receive) = channel();
        self.gpu.submit(launch, Box::new(move |result| send.send(result).expect("main waits")));
        receive.recv().expect("done comes").expect("no fault");
    }

    /// Largest difference from a product computed here, over some elements.
    pub fn worst_error(&self) -> f32 {
        let n = self.n as usize;
        let [c, a, b] = &self.matrices;
        let at = |m: &[f32], i: usize| {
            // SAFETY: inside the slice; volatile because the engine wrote through its own pointer.
            unsafe { std::ptr::from_ref(&m[i]).read_volatile() }
        };
        let error = |i: usize| {
            let (row, column) = (i / n, i % n);
            let sum: f32 = (0..n).map(|k| a[row * n + k] * b[k * n + column]).sum();
            (sum - at(c, i)).abs()
        };
        (0..n * n).step_by(97).map(error).fold(0.0, f32::max)
    }
}
