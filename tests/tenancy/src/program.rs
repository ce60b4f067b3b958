//! C clients, compiled when they are first asked for.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// The program of `c/<name>.c`, which finds the driver by `dlopen` (the source says so itself).
pub fn c_client(name: &str) -> PathBuf {
    compile(name, name, &["-ldl", "-lpthread"])
}

/// The program of `c/<name>.c` with an archive linked into it; `kind` tells it from others of the same source.
pub fn c_client_with(name: &str, kind: &str, archive: &Path) -> PathBuf {
    let archive = archive.to_str().expect("a path that can be written");
    compile(name, &format!("{name}-{kind}"), &[archive, "-ldl", "-lrt", "-lpthread"])
}

/// The shared library of `c/<name>.c`.
pub fn c_library(name: &str) -> PathBuf {
    compile(name, &format!("{name}.so"), &["-shared", "-fPIC", "-ldl", "-lpthread"])
}

/// Tests run side by side, in several processes: each compiles to a name of its own, and the rename makes one of them the
/// program.
fn compile(name: &str, out: &str, flags: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tenancy");
    std::fs::create_dir_all(&folder).expect("a folder for compiled clients");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("c").join(format!("{name}.c"));
    let program = folder.join(out);
    let newer = |one: &Path, other: &Path| -> Option<bool> {
        Some(one.metadata().ok()?.modified().ok()? >= other.metadata().ok()?.modified().ok()?)
    };
    if newer(&program, &source) == Some(true) {
        return program;
    }
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let fresh = folder.join(format!("{out}.{}.{}", std::process::id(), COUNT.fetch_add(1, Relaxed)));
    let status = Command::new("gcc")
        .args(["-O1", "-g", "-Wall", "-Werror", "-o"])
        .arg(&fresh)
        .arg(&source)
        .args(flags)
        .status()
        .expect("gcc is there");
    assert!(status.success(), "{} does not compile", source.display());
    std::fs::rename(&fresh, &program).expect("the client takes its place");
    program
}
