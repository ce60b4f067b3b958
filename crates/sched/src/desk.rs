use std::collections::{HashMap, VecDeque};

use cleave_model::{Device, Placement};

use crate::chance::Chance;
use crate::cluster::{Cluster, Invalid, NodeSpec, Pod};
use crate::fit::{Fit, by_wish, fit};
use crate::policy::Policy;
use crate::shape::Shape;
use crate::{Offered, Refusal, Want};

/// Shapes remembered; the one longest out of use goes first.
const SHAPES: usize = 256;

/// A score no policy gives: the pod does not fit.
const NO_FIT: i32 = i32::MIN;

/// Where a pod should go: the decision, not yet the commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Index of the node.
    pub node: usize,
    /// One per container, in the order of the Asks.
    pub placements: Vec<Placement>,
}

/// Decides, and remembers what it worked out: a score holds until its node changes, so a decision for a known shape
/// looks at the nodes that changed since the last one and picks the greatest. The answers are those of
/// [`place`], only sooner.
pub struct Desk {
    cluster: Cluster,
    policy: Box<dyn Policy>,
    shapes: HashMap<Want, Known>,
    /// Nodes in the order of their changes; the first one is change number `forgotten`.
    changes: VecDeque<u32>,
    forgotten: u64,
    decisions: u64,
    /// How many kinds the policy has read, and the most CPU of any.
    learnt: (usize, u32),
    chance: Chance,
    prices: Vec<i32>,
}

/// What is known about one shape.
struct Known {
    shape: Shape,
    scores: Vec<i32>,
    /// Changes up to this number are in the scores.
    upto: u64,
    last_use: u64,
}

impl Desk {
    pub fn new(cluster: Cluster, mut policy: Box<dyn Policy>) -> Desk {
        policy.learn(&cluster.kinds, &cluster.classes);
        let learnt = extent(&cluster);
        Desk {
            cluster,
            policy,
            shapes: HashMap::new(),
            changes: VecDeque::new(),
            forgotten: 0,
            decisions: 0,
            learnt,
            chance: Chance::new(0),
            prices: Vec::new(),
        }
    }

    /// The same desk with lots drawn from this seed.
    pub fn with_chance(mut self, chance: Chance) -> Desk {
        self.chance = chance;
        self
    }

    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The snapshot as it has become.
    pub fn into_cluster(self) -> Cluster {
        self.cluster
    }

    pub fn policy(&self) -> &dyn Policy {
        &*self.policy
    }

    pub fn add_node(&mut self, spec: NodeSpec) -> Result<usize, Invalid> {
        let index = self.cluster.add_node(spec)?;
        if extent(&self.cluster) != self.learnt {
            self.policy.learn(&self.cluster.kinds, &self.cluster.classes);
            self.learnt = extent(&self.cluster);
            self.shapes.clear();
        }
        self.changed(index);
        Ok(index)
    }

    pub fn commit(&mut self, pod: Pod, node: usize) -> Result<(), Invalid> {
        self.cluster.commit(pod, node)?;
        self.changed(node);
        Ok(())
    }

    pub fn release(&mut self, uid: &str) -> Option<Pod> {
        let (node, pod) = self.cluster.release(uid)?;
        self.changed(node);
        Some(pod)
    }

    pub fn cordon_node(&mut self, node: usize, cordoned: bool) {
        self.cluster.cordon_node(node, cordoned);
        self.changed(node);
    }

    pub fn change_device(&mut self, node: usize, device: usize, change: impl FnOnce(&mut Device)) {
        self.cluster.change_device(node, device, change);
        self.changed(node);
    }

    /// Where this pod should go, or why nowhere.
    pub fn decide(&mut self, want: &Want) -> Result<Decision, Refusal> {
        self.decide_among(want, &Offered::all())
    }

    /// The same among the nodes that are offered.
    pub fn decide_among(&mut self, want: &Want, offered: &Offered) -> Result<Decision, Refusal> {
        self.choose_among(want, offered).ok_or_else(|| Refusal::new(&self.cluster, want, offered))
    }

    /// Where this pod should go, if anywhere: without the search for reasons.
    pub fn choose(&mut self, want: &Want) -> Option<Decision> {
        self.choose_among(want, &Offered::all())
    }

    fn choose_among(&mut self, want: &Want, offered: &Offered) -> Option<Decision> {
        self.decisions += 1;
        let decisions = self.decisions;
        if !self.shapes.contains_key(want) {
            self.remember(want);
        }
        let known = self.shapes.get_mut(want)?;
        known.last_use = decisions;
        let policy = &*self.policy;
        known.catch_up(&self.cluster, policy, &self.changes, self.forgotten);
        self.prices.resize(self.cluster.kinds.len(), 0);
        by_wish(&known.shape, policy).prices(&known.shape.size, &self.cluster.kinds, &mut self.prices);
        let lot = policy.by_lot().then_some(&mut self.chance);
        let node = pick(&known.scores, &self.cluster, &self.prices, offered, lot)?;
        let fit = fit(&self.cluster, node, &known.shape, policy).ok()?;
        Some(decision(&self.cluster, node, &fit, &known.shape))
    }

