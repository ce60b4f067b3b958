/// Clocks, fans, temperatures, power.
mod clocks;
/// Confidential computing.
mod confidential;
/// Identity, topology, modes of a device.
mod device;
/// Meanings of result codes.
pub mod error;
/// Event sets.
mod event;
/// PCI, NVLink, fabric.
mod link;
/// Memory, ECC, page retirement.
mod memory;
/// Performance monitoring, samples, field values.
mod metrics;
/// MIG: GPU and compute instances.
mod mig;
/// The private table of nvidia-smi.
pub mod private;
/// Processes, utilisation, accounting.
mod process;
/// Initialisation, versions, whole-system queries.
mod system;
/// The C types.
pub mod types;
/// S-class units.
mod unit;
/// Virtual GPUs of a hypervisor.
mod vgpu;

use crate::edge::Ptr;
use crate::row::{self, Row};
use core::ffi::c_void;
use types::*;

/// Hands every row of NVML to `$cb!`, in order. A row may end in `-> Type`: the one function that returns no code.
/// The rows name types of [`nvml::types`](crate::nvml::types), [`Ptr`](crate::edge::Ptr) and `c_void`.
///
/// A struct that grew from header to header is `raw`: how much of it the caller has, its `version` field says, and
/// reading or writing more would touch memory that is not the struct's.
#[macro_export]
macro_rules! nvml_api {
    ($cb:path) => {
        $crate::chain! { [
            nvml_system_rows nvml_unit_rows nvml_device_rows nvml_link_rows nvml_clocks_rows nvml_memory_rows
            nvml_process_rows nvml_event_rows nvml_vgpu_rows nvml_mig_rows nvml_confidential_rows nvml_metrics_rows
        ] $cb {} }
    };
}

macro_rules! nvml_trait {
    ($( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
        ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ) $(-> $ret:ty)?; )*) => {
        /// NVML as a Rust trait: a method per row.
        pub trait Nvml {
            $( $(#[$doc])*
            fn $name(&self $(, $arg: crate::edge_type!(nvmlReturn_t, $kind($($data)*)))*)
                -> crate::return_type!(nvmlReturn_t $(, $ret)?); )*
        }
    };
}
crate::nvml_api!(nvml_trait);

/// Every function of NVML.
pub static NVML_TABLE: &[Row] = TABLE;

macro_rules! table {
    ($($rows:tt)*) => { const TABLE: &[Row] = crate::row_slice! { $($rows)* }; };
}
crate::nvml_api!(table);
const _: () = row::check::<{ TABLE.len() }>(TABLE);

row::lengths! {
    system nvml_system_rows;
    unit nvml_unit_rows;
    device nvml_device_rows;
    link nvml_link_rows;
    clocks nvml_clocks_rows;
    memory nvml_memory_rows;
    process nvml_process_rows;
    event nvml_event_rows;
    vgpu nvml_vgpu_rows;
    mig nvml_mig_rows;
    confidential nvml_confidential_rows;
    metrics nvml_metrics_rows;
}
const _: () = assert!(row::total(LENGTHS) == TABLE.len(), "a family is missing from the list of lengths");

/// The rows by family.
pub fn families() -> impl Iterator<Item = row::Family> {
    row::families(NVML_TABLE, LENGTHS)
}

/// What two processes compare before they exchange calls.
pub const DIGEST: u64 = row::digest(TABLE);
