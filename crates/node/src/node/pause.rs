//! Pausing tenants and letting them go on.

use super::Node;
use crate::protocol::{Moving, Reason, Refusal};
use crate::sys_unsafe::{self, Peer};
use crate::tenant::Tenant;

impl Node {
    /// Lets a tenant launch nothing more, or again. Written down: it stays so under the next daemon. Memory that was sent to the
    /// host comes back with the first turn.
    pub fn set_paused(&mut self, id: &str, paused: bool, peer: &Peer) -> Result<(), Refusal> {
        self.managed(id, peer)?;
        if let Some(tenant) = self.tenants.get_mut(id) {
            tenant.record.paused = paused;
            tenant.record.to_host &= paused;
        }
        self.arrange();
        self.write_again(id)
    }

    /// Whether a tenant's memory can be sent to the host.
    pub fn check_moving(&self, id: &str, peer: &Peer) -> Result<(), Refusal> {
        if self.managed(id, peer)?.record.moving != Moving::Never {
            return Ok(());
        }
        let why = format!(
            "the memory of {id} cannot move, since it was not started with --movable or --oversubscribe: pause it without \
             --to-host, and it keeps its memory on the device"
        );
        Err(Refusal::new(Reason::NotAllowed, why))
    }

    /// Sends the memory of a paused tenant to the host, or keeps it on the device.
    pub fn set_to_host(&mut self, id: &str, to_host: bool, peer: &Peer) -> Result<(), Refusal> {
        self.managed(id, peer)?;
        if let Some(tenant) = self.tenants.get_mut(id) {
            tenant.record.to_host = to_host && tenant.record.paused;
        }
        self.arrange();
        self.write_again(id)
    }

    /// Whether nothing of a tenant's memory that can move is on a device. One that is gone has nothing there.
    pub fn is_away(&self, id: &str) -> bool {
        let slots = self.tenants.get(id).into_iter().flat_map(|tenant| tenant.grants());
        slots.filter_map(|(_, slot)| slot).all(|slot| slot.is_sent() && slot.stay().away)
    }

    /// Whether nothing of a tenant, or of those inside it, is on a device. One that is gone has nothing there.
    pub fn is_drained(&self, id: &str) -> bool {
        let Some(tenant) = self.tenants.get(id) else { return true };
        let family = self.family(tenant);
        let slots = family.iter().flat_map(|tenant| tenant.grants().filter_map(|(_, slot)| slot));
        slots.flat_map(|slot| slot.flights()).all(|flight| flight.commands == 0)
    }

    /// Whether it may launch nothing: it or a tenant it is inside of was paused.
    pub(super) fn is_paused(&self, tenant: &Tenant) -> bool {
        let mut at = Some(tenant);
        // As deep as tenants are nested, and no deeper than there are tenants.
        for _ in 0..=self.tenants.len() {
            let Some(tenant) = at else { break };
            if tenant.record.paused {
                return true;
            }
            at = tenant.record.parent.as_ref().and_then(|parent| self.tenants.get(parent));
        }
        false
    }

    /// The tenant, if it is there and the peer's to manage.
    pub(super) fn managed(&self, id: &str, peer: &Peer) -> Result<&Tenant, Refusal> {
        let tenant = self.tenants.get(id).ok_or_else(|| self.no_tenant(id))?;
        if self.may_manage(peer, tenant) {
            return Ok(tenant);
        }
        let why = format!("the tenant {id} belongs to {}", sys_unsafe::user_name(tenant.record.uid));
        Err(Refusal::new(Reason::NotAllowed, why))
    }
}
