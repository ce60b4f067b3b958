//! What the daemon tells: the status document.

use cleave_ledger::clock;
use cleave_slot::{Engine, NodeSlot, SeatView};

use super::Node;
use crate::card::{Card, Mode};
use crate::check::Machine;
use crate::lifetime;
use crate::protocol::{
    Denial, DeviceStatus, GrantStatus, NodeStatus, ProcessStatus, Status, TenantStatus, Unmanaged, VERSION,
    Waiting,
};
use crate::sys_unsafe::{self, Peer};
use crate::tenant::Tenant;

impl Node {
    /// Everything, for `peer`: where a folder's name is what keeps others out, it is told to its owner alone.
    pub fn status(&self, peer: &Peer) -> Status {
        Status {
            version: VERSION,
            node: NodeStatus {
                pid: std::process::id(),
                uid: self.uid,
                release: env!("CARGO_PKG_VERSION").into(),
                home: self.config.home.path().into(),
                embedded: self.config.embedded,
                started_unix_ms: self.started_unix_ms,
                adopted: self.adopted,
            },
            devices: self.shown().map(|card| self.device_status(card)).collect(),
            tenants: self.tenants.values().map(|tenant| self.tenant_status(tenant, peer)).collect(),
            waiting: self.queue.waiting().map(waiting).collect(),
        }
    }

    /// What the status document does not say of the machine.
    pub fn machine(&self) -> Machine {
        let (room, in_memory) = sys_unsafe::room(self.config.home.path()).unwrap_or((u64::MAX, true));
        Machine {
            no_real: self.view.no_real.clone(),
            no_soft: self.view.no_soft.clone(),
            modes: self.view.cards.iter().map(|card| (card.uuid.clone(), card.mode)).collect(),
            mps: mps_servers(),
            room,
            in_memory,
            strays: self.strays.clone(),
        }
    }

    /// A partitioned device is shown as its instances.
    fn shown(&self) -> impl Iterator<Item = &Card> {
        self.view.cards.iter().filter(|card| card.mode != Mode::Partitioned)
    }

    fn device_status(&self, card: &Card) -> DeviceStatus {
        let room = self.room(card);
        let busy = self.arbiters.busy(&card.uuid);
        let (granted, compute_granted) = self.granted(&card.uuid);
        let outer = self.tenants.values().filter(|tenant| !self.is_nested(tenant));
        let used = outer.flat_map(|tenant| tenant.grants()).filter(|(grant, _)| grant.uuid == card.uuid);
        let used = used.filter_map(|(_, slot)| slot.map(NodeSlot::used)).fold(0, u64::saturating_add);
        let strangers = self.outcome.unmanaged.get(&card.uuid).map_or(&[][..], Vec::as_slice);
        DeviceStatus {
            uuid: card.uuid.clone(),
            name: card.name.clone(),
            kind: card.kind,
            total: card.total,
            reserved: self.config.rules.reserve.on(&card.uuid).saturating_add(card.kept),
            granted,
            used,
            free: room.free,
            compute_granted,
            compute_free: room.compute_free,
            per_process: card.holders.is_some(),
            unmanaged: strangers
                .iter()
                .map(|holder| Unmanaged {
                    pid: holder.pid,
                    name: lifetime::process_name(holder.pid),
                    memory: holder.memory,
                })
                .collect(),
            busy_percent: busy.percent,
            busy_ns: busy.ns,
            history: busy.history,
        }
    }

    fn tenant_status(&self, tenant: &Tenant, peer: &Peer) -> TenantStatus {
        let Tenant { record, folder, .. } = tenant;
        let seats = tenant.seats();
        let seated = seats.iter().any(|seats| !seats.is_empty());
        let running = tenant.watch.as_ref().is_some_and(lifetime::Watch::is_alive);
        let secret = folder.file_name().is_some_and(|name| name.to_string_lossy().contains('.'));
        let told = !secret || self.may_manage(peer, tenant);
        let numbered = seats.iter().enumerate();
        TenantStatus {
            id: record.id.clone(),
            name: record.name.clone(),
            uid: record.uid,
            user: sys_unsafe::user_name(record.uid),
            command: record.command.clone(),
            pid: record.main.as_ref().map_or(0, |main| main.pid),
            running,
            lifetime: record.lifetime,
            parent: record.parent.clone(),
            folder: if told { folder.clone() } else { Default::default() },
            started_unix_ms: record.started_unix_ms,
            adopted: tenant.adopted,
            shim: tenant.shim(seated),
            enforced: self.enforced(record),
            grants: numbered.map(|(number, seats)| self.grant_status(tenant, number, seats)).collect(),
            trouble: tenant.trouble.clone(),
        }
    }

