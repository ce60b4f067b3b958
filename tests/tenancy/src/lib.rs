//! Support of the tests that run programs as tenants: where the build is, a home and a software GPU of one's own, and small C
//! clients.
//!
//! A test file begins with `#![cfg(feature = "dist")]`: without a build laid out there is nothing to test.

/// Where the build under test is.
mod dist;
/// Grants without a daemon.
mod granted;
/// A home of the node, apart from the machine's.
mod home;
/// A program that loads the device and keeps its own account.
mod load;
/// C clients, compiled when they are first asked for.
mod program;
/// A terminal that nobody looks at but a test.
mod terminal;

pub use dist::Dist;
pub use granted::Granted;
pub use home::{Home, Said, say};
pub use load::{Load, span};
pub use program::{c_client, c_client_with, c_library};
pub use terminal::Terminal;

use std::time::{Duration, Instant};

/// Waits until `done` gives a value. Polls, because what it waits for happens in other processes; `patience` only bounds a
/// failing test.
pub fn until<T>(what: &str, patience: Duration, mut done: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + patience;
    loop {
        if let Some(value) = done() {
            return value;
        }
        assert!(Instant::now() < end, "waited {patience:?} for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
