//! What another crate derives from the rows: exports, an address table, dispatch by backend word. Named `_unsafe`
//! because it stands at the FFI edge like such a crate.

#![allow(unsafe_code, non_snake_case)]

use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use cleave_api::nvml::types::*;
use core::ffi::c_void;
use std::sync::Mutex;

struct Fake;

/// Last call seen: symbol and how many arguments it had.
static SEEN: Mutex<Option<(&str, usize)>> = Mutex::new(None);

macro_rules! implement_driver {
    ($( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
        ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ); )*) => {
        #[allow(clippy::too_many_arguments)]
        impl cleave_api::Driver for Fake { $(
            fn $name(&self $(, $arg: cleave_api::edge_type!($kind($($data)*)))*) -> CUresult {
                dispatch!($cols $name($($arg),*))
            }
        )* }

        mod exports {
            use super::*;
            $(
                #[allow(unused_unsafe)] // rows without pointers need none
                pub unsafe extern "C" fn $name($($arg: cleave_api::c_type!($kind($($data)*))),*) -> CUresult {
                    // SAFETY: the test passes pointers as C promises them.
                    unsafe { cleave_api::Driver::$name(&Fake $(, cleave_api::edge_arg!($arg: $kind($($data)*)))*) }
                }
            )*
        }

        fn addresses() -> Vec<(&'static str, *const ())> {
            vec![$( (stringify!($name), exports::$name as *const ()) ),*]
        }
    };
}

macro_rules! dispatch {
    ([$backend:ident $($rest:tt)*] cuMemAlloc_v2($dptr:ident, $bytes:ident)) => {
        $dptr.set(CUdeviceptr($bytes as u64)).into()
    };
    ([$backend:ident $($rest:tt)*] cuGraphGetNodes($graph:ident, $nodes:ident, $count:ident)) => {{
        let _unused = ($graph, $count);
        $nodes.fill(&[CUgraphNode(1), CUgraphNode(2), CUgraphNode(3)]);
        CUDA_SUCCESS
    }};
    ([$backend:ident $($rest:tt)*] $name:ident($($arg:ident),*)) => {{
        let args: &[usize] = &[$({ let _ = $arg; 1 }),*];
        *SEEN.lock().unwrap() = Some((stringify!($name), args.len()));
        CUDA_ERROR_NOT_SUPPORTED
    }};
}
cleave_api::cuda_api!(implement_driver);

macro_rules! implement_nvml {
    ($( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
        ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ) $(-> $ret:ty)?; )*) => {
        impl cleave_api::Nvml for Fake { $(
            fn $name(&self $(, $arg: cleave_api::edge_type!(nvmlReturn_t, $kind($($data)*)))*)
                -> cleave_api::return_type!(nvmlReturn_t $(, $ret)?) {
                $( let _ = $arg; )*
                Default::default()
            }
        )* }
    };
}
cleave_api::nvml_api!(implement_nvml);

#[test]
fn exports_reach_the_trait() {
    let mut dptr = CUdeviceptr(0);
    // SAFETY: a live out-parameter.
    assert_eq!(unsafe { exports::cuMemAlloc_v2(&mut dptr, 64) }, CUDA_SUCCESS);
    assert_eq!(dptr, CUdeviceptr(64));
    // SAFETY: null is allowed and must be noticed.
    assert_eq!(unsafe { exports::cuMemAlloc_v2(core::ptr::null_mut(), 64) }, CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn an_array_is_as_long_as_its_count_says() {
    let (mut nodes, mut count) = ([CUgraphNode(0); 3], 2);
    // SAFETY: room for three nodes, of which the callee may use two.
    unsafe { exports::cuGraphGetNodes(CUgraph(0), nodes.as_mut_ptr(), &mut count) };
    assert_eq!(nodes, [CUgraphNode(1), CUgraphNode(2), CUgraphNode(0)]);
}

#[test]
fn every_row_has_an_export() {
    let addresses = addresses();
    assert_eq!(addresses.len(), cleave_api::CUDA_TABLE.len());
    assert!(addresses.iter().zip(cleave_api::CUDA_TABLE).all(|((name, _), row)| *name == row.name));
    // SAFETY: no arguments, no pointers.
    assert_eq!(unsafe { exports::cuCtxSynchronize() }, CUDA_ERROR_NOT_SUPPORTED);
    assert_eq!(*SEEN.lock().unwrap(), Some(("cuCtxSynchronize", 0)));
}
