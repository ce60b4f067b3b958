//! The same pod in Cleave's words.

use cleave_model::{Ask, Compute, Memory, MilliPercent};

use crate::dialect::{self, Asked, Duty, Place};
use crate::dialects::cleave;
use crate::groups::is_group_key;
use crate::pod::{Pod, Role};
use crate::read::PodAsk;
use crate::settings::{Owner, Settings};
use crate::tree::{Node, put};
use crate::words::{self, Word};

/// Turns a template into Cleave's words: the foreign keys go, ours come, everything else stays.
pub fn rewrite(template: &mut Node, asked: &PodAsk, settings: &Settings) {
    let places = containers(template);
    strip(template, asked, settings);
    let own = asked.dialects.first() == Some(&cleave::CLEAVE.name);
    let mut notes: Vec<(String, Node)> = Vec::new();
    let mut special: Vec<(String, Node)> = Vec::new();
    let said: Vec<Said> = asked.asks.iter().map(|a| say(&a.ask)).collect();
    // What all containers say alike is said once for the pod.
    let first = said.first().map(|s| s.words.clone()).unwrap_or_default();
    let shared: Vec<Word> = first
        .into_iter()
        .filter(|word| words::POD_WORDS.contains(&word.0) && said.iter().all(|s| s.words.contains(word)))
        .collect();
    for (word, value) in &shared {
        notes.push((format!("cleave.io/{word}"), Node::string(value.clone())));
    }
    for (Asked { place, container, .. }, said) in asked.asks.iter().zip(&said) {
        let rest = said.words.iter().filter(|word| !shared.contains(word));
        let rest: Vec<(String, Node)> =
            rest.map(|(w, v)| ((*w).to_owned(), Node::string(v.clone()))).collect();
        if !rest.is_empty() {
            special.push((container.clone(), Node::Map(rest)));
        }
        if let Some((list, index)) = places.get(*place) {
            put_resources(template, list, *index, &said.resources);
        }
    }
    if !special.is_empty() {
        let text = crate::write::json(&Node::Map(special));
        notes.push((cleave::CONTAINERS.to_owned(), Node::string(text)));
    }
    if let Some(gang) = &asked.gang {
        notes.push((cleave::GANG.to_owned(), Node::string(gang.name.clone())));
        notes.push((cleave::GANG_LEAST.to_owned(), Node::string(gang.least.to_string())));
    }
    if !own {
        notes.push((cleave::FROM.to_owned(), Node::string(asked.dialects.join(","))));
    }
    if notes.is_empty() {
        return;
    }
    let Node::Map(entries) = template else { return };
    if !entries.iter().any(|(k, _)| k == "metadata") {
        entries.insert(0, ("metadata".to_owned(), Node::Map(Vec::new())));
    }
    template.map_at("metadata");
    if let Some(annotations) = template.get_mut("metadata").and_then(|m| m.map_at("annotations")) {
        for (key, value) in notes {
            put(annotations, &key, value);
        }
    }
}

/// An Ask as resources, and as words for what resources cannot hold.
struct Said {
    resources: Vec<(&'static str, String)>,
    words: Vec<Word>,
}

/// Extended resources are whole numbers; the rest is said in words.
fn say(ask: &Ask) -> Said {
    let mut resources = vec![(cleave::GPU, ask.count.to_string())];
    let mut words = words::words(ask);
    words.retain(|(word, _)| *word != "gpu");
    if *ask == (Ask { selectors: ask.selectors.clone(), policy: ask.policy, ..Ask::whole(ask.count) }) {
        words.retain(|(word, _)| !matches!(*word, "memory" | "compute" | "isolation"));
        return Said { resources, words };
    }
    let percent =
        |share: MilliPercent| share.thousandths().is_multiple_of(1000).then(|| share.thousandths() / 1000);
    match ask.memory.reserved {
        Memory::Mib(mib) if mib > 0 => resources.push((cleave::MEMORY, format!("{mib}Mi"))),
        Memory::Share(share) => {
            resources.extend(percent(share).map(|p| (cleave::MEMORY_PERCENT, p.to_string())))
        }
        Memory::Mib(_) => {}
    }
    if resources.len() > 1 {
        words.retain(|(word, _)| *word != "memory");
    }
    if ask.compute == dialect::REST {
        words.retain(|(word, _)| *word != "compute");
    } else if let Compute::Share(share) = ask.compute.reserved
        && let Some(p) = percent(share)
    {
        resources.push((cleave::COMPUTE, p.to_string()));
        words.retain(|(word, _)| *word != "compute");
    }
    if let Some(p) = ask.encode.and_then(percent) {
        resources.push((cleave::ENCODE, p.to_string()));
        words.retain(|(word, _)| *word != "encode");
    }
    Said { resources, words }
}

/// Where each container of a pod is written: the list's key and the place in it.
fn containers(template: &Node) -> Vec<(&'static str, usize)> {
    let pod = Pod::read(template, "");
    let mut seen = [0usize; 3];
    let mut places = Vec::new();
    for container in &pod.containers {
        let (slot, list) = match container.role {
            Role::Init | Role::Sidecar => (0, "initContainers"),
            Role::Main => (1, "containers"),
            Role::Ephemeral => (2, "ephemeralContainers"),
        };
        places.push((list, seen[slot]));
        seen[slot] += 1;
    }
    places
}

fn container_mut<'a>(template: &'a mut Node, list: &str, index: usize) -> Option<&'a mut Node> {
    match template.get_mut("spec")?.get_mut(list)? {
        Node::List(items) => items.get_mut(index),
        _ => None,
    }
}

