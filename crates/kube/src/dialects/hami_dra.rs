//! HAMi on DRA: the claims its webhook writes, or that people write themselves. Values are per slice.

use cleave_model::{Ask, Isolation, Memory, MilliPercent};

use crate::cel::{self, Source};
use crate::claims::Request;
use crate::dialect::{Claims, Dialect, Duty, Reads, compute_or_rest, label, slices};
use crate::refusal::Remark;

pub static HAMI_DRA: Dialect = Dialect {
    name: "hami-dra",
    title: "HAMi-DRA",
    keys: &[label("hami.io/dra", Duty::State, "written by the webhook")],
    options: &[],
    schedulers: &[],
    claims: Some(Claims { classes: &["hami-core-gpu.project-hami.io"], lone: &[], read }),
    verdicts: &[
        "A capacity that is not requested is the whole of it, as DRA has it.",
        "Cores are 0 to 100; cores 100 is the device alone.",
        "Several devices of one request lie on different GPUs, which HAMi-DRA does not promise.",
        "CEL selectors of the common forms are kept: productName, uuid, index, architecture, versions, memory; other terms are lost.",
    ],
    reads: Reads::Limits,
    read: |_| Ok(()),
};

const SOURCE: Source = Source { domain: "hami-core-gpu.project-hami.io", always: &[("type", "hami-gpu")] };

fn read(request: &Request<'_>, lost: &mut Vec<Remark>) -> Result<Ask, Remark> {
    let memory = request.bytes("memory", lost)?.map_or(Memory::WHOLE, Memory::Mib);
    let cores = cores(request)?;
    let mut ask = slices(request.count, memory, compute_or_rest(cores));
    if cores == MilliPercent::WHOLE {
        ask.isolation = Isolation::Exclusive;
    }
    request.lose_capacities_but(&["memory", "cores"], lost);
    cel::select(&request.selectors, &SOURCE, &mut ask.selectors, lost)?;
    Ok(ask)
}

/// A capacity of cores in percent; not requested, it is the whole of it.
pub fn cores(request: &Request<'_>) -> Result<MilliPercent, Remark> {
    let Some(quantity) = request.capacity("cores")? else { return Ok(MilliPercent::WHOLE) };
    let percent = quantity.as_units().and_then(|p| u32::try_from(p).ok()).and_then(MilliPercent::percent);
    percent.ok_or_else(|| ("cores".to_owned(), "must be a whole number from 0 to 100".to_owned()))
}
