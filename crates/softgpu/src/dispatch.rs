//! From the rows: the driver as a program meets it, initialised or not.

use core::ffi::c_void;

use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use cleave_api::{Driver, columns, edge_type, name};

use crate::{default_stream, log, ops, state_unsafe};

/// The software GPU behind the driver API. It has no state of its own: there is one per process, made by cuInit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Libcuda;

/// What an operation works on: the device state, or nothing for the few calls that work before cuInit.
macro_rules! subject {
    (cuInit) => {
        ()
    };
    (cuDriverGetVersion) => {
        ()
    };
    (cuGetErrorName) => {
        ()
    };
    (cuGetErrorString) => {
        ()
    };
    (cuGetProcAddress) => {
        ()
    };
    (cuGetProcAddress_v2) => {
        ()
    };
    (cuGetExportTable) => {
        ()
    };
    ($other:ident) => {
        state_unsafe::running()?
    };
}

macro_rules! answer {
    ([soft $($rest:tt)*] $name:ident ($($arg:ident),*)) => {{
        if const { !columns!([soft $($rest)*]).capture } {
            state_unsafe::running()?.graphs.captures.refuse_unsafe()?;
        }
        let _handle_0 = const { name::is_per_thread(stringify!($name)) }.then(default_stream::per_thread);
        ops::$name(subject!($name) $(, $arg)*)
    }};
    ([todo $($rest:tt)*] $name:ident ($($arg:ident),*)) => {{
        $( let _ = $arg; )*
        state_unsafe::running()?;
        log::unsupported(stringify!($name));
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }};
    ($other:tt $name:ident $args:tt) => { compile_error!(concat!("no backend for ", stringify!($name))) };
}

macro_rules! driver {
    ($( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
        ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ); )*) => {
        #[allow(clippy::unit_arg, non_snake_case)]
        impl Driver for Libcuda {
            $( fn $name(&self $(, $arg: edge_type!(CUresult, $kind($($data)*)))*) -> CUresult {
                let run = || -> Result<(), CUresult> { answer!($cols $name ($($arg),*)) };
                run().into()
            } )*
        }
    };
}
cleave_api::cuda_api!(driver);
