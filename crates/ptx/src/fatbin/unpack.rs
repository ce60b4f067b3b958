//! Decompression with a bound on what comes out.

use std::io::Read;

use super::Error;

/// Most bytes one entry may unpack to. The largest PTX seen in practice is far below.
const MAX_UNPACKED: u64 = 1 << 30;

/// An LZ4 byte yields at most this many bytes.
const LZ4_MAX_RATIO: u64 = 255;

/// An LZ4 block that unpacks to exactly `size` bytes.
pub(super) fn lz4(packed: &[u8], size: u64) -> Result<Vec<u8>, Error> {
    let possible = (packed.len() as u64).saturating_mul(LZ4_MAX_RATIO).min(MAX_UNPACKED);
    let size = usize::try_from(size).ok().filter(|size| *size as u64 <= possible);
    let mut bytes = vec![0; size.ok_or(Error::Corrupt("impossible LZ4 size"))?];
    let written =
        lz4_flex::block::decompress_into(packed, &mut bytes).map_err(|_| Error::Corrupt("bad LZ4 data"))?;
    if written == bytes.len() { Ok(bytes) } else { Err(Error::Corrupt("LZ4 data of another size")) }
}

/// A Zstandard frame that unpacks to exactly `size` bytes.
pub(super) fn zstd(packed: &[u8], size: u64) -> Result<Vec<u8>, Error> {
    const BAD: Error = Error::Corrupt("bad Zstandard data");
    if size > MAX_UNPACKED {
        return Err(Error::Corrupt("impossible Zstandard size"));
    }
    let decoder = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|_| BAD)?;
    let mut bytes = Vec::new();
    // One byte more than expected shows that there is more.
    decoder.take(size + 1).read_to_end(&mut bytes).map_err(|_| BAD)?;
    if bytes.len() as u64 == size { Ok(bytes) } else { Err(Error::Corrupt("Zstandard data of another size")) }
}
