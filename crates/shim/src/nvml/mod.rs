//! NVML as a tenant sees it: the devices of its grants, its own memory, its own processes, its own load.
//!
//! The vendor's function is asked first, so that every error is the vendor's; only an answer is replaced. What the caller gets
//! to see of the vendor's answer is what the tenant may see, so lists go through room of our own.

/// Questions of our own.
#[allow(unsafe_code)]
pub(crate) mod ask_unsafe;
/// Which devices there are, and how they are called.
mod devices;
/// Where an instance of a device lies.
pub(crate) mod instances;
/// How busy the tenant's share is.
mod load;
/// How much memory there is.
mod memory;
/// Who is on a device.
mod processes;
/// Room for the vendor's answers.
#[allow(unsafe_code)]
pub(crate) mod room_unsafe;
/// The private table that nvidia-smi takes its processes from.
#[allow(unsafe_code)]
mod table_unsafe;
/// What is known of the tenant.
mod tenant;

pub use devices::*;
pub use load::*;
pub use memory::*;
pub use processes::*;
pub use table_unsafe::nvmlInternalGetExportTable;

use cleave_api::edge::{self, Plain};
use cleave_api::nvml::types::*;

type BytesMut<'a> = edge::BytesMut<'a, nvmlReturn_t>;
type In<'a, T> = edge::In<'a, T, nvmlReturn_t>;
type InOut<'a, T> = edge::InOut<'a, T, nvmlReturn_t>;
type Out<'a, T> = edge::Out<'a, T, nvmlReturn_t>;
type SliceMut<'a, T> = edge::SliceMut<'a, T, nvmlReturn_t>;
type Str<'a> = edge::Str<'a, nvmlReturn_t>;

/// An answer, or the error in its place.
type Answer = Result<(), nvmlReturn_t>;

/// Writes a list and its length. A caller with too little room learns how much it needs.
fn answer_list<T: Plain>(values: &[T], count: InOut<u32>, room: SliceMut<T>) -> Answer {
    let had = count.get()? as usize;
    if room.is_null() && had > 0 {
        return Err(NVML_ERROR_INVALID_ARGUMENT);
    }
    count.set(values.len() as u32)?;
    if values.len() > had {
        return Err(NVML_ERROR_INSUFFICIENT_SIZE);
    }
    room.fill(values);
    Ok(())
}

/// The same for functions that only count when they are asked without room.
fn answer_list_or_count<T: Plain>(values: &[T], count: InOut<u32>, room: SliceMut<T>) -> Answer {
    if room.is_null() { count.set(values.len() as u32) } else { answer_list(values, count, room) }
}
