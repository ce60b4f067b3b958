//! What a shared library asks the loader for, edited after linking.

use anyhow::{Context, Result, ensure};
use std::path::Path;

const PT_DYNAMIC: u32 = 2;
const DT_NULL: u64 = 0;
const DT_NEEDED: u64 = 1;
const DT_STRTAB: u64 = 5;

/// Takes the need for `name` out of the library. Its symbols must be there all the same: those of the loader itself always
/// are, and naming it keeps programs of another C library from starting, whose loader has another name.
pub fn remove(library: &Path, name: &str) -> Result<()> {
    let mut bytes = std::fs::read(library)?;
    without(&mut bytes, name).with_context(|| format!("{} cannot be edited", library.display()))?;
    std::fs::write(library, bytes)?;
    Ok(())
}

fn without(bytes: &mut [u8], name: &str) -> Result<()> {
    ensure!(bytes.starts_with(b"\x7fELF\x02\x01"), "not a 64-bit little-endian ELF file");
    let (headers, size, count) = (word(bytes, 32)?, half(bytes, 54)?, half(bytes, 56)?);
    let segments: Vec<Segment> =
        (0..count).map(|i| Segment::read(bytes, headers.saturating_add(i * size))).collect::<Result<_>>()?;
    let dynamic = segments.iter().find(|s| s.kind == PT_DYNAMIC).context("no dynamic section")?;
    let entry = |bytes: &[u8], i: usize| -> Result<(u64, u64)> {
        let at = dynamic.offset.saturating_add(16 * i);
        Ok((word(bytes, at)? as u64, word(bytes, at + 8)? as u64))
    };
    let mut entries = Vec::new();
    for i in 0..dynamic.length / 16 {
        entries.push(entry(bytes, i)?);
    }
    let (_, strings) = entries.iter().find(|(tag, _)| *tag == DT_STRTAB).context("no names")?;
    let strings = segments.iter().find_map(|s| s.file_offset(*strings)).context("names outside the file")?;
    let is = |at: u64| {
        let rest = bytes.get(strings.saturating_add(at as usize)..).unwrap_or_default();
        rest.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
    };
    let mut kept: Vec<_> =
        entries.iter().filter(|(tag, at)| *tag != DT_NEEDED || !is(*at)).copied().collect();
    kept.resize(entries.len(), (DT_NULL, 0));
    for (i, (tag, value)) in kept.into_iter().enumerate() {
        let at = dynamic.offset + 16 * i;
        bytes[at..at + 8].copy_from_slice(&tag.to_le_bytes());
        bytes[at + 8..at + 16].copy_from_slice(&value.to_le_bytes());
    }
    Ok(())
}

struct Segment {
    kind: u32,
    offset: usize,
    address: usize,
    length: usize,
}

impl Segment {
    fn read(bytes: &[u8], at: usize) -> Result<Segment> {
        let kind = word(bytes, at)? as u32;
        Ok(Segment {
            kind,
            offset: word(bytes, at.saturating_add(8))?,
            address: word(bytes, at.saturating_add(16))?,
            length: word(bytes, at.saturating_add(32))?,
        })
    }

    /// Where in the file the byte of this address is, if this segment loads it.
    fn file_offset(&self, address: u64) -> Option<usize> {
        let inside = (address as usize).checked_sub(self.address).filter(|inside| *inside < self.length)?;
        (self.kind == 1).then_some(self.offset.saturating_add(inside))
    }
}

fn word(bytes: &[u8], at: usize) -> Result<usize> {
    let bytes =
        bytes.get(at..at.saturating_add(8)).and_then(|bytes| bytes.try_into().ok()).context("cut off")?;
    Ok(u64::from_le_bytes(bytes) as usize)
}

fn half(bytes: &[u8], at: usize) -> Result<usize> {
    let bytes = bytes.get(at..at + 2).and_then(|bytes| bytes.try_into().ok()).context("cut off")?;
    Ok(usize::from(u16::from_le_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn what_is_no_library_is_refused() {
        assert!(without(&mut b"#!/bin/sh\n".to_vec(), "libc.so.6").is_err());
        let mut cut_off = b"\x7fELF\x02\x01".to_vec();
        assert!(without(&mut cut_off, "libc.so.6").is_err());
        cut_off.resize(64, 0xff);
        assert!(without(&mut cut_off, "libc.so.6").is_err());
    }
}
