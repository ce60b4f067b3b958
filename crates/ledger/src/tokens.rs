//! Death tokens: locks the kernel drops when their holder dies, however it dies.
//!
//! A token is a POSIX record lock on one byte of a file that holds nothing else. It belongs to the process: it falls when the
//! process dies, also while a child it forked lives on, which inherits neither the lock nor its mark. POSIX locks also fall
//! when the process closes *any* descriptor of the file; so only this library opens it, and closes it only when it holds none
//! of its tokens. Programs that close descriptors they never opened mostly close the low ones; so ours is a high one. A
//! token is never waited for.
//!
//! The kernel walks all locks of a file for each new one, and when a descriptor is closed. Where many processes come and go, the
//! tokens are spread over several files, of which a process opens those it needs.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd, RawFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::sys_unsafe;

/// The tokens 0 to 1023 of one lock file, or of several.
pub struct Tokens {
    source: Source,
    state: Mutex<State>,
}

enum Source {
    /// Only this process uses them.
    Private,
    /// One file has them all. It is open until it is closed for good.
    One,
    /// Each file has the tokens of one word. They are opened when they are needed.
    Spread(Box<dyn Fn(usize) -> io::Result<File> + Send + Sync>),
}

struct State {
    /// What this process holds: to the kernel, a second thread that asks for a token is the same process and gets it.
    held: [u64; WORDS],
    open: [Option<LockFile>; WORDS],
    closed: bool,
}

/// An open file.
#[derive(Clone, Copy)]
struct LockFile {
    descriptor: RawFd,
    /// Device and inode: should the program have closed the descriptor, its number may be another file's by now.
    identity: (u64, u64),
}

const WORDS: usize = Tokens::COUNT as usize / 64;

impl Tokens {
    /// How many tokens there are.
    pub const COUNT: u32 = 1024;
    /// How many files they are spread over.
    pub const FILES: usize = WORDS;

    /// The tokens of the lock file at `path`, which exists. Once per process and file: a second opening knows nothing of what
    /// the first one holds (it still sees it by [`probe`](Tokens::probe)).
    pub fn open(path: &Path) -> io::Result<Tokens> {
        let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_CLOEXEC).open(path)?;
        let tokens = Tokens::new(Source::One);
        tokens.state().open[0] = Some(LockFile::high(file)?);
        Ok(tokens)
    }

    /// The tokens of several lock files, each for as many that follow each other. `open` opens one of the [`FILES`](Tokens::FILES)
    /// for reading and writing; an error of it is the answer to who needed the file. Once per process, as for one file.
    pub fn spread(open: impl Fn(usize) -> io::Result<File> + Send + Sync + 'static) -> Tokens {
        Tokens::new(Source::Spread(Box::new(open)))
    }

    /// The tokens of something only this process uses: no file, nobody else to hold one.
    pub fn private() -> Tokens {
        Tokens::new(Source::Private)
    }

    fn new(source: Source) -> Tokens {
        let state = State { held: [0; WORDS], open: [None; WORDS], closed: false };
        Tokens { source, state: Mutex::new(state) }
    }

    /// Closes all files and with it gives up every token of them that this process holds, those of another opening included.
    /// Nothing can be held or probed afterwards.
    pub fn close(&self) {
        let mut state = self.state();
        state.open.iter_mut().filter_map(Option::take).for_each(LockFile::close);
        state.held = [0; WORDS];
        state.closed = true;
    }

    /// Takes token `n` for this process. False if somebody has it, another thread of this process included.
    pub fn hold(&self, n: u32) -> io::Result<bool> {
        let (word, bit) = place(n)?;
        let mut state = self.state();
        if state.held[word] & bit != 0 {
            return Ok(false);
        }
        if let Some(file) = self.file(&mut state, word)?
            && !sys_unsafe::lock(file, n)?
        {
            return Ok(false);
        }
        state.held[word] |= bit;
        Ok(true)
    }

    /// Gives token `n` up, if this process holds it.
    pub fn release(&self, n: u32) -> io::Result<()> {
        let (word, bit) = place(n)?;
        let mut state = self.state();
        if state.held[word] & bit == 0 {
            return Ok(());
        }
        if let Some(file) = self.file(&mut state, word)? {
            sys_unsafe::unlock(file, n)?;
        }
        state.held[word] &= !bit;
        Ok(())
    }

    /// Who holds token `n`: None for nobody, else a pid as this process may see it, 0 if it cannot (another pid namespace).
    /// The pid is for people to read; nothing should be decided by it.
    pub fn probe(&self, n: u32) -> io::Result<Option<u32>> {
        let (word, bit) = place(n)?;
        let mut state = self.state();
        match self.file(&mut state, word)? {
            Some(file) => sys_unsafe::locker(file, n),
            None => Ok((state.held[word] & bit != 0).then(std::process::id)),
        }
    }

    /// The descriptor for the tokens of a word; None if they need none.
    fn file(&self, state: &mut State, word: usize) -> io::Result<Option<RawFd>> {
        let gone = io::Error::from_raw_os_error(libc::EBADF);
        let at = match &self.source {
            Source::Private => return Ok(None),
            Source::One => 0,
            Source::Spread(_) => word,
        };
        if let Some(file) = &state.open[at]
            && file.is_ours()
        {
            return Ok(Some(file.descriptor));
        }
        match &self.source {
            // What was held in a file that the program closed has fallen: to take it again would hide that.
            Source::Spread(open) if !state.closed && state.held[word] == 0 => {
                state.open[at] = None;
                state.close_idle();
                let file = LockFile::high(open(word)?)?;
                state.open[at] = Some(file);
                Ok(Some(file.descriptor))
            }
            _ => Err(gone),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whoever looks at every token has one file open at a time, beside those it holds something of.
    fn close_idle(&mut self) {
        let idle = self.held.iter().zip(&mut self.open).filter(|(held, _)| **held == 0);
        idle.filter_map(|(_, file)| file.take()).for_each(LockFile::close);
    }
}

impl LockFile {
    /// Takes a file over.
    fn high(file: File) -> io::Result<LockFile> {
        let about = file.metadata()?;
        // How many descriptors a process may have decides how high we get.
        let high = [700, 200, 60].into_iter().find_map(|least| sys_unsafe::move_up(file.as_raw_fd(), least));
        // Moved before any token is taken: closing the low one costs no token yet.
        let descriptor = high.unwrap_or_else(|| file.into_raw_fd());
        Ok(LockFile { descriptor, identity: (about.dev(), about.ino()) })
    }

    fn is_ours(&self) -> bool {
        sys_unsafe::identity(self.descriptor).is_ok_and(|identity| identity == self.identity)
    }

    /// What the program closed is closed.
    fn close(self) {
        if self.is_ours() {
            sys_unsafe::close(self.descriptor);
        }
    }
}

fn place(n: u32) -> io::Result<(usize, u64)> {
    if n < Tokens::COUNT {
        Ok((n as usize / 64, 1 << (n % 64)))
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, format!("there is no token {n}")))
    }
}
