//! The tenant's side of a slot.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use crate::error::Error;
use crate::files::{Opening, Side};
use crate::layout::Limits;
use crate::seat::Seat;
use crate::terms::Terms;
use crate::uuid::Uuid;
use crate::view::SeatView;

/// Bytes of a unit of the counter, which has 32 bits for 2 TiB. What is charged is rounded up to it, a limit down.
pub(crate) const UNIT: u64 = 512;

/// Units that hold `bytes`; None if there are not that many.
pub(crate) fn units(bytes: u64) -> Option<u32> {
    u32::try_from(bytes.div_ceil(UNIT)).ok()
}

/// Units that fit into `bytes`, as many as can be counted.
pub(crate) fn whole_units(bytes: u64) -> u32 {
    u32::try_from(bytes / UNIT).unwrap_or(u32::MAX)
}

pub(crate) fn bytes(units: u32) -> u64 {
    u64::from(units) * UNIT
}

/// A slot as a process of the tenant has it open. Clones are the same opening.
#[derive(Clone)]
pub struct Slot {
    pub(crate) open: Arc<Opening>,
}

impl Slot {
    /// Opens the slot in `folder`. What is not a slot of this version is an error that says what to do.
    pub fn open(folder: &Path) -> Result<Slot, Error> {
        Ok(Slot { open: Arc::new(Opening::open(folder, Side::Tenant)?) })
    }

    /// What the grant says now.
    pub fn terms(&self) -> Terms {
        self.open.limits.terms()
    }

    /// Bytes the tenant may hold now.
    #[inline]
    pub fn memory(&self) -> u64 {
        self.open.limits.memory.load(Relaxed)
    }

    /// Bytes the tenant holds, the node's part included.
    #[inline]
    pub fn used(&self) -> u64 {
        self.open.used()
    }

    /// Bytes that still fit: none if the tenant holds more than it may, which a limit that was lowered leads to.
    #[inline]
    pub fn free(&self) -> u64 {
        bytes(self.open.limit()).saturating_sub(self.used())
    }

    /// How often something was refused, by all processes there ever were.
    pub fn denials(&self) -> u64 {
        self.open.usage.denials.load(Relaxed)
    }

    /// When the node last looked, on the clock of the initial time namespace; 0 if it never did.
    pub fn heartbeat(&self) -> u64 {
        self.open.limits.heartbeat.load(Relaxed)
    }

    /// The processes of the tenant.
    pub fn seats(&self) -> Vec<SeatView> {
        self.open.seats(|| true)
    }

    /// Gives back what dead processes hold; how many there were. Where there is a node it does so anyway, a little later.
    pub fn recover(&self) -> usize {
        self.open.recover(|id| self.open.usage.counter.held(&*self.open, id) > 0)
    }

    /// Takes a place for this process, which it keeps until it ends or drops it. `name` is for people.
    pub fn join(&self, name: &str) -> Result<Seat, Error> {
        Ok(Seat::new(self.clone(), self.open.claim(name)?))
    }
}

impl Opening {
    #[inline]
    pub fn used(&self) -> u64 {
        bytes(self.usage.counter.used())
    }

    /// The limit in units.
    #[inline]
    pub fn limit(&self) -> u32 {
        whole_units(self.limits.memory.load(Relaxed))
    }
}

impl Limits {
    pub fn terms(&self) -> Terms {
        let device = [0, 1].map(|at: usize| self.device[at].load(Relaxed));
        Terms {
            device: Uuid::from_words(self.device_kind.load(Relaxed), device),
            memory: self.memory.load(Acquire),
            compute: self.compute.load(Relaxed),
            encode: self.encode.load(Relaxed),
            decode: self.decode.load(Relaxed),
            priority: self.priority.load(Relaxed),
            policy: self.policy.load(Relaxed),
            device_total: self.device_total.load(Relaxed),
            context: self.context.load(Relaxed),
        }
    }
}
