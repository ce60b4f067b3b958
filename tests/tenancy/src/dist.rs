//! Where the build under test is: a folder laid out as `cargo xtask dist` does.

use std::path::PathBuf;

/// A build, laid out.
#[derive(Clone)]
pub struct Dist(PathBuf);

impl Dist {
    /// The folder that `CLEAVE_DIST` names.
    ///
    /// # Panics
    /// Without one: these tests have nothing to test then.
    pub fn find() -> Dist {
        let folder =
            std::env::var_os("CLEAVE_DIST").expect("CLEAVE_DIST names no build: use `cargo xtask test`");
        let folder = std::fs::canonicalize(&folder).expect("CLEAVE_DIST names a folder that is there");
        Dist(folder)
    }

    /// The command.
    pub fn cleave(&self) -> PathBuf {
        self.0.join("bin/cleave")
    }

    /// The library that rides in tenants.
    pub fn libcleave(&self) -> PathBuf {
        self.0.join("lib/libcleave.so")
    }

    /// The folder of the software GPU's libraries.
    pub fn softgpu(&self) -> PathBuf {
        self.0.join("lib/softgpu")
    }

    /// The software GPU's driver.
    pub fn libcuda(&self) -> PathBuf {
        self.softgpu().join("libcuda.so.1")
    }
}
