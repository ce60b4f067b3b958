//! A pod in, Asks out.

use cleave_model::Gang;

use crate::book::Book;
use crate::choice::choose;
use crate::dialect::{Asked, Duty, Place, Reading, matches};
use crate::dialects::cleave;
use crate::pod::{Pod, Role};
use crate::refusal::{Foreign, Lost, Refusal};
use crate::settings::Settings;
use crate::{claims, groups};

/// What a pod asks for.
#[derive(Clone, Debug)]
pub struct PodAsk {
    /// The dialects it was read in: one, and another if it has claims too.
    pub dialects: Vec<&'static str>,
    /// One per container that asks, in the order the containers start.
    pub asks: Vec<Asked>,
    pub lost: Vec<Lost>,
    /// Claims of device classes that no dialect has.
    pub foreign: Vec<Foreign>,
    /// Which of the asks run at the same time: init containers one by one, each with the sidecars before it, then the
    /// rest with all sidecars. The pod needs what its largest phase needs, not the sum.
    pub phases: Vec<Vec<usize>>,
    /// The pod's names of the claims its asks came from.
    pub claims: Vec<String>,
    /// The pods it gets its place with, or not at all.
    pub gang: Option<Gang>,
}

impl PodAsk {
    /// Devices of the phase that needs most.
    pub fn devices(&self) -> u32 {
        let count =
            |phase: &Vec<usize>| phase.iter().filter_map(|i| self.asks.get(*i)).map(|a| a.ask.count).sum();
        self.phases.iter().map(count).max().unwrap_or(0)
    }
}

/// Reads a pod; `None` if it asks for no device. One that has claims of foreign classes only has no asks.
pub fn read(pod: &Pod<'_>, settings: &Settings, book: &Book) -> Result<Option<PodAsk>, Refusal> {
    check_size(pod)?;
    let mut found = PodAsk {
        dialects: Vec::new(),
        asks: Vec::new(),
        lost: Vec::new(),
        foreign: Vec::new(),
        phases: Vec::new(),
        claims: Vec::new(),
        gang: None,
    };
    if let Some(dialect) = choose(pod, settings)? {
        refuse_ephemeral(pod, dialect, settings)?;
        let mut reading = Reading::new(pod, dialect, settings);
        (dialect.read)(&mut reading)?;
        note_lost_keys(&mut reading, settings);
        (found.asks, found.lost) = (reading.asks, reading.lost);
        found.dialects.push(dialect.name);
    }
    let claimed = claims::read(pod, &book.claims)?;
    for asked in claimed.asks {
        if found.asks.iter().any(|a| a.place == asked.place) {
            let why = "asks for devices beside the resources of the same container";
            return Err(Refusal::new(Some(&asked.container), "resources.claims", why));
        }
        found.asks.push(asked);
    }
    found.lost.extend(claimed.lost);
    found.foreign = claimed.foreign;
    found.dialects.extend(claimed.dialect);
    found.claims = claimed.names;
    found.asks.sort_by_key(|a| a.place);
    found.phases = phases(pod, &found.asks);
    check_names(pod, &found.asks)?;
    if found.asks.is_empty() {
        return Ok((!found.foreign.is_empty()).then_some(found));
    }
    cleave::check_annotations(pod, &found.dialects)?;
    found.gang = groups::read(pod, &book.groups, &mut found.lost)?;
    Ok(Some(found))
}

/// Larger than any pod is, and small enough that work which grows with its square is no burden.
const MOST_CONTAINERS: usize = 1000;

fn check_size(pod: &Pod<'_>) -> Result<(), Refusal> {
    let claims = pod.containers.iter().map(|c| c.claims.len()).max().unwrap_or(0).max(pod.claims.len());
    for (key, count) in [("containers", pod.containers.len()), ("resourceClaims", claims)] {
        if count > MOST_CONTAINERS {
            return Err(Refusal::new(None, key, format!("are {count}, more than {MOST_CONTAINERS}")));
        }
    }
    Ok(())
}

/// The phases of the pod, as places in the asks.
fn phases(pod: &Pod<'_>, asks: &[Asked]) -> Vec<Vec<usize>> {
    let own = |place: &usize| asks.iter().position(|a| a.place == *place);
    let phases = pod.phases().into_iter().map(|phase| phase.iter().filter_map(own).collect::<Vec<_>>());
    phases.filter(|phase| !phase.is_empty()).collect()
}

/// Kubernetes gives ephemeral containers no resources.
fn refuse_ephemeral(
    pod: &Pod<'_>,
    dialect: &crate::dialect::Dialect,
    settings: &Settings,
) -> Result<(), Refusal> {
    for container in pod.containers.iter().filter(|c| c.role == Role::Ephemeral) {
        for (key, _) in container.limits.iter().chain(container.requests) {
            let asks = |k: &crate::dialect::Key| {
                k.place == Place::Resource && matches(&settings.name(dialect, k.name), key)
            };
            if dialect.keys.iter().any(asks) {
                return Err(Refusal::new(Some(container.name), key, "is not for ephemeral containers"));
            }
        }
    }
    Ok(())
}

/// Keys of the dialect that have no equal here, each said once.
fn note_lost_keys(reading: &mut Reading<'_>, settings: &Settings) {
    if reading.asks.is_empty() {
        return;
    }
    // Queues are more than a place on a device; a scheduler for devices alone is no loss.
    let more = ["volcano", "kai", "koordinator"].contains(&reading.dialect.name);
    if let Some(name) = reading.pod.scheduler.filter(|s| more && reading.dialect.schedulers.contains(s)) {
        reading.lose_pod(
            "schedulerName",
            format!("is {name}: its queues and the gangs it makes by itself stay behind"),
        );
    }
    for key in reading.dialect.keys.iter().filter(|k| k.duty == Duty::Lost) {
        let entries = match key.place {
            Place::Annotation => reading.pod.annotations,
            Place::Label => reading.pod.labels,
            Place::Node => reading.pod.node_selector,
            Place::Resource | Place::Env => continue,
        };
        let name = settings.name(reading.dialect, key.name).into_owned();
        if let Some((written, _)) = entries.iter().find(|(k, _)| matches(&name, k)) {
            reading.lost.push(Lost { container: None, key: written.clone(), why: key.meaning.to_owned() });
        }
    }
}

/// A container is told from another by its name, so those that ask need one of their own.
fn check_names(pod: &Pod<'_>, asks: &[Asked]) -> Result<(), Refusal> {
    for asked in asks {
        let same = pod.containers.iter().filter(|c| c.name == asked.container).count();
        if asked.container.is_empty() || same != 1 {
            return Err(Refusal::new(Some(&asked.container), "name", "must be there, and only once"));
        }
    }
    Ok(())
}
