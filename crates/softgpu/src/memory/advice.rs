//! What a program said about managed memory. It moves nothing here, but it can be read back.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// A place memory can be at, as the driver API numbers them: a kind and an id.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Location {
    pub kind: u32,
    pub id: i32,
}

impl Location {
    /// Nowhere in particular (CU_MEM_LOCATION_TYPE_INVALID, CU_DEVICE_INVALID).
    pub const NONE: Location = Location { kind: 0, id: -2 };
    /// The host, which as a device is number -1.
    pub const HOST: Location = Location { kind: 2, id: -1 };

    pub fn device(ordinal: usize) -> Location {
        Location { kind: 1, id: ordinal as i32 }
    }

    fn pack(self) -> u64 {
        u64::from(self.kind) << 32 | u64::from(self.id as u32)
    }

    fn unpack(word: u64) -> Location {
        Location { kind: (word >> 32) as u32, id: word as u32 as i32 }
    }
}

/// Advice about one managed allocation.
#[derive(Debug)]
pub struct Advice {
    pub read_mostly: AtomicBool,
    preferred: AtomicU64,
    prefetched: AtomicU64,
    /// One bit per device; the highest is the host.
    accessed_by: AtomicU32,
}

const HOST_BIT: u32 = 31;

impl Default for Advice {
    fn default() -> Advice {
        Advice {
            read_mostly: AtomicBool::new(false),
            preferred: AtomicU64::new(Location::NONE.pack()),
            prefetched: AtomicU64::new(Location::NONE.pack()),
            accessed_by: AtomicU32::new(0),
        }
    }
}

impl Advice {
    pub fn preferred(&self) -> Location {
        Location::unpack(self.preferred.load(Relaxed))
    }

    pub fn set_preferred(&self, location: Location) {
        self.preferred.store(location.pack(), Relaxed);
    }

    pub fn prefetched(&self) -> Location {
        Location::unpack(self.prefetched.load(Relaxed))
    }

    pub fn set_prefetched(&self, location: Location) {
        self.prefetched.store(location.pack(), Relaxed);
    }

    pub fn set_accessed_by(&self, location: Location, accessed: bool) {
        let bit = 1 << if location == Location::HOST { HOST_BIT } else { location.id as u32 % HOST_BIT };
        if accessed {
            self.accessed_by.fetch_or(bit, Relaxed);
        } else {
            self.accessed_by.fetch_and(!bit, Relaxed);
        }
    }

    /// Device numbers that were said to access it, the host as -1.
    pub fn accessed_by(&self) -> Vec<i32> {
        let bits = self.accessed_by.load(Relaxed);
        let number = |bit| if bit == HOST_BIT { Location::HOST.id } else { bit as i32 };
        (0..32).filter(|bit| bits & 1 << bit != 0).map(number).collect()
    }
}
