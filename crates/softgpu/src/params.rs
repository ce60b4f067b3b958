//! Arguments of a launch, packed into one buffer as the kernel declares them.

use core::ffi::c_void;

use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use cleave_simt::Kernel;

/// Reads the arguments by either of the two ways to pass them.
pub fn pack(kernel: &Kernel, list: Ptr<Ptr<c_void>>, extra: Ptr<Ptr<c_void>>) -> Result<Box<[u8]>, CUresult> {
    match (list.is_null(), extra.is_null()) {
        (false, false) => Err(CUDA_ERROR_INVALID_VALUE),
        (false, true) => from_list(kernel, list),
        (true, false) => from_buffer(kernel, extra),
        (true, true) if kernel.params.is_empty() => Ok(Box::default()),
        (true, true) => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// One pointer per argument.
fn from_list(kernel: &Kernel, list: Ptr<Ptr<c_void>>) -> Result<Box<[u8]>, CUresult> {
    let params = &kernel.params;
    let mut packed = vec![0; kernel.param_bytes as usize];
    let pointers = list.slice::<CUresult>(params.len());
    for (i, param) in params.iter().enumerate() {
        let argument = pointers.get(i).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let bytes = argument.cast::<u8>().slice::<CUresult>(param.size as usize).to_vec()?;
        let at = param.offset as usize;
        packed.get_mut(at..at + bytes.len()).ok_or(CUDA_ERROR_INVALID_VALUE)?.copy_from_slice(&bytes);
    }
    Ok(packed.into())
}

/// A list of names and values that ends in zero: the buffer, and its size.
fn from_buffer(kernel: &Kernel, extra: Ptr<Ptr<c_void>>) -> Result<Box<[u8]>, CUresult> {
    const MOST: usize = 5;
    let words = extra.slice::<CUresult>(MOST);
    let (mut buffer, mut size) = (Ptr::<c_void>::NULL, None);
    for i in (0..MOST).step_by(2) {
        // Only what the names so far say is there may be read.
        let name = words.get(i).ok_or(CUDA_ERROR_INVALID_VALUE)?.addr();
        if name == CU_LAUNCH_PARAM_END {
            break;
        }
        let value = words.get(i + 1).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        match name {
            CU_LAUNCH_PARAM_BUFFER_POINTER => buffer = value,
            CU_LAUNCH_PARAM_BUFFER_SIZE => size = Some(value.cast::<usize>().one::<CUresult>().get()?),
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    let (have, want) = (size.ok_or(CUDA_ERROR_INVALID_VALUE)?, kernel.param_bytes as usize);
    if have < want {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    Ok(buffer.cast::<u8>().slice::<CUresult>(want).to_vec()?.into())
}
