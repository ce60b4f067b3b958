//! Kubernetes: what pods ask for, in every dialect, as Asks.
#![forbid(unsafe_code)]

/// The objects of a file, one by one.
pub mod documents;
/// What YAML and JSON have in common.
mod events;
/// JSON as events.
mod json;
/// Exact Kubernetes quantities.
pub mod quantity;
/// A document as a tree of text.
pub mod tree;
/// YAML as events.
mod yaml;

pub use events::Bounds;
