//! The devices a process sees: what they are called, what they have, what they can.

/// Answers of cuDeviceGetAttribute.
mod attributes;

pub use attributes::attribute;
pub use cleave_device::card as limits;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cleave_device::{Setup, identity};

use crate::context::Context;
use crate::gate::Gate;
use crate::memory::space::Space;

/// One device as this process numbers it.
pub struct Device {
    /// Who it is on the machine, whatever the process is shown.
    pub identity: &'static identity::Device,
    pub setup: &'static Setup,
    pub space: Arc<Space>,
    /// The way to its engines.
    pub gate: Arc<Gate>,
    primary: Mutex<Primary>,
}

/// The context that the runtime and its users share.
#[derive(Default)]
pub struct Primary {
    pub context: Option<Arc<Context>>,
    pub users: u32,
    pub flags: u32,
}

impl Device {
    pub fn new(
        identity: &'static identity::Device,
        setup: &'static Setup,
        space: Arc<Space>,
        gate: Arc<Gate>,
    ) -> Device {
        Device { identity, setup, space, gate, primary: Mutex::default() }
    }

    pub fn primary(&self) -> MutexGuard<'_, Primary> {
        self.primary.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
