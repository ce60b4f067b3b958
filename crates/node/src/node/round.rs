//! One round of looking after devices and tenants: the dead are recovered, what only the driver shows is charged, and tenants
//! that are no longer there end.

use std::collections::BTreeSet;
use std::os::fd::BorrowedFd;

use cleave_ledger::clock;
use cleave_slot::NodeSlot;

use super::Node;
use crate::drivers::View;
use crate::reconcile::{self, Sitter};
use crate::store::Grant;

impl Node {
    /// One round, after a look at the devices. Says whether something became free.
    pub fn round(&mut self, view: View) -> bool {
        self.rounds += 1;
        self.view = view;
        let sitters = self.sitters();
        let before = std::mem::replace(&mut self.known, reconcile::known(&sitters));
        let strangers = std::mem::take(&mut self.outcome).unmanaged;
        self.outcome = reconcile::reconcile(&self.view.cards, &sitters, &before);
        self.charge_overheads();
        self.learn_contexts();
        let now = clock::now_ns();
        self.slots().for_each(|slot| slot.heartbeat(now));
        self.check_files();
        self.follow_tides();
        self.arrange();
        self.end_the_gone(false) || self.outcome.unmanaged != strangers
    }

    fn slots(&self) -> impl Iterator<Item = &NodeSlot> {
        self.tenants.values().flat_map(|tenant| tenant.grants().filter_map(|(_, slot)| slot))
    }

    /// Everybody who sits in a slot; slots are numbered as `each_slot` goes through them.
    fn sitters(&mut self) -> Vec<Sitter> {
        let mut sitters = Vec::new();
        let mut slot_number = 0;
        for tenant in self.tenants.values_mut() {
            let mut seated = false;
            for (grant, slot) in tenant.grants() {
                if let Some(slot) = slot {
                    slot.recover();
                    sitters.extend(slot.seats().into_iter().map(|seat| Sitter {
                        slot: slot_number,
                        device: grant.uuid.clone(),
                        record: seat.record,
                        generation: seat.generation,
                        pid: seat.pid,
                        // What it may have held when the driver was asked, a moment ago.
                        held: seat.peak,
                        contexts: seat.contexts,
                    }));
                    slot.forget_peaks();
                    seated |= sitters.last().is_some_and(|last| last.slot == slot_number);
                }
                slot_number += 1;
            }
            tenant.seen |= seated;
        }
        sitters
    }

    /// Goes on with what the last daemon charged, until the driver has been asked: nothing falls open meanwhile.
    pub(super) fn resume_overheads(&mut self) {
        let nested = |id: &str, uuid: &str| self.nested_bytes(id, uuid);
        let held: Vec<Vec<u64>> = self
            .tenants
            .iter()
            .map(|(id, tenant)| {
                let own = |(grant, slot): (&Grant, Option<&NodeSlot>)| {
                    slot.map_or(0, |slot| slot.own().saturating_sub(nested(id, &grant.uuid)))
                };
                tenant.grants().map(own).collect()
            })
            .collect();
        self.tenants.values_mut().zip(held).for_each(|(tenant, held)| tenant.overhead = held);
    }

    /// Charges what only the driver shows. A device that could not be looked at keeps what it had: a driver that fails for a
    /// moment frees nothing.
    fn charge_overheads(&mut self) {
        let cards = &self.view.cards;
        let mut first = 0;
        for tenant in self.tenants.values_mut() {
            let count = tenant.record.grants.len();
            for (number, grant) in tenant.record.grants.iter().enumerate() {
                if cards.iter().any(|card| card.uuid == grant.uuid) {
                    (tenant.overhead[number], tenant.shown[number]) = (0, 0);
                }
            }
            let mine =
                self.outcome.overheads.iter().filter(|over| (first..first + count).contains(&over.slot));
            for over in mine {
                let number = over.slot - first;
                tenant.overhead[number] = tenant.overhead[number].saturating_add(over.bytes);
                tenant.shown[number] = tenant.shown[number].saturating_add(over.driver);
                if let Ok(slot) = &tenant.slots[number] {
                    slot.note(over.record, over.generation, over.bytes, over.pid);
                }
            }
            first += count;
        }
        self.tenants.keys().for_each(|id| self.settle(id));
    }

    fn learn_contexts(&mut self) {
        for (uuid, bytes) in self.context.learn(&self.outcome.context) {
            for (grant, slot) in self.tenants.values().flat_map(|tenant| tenant.grants()) {
                if let Some(slot) = slot.filter(|_| grant.uuid == uuid) {
                    slot.learn_context(bytes);
                }
            }
        }
    }

    /// Shares that follow a timetable become what they are at this minute.
    fn follow_tides(&mut self) {
        let minute = self.minute();
        for tenant in self.tenants.values_mut() {
            for (grant, slot) in tenant.record.grants.iter_mut().zip(&tenant.slots) {
                let now = grant.policy.percent_at(minute, grant.compute);
                if now != grant.compute {
                    grant.compute = now;
                    slot.as_ref().ok().into_iter().for_each(|slot| slot.set_compute(now));
                }
            }
        }
    }

    /// A tenant that cut its own files short is told apart: what its slot says is worth nothing from then on.
    fn check_files(&mut self) {
        for tenant in self.tenants.values_mut().filter(|tenant| tenant.trouble.is_none()) {
            let lost = tenant.cut_short();
            tenant.trouble = lost.map(|path| format!("files in {} were cut short", path.display()));
        }
    }

    /// Ends tenants of which nothing is left; those inside others first, since they keep them. `search`: also those whose
    /// processes were found not long ago.
    pub fn end_the_gone(&mut self, search: bool) -> bool {
        let now = Some(self.rounds).filter(|_| !search);
        let mut ended = false;
        loop {
            let parents: BTreeSet<String> =
                self.tenants.values().filter_map(|tenant| tenant.record.parent.clone()).collect();
            let gone = self.tenants.iter_mut().find_map(|(id, tenant)| {
                let lives = tenant.lives(parents.contains(id), now);
                (!lives).then(|| id.clone())
            });
            let Some(id) = gone else { return ended };
            // A folder that cannot be removed is found again by the next daemon.
            let _ = self.forget(&id);
            ended = true;
        }
    }

    /// Descriptors that become readable when a main process dies.
    pub fn watched(&self) -> Vec<BorrowedFd<'_>> {
        self.tenants.values().filter_map(|tenant| tenant.watch.as_ref()?.descriptor()).collect()
    }
}
