use cleave_model::{Bounds, Compute, Memory, MilliPercent};

use crate::card::{Card, Need};
use crate::cluster::{Cluster, Node};
use crate::fit::fit;
use crate::policy::Binpack;
use crate::shape::{Shape, picks_single};
use crate::{Reason, Want};

/// Obstacles that are lowered one after the other before giving up.
const MOST_STEPS: usize = 8;

/// The pod with less of whatever this node lacks, found by trying: every obstacle is lowered to what is left there until the
/// pod fits. `None` where less of something would not help.
pub(crate) fn eased(cluster: &Cluster, index: usize, want: &Want) -> Option<Want> {
    let node = &cluster.nodes[index];
    let mut eased = want.clone();
    for _ in 0..MOST_STEPS {
        let shape = Shape::new(eased.clone(), cluster);
        match fit(cluster, index, &shape, &Binpack) {
            Ok(_) => return Some(eased),
            Err(Reason::Cpu) => eased.host.cpu_milli = node.free.cpu_milli,
            Err(Reason::HostMemory) => eased.host.memory_mib = node.free.memory_mib,
            Err(Reason::Memory | Reason::Compute) => {
                let lack =
                    least_lack(node, &shape, |lack| lack.memory.some_left() && lack.compute.some_left())?;
                let ask = &mut eased.asks[lack.ask];
                if lack.memory.lacks > 0 {
                    ask.memory = Bounds::exactly(Memory::Mib(lack.memory.has));
                }
                if lack.compute.lacks > 0 {
                    let share = u32::try_from(lack.compute.has).ok().and_then(MilliPercent::new)?;
                    ask.compute = Bounds::exactly(Compute::Share(share));
                }
            }
            Err(_) => return None,
        }
    }
    None
}

/// Parts of a proposal that are said; a sentence has its length.
const MOST_PARTS: usize = 5;

/// What a pod has to ask for instead.
pub(crate) fn in_words(want: &Want, eased: &Want) -> String {
    let mut parts = Vec::new();
    if eased.host.cpu_milli < want.host.cpu_milli {
        parts.push(format!("{} milli CPU", eased.host.cpu_milli));
    }
    if eased.host.memory_mib < want.host.memory_mib {
        parts.push(format!("{} MiB of host memory", eased.host.memory_mib));
    }
    for (number, (before, after)) in want.asks.iter().zip(&eased.asks).enumerate() {
        let memory = (after.memory != before.memory).then(|| after.memory.reserved.to_string());
        let compute =
            (after.compute != before.compute).then(|| format!("{} of compute", after.compute.reserved));
        let less: Vec<String> = memory.into_iter().chain(compute).collect();
        let whose = if want.asks.len() > 1 { format!(" of container {}", number + 1) } else { String::new() };
        if !less.is_empty() {
            parts.push(format!("{} per slice{whose}", less.join(" and ")));
        }
    }
    let more = if parts.len() > MOST_PARTS { ", and less of the rest" } else { "" };
    parts.truncate(MOST_PARTS);
    format!("ask for at most {}{more}", parts.join(", "))
}

/// What one slice lacks on one device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lack {
    /// Thousandths of what is wanted, of whichever lacks more.
    pub part: u64,
    pub place: usize,
    pub ask: usize,
    /// In MiB.
    pub memory: Gap,
    /// In thousandths of a percent.
    pub compute: Gap,
}

/// What is missing of one thing, and what is left of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    pub lacks: u64,
    pub has: u64,
}

impl Gap {
    fn new(wants: u64, has: u64) -> Gap {
        Gap { lacks: wants.saturating_sub(has), has }
    }

    fn some_left(self) -> bool {
        self.lacks == 0 || self.has > 0
    }

    fn part(self) -> u64 {
        self.lacks * 1000 / (self.lacks + self.has).max(1)
    }
}

impl Lack {
    fn new(card: &Card, need: &Need, place: usize, ask: usize) -> Lack {
        let used = &card.used;
        let memory = card.device.memory_mib.saturating_sub(used.memory_mib + used.movable_mib);
        let taken = if need.offline { used.offline } else { used.online };
        let compute = MilliPercent::WHOLE.thousandths().saturating_sub(taken);
        let (memory, compute) =
            (Gap::new(need.memory_mib, memory), Gap::new(need.compute.into(), compute.into()));
        Lack { part: memory.part().max(compute.part()), place, ask, memory, compute }
    }

    /// `1000 MiB`, `10 % of compute`, or both.
    pub fn in_words(&self) -> String {
        let memory = (self.memory.lacks > 0).then(|| format!("{} MiB", self.memory.lacks));
        let share = u32::try_from(self.compute.lacks).ok().and_then(MilliPercent::new);
        let compute = share.filter(|share| *share != MilliPercent::NONE).map(|s| format!("{s} of compute"));
        memory.into_iter().chain(compute).collect::<Vec<_>>().join(" and ")
    }
}

/// The device and the Ask that lack least of those that lack anything; the first of equals.
pub(crate) fn least_lack(node: &Node, shape: &Shape, counts: impl Fn(&Lack) -> bool) -> Option<Lack> {
    let mut least: Option<Lack> = None;
    for (number, ask) in shape.want.asks.iter().enumerate() {
        for (place, card) in node.cards.iter().enumerate() {
            let Ok(need) = shape.need(number, card.class) else { continue };
            let lack = Lack::new(card, &need, place, number);
            let lacks = lack.memory.lacks + lack.compute.lacks > 0;
            if lacks && card.device.open() && picks_single(ask, &card.device) && counts(&lack) {
                least = least.filter(|least| least.part <= lack.part).or(Some(lack));
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{ask, cluster, commit, host, want};
    use crate::{Host, place};

    #[test]
    fn what_is_proposed_fits() {
        let mut cluster = cluster(1, 2);
        commit(&mut cluster, "a", want(ask(1, 70)));
        commit(&mut cluster, "b", Want { host: host(90), ..want(ask(1, 80)) });
        let wanted = Want { host: host(20), ..want(ask(1, 40)) };
        let less = eased(&cluster, 0, &wanted).unwrap();
        assert_eq!(
            in_words(&wanted, &less),
            "ask for at most 9000 milli CPU, 9216 MiB of host memory, 3000 MiB and 30 % of compute per slice"
        );
        assert!(place(&cluster, &Binpack, &less).is_ok());
        // A little more of any of them does not fit.
        let more = Host { cpu_milli: less.host.cpu_milli + 1, ..less.host };
        assert!(place(&cluster, &Binpack, &Want { host: more, ..less.clone() }).is_err());
        let more = Want { asks: vec![ask(1, 31)], ..less };
        assert!(place(&cluster, &Binpack, &more).is_err());
    }

    #[test]
    fn less_does_not_help_against_other_obstacles() {
        let mut cluster = cluster(1, 1);
        assert_eq!(eased(&cluster, 0, &want(ask(2, 10))), None);
        commit(&mut cluster, "a", want(ask(1, 100)));
        assert_eq!(eased(&cluster, 0, &want(ask(1, 10))), None);
    }
}
