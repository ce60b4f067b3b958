//! The part of an event that other processes see.

use cleave_device::Machine;
use cleave_device::shared_event::EventName;
use cleave_ledger::RecordId;

use crate::gpu::SoftGpu;
use crate::queue::{Probe, Shared};

/// This process's end of an event that several processes know.
pub struct SharedPart {
    machine: &'static Machine,
    record: RecordId,
    name: EventName,
    /// Made here: it ends with this end.
    own: bool,
}

impl SharedPart {
    /// A new event. `None`: there are too many.
    pub fn create(gpu: &SoftGpu) -> Option<SharedPart> {
        let (machine, record) = (gpu.machine, gpu.member.record());
        let name = machine.events().create(record)?;
        Some(SharedPart { machine, record, name, own: true })
    }

    /// An event of another process. `None`: it is gone.
    pub fn open(gpu: &SoftGpu, name: EventName) -> Option<SharedPart> {
        let exists = gpu.machine.events().exists(name);
        exists.then(|| SharedPart { machine: gpu.machine, record: gpu.member.record(), name, own: false })
    }
}

impl Shared for SharedPart {
    fn name(&self) -> EventName {
        self.name
    }

    fn begin(&self) -> u64 {
        // Tickets begin at 1; 0 is a record of an event that is gone, for which nobody waits.
        self.machine.events().begin(self.record, self.name).unwrap_or(0)
    }

    fn end(&self, number: u64) {
        self.machine.events().end(self.name, number);
    }

    fn foreign(&self) -> Option<Probe> {
        let (machine, name) = (self.machine, self.name);
        let point = machine.events().last(name).filter(|point| point.by != self.record)?;
        // A record may have another owner by the time we look again.
        let generation = machine.record(point.by).word.read().generation;
        Some(Box::new(move || {
            let there = machine.record(point.by).word.read().generation == generation;
            let lives = there && machine.is_alive(point.by);
            Ok(machine.events().is_reached(name, point) || !lives)
        }))
    }
}

impl Drop for SharedPart {
    fn drop(&mut self) {
        if self.own {
            self.machine.events().destroy(self.record, self.name);
        }
    }
}
