//! Alibaba cGPU (ACK). Values are the total of a container, divided over the cards the pod's label counts.

use cleave_model::{Ask, Bounds, Compute, Memory};

use crate::dialect::{Dialect, Duty, Key, REST, Reading, Reads, asks, label, node, note, shown, slices};
use crate::pod::Container;
use crate::refusal::Refusal;

const MEMORY: &str = "aliyun.com/gpu-mem";
const PERCENT: &str = "aliyun.com/gpu-core.percentage";
const TFLOPS: &str = "aliyun.com/gpu-core.tflops";
const CARDS: &str = "aliyun.com/gpu-count";

pub static ACK: Dialect = Dialect {
    name: "ack",
    title: "Alibaba ACK cGPU",
    keys: KEYS,
    options: &[],
    schedulers: &[],
    claims: None,
    verdicts: &[
        "Memory, percentage and TFLOPS are totals: the label gpu-count says over how many cards they are divided.",
        "A division that leaves a rest is refused; so is a share of more than 100 percent of a card.",
        "Compute needs memory; percentage and TFLOPS do not mix.",
    ],
    reads: Reads::Limits,
    read,
};

const KEYS: &[Key] = &[
    asks(MEMORY, "GiB in all, fractions allowed"),
    asks(PERCENT, "percent of a card in all"),
    asks(TFLOPS, "TFLOPS in all"),
    label(CARDS, Duty::Asks, "cards the totals are divided over"),
    note("scheduler.framework.gpushare.allocation", Duty::State, "written by the scheduler"),
    note("gpushare.alibabacloud.com/core-percentage", Duty::State, "written by the scheduler"),
    note("gpushare.alibabacloud.com/core-tflops", Duty::State, "written by the scheduler"),
    node("ack.node.gpu.schedule"),
    node("ack.node.gpu.placement"),
];

fn read(reading: &mut Reading<'_>) -> Result<(), Refusal> {
    let cards = match reading.label(CARDS) {
        None => 1,
        Some(text) => {
            let cards = text.parse::<u32>().ok().filter(|n| (1..=1024).contains(n));
            cards.ok_or_else(|| {
                reading.refuse_pod(CARDS, format!("is {}, which is not a number of cards", shown(text)))
            })?
        }
    };
    reading.each(|r, c| read_container(r, c, cards))?;
    if reading.asks.is_empty() && reading.label(CARDS).is_some() {
        return Err(reading.refuse_pod(CARDS, format!("needs {MEMORY} in a container")));
    }
    Ok(())
}

fn read_container(r: &mut Reading<'_>, c: &Container<'_>, cards: u32) -> Result<Option<Ask>, Refusal> {
    let (memory, percent, tflops) = (r.quantity(c, MEMORY)?, r.units(c, PERCENT)?, r.quantity(c, TFLOPS)?);
    let Some(memory) = memory.filter(|m| !m.is_zero()) else {
        let stray =
            [(percent.is_some(), PERCENT), (tflops.is_some(), TFLOPS)].into_iter().find(|(there, _)| *there);
        return match stray {
            Some((_, key)) => Err(r.refuse(c, key, format!("needs {MEMORY}"))),
            None => Ok(None),
        };
    };
    let total = memory.times_mib(1024).ok_or_else(|| r.refuse(c, MEMORY, "is not a whole number of MiB"))?;
    let mib = r.divide(c, MEMORY, r.mib(c, MEMORY, total, 1)?, cards)?;
    let compute = match (percent.filter(|p| *p > 0), tflops.filter(|t| !t.is_zero())) {
        (Some(_), Some(_)) => return Err(r.refuse(c, TFLOPS, format!("does not mix with {PERCENT}"))),
        (Some(percent), None) => {
            let each = r.divide(c, PERCENT, percent, cards)?;
            Bounds::exactly(Compute::Share(r.percent(c, PERCENT, each)?))
        }
        (None, Some(tflops)) => {
            let milli = tflops.as_thousandths().filter(|(_, rest)| !rest).map(|(milli, _)| milli);
            let milli = milli.ok_or_else(|| r.refuse(c, TFLOPS, "is finer than a thousandth"))?;
            Bounds::exactly(Compute::MilliTflops(r.divide(c, TFLOPS, milli, cards)?))
        }
        (None, None) => REST,
    };
    Ok(Some(slices(cards, Memory::Mib(mib), compute)))
}
