use core::ffi::c_void;

use cleave_api::cuda::error;
use cleave_api::cuda::types::*;
use cleave_api::edge::{In, Out, Ptr, Str};
use cleave_api::procaddress::{self, Answer};

use crate::{config, exports_unsafe, state_unsafe};

pub fn cuInit(_: (), flags: u32) -> Result<(), CUresult> {
    if flags != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    state_unsafe::start()
}

pub fn cuDriverGetVersion(_: (), version: Out<i32>) -> Result<(), CUresult> {
    version.set(config::driver_version() as i32)
}

pub fn cuGetErrorName(_: (), error: CUresult, text: Out<Ptr<u8>>) -> Result<(), CUresult> {
    answer(text, error::name(error))
}

pub fn cuGetErrorString(_: (), error: CUresult, text: Out<Ptr<u8>>) -> Result<(), CUresult> {
    answer(text, error::description(error))
}

/// An unknown code gives null and an error.
fn answer(text: Out<Ptr<u8>>, known: Option<&'static ::core::ffi::CStr>) -> Result<(), CUresult> {
    text.set(known.map_or(Ptr::NULL, |known| Ptr::to_bytes(known.to_bytes_with_nul()).cast()))?;
    known.map(|_| ()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

pub fn cuGetProcAddress(
    _: (),
    symbol: Str,
    pfn: Out<Ptr<c_void>>,
    version: i32,
    flags: u64,
) -> Result<(), CUresult> {
    match look_up(symbol, pfn, version, flags)? {
        Answer::Found(row) => pfn.set(address(row.name)),
        Answer::VersionTooLow | Answer::UnknownName => Err(CUDA_ERROR_NOT_FOUND),
    }
}

pub fn cuGetProcAddress_v2(
    _: (),
    symbol: Str,
    pfn: Out<Ptr<c_void>>,
    version: i32,
    flags: u64,
    status: Out<CUdriverProcAddressQueryResult>,
) -> Result<(), CUresult> {
    let (found, how) = match look_up(symbol, pfn, version, flags)? {
        Answer::Found(row) => (address(row.name), CU_GET_PROC_ADDRESS_SUCCESS),
        Answer::VersionTooLow => (Ptr::NULL, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT),
        Answer::UnknownName => (Ptr::NULL, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND),
    };
    status.set_if(how);
    pfn.set(found)
}

fn look_up(symbol: Str, pfn: Out<Ptr<c_void>>, version: i32, flags: u64) -> Result<Answer, CUresult> {
    const KNOWN_FLAGS: u64 = 3;
    if pfn.is_null() || flags & !KNOWN_FLAGS != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let version = u32::try_from(version).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
    // A name that is no text is a name nobody has.
    let Ok(name) = ::core::str::from_utf8(symbol.bytes()?) else { return Ok(Answer::UnknownName) };
    Ok(procaddress::resolve(name, version, flags, config::driver_version()))
}

fn address(symbol: &str) -> Ptr<c_void> {
    exports_unsafe::address(symbol).unwrap_or(Ptr::NULL)
}

/// Every private table is refused, as a driver refuses one it does not know.
pub fn cuGetExportTable(_: (), _table: Out<Ptr<c_void>>, _id: In<CUuuid>) -> Result<(), CUresult> {
    Err(CUDA_ERROR_INVALID_VALUE)
}
