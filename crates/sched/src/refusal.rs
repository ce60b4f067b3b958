use std::collections::BTreeMap;
use std::fmt;

use crate::cluster::{Cluster, Node};
use crate::fit::fit;
use crate::policy::Binpack;
use crate::remedy::{self, least_lack};
use crate::shape::Shape;
use crate::{Offered, Reason, Want};

/// Longest sentence, so that it fits into an event.
pub const SENTENCE: usize = 1024;

/// Longest name shown whole.
const NAME: usize = 64;

/// Why no node takes a pod: the nodes counted by reason, the nearest miss, and what would make it fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub nodes: usize,
    pub reasons: BTreeMap<Reason, usize>,
    pub nearest: Option<Box<NearMiss>>,
    /// Of a gang: how many members had found a place, and how many there are.
    pub gang: Option<(usize, usize)>,
}

/// The node that came closest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss {
    pub node: String,
    pub reason: Reason,
    /// What is missing there, in words with numbers.
    pub missing: String,
    /// What would make it fit.
    pub remedy: String,
}

impl Refusal {
    /// Looks at every node again, to say why.
    pub(crate) fn new(cluster: &Cluster, want: &Want, offered: &Offered) -> Refusal {
        let shape = Shape::new(want.clone(), cluster);
        let mut reasons = BTreeMap::new();
        let mut nearest: Option<(Distance, usize)> = None;
        for index in 0..cluster.nodes.len() {
            let fits = match offered.has(index) {
                true => fit(cluster, index, &shape, &Binpack).map(|_| ()),
                false => Err(Reason::NotOffered),
            };
            let Err(reason) = fits else { continue };
            *reasons.entry(reason).or_insert(0) += 1;
            let distance = Distance::new(&cluster.nodes[index], &shape, reason);
            if nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, index));
            }
        }
        let nearest = nearest.map(|(distance, index)| Box::new(distance.in_words(cluster, index, &shape)));
        Refusal { nodes: cluster.nodes.len(), reasons, nearest, gang: None }
    }
}

/// How far a node is from taking the pod: the kind of obstacle, then how much is missing in thousandths of what is
/// wanted. Smaller is nearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Distance {
    obstacle: u8,
    missing: u64,
    reason: Reason,
}

impl Distance {
    fn new(node: &Node, shape: &Shape, reason: Reason) -> Distance {
        let host = shape.want.host;
        let (obstacle, missing) = match reason {
            Reason::Memory | Reason::Compute => {
                (0, least_lack(node, shape, |_| true).map_or(1000, |lack| lack.part))
            }
            Reason::Cpu => (0, part(host.cpu_milli.saturating_sub(node.free.cpu_milli), host.cpu_milli)),
            Reason::HostMemory => {
                (0, part(host.memory_mib.saturating_sub(node.free.memory_mib), host.memory_mib))
            }
            Reason::Encode | Reason::Slots | Reason::TooFew | Reason::Numa | Reason::InUse => (1, 0),
            Reason::DeviceCordoned | Reason::Unhealthy | Reason::NodeCordoned => (2, 0),
            Reason::TooLarge | Reason::NotSelected | Reason::NoReclaim => (3, 0),
            Reason::Accountant | Reason::NoDevices => (4, 0),
            Reason::NotOffered => (5, 0),
        };
        Distance { obstacle, missing, reason }
    }

