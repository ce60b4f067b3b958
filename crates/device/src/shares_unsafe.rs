//! Descriptors that name shared memory, and keep it alive, wherever they are passed.
//!
//! A descriptor is an open description of the file `shares`, with a lock on a slot of it that is its own. Locks of open
//! descriptions live exactly as long as any copy of the descriptor does, also in a socket between two processes, and the
//! kernel tells everyone who asks. The slot holds the handle; the description's position says which slot it is. So a slot
//! is free as soon as nobody has the descriptor, and nothing is ever cleaned up.

use std::cell::OnceCell;
use std::fs::{File, OpenOptions};
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::share_handle::{HANDLE_BYTES, Handle};

/// Descriptors that exist at one time.
const SLOTS: u64 = 1 << 16;
const SLOT: u64 = HANDLE_BYTES as u64;

/// The file `shares` of a machine, open in this process.
pub struct Shares {
    file: File,
}

impl Shares {
    pub fn new(file: File) -> Shares {
        Shares { file }
    }

    /// A new descriptor that names `handle`. It closes at exec.
    pub fn export(&self, handle: &Handle) -> io::Result<OwnedFd> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Another description of the same file: a copy of ours would share its locks.
        let path = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        // Each process begins elsewhere, so that most find a free slot at once.
        let first = u64::from(std::process::id()).wrapping_mul(0x9e37_79b9) + NEXT.fetch_add(1, Relaxed);
        for slot in (0..SLOTS).map(|i| (first + i) % SLOTS) {
            if lock(&file, slot)? {
                file.write_all_at(&handle.pack(), slot * SLOT)?;
                io::Seek::seek(&mut &file, io::SeekFrom::Start(slot * SLOT))?;
                return Ok(file.into());
            }
        }
        Err(io::ErrorKind::StorageFull.into())
    }

    /// What a descriptor names, whatever number the program passed. `None` if it is not one of ours.
    pub fn import(&self, descriptor: RawFd) -> io::Result<Option<Handle>> {
        if descriptor < 0 {
            return Ok(None);
        }
        // Looked at where it is: closing a copy of the wrong one, the lock file's, would end this process's record.
        // SAFETY: not closed here, and only asked what it is; a number that is no descriptor is an error of these calls.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
        let (theirs, ours) = (file.metadata()?, self.file.metadata()?);
        if (theirs.dev(), theirs.ino()) != (ours.dev(), ours.ino()) {
            return Ok(None);
        }
        let at = io::Seek::stream_position(&mut &*file)?;
        Ok(self.read(at / SLOT))
    }

    /// The handles of all descriptors that exist anywhere.
    pub fn alive(&self) -> io::Result<Vec<Handle>> {
        let mut handles = Vec::new();
        let mut ranges = vec![(0, SLOTS)];
        while let Some((start, end)) = ranges.pop() {
            if start == end {
                continue;
            }
            if let Some((first, after)) = locked(&self.file, start, end)? {
                handles.extend((first.max(start)..after.min(end)).filter_map(|slot| self.read(slot)));
                ranges.extend([(start, first.max(start)), (after.min(end), end)]);
            }
        }
        Ok(handles)
    }

    /// Tells which numbers of shared chunks of a device some descriptor names; what it finds when it is first asked.
    pub fn named(&self, device: usize) -> impl Fn(u64) -> bool {
        let alive = OnceCell::new();
        move |number| match alive.get_or_init(|| self.alive()) {
            Ok(handles) => handles.iter().any(|handle: &Handle| handle.names(device, number)),
            // If the kernel does not say, nothing is given away.
            Err(_) => true,
        }
    }

    fn read(&self, slot: u64) -> Option<Handle> {
        let mut bytes = [0; HANDLE_BYTES];
        self.file.read_exact_at(&mut bytes, slot.checked_mul(SLOT)?).ok()?;
        Handle::unpack(&bytes)
    }
}

