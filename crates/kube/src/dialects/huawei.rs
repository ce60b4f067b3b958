//! Huawei xGPU: one card, or a fraction of one.

use cleave_model::{Ask, Bounds, Compute, Memory, MilliPercent};

use crate::dialect::{Dialect, Key, REST, Reading, Reads, asks, slices};
use crate::pod::Container;
use crate::quantity::Quantity;
use crate::refusal::Refusal;

const MEMORY: &str = "volcano.sh/gpu-mem.128Mi";
const PERCENT: &str = "volcano.sh/gpu-core.percentage";
const COUNT: &str = "nvidia.com/gpu";

pub static HUAWEI: Dialect = Dialect {
    name: "huawei",
    title: "Huawei xGPU",
    keys: KEYS,
    options: &[],
    schedulers: &[],
    claims: None,
    verdicts: &[
        "Memory in units of 128 MiB on one card; compute needs memory.",
        "nvidia.com/gpu below 1 is that part of one card's memory; from 1 on it is whole cards and a whole number.",
        "nvidia.com/gpu does not mix with the other two.",
    ],
    reads: Reads::Limits,
    read: |r| r.each(read_container),
};

const KEYS: &[Key] = &[
    asks(MEMORY, "128 MiB each, on one card"),
    asks(PERCENT, "percent of the card"),
    asks(COUNT, "whole cards, or a fraction of one such as 0.5"),
];

fn read_container(r: &mut Reading<'_>, c: &Container<'_>) -> Result<Option<Ask>, Refusal> {
    let (memory, percent, count) = (r.units(c, MEMORY)?, r.units(c, PERCENT)?, r.quantity(c, COUNT)?);
    if let Some(count) = count {
        if memory.is_some() || percent.is_some() {
            let other = if memory.is_some() { MEMORY } else { PERCENT };
            return Err(r.refuse(c, COUNT, format!("does not mix with {other}")));
        }
        return read_cards(r, c, count);
    }
    let Some(memory) = memory.filter(|m| *m > 0) else {
        return match percent {
            Some(_) => Err(r.refuse(c, PERCENT, format!("needs {MEMORY}"))),
            None => Ok(None),
        };
    };
    let compute = match percent {
        None => REST,
        Some(0) => return Err(r.refuse(c, PERCENT, "must be above 0")),
        Some(percent) => Bounds::exactly(Compute::Share(r.percent(c, PERCENT, percent)?)),
    };
    Ok(Some(slices(1, Memory::Mib(r.mib(c, MEMORY, memory, 128)?), compute)))
}

fn read_cards(r: &mut Reading<'_>, c: &Container<'_>, count: Quantity) -> Result<Option<Ask>, Refusal> {
    if count.is_zero() {
        return Ok(None);
    }
    if count >= Quantity::whole(1) {
        let Some(cards) = r.count(c, COUNT)? else { return Ok(None) };
        return Ok(Some(Ask::whole(cards)));
    }
    let share = count
        .as_share()
        .and_then(|(share, rest)| Some((MilliPercent::new(u32::try_from(share).ok()?)?, rest)));
    match share {
        Some((share, false)) => Ok(Some(slices(1, Memory::Share(share), REST))),
        _ => Err(r.refuse(c, COUNT, "is finer than a thousandth of a percent of a card")),
    }
}
