//! `cargo xtask api check | docs`: the rows against the vendor's headers and libraries, and the coverage page.

/// Compares rows with what a header declares.
mod check;
/// The page that says what the software GPU implements.
mod coverage;
/// Fetches the newest header packages.
mod download;
/// Prototypes and version numbers in C text.
mod header;
/// Asks the C compiler for sizes and values.
mod probe;
/// What the headers expect from OpenGL, EGL and VDPAU.
mod stand_ins;
/// Compares rows with the symbols of a library.
mod symbols;

use std::path::Path;

const USAGE: &str =
    "usage: cargo xtask api check [--header FILE | --driver LIBRARY]\n       cargo xtask api docs [--check]";

pub fn main(args: &[String]) -> Result<(), String> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["check"] => check::newest(),
        ["check", "--header", file] => check::file(Path::new(file)),
        ["check", "--driver", library] => symbols::check(Path::new(library)),
        ["docs"] => coverage::write(),
        ["docs", "--check"] => coverage::check(),
        _ => Err(USAGE.to_owned()),
    }
}
