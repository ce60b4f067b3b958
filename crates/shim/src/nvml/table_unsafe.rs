//! The private table that nvidia-smi asks NVML for. Its lists of processes come from there, not from the public functions.
//!
//! A tenant gets a copy of the vendor's table in which the slots that show processes are ours. Their form is that of
//! nvidia-smi 535 (and 580); whoever asks in another form gets an empty list, which is counted, because what is written into a
//! form that is not known may land anywhere.

use core::ffi::c_void;
use core::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{Acquire, Release};

use cleave_api::edge::{InOut, Out, Ptr, SliceMut};
use cleave_api::nvml::private::{COMPUTE, Entry, GRAPHICS, ID, MPS, PCI_OF_INDEX, SAMPLES, Sample, Share};
use cleave_api::nvml::types::*;

use super::processes::NO_INSTANCE;
use super::room_unsafe::filled;
use super::tenant::{Process, Tenant, tenant};
use super::{Answer, In, answer_list};
use crate::exports_unsafe::guard;
use crate::real_unsafe::nvml as real;
use crate::{log, unwrapped};

/// Words that a table of this kind may have.
const WORDS: std::ops::RangeInclusive<usize> = 216..=4096;

/// How many processes nvidia-smi has room for (its queries have less), and how many samples: it tells the form it asks in.
const PROCESSES: [u32; 2] = [500, 250];
const MOMENTS: u32 = 100;

/// The copy that tenants get, and the vendor's table it is of. Tables of a driver do not change, and neither does a copy: once
/// made it stays, and nobody waits for anybody, so that a forked child does not either.
struct Copied {
    of: Ptr<usize>,
    words: &'static [usize],
}

static COPY: AtomicPtr<Copied> = AtomicPtr::new(null_mut());

pub fn nvmlInternalGetExportTable(table: Out<Ptr<c_void>, nvmlReturn_t>, id: In<[u8; 16]>) -> nvmlReturn_t {
    let code = real::nvmlInternalGetExportTable(table, id);
    if code != NVML_SUCCESS || tenant().is_none() {
        return code;
    }
    if id.get() != Ok(ID) {
        note("a table that is not known was handed out");
        return code;
    }
    let run = || -> Answer {
        let theirs = filled(|table| real::nvmlInternalGetExportTable(table, id))?;
        table.set(copy(theirs))
    };
    run().into()
}

/// The table for tenants.
fn copy(theirs: Ptr<c_void>) -> Ptr<c_void> {
    let of = theirs.cast();
    let words = match copied().filter(|copied| copied.of == of) {
        Some(copied) => copied.words,
        None => {
            let Some(words) = replaced(theirs) else { return theirs };
            // Two that make one at the same time each keep their own.
            COPY.store(Box::leak(Box::new(Copied { of, words })), Release);
            words
        }
    };
    Ptr::to(&words[0]).cast()
}

fn copied() -> Option<&'static Copied> {
    // SAFETY: null, or leaked in `copy`.
    unsafe { COPY.load(Acquire).as_ref() }
}

/// A copy with our slots in it; `None` for a table that has no such slots.
fn replaced(theirs: Ptr<c_void>) -> Option<&'static [usize]> {
    let size = theirs.cast::<usize>().one::<nvmlReturn_t>().get().ok()? / size_of::<usize>();
    if !WORDS.contains(&size) {
        note("a table of another size was handed out");
        return None;
    }
    let mut words: Vec<usize> = theirs.cast::<usize>().slice::<nvmlReturn_t>(size).iter().collect();
    let ours: [(usize, *const ()); 5] = [
        (PCI_OF_INDEX, pci_of_index as *const ()),
        (SAMPLES, samples as *const ()),
        (COMPUTE, compute as *const ()),
        (GRAPHICS, nobody as *const ()),
        (MPS, nobody as *const ()),
    ];
    // An empty slot stays empty: whoever looks for a function there shall find none.
    for (slot, function) in ours {
        if words[slot] != 0 {
            words[slot] = function.expose_provenance();
        }
    }
    Some(words.leak())
}

fn note(what: &str) {
    unwrapped::count();
    log::say(format_args!("private table: {what}"));
}

