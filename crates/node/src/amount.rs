//! Amounts of memory as people write and read them.

/// `4G`, `512M`, `1.5GiB`, `65536`: 1024-based, any case, with or without `iB`.
pub fn parse(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is no amount of memory: write it like 4G, 512M or 65536");
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "ki" | "kib" => 10,
        "m" | "mi" | "mib" => 20,
        "g" | "gi" | "gib" => 30,
        "t" | "ti" | "tib" => 40,
        _ => return Err(wrong()),
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(1 << shift).ok_or_else(wrong);
    }
    let value = number.parse::<f64>().map_err(|_| wrong())? * (1_u64 << shift) as f64;
    if value < 9e18 { Ok(value as u64) } else { Err(wrong()) }
}

/// `3.5 GiB`, `512 MiB`, `12 KiB`: rounded down, so that nobody is promised what is not there.
pub fn show(bytes: u64) -> String {
    const TENTHS: [(u64, &str); 2] = [(1 << 40, "TiB"), (1 << 30, "GiB")];
    for (unit, name) in TENTHS {
        if bytes >= unit {
            return format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit);
        }
    }
    match bytes {
        0 => "0 MiB".into(),
        1..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// `bytes` as a share of `total`: at least one percent, at most a hundred.
pub fn share(bytes: u64, total: u64) -> u32 {
    let percent = u128::from(bytes) * 100 / u128::from(total.max(1));
    u32::try_from(percent).unwrap_or(100).clamp(1, 100)
}

/// So many percent of `total`.
pub fn percent(total: u64, percent: u32) -> u64 {
    let bytes = u128::from(total) * u128::from(percent) / 100;
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("4G", 4 << 30),
            ("512m", 512 << 20),
            ("1.5GiB", 3 << 29),
            ("65536", 65_536),
            ("2 KiB", 2048),
            ("0", 0),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in ["", "G", "4X", "-1G", "1e30G", "99999999999G", "1.2.3G"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_shown_is_never_more_than_there_is() {
        assert_eq!(show(4 << 30), "4.0 GiB");
        assert_eq!(show((4 << 30) - 1), "3.9 GiB");
        assert_eq!(show((1 << 30) - 1), "1023 MiB");
        assert_eq!(show(1500), "1 KiB");
        assert_eq!(show(0), "0 MiB");
        assert_eq!(show(u64::MAX), "16777215.9 TiB");
    }

    #[test]
    fn shares_stay_within_one_and_a_hundred() {
        assert_eq!(share(2 << 30, 40 << 30), 5);
        assert_eq!(share(1, 40 << 30), 1);
        assert_eq!(share(80 << 30, 40 << 30), 100);
        assert_eq!(share(1, 0), 100);
        assert_eq!(percent(40 << 30, 25), 10 << 30);
        assert_eq!(percent(u64::MAX, 200), u64::MAX);
    }
}
