//! Runs kernels on plain vectors: the tests' driver.

use crate::{
    Config, Counters, Fault, Gpu, Grid, Launch, Output, Pacing, Program, Range, Ranges, Symbols, Target,
};
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

/// Device memory starts here; the host address is elsewhere.
pub const BASE: u64 = 0x7000_0000_0000;

/// A device with memory and a program.
pub struct Device {
    pub gpu: Gpu,
    pub ranges: Arc<Ranges>,
    /// Words of each buffer, kept alive here; accessed only through raw pointers.
    buffers: Vec<Box<[u64]>>,
    pub printed: Arc<Printed>,
}

#[derive(Default)]
pub struct Printed(pub Mutex<Vec<u8>>);

impl Output for Printed {
    fn print(&self, text: &[u8]) {
        self.0.lock().unwrap().extend_from_slice(text);
    }
}

pub fn quiet(workers: usize) -> Config {
    Config { workers, sms: 4, ..Config::default() }
}

impl Device {
    pub fn new(config: Config) -> Device {
        Device {
            gpu: Gpu::start(config),
            ranges: Arc::new(Ranges::new()),
            buffers: Vec::new(),
            printed: Arc::default(),
        }
    }

    /// Allocates `bytes` zero bytes; gives the device address.
    pub fn alloc(&mut self, bytes: usize) -> u64 {
        let start = BASE + 0x1_0000_0000 * self.buffers.len() as u64;
        let mut words = vec![0u64; bytes.div_ceil(8).max(1)].into_boxed_slice();
        let host = words.as_mut_ptr().expose_provenance() as u64;
        self.buffers.push(words);
        // SAFETY: the buffer lives as long as the device and nobody holds references into it while kernels run.
        let range = unsafe { Range::mapped(start, bytes as u64, host.wrapping_sub(start), true) };
        self.ranges.insert(range).unwrap();
        start
    }

    fn host(&self, address: u64) -> *mut u8 {
        let range = self.ranges.find(address).unwrap();
        std::ptr::with_exposed_provenance_mut(address.wrapping_add(range.delta()) as usize)
    }

    pub fn write<T: Copy>(&self, address: u64, values: &[T]) {
        // SAFETY: the range holds the bytes; no kernel runs meanwhile.
        unsafe { self.host(address).cast::<T>().copy_from_nonoverlapping(values.as_ptr(), values.len()) }
    }

    pub fn read<T: Copy>(&self, address: u64, count: usize) -> Vec<T> {
        // SAFETY: as in `write`; tests read only numbers.
        (0..count).map(|i| unsafe { self.host(address).cast::<T>().add(i).read_unaligned() }).collect()
    }

    pub fn upload<T: Copy>(&mut self, values: &[T]) -> u64 {
        let address = self.alloc(size_of_val(values));
        self.write(address, values);
        address
    }

    pub fn submit(&self, program: &Program, launch: Shape<'_>) -> (Grid, Receiver<Result<Counters, Fault>>) {
        let (send, receive) = channel();
        let launch = Launch {
            kernel: program.kernel(launch.kernel).expect("kernel exists"),
            grid: launch.grid,
            block: launch.block,
            dynamic_shared: launch.shared,
            params: launch.params.into(),
            cooperative: false,
            workspace: 0,
            ranges: self.ranges.clone(),
            stack: 1024,
            priority: launch.priority,
            id: 7,
            output: self.printed.clone(),
            heap: None,
            pacing: launch.pacing,
        };
        let grid = self.gpu.submit(launch, Box::new(move |result| send.send(result).unwrap()));
        (grid, receive)
    }

    pub fn run(&self, program: &Program, launch: Shape<'_>) -> Result<Counters, Fault> {
        self.submit(program, launch).1.recv().unwrap()
    }
}

/// A range that is only looked at, never accessed.
pub fn range(start: u64, len: u64) -> Range {
    // SAFETY: no kernel runs on tables made of these.
    unsafe { Range::mapped(start, len, 0, true) }
}

/// A launch in short.
pub struct Shape<'a> {
    pub kernel: &'a str,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub params: Vec<u8>,
    pub priority: i32,
    pub pacing: Option<Arc<dyn Pacing>>,
}

/// `kernel<<<grid, block>>>(params)` with parameters of 8 bytes.
pub fn shape<'a>(kernel: &'a str, grid: u32, block: u32, params: &[u64]) -> Shape<'a> {
    let params = params.iter().flat_map(|p| p.to_le_bytes()).collect();
    Shape { kernel, grid: [grid, 1, 1], block: [block, 1, 1], shared: 0, params, priority: 0, pacing: None }
}

pub fn compile(source: &str) -> Program {
    compile_with(source, &HashMap::new(), &Target::default())
}

pub fn compile_with(source: &str, symbols: &dyn Symbols, target: &Target) -> Program {
    let text = format!(".version 8.0\n.target sm_80\n.address_size 64\n{source}");
    let module = match cleave_ptx::parse(&text) {
        Ok(module) => module,
        Err(errors) => panic!("{errors:?}"),
    };
    match Program::compile(&module, symbols, target) {
        Ok(program) => program,
        Err(error) => panic!("{error}"),
    }
}
