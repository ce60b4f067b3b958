//! The private table that nvidia-smi asks NVML for, and without which it reports a version mismatch.
//!
//! Its process lists are the only slots that answer: nvidia-smi shows what it finds there, not what the public functions
//! say. A slot is named by its number in the table, whose word 0 is the table's size in bytes.

use core::ffi::c_void;

use cleave_api::edge::{InOut, Ptr, SliceMut};
use cleave_api::nvml::types::*;

use crate::exports_unsafe::guard;
use crate::gpu::Process;
use crate::{edge, state};

/// The one id that is known.
const ID: [u8; 16] = *b"\xc4\xfe\x3e\x6c\xc9\x8f\x6c\x4e\xa3\x27\xee\x69\x6e\x12\xf7\xc4";

/// Functions of the table; drivers differ in how many there are, and those of today have fewer.
const SLOTS: usize = 511;

/// Which slots list the processes that compute, that draw, and that compute through MPS.
const COMPUTE: usize = 213;
const GRAPHICS: usize = 214;
const MPS: usize = 215;

/// A process in those lists.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Entry {
    pid: u32,
    _padding: u32,
    memory: u64,
    gpu_instance: u32,
    compute_instance: u32,
    protected_memory: u64,
    name: [u8; 4096],
}

const _: () = assert!(size_of::<Entry>() == 4128);

// SAFETY: numbers and bytes, without gaps: every bit pattern is valid.
unsafe impl cleave_api::edge::Plain for Entry {}

type Slot = unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut Entry) -> nvmlReturn_t;

#[repr(C)]
struct Table {
    size: usize,
    slots: [Slot; SLOTS],
}

static TABLE: Table = Table { size: size_of::<Table>(), slots: slots() };

const fn slots() -> [Slot; SLOTS] {
    let mut slots: [Slot; SLOTS] = [not_supported; SLOTS];
    slots[COMPUTE - 1] = compute;
    slots[GRAPHICS - 1] = nobody;
    slots[MPS - 1] = nobody;
    slots
}

/// The table with the given id.
pub fn table(id: &[u8; 16]) -> Option<Ptr<c_void>> {
    (*id == ID).then(|| Ptr::to(&TABLE).cast())
}

/// What the other slots take is not known, and nothing of it is touched.
unsafe extern "C" fn not_supported(_: nvmlDevice_t, _: *mut u32, _: *mut Entry) -> nvmlReturn_t {
    NVML_ERROR_NOT_SUPPORTED
}

unsafe extern "C" fn compute(device: nvmlDevice_t, count: *mut u32, room: *mut Entry) -> nvmlReturn_t {
    // SAFETY: nvidia-smi passes a count and an array of that many entries.
    guard("process list", || unsafe { list(device, count, room, true) }.into())
}

unsafe extern "C" fn nobody(device: nvmlDevice_t, count: *mut u32, room: *mut Entry) -> nvmlReturn_t {
    // SAFETY: as above.
    guard("process list", || unsafe { list(device, count, room, false) }.into())
}

/// # Safety
/// `count` is null or points to a number, `room` is null or points to that many entries.
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
        _padding: 0,
        memory: process.memory,
        gpu_instance: u32::MAX,
        compute_instance: u32::MAX,
        protected_memory: 0,
        name: edge::field(&process.name()),
    }
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
        let plain = words[1];
        let special: Vec<usize> = (1..words.len()).filter(|&slot| words[slot] != plain).collect();
        assert_eq!(special, [COMPUTE, GRAPHICS, MPS]);
        // SAFETY: the slot touches nothing.
        let code =
            unsafe { TABLE.slots[26 - 1](nvmlDevice_t(1), std::ptr::null_mut(), std::ptr::null_mut()) };
        assert_eq!(code, NVML_ERROR_NOT_SUPPORTED);
    }

    #[test]
    fn lists_need_the_library() {
        let mut count = 500;
        // SAFETY: a count without an array is what a caller without room passes.
        let code = unsafe { TABLE.slots[COMPUTE - 1](nvmlDevice_t(1), &raw mut count, std::ptr::null_mut()) };
        assert_eq!((code, count), (NVML_ERROR_UNINITIALIZED, 500));
    }
}
