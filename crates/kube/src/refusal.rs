//! What cannot be taken over: refused, or understood and lost.

use std::fmt;

/// A field, and what is to be said about it.
pub type Remark = (String, String);

/// Why a pod is not read. Always names the key, and the container where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub container: Option<String>,
    pub key: String,
    pub why: String,
}

/// Something that was understood and will have no effect in Cleave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    pub container: Option<String>,
    pub key: String,
    pub why: String,
}

impl Refusal {
    pub fn new(container: Option<&str>, key: impl Into<String>, why: impl Into<String>) -> Refusal {
        Refusal { container: container.map(str::to_owned), key: key.into(), why: why.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_sentence(f, self.container.as_deref(), &self.key, &self.why)
    }
}

impl std::error::Error for Refusal {}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_sentence(f, self.container.as_deref(), &self.key, &self.why)
    }
}

fn write_sentence(f: &mut fmt::Formatter<'_>, container: Option<&str>, key: &str, why: &str) -> fmt::Result {
    match container {
        Some(name) => write!(f, "container {name}: {key} {why}"),
        None => write!(f, "pod: {key} {why}"),
    }
}
