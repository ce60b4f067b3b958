//! PTX text to typed IR and back, and the fatbin container PTX arrives in.
//!
//! Knows the language, not the machine: nothing here executes anything.

#![forbid(unsafe_code)]

/// Fatbins: the container PTX arrives in.
pub mod fatbin;
/// Which instructions exist, and who reads and writes what.
pub mod forms;
/// The typed form of a module: what the parser makes and the engine compiles.
pub mod ir;
/// Sizes, alignments and offsets of declared things.
pub mod layout;

mod check;
mod diagnostic;
mod lex;
mod parse;
mod print;
mod refuse;

pub use diagnostic::Diagnostic;
pub use parse::parse;
