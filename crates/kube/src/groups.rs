//! Gangs: pods that name a group, and the PodGroup objects that say how many of them are enough.

use std::collections::HashMap;

use cleave_model::Gang;

use crate::dialect::{Place, shown};
use crate::dialects::cleave;
use crate::pod::{Pod, scalar};
use crate::refusal::{Lost, Refusal};
use crate::tree::Node;

/// A key by which a pod says its group.
pub struct GroupKey {
    pub name: &'static str,
    pub place: Place,
    /// The annotation that says how many are enough; else its PodGroup does.
    pub least: Option<&'static str>,
    /// Whose it is.
    pub system: &'static str,
}

const fn key(
    place: Place,
    name: &'static str,
    least: Option<&'static str>,
    system: &'static str,
) -> GroupKey {
    GroupKey { name, place, least, system }
}

/// Every such key. They belong to schedulers, not to dialects: a pod may ask in one system's words and be grouped by another.
pub const KEYS: &[GroupKey] = &[
    key(Place::Annotation, cleave::GANG, Some(cleave::GANG_LEAST), "Cleave"),
    key(
        Place::Annotation,
        "gang.scheduling.koordinator.sh/name",
        Some("gang.scheduling.koordinator.sh/min-available"),
        "koordinator",
    ),
    key(Place::Label, "pod-group.scheduling.sigs.k8s.io", None, "koordinator"),
    key(Place::Label, "pod-group.scheduling.sigs.k8s.io/name", None, "ACK"),
    key(Place::Label, "scheduling.x-k8s.io/pod-group", None, "coscheduling"),
    key(Place::Annotation, "scheduling.k8s.io/group-name", None, "Volcano"),
    key(Place::Annotation, "scheduling.volcano.sh/group-name", None, "Volcano"),
    key(Place::Annotation, "pod-group-name", None, "KAI"),
];

/// Keys beside a group that have no equal, and what is lost by each.
pub const LOST: &[(&str, &str)] = &[
    ("gang.scheduling.koordinator.sh/mode", "has no equal: a gang waits for all of its places"),
    ("gang.scheduling.koordinator.sh/groups", "has no equal: gangs do not wait for each other"),
    (
        "gang.scheduling.koordinator.sh/waiting-time",
        "has no equal: places are reserved as long as the cluster says",
    ),
    ("gang.scheduling.koordinator.sh/match-policy", "has no equal: pods that ended do not count"),
    ("gang.scheduling.koordinator.sh/total-number", "has no equal: how many may come is not limited"),
];

/// API groups that have an object called PodGroup.
const MADE_BY: &[&str] =
    &["scheduling.volcano.sh", "scheduling.sigs.k8s.io", "scheduling.x-k8s.io", "scheduling.run.ai"];

/// More groups than this are not remembered.
const MOST_GROUPS: usize = 100_000;

/// The PodGroups seen so far, by namespace and name.
#[derive(Default)]
pub struct GroupBook {
    least: HashMap<(String, String), Option<u32>>,
}

impl GroupBook {
    /// Remembers a PodGroup; whether the object was one.
    pub fn note(&mut self, object: &Node) -> bool {
        let made_by = object.text_of("apiVersion").and_then(|v| v.split_once('/')).map(|(group, _)| group);
        if object.text_of("kind") != Some("PodGroup")
            || !made_by.is_some_and(|group| MADE_BY.contains(&group))
        {
            return false;
        }
        let text = |key: &str| object.at(&["metadata", key]).and_then(Node::text);
        let name = text("name").unwrap_or("").to_owned();
        let namespace = text("namespace").unwrap_or("default").to_owned();
        let least = object.at(&["spec", "minMember"]).and_then(Node::text).and_then(number);
        if self.least.len() < MOST_GROUPS {
            self.least.insert((namespace, name), least);
        }
        true
    }

    /// Whether all is known that could be: the groups a pod names, or how many are enough without them.
    pub fn knows(&self, pod: &Pod<'_>) -> bool {
        named(pod).all(|(key, name)| least_written(pod, key).is_some() || self.get(pod, name).is_some())
    }

