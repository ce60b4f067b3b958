//! What a reader of documents sees: the same few events from YAML and from JSON.

use crate::tree::Scalar;

/// A step through a document.
#[derive(Debug)]
pub enum Event {
    Map { anchor: usize },
    List { anchor: usize },
    End,
    Scalar { scalar: Scalar, anchor: usize },
    Alias(usize),
}

/// Where events come from. `None` is the end of the stream.
pub trait Events {
    fn next(&mut self) -> Result<Option<Event>, String>;

    /// Tells the source that an object ended, so that the next one gets the whole byte budget.
    fn object_done(&mut self);
}

/// Bounds that hold whatever a stranger's file contains.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Bytes of text one object may have. The API server stores at most 1.5 MiB.
    pub bytes: usize,
    /// Values one object may have, aliases expanded.
    pub nodes: usize,
    /// Levels of nesting.
    pub depth: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { bytes: 8 << 20, nodes: 200_000, depth: 64 }
    }
}
