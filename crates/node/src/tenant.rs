//! A tenant in the daemon's hands: its record, its open slots, its main process.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use cleave_slot::{NodeSlot, SeatView};

use crate::lifetime::{self, Watch};
use crate::policy::Policy;
use crate::protocol::{Kind, Lifetime, Moving, Shim};
use crate::store::{self, Found, Grant, Record, VERSION};

pub struct Tenant {
    pub record: Record,
    pub folder: PathBuf,
    /// One per grant, in their order; a slot that cannot be used says why.
    pub slots: Vec<Result<Arc<NodeSlot>, String>>,
    /// None once the main process is gone.
    pub watch: Option<Watch>,
    pub adopted: bool,
    /// Whether a process of it ever sat in a slot, as far as this daemon saw.
    pub seen: bool,
    /// What the driver held for its processes at the last look, by grant.
    pub shown: Vec<u64>,
    /// How much of that was not charged, by grant.
    pub overhead: Vec<u64>,
    pub trouble: Option<String>,
    /// The round in which its processes were last searched for, and found.
    found: Option<u64>,
}

/// How many rounds a search holds good for: it looks at every process of the machine.
const SEARCH: u64 = 4;

impl Tenant {
    pub fn new(record: Record, folder: PathBuf, slots: Vec<NodeSlot>, watch: Option<Watch>) -> Tenant {
        let count = record.grants.len();
        Tenant {
            record,
            folder,
            slots: slots.into_iter().map(|slot| Ok(Arc::new(slot))).collect(),
            watch,
            adopted: false,
            seen: false,
            shown: vec![0; count],
            overhead: vec![0; count],
            trouble: None,
            found: None,
        }
    }

    /// The tenant of an earlier daemon, from what is left of it: a record that cannot be read is made up from the slots, a slot
    /// that cannot be used keeps what the record says. `kind` knows the devices of this machine.
    pub fn adopt(found: Found, kind: impl Fn(&str) -> Kind) -> Result<Tenant, (String, String)> {
        let Found { name, folder, record, slots } = found;
        let mut trouble: Vec<String> = Vec::new();
        let record = match record {
            Ok(record) => record,
            Err(why) if slots.iter().any(Result::is_ok) => {
                trouble.push(format!("its record cannot be read ({why:#}): it goes on with its limits"));
                made_up(&name, &folder, &slots, kind)
            }
            Err(why) => return Err((name, format!("{why:#}"))),
        };
        let mut tenant = Tenant::new(record, folder, Vec::new(), None);
        tenant.adopted = true;
        for (number, slot) in slots.into_iter().enumerate() {
            let slot = slot.map(Arc::new).map_err(|error| error.to_string());
            match (&slot, tenant.record.grants.get_mut(number)) {
                (Ok(slot), Some(grant)) => {
                    let terms = slot.terms();
                    if terms.device.to_string() == grant.uuid {
                        (grant.memory, grant.compute) = (terms.memory, terms.compute);
                    } else {
                        trouble.push(format!("its slot {number} is of another device than its record says"));
                    }
                }
                (Err(why), Some(_)) => trouble.push(why.clone()),
                (_, None) => break,
            }
            tenant.slots.push(slot);
        }
        tenant.watch = tenant.record.main.as_ref().and_then(Watch::again);
        tenant.trouble = (!trouble.is_empty()).then(|| trouble.join("; "));
        Ok(tenant)
    }

    /// Grants with their slots.
    pub fn grants(&self) -> impl Iterator<Item = (&Grant, Option<&NodeSlot>)> {
        self.record.grants.iter().zip(self.slots.iter().map(|slot| slot.as_deref().ok()))
    }

    pub fn seats(&self) -> Vec<Vec<SeatView>> {
        self.grants().map(|(_, slot)| slot.map_or_else(Vec::new, NodeSlot::seats)).collect()
    }

    pub fn shim(&self, seated: bool) -> Shim {
        match (seated, self.seen) {
            (true, _) => Shim::Alive,
            (false, true) => Shim::Seen,
            (false, false) => Shim::NotSeen,
        }
    }

