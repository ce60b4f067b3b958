//! Events that several processes know: how often each was recorded, by whom last, and which records were reached.
//!
//! A slot belongs to the process that made the event; others name it by place and number and find out by the number when
//! it is gone. A record gets the next ticket. Who waits remembers the ticket and who drew it, so a record that is never
//! reached because its process died holds nobody up.

use std::sync::atomic::{AtomicU64, Ordering::*};

use cleave_ledger::{Pages, RecordId, shared};

/// Events of a machine that exist at one time.
const SLOTS: usize = 4096;
/// Records of one event that may be on their way at one time; more count as reached when the newest of them is.
const TICKETS: usize = 5;

shared! {
    struct Slot {
        /// `number:52 | owner:12`; 0 is free.
        owner: AtomicU64,
        /// `ticket:52 | record:12`: the last record and who made it.
        last: AtomicU64,
        /// The last ticket of the slot's last event.
        before: AtomicU64,
        /// Tickets that were reached, each at its place in the row.
        reached: [AtomicU64; TICKETS],
    }
}

shared! {
    struct Table {
        /// The number of the last event that was made.
        numbers: AtomicU64,
        _numbers: [AtomicU64; 7],
        slots: [Slot; SLOTS],
    }
}

/// All events that processes share.
pub struct SharedEvents {
    table: &'static Table,
}

/// Names an event in any process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventName {
    pub slot: u32,
    pub number: u64,
}

/// One record of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    pub ticket: u64,
    pub by: RecordId,
}

impl SharedEvents {
    /// Bytes of the table. All zero: no events.
    pub const BYTES: usize = size_of::<Table>();

    pub fn view(pages: &Pages, offset: usize) -> SharedEvents {
        SharedEvents { table: pages.view(offset) }
    }

    /// A new event of `owner`, never recorded. `None`: there are too many.
    pub fn create(&self, owner: RecordId) -> Option<EventName> {
        let number = self.table.numbers.fetch_add(1, Relaxed) + 1;
        // Begun at a different place each time, so that a name that is gone is not soon another event's place.
        let first = number as usize % SLOTS;
        (0..SLOTS).map(|i| (first + i) % SLOTS).find_map(|at| {
            let slot = &self.table.slots[at];
            slot.owner.compare_exchange(0, pack(number, owner), AcqRel, Relaxed).ok()?;
            Some(EventName { slot: at as u32, number })
        })
    }

    /// Whether the event still exists.
    pub fn exists(&self, name: EventName) -> bool {
        self.slot(name).is_some()
    }

    /// Ends an event of `owner`. Who waits for it waits no longer.
    pub fn destroy(&self, owner: RecordId, name: EventName) {
        if let Some(slot) = self.slot(name) {
            clear(slot, pack(name.number, owner));
        }
    }

    /// Draws the ticket of a record that is about to be queued.
    pub fn begin(&self, by: RecordId, name: EventName) -> Option<u64> {
        let last = &self.slot(name)?.last;
        let next = |word: u64| Some(pack((word >> 12) + 1, by));
        let before = last.fetch_update(AcqRel, Acquire, next).unwrap_or_else(|word| word);
        Some((before >> 12) + 1)
    }

    /// The record with this ticket was reached, or never will be.
    pub fn end(&self, name: EventName, ticket: u64) {
        if let Some(slot) = self.slot(name) {
            slot.reached[ticket as usize % TICKETS].fetch_max(ticket, AcqRel);
        }
    }

    /// The last record. `None` if there was none, or the event is gone.
    pub fn last(&self, name: EventName) -> Option<Point> {
        let slot = self.slot(name)?;
        let word = slot.last.load(Acquire);
        let before = slot.before.load(Acquire);
        let point = Point { ticket: word >> 12, by: RecordId::new(word as u16 & 0xfff)? };
        (point.ticket > before).then_some(point)
    }

    /// Whether a record was reached. An event that is gone holds nobody up.
    pub fn is_reached(&self, name: EventName, point: Point) -> bool {
        let reached = |slot: &Slot| slot.reached[point.ticket as usize % TICKETS].load(Acquire);
        self.slot(name).is_none_or(|slot| reached(slot) >= point.ticket)
    }

