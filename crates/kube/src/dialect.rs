//! What a dialect is: a table of keys, a few options, and one function that reads a pod.

use cleave_model::{Ask, Bounds, Compute, Memory, MilliPercent};

use crate::claims::Request;
use crate::dialects;
use crate::pod::{Container, Pod, scalar};
use crate::quantity::Quantity;
use crate::refusal::{Lost, Refusal, Remark};
use crate::settings::Settings;

/// The words of one system.
pub struct Dialect {
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    pub keys: &'static [Key],
    pub options: &'static [Choice],
    /// How it reads claims, if it does.
    pub claims: Option<Claims>,
    /// What the system accepts and refuses, in words.
    pub verdicts: &'static [&'static str],
    /// Its schedulers, which a translated pod does not go to.
    pub schedulers: &'static [&'static str],
    pub reads: Reads,
    /// Turns a pod into Asks, with the verdict of the system the dialect comes from.
    pub read: fn(&mut Reading<'_>) -> Result<(), Refusal>,
}

/// How a dialect reads DRA claims.
pub struct Claims {
    /// The device classes that are its own.
    pub classes: &'static [&'static str],
    /// Those of them that a container may use only one request of.
    pub lone: &'static [&'static str],
    /// One request of a claim, per slice. The error is the field and what is wrong with it.
    pub read: fn(&Request<'_>, &mut Vec<Remark>) -> Result<Ask, Remark>,
}

/// One key of a dialect. `<x>` in a name stands for anything.
pub struct Key {
    pub name: &'static str,
    pub place: Place,
    pub duty: Duty,
    pub meaning: &'static str,
}

/// Where a key is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Resource,
    Annotation,
    Label,
    Env,
    /// A label of nodes, which a pod may select by.
    Node,
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// Asks for something: its presence says which dialects a pod may be written in.
    Asks,
    /// Shapes what is asked.
    Shapes,
    /// Means something to others: it stays as it is.
    Kept,
    /// Has no equal in Cleave; the meaning says what is lost.
    Lost,
    /// Written by the system itself: state, not a wish.
    State,
}

/// An option of a dialect, set by the cluster.
pub struct Choice {
    pub name: &'static str,
    pub default: &'static str,
    pub meaning: &'static str,
    pub accepts: fn(&str) -> bool,
}

/// Which half of `resources` a system looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    LimitsThenRequests,
    Limits,
}

/// Every dialect, our own words first.
pub static ALL: &[&Dialect] = dialects::ALL;

pub fn by_name(name: &str) -> Option<&'static Dialect> {
    ALL.iter().copied().find(|d| d.name == name)
}

pub const fn asks(name: &'static str, meaning: &'static str) -> Key {
    Key { name, place: Place::Resource, duty: Duty::Asks, meaning }
}

pub const fn note(name: &'static str, duty: Duty, meaning: &'static str) -> Key {
    Key { name, place: Place::Annotation, duty, meaning }
}

pub const fn label(name: &'static str, duty: Duty, meaning: &'static str) -> Key {
    Key { name, place: Place::Label, duty, meaning }
}

pub const fn env(name: &'static str, duty: Duty, meaning: &'static str) -> Key {
    Key { name, place: Place::Env, duty, meaning }
}

/// A label of nodes. Selecting by it is kept, and lost where nodes stop carrying it.
pub const fn node(name: &'static str) -> Key {
    Key {
        name,
        place: Place::Node,
        duty: Duty::Lost,
        meaning: "is a label of nodes: the selection stays, the label may not",
    }
}

/// Whether a key as written is the one of this row, `name` being what the row is called in this cluster.
pub fn matches(name: &str, written: &str) -> bool {
    match ends(name) {
        Some((head, tail)) => {
            written.len() > head.len() + tail.len() && written.starts_with(head) && written.ends_with(tail)
        }
        None => name == written,
    }
}

/// What stands before and after `<x>` in a pattern; `None` for a plain name.
pub fn ends(name: &str) -> Option<(&str, &str)> {
    let (head, rest) = name.split_once('<')?;
    Some((head, rest.split_once('>')?.1))
}

/// A whole number.
pub fn number(text: &str) -> bool {
    text.parse::<u32>().is_ok()
}

/// A whole number above zero.
pub fn positive(text: &str) -> bool {
    text.parse::<u32>().is_ok_and(|n| n > 0)
}

/// What one container asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Its place in the pod's containers.
    pub place: usize,
    pub container: String,
    pub ask: Ask,
}