    fn remember(&mut self, want: &Want) {
        if self.shapes.len() >= SHAPES
            && let Some(oldest) = self.shapes.iter().min_by_key(|(_, known)| known.last_use)
        {
            let oldest = oldest.0.clone();
            self.shapes.remove(&oldest);
        }
        let shape = Shape::new(want.clone(), &self.cluster);
        let known = Known { shape, scores: Vec::new(), upto: 0, last_use: 0 };
        self.shapes.insert(want.clone(), known);
    }

    fn changed(&mut self, node: usize) {
        self.changes.push_back(node as u32);
        // A shape further behind than there are nodes is scored afresh at the same price.
        while self.changes.len() > self.cluster.nodes.len() {
            self.changes.pop_front();
            self.forgotten += 1;
        }
    }
}

impl Known {
    /// Scores what changed since the last decision for this shape.
    fn catch_up(&mut self, cluster: &Cluster, policy: &dyn Policy, changes: &VecDeque<u32>, forgotten: u64) {
        let newest = forgotten + changes.len() as u64;
        let score =
            |node: usize, shape: &Shape| fit(cluster, node, shape, policy).map_or(NO_FIT, |fit| fit.score);
        if self.scores.len() != cluster.nodes.len() || self.upto < forgotten {
            self.scores.clear();
            self.scores.extend((0..cluster.nodes.len()).map(|node| score(node, &self.shape)));
        } else {
            let skip = usize::try_from(self.upto - forgotten).unwrap_or(usize::MAX);
            let mut stale: Vec<u32> = changes.iter().skip(skip).copied().collect();
            stale.sort_unstable();
            stale.dedup();
            for node in stale {
                self.scores[node as usize] = score(node as usize, &self.shape);
            }
        }
        self.upto = newest;
    }
}

/// What a policy learns from: kinds, and the most CPU of any node.
fn extent(cluster: &Cluster) -> (usize, u32) {
    (cluster.kinds.len(), cluster.kinds.iter().map(|kind| kind.most_cpu_milli).max().unwrap_or(0))
}

/// The greatest score after prices; the first of equals, or one drawn by lot.
fn pick(
    scores: &[i32],
    cluster: &Cluster,
    prices: &[i32],
    offered: &Offered,
    mut lot: Option<&mut Chance>,
) -> Option<usize> {
    let mut best = None;
    let mut top = NO_FIT;
    let mut equals = 0;
    for (node, (score, at)) in scores.iter().zip(&cluster.nodes).enumerate() {
        if *score == NO_FIT || !offered.has(node) {
            continue;
        }
        let score = score.saturating_sub(prices[usize::from(at.kind)]);
        if best.is_none() || score > top {
            (best, top, equals) = (Some(node), score, 1);
        } else if score == top {
            equals += 1;
            if let Some(chance) = lot.as_deref_mut()
                && chance.below(equals) == 0
            {
                best = Some(node);
            }
        }
    }
    best
}

/// The decision of a desk without its memory: a snapshot in, a decision out.
pub fn place(cluster: &Cluster, policy: &dyn Policy, want: &Want) -> Result<Decision, Refusal> {
    place_among(cluster, policy, want, &Offered::all())
}

/// The same among the nodes that are offered.
pub fn place_among(
    cluster: &Cluster,
    policy: &dyn Policy,
    want: &Want,
    offered: &Offered,
) -> Result<Decision, Refusal> {
    let shape = Shape::new(want.clone(), cluster);
    let on = |node| if offered.has(node) { fit(cluster, node, &shape, policy).ok() } else { None };
    let fits: Vec<Option<Fit>> = (0..cluster.nodes.len()).map(on).collect();
    let scores: Vec<i32> = fits.iter().map(|fit| fit.as_ref().map_or(NO_FIT, |fit| fit.score)).collect();
    let mut prices = vec![0; cluster.kinds.len()];
    by_wish(&shape, policy).prices(&shape.size, &cluster.kinds, &mut prices);
    let node = pick(&scores, cluster, &prices, offered, None);
    match node.and_then(|node| fits[node].as_ref().map(|fit| (node, fit))) {
        Some((node, fit)) => Ok(decision(cluster, node, fit, &shape)),
        None => Err(Refusal::new(cluster, want, offered)),
    }
}

