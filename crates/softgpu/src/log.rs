//! One event, one line, on stderr; `CLEAVE_LOG=off` silences it.
//!
//! Only what a person must hear is logged: faults of kernels, calls that are not implemented, and our own mistakes.

use std::collections::HashSet;
use std::fmt::Arguments;
use std::io::Write;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Writes one line. Never panics: stderr may be closed.
pub fn warn(line: Arguments<'_>) {
    static SILENT: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("CLEAVE_LOG").is_some_and(|v| v == "off"));
    if !*SILENT {
        let _ = writeln!(std::io::stderr(), "cleave-softgpu: {line}");
    }
}

/// Says once per process that a function is not implemented.
pub fn unsupported(symbol: &'static str) {
    static SAID: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.get_or_insert_default().insert(symbol) {
        warn(format_args!("not supported symbol={symbol}"));
    }
}