    fn in_words(self, cluster: &Cluster, index: usize, shape: &Shape) -> NearMiss {
        let node = &cluster.nodes[index];
        let want = &shape.want;
        // What is proposed was tried; where less of everything does not help, it is for others to make room.
        let less = || remedy::eased(cluster, index, want).map(|eased| remedy::in_words(want, &eased));
        let (missing, remedy) = match self.reason {
            Reason::Memory | Reason::Compute => match least_lack(node, shape, |_| true) {
                Some(lack) => (
                    format!("device {} lacks {}", lack.place, lack.in_words()),
                    less().unwrap_or_else(|| format!("free {} there", lack.in_words())),
                ),
                None => ("its containers do not fit beside each other".into(), "ask for less of each".into()),
            },
            Reason::Cpu => {
                let lacks = want.host.cpu_milli - node.free.cpu_milli;
                (
                    format!("{lacks} of {} milli CPU are missing", want.host.cpu_milli),
                    less().unwrap_or_else(|| format!("free {lacks} milli CPU and devices there")),
                )
            }
            Reason::HostMemory => {
                let lacks = want.host.memory_mib - node.free.memory_mib;
                (
                    format!("{lacks} of {} MiB of host memory are missing", want.host.memory_mib),
                    less().unwrap_or_else(|| format!("free {lacks} MiB of host memory and devices there")),
                )
            }
            Reason::TooFew => (
                "too few devices have room".into(),
                "ask for fewer slices, or free more devices there".into(),
            ),
            Reason::Numa => {
                ("the free devices lie apart".into(), "give up the wish for one NUMA node".into())
            }
            Reason::InUse => {
                ("every device has tenants".into(), "wait for one to be empty, or share it".into())
            }
            Reason::Slots => ("every device is full of slices".into(), "wait for one to end".into()),
            Reason::Encode => ("the encoders are taken".into(), "ask for less encoder share".into()),
            Reason::NodeCordoned => ("it is cordoned".into(), "uncordon it".into()),
            Reason::DeviceCordoned => {
                ("its suitable devices are cordoned".into(), "uncordon one of them".into())
            }
            Reason::Unhealthy => {
                ("its suitable devices are unhealthy".into(), "repair or replace one of them".into())
            }
            Reason::TooLarge => {
                ("its devices are smaller than one slice".into(), "ask for less per slice".into())
            }
            Reason::NotSelected => ("the pod selects other devices".into(), "widen the selection".into()),
            Reason::NoReclaim => (
                "offline work needs soft or strict isolation".into(),
                "change the isolation or the class".into(),
            ),
            Reason::Accountant => {
                ("another system counts its devices".into(), "hand a device over while it is empty".into())
            }
            Reason::NotOffered => (
                "it is not offered to this pod".into(),
                "look at the pod's node selector, affinity, tolerations and volumes".into(),
            ),
            Reason::NoDevices => ("it has no devices for this pod".into(), "add a node with devices".into()),
        };
        NearMiss { node: node.name.clone(), reason: self.reason, missing, remedy }
    }
}

/// Thousandths of `wanted` that are missing.
fn part(missing: u32, wanted: u32) -> u64 {
    u64::from(missing) * 1000 / u64::from(wanted.max(1))
}

