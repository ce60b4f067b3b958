//! What is wrong with a source, and where.

use crate::ir::Loc;

/// One complaint about a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub loc: Loc,
    /// Lower case, no full stop.
    pub message: String,
}

impl Diagnostic {
    pub(crate) fn new(loc: Loc, message: impl Into<String>) -> Diagnostic {
        Diagnostic { loc, message: message.into() }
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.loc, self.message)
    }
}

impl std::error::Error for Diagnostic {}
