//! Volcano vGPU. Values are per slice.

use cleave_model::{Ask, Isolation, Memory, MilliPercent, Selectors};

use crate::dialect::{
    Choice, Dialect, Duty, Key, Reading, Reads, asks, compute_or_rest, list, note, positive, shown, slices,
};
use crate::pod::Container;
use crate::refusal::Refusal;

const COUNT: &str = "volcano.sh/vgpu-number";
const MEMORY: &str = "volcano.sh/vgpu-memory";
const PERCENT: &str = "volcano.sh/vgpu-memory-percentage";
const CORES: &str = "volcano.sh/vgpu-cores";
const OLD_COUNT: &str = "volcano.sh/gpu-number";
const OLD_MEMORY: &str = "volcano.sh/gpu-memory";
const MODE: &str = "volcano.sh/vgpu-mode";

pub static VOLCANO: Dialect = Dialect {
    name: "volcano",
    title: "Volcano vGPU",
    keys: KEYS,
    options: &[Choice {
        name: "memory-factor",
        default: "1",
        meaning: "MiB per unit of memory, above 0",
        accepts: positive,
    }],
    schedulers: &["volcano"],
    claims: None,
    verdicts: &[
        "Limits make a pod a vGPU pod: the number or the memory must be there; memory alone is one slice.",
        "Memory 0 and percentage 0 count as unset, which is the whole memory; memory wins over a percentage.",
        "Cores or a percentage above 100 never fit and are refused; cores 100 is the device alone; cores 0 is no limit.",
        "The older gpu-number is whole devices, the older gpu-memory one slice of MiB; they do not mix with the newer keys.",
    ],
    reads: Reads::LimitsThenRequests,
    read: |r| r.each(read_container),
};

const KEYS: &[Key] = &[
    asks(COUNT, "slices, each on a different GPU"),
    asks(MEMORY, "MiB per slice, times memory-factor"),
    asks(PERCENT, "percent of the GPU's memory per slice"),
    asks(CORES, "percent of the GPU's compute per slice"),
    asks(OLD_COUNT, "older: whole GPUs"),
    asks(OLD_MEMORY, "older: MiB on one GPU"),
    note(MODE, Duty::Shapes, "hami-core (soft), mig (hard)"),
    note("volcano.sh/vgpu-use-gpuuuid", Duty::Shapes, "accepted devices"),
    note("volcano.sh/vgpu-nouse-gpuuuid", Duty::Shapes, "devices not accepted"),
    note("nvidia.com/use-gputype", Duty::Shapes, "accepted models"),
    note("nvidia.com/nouse-gputype", Duty::Shapes, "models not accepted"),
    note(
        "volcano.sh/vgpu-podgroup-policy",
        Duty::Lost,
        "has no equal: pods of a group are spread by the node policy",
    ),
    note("volcano.sh/vgpu-ids-new", Duty::State, "written by the scheduler"),
    note("volcano.sh/devices-to-allocate", Duty::State, "written by the scheduler"),
    note("volcano.sh/vgpu-node", Duty::State, "written by the scheduler"),
    note("volcano.sh/vgpu-time", Duty::State, "written by the scheduler"),
    note("volcano.sh/bind-time", Duty::State, "written by the scheduler"),
    note("volcano.sh/bind-phase", Duty::State, "written by the scheduler"),
];

fn read_container(r: &mut Reading<'_>, c: &Container<'_>) -> Result<Option<Ask>, Refusal> {
    let older = r.has(c, OLD_COUNT) || r.has(c, OLD_MEMORY);
    if older && [COUNT, MEMORY, PERCENT, CORES].iter().any(|key| r.has(c, key)) {
        return Err(r.refuse(
            c,
            if r.has(c, OLD_COUNT) { OLD_COUNT } else { OLD_MEMORY },
            "does not mix with the newer keys",
        ));
    }
    let mut ask = match if older { read_older(r, c)? } else { read_newer(r, c)? } {
        Some(ask) => ask,
        None => return Ok(None),
    };
    ask.selectors = Selectors {
        models: r.annotation("nvidia.com/use-gputype").map(list).unwrap_or_default(),
        not_models: r.annotation("nvidia.com/nouse-gputype").map(list).unwrap_or_default(),
        uuids: r.annotation("volcano.sh/vgpu-use-gpuuuid").map(list).unwrap_or_default(),
        not_uuids: r.annotation("volcano.sh/vgpu-nouse-gpuuuid").map(list).unwrap_or_default(),
        ..Selectors::default()
    };
    match r.annotation(MODE) {
        Some("mig") => ask.isolation = Isolation::Hard,
        Some("hami-core") | None => {}
        Some(other) => return Err(r.refuse_pod(MODE, format!("is {}, which no node has", shown(other)))),
    }
    Ok(Some(ask))
}

fn read_newer(r: &mut Reading<'_>, c: &Container<'_>) -> Result<Option<Ask>, Refusal> {
    let (memory, percent, cores) = (r.units(c, MEMORY)?, r.units(c, PERCENT)?, r.units(c, CORES)?);
    let percent = percent.map(|p| r.percent(c, PERCENT, p)).transpose()?;
    let cores = cores.map(|p| r.percent(c, CORES, p)).transpose()?;
    let count = match (r.count(c, COUNT)?, memory) {
        (Some(0), _) => return Ok(None),
        (Some(count), _) => count,
        (None, Some(_)) => 1,
        (None, None) if percent.is_some() || cores.is_some() => {
            let key = if percent.is_some() { PERCENT } else { CORES };
            return Err(r.refuse(c, key, format!("needs {COUNT}: Volcano does not see it alone")));
        }
        (None, None) => return Ok(None),
    };
    let size = match (memory.unwrap_or(0), percent.filter(|p| *p != MilliPercent::NONE)) {
        (0, Some(share)) => Memory::Share(share),
        (0, None) => Memory::WHOLE,
        (units, ignored) => {
            if ignored.is_some() {
                r.lose(c, PERCENT, format!("is ignored beside {MEMORY}, as Volcano does"));
            }
            Memory::Mib(r.mib(c, MEMORY, units, r.number("memory-factor"))?)
        }
    };
    let mut ask = slices(count, size, compute_or_rest(cores.unwrap_or(MilliPercent::NONE)));
    if cores == Some(MilliPercent::WHOLE) {
        ask.isolation = Isolation::Exclusive;
    }
    Ok(Some(ask))
}

fn read_older(r: &mut Reading<'_>, c: &Container<'_>) -> Result<Option<Ask>, Refusal> {
    match (r.count(c, OLD_COUNT)?, r.units(c, OLD_MEMORY)?) {
        (Some(_), Some(_)) => Err(r.refuse(c, OLD_MEMORY, format!("does not mix with {OLD_COUNT}"))),
        (Some(0), None) | (None, Some(0)) | (None, None) => Ok(None),
        (Some(count), None) => Ok(Some(Ask::whole(count))),
        (None, Some(units)) => {
            let mib = r.mib(c, OLD_MEMORY, units, r.number("memory-factor"))?;
            Ok(Some(slices(1, Memory::Mib(mib), crate::dialect::REST)))
        }
    }
}
