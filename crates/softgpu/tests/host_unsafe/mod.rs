//! Host memory as C programs see it: pointers, and what is behind them.

use cleave_api::cuda::types::*;
use cleave_api::edge::{Bytes, BytesMut, Out, Plain, Ptr};
use cleave_softgpu::dispatch::Libcuda;
use std::ffi::c_void;

use cleave_api::Driver;

/// Values as bytes for the driver to read.
pub fn source<T: Plain>(values: &[T]) -> Bytes<'_> {
    // SAFETY: the slice lives as long as the wrapper.
    unsafe { Bytes::new(values.as_ptr().cast(), size_of_val(values)) }
}

/// Values as bytes for the driver to write.
pub fn target<T: Plain>(values: &mut [T]) -> BytesMut<'_> {
    // SAFETY: the slice lives as long as the wrapper.
    unsafe { BytesMut::new(values.as_mut_ptr().cast(), size_of_val(values)) }
}

/// Bytes at an address that may be wrong.
pub fn wild(addr: usize, len: usize) -> Bytes<'static> {
    // SAFETY: tests pass what the driver must refuse without looking.
    unsafe { Bytes::new(addr as *const c_void, len) }
}

/// A pointer with any value.
pub fn raw<T>(addr: u64) -> Ptr<T> {
    // SAFETY: tests pass what is valid, or what the driver must refuse without looking.
    unsafe { Ptr::new(addr as usize) }
}

/// A pointer to a value of the test, for the driver to write.
pub fn raw_to<T, U>(value: &mut T) -> Ptr<U> {
    raw(std::ptr::from_mut(value) as u64)
}

/// Memory the driver made readable for the host.
pub fn host<'a, T: Plain>(addr: u64, count: usize) -> &'a mut [T] {
    // SAFETY: the driver said that the host may use this memory; tests use each piece in one place.
    unsafe { std::slice::from_raw_parts_mut(addr as *mut T, count) }
}

/// Copies values to the device.
pub fn write<T: Plain>(to: CUdeviceptr, values: &[T]) {
    assert_eq!(Libcuda.cuMemcpyHtoD_v2(to, source(values), size_of_val(values)), CUDA_SUCCESS);
}

/// Whether the host can read a byte: the kernel is asked to copy it, which cannot crash.
pub fn readable(addr: u64) -> bool {
    let mut pipe = [0; 2];
    // SAFETY: a pipe, one byte into it from an address the kernel checks, and the end of the pipe.
    unsafe {
        assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
        let wrote = libc::write(pipe[1], addr as *const c_void, 1);
        libc::close(pipe[0]);
        libc::close(pipe[1]);
        wrote == 1
    }
}

/// Forks; the child runs `body` and exits with its answer.
pub fn fork(body: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child calls `body` and _exit only; tests that fork run in a process of their own.
    unsafe {
        match libc::fork() {
            0 => libc::_exit(body()),
            child => {
                assert!(child > 0);
                let mut status = 0;
                assert_eq!(libc::waitpid(child, &mut status, 0), child);
                assert!(libc::WIFEXITED(status), "the child was killed: {status:#x}");
                libc::WEXITSTATUS(status)
            }
        }
    }
}

/// A fresh mapping of the test's own, readable and writable or neither.
pub fn pages(len: usize, access: bool) -> u64 {
    let prot = if access { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE };
    // SAFETY: a new anonymous mapping disturbs nothing.
    let at = unsafe {
        libc::mmap(std::ptr::null_mut(), len, prot, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
    };
    assert_ne!(at, libc::MAP_FAILED);
    at as u64
}

/// A place for an answer, as an out-parameter.
pub fn out_of<T: Plain>(place: &mut T) -> Out<'_, T> {
    // SAFETY: the reference lives as long as the wrapper.
    unsafe { Out::new(place) }
}

/// Text the driver hands out, which lives as long as the process.
pub fn text_at(text: Ptr<u8>) -> &'static str {
    // SAFETY: a C string of the driver's.
    let text = unsafe { std::ffi::CStr::from_ptr(text.as_ptr().cast()) };
    text.to_str().expect("ASCII")
}

/// Calls a function of the driver that has one out-parameter, an int.
pub fn call_with_out(function: Ptr<c_void>) -> (CUresult, i32) {
    let mut value = 0;
    // SAFETY: the driver gave this address for a function of this type.
    let code = unsafe {
        let function: unsafe extern "C" fn(*mut i32) -> CUresult = std::mem::transmute(function.as_ptr());
        function(&mut value)
    };
    (code, value)
}

/// Forks a child that does nothing for a long time; its number.
pub fn fork_sleeper() -> i32 {
    // SAFETY: the child only sleeps and exits; tests that fork run in a process of their own.
    unsafe {
        match libc::fork() {
            0 => {
                libc::sleep(1000);
                libc::_exit(0)
            }
            child => child,
        }
    }
}

/// Kills a process; false if there was none.
pub fn kill(process: i32) -> bool {
    // SAFETY: a plain call.
    unsafe { libc::kill(process, libc::SIGKILL) == 0 }
}
