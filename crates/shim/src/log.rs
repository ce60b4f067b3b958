//! One event, one line, where `CLEAVE_LOG` wants it: `stderr`, or a file. Silent by default, because programs parse what
//! other programs print.

use std::ffi::OsString;
use std::fmt::Arguments;
use std::fs::OpenOptions;
use std::io::Write;

/// Writes one line, if anybody wants it.
pub fn say(line: Arguments<'_>) {
    match std::env::var_os("CLEAVE_LOG") {
        Some(place) if place == "stderr" => aloud(line),
        Some(place) if place != "off" && !place.is_empty() => to_file(place, line),
        _ => {}
    }
}

/// Writes one line to stderr, wanted or not: without it a person could not know why the GPU is gone.
pub fn aloud(line: Arguments<'_>) {
    write(&mut std::io::stderr(), line);
}

fn to_file(path: OsString, line: Arguments<'_>) {
    if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(path) {
        write(&mut file, line);
    }
}

/// In one piece, so that lines of several processes stay apart. Never panics: the place may be closed or full.
fn write(place: &mut dyn Write, line: Arguments<'_>) {
    let line = format!("cleave: pid={} {line}\n", std::process::id());
    let _nobody_to_tell = place.write_all(line.as_bytes());
}
