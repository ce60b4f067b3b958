//! TKE gpu-manager: hundredths of one card, or whole cards.

use cleave_model::{Ask, Bounds, Compute, Memory};

use crate::dialect::{Dialect, Duty, Key, Reading, Reads, asks, node, note, shown, slices};
use crate::pod::Container;
use crate::refusal::Refusal;

const CORE: &str = "tencent.com/vcuda-core";
const MEMORY: &str = "tencent.com/vcuda-memory";
const LIMIT: &str = "tencent.com/vcuda-core-limit";

pub static GPU_MANAGER: Dialect = Dialect {
    name: "gpu-manager",
    title: "TKE gpu-manager",
    keys: KEYS,
    options: &[],
    schedulers: &[],
    claims: None,
    verdicts: &[
        "Cores are below 100, or a multiple of 100: whole cards, whose memory is ignored.",
        "A shared card needs memory, in units of 256 MiB; memory needs cores.",
        "The core limit is a ceiling above the cores, up to 100.",
    ],
    reads: Reads::Limits,
    read: |r| r.each(read_container),
};

const KEYS: &[Key] = &[
    asks(CORE, "hundredths of a card"),
    asks(MEMORY, "256 MiB each"),
    note(LIMIT, Duty::Shapes, "hundredths of a card that may be used when idle"),
    note("tencent.com/predicate-time", Duty::State, "written by the scheduler"),
    note("tencent.com/predicate-gpu-idx-<container>", Duty::State, "written by the scheduler"),
    note("tencent.com/predicate-node", Duty::State, "written by the scheduler"),
    note("tencent.com/gpu-assigned", Duty::State, "written by the node"),
    node("nvidia-device-enable"),
];

fn read_container(r: &mut Reading<'_>, c: &Container<'_>) -> Result<Option<Ask>, Refusal> {
    let memory = r.units(c, MEMORY)?;
    let Some(core) = r.units(c, CORE)?.filter(|n| *n > 0) else {
        return match memory.filter(|m| *m > 0) {
            Some(_) => Err(r.refuse(c, MEMORY, format!("needs {CORE}"))),
            None => Ok(None),
        };
    };
    if core >= 100 {
        if core % 100 != 0 {
            return Err(r.refuse(c, CORE, format!("of {core} is neither below 100 nor a multiple of 100")));
        }
        if memory.is_some() {
            r.lose(c, MEMORY, "is ignored for whole cards, as gpu-manager does");
        }
        let cards = u32::try_from(core / 100).ok().filter(|n| *n <= 1024);
        let cards =
            cards.ok_or_else(|| r.refuse(c, CORE, format!("of {core} is more cards than any node has")))?;
        return Ok(Some(Ask::whole(cards)));
    }
    let Some(memory) = memory.filter(|m| *m > 0) else {
        return Err(r.refuse(c, CORE, format!("of a shared card needs {MEMORY}")));
    };
    let mib = r.mib(c, MEMORY, memory, 256)?;
    let reserved = r.percent(c, CORE, core)?;
    let ceiling = match r.annotation(LIMIT) {
        None => reserved,
        Some(text) => {
            let limit = text.parse::<u64>().map_err(|_| {
                r.refuse(c, LIMIT, format!("is {}, which is not a whole number", shown(text)))
            })?;
            r.percent(c, LIMIT, limit)?
        }
    };
    if ceiling < reserved {
        return Err(r.refuse(c, LIMIT, format!("is below {CORE}")));
    }
    let compute = Bounds { reserved: Compute::Share(reserved), ceiling: Compute::Share(ceiling) };
    Ok(Some(slices(1, Memory::Mib(mib), compute)))
}
