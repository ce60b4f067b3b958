//! What can go wrong with a slot, in sentences that say what to do.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// Why a slot cannot be used.
#[derive(Debug)]
pub enum Error {
    /// A file of the slot is not there.
    Missing {
        /// The file, or the folder.
        path: PathBuf,
    },
    /// The slot to be made is there already.
    Exists {
        /// The slot.
        folder: PathBuf,
    },
    /// A file of the slot is not what it should be.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The slot was made by another version.
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its layout.
        found: u32,
        /// The layout this version knows.
        ours: u32,
    },
    /// Every record is a living process's.
    Crowded {
        /// The slot.
        folder: PathBuf,
    },
    /// Another node daemon has the slot.
    Busy {
        /// The slot.
        folder: PathBuf,
    },
    /// The system refused something.
    System {
        /// What it was about.
        path: PathBuf,
        /// What was attempted.
        doing: &'static str,
        /// What the system said.
        error: io::Error,
    },
}

impl Error {
    /// An error of the system, with what was attempted on what.
    pub(crate) fn system(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        move |error| match error.kind() {
            io::ErrorKind::NotFound => Error::Missing { path },
            // What a mapping says about a file of another length.
            io::ErrorKind::InvalidData => Error::Damaged { path, reason: error.to_string() },
            _ if matches!(error.raw_os_error(), Some(libc::EISDIR | libc::ELOOP | libc::ENXIO)) => {
                Error::damaged(&path, "it is not a regular file")
            }
            _ => Error::System { path, doing, error },
        }
    }

    pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> Error {
        Error::Damaged { path: path.to_owned(), reason: reason.into() }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::System { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Missing { path } => write!(
                f,
                "{} is not there: the grant it belongs to has ended, or its folder is not mounted here; start the program \
                 again under `cleave run` or with a new `cleave grant`",
                path.display()
            ),
            Error::Exists { folder } => {
                write!(f, "{} is there already: open it, or name another folder", folder.display())
            }
            Error::Damaged { path, reason } => write!(
                f,
                "{} is not usable: {reason}; end the tenant it belongs to (`cleave ps` lists them) and start it again",
                path.display()
            ),
            Error::OtherVersion { path, found, ours } => write!(
                f,
                "{} was made by another version of cleave (layout {found}, this one has {ours}): end the tenant and start \
                 it again, or use one version for the daemon and its tenants",
                path.display()
            ),
            Error::Crowded { folder } => write!(
                f,
                "all places of the grant in {} are taken by living processes: end some of them, which `cleave ps -v` lists",
                folder.display()
            ),
            Error::Busy { folder } => write!(
                f,
                "the grant in {} is in the hands of another daemon: end that one first, or use another CLEAVE_HOME",
                folder.display()
            ),
            Error::System { path, doing, error } if error.raw_os_error() == Some(libc::ENOSPC) => {
                write!(f, "cannot {doing} {}: no space left; make room there", path.display())
            }
            Error::System { path, doing, error } => write!(f, "cannot {doing} {}: {error}", path.display()),
        }
    }
}
