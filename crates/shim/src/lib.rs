//! The library that rides in a tenant's processes and becomes `libcleave.so`.
//!
//! A call goes one way: [`exports_unsafe`] (C symbols, derived from the rows that have logic) → [`cuda`] or [`nvml`] (one
//! function per row, named like it) → [`real_unsafe`] (the vendor's function behind us, derived from the rows). What a
//! process may have is in the slots of its [`tenancy`]; without one every call passes through.
//!
//! Nothing happens when the library is loaded: no constructor, no file, no thread. The first call that needs a slot opens it.

#![allow(non_snake_case, non_upper_case_globals)]

/// What this process holds.
mod books;
/// Calls of our own while the program records a stream.
mod capture;
/// Devices and what the tenant may have of each.
mod cards;
/// Contexts and what they cost.
mod contexts;
/// Hooks of the driver API.
pub mod cuda;
/// `dlsym`.
#[allow(unsafe_code)]
mod dlsym_unsafe;
/// The vendor's library behind us.
mod driver;
/// What is loaded into this process.
#[allow(unsafe_code)]
mod elf_unsafe;
/// Who pays for what.
mod entries;
/// Another value of one variable, for the time of one call.
#[allow(unsafe_code)]
mod environment_unsafe;
/// C symbols, derived from the rows.
#[allow(unsafe_code)]
pub mod exports_unsafe;
/// Turns: how a tenant's commands come to the engines.
mod gate;
/// Memory that graphs allocate.
mod graphs;
/// Limits that other schedulers write into a container's environment.
mod hami;
/// From the driver's addresses to our functions.
#[allow(unsafe_code)]
mod handed_out_unsafe;
/// Which rows have logic.
mod hooked;
/// One event, one line.
mod log;
/// Memory that can leave the device.
mod movable;
/// Names of functions, found without allocation.
mod names;
/// A number that the driver writes behind an untyped pointer.
#[allow(unsafe_code)]
mod number_unsafe;
/// Hooks of NVML.
pub mod nvml;
/// Keeps a loaded library loaded.
#[allow(unsafe_code)]
mod pin_unsafe;
/// Memory pools.
mod pools;
/// What belongs to this process and to none of its children.
#[allow(unsafe_code)]
mod process_unsafe;
/// The vendor's functions, derived from the rows.
#[allow(unsafe_code)]
pub mod real_unsafe;
/// A map from addresses that keeps neighbours together.
mod table;
/// What this process may have.
mod tenancy;
/// Functions handed out unwrapped.
mod unwrapped;
/// Which devices the program sees.
mod visible;

/// Physical memory, its handles and mappings.
mod vmm;
