//! Makes the shared library a preload: its exports, and `dlsym` under the versions programs ask for.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let arch = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let oldest = if arch == "aarch64" { "GLIBC_2.17" } else { "GLIBC_2.2.5" };
    let out = std::env::var("OUT_DIR").expect("cargo names a folder for what is generated");
    let map = Path::new(&out).join("exports.map");
    std::fs::write(&map, exports(oldest)).expect("the generated folder can be written");
    for argument in [
        "-Wl,-soname,libcleave.so".to_string(),
        // Our own calls stay ours, whoever else exports these names.
        "-Wl,-Bsymbolic".to_string(),
        // Hooks are handed out as addresses: the library cannot be unloaded under them.
        "-Wl,-z,nodelete".to_string(),
        format!("-Wl,--version-script={}", map.display()),
    ] {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
}

/// glibc moved `dlsym` from libdl to libc in 2.34 under a new version: programs built before and after ask differently.
fn exports(oldest: &str) -> String {
    format!(
        "CLEAVE_1 {{ global: cu*; nvml*; local: *; }};\n\
         {oldest} {{ global: dlsym; }};\n\
         GLIBC_2.34 {{ global: dlsym; }} {oldest};\n"
    )
}
