use std::collections::HashSet;

use cleave_model::Placement;

use crate::cluster::{Cluster, Pod};
use crate::desk::Desk;
use crate::policy::Policy;

/// Moves that would empty devices, fewest moves per device first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defrag {
    pub freed: Vec<Freed>,
    /// Empty devices before any move.
    pub empty_before: usize,
}

/// One device that would be empty, and the moves that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freed {
    pub node: String,
    pub device: String,
    pub moves: Vec<Move>,
}

/// One pod from its place to another, all its slices together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    pub uid: String,
    pub from: Vec<Placement>,
    pub to: Vec<Placement>,
}

impl Defrag {
    pub fn moves(&self) -> usize {
        self.freed.iter().map(|freed| freed.moves.len()).sum()
    }
}

/// Looks for devices whose slices fit on other devices in use. No pod moves twice, no empty device is used, and at most
/// `most_moves` pods move. The steps hold in the order given: each fits after those before it.
pub fn defrag(cluster: &Cluster, policy: Box<dyn Policy>, most_moves: usize) -> Defrag {
    let mut plan = Plan::new(cluster, policy);
    let mut found = Defrag { freed: Vec::new(), empty_before: plan.empty_before };
    let mut left = most_moves;
    for (node, device) in plan.candidates() {
        if let Some(moves) = plan.empty(node, device, left) {
            left -= moves.len();
            let at = &plan.desk.cluster().nodes()[node];
            let device = at.cards()[device].device.uuid.clone();
            found.freed.push(Freed { node: at.name.clone(), device, moves });
        }
    }
    found
}

struct Plan {
    desk: Desk,
    moved: HashSet<String>,
    empty_before: usize,
}

impl Plan {
    /// A copy of the cluster in which empty devices take nothing, so that only devices in use are targets.
    fn new(cluster: &Cluster, policy: Box<dyn Policy>) -> Plan {
        let mut desk = Desk::new(cluster.clone(), policy);
        let mut empty_before = 0;
        for (index, node) in cluster.nodes().iter().enumerate() {
            for (place, card) in node.cards().iter().enumerate() {
                if card.used().slices == 0 {
                    empty_before += usize::from(card.device.open());
                    desk.change_device(index, place, |device| device.cordoned = true);
                }
            }
        }
        Plan { desk, moved: HashSet::new(), empty_before }
    }

    /// Devices in use that new slices may go to, those with the fewest slices first, then those with the least on them.
    fn candidates(&self) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (index, node) in self.desk.cluster().nodes().iter().enumerate() {
            for (place, card) in node.cards().iter().enumerate() {
                let used = card.used();
                let ours = card.closed(self.desk.cluster().accountant()).is_none();
                if ours && !node.cordoned && used.slices > 0 && !used.exclusive {
                    found.push((used.slices, used.memory_mib + used.movable_mib, index, place));
                }
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, _, index, place)| (index, place)).collect()
    }

    /// Moves everything off one device within `most` moves, or nothing.
    fn empty(&mut self, node: usize, device: usize, most: usize) -> Option<Vec<Move>> {
        let at = &self.desk.cluster().nodes()[node];
        let uuid = at.cards()[device].device.uuid.clone();
        let mut pods: Vec<Pod> =
            at.pods().iter().filter(|pod| pod.slices().any(|slice| slice.device == uuid)).cloned().collect();
        if pods.len() > most || pods.iter().any(|pod| self.moved.contains(&pod.uid)) {
            return None;
        }
        pods.sort_by_key(|pod| std::cmp::Reverse(pod.needs().map(|(_, need)| need.memory_mib).sum::<u64>()));
        self.desk.change_device(node, device, |device| device.cordoned = true);
        let mut moves = Vec::new();
        for pod in &pods {
            self.desk.release(&pod.uid);
            let target = self.desk.choose(&pod.want);
            let to = target.as_ref().map_or(node, |target| target.node);
            let placements = target.as_ref().map_or_else(|| pod.placements.clone(), |t| t.placements.clone());
            let moved = Pod { placements: placements.clone(), ..pod.clone() };
            let entered = self.desk.commit(moved, to).is_ok();
            if target.is_none() || !entered {
                self.undo(node, device, &pods[..=moves.len()]);
                return None;
            }
            moves.push(Move { uid: pod.uid.clone(), from: pod.placements.clone(), to: placements });
        }
        self.moved.extend(pods.into_iter().map(|pod| pod.uid));
        Some(moves)
    }

    fn undo(&mut self, node: usize, device: usize, pods: &[Pod]) {
        for pod in pods {
            self.desk.release(&pod.uid);
            // It was there a moment ago and nobody else moves here.
            let _ = self.desk.commit(pod.clone(), node);
        }
        self.desk.change_device(node, device, |device| device.cordoned = false);
    }
}

