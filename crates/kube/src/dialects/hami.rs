//! HAMi: vGPUs of an NVIDIA device. Values are per slice.

use cleave_model::{Ask, Bounds, Compute, Isolation, Memory, Packing, Selectors};

use super::hami_vendors;
use crate::dialect::{
    Choice, Dialect, Duty, Key, Reading, Reads, asks, compute_or_rest, env, label, list, note, number,
    positive, shown, slices,
};
use crate::pod::Container;
use crate::refusal::Refusal;

const COUNT: &str = "nvidia.com/gpu";
const MEMORY: &str = "nvidia.com/gpumem";
const PERCENT: &str = "nvidia.com/gpumem-percentage";
const CORES: &str = "nvidia.com/gpucores";
const PRIORITY: &str = "nvidia.com/priority";
const DEVICE_POLICY: &str = "hami.io/gpu-scheduler-policy";
const NODE_POLICY: &str = "hami.io/node-scheduler-policy";
const MODE: &str = "nvidia.com/vgpu-mode";
const NUMA: &str = "nvidia.com/numa-bind";
const IGNORE: &str = "hami.io/webhook";
const CORE_POLICY: &str = "GPU_CORE_UTILIZATION_POLICY";
const NO_CONTROL: &str = "CUDA_DISABLE_CONTROL";

pub static HAMI: Dialect = Dialect {
    name: "hami",
    title: "HAMi",
    keys: KEYS,
    options: &[
        Choice {
            name: "default-count",
            default: "1",
            meaning: "defaultGPUNum, a whole number",
            accepts: number,
        },
        Choice {
            name: "default-memory",
            default: "0",
            meaning: "defaultMemory in MiB; 0 is the whole device",
            accepts: number,
        },
        Choice {
            name: "default-cores",
            default: "0",
            meaning: "defaultCores in percent",
            accepts: |v| v.parse::<u8>().is_ok_and(|p| p <= 100),
        },
        Choice {
            name: "memory-factor",
            default: "1",
            meaning: "memoryFactor, a whole number above 0",
            accepts: positive,
        },
    ],
    schedulers: &["hami-scheduler"],
    claims: None,
    verdicts: &[
        "Limits are read before requests; a count is added where only memory or cores are limited.",
        "Memory 0 and percentage 0 count as unset; memory wins over a percentage.",
        "Memory omitted or percentage 100, and no cores: cores become 100, which is the device alone.",
        "A percentage above 100, and memory beyond 2^31 - 1 MiB, are refused; cores above 100 are taken as 100.",
        "Cores 0 is no compute limit.",
    ],
    reads: Reads::LimitsThenRequests,
    read,
};

