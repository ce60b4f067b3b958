//! A kernel whose modelled time is known by its argument, and how it is measured.

use crate::call_unsafe::*;
use crate::peer::Folder;
use cleave_api::cuda::types::*;

pub const CODE: &str = r"
.version 6.3
.target sm_70
.address_size 64

// Works `rounds` times, or for ever if that is 0.
.visible .entry burn(.param .u64 rounds)
{
    .reg .u64 %n;
    .reg .pred %p, %q;
    ld.param.u64 %n, [rounds];
    setp.eq.u64 %q, %n, 0;
again:
    @%q bra again;
    sub.u64 %n, %n, 1;
    setp.ne.u64 %p, %n, 0;
    @%p bra again;
    ret;
}
";

/// A folder for a paced device.
pub fn paced() -> Folder {
    let folder = Folder::new();
    std::fs::write(folder.path().join("config.toml"), "preset = \"paced\"\n").expect("a file");
    folder
}

pub fn burn() -> CUfunction {
    kernel(CODE, "burn")
}

/// Nanoseconds from one event to another. The driver answers in milliseconds, as a number of 24 bits.
pub fn between(start: CUevent, end: CUevent) -> f64 {
    f64::from(out(|ms| Libcuda.cuEventElapsedTime(ms, start, end)).expect("both are done")) * 1e6
}

pub fn record(event: CUevent, stream: CUstream) {
    assert_eq!(Libcuda.cuEventRecord(event, stream), CUDA_SUCCESS);
}

pub fn synchronize() {
    assert_eq!(Libcuda.cuCtxSynchronize(), CUDA_SUCCESS);
}

/// The time from a first event to the event of each stream, when all that `queue` queues is there before the device gets to it. The streams wait
/// for the first event.
pub fn time<const N: usize>(burn: CUfunction, streams: [CUstream; N], queue: impl Fn()) -> [f64; N] {
    for rounds in (7..).map(|power| 1 << power) {
        let (start, ends) = (event(0), [(); N].map(|()| event(0)));
        assert_eq!(launch(burn, 32, streams[0], &[rounds]), CUDA_SUCCESS);
        record(start, streams[0]);
        for &other in &streams[1..] {
            assert_eq!(Libcuda.cuStreamWaitEvent(other, start, 0), CUDA_SUCCESS);
        }
        queue();
        ends.iter().zip(streams).for_each(|(&end, stream)| record(end, stream));
        let in_time = Libcuda.cuEventQuery(start) == CUDA_ERROR_NOT_READY;
        synchronize();
        // Else the device had to wait for the host: again, with more to do before.
        if in_time {
            return ends.map(|end| between(start, end));
        }
    }
    unreachable!("the host is always slower")
}

/// What one launch of `burn` takes by events.
pub fn measure(burn: CUfunction, blocks: u32, rounds: u64) -> f64 {
    let [took] = time(burn, [CUstream(0)], || {
        assert_eq!(launch_grid(burn, blocks, 32, CUstream(0), &[rounds]), CUDA_SUCCESS);
    });
    took
}
