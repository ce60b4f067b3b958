use std::collections::HashMap;
use std::fmt;

use cleave_model::{Accountant, Device, Placement, Slice};

use crate::card::{Card, Need, Used};
use crate::room::{MAX_DEVICES, Room};
use crate::{Host, Oversubscription, Want};

/// A node as it is reported: what it has, not what is on it.
#[derive(Clone, Debug, Default)]
pub struct NodeSpec {
    pub name: String,
    pub host: Host,
    pub devices: Vec<Device>,
    /// Takes no new pods, keeps those it has.
    pub cordoned: bool,
    pub oversubscription: Oversubscription,
}

/// A pod that has its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pod {
    pub uid: String,
    pub want: Want,
    /// One per container that has slices, all on the same node, in the order of the Asks.
    pub placements: Vec<Placement>,
}

/// The snapshot decisions are made on: nodes, their devices, and what is committed.
#[derive(Clone, Debug)]
pub struct Cluster {
    accountant: Accountant,
    pub(crate) nodes: Vec<Node>,
    names: HashMap<String, usize>,
    /// Device classes: the distinct devices apart from their uuid, place and state.
    pub(crate) classes: Vec<Device>,
    /// Node kinds: the classes of a node's devices in order.
    pub(crate) kinds: Vec<Kind>,
    places: HashMap<String, usize>,
}

/// Nodes with the same devices in the same order, and what is left on all of them.
#[derive(Clone, Debug)]
pub struct Kind {
    pub classes: Vec<u16>,
    /// Thousandths of devices left, of all nodes of this kind.
    pub free: u64,
    /// The most CPU a node of this kind has.
    pub most_cpu_milli: u32,
}

/// One node, its devices and its pods.
#[derive(Clone, Debug)]
pub struct Node {
    pub name: String,
    pub total: Host,
    pub free: Host,
    pub cordoned: bool,
    pub oversubscription: Oversubscription,
    pub(crate) kind: u16,
    pub(crate) cards: Vec<Card>,
    pub(crate) pods: Vec<Pod>,
}

/// Why the cluster does not take a node or a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invalid {
    TooManyDevices { node: String, devices: usize },
    NodeExists(String),
    UnknownNode(String),
    UnknownDevice { node: String, device: String },
    PodExists(String),
    SeveralNodes(String),
    TooManyKinds,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Invalid::TooManyDevices { node, devices } => {
                write!(f, "node {node} has {devices} devices, at most {MAX_DEVICES} are counted")
            }
            Invalid::NodeExists(node) => write!(f, "node {node} is there twice"),
            Invalid::UnknownNode(node) => write!(f, "no node {node}"),
            Invalid::UnknownDevice { node, device } => write!(f, "node {node} has no device {device}"),
            Invalid::PodExists(uid) => write!(f, "pod {uid} has its place already"),
            Invalid::SeveralNodes(uid) => write!(f, "pod {uid} is said to be on several nodes"),
            Invalid::TooManyKinds => f.write_str("more than 65 535 kinds of nodes or devices"),
        }
    }
}

impl std::error::Error for Invalid {}

impl Cluster {
    /// An empty cluster whose devices count if `accountant` counts them.
    pub fn new(accountant: Accountant) -> Cluster {
        Cluster {
            accountant,
            nodes: Vec::new(),
            names: HashMap::new(),
            classes: Vec::new(),
            kinds: Vec::new(),
            places: HashMap::new(),
        }
    }

