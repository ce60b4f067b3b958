//! The only place that maps pages: fixed windows of address space and the one file that backs device memory.
//!
//! A [`Window`] is reserved once and never given back, so no operation here can disturb memory that is not ours: every
//! offset is checked against the window, and what is inside the window belongs to the caller of this module.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;

use cleave_device::chunks::CHUNK;

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
        self.map(addr, chunks * CHUNK, READ_WRITE, libc::MAP_SHARED, file.0.as_raw_fd(), offset)
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

/// A file whose chunks are memory of a device or of the host.
#[derive(Debug)]
pub struct ChunkFile(File);

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
        let file = unsafe { File::from_raw_fd(fd as i32) };
        file.set_len(chunks * CHUNK)?;
        Ok(ChunkFile(file))
    }

    /// A file that others use too.
    pub fn of(file: &File) -> io::Result<ChunkFile> {
        file.try_clone().map(ChunkFile)
    }

    /// Makes sure that a chunk has memory behind it, so that touching it cannot fail later. One at a time: a signal undoes
    /// the whole call, and a program with a fast timer would never get past a big one.
    pub fn commit(&self, chunk: u64) -> io::Result<()> {
        self.fallocate(0, chunk, 1)
    }

    /// Fills a chunk with zeros. Written, not punched and committed again: pages that are there are not lost to others.
    pub fn clear(&self, chunk: u64) -> io::Result<()> {
        static ZEROS: [u8; 64 << 10] = [0; 64 << 10];
        let start = chunk * CHUNK;
        (start..start + CHUNK).step_by(ZEROS.len()).try_for_each(|at| self.0.write_all_at(&ZEROS, at))
    }

    /// Returns the memory of these chunks to the system; they read as zero afterwards.
    pub fn release(&self, first: u64, chunks: u64) -> io::Result<()> {
        self.fallocate(libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE, first, chunks)
    }

    fn fallocate(&self, mode: i32, first: u64, chunks: u64) -> io::Result<()> {
        let (offset, len) = ((first * CHUNK) as i64, (chunks * CHUNK) as i64);
        loop {
            // SAFETY: plain call on our own descriptor.
            if unsafe { libc::fallocate64(self.0.as_raw_fd(), mode, offset, len) } == 0 {
                return Ok(());
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }
}
