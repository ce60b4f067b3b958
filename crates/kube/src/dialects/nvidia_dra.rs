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
    claims: Some(Claims { classes: &["gpu.nvidia.com", "mig.nvidia.com"], read }),
    verdicts: &[
        "gpu.nvidia.com without a capacity is whole GPUs; with a capacity of memory it is that much of one (ConsumableShares).",
        "mig.nvidia.com needs a selector that names one profile.",
        "CEL selectors of the common forms are kept: productName, uuid, index, architecture, versions, memory; other terms are lost.",
        "A capacity of shares is refused: a share has no size.",
    ],
    reads: Reads::Limits,
    read: |_| Ok(()),
};

const WHOLE: Source = Source { domain: "gpu.nvidia.com", kind: "gpu" };
const PARTITION: Source = Source { domain: "gpu.nvidia.com", kind: "mig" };

fn read(request: &Request<'_>, lost: &mut Vec<Remark>) -> Result<Ask, Remark> {
    let refuse = |field: &str, why: &str| Err((field.to_owned(), why.to_owned()));
    let mut selectors = Selectors::default();
    if request.class == "mig.nvidia.com" {
        cel::select(&request.selectors, &PARTITION, &mut selectors, lost)?;
        let Some(profile) = selectors.profile.clone().filter(|profile| is_profile(profile)) else {
            return refuse("selectors", "do not name one profile");
        };
        return Ok(Ask { selectors, ..mig(request.count, &profile) });
    }
    cel::select(&request.selectors, &WHOLE, &mut selectors, lost)?;
    if selectors.profile.is_some() {
        return refuse(
            "selectors",
            "name a profile, which whole GPUs do not have: the class is mig.nvidia.com",
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
