//! Amounts as people write them: `2G`, `512M`, `25%`, `30`.

use cleave_node::protocol::Memory;

const UNITS: &[(&str, u64)] = &[("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10), ("", 1)];

const WANTED: &str = "give an amount such as 2G, 512M or 25%";

/// How much memory of a device.
pub fn memory(text: &str) -> Result<Memory, String> {
    let text = text.trim();
    if let Some(number) = text.strip_suffix('%') {
        return percent(number).map(Memory::Percent);
    }
    if text.starts_with('-') {
        return Err(format!("less than nothing cannot be given: {WANTED}"));
    }
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    if number.is_empty() {
        return Err(format!("it does not begin with a number: {WANTED}"));
    }
    let unit = unit.trim();
    let short = unit.trim_end_matches(['B', 'b']).trim_end_matches('i');
    let Some((_, scale)) = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(short)) else {
        return Err(format!("{unit} is no unit: write bytes, or K, M, G, T (1024 each), or % of the device"));
    };
    match scaled(number, *scale) {
        None => Err(format!("{number} is not a number that can be meant: {WANTED}")),
        Some(0) => Err(format!("no memory is no grant: {WANTED}")),
        Some(bytes) => Ok(Memory::Bytes(bytes)),
    }
}

/// Percent of a device's compute, with or without the sign.
pub fn compute(text: &str) -> Result<u32, String> {
    percent(text.trim().trim_end_matches('%'))
}

fn percent(number: &str) -> Result<u32, String> {
    const WANTED: &str = "give 1 to 100, in whole percent of the device";
    let number = number.trim();
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    match number.parse::<u32>() {
        Ok(value @ 1..=100) if digits => Ok(value),
        Ok(0) if digits => Err(format!("nothing is no grant: {WANTED}")),
        _ if digits => Err(format!("{number}% is more than the whole device: {WANTED}")),
        _ => Err(format!("{number} is no percentage: {WANTED}")),
    }
}

/// `1.5` times a unit, exact to the byte (rounded down).
fn scaled(number: &str, scale: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.len() > 9 || fraction.contains('.') || (number.contains('.') && fraction.is_empty()) {
        return None;
    }
    let whole = whole.parse::<u64>().ok()?.checked_mul(scale)?;
    let part = if fraction.is_empty() { 0 } else { fraction.parse::<u128>().ok()? };
    let part = part * u128::from(scale) / 10_u128.pow(fraction.len() as u32);
    whole.checked_add(u64::try_from(part).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("2G", 2 << 30),
            ("512M", 512 << 20),
            ("512 MiB", 512 << 20),
            ("1.5g", 3 << 29),
            ("1T", 1 << 40),
            ("65536", 65536),
            ("4KB", 4096),
        ] {
            assert_eq!(memory(text), Ok(Memory::Bytes(bytes)), "{text}");
        }
        assert_eq!(memory("25%"), Ok(Memory::Percent(25)));
        assert_eq!((compute("30"), compute("30%")), (Ok(30), Ok(30)));
    }

    #[test]
    fn every_bad_amount_has_a_sentence_of_its_own() {
        for (text, part) in [
            ("0", "no memory is no grant"),
            ("0G", "no memory is no grant"),
            ("0%", "nothing is no grant"),
            ("-1", "less than nothing"),
            ("2X", "X is no unit"),
            ("200%", "200% is more than the whole device"),
            ("99999999999%", "more than the whole device"),
            ("12.5%", "12.5 is no percentage"),
            ("G", "does not begin with a number"),
            ("", "does not begin with a number"),
            ("1.2.3G", "not a number"),
            ("1.G", "not a number"),
            ("99999999999999999999", "not a number that can be meant"),
            ("18446744073709551615G", "not a number that can be meant"),
            ("²G", "does not begin with a number"),
        ] {
            let error = memory(text).unwrap_err();
            assert!(error.contains(part), "{text:?}: {error}");
        }
        for (text, part) in
            [("0", "no grant"), ("101", "more than"), ("-5", "no percentage"), ("x", "no percentage")]
        {
            let error = compute(text).unwrap_err();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
