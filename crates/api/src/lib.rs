//! The intercepted API: every CUDA driver and NVML function declared once, in a row.
//!
//! A row carries signature, version and the judgements other crates need (policy, engine, stream, call class).
//! Everything else is derived from the rows: traits, tables, symbol resolution, exports, dispatch, docs.
//! This crate holds no behaviour: it does not call a driver and does not implement one.
//!
//! A row reads `fn SYMBOL since VERSION [backend policy… engine stream(arg) class capture custom_wire] (arg: kind(data), …);`
//! and another crate derives from all of them with one flat pattern, handed to [`cuda_api!`] or [`nvml_api!`]:
//!
//! ```
//! macro_rules! count {
//!     ($( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
//!         ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ); )*) => {
//!         const COUNT: usize = [$(stringify!($name)),*].len();
//!     };
//! }
//! cleave_api::cuda_api!(count);
//! assert_eq!(COUNT, cleave_api::CUDA_TABLE.len());
//! ```

#![warn(missing_docs)]
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]

/// Two-arm macro that joins the row files of an API.
mod chain;
/// Result codes with names and meanings.
pub mod code;
/// The judgements a row carries, read from its bracketed words.
pub mod columns;
/// CUDA driver API: types, rows, `trait Driver`.
pub mod cuda;
/// Argument wrappers built at the FFI edge; safe to use inside it.
#[allow(unsafe_code)]
mod edge_unsafe;
/// From a parameter kind to its C type, its edge type and the conversion between them.
mod kinds;
/// Macros that declare C structs, enums and handles with pinned layouts.
#[allow(unsafe_code)]
mod layout_unsafe;
/// Symbol names: base name, per-thread form, wire id.
pub mod name;
/// NVML: types, rows, `trait Nvml`.
pub mod nvml;
/// Values any bit pattern of which is valid: what may be read from foreign memory.
#[allow(unsafe_code)]
mod plain_unsafe;
/// The answers of `cuGetProcAddress`, from one number per row.
pub mod procaddress;
/// What a row looks like at run time.
pub mod row;

/// Edge wrappers, as ops functions see their arguments.
pub mod edge {
    pub use crate::edge_unsafe::{
        Bytes, BytesMut, In, InOut, Length, NullPointer, Out, Slice, SliceMut, Str,
    };
    pub use crate::plain_unsafe::{Plain, Ptr, Union};
}

pub use cuda::{CUDA_TABLE, Driver};
pub use nvml::{NVML_TABLE, Nvml};
pub use row::Row;