    /// What of a device is not to be granted to others because of this grant. That is its limit, and above it what the driver
    /// shows; what the tenant itself says counts only up to what it once was granted.
    pub fn committed(&self, number: usize) -> u64 {
        let grant = &self.record.grants[number];
        let used = self.slots[number].as_ref().map_or(u64::MAX, |slot| slot.used());
        grant.memory.max(self.shown[number]).max(used.min(grant.committed))
    }

    /// Its processes as far as they can be seen: the main one, those with a seat, those that carry its name.
    pub fn processes(&self) -> BTreeSet<u32> {
        let main = self.watch.as_ref().filter(|watch| watch.is_alive()).map(|watch| watch.main().pid);
        let seated = self.seats().into_iter().flatten().map(|seat| seat.pid).filter(|pid| *pid != 0);
        main.into_iter().chain(seated).chain(lifetime::carriers("/proc".as_ref(), &self.folder)).collect()
    }

    /// A slot whose files the tenant has cut short, if it has.
    pub fn cut_short(&self) -> Option<PathBuf> {
        let damaged =
            |slot: &Result<Arc<NodeSlot>, String>| slot.as_ref().is_ok_and(|slot| slot.is_damaged());
        self.slots.iter().position(damaged).map(|number| self.folder.join(store::slot(number)))
    }

    /// Whether it is still there; `nested` is whether another tenant takes from its grants. Its processes are searched for only if
    /// nothing else shows them, and were not found a few rounds ago; `now` is the round, None for a search in any case.
    pub fn lives(&mut self, nested: bool, now: Option<u64>) -> bool {
        if self.record.lifetime == Lifetime::Grant || nested {
            return true;
        }
        // From its main process's death on it is found by its seats and its environment.
        self.watch = self.watch.take().filter(Watch::is_alive);
        if self.watch.is_some() || self.seats().iter().any(|seats| !seats.is_empty()) {
            return true;
        }
        if let (Some(found), Some(now)) = (self.found, now)
            && now < found.saturating_add(SEARCH)
        {
            return true;
        }
        let found = lifetime::carriers("/proc".as_ref(), &self.folder).next().is_some();
        self.found = now.filter(|_| found);
        found
    }
}

fn made_up(
    name: &str,
    folder: &Path,
    slots: &[Result<NodeSlot, cleave_slot::Error>],
    kind: impl Fn(&str) -> Kind,
) -> Record {
    let about = fs::metadata(folder.join(store::slot(0)).join("usage")).ok();
    let grant = |slot: &Result<NodeSlot, _>| match slot {
        Ok(slot) => {
            let terms = slot.terms();
            let uuid = terms.device.to_string();
            Grant {
                kind: kind(&uuid),
                device: String::new(),
                memory: terms.memory,
                compute: terms.compute,
                policy: Policy::default(),
                priority: 0,
                latency: false,
                total: terms.device_total,
                committed: 0,
                uuid,
            }
        }
        Err(_) => Grant {
            uuid: String::new(),
            device: String::new(),
            kind: Kind::Real,
            memory: 0,
            compute: 0,
            policy: Policy::default(),
            priority: 0,
            latency: false,
            total: 0,
            committed: 0,
        },
    };
    Record {
        version: VERSION,
        id: store::id_of(name).into(),
        name: name.into(),
        uid: about.as_ref().map_or(0, MetadataExt::uid),
        gid: about.as_ref().map_or(0, MetadataExt::gid),
        command: Vec::new(),
        // It cannot be known; as long as nobody says otherwise, nothing is taken away.
        lifetime: Lifetime::Grant,
        parent: None,
        ticket: String::new(),
        main: None,
        started_unix_ms: 0,
        paused: false,
        moving: match slots.iter().flatten().any(NodeSlot::is_movable) {
            true => Moving::Paused,
            false => Moving::Never,
        },
        to_host: false,
        grants: slots.iter().map(grant).collect(),
    }
}
