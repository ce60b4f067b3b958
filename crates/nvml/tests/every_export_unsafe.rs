//! Every exported function, called with nothing and with nonsense: an error code, never a crash.

#![allow(unsafe_code)]

#[allow(dead_code)]
mod on_device;

use std::mem::MaybeUninit;

use cleave_api::NVML_TABLE;
use cleave_api::columns::Backend;
use cleave_api::edge::Ptr;
use cleave_api::nvml::types::*;
use cleave_nvml::exports_unsafe;
use core::ffi::c_void;

/// An argument made of one byte, over and over.
fn of_bytes<T: Copy>(byte: u8) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: arguments are plain C values: numbers, handles and pointers, and pointers are only ever made of zeros.
    unsafe {
        std::ptr::write_bytes(&mut value, byte, 1);
        value.assume_init()
    }
}

/// What a parameter gets: the device if it is one, nonsense if it is passed by value, nothing if it is a pointer.
macro_rules! argument {
    ($device:ident $byte:ident val(nvmlDevice_t)) => { $device.unwrap_or(of_bytes($byte)) };
    ($device:ident $byte:ident val($t:ty)) => { of_bytes::<$t>($byte) };
    ($device:ident $byte:ident $kind:ident($($data:tt)*)) => { of_bytes::<cleave_api::c_type!($kind($($data)*))>(0) };
}

macro_rules! code {
    ($call:expr) => {
        $call
    };
    ($call:expr, $ret:ty) => {{
        let _: $ret = $call;
        NVML_SUCCESS
    }};
}

macro_rules! calls {
    ($( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
        ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ) $(-> $ret:ty)?; )*) => {
        /// Calls every function but those that begin and end the library; gives their names and answers.
        fn call_all(device: Option<nvmlDevice_t>, byte: u8) -> Vec<(&'static str, nvmlReturn_t)> {
            let mut answers = Vec::new();
            $( if !stringify!($name).starts_with("nvmlInit") && stringify!($name) != "nvmlShutdown" {
                // SAFETY: no pointer but null, see `argument`.
                let call = unsafe { exports_unsafe::$name($( argument!(device byte $kind($($data)*)) ),*) };
                answers.push((stringify!($name), code!(call $(, $ret)?)));
            } )*
            answers
        }
    };
}
cleave_api::nvml_api!(calls);

fn no_panic(answers: &[(&str, nvmlReturn_t)]) {
    let panicked: Vec<_> = answers.iter().filter(|(_, code)| *code == NVML_ERROR_UNKNOWN).collect();
    assert!(panicked.is_empty(), "{panicked:?}");
}

#[test]
fn before_initialisation() {
    let early = ["nvmlErrorString", "nvmlInternalGetExportTable"];
    for byte in [0, 0x41, 0xff] {
        let answers = call_all(None, byte);
        no_panic(&answers);
        for (name, code) in answers {
            let may_answer =
                early.contains(&name) || name.starts_with("nvmlSystemGet") && name.contains("Version");
            assert!(may_answer || code == NVML_ERROR_UNINITIALIZED, "{name} gave {code:?}");
        }
    }
}

#[test]
fn with_nonsense() {
    on_device::run("with_nonsense", &[], || {
        let mut device = nvmlDevice_t(0);
        // SAFETY: the handle is written to a place of ours.
        unsafe {
            assert_eq!(exports_unsafe::nvmlInit_v2(), NVML_SUCCESS);
            assert_eq!(exports_unsafe::nvmlDeviceGetHandleByIndex_v2(0, &raw mut device), NVML_SUCCESS);
        }
        for byte in [0, 1, 0x41, 0x7f, 0xff] {
            no_panic(&call_all(None, byte));
            no_panic(&call_all(Some(device), byte));
        }
    });
}

#[test]
fn what_is_absent_is_not_supported_on_a_device_and_invalid_on_none() {
    on_device::run("what_is_absent_is_not_supported_on_a_device_and_invalid_on_none", &[], || {
        let mut device = nvmlDevice_t(0);
        // SAFETY: the handle is written to a place of ours.
        unsafe {
            assert_eq!(exports_unsafe::nvmlInitWithFlags(0), NVML_SUCCESS);
            assert_eq!(exports_unsafe::nvmlDeviceGetHandleByIndex_v2(0, &raw mut device), NVML_SUCCESS);
        }
        let (on_one, on_none) = (call_all(Some(device), 0), call_all(None, 0xff));
        let mut absent = 0;
        for row in NVML_TABLE.iter().filter(|row| row.columns.backend != Backend::Soft) {
            let code = |answers: &[(&str, nvmlReturn_t)]| {
                answers.iter().find(|(name, _)| *name == row.name).map(|a| a.1)
            };
            assert_eq!(code(&on_one), Some(NVML_ERROR_NOT_SUPPORTED), "{}", row.name);
            let wanted = if row.args.iter().any(|arg| arg.name == "device") {
                NVML_ERROR_INVALID_ARGUMENT
            } else {
                NVML_ERROR_NOT_SUPPORTED
            };
            assert_eq!(code(&on_none), Some(wanted), "{}", row.name);
            absent += 1;
        }
        assert!(absent > 200, "{absent}");
    });
}

#[test]
fn a_driver_is_as_old_as_it_says() {
    on_device::run("a_driver_is_as_old_as_it_says", &[("CLEAVE_SOFTGPU_DRIVER_VERSION", "12020")], || {
        let mut text = [0_u8; 80];
        // SAFETY: what is written is as long as we say.
        unsafe {
            assert_eq!(exports_unsafe::nvmlInit_v2(), NVML_SUCCESS);
            let place = text.as_mut_ptr().cast::<c_void>();
            assert_eq!(exports_unsafe::nvmlSystemGetDriverVersion(place, 80), NVML_SUCCESS);
            assert_eq!(exports_unsafe::nvmlSystemGetDriverVersion(place, 4), NVML_ERROR_INSUFFICIENT_SIZE);
        }
        assert!(text.starts_with(b"535.54.03\0"));
        for (name, code) in call_all(None, 0) {
            let row = NVML_TABLE.iter().find(|row| row.name == name).expect("a row");
            assert_eq!(code == NVML_ERROR_FUNCTION_NOT_FOUND, row.since > 12020, "{name} gave {code:?}");
        }
    });
}
