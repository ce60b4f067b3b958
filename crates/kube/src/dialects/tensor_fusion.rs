//! TensorFusion. Values are per slice; the domain of its keys is configurable.

use cleave_model::{Ask, Bounds, Compute, Isolation, Memory, MilliPercent, Selectors};

use super::kai::quantity_mib;
use crate::dialect::{Dialect, Duty, Key, REST, Reading, Reads, label, list, note, shown, slices};
use crate::pod::{Container, Role};
use crate::quantity::Quantity;
use crate::refusal::Refusal;

const ENABLED: &str = "tensor-fusion.ai/enabled";
const COUNT: &str = "tensor-fusion.ai/gpu-count";
const VRAM_REQUEST: &str = "tensor-fusion.ai/vram-request";
const VRAM_LIMIT: &str = "tensor-fusion.ai/vram-limit";
const TFLOPS_REQUEST: &str = "tensor-fusion.ai/tflops-request";
const TFLOPS_LIMIT: &str = "tensor-fusion.ai/tflops-limit";
const PERCENT_REQUEST: &str = "tensor-fusion.ai/compute-percent-request";
const PERCENT_LIMIT: &str = "tensor-fusion.ai/compute-percent-limit";
const DEDICATED: &str = "tensor-fusion.ai/dedicated-gpu";
const MODEL: &str = "tensor-fusion.ai/gpu-model";
const INDICES: &str = "tensor-fusion.ai/gpu-indices";
const INJECT: &str = "tensor-fusion.ai/inject-container";
const PROFILE: &str = "tensor-fusion.ai/workload-profile";
const QOS: &str = "tensor-fusion.ai/qos";
const ISOLATION: &str = "tensor-fusion.ai/isolation";
const LOCAL: &str = "tensor-fusion.ai/is-local-gpu";

pub static TENSOR_FUSION: Dialect = Dialect {
    name: "tensor-fusion",
    title: "TensorFusion",
    keys: KEYS,
    options: &[],
    schedulers: &["tensor-fusion-scheduler"],
    claims: None,
    verdicts: &[
        "The label tensor-fusion.ai/enabled must be true, and at least one of TFLOPS, percent or memory must be requested, unless the GPU is dedicated.",
        "TFLOPS win over percent. A limit without a request is the request too; a request without a limit is the limit too.",
        "A limit below its request is refused; a dedicated GPU needs gpu-model; several containers need inject-container.",
        "Sizes kept in a WorkloadProfile are elsewhere: a pod without sizes of its own is refused.",
    ],
    reads: Reads::Limits,
    read,
};

const KEYS: &[Key] = &[
    note(COUNT, Duty::Asks, "devices"),
    note(VRAM_REQUEST, Duty::Asks, "memory kept per device, a quantity of bytes"),
    note(VRAM_LIMIT, Duty::Asks, "memory it may reach per device"),
    note(TFLOPS_REQUEST, Duty::Asks, "TFLOPS kept per device"),
    note(TFLOPS_LIMIT, Duty::Asks, "TFLOPS it may reach"),
    note(PERCENT_REQUEST, Duty::Asks, "percent of the device's compute kept"),
    note(PERCENT_LIMIT, Duty::Asks, "percent it may reach"),
    note(DEDICATED, Duty::Asks, "true: whole devices"),
    note(PROFILE, Duty::Asks, "a WorkloadProfile, which is elsewhere"),
    label(ENABLED, Duty::Shapes, "true"),
    note(MODEL, Duty::Shapes, "accepted model"),
    note(INDICES, Duty::Shapes, "accepted positions on the node"),
    note("tensor-fusion.ai/vendor", Duty::Shapes, "vendor"),
    note("tensor-fusion.ai/gpupool", Duty::Shapes, "pool"),
    note("tensor-fusion.ai/partition", Duty::Shapes, "hardware partition"),
    note(QOS, Duty::Shapes, "low, medium, high, critical: priorities -1, 0, 1, 2"),
    note(ISOLATION, Duty::Shapes, "soft and shared (soft), hard (strict), partitioned (hard)"),
    note(LOCAL, Duty::Shapes, "false: the device is elsewhere (remote)"),
    note(INJECT, Duty::Shapes, "containers that get the device, comma list"),
    note("tensor-fusion.ai/autoscale", Duty::Lost, "has no equal: slices keep their size"),
    note(
        "tensor-fusion.ai/gang-enabled",
        Duty::Lost,
        "names no group: give the pods of a gang the same cleave.io/gang",
    ),
    note(
        "tensor-fusion.ai/gang-min-members",
        Duty::Lost,
        "names no group: give the pods of a gang the same cleave.io/gang",
    ),
    note(
        "tensor-fusion.ai/gang-timeout",
        Duty::Lost,
        "names no group: give the pods of a gang the same cleave.io/gang",
    ),
    note("tensor-fusion.ai/gpu-ids", Duty::State, "written by the scheduler"),
    note("tensor-fusion.ai/index", Duty::State, "written by the webhook"),
    note("tensor-fusion.ai/container-gpus", Duty::State, "written by the scheduler"),
    note("tensor-fusion.ai/partition-uuids", Duty::State, "written by the scheduler"),
    Key {
        name: "tensor-fusion.ai/index_<hex>",
        place: crate::dialect::Place::Resource,
        duty: Duty::State,
        meaning: "added by the webhook",
    },
];

