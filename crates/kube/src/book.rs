//! Objects that pods refer to. In a dump they may come later than the pods.

use crate::claims::{ClaimBook, Meaning};
use crate::groups::GroupBook;
use crate::pod::Pod;
use crate::settings::Settings;
use crate::tree::Node;

/// Everything seen so far that pods refer to.
#[derive(Default)]
pub struct Book {
    pub claims: ClaimBook,
    pub groups: GroupBook,
}

/// What an object is to the pods.
pub enum Noted {
    Claim(Vec<Meaning>),
    Group,
    /// Something else.
    Nothing,
}

impl Book {
    pub fn note(&mut self, object: &Node, settings: &Settings) -> Noted {
        match self.claims.note(object, settings) {
            Some(meanings) => Noted::Claim(meanings),
            None if self.groups.note(object) => Noted::Group,
            None => Noted::Nothing,
        }
    }

    /// Whether everything a pod refers to is known.
    pub fn knows_all(&self, pod: &Pod<'_>) -> bool {
        self.claims.knows_all(pod) && self.groups.knows(pod)
    }
}
