//! From the rows: NVML as a program meets it, initialised or not.

use core::ffi::c_void;

use cleave_api::edge::Ptr;
use cleave_api::nvml::types::*;
use cleave_api::{Nvml, edge_type, return_type};

use crate::{ops, state, version};

/// NVML on the software GPU. It has no state of its own: there is one per process, made by nvmlInit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Libnvml;

/// What an operation works on: the devices, or nothing for the few calls that work before nvmlInit.
macro_rules! subject {
    (nvmlInit) => {
        ()
    };
    (nvmlInit_v2) => {
        ()
    };
    (nvmlInitWithFlags) => {
        ()
    };
    (nvmlShutdown) => {
        ()
    };
    (nvmlSystemGetDriverVersion) => {
        ()
    };
    (nvmlSystemGetNVMLVersion) => {
        ()
    };
    (nvmlSystemGetCudaDriverVersion) => {
        ()
    };
    (nvmlSystemGetCudaDriverVersion_v2) => {
        ()
    };
    (nvmlInternalGetExportTable) => {
        ()
    };
    ($other:ident) => {
        state::running()?
    };
}

/// A device that does not exist is an error even where the answer would be "not supported".
macro_rules! look_up {
    (device $library:ident $arg:ident) => {
        $library.gpu($arg)?;
    };
    ($other:ident $library:ident $arg:ident) => {
        let _ = $arg;
    };
}

macro_rules! answer {
    ([soft $($rest:tt)*] $name:ident ($($arg:ident),*)) => { ops::$name(subject!($name) $(, $arg)*) };
    ([todo $($rest:tt)*] $name:ident $args:tt) => { answer!(nothing $name $args) };
    ([absent $($rest:tt)*] $name:ident $args:tt) => { answer!(nothing $name $args) };
    (nothing $name:ident ($($arg:ident),*)) => {{
        let library = state::running()?;
        $( look_up!($arg library $arg); )*
        Err(NVML_ERROR_NOT_SUPPORTED)
    }};
    ($other:tt $name:ident $args:tt) => { compile_error!(concat!("no backend for ", stringify!($name))) };
}

macro_rules! body {
    ($since:literal $cols:tt $name:ident $args:tt) => {{
        let run = || -> Result<(), nvmlReturn_t> {
            if !version::has($since) {
                return Err(NVML_ERROR_FUNCTION_NOT_FOUND);
            }
            answer!($cols $name $args)
        };
        run().into()
    }};
    ($since:literal $cols:tt $name:ident ($($arg:ident),*) $ret:ty) => { ops::$name($($arg),*) };
}

macro_rules! library {
    ($( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
        ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ) $(-> $ret:ty)?; )*) => {
        #[allow(clippy::unit_arg, non_snake_case, unused_variables)]
        impl Nvml for Libnvml {
            $( fn $name(&self $(, $arg: edge_type!(nvmlReturn_t, $kind($($data)*)))*)
                -> return_type!(nvmlReturn_t $(, $ret)?) {
                body!($since $cols $name ($($arg),*) $($ret)?)
            } )*
        }
    };
}
cleave_api::nvml_api!(library);
