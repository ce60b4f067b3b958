//! The control file: which struct lies where. Every struct in it is declared once and holds nothing but atomics.
//!
//! ```text
//! header | claims | an area per device | records | seats | shared events | chunks, a region per device
//! ```

use std::sync::atomic::{AtomicU32, AtomicU64};

use cleave_ledger::{Account, RecordId, RecordWord, shared};

use crate::chunks::Chunks;
use crate::engine::{EngineFields, EngineWords};
use crate::header;
use crate::setup::Setup;
use crate::shared_event::SharedEvents;
use crate::usage::Usage;

/// Most devices of a machine.
pub const MAX_DEVICES: usize = 16;
/// Bytes of a process's name.
pub const NAME_WORDS: usize = 8;
/// Parts begin at pages, so that one part's growth never splits another's cache lines.
const PAGE: usize = 4096;

shared! {
    /// Which records are taken, a bit each, so that nobody looks at a thousand records to find three. Changed only by who
    /// holds the record's token.
    pub struct Claims {
        pub bits: [AtomicU64; RecordId::TABLE / 64],
    }
}

shared! {
    /// What one device has besides memory.
    pub struct DeviceArea {
        /// What processes that have ended used of it.
        pub departed: Usage,
        pub engines: EngineWords,
    }
}

shared! {
    /// One process. Written by itself, or by who recovers it.
    pub struct Record {
        pub word: RecordWord,
        pub uid: AtomicU32,
        /// The process id as the process itself sees it: shown where the kernel cannot translate it, never compared.
        pub pid: AtomicU32,
        /// A short name, padded with zeros.
        pub name: [AtomicU64; NAME_WORDS],
    }
}

shared! {
    /// What one process has on one device.
    pub struct Seat {
        pub account: Account,
        pub engine: EngineFields,
        pub usage: Usage,
    }
}

/// Where the parts of a control file begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub devices: usize,
    /// Chunks of each device.
    pub chunks: u64,
    pub claims: usize,
    pub areas: usize,
    pub records: usize,
    seats: usize,
    pub events: usize,
    regions: usize,
    region: usize,
    /// Bytes of the whole file.
    pub len: usize,
}

impl Layout {
    pub fn of(setup: &Setup) -> Layout {
        let mut end = 0;
        let mut part = |bytes: usize| {
            let start = end;
            end += bytes.next_multiple_of(PAGE);
            start
        };
        let (devices, chunks) = (setup.devices, setup.chunks() as u64);
        let region = Chunks::region_bytes(chunks).next_multiple_of(PAGE);
        part(header::BYTES);
        let claims = part(size_of::<Claims>());
        let areas = part(devices * size_of::<DeviceArea>());
        let records = part(RecordId::TABLE * size_of::<Record>());
        let seats = part(devices * RecordId::TABLE * size_of::<Seat>());
        let events = part(SharedEvents::BYTES);
        let regions = part(devices * region);
        Layout { devices, chunks, claims, areas, records, seats, events, regions, region, len: end }
    }

    /// The seats of one device, one for every record.
    pub fn seats(&self, device: usize) -> usize {
        self.seats + device * RecordId::TABLE * size_of::<Seat>()
    }

    /// The region of one device's chunks.
    pub fn region(&self, device: usize) -> usize {
        self.regions + device * self.region
    }
}

/// Version of the layout. The sizes of the structs are part of it: two builds that differ in them do not share a device.
pub fn version() -> String {
    const VERSION: u32 = 1;
    let sizes = [
        size_of::<DeviceArea>(),
        size_of::<Record>(),
        size_of::<Seat>(),
        SharedEvents::BYTES,
        Chunks::region_bytes(1 << 10),
    ];
    sizes.iter().fold(VERSION.to_string(), |text, size| format!("{text}/{size}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::PRESETS;

    #[test]
    fn parts_are_apart_and_no_larger_than_they_need_be() {
        for devices in [1, 3, MAX_DEVICES] {
            let mut setup = PRESETS[0].setup();
            setup.devices = devices;
            let layout = Layout::of(&setup);
            let starts = [
                header::BYTES,
                layout.claims,
                layout.areas,
                layout.records,
                layout.seats,
                layout.events,
                layout.region(0),
            ];
            assert!(
                starts.is_sorted() && starts.iter().all(|start| start.is_multiple_of(PAGE)),
                "{layout:?}"
            );
            assert_eq!(layout.region(devices), layout.len);
            assert!(
                layout.len < devices * (4 << 20) + (4 << 20),
                "{} bytes for {devices} devices",
                layout.len
            );
        }
    }
}
