//! Variables of a module: laid out in one piece of device memory, managed ones apart.

use std::collections::HashMap;
use std::sync::Arc;

use cleave_api::cuda::types::*;
use cleave_ptx::ir::{self, Linkage, Space, Symbol};
use cleave_simt::Symbols;

use crate::bytes_unsafe::{self, Extent, Place};
use crate::context::Context;
use crate::gpu::SoftGpu;
use crate::memory::allocation::{Allocation, Kind};
use crate::memory::heap::GRANULE;
use crate::memory::layout;

/// Where the variables of a program are.
pub struct Variables {
    /// By module and name; a name is the program's own, so several modules may have it.
    places: HashMap<(usize, Box<str>), Variable>,
    /// The names other modules, and the program, may use.
    exported: HashMap<Box<str>, Variable>,
    memory: Vec<Arc<Allocation>>,
}

#[derive(Clone, Copy, Debug)]
pub struct Variable {
    pub address: u64,
    pub bytes: u64,
    pub managed: bool,
}

impl Variables {
    /// Finds memory for the variables of all modules.
    pub fn place(gpu: &SoftGpu, context: &Context, modules: &[ir::Module]) -> Result<Variables, CUresult> {
        let mut variables =
            Variables { places: HashMap::new(), exported: HashMap::new(), memory: Vec::new() };
        for managed in [false, true] {
            variables.place_kind(gpu, context, modules, managed)?;
        }
        Ok(variables)
    }

    fn place_kind(
        &mut self,
        gpu: &SoftGpu,
        context: &Context,
        modules: &[ir::Module],
        managed: bool,
    ) -> Result<(), CUresult> {
        let wanted: Vec<(usize, &ir::Variable)> = modules
            .iter()
            .enumerate()
            .flat_map(|(m, module)| module.variables.iter().map(move |v| (m, v)))
            .filter(|(_, v)| is_ours(v) && v.managed == managed)
            .collect();
        let (mut end, mut align) = (0u64, GRANULE);
        let mut offsets = Vec::with_capacity(wanted.len());
        for (_, variable) in &wanted {
            let at = end.checked_next_multiple_of(variable.alignment()).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
            end = at.checked_add(variable.size()).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
            align = align.max(variable.alignment());
            offsets.push(at);
        }
        if end == 0 {
            return Ok(());
        }
        // Blocks begin at granules: more than that is reached inside the block.
        let bytes = end.checked_add(align - GRANULE).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let memory = if managed {
            gpu.memory.alloc_managed(bytes, context.owner())
        } else {
            gpu.memory.alloc(&context.heap, bytes, Kind::Variable, context.owner())
        };
        let memory = memory.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let base = memory.start.next_multiple_of(align);
        self.memory.push(memory);
        for ((module, variable), offset) in wanted.into_iter().zip(offsets) {
            let place = Variable { address: base + offset, bytes: variable.size(), managed };
            self.places.insert((module, variable.name.clone()), place);
            if variable.linkage.is_some() {
                // Of several weak or common definitions all modules use the first.
                self.exported.entry(variable.name.clone()).or_insert(place);
            }
        }
        Ok(())
    }

    /// Writes what the variables start with. `function` tells the address of a function by name.
    pub fn initialise(&self, modules: &[ir::Module], function: impl Fn(&str) -> Option<u64>) {
        for (m, module) in modules.iter().enumerate() {
            for variable in module.variables.iter().filter(|v| is_ours(v)) {
                let Some(place) = self.places.get(&(m, variable.name.clone())) else { continue };
                let mut bytes = variable.initial_bytes();
                for reloc in variable.init.iter().flat_map(|init| &init.relocs) {
                    let address = match reloc.symbol {
                        Symbol::Variable(id) => {
                            module.variables.get(id.index()).and_then(|target| self.variable(m, target))
                        }
                        Symbol::Function(id) => {
                            module.functions.get(id.index()).and_then(|f| function(&f.name))
                        }
                        _ => None,
                    };
                    let value = address.unwrap_or(0).wrapping_add_signed(reloc.addend)
                        >> (8 * u32::from(reloc.shift));
                    let (at, width) = (reloc.offset as usize, usize::from(reloc.width));
                    if let Some(target) = bytes.get_mut(at..at + width) {
                        target.copy_from_slice(&value.to_le_bytes()[..width]);
                    }
                }
                write(place.address, &bytes);
            }
        }
    }

    /// A variable by the name the program asks for.
    pub fn named(&self, name: &str) -> Option<Variable> {
        let local = || self.places.iter().find(|((_, n), _)| &**n == name).map(|(_, place)| *place);
        self.exported.get(name).copied().or_else(local)
    }

    /// The memory behind them, to be forgotten with the module.
    pub fn memory(&self) -> &[Arc<Allocation>] {
        &self.memory
    }
}

impl Symbols for Variables {
    fn variable(&self, module: usize, variable: &ir::Variable) -> Option<u64> {
        let own = self.places.get(&(module, variable.name.clone()));
        let place = match variable.linkage {
            None => own,
            Some(_) => self.exported.get(&variable.name).or(own),
        };
        place.map(|place| place.address)
    }
}

/// Whether a variable needs device memory: shared and local ones are the engine's matter, extern ones somebody else's.
fn is_ours(variable: &ir::Variable) -> bool {
    matches!(variable.space, Space::Global | Space::Const) && variable.linkage != Some(Linkage::Extern)
}

fn write(address: u64, bytes: &[u8]) {
    let from = Place { addr: bytes.as_ptr() as u64, pitch: bytes.len(), layer: bytes.len() };
    let to = Place { addr: address + layout::ALIAS, ..from };
    bytes_unsafe::copy(&from, &to, Extent { width: bytes.len(), height: 1, depth: 1 });
}
