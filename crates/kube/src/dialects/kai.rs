//! KAI and Run:ai, with NvFractions. Values are per slice and belong to one container of the pod.

use cleave_model::{Ask, Bounds, Compute, Memory, MilliPercent};

use crate::dialect::{Dialect, Duty, Key, REST, Reading, Reads, asks, label, note, shown, slices};
use crate::pod::{Container, Role};
use crate::quantity::Quantity;
use crate::refusal::Refusal;

const COUNT: &str = "nvidia.com/gpu";
const FRACTION: &str = "gpu-fraction";
const MEMORY: &str = "gpu-memory";
const DEVICES: &str = "gpu-fraction-num-devices";
const NAME: &str = "gpu-fraction-container-name";
const MPS: &str = "mps";
const REQUEST: &str = "nvidia.com/container.<c>.gpu-memory.request";
const LIMIT: &str = "nvidia.com/container.<c>.gpu-memory.limit";
const PORTION: &str = "kai.scheduler/container.<c>.gpu-memory.portion.limit";
const MODE: &str = "kai.scheduler/gpu-compute-sharing-mode";

pub static KAI: Dialect = Dialect {
    name: "kai",
    title: "KAI / Run:ai",
    keys: KEYS,
    options: &[],
    schedulers: &["kai-scheduler", "runai-scheduler"],
    claims: None,
    verdicts: &[
        "A fraction is above 0 and below 1; a memory is a whole number of MiB above 0; they do not mix, nor with nvidia.com/gpu.",
        "A number of devices needs a fraction or a memory; mps needs one too.",
        "The fraction belongs to the first container, or to the one that gpu-fraction-container-name names.",
        "NvFractions: one container per pod, its request at most its limit; a portion limit needs a fraction below it.",
    ],
    reads: Reads::Limits,
    read,
};

const KEYS: &[Key] = &[
    asks(COUNT, "whole GPUs"),
    note(
        FRACTION,
        Duty::Asks,
        "part of the GPU per device, 0 < f < 1; its compute is kept free, what is idle may be used too",
    ),
    note(MEMORY, Duty::Asks, "MiB per device"),
    note(DEVICES, Duty::Asks, "devices, each with that fraction or memory"),
    note(REQUEST, Duty::Asks, "NvFractions: memory kept for the container, a quantity of bytes"),
    note(LIMIT, Duty::Asks, "NvFractions: memory it may reach"),
    note(PORTION, Duty::Asks, "memory it may reach, as part of the GPU"),
    note(NAME, Duty::Shapes, "the container the fraction belongs to"),
    note(MODE, Duty::Shapes, "time-slicing; sm-sharing is lost (it is MPS)"),
    note(MPS, Duty::Lost, "has no equal: Cleave shares without MPS"),
    label("kai.scheduler/queue", Duty::Kept, "queues are not part of an Ask"),
    label("runai/queue", Duty::Kept, "queues are not part of an Ask"),
    label("runai-gpu-group", Duty::State, "written by the scheduler"),
    label("runai-gpu-group/<n>", Duty::State, "written by the scheduler"),
    note("received-resource-type", Duty::State, "written by the scheduler"),
    note("runai/shared-gpu-configmap", Duty::State, "written by the binder"),
    note("nvidia.com/container.<c>.gpus.devices", Duty::State, "written by the binder"),
];

fn read(r: &mut Reading<'_>) -> Result<(), Refusal> {
    r.each(|r, c| Ok(r.count(c, COUNT)?.filter(|n| *n > 0).map(Ask::whole)))?;
    let fractional = fraction(r)?;
    if let Some(mode) = r.annotation(MODE) {
        match mode {
            "time-slicing" => {}
            "sm-sharing" => r.lose_pod(MODE, "is sm-sharing, which is MPS: Cleave shares by time"),
            other => return Err(r.refuse_pod(MODE, format!("is {}, which is not a mode", shown(other)))),
        }
    }
    let Some((place, key, ask)) = fractional else {
        if r.annotation(MPS) == Some("true") {
            return Err(r.refuse_pod(MPS, "needs a fraction of a GPU"));
        }
        if r.annotation(DEVICES).is_some() {
            return Err(r.refuse_pod(DEVICES, format!("needs {FRACTION} or {MEMORY}")));
        }
        return Ok(());
    };
    if let Some(whole) = r.pod.containers.iter().find(|c| r.has(c, COUNT)) {
        return Err(r.refuse(whole, COUNT, format!("does not mix with {key}")));
    }
    let container = r.pod.containers[place].name.to_owned();
    r.asks.push(crate::dialect::Asked { place, container, ask });
    Ok(())
}