#[cfg(test)]
mod tests {
    use cleave_model::Ask;

    use super::*;
    use crate::fixture::{ask, cluster, commit, want};
    use crate::policy::{Binpack, Spread};
    use crate::{Pod, Want, place};

    fn spread(cluster: &mut Cluster, uid: &str, want: Want) {
        let decision = place(cluster, &Spread, &want).unwrap();
        cluster
            .commit(Pod { uid: uid.into(), want, placements: decision.placements }, decision.node)
            .unwrap();
    }

    #[test]
    fn scattered_slices_come_together() {
        let mut cluster = cluster(4, 2);
        for uid in ["a", "b", "c", "d", "e"] {
            spread(&mut cluster, uid, want(ask(1, 40)));
        }
        let found = defrag(&cluster, Box::new(Binpack), usize::MAX);
        // Five slices of 40 % need three devices; three of eight were empty.
        assert_eq!((found.empty_before, found.freed.len(), found.moves()), (3, 2, 2));
        // The plan holds when it is carried out.
        for step in found.freed.iter().flat_map(|freed| &freed.moves) {
            let (_, pod) = cluster.release(&step.uid).unwrap();
            assert_eq!(pod.placements, step.from);
            let node = cluster.node_index(&step.to[0].node).unwrap();
            let alone =
                Want { asks: vec![Ask { selectors: only(&step.to[0]), ..ask(1, 40) }], ..pod.want.clone() };
            assert_eq!(place(&cluster, &Binpack, &alone).unwrap().node, node);
            cluster.commit(Pod { placements: step.to.clone(), ..pod }, node).unwrap();
        }
        let empty = |card: &crate::Card| card.used().slices == 0;
        assert_eq!(
            cluster.nodes().iter().flat_map(|node| node.cards()).filter(|card| empty(card)).count(),
            5
        );
    }

    fn only(placement: &Placement) -> cleave_model::Selectors {
        let uuids = vec![placement.slices[0].device.clone()];
        cleave_model::Selectors { uuids, ..Default::default() }
    }

    #[test]
    fn fewest_moves_first_and_within_the_limit() {
        let mut cluster = cluster(3, 1);
        for uid in ["a1", "a2"] {
            commit(&mut cluster, uid, want(ask(1, 20)));
        }
        spread(&mut cluster, "b", want(ask(1, 30)));
        spread(&mut cluster, "c", want(ask(1, 50)));
        let found = defrag(&cluster, Box::new(Binpack), usize::MAX);
        assert_eq!(found.freed[0].moves.len(), 1);
        assert_eq!(found.freed[0].device, "n1-g0");
        assert_eq!(defrag(&cluster, Box::new(Binpack), 0).freed, []);
    }

    #[test]
    fn what_must_stay_stays() {
        let mut full = cluster(2, 1);
        commit(&mut full, "a", want(ask(1, 60)));
        commit(&mut full, "b", want(ask(1, 60)));
        assert_eq!(defrag(&full, Box::new(Binpack), usize::MAX).freed, []);
        let mut alone = cluster(2, 1);
        commit(&mut alone, "a", want(Ask::whole(1)));
        spread(&mut alone, "b", want(ask(1, 10)));
        assert_eq!(defrag(&alone, Box::new(Binpack), usize::MAX).freed, []);
    }
}
