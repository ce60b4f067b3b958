//! The processes of a tenant, for whoever wants to end them.

use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;

use super::Node;
use crate::protocol::Refusal;
use crate::sys_unsafe::{self, Peer};
use crate::tenant::Tenant;

/// A process of a tenant; its descriptor means no other one, whoever gets its number later.
pub struct Victim {
    pub pid: u32,
    pub process: OwnedFd,
}

impl Node {
    /// The processes of a tenant and of the tenants inside it.
    pub fn victims(&self, id: &str, peer: &Peer) -> Result<Vec<Victim>, Refusal> {
        let tenant = self.managed(id, peer)?;
        let family = self.family(tenant);
        let found =
            || family.iter().flat_map(|tenant| self.processes_of(tenant, peer)).collect::<BTreeSet<u32>>();
        let open = |pid: u32| Some(Victim { pid, process: sys_unsafe::open_process(pid).ok()? });
        let victims: Vec<Victim> = found().into_iter().filter_map(open).collect();
        // Looked for again with the descriptors open: a number may have become another process's in between.
        let still = found();
        Ok(victims.into_iter().filter(|victim| still.contains(&victim.pid)).collect())
    }

    /// What a tenant writes about itself must not turn a daemon of root against others: but for whom may do anything, only
    /// processes of the tenant's own user are its processes.
    fn processes_of(&self, tenant: &Tenant, peer: &Peer) -> BTreeSet<u32> {
        let mine = |pid: &u32| {
            let owner = std::fs::metadata(format!("/proc/{pid}")).map(|about| about.uid());
            *pid != std::process::id()
                && (self.is_manager(peer) || owner.is_ok_and(|uid| uid == tenant.record.uid))
        };
        tenant.processes().into_iter().filter(mine).collect()
    }

    /// A tenant and those inside it, at any depth.
    pub(super) fn family<'a>(&'a self, tenant: &'a Tenant) -> Vec<&'a Tenant> {
        let mut family = vec![tenant];
        let mut at = 0;
        // A record that was tampered with may make a ring of parents.
        while at < family.len() && family.len() <= self.tenants.len() {
            let id = family[at].record.id.as_str();
            family.extend(self.tenants.values().filter(|child| child.record.parent.as_deref() == Some(id)));
            at += 1;
        }
        family
    }
}
