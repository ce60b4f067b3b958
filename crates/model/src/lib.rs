//! The words of Cleave as types: Device, Ask, Placement, Grant.
//!
//! No I/O, no clock, no dependency. Integer units everywhere: memory in MiB, shares in thousandths of a percent,
//! speed in thousandths of a TFLOPS. Values relative to a device stay relative in an Ask and are resolved by
//! [`Ask::on`] when a device is chosen; the resolved [`Slice`] is what is committed.
#![forbid(unsafe_code)]

/// What a tenant requests before anyone has decided.
mod ask;
/// A GPU as a node sees it.
mod device;
/// Pods that belong together.
mod gang;
/// What one tenant may use of one device.
mod grant;
/// The decision: which devices of which node.
mod placement;
/// Which devices a tenant accepts.
mod selectors;
/// Ranges of what a device is.
mod span;
/// Integer units: shares and amounts, absolute or relative to a device.
mod units;

pub use ask::{Ask, Class, Isolation, Packing, Policy, TopologyWish};
pub use device::{Accountant, Device, Engine, Engines, Health, Link, LinkKind};
pub use gang::Gang;
pub use grant::{Grant, Tenant};
pub use placement::{Misfit, Placement, Slice};
pub use selectors::Selectors;
pub use span::{NotAVersion, Span, Version};
pub use units::{Bounds, Compute, Memory, MilliPercent};
