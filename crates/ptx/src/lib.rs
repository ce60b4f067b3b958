//! PTX text to typed IR and back, and the fatbin container PTX arrives in.
//!
//! Knows the language, not the machine: nothing here executes anything.

#![forbid(unsafe_code)]

/// The typed form of a module: what the parser makes and the engine compiles.
pub mod ir;
