//! vgpu-manager. Values are per slice; the domain of its keys is configurable.

use cleave_model::{Ask, Bounds, Compute, Isolation, Memory, MilliPercent, Packing, Selectors};

use crate::dialect::{Dialect, Duty, Key, Reading, Reads, asks, compute_or_rest, list, note, shown, slices};
use crate::pod::Container;
use crate::refusal::Refusal;

const COUNT: &str = "nvidia.com/vgpu-number";
const MEMORY: &str = "nvidia.com/vgpu-memory";
const CORES: &str = "nvidia.com/vgpu-cores";
const NODE_POLICY: &str = "nvidia.com/node-scheduler-policy";
const DEVICE_POLICY: &str = "nvidia.com/device-scheduler-policy";
const TOPOLOGY: &str = "nvidia.com/device-topology-mode";
const COMPUTE_POLICY: &str = "nvidia.com/vgpu-compute-policy";

pub static VGPU_MANAGER: Dialect = Dialect {
    name: "vgpu-manager",
    title: "vgpu-manager",
    keys: KEYS,
    options: &[],
    schedulers: &["vgpu-scheduler"],
    claims: None,
    verdicts: &[
        "Cores or memory without a number: one slice is added. A number without both: cores become 100, the device alone.",
        "Memory omitted or 0 is the whole memory of the device.",
        "Cores above 100 are refused: a slice lies on one device.",
        "Compute policy: fixed keeps to the cores, balance may use what is idle, none does not limit.",
    ],
    reads: Reads::Limits,
    read: |r| r.each(read_container),
};

const KEYS: &[Key] = &[
    asks(COUNT, "slices, each on a different GPU"),
    asks(MEMORY, "MiB per slice"),
    asks(CORES, "percent of the GPU's compute per slice"),
    note(NODE_POLICY, Duty::Shapes, "binpack, spread"),
    note(DEVICE_POLICY, Duty::Shapes, "binpack, spread"),
    note(TOPOLOGY, Duty::Shapes, "link (linked), numa; also their strict forms"),
    note("nvidia.com/include-gpu-type", Duty::Shapes, "accepted models"),
    note("nvidia.com/exclude-gpu-type", Duty::Shapes, "models not accepted"),
    note("nvidia.com/include-gpu-uuid", Duty::Shapes, "accepted devices"),
    note("nvidia.com/exclude-gpu-uuid", Duty::Shapes, "devices not accepted"),
    note(COMPUTE_POLICY, Duty::Shapes, "fixed, balance, none"),
    note(
        "nvidia.com/memory-scheduler-policy",
        Duty::Lost,
        "has no equal: oversubscription is a class of the node",
    ),
    note("nvidia.com/cross-pod-topology", Duty::Lost, "has no equal: topology is kept within a pod"),
    note("nvidia.com/predicate-node", Duty::State, "written by the scheduler"),
    note("nvidia.com/pre-allocated", Duty::State, "written by the scheduler"),
    note("nvidia.com/real-allocated", Duty::State, "written by the node"),
    crate::dialect::label("nvidia.com/assigned-phase", Duty::State, "written by the node"),
];

fn read_container(r: &mut Reading<'_>, c: &Container<'_>) -> Result<Option<Ask>, Refusal> {
    let memory = r.units(c, MEMORY)?.filter(|m| *m > 0);
    let cores = r.units(c, CORES)?.filter(|p| *p > 0);
    let count = match r.count(c, COUNT)?.filter(|n| *n > 0) {
        Some(count) => count,
        None if memory.is_some() || cores.is_some() => 1,
        None => return Ok(None),
    };
    let cores = if memory.is_none() && cores.is_none() { Some(100) } else { cores };
    let share = cores.map_or(Ok(MilliPercent::NONE), |p| r.percent(c, CORES, p))?;
    let size = match memory {
        Some(units) => Memory::Mib(r.mib(c, MEMORY, units, 1)?),
        None => Memory::WHOLE,
    };
    let mut ask = slices(count, size, compute_or_rest(share));
    if share == MilliPercent::WHOLE {
        ask.isolation = Isolation::Exclusive;
    }
    ask.selectors = Selectors {
        models: r.annotation("nvidia.com/include-gpu-type").map(list).unwrap_or_default(),
        not_models: r.annotation("nvidia.com/exclude-gpu-type").map(list).unwrap_or_default(),
        uuids: r.annotation("nvidia.com/include-gpu-uuid").map(list).unwrap_or_default(),
        not_uuids: r.annotation("nvidia.com/exclude-gpu-uuid").map(list).unwrap_or_default(),
        ..Selectors::default()
    };
    ask.policy.node = packing(r, c, NODE_POLICY);
    ask.policy.device = packing(r, c, DEVICE_POLICY);
    match r.annotation(TOPOLOGY) {
        Some("link" | "link-strict") => ask.policy.topology.linked = true,
        Some("numa" | "numa-strict") => ask.policy.topology.one_numa = true,
        Some("none") | None => {}
        Some(other) => r.lose(c, TOPOLOGY, format!("is {}, which is not a topology mode", shown(other))),
    }
    match r.annotation(COMPUTE_POLICY) {
        Some("balance" | "none") => ask.compute = Bounds { ceiling: Compute::WHOLE, ..ask.compute },
        Some("fixed") | None => {}
        Some(other) => {
            r.lose(c, COMPUTE_POLICY, format!("is {}, which is not a compute policy", shown(other)))
        }
    }
    Ok(Some(ask))
}

fn packing(r: &mut Reading<'_>, c: &Container<'_>, key: &str) -> Option<Packing> {
    match r.annotation(key).map(str::to_ascii_lowercase).as_deref() {
        Some("binpack") => Some(Packing::Binpack),
        Some("spread") => Some(Packing::Spread),
        Some("none") | None => None,
        Some(other) => {
            r.lose(c, key, format!("is {}, which is neither binpack nor spread", shown(other)));
            None
        }
    }
}
