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
    fit_on(&cluster.nodes[index], index, cluster.accountant(), shape, policy)
}

/// The same for a node that may not be as it is in the cluster.
pub(crate) fn fit_on(
    node: &Node,
    index: usize,
    accountant: &Accountant,
    shape: &Shape,
    policy: &dyn Policy,
) -> Result<Fit, Reason> {
    // The cheap questions first: most nodes of a full cluster end here.
    admits(node, shape)?;
    let before = node.room(accountant);
    let mut now = before;
    now.host = node.free.minus(shape.want.host);
    let mut used = [Used::default(); MAX_DEVICES];
    for (sum, card) in used.iter_mut().zip(&node.cards) {
        *sum = card.used;
    }
    let mut bench = Bench { node, index, shape, used, before, now };
    let mut devices = Vec::new();
    for (number, ask) in shape.want.asks.iter().enumerate() {
        bench.lay(number, ask, accountant, policy, &mut devices)?;
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use cleave_model::{Ask, Class, Isolation, Memory, Policy as Wish, Selectors};

    use crate::fixture::{DEVICE_MIB, ask, cluster, commit, host, want};
    use crate::policy::{Binpack, Spread};
    use crate::{Cluster, Oversubscription, Reason, Want, place};

    fn devices(cluster: &Cluster, want: &Want) -> Vec<String> {
        let decision = place(cluster, &Binpack, want).unwrap();
        decision.placements.iter().flat_map(|p| &p.slices).map(|slice| slice.device.clone()).collect()
    }

    fn why(cluster: &Cluster, want: &Want) -> Reason {
        *place(cluster, &Binpack, want).unwrap_err().reasons.keys().next_back().unwrap()
    }

    #[test]
    fn binpack_and_spread_on_nodes_and_devices() {
        let mut cluster = cluster(2, 2);
        commit(&mut cluster, "a", want(ask(1, 10)));
        let wish = |node, device| {
            let policy = Wish { node: Some(node), device: Some(device), ..Wish::default() };
            want(Ask { policy, ..ask(1, 10) })
        };
        use cleave_model::Packing::{Binpack as Pack, Spread as Apart};
        assert_eq!(devices(&cluster, &wish(Pack, Pack)), ["n0-g0"]);
        assert_eq!(devices(&cluster, &wish(Pack, Apart)), ["n0-g1"]);
        assert_eq!(devices(&cluster, &wish(Apart, Pack)), ["n1-g0"]);
        let spread = place(&cluster, &Spread, &want(ask(1, 10))).unwrap();
        assert_eq!(spread.node, 1);
    }

    #[test]
    fn slices_of_one_ask_lie_on_different_devices() {
        let cluster = cluster(1, 4);
        let found = devices(&cluster, &want(ask(3, 10)));
        assert_eq!(found.iter().collect::<HashSet<_>>().len(), 3);
        assert_eq!(why(&cluster, &want(ask(5, 10))), Reason::TooFew);
    }

    #[test]
    fn containers_of_one_pod_are_laid_together() {
        let cluster = cluster(2, 1);
        let two = Want { asks: vec![ask(1, 60), ask(1, 40)], ..want(ask(1, 1)) };
        assert_eq!(devices(&cluster, &two), ["n0-g0", "n0-g0"]);
        let over = Want { asks: vec![ask(1, 60), ask(1, 41)], ..want(ask(1, 1)) };
        assert_eq!(why(&cluster, &over), Reason::Memory);
    }

    #[test]
    fn devices_are_selected_by_type_and_uuid() {
        let cluster = cluster(2, 2);
        let by = |selectors| want(Ask { selectors, ..ask(1, 10) });
        let uuid = Selectors { uuids: vec!["n1-g1".into()], ..Selectors::default() };
        assert_eq!(devices(&cluster, &by(uuid)), ["n1-g1"]);
        let not = Selectors { not_uuids: vec!["n0-g0".into(), "n0-g1".into()], ..Selectors::default() };
        assert_eq!(devices(&cluster, &by(not)), ["n1-g0"]);
        let place = Selectors { indices: vec![1], ..Selectors::default() };
        assert_eq!(devices(&cluster, &by(place)), ["n0-g1"]);
        let model = Selectors { not_models: vec!["a100".into()], ..Selectors::default() };
        assert_eq!(why(&cluster, &by(model)), Reason::NotSelected);
    }

    #[test]
    fn exclusive_means_alone() {
        let mut cluster = cluster(1, 2);
        commit(&mut cluster, "a", want(ask(1, 1)));
        assert_eq!(devices(&cluster, &want(Ask::whole(1))), ["n0-g1"]);
        commit(&mut cluster, "b", want(Ask { isolation: Isolation::Exclusive, ..ask(1, 10) }));
        assert_eq!(devices(&cluster, &want(ask(1, 90))), ["n0-g0"]);
        assert_eq!(why(&cluster, &want(Ask::whole(1))), Reason::InUse);
        cluster.release("b");
        assert_eq!(devices(&cluster, &want(Ask::whole(1))), ["n0-g1"]);
    }

    #[test]
    fn offline_lies_beside_online_in_compute_but_not_in_memory() {
        let light = |percent, class| {
            want(Ask { class, memory: cleave_model::Bounds::exactly(Memory::Mib(4000)), ..ask(1, percent) })
        };
        let mut cluster = cluster(1, 1);
        commit(&mut cluster, "service", light(100, Class::Online));
        assert_eq!(why(&cluster, &light(10, Class::Online)), Reason::Compute);
        commit(&mut cluster, "batch", light(100, Class::Offline));
        assert_eq!(why(&cluster, &light(0, Class::Offline)), Reason::Memory);
        let hard = Ask { isolation: Isolation::Hard, class: Class::Offline, ..ask(1, 1) };
        assert_eq!(why(&cluster, &want(hard)), Reason::NoReclaim);
    }

    #[test]
    fn beyond_the_device_only_when_asked_for_by_name() {
        let mut spec = crate::fixture::spec("n", 1);
        spec.oversubscription = Oversubscription { memory_percent: 150 };
        let mut cluster = Cluster::new(cleave_model::Accountant::Extender);
        cluster.add_node(spec).unwrap();
        let memory = |mib| want(Ask::new(1, Memory::Mib(mib), cleave_model::Compute::NONE));
        let named = |mib| Want { oversubscribe: true, ..memory(mib) };
        commit(&mut cluster, "plain", memory(8000));
        assert_eq!(why(&cluster, &memory(2001)), Reason::Memory);
        commit(&mut cluster, "movable", named(7000));
        assert_eq!(why(&cluster, &named(1)), Reason::Memory);
        // What must stay never exceeds the device, however much may be promised.
        cluster.release("movable");
        commit(&mut cluster, "small", named(1));
        assert_eq!(why(&cluster, &memory(DEVICE_MIB - 8000 + 1)), Reason::Memory);
    }

    #[test]
    fn pods_without_devices_need_only_the_host() {
        let cluster = cluster(1, 0);
        assert!(place(&cluster, &Binpack, &Want::host_only(host(100))).is_ok());
        assert_eq!(why(&cluster, &Want::host_only(host(101))), Reason::Cpu);
        assert_eq!(why(&cluster, &want(ask(1, 1))), Reason::NoDevices);
    }

    #[test]
    fn only_our_own_devices_are_used() {
        let mut cluster = cluster(1, 2);
        cluster.change_device(0, 0, |device| device.accountant = cleave_model::Accountant::Dra);
        assert_eq!(devices(&cluster, &want(ask(1, 10))), ["n0-g1"]);
        assert_eq!(why(&cluster, &want(ask(2, 10))), Reason::TooFew);
    }
}
