use std::collections::HashMap;

use cleave_model::Ask;

use crate::{Host, Want};

/// What kinds of pods come, and how often: what the fragmentation-aware policies expect of the future.
#[derive(Clone, Debug, Default)]
pub struct Workload {
    /// Most frequent first.
    pub(crate) entries: Vec<Entry>,
    pub(crate) pods: u64,
}

/// Pods that want the same devices and CPU; host memory is averaged.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub host: Host,
    pub asks: Vec<Ask>,
    pub count: u64,
}

impl Workload {
    /// The workload seen in these pods.
    pub fn of<'a>(pods: impl Iterator<Item = &'a Want>) -> Workload {
        let mut seen: HashMap<(u32, &'a [Ask]), (u64, u64)> = HashMap::new();
        let mut all = 0;
        for want in pods {
            let entry = seen.entry((want.host.cpu_milli, &want.asks)).or_default();
            entry.0 += 1;
            entry.1 += u64::from(want.host.memory_mib);
            all += 1;
        }
        let mut entries: Vec<Entry> = seen
            .into_iter()
            .map(|((cpu_milli, asks), (count, memory))| Entry {
                host: Host { cpu_milli, memory_mib: u32::try_from(memory / count).unwrap_or(u32::MAX) },
                asks: asks.to_vec(),
                count,
            })
            .collect();
        // A total order, so that the same pods in any order give the same decisions.
        entries.sort_by(|a, b| {
            let key = |entry: &Entry| (entry.host.cpu_milli, format!("{:?}", entry.asks));
            b.count.cmp(&a.count).then_with(|| key(a).cmp(&key(b)))
        });
        Workload { entries, pods: all }
    }
}
