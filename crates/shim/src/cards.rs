//! The devices a tenant's process meets, and what it may have of each.

use std::sync::OnceLock;
use std::time::Duration;

use cleave_api::cuda::types::*;
use cleave_ledger::clock;

use crate::books::{self, Books};
use crate::real_unsafe::cuda as real;
use crate::tenancy::{self, Grant};
use crate::{capture, log};

/// A device as this process numbers it.
pub struct Card {
    pub device: CUdevice,
    /// What the tenant may have of it; nothing at all where it has no grant.
    grant: Option<&'static Grant>,
}

/// The devices, in the driver's numbering.
pub struct Cards([OnceLock<Card>; MOST]);

/// More than any machine has.
const MOST: usize = 64;

/// A node that is there looks several times in this many nanoseconds.
const NODE_LOOKS: u64 = 1_000_000_000;

impl Default for Cards {
    fn default() -> Cards {
        Cards([const { OnceLock::new() }; MOST])
    }
}

impl Cards {
    /// A device by number. An error is the driver's.
    pub fn get(&'static self, device: CUdevice) -> Result<&'static Card, CUresult> {
        let place =
            usize::try_from(device.0).ok().and_then(|n| self.0.get(n)).ok_or(CUDA_ERROR_INVALID_DEVICE)?;
        match place.get() {
            Some(card) => Ok(card),
            None => {
                let grant = tenancy::current().grant(identity(device)?);
                Ok(place.get_or_init(|| Card { device, grant }))
            }
        }
    }
}

/// What names the device everywhere, as digits. Devices are known by it and never by number: two programs of one tenant may
/// number them differently. The older function names the whole device where this one is an instance of it; a driver without
/// the newer one has no names for instances, and none is ever granted.
fn identity(device: CUdevice) -> Result<[u8; 16], CUresult> {
    let mut uuid = CUuuid::default();
    if real::cuDeviceGetUuid_v2((&mut uuid).into(), device) != CUDA_SUCCESS {
        real::cuDeviceGetUuid((&mut uuid).into(), device).ok()?;
    }
    Ok(uuid.bytes)
}

/// Bytes reserved for a call that the driver has not answered yet; given back unless kept.
#[must_use]
pub struct Charge {
    card: &'static Card,
    bytes: u64,
}

impl Charge {
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The driver said yes: whoever remembers the bytes gives them back.
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.card.release(self.bytes);
    }
}

impl Card {
    /// A device that the tenant has nothing of.
    #[cfg(test)]
    pub fn without_grant(device: CUdevice) -> Card {
        Card { device, grant: None }
    }

    /// Reserves bytes for `symbol`, or answers as a full device does.
    pub fn charge(&'static self, symbol: &'static str, bytes: u64) -> Result<Charge, CUresult> {
        if self.take(bytes) || self.make_room(bytes) {
            return Ok(Charge { card: self, bytes });
        }
        self.refuse(symbol, bytes)
    }

    /// Reserves bytes that do not fit at once: what pools and graphs of this process keep without need is given back first.
    #[cold]
    pub fn make_room(&'static self, bytes: u64) -> bool {
        books::get().is_some_and(|books| self.reclaim(books)) && self.take(bytes)
    }

    /// Reserves bytes without any attempt to make room.
    pub fn take(&self, bytes: u64) -> bool {
        bytes == 0 || self.grant.is_some_and(|grant| grant.charge(bytes))
    }

    /// Notes a refusal where people look for it.
    pub fn refuse<T>(&self, symbol: &'static str, wanted: u64) -> Result<T, CUresult> {
        let free = self.free();
        if let Some(Ok(seat)) = self.grant.map(Grant::seat) {
            seat.denied(symbol, wanted, free);
        }
        log::say(format_args!("denied symbol={symbol} device={} wanted={wanted} free={free}", self.device.0));
        Err(CUDA_ERROR_OUT_OF_MEMORY)
    }

    pub fn release(&self, bytes: u64) {
        if let Some(Ok(seat)) = self.grant.map(Grant::seat) {
            seat.release(bytes);
        }
    }

    /// The grant's memory.
    pub fn memory(&self) -> u64 {
        self.grant.map_or(0, Grant::memory)
    }

    /// What is free of it.
    pub fn free(&self) -> u64 {
        self.grant.map_or(0, Grant::free)
    }

    /// What a context costs, as far as it is known.
    pub fn context_bytes(&self) -> u64 {
        self.grant.map_or(0, |grant| grant.slot.terms().context)
    }

    /// Waits until the node has seen a context whose cost nobody knows yet, so that it is charged before anything else is made.
    /// Only where a node looks, and not for long: it concerns the first contexts on a device.
    pub fn wait_for_node(&self) {
        let Some(grant) = self.grant.filter(|grant| grant.slot.terms().context == 0) else { return };
        let begin = clock::now_ns();
        let mut last = grant.slot.heartbeat();
        if begin.saturating_sub(last) > NODE_LOOKS {
            return;
        }
        // The look that is under way may have begun before the context was there; the next one has not.
        let mut looks = 0;
        while looks < 2 && clock::now_ns() < begin + NODE_LOOKS {
            std::thread::sleep(Duration::from_millis(5));
            let heartbeat = grant.slot.heartbeat();
            looks += u32::from(heartbeat != last);
            last = heartbeat;
        }
    }

    pub fn grant(&self) -> Option<&'static Grant> {
        self.grant
    }

    /// Gives back what pools and graphs of this process keep on the device without using it. Whether it was worth it.
    fn reclaim(&'static self, books: &'static Books) -> bool {
        capture::aside(|| {
            let pools = books.pools.trim(self);
            let graphs = books.graphs.trim(self);
            pools | graphs
        })
    }
}