/// The fraction of a GPU a pod asks for: which container, by which key, and how much.
fn fraction(r: &mut Reading<'_>) -> Result<Option<(usize, &'static str, Ask)>, Refusal> {
    let (written, memory) = (r.annotation(FRACTION), r.annotation(MEMORY));
    let (requests, limits) = (r.annotations_like(REQUEST), r.annotations_like(LIMIT));
    let portions = r.annotations_like(PORTION);
    if written.is_some() && memory.is_some() {
        return Err(r.refuse_pod(MEMORY, format!("does not mix with {FRACTION}")));
    }
    let mut named: Vec<&str> = requests.iter().chain(&limits).map(|(c, _)| *c).collect();
    named.dedup();
    if named.iter().any(|c| *c != named[0]) {
        return Err(r.refuse_pod(REQUEST, "is there for a second container; KAI gives a fraction to one"));
    }
    if written.is_none() && memory.is_none() && named.is_empty() {
        return match portions.first() {
            Some((c, _)) => Err(r.refuse_pod(&PORTION.replace("<c>", c), format!("needs {FRACTION}"))),
            None => Ok(None),
        };
    }
    let place = target(r, named.first().copied())?;
    let container = &r.pod.containers[place];
    let count = match r.annotation(DEVICES) {
        None => 1,
        Some(text) => {
            let count = text.parse::<u32>().ok().filter(|n| (1..=1024).contains(n));
            count.ok_or_else(|| {
                r.refuse(container, DEVICES, format!("is {}, not a number above 0", shown(text)))
            })?
        }
    };
    if let Some(text) = written {
        if !named.is_empty() {
            return Err(r.refuse(container, FRACTION, format!("does not mix with {REQUEST}")));
        }
        let share = part(r, container, FRACTION, text)?;
        let mut ask = slices(
            count,
            Memory::Share(share),
            Bounds { reserved: Compute::Share(share), ceiling: Compute::WHOLE },
        );
        if let Some((name, text)) = portions.first() {
            let key = PORTION.replace("<c>", name);
            if *name != container.name || portions.len() > 1 {
                return Err(r.refuse(container, &key, format!("is not for the container of {FRACTION}")));
            }
            let ceiling = part(r, container, &key, text)?;
            if ceiling <= share {
                return Err(r.refuse(container, &key, format!("must be above {FRACTION}")));
            }
            ask.memory.ceiling = Memory::Share(ceiling);
        }
        return Ok(Some((place, FRACTION, ask)));
    }
    if let Some((name, _)) = portions.first() {
        return Err(r.refuse(container, &PORTION.replace("<c>", name), format!("needs {FRACTION}")));
    }
    let bytes = |r: &mut Reading<'_>, pattern: &str, found: Option<&(&str, &str)>| {
        found.map(|(name, text)| quantity_mib(r, container, &pattern.replace("<c>", name), text)).transpose()
    };
    let request = bytes(r, REQUEST, requests.first())?;
    let limit = bytes(r, LIMIT, limits.first())?;
    let plain = memory.map(|text| {
        let mib = text.parse::<u64>().ok().filter(|n| *n > 0);
        mib.ok_or_else(|| {
            r.refuse(container, MEMORY, format!("is {}, not a whole number of MiB above 0", shown(text)))
        })
    });
    let plain = plain.transpose()?.map(|mib| r.mib(container, MEMORY, mib, 1)).transpose()?;
    if let (Some(plain), Some(request)) = (plain, request)
        && plain != request
    {
        return Err(r.refuse(container, MEMORY, format!("is not what {REQUEST} says")));
    }
    let Some(reserved) = plain.or(request).or(limit) else { return Ok(None) };
    let ceiling = limit.unwrap_or(reserved);
    if ceiling < reserved {
        return Err(r.refuse(container, &LIMIT.replace("<c>", container.name), "is below the request"));
    }
    let mut ask = slices(count, Memory::Mib(reserved), REST);
    ask.memory.ceiling = Memory::Mib(ceiling);
    Ok(Some((place, if plain.is_some() { MEMORY } else { REQUEST }, ask)))
}

/// Which container the fraction belongs to.
fn target(r: &Reading<'_>, named: Option<&str>) -> Result<usize, Refusal> {
    let place =
        |name: &str| r.pod.containers.iter().position(|c| c.name == name && c.role != Role::Ephemeral);
    let wanted = r.annotation(NAME);
    if let (Some(wanted), Some(named)) = (wanted, named)
        && wanted != named
    {
        return Err(
            r.refuse_pod(NAME, format!("is {}, but the fraction is for {}", shown(wanted), shown(named)))
        );
    }
    match wanted.or(named) {
        Some(name) => {
            let key = if wanted.is_some() { NAME } else { REQUEST };
            place(name).ok_or_else(|| r.refuse_pod(key, format!("names {}, which is not there", shown(name))))
        }
        None => {
            let first = r.pod.containers.iter().position(|c| c.role == Role::Main);
            first.ok_or_else(|| r.refuse_pod(FRACTION, "has no container to belong to"))
        }
    }
}

/// A part of a GPU: above 0 and below 1.
fn part(r: &mut Reading<'_>, c: &Container<'_>, key: &str, text: &str) -> Result<MilliPercent, Refusal> {
    let decimal = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'-' | b'+'));
    let value = Quantity::parse(text).ok().filter(|q| decimal && !q.is_zero() && *q < Quantity::whole(1));
    let share = value.and_then(Quantity::as_share);
    let share = share.and_then(|(share, rest)| Some((MilliPercent::new(u32::try_from(share).ok()?)?, rest)));
    match share {
        Some((MilliPercent::NONE, _)) => Err(r.refuse(c, key, "is less than a thousandth of a percent")),
        Some((share, rest)) => {
            if rest {
                r.lose(c, key, format!("is rounded down to {share}"));
            }
            Ok(share)
        }
        None => Err(r.refuse(c, key, format!("is {}, not above 0 and below 1", shown(text)))),
    }
}

/// A quantity of bytes above 0, in MiB.
pub fn quantity_mib(r: &mut Reading<'_>, c: &Container<'_>, key: &str, text: &str) -> Result<u64, Refusal> {
    let mib = Quantity::parse(text).ok().and_then(Quantity::as_mib);
    match mib {
        None => Err(r.refuse(c, key, format!("is {}, not a quantity of bytes", shown(text)))),
        Some((0, _)) => Err(r.refuse(c, key, format!("is {}, less than 1 MiB", shown(text)))),
        Some((mib, rest)) => {
            if rest {
                r.lose(c, key, format!("is rounded down to {mib} MiB"));
            }
            r.mib(c, key, mib, 1)
        }
    }
}
