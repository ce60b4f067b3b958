//! Initialisation, forks, contexts and their stack.

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(dead_code)]
mod child;
#[allow(unsafe_code, dead_code)]
mod host_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use host_unsafe::*;

fn current() -> CUcontext {
    out(|ctx| Libcuda.cuCtxGetCurrent(ctx)).expect("an answer")
}

#[test]
fn nothing_works_before_initialisation_but_what_must() {
    child::run("nothing_works_before_initialisation_but_what_must", &[], || {
        assert_eq!(out(|n| Libcuda.cuDeviceGetCount(n)), Err(CUDA_ERROR_NOT_INITIALIZED));
        assert_eq!(out(|ctx| Libcuda.cuCtxGetCurrent(ctx)), Err(CUDA_ERROR_NOT_INITIALIZED));
        assert_eq!(Libcuda.cuMemAlloc_v2(null(), 0), CUDA_ERROR_NOT_INITIALIZED);
        assert_eq!(Libcuda.cuStreamSynchronize(CUstream(0)), CUDA_ERROR_NOT_INITIALIZED);
        assert_eq!(
            Libcuda.cuProfilerInitialize(c_str(c""), c_str(c""), CUoutput_mode(0)),
            CUDA_ERROR_NOT_INITIALIZED
        );
        assert!(out(|version| Libcuda.cuDriverGetVersion(version)).expect("a version") >= 13000);
        assert!(out(|text| Libcuda.cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, text)).is_ok());
        assert_eq!(Libcuda.cuInit(1), CUDA_ERROR_INVALID_VALUE);
        assert_eq!(out(|n| Libcuda.cuDeviceGetCount(n)), Err(CUDA_ERROR_NOT_INITIALIZED));
        assert_eq!(Libcuda.cuInit(0), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuInit(0), CUDA_SUCCESS);
        assert_eq!(out(|n| Libcuda.cuDeviceGetCount(n)), Ok(1));
    });
}

#[test]
fn a_fork_before_initialisation_is_a_program_like_any_other() {
    child::run("a_fork_before_initialisation_is_a_program_like_any_other", &[], || {
        let answer = fork(|| {
            let init = Libcuda.cuInit(0);
            let ctx = out(|ctx| Libcuda.cuCtxCreate_v2(ctx, 0, CUdevice(0)));
            let memory = out(|dptr| Libcuda.cuMemAlloc_v2(dptr, 1 << 20));
            i32::from(init != CUDA_SUCCESS || ctx.is_err() || memory.is_err())
        });
        assert_eq!(answer, 0);
        assert_eq!(Libcuda.cuInit(0), CUDA_SUCCESS, "the parent is not concerned");
    });
}

#[test]
fn a_fork_after_initialisation_has_no_driver() {
    child::run("a_fork_after_initialisation_has_no_driver", &[], || {
        let context = context();
        let device = memory(1 << 20);
        write(device, &vec![3u8; 1 << 20]);
        let answer = fork(|| {
            let codes = [
                Libcuda.cuInit(0),
                out(|n| Libcuda.cuDeviceGetCount(n)).err().unwrap_or(CUDA_SUCCESS),
                out(|ctx| Libcuda.cuCtxGetCurrent(ctx)).err().unwrap_or(CUDA_SUCCESS),
                Libcuda.cuCtxSetCurrent(context),
                Libcuda.cuCtxSynchronize(),
                out(|dptr| Libcuda.cuMemAlloc_v2(dptr, 16)).err().unwrap_or(CUDA_SUCCESS),
                Libcuda.cuMemFree_v2(device),
                Libcuda.cuMemcpyDtoD_v2(device, device, 4),
                out(|ctx| Libcuda.cuDevicePrimaryCtxRetain(ctx, CUdevice(0))).err().unwrap_or(CUDA_SUCCESS),
                Libcuda.cuProfilerInitialize(c_str(c""), c_str(c""), CUoutput_mode(0)),
            ];
            i32::from(codes.iter().any(|&code| code != CUDA_ERROR_NOT_INITIALIZED))
        });
        assert_eq!(answer, 0);
        assert_eq!(read_back::<u8>(device, 4), [3; 4], "the parent goes on");
    });
}

