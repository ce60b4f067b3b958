//! From the rows: the C symbols of `libnvidia-ml.so.1`. They hold no logic.

use core::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cleave_api::edge::Ptr;
use cleave_api::nvml::types::*;
use cleave_api::{Nvml, c_type, edge_arg, return_type};

use crate::dispatch::Libnvml;
use crate::log;

macro_rules! exports {
    ($( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
        ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ) $(-> $ret:ty)?; )*) => {
        $(
            $(#[$doc])*
            /// # Safety
            /// Pointers are as NVML demands.
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, unused_unsafe)]
            pub unsafe extern "C" fn $name($( $arg: c_type!($kind($($data)*)) ),*)
                -> return_type!(nvmlReturn_t $(, $ret)?) {
                // SAFETY: the caller vouches for its pointers, as C does.
                guard(stringify!($name), || unsafe { Libnvml.$name($( edge_arg!($arg: $kind($($data)*)) ),*) })
            }
        )*
    };
}
cleave_api::nvml_api!(exports);

/// What a function answers after a mistake of ours.
pub trait Broken {
    const BROKEN: Self;
}

impl Broken for nvmlReturn_t {
    const BROKEN: nvmlReturn_t = NVML_ERROR_UNKNOWN;
}

impl Broken for Ptr<u8> {
    const BROKEN: Ptr<u8> = Ptr::NULL;
}

/// No panic crosses into C.
pub fn guard<R: Broken>(symbol: &'static str, call: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("");
        log::warn(format_args!("panic symbol={symbol} message={text:?}"));
        R::BROKEN
    })
}
