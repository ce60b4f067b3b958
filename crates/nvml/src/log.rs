//! One event, one line, on stderr; `CLEAVE_LOG=off` silences it.
//!
//! Only what a person must hear is logged. "Not supported" is NVML's everyday answer, and monitors draw on the terminal
//! that stderr writes to, so it is not.

use std::fmt::Arguments;
use std::io::Write;

/// Writes one line. Never panics: stderr may be closed.
pub fn warn(line: Arguments<'_>) {
    if std::env::var_os("CLEAVE_LOG").is_none_or(|value| value != "off") {
        let _ = writeln!(std::io::stderr(), "cleave-nvml: {line}");
    }
}
