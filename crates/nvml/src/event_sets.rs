//! Sets of events. The software GPU reports none yet, so a set can be made, waited on and freed, and stays silent.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use cleave_api::nvml::types::*;

/// The sets that exist. A handle is a number that is never used again.
#[derive(Debug, Default)]
pub struct EventSets {
    sets: Mutex<(usize, HashSet<usize>)>,
}

impl EventSets {
    pub fn create(&self) -> nvmlEventSet_t {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        sets.0 += 1;
        let number = sets.0;
        sets.1.insert(number);
        nvmlEventSet_t(number)
    }

    pub fn has(&self, set: nvmlEventSet_t) -> Result<(), nvmlReturn_t> {
        let sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        sets.1.contains(&set.0).then_some(()).ok_or(NVML_ERROR_INVALID_ARGUMENT)
    }

    pub fn free(&self, set: nvmlEventSet_t) -> Result<(), nvmlReturn_t> {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        if sets.1.remove(&set.0) { Ok(()) } else { Err(NVML_ERROR_INVALID_ARGUMENT) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_lives_once() {
        let sets = EventSets::default();
        let (a, b) = (sets.create(), sets.create());
        assert_ne!(a, b);
        assert_eq!(sets.has(a), Ok(()));
        assert_eq!(sets.free(a), Ok(()));
        assert_eq!(sets.free(a), Err(NVML_ERROR_INVALID_ARGUMENT));
        assert_eq!(sets.has(a), Err(NVML_ERROR_INVALID_ARGUMENT));
        assert_ne!(sets.create(), a);
        assert_eq!(sets.has(b), Ok(()));
    }
}
