//! Modules: code and variables in a context. Libraries: the same code in every context that asks.

/// A kernel of a module, as the program launches it.
mod function;
/// What a program passes as code.
#[allow(unsafe_code)]
pub mod image_unsafe;
/// Options and logs of the just-in-time compiler.
pub mod jit;
/// Code that is loaded once and lives in every context.
mod library;
/// The linker: several texts become one image.
pub mod link;
/// The image our linker makes.
mod linked;
/// Code in one context.
mod loaded;
/// Code before it is anywhere.
pub mod source;
/// Variables of a module in device memory.
mod variables;

pub use function::{Function, OldLaunch};
pub use library::{Kernel, Library};
pub use loaded::Module;
