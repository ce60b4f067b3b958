//! NVML's own conventions for filling what a caller passes.

use cleave_api::edge::{self, Plain};
use cleave_api::nvml::types::*;

pub type BytesMut<'a> = edge::BytesMut<'a, nvmlReturn_t>;
pub type In<'a, T> = edge::In<'a, T, nvmlReturn_t>;
pub type InOut<'a, T> = edge::InOut<'a, T, nvmlReturn_t>;
pub type Out<'a, T> = edge::Out<'a, T, nvmlReturn_t>;
pub type SliceMut<'a, T> = edge::SliceMut<'a, T, nvmlReturn_t>;
pub type Str<'a> = edge::Str<'a, nvmlReturn_t>;

pub type Answer = Result<(), nvmlReturn_t>;

/// Writes a text that must fit: half an identifier would name something else.
pub fn text(room: BytesMut, text: &str) -> Answer {
    if room.is_null() {
        return Err(NVML_ERROR_INVALID_ARGUMENT);
    }
    if room.len() <= text.len() {
        return Err(NVML_ERROR_INSUFFICIENT_SIZE);
    }
    room.set_text(text)
}

/// A text in a field of a struct, cut to what fits, always with its closing zero.
pub fn field<const N: usize>(text: &str) -> [u8; N] {
    let mut bytes = [0; N];
    let len = text.len().min(N.saturating_sub(1));
    bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
    bytes
}

/// Writes a list and its length. A caller with too little room learns how much it needs.
pub fn list<T: Plain>(values: &[T], count: InOut<u32>, room: SliceMut<T>) -> Answer {
    let had = count.get()? as usize;
    count.set(values.len() as u32)?;
    if values.len() > had {
        return Err(NVML_ERROR_INSUFFICIENT_SIZE);
    }
    if room.fill(values) < values.len() { Err(NVML_ERROR_INVALID_ARGUMENT) } else { Ok(()) }
}

/// Whether a versioned struct is of the version we know.
pub fn version(found: u32, known: u32) -> Answer {
    if found == known { Ok(()) } else { Err(NVML_ERROR_ARGUMENT_VERSION_MISMATCH) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_zero() {
        assert_eq!(field::<4>("abc"), *b"abc\0");
        assert_eq!(field::<4>("abcdef"), *b"abc\0");
        assert_eq!(field::<4>(""), [0; 4]);
    }
}
