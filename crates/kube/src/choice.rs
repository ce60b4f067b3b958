//! Which dialect a pod is written in: said by the cluster, or beyond doubt from keys only one system has. Never guessed.

use std::collections::HashSet;

use crate::dialect::{self, Dialect, Duty, Place};
use crate::pod::Pod;
use crate::refusal::Refusal;
use crate::settings::Settings;

/// A key of the pod that some dialect knows.
struct Used<'a> {
    container: Option<&'a str>,
    name: &'a str,
    place: Place,
}

/// The dialect of a pod; `None` if it asks for nothing that any dialect knows.
pub fn choose(pod: &Pod<'_>, settings: &Settings) -> Result<Option<&'static Dialect>, Refusal> {
    let used = used(pod);
    let owners = |key: &Used<'_>, duties: &[Duty]| -> Vec<&'static Dialect> {
        let own = settings.owners(key.name).filter(|o| o.place == key.place && duties.contains(&o.duty));
        own.map(|o| o.dialect).collect()
    };
    let mut candidates: Option<Vec<&'static Dialect>> = None;
    let mut first: Option<&Used<'_>> = None;
    for key in &used {
        let own = owners(key, &[Duty::Asks]);
        if own.is_empty() {
            if !settings.owners(key.name).any(|o| o.place == key.place) {
                check_unknown(key, settings)?;
            }
            continue;
        }
        if let Some(set) = settings.dialect(pod.namespace) {
            if !own.iter().any(|d| std::ptr::eq(*d, set)) {
                return Err(foreign(key, &own, set));
            }
            candidates = Some(vec![set]);
            continue;
        }
        let left: Vec<_> = match &candidates {
            None => own.clone(),
            Some(before) => {
                before.iter().copied().filter(|d| own.iter().any(|o| std::ptr::eq(*o, *d))).collect()
            }
        };
        if let (true, Some(first)) = (left.is_empty(), first) {
            let why = format!("belongs to {} and does not go together with {}", names(&own), first.name);
            return Err(Refusal::new(key.container, key.name, why));
        }
        first = first.or(Some(key));
        candidates = Some(left);
    }
    let Some(mut left) = candidates else { return Ok(None) };
    // Keys that only shape a request may settle what the request alone leaves open.
    for key in &used {
        let shapes = owners(key, &[Duty::Shapes, Duty::Kept]);
        let narrowed: Vec<_> =
            left.iter().copied().filter(|d| shapes.iter().any(|o| std::ptr::eq(*o, *d))).collect();
        if !narrowed.is_empty() {
            left = narrowed;
        }
    }
    match (left.as_slice(), first) {
        ([one], _) => Ok(Some(one)),
        (several, Some(key)) => {
            let why =
                format!("belongs to {}; set the dialect of the namespace or of the cluster", names(several));
            Err(Refusal::new(key.container, key.name, why))
        }
        (_, None) => Ok(None),
    }
}

/// All keys of a pod that could be a dialect's, resources first.
fn used<'a>(pod: &Pod<'a>) -> Vec<Used<'a>> {
    let mut used: Vec<Used<'a>> = Vec::new();
    for container in &pod.containers {
        let mut seen = HashSet::new();
        for (name, _) in container.limits.iter().chain(container.requests) {
            if name.contains('/') && seen.insert(name) {
                used.push(Used { container: Some(container.name), name, place: Place::Resource });
            }
        }
    }
    let keys = |entries: &'a [(String, crate::tree::Node)], place| {
        entries.iter().map(move |(name, _)| Used { container: None, name: name.as_str(), place })
    };
    used.extend(keys(pod.annotations, Place::Annotation));
    used.extend(keys(pod.labels, Place::Label));
    used
}

/// A resource nobody knows, in a domain where some dialect has its resources, is a mistake worth a sentence.
fn check_unknown(key: &Used<'_>, settings: &Settings) -> Result<(), Refusal> {
    if key.place != Place::Resource {
        return Ok(());
    }
    let domain = |name: &str| name.split_once('/').map(|(domain, _)| domain.to_owned());
    let Some(written) = domain(key.name) else { return Ok(()) };
    for d in dialect::ALL {
        let mut resources = d.keys.iter().filter(|k| k.place == Place::Resource);
        if resources.any(|k| domain(&settings.name(d, k.name)).as_deref() == Some(written.as_str())) {
            return Err(Refusal::new(key.container, key.name, "is not a resource any dialect knows"));
        }
    }
    Ok(())
}

fn foreign(key: &Used<'_>, own: &[&Dialect], set: &Dialect) -> Refusal {
    let why = format!("belongs to {}, but this namespace is read as {}", names(own), set.name);
    Refusal::new(key.container, key.name, why)
}

fn names(dialects: &[&Dialect]) -> String {
    let names: Vec<&str> = dialects.iter().map(|d| d.name).collect();
    match names.as_slice() {
        [] => "no dialect".into(),
        [one] => (*one).into(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}
