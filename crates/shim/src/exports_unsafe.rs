//! From the rows: the C symbols of `libcleave.so`, one for each function with logic. They hold none themselves.

use core::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cleave_api::edge::Ptr;
use cleave_api::{c_type, edge_arg, return_type};

use crate::hooked::{hook_of, hooked};
use crate::log;
use crate::names::Known;

macro_rules! exports {
    ($code:ident $hooks:path;
     $( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
        ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ) $(-> $ret:ty)?; )*) => {
        use $hooks as hooks;
        $( hooked! { $cols {
            $(#[$doc])*
            /// # Safety
            /// Pointers are as the vendor's library demands.
            #[cfg_attr(not(test), unsafe(no_mangle))]
            #[allow(clippy::too_many_arguments, non_snake_case, unused_unsafe)]
            pub unsafe extern "C" fn $name($( $arg: c_type!($kind($($data)*)) ),*)
                -> return_type!($code $(, $ret)?) {
                // SAFETY: the caller vouches for its pointers, as C does.
                guard(stringify!($name), || unsafe { hooks::$name($( edge_arg!($arg: $kind($($data)*)) ),*) })
            }
        } } )*

        /// Every row by name, with the address of its export where it has one.
        pub static KNOWN: &[Known] =
            &[ $( Known { name: stringify!($name), hook: Address(hook_of!($cols $name)) } ),* ];

        /// The same names, for what is made of them while compiling.
        pub const NAMES: &[&str] = &[ $( stringify!($name) ),* ];
    };
}

/// The driver API.
pub mod cuda {
    use super::*;
    use cleave_api::cuda::types::*;

    macro_rules! cuda_exports {
        ($($rows:tt)*) => { exports! { CUresult crate::cuda; $($rows)* } };
    }
    cleave_api::cuda_api!(cuda_exports);
}

/// NVML.
pub mod nvml {
    use super::*;
    use cleave_api::nvml::types::*;

    macro_rules! nvml_exports {
        ($($rows:tt)*) => { exports! { nvmlReturn_t crate::nvml; $($rows)* } };
    }
    cleave_api::nvml_api!(nvml_exports);
}

/// The address of one of our functions, if there is one.
#[derive(Clone, Copy)]
pub struct Address(pub Option<*const ()>);

// SAFETY: the address of a function is a number that never changes; nothing is reached through it here.
unsafe impl Sync for Address {}

/// What a function answers after a mistake of ours, and what it answers if the driver does not have it.
pub trait Failed {
    const BROKEN: Self;
    const MISSING: Self;
}

impl Failed for cleave_api::cuda::types::CUresult {
    const BROKEN: Self = cleave_api::cuda::types::CUDA_ERROR_UNKNOWN;
    const MISSING: Self = cleave_api::cuda::types::CUDA_ERROR_NOT_SUPPORTED;
}

impl Failed for cleave_api::nvml::types::nvmlReturn_t {
    const BROKEN: Self = cleave_api::nvml::types::NVML_ERROR_UNKNOWN;
    const MISSING: Self = cleave_api::nvml::types::NVML_ERROR_FUNCTION_NOT_FOUND;
}

impl Failed for Ptr<u8> {
    const BROKEN: Self = Ptr::NULL;
    const MISSING: Self = Ptr::NULL;
}

/// No panic crosses into C.
#[inline]
pub fn guard<R: Failed>(symbol: &'static str, call: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("");
        log::say(format_args!("panic symbol={symbol} message={text:?}"));
        R::BROKEN
    })
}
