//! The first page of a device's control file: what it is, in text that a person can read, with a checksum.
//!
//! It is written once, before anyone can see the file, and never again.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::Error;
use crate::identity::Id;
use crate::key::KEYS;
use crate::layout::{self, Layout};
use crate::preset::PRESETS;
use crate::setup::Setup;

/// Bytes of the page.
pub const BYTES: usize = 4096;

const MAGIC: &str = "cleave software gpu";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub id: Id,
    /// When the device was created, in nanoseconds of the initial time namespace's monotonic clock.
    pub epoch_ns: u64,
    /// The boot it was created in: device memory does not outlive it. Empty where the system does not say.
    pub boot: String,
    pub preset: String,
    pub setup: Setup,
}

impl Header {
    pub fn encode(&self) -> Vec<u8> {
        let mut text = format!("{MAGIC}\nlayout {}\n", layout::version());
        let mut line = |name: &str, value: &str| text.push_str(&format!("{name} {value}\n"));
        line("id", &self.id.to_string());
        line("epoch", &self.epoch_ns.to_string());
        line("boot", &self.boot);
        line("preset", &self.preset);
        line("name", &self.setup.name);
        KEYS.iter().for_each(|key| line(key.name, &key.show(&self.setup)));
        let sum = checksum(text.as_bytes());
        text.push_str(&format!("checksum {sum:016x}\n"));
        let mut page = text.into_bytes();
        // Names are short, so the text is far shorter than a page.
        page.resize(BYTES, 0);
        page
    }

    /// Reads a page that anyone may have written. `path` is for the message.
    pub fn decode(page: &[u8], path: &Path) -> Result<Header, Error> {
        let damaged = |reason: &str| Error::Damaged { path: path.into(), reason: reason.into() };
        let text = page.split(|&b| b == 0).next().unwrap_or_default();
        let text = std::str::from_utf8(text).map_err(|_| damaged("its first page is not a device's"))?;
        let mut lines = Lines { rest: text };
        if lines.next() != Some(MAGIC) {
            return Err(damaged("its first page is not a device's"));
        }
        // Before the checksum: what follows may be another version's business.
        let (found, ours) =
            (lines.value("layout").ok_or_else(|| damaged("its layout is not named"))?, layout::version());
        if found != ours {
            return Err(Error::OtherVersion { path: path.into(), found: found.into(), ours });
        }
        let header = lines.header().ok_or_else(|| damaged("a line of its first page makes no sense"))?;
        let summed = text.len() - lines.rest.len();
        let sum = lines.value("checksum").and_then(|sum| u64::from_str_radix(sum, 16).ok());
        if sum != Some(checksum(&text.as_bytes()[..summed])) {
            return Err(damaged("its first page has changed since it was made"));
        }
        Ok(header)
    }

    /// Reads the page of a control file.
    pub fn read(control: &mut File, path: &Path) -> Result<Header, Error> {
        let mut page = Vec::with_capacity(BYTES);
        let read = control.take(BYTES as u64).read_to_end(&mut page);
        read.map_err(Error::system(path, "read"))?;
        Header::decode(&page, path)
    }

    /// Whether the machine was started anew since.
    pub fn is_stale(&self, boot: &str) -> bool {
        !self.boot.is_empty() && !boot.is_empty() && self.boot != boot
    }

    /// How the control file is laid out.
    pub fn layout(&self) -> Layout {
        Layout::of(&self.setup)
    }
}

struct Lines<'a> {
    rest: &'a str,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (line, rest) = self.rest.split_once('\n')?;
        self.rest = rest;
        Some(line)
    }

    fn value(&mut self, name: &str) -> Option<&'a str> {
        self.next()?.strip_prefix(name)?.strip_prefix(' ')
    }

    fn header(&mut self) -> Option<Header> {
        let id = Id::parse(self.value("id")?)?;
        let epoch_ns = self.value("epoch")?.parse().ok()?;
        let boot = self.value("boot")?.to_string();
        let preset = self.value("preset")?.to_string();
        let mut setup = PRESETS[0].setup();
        setup.name = self.value("name")?.into();
        for key in KEYS {
            (key.set)(&mut setup, key.read(self.value(key.name)?).ok()?);
        }
        setup.check().ok()?;
        Some(Header { id, epoch_ns, boot, preset, setup })
    }
}

/// FNV-1a: notices damage, not malice.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &b| (sum ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers() -> impl Iterator<Item = Header> {
        let id = Id(*b"fedcba9876543210");
        PRESETS.iter().map(move |preset| Header {
            id,
            epoch_ns: 12345,
            boot: "b00t".into(),
            preset: preset.name.into(),
            setup: preset.setup(),
        })
    }

    fn decode(page: &[u8]) -> Result<Header, String> {
        Header::decode(page, Path::new("/f/control")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_header_reads_back() {
        for header in headers() {
            let page = header.encode();
            assert_eq!(page.len(), BYTES);
            assert_eq!(decode(&page), Ok(header));
        }
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let header = headers().next().unwrap();
        let page = header.encode();
        let used = page.iter().position(|&b| b == 0).unwrap();
        for at in 0..used {
            for flip in [1, 2, 0x20, 0x80, page[at]] {
                let mut page = page.clone();
                page[at] ^= flip;
                // Digits of the checksum may change their case.
                let same = decode(&page) == Ok(header.clone());
                assert!(!same || page[at].is_ascii_hexdigit() && flip == 0x20, "byte {at} ^ {flip:#x}");
            }
        }
    }

    #[test]
    fn foreign_and_other_pages_are_told_apart() {
        assert!(decode(&[]).unwrap_err().contains("not a device's"));
        assert!(decode(&[0; BYTES]).unwrap_err().contains("not a device's"));
        assert!(decode(b"\x7fELF\x02\x01\x01").unwrap_err().contains("not a device's"));
        let page = headers().next().unwrap().encode();
        let text = String::from_utf8(page).unwrap();
        let other = text.replace(&format!("layout {}", layout::version()), "layout 99/1");
        assert!(decode(other.as_bytes()).unwrap_err().contains("layout 99/1"));
        assert!(decode(&text.as_bytes()[..200]).is_err(), "truncated");
    }

    /// Random pages, and good pages with random bytes in them, are an answer and never a panic.
    #[test]
    fn random_bytes_never_panic() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        let good: Vec<Vec<u8>> = headers().map(|header| header.encode()).collect();
        for round in 0..20_000 {
            let mut page = good[round % good.len()].clone();
            let used = page.iter().position(|&b| b == 0).unwrap();
            for _ in 0..=random() % 8 {
                page[(random() as usize) % used] = random() as u8;
            }
            // Now and then with a checksum that fits, so that what lies behind it is reached.
            if let Some(sum) = find(&page, b"checksum ").filter(|_| random() % 2 == 0) {
                let text = format!("{:016x}", checksum(&page[..sum]));
                page[sum + 9..sum + 9 + 16].copy_from_slice(text.as_bytes());
            }
            let _ = decode(&page);
            page.truncate(random() as usize % BYTES);
            let _ = decode(&page);
        }
    }

    fn find(page: &[u8], what: &[u8]) -> Option<usize> {
        page.windows(what.len())
            .position(|window| window == what)
            .filter(|at| at + what.len() + 16 <= page.len())
    }
}
