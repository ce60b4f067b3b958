//! What each device may do with memory that is opened device by device.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::layout::MAX_DEVICES;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub enum Access {
    None = 0,
    Read = 1,
    ReadWrite = 3,
}

impl Access {
    /// From the driver's flag value.
    pub fn from_flags(flags: u32) -> Option<Access> {
        [Access::None, Access::Read, Access::ReadWrite].into_iter().find(|&a| a as u32 == flags)
    }

    /// May read, may write.
    pub fn rights(self) -> (bool, bool) {
        (self != Access::None, self == Access::ReadWrite)
    }
}

/// Access per device ordinal. Changes one word at a time, so readers need no lock.
#[derive(Debug, Default)]
pub struct AccessMap([AtomicU8; MAX_DEVICES]);

impl AccessMap {
    pub fn get(&self, device: usize) -> Access {
        let flags = self.0.get(device).map_or(0, |word| word.load(Relaxed));
        Access::from_flags(flags.into()).unwrap_or(Access::None)
    }

    pub fn set(&self, device: usize, access: Access) {
        if let Some(word) = self.0.get(device) {
            word.store(access as u8, Relaxed);
        }
    }
}