/// One sentence of at most [`SENTENCE`] bytes.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut counted: Vec<(Reason, usize)> = self.reasons.iter().map(|(r, n)| (*r, *n)).collect();
        counted.sort_by_key(|(reason, nodes)| (std::cmp::Reverse(*nodes), *reason));
        let mut parts: Vec<String> =
            counted.iter().map(|(reason, nodes)| format!("{nodes} {}", reason.text())).collect();
        let end = self.nearest.as_ref().map_or(String::new(), |near| {
            let name: String = near.node.chars().take(NAME).collect();
            format!("; nearest is {name}, where {}: {}", near.missing, near.remedy)
        });
        let mut start = format!("none of {} nodes fits", self.nodes);
        if let Some((placed, members)) = self.gang {
            start =
                format!("{placed} of {members} members of the gang have a place, for the next one {start}");
        }
        let length = |parts: &[String]| parts.iter().map(|part| part.len() + 2).sum::<usize>();
        let room = SENTENCE.saturating_sub(start.len() + end.len() + "; and others".len());
        let mut cut = false;
        while length(&parts) > room && parts.pop().is_some() {
            cut = true;
        }
        if cut {
            parts.push("and others".into());
        }
        let list = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        write!(f, "{start}{list}{end}")
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use cleave_model::{Accountant, Ask, Health};

    use super::*;
    use crate::fixture::{ask, cluster, commit, host, spec, want};
    use crate::policy::Binpack;
    use crate::{NodeSpec, place};

    fn refused(cluster: &Cluster, want: &Want) -> Refusal {
        place(cluster, &Binpack, want).unwrap_err()
    }

    #[test]
    fn nodes_are_counted_and_the_nearest_is_named() {
        let mut cluster = cluster(3, 1);
        commit(&mut cluster, "a", want(ask(1, 80)));
        commit(&mut cluster, "b", want(ask(1, 70)));
        cluster.cordon_node(2, true);
        let refusal = refused(&cluster, &want(ask(1, 40)));
        assert_eq!(
            refusal.to_string(),
            "none of 3 nodes fits: 2 lack device memory on every device, 1 are cordoned; nearest is n1, where device 0 \
             lacks 1000 MiB and 10 % of compute: ask for at most 3000 MiB and 30 % of compute per slice"
        );
    }

    #[test]
    fn every_obstacle_has_its_reason() {
        let reason = |change: &dyn Fn(&mut NodeSpec), want: Want| {
            let mut spec = spec("n", 2);
            change(&mut spec);
            let mut cluster = Cluster::new(Accountant::Extender);
            cluster.add_node(spec).unwrap();
            *refused(&cluster, &want).reasons.keys().next().unwrap()
        };
        let on_all = |change: fn(&mut cleave_model::Device)| {
            move |spec: &mut NodeSpec| spec.devices.iter_mut().for_each(change)
        };
        let half = || want(ask(1, 50));
        assert_eq!(reason(&|spec| spec.devices.clear(), half()), Reason::NoDevices);
        assert_eq!(reason(&on_all(|d| d.cordoned = true), half()), Reason::DeviceCordoned);
        assert_eq!(
            reason(&on_all(|d| d.health = Health::Unhealthy("xid".into())), half()),
            Reason::Unhealthy
        );
        assert_eq!(reason(&on_all(|d| d.accountant = Accountant::Dra), half()), Reason::Accountant);
        assert_eq!(reason(&on_all(|d| d.max_slices = 0), half()), Reason::Slots);
        assert_eq!(reason(&|_| (), Want { host: host(101), ..half() }), Reason::Cpu);
        assert_eq!(reason(&|spec| spec.host.memory_mib = 1, half()), Reason::HostMemory);
        assert_eq!(reason(&|_| (), want(ask(3, 50))), Reason::TooFew);
        let other = cleave_model::Selectors { models: vec!["H100".into()], ..Default::default() };
        assert_eq!(reason(&|_| (), want(Ask { selectors: other, ..ask(1, 50) })), Reason::NotSelected);
        let large = Ask::new(1, cleave_model::Memory::Mib(20_000), cleave_model::Compute::NONE);
        assert_eq!(reason(&|_| (), want(large)), Reason::TooLarge);
    }

    #[test]
    fn the_sentence_is_never_longer_than_an_event_takes() {
        let mut cluster = cluster(1, 1);
        cluster.add_node(NodeSpec { name: "ü".repeat(5000), ..spec("x", 0) }).unwrap();
        let mut refusal = refused(&cluster, &want(ask(2, 50)));
        for reason in
            [Reason::Cpu, Reason::Memory, Reason::Numa, Reason::Slots, Reason::InUse, Reason::Compute]
        {
            refusal.reasons.insert(reason, usize::MAX);
        }
        for reason in [Reason::NoReclaim, Reason::TooLarge, Reason::Unhealthy, Reason::TooFew, Reason::Encode]
        {
            refusal.reasons.insert(reason, usize::MAX);
        }
        let near = refusal.nearest.as_mut().unwrap();
        near.node = "ü".repeat(5000);
        refusal.gang = Some((usize::MAX, usize::MAX));
        let sentence = refusal.to_string();
        assert!(sentence.len() <= SENTENCE, "{}", sentence.len());
        assert!(sentence.contains("and others"));
    }
}
