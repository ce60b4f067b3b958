//! C types of NVML on 64-bit Linux. Names and layouts are the vendor's; enums and handles are transparent numbers.

#![allow(missing_docs)]

use crate::edge::{NullPointer, Ptr, Union};
use crate::layout_unsafe::{c_constants, c_enums, c_handles, c_structs};
use core::ffi::c_void;

mod confidential;
mod constants;
mod device;
mod enums;
mod event;
mod fields;
mod gpm;
mod handles;
mod link;
mod metrics;
mod mig;
mod result;
mod versions;
mod vgpu;

pub use confidential::*;
pub use constants::*;
pub use device::*;
pub use enums::*;
pub use event::*;
pub use fields::*;
pub use gpm::*;
pub use handles::*;
pub use link::*;
pub use metrics::*;
pub use mig::*;
pub use result::*;
pub use versions::*;
pub use vgpu::*;

/// Every struct with its size, file by file: what a header can be compared with.
pub static SIZES: &[&[(&str, usize)]] =
    &[confidential::SIZES, device::SIZES, event::SIZES, link::SIZES, metrics::SIZES, mig::SIZES, vgpu::SIZES];

/// Every enumerator and constant with its value, file by file.
pub static VALUES: &[&[(&str, i128)]] =
    &[constants::VALUES, enums::VALUES, fields::VALUES, gpm::VALUES, result::VALUES, versions::VALUES];