const KEYS: &[Key] = &[
    asks(COUNT, "vGPUs, each on a different GPU"),
    asks(MEMORY, "MiB per vGPU, times memory-factor"),
    asks(PERCENT, "percent of the GPU's memory per vGPU"),
    asks(CORES, "percent of the GPU's compute per vGPU"),
    asks(PRIORITY, "0 high, 1 low"),
    asks("cambricon.com/vmlu", "Cambricon slices"),
    asks("cambricon.com/mlu.smlu.vmemory", "256 MiB each"),
    asks("cambricon.com/mlu.smlu.vcore", "percent"),
    asks("hygon.com/dcunum", "Hygon slices"),
    asks("hygon.com/dcumem", "MiB"),
    asks("hygon.com/dcucores", "percent"),
    asks("metax-tech.com/sgpu", "MetaX slices"),
    asks("metax-tech.com/vmemory", "GiB"),
    asks("metax-tech.com/vcore", "percent"),
    asks("enflame.com/drs-gcu", "Enflame slices of the vendor's own size"),
    asks("enflame.com/gcu-memory", "MiB"),
    asks("enflame.com/gcu-core", "percent"),
    asks("kunlunxin.com/xpu", "Kunlunxin devices"),
    asks("kunlunxin.com/vxpu", "Kunlunxin slices"),
    asks("kunlunxin.com/vxpu-memory", "MiB"),
    asks("vastaitech.com/va", "Vastai devices"),
    asks("birentech.com/gpu", "Biren devices"),
    note("nvidia.com/use-gputype", Duty::Shapes, "accepted models, comma list of parts of their names"),
    note("nvidia.com/nouse-gputype", Duty::Shapes, "models not accepted"),
    note("nvidia.com/use-gpuuuid", Duty::Shapes, "accepted devices"),
    note("nvidia.com/nouse-gpuuuid", Duty::Shapes, "devices not accepted"),
    note(NUMA, Duty::Shapes, "true: all slices on one NUMA node"),
    note(MODE, Duty::Shapes, "hami-core (soft), mig (hard), mps (taken as soft)"),
    note(NODE_POLICY, Duty::Shapes, "binpack, spread"),
    note(DEVICE_POLICY, Duty::Shapes, "binpack, spread, topology-aware, mutex, numa; combinable"),
    note(
        "hami.io/device-scoring-weights",
        Duty::Lost,
        "has no equal: devices are scored by the policy alone",
    ),
    note("hami.io/vgpu-node", Duty::State, "written by the scheduler"),
    note("hami.io/vgpu-time", Duty::State, "written by the scheduler"),
    note("hami.io/vgpu-devices-to-allocate", Duty::State, "written by the scheduler"),
    note("hami.io/vgpu-devices-allocated", Duty::State, "written by the scheduler"),
    note("hami.io/bind-time", Duty::State, "written by the scheduler"),
    note("hami.io/bind-phase", Duty::State, "written by the scheduler"),
    label("hami.io/vgpu-node", Duty::State, "written by the scheduler"),
    label(IGNORE, Duty::Shapes, "ignore: HAMi leaves the pod alone, so it is refused here"),
    env(CORE_POLICY, Duty::Shapes, "disable: no compute limit; force and default: the limit as written"),
    env(NO_CONTROL, Duty::Lost, "has no effect: limits stay on"),
];

fn read(reading: &mut Reading<'_>) -> Result<(), Refusal> {
    if reading.label(IGNORE) == Some("ignore") {
        return Err(reading.refuse_pod(IGNORE, "is ignore: HAMi would leave this pod alone"));
    }
    reading.each(|r, c| {
        let nvidia = read_container(r, c)?;
        match (nvidia, hami_vendors::read(r, c)?) {
            (Some(_), Some((key, _))) => {
                Err(r.refuse(c, key, "asks for a second kind of device in one container"))
            }
            (nvidia, vendor) => Ok(nvidia.or(vendor.map(|(_, ask)| ask))),
        }
    })
}

