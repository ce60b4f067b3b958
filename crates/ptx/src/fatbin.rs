//! Fatbins: the container in which compilers ship PTX and machine code for several architectures.
//!
//! A header is followed by entries, each with a header of its own. PTX entries may be compressed with LZ4 or Zstandard,
//! and newer compilers can compress several entries as one group. Only PTX is of interest here; machine code is
//! recognised and passed over.

mod unpack;

use std::fmt;
use std::ops::Range;

/// First word of the wrapper that `__cudaRegisterFatBinary` gets; the container's address is at its byte 8.
pub const WRAPPER_MAGIC: u32 = 0x4662_43B1;
/// First word of a container.
pub const MAGIC: u32 = 0xBA55_ED50;

/// Bytes of a container's header.
pub const HEADER_SIZE: usize = 16;

const KIND_PTX: u16 = 1;
const KIND_ELF: u16 = 2;
const KIND_GROUP: u16 = 0x100;

const FLAG_LZ4: u64 = 0x2000;
const FLAG_ZSTD: u64 = 0x8000;
/// The code is for exactly this architecture (`sm_90a`).
const FLAG_EXACT: u64 = 0x10_0000;
/// The code is for this family of architectures (`sm_100f`).
const FLAG_FAMILY: u64 = 0x20_0000;

/// Bytes of an entry's header that we read.
const ENTRY_SIZE: usize = 64;
/// Bytes of a group member's header.
const MEMBER_SIZE: usize = 80;

/// Why a container cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The first word is not the container's magic.
    NotFatbin,
    /// A header points behind the end.
    Truncated,
    /// An entry does not decompress.
    Corrupt(&'static str),
    /// PTX that is not text.
    NotText,
    /// No PTX for this architecture or an older one.
    NoPtx,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotFatbin => f.write_str("not a fatbin"),
            Error::Truncated => f.write_str("the fatbin is truncated"),
            Error::Corrupt(why) => write!(f, "the fatbin is corrupt: {why}"),
            Error::NotText => f.write_str("the fatbin's PTX is not text"),
            Error::NoPtx => f.write_str("the fatbin holds no PTX for this device"),
        }
    }
}

impl std::error::Error for Error {}

/// What an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Ptx,
    /// Machine code.
    Elf,
    Other(u16),
}

/// How an entry is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    None,
    Lz4,
    Zstd,
}

/// One piece of code.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    pub kind: Kind,
    /// 80 for `sm_80`.
    pub sm: u32,
    /// The code runs on this architecture (or its family) only, not on later ones.
    pub exact: bool,
    pub packing: Packing,
    packed: &'a [u8],
    unpacked_size: u64,
    /// Where the entry lies in the unpacked bytes; members of a group share them.
    part: Option<Range<u64>>,
}

/// Bytes of the container whose header this is; `None` if it is no such header.
///
/// A container arrives as a bare pointer: with this the caller finds out how much may be read.
pub fn total_size(header: &[u8; HEADER_SIZE]) -> Option<usize> {
    let header = Bytes(header);
    if header.u32(0)? != MAGIC {
        return None;
    }
    usize::from(header.u16(6)?).checked_add(usize::try_from(header.u64(8)?).ok()?)
}

/// The entries of a container.
pub fn entries(fatbin: &[u8]) -> Result<Vec<Entry<'_>>, Error> {
    let header: &[u8; HEADER_SIZE] = fatbin.first_chunk().ok_or(Error::Truncated)?;
    let size = total_size(header).ok_or(Error::NotFatbin)?;
    let all = Bytes(fatbin.get(..size).ok_or(Error::Truncated)?);
    let mut at = usize::from(all.u16(6).ok_or(Error::Truncated)?);
    if at < HEADER_SIZE {
        return Err(Error::Truncated);
    }
    let mut entries = Vec::new();
    while at < size {
        let next = read_entry(all, at, &mut entries).ok_or(Error::Truncated)?;
        if next <= at {
            return Err(Error::Truncated);
        }
        at = next;
    }
    Ok(entries)
}

/// The PTX for a device of compute capability `cc` (80 for 8.0): of all entries it can run, the newest.
pub fn ptx(fatbin: &[u8], cc: u32) -> Result<String, Error> {
    let entries = entries(fatbin)?;
    let usable = entries.iter().filter(|entry| entry.kind == Kind::Ptx && entry.runs_on(cc));
    // At the same architecture plain code is as good as specific code, and asks for less.
    let best = usable.max_by_key(|entry| (entry.sm, !entry.exact)).ok_or(Error::NoPtx)?;
    best.text()
}

