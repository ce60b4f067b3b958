//! Many threads on many streams with kernels, copies, events, host functions and graphs; the order is checked by
//! its results.

#![allow(non_snake_case)]

#[allow(unsafe_code, dead_code)]
mod call_unsafe;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_api::edge::Ptr;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

const CODE: &str = r"
.version 7.0
.target sm_80
.address_size 64

// if (*at == from) *at = from + 1; a command out of order leaves the wrong number behind
.visible .entry step(.param .u64 at, .param .u64 from)
{
    .reg .u64 %a, %f, %v;
    .reg .pred %p;
    ld.param.u64 %a, [at];
    ld.param.u64 %f, [from];
    cvta.to.global.u64 %a, %a;
    ld.global.u64 %v, [%a];
    setp.eq.u64 %p, %v, %f;
    add.u64 %v, %v, 1;
    @%p st.global.u64 [%a], %v;
    ret;
}
";

const THREADS: u64 = 4;
const STREAMS: usize = 4;
const STEPS: usize = 1_500;

extern "C" fn add_one(data: Ptr<c_void>) {
    user_data::<AtomicU32>(data).fetch_add(1, SeqCst);
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// One chain of steps that wanders over streams: whatever runs, the number must go up by one each time.
fn chain(ctx: CUcontext, step: CUfunction, seed: u64) {
    assert_eq!(Libcuda.cuCtxSetCurrent(ctx), CUDA_SUCCESS);
    let mut dice = Dice(0x5eed + seed * 7919);
    let streams: Vec<_> = (0..STREAMS).map(|i| stream((i % 2) as u32)).collect();
    let (events, called) = ([event(0), event(CU_EVENT_DISABLE_TIMING.0)], AtomicU32::new(0));
    let (at, spare) = (memory(64), memory(64));
    assert_eq!(Libcuda.cuMemsetD8_v2(at, 0, 64), CUDA_SUCCESS);
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
    let (mut here, mut expected, mut calls) = (0, 0u64, 0);
    for _ in 0..STEPS {
        match dice.roll(12) {
            0..=5 => {
                assert_eq!(launch(step, 1, streams[here], &[at.0, expected]), CUDA_SUCCESS);
                expected += 1;
            }
            6 => {
                // There and back again.
                assert_eq!(Libcuda.cuMemcpyDtoDAsync_v2(spare, at, 8, streams[here]), CUDA_SUCCESS);
                assert_eq!(Libcuda.cuMemcpyDtoDAsync_v2(at, spare, 8, streams[here]), CUDA_SUCCESS);
            }
            7 => {
                assert_eq!(
                    Libcuda.cuLaunchHostFunc(streams[here], Some(add_one), pointer(&called)),
                    CUDA_SUCCESS
                );
                calls += 1;
            }
            8 => {
                expected += 1;
                let value = expected as u32;
                assert_eq!(Libcuda.cuStreamWriteValue32_v2(streams[here], at, value, 0), CUDA_SUCCESS);
            }
            9 => {
                let mut now = [0u64];
                assert_eq!(
                    Libcuda.cuMemcpyDtoHAsync_v2(bytes_of(&mut now), at, 8, streams[here]),
                    CUDA_SUCCESS
                );
                assert_eq!(Libcuda.cuStreamSynchronize(streams[here]), CUDA_SUCCESS);
                assert_eq!(now[0], expected);
            }
            _ => {
                let (next, event) = (dice.roll(STREAMS as u64) as usize, events[dice.roll(2) as usize]);
                assert_eq!(Libcuda.cuEventRecord(event, streams[here]), CUDA_SUCCESS);
                assert_eq!(Libcuda.cuStreamWaitEvent(streams[next], event, 0), CUDA_SUCCESS);
                here = next;
            }
        }
    }
    assert_eq!(Libcuda.cuStreamSynchronize(streams[here]), CUDA_SUCCESS);
    assert_eq!(called.load(SeqCst), calls);
    let mut now = [0u64];
    assert_eq!(Libcuda.cuMemcpyDtoHAsync_v2(bytes_of(&mut now), at, 8, streams[here]), CUDA_SUCCESS);
    assert_eq!(now[0], expected);
    for stream in streams {
        assert_eq!(Libcuda.cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    }
}

#[test]
fn chains_keep_their_order_over_streams_and_threads() {
    let ctx = context();
    let step = kernel(CODE, "step");
    std::thread::scope(|scope| {
        for seed in 0..THREADS {
            scope.spawn(move || chain(ctx, step, seed));
        }
    });
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
}

#[test]
fn captured_chains_keep_their_order_in_every_launch() {
    let ctx = context();
    let step = kernel(CODE, "step");
    std::thread::scope(|scope| {
        for seed in 0..THREADS {
            scope.spawn(move || {
                assert_eq!(Libcuda.cuCtxSetCurrent(ctx), CUDA_SUCCESS);
                let mut dice = Dice(0xfeed + seed * 104_729);
                let streams: Vec<_> = (0..STREAMS).map(|_| stream(CU_STREAM_NON_BLOCKING.0)).collect();
                let (event, at) = (event(0), memory(64));
                let begun = Libcuda.cuStreamBeginCapture_v2(streams[0], CU_STREAM_CAPTURE_MODE_RELAXED);
                assert_eq!(begun, CUDA_SUCCESS);
                assert_eq!(Libcuda.cuMemsetD8Async(at, 0, 64, streams[0]), CUDA_SUCCESS);
                let (mut here, mut expected) = (0, 0u64);
                for _ in 0..200 {
                    assert_eq!(launch(step, 1, streams[here], &[at.0, expected]), CUDA_SUCCESS);
                    expected += 1;
                    let next = dice.roll(STREAMS as u64) as usize;
                    assert_eq!(Libcuda.cuEventRecord(event, streams[here]), CUDA_SUCCESS);
                    assert_eq!(Libcuda.cuStreamWaitEvent(streams[next], event, 0), CUDA_SUCCESS);
                    here = next;
                }
                assert_eq!(Libcuda.cuEventRecord(event, streams[here]), CUDA_SUCCESS);
                assert_eq!(Libcuda.cuStreamWaitEvent(streams[0], event, 0), CUDA_SUCCESS);
                let graph = out(|g| Libcuda.cuStreamEndCapture(streams[0], g)).expect("joined");
                let exec = out(|e| Libcuda.cuGraphInstantiateWithFlags(e, graph, 0)).expect("executable");
                for round in 0..20 {
                    assert_eq!(Libcuda.cuGraphLaunch(exec, streams[round % STREAMS]), CUDA_SUCCESS);
                }
                assert_eq!(Libcuda.cuStreamSynchronize(streams[19 % STREAMS]), CUDA_SUCCESS);
                assert_eq!(read_back::<u64>(at, 1), [expected]);
            });
        }
    });
}
