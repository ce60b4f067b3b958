//! vgpu-manager on DRA: claims for slices, whole GPUs and MIG partitions. Values are per slice.

use cleave_model::{Ask, Isolation, Memory, MilliPercent};

use super::hami_dra::cores;
use super::nvidia_dra::{gpus, partitions};
use crate::cel::{self, Source};
use crate::claims::Request;
use crate::dialect::{Claims, Dialect, Reads, compute_or_rest, slices};
use crate::refusal::Remark;

const SLICE: &str = "vgpu-manager";
const WHOLE: &str = "gpu-manager";
const PARTITION: &str = "mig-manager";
const PASSTHROUGH: &str = "vfio-manager";

pub static VGPU_MANAGER_DRA: Dialect = Dialect {
    name: "vgpu-manager-dra",
    title: "vgpu-manager on DRA",
    keys: &[],
    options: &[],
    schedulers: &[],
    claims: Some(Claims { classes: &[SLICE, WHOLE, PARTITION, PASSTHROUGH], lone: &[SLICE], read }),
    verdicts: &[
        "vgpu-manager: a capacity that is not requested is the whole of it. Cores are 0 to 100; 0 does not limit. All cores and all memory is the device alone.",
        "A container uses one request of vgpu-manager; several containers may use one claim, each another request of it.",
        "gpu-manager without a capacity is whole GPUs; with a capacity of memory it is that much of one (ConsumableShares).",
        "mig-manager needs a selector that names one profile.",
        "vfio-manager is refused: it is for virtual machines.",
        "CEL selectors of the common forms are kept: productName, uuid, index, architecture, versions, memory; accessMode local is taken for granted; other terms are lost.",
    ],
    reads: Reads::Limits,
    read: |_| Ok(()),
};

fn read(request: &Request<'_>, lost: &mut Vec<Remark>) -> Result<Ask, Remark> {
    match request.class {
        WHOLE => gpus(request, &source(&[("type", "gpu"), LOCAL]), lost),
        PARTITION => partitions(request, &source(&[("type", "mig"), LOCAL]), lost),
        PASSTHROUGH => Err(("deviceClassName".to_owned(), "is for virtual machines".to_owned())),
        _ => slice(request, lost),
    }
}

const fn source(always: &'static [(&'static str, &'static str)]) -> Source {
    Source { domain: "manager.nvidia.com", always }
}

/// Devices are where the pod runs, unless it asks for others.
const LOCAL: (&str, &str) = ("accessMode", "local");

fn slice(request: &Request<'_>, lost: &mut Vec<Remark>) -> Result<Ask, Remark> {
    let memory = request.bytes("memory", lost)?.map_or(Memory::WHOLE, Memory::Mib);
    let cores = cores(request)?;
    let mut ask = slices(request.count, memory, compute_or_rest(cores));
    if (memory, cores) == (Memory::WHOLE, MilliPercent::WHOLE) {
        ask.isolation = Isolation::Exclusive;
    }
    request.lose_capacities_but(&["memory", "cores"], lost);
    cel::select(&request.selectors, &source(&[("type", "vgpu"), LOCAL]), &mut ask.selectors, lost)?;
    Ok(ask)
}