impl Entry<'_> {
    fn runs_on(&self, cc: u32) -> bool {
        if self.exact { self.sm == cc } else { self.sm <= cc }
    }

    /// The unpacked bytes.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = match self.packing {
            Packing::None => self.packed.to_vec(),
            Packing::Lz4 => unpack::lz4(self.packed, self.unpacked_size)?,
            Packing::Zstd => unpack::zstd(self.packed, self.unpacked_size)?,
        };
        if let Some(part) = &self.part {
            let range = usize::try_from(part.start).ok().zip(usize::try_from(part.end).ok());
            let part = range.and_then(|(start, end)| bytes.get(start..end)).ok_or(Error::Truncated)?;
            bytes = part.to_vec();
        }
        Ok(bytes)
    }

    /// The unpacked bytes as text, without the zeros that fill it up.
    pub fn text(&self) -> Result<String, Error> {
        let mut bytes = self.bytes()?;
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        bytes.truncate(end);
        String::from_utf8(bytes).map_err(|_| Error::NotText)
    }
}

/// Reads the entry at `at`, a group's members included; gives the position behind it. `None` if it does not fit.
fn read_entry<'a>(all: Bytes<'a>, at: usize, entries: &mut Vec<Entry<'a>>) -> Option<usize> {
    let header = Bytes(all.0.get(at..)?.get(..ENTRY_SIZE)?);
    let payload = at.checked_add(usize::try_from(header.u32(4)?).ok()?)?;
    let padded = usize::try_from(header.u64(8)?).ok()?;
    let end = payload.checked_add(padded)?;
    let payload_bytes = all.0.get(payload..end)?;
    let flags = header.u64(40)?;
    let packing = match (flags & FLAG_LZ4 != 0, flags & FLAG_ZSTD != 0) {
        (_, true) => Packing::Zstd,
        (true, false) => Packing::Lz4,
        (false, false) => Packing::None,
    };
    // Only packed entries say how much of the padded payload counts.
    let packed = match packing {
        Packing::None => payload_bytes,
        _ => payload_bytes.get(..usize::try_from(header.u32(16)?).ok()?)?,
    };
    let whole = Entry { packing, packed, unpacked_size: header.u64(56)?, part: None, ..describe(header)? };
    if header.u16(0)? != KIND_GROUP {
        entries.push(whole);
        return Some(end);
    }
    let members = Bytes(all.0.get(at + ENTRY_SIZE..payload)?);
    let count = usize::try_from(members.u32(0)?).ok()?;
    for index in 0..count {
        let start = index.checked_mul(MEMBER_SIZE)?.checked_add(8)?;
        let member = Bytes(members.0.get(start..)?.get(..MEMBER_SIZE)?);
        let offset = u64::from(member.u32(4)?);
        let part = offset..offset.checked_add(member.u64(8)?)?;
        let described = describe(member)?;
        entries.push(Entry {
            part: Some(part),
            kind: described.kind,
            sm: described.sm,
            exact: described.exact,
            ..whole.clone()
        });
    }
    Some(end)
}

