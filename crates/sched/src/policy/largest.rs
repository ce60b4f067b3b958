use crate::cluster::Kind;
use crate::room::{Room, WHOLE};

/// The most CPU and the most devices of any node, as the unit of both. The published methods divide by those of their own
/// cluster (128 CPUs, 8 devices); here it is whatever this cluster has.
#[derive(Clone, Copy, Debug)]
pub struct Largest {
    cpu_milli: f64,
    devices: f64,
}

/// Before a cluster is known nothing is of any size, and all places are equal.
impl Default for Largest {
    fn default() -> Self {
        Largest { cpu_milli: f64::from(u32::MAX), devices: f64::from(u32::MAX) }
    }
}

impl Largest {
    pub fn of(kinds: &[Kind]) -> Largest {
        let cpu = kinds.iter().map(|kind| kind.most_cpu_milli).max().unwrap_or(0).max(1);
        let devices = kinds.iter().map(|kind| kind.classes.len()).max().unwrap_or(0).max(1);
        Largest { cpu_milli: f64::from(cpu), devices: devices as f64 * f64::from(WHOLE) }
    }

    /// CPU as a part of the most a node has.
    pub fn cpu(&self, cpu_milli: u32) -> f64 {
        f64::from(cpu_milli) / self.cpu_milli
    }

    /// Thousandths of devices as a part of the most a node has.
    pub fn devices(&self, thousandths: u32) -> f64 {
        f64::from(thousandths) / self.devices
    }

    /// How much of the most devices a node has is in use here or does not exist here.
    pub fn filled(&self, room: &Room) -> f64 {
        1.0 - self.devices(room.idle())
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{ask, cluster, host, spec, want};
    use crate::policy::{BestFit, Clustering, DotProduct, Policy};
    use crate::room::{Case, Room, Size};
    use crate::{Host, NodeSpec, Want, place};

    /// Nodes larger than any published one are as far from full as they are, not beyond the scale.
    #[test]
    fn the_scale_is_the_largest_node_of_this_cluster() {
        let mut cluster = cluster(1, 4);
        cluster.add_node(NodeSpec { host: host(1000), ..spec("huge", 16) }).unwrap();
        let before = Room::new(host(1000), 1, std::iter::repeat_n(1000, 16));
        let mut after = before.with(0, 500);
        after.host = host(999);
        let size = Size { host: host(1), slices: 1, share: 500 };
        let case = Case { node: 1, total: host(1000), before: &before, after: &after, size: &size };
        let mut policies: [Box<dyn Policy>; 3] =
            [Box::<BestFit>::default(), Box::<DotProduct>::default(), Box::<Clustering>::default()];
        for policy in &mut policies {
            policy.learn(&cluster.kinds, &cluster.classes);
            assert!((0..=100).contains(&policy.score(&case)), "{} {}", policy.name(), policy.score(&case));
        }
        // A node of half the size of the largest is half left over when empty, and wins.
        let wanted = Want { host: Host::default(), ..want(ask(1, 10)) };
        assert_eq!(place(&cluster, &*policies[0], &wanted).unwrap().node, 0);
    }
}
