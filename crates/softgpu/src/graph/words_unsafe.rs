//! Words in device-visible memory, touched atomically: kernels and the program may touch them at the same time.

use super::values::Reduction;
use cleave_api::cuda::types::*;
use cleave_simt::Ranges;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

/// The words a context's commands may touch.
pub(super) struct Words<'a> {
    ranges: &'a Ranges,
}

/// A live word, in one of its two widths.
enum Place<'a> {
    Narrow(&'a AtomicU32),
    Wide(&'a AtomicU64),
}

impl<'a> Words<'a> {
    pub fn of(ranges: &'a Ranges) -> Words<'a> {
        Words { ranges }
    }

    pub fn load(&self, addr: u64, wide: bool) -> Result<u64, CUresult> {
        Ok(match self.place(addr, wide, false)? {
            Place::Narrow(word) => word.load(Acquire).into(),
            Place::Wide(word) => word.load(Acquire),
        })
    }

    pub fn store(&self, addr: u64, wide: bool, value: u64) -> Result<(), CUresult> {
        match self.place(addr, wide, true)? {
            Place::Narrow(word) => word.store(value as u32, Release),
            Place::Wide(word) => word.store(value, Release),
        }
        Ok(())
    }

    pub fn reduce(&self, addr: u64, wide: bool, value: u64, how: Reduction) -> Result<(), CUresult> {
        match (self.place(addr, wide, true)?, how) {
            (Place::Narrow(word), Reduction::Or) => word.fetch_or(value as u32, AcqRel).into(),
            (Place::Narrow(word), Reduction::And) => word.fetch_and(value as u32, AcqRel).into(),
            (Place::Narrow(word), Reduction::Add) => word.fetch_add(value as u32, AcqRel).into(),
            (Place::Wide(word), Reduction::Or) => word.fetch_or(value, AcqRel),
            (Place::Wide(word), Reduction::And) => word.fetch_and(value, AcqRel),
            (Place::Wide(word), Reduction::Add) => word.fetch_add(value, AcqRel),
        };
        Ok(())
    }

    fn place(&self, addr: u64, wide: bool, write: bool) -> Result<Place<'a>, CUresult> {
        let bytes = if wide { 8 } else { 4 };
        let range = self.ranges.find(addr).ok_or(CUDA_ERROR_ILLEGAL_ADDRESS)?;
        if !addr.is_multiple_of(bytes) || range.end() - addr < bytes || (write && !range.writable()) {
            return Err(CUDA_ERROR_ILLEGAL_ADDRESS);
        }
        let host = addr.wrapping_add(range.delta()) as usize;
        // SAFETY: the range vouches for these bytes being mapped (and writable if we write), aligned by the check above
        // because deltas are whole pages; memory of ours stays mapped even after a free. Everyone who may touch them
        // does so through atomics or foreign code.
        Ok(unsafe {
            match wide {
                true => Place::Wide(AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(host))),
                false => Place::Narrow(AtomicU32::from_ptr(std::ptr::with_exposed_provenance_mut(host))),
            }
        })
    }
}
