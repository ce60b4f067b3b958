//! From the rows: the C symbols of `libcuda.so.1`. They hold no logic.

use core::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicU8;

use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use cleave_api::{Driver, c_type, edge_arg};

use crate::dispatch::Libcuda;
use crate::log;

macro_rules! exports {
    ($( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
        ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ); )*) => {
        $(
            $(#[$doc])*
            /// # Safety
            /// Pointers are as the driver API demands.
            #[unsafe(no_mangle)]
            #[allow(clippy::too_many_arguments, non_snake_case, unused_unsafe)]
            pub unsafe extern "C" fn $name($( $arg: c_type!($kind($($data)*)) ),*) -> CUresult {
                // SAFETY: the caller vouches for its pointers, as C does.
                guard(stringify!($name), || unsafe { Libcuda.$name($( edge_arg!($arg: $kind($($data)*)) ),*) })
            }
        )*

        /// Address of each export, in the order of the rows.
        static ADDRESSES: &[(&str, Address)] = &[ $( (stringify!($name), Address($name as *const ())) ),* ];
    };
}
cleave_api::cuda_api!(exports);

macro_rules! symbols {
    ($( data $name:ident bytes $bytes:literal; )*) => {
        $(
            /// Zero: no debugger is attached, and none can be.
            #[unsafe(no_mangle)]
            pub static $name: Data<$bytes> = Data([const { AtomicU8::new(0) }; $bytes]);
        )*
    };
}
cleave_api::cuda_data_symbols!(symbols);

/// Bytes that a debugger may write to.
#[repr(C, align(8))]
pub struct Data<const N: usize>([AtomicU8; N]);

struct Address(*const ());

// SAFETY: the address of a function is a number that never changes.
unsafe impl Sync for Address {}

/// The address of one of our own exports: a program that interposes on them is not asked.
pub fn address(symbol: &str) -> Option<Ptr<c_void>> {
    let (_, address) = ADDRESSES.iter().find(|(name, _)| *name == symbol)?;
    // SAFETY: a function of ours, there as long as the process.
    Some(unsafe { Ptr::new(address.0 as usize) })
}

/// No panic crosses into C.
fn guard(symbol: &'static str, call: impl FnOnce() -> CUresult) -> CUresult {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("");
        log::warn(format_args!("panic symbol={symbol} message={text:?}"));
        CUDA_ERROR_UNKNOWN
    })
}