/// A pod being read in one dialect.
pub struct Reading<'a> {
    pub pod: &'a Pod<'a>,
    pub asks: Vec<Asked>,
    pub lost: Vec<Lost>,
    pub(crate) dialect: &'static Dialect,
    settings: &'a Settings,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(pod: &'a Pod<'a>, dialect: &'static Dialect, settings: &'a Settings) -> Reading<'a> {
        Reading { pod, asks: Vec::new(), lost: Vec::new(), dialect, settings }
    }

    /// Reads every container in turn; the closure answers with its Ask, if it asks.
    pub fn each(
        &mut self,
        mut read: impl FnMut(&mut Reading<'a>, &'a Container<'a>) -> Result<Option<Ask>, Refusal>,
    ) -> Result<(), Refusal> {
        let pod = self.pod;
        for (place, container) in pod.containers.iter().enumerate() {
            if let Some(ask) = read(self, container)? {
                self.asks.push(Asked { place, container: container.name.to_owned(), ask });
            }
        }
        Ok(())
    }

    pub fn option(&self, name: &'static str) -> &'a str {
        self.settings.option(self.dialect, name)
    }

    /// An option that is a whole number.
    pub fn number(&self, name: &'static str) -> u64 {
        self.option(name).parse().unwrap_or(0)
    }

    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        scalar(self.pod.annotations, &self.settings.name(self.dialect, key)).map(|s| s.text.as_str())
    }

    pub fn label(&self, key: &str) -> Option<&'a str> {
        scalar(self.pod.labels, &self.settings.name(self.dialect, key)).map(|s| s.text.as_str())
    }

    /// Names and values of the annotations a pattern matches, with what `<x>` stands for.
    pub fn annotations_like(&self, pattern: &str) -> Vec<(&'a str, &'a str)> {
        let pattern = self.settings.name(self.dialect, pattern).into_owned();
        let Some((head, tail)) = ends(&pattern) else { return Vec::new() };
        let written = self.pod.annotations.iter().filter(|(k, _)| matches(&pattern, k));
        written.filter_map(|(k, v)| Some((&k[head.len()..k.len() - tail.len()], v.text()?))).collect()
    }

    /// Resources of a container that a pattern matches: what `<x>` stands for.
    pub fn resources_like(&self, container: &Container<'a>, pattern: &str) -> Vec<&'a str> {
        let pattern = self.settings.name(self.dialect, pattern).into_owned();
        let Some((head, tail)) = ends(&pattern) else { return Vec::new() };
        let mut found = Vec::new();
        for (key, _) in container.limits.iter().chain(container.requests) {
            if matches(&pattern, key) {
                let part = &key[head.len()..key.len() - tail.len()];
                // More than a few are refused anyway.
                if found.len() < 16 && !found.contains(&part) {
                    found.push(part);
                }
            }
        }
        found
    }

    /// Whether a container names a resource at all.
    pub fn has(&self, container: &Container<'a>, key: &str) -> bool {
        let name = self.settings.name(self.dialect, key);
        container.limits.iter().chain(container.requests).any(|(k, _)| *k == name)
    }

    /// Whether a container limits a resource.
    pub fn limits(&self, container: &Container<'a>, key: &str) -> bool {
        let name = self.settings.name(self.dialect, key);
        container.limits.iter().any(|(k, _)| *k == name)
    }

    /// A resource of a container: from limits, or from requests where the system looks there too.
    pub fn quantity(&self, container: &Container<'a>, key: &str) -> Result<Option<Quantity>, Refusal> {
        let name = self.settings.name(self.dialect, key);
        let limit = self.parse(container, &name, container.limits)?;
        let request = self.parse(container, &name, container.requests)?;
        match (limit, request) {
            (Some(limit), Some(request)) if limit != request => Err(self.refuse(
                container,
                key,
                "is not the same in requests and limits, which Kubernetes refuses for such resources",
            )),
            (None, Some(_)) if self.dialect.reads == Reads::Limits => Err(self.refuse(
                container,
                key,
                format!("is only in requests; {} reads limits", self.dialect.title),
            )),
            (limit, request) => Ok(limit.or(request)),
        }
    }

    /// A resource that must be a whole number.
    pub fn units(&self, container: &Container<'a>, key: &str) -> Result<Option<u64>, Refusal> {
        let Some(quantity) = self.quantity(container, key)? else { return Ok(None) };
        match quantity.as_units() {
            Some(units) => Ok(Some(units)),
            None => Err(self.refuse(container, key, "must be a whole number")),
        }
    }

    /// A resource that counts devices.
    pub fn count(&self, container: &Container<'a>, key: &str) -> Result<Option<u32>, Refusal> {
        let Some(units) = self.units(container, key)? else { return Ok(None) };
        match u32::try_from(units).ok().filter(|n| *n <= MOST_DEVICES) {
            Some(count) => Ok(Some(count)),
            None => {
                Err(self.refuse(container, key, format!("asks for {units} devices; no node has that many")))
            }
        }
    }

    fn parse(
        &self,
        container: &Container<'a>,
        name: &str,
        entries: &'a [(String, crate::tree::Node)],
    ) -> Result<Option<Quantity>, Refusal> {
        let Some((_, node)) = entries.iter().find(|(k, _)| k == name) else { return Ok(None) };
        let refuse = |why: String| Refusal::new(Some(container.name), name, why);
        let Some(written) = scalar(entries, name) else { return Err(refuse("is not a quantity".into())) };
        let octal = written.text.len() > 1
            && written.text.starts_with('0')
            && written.text.bytes().all(|b| b.is_ascii_digit());
        if octal && !written.quoted && !node.is_null() {
            return Err(refuse(format!("is written {}, which YAML readers take for octal", written.text)));
        }
        match Quantity::parse(&written.text) {
            Ok(q) if q.is_negative() => Err(refuse(format!("is negative: {}", shown(&written.text)))),
            Ok(q) => Ok(Some(q)),
            Err(why) => Err(refuse(format!("{} {why}", shown(&written.text)))),
        }
    }

    pub fn refuse(&self, container: &Container<'_>, key: &str, why: impl Into<String>) -> Refusal {
        Refusal::new(Some(container.name), self.settings.name(self.dialect, key), why)
    }

    /// Refuses for a key that belongs to the whole pod.
    pub fn refuse_pod(&self, key: &str, why: impl Into<String>) -> Refusal {
        Refusal::new(None, self.settings.name(self.dialect, key), why)
    }

    pub fn lose(&mut self, container: &Container<'_>, key: &str, why: impl Into<String>) {
        let key = self.settings.name(self.dialect, key).into_owned();
        self.lost.push(Lost { container: Some(container.name.to_owned()), key, why: why.into() });
    }

    pub fn lose_pod(&mut self, key: &str, why: impl Into<String>) {
        let key = self.settings.name(self.dialect, key).into_owned();
        self.lost.push(Lost { container: None, key, why: why.into() });
    }

    /// `total` over `count` devices, exactly.
    pub fn divide(
        &self,
        container: &Container<'_>,
        key: &str,
        total: u64,
        count: u32,
    ) -> Result<u64, Refusal> {
        let count = u64::from(count.max(1));
        if !total.is_multiple_of(count) {
            return Err(self.refuse(
                container,
                key,
                format!("of {total} does not divide over {count} devices"),
            ));
        }
        Ok(total / count)
    }

    /// A share in percent, at most one device.
    pub fn percent(
        &self,
        container: &Container<'_>,
        key: &str,
        percent: u64,
    ) -> Result<MilliPercent, Refusal> {
        let share = u32::try_from(percent).ok().and_then(MilliPercent::percent);
        share.ok_or_else(|| {
            self.refuse(container, key, format!("of {percent} is more than 100 percent of a device"))
        })
    }

    /// `units` times `mib` MiB.
    pub fn mib(&self, container: &Container<'_>, key: &str, units: u64, mib: u64) -> Result<u64, Refusal> {
        let total = units.checked_mul(mib).filter(|m| *m <= MOST_MIB);
        total.ok_or_else(|| {
            self.refuse(container, key, format!("of {units} is more memory than any device has"))
        })
    }
}

/// No node has more devices than this, and no device more memory: what is above is a mistake or an attack.
const MOST_DEVICES: u32 = 1024;
const MOST_MIB: u64 = 1 << 30;

/// Nothing set aside; whatever is idle may be used.
pub const REST: Bounds<Compute> = Bounds { reserved: Compute::NONE, ceiling: Compute::WHOLE };

/// A compute limit in percent, where 0 is no limit.
pub fn compute_or_rest(share: MilliPercent) -> Bounds<Compute> {
    if share == MilliPercent::NONE { REST } else { Bounds::exactly(Compute::Share(share)) }
}

/// `count` slices with the usual everything else.
pub fn slices(count: u32, memory: Memory, compute: Bounds<Compute>) -> Ask {
    Ask { compute, ..Ask::new(count, memory, Compute::NONE) }
}

/// The parts of a comma list, without spaces and without empty ones.
pub fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|p| !p.is_empty()).map(str::to_owned).collect()
}

/// A foreign value inside a sentence: short and without control characters.
pub fn shown(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    if short.len() < text.len() { format!("{short:?}…") } else { format!("{short:?}") }
}
