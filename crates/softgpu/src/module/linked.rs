//! The output of our linker: several PTX texts in one piece, which only our own loader reads.
//!
//! Magic and total length, each 4 bytes; then for each text its length in 4 bytes and the text. One zero at the end, because
//! programs pass the piece on as if it were text.

use super::image_unsafe::LINKED;

pub fn write(texts: &[String]) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(LINKED.to_le_bytes());
    out.extend([0; 4]);
    for text in texts {
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text.as_bytes());
    }
    out.push(0);
    let total = out.len() as u32;
    out[4..8].copy_from_slice(&total.to_le_bytes());
    out
}

/// The texts of a linked piece. `None` if it is cut or damaged.
pub fn read(bytes: &[u8]) -> Option<Vec<&str>> {
    let total = u32::from_le_bytes(*bytes.get(4..)?.first_chunk()?) as usize;
    let mut rest = bytes.get(8..total.checked_sub(1)?)?;
    let mut texts = Vec::new();
    while !rest.is_empty() {
        let len = u32::from_le_bytes(*rest.first_chunk()?) as usize;
        texts.push(std::str::from_utf8(rest.get(4..4 + len)?).ok()?);
        rest = &rest[4 + len..];
    }
    Some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let piece = write(&["one".into(), String::new(), "three\n".into()]);
        assert_eq!(read(&piece), Some(vec!["one", "", "three\n"]));
        assert_eq!(piece.last(), Some(&0));
        for cut in 0..piece.len() - 1 {
            assert_eq!(read(&piece[..cut]), None, "{cut}");
        }
    }
}
