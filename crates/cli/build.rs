//! Takes the libraries that ride in tenants into the command, from the folder that `CLEAVE_EMBED` names.

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

/// Where each one goes when it is unpacked.
const FILES: &[(&str, &str)] = &[
    ("libcleave.so", "libcleave.so"),
    ("libcuda.so.1", "softgpu/libcuda.so.1"),
    ("libnvidia-ml.so.1", "softgpu/libnvidia-ml.so.1"),
];

fn main() {
    println!("cargo::rerun-if-env-changed=CLEAVE_EMBED");
    println!("cargo::rerun-if-changed=build.rs");
    let mut hash = Hash::new();
    let mut files = String::new();
    if let Some(folder) = env::var_os("CLEAVE_EMBED").map(PathBuf::from) {
        for (name, place) in FILES {
            let path = folder.join(name);
            println!("cargo::rerun-if-changed={}", path.display());
            let bytes = fs::read(&path).unwrap_or_else(|error| {
                panic!("CLEAVE_EMBED names {}, but {}: {error}", folder.display(), path.display())
            });
            hash.take(place.as_bytes());
            hash.take(&(bytes.len() as u64).to_le_bytes());
            hash.take(&bytes);
            writeln!(files, "    (\"{place}\", include_bytes!({:?})),", path).expect("a string takes it");
        }
    }
    let text = format!(
        "pub const HASH: &str = \"{:032x}\";\npub const FILES: &[(&str, &[u8])] = &[\n{files}];\n",
        hash.0
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where to")).join("embedded.rs");
    fs::write(out, text).expect("cargo's folder can be written");
}

/// FNV-1a. It only tells builds apart: what was unpacked is compared byte by byte.
struct Hash(u128);

impl Hash {
    fn new() -> Hash {
        Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    }
}
