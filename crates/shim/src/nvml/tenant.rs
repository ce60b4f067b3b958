//! What NVML's hooks know of the tenant they answer: its grants, and which of them a handle means.

use cleave_api::nvml::types::*;
use cleave_slot::{SeatView, Uuid};

use super::room_unsafe::text;
use crate::real_unsafe::nvml as real;
use crate::tenancy::{self, Grant, Tenancy};

/// A tenant. It sees its grants and no other device, in their order.
#[derive(Clone, Copy)]
pub struct Tenant {
    grants: &'static [Grant],
}

/// A device as the tenant has it; without a grant it has nothing of it.
#[derive(Clone, Copy)]
pub struct Device {
    grant: Option<&'static Grant>,
}

/// A process of the tenant that has something on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// As the caller sees it.
    pub pid: u32,
    /// As the node sees it, if it has looked.
    pub host_pid: u32,
    pub memory: u64,
    pub name: String,
}

/// The tenant this process belongs to; `None` if it belongs to none and sees the machine as it is.
pub fn tenant() -> Option<Tenant> {
    match tenancy::current() {
        Tenancy::Unlimited => None,
        Tenancy::Tenant(grants) => Some(Tenant { grants }),
        Tenancy::Refused(_) => Some(Tenant { grants: &[] }),
    }
}

impl Tenant {
    pub fn len(self) -> usize {
        self.grants.len()
    }

    /// The device with a number of the tenant's.
    pub fn named(self, number: usize) -> Option<Uuid> {
        self.grants.get(number).map(|grant| grant.device)
    }

    /// The number of a device among the tenant's, from its handle.
    pub fn number(self, device: nvmlDevice_t) -> Result<Option<usize>, nvmlReturn_t> {
        // A partitioned device itself is nobody's: its instances are, each under a name of its own.
        let uuid = uuid(device)?;
        Ok(self.grants.iter().position(|grant| Some(grant.device) == uuid))
    }

    pub fn device(self, device: nvmlDevice_t) -> Result<Device, nvmlReturn_t> {
        let number = self.number(device)?;
        Ok(Device { grant: number.and_then(|number| self.grants.get(number)) })
    }

    /// Whether a process is one of the tenant's, on whatever device.
    pub fn has(self, pid: u32) -> bool {
        pid == std::process::id() || self.grants.iter().any(|grant| seats(grant).any(|seat| seat.pid == pid))
    }
}

/// The name of the device behind a handle.
fn uuid(device: nvmlDevice_t) -> Result<Option<Uuid>, nvmlReturn_t> {
    let text = text(|room, length| real::nvmlDeviceGetUUID(device, room, length))?;
    Ok(text.parse().ok())
}

fn seats(grant: &'static Grant) -> impl Iterator<Item = SeatView> {
    grant.slot.seats().into_iter().filter(|seat| seat.pid != 0)
}

impl Device {
    /// Bytes the tenant may have, and bytes it has. Who asks NVML wants to know exactly: what the dead had is not counted.
    pub fn memory(self) -> (u64, u64) {
        self.grant.map_or((0, 0), |grant| {
            grant.slot.recover();
            (grant.memory(), grant.slot.used())
        })
    }

    /// The tenant's share of the engine for compute and graphics, in percent. Who gets what others leave has no share of its
    /// own, and sees the device's numbers.
    pub fn compute(self) -> u32 {
        match self.grant.map_or(100, Grant::compute) {
            0 => 100,
            share => share,
        }
    }

    /// Its shares of the encoder and of the decoder.
    pub fn video(self) -> (u32, u32) {
        self.grant.map_or((100, 100), |grant| {
            let terms = grant.slot.terms();
            (terms.encode, terms.decode)
        })
    }

    /// The tenant's processes that have something on the device. One that only looked is none, as on a whole device.
    pub fn processes(self) -> Vec<Process> {
        let seats = self.grant.into_iter().flat_map(seats);
        let shown = seats.filter(|seat| seat.held + seat.overhead > 0 || seat.contexts > 0);
        let process = |seat: SeatView| Process {
            pid: seat.pid,
            host_pid: seat.host_pid,
            memory: seat.held + seat.overhead,
            name: seat.name,
        };
        shown.map(process).collect()
    }
}

impl Process {
    /// Whether NVML means this process by `pid`: it says what the node says, or, in the node's own pid namespace, what the
    /// process says.
    pub fn is(&self, pid: u32) -> bool {
        pid != 0 && (pid == self.pid || pid == self.host_pid)
    }
}