fn read_container(reading: &mut Reading<'_>, container: &Container<'_>) -> Result<Option<Ask>, Refusal> {
    let r = reading;
    let (memory, percent, cores) =
        (r.units(container, MEMORY)?, r.units(container, PERCENT)?, r.units(container, CORES)?);
    let percent = percent.map(|p| r.percent(container, PERCENT, p)).transpose()?;
    let priority = r.units(container, PRIORITY)?;
    let sized = memory.is_some() || percent.is_some() || cores.is_some();
    let count = match r.count(container, COUNT)? {
        Some(count) => count,
        None if [MEMORY, PERCENT, CORES].iter().any(|key| r.limits(container, key)) => {
            u32::try_from(r.number("default-count")).unwrap_or(1)
        }
        None if sized => {
            return Err(r.refuse(container, COUNT, "is missing, and HAMi adds it only to what is in limits"));
        }
        None if priority.is_some() => {
            return Err(r.refuse(container, PRIORITY, "stands alone: nothing is asked for"));
        }
        None => return Ok(None),
    };
    if count == 0 {
        return Ok(None);
    }
    // The webhook looks at what is written, the scheduler at what is not zero.
    let alone =
        cores.is_none() && percent.map_or(memory.is_none(), |p| p == cleave_model::MilliPercent::WHOLE);
    let largest = i32::MAX as u64 / r.number("memory-factor").max(1);
    if memory.is_some_and(|m| m > largest) {
        return Err(r.refuse(container, MEMORY, "is more than HAMi can count"));
    }
    let default_memory = r.number("default-memory");
    let size = match (memory.unwrap_or(0), percent.filter(|p| p.thousandths() > 0)) {
        (0, Some(share)) => Memory::Share(share),
        (0, None) if default_memory > 0 => Memory::Mib(default_memory),
        (0, None) => Memory::WHOLE,
        (mib, ignored) => {
            if ignored.is_some() {
                r.lose(container, PERCENT, format!("is ignored beside {MEMORY}, as HAMi does"));
            }
            Memory::Mib(r.mib(container, MEMORY, mib, r.number("memory-factor"))?)
        }
    };
    let cores = if alone { 100 } else { cores.unwrap_or_else(|| r.number("default-cores")) };
    if cores > 100 {
        r.lose(container, CORES, format!("of {cores} is taken as 100, as HAMi does"));
    }
    let share = r.percent(container, CORES, cores.min(100))?;
    let mut ask = slices(count, size, compute_or_rest(share));
    ask.selectors = Selectors {
        models: r.annotation("nvidia.com/use-gputype").map(list).unwrap_or_default(),
        not_models: r.annotation("nvidia.com/nouse-gputype").map(list).unwrap_or_default(),
        uuids: r.annotation("nvidia.com/use-gpuuuid").map(list).unwrap_or_default(),
        not_uuids: r.annotation("nvidia.com/nouse-gpuuuid").map(list).unwrap_or_default(),
        ..Selectors::default()
    };
    shape(r, container, &mut ask);
    // Cores 100 is how HAMi says that nobody else may be on the device.
    if share == cleave_model::MilliPercent::WHOLE {
        ask.isolation = Isolation::Exclusive;
    }
    ask.priority = i32::from(priority == Some(0));
    match container.env(CORE_POLICY) {
        Some("disable") => ask.compute = Bounds { ceiling: Compute::WHOLE, ..ask.compute },
        Some("force" | "default") | None => {}
        Some(other) => {
            r.lose(container, CORE_POLICY, format!("is {}, which HAMi does not know", shown(other)))
        }
    }
    if container.env(NO_CONTROL).is_some_and(|v| v != "false") {
        r.lose(container, NO_CONTROL, "has no effect: limits stay on");
    }
    Ok(Some(ask))
}

/// Policies and mode, from annotations of the pod.
fn shape(reading: &mut Reading<'_>, container: &Container<'_>, ask: &mut Ask) {
    ask.policy.topology.one_numa =
        matches!(reading.annotation(NUMA), Some("true" | "True" | "TRUE" | "t" | "T" | "1"));
    match reading.annotation(NODE_POLICY) {
        Some("binpack") => ask.policy.node = Some(Packing::Binpack),
        Some("spread") => ask.policy.node = Some(Packing::Spread),
        Some(other) => {
            reading.lose(container, NODE_POLICY, format!("is {}, which HAMi does not know", shown(other)))
        }
        None => {}
    }
    for policy in reading.annotation(DEVICE_POLICY).map(list).unwrap_or_default() {
        match policy.as_str() {
            "binpack" => ask.policy.device = Some(Packing::Binpack),
            "spread" => ask.policy.device = Some(Packing::Spread),
            "topology-aware" => ask.policy.topology.linked = true,
            "numa" => ask.policy.topology.one_numa = true,
            "mutex" => ask.isolation = Isolation::Exclusive,
            other => reading.lose(
                container,
                DEVICE_POLICY,
                format!("is {}, which HAMi does not know", shown(other)),
            ),
        }
    }
    match reading.annotation(MODE) {
        Some("mig") => ask.isolation = Isolation::Hard,
        Some("hami-core") | None => {}
        Some("mps") => reading.lose(container, MODE, "is mps: Cleave shares without MPS"),
        Some(other) => reading.lose(
            container,
            MODE,
            format!("is {}: the mode is chosen where the pod lands", shown(other)),
        ),
    }
}