#[test]
fn the_stack_of_contexts() {
    assert_eq!(Libcuda.cuInit(0), CUDA_SUCCESS);
    assert_eq!(current(), CUcontext(0));
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    assert_eq!(Libcuda.cuCtxPopCurrent_v2(null()), CUDA_ERROR_INVALID_CONTEXT);
    assert_eq!(Libcuda.cuCtxGetCurrent(null()), CUDA_ERROR_INVALID_VALUE);
    let (a, b) = (context(), context());
    assert_eq!(current(), b, "a new context is on top");
    assert_eq!(Libcuda.cuCtxPopCurrent_v2(null()), CUDA_SUCCESS);
    assert_eq!(current(), a);
    assert_eq!(Libcuda.cuCtxPushCurrent_v2(b), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSetCurrent(a), CUDA_SUCCESS);
    assert_eq!(out(|ctx| Libcuda.cuCtxPopCurrent_v2(ctx)), Ok(a));
    assert_eq!(current(), a);
    assert_eq!(Libcuda.cuCtxSetCurrent(CUcontext(0)), CUDA_SUCCESS);
    assert_eq!(current(), CUcontext(0));
    for wrong in [1, 0x1234, a.0 + 8, usize::MAX] {
        assert_eq!(Libcuda.cuCtxSetCurrent(CUcontext(wrong)), CUDA_ERROR_INVALID_CONTEXT, "{wrong:#x}");
        assert_eq!(Libcuda.cuCtxPushCurrent_v2(CUcontext(wrong)), CUDA_ERROR_INVALID_CONTEXT);
        assert_eq!(Libcuda.cuCtxDestroy_v2(CUcontext(wrong)), CUDA_ERROR_INVALID_CONTEXT);
    }
}

