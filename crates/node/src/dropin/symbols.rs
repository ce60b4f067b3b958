//! Which functions a shared library defines, read from its file. Files are foreign: what does not make sense is no library.

use std::collections::BTreeSet;

/// A library's file, and what of it the loader puts where.
struct Image<'a> {
    bytes: &'a [u8],
    loaded: Vec<Segment>,
}

struct Segment {
    at: u64,
    address: u64,
    size: u64,
}

/// What the dynamic section says.
#[derive(Default)]
struct Tables {
    symbols: u64,
    names: u64,
    hash: Option<u64>,
    gnu_hash: Option<u64>,
}

const LOAD: u32 = 1;
const DYNAMIC: u32 = 2;
const SEGMENT: u64 = 56;
const SYMBOL: u64 = 24;
/// More than any library has: a count above it is none.
const MANY: u64 = 1 << 22;

/// The functions that a library of this machine's word size and byte order defines; `None` if the file is none.
pub fn defined(file: &[u8]) -> Option<BTreeSet<String>> {
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let mut image = Image { bytes: file, loaded: Vec::new() };
    let tables = image.tables()?;
    let count = match (tables.hash, tables.gnu_hash) {
        (Some(hash), _) => image.u32(image.place(hash)?.checked_add(4)?)?.into(),
        (None, Some(hash)) => image.count(hash)?,
        (None, None) => return None,
    };
    if count > MANY {
        return None;
    }
    let mut found = BTreeSet::new();
    for number in 1..count {
        found.extend(image.function(&tables, number)?);
    }
    Some(found)
}

impl Image<'_> {
    fn u16(&self, at: u64) -> Option<u16> {
        let at = usize::try_from(at).ok()?;
        Some(u16::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?))
    }

    fn u32(&self, at: u64) -> Option<u32> {
        let at = usize::try_from(at).ok()?;
        Some(u32::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?))
    }

    fn u64(&self, at: u64) -> Option<u64> {
        let at = usize::try_from(at).ok()?;
        Some(u64::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?))
    }

    /// Where in the file an address comes from.
    fn place(&self, address: u64) -> Option<u64> {
        let holds =
            |segment: &&Segment| address.checked_sub(segment.address).is_some_and(|off| off < segment.size);
        let segment = self.loaded.iter().find(holds)?;
        segment.at.checked_add(address - segment.address)
    }

    fn tables(&mut self) -> Option<Tables> {
        let (first, count) = (self.u64(32)?, u64::from(self.u16(56)?));
        let mut dynamic = None;
        for header in (0..count).map(|number| first.checked_add(number * SEGMENT)) {
            let header = header?;
            let segment = Segment {
                at: self.u64(header.checked_add(8)?)?,
                address: self.u64(header.checked_add(16)?)?,
                size: self.u64(header.checked_add(32)?)?,
            };
            match self.u32(header)? {
                LOAD => self.loaded.push(segment),
                DYNAMIC => dynamic = Some(segment),
                _ => {}
            }
        }
        let dynamic = dynamic?;
        let mut tables = Tables::default();
        for entry in (0..dynamic.size.min(1 << 16) / 16).map(|number| dynamic.at.checked_add(number * 16)) {
            let entry = entry?;
            let value = self.u64(entry.checked_add(8)?)?;
            match self.u64(entry)? {
                0 => break,
                4 => tables.hash = Some(value),
                5 => tables.names = value,
                6 => tables.symbols = value,
                0x6fff_fef5 => tables.gnu_hash = Some(value),
                _ => {}
            }
        }
        Some(tables)
    }

    /// How many symbols a table has that only the newer hash describes: up to the end of the last chain.
    fn count(&self, hash: u64) -> Option<u64> {
        let hash = self.place(hash)?;
        let word = |number: u64| self.u32(hash.checked_add(number.checked_mul(4)?)?).map(u64::from);
        let (buckets, first, filter) = (word(0)?, word(1)?, word(2)?);
        if buckets > MANY || filter > MANY {
            return None;
        }
        let bucket = 4 + 2 * filter;
        let mut last = 0;
        for number in 0..buckets {
            last = last.max(word(bucket + number)?);
        }
        if last < first {
            return Some(first);
        }
        let chain = bucket + buckets;
        while word(chain + (last - first))? & 1 == 0 {
            last += 1;
        }
        Some(last + 1)
    }

    /// The name of a symbol, if it is a function that is defined here and that others see.
    fn function(&self, tables: &Tables, number: u64) -> Option<Option<String>> {
        let at = self.place(tables.symbols)?.checked_add(number * SYMBOL)?;
        let about = self.u32(at.checked_add(4)?)?;
        let (kind, binding, section) = (about & 0xf, about >> 4 & 0xf, about >> 16);
        if !matches!(kind, 0 | 2 | 10) || !matches!(binding, 1 | 2) || section == 0 {
            return Some(None);
        }
        let name = self.place(tables.names)?.checked_add(self.u32(at)?.into())?;
        let name = self.bytes.get(usize::try_from(name).ok()?..)?;
        let end = name.iter().position(|&byte| byte == 0)?;
        Some(Some(String::from_utf8_lossy(&name[..end]).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn both_hashes_give_the_same_functions() {
        let base = std::env::temp_dir().join(format!("cleave-symbols-{}", std::process::id()));
        std::fs::create_dir_all(&base).expect("a folder");
        let source = base.join("a.c");
        let text = "int used(void); int one(void) { return used(); } static int own; int *shown = &own;\n\
                    int two(void) { return one(); }";
        std::fs::write(&source, text).expect("written");
        for style in ["sysv", "gnu", "both"] {
            let library = base.join(format!("{style}.so"));
            let mut gcc = Command::new("gcc");
            gcc.args(["-shared", "-fPIC", "-nostdlib", "-o"]).arg(&library).arg(&source);
            assert!(gcc.arg(format!("-Wl,--hash-style={style}")).status().expect("gcc").success());
            let found = defined(&std::fs::read(&library).expect("read")).expect("a library");
            assert_eq!(found, ["one", "two"].map(str::to_owned).into(), "{style}");
        }
        std::fs::remove_dir_all(base).expect("removed");
    }

    #[test]
    fn cut_or_spoilt_files_are_no_library() {
        let own = std::fs::read(std::env::current_exe().expect("a path")).expect("read");
        assert!(defined(&own[..64]).is_none());
        assert!(defined(b"#!/bin/sh").is_none());
        assert!(defined(&[]).is_none());
        // Whatever stands in it: an answer, never a panic.
        let library = crate::dropin::library(crate::dropin::Machine::HERE, "l", &["a"], &["cuOne", "cuTwo"]);
        assert!(defined(&library).is_some_and(|found| found.len() == 2));
        for (at, value) in (16..library.len()).flat_map(|at| [0, 0x7f, 0xfb, 0xff].map(|value| (at, value))) {
            let mut spoilt = library.clone();
            spoilt[at] = value;
            let _any = defined(&spoilt);
            for byte in spoilt.iter_mut().skip(at).take(8) {
                *byte = value;
            }
            let _any = defined(&spoilt);
            let _any = defined(&library[..at]);
        }
    }
}
