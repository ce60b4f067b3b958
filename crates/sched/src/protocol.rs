//! The commit protocol as functions from state and event to state and effect. Nothing here waits, retries or talks: the
//! cluster code delivers events and carries out effects, and a crash between the two loses nothing that a
//! listing does not bring back. `tests/protocol` drives the same functions under a model checker.
//!
//! The commit point is the Binding: it sets the node and the commit of a pod in one write, with the pod's UID as
//! precondition. A [`Book`] is what one scheduler believes; a [`Ledger`] is what one node has granted, and has the last word.
//!
//! | transition | function | effect for the caller to carry out |
//! |---|---|---|
//! | take over | [`Book::take_over`] | none; after the old lease and the longest request of its holder |
//! | bind | [`Book::bind`], [`Book::bind_member`] | POST pods/binding, UID as precondition |
//! | reserve with TTL, gang | [`Book::reserve`], [`Book::reserve_gang`], [`Book::expire`] | lift the scheduling gates of the gang |
//! | preempt | [`Book::preempt`] | evict [`Book::victims`] |
//! | learn what became of a request | [`Book::observe`], else [`Book::in_doubt`] and [`Book::settled`] | read the pod |
//! | resize | [`Book::resize`] | write the commit, UID and version as preconditions |
//! | hear of anything | [`Book::observe`], [`Ledger::observe`] | none |
//! | admit, apply a resize | [`Ledger::settle`] | write the slots; confirm resizes in the pod's status |
//! | start, stop a container | [`Ledger::start`], [`Ledger::stopped`] | a container that gets no slices does not start |
//! | reject | [`Ledger::judge`] | an event, and a delete with the UID as precondition |
//! | release | [`Ledger::observe`] and [`Ledger::stopped`] | remove the slots |
//!
//! **Room decides, not the epoch.** The API server does not know who leads, so a replaced leader's Binding can land. A node
//! that refused it for its epoch alone would also refuse the pods an honest predecessor bound just before it died,
//! whenever it hears of them late. So a node grants what fits, the newest leader's first where not all of it fits, and
//! the leader in office takes the rest as a fact. Nobody is rejected on hearsay: only on a listing.

/// What a scheduler believes is held, and what it may hold next.
mod book;
/// What a commit says, and what a pod looks like in an event.
mod commit;
/// Small pods and devices for tests.
#[cfg(test)]
mod fixture;
/// What a node has granted.
mod ledger;
/// What a book knows about one pod.
mod page;
/// Room kept for pods that are not bound yet.
mod reserve;

pub use book::{Book, Refused};
pub use commit::{
    Amount, Claim, Commit, ContainerName, DeviceName, Devices, Member, NodeName, Phase, PodView, Slices, Uid,
};
pub use ledger::{Account, Ledger, Rejected, Running};
pub use page::Page;
