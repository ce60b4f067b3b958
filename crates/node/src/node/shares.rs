//! What each tenant is to have of the engines, for the arbiters.

use cleave_sched::share::{self, Share};

use super::Node;
use crate::arbiter::{Member, Moves};
use crate::policy::Policy;
use crate::protocol::Moving;
use crate::tenant::Tenant;

impl Node {
    /// Tells the arbiters who is there. They notice what has changed.
    pub(super) fn arrange(&self) {
        let members = self.tenants.values().flat_map(|tenant| {
            let numbered = tenant.slots.iter().enumerate();
            numbered.filter_map(|(number, slot)| {
                Some(Member {
                    tenant: tenant.record.id.clone(),
                    device: tenant.record.grants[number].uuid.clone(),
                    slot: slot.as_ref().ok()?.clone(),
                    share: self.share(tenant, number),
                    moves: self.moves(tenant, number),
                })
            })
        });
        self.arbiters.arrange(members.collect());
    }

    /// How the memory of a grant may move, if it may.
    fn moves(&self, tenant: &Tenant, number: usize) -> Option<Moves> {
        let grant = &tenant.record.grants[number];
        (tenant.record.moving != Moving::Never).then(|| Moves {
            at_turns: tenant.record.moving == Moving::Turns,
            grant: grant.memory,
            room: self.room_by_turns(&grant.uuid),
            to_host: tenant.record.to_host,
        })
    }

    /// Tenants inside others have their turns by themselves, and what encloses them has what they leave of its share.
    fn share(&self, tenant: &Tenant, number: usize) -> Share {
        let grant = &tenant.record.grants[number];
        let inside: Vec<u32> = self
            .nested_in(&tenant.record.id, &grant.uuid)
            .map(|(tenant, number)| tenant.record.grants[number].compute)
            .collect();
        let percent = grant.compute.saturating_sub(inside.iter().sum());
        let policy = match &grant.policy {
            // Who has given all of its share to those inside has what nobody wants.
            _ if percent == 0 => share::Policy::BestEffort,
            Policy::BestEffort => share::Policy::BestEffort,
            Policy::Fixed => share::Policy::Fixed,
            Policy::TimeShare(quantum) => {
                share::Policy::TimeShare { quantum_ns: u64::try_from(quantum.as_nanos()).unwrap_or(u64::MAX) }
            }
            Policy::Exclusive if inside.is_empty() => share::Policy::Exclusive,
            Policy::Burst | Policy::Tidal(_) | Policy::Exclusive => share::Policy::Burst,
        };
        Share {
            percent,
            policy,
            priority: grant.priority,
            latency: grant.latency,
            paused: self.is_paused(tenant),
        }
    }
}
