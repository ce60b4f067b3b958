//! Opening the machine's devices, and making them where there are none.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use cleave_ledger::{Pages, Tokens, clock};

use crate::config::{Checked, Request};
use crate::error::Error;
use crate::folder::{CONTROL, Folder, LOCK, SHARES};
use crate::header::Header;
use crate::identity::Id;
use crate::machine::Machine;
use crate::memory_file;
use crate::sys_unsafe;

/// The files of a device, open.
pub(crate) struct Files {
    pub pages: Pages,
    pub tokens: Tokens,
    pub memory: File,
    pub shares: File,
}

/// A directory, whatever it is called.
type Identity = (u64, u64);

/// What this process has open. Nothing is opened twice: a second opening of the lock file would not know what the first one
/// holds.
static OPEN: Mutex<Vec<(Identity, &'static Machine)>> = Mutex::new(Vec::new());

impl Machine {
    /// Opens what is asked for; makes it if it is not there.
    pub fn open(request: &Request) -> Result<&'static Machine, Error> {
        let Some(folder) = Folder::find(request) else { return private(request) };
        folder.ensure()?;
        loop {
            if let Some(machine) = find(request, &folder)? {
                return Ok(machine);
            }
            folder.create(&request.check(Some(&folder.path))?, clock::now_ns())?;
        }
    }

    /// Opens what is asked for, if it is there.
    pub fn existing(request: &Request) -> Result<Option<&'static Machine>, Error> {
        Folder::find(request).map_or(Ok(None), |folder| find(request, &folder))
    }
}

/// A device of this process alone, without a folder.
fn private(request: &Request) -> Result<&'static Machine, Error> {
    let Checked { setup, preset, .. } = request.check(None)?;
    let failed = |doing| Error::system("a private device", doing);
    let id = Id(sys_unsafe::random().map_err(failed("name"))?);
    let header =
        Header { id, epoch_ns: clock::now_ns(), boot: String::new(), preset: preset.name.into(), setup };
    let files = Files {
        pages: Pages::anonymous(header.layout().len).map_err(failed("map"))?,
        tokens: Tokens::private(),
        memory: sys_unsafe::memory_file(c"cleave-softgpu-memory").map_err(failed("make memory for"))?,
        shares: sys_unsafe::memory_file(c"cleave-softgpu-shares").map_err(failed("make files for"))?,
    };
    files.memory.set_len(header.setup.memory_file_len()).map_err(failed("make memory for"))?;
    Ok(Machine::new(None, header, files))
}

/// The device in a folder, if there is one.
fn find(request: &Request, folder: &Folder) -> Result<Option<&'static Machine>, Error> {
    if !folder.check()? {
        return Ok(None);
    }
    let wanted = request.check(Some(&folder.path))?;
    let dir = folder.device();
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let Some(identity) = identity(&dir)? else { return Ok(None) };
        if let Some((_, machine)) = open.iter().find(|(known, _)| *known == identity) {
            return wanted.accept(&folder.path, machine.preset(), machine.setup()).map(|()| Some(*machine));
        }
        let opened = open_files(folder, &dir, &wanted);
        // Put aside while we opened it file by file: what we have may be of two devices.
        if identity_now(&dir) != Some(identity) {
            continue;
        }
        let Some((header, files)) = opened? else { return Ok(None) };
        let machine = Machine::new(Some(folder.path.clone()), header, files);
        open.push((identity, machine));
        return Ok(Some(machine));
    }
}

/// `None` if it is of an earlier boot.
fn open_files(folder: &Folder, dir: &Path, wanted: &Checked) -> Result<Option<(Header, Files)>, Error> {
    let mut control = open_file(dir, CONTROL)?;
    let path = dir.join(CONTROL);
    let header = Header::read(&mut control, dir)?;
    if header.is_stale(folder.boot()) {
        return Ok(None);
    }
    wanted.accept(&folder.path, &header.preset, &header.setup)?;
    let pages = Pages::of(&control, header.layout().len).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => Error::Damaged { path: path.clone(), reason: error.to_string() },
        _ => Error::system(&path, "map")(error),
    })?;
    let memory = memory_file::open(dir, header.setup.memory_file_len())?;
    let shares = open_file(dir, SHARES)?;
    // Last, since it cannot be closed again.
    let lock = dir.join(LOCK);
    let tokens = Tokens::open(&lock).map_err(|error| cannot_open(&lock, error))?;
    Ok(Some((header, Files { pages, tokens, memory, shares })))
}

fn open_file(dir: &Path, name: &str) -> Result<File, Error> {
    let path = dir.join(name);
    OpenOptions::new().read(true).write(true).open(&path).map_err(|error| cannot_open(&path, error))
}

fn cannot_open(path: &Path, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound => Error::Damaged { path: path.into(), reason: "it is missing".into() },
        io::ErrorKind::IsADirectory => Error::Damaged { path: path.into(), reason: "it is a folder".into() },
        _ => Error::system(path, "open")(error),
    }
}

fn identity(dir: &Path) -> Result<Option<Identity>, Error> {
    match fs::metadata(dir) {
        Ok(about) if about.is_dir() => Ok(Some((about.dev(), about.ino()))),
        Ok(_) => Err(Error::Damaged { path: dir.into(), reason: "it is not a folder".into() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::system(dir, "look at")(error)),
    }
}

fn identity_now(dir: &Path) -> Option<Identity> {
    identity(dir).ok().flatten()
}
