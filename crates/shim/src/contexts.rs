//! Contexts and what they cost: memory that a context takes before anything is made in it.

use std::sync::Mutex;

use cleave_api::cuda::types::*;

use crate::books::{Map, lock};
use crate::cards::{Card, Charge};
use crate::real_unsafe::cuda as real;

/// The contexts of this process that we saw being made.
#[derive(Default)]
pub struct Contexts {
    made: Mutex<Map<Made>>,
    /// Primary contexts change hands under one lock: whether one is made is only known while nobody else makes it.
    pub primary: Mutex<()>,
}

struct Made {
    card: &'static Card,
    bytes: u64,
}

impl Contexts {
    /// Remembers a context and what was charged for it.
    pub fn insert(&self, handle: u64, card: &'static Card, charge: Charge) {
        let bytes = charge.bytes();
        charge.keep();
        if let Some(before) = lock(&self.made).insert(handle, Made { card, bytes }) {
            before.card.release(before.bytes);
        }
        self.count(card);
    }

    /// A context is gone.
    pub fn remove(&self, handle: u64) {
        let made = lock(&self.made).remove(&handle);
        if let Some(Made { card, bytes }) = made {
            card.release(bytes);
            self.count(card);
        }
    }

    fn count(&self, card: &Card) {
        let count = lock(&self.made).values().filter(|made| made.card.device == card.device).count();
        if let Some(Ok(seat)) = card.grant().map(crate::tenancy::Grant::seat) {
            seat.set_contexts(u32::try_from(count).unwrap_or(u32::MAX));
        }
    }
}

/// Whether the primary context of a device exists.
pub fn is_active(device: CUdevice) -> bool {
    let (mut flags, mut active) = (0, 0);
    real::cuDevicePrimaryCtxGetState(device, (&mut flags).into(), (&mut active).into()) == CUDA_SUCCESS
        && active != 0
}

/// The primary context of a device, if it exists.
pub fn primary(device: CUdevice) -> Option<CUcontext> {
    if !is_active(device) {
        return None;
    }
    let mut context = CUcontext(0);
    real::cuDevicePrimaryCtxRetain((&mut context).into(), device).ok().ok()?;
    // Drivers of old have the first form only.
    if real::cuDevicePrimaryCtxRelease_v2(device) == CUDA_ERROR_NOT_SUPPORTED {
        let _as_before = real::cuDevicePrimaryCtxRelease(device);
    }
    Some(context)
}
