//! From the rows: the vendor's functions, each found when it is first called.
//!
//! They take the wrappers that hooks get, so that a hook passes its arguments on as they came. A function that the driver
//! does not have answers "not supported".

use core::ffi::c_void;
use core::ptr::{null_mut, with_exposed_provenance, with_exposed_provenance_mut};
use core::sync::atomic::{AtomicPtr, Ordering::*};

use cleave_api::edge::Ptr;
use cleave_api::{c_type, edge_type, return_type};

use crate::driver::Library;
use crate::exports_unsafe::Failed;

/// Turns a wrapper back into the C argument it was made from.
macro_rules! c_arg {
    ($arg:ident: val($t:ty)) => {
        $arg
    };
    ($arg:ident: raw($t:ty)) => {
        $arg
    };
    ($arg:ident: out($t:ty)) => {
        with_exposed_provenance_mut($arg.addr())
    };
    ($arg:ident: inout($t:ty)) => {
        with_exposed_provenance_mut($arg.addr())
    };
    ($arg:ident: array_out($t:ty, $len:tt)) => {
        with_exposed_provenance_mut($arg.addr())
    };
    ($arg:ident: bytes_mut($len:tt)) => {
        with_exposed_provenance_mut($arg.addr())
    };
    ($arg:ident: $kind:ident($($data:tt)*)) => {
        with_exposed_provenance($arg.addr())
    };
}

macro_rules! real {
    ($code:ident $library:ident;
     $( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
        ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ) $(-> $ret:ty)?; )*) => { $(
        $(#[$doc])*
        #[inline]
        #[allow(clippy::too_many_arguments, non_snake_case)]
        pub fn $name($( $arg: edge_type!($code, $kind($($data)*)) ),*) -> return_type!($code $(, $ret)?) {
            type Function = unsafe extern "C" fn($( c_type!($kind($($data)*)) ),*) -> return_type!($code $(, $ret)?);
            static PLACE: Place = Place::new();
            let Some(address) = PLACE.get(Library::$library, stringify!($name)) else { return Failed::MISSING };
            // SAFETY: the vendor's function of that name, whose signature the row states.
            let function = unsafe { core::mem::transmute::<*mut (), Function>(address) };
            // SAFETY: wrappers hold what an application passed, or references of our own.
            unsafe { function($( c_arg!($arg: $kind($($data)*)) ),*) }
        }
    )* };
}

/// The driver API.
pub mod cuda {
    use super::*;
    use cleave_api::cuda::types::*;

    macro_rules! cuda_real {
        ($($rows:tt)*) => { real! { CUresult Cuda; $($rows)* } };
    }
    cleave_api::cuda_api!(cuda_real);
}

/// NVML.
pub mod nvml {
    use super::*;
    use cleave_api::nvml::types::*;

    macro_rules! nvml_real {
        ($($rows:tt)*) => { real! { nvmlReturn_t Nvml; $($rows)* } };
    }
    cleave_api::nvml_api!(nvml_real);
}

/// Where a function was found.
struct Place(AtomicPtr<()>);

impl Place {
    const fn new() -> Place {
        Place(AtomicPtr::new(null_mut()))
    }

    #[inline]
    fn get(&self, library: Library, name: &'static str) -> Option<*mut ()> {
        let address = self.0.load(Relaxed);
        if address.is_null() { self.find(library, name) } else { Some(address) }
    }

    /// What is missing is looked for again: the library may not have been loaded yet.
    #[cold]
    fn find(&self, library: Library, name: &'static str) -> Option<*mut ()> {
        let address: *mut () = with_exposed_provenance_mut(library.function(name)?);
        self.0.store(address, Relaxed);
        Some(address)
    }
}
