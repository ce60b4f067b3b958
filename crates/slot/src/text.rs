//! Short texts in shared words: written whole, cut at a character, read back printable whatever stands there.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// `text` as words, as much of it as there is room for.
pub fn pack<const WORDS: usize>(text: &str) -> [u64; WORDS] {
    let kept = &text.as_bytes()[..text.floor_char_boundary(WORDS * 8)];
    std::array::from_fn(|word| {
        let at = |byte: usize| kept.get(word * 8 + byte).copied().unwrap_or(0);
        u64::from_le_bytes(std::array::from_fn(at))
    })
}

/// The text in `words`, up to the first zero; what cannot be printed is shown as `?`.
pub fn unpack(words: &[u64]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).chars().map(|c| if is_printable(c) { c } else { '?' }).collect()
}

/// Neither a control character nor one that changes how the others are shown.
fn is_printable(c: char) -> bool {
    let reorders =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !c.is_control() && !reorders
}

/// As [`unpack`], from shared words.
pub fn read(words: &[AtomicU64]) -> String {
    let words: Vec<u64> = words.iter().map(|word| word.load(Relaxed)).collect();
    unpack(&words)
}

/// As [`pack`], into shared words.
pub fn write<const WORDS: usize>(words: &[AtomicU64; WORDS], text: &str) {
    for (word, packed) in words.iter().zip(pack::<WORDS>(text)) {
        word.store(packed, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_far_as_there_is_room() {
        for text in ["", "a", "cuMemAlloc_v2", "größer"] {
            assert_eq!(unpack(&pack::<4>(text)), text);
        }
        assert_eq!(unpack(&pack::<1>("123456789")), "12345678");
        assert_eq!(unpack(&pack::<1>("1234567é")), "1234567", "never half a character");
    }

    #[test]
    fn whatever_stands_there_can_be_printed() {
        let words = [u64::MAX, u64::from_le_bytes(*b"\x1b[31m\n\x07!"), 0];
        let text = unpack(&words);
        assert!(text.ends_with("?[31m??!"), "{text}");
        assert!(!unpack(&pack::<2>("a\u{202e}b\u{9b}c")).contains(['\u{202e}', '\u{9b}']));
    }
}
