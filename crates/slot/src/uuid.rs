//! The name of a device, as NVML and CUDA_VISIBLE_DEVICES write it.

use std::fmt;
use std::str::FromStr;

/// The name a device has everywhere: what it is, a dash, and 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Uuid {
    /// A whole device, `GPU-…`.
    Gpu([u8; 16]),
    /// An instance of a partitioned one, `MIG-…`.
    Mig([u8; 16]),
}

/// Behind which bytes a dash stands.
const DASHES: [usize; 4] = [4, 6, 8, 10];

impl Uuid {
    /// The digits alone, as the driver API hands them out. No two devices have the same, whatever they are.
    pub fn bytes(&self) -> [u8; 16] {
        match *self {
            Uuid::Gpu(bytes) | Uuid::Mig(bytes) => bytes,
        }
    }

    fn prefix(&self) -> &'static str {
        match self {
            Uuid::Gpu(_) => "GPU-",
            Uuid::Mig(_) => "MIG-",
        }
    }

    /// As two numbers of a shared page: the kind, and the digits.
    pub(crate) fn to_words(self) -> (u32, [u64; 2]) {
        let kind = u32::from(matches!(self, Uuid::Mig(_)));
        let bytes = u128::from_le_bytes(self.bytes());
        (kind, [bytes as u64, (bytes >> 64) as u64])
    }

    pub(crate) fn from_words(kind: u32, words: [u64; 2]) -> Uuid {
        let bytes = (u128::from(words[0]) | u128::from(words[1]) << 64).to_le_bytes();
        if kind == 0 { Uuid::Gpu(bytes) } else { Uuid::Mig(bytes) }
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.prefix())?;
        for (at, byte) in self.bytes().iter().enumerate() {
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
            "'{}' is not the name of a device: that is GPU- or MIG- and 32 hexadecimal digits in five groups",
            self.0
        )
    }
}

impl std::error::Error for NotAUuid {}

impl FromStr for Uuid {
    type Err = NotAUuid;

    fn from_str(text: &str) -> Result<Uuid, NotAUuid> {
        parse(text).ok_or_else(|| NotAUuid(text.chars().take(80).collect()))
    }
}

fn parse(text: &str) -> Option<Uuid> {
    let (kind, mut rest): (fn([u8; 16]) -> Uuid, &str) = match text.split_at_checked(4)? {
        ("GPU-", rest) => (Uuid::Gpu, rest),
        ("MIG-", rest) => (Uuid::Mig, rest),
        _ => return None,
    };
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
    rest.is_empty().then(|| kind(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_and_read_alike() {
        let bytes = std::array::from_fn(|at| at as u8 * 17);
        let uuid = Uuid::Gpu(bytes);
        let text = "GPU-00112233-4455-6677-8899-aabbccddeeff";
        assert_eq!(uuid.to_string(), text);
        assert_eq!(text.parse(), Ok(uuid));
        assert_eq!(text.to_uppercase().parse(), Ok(uuid), "digits in either case");
        let instance = "MIG-00112233-4455-6677-8899-aabbccddeeff";
        assert_eq!(Uuid::Mig(bytes).to_string(), instance);
        assert_eq!(instance.parse(), Ok(Uuid::Mig(bytes)));
        assert_ne!(Uuid::Mig(bytes), uuid, "what it is belongs to the name");
    }

    #[test]
    fn a_page_keeps_the_whole_name() {
        let bytes = std::array::from_fn(|at| at as u8 * 17);
        for uuid in [Uuid::Gpu(bytes), Uuid::Mig(bytes)] {
            let (kind, words) = uuid.to_words();
            assert_eq!(Uuid::from_words(kind, words), uuid);
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let good = "GPU-00112233-4455-6677-8899-aabbccddeeff";
        for bad in [
            "",
            "GPU-",
            "0",
            &good[4..],
            &good[..39],
            "GPU-+0112233-4455-6677-8899-aabbccddeeff",
            "MIG-GPU-00112233-4455-6677-8899-aabbccddeeff/1/0",
            "MI",
        ] {
            assert!(bad.parse::<Uuid>().is_err(), "{bad}");
        }
        assert!(format!("{good}0").parse::<Uuid>().is_err());
        assert!(good.replace('-', "é").parse::<Uuid>().is_err());
    }
}