/// The vendor's function in a slot.
fn theirs(slot: usize) -> Option<*const ()> {
    let function = copied()?.of.slice::<nvmlReturn_t>(slot + 1).get(slot)?;
    Some(core::ptr::with_exposed_provenance(function))
}

type List = unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut Entry) -> nvmlReturn_t;

/// # Safety
/// `count` is null or points to a number, `room` is null or points to that many entries.
unsafe extern "C" fn compute(device: nvmlDevice_t, count: *mut u32, room: *mut Entry) -> nvmlReturn_t {
    // SAFETY: the same promise.
    guard("process list", || unsafe { list(COMPUTE, device, count, room, |found| found) })
}

/// # Safety
/// As for `compute`.
unsafe extern "C" fn nobody(device: nvmlDevice_t, count: *mut u32, room: *mut Entry) -> nvmlReturn_t {
    // SAFETY: the same promise. Which of the two lists is asked for does not matter: both check the device alike.
    guard("process list", || unsafe { list(GRAPHICS, device, count, room, |_| Vec::new()) })
}

/// # Safety
/// As for `compute`.
unsafe fn list(
    slot: usize,
    device: nvmlDevice_t,
    count: *mut u32,
    room: *mut Entry,
    which: fn(Vec<Process>) -> Vec<Process>,
) -> nvmlReturn_t {
    let (Some(tenant), Some(function)) = (tenant(), theirs(slot)) else { return NVML_ERROR_NOT_SUPPORTED };
    // SAFETY: the slot holds a function of this form in every table that is known.
    let function = unsafe { core::mem::transmute::<*const (), List>(function) };
    let mut none = 0;
    // SAFETY: without room the list goes nowhere; the vendor looks at the device.
    match unsafe { function(device, &raw mut none, core::ptr::null_mut()) } {
        NVML_SUCCESS | NVML_ERROR_INSUFFICIENT_SIZE => {}
        code => return code,
    }
    // SAFETY: by the caller's promise.
    let count = unsafe { InOut::<u32, nvmlReturn_t>::new(count) };
    let run = || -> Answer {
        let had = count.get()?;
        if !PROCESSES.contains(&had) {
            note("a list was asked for in a form that is not known");
            return count.set(0);
        }
        // SAFETY: by the caller's promise, of which the count tells the form.
        let room = unsafe { SliceMut::<Entry, nvmlReturn_t>::new(room, had as usize) };
        let found = which(tenant.device(device)?.processes());
        answer_list(&found.iter().map(entry).collect::<Vec<_>>(), count, room)
    };
    run().into()
}

fn entry(process: &Process) -> Entry {
    let mut name = [0; 4096];
    let shown = name_of(process);
    let end = shown.len().min(name.len() - 1);
    name[..end].copy_from_slice(&shown.as_bytes()[..end]);
    Entry {
        pid: process.pid,
        padding: 0,
        memory: process.memory,
        gpu_instance: NO_INSTANCE,
        compute_instance: NO_INSTANCE,
        protected_memory: 0,
        name,
    }
}

/// What the process was started as, else what it calls itself.
fn name_of(process: &Process) -> String {
    let line = std::fs::read(format!("/proc/{}/cmdline", process.pid)).unwrap_or_default();
    match line.split(|&byte| byte == 0).next() {
        Some(program) if !program.is_empty() => String::from_utf8_lossy(program).into_owned(),
        _ => process.name.clone(),
    }
}

type Samples = unsafe extern "C" fn(nvmlDevice_t, u64, *mut u32, *mut u32, *mut Sample) -> nvmlReturn_t;

