//! Memory several processes map, seen as structs of atomics.

use std::fs::{File, OpenOptions};
use std::io;
use std::marker::PhantomData;
use std::ops::Deref;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64};

/// What may stand in a shared page. Structs become it by [`shared!`](crate::shared).
///
/// # Safety
/// The type is `repr(C)` or primitive, consists of atomics only, has no niche and no drop: any bytes are a valid value, also
/// while another process changes them.
pub unsafe trait Shared: Sync + 'static {}

macro_rules! atomics {
    ($($atomic:ty)*) => { $(
        // SAFETY: a primitive atomic, for which every bit pattern is a value.
        unsafe impl Shared for $atomic {}
    )* };
}
atomics! { AtomicU8 AtomicU16 AtomicU32 AtomicU64 AtomicI32 AtomicI64 }

// SAFETY: an array is its elements in a row, without padding.
unsafe impl<T: Shared, const N: usize> Shared for [T; N] {}

/// Declares a struct that may stand in a shared page: `repr(C)`, every field [`Shared`].
#[macro_export]
macro_rules! shared {
    ($(#[$doc:meta])* $vis:vis struct $name:ident { $($(#[$field_doc:meta])* $field_vis:vis $field:ident : $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[repr(C)]
        $vis struct $name { $($(#[$field_doc])* $field_vis $field: $type),* }

        // SAFETY: `repr(C)`, and the function below compiles only if each field is `Shared` itself.
        #[allow(unsafe_code)]
        unsafe impl $crate::Shared for $name {}

        const _: () = {
            const fn shared<T: $crate::Shared>() {}
            $(shared::<$type>();)*
        };
    };
}
pub(crate) use shared;

/// A mapping that stays until the process ends. The file behind it keeps its length: whoever cuts it off breaks every process
/// that has it mapped, which no check can prevent.
pub struct Pages {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: the mapping lives as long as the process, and is only reached through `Shared` references.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    /// A new file of `len` zeros, with its blocks reserved, so that a full file system is an error here and not a signal
    /// later. The mode is the umask's business, as of any new file.
    pub fn create(path: &Path, len: usize) -> io::Result<Pages> {
        let file = options().create_new(true).mode(0o666).open(path)?;
        reserve(&file, len)?;
        Pages::map(Some(file.as_raw_fd()), len)
    }

    /// The whole of an existing file, which is `len` bytes long or not what it should be.
    pub fn open(path: &Path, len: usize) -> io::Result<Pages> {
        let file = options().open(path)?;
        Pages::of(&file, len)
    }

    /// As [`open`](Pages::open), for a file that is open for reading and writing already.
    pub fn of(file: &File, len: usize) -> io::Result<Pages> {
        has_length(file, len)?;
        Pages::map(Some(file.as_raw_fd()), len)
    }

    /// Zeros that no other process sees, except children forked from this one.
    pub fn anonymous(len: usize) -> io::Result<Pages> {
        Pages::map(None, len)
    }

    fn map(file: Option<RawFd>, len: usize) -> io::Result<Pages> {
        Ok(Pages { start: map(file, len, libc::PROT_READ | libc::PROT_WRITE)?, len })
    }

    /// How long the mapping is.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: an empty mapping does not exist.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The struct at `offset`.
    ///
    /// # Panics
    /// If it does not lie inside, or not where its alignment allows.
    pub fn view<T: Shared>(&self, offset: usize) -> &'static T {
        &self.slice(offset, 1)[0]
    }

    /// `count` structs in a row, from `offset` on.
    ///
    /// # Panics
    /// If they do not lie inside, or not where their alignment allows.
    pub fn slice<T: Shared>(&self, offset: usize, count: usize) -> &'static [T] {
        let end = size_of::<T>().checked_mul(count).and_then(|bytes| bytes.checked_add(offset));
        assert!(end.is_some_and(|end| end <= self.len), "{count} structs at {offset} in {} bytes", self.len);
        assert!(offset.is_multiple_of(align_of::<T>()), "a struct at {offset}");
        // SAFETY: the range lies in the mapping, which stays; its start is page aligned and the offset fits the alignment;
        // `T: Shared` is made of atomics, so any bytes are valid and others may change them.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().add(offset).cast(), count) }
    }
}

/// A file that is one struct, mapped as long as this value lives. What [`Pages`] says about the file's length holds here too.
pub struct Mapped<T: Shared> {
    start: NonNull<T>,
    kind: PhantomData<T>,
}

// SAFETY: the mapping belongs to this value and is reached only through references to a `Shared` type.
unsafe impl<T: Shared> Send for Mapped<T> {}
// SAFETY: as above.
unsafe impl<T: Shared> Sync for Mapped<T> {}

impl<T: Shared> Mapped<T> {
    /// The struct a file is, which is exactly as long or not what it should be, and open for reading and writing.
    pub fn of(file: &File) -> io::Result<Mapped<T>> {
        Mapped::map(file, libc::PROT_READ | libc::PROT_WRITE)
    }

    /// As [`of`](Mapped::of), for reading alone: a store into it ends the process, so who has one only loads.
    pub fn read(file: &File) -> io::Result<Mapped<T>> {
        Mapped::map(file, libc::PROT_READ)
    }

    fn map(file: &File, access: libc::c_int) -> io::Result<Mapped<T>> {
        has_length(file, size_of::<T>())?;
        // The kernel's alignment is a page.
        let start = map(Some(file.as_raw_fd()), size_of::<T>(), access)?.cast();
        Ok(Mapped { start, kind: PhantomData })
    }
}

impl<T: Shared> Deref for Mapped<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the mapping is as long as `T`, page aligned, and lives as long as `self`; `T: Shared` is made of atomics, so
        // any bytes are valid and others may change them.
        unsafe { self.start.as_ref() }
    }
}

