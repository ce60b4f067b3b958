//! What cannot be taken over: refused, understood and lost, or none of ours.

use std::fmt;

use crate::dialect::shown;

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

/// A claim that is none of ours: it stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    pub container: String,
    /// The device class it asks for.
    pub class: String,
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

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "container {}: {}", self.container, of_no_dialect(&self.class))
    }
}

/// What is said of a device class nobody here knows.
pub(crate) fn of_no_dialect(class: &str) -> String {
    format!("device class {} is of no dialect; the claim stays as it is", shown(class))
}

fn write_sentence(f: &mut fmt::Formatter<'_>, container: Option<&str>, key: &str, why: &str) -> fmt::Result {
    match container {
        Some(name) => write!(f, "container {name}: {key} {why}"),
        None => write!(f, "pod: {key} {why}"),
    }
}