    fn grant_status(&self, tenant: &Tenant, number: usize, seats: &[SeatView]) -> GrantStatus {
        let grant = &tenant.record.grants[number];
        let slot = tenant.slots[number].as_deref().ok();
        let measured = self.arbiters.measured(&tenant.record.id, &grant.uuid);
        let flights = slot.map(|slot| slot.flights()).unwrap_or_default();
        let stay = slot.map(NodeSlot::stay).unwrap_or_default();
        let used = slot.map_or(0, NodeSlot::used);
        GrantStatus {
            device: grant.uuid.clone(),
            device_name: grant.device.clone(),
            kind: grant.kind,
            memory: grant.memory,
            used,
            free: grant.memory.saturating_sub(used),
            compute: grant.compute,
            compute_enforced: true,
            policy: grant.policy.to_string(),
            priority: grant.priority,
            latency: grant.latency,
            paused: self.is_paused(tenant),
            moving: tenant.record.moving,
            on_host: slot.is_some_and(NodeSlot::is_sent) && stay.away && stay.movable > 0,
            moved_bytes: stay.moved,
            got_percent: measured.compute,
            held_ns: measured.held_ns,
            waiting_percent: measured.waiting,
            copy_in_percent: measured.copy_in,
            copy_out_percent: measured.copy_out,
            not_preemptible: measured.stuck,
            launches: slot.map_or(0, NodeSlot::launches),
            gpu_ns: flights[Engine::Gr.index()].gpu_ns,
            waited_ns: flights.iter().fold(0, |sum, flight| flight.waited_ns.saturating_add(sum)),
            history: measured.history,
            overhead: tenant.overhead[number],
            nested: self.nested_bytes(&tenant.record.id, &grant.uuid),
            denials: slot.map_or(0, NodeSlot::denials),
            unwrapped: slot.map_or(0, NodeSlot::unwrapped),
            processes: seats.iter().map(|seat| self.process_status(seat)).collect(),
        }
    }

    fn process_status(&self, seat: &SeatView) -> ProcessStatus {
        ProcessStatus {
            pid: seat.pid,
            name: seat.name.clone(),
            held: seat.held,
            overhead: seat.overhead,
            contexts: seat.contexts,
            launches: seat.launches,
            pinned_host: seat.pinned,
            unwrapped: seat.unwrapped,
            denial: seat.denial.as_ref().map(|denial| Denial {
                symbol: denial.symbol.clone(),
                wanted: denial.wanted,
                free: denial.free,
                when_unix_ms: self.unix_ms(denial.when_ns),
                count: denial.count,
            }),
        }
    }

    /// A moment of the shared monotonic clock, as milliseconds since 1970.
    fn unix_ms(&self, at_ns: u64) -> u64 {
        let ago = clock::now_ns().saturating_sub(at_ns) / 1_000_000;
        self.now_unix_ms().saturating_sub(ago)
    }
}

fn waiting(waiter: &super::Waiter) -> Waiting {
    Waiting {
        name: waiter.name.clone(),
        uid: waiter.uid,
        user: sys_unsafe::user_name(waiter.uid),
        command: waiter.command.clone(),
        since_unix_ms: waiter.since_unix_ms,
        why: waiter.why.clone(),
    }
}

/// Processes of the vendor's multi-process service. The kernel cuts names at fifteen characters.
fn mps_servers() -> Vec<u32> {
    let proc = std::path::Path::new("/proc");
    let is_mps = |pid: &u32| {
        let name = std::fs::read_to_string(proc.join(pid.to_string()).join("comm")).unwrap_or_default();
        name.trim_end() == "nvidia-cuda-mps"
    };
    lifetime::processes(proc).filter(is_mps).collect()
}
