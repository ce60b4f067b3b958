//! Our own words. Amounts are per slice.

use cleave_model::Ask;

use crate::dialect::{Dialect, Duty, Key, Reading, Reads, asks, note, shown};
use crate::pod::{Container, Pod};
use crate::refusal::Refusal;
use crate::words::{self, POD_WORDS, WORDS};

pub const GPU: &str = "cleave.io/gpu";
pub const MEMORY: &str = "cleave.io/memory";
pub const MEMORY_PERCENT: &str = "cleave.io/memory-percent";
pub const COMPUTE: &str = "cleave.io/compute";
pub const ENCODE: &str = "cleave.io/encode";
pub const CONTAINERS: &str = "cleave.io/containers";
pub const GANG: &str = "cleave.io/gang";
pub const GANG_LEAST: &str = "cleave.io/gang-least";
pub const FROM: &str = "cleave.io/from";
const PREFIX: &str = "cleave.io/";

pub static CLEAVE: Dialect = Dialect {
    name: "cleave",
    title: "Cleave",
    keys: KEYS,
    options: &[],
    schedulers: &[],
    claims: None,
    verdicts: &[
        "A container that only counts devices gets whole ones, exclusively.",
        "Memory without compute: nothing of the engine is reserved, whatever is idle may be used.",
        "Compute without memory is refused, unless it is the whole device: nothing is silently unlimited.",
        "Memory is a quantity of bytes with a binary unit (4Gi, 512Mi); what is not a whole MiB is refused.",
        "An annotation under cleave.io/ that is not a word is refused.",
    ],
    reads: Reads::LimitsThenRequests,
    read,
};

const KEYS: &[Key] = &[
    asks(GPU, "slices, each on a different device"),
    asks(MEMORY, "bytes per slice, whole MiB"),
    asks(MEMORY_PERCENT, "percent of the device's memory per slice"),
    asks(COMPUTE, "percent of the device's compute per slice"),
    asks(ENCODE, "percent of the video encoder per slice"),
    note(CONTAINERS, Duty::Asks, "JSON: container name to words; says what resources cannot, such as 12.5%"),
    note("cleave.io/priority", Duty::Shapes, "whole number, higher is sooner, 0 is normal"),
    note("cleave.io/class", Duty::Shapes, "online, offline"),
    note("cleave.io/isolation", Duty::Shapes, "soft, strict, hard, exclusive, remote"),
    note("cleave.io/node-policy", Duty::Shapes, "binpack, spread"),
    note("cleave.io/device-policy", Duty::Shapes, "binpack, spread"),
    note("cleave.io/topology", Duty::Shapes, "linked, numa"),
    note("cleave.io/models", Duty::Shapes, "accepted models, comma list of parts of their names"),
    note("cleave.io/not-models", Duty::Shapes, "models not accepted"),
    note("cleave.io/uuids", Duty::Shapes, "accepted devices"),
    note("cleave.io/not-uuids", Duty::Shapes, "devices not accepted"),
    note("cleave.io/indices", Duty::Shapes, "accepted positions on the node"),
    note("cleave.io/vendor", Duty::Shapes, "vendor"),
    note("cleave.io/pool", Duty::Shapes, "pool"),
    note("cleave.io/profile", Duty::Shapes, "hardware partition, such as 1g.5gb"),
    note("cleave.io/size", Duty::Shapes, "marketed size of the device, such as 40Gi"),
    note("cleave.io/names", Duty::Shapes, "accepted models, comma list of whole names"),
    note("cleave.io/not-names", Duty::Shapes, "models not accepted, whole names"),
    note("cleave.io/architectures", Duty::Shapes, "accepted architectures, such as Ampere"),
    note("cleave.io/capability", Duty::Shapes, "compute capability, FROM..BELOW, either may be missing"),
    note("cleave.io/driver", Duty::Shapes, "version of the driver, FROM..BELOW"),
    note("cleave.io/device-memory", Duty::Shapes, "memory the device has, FROM..BELOW, such as 40Gi.."),
    note(GANG, Duty::Shapes, "pods of this name get their places together or not at all"),
    note(GANG_LEAST, Duty::Shapes, "how many of them are enough to start"),
    note(FROM, Duty::Kept, "the dialect this was translated from"),
];

