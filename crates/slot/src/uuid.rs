//! The name of a device, as NVML and CUDA_VISIBLE_DEVICES write it.

use std::fmt;
use std::str::FromStr;

/// The name a device has everywhere: `GPU-` and 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(pub [u8; 16]);

const PREFIX: &str = "GPU-";
/// Behind which bytes a dash stands.
const DASHES: [usize; 4] = [4, 6, 8, 10];

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        for (at, byte) in self.0.iter().enumerate() {
            let dash = if DASHES.contains(&at) { "-" } else { "" };
            write!(f, "{dash}{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not the name of a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotAUuid(String);

impl fmt::Display for NotAUuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is not the name of a device: that is GPU- and 32 hexadecimal digits in five groups",
            self.0
        )
    }
}

impl std::error::Error for NotAUuid {}

impl FromStr for Uuid {
    type Err = NotAUuid;

    fn from_str(text: &str) -> Result<Uuid, NotAUuid> {
        parse(text).map(Uuid).ok_or_else(|| NotAUuid(text.chars().take(80).collect()))
    }
}

fn parse(text: &str) -> Option<[u8; 16]> {
    let mut rest = text.strip_prefix(PREFIX)?;
    let mut bytes = [0; 16];
    for (at, byte) in bytes.iter_mut().enumerate() {
        if DASHES.contains(&at) {
            rest = rest.strip_prefix('-')?;
        }
        let digits = rest.get(..2)?;
        // A sign is no digit, though the standard library takes it for a number's.
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        *byte = u8::from_str_radix(digits, 16).ok()?;
        rest = rest.get(2..)?;
    }
    rest.is_empty().then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_and_read_alike() {
        let uuid = Uuid(std::array::from_fn(|at| at as u8 * 17));
        let text = "GPU-00112233-4455-6677-8899-aabbccddeeff";
        assert_eq!(uuid.to_string(), text);
        assert_eq!(text.parse(), Ok(uuid));
        assert_eq!(text.to_uppercase().parse(), Ok(uuid), "digits in either case");
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let good = "GPU-00112233-4455-6677-8899-aabbccddeeff";
        for bad in ["", "GPU-", "0", &good[4..], &good[..39], "GPU-+0112233-4455-6677-8899-aabbccddeeff"] {
            assert!(bad.parse::<Uuid>().is_err(), "{bad}");
        }
        assert!(format!("{good}0").parse::<Uuid>().is_err());
        assert!(good.replace('-', "é").parse::<Uuid>().is_err());
    }
}
