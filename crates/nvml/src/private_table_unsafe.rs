//! The private table that nvidia-smi asks NVML for, and without which it reports a version mismatch.
//!
//! A slot is named by its number in the table, whose word 0 is the table's size in bytes. Few slots answer: those from which
//! nvidia-smi takes what it shows about processes, and some about PCI addresses, in the form that version 535 wants. What
//! the others take is not known.

use core::ffi::c_void;

use cleave_api::edge::{InOut, Out, Ptr, SliceMut};
use cleave_api::nvml::private::{COMPUTE, Entry, GRAPHICS, ID, MPS, PCI_OF_INDEX, SAMPLES, Sample, Share};
use cleave_api::nvml::types::*;

use crate::exports_unsafe::guard;
use crate::gpu::{self, Part, Process};
use crate::{edge, private_pci_unsafe, shares, state};

/// Functions of the table; drivers differ in how many there are, and those of today have fewer.
const SLOTS: usize = 511;

/// The numbers of a PCI address, and how far apart two are.
const PCI_PARSE: usize = 12;
const PCI_DISTANCE: usize = 23;
/// Whether a device can be watched: `dmon` and `pmon` begin with it.
const WATCHABLE: usize = 72;

/// Addresses of functions; which arguments one takes is the slot's matter.
#[repr(C)]
struct Table {
    size: usize,
    slots: [*const (); SLOTS],
}

// SAFETY: addresses of functions are numbers that never change.
unsafe impl Sync for Table {}

static TABLE: Table = Table { size: size_of::<Table>(), slots: slots() };

const fn slots() -> [*const (); SLOTS] {
    let mut slots = [not_supported as *const (); SLOTS];
    slots[PCI_PARSE - 1] = private_pci_unsafe::parse as *const ();
    slots[PCI_DISTANCE - 1] = private_pci_unsafe::distance as *const ();
    slots[PCI_OF_INDEX - 1] = private_pci_unsafe::of_index as *const ();
    slots[WATCHABLE - 1] = watchable as *const ();
    slots[SAMPLES - 1] = samples as *const ();
    slots[COMPUTE - 1] = compute as *const ();
    slots[GRAPHICS - 1] = nobody as *const ();
    slots[MPS - 1] = nobody as *const ();
    slots
}

/// The table with the given id.
pub fn table(id: &[u8; 16]) -> Option<Ptr<c_void>> {
    (*id == ID).then(|| Ptr::to(&TABLE).cast())
}

extern "C" fn not_supported() -> nvmlReturn_t {
    NVML_ERROR_NOT_SUPPORTED
}

/// # Safety
/// `answer` is null or points to a number.
unsafe extern "C" fn watchable(device: nvmlDevice_t, answer: *mut u32) -> nvmlReturn_t {
    // SAFETY: by the caller's promise.
    let answer = unsafe { Out::<u32, nvmlReturn_t>::new(answer) };
    let run = || {
        state::running()?.gpu(device)?;
        answer.set(1)
    };
    guard("watchable", || run().into())
}

/// # Safety
/// `count` is null or points to a number, `room` is null or points to that many entries.
unsafe extern "C" fn compute(device: nvmlDevice_t, count: *mut u32, room: *mut Entry) -> nvmlReturn_t {
    // SAFETY: the same promise.
    guard("process list", || unsafe { list(device, count, room, true) }.into())
}

/// # Safety
/// As for `compute`.
unsafe extern "C" fn nobody(device: nvmlDevice_t, count: *mut u32, room: *mut Entry) -> nvmlReturn_t {
    // SAFETY: the same promise.
    guard("process list", || unsafe { list(device, count, room, false) }.into())
}

/// # Safety
/// As for `compute`.
unsafe fn list(device: nvmlDevice_t, count: *mut u32, room: *mut Entry, any: bool) -> edge::Answer {
    // SAFETY: by the caller's promise.
    let count = unsafe { InOut::<u32, nvmlReturn_t>::new(count) };
    // SAFETY: likewise, and the length is what the number says.
    let room = unsafe { SliceMut::<Entry, nvmlReturn_t>::new(room, count.get()? as usize) };
    let found = state::running()?.gpu(device)?.processes();
    let found: Vec<Entry> = found.iter().filter(|_| any).map(entry).collect();
    edge::list(&found, count, room)
}

fn entry(process: &Process) -> Entry {
    Entry {
        pid: process.pid,
        padding: 0,
        memory: process.memory,
        gpu_instance: u32::MAX,
        compute_instance: u32::MAX,
        protected_memory: 0,
        name: edge::field(&process.name()),
    }
}

/// # Safety
/// `kind` and `count` are null or point to a number, `room` is null or points to that many samples.
unsafe extern "C" fn samples(
    device: nvmlDevice_t,
    last_seen: u64,
    kind: *mut u32,
    count: *mut u32,
    room: *mut Sample,
) -> nvmlReturn_t {
    // SAFETY: by the caller's promise.
    let (kind, count) =
        unsafe { (Out::<u32, nvmlReturn_t>::new(kind), InOut::<u32, nvmlReturn_t>::new(count)) };
    let run = || {
        let gpu = state::running()?.gpu(device)?;
        // Another number than the one nvidia-smi 535 has room for may mean another layout.
        if count.get()? as usize != shares::SAMPLES {
            return Err(NVML_ERROR_NOT_SUPPORTED);
        }
        // SAFETY: by the caller's promise.
        let room = unsafe { SliceMut::<Sample, nvmlReturn_t>::new(room, shares::SAMPLES) };
        let now = gpu::wall_us();
        if now <= last_seen {
            return Err(NVML_ERROR_NOT_FOUND);
        }
        kind.set(NVML_VALUE_TYPE_UNSIGNED_INT.0)?;
        edge::list(&hundred(now, &gpu.processes()), count, room)
    };
    guard("process samples", || run().into())
}

/// nvidia-smi averages over the samples, whoever they are of.
fn hundred(at_us: u64, processes: &[Process]) -> Vec<Sample> {
    let of = |part| shares::turns(processes.iter().map(|process| (process.pid, process.load(part))));
    let turns = Part::ALL.map(of);
    let share = |pid: Option<u32>| match pid {
        Some(pid) => Share { percent: 100, pid, ..Share::default() },
        None => Share::default(),
    };
    let sample =
        |i: usize| Sample { at_us, engines: [0, 1, 2, 3].map(|engine: usize| share(turns[engine][i])) };
    (0..shares::SAMPLES).map(sample).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_table_under_one_id() {
        assert!(table(&[0; 16]).is_none());
        let table = table(&ID).expect("known");
        let words: Vec<usize> = table.cast::<usize>().slice::<nvmlReturn_t>(SLOTS + 1).iter().collect();
        assert_eq!(words[0], words.len() * 8, "its size");
        let plain = not_supported as *const () as usize;
        let special: Vec<usize> = (1..words.len()).filter(|&slot| words[slot] != plain).collect();
        let pci = [PCI_PARSE, PCI_DISTANCE, WATCHABLE, PCI_OF_INDEX];
        assert_eq!(special, [&pci[..], &[SAMPLES, COMPUTE, GRAPHICS, MPS]].concat());
    }

    #[test]
    fn lists_need_the_library() {
        let mut count = 500;
        // SAFETY: a count without an array is what a caller without room passes.
        let code = unsafe { compute(nvmlDevice_t(1), &raw mut count, std::ptr::null_mut()) };
        assert_eq!((code, count), (NVML_ERROR_UNINITIALIZED, 500));
    }
}