    /// Ends what a dead record made: its events, and its last records of others' events.
    pub fn recover(&self, dead: RecordId) {
        for slot in &self.table.slots {
            let last = slot.last.load(Acquire);
            if last & 0xfff == dead.get().into() {
                slot.reached[(last >> 12) as usize % TICKETS].fetch_max(last >> 12, AcqRel);
            }
            let owner = slot.owner.load(Acquire);
            if owner & 0xfff == dead.get().into() {
                clear(slot, owner);
            }
        }
    }

    fn slot(&self, name: EventName) -> Option<&Slot> {
        let slot = self.table.slots.get(name.slot as usize)?;
        (slot.owner.load(Acquire) >> 12 == name.number && name.number != 0).then_some(slot)
    }
}

/// Frees a slot for the next event.
fn clear(slot: &Slot, owner: u64) {
    // The next event's tickets go on where these end, and all so far count as reached: what others still do for this
    // event, having looked at `owner` too early, changes nothing for the next one.
    let last = slot.last.load(Acquire);
    slot.before.fetch_max(last >> 12, AcqRel);
    slot.reached.iter().for_each(|reached| {
        reached.fetch_max(last >> 12, AcqRel);
    });
    let _ = slot.owner.compare_exchange(owner, 0, AcqRel, Relaxed);
}

fn pack(number: u64, record: RecordId) -> u64 {
    number << 12 | u64::from(record.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> SharedEvents {
        SharedEvents::view(&Pages::anonymous(SharedEvents::BYTES).unwrap(), 0)
    }

    /// The last record, if it was not reached yet.
    fn pending(events: &SharedEvents, name: EventName) -> Option<Point> {
        events.last(name).filter(|&point| !events.is_reached(name, point))
    }

    fn id(number: u16) -> RecordId {
        RecordId::new(number).unwrap()
    }

    #[test]
    fn a_record_is_pending_until_reached_whoever_made_it() {
        let events = table();
        let event = events.create(id(1)).unwrap();
        assert_eq!(events.last(event), None, "never recorded");
        let first = events.begin(id(1), event).unwrap();
        let seen = pending(&events, event).unwrap();
        assert_eq!((seen.ticket, seen.by), (first, id(1)));
        let second = events.begin(id(2), event).unwrap();
        events.end(event, second);
        assert_eq!(pending(&events, event), None, "the last record decides");
        assert!(!events.is_reached(event, seen), "who waits for the first still does");
        events.end(event, first);
        assert!(events.is_reached(event, seen));
    }

    #[test]
    fn an_event_that_is_gone_holds_nobody_up() {
        let events = table();
        let event = events.create(id(1)).unwrap();
        events.begin(id(2), event).unwrap();
        let seen = pending(&events, event).unwrap();
        events.destroy(id(1), event);
        assert!(events.is_reached(event, seen) && !events.exists(event));
        assert_eq!(events.begin(id(2), event), None);
        // The next event in the same slot begins unrecorded.
        let all: Vec<EventName> = (0..SLOTS).map(|_| events.create(id(1)).unwrap()).collect();
        assert!(events.create(id(1)).is_none(), "full");
        assert!(all.iter().all(|&event| events.last(event).is_none()));
        events.end(event, u64::MAX);
        let again = all.iter().find(|name| name.slot == event.slot).unwrap();
        events.begin(id(1), *again).unwrap();
        assert!(pending(&events, *again).is_some(), "a late end of the old event changes nothing");
    }

    #[test]
    fn the_dead_are_waited_for_by_nobody() {
        let events = table();
        let (theirs, mine) = (events.create(id(1)).unwrap(), events.create(id(2)).unwrap());
        events.begin(id(1), mine).unwrap();
        events.begin(id(1), theirs).unwrap();
        events.recover(id(1));
        events.recover(id(1));
        assert_eq!(pending(&events, mine), None);
        assert!(events.exists(mine) && !events.exists(theirs));
    }

    #[test]
    fn invented_names_are_no_events() {
        let events = table();
        for name in [EventName { slot: 0, number: 0 }, EventName { slot: u32::MAX, number: 1 }] {
            assert!(!events.exists(name) && events.begin(id(1), name).is_none());
        }
    }
}
