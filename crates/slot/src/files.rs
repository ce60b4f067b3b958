//! The files of a slot: made, checked and opened, once per process.

use std::fs::{self, File, OpenOptions, Permissions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::ops::Deref;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use cleave_ledger::{Account, Book, Mapped, RecordId, Tokens, birth, wait_for};

use crate::error::Error;
use crate::header::{self, Kind};
use crate::layout::{Limits, Usage};
use crate::life::Inode;
use crate::registry_unsafe::Registry;
use crate::terms::Owner;

const LIMITS: &str = "limits";
const USAGE: &str = "usage";

/// Who opens a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// A process of the tenant: it may not write the limits.
    Tenant,
    /// The node: it writes the limits, and trusts nobody who writes the usage.
    Node,
}

/// What all openings of a slot in this process share.
pub struct Files {
    pub folder: PathBuf,
    pub usage: Mapped<Usage>,
    /// The file behind `usage`.
    pub inode: Inode,
    pub tokens: Tokens,
    /// The folder, whatever it is called.
    identity: (u64, u64),
    slot: u64,
    birth: u64,
    /// Whose turn it is among the threads of this process.
    turn: Mutex<()>,
}

static OPEN: Registry<(Arc<Files>, usize)> = Registry::new();

/// One opening of a slot. The last one of a process closes the files.
pub struct Opening {
    pub side: Side,
    /// Writable for the node alone.
    pub limits: Mapped<Limits>,
    files: Arc<Files>,
}

impl Opening {
    /// Makes the files in `draft`, an empty folder that nobody else knows and that becomes `folder`.
    pub fn create(draft: &Path, folder: &Path, owner: Owner) -> Result<Opening, Error> {
        // Tells one slot from another; nothing depends on its being hard to guess.
        let slot = RandomState::new().hash_one(folder);
        make(&draft.join(LIMITS), Kind::Limits, size_of::<Limits>(), slot, 0o644, None)?;
        let (mode, user) = match owner {
            Owner::Uid(user, group) => (0o600, Some((user, group))),
            Owner::Anyone => (0o666, None),
        };
        make(&draft.join(USAGE), Kind::Usage, size_of::<Usage>(), slot, mode, user)?;
        for number in 0..Tokens::FILES {
            make(&draft.join(lock(number)), Kind::Lock, header::BYTES, slot, mode, user)?;
        }
        Opening::open_in(draft, folder, Side::Node)
    }

    /// Opens the slot in `folder`.
    pub fn open(folder: &Path, side: Side) -> Result<Opening, Error> {
        Opening::open_in(folder, folder, side)
    }

    /// Opens the slot that lies in `place` and is called `folder`.
    fn open_in(place: &Path, folder: &Path, side: Side) -> Result<Opening, Error> {
        let identity = identify(place)?;
        let (limits, slot) = open_limits(&place.join(LIMITS), side)?;
        let mut open = OPEN.lock();
        let known = open.iter_mut().find(|(files, _)| files.identity == identity && files.slot == slot);
        if let Some((files, openings)) = known {
            *openings += 1;
            return Ok(Opening { side, limits, files: Arc::clone(files) });
        }
        let files = Arc::new(Files::open(place, folder, identity, slot)?);
        open.push((Arc::clone(&files), 1));
        Ok(Opening { side, limits, files })
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        // A forked child leaves the descriptor alone: closing it would drop the tokens the child took by its own.
        if self.files.birth != birth() {
            return;
        }
        let mut open = OPEN.lock();
        if let Some(at) = open.iter().position(|(files, _)| Arc::ptr_eq(files, &self.files)) {
            open[at].1 -= 1;
            if open[at].1 == 0 {
                // While nobody can open it anew: to close one descriptor drops the tokens of all.
                self.files.tokens.close();
                open.swap_remove(at);
            }
        }
    }
}

impl Deref for Opening {
    type Target = Files;

    #[inline]
    fn deref(&self) -> &Files {
        &self.files
    }
}

impl Book for Opening {
    #[inline]
    fn account(&self, record: RecordId) -> &Account {
        &self.files.usage.entry(record).account
    }

    #[inline]
    fn turn(&self, _: RecordId) -> MutexGuard<'_, ()> {
        wait_for(&self.files.turn)
    }

    #[inline]
    fn patience(&self) -> u32 {
        match self.side {
            Side::Tenant => u32::MAX,
            // Some hundred attempts; a tenant that spoils them all only hurts its own account.
            Side::Node => 1 << 12,
        }
    }
}

