use cleave_model::{Accountant, Ask, Packing, Placement};

use crate::card::{Card, Need, Used};
use crate::cluster::{Cluster, Node};
use crate::policy::{Binpack, Policy, Spread};
use crate::room::{Case, MAX_DEVICES, Room};
use crate::shape::{Shape, picks_single};
use crate::{Reason, topology};

/// Where a pod would lie on one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fit {
    pub score: i32,
    /// Devices by index, Ask by Ask in order, `count` for each.
    pub devices: Vec<u8>,
}

/// One node while a pod is being laid on it: the real accounts stay untouched.
struct Bench<'a> {
    node: &'a Node,
    index: usize,
    shape: &'a Shape,
    used: [Used; MAX_DEVICES],
    before: Room,
    now: Room,
}

/// Whether the pod fits on the node, where on it, and how good that is; or the nearest reason why not.
pub(crate) fn fit(
    cluster: &Cluster,
    index: usize,
    shape: &Shape,
    policy: &dyn Policy,
) -> Result<Fit, Reason> {
    let node = &cluster.nodes[index];
    // The cheap questions first: most nodes of a full cluster end here.
    admits(node, shape)?;
    let before = node.room(cluster.accountant());
    let mut now = before;
    now.host = node.free.minus(shape.want.host);
    let mut used = [Used::default(); MAX_DEVICES];
    for (sum, card) in used.iter_mut().zip(&node.cards) {
        *sum = card.used;
    }
    let mut bench = Bench { node, index, shape, used, before, now };
    let mut devices = Vec::new();
    for (number, ask) in shape.want.asks.iter().enumerate() {
        bench.lay(number, ask, cluster.accountant(), policy, &mut devices)?;
    }
    Ok(Fit { score: by_wish(shape, policy).score(&bench.case(&bench.now)), devices })
}

/// The policy the pod itself wishes for among nodes, or the cluster's.
pub(crate) fn by_wish<'a>(shape: &Shape, policy: &'a dyn Policy) -> &'a dyn Policy {
    wished(shape.want.node_wish(), policy)
}

fn wished(wish: Option<Packing>, policy: &dyn Policy) -> &dyn Policy {
    match wish {
        None => policy,
        Some(Packing::Binpack) => &Binpack,
        Some(Packing::Spread) => &Spread,
    }
}

fn admits(node: &Node, shape: &Shape) -> Result<(), Reason> {
    let want = &shape.want;
    if node.cordoned {
        return Err(Reason::NodeCordoned);
    }
    if !want.asks.is_empty() && node.cards.is_empty() {
        return Err(Reason::NoDevices);
    }
    if want.host.cpu_milli > node.free.cpu_milli {
        return Err(Reason::Cpu);
    }
    if want.host.memory_mib > node.free.memory_mib {
        return Err(Reason::HostMemory);
    }
    Ok(())
}

impl Bench<'_> {
    fn case<'a>(&'a self, after: &'a Room) -> Case<'a> {
        Case { node: self.index, total: self.node.total, before: &self.before, after, size: &self.shape.size }
    }

    /// Lays the slices of one Ask on different devices.
    fn lay(
        &mut self,
        number: usize,
        ask: &Ask,
        accountant: &Accountant,
        policy: &dyn Policy,
        devices: &mut Vec<u8>,
    ) -> Result<(), Reason> {
        let mut needs: [Option<Need>; MAX_DEVICES] = [None; MAX_DEVICES];
        let mut nearest = Reason::NoDevices;
        let mut found = 0;
        for (place, card) in self.node.cards.iter().enumerate() {
            match self.may_lie(number, ask, accountant, place, card) {
                Ok(need) => {
                    needs[place] = Some(need);
                    found += 1;
                }
                Err(reason) => nearest = nearest.max(reason),
            }
        }
        if found < ask.count {
            return Err(if found > 0 { Reason::TooFew } else { nearest });
        }
        if ask.count > 1 && (ask.policy.topology.linked || ask.policy.topology.one_numa) {
            let open = |place: usize| needs[place].is_some();
            let chosen = topology::choose(&self.node.cards, &open, ask.count as usize, ask.policy.topology);
            for place in chosen.ok_or(Reason::Numa)? {
                if let Some(need) = needs[place] {
                    self.take(place, &need, devices);
                }
            }
            return Ok(());
        }
        let policy = wished(ask.policy.device, policy);
        for _ in 0..ask.count {
            let Some(place) = self.best(&needs, policy) else { return Err(Reason::TooFew) };
            if let Some(need) = needs[place].take() {
                self.take(place, &need, devices);
            }
        }
        Ok(())
    }

    fn may_lie(
        &self,
        number: usize,
        ask: &Ask,
        accountant: &Accountant,
        place: usize,
        card: &Card,
    ) -> Result<Need, Reason> {
        let need = self.shape.need(number, card.class)?;
        if !picks_single(ask, &card.device) {
            return Err(Reason::NotSelected);
        }
        if let Some(reason) = card.closed(accountant) {
            return Err(reason);
        }
        card.has_room(&self.used[place], &need, &self.node.oversubscription)?;
        Ok(need)
    }

    /// The device the policy likes best; the first of equals.
    fn best(&self, needs: &[Option<Need>; MAX_DEVICES], policy: &dyn Policy) -> Option<usize> {
        let mut best: Option<(i32, usize)> = None;
        let open = needs.iter().enumerate().filter_map(|(place, need)| need.map(|need| (place, need)));
        let alone = open.clone().nth(1).is_none();
        for (place, need) in open {
            if alone {
                return Some(place);
            }
            // A device like an earlier one gives the same score, and the earlier one wins the tie.
            let same = |other: usize| {
                needs[other] == needs[place]
                    && self.used[other] == self.used[place]
                    && self.node.cards[other].class == self.node.cards[place].class
            };
            if (0..place).any(same) {
                continue;
            }
            let after = self.now.with(place, self.left_after(place, &need));
            let score = policy.device_score(&self.case(&after));
            if best.is_none_or(|(top, _)| score > top) {
                best = Some((score, place));
            }
        }
        best.map(|(_, place)| place)
    }

    fn take(&mut self, place: usize, need: &Need, devices: &mut Vec<u8>) {
        self.now = self.now.with(place, self.left_after(place, need));
        self.used[place].add(need);
        devices.push(place as u8);
    }

    fn left_after(&self, place: usize, need: &Need) -> u16 {
        let mut used = self.used[place];
        used.add(need);
        self.node.cards[place].left(&used)
    }
}

impl Fit {
    /// The fit in words: one Placement per container, every value absolute.
    pub fn placements(&self, node: &Node, shape: &Shape) -> Vec<Placement> {
        let mut devices = self.devices.iter();
        let slices = |ask: &Ask, devices: &mut std::slice::Iter<'_, u8>| {
            let places = devices.by_ref().take(ask.count as usize);
            places.filter_map(|place| ask.on(&node.cards[usize::from(*place)].device).ok()).collect()
        };
        let place = |ask| Placement { node: node.name.clone(), slices: slices(ask, &mut devices) };
        shape.want.asks.iter().map(place).collect()
    }
}
