//! elastic-gpu, dormant since 2022. Its units are not certain, so the cluster has to say them.

use cleave_model::{Ask, Bounds, Compute, Memory};

use crate::dialect::{Choice, Dialect, Duty, Key, REST, Reading, Reads, asks, note, slices};
use crate::pod::Container;
use crate::refusal::Refusal;

const MEMORY: &str = "elasticgpu.com/gpu-memory";
const CORE: &str = "elasticgpu.com/gpu-core";

pub static ELASTIC_GPU: Dialect = Dialect {
    name: "elastic-gpu",
    title: "elastic-gpu",
    keys: KEYS,
    options: &[Choice {
        name: "memory-unit",
        default: "",
        meaning: "MiB or GiB; there is no default",
        accepts: |v| matches!(v, "MiB" | "GiB"),
    }],
    schedulers: &[],
    claims: None,
    verdicts: &[
        "Refused until the option memory-unit says what a unit of memory is.",
        "Cores are percent of one card, or multiples of 100 for whole cards, which take no memory.",
    ],
    reads: Reads::Limits,
    read: |r| r.each(read_container),
};

const KEYS: &[Key] = &[
    asks(MEMORY, "units of the option memory-unit"),
    asks(CORE, "percent of a card"),
    note("egpuc.elasticgpu.io/<x>", Duty::Lost, "has no equal: claims of elastic-gpu are not read"),
];

fn read_container(r: &mut Reading<'_>, c: &Container<'_>) -> Result<Option<Ask>, Refusal> {
    let (memory, core) = (r.units(c, MEMORY)?.filter(|n| *n > 0), r.units(c, CORE)?.filter(|n| *n > 0));
    if let Some(cores) = core.filter(|n| *n >= 100) {
        let cards = u32::try_from(cores / 100).ok().filter(|n| cores % 100 == 0 && *n <= 1024);
        return match (cards, memory) {
            (None, _) => {
                Err(r.refuse(c, CORE, format!("of {cores} is neither below 100 nor a multiple of 100")))
            }
            (Some(_), Some(_)) => Err(r.refuse(c, MEMORY, "is not for whole cards")),
            (Some(cards), None) => Ok(Some(Ask::whole(cards))),
        };
    }
    let Some(memory) = memory else {
        return match core {
            Some(_) => Err(r.refuse(c, CORE, format!("of a shared card needs {MEMORY}"))),
            None => Ok(None),
        };
    };
    let mib = match r.option("memory-unit") {
        "MiB" => 1,
        "GiB" => 1024,
        _ => return Err(r.refuse(c, MEMORY, "has no unit here: set elastic-gpu.memory-unit")),
    };
    let compute = match core {
        Some(core) => Bounds::exactly(Compute::Share(r.percent(c, CORE, core)?)),
        None => REST,
    };
    Ok(Some(slices(1, Memory::Mib(r.mib(c, MEMORY, memory, mib)?), compute)))
}
