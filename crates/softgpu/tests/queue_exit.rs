//! Programs that end while the device is still at work: they end, and they end well.
//!
//! Each test runs this very program again as a child that does the deed.

#![allow(non_snake_case)]

#[allow(unsafe_code, dead_code)]
mod call_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use std::ffi::c_void;
use std::process::Command;
use std::time::{Duration, Instant};

const SPIN: &str = r"
.version 7.0
.target sm_80
.address_size 64

// waits until *flag is not zero
.visible .entry spin(.param .u64 flag)
{
    .reg .u64 %a;
    .reg .u32 %v;
    .reg .pred %p;
    ld.param.u64 %a, [flag];
    cvta.to.global.u64 %a, %a;
again:
    ld.volatile.global.u32 %v, [%a];
    setp.eq.u32 %p, %v, 0;
    @%p bra again;
    ret;
}
";

extern "C" fn sleep_long(_: Ptr<c_void>) {
    std::thread::sleep(Duration::from_secs(3600));
}

/// Work of every kind that never ends by itself.
fn keep_busy() {
    context();
    let spin = kernel(SPIN, "spin");
    let (flag, _) = word();
    for _ in 0..4 {
        let busy = stream(CU_STREAM_NON_BLOCKING.0);
        assert_eq!(launch_grid(spin, 8, 64, busy, &[flag.0]), CUDA_SUCCESS);
        assert_eq!(launch(spin, 1, busy, &[flag.0]), CUDA_SUCCESS);
    }
    let waiting = stream(CU_STREAM_NON_BLOCKING.0);
    assert_eq!(Libcuda.cuStreamWaitValue32_v2(waiting, flag, 1, CU_STREAM_WAIT_VALUE_EQ.0), CUDA_SUCCESS);
    let calling = stream(CU_STREAM_NON_BLOCKING.0);
    assert_eq!(Libcuda.cuLaunchHostFunc(calling, Some(sleep_long), Ptr::NULL), CUDA_SUCCESS);
    let copying = stream(CU_STREAM_NON_BLOCKING.0);
    let memory = memory(64 << 20);
    for _ in 0..8 {
        assert_eq!(Libcuda.cuMemsetD32Async(memory, 1, 16 << 20, copying), CUDA_SUCCESS);
    }
    assert_eq!(launch(spin, 1, CU_STREAM_PER_THREAD, &[flag.0]), CUDA_SUCCESS);
}

/// Runs the named test of this program as a child that really does it.
fn in_a_child(name: &str, body: impl FnOnce()) {
    if std::env::var_os("CLEAVE_TEST_CHILD").is_some() {
        body();
        return;
    }
    let program = std::env::current_exe().expect("a path");
    let mut child = Command::new(program)
        .args(["--exact", name, "--nocapture"])
        .env("CLEAVE_TEST_CHILD", "1")
        .spawn()
        .expect("a child");
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(status) = child.try_wait().expect("it is ours") {
            assert_eq!(status.code(), Some(0), "{status}");
            return;
        }
        if Instant::now() > deadline {
            child.kill().expect("it is ours");
            panic!("the child hangs");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn exit_with_work_under_way() {
    in_a_child("exit_with_work_under_way", || {
        keep_busy();
        std::process::exit(0);
    });
}

#[test]
fn return_with_work_under_way() {
    in_a_child("return_with_work_under_way", keep_busy);
}

#[test]
fn threads_that_end_with_work_under_way() {
    in_a_child("threads_that_end_with_work_under_way", || {
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(keep_busy)).collect();
        for thread in threads {
            thread.join().expect("no panic");
        }
    });
}

#[test]
fn calls_from_the_end_of_a_thread() {
    struct Last(CUcontext, CUstream, CUdeviceptr);
    impl Drop for Last {
        fn drop(&mut self) {
            // Whether these succeed depends on what of the thread is still there; they must come back.
            Libcuda.cuCtxSetCurrent(self.0);
            Libcuda.cuMemsetD32Async(self.2, 3, 1, self.1);
            Libcuda.cuMemsetD32Async(self.2, 3, 1, CU_STREAM_PER_THREAD);
            Libcuda.cuStreamSynchronize(self.1);
            Libcuda.cuEventQuery(CUevent(0));
            Libcuda.cuStreamDestroy_v2(self.1);
        }
    }
    thread_local! {
        static LAST: std::cell::RefCell<Option<Last>> = const { std::cell::RefCell::new(None) };
    }
    let thread = std::thread::spawn(|| {
        // Before the driver's own thread data exist, so that it goes after them.
        LAST.with(|_| {});
        let ctx = context();
        let last = Last(ctx, stream(0), memory(64));
        assert_eq!(launch(kernel(SPIN, "spin"), 1, last.1, &[word_of_one()]), CUDA_SUCCESS);
        LAST.with_borrow_mut(|slot| *slot = Some(last));
    });
    thread.join().expect("no panic");
}

fn word_of_one() -> u64 {
    let (flag, at) = word();
    at.store(1, std::sync::atomic::Ordering::SeqCst);
    flag.0
}
