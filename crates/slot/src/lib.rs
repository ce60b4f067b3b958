//! Slots: what one tenant may use of one device, and what it uses, in files that several processes map.
//!
//! A slot is a folder of one grant. `limits` is the node's: the tenant only reads it. `usage` is written by the tenant's
//! processes and by the node; each process has a record in it, the node has the first. `lock0` to `lock15` hold nothing: their
//! bytes are the death tokens of the records. The folder can be mounted into a container as it is.
//!
//! A charge is one compare-exchange on the counter in `usage` against the limit in `limits` as it is at that moment: never
//! above it, never refused though it fits, no system call, nobody waited for. Whoever dies is recovered by whoever meets its
//! record, once.
//!
//! Fork: a [`Slot`] and its [`Seat`]s belong to the process that opened them. A forked child has a copy that it must not use,
//! since it holds none of its parent's tokens; it opens the folder and joins anew ([`cleave_ledger::birth`] tells it that it is
//! a child). Dropping the copy is harmless.

/// Which records are taken, as bits: how a free one is found at once.
mod claims;
/// The last refusal of a process, readable while it is written and after its writer was killed.
mod denial;
/// What can go wrong, in sentences that say what to do.
mod error;
/// The files of a slot: made, checked and opened, once per process.
mod files;
/// Surviving that a file is cut short while it is mapped.
#[allow(unsafe_code)]
mod guard_unsafe;
/// What stands at the beginning of each file: what it is, of which version, of which slot.
mod header;
/// Where everything stands in the files.
mod layout;
/// Whether a process lives that lost its token.
mod life;
/// Shared words as a protocol needs them.
mod memory;
/// The node's side of a slot.
mod node;
/// What the node knows of the owner of a record.
mod note;
/// Where a tenant's memory is.
mod place;
/// What this process has open: each slot once.
#[allow(unsafe_code)]
mod registry_unsafe;
/// A process's place in a slot: what it charges and counts.
mod seat;
/// The tenant's side of a slot.
mod slot;
/// The records of a slot: how a process takes one, and how those of the dead become free.
mod table;
/// What a grant says.
mod terms;
/// Short texts in shared words.
mod text;
/// Turns on the engines of the device.
mod turns;
/// The name of a device.
mod uuid;
/// What can be seen of a process in a slot.
mod view;

pub use cleave_gate::{Engine, Flight, Order};
pub use cleave_ledger::RecordId;
pub use error::Error;
pub use guard_unsafe::survive_truncation;
pub use node::NodeSlot;
pub use place::{Place, Stay};
pub use seat::{Denied, Seat};
pub use slot::Slot;
pub use terms::{Owner, Terms};
pub use uuid::Uuid;
pub use view::{Denial, SeatView};
