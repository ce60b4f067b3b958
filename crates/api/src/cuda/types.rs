//! C types of the driver API on 64-bit Linux. Names and layouts are the vendor's; enums and handles are transparent
//! numbers, pointers inside structs are [`Ptr`], unions are [`Union`].

#![allow(missing_docs)]

use crate::edge::{NullPointer, Ptr, Union};
use crate::layout_unsafe::{c_constants, c_enums, c_handles, c_structs};
use core::ffi::c_void;

mod attributes;
mod constants;
mod context;
mod egl;
mod enums;
mod external;
mod graph;
mod handles;
mod memory;
mod result;
mod texture;

pub use attributes::*;
pub use constants::*;
pub use context::*;
pub use egl::*;
pub use enums::*;
pub use external::*;
pub use graph::*;
pub use handles::*;
pub use memory::*;
pub use result::*;
pub use texture::*;

/// Every struct with its size, file by file: what a header can be compared with.
pub static SIZES: &[&[(&str, usize)]] =
    &[context::SIZES, egl::SIZES, external::SIZES, graph::SIZES, memory::SIZES, texture::SIZES];

/// Every enumerator and constant with its value, file by file.
pub static VALUES: &[&[(&str, i128)]] =
    &[attributes::VALUES, constants::VALUES, egl::VALUES, enums::VALUES, handles::VALUES, result::VALUES];