impl<T: Shared> Drop for Mapped<T> {
    fn drop(&mut self) {
        // SAFETY: exactly what was mapped, and no reference into it outlives `self`.
        unsafe { libc::munmap(self.start.as_ptr().cast(), size_of::<T>()) };
    }
}

fn map(file: Option<RawFd>, len: usize, access: libc::c_int) -> io::Result<NonNull<u8>> {
    let kind = if file.is_some() { 0 } else { libc::MAP_ANONYMOUS };
    // SAFETY: a new mapping at a place the kernel chooses touches nothing that exists.
    let start =
        unsafe { libc::mmap(ptr::null_mut(), len, access, libc::MAP_SHARED | kind, file.unwrap_or(-1), 0) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(NonNull::new(start.cast()).ok_or(io::ErrorKind::AddrNotAvailable)?)
}

fn has_length(file: &File, len: usize) -> io::Result<()> {
    let found = file.metadata()?.len();
    if found == len as u64 {
        return Ok(());
    }
    let message = format!("the file is {found} bytes long, not {len}");
    Err(io::Error::new(io::ErrorKind::InvalidData, message))
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_CLOEXEC);
    options
}

fn reserve(file: &File, len: usize) -> io::Result<()> {
    let len = libc::off_t::try_from(len).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: plain numbers. Where the file system has no such call, the C library writes the zeros.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, len) } {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    shared! {
        struct Pair {
            low: AtomicU32,
            high: [AtomicU64; 2],
        }
    }

    #[test]
    fn two_mappings_of_a_file_are_one_memory() {
        let path = std::env::temp_dir().join(format!("cleave-pages-{}", std::process::id()));
        let first = Pages::create(&path, 8192).unwrap();
        assert!(Pages::create(&path, 8192).is_err(), "exists");
        assert!(Pages::open(&path, 4096).is_err(), "of another length");
        let second = Pages::open(&path, 8192).unwrap();
        std::fs::remove_file(&path).unwrap();

        first.slice::<Pair>(4096, 3)[2].high[1].store(7, Relaxed);
        assert_eq!(second.view::<Pair>(4096 + 2 * size_of::<Pair>()).high[1].load(Relaxed), 7);
        assert_eq!(first.view::<Pair>(0).low.load(Relaxed), 0);
    }

    #[test]
    fn a_mapped_struct_is_its_file() {
        let path = std::env::temp_dir().join(format!("cleave-mapped-{}", std::process::id()));
        let file = options().create_new(true).open(&path).unwrap();
        file.set_len(24).unwrap();
        let written = Mapped::<Pair>::of(&file).unwrap();
        let read = Mapped::<Pair>::read(&File::open(&path).unwrap()).unwrap();
        assert!(Mapped::<Pair>::of(&File::open(&path).unwrap()).is_err(), "open for reading alone");
        written.high[1].store(7, Relaxed);
        assert_eq!(read.high[1].load(Relaxed), 7);
        drop(written);
        assert_eq!(read.high[1].load(Relaxed), 7);
        file.set_len(23).unwrap();
        let error = Mapped::<Pair>::of(&file).err().unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(error.to_string(), "the file is 23 bytes long, not 24");
    }

    #[test]
    fn what_does_not_fit_is_no_view() {
        let pages = Pages::anonymous(4096).unwrap();
        for (offset, count) in [(4090, 1), (4096, 1), (0, 513), (usize::MAX - 7, 1), (0, usize::MAX), (4, 1)]
        {
            let view = std::panic::catch_unwind(|| pages.slice::<AtomicU64>(offset, count).len());
            assert!(view.is_err(), "{count} at {offset}");
        }
        assert_eq!(pages.slice::<AtomicU64>(0, 512).len(), 512);
    }
}
