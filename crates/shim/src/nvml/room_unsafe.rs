//! Room of our own for the vendor's answers, where the caller's must not be written to.

use std::ffi::CStr;

use cleave_api::edge::{BytesMut, InOut, Out, Plain, SliceMut, Str};
use cleave_api::nvml::types::*;

/// Values that a list has room for at first, and at most.
const FEW: usize = 64;
const MANY: usize = 1 << 16;

/// What a function writes to an out-parameter.
pub fn filled<T: Plain>(
    call: impl FnOnce(Out<'_, T, nvmlReturn_t>) -> nvmlReturn_t,
) -> Result<T, nvmlReturn_t> {
    let mut value = T::zeroed();
    call((&mut value).into()).ok()?;
    Ok(value)
}

/// What a function makes of a value.
pub fn changed<T: Plain>(
    mut value: T,
    call: impl FnOnce(InOut<'_, T, nvmlReturn_t>) -> nvmlReturn_t,
) -> (nvmlReturn_t, T) {
    let code = call((&mut value).into());
    (code, value)
}

/// The whole list that a function has, however long it is.
pub fn list<T: Plain>(
    call: impl Fn(InOut<'_, u32, nvmlReturn_t>, SliceMut<'_, T, nvmlReturn_t>) -> nvmlReturn_t,
) -> Result<Vec<T>, nvmlReturn_t> {
    let mut room = FEW;
    loop {
        let mut values = vec![T::zeroed(); room];
        let values_at = values.as_mut_ptr();
        // SAFETY: room for that many values of ours, which outlive the call.
        let (code, count) =
            changed(room as u32, |count| call(count, unsafe { SliceMut::new(values_at, room) }));
        let count = count as usize;
        if code == NVML_ERROR_INSUFFICIENT_SIZE && room < MANY {
            // What is listed may have grown since it was counted.
            room = count.max(room).saturating_mul(2).min(MANY);
            continue;
        }
        code.ok()?;
        values.truncate(count);
        return Ok(values);
    }
}

/// A short text that a function writes.
pub fn text(
    call: impl FnOnce(BytesMut<'_, nvmlReturn_t>, u32) -> nvmlReturn_t,
) -> Result<String, nvmlReturn_t> {
    let mut bytes = [0u8; 96];
    // SAFETY: room of ours that outlives the call.
    call(unsafe { BytesMut::new(bytes.as_mut_ptr().cast(), bytes.len()) }, bytes.len() as u32).ok()?;
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

/// A text of ours as a function takes it.
pub fn c_text(text: &CStr) -> Str<'_, nvmlReturn_t> {
    // SAFETY: ends in zero, and lives as long as the wrapper.
    unsafe { Str::new(text.as_ptr()) }
}

/// Whether a function that lists takes its other arguments: it is asked without room, and its list goes nowhere.
pub fn would_list<T: Plain>(
    call: impl FnOnce(InOut<'_, u32, nvmlReturn_t>, SliceMut<'_, T, nvmlReturn_t>) -> nvmlReturn_t,
) -> Result<(), nvmlReturn_t> {
    // SAFETY: null is room for nothing.
    let (code, _) = changed(0, |count| call(count, unsafe { SliceMut::new(core::ptr::null_mut(), 0) }));
    match code {
        NVML_ERROR_INSUFFICIENT_SIZE => Ok(()),
        code => code.ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(
        all: u32,
    ) -> impl Fn(InOut<'_, u32, nvmlReturn_t>, SliceMut<'_, u32, nvmlReturn_t>) -> nvmlReturn_t {
        move |count, room| {
            let had = count.get().unwrap_or_default();
            count.set_if(all);
            if had < all {
                return NVML_ERROR_INSUFFICIENT_SIZE;
            }
            (0..all).try_for_each(|i| room.set(i as usize, i)).into()
        }
    }

    #[test]
    fn a_list_is_read_to_its_end() {
        for length in [0, 1, 64, 65, 5000] {
            assert_eq!(list(numbers(length)), Ok((0..length).collect::<Vec<_>>()));
            assert_eq!(would_list(numbers(length)), Ok(()));
        }
        assert_eq!(list(numbers(1 << 20)), Err(NVML_ERROR_INSUFFICIENT_SIZE), "longer than any list is");
        assert_eq!(list::<u32>(|_, _| NVML_ERROR_UNINITIALIZED), Err(NVML_ERROR_UNINITIALIZED));
        assert_eq!(would_list::<u32>(|_, _| NVML_ERROR_UNINITIALIZED), Err(NVML_ERROR_UNINITIALIZED));
    }

    #[test]
    fn answers_come_back() {
        assert_eq!(filled(|out: Out<u32, _>| out.set(7).into()), Ok(7));
        assert_eq!(filled(|_: Out<u32, _>| NVML_ERROR_NOT_FOUND), Err(NVML_ERROR_NOT_FOUND));
        assert_eq!(text(|room, length| room.set_text(&length.to_string()).into()), Ok("96".into()));
    }
}
