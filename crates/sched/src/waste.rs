use std::collections::BTreeMap;

use cleave_model::{Ask, Device};

use crate::Workload;
use crate::cluster::Kind;
use crate::room::{Room, WHOLE};
use crate::workload::Entry;

/// Rare shapes are left out of the expectation: the most frequent ones up to this part of all pods are typical.
const POPULARITY: f64 = 0.95;

/// Most typical pods a score looks at.
const MOST_ROWS: usize = 128;

/// CPU (thousandths) and share that sizes are rounded up to, finest first.
const GRIDS: [(u32, u32); 5] = [(500, 10), (1000, 50), (4000, 100), (16_000, 250), (64_000, 500)];

/// How much a pod counts in the expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// Each pod the same.
    Count,
    /// By the square root of the devices it takes: between one vote per pod and one vote per device.
    RootOfSize,
}

/// The typical pods, and for each kind of node what they could do with it.
pub(crate) struct Typical {
    workload: Workload,
    weight: Weight,
    /// Least probability of a pod that takes whole devices, whatever the workload says.
    least_whole: f64,
    /// One per kind.
    views: Vec<View>,
    /// What GPU pods take on average beside one whole device.
    cpu_per_device: f64,
    memory_per_device: f64,
    /// Demand that only some kinds can serve: its part of all device demand, and which kinds.
    bound: Vec<(f64, Vec<bool>)>,
}

/// Typical pods as one kind of node sees them.
#[derive(Default)]
struct View {
    rows: Vec<Row>,
    /// Probability of pods that can use no device of this kind: without devices, or of other types.
    useless: f64,
    /// By thousandths left on a device: what stays free of it even if the best combination of typical pods comes.
    lost: Vec<u16>,
}

struct Row {
    cpu_milli: u32,
    share: u16,
    count: u32,
    probability: f64,
    /// Bit per device that would do; all bits when every one does.
    devices: u64,
}

impl Typical {
    pub fn new(workload: &Workload, weight: Weight) -> Typical {
        Typical {
            workload: workload.clone(),
            weight,
            least_whole: 0.0,
            views: Vec::new(),
            cpu_per_device: 0.0,
            memory_per_device: 0.0,
            bound: Vec::new(),
        }
    }

    /// The same, with a pod of whole devices expected at least this often.
    pub fn expecting_whole(self, least_whole: f64) -> Typical {
        Typical { least_whole, ..self }
    }

    /// Works out the views. Sizes that depend on the device are taken from the first class that admits them.
    pub fn learn(&mut self, kinds: &[Kind], classes: &[Device]) {
        let (mut cpu, mut memory, mut demand) = (0.0, 0.0, 0.0);
        let mut bound: Vec<(f64, Vec<bool>)> = Vec::new();
        for entry in self.workload.entries.iter().filter(|entry| !entry.asks.is_empty()) {
            let Some(share) = classes.iter().find_map(|class| share_on(&entry.asks, class)) else { continue };
            let count = entry.count as f64;
            let size = f64::from(slices(entry)) * f64::from(share) / f64::from(WHOLE);
            cpu += f64::from(entry.host.cpu_milli) * count;
            memory += f64::from(entry.host.memory_mib) * count;
            demand += size * count;
            let fits = |kind: &Kind| kind.classes.iter().any(|c| serves(entry, &classes[usize::from(*c)]));
            let served: Vec<bool> = kinds.iter().map(fits).collect();
            if served.iter().any(|fits| !fits) {
                match bound.iter_mut().find(|(_, kinds)| *kinds == served) {
                    Some((sum, _)) => *sum += size * count,
                    None => bound.push((size * count, served)),
                }
            }
        }
        let demand = f64::max(demand, f64::MIN_POSITIVE);
        self.cpu_per_device = cpu / demand;
        self.memory_per_device = memory / demand;
        bound.iter_mut().for_each(|(sum, _)| *sum /= demand);
        self.bound = bound;
        let typical = self.typical(classes);
        let view = |kind| View::new(&typical, kind, classes, self.least_whole);
        self.views = kinds.iter().map(view).collect();
    }

    /// The typical pods with their probability.
    fn typical(&self, classes: &[Device]) -> Vec<(&Entry, f64)> {
        let enough = POPULARITY * self.workload.pods as f64;
        let mut seen = 0;
        let mut typical = Vec::new();
        for entry in &self.workload.entries {
            if seen as f64 >= enough {
                break;
            }
            seen += entry.count;
            let share = classes.iter().find_map(|class| share_on(&entry.asks, class)).unwrap_or(WHOLE);
            let size = f64::from(slices(entry)) * f64::from(share) / f64::from(WHOLE);
            let weight = match self.weight {
                Weight::RootOfSize if size > 0.0 => size.sqrt(),
                _ => 1.0,
            };
            typical.push((entry, weight * entry.count as f64));
        }
        let sum: f64 = typical.iter().map(|(_, weight)| weight).sum();
        typical.iter_mut().for_each(|(_, weight)| *weight /= sum);
        typical
    }

