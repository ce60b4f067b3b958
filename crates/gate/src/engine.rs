//! The engines of a device that turns are given for.

/// A part of a device that works by itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Engine {
    /// Kernels, and graphs with all that is in them.
    Gr,
    /// Copies to the device and within it, and memory that is set.
    CopyIn,
    /// Copies to the host.
    CopyOut,
}

impl Engine {
    /// How many there are.
    pub const COUNT: usize = 3;
    /// All of them, in the order of their numbers.
    pub const ALL: [Engine; Engine::COUNT] = [Engine::Gr, Engine::CopyIn, Engine::CopyOut];

    /// Where the engine stands in a table of [`Engine::COUNT`] entries.
    pub const fn index(self) -> usize {
        self as usize
    }
}
