//! What the variables say.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

const MEMORY: &str = "CUDA_DEVICE_MEMORY_LIMIT";
const COMPUTE: &str = "CUDA_DEVICE_SM_LIMIT";
const POLICY: &str = "GPU_CORE_UTILIZATION_POLICY";

/// What the variables say. A device is meant by its number in the container; what is said without a number holds for those
/// of which nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    memory: Numbered,
    compute: Numbered,
}

/// What they say about one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Bytes; `None` is no limit.
    pub memory: Option<u64>,
    /// Percent, 1 to 100.
    pub compute: u32,
}

impl Limit {
    pub const NONE: Limit = Limit { memory: None, compute: 100 };

    /// The lower of both.
    pub fn lower(self, other: Limit) -> Limit {
        let memory = [self.memory, other.memory].into_iter().flatten().min();
        Limit { memory, compute: self.compute.min(other.compute) }
    }
}

/// A variable that is set to something that is not a limit. It was meant to be one, so it is not passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclear {
    name: String,
    text: String,
}

impl fmt::Display for Unclear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={} is no limit: give a number", self.name, self.text)?;
        if self.name.starts_with(MEMORY) { f.write_str(" of bytes, or one with k, m or g") } else { Ok(()) }
    }
}

/// Limits by number of the device. Nought says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Numbered {
    each: BTreeMap<usize, u64>,
    others: Option<u64>,
}

impl Numbered {
    fn set(&mut self, suffix: &str, value: u64) {
        let value = Some(value).filter(|&value| value > 0);
        match (suffix.strip_prefix('_').map(str::parse::<usize>), value) {
            (Some(Ok(number)), Some(value)) => drop(self.each.insert(number, value)),
            (None, value) if suffix.is_empty() => self.others = value,
            _ => {}
        }
    }

    fn of(&self, number: usize) -> Option<u64> {
        self.each.get(&number).copied().or(self.others)
    }

    fn is_empty(&self) -> bool {
        self.each.is_empty() && self.others.is_none()
    }
}

impl Limits {
    /// Reads the variables; `None` if they limit nothing.
    pub fn read(variables: &[(OsString, OsString)]) -> Result<Option<Limits>, Unclear> {
        let mut limits = Limits::default();
        let mut limited = true;
        for (name, text) in variables {
            let (Some(name), text) = (name.to_str(), text.to_string_lossy()) else { continue };
            let unclear = || Unclear { name: name.to_owned(), text: text.to_string() };
            if name == POLICY {
                limited = !text.eq_ignore_ascii_case("disable");
            } else if let Some(suffix) = number_of(name, MEMORY) {
                limits.memory.set(suffix, bytes(text.trim()).ok_or_else(unclear)?);
            } else if let Some(suffix) = number_of(name, COMPUTE) {
                limits.compute.set(suffix, number(text.trim()).ok_or_else(unclear)?);
            }
        }
        if !limited {
            limits.compute = Numbered::default();
        }
        Ok(Some(limits).filter(|limits| !limits.memory.is_empty() || !limits.compute.is_empty()))
    }

    /// The limits of the device with a number.
    pub fn of(&self, number: usize) -> Limit {
        let compute = self.compute.of(number).map_or(100, |percent| percent.min(100) as u32);
        Limit { memory: self.memory.of(number), compute }
    }
}

/// What follows `base` in a variable's name: nothing, or an underscore and a number.
fn number_of<'a>(name: &'a str, base: &str) -> Option<&'a str> {
    let suffix = name.strip_prefix(base)?;
    let number =
        suffix.strip_prefix('_').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    (suffix.is_empty() || number).then_some(suffix)
}

/// A number of bytes, perhaps in units of 1024 of them. Empty is nought.
fn bytes(text: &str) -> Option<u64> {
    let unit = match text.as_bytes().last().map(u8::to_ascii_lowercase) {
        Some(b'k') => 1 << 10,
        Some(b'm') => 1 << 20,
        Some(b'g') => 1 << 30,
        _ => return number(text),
    };
    number(text.get(..text.len() - 1)?.trim_end()).filter(|_| text.len() > 1)?.checked_mul(unit)
}

