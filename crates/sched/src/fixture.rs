use cleave_model::{Accountant, Ask, Compute, Device, Memory, MilliPercent};

use crate::policy::Binpack;
use crate::{Cluster, Host, NodeSpec, Pod, Want, place};

/// Memory of every device here, so that one percent is 100 MiB.
pub const DEVICE_MIB: u64 = 10_000;

/// Nodes `n0..` with 100 CPUs, each with devices `nX-g0..`.
pub fn cluster(nodes: usize, devices: u32) -> Cluster {
    let mut cluster = Cluster::new(Accountant::Extender);
    for node in 0..nodes {
        cluster.add_node(spec(&format!("n{node}"), devices)).unwrap();
    }
    cluster
}

pub fn spec(name: &str, devices: u32) -> NodeSpec {
    let device = |index| Device { index, ..Device::new(format!("{name}-g{index}"), "A100", DEVICE_MIB) };
    NodeSpec {
        name: name.into(),
        host: host(100),
        devices: (0..devices).map(device).collect(),
        ..NodeSpec::default()
    }
}

/// CPUs, with 1 GiB for each.
pub fn host(cpus: u32) -> Host {
    Host { cpu_milli: cpus * 1000, memory_mib: cpus * 1024 }
}

/// Slices of that percent of memory and compute.
pub fn ask(count: u32, percent: u32) -> Ask {
    let share = MilliPercent::percent(percent).unwrap();
    Ask::new(count, Memory::Share(share), Compute::Share(share))
}

pub fn want(ask: Ask) -> Want {
    Want::one(host(1), ask)
}

/// Commits a pod where binpack would put it and says where that is.
pub fn commit(cluster: &mut Cluster, uid: &str, want: Want) -> usize {
    let decision = place(cluster, &Binpack, &want).unwrap();
    let pod = Pod { uid: uid.into(), want, placements: decision.placements };
    cluster.commit(pod, decision.node).unwrap();
    decision.node
}
