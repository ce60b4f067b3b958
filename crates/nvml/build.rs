//! Makes the shared library a drop-in for the vendor's.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for argument in [
        "-Wl,-soname,libnvidia-ml.so.1",
        // Our own calls stay ours, also under a preloaded interposer that exports the same names.
        "-Wl,-Bsymbolic",
        // The descriptor of the lock file is never closed: closing it would drop the locks that libcuda holds in this
        // process. So what keeps it stays, also when a monitor unloads the library.
        "-Wl,-z,nodelete",
    ] {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
}