    /// Expected thousandths of idle devices that a typical pod cannot use. A pod that does not fit can use nothing;
    /// one that fits cannot use the devices with less left than it wants of each. Host memory is left out.
    pub fn fragment(&self, room: &Room) -> f64 {
        let idle = room.idle();
        let Some(view) = self.views.get(usize::from(room.kind)) else { return 0.0 };
        if idle == 0 {
            return 0.0;
        }
        let mut waste = view.useless * f64::from(idle);
        for row in &view.rows {
            waste += row.probability * f64::from(row.unusable(room, idle));
        }
        waste
    }

    /// Thousandths of idle devices that no combination of typical pods can take.
    pub fn lost(&self, room: &Room) -> f64 {
        let Some(view) = self.views.get(usize::from(room.kind)) else { return 0.0 };
        room.free().iter().map(|left| f64::from(view.lost[usize::from(*left)])).sum()
    }

    /// Thousandths of idle devices that the node's CPU or host memory cannot feed if pods come in their usual mix.
    pub fn stranded(&self, room: &Room) -> f64 {
        let feeds = |have: u32, per_device: f64| {
            if per_device > 0.0 { f64::from(have) / per_device * f64::from(WHOLE) } else { f64::INFINITY }
        };
        let cpu = feeds(room.host.cpu_milli, self.cpu_per_device);
        let memory = feeds(room.host.memory_mib, self.memory_per_device);
        (f64::from(room.idle()) - cpu.min(memory)).max(0.0)
    }

    /// For each kind, the part of its free devices (0..1) that pods bound to few kinds will want by the time the
    /// cluster is full, if they come in their usual proportion and divide over their kinds by what is free.
    pub fn scarcity(&self, kinds: &[Kind], mut tell: impl FnMut(usize, f64)) {
        if self.bound.is_empty() {
            return;
        }
        let all: u64 = kinds.iter().map(|kind| kind.free).sum();
        let per_group = |served: &Vec<bool>| -> u64 {
            served.iter().zip(kinds).filter(|(fits, _)| **fits).map(|(_, kind)| kind.free).sum()
        };
        let rates: Vec<f64> = self
            .bound
            .iter()
            .map(|(part, served)| part * all as f64 / f64::max(per_group(served) as f64, 1.0))
            .collect();
        for kind in 0..kinds.len() {
            let wanted =
                self.bound.iter().zip(&rates).filter(|((_, served), _)| served.get(kind) == Some(&true));
            tell(kind, wanted.map(|(_, rate)| rate).sum::<f64>().min(1.0));
        }
    }
}

impl View {
    fn new(typical: &[(&Entry, f64)], kind: &Kind, classes: &[Device], least_whole: f64) -> View {
        let mut view = View::default();
        for (entry, probability) in typical {
            let mut devices = 0u64;
            let mut share = None;
            for (place, class) in kind.classes.iter().enumerate() {
                if let Some(on_this) = share_on(&entry.asks, &classes[usize::from(*class)]) {
                    devices |= 1 << place;
                    share.get_or_insert(on_this);
                }
            }
            match share {
                Some(share) if !entry.asks.is_empty() => view.rows.push(Row {
                    cpu_milli: entry.host.cpu_milli,
                    share,
                    count: slices(entry),
                    probability: *probability,
                    devices: if devices.count_ones() as usize == kind.classes.len() {
                        u64::MAX
                    } else {
                        devices
                    },
                }),
                _ => view.useless += probability,
            }
        }
        view.coarsen();
        view.expect_whole(least_whole);
        view.lost = lost(view.rows.iter().map(|row| row.share));
        view
    }

    /// Raises the probability of pods that take whole devices to `least`, at the expense of all others.
    fn expect_whole(&mut self, least: f64) {
        let is_whole = |row: &Row| row.share == WHOLE;
        let whole: f64 = self.rows.iter().filter(|row| is_whole(row)).map(|row| row.probability).sum();
        if whole >= least {
            return;
        }
        let others = (1.0 - least) / (1.0 - whole);
        self.useless *= others;
        for row in &mut self.rows {
            row.probability *= if is_whole(row) { least / whole } else { others };
        }
        if whole == 0.0 {
            self.rows.push(Row {
                cpu_milli: 0,
                share: WHOLE,
                count: 1,
                probability: least,
                devices: u64::MAX,
            });
        }
    }

