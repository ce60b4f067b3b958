//! Code as the program handed it over, read and checked, before it is anywhere.

use cleave_api::cuda::types::*;
use cleave_ptx::ir;
use cleave_ptx::{fatbin, parse};

use super::image_unsafe::Image;
use super::jit::Jit;
use super::linked;

/// Parsed PTX: one module, or several that were linked.
pub struct Source {
    pub modules: Vec<ir::Module>,
}

impl Source {
    /// Reads an image for a device of compute capability `target`, two digits; what is wrong with it goes to the program's log.
    pub fn read(image: &Image, target: u32, jit: &mut Jit) -> Result<Source, CUresult> {
        let texts = texts(image, target)?;
        let modules =
            texts.iter().map(|text| module(text, jit)).collect::<Result<Vec<ir::Module>, CUresult>>()?;
        Ok(Source { modules })
    }
}

/// The PTX texts of an image, the best ones for this device if there is a choice.
pub fn texts(image: &Image, target: u32) -> Result<Vec<String>, CUresult> {
    match image {
        Image::Elf => Err(CUDA_ERROR_NO_BINARY_FOR_GPU),
        Image::Text(bytes) => Ok(vec![text(bytes)?.to_owned()]),
        Image::Linked(bytes) => {
            let texts = linked::read(bytes).ok_or(CUDA_ERROR_INVALID_IMAGE)?;
            Ok(texts.into_iter().map(str::to_owned).collect())
        }
        Image::Fatbin(bytes) => match fatbin::ptx(bytes, target) {
            Ok(ptx) => Ok(vec![ptx]),
            Err(fatbin::Error::NoPtx) => Err(CUDA_ERROR_NO_BINARY_FOR_GPU),
            Err(_) => Err(CUDA_ERROR_INVALID_IMAGE),
        },
    }
}

/// Bytes that should be PTX. What is no text at all is no image.
fn text(bytes: &[u8]) -> Result<&str, CUresult> {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    let text = std::str::from_utf8(&bytes[..end]).map_err(|_| CUDA_ERROR_INVALID_IMAGE)?;
    if text.trim().is_empty() { Err(CUDA_ERROR_INVALID_IMAGE) } else { Ok(text) }
}

/// The newest major version of the language that is understood.
const NEWEST: u32 = 9;

/// Parses one text.
pub fn module(text: &str, jit: &mut Jit) -> Result<ir::Module, CUresult> {
    if let Some(version) = version(text).filter(|&version| version > NEWEST) {
        jit.error(&format!("ptx: version {version} is newer than {NEWEST}"));
        return Err(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    }
    parse(text).map_err(|problems| {
        for problem in &problems {
            jit.error(&format!("ptx: {problem}"));
        }
        CUDA_ERROR_INVALID_PTX
    })
}

/// The major version a text says it is written in. Looked at before anything else: newer text may not parse at all.
fn version(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once(".version")?;
    rest.trim_start().split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
