//! The vendor's library behind us: which loaded object it is, and where its functions are.

use std::sync::atomic::{AtomicUsize, Ordering::*};

use crate::elf_unsafe::{self as elf, Object};
use crate::pin_unsafe;

/// A library we stand in front of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    Cuda,
    Nvml,
}

impl Library {
    /// How its file is called, before the version.
    fn stem(self) -> &'static [u8] {
        match self {
            Library::Cuda => b"libcuda.so",
            Library::Nvml => b"libnvidia-ml.so",
        }
    }

    /// What it must define to be the library itself: the empty drop-in that only names us and the vendor's does not.
    fn mark(self) -> &'static [u8] {
        match self {
            Library::Cuda => b"cuInit",
            Library::Nvml => b"nvmlInit_v2",
        }
    }

    /// An address inside the one that was chosen; nought while none is.
    fn chosen(self) -> &'static AtomicUsize {
        static CUDA: AtomicUsize = AtomicUsize::new(0);
        static NVML: AtomicUsize = AtomicUsize::new(0);
        match self {
            Library::Cuda => &CUDA,
            Library::Nvml => &NVML,
        }
    }

    /// Whether a file has the name of such a library: it is one, or an empty drop-in for it.
    pub fn is_named(self, path: &[u8]) -> bool {
        elf::file_of(path).starts_with(self.stem())
    }

    /// Whether an object is such a library.
    pub fn is(self, object: &Object) -> bool {
        self.is_named(object.path().to_bytes()) && object.function(self.mark()).is_some() && !is_own(object)
    }

    /// Remembers the library that a program looked a function up in, if it is the first.
    pub fn remember(self, object: &Object) {
        if let Some(mark) = object.function(self.mark()) {
            let _first_stays = self.chosen().compare_exchange(0, mark, Relaxed, Relaxed);
        }
    }

    /// The address of one of its functions; `None` if it has no such function, or if it is not loaded.
    pub fn function(self, name: &str) -> Option<usize> {
        self.object()?.function(name.as_bytes())
    }

    /// The library: the one a program used first, else the first that is loaded. It then stays, since its addresses do.
    fn object(self) -> Option<Object> {
        let chosen = self.chosen();
        if let Some(object) = elf::holding(chosen.load(Relaxed)) {
            return Some(object);
        }
        let object = elf::each(|object| self.is(object).then_some(*object))?;
        chosen.store(object.function(self.mark())?, Relaxed);
        pin_unsafe::pin(object.path());
        Some(object)
    }
}

/// Whether an object is this very library.
pub fn is_own(object: &Object) -> bool {
    object.holds(is_own as *const () as usize)
}
