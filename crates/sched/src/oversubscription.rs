use crate::card::{Need, Used};

/// How far a node's devices may be promised beyond what they have, to those who ask for it by name. The default
/// promises nothing beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oversubscription {
    /// Memory that may be promised, in percent of what the device has.
    pub memory_percent: u32,
}

impl Default for Oversubscription {
    fn default() -> Self {
        Oversubscription { memory_percent: 100 }
    }
}

impl Oversubscription {
    /// Memory that may be promised in all once `need` lies beside `used`. While nobody on the device asked for
    /// oversubscription there is nothing that could be moved out, so there is nothing beyond the device.
    pub(crate) fn limit(&self, used: &Used, need: &Need, memory_mib: u64) -> u64 {
        if !need.movable && used.movable_mib == 0 {
            return memory_mib;
        }
        memory_mib * u64::from(self.memory_percent.max(100)) / 100
    }
}