/// What a header says about the code itself.
fn describe(header: Bytes<'_>) -> Option<Entry<'_>> {
    let kind = match header.u16(0)? {
        KIND_PTX => Kind::Ptx,
        KIND_ELF => Kind::Elf,
        other => Kind::Other(other),
    };
    let exact = header.u64(40)? & (FLAG_EXACT | FLAG_FAMILY) != 0;
    let sm = header.u32(28)?;
    Some(Entry { kind, sm, exact, packing: Packing::None, packed: &[], unpacked_size: 0, part: None })
}

/// Little-endian numbers at byte offsets.
#[derive(Clone, Copy)]
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn array<const N: usize>(self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..)?.first_chunk().copied()
    }

    fn u16(self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    fn u32(self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    fn u64(self, at: usize) -> Option<u64> {
        self.array(at).map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry as compilers write it.
    fn entry(kind: u16, sm: u32, flags: u64, payload: &[u8], unpacked: u64) -> Vec<u8> {
        let padded = payload.len().next_multiple_of(8);
        let packed = if flags & (FLAG_LZ4 | FLAG_ZSTD) == 0 { 0 } else { payload.len() as u32 };
        let mut bytes = Vec::new();
        bytes.extend(kind.to_le_bytes());
        bytes.extend(0x101u16.to_le_bytes());
        bytes.extend(64u32.to_le_bytes());
        bytes.extend((padded as u64).to_le_bytes());
        bytes.extend(packed.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(sm.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend((flags | 0x11).to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(unpacked.to_le_bytes());
        bytes.extend(payload);
        bytes.resize(64 + padded, 0);
        bytes
    }

    fn container(entries: &[Vec<u8>]) -> Vec<u8> {
        let size: usize = entries.iter().map(Vec::len).sum();
        let mut bytes = MAGIC.to_le_bytes().to_vec();
        bytes.extend(1u16.to_le_bytes());
        bytes.extend(16u16.to_le_bytes());
        bytes.extend((size as u64).to_le_bytes());
        bytes.extend(entries.concat());
        bytes
    }

    /// An LZ4 block: six literals, a match of 19 bytes six back, five literals.
    const LZ4: &[u8] = b"\x6fhello \x06\x00\x00\x50ello ";
    const LZ4_TEXT: &str = "hello hello hello hello hello ";
    /// A Zstandard frame with one raw block.
    const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd\x20\x05\x29\x00\x00hello";

    #[test]
    fn picks_the_newest_that_runs() {
        let text = |t: &str| t.as_bytes().to_vec();
        let fatbin = container(&[
            entry(KIND_PTX, 75, 0, &text("for 75"), 0),
            entry(KIND_ELF, 80, 0, b"\x7fELF", 0),
            entry(KIND_PTX, 80, 0, &text("for 80"), 0),
            entry(KIND_PTX, 90, FLAG_EXACT, &text("for 90a"), 0),
            entry(KIND_PTX, 100, 0, &text("for 100"), 0),
        ]);
        assert_eq!(ptx(&fatbin, 75).as_deref(), Ok("for 75"));
        assert_eq!(ptx(&fatbin, 89).as_deref(), Ok("for 80"));
        assert_eq!(ptx(&fatbin, 90).as_deref(), Ok("for 90a"));
        assert_eq!(ptx(&fatbin, 91).as_deref(), Ok("for 80"));
        assert_eq!(ptx(&fatbin, 70), Err(Error::NoPtx));
    }

    #[test]
    fn unpacks() {
        let fatbin = container(&[entry(KIND_PTX, 75, FLAG_LZ4, LZ4, LZ4_TEXT.len() as u64)]);
        assert_eq!(ptx(&fatbin, 80).as_deref(), Ok(LZ4_TEXT));
        let fatbin = container(&[entry(KIND_PTX, 75, FLAG_ZSTD, ZSTD, 5)]);
        assert_eq!(ptx(&fatbin, 80).as_deref(), Ok("hello"));
        // A size that is not what comes out, in both directions.
        for (flag, packed, size) in
            [(FLAG_LZ4, LZ4, 29), (FLAG_LZ4, LZ4, 31), (FLAG_ZSTD, ZSTD, 4), (FLAG_ZSTD, ZSTD, 6)]
        {
            let fatbin = container(&[entry(KIND_PTX, 75, flag, packed, size)]);
            assert!(matches!(ptx(&fatbin, 80), Err(Error::Corrupt(_))), "{flag:x} {size}");
        }
    }

    #[test]
    fn a_group_holds_several() {
        let texts = ["first text", "second"];
        let blob = texts.concat();
        let mut group = entry(KIND_GROUP, 0, 0, blob.as_bytes(), blob.len() as u64);
        let mut members = 2u32.to_le_bytes().to_vec();
        members.extend(168u32.to_le_bytes());
        for (offset, text, sm) in [(0u32, texts[0], 75), (10, texts[1], 80)] {
            let mut member = entry(KIND_PTX, sm, 0, b"", 0);
            member[4..8].copy_from_slice(&offset.to_le_bytes());
            member[8..16].copy_from_slice(&(text.len() as u64).to_le_bytes());
            member.resize(MEMBER_SIZE, 0);
            members.extend(member);
        }
        let header = (ENTRY_SIZE + members.len()) as u32;
        group[4..8].copy_from_slice(&header.to_le_bytes());
        group.splice(64..64, members);
        let fatbin = container(&[group]);
        assert_eq!(ptx(&fatbin, 75).as_deref(), Ok("first text"));
        assert_eq!(ptx(&fatbin, 80).as_deref(), Ok("second"));
    }

    #[test]
    fn total_size_comes_from_the_header() {
        let fatbin = container(&[entry(KIND_PTX, 75, 0, b"text", 0)]);
        assert_eq!(total_size(fatbin.first_chunk().unwrap()), Some(fatbin.len()));
        assert_eq!(total_size(b"no header at all"), None);
    }

    #[test]
    fn every_truncation_and_every_changed_byte_is_survived() {
        let fatbin = container(&[
            entry(KIND_PTX, 75, FLAG_LZ4, LZ4, LZ4_TEXT.len() as u64),
            entry(KIND_PTX, 70, FLAG_ZSTD, ZSTD, 5),
        ]);
        for length in 0..fatbin.len() {
            assert!(matches!(ptx(&fatbin[..length], 80), Err(Error::Truncated)), "{length}");
        }
        for at in 0..fatbin.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut broken = fatbin.clone();
                broken[at] = value;
                for cc in [70, 75] {
                    let _ = ptx(&broken, cc);
                }
            }
        }
    }
}
