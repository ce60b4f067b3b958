//! Everything that can be wrong with a device, each with what to do about it.

use std::fmt;
use std::io;
use std::path::PathBuf;

#[derive(Debug)]
pub enum Error {
    /// A setting that makes no sense.
    Nonsense { setting: String, wanted: String },
    /// Figures that do not go together.
    Contradiction(String),
    /// config.toml cannot be understood.
    Config { path: PathBuf, reason: String },
    /// The device exists and is not what was asked for.
    Differs { folder: PathBuf, key: &'static str, here: String, asked: String, by: String },
    /// A folder that somebody else could tamper with.
    Untrusted { path: PathBuf, reason: String },
    /// A folder that is not a device, or no longer.
    Damaged { path: PathBuf, reason: String },
    /// A device that another version made.
    OtherVersion { path: PathBuf, found: String, ours: String },
    /// There is no tmpfs for device memory.
    NoTmpfs { tried: Vec<PathBuf> },
    /// Device memory lies where this process cannot see it.
    MemoryUnseen { path: PathBuf, error: io::Error },
    /// Every record is taken.
    Crowded { folder: PathBuf },
    /// The system refused something.
    System { path: PathBuf, doing: &'static str, error: io::Error },
}

impl Error {
    /// An error of the system, with what was attempted on what.
    pub(crate) fn system(path: impl Into<PathBuf>, doing: &'static str) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |error| Error::System { path, doing, error }
    }

    /// Whether what was touched had gone meanwhile.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Error::System { error, .. } if error.kind() == io::ErrorKind::NotFound)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::MemoryUnseen { error, .. } | Error::System { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Nonsense { setting, wanted } => write!(f, "{setting} makes no sense: {wanted}"),
            Error::Contradiction(reason) => f.write_str(reason),
            Error::Config { path, reason } => write!(f, "{}: {reason}", path.display()),
            Error::Differs { folder, key, here, asked, by } => write!(
                f,
                "the device in {} has {key} {here}, but {by} asks for {asked}: ask for {here}, use another folder, \
                 or remove the device with `cleave softgpu reset`",
                folder.display()
            ),
            Error::Untrusted { path, reason } => write!(f, "{} cannot be trusted: {reason}", path.display()),
            Error::Damaged { path, reason } => write!(
                f,
                "{} is not a usable device: {reason}; remove it with `cleave softgpu reset`, or name another folder in CLEAVE_SOFTGPU",
                path.display()
            ),
            Error::OtherVersion { path, found, ours } => write!(
                f,
                "{} was made by another version of cleave (layout {found}, this one has {ours}): use that version, \
                 or remove the device with `cleave softgpu reset`",
                path.display()
            ),
            Error::NoTmpfs { tried } => {
                let tried: Vec<String> = tried.iter().map(|path| path.display().to_string()).collect();
                write!(
                    f,
                    "device memory needs a tmpfs, and there is none in {}: mount one there, or name a folder on a tmpfs in CLEAVE_SOFTGPU",
                    tried.join(" or ")
                )
            }
            Error::MemoryUnseen { path, error } => write!(
                f,
                "the device's memory is in {}, which cannot be opened here ({error}): mount that file, or its folder, into this container",
                path.display()
            ),
            Error::Crowded { folder } => write!(
                f,
                "all places of the device in {} are taken: end some of its processes, which `cleave softgpu` lists",
                folder.display()
            ),
            Error::System { path, doing, error } if error.raw_os_error() == Some(libc::ENOSPC) => write!(
                f,
                "cannot {doing} {}: no space left; make room there, or name another folder in CLEAVE_SOFTGPU",
                path.display()
            ),
            Error::System { path, doing, error } => write!(f, "cannot {doing} {}: {error}", path.display()),
        }
    }
}