    /// Where sizes are all different there are as many typical pods as pods, and every score would read them all. Then
    /// sizes are rounded up to a common grid, as fine as [`MOST_ROWS`] allows.
    fn coarsen(&mut self) {
        for (cpu, share) in GRIDS {
            if self.rows.len() <= MOST_ROWS {
                return;
            }
            let mut merged: BTreeMap<(u32, u16, u32, u64), f64> = BTreeMap::new();
            for row in &self.rows {
                let size =
                    (up_to(row.cpu_milli, cpu), up_to(row.share.into(), share).min(WHOLE.into()) as u16);
                *merged.entry((size.0, size.1, row.count, row.devices)).or_default() += row.probability;
            }
            let row = |((cpu_milli, share, count, devices), probability)| Row {
                cpu_milli,
                share,
                count,
                probability,
                devices,
            };
            self.rows = merged.into_iter().map(row).collect();
        }
    }
}

/// For every amount up to a whole device, what is left of it by the combination of these shares that leaves least.
fn lost(shares: impl Iterator<Item = u16>) -> Vec<u16> {
    let mut shares: Vec<u16> = shares.filter(|share| *share > 0).collect();
    shares.sort_unstable();
    shares.dedup();
    let mut lost: Vec<u16> = Vec::with_capacity(usize::from(WHOLE) + 1);
    for left in 0..=WHOLE {
        let fitting = shares.iter().take_while(|share| **share <= left);
        lost.push(fitting.map(|share| lost[usize::from(left - share)]).min().unwrap_or(left));
    }
    lost
}

fn up_to(value: u32, grid: u32) -> u32 {
    value.div_ceil(grid).saturating_mul(grid)
}

impl Row {
    fn unusable(&self, room: &Room, idle: u32) -> u32 {
        if self.cpu_milli > room.host.cpu_milli {
            return idle;
        }
        let (mut enough, mut rest) = (0, 0);
        for (place, left) in room.free().iter().enumerate() {
            if *left >= self.share && (self.devices >> place) & 1 == 1 {
                enough += 1;
            } else {
                rest += u32::from(*left);
            }
        }
        if enough < self.count { idle } else { rest }
    }
}

fn slices(entry: &Entry) -> u32 {
    entry.asks.iter().map(|ask| ask.count).sum()
}

fn serves(entry: &Entry, class: &Device) -> bool {
    share_on(&entry.asks, class).is_some()
}

