//! Programs that free what their kernels still use: an error for them, never the end of the process.

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(dead_code)]
mod child;
#[allow(unsafe_code, dead_code)]
mod host_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use host_unsafe::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

// Walks over `bytes` bytes again and again, adding one to each word.
const WALK: &str = r"
.version 7.0
.target sm_80
.address_size 64
.visible .entry walk(.param .u64 at, .param .u64 bytes, .param .u64 rounds)
{
    .reg .u64 %a, %b, %r, %i, %p;
    .reg .u32 %v, %t;
    .reg .pred %q;
    ld.param.u64 %a, [at];
    ld.param.u64 %b, [bytes];
    ld.param.u64 %r, [rounds];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %i, %t, 4;
    add.u64 %a, %a, %i;
again:
    mov.u64 %i, 0;
next:
    add.u64 %p, %a, %i;
    ld.global.u32 %v, [%p];
    add.u32 %v, %v, 1;
    st.global.u32 [%p], %v;
    add.u64 %i, %i, 128;
    setp.lt.u64 %q, %i, %b;
    @%q bra next;
    sub.u64 %r, %r, 1;
    setp.ne.u64 %q, %r, 0;
    @%q bra again;
    ret;
}
";

/// One thread launches kernels on memory that another one makes and frees all the time.
fn race(name: &str, make: fn() -> Option<u64>, free: fn(u64) -> CUresult) {
    child::run(name, &[("CLEAVE_LOG", "off"), ("CLEAVE_SOFTGPU_MEMORY", "64M")], || {
        const BYTES: u64 = 4 << 20;
        let (target, over) = (AtomicU64::new(0), AtomicBool::new(false));
        let contexts = AtomicU64::new(context().0 as u64);
        // Long enough to lose it often; on a busy machine, until it was lost once.
        let start = Instant::now();
        let goes_on = |faults: u32| start.elapsed() < Duration::from_secs(if faults == 0 { 60 } else { 2 });
        let mut faults = 0;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(SeqCst) {
                    let current = CUcontext(contexts.load(SeqCst) as usize);
                    let made = Libcuda.cuCtxSetCurrent(current).ok().ok().and_then(|()| make());
                    let Some(memory) = made else { continue };
                    target.store(memory, SeqCst);
                    std::thread::sleep(Duration::from_micros(200));
                    free(memory);
                }
            });
            while goes_on(faults) {
                let walk = kernel(WALK, "walk");
                let mut code = CUDA_SUCCESS;
                while code == CUDA_SUCCESS && goes_on(faults) {
                    let at = target.load(SeqCst);
                    if at == 0 {
                        continue;
                    }
                    code = launch(walk, 32, CUstream(0), &[at, BYTES, 3]);
                    if code == CUDA_SUCCESS {
                        code = Libcuda.cuCtxSynchronize();
                    }
                }
                if code != CUDA_SUCCESS {
                    assert_eq!(code, CUDA_ERROR_ILLEGAL_ADDRESS);
                    faults += 1;
                    assert_eq!(
                        Libcuda.cuCtxDestroy_v2(CUcontext(contexts.load(SeqCst) as usize)),
                        CUDA_SUCCESS
                    );
                    contexts.store(context().0 as u64, SeqCst);
                }
            }
            over.store(true, SeqCst);
        });
        assert!(faults > 0, "the race was never lost");
    });
}

#[test]
fn device_memory() {
    race(
        "device_memory",
        || out(|dptr| Libcuda.cuMemAlloc_v2(dptr, 4 << 20)).ok().map(|p| p.0),
        |p| Libcuda.cuMemFree_v2(CUdeviceptr(p)),
    );
}

#[test]
fn managed_memory() {
    let make =
        || out(|dptr| Libcuda.cuMemAllocManaged(dptr, 4 << 20, CU_MEM_ATTACH_GLOBAL.0)).ok().map(|p| p.0);
    race("managed_memory", make, |p| Libcuda.cuMemFree_v2(CUdeviceptr(p)));
}

#[test]
fn page_locked_memory() {
    let make = || out(|pp| Libcuda.cuMemAllocHost_v2(pp, 4 << 20)).ok().map(|p| p.addr() as u64);
    race("page_locked_memory", make, |p| Libcuda.cuMemFreeHost(raw(p)));
}