/// Annotations under our name on a pod that asks for devices. In the words of another dialect they would say nothing, and
/// something else once the pod is written in ours.
pub fn check_annotations(pod: &Pod<'_>, dialects: &[&str]) -> Result<(), Refusal> {
    for (name, _) in pod.annotations {
        let Some(word) = name.strip_prefix(PREFIX) else { continue };
        if [FROM, GANG, GANG_LEAST].contains(&name.as_str()) {
            continue;
        }
        if !POD_WORDS.contains(&word) && name != CONTAINERS {
            return Err(Refusal::new(None, name, "is not an annotation of Cleave"));
        }
        if !dialects.contains(&CLEAVE.name) {
            let why = format!("is Cleave's, and the pod asks in the words of {}", dialects.join(" and "));
            return Err(Refusal::new(None, name, why));
        }
    }
    Ok(())
}

fn read(reading: &mut Reading<'_>) -> Result<(), Refusal> {
    let said = containers(reading)?;
    for (name, _) in said.as_object().into_iter().flatten() {
        if !reading.pod.containers.iter().any(|c| c.name == name) {
            return Err(reading.refuse_pod(CONTAINERS, format!("names {}, which is not there", shown(name))));
        }
    }
    reading.each(|r, c| read_container(r, c, said.get(c.name)))
}

/// The JSON of the containers annotation: a map of maps of strings.
fn containers(reading: &Reading<'_>) -> Result<serde_json::Value, Refusal> {
    let Some(text) = reading.annotation(CONTAINERS) else { return Ok(serde_json::Value::Null) };
    let wrong = || reading.refuse_pod(CONTAINERS, "is not JSON of container names to words");
    let said: serde_json::Value = serde_json::from_str(text).map_err(|_| wrong())?;
    let words = |v: &serde_json::Value| v.as_object().is_some_and(|m| m.values().all(|v| v.is_string()));
    let shape = said.as_object().is_some_and(|m| m.values().all(words));
    if shape { Ok(said) } else { Err(wrong()) }
}

fn read_container(
    reading: &mut Reading<'_>,
    container: &Container<'_>,
    said: Option<&serde_json::Value>,
) -> Result<Option<Ask>, Refusal> {
    let mut found: Vec<(&str, String)> = Vec::new();
    if let Some(count) = reading.units(container, GPU)? {
        found.push(("gpu", count.to_string()));
    }
    if let Some(bytes) = reading.quantity(container, MEMORY)? {
        match bytes.as_mib() {
            Some((mib, false)) if mib > 0 => found.push(("memory", format!("{mib}Mi"))),
            _ => return Err(reading.refuse(container, MEMORY, "must be whole MiB: write 4Gi or 512Mi")),
        }
    }
    for (key, word) in [(MEMORY_PERCENT, "memory"), (COMPUTE, "compute"), (ENCODE, "encode")] {
        if let Some(percent) = reading.units(container, key)? {
            if found.iter().any(|(w, _)| *w == word) {
                return Err(reading.refuse(container, key, format!("says what {MEMORY} says already")));
            }
            let share = reading.percent(container, key, percent)?;
            found.push((word, share.to_string().replace(' ', "")));
        }
    }
    for (word, value) in said.and_then(serde_json::Value::as_object).into_iter().flatten() {
        let Some(word) = WORDS.iter().find(|w| *w == word) else {
            return Err(reading.refuse(
                container,
                CONTAINERS,
                format!("has {}, which is not a word", shown(word)),
            ));
        };
        if found.iter().any(|(w, _)| w == word) {
            return Err(reading.refuse(
                container,
                CONTAINERS,
                format!("says {word}, which a resource says already"),
            ));
        }
        found.push((word, value.as_str().unwrap_or_default().to_owned()));
    }
    // A container that counts no devices asks for nothing, even if a memory of 0 devices is named.
    if found.is_empty() || found.iter().any(|(word, value)| *word == "gpu" && value == "0") {
        return Ok(None);
    }
    for word in POD_WORDS {
        if !found.iter().any(|(w, _)| w == word)
            && let Some(value) = reading.annotation(&format!("{PREFIX}{word}"))
        {
            found.push((word, value.to_owned()));
        }
    }
    let parsed = words::parse(found.iter().map(|(word, value)| (*word, value.as_str())));
    parsed.map(Some).map_err(|(word, why)| reading.refuse(container, &format!("{PREFIX}{word}"), why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_a_pod_has_its_row() {
        let rows = KEYS.iter().filter(|key| key.duty == Duty::Shapes).map(|key| key.name);
        let words: Vec<&str> = rows.filter(|name| ![GANG, GANG_LEAST].contains(name)).collect();
        assert_eq!(words, POD_WORDS.iter().map(|word| format!("{PREFIX}{word}")).collect::<Vec<_>>());
    }
}
