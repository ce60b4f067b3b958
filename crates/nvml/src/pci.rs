//! PCI addresses as text.

/// Domain, bus and device number.
pub type Place = (u32, u32, u32);

/// `domain:bus:device.function`, each in hexadecimal; without a domain it is the first.
pub fn parse(text: &str) -> Option<Place> {
    let text = text.split_once('.').map_or(text, |(place, _function)| place);
    let numbers: Option<Vec<u32>> = text.split(':').map(|n| u32::from_str_radix(n, 16).ok()).collect();
    match *numbers?.as_slice() {
        [domain, bus, device] => Some((domain, bus, device)),
        [bus, device] => Some((0, bus, device)),
        _ => None,
    }
}

/// As NVML writes it: eight digits of domain.
pub fn text((domain, bus, device): Place) -> String {
    format!("{domain:08X}:{bus:02X}:{device:02X}.0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert_eq!(parse("00000000:01:00.0"), Some((0, 1, 0)));
        assert_eq!(parse("0000:0A:1f.0"), Some((0, 10, 31)));
        assert_eq!(parse("01:00.0"), Some((0, 1, 0)));
        assert_eq!(parse(&text((1, 2, 3))), Some((1, 2, 3)));
        for text in ["01", "zz:00", "", "1:2:3:4"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
