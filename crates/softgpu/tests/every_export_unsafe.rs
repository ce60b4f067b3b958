//! Every exported function, called with nothing and with nonsense: an error code, never a crash.

#![allow(unsafe_code)]

#[allow(dead_code)]
mod child;

use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use cleave_softgpu::exports_unsafe;
use core::ffi::c_void;
use std::mem::MaybeUninit;

/// An argument made of one byte, over and over.
fn of_bytes<T: Copy>(byte: u8) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: arguments are plain C values: numbers, handles, pointers and function pointers. Those that would be
    // looked behind are only ever made of zeros.
    unsafe {
        std::ptr::write_bytes(&mut value, byte, 1);
        value.assume_init()
    }
}

/// What a parameter gets: nonsense if it is passed by value, nothing if it is a pointer or a function.
macro_rules! argument {
    ($byte:ident val(CUhostFn)) => { None };
    ($byte:ident val(CUstreamCallback)) => { None };
    ($byte:ident val(CUoccupancyB2DSize)) => { None };
    ($byte:ident val(CUasyncCallback)) => { None };
    ($byte:ident val(CUlogsCallback)) => { None };
    ($byte:ident val(CUgraphRecaptureCallback)) => { None };
    ($byte:ident val(CUcoredumpStatusCallback)) => { None };
    ($byte:ident val($t:ty)) => { of_bytes::<$t>($byte) };
    ($byte:ident raw($t:ty)) => { of_bytes::<$t>(0) };
    ($byte:ident $kind:ident($($data:tt)*)) => { of_bytes::<cleave_api::c_type!($kind($($data)*))>(0) };
}

macro_rules! calls {
    ($( $(#[$doc:meta])* fn $name:ident since $since:literal $cols:tt
        ( $( $arg:ident : $kind:ident ( $($data:tt)* ) ),* $(,)? ); )*) => {
        /// Calls every function but those named; gives their names and answers.
        fn call_all(byte: u8, but: &[&str]) -> Vec<(&'static str, CUresult)> {
            let mut answers = Vec::new();
            $( if !but.contains(&stringify!($name)) {
                // SAFETY: no pointer but null, see `argument`.
                let answer = unsafe { exports_unsafe::$name($( argument!(byte $kind($($data)*)) ),*) };
                answers.push((stringify!($name), answer));
            } )*
            answers
        }
    };
}
cleave_api::cuda_api!(calls);

/// Calls that would make the others fail: they end the context, or begin the capture of the thread's own stream.
const ENDS: &[&str] = &[
    "cuDevicePrimaryCtxReset",
    "cuDevicePrimaryCtxReset_v2",
    "cuCtxSetCurrent",
    "cuCtxPopCurrent",
    "cuCtxPopCurrent_v2",
    "cuStreamBeginCapture_ptsz",
    "cuStreamBeginCapture_v2_ptsz",
];

fn no_panic(answers: &[(&str, CUresult)]) {
    let panicked: Vec<_> = answers.iter().filter(|(_, code)| *code == CUDA_ERROR_UNKNOWN).collect();
    assert!(panicked.is_empty(), "{panicked:?}");
}

#[test]
fn before_initialisation() {
    child::run("before_initialisation", &[("CLEAVE_LOG", "off")], || {
        for byte in [0, 0x41, 0xff] {
            let answers = call_all(byte, &["cuInit"]);
            no_panic(&answers);
            let early = ["cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString", "cuGetExportTable"];
            for (name, code) in answers {
                let may_answer = early.contains(&name) || name.starts_with("cuGetProcAddress");
                assert!(may_answer || code == CUDA_ERROR_NOT_INITIALIZED, "{name} gave {code:?}");
            }
        }
    });
}

#[test]
fn without_a_context() {
    child::run("without_a_context", &[("CLEAVE_LOG", "off")], || {
        // SAFETY: no pointers.
        assert_eq!(unsafe { exports_unsafe::cuInit(0) }, CUDA_SUCCESS);
        for byte in [0, 1, 0x41, 0x7f, 0xff] {
            no_panic(&call_all(byte, ENDS));
        }
    });
}

#[test]
fn with_a_context() {
    child::run("with_a_context", &[("CLEAVE_LOG", "off"), ("CLEAVE_SOFTGPU_MEMORY", "64M")], || {
        let mut context = CUcontext(0);
        // SAFETY: the context is written to a place of ours.
        unsafe {
            assert_eq!(exports_unsafe::cuInit(0), CUDA_SUCCESS);
            assert_eq!(exports_unsafe::cuCtxCreate_v2(&mut context, 0, CUdevice(0)), CUDA_SUCCESS);
        }
        for byte in [0, 1, 2, 0x10, 0x41, 0x7f, 0x80, 0xff] {
            no_panic(&call_all(byte, ENDS));
            // SAFETY: no pointers.
            let code = unsafe { exports_unsafe::cuCtxSynchronize() };
            assert_eq!(code, CUDA_SUCCESS, "nonsense harms nobody ({byte:#x})");
        }
    });
}
