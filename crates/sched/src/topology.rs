use cleave_model::{Device, LinkKind, TopologyWish};

use crate::card::Card;

/// Sets to look at before taking the greedy one: all of 8 out of 16 devices are 12 870.
const MOST_SETS: usize = 20_000;

/// The best `count` devices among the open ones: all under one NUMA node if that is wished, the best worst link first,
/// then the best links in all, then the lowest indices. `None` when no set keeps the NUMA wish.
pub(crate) fn choose(
    cards: &[Card],
    open: &dyn Fn(usize) -> bool,
    count: usize,
    wish: TopologyWish,
) -> Option<Vec<usize>> {
    let places: Vec<usize> = (0..cards.len()).filter(|place| open(*place)).collect();
    if !wish.one_numa {
        return best_set(cards, &places, count);
    }
    let mut numas: Vec<u16> = places.iter().filter_map(|place| cards[*place].device.numa).collect();
    numas.sort_unstable();
    numas.dedup();
    let sets = numas.into_iter().filter_map(|numa| {
        let near: Vec<usize> =
            places.iter().copied().filter(|place| cards[*place].device.numa == Some(numa)).collect();
        best_set(cards, &near, count)
    });
    // The first of the best: `max_by_key` would take the last.
    sets.reduce(|best, set| if quality(cards, &set) > quality(cards, &best) { set } else { best })
}

fn best_set(cards: &[Card], places: &[usize], count: usize) -> Option<Vec<usize>> {
    if places.len() < count {
        return None;
    }
    let mut best: Option<(Quality, Vec<usize>)> = None;
    let mut set: Vec<usize> = (0..count).collect();
    for _ in 0..MOST_SETS {
        let devices: Vec<usize> = set.iter().map(|at| places[*at]).collect();
        let quality = quality(cards, &devices);
        if best.as_ref().is_none_or(|(top, _)| quality > *top) {
            best = Some((quality, devices));
        }
        if !next_set(&mut set, places.len()) {
            break;
        }
    }
    best.map(|(_, devices)| devices)
}

/// The worst link between two of a set, then the sum of all.
type Quality = (u32, u32);

fn quality(cards: &[Card], set: &[usize]) -> Quality {
    let (mut worst, mut sum) = (u32::MAX, 0);
    for (at, first) in set.iter().enumerate() {
        for second in &set[at + 1..] {
            let speed = between(&cards[*first].device, &cards[*second].device);
            worst = worst.min(speed);
            sum += speed;
        }
    }
    (worst, sum)
}

/// A rough speed, for comparison only.
fn between(first: &Device, second: &Device) -> u32 {
    let link = first.links.iter().find(|link| link.to == second.uuid);
    match link.map(|link| link.kind) {
        None | Some(LinkKind::System) => 0,
        Some(LinkKind::Node) => 1,
        Some(LinkKind::Pcie) => 2,
        Some(LinkKind::NvLink(lanes)) => 2 + u32::from(lanes.max(1)),
    }
}

/// The next combination in lexical order, or false after the last.
fn next_set(set: &mut [usize], from: usize) -> bool {
    let count = set.len();
    let Some(at) = (0..count).rev().find(|at| set[*at] < from - count + *at) else { return false };
    set[at] += 1;
    for later in at + 1..count {
        set[later] = set[later - 1] + 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use cleave_model::{Ask, Link, Policy, TopologyWish};

    use super::*;
    use crate::fixture::{ask, spec, want};
    use crate::policy::Binpack;
    use crate::{Cluster, Reason, place};

    /// Four devices: 0-2 and 1-3 by NVLink, the rest across sockets; NUMA 0 has 0 and 1.
    fn linked() -> Cluster {
        let mut spec = spec("n", 4);
        for (index, device) in spec.devices.iter_mut().enumerate() {
            device.numa = Some(index as u16 / 2);
            let to = format!("n-g{}", (index + 2) % 4);
            device.links = vec![Link { to, kind: LinkKind::NvLink(4) }];
        }
        let mut cluster = Cluster::new(cleave_model::Accountant::Extender);
        cluster.add_node(spec).unwrap();
        cluster
    }

    fn wish(count: u32, linked: bool, one_numa: bool) -> crate::Want {
        let topology = TopologyWish { linked, one_numa };
        want(Ask { policy: Policy { topology, ..Policy::default() }, ..ask(count, 50) })
    }

    fn devices(cluster: &Cluster, want: &crate::Want) -> Vec<String> {
        let decision = place(cluster, &Binpack, want).unwrap();
        decision.placements[0].slices.iter().map(|slice| slice.device.clone()).collect()
    }

    #[test]
    fn the_best_link_wins_and_the_numa_wish_binds() {
        let mut cluster = linked();
        assert_eq!(devices(&cluster, &wish(2, true, false)), ["n-g0", "n-g2"]);
        assert_eq!(devices(&cluster, &wish(2, false, true)), ["n-g0", "n-g1"]);
        cluster.change_device(0, 2, |device| device.cordoned = true);
        assert_eq!(devices(&cluster, &wish(2, true, false)), ["n-g1", "n-g3"]);
        cluster.change_device(0, 1, |device| device.cordoned = true);
        let refusal = place(&cluster, &Binpack, &wish(2, false, true)).unwrap_err();
        assert_eq!(refusal.reasons[&Reason::Numa], 1);
    }

    #[test]
    fn combinations_are_all_seen_once() {
        let mut set = vec![0, 1, 2];
        let mut seen = 1;
        while next_set(&mut set, 6) {
            seen += 1;
        }
        assert_eq!((seen, set), (20, vec![3, 4, 5]));
    }
}
