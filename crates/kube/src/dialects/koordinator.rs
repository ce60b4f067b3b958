//! koordinator. Values are the total of a container, divided over its devices.

use cleave_model::{Ask, Bounds, Compute, Memory};

use crate::dialect::{Dialect, Duty, Key, REST, Reading, Reads, asks, label, node, note, slices};
use crate::pod::Container;
use crate::refusal::Refusal;

const WHOLE: &str = "nvidia.com/gpu";
const BOTH: &str = "koordinator.sh/gpu";
const SHARED: &str = "koordinator.sh/gpu.shared";
const CORE: &str = "koordinator.sh/gpu-core";
const MEMORY: &str = "koordinator.sh/gpu-memory";
const RATIO: &str = "koordinator.sh/gpu-memory-ratio";

pub static KOORDINATOR: Dialect = Dialect {
    name: "koordinator",
    title: "koordinator",
    keys: KEYS,
    options: &[],
    schedulers: &["koord-scheduler"],
    claims: None,
    verdicts: &[
        "Accepted together: gpu; memory or ratio, with or without core; the same with gpu.shared; nvidia.com/gpu alone. All else is refused.",
        "Without gpu.shared, percentages up to 100 are one device and multiples of 100 are that many.",
        "With gpu.shared everything divides exactly over that many devices, each at most 100 percent.",
    ],
    reads: Reads::LimitsThenRequests,
    read: |r| r.each(read_container),
};

const KEYS: &[Key] = &[
    asks(WHOLE, "whole GPUs"),
    asks(BOTH, "percent of compute and memory in all"),
    asks(SHARED, "devices the totals are divided over"),
    asks(CORE, "percent of compute in all"),
    asks(MEMORY, "bytes in all"),
    asks(RATIO, "percent of memory in all"),
    label(
        "koordinator.sh/gpu-isolation-provider",
        Duty::Shapes,
        "HAMi-core: soft isolation, which Cleave has always on",
    ),
    note(
        "scheduling.koordinator.sh/device-allocate-hint",
        Duty::Lost,
        "has no equal: say models or uuids instead",
    ),
    note(
        "scheduling.koordinator.sh/device-joint-allocate",
        Duty::Lost,
        "has no equal: devices are not placed with RDMA",
    ),
    note(
        "scheduling.koordinator.sh/gpu-partition-spec",
        Duty::Lost,
        "has no equal: say topology linked instead",
    ),
    note("scheduling.koordinator.sh/device-allocated", Duty::State, "written by the scheduler"),
    note("scheduling.koordinator.sh/bind-timestamp", Duty::State, "written by the scheduler"),
    note("scheduling.koordinator.sh/gpu-minors", Duty::State, "written by the scheduler"),
    node("node.koordinator.sh/gpu-partition-policy"),
];

fn read_container(r: &mut Reading<'_>, c: &Container<'_>) -> Result<Option<Ask>, Refusal> {
    let named: Vec<&str> =
        [WHOLE, BOTH, SHARED, CORE, MEMORY, RATIO].into_iter().filter(|key| r.has(c, key)).collect();
    let (core, ratio) = (r.units(c, CORE)?, r.units(c, RATIO)?);
    match named.as_slice() {
        [] => Ok(None),
        [WHOLE] => Ok(r.count(c, WHOLE)?.filter(|n| *n > 0).map(Ask::whole)),
        [BOTH] => {
            let Some(total) = r.units(c, BOTH)?.filter(|n| *n > 0) else { return Ok(None) };
            let count = devices(r, c, BOTH, total)?;
            let share = r.percent(c, BOTH, total / u64::from(count))?;
            if total % 100 == 0 {
                return Ok(Some(Ask::whole(count)));
            }
            Ok(Some(slices(count, Memory::Share(share), Bounds::exactly(Compute::Share(share)))))
        }
        [MEMORY] | [RATIO] | [CORE, MEMORY] | [CORE, RATIO] => {
            let count = match (ratio, core) {
                (Some(ratio), _) => devices(r, c, RATIO, ratio)?,
                (None, Some(core)) => devices(r, c, CORE, core)?,
                (None, None) => 1,
            };
            share_out(r, c, count, core, ratio)
        }
        [SHARED, MEMORY] | [SHARED, RATIO] | [SHARED, CORE, MEMORY] | [SHARED, CORE, RATIO] => {
            match r.count(c, SHARED)?.filter(|n| *n > 0) {
                Some(count) => share_out(r, c, count, core, ratio),
                None => Err(r.refuse(c, SHARED, "must be above 0")),
            }
        }
        _ => Err(r.refuse(
            c,
            named[0],
            format!("does not go together with what else is there: {}", named.join(", ")),
        )),
    }
}

/// How many devices a percentage means: one up to 100, then one for each 100.
fn devices(r: &Reading<'_>, c: &Container<'_>, key: &str, percent: u64) -> Result<u32, Refusal> {
    if percent <= 100 {
        return Ok(1);
    }
    let count = u32::try_from(percent / 100).ok().filter(|n| percent.is_multiple_of(100) && *n <= 1024);
    count.ok_or_else(|| r.refuse(c, key, format!("of {percent} is above 100 and not a multiple of 100")))
}

fn share_out(
    r: &mut Reading<'_>,
    c: &Container<'_>,
    count: u32,
    core: Option<u64>,
    ratio: Option<u64>,
) -> Result<Option<Ask>, Refusal> {
    let memory = match ratio {
        Some(0) => return Err(r.refuse(c, RATIO, "must be above 0")),
        Some(ratio) => Memory::Share(r.percent(c, RATIO, r.divide(c, RATIO, ratio, count)?)?),
        None => {
            let bytes = r.units(c, MEMORY)?.filter(|b| *b > 0);
            let bytes = bytes.ok_or_else(|| r.refuse(c, MEMORY, "must be above 0"))?;
            let each = r.divide(c, MEMORY, bytes, count)?;
            if each % (1 << 20) != 0 {
                r.lose(c, MEMORY, format!("is rounded down to {} MiB on each device", each >> 20));
            }
            match each >> 20 {
                0 => return Err(r.refuse(c, MEMORY, "is less than 1 MiB on each device")),
                mib => Memory::Mib(r.mib(c, MEMORY, mib, 1)?),
            }
        }
    };
    let compute = match core.filter(|p| *p > 0) {
        None => REST,
        Some(core) => Bounds::exactly(Compute::Share(r.percent(c, CORE, r.divide(c, CORE, core, count)?)?)),
    };
    if memory == Memory::WHOLE && compute == Bounds::exactly(Compute::WHOLE) {
        return Ok(Some(Ask::whole(count)));
    }
    Ok(Some(slices(count, memory, compute)))
}
