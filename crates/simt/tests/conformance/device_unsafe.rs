//! Device memory for one case, and its launches.

use super::case::Case;
use cleave_ptx::ir::{Module, Space, Variable};
use cleave_simt::{Discard, Gpu, Kernel, Launch, Range, Ranges, Symbols};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Where device addresses begin. Not where the memory is: the engine must translate.
const BASE: u64 = 0x7000_0000_0000;
/// Distance of allocations, so that running off one hits nothing.
const GAP: u64 = 1 << 20;

/// The buffers of a case and the variables of its module.
pub struct Device {
    buffers: Vec<Memory>,
    variables: HashMap<String, Memory>,
    ranges: Arc<Ranges>,
}

/// An allocation. Atomics, because device threads and we both look at it.
struct Memory {
    address: u64,
    len: usize,
    words: Box<[AtomicU64]>,
}

impl Memory {
    fn new(number: usize, len: usize) -> Memory {
        let words = (0..len.div_ceil(8).max(1) + 32).map(|_| AtomicU64::new(0)).collect();
        Memory { address: BASE + number as u64 * GAP, len, words }
    }

    /// Index of the first word that is aligned as device memory is.
    fn first(&self) -> usize {
        self.words.as_ptr().cast::<u8>().align_offset(256) / 8
    }

    fn range(&self) -> Range {
        let host = &raw const self.words[self.first()] as u64;
        let delta = host.wrapping_sub(self.address);
        // SAFETY: `words` has 32 words to spare for the alignment and lives as long as the device, whose launches all end
        // before `run` returns; it is made of atomics, so concurrent access is no data race in Rust's eyes.
        unsafe { Range::mapped(self.address, self.len.max(1) as u64, delta, true) }
    }

    fn write(&self, bytes: &[u8]) {
        for (word, chunk) in self.words[self.first()..].iter().zip(bytes.chunks(8)) {
            let mut padded = [0; 8];
            padded[..chunk.len()].copy_from_slice(chunk);
            word.store(u64::from_le_bytes(padded), Relaxed);
        }
    }

    fn read(&self) -> Vec<u8> {
        let words = self.words[self.first()..].iter().flat_map(|word| word.load(Relaxed).to_le_bytes());
        words.take(self.len).collect()
    }
}

impl Device {
    pub fn new(case: &Case, module: &Module) -> Result<Device, String> {
        let ranges = Arc::new(Ranges::new());
        let mut number = 0;
        let mut allocate = |len: usize| {
            let memory = Memory::new(number, len);
            number += 1;
            ranges.insert(memory.range()).map_err(|e| e.to_string())?;
            Ok::<Memory, String>(memory)
        };
        let buffers = case.buffers.iter().map(|b| allocate(b.before.len())).collect::<Result<_, _>>()?;
        let mut variables = HashMap::new();
        for variable in &module.variables {
            if matches!(variable.space, Space::Global | Space::Const) {
                let memory = allocate(bytes_of(variable))?;
                variables.insert(variable.name.to_string(), memory);
            }
        }
        let device = Device { buffers, variables, ranges };
        device.reset(module)?;
        Ok(device)
    }

    /// Gives variables their initial values.
    fn reset(&self, module: &Module) -> Result<(), String> {
        for variable in &module.variables {
            let (Some(memory), Some(init)) = (self.variables.get(&*variable.name), &variable.init) else {
                continue;
            };
            let mut bytes = init.bytes.clone();
            for reloc in &init.relocs {
                let cleave_ptx::ir::Symbol::Variable(id) = reloc.symbol else {
                    return Err(format!("{}: addresses of functions are for the driver", variable.name));
                };
                let target = &module.variables[id.0 as usize].name;
                let address = self.variables.get(&**target).ok_or("relocation to nothing")?.address;
                let value = address.wrapping_add_signed(reloc.addend).to_le_bytes();
                let at = reloc.offset as usize;
                bytes[at..at + reloc.width as usize]
                    .copy_from_slice(&value[reloc.shift as usize..][..reloc.width as usize]);
            }
            memory.write(&bytes);
        }
        Ok(())
    }

    /// One launch on fresh buffers, compared with what the case expects.
    pub fn run(&self, gpu: &Gpu, kernel: &Arc<Kernel>, case: &Case) -> Result<(), String> {
        for (memory, buffer) in self.buffers.iter().zip(&case.buffers) {
            memory.write(&buffer.before);
        }
        let launch = Launch {
            kernel: kernel.clone(),
            grid: case.grid,
            block: case.block,
            dynamic_shared: case.shared,
            params: self.buffers.iter().flat_map(|memory| memory.address.to_le_bytes()).collect(),
            cooperative: case.cooperative,
            workspace: 0,
            ranges: self.ranges.clone(),
            stack: 4096,
            priority: 0,
            id: 1,
            output: Arc::new(Discard),
            heap: None,
            pacing: None,
        };
        let (sender, receiver) = mpsc::channel();
        let grid = gpu.submit(launch, Box::new(move |outcome| drop(sender.send(outcome))));
        let outcome = receiver.recv_timeout(Duration::from_secs(20)).or_else(|_| {
            grid.stop();
            receiver.recv()
        });
        match (outcome.map_err(|e| e.to_string())?, &case.fault) {
            (Ok(_), None) => self.compare(case),
            (Ok(_), Some(kind)) => Err(format!("no fault, expected {kind}")),
            (Err(fault), Some(kind)) if format!("{:?}", fault.kind) == *kind => Ok(()),
            (Err(fault), _) => Err(format!("{fault:?}")),
        }
    }

    fn compare(&self, case: &Case) -> Result<(), String> {
        for (memory, buffer) in self.buffers.iter().zip(&case.buffers) {
            let found = memory.read();
            let wrong = match &buffer.expected {
                Some(expected) => expected.mismatch(&found),
                None => (found != buffer.before).then(|| "input was overwritten".to_owned()),
            };
            if let Some(wrong) = wrong {
                return Err(format!("{}: {wrong}", buffer.name));
            }
        }
        Ok(())
    }
}

impl Symbols for Device {
    fn variable(&self, _: usize, variable: &Variable) -> Option<u64> {
        self.variables.get(&*variable.name).map(|memory| memory.address)
    }
}

fn bytes_of(variable: &Variable) -> usize {
    let element = variable.ty.bytes() as usize * usize::from(variable.lanes);
    element * variable.dims.iter().product::<u64>() as usize
}
