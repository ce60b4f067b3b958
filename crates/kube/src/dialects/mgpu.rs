//! Volcano Engine mGPU. Values are the total of a container, divided over the cards an annotation counts by position.

use cleave_model::{Ask, Bounds, Compute, Memory};

use crate::dialect::{Dialect, Duty, Key, Reading, Reads, asks, node, note, shown, slices};
use crate::pod::{Container, Role};
use crate::refusal::Refusal;

const MEMORY: &str = "vke.volcengine.com/mgpu-memory";
const CORE: &str = "vke.volcengine.com/mgpu-core";
const CARDS: &str = "vke.volcengine.com/container-multiple-gpu";
const POLICY: &str = "vke.volcengine.com/mgpu-compute-policy";
const BURST: &str = "native-burst-share";
/// Least memory of a card's share.
const LEAST_MIB: u64 = 256;

pub static MGPU: Dialect = Dialect {
    name: "mgpu",
    title: "Volcano Engine mGPU",
    keys: KEYS,
    options: &[],
    schedulers: &[],
    claims: None,
    verdicts: &[
        "The core is needed. Below 100, memory of at least 256 MiB per card is needed.",
        "100 and its multiples are whole cards, which take no memory; above 100 anything else is refused.",
        "Over several cards both values divide exactly, each card gets at most 100, and the policy is native-burst-share.",
        "The list of cards has one number for each container; 0 is a container without a card.",
    ],
    reads: Reads::LimitsThenRequests,
    read,
};

const KEYS: &[Key] = &[
    asks(MEMORY, "MiB in all"),
    asks(CORE, "percent of a card in all"),
    note(CARDS, Duty::Asks, "cards of each container, by position"),
    note(
        POLICY,
        Duty::Shapes,
        "fixed-share (a ceiling); guaranteed-burst-share, native-burst-share (may use what is idle)",
    ),
    note("vke.volcengine.com/assumed", Duty::State, "written by the scheduler"),
    note("vke.volcengine.com/gpu-index-container-<name>", Duty::State, "written by the scheduler"),
    node("vke.node.gpu.schedule"),
];

fn read(reading: &mut Reading<'_>) -> Result<(), Refusal> {
    let mains = reading.pod.containers.iter().filter(|c| c.role == Role::Main).count();
    let cards = match reading.annotation(CARDS) {
        None => None,
        Some(text) => {
            let cards: Option<Vec<u32>> =
                text.split(',').map(|n| n.trim().parse().ok().filter(|n| *n <= 1024)).collect();
            let cards = cards.ok_or_else(|| {
                reading.refuse_pod(CARDS, format!("is {}, not a list of numbers", shown(text)))
            })?;
            if cards.len() != mains {
                let why = format!("counts {} containers where there are {mains}", cards.len());
                return Err(reading.refuse_pod(CARDS, why));
            }
            Some(cards)
        }
    };
    if !matches!(reading.annotation(POLICY), None | Some("fixed-share" | "guaranteed-burst-share" | BURST)) {
        return Err(reading.refuse_pod(POLICY, "is not a compute policy of mGPU"));
    }
    let mut position = 0;
    reading.each(|r, c| {
        let own = if c.role == Role::Main {
            cards.as_ref().and_then(|list| list.get(position)).copied()
        } else {
            None
        };
        position += usize::from(c.role == Role::Main);
        read_container(r, c, own)
    })?;
    if reading.asks.is_empty() && cards.is_some_and(|list| list.iter().any(|n| *n > 0)) {
        return Err(reading.refuse_pod(CARDS, format!("needs {CORE} in its containers")));
    }
    Ok(())
}

fn read_container(
    r: &mut Reading<'_>,
    c: &Container<'_>,
    cards: Option<u32>,
) -> Result<Option<Ask>, Refusal> {
    let (memory, core) = (r.units(c, MEMORY)?, r.units(c, CORE)?);
    if memory.is_none() && core.is_none() {
        return match cards {
            Some(n) if n > 0 => {
                Err(r.refuse(c, CARDS, format!("counts {n} cards for it, but {CORE} is missing")))
            }
            _ => Ok(None),
        };
    }
    let Some(core) = core.filter(|n| *n > 0) else {
        return Err(r.refuse(c, CORE, "must be above 0"));
    };
    if cards == Some(0) {
        return Err(r.refuse(c, CARDS, "counts no card for it, but it asks for one"));
    }
    let count = cards.unwrap_or(1);
    if core >= 100 && core % 100 == 0 && (cards.is_none() || core / 100 == u64::from(count)) {
        if memory.is_some() {
            return Err(r.refuse(c, MEMORY, "is not for whole cards"));
        }
        let whole = u32::try_from(core / 100).ok().filter(|n| *n <= 1024);
        let whole =
            whole.ok_or_else(|| r.refuse(c, CORE, format!("of {core} is more cards than any node has")))?;
        return Ok(Some(Ask::whole(whole)));
    }
    if cards.is_none() && core > 100 {
        return Err(r.refuse(c, CORE, format!("of {core} is above 100 and not a multiple of 100")));
    }
    if count > 1 && r.annotation(POLICY) != Some(BURST) {
        return Err(r.refuse(c, CARDS, format!("of {count} needs {POLICY}: {BURST}")));
    }
    let share = r.percent(c, CORE, r.divide(c, CORE, core, count)?)?;
    let mib = r.divide(c, MEMORY, r.mib(c, MEMORY, memory.unwrap_or(0), 1)?, count)?;
    if mib < LEAST_MIB {
        return Err(r.refuse(
            c,
            MEMORY,
            format!("gives {mib} MiB per card; at least {LEAST_MIB} are needed"),
        ));
    }
    let reserved = Compute::Share(share);
    let compute = match r.annotation(POLICY) {
        Some(BURST | "guaranteed-burst-share") => Bounds { reserved, ceiling: Compute::WHOLE },
        _ => Bounds::exactly(reserved),
    };
    Ok(Some(slices(count, Memory::Mib(mib), compute)))
}