/// Locks a slot for the description of `file`. False if another description has it.
fn lock(file: &File, slot: u64) -> io::Result<bool> {
    let flock = range(slot, 1);
    // SAFETY: the argument of this command is a pointer to a `flock`, which outlives the call.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const flock) } == 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::EAGAIN | libc::EACCES) => Ok(false),
        _ => Err(error),
    }
}

/// Some slots of `start..end` that other descriptions than that of `file` have locked.
fn locked(file: &File, start: u64, end: u64) -> io::Result<Option<(u64, u64)>> {
    let mut flock = range(start, end - start);
    // SAFETY: the argument of this command is a pointer to a `flock`, which outlives the call and may be written.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_GETLK, &raw mut flock) } != 0 {
        return Err(io::Error::last_os_error());
    }
    if flock.l_type == libc::F_UNLCK as libc::c_short {
        return Ok(None);
    }
    let first = flock.l_start as u64;
    // Length 0 is to the end of all files.
    Ok(Some((first, if flock.l_len == 0 { u64::MAX } else { first + flock.l_len as u64 })))
}

fn range(start: u64, len: u64) -> libc::flock {
    // SAFETY: a struct of numbers, for which zero is a value.
    let mut flock: libc::flock = unsafe { std::mem::zeroed() };
    flock.l_type = libc::F_WRLCK as libc::c_short;
    flock.l_whence = libc::SEEK_SET as libc::c_short;
    (flock.l_start, flock.l_len) = (start as libc::off_t, len as libc::off_t);
    flock
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share_handle::Kind;

    fn handle(first: u64) -> Handle {
        Handle {
            kind: Kind::Physical,
            machine: [1; 16],
            device: 0,
            record: 1,
            generation: 0,
            first,
            count: 1,
            second: 0,
            offset: 0,
            len: 2 << 20,
        }
    }

    fn shares() -> (Shares, std::path::PathBuf) {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("cleave-shares-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
        let path = std::env::temp_dir().join(name);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
        (Shares::new(file), path)
    }

    #[test]
    fn a_descriptor_names_and_lives_until_its_last_copy_is_closed() {
        let (shares, path) = shares();
        let first = shares.export(&handle(5)).unwrap();
        let second = shares.export(&handle(9)).unwrap();
        assert_eq!(shares.import(first.as_raw_fd()).unwrap(), Some(handle(5)));
        assert_eq!(shares.import(second.as_raw_fd()).unwrap(), Some(handle(9)));
        let firsts = || {
            let mut firsts: Vec<u64> = shares.alive().unwrap().iter().map(|handle| handle.first).collect();
            firsts.sort_unstable();
            firsts
        };
        assert_eq!(firsts(), [5, 9]);
        let copy = second.try_clone().unwrap();
        drop(second);
        drop(first);
        assert_eq!(firsts(), [9]);
        assert_eq!(shares.import(copy.as_raw_fd()).unwrap(), Some(handle(9)));
        drop(copy);
        assert_eq!(firsts(), []);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn what_descriptors_name_is_found_by_number() {
        let (shares, path) = shares();
        let descriptor = shares.export(&handle(5)).unwrap();
        let named = shares.named(0);
        assert!(named(5) && !named(6) && !shares.named(1)(5));
        drop(descriptor);
        assert!(!shares.named(0)(5));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn foreign_descriptors_name_nothing() {
        let (shares, path) = shares();
        let other = File::open("/dev/null").unwrap();
        assert_eq!(shares.import(other.as_raw_fd()).unwrap(), None);
        // The right file, but not made by an export.
        let plain = File::open(&path).unwrap();
        assert_eq!(shares.import(plain.as_raw_fd()).unwrap(), None);
        assert_eq!(shares.import(-1).unwrap(), None);
        assert!(shares.import(1 << 20).is_err());
        std::fs::remove_file(path).unwrap();
    }
}