/// # Safety
/// `kind` and `count` are null or point to a number, `room` is null or points to that many moments.
unsafe extern "C" fn samples(
    device: nvmlDevice_t,
    last_seen: u64,
    kind: *mut u32,
    count: *mut u32,
    room: *mut Sample,
) -> nvmlReturn_t {
    let run = || {
        let (Some(tenant), Some(function)) = (tenant(), theirs(SAMPLES)) else {
            return NVML_ERROR_NOT_SUPPORTED;
        };
        // SAFETY: by the caller's promise.
        let asked = unsafe { InOut::<u32, nvmlReturn_t>::new(count) };
        if asked.get() != Ok(MOMENTS) || room.is_null() {
            note("samples were asked for in a form that is not known");
            return NVML_ERROR_NOT_SUPPORTED;
        }
        // SAFETY: the slot holds a function of this form in every table that is known.
        let function = unsafe { core::mem::transmute::<*const (), Samples>(function) };
        // SAFETY: the caller's own arguments.
        let code = unsafe { function(device, last_seen, kind, count, room) };
        if code != NVML_SUCCESS {
            return code;
        }
        // SAFETY: by the caller's promise.
        let room = unsafe { SliceMut::<Sample, nvmlReturn_t>::new(room, MOMENTS as usize) };
        only_own(tenant, device, asked, room).into()
    };
    guard("process samples", run)
}

/// Takes others out of the samples: at those moments the engine was free, as far as the tenant can know.
fn only_own(
    tenant: Tenant,
    device: nvmlDevice_t,
    count: InOut<u32, nvmlReturn_t>,
    room: SliceMut<Sample, nvmlReturn_t>,
) -> Answer {
    let own = tenant.device(device)?.processes();
    for i in 0..count.get()?.min(MOMENTS) as usize {
        let Some(mut moment) = room.get(i) else { break };
        for share in &mut moment.engines {
            match own.iter().find(|process| process.is(share.pid)) {
                Some(process) => share.pid = process.pid,
                None => *share = Share::default(),
            }
        }
        room.set(i, moment)?;
    }
    Ok(())
}

type PciOfIndex = unsafe extern "C" fn(u32, *mut u32, *mut u32, *mut u32) -> nvmlReturn_t;

/// The PCI address of the device with a number of the tenant's.
///
/// # Safety
/// The pointers are null or point to a number.
unsafe extern "C" fn pci_of_index(
    index: u32,
    domain: *mut u32,
    bus: *mut u32,
    device: *mut u32,
) -> nvmlReturn_t {
    let run = || -> Answer {
        let function = theirs(PCI_OF_INDEX).ok_or(NVML_ERROR_NOT_SUPPORTED)?;
        // SAFETY: the slot holds a function of this form in every table that is known.
        let function = unsafe { core::mem::transmute::<*const (), PciOfIndex>(function) };
        let handle =
            filled(|handle: Out<nvmlDevice_t, _>| super::nvmlDeviceGetHandleByIndex_v2(index, handle))?;
        let number = filled(|number| real::nvmlDeviceGetIndex(handle, number))?;
        // SAFETY: the caller's own arguments.
        unsafe { function(number, domain, bus, device) }.ok()
    };
    guard("PCI address of a number", || run().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of so many words, all filled but one.
    fn table(words: usize, empty: usize) -> Ptr<c_void> {
        let mut table: Vec<usize> = (0..words).map(|word| 0x1000 + word).collect();
        (table[0], table[empty]) = (words * size_of::<usize>(), 0);
        Ptr::to(&table.leak()[0]).cast()
    }

    #[test]
    fn only_the_slots_about_processes_are_replaced() {
        let words = replaced(table(245, GRAPHICS)).expect("a table of the known kind");
        assert_eq!((words[0], words.len()), (245 * 8, 245));
        let ours: Vec<usize> = (1..words.len()).filter(|&word| words[word] != 0x1000 + word).collect();
        assert_eq!(ours, [PCI_OF_INDEX, SAMPLES, COMPUTE, GRAPHICS, MPS]);
        assert_eq!(words[GRAPHICS], 0, "an empty slot stays empty");
    }

    #[test]
    fn a_table_of_another_size_is_left_alone() {
        assert!(replaced(table(213, 1)).is_none());
        assert!(replaced(table(5000, 1)).is_none());
    }

    #[test]
    fn a_name_is_cut_to_its_room() {
        let process = Process { pid: u32::MAX, host_pid: 0, memory: 5, name: "n".repeat(5000) };
        let entry = entry(&process);
        assert_eq!((entry.pid, entry.memory, entry.gpu_instance), (u32::MAX, 5, u32::MAX));
        assert_eq!((entry.name[4094], entry.name[4095]), (b'n', 0));
    }
}
