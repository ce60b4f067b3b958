//! What stands at the beginning of each file, in text that a person can read: what it is, of which version, of which slot.
//!
//! Written once, before anyone can see the file. The checksum notices damage, not malice. It is read from the file, not from a
//! mapping: only what is whole is mapped.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use cleave_ledger::RecordId;

use crate::error::Error;

/// The layout of all files. Whatever changes in `layout` changes this number.
pub const VERSION: u32 = 3;

/// Bytes of a header.
pub const BYTES: usize = 128;

/// Which of the files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Limits,
    Usage,
    Lock,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Limits => "limits",
            Kind::Usage => "usage",
            Kind::Lock => "lock",
        }
    }
}

/// The header of a file of `bytes` bytes.
pub fn encode(kind: Kind, bytes: usize, slot: u64) -> [u8; BYTES] {
    let (name, records) = (kind.name(), RecordId::TABLE);
    let text =
        format!("cleave slot layout {VERSION} {name} bytes {bytes} records {records} of {slot:016x} sum ");
    let text = format!("{text}{:016x}\n", checksum(&text));
    let mut header = [0; BYTES];
    header[..text.len()].copy_from_slice(text.as_bytes());
    header
}

/// The slot a file belongs to, if it is a file of that kind and length in our layout. `path` is for the message.
pub fn read(file: &File, kind: Kind, bytes: usize, path: &Path) -> Result<u64, Error> {
    let mut header = [0; BYTES];
    let len = file.read_at(&mut header, 0).map_err(Error::system(path, "read"))?;
    decode(&header[..len], kind, bytes, path)
}

fn decode(header: &[u8], kind: Kind, bytes: usize, path: &Path) -> Result<u64, Error> {
    let text = header.split(|&byte| byte == 0).next().unwrap_or_default();
    let rest = std::str::from_utf8(text).ok().and_then(|text| text.strip_prefix("cleave slot layout "));
    let Some((found, rest)) = rest.and_then(|rest| rest.split_once(' ')) else {
        return Err(Error::damaged(path, "it is no file of a grant"));
    };
    // Before the checksum: what follows may be another version's business.
    match found.parse() {
        Ok(found) if found != VERSION => {
            return Err(Error::OtherVersion { path: path.to_owned(), found, ours: VERSION });
        }
        Ok(_) => {}
        Err(_) => return Err(Error::damaged(path, "its layout is not named")),
    }
    let slot = rest.split_once(" of ").and_then(|(_, rest)| u64::from_str_radix(rest.get(..16)?, 16).ok());
    let sum = rest.rsplit_once(" sum ").map(|(_, sum)| sum.trim_end());
    let (Some(slot), Some(sum)) = (slot, sum) else {
        return Err(Error::damaged(path, "its first line is cut short"));
    };
    let summed = &text[..text.len() - rest.len() + rest.rfind(sum).unwrap_or(0)];
    if sum != format!("{:016x}", checksum(&String::from_utf8_lossy(summed))) {
        return Err(Error::damaged(path, "its first line has changed since it was made"));
    }
    if header.get(..BYTES) != Some(&encode(kind, bytes, slot)) {
        return Err(Error::damaged(path, format!("it is not the {} of a grant", kind.name())));
    }
    Ok(slot)
}

/// FNV-1a.
fn checksum(text: &str) -> u64 {
    let sum = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(header: &[u8]) -> Result<u64, String> {
        super::decode(header, Kind::Usage, 4096, Path::new("/f/usage")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_header_reads_back() {
        for slot in [0, 7, u64::MAX] {
            for bytes in [4096, u32::MAX as usize] {
                let header = encode(Kind::Limits, bytes, slot);
                let read =
                    super::decode(&header, Kind::Limits, bytes, Path::new("")).map_err(|e| e.to_string());
                assert_eq!(read, Ok(slot));
            }
        }
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let header = encode(Kind::Usage, 4096, 0x00ab_cdef);
        for at in 0..BYTES {
            for flip in 1..=255 {
                let mut header = header;
                header[at] ^= flip;
                assert!(decode(&header).is_err(), "byte {at} ^ {flip:#x}");
            }
            assert!(decode(&header[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let said = |header: &[u8], words: &str| {
            let error = decode(header).unwrap_err();
            assert!(error.starts_with("/f/usage ") && error.contains(words), "{error}");
        };
        said(b"", "no file of a grant");
        said(b"\x7fELF\x02\x01\x01", "no file of a grant");
        said(&[0xff; BYTES], "no file of a grant");
        said(b"cleave slot layout 1 whatever", "another version of cleave (layout 1, this one has 3)");
        said(b"cleave slot layout -1 whatever", "its layout is not named");
        said(b"cleave slot layout 3 usage", "cut short");
        said(&encode(Kind::Limits, 4096, 1), "it is not the usage of a grant");
        said(&encode(Kind::Usage, 8192, 1), "it is not the usage of a grant");
    }
}
