use std::collections::{HashMap, VecDeque};

use cleave_model::{Device, Placement};

use crate::chance::Chance;
use crate::cluster::{Cluster, Invalid, NodeSpec, Pod};
use crate::fit::{Fit, by_wish, fit};
use crate::policy::Policy;
use crate::shape::Shape;
use crate::{Refusal, Want};

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
    kinds_learnt: usize,
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
        let kinds_learnt = cluster.kinds.len();
        Desk {
            cluster,
            policy,
            shapes: HashMap::new(),
            changes: VecDeque::new(),
            forgotten: 0,
            decisions: 0,
            kinds_learnt,
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
        if self.cluster.kinds.len() > self.kinds_learnt {
            self.policy.learn(&self.cluster.kinds, &self.cluster.classes);
            self.kinds_learnt = self.cluster.kinds.len();
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
        self.choose(want).ok_or_else(|| Refusal::new(&self.cluster, want))
    }

    /// Where this pod should go, if anywhere: without the search for reasons.
    pub fn choose(&mut self, want: &Want) -> Option<Decision> {
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
        let node =
            pick(&known.scores, &self.cluster, &self.prices, policy.by_lot().then_some(&mut self.chance));
        let node = node?;
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

/// The greatest score after prices; the first of equals, or one drawn by lot.
fn pick(scores: &[i32], cluster: &Cluster, prices: &[i32], mut lot: Option<&mut Chance>) -> Option<usize> {
    let mut best = None;
    let mut top = NO_FIT;
    let mut equals = 0;
    for (node, (score, at)) in scores.iter().zip(&cluster.nodes).enumerate() {
        if *score == NO_FIT {
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
    let shape = Shape::new(want.clone(), cluster);
    let fits: Vec<Option<Fit>> =
        (0..cluster.nodes.len()).map(|node| fit(cluster, node, &shape, policy).ok()).collect();
    let scores: Vec<i32> = fits.iter().map(|fit| fit.as_ref().map_or(NO_FIT, |fit| fit.score)).collect();
    let mut prices = vec![0; cluster.kinds.len()];
    by_wish(&shape, policy).prices(&shape.size, &cluster.kinds, &mut prices);
    let node = pick(&scores, cluster, &prices, None);
    match node.and_then(|node| fits[node].as_ref().map(|fit| (node, fit))) {
        Some((node, fit)) => Ok(decision(cluster, node, fit, &shape)),
        None => Err(Refusal::new(cluster, want)),
    }
}

fn decision(cluster: &Cluster, node: usize, fit: &Fit, shape: &Shape) -> Decision {
    Decision { node, placements: fit.placements(&cluster.nodes[node], shape) }
}