fn decision(cluster: &Cluster, node: usize, fit: &Fit, shape: &Shape) -> Decision {
    Decision { node, placements: fit.placements(&cluster.nodes[node], shape) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workload;
    use crate::fixture::{ask, cluster, host, spec, want};
    use crate::policy::by_name;

    /// A mix of pods, some with types, some without devices.
    fn wants() -> Vec<Want> {
        let mut wants: Vec<Want> = [(1, 10), (1, 25), (1, 30), (1, 50), (1, 81), (2, 100), (4, 100), (3, 20)]
            .map(|(n, p)| want(ask(n, p)))
            .into();
        wants.push(Want::host_only(host(9)));
        wants.push(Want { host: host(13), ..want(ask(1, 100)) });
        let mut typed = want(ask(1, 40));
        typed.asks[0].selectors.models = vec!["T4".into()];
        wants.push(typed);
        wants
    }

    fn mixed_cluster() -> Cluster {
        let mut cluster = cluster(9, 4);
        for node in 0..4 {
            let mut spec = spec(&format!("t{node}"), 2);
            spec.devices.iter_mut().for_each(|device| device.model = "T4".into());
            cluster.add_node(spec).unwrap();
        }
        cluster
    }

    /// What the desk remembers never changes an answer: over random arrivals, departures, cordons and faults it decides
    /// as if it looked at everything anew.
    #[test]
    fn memory_changes_no_answer() {
        let wants = wants();
        let workload = Workload::of(wants.iter());
        for name in ["thrift", "fgd", "best-fit", "packing", "clustering", "dot-product", "binpack", "spread"]
        {
            let mut chance = Chance::new(7);
            let mut desk = Desk::new(mixed_cluster(), by_name(name, &workload).unwrap());
            let mut there: Vec<String> = Vec::new();
            for step in 0..400 {
                match chance.below(10) {
                    0..6 => {
                        let want = &wants[chance.below(wants.len())];
                        let decided = desk.decide(want);
                        assert_eq!(decided, place(desk.cluster(), desk.policy(), want), "{name} step {step}");
                        if let Ok(decision) = decided {
                            let uid = format!("p{step}");
                            let pod =
                                Pod { uid: uid.clone(), want: want.clone(), placements: decision.placements };
                            desk.commit(pod, decision.node).unwrap();
                            there.push(uid);
                        }
                    }
                    6..8 if !there.is_empty() => {
                        let uid = there.swap_remove(chance.below(there.len()));
                        assert!(desk.release(&uid).is_some());
                        assert!(desk.release(&uid).is_none());
                    }
                    8 => desk.cordon_node(chance.below(13), chance.below(4) == 0),
                    _ => {
                        let closed = chance.below(4) == 0;
                        desk.change_device(chance.below(13), chance.below(2), |device| {
                            device.cordoned = closed
                        });
                    }
                }
                if step == 200 {
                    desk.add_node(spec("late", 3)).unwrap();
                }
                if step == 300 {
                    desk.add_node(crate::NodeSpec { host: host(500), ..spec("larger", 4) }).unwrap();
                }
            }
            for uid in there {
                desk.release(&uid);
            }
            let clean = |node: &crate::Node| {
                node.free == node.total
                    && node.cards().iter().all(|card| *card.used() == crate::Used::default())
            };
            assert!(desk.cluster().nodes().iter().all(clean), "{name} leaves something behind");
        }
    }

    #[test]
    fn no_device_is_ever_promised_twice() {
        let wants = wants();
        let mut desk = Desk::new(mixed_cluster(), by_name("thrift", &Workload::of(wants.iter())).unwrap());
        let mut chance = Chance::new(3);
        for number in 0..600 {
            let want = &wants[chance.below(wants.len())];
            if let Some(decision) = desk.choose(want) {
                let pod =
                    Pod { uid: number.to_string(), want: want.clone(), placements: decision.placements };
                desk.commit(pod, decision.node).unwrap();
            }
        }
        for node in desk.cluster().nodes() {
            let host = node.pods().iter().fold(crate::Host::default(), |sum, pod| sum.plus(pod.want.host));
            assert!(node.total.covers(host));
            for card in node.cards() {
                let on_it = |slice: &&cleave_model::Slice| slice.device == card.device.uuid;
                let slices = || node.pods().iter().flat_map(|pod| pod.slices()).filter(on_it);
                assert!(
                    slices().map(|slice| slice.memory_mib.reserved).sum::<u64>() <= card.device.memory_mib
                );
                assert!(slices().map(|slice| slice.compute.reserved.thousandths()).sum::<u32>() <= 100_000);
            }
        }
    }

    #[test]
    fn shapes_out_of_use_are_forgotten() {
        let mut desk = Desk::new(cluster(2, 1), by_name("binpack", &Workload::default()).unwrap());
        for cpus in 0..(SHAPES as u32 + 50) {
            desk.choose(&Want::host_only(crate::Host { cpu_milli: cpus, memory_mib: 1 }));
        }
        assert_eq!(desk.shapes.len(), SHAPES);
    }

    #[test]
    fn a_commit_is_a_fact_even_if_it_does_not_fit() {
        let mut desk = Desk::new(cluster(1, 1), by_name("binpack", &Workload::default()).unwrap());
        let placements = desk.choose(&want(ask(1, 80))).unwrap().placements;
        for uid in ["a", "b"] {
            let pod = Pod { uid: uid.into(), want: want(ask(1, 80)), placements: placements.clone() };
            desk.commit(pod, 0).unwrap();
        }
        assert_eq!(desk.cluster().nodes()[0].cards()[0].used().memory_mib, 16_000);
        assert!(desk.choose(&want(ask(1, 1))).is_none());
        desk.release("a");
        assert!(desk.choose(&want(ask(1, 20))).is_some());
        let twice = Pod { uid: "b".into(), want: want(ask(1, 1)), placements: Vec::new() };
        assert_eq!(desk.commit(twice, 0), Err(Invalid::PodExists("b".into())));
    }
}
