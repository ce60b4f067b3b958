//! Makes the shared library a drop-in for the vendor's.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for argument in [
        "-Wl,-soname,libcuda.so.1",
        // Our own calls stay ours, also under a preloaded interposer that exports the same names.
        "-Wl,-Bsymbolic",
        // Worker threads run our code: the library cannot be unloaded under them.
        "-Wl,-z,nodelete",
    ] {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
}
