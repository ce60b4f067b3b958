//! The commit protocol as functions from state and event to state and effect. Nothing here waits, retries or talks: the
//! cluster code delivers events and carries out effects, and a crash between the two loses nothing that a
//! listing does not bring back.
//!
//! The commit point is the Binding: it sets the node and the commit of a pod in one write, with the pod's UID as
//! precondition. A [`Book`] is what one scheduler believes; a [`Ledger`] is what one node has granted, and has the last word.

/// What a scheduler believes is held, and what it may hold next.
mod book;
/// What a commit says, and what a pod looks like in an event.
mod commit;
/// What a node has granted.
mod ledger;

pub use book::{Answer, Book, Refused};
pub use commit::{Amount, Claim, Commit, DeviceName, NodeName, Phase, PodView, Uid};
pub use ledger::{Ledger, Rejected, Verdict};