    fn get(&self, pod: &Pod<'_>, name: &str) -> Option<Option<u32>> {
        self.least.get(&(pod.namespace.to_owned(), name.to_owned())).copied()
    }
}

/// The gang a pod belongs to, if all of it is known.
pub fn read(pod: &Pod<'_>, book: &GroupBook, lost: &mut Vec<Lost>) -> Result<Option<Gang>, Refusal> {
    let refuse = |key: &str, why: String| Err(Refusal::new(None, key, why));
    let mut found: Option<(&GroupKey, &str)> = None;
    let mut least: Option<u32> = None;
    for (key, name) in named(pod) {
        if let Some((first, other)) = found.filter(|(_, other)| *other != name) {
            return refuse(key.name, format!("is {}, but {} is {}", shown(name), first.name, shown(other)));
        }
        found = Some((key, name));
        let written = match least_written(pod, key) {
            Some((key, text)) => match number(text) {
                None => return refuse(key, format!("is {}, not a number above 0", shown(text))),
                some => some,
            },
            None => book.get(pod, name).flatten(),
        };
        if let (Some(before), Some(now)) = (least, written)
            && before != now
        {
            return refuse(key.name, format!("is a gang of {now}, but another key says {before}"));
        }
        least = least.or(written);
    }
    if found.is_none()
        && let Some(gang) = &pod.gang
    {
        return Ok(Some(gang.clone()));
    }
    let Some((key, name)) = found else { return Ok(None) };
    for (name, why) in LOST {
        if scalar(pod.annotations, name).is_some() {
            lost.push(Lost { container: None, key: (*name).into(), why: (*why).into() });
        }
    }
    match least {
        Some(least) => Ok(Some(Gang { name: name.to_owned(), least })),
        None if key.name == cleave::GANG => refuse(cleave::GANG, format!("needs {}", cleave::GANG_LEAST)),
        None => {
            let why = format!(
                "names the group {}; how many of it are enough is not known without its PodGroup",
                shown(name)
            );
            lost.push(Lost { container: None, key: key.name.into(), why });
            Ok(None)
        }
    }
}

/// The gang that a Volcano Job makes of its tasks.
pub fn of_job(object: &Node) -> Option<Gang> {
    let volcano = object.text_of("apiVersion").is_some_and(|v| v.starts_with("batch.volcano.sh/"));
    if !volcano || object.text_of("kind") != Some("Job") {
        return None;
    }
    let name = object.at(&["metadata", "name"]).and_then(Node::text)?.to_owned();
    let least =
        match object.at(&["spec", "minAvailable"]).and_then(Node::text) {
            Some(text) => number(text)?,
            // Without the field Volcano waits for all of them.
            None => object.at(&["spec", "tasks"])?.items().iter().try_fold(0u32, |sum, task| {
                sum.checked_add(task.text_of("replicas").map_or(Some(1), number)?)
            })?,
        };
    Some(Gang { name, least })
}

/// Whether a key of a pod says something about its group, so that a pod in other words does without.
pub fn is_group_key(place: Place, name: &str) -> bool {
    let of = |key: &GroupKey| (key.place == place && key.name == name) || least_key(key, place, name);
    KEYS.iter().any(of) || (place == Place::Annotation && LOST.iter().any(|(key, _)| *key == name))
}

fn least_key(key: &GroupKey, place: Place, name: &str) -> bool {
    place == Place::Annotation && key.least == Some(name)
}

/// The groups a pod names.
fn named<'a>(pod: &Pod<'a>) -> impl Iterator<Item = (&'static GroupKey, &'a str)> {
    let (annotations, labels) = (pod.annotations, pod.labels);
    KEYS.iter().filter_map(move |key| {
        let entries = if key.place == Place::Label { labels } else { annotations };
        let name = scalar(entries, key.name)?.text.as_str();
        (!name.is_empty()).then_some((key, name))
    })
}

/// The annotation that says how many are enough, and what it says.
fn least_written<'a>(pod: &Pod<'a>, key: &GroupKey) -> Option<(&'static str, &'a str)> {
    let name = key.least?;
    scalar(pod.annotations, name).map(|s| (name, s.text.as_str()))
}

fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|n| *n > 0)
}