    pub fn accountant(&self) -> &Accountant {
        &self.accountant
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn node_index(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// Where a pod is, by its UID.
    pub fn place_of(&self, uid: &str) -> Option<usize> {
        self.places.get(uid).copied()
    }

    /// Adds an empty node.
    pub fn add_node(&mut self, spec: NodeSpec) -> Result<usize, Invalid> {
        if spec.devices.len() > MAX_DEVICES {
            return Err(Invalid::TooManyDevices { node: spec.name, devices: spec.devices.len() });
        }
        if self.names.contains_key(&spec.name) {
            return Err(Invalid::NodeExists(spec.name));
        }
        let mut cards = Vec::with_capacity(spec.devices.len());
        for device in spec.devices {
            let class = self.class_of(&device)?;
            cards.push(Card { device, class, used: Used::default() });
        }
        let kind = self.kind_of(cards.iter().map(|card| card.class).collect())?;
        let index = self.nodes.len();
        self.names.insert(spec.name.clone(), index);
        self.nodes.push(Node {
            name: spec.name,
            total: spec.host,
            free: spec.host,
            cordoned: spec.cordoned,
            oversubscription: spec.oversubscription,
            kind,
            cards,
            pods: Vec::new(),
        });
        let idle = u64::from(self.nodes[index].room(&self.accountant).idle());
        let kind = &mut self.kinds[usize::from(kind)];
        kind.free += idle;
        kind.most_cpu_milli = kind.most_cpu_milli.max(spec.host.cpu_milli);
        Ok(index)
    }

    /// Opens or closes a node for new pods.
    pub fn cordon_node(&mut self, node: usize, cordoned: bool) {
        self.recounted(node, |node| node.cordoned = cordoned);
    }

    /// Changes what a node reports about one of its devices: health, cordon, accountant.
    pub fn change_device(&mut self, node: usize, device: usize, change: impl FnOnce(&mut Device)) {
        self.recounted(node, |node| change(&mut node.cards[device].device));
    }

    /// Enters a pod that has been committed to its place. A commit is a fact: it is counted even if it does not fit,
    /// so that the device is seen to be over-committed and gets nothing more.
    pub fn commit(&mut self, pod: Pod, node: usize) -> Result<(), Invalid> {
        if self.places.contains_key(&pod.uid) {
            return Err(Invalid::PodExists(pod.uid));
        }
        let Some(target) = self.nodes.get(node) else { return Err(Invalid::UnknownNode(node.to_string())) };
        if pod.placements.iter().any(|placement| placement.node != target.name) {
            return Err(Invalid::SeveralNodes(pod.uid));
        }
        let mut added = Vec::new();
        for (slice, need) in pod.needs() {
            let Some(place) = target.cards.iter().position(|card| card.device.uuid == slice.device) else {
                return Err(Invalid::UnknownDevice {
                    node: target.name.clone(),
                    device: slice.device.clone(),
                });
            };
            added.push((place, need));
        }
        self.places.insert(pod.uid.clone(), node);
        self.recounted(node, |node| {
            node.put(pod, &added);
        });
        Ok(())
    }

    /// Takes a pod away and gives its place back, once: a second release finds nothing.
    pub fn release(&mut self, uid: &str) -> Option<(usize, Pod)> {
        let index = self.places.remove(uid)?;
        let node = self.nodes.get(index)?;
        let at = node.pods.iter().position(|pod| pod.uid == uid)?;
        let mut gone = None;
        self.recounted(index, |node| {
            let pod = node.take(at);
            gone = Some(pod);
        });
        gone.map(|pod| (index, pod))
    }

    /// Applies a change to one node and keeps the sums over its kind right.
    fn recounted(&mut self, node: usize, change: impl FnOnce(&mut Node)) {
        let Some(target) = self.nodes.get_mut(node) else { return };
        let before = u64::from(target.room(&self.accountant).idle());
        change(target);
        let after = u64::from(target.room(&self.accountant).idle());
        let free = &mut self.kinds[usize::from(target.kind)].free;
        *free = (*free + after).saturating_sub(before);
    }

    fn class_of(&mut self, device: &Device) -> Result<u16, Invalid> {
        let bare = Device {
            uuid: String::new(),
            index: 0,
            links: Vec::new(),
            numa: None,
            health: cleave_model::Health::Healthy,
            cordoned: false,
            accountant: Accountant::Extender,
            ..device.clone()
        };
        let at = self.classes.iter().position(|class| *class == bare).unwrap_or_else(|| {
            self.classes.push(bare);
            self.classes.len() - 1
        });
        u16::try_from(at).map_err(|_| Invalid::TooManyKinds)
    }

    fn kind_of(&mut self, classes: Vec<u16>) -> Result<u16, Invalid> {
        let at = self.kinds.iter().position(|kind| kind.classes == classes).unwrap_or_else(|| {
            self.kinds.push(Kind { classes, free: 0, most_cpu_milli: 0 });
            self.kinds.len() - 1
        });
        u16::try_from(at).map_err(|_| Invalid::TooManyKinds)
    }
}

impl Node {
    /// What is left, in the form policies read. Closed devices have nothing left.
    pub(crate) fn room(&self, accountant: &Accountant) -> Room {
        let left = |card: &Card| {
            if self.cordoned || card.closed(accountant).is_some() { 0 } else { card.left(&card.used) }
        };
        Room::new(self.free, self.kind, self.cards.iter().map(left))
    }

    /// Enters a pod whose slices lie on these devices.
    fn put(&mut self, pod: Pod, added: &[(usize, Need)]) {
        self.free = self.free.minus(pod.want.host);
        for (place, need) in added {
            self.cards[*place].used.add(need);
        }
        self.pods.push(pod);
    }

    /// Enters a pod that was here before.
    pub(crate) fn put_back(&mut self, pod: Pod) {
        let place = |uuid: &String| self.cards.iter().position(|card| card.device.uuid == *uuid);
        let added: Vec<(usize, Need)> =
            pod.needs().filter_map(|(slice, need)| place(&slice.device).map(|at| (at, need))).collect();
        self.put(pod, &added);
    }

    /// Takes pod number `at` away.
    pub(crate) fn take(&mut self, at: usize) -> Pod {
        let pod = self.pods.swap_remove(at);
        for (slice, need) in pod.needs() {
            if let Some(card) = self.cards.iter_mut().find(|card| card.device.uuid == slice.device) {
                card.used.remove(&need);
            }
        }
        // Recounted from the pods, because a node may have been over-committed meanwhile.
        self.free = self.pods.iter().fold(self.total, |free, pod| free.minus(pod.want.host));
        pod
    }

    pub fn cards(&self) -> &[Card] {
        &self.cards
    }

    pub fn pods(&self) -> &[Pod] {
        &self.pods
    }
}

impl Card {
    pub fn used(&self) -> &Used {
        &self.used
    }
}

impl Pod {
    /// Its slices over all containers.
    pub fn slices(&self) -> impl Iterator<Item = &Slice> {
        self.placements.iter().flat_map(|placement| &placement.slices)
    }

    /// Its slices with what each needs of its device.
    pub(crate) fn needs(&self) -> impl Iterator<Item = (&Slice, Need)> {
        let asks = self.want.asks.iter().zip(&self.placements);
        asks.flat_map(|(ask, placement)| {
            placement.slices.iter().map(|slice| (slice, Need::of(slice, ask.class, self.want.movable(ask))))
        })
    }
}
