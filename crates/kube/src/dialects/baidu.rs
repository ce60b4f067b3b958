//! Baidu sGPU. Resources are named after the card model; values are the total of a container over its cards.

use cleave_model::{Ask, Bounds, Compute, Memory, Selectors};

use crate::dialect::{Dialect, Key, REST, Reading, Reads, asks, shown, slices};
use crate::pod::Container;
use crate::refusal::Refusal;

const COUNT: &str = "baidu.com/<model>_cgpu";
const MEMORY: &str = "baidu.com/<model>_cgpu_memory";
const PERCENT: &str = "baidu.com/<model>_cgpu_memory_percent";
const CORE: &str = "baidu.com/<model>_cgpu_core";

pub static BAIDU: Dialect = Dialect {
    name: "baidu",
    title: "Baidu sGPU",
    keys: KEYS,
    options: &[],
    schedulers: &[],
    claims: None,
    verdicts: &[
        "Models: v100_16g, v100_32g, t4_16g, a100_40g, a100_80g, a800_80g, a30_24g, a10_24g; one per container.",
        "A count alone is whole cards. Without a count there is one card.",
        "Memory, percent and core are totals; what one card gets is a positive whole number.",
        "A core needs memory and is at least 5 per card; GiB and percent do not mix.",
    ],
    reads: Reads::Limits,
    read: |r| r.each(read_container),
};

const KEYS: &[Key] = &[
    asks(COUNT, "cards of that model"),
    asks(MEMORY, "GiB in all"),
    asks(PERCENT, "percent of a card's memory in all"),
    asks(CORE, "percent of a card in all"),
];

/// A model name of the resources, a part of the device's name, and its marketed size.
const MODELS: &[(&str, &str, u32)] = &[
    ("v100_16g", "V100", 16),
    ("v100_32g", "V100", 32),
    ("t4_16g", "T4", 16),
    ("a100_40g", "A100", 40),
    ("a100_80g", "A100", 80),
    ("a800_80g", "A800", 80),
    ("a30_24g", "A30", 24),
    ("a10_24g", "A10", 24),
];

fn read_container(r: &mut Reading<'_>, c: &Container<'_>) -> Result<Option<Ask>, Refusal> {
    let mut models: Vec<&str> = Vec::new();
    for pattern in [COUNT, MEMORY, PERCENT, CORE] {
        for model in r.resources_like(c, pattern) {
            if !models.contains(&model) {
                models.push(model);
            }
        }
    }
    let (model, name, size) = match models.as_slice() {
        [] => return Ok(None),
        [model] => match MODELS.iter().find(|(m, _, _)| m == model) {
            Some(known) => *known,
            None => {
                return Err(r.refuse(
                    c,
                    &key(COUNT, model),
                    format!("names {}, a card sGPU does not have", shown(model)),
                ));
            }
        },
        [_, second, ..] => {
            return Err(r.refuse(c, &key(COUNT, second), "is a second card model in one container"));
        }
    };
    let (count_key, memory_key) = (key(COUNT, model), key(MEMORY, model));
    let (percent_key, core_key) = (key(PERCENT, model), key(CORE, model));
    let (memory, percent) = (r.units(c, &memory_key)?, r.units(c, &percent_key)?);
    let core = r.units(c, &core_key)?;
    let count = match r.count(c, &count_key)? {
        Some(0) => return Err(r.refuse(c, &count_key, "must be above 0")),
        Some(count) => count,
        None => 1,
    };
    let positive = |key: &str, total: u64| -> Result<u64, Refusal> {
        match r.divide(c, key, total, count)? {
            0 => Err(r.refuse(c, key, "must be above 0 on each card")),
            each => Ok(each),
        }
    };
    let size_of_slice = match (memory, percent) {
        (Some(_), Some(_)) => {
            return Err(r.refuse(c, &percent_key, format!("does not mix with {memory_key}")));
        }
        (Some(gib), None) => Memory::Mib(r.mib(c, &memory_key, positive(&memory_key, gib)?, 1024)?),
        (None, Some(total)) => Memory::Share(r.percent(c, &percent_key, positive(&percent_key, total)?)?),
        (None, None) if core.is_some() => return Err(r.refuse(c, &core_key, format!("needs {memory_key}"))),
        (None, None) => Memory::WHOLE,
    };
    let mut ask = match core {
        None if size_of_slice == Memory::WHOLE => Ask::whole(count),
        None => slices(count, size_of_slice, REST),
        Some(total) => {
            let each = positive(&core_key, total)?;
            if each < 5 {
                return Err(r.refuse(
                    c,
                    &core_key,
                    format!("gives {each} percent of a card; at least 5 are needed"),
                ));
            }
            slices(count, size_of_slice, Bounds::exactly(Compute::Share(r.percent(c, &core_key, each)?)))
        }
    };
    ask.selectors = Selectors { models: vec![name.into()], size_gib: Some(size), ..Selectors::default() };
    Ok(Some(ask))
}

fn key(pattern: &str, model: &str) -> String {
    pattern.replace("<model>", model)
}
