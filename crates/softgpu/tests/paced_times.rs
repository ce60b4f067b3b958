//! Paced mode: events tell the model's times exactly, whatever the machine does meanwhile, and nothing is done before its time.

#[allow(dead_code)]
mod burn;
#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(dead_code)]
mod peer;

use burn::*;
use call_unsafe::*;
use cleave_api::cuda::types::*;
use peer::Peer;
use std::time::Instant;

/// Runs `part` in a process of its own on a paced device.
fn on_a_paced_device(name: &str, part: fn()) {
    if peer::acts(&[("part", part)]) {
        return;
    }
    let folder = paced();
    assert!(Peer::start(name, "part", &folder, &[]).ends_well());
}

fn near(a: f64, b: f64) -> bool {
    // What 24 bits of milliseconds leave of 50 ms.
    (a - b).abs() <= 4.0
}

#[test]
fn events_tell_the_models_time() {
    on_a_paced_device("events_tell_the_models_time", || {
        context();
        let burn = burn();
        let (one, two) = (measure(burn, 1, 1).round(), measure(burn, 1, 2).round());
        let (round, base) = (two - one, 2.0 * one - two);
        assert!(base > 0.0 && round > 0.0, "{base} and {round} for each round");
        for length in [20e3, 100e3, 1e6, 7e6, 50e6] {
            let rounds = ((length - base) / round).max(1.0).ceil();
            let expected = base + rounds * round;
            for _ in 0..3 {
                let measured = measure(burn, 1, rounds as u64);
                assert!(near(measured, expected), "{measured} instead of {expected}");
            }
        }
    });
}

#[test]
fn a_grid_takes_the_time_of_its_rounds_of_blocks() {
    on_a_paced_device("a_grid_takes_the_time_of_its_rounds_of_blocks", || {
        context();
        let burn = burn();
        let count =
            out(|n| Libcuda.cuDeviceGetAttribute(n, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, CUdevice(0)));
        let fit = out(|n| Libcuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(n, burn, 32, 0));
        let fit = (count.expect("a number") * fit.expect("a number")) as u32;
        let alone = measure(burn, 1, 20);
        assert!(near(measure(burn, fit, 20), alone), "blocks that fit run side by side");
        let twice = measure(burn, fit + 1, 20);
        assert!(twice > 1.5 * alone && twice <= 2.0 * alone, "{twice} for one block more, {alone} for one");
    });
}

#[test]
fn a_train_takes_the_sum_and_the_host_waits_for_it() {
    on_a_paced_device("a_train_takes_the_sum_and_the_host_waits_for_it", || {
        context();
        let burn = burn();
        let one = measure(burn, 1, 10);
        let count = (200e6 / one) as u32;
        let began = Instant::now();
        let [modelled] = time(burn, [CUstream(0)], || {
            for _ in 0..count {
                assert_eq!(launch(burn, 32, CUstream(0), &[10]), CUDA_SUCCESS);
            }
        });
        let (expected, wall) = (one * f64::from(count), began.elapsed().as_nanos() as f64);
        assert!((modelled - expected).abs() <= f64::from(count) + 20.0, "{modelled} instead of {expected}");
        assert!(wall >= modelled, "{wall} ns for what takes {modelled}");
    });
}

#[test]
fn streams_overlap_where_blocks_fit() {
    on_a_paced_device("streams_overlap_where_blocks_fit", || {
        context();
        let burn = burn();
        let (a, b) = (stream(CU_STREAM_NON_BLOCKING.0), stream(CU_STREAM_NON_BLOCKING.0));
        let alone = measure(burn, 1, 200);
        let both = time(burn, [a, b], || {
            assert_eq!(launch(burn, 32, a, &[200]), CUDA_SUCCESS);
            assert_eq!(launch(burn, 32, b, &[200]), CUDA_SUCCESS);
        });
        assert!(both.iter().all(|&took| near(took, alone)), "{both:?} for two, {alone} for one");
    });
}

#[test]
fn copies_overlap_kernels_and_each_other() {
    on_a_paced_device("copies_overlap_kernels_and_each_other", || {
        context();
        let burn = burn();
        const BYTES: usize = 4 << 20;
        let host = |_| out(|p| Libcuda.cuMemHostAlloc(p, BYTES, 0)).expect("pinned memory");
        let (from, to): (CUdeviceptr, CUdeviceptr) = (memory(BYTES), memory(BYTES));
        let (source, target) = (host(0), host(1));
        let [kernels, up, down] = [(); 3].map(|()| stream(CU_STREAM_NON_BLOCKING.0));
        let copy_up = || {
            let p = CUdeviceptr(source.addr() as u64);
            assert_eq!(Libcuda.cuMemcpyAsync(to, p, BYTES, up), CUDA_SUCCESS);
        };
        let copy_down = || {
            let p = CUdeviceptr(target.addr() as u64);
            assert_eq!(Libcuda.cuMemcpyAsync(p, from, BYTES, down), CUDA_SUCCESS);
        };
        let [alone] = time(burn, [up], copy_up);
        assert!(near(alone, BYTES as f64 * 1000.0 / 500.0), "{alone} ns at 500 bytes per microsecond");
        let rounds = (alone / (measure(burn, 1, 11) - measure(burn, 1, 10))) as u64;
        let kernel = measure(burn, 1, rounds);
        let together = time(burn, [kernels, up, down], || {
            assert_eq!(launch(burn, 32, kernels, &[rounds]), CUDA_SUCCESS);
            copy_up();
            copy_down();
        });
        let expected = [kernel, alone, alone];
        assert!(together.iter().zip(expected).all(|(&a, b)| near(a, b)), "{together:?}, alone {expected:?}");
    });
}

#[test]
fn functions_of_the_host_are_called_when_it_is_time() {
    use cleave_api::edge::Ptr;
    use std::ffi::c_void;
    use std::sync::OnceLock;
    extern "C" fn note(data: Ptr<c_void>) {
        let _ = user_data::<OnceLock<Instant>>(data).set(Instant::now());
    }
    on_a_paced_device("functions_of_the_host_are_called_when_it_is_time", || {
        context();
        let burn = burn();
        let round = measure(burn, 1, 11) - measure(burn, 1, 10);
        let called = Box::leak(Box::new(OnceLock::<Instant>::new()));
        let began = Instant::now();
        assert_eq!(launch_grid(burn, 1, 32, CUstream(0), &[(20e6 / round) as u64]), CUDA_SUCCESS);
        assert_eq!(Libcuda.cuLaunchHostFunc(CUstream(0), Some(note), pointer(called)), CUDA_SUCCESS);
        synchronize();
        let after = called.get().expect("called").duration_since(began);
        assert!(after.as_millis() >= 20, "{after:?}");
    });
}