impl Files {
    fn open(place: &Path, folder: &Path, identity: (u64, u64), slot: u64) -> Result<Files, Error> {
        let path = place.join(USAGE);
        let file = open_file(&path, true)?;
        belongs(header::read(&file, Kind::Usage, size_of::<Usage>(), &path)?, slot, &path)?;
        let usage = Mapped::<Usage>::of(&file).map_err(Error::system(&path, "map"))?;
        let inode = Inode(file.metadata().map_err(Error::system(&path, "look at"))?.ino());

        // Whole paths, since the files are opened when they are needed; both, since a draft becomes the folder meanwhile.
        let whole = |path: &Path| std::path::absolute(path).map_err(Error::system(path, "find"));
        let places = [whole(place)?, whole(folder)?];
        let tokens = Tokens::spread(move |number| {
            // Never a file of another slot: to close it again would drop what this process holds there.
            let here = |place: &&PathBuf| identify(place).is_ok_and(|found| found == identity);
            let place = places.iter().find(here).ok_or_else(|| Error::Missing { path: places[1].clone() });
            place.and_then(|place| open_lock(place, slot, number)).map_err(io::Error::other)
        });
        let folder = folder.to_owned();
        Ok(Files { folder, usage, inode, tokens, identity, slot, birth: birth(), turn: Mutex::new(()) })
    }

    /// An error of the system about this slot; or our own about one of its lock files, which came through the ledger.
    pub fn trouble(&self, doing: &'static str) -> impl FnOnce(io::Error) -> Error {
        let system = Error::system(&self.folder, doing);
        |error| error.downcast().unwrap_or_else(system)
    }
}

/// A folder, whatever it is called.
fn identify(folder: &Path) -> Result<(u64, u64), Error> {
    let about = fs::metadata(folder).map_err(Error::system(folder, "look at"))?;
    Ok((about.dev(), about.ino()))
}

/// How the file with some of the tokens is called.
fn lock(number: usize) -> String {
    format!("lock{number}")
}

fn open_lock(place: &Path, slot: u64, number: usize) -> Result<File, Error> {
    let path = place.join(lock(number));
    let file = open_file(&path, true)?;
    belongs(header::read(&file, Kind::Lock, header::BYTES, &path)?, slot, &path)?;
    Ok(file)
}

/// The limits, with the slot they belong to.
fn open_limits(path: &Path, side: Side) -> Result<(Mapped<Limits>, u64), Error> {
    let file = open_file(path, side == Side::Node)?;
    let slot = header::read(&file, Kind::Limits, size_of::<Limits>(), path)?;
    let limits = match side {
        Side::Node => Mapped::of(&file),
        Side::Tenant => Mapped::<Limits>::read(&file),
    };
    Ok((limits.map_err(Error::system(path, "map"))?, slot))
}

fn open_file(path: &Path, write: bool) -> Result<File, Error> {
    // Whatever lies there, opening it neither follows nor waits.
    let flags = libc::O_CLOEXEC | libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).write(write).custom_flags(flags).open(path);
    let file = file.map_err(Error::system(path, "open"))?;
    let about = file.metadata().map_err(Error::system(path, "look at"))?;
    if about.is_file() { Ok(file) } else { Err(Error::damaged(path, "it is not a regular file")) }
}

/// Makes a file of zeros behind its header.
fn make(
    path: &Path,
    kind: Kind,
    bytes: usize,
    slot: u64,
    mode: u32,
    user: Option<(u32, u32)>,
) -> Result<(), Error> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let mut file = file.map_err(Error::system(path, "make"))?;
    // Zeros that are written are there: a full file system is an error here and not a signal later.
    let mut content = vec![0; bytes];
    content[..header::BYTES].copy_from_slice(&header::encode(kind, bytes, slot));
    file.write_all(&content).map_err(Error::system(path, "make"))?;
    // The mode as it is meant, whatever the umask.
    file.set_permissions(Permissions::from_mode(mode)).map_err(Error::system(path, "set the mode of"))?;
    let about = file.metadata().map_err(Error::system(path, "look at"))?;
    if let Some((user, group)) = user
        && (about.uid(), about.gid()) != (user, group)
    {
        fchown(&file, Some(user), Some(group)).map_err(Error::system(path, "give away"))?;
    }
    Ok(())
}

fn belongs(found: u64, slot: u64, path: &Path) -> Result<(), Error> {
    if found == slot {
        return Ok(());
    }
    Err(Error::damaged(path, "it belongs to another grant than the limits beside it"))
}