fn read(reading: &mut Reading<'_>) -> Result<(), Refusal> {
    if reading.label(ENABLED) != Some("true") {
        return Err(reading.refuse_pod(ENABLED, "is not true: TensorFusion would leave this pod alone"));
    }
    let chosen = targets(reading)?;
    reading.each(
        |r, c| if chosen.contains(&c.name.to_owned()) { read_container(r, c).map(Some) } else { Ok(None) },
    )
}

/// The containers that get the device.
fn targets(r: &Reading<'_>) -> Result<Vec<String>, Refusal> {
    let mains: Vec<&str> = r.pod.containers.iter().filter(|c| c.role == Role::Main).map(|c| c.name).collect();
    let Some(text) = r.annotation(INJECT) else {
        return match mains.as_slice() {
            [one] => Ok(vec![(*one).to_owned()]),
            _ => Err(r.refuse_pod(INJECT, "is needed where there are several containers")),
        };
    };
    let chosen = list(text);
    match chosen.iter().find(|name| !r.pod.containers.iter().any(|c| c.name == name.as_str())) {
        Some(missing) => Err(r.refuse_pod(INJECT, format!("names {}, which is not there", shown(missing)))),
        None => Ok(chosen),
    }
}

fn read_container(r: &mut Reading<'_>, c: &Container<'_>) -> Result<Ask, Refusal> {
    let count = match r.annotation(COUNT) {
        None => 1,
        Some(text) => {
            let count = text.parse::<u32>().ok().filter(|n| (1..=1024).contains(n));
            count.ok_or_else(|| r.refuse(c, COUNT, format!("is {}, not a number of devices", shown(text))))?
        }
    };
    let mut ask = if r.annotation(DEDICATED) == Some("true") {
        if r.annotation(MODEL).is_none() {
            return Err(r.refuse(c, DEDICATED, format!("needs {MODEL}")));
        }
        Ask::whole(count)
    } else {
        sizes(r, c, count)?
    };
    ask.selectors = Selectors {
        models: r.annotation(MODEL).map(|m| vec![m.to_owned()]).unwrap_or_default(),
        indices: indices(r, c)?,
        vendor: r.annotation("tensor-fusion.ai/vendor").map(str::to_owned),
        pool: r.annotation("tensor-fusion.ai/gpupool").map(str::to_owned),
        profile: r.annotation("tensor-fusion.ai/partition").map(str::to_owned),
        ..Selectors::default()
    };
    ask.priority = match r.annotation(QOS) {
        None | Some("medium") => 0,
        Some("low") => -1,
        Some("high") => 1,
        Some("critical") => 2,
        Some(other) => return Err(r.refuse(c, QOS, format!("is {}, which is not a level", shown(other)))),
    };
    match r.annotation(ISOLATION) {
        None | Some("soft") => {}
        Some("shared") => r.lose(c, ISOLATION, "is shared: Cleave keeps to the limits all the same"),
        Some("hard") => ask.isolation = Isolation::Strict,
        Some("partitioned") => ask.isolation = Isolation::Hard,
        Some(other) => {
            return Err(r.refuse(c, ISOLATION, format!("is {}, which is not an isolation", shown(other))));
        }
    }
    if r.annotation(LOCAL) == Some("false") {
        if ask.isolation != Isolation::Soft {
            r.lose(c, ISOLATION, "gives way to remote: the device is elsewhere");
        }
        ask.isolation = Isolation::Remote;
    }
    Ok(ask)
}

