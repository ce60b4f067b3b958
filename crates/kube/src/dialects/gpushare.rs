//! Open gpushare: memory of one GPU. There is no count and no compute.

use cleave_model::{Ask, Memory};

use crate::dialect::{Choice, Dialect, Duty, Key, REST, Reading, Reads, asks, node, note, slices};
use crate::pod::Container;
use crate::refusal::Refusal;

const MEMORY: &str = "aliyun.com/gpu-mem";
const COUNT: &str = "aliyun.com/gpu-count";

pub static GPUSHARE: Dialect = Dialect {
    name: "gpushare",
    title: "gpushare",
    keys: KEYS,
    options: &[Choice {
        name: "memory-unit",
        default: "GiB",
        meaning: "the flag --memory-unit: GiB or MiB",
        accepts: |v| matches!(v, "GiB" | "MiB"),
    }],
    schedulers: &[],
    claims: None,
    verdicts: &[
        "Whole units on one GPU, read from limits.",
        "The count is a resource of nodes; a pod that asks for it is refused.",
        "There is no compute share: nothing is reserved, whatever is idle may be used.",
    ],
    reads: Reads::Limits,
    read: |r| r.each(read_container),
};

const KEYS: &[Key] = &[
    asks(MEMORY, "GiB on one GPU, or MiB by the option memory-unit"),
    asks(COUNT, "of nodes only"),
    note("ALIYUN_COM_GPU_MEM_IDX", Duty::State, "written by the scheduler"),
    note("ALIYUN_COM_GPU_MEM_POD", Duty::State, "written by the scheduler"),
    note("ALIYUN_COM_GPU_MEM_DEV", Duty::State, "written by the scheduler"),
    note("ALIYUN_COM_GPU_MEM_ASSIGNED", Duty::State, "written by the scheduler"),
    note("ALIYUN_COM_GPU_MEM_ASSUME_TIME", Duty::State, "written by the scheduler"),
    note("ALIYUN_COM_GPU_MEM_ASSIGN_TIME", Duty::State, "written by the node"),
    node("cgpu.disable.isolation"),
];

fn read_container(r: &mut Reading<'_>, c: &Container<'_>) -> Result<Option<Ask>, Refusal> {
    if r.has(c, COUNT) {
        return Err(r.refuse(c, COUNT, "is a resource of nodes; a gpushare pod lies on one GPU"));
    }
    let Some(units) = r.units(c, MEMORY)?.filter(|u| *u > 0) else { return Ok(None) };
    let mib = r.mib(c, MEMORY, units, if r.option("memory-unit") == "MiB" { 1 } else { 1024 })?;
    Ok(Some(slices(1, Memory::Mib(mib), REST)))
}
