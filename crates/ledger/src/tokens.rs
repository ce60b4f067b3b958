//! Death tokens: locks the kernel drops when their holder dies, however it dies.
//!
//! A token is a POSIX record lock on one byte of a file that holds nothing else. It belongs to the process: it falls when the
//! process dies, also while a child it forked lives on, which inherits neither the lock nor its mark. POSIX locks also fall
//! when the process closes *any* descriptor of the file; so only this library opens it, and closes it only when it is done with
//! all of its tokens. Programs that close descriptors they never opened mostly close the low ones; so ours is a high one. A
//! token is never waited for.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd, RawFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::AtomicI32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::sys_unsafe;

/// The tokens 0 to 1023 of one lock file.
pub struct Tokens {
    /// None for what only this process uses. Below zero once it is closed.
    file: Option<AtomicI32>,
    /// Device and inode of the file: should the program have closed the descriptor, its number may be another file's by now.
    identity: (u64, u64),
    /// What this process holds: to the kernel, a second thread that asks for a token is the same process and gets it.
    held: Mutex<[u64; WORDS]>,
}

const WORDS: usize = Tokens::COUNT as usize / 64;

impl Tokens {
    /// How many tokens a file has.
    pub const COUNT: u32 = 1024;

    /// The tokens of the lock file at `path`, which exists. Once per process and file: a second opening knows nothing of what
    /// the first one holds (it still sees it by [`probe`](Tokens::probe)).
    pub fn open(path: &Path) -> io::Result<Tokens> {
        Tokens::of(OpenOptions::new().read(true).write(true).custom_flags(libc::O_CLOEXEC).open(path)?)
    }

    /// As [`open`](Tokens::open), for a file that is open for reading and writing already.
    pub fn of(file: File) -> io::Result<Tokens> {
        let about = file.metadata()?;
        // How many descriptors a process may have decides how high we get.
        let high = [700, 200, 60].into_iter().find_map(|least| sys_unsafe::move_up(file.as_raw_fd(), least));
        // Moved before any token is taken: closing the low one costs nothing yet.
        let file = high.unwrap_or_else(|| file.into_raw_fd());
        Ok(Tokens {
            file: Some(AtomicI32::new(file)),
            identity: (about.dev(), about.ino()),
            held: Mutex::new([0; WORDS]),
        })
    }

    /// The tokens of something only this process uses: no file, nobody else to hold one.
    pub fn private() -> Tokens {
        Tokens { file: None, identity: (0, 0), held: Mutex::new([0; WORDS]) }
    }

    /// Closes the file and with it gives up every token of it that this process holds, those of another opening included.
    /// Nothing can be held or probed afterwards.
    pub fn close(&self) {
        let mut held = self.held();
        if let Ok(Some(file)) = self.file() {
            sys_unsafe::close(file);
        }
        if let Some(file) = &self.file {
            file.store(-1, Relaxed);
        }
        *held = [0; WORDS];
    }

    /// Takes token `n` for this process. False if somebody has it, another thread of this process included.
    pub fn hold(&self, n: u32) -> io::Result<bool> {
        let (word, bit) = place(n)?;
        let mut held = self.held();
        if held[word] & bit != 0 {
            return Ok(false);
        }
        if let Some(file) = self.file()?
            && !sys_unsafe::lock(file, n)?
        {
            return Ok(false);
        }
        held[word] |= bit;
        Ok(true)
    }

    /// Gives token `n` up, if this process holds it.
    pub fn release(&self, n: u32) -> io::Result<()> {
        let (word, bit) = place(n)?;
        let mut held = self.held();
        if held[word] & bit == 0 {
            return Ok(());
        }
        if let Some(file) = self.file()? {
            sys_unsafe::unlock(file, n)?;
        }
        held[word] &= !bit;
        Ok(())
    }

    /// Who holds token `n`: None for nobody, else a pid as this process may see it, 0 if it cannot (another pid namespace).
    /// The pid is for people to read; nothing should be decided by it.
    pub fn probe(&self, n: u32) -> io::Result<Option<u32>> {
        let (word, bit) = place(n)?;
        match self.file()? {
            Some(file) => sys_unsafe::locker(file, n),
            None => Ok((self.held()[word] & bit != 0).then(std::process::id)),
        }
    }

    /// The descriptor, as long as it is what we opened.
    fn file(&self) -> io::Result<Option<RawFd>> {
        let Some(file) = &self.file else { return Ok(None) };
        let file = file.load(Relaxed);
        if file >= 0 && sys_unsafe::identity(file)? == self.identity {
            return Ok(Some(file));
        }
        Err(io::Error::from_raw_os_error(libc::EBADF))
    }

    fn held(&self) -> MutexGuard<'_, [u64; WORDS]> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn place(n: u32) -> io::Result<(usize, u64)> {
    if n < Tokens::COUNT {
        Ok((n as usize / 64, 1 << (n % 64)))
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, format!("there is no token {n}")))
    }
}
