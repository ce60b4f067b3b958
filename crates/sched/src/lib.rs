//! Decisions: a snapshot in, a Placement out. Pure: nothing here talks to anybody.
//!
//! A [`Cluster`] holds what is committed. [`place`] answers where a [`Want`] should go, a [`Desk`] gives the same answers
//! sooner by remembering scores, and a [`Refusal`] says in one sentence why there is no place. How to choose among
//! places is a [`policy::Policy`], one per file.
#![forbid(unsafe_code)]

/// One device, its account, and what a slice needs of it.
mod card;
/// Lots that a seed repeats.
mod chance;
/// The snapshot: nodes, devices and what is committed.
mod cluster;
/// Which moves would empty devices.
mod defrag;
/// Decisions with a memory.
mod desk;
/// Whether and where a pod fits on one node.
mod fit;
/// Small clusters for tests.
#[cfg(test)]
mod fixture;
/// All or nothing.
mod gang;
/// Which nodes a caller offers.
mod offered;
/// Promises beyond what a device has, to those who ask by name.
mod oversubscription;
/// How to choose among places that fit.
pub mod policy;
/// Whom a pod may displace.
mod preempt;
/// From decision to commit, as functions a checker can drive.
pub mod protocol;
/// Why a node is no place.
mod reason;
/// Why there is no place at all, in one sentence.
mod refusal;
/// What would make a pod fit.
mod remedy;
/// What is left on a node as numbers.
mod room;
/// A Want made ready for many nodes.
mod shape;
/// Turns on the engines of a device.
pub mod share;
/// Replays of traces.
pub mod sim;
/// Devices that lie close to each other.
mod topology;
/// What a whole pod wants.
mod want;
/// What of idle devices is of no use.
mod waste;
/// Which pods come, and how often.
mod workload;

pub use card::{Card, Used};
pub use chance::Chance;
pub use cluster::{Cluster, Invalid, Kind, Node, NodeSpec, Pod};
pub use defrag::{Defrag, Freed, Move, defrag};
pub use desk::{Decision, Desk, place, place_among};
pub use offered::Offered;
pub use oversubscription::Oversubscription;
pub use preempt::{Preemption, preempt};
pub use reason::Reason;
pub use refusal::{NearMiss, Refusal, SENTENCE};
pub use room::{Case, MAX_DEVICES, Room, Size, WHOLE};
pub use want::{Host, Want};
pub use workload::Workload;
