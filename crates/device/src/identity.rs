//! Who a device is: what libcuda and NVML both answer, so that they answer alike.

use std::fmt;

/// The random number a machine's devices are made with.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Id(pub [u8; 16]);

/// One device of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    pub ordinal: usize,
    pub name: String,
    /// The same in every process, for as long as the device exists.
    pub uuid: [u8; 16],
}

impl Device {
    pub fn new(id: Id, ordinal: usize, name: &str) -> Device {
        let mut uuid = id.0;
        // Programs may be told a device by the beginning of its UUID, so neighbours differ there.
        uuid[0] = uuid[0].wrapping_add(ordinal as u8);
        // Version 4, variant 1: a random UUID, as far as anyone can tell.
        uuid[6] = uuid[6] & 0x0f | 0x40;
        uuid[8] = uuid[8] & 0x3f | 0x80;
        Device { ordinal, name: name.into(), uuid }
    }

    /// `GPU-` and the usual groups of hexadecimal digits.
    pub fn uuid_text(&self) -> String {
        uuid_text(&self.uuid)
    }

    /// PCI domain, bus and device number.
    pub fn pci(&self) -> (u32, u32, u32) {
        (0, 1 + self.ordinal as u32, 0)
    }

    /// As the driver API writes it: four digits of domain.
    pub fn pci_text(&self) -> String {
        let (domain, bus, device) = self.pci();
        format!("{domain:04x}:{bus:02x}:{device:02x}.0")
    }
}

pub fn uuid_text(uuid: &[u8; 16]) -> String {
    let hex = hex(uuid);
    format!("GPU-{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({self})")
    }
}

impl Id {
    /// What [`Display`](fmt::Display) wrote.
    pub fn parse(text: &str) -> Option<Id> {
        let fits = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let number = fits.then(|| u128::from_str_radix(text, 16).ok()).flatten()?;
        Some(Id(number.to_be_bytes()))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_differ_early_and_look_right() {
        let id = Id([0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        let [first, second] = [0, 1].map(|ordinal| Device::new(id, ordinal, "x"));
        assert_eq!(first.uuid_text(), "GPU-ff010203-0405-4607-8809-0a0b0c0d0e0f");
        assert_ne!(first.uuid_text()[..6], second.uuid_text()[..6]);
        assert_eq!(second.pci_text(), "0000:02:00.0");
    }

    #[test]
    fn an_id_reads_back() {
        let id = Id(*b"0123456789abcdef");
        assert_eq!(Id::parse(&id.to_string()), Some(id));
        for text in ["", "xyz", "+f0102030405460788090a0b0c0d0e0f", &"f".repeat(33)] {
            assert_eq!(Id::parse(text), None, "{text}");
        }
    }
}
