//! Kubernetes: what pods ask for, in every dialect, as Asks.
//!
//! Pure: text in, Asks, sentences and text out. Nothing here talks to a cluster.
#![forbid(unsafe_code)]

/// Objects that pods refer to.
pub mod book;
/// Selectors of claims.
mod cel;
/// Which dialect a pod is written in.
mod choice;
/// DRA claims.
pub mod claims;
/// What a dialect is.
pub mod dialect;
/// The systems whose words we read, one file each.
pub mod dialects;
/// The objects of a file, one by one.
pub mod documents;
/// What YAML and JSON have in common.
mod events;
/// Pods that get their places together.
pub mod groups;
/// JSON as events.
mod json;
/// The documentation of the dialects, from their rows.
pub mod page;
/// Pods, wherever they are written.
pub mod pod;
/// Exact Kubernetes quantities.
pub mod quantity;
/// A pod in, Asks out.
pub mod read;
/// What is refused, and what is lost.
pub mod refusal;
/// Reports for people and for programs.
pub mod render;
/// The same pod in Cleave's words.
pub mod rewrite;
/// What a cluster says about its pods' words.
pub mod settings;
/// Object by object, over a whole dump.
pub mod translate;
/// A document as a tree of text.
pub mod tree;
/// Asks in our own words, and back.
pub mod words;
/// Trees as YAML and as JSON.
pub mod write;
/// YAML as events.
mod yaml;

pub use events::Bounds;
pub use read::{PodAsk, read};
pub use settings::Settings;
