//! The private table that nvidia-smi asks NVML for: its id, the slots whose form is known (that of version 535), and what they hand over.
//!
//! A slot is a word of the table, named by its number; word 0 is the table's size in bytes.

use crate::layout_unsafe::plain_type;

/// The id of the table.
pub const ID: [u8; 16] = *b"\xc4\xfe\x3e\x6c\xc9\x8f\x6c\x4e\xa3\x27\xee\x69\x6e\x12\xf7\xc4";

/// The address of the device with a number.
pub const PCI_OF_INDEX: usize = 75;
/// How busy processes kept the engines: what `pmon` shows.
pub const SAMPLES: usize = 145;
/// The processes that compute: what every list of processes shows, instead of the public functions' answers.
pub const COMPUTE: usize = 213;
/// The processes that draw.
pub const GRAPHICS: usize = 214;
/// The processes that compute through MPS.
pub const MPS: usize = 215;

/// A process in those lists.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its number.
    pub pid: u32,
    /// Nothing.
    pub padding: u32,
    /// Bytes of device memory it holds.
    pub memory: u64,
    /// All ones without MIG.
    pub gpu_instance: u32,
    /// All ones without MIG.
    pub compute_instance: u32,
    /// Bytes of it that are protected.
    pub protected_memory: u64,
    /// Zero-terminated.
    pub name: [u8; 4096],
}
plain_type!(Entry: u32 u64 [u8; 4096]);
const _: () = assert!(size_of::<Entry>() == 4128);

/// Who was on each engine at one moment: GR, memory, encoder, decoder.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Sample {
    /// Microseconds.
    pub at_us: u64,
    /// An entry for each engine.
    pub engines: [Share; 4],
}
plain_type!(Sample: u64 [Share; 4]);
const _: () = assert!(size_of::<Sample>() == 328);

/// Who was on an engine.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Share {
    /// How much of it.
    pub percent: u64,
    /// Nought for nobody.
    pub pid: u32,
    /// Not known.
    pub unknown: [u32; 17],
}
plain_type!(Share: u64 u32 [u32; 17]);
