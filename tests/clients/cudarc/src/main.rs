//! cudarc on the software GPU: allocation, streams, events, launches, compared with the same loops on the host.

mod launch_unsafe;

use cudarc::driver::{CudaContext, sys::CUevent_flags};
use cudarc::nvrtc::Ptx;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let context = CudaContext::new(0)?;
    assert!(!context.name()?.is_empty());
    let module = context.load_module(Ptx::from_src(include_str!("kernels.ptx")))?;
    let (saxpy, reverse) = (module.load_function("saxpy")?, module.load_function("reverse")?);

    for stream in [context.default_stream(), context.new_stream()?] {
        let x: Vec<f32> = (0..100_001).map(|i| (i % 977) as f32 * 0.5).collect();
        let y: Vec<f32> = (0..100_001).map(|i| (i % 331) as f32 - 100.0).collect();
        let (device_x, device_y) = (stream.clone_htod(&x)?, stream.clone_htod(&y)?);
        let mut out = stream.alloc_zeros::<f32>(x.len())?;
        let before = stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
        launch_unsafe::saxpy(&stream, &saxpy, &mut out, 3.0, &device_x, &device_y)?;
        let after = stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
        let host = stream.clone_dtoh(&out)?;
        stream.synchronize()?;
        assert!(host.iter().zip(x.iter().zip(&y)).all(|(got, (x, y))| *got == 3.0f32.mul_add(*x, *y)));
        assert!(before.elapsed_ms(&after)? >= 0.0);

        let numbers: Vec<u32> = (0..4096).map(|i| i * 7).collect();
        let mut data = stream.clone_htod(&numbers)?;
        launch_unsafe::reverse(&stream, &reverse, &mut data, 128)?;
        let want: Vec<u32> = numbers.chunks(128).flat_map(|run| run.iter().rev().copied()).collect();
        assert_eq!(stream.clone_dtoh(&data)?, want);
    }

    let from_threads: Vec<_> = (0..4)
        .map(|seed: u32| {
            let (context, reverse) = (context.clone(), reverse.clone());
            std::thread::spawn(move || {
                context.bind_to_thread().and_then(|()| {
                    let stream = context.new_stream()?;
                    let numbers: Vec<u32> = (0..8192).map(|i| i ^ seed).collect();
                    let mut data = stream.clone_htod(&numbers)?;
                    for _ in 0..20 {
                        launch_unsafe::reverse(&stream, &reverse, &mut data, 256)?;
                    }
                    Ok(stream.clone_dtoh(&data)? == numbers)
                })
            })
        })
        .collect();
    for thread in from_threads {
        assert!(thread.join().expect("a thread of the client panicked")?, "twenty reversals are none");
    }
    println!("3 groups of checks");
    Ok(())
}
