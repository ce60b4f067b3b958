//! Tencent qGPU: one card, or whole cards.

use cleave_model::{Ask, Bounds, Class, Compute, Memory};

use crate::dialect::{Choice, Dialect, Duty, Key, REST, Reading, Reads, asks, node, note, shown, slices};
use crate::pod::Container;
use crate::refusal::Refusal;

const MEMORY: &str = "tke.cloud.tencent.com/qgpu-memory";
const CORE: &str = "tke.cloud.tencent.com/qgpu-core";
const GREEDY: &str = "tke.cloud.tencent.com/qgpu-core-greedy";
const APP_CLASS: &str = "tke.cloud.tencent.com/app-class";

pub static QGPU: Dialect = Dialect {
    name: "qgpu",
    title: "Tencent qGPU",
    keys: KEYS,
    options: &[Choice {
        name: "memory-unit",
        default: "GiB",
        meaning: "what the documentation's GB stands for: GiB or GB",
        accepts: |v| matches!(v, "GiB" | "GB"),
    }],
    schedulers: &[],
    claims: None,
    verdicts: &[
        "Below 100 the core is at least 5 and a step of 5, and memory is needed; from 100 it is whole cards, steps of 100, without memory.",
        "Memory is at least 1, steps of 1.",
        "Online asks for memory only; offline asks for core-greedy, at most 100, of what online leaves.",
    ],
    reads: Reads::Limits,
    read: |r| r.each(read_container),
};

const KEYS: &[Key] = &[
    asks(MEMORY, "GiB on the card"),
    asks(CORE, "percent of the card; 100 N is N whole cards"),
    asks(GREEDY, "percent of the card, offline"),
    note(APP_CLASS, Duty::Shapes, "online, offline"),
    node("qgpu-device-enable"),
    node("mixed-qgpu-enable"),
];

fn read_container(r: &mut Reading<'_>, c: &Container<'_>) -> Result<Option<Ask>, Refusal> {
    let (memory, core, greedy) = (r.units(c, MEMORY)?, r.units(c, CORE)?, r.units(c, GREEDY)?);
    if memory.is_none() && core.is_none() && greedy.is_none() {
        return Ok(None);
    }
    let class = match r.annotation(APP_CLASS) {
        None => None,
        Some("online") => Some(Class::Online),
        Some("offline") => Some(Class::Offline),
        Some(other) => {
            return Err(r.refuse_pod(APP_CLASS, format!("is {}, not online or offline", shown(other))));
        }
    };
    match (class, core, greedy) {
        (_, Some(_), Some(_)) => return Err(r.refuse(c, GREEDY, format!("does not mix with {CORE}"))),
        (Some(Class::Online), Some(_), _) => {
            return Err(r.refuse(c, CORE, "is not for online pods: they ask for memory only"));
        }
        (Some(Class::Online), _, Some(_)) => return Err(r.refuse(c, GREEDY, "is for offline pods")),
        (Some(Class::Offline), Some(_), _) => {
            return Err(r.refuse(c, CORE, format!("is not for offline pods: they ask for {GREEDY}")));
        }
        (Some(Class::Offline), _, None) => {
            return Err(r.refuse(c, MEMORY, format!("of an offline pod needs {GREEDY}")));
        }
        _ => {}
    }
    if let Some(core) = core {
        if core == 0 || (core < 100 && core % 5 != 0) || (core >= 100 && core % 100 != 0) {
            return Err(r.refuse(
                c,
                CORE,
                format!("of {core} is neither a step of 5 below 100 nor a step of 100"),
            ));
        }
        if core >= 100 {
            return match (memory, u32::try_from(core / 100).ok().filter(|n| *n <= 1024)) {
                (None, Some(cards)) => Ok(Some(Ask::whole(cards))),
                (Some(_), _) => Err(r.refuse(c, MEMORY, "is not for whole cards")),
                (_, None) => Err(r.refuse(c, CORE, format!("of {core} is more cards than any node has"))),
            };
        }
    }
    let Some(memory) = memory.filter(|m| *m > 0) else {
        return Err(r.refuse(c, MEMORY, "must be at least 1 on a shared card"));
    };
    let size = if r.option("memory-unit") == "GB" {
        let bytes = memory.checked_mul(1_000_000_000).ok_or_else(|| r.refuse(c, MEMORY, "is too large"))?;
        r.mib(c, MEMORY, bytes >> 20, 1)?
    } else {
        r.mib(c, MEMORY, memory, 1024)?
    };
    let compute = match (core, greedy) {
        (Some(core), _) => Bounds::exactly(Compute::Share(r.percent(c, CORE, core)?)),
        (None, Some(0)) => return Err(r.refuse(c, GREEDY, "must be above 0")),
        (None, Some(greedy)) => {
            Bounds { reserved: Compute::NONE, ceiling: Compute::Share(r.percent(c, GREEDY, greedy)?) }
        }
        (None, None) => REST,
    };
    let class = if greedy.is_some() { Class::Offline } else { class.unwrap_or_default() };
    Ok(Some(Ask { class, ..slices(1, Memory::Mib(size), compute) }))
}