/// Requests equal limits for extended resources, so limits are enough.
fn put_resources(template: &mut Node, list: &str, index: usize, resources: &[(&str, String)]) {
    let Some(container) = container_mut(template, list, index) else { return };
    if container.map_at("resources").is_none() {
        return;
    }
    let Some(limits) = container.get_mut("resources").and_then(|r| r.map_at("limits")) else { return };
    for (key, value) in resources {
        let value =
            if value.ends_with('i') { Node::plain(value.clone()) } else { Node::string(value.clone()) };
        put(limits, key, value);
    }
}

/// Takes out every key of the dialects a pod was read in.
fn strip(template: &mut Node, asked: &PodAsk, settings: &Settings) {
    let known = |place: Place, key: &str| {
        let goes =
            |o: Owner| o.place == place && o.duty != Duty::Kept && asked.dialects.contains(&o.dialect.name);
        settings.owners(key).any(goes)
    };
    for (part, place) in [("annotations", Place::Annotation), ("labels", Place::Label)] {
        if let Some(Node::Map(entries)) = template.get_mut("metadata").and_then(|m| m.get_mut(part)) {
            entries.retain(|(key, _)| !known(place, key) && !is_group_key(place, key));
        }
    }
    drop_if_empty(template.get_mut("metadata"), &["annotations", "labels"]);
    for (list, index) in containers(template) {
        let Some(container) = container_mut(template, list, index) else { continue };
        for part in ["limits", "requests"] {
            if let Some(Node::Map(entries)) = container.get_mut("resources").and_then(|r| r.get_mut(part)) {
                entries.retain(|(key, _)| !known(Place::Resource, key));
            }
        }
        if let Some(Node::List(vars)) = container.get_mut("env") {
            vars.retain(|v| !v.text_of("name").is_some_and(|name| known(Place::Env, name)));
        }
        drop_claims(container.get_mut("resources").and_then(|r| r.get_mut("claims")), asked);
        drop_if_empty(container.get_mut("resources"), &["limits", "requests", "claims"]);
        drop_if_empty(Some(container), &["env", "resources"]);
    }
    let own = |name: &str| {
        asked.dialects.iter().filter_map(|d| dialect::by_name(d)).any(|d| d.schedulers.contains(&name))
    };
    if let Some(Node::Map(entries)) = template.get_mut("spec") {
        entries.retain(|(key, value)| key != "schedulerName" || !value.text().is_some_and(own));
    }
    drop_claims(template.get_mut("spec").and_then(|s| s.get_mut("resourceClaims")), asked);
    drop_if_empty(template.get_mut("spec"), &["resourceClaims"]);
}

/// Takes out the claims that became Asks; others are none of our business.
fn drop_claims(list: Option<&mut Node>, asked: &PodAsk) {
    if let Some(Node::List(claims)) = list {
        claims.retain(|c| !c.text_of("name").is_some_and(|name| asked.claims.iter().any(|n| n == name)));
    }
}

fn drop_if_empty(node: Option<&mut Node>, keys: &[&str]) {
    if let Some(Node::Map(entries)) = node {
        entries.retain(|(key, value)| {
            let empty = match value {
                Node::Map(inner) => inner.is_empty(),
                Node::List(inner) => inner.is_empty(),
                Node::Scalar(_) => false,
            };
            !(empty && keys.contains(&key.as_str()))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Book;
    use crate::words::tests::any_ask;
    use proptest::prelude::*;

    fn template(names: &[&str]) -> Node {
        let container = |name: &&str| Node::Map(vec![("name".into(), Node::string(*name))]);
        let list = Node::List(names.iter().map(container).collect());
        Node::Map(vec![("spec".into(), Node::Map(vec![("containers".into(), list)]))])
    }

    proptest! {
        #[test]
        fn what_is_said_is_understood(first in any_ask(), second in any_ask()) {
            prop_assume!(words::check(&first).is_ok() && words::check(&second).is_ok());
            let mut pod = template(&["a", "b"]);
            let asked = |place, name: &str, ask: &Ask| Asked { place, container: name.into(), ask: ask.clone() };
            let said = PodAsk {
                dialects: vec!["hami"],
                asks: vec![asked(0, "a", &first), asked(1, "b", &second)],
                foreign: Vec::new(),
                lost: Vec::new(),
                phases: Vec::new(),
                claims: Vec::new(),
                gang: Some(cleave_model::Gang { name: "g".into(), least: first.count }),
            };
            rewrite(&mut pod, &said, &Settings::default());
            let read = crate::read(&Pod::read(&pod, "x"), &Settings::default(), &Book::default());
            let read = read.map(|p| p.map(|p| (p.asks, p.gang)));
            prop_assert_eq!(read, Ok(Some((said.asks, said.gang))), "{}", crate::write::yaml(&pod));
        }
    }
}
