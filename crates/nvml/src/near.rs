//! CPUs and memory nodes of the machine: all are equally near to a device that the CPUs themselves are.

use std::fs;

/// CPUs in use, one bit each in words of 64.
pub fn cpus() -> Vec<u64> {
    mask("/sys/devices/system/cpu/online")
}

/// Memory nodes in use, likewise.
pub fn nodes() -> Vec<u64> {
    mask("/sys/devices/system/node/online")
}

/// The bits that a list of the kernel names; bit 0 alone where there is no list.
fn mask(path: &str) -> Vec<u64> {
    fs::read_to_string(path).ok().and_then(|text| bits(text.trim())).unwrap_or_else(|| vec![1])
}

/// `0-3,8` as bits.
fn bits(list: &str) -> Option<Vec<u64>> {
    const MOST: usize = 1 << 16;
    let mut words = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if last >= MOST {
            return None;
        }
        for bit in first..=last {
            if words.len() <= bit / 64 {
                words.resize(bit / 64 + 1, 0);
            }
            words[bit / 64] |= 1 << (bit % 64);
        }
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_the_kernel() {
        assert_eq!(bits("0-1"), Some(vec![3]));
        assert_eq!(bits("0"), Some(vec![1]));
        assert_eq!(bits("0-3,8,64-65"), Some(vec![0x10f, 3]));
        assert_eq!(bits(""), None);
        assert_eq!(bits("0-99999999"), None);
    }
}