#[test]
fn use_after_destruction() {
    let context = context();
    let (device, event) = (memory(100), event(0));
    let other = std::thread::spawn(move || {
        assert_eq!(Libcuda.cuCtxSetCurrent(context), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuCtxDestroy_v2(context), CUDA_SUCCESS);
        assert_eq!(current(), CUcontext(0), "the destroyer has lost it");
    });
    other.join().expect("no panic");
    assert_eq!(current(), context, "this thread still has it on its stack");
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_eq!(out(|dptr| Libcuda.cuMemAlloc_v2(dptr, 16)), Err(CUDA_ERROR_CONTEXT_IS_DESTROYED));
    assert_eq!(Libcuda.cuMemFree_v2(device), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_eq!(Libcuda.cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(Libcuda.cuCtxDestroy_v2(context), CUDA_ERROR_INVALID_CONTEXT);
    assert_eq!(Libcuda.cuCtxSetCurrent(context), CUDA_ERROR_INVALID_CONTEXT);
    assert_eq!(Libcuda.cuCtxSetCurrent(CUcontext(0)), CUDA_SUCCESS);
}

#[test]
fn the_primary_context_has_users() {
    child::run("the_primary_context_has_users", &[], || {
        assert_eq!(Libcuda.cuInit(0), CUDA_SUCCESS);
        let active = || {
            let mut flags = 0u32;
            out(|active| Libcuda.cuDevicePrimaryCtxGetState(CUdevice(0), out_of(&mut flags), active))
                .expect("a state")
        };
        assert_eq!(active(), 0);
        let first = out(|ctx| Libcuda.cuDevicePrimaryCtxRetain(ctx, CUdevice(0))).expect("a context");
        let again = out(|ctx| Libcuda.cuDevicePrimaryCtxRetain(ctx, CUdevice(0))).expect("a context");
        assert_eq!(first, again);
        assert_eq!(current(), CUcontext(0), "it is retained, not current");
        assert_eq!(Libcuda.cuCtxSetCurrent(first), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuCtxDestroy_v2(first), CUDA_ERROR_INVALID_CONTEXT, "it is the device's");
        let held = memory(1 << 20);
        assert_eq!(Libcuda.cuDevicePrimaryCtxRelease_v2(CUdevice(0)), CUDA_SUCCESS);
        write(held, &[1u8]);
        assert_eq!(active(), 1);
        assert_eq!(Libcuda.cuDevicePrimaryCtxRelease_v2(CUdevice(0)), CUDA_SUCCESS);
        assert_eq!(active(), 0);
        assert_eq!(Libcuda.cuDevicePrimaryCtxRelease_v2(CUdevice(0)), CUDA_ERROR_INVALID_CONTEXT);
        assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
        let next = out(|ctx| Libcuda.cuDevicePrimaryCtxRetain(ctx, CUdevice(0))).expect("a context");
        assert_eq!(Libcuda.cuCtxSetCurrent(next), CUDA_SUCCESS);
        assert_eq!(
            out(|free| Libcuda.cuMemGetInfo_v2(free, null())),
            out(|total| Libcuda.cuMemGetInfo_v2(null(), total))
        );
        assert_eq!(
            Libcuda.cuDevicePrimaryCtxSetFlags_v2(CUdevice(0), CU_CTX_SCHED_BLOCKING_SYNC.0),
            CUDA_SUCCESS
        );
        assert_eq!(out(|flags| Libcuda.cuCtxGetFlags(flags)), Ok(CU_CTX_SCHED_BLOCKING_SYNC.0));
        assert_eq!(Libcuda.cuDevicePrimaryCtxReset_v2(CUdevice(0)), CUDA_SUCCESS);
        assert_eq!(active(), 0);
    });
}

#[test]
fn flags_limits_and_settings() {
    let context = context();
    assert_eq!(out(|ctx| Libcuda.cuCtxCreate_v2(ctx, 3, CUdevice(0))), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(out(|ctx| Libcuda.cuCtxCreate_v2(ctx, 0x1000, CUdevice(0))), Err(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(out(|ctx| Libcuda.cuCtxCreate_v2(ctx, 0, CUdevice(5))), Err(CUDA_ERROR_INVALID_DEVICE));
    assert_eq!(Libcuda.cuCtxCreate_v2(null(), 0, CUdevice(0)), CUDA_ERROR_INVALID_VALUE);
    let limit = |limit| out(|value| Libcuda.cuCtxGetLimit(value, limit));
    assert_eq!(limit(CU_LIMIT_STACK_SIZE), Ok(1024));
    assert_eq!(Libcuda.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 5000), CUDA_SUCCESS);
    assert!(limit(CU_LIMIT_STACK_SIZE).is_ok_and(|n| n >= 5000));
    assert_eq!(Libcuda.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, usize::MAX), CUDA_ERROR_INVALID_VALUE);
    assert_eq!(limit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH), Err(CUDA_ERROR_UNSUPPORTED_LIMIT));
    assert_eq!(limit(CUlimit(77)), Err(CUDA_ERROR_UNSUPPORTED_LIMIT));
    assert_eq!(out(|version| Libcuda.cuCtxGetApiVersion(context, version)), Ok(3020));
    assert_eq!(out(|device| Libcuda.cuCtxGetDevice(device)), Ok(CUdevice(0)));
    assert_ne!(out(|id| Libcuda.cuCtxGetId(context, id)), Ok(0));
    assert_eq!(out(|least| Libcuda.cuCtxGetStreamPriorityRange(least, null())), Ok(0));
    assert_eq!(Libcuda.cuCtxSetCacheConfig(CUfunc_cache(9)), CUDA_ERROR_INVALID_VALUE);
}