fn sizes(r: &mut Reading<'_>, c: &Container<'_>, count: u32) -> Result<Ask, Refusal> {
    let vram = pair(r, c, VRAM_REQUEST, VRAM_LIMIT, quantity_mib)?;
    let tflops = pair(r, c, TFLOPS_REQUEST, TFLOPS_LIMIT, milli_tflops)?;
    let percent = pair(r, c, PERCENT_REQUEST, PERCENT_LIMIT, milli_percent)?;
    if vram.is_none() && tflops.is_none() && percent.is_none() {
        let (key, why) = match r.annotation(PROFILE) {
            Some(_) => {
                (PROFILE, "holds the sizes, and it is elsewhere: write them as annotations".to_owned())
            }
            None => (VRAM_REQUEST, format!("is missing, and so are {TFLOPS_REQUEST} and {PERCENT_REQUEST}")),
        };
        return Err(r.refuse(c, key, why));
    }
    if tflops.is_some() && percent.is_some() {
        r.lose(c, PERCENT_REQUEST, format!("is ignored beside {TFLOPS_REQUEST}, as TensorFusion does"));
    }
    let compute = match (tflops, percent) {
        (Some(b), _) => {
            Bounds { reserved: Compute::MilliTflops(b.reserved), ceiling: Compute::MilliTflops(b.ceiling) }
        }
        (None, Some(b)) => Bounds { reserved: share(b.reserved), ceiling: share(b.ceiling) },
        (None, None) => REST,
    };
    let Some(vram) = vram else {
        r.lose(
            c,
            VRAM_REQUEST,
            "is missing: TensorFusion does not limit the memory, the ceiling here is the device",
        );
        let memory = Bounds { reserved: Memory::NONE, ceiling: Memory::WHOLE };
        return Ok(Ask { memory, ..slices(count, Memory::NONE, compute) });
    };
    let mut ask = slices(count, Memory::Mib(vram.reserved), compute);
    ask.memory.ceiling = Memory::Mib(vram.ceiling);
    Ok(ask)
}

fn share(thousandths: u64) -> Compute {
    Compute::Share(u32::try_from(thousandths).ok().and_then(MilliPercent::new).unwrap_or(MilliPercent::NONE))
}

type Parse = fn(&mut Reading<'_>, &Container<'_>, &str, &str) -> Result<u64, Refusal>;

/// A request and its limit; either stands for the other.
fn pair(
    r: &mut Reading<'_>,
    c: &Container<'_>,
    request: &str,
    limit: &str,
    parse: Parse,
) -> Result<Option<Bounds<u64>>, Refusal> {
    let requested = r.annotation(request).map(|text| parse(r, c, request, text)).transpose()?;
    let limited = r.annotation(limit).map(|text| parse(r, c, limit, text)).transpose()?;
    let Some(reserved) = requested.or(limited) else { return Ok(None) };
    let ceiling = limited.unwrap_or(reserved);
    if ceiling < reserved {
        return Err(r.refuse(c, limit, format!("is below {request}")));
    }
    Ok(Some(Bounds { reserved, ceiling }))
}

fn milli_tflops(r: &mut Reading<'_>, c: &Container<'_>, key: &str, text: &str) -> Result<u64, Refusal> {
    let milli = Quantity::parse(text).ok().and_then(Quantity::as_thousandths);
    match milli {
        Some((milli, false)) if milli > 0 => Ok(milli),
        _ => Err(r.refuse(c, key, format!("is {}, not a number of TFLOPS above 0", shown(text)))),
    }
}

fn milli_percent(r: &mut Reading<'_>, c: &Container<'_>, key: &str, text: &str) -> Result<u64, Refusal> {
    let milli = Quantity::parse(text).ok().and_then(Quantity::as_thousandths);
    match milli {
        Some((milli, false)) if milli > 0 && milli <= 100_000 => Ok(milli),
        _ => Err(r.refuse(c, key, format!("is {}, not a percentage above 0 and up to 100", shown(text)))),
    }
}

fn indices(r: &Reading<'_>, c: &Container<'_>) -> Result<Vec<u32>, Refusal> {
    let Some(text) = r.annotation(INDICES) else { return Ok(Vec::new()) };
    let parsed: Option<Vec<u32>> = list(text).iter().map(|i| i.parse().ok()).collect();
    parsed.ok_or_else(|| r.refuse(c, INDICES, format!("is {}, not a list of numbers", shown(text))))
}