/// As C reads numbers: hexadecimal after 0x, octal after 0. Empty is nought.
fn number(text: &str) -> Option<u64> {
    let digits = |digits: &str, radix| match digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        true => u64::from_str_radix(digits, radix).ok(),
        false => None,
    };
    match text.as_bytes() {
        [] | [b'0'] => Some(0),
        [b'0', b'x' | b'X', ..] => digits(&text[2..], 16),
        [b'0', ..] => digits(&text[1..], 8),
        _ => digits(text, 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Option<Limits>, Unclear> {
        let variables = variables.iter().map(|(name, text)| (OsString::from(name), OsString::from(text)));
        Limits::read(&variables.collect::<Vec<_>>())
    }

    fn limits(variables: &[(&str, &str)]) -> Limits {
        read(variables).expect("clear").expect("limits")
    }

    #[test]
    fn sizes_as_the_writers_write_them() {
        let read = [
            ("3000m", 3000 << 20),
            ("3000M", 3000 << 20),
            ("2g", 2 << 30),
            ("64K", 64 << 10),
            ("1073741824", 1 << 30),
            ("0x10m", 16 << 20),
            ("010", 8),
            ("0", 0),
            ("", 0),
        ];
        for (text, size) in read {
            assert_eq!(bytes(text), Some(size), "{text:?}");
        }
        for nonsense in ["m", "3000mb", "1.5g", "-1", "+1", "0x", "09", "all", "99999999999g", "1 2"] {
            assert_eq!(bytes(nonsense), None, "{nonsense:?}");
        }
    }

    #[test]
    fn a_number_goes_before_the_rest() {
        let limits = limits(&[
            ("CUDA_DEVICE_MEMORY_LIMIT_0", "3000m"),
            ("CUDA_DEVICE_MEMORY_LIMIT_1", "0"),
            ("CUDA_DEVICE_MEMORY_LIMIT", "1g"),
            ("CUDA_DEVICE_SM_LIMIT", "30"),
            ("CUDA_DEVICE_SM_LIMIT_1", "250"),
            ("CUDA_DEVICE_MEMORY_LIMITLESS", "5"),
            ("CUDA_DEVICE_MEMORY_LIMIT_x", "no number, not ours"),
        ]);
        assert_eq!(limits.of(0), Limit { memory: Some(3000 << 20), compute: 30 });
        assert_eq!(limits.of(1), Limit { memory: Some(1 << 30), compute: 100 });
        assert_eq!(limits.of(9), Limit { memory: Some(1 << 30), compute: 30 });
    }

    #[test]
    fn no_limit_is_none() {
        assert_eq!(read(&[]), Ok(None));
        assert_eq!(read(&[("CUDA_DEVICE_MEMORY_LIMIT", "0"), ("CUDA_DEVICE_SM_LIMIT", "0")]), Ok(None));
        let only_compute = limits(&[("CUDA_DEVICE_SM_LIMIT", "50")]);
        assert_eq!(only_compute.of(3), Limit { memory: None, compute: 50 });
        let switch = [("GPU_CORE_UTILIZATION_POLICY", "disable"), ("CUDA_DEVICE_SM_LIMIT", "50")];
        assert_eq!(read(&switch), Ok(None));
        assert_eq!(limits(&[("CUDA_DEVICE_MEMORY_LIMIT", "1g")]).of(0).compute, 100);
    }

    #[test]
    fn a_switch_that_the_tenant_holds_is_no_switch() {
        let with = [("CUDA_DEVICE_MEMORY_LIMIT", "1g"), ("CUDA_DISABLE_CONTROL", "true")];
        assert_eq!(limits(&with), limits(&with[..1]));
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        let error = read(&[("CUDA_DEVICE_MEMORY_LIMIT_0", "lots")]).expect_err("nonsense").to_string();
        assert_eq!(
            error,
            "CUDA_DEVICE_MEMORY_LIMIT_0=lots is no limit: give a number of bytes, or one with k, m or g"
        );
    }
}
