//! The only place that maps pages: fixed windows of address space and the one file that backs device memory.
//!
//! A [`Window`] is reserved once and never given back, so no operation here can disturb memory that is not ours: every
//! offset is checked against the window, and what is inside the window belongs to the caller of this module.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Device memory moves between owners in pieces of this size.
pub const CHUNK: u64 = 2 << 20;

/// A reserved stretch of address space at a fixed place.
#[derive(Debug)]
pub struct Window {
    base: u64,
    len: u64,
}

impl Window {
    /// Reserves `base..base + len` without access. Fails if anything lives there already.
    pub fn reserve(base: u64, len: u64) -> io::Result<Window> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: MAP_FIXED_NOREPLACE replaces nothing; kernels that do not know it treat `base` as a hint.
        let at = unsafe { libc::mmap(base as *mut _, len as usize, libc::PROT_NONE, flags, -1, 0) };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        if at as u64 != base {
            // SAFETY: the mapping was made three lines above and nobody else knows it.
            unsafe { libc::munmap(at, len as usize) };
            return Err(io::Error::from_raw_os_error(libc::EEXIST));
        }
        Ok(Window { base, len })
    }

    pub fn base(&self) -> u64 {
        self.base
    }

    pub fn contains(&self, addr: u64) -> bool {
        addr.wrapping_sub(self.base) < self.len
    }

    /// Maps `chunks` chunks of `file`, beginning with chunk `first`, readable and writable at `addr`.
    pub fn map_file(&self, addr: u64, file: &ChunkFile, first: u64, chunks: u64) -> io::Result<()> {
        let offset = (first * CHUNK) as libc::off64_t;
        self.map(addr, chunks * CHUNK, READ_WRITE, libc::MAP_SHARED, file.fd.as_raw_fd(), offset)
    }

    /// Fresh zero pages, readable and writable, at `addr`.
    pub fn map_zero(&self, addr: u64, len: u64) -> io::Result<()> {
        self.map(addr, len, READ_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1, 0)
    }

    /// Drops what is mapped at `addr`; touching it is a fault again.
    pub fn map_nothing(&self, addr: u64, len: u64) -> io::Result<()> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        self.map(addr, len, libc::PROT_NONE, flags, -1, 0)
    }

    fn map(&self, addr: u64, len: u64, prot: i32, flags: i32, fd: i32, offset: i64) -> io::Result<()> {
        let inside = addr.wrapping_sub(self.base).checked_add(len).is_some_and(|end| end <= self.len);
        assert!(inside, "mapping outside its window");
        let flags = flags | libc::MAP_FIXED;
        // SAFETY: the range lies inside this window, which is reserved for this process's device memory alone.
        let at = unsafe { libc::mmap64(addr as *mut _, len as usize, prot, flags, fd, offset) };
        if at == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

const READ_WRITE: i32 = libc::PROT_READ | libc::PROT_WRITE;

/// The file whose chunks are device memory.
#[derive(Debug)]
pub struct ChunkFile {
    fd: OwnedFd,
}

impl ChunkFile {
    /// A file of `chunks` chunks, all holes. It has no name and dies with its last user.
    pub fn create(chunks: u64) -> io::Result<ChunkFile> {
        // The system call itself: glibc knows the name only since 2.27.
        // SAFETY: the name is a NUL-terminated literal.
        let fd =
            unsafe { libc::syscall(libc::SYS_memfd_create, c"cleave-softgpu".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and nobody else owns it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd as i32) };
        // SAFETY: plain call on our own descriptor.
        let rc = unsafe { libc::ftruncate64(fd.as_raw_fd(), (chunks * CHUNK) as i64) };
        if rc == 0 { Ok(ChunkFile { fd }) } else { Err(io::Error::last_os_error()) }
    }

    /// Makes sure that `chunks` chunks from `first` have memory behind them, so that touching them cannot fail later.
    ///
    /// One chunk at a time: a signal undoes the whole call, and a program with a fast timer would never get past a big one.
    pub fn commit(&self, first: u64, chunks: u64) -> io::Result<()> {
        (first..first + chunks).try_for_each(|chunk| self.fallocate(0, chunk, 1))
    }

    /// Returns the memory of these chunks to the system; they read as zero afterwards.
    pub fn release(&self, first: u64, chunks: u64) -> io::Result<()> {
        self.fallocate(libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE, first, chunks)
    }

    fn fallocate(&self, mode: i32, first: u64, chunks: u64) -> io::Result<()> {
        let (offset, len) = ((first * CHUNK) as i64, (chunks * CHUNK) as i64);
        loop {
            // SAFETY: plain call on our own descriptor.
            if unsafe { libc::fallocate64(self.fd.as_raw_fd(), mode, offset, len) } == 0 {
                return Ok(());
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }
}