/// Thousandths of one such device that the largest slice takes, if the device admits the Asks by its class.
fn share_on(asks: &[Ask], class: &Device) -> Option<u16> {
    let mut largest = 0;
    for ask in asks {
        let mut ask = ask.clone();
        ask.selectors.uuids.clear();
        ask.selectors.indices.clear();
        let slice = ask.on(class).ok()?;
        largest = largest.max(crate::card::Need::of(&slice, ask.class, false).share(class));
    }
    Some(largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{ask, cluster, host, want};
    use crate::{Host, Want};

    fn learnt(wants: &[Want], weight: Weight) -> Typical {
        let cluster = cluster(1, 2);
        let mut typical = Typical::new(&Workload::of(wants.iter()), weight);
        typical.learn(&cluster.kinds, &cluster.classes);
        typical
    }

    fn room(cpus: u32, free: [u16; 2]) -> Room {
        Room::new(host(cpus), 0, free.into_iter())
    }

    #[test]
    fn fragments_are_what_a_typical_pod_cannot_use() {
        // A half, a whole and a pod without devices, equally often.
        let typical = learnt(&[want(ask(1, 50)), want(ask(1, 100)), Want::host_only(host(1))], Weight::Count);
        let third = 1.0 / 3.0;
        // The half can use 600 but not 400, the whole nothing, the third pod never.
        let waste = typical.fragment(&room(9, [600, 400]));
        assert!((waste - third * (400.0 + 1000.0 + 1000.0)).abs() < 1e-9, "{waste}");
        assert!((typical.fragment(&room(9, [1000, 1000])) - third * 2000.0).abs() < 1e-9);
        assert!((typical.fragment(&room(0, [1000, 1000])) - 2000.0).abs() < 1e-9);
        assert_eq!(typical.fragment(&room(9, [0, 0])), 0.0);
    }

    #[test]
    fn what_the_host_cannot_feed_is_stranded() {
        // 4 CPUs and 4 GiB beside half a device: 8 of each beside a whole one.
        let typical = learnt(&[Want { host: host(4), ..want(ask(1, 50)) }], Weight::Count);
        assert_eq!(typical.stranded(&room(16, [1000, 1000])), 0.0);
        assert_eq!(typical.stranded(&room(8, [1000, 1000])), 1000.0);
        let mut dry = room(16, [1000, 1000]);
        dry.host = Host { memory_mib: 0, ..dry.host };
        assert_eq!(typical.stranded(&dry), 2000.0);
        assert_eq!(learnt(&[], Weight::Count).stranded(&room(0, [1000, 0])), 0.0);
    }

    #[test]
    fn large_pods_count_by_the_root_of_their_size() {
        // Both whole devices, so one in use is all the pair cannot use.
        let pods = [want(ask(1, 25)), want(ask(2, 100))];
        let by_count = learnt(&pods, Weight::Count).fragment(&room(9, [1000, 0]));
        assert!((by_count - 500.0).abs() < 1e-9);
        let by_root = learnt(&pods, Weight::RootOfSize).fragment(&room(9, [1000, 0]));
        let root = 2f64.sqrt();
        assert!((by_root - 1000.0 * root / (root + 0.5)).abs() < 1e-9, "{by_root}");
    }

    #[test]
    fn what_no_combination_fills_is_lost() {
        let quarters = [12.5, 25.0, 50.0, 30.0].map(|percent| (percent * 10.0) as u16);
        let lost = lost(quarters.into_iter());
        // Two of 300 leave 400, of which 375 can be filled; three leave 100, which is less than any.
        let at = [1000, 700, 400, 100, 575, 275, 200, 500, 24, 0].map(|left: usize| lost[left]);
        assert_eq!(at, [0, 25, 25, 100, 25, 25, 75, 0, 24, 0]);
        let typical = learnt(&[want(ask(1, 30))], Weight::Count);
        assert_eq!(typical.lost(&room(9, [700, 200])), 100.0 + 200.0);
        assert_eq!(typical.lost(&room(9, [1000, 0])), 100.0);
    }

    #[test]
    fn whole_devices_are_expected_even_if_none_came() {
        let halves = [want(ask(1, 50)), want(ask(1, 25))];
        let plain = learnt(&halves, Weight::Count);
        assert_eq!(plain.fragment(&room(9, [900, 1000])), 0.0);
        let cluster = cluster(1, 2);
        let mut typical = Typical::new(&Workload::of(halves.iter()), Weight::Count).expecting_whole(0.1);
        typical.learn(&cluster.kinds, &cluster.classes);
        assert!((typical.fragment(&room(9, [900, 1000])) - 90.0).abs() < 1e-9);
        assert!((typical.fragment(&room(9, [400, 0])) - (0.1 + 0.45) * 400.0).abs() < 1e-9);
        // Where they come often enough nothing changes.
        let often = [want(ask(1, 50)), want(ask(1, 100))];
        let mut typical = Typical::new(&Workload::of(often.iter()), Weight::Count).expecting_whole(0.1);
        typical.learn(&cluster.kinds, &cluster.classes);
        assert!((typical.fragment(&room(9, [900, 1000])) - 450.0).abs() < 1e-9);
    }

    #[test]
    fn many_sizes_are_rounded_to_few() {
        let sizes = (0..3000u32).map(|at| Want { host: host(1 + at % 40), ..want(ask(1, 1 + at % 99)) });
        let typical = learnt(&sizes.collect::<Vec<_>>(), Weight::Count);
        assert!(typical.views[0].rows.len() <= MOST_ROWS, "{}", typical.views[0].rows.len());
        let sum: f64 = typical.views[0].rows.iter().map(|row| row.probability).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        assert_eq!((up_to(0, 50), up_to(1, 50), up_to(50, 50), up_to(51, 50)), (0, 50, 50, 100));
    }

    #[test]
    fn types_in_demand_are_scarce() {
        let mut cluster = cluster(3, 1);
        let mut spec = crate::fixture::spec("t", 1);
        spec.devices[0].model = "T4".into();
        cluster.add_node(spec).unwrap();
        let mut typed = want(ask(1, 100));
        typed.asks[0].selectors.models = vec!["T4".into()];
        let pods = [typed, want(ask(1, 100)), want(ask(1, 100)), want(ask(1, 100)), want(ask(1, 100))];
        let mut typical = Typical::new(&Workload::of(pods.iter()), Weight::Count);
        typical.learn(&cluster.kinds, &cluster.classes);
        let mut scarcity = [9.0; 2];
        typical.scarcity(&cluster.kinds, |kind, value| scarcity[kind] = value);
        // A fifth of the demand on four devices is bound to one of them.
        assert_eq!(scarcity[0], 0.0);
        assert!((scarcity[1] - 0.8).abs() < 1e-9, "{scarcity:?}");
    }
}
