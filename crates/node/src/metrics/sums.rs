//! Sums that only grow. What a process counted goes with it when it ends; here it stays, as long as its tenant does.

use std::collections::BTreeMap;

use crate::protocol::{GrantStatus, Status};

/// Launches, by tenant and device.
#[derive(Debug, Default)]
pub struct Sums {
    launches: BTreeMap<(String, String), Launches>,
}

#[derive(Debug, Default)]
struct Launches {
    /// Those that were seen, ever.
    sum: u64,
    /// What each process counted when it was last looked at.
    seen: BTreeMap<(u32, String), u64>,
}

impl Sums {
    /// Adds what is new in `status`, and forgets tenants that are gone.
    pub fn take_in(&mut self, status: &Status) {
        let mut before = std::mem::take(&mut self.launches);
        for tenant in &status.tenants {
            for grant in &tenant.grants {
                let key = (tenant.id.clone(), grant.device.clone());
                let mut launches = before.remove(&key).unwrap_or_default();
                launches.take_in(grant);
                self.launches.insert(key, launches);
            }
        }
    }

    pub fn launches(&self, tenant: &str, device: &str) -> u64 {
        let key = (tenant.to_string(), device.to_string());
        self.launches.get(&key).map_or(0, |launches| launches.sum)
    }
}

impl Launches {
    fn take_in(&mut self, grant: &GrantStatus) {
        let mut now = BTreeMap::new();
        for process in &grant.processes {
            // Processes that cannot be told apart are counted together.
            let count: &mut u64 = now.entry((process.pid, process.name.clone())).or_default();
            *count = count.saturating_add(process.launches);
        }
        for (process, &count) in &now {
            let seen = self.seen.get(process).copied().unwrap_or(0);
            // Fewer than before: another process that has the number now, and all it did is new.
            let new = if count < seen { count } else { count - seen };
            self.sum = self.sum.saturating_add(new);
        }
        self.seen = now;
    }
}
