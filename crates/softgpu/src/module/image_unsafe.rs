//! What a program passes as code: a pointer without a length. The bytes themselves say how far they reach.

use core::ffi::{CStr, c_void};
use std::borrow::Cow;

use cleave_api::edge::Ptr;
use cleave_ptx::fatbin::{self, HEADER_SIZE, MAGIC as FATBIN, WRAPPER_MAGIC as WRAPPER};

/// First word of an ELF file.
const ELF: u32 = u32::from_le_bytes(*b"\x7fELF");
/// First word of what our own linker makes; see [`super::linked`].
pub const LINKED: u32 = u32::from_le_bytes(*b"CLVL");

/// Code as found behind the pointer.
pub enum Image<'a> {
    /// PTX text, without its closing zero.
    Text(Cow<'a, [u8]>),
    /// A fatbin, whole.
    Fatbin(Cow<'a, [u8]>),
    /// The output of our linker, whole.
    Linked(Cow<'a, [u8]>),
    /// Machine code for some real device.
    Elf,
}

impl<'a> Image<'a> {
    /// Looks behind a pointer that the program passed as code. `None` if it is null or leads nowhere.
    pub fn at(code: Ptr<c_void>) -> Option<Image<'a>> {
        let at = code.as_ptr().cast_const().cast::<u8>();
        if at.is_null() {
            return None;
        }
        // SAFETY: the program passed a pointer to code, which has at least a first byte; each next byte is read only
        // when the ones before it begin like a container, whose headers are longer than four bytes.
        let first = unsafe { prefix(at) };
        match first {
            // SAFETY: the wrapper is four words: magic and version, then two pointers, the first to a fatbin.
            WRAPPER => unsafe {
                let inner = at.add(8).cast::<*const u8>().read_unaligned();
                if inner.is_null() { None } else { container(inner) }
            },
            // SAFETY: a fatbin begins with its header.
            FATBIN => unsafe { container(at) },
            // SAFETY: our linker's header is its magic and the length of all.
            LINKED => Some(Image::Linked(unsafe {
                let len = at.add(4).cast::<u32>().read_unaligned();
                bytes(at, len as usize)
            })),
            ELF => Some(Image::Elf),
            // SAFETY: anything else is text, which ends in zero.
            _ => Some(Image::Text(Cow::Borrowed(unsafe { CStr::from_ptr(at.cast()) }.to_bytes()))),
        }
    }

    /// The same for bytes whose length is known, e.g. a file.
    pub fn of(bytes: &'a [u8]) -> Image<'a> {
        let word = bytes.first_chunk().map(|word| u32::from_le_bytes(*word));
        match word {
            Some(FATBIN) => Image::Fatbin(Cow::Borrowed(bytes)),
            Some(LINKED) => Image::Linked(Cow::Borrowed(bytes)),
            Some(ELF) => Image::Elf,
            _ => {
                let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
                Image::Text(Cow::Borrowed(&bytes[..end]))
            }
        }
    }
}

/// The first four bytes, or fewer when one of them is the zero that ends a text.
///
/// # Safety
/// `at` points to a text or to a container.
unsafe fn prefix(at: *const u8) -> u32 {
    let mut word = [0; 4];
    for (i, byte) in word.iter_mut().enumerate() {
        // SAFETY: no byte before this one was the end of a text.
        *byte = unsafe { at.add(i).read() };
        if *byte == 0 {
            break;
        }
    }
    u32::from_le_bytes(word)
}

/// # Safety
/// `at` points to a container, whose header tells its length.
unsafe fn container<'a>(at: *const u8) -> Option<Image<'a>> {
    // SAFETY: by the caller's promise.
    unsafe {
        let header = at.cast::<[u8; HEADER_SIZE]>().read_unaligned();
        Some(Image::Fatbin(bytes(at, fatbin::total_size(&header)?)))
    }
}

/// # Safety
/// `len` bytes at `at` are readable.
unsafe fn bytes<'a>(at: *const u8, len: usize) -> Cow<'a, [u8]> {
    // SAFETY: by the caller's promise.
    Cow::Borrowed(unsafe { std::slice::from_raw_parts(at, len) })
}
