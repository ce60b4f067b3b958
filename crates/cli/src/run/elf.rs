//! What the kernel and the loader will do with an executable, read from its first page.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Enough for every header that decides.
pub const HEAD: usize = 4096;

/// What a file is, as far as the shim cares.
#[derive(Debug, PartialEq, Eq)]
pub enum Form {
    /// `#!`: another program reads it.
    Script { interpreter: PathBuf },
    /// For this kind of processor, with the loader it asks for; none if it is linked statically.
    Program { loader: Option<PathBuf> },
    /// An executable of another kind of processor.
    Foreign,
    /// Not an executable format.
    Other,
}

#[cfg(target_arch = "x86_64")]
const MACHINE: u16 = 62;
#[cfg(target_arch = "aarch64")]
const MACHINE: u16 = 183;

const PT_INTERP: u32 = 3;

/// Reads the beginning of a file. Nothing in it is believed: an offset outside is as good as none.
pub fn form(head: &[u8]) -> Form {
    if let Some(line) = head.strip_prefix(b"#!") {
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
        let Some(interpreter) = words.next() else {
            return Form::Other;
        };
        return Form::Script { interpreter: path(interpreter) };
    }
    if !head.starts_with(b"\x7fELF") {
        return Form::Other;
    }
    const SIXTY_FOUR_LITTLE: [u8; 2] = [2, 1];
    if head.get(4..6) != Some(&SIXTY_FOUR_LITTLE) || u16_at(head, 18) != Some(MACHINE) {
        return Form::Foreign;
    }
    let (Some(table), Some(size), Some(count)) = (u64_at(head, 32), u16_at(head, 54), u16_at(head, 56))
    else {
        return Form::Other;
    };
    let headers = (0..u64::from(count)).filter_map(|index| {
        let at = table.checked_add(index * u64::from(size))?;
        usize::try_from(at).ok()
    });
    let loader = headers.filter(|at| u32_at(head, *at) == Some(PT_INTERP)).find_map(|at| {
        let start = usize::try_from(u64_at(head, at.checked_add(8)?)?).ok()?;
        let length = usize::try_from(u64_at(head, at.checked_add(32)?)?).ok()?;
        let text = head.get(start..start.checked_add(length)?)?;
        Some(path(text.split(|byte| *byte == 0).next()?))
    });
    Form::Program { loader }
}

fn path(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An executable with one program header.
    fn elf(kind: u32, loader: &str) -> Vec<u8> {
        let mut head = vec![0; HEAD];
        head[..6].copy_from_slice(b"\x7fELF\x02\x01");
        head[18..20].copy_from_slice(&MACHINE.to_le_bytes());
        head[32..40].copy_from_slice(&64_u64.to_le_bytes());
        head[54..56].copy_from_slice(&56_u16.to_le_bytes());
        head[56..58].copy_from_slice(&1_u16.to_le_bytes());
        head[64..68].copy_from_slice(&kind.to_le_bytes());
        head[72..80].copy_from_slice(&200_u64.to_le_bytes());
        head[96..104].copy_from_slice(&(loader.len() as u64 + 1).to_le_bytes());
        head[200..200 + loader.len()].copy_from_slice(loader.as_bytes());
        head
    }

    #[test]
    fn the_loader_tells_what_a_program_is() {
        let glibc = "/lib64/ld-linux-x86-64.so.2";
        assert_eq!(form(&elf(PT_INTERP, glibc)), Form::Program { loader: Some(glibc.into()) });
        assert_eq!(form(&elf(1, "")), Form::Program { loader: None });
        let mut small = elf(PT_INTERP, glibc);
        small[4] = 1;
        assert_eq!(form(&small), Form::Foreign);
    }

    #[test]
    fn scripts_name_their_interpreter() {
        let script = |text: &str| form(text.as_bytes());
        assert_eq!(
            script("#! /usr/bin/env python3\nprint()"),
            Form::Script { interpreter: "/usr/bin/env".into() }
        );
        assert_eq!(script("#!\n"), Form::Other);
        assert_eq!(script("echo no line"), Form::Other);
        assert_eq!(script(""), Form::Other);
    }

    #[test]
    fn no_content_is_too_strange() {
        let whole = elf(PT_INTERP, "/lib/ld.so");
        for length in 0..whole.len().min(260) {
            form(&whole[..length]);
        }
        for at in 0..128 {
            for value in [0, 1, 0x7f, 0xff] {
                let mut strange = whole.clone();
                strange[at] = value;
                form(&strange);
            }
        }
    }
}
