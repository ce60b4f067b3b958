//! The NVIDIA DRA driver: claims for whole GPUs, MIG partitions, and memory of a shared GPU.

use cleave_model::{Ask, Memory, Selectors};

use super::nvidia::{is_profile, mig};
use crate::cel::{self, Source};
use crate::claims::Request;
use crate::dialect::{Claims, Dialect, REST, Reads, slices};
use crate::refusal::Remark;

pub static NVIDIA_DRA: Dialect = Dialect {
    name: "nvidia-dra",
    title: "NVIDIA DRA driver",
    keys: &[],
    options: &[],
    schedulers: &[],
    claims: Some(Claims { classes: &["gpu.nvidia.com", "mig.nvidia.com"], lone: &[], read }),
    verdicts: &[
        "gpu.nvidia.com without a capacity is whole GPUs; with a capacity of memory it is that much of one (ConsumableShares).",
        "mig.nvidia.com needs a selector that names one profile.",
        "CEL selectors of the common forms are kept: productName, uuid, index, architecture, versions, memory; other terms are lost.",
        "A capacity of shares is refused: a share has no size.",
    ],
    reads: Reads::Limits,
    read: |_| Ok(()),
};

const WHOLE: Source = Source { domain: "gpu.nvidia.com", always: &[("type", "gpu")] };
const PARTITION: Source = Source { domain: "gpu.nvidia.com", always: &[("type", "mig")] };

fn read(request: &Request<'_>, lost: &mut Vec<Remark>) -> Result<Ask, Remark> {
    if request.class == "mig.nvidia.com" {
        return partitions(request, &PARTITION, lost);
    }
    gpus(request, &WHOLE, lost)
}

/// MIG partitions of the profile that a selector names.
pub fn partitions(request: &Request<'_>, source: &Source, lost: &mut Vec<Remark>) -> Result<Ask, Remark> {
    let mut selectors = Selectors::default();
    request.lose_capacities_but(&[], lost);
    cel::select(&request.selectors, source, &mut selectors, lost)?;
    let Some(profile) = selectors.profile.clone().filter(|profile| is_profile(profile)) else {
        return Err(("selectors".to_owned(), "do not name one profile".to_owned()));
    };
    Ok(Ask { selectors, ..mig(request.count, &profile) })
}

/// Whole GPUs, or memory of shared ones.
pub fn gpus(request: &Request<'_>, source: &Source, lost: &mut Vec<Remark>) -> Result<Ask, Remark> {
    let refuse = |field: &str, why: &str| Err((field.to_owned(), why.to_owned()));
    let mut selectors = Selectors::default();
    request.lose_capacities_but(&["memory", "shares"], lost);
    cel::select(&request.selectors, source, &mut selectors, lost)?;
    if selectors.profile.is_some() {
        return refuse(
            "selectors",
            "name a profile, which whole GPUs do not have: partitions are another class",
        );
    }
    if request.capacity("shares")?.is_some() {
        return refuse("shares", "have no size: ask for memory");
    }
    let ask = match request.bytes("memory", lost)? {
        Some(mib) => slices(request.count, Memory::Mib(mib), REST),
        None => Ask::whole(request.count),
    };
    Ok(Ask { selectors, ..ask })
}
