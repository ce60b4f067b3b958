//! The decision: which devices a tenant gets, and how much of each. Pure: rooms and an ask in, places or a sentence out.
//!
//! A room is what can be given of one device, or of a parent's grant when the tenant is nested. Nothing is promised twice:
//! what a room has free is what no grant, no unmanaged process and no reserve holds.

use crate::amount::{percent, share, show};
use crate::protocol::{Ask, Memory, Reason, Refusal};

/// What can be given of one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    pub uuid: String,
    pub name: String,
    /// What a percentage of memory is of.
    pub total: u64,
    pub free: u64,
    /// What a percentage of compute is of: 100, or the parent's share.
    pub compute: u32,
    pub compute_free: u32,
    /// Held by processes that are no tenant's.
    pub unmanaged: u64,
}

/// What one user may still have, over all devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub memory: u64,
    pub compute: u32,
    pub tenants: u32,
}

impl Allowance {
    pub const UNLIMITED: Allowance = Allowance { memory: u64::MAX, compute: u32::MAX, tenants: u32::MAX };
}

/// What a tenant gets of one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub uuid: String,
    pub memory: u64,
    /// Percent of the whole device.
    pub compute: u32,
}

/// Grants below this are of no use: not even a context fits.
const LEAST: u64 = 1 << 20;

/// Decides. Of the rooms that fit, the fullest is taken, so that large holes stay; an ask for "all that is free" takes the
/// emptiest.
pub fn decide(rooms: &[Room], allowance: Allowance, ask: &Ask) -> Result<Vec<Place>, Refusal> {
    check(ask)?;
    let rooms = candidates(rooms, ask)?;
    let count = ask.count as usize;
    if rooms.len() < count {
        let why = format!("{count} devices were asked for, and there {} to choose from", number(rooms.len()));
        return Err(Refusal::new(Reason::NeverFits, why));
    }
    if allowance.tenants == 0 {
        return Err(Refusal::new(Reason::OverCap, "you have as many tenants as you may have at once"));
    }
    let mut fitting: Vec<(&Room, Place)> = rooms
        .iter()
        .filter_map(|room| fit(room, &allowance.per(ask.count), ask).map(|place| (*room, place)))
        .collect();
    if fitting.len() < count {
        return Err(no_room(&rooms, allowance, ask));
    }
    // What is not said is all that is free: there the emptiest room gives most.
    let greedy = ask.memory == Memory::Unsaid && ask.compute.is_none();
    fitting.sort_by_key(|(room, _)| if greedy { u64::MAX - room.free } else { room.free });
    fitting.truncate(count);
    // The tenant sees its devices in the machine's order, whatever they were chosen by.
    let position = |uuid: &str| rooms.iter().position(|room| room.uuid == uuid);
    fitting.sort_by_key(|(room, _)| position(&room.uuid));
    Ok(fitting.into_iter().map(|(_, place)| place).collect())
}

/// The rooms an ask could be on, were they empty.
pub fn candidates<'a>(rooms: &'a [Room], ask: &Ask) -> Result<Vec<&'a Room>, Refusal> {
    if ask.devices.is_empty() {
        return Ok(rooms.iter().collect());
    }
    let named = ask.devices.iter().map(|wanted| {
        rooms.iter().find(|room| room.uuid.eq_ignore_ascii_case(wanted)).ok_or_else(|| {
            let known: Vec<&str> = rooms.iter().map(|room| room.uuid.as_str()).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            Refusal::new(Reason::NoDevice, format!("there is no device {wanted} here (there is {known})"))
        })
    });
    let mut named = named.collect::<Result<Vec<&Room>, Refusal>>()?;
    named.dedup_by_key(|room| &room.uuid);
    Ok(named)
}

fn check(ask: &Ask) -> Result<(), Refusal> {
    let nonsense = |why: &str| Err(Refusal::new(Reason::Nonsense, why));
    match ask {
        Ask { count: 0, .. } => nonsense("no device was asked for: the count is at least 1"),
        Ask { count, .. } if *count > 1024 => nonsense("more devices were asked for than a machine can have"),
        Ask { compute: Some(0 | 101..), .. } => nonsense("compute is a percentage from 1 to 100"),
        Ask { memory: Memory::Percent(0 | 101..), .. } => {
            nonsense("a share of memory is a percentage from 1 to 100")
        }
        Ask { memory: Memory::Bytes(bytes), .. } if *bytes < LEAST => nonsense("a grant has at least 1 MiB"),
        _ => Ok(()),
    }
}

/// What the ask gets of a room, if it fits.
fn fit(room: &Room, allowance: &Allowance, ask: &Ask) -> Option<Place> {
    let most = room.free.min(allowance.memory);
    let memory = match ask.memory {
        Memory::Bytes(bytes) => bytes,
        Memory::Percent(part) => percent(room.total, part),
        Memory::Unsaid => ask.compute.map_or(most, |part| percent(room.total, part).min(most)),
    };
    // Whole units of accounting; what is below one could not be charged.
    let memory = memory / UNIT * UNIT;
    let left = room.compute_free.min(allowance.compute);
    let compute = match (ask.compute, ask.memory) {
        (Some(part), _) => scaled(part, room.compute),
        (None, Memory::Unsaid) => left,
        (None, _) => scaled(share(memory, room.total), room.compute).min(left),
    };
    let fits = (LEAST..=most).contains(&memory) && (1..=left).contains(&compute);
    fits.then(|| Place { uuid: room.uuid.clone(), memory, compute })
}

/// A ledger counts in these.
const UNIT: u64 = 512;

/// A share of a share, in percent of the whole device.
fn scaled(part: u32, of: u32) -> u32 {
    (part * of / 100).max(1)
}

impl Allowance {
    /// What is left for each of several equal grants.
    fn per(self, count: u32) -> Allowance {
        Allowance { memory: self.memory / u64::from(count), compute: self.compute / count, ..self }
    }
}

/// A sentence that says what is free where.
fn no_room(rooms: &[&Room], allowance: Allowance, ask: &Ask) -> Refusal {
    let wanted = |room: &Room| match ask.memory {
        Memory::Bytes(bytes) => bytes,
        Memory::Percent(part) => percent(room.total, part),
        Memory::Unsaid => LEAST,
    };
    let part = ask.compute.unwrap_or(1);
    let memory = match ask.memory {
        Memory::Bytes(bytes) => Some(show(bytes)),
        Memory::Percent(part) => Some(format!("{part} % of its memory")),
        Memory::Unsaid => None,
    };
    let what = match (memory, ask.compute) {
        (Some(memory), Some(compute)) => format!("{memory} and {compute} % compute free"),
        (Some(memory), None) => format!("{memory} free"),
        (None, Some(compute)) => format!("memory and {compute} % compute free"),
        (None, None) => "anything free".into(),
    };
    let never =
        rooms.iter().all(|room| wanted(room) > room.total || scaled(part, room.compute) > room.compute);
    let listed: Vec<String> = rooms.iter().map(|room| describe(room)).collect();
    let listed = listed.join("; ");
    if never {
        return Refusal::new(Reason::NeverFits, format!("no device is that large: {listed}"));
    }
    let mine = allowance.per(ask.count);
    let capped = |room: &Room| wanted(room) > mine.memory || scaled(part, room.compute) > mine.compute;
    if rooms.iter().all(|room| capped(room)) {
        let memory = if mine.memory == u64::MAX { "any memory".into() } else { show(mine.memory) };
        let compute =
            if mine.compute == u32::MAX { String::new() } else { format!(" and {} % compute", mine.compute) };
        let why = format!(
            "your limit on this machine leaves you {memory}{compute} per device: ask for less, or use --wait"
        );
        return Refusal::new(Reason::OverCap, why);
    }
    let whom = match ask.count {
        1 => "no device has".to_string(),
        count => format!("fewer than {count} devices have"),
    };
    Refusal::new(Reason::NoRoom, format!("{whom} {what}: {listed}; ask for less, or use --wait"))
}

fn describe(room: &Room) -> String {
    let Room { uuid, name, .. } = room;
    let uuid = uuid.get(..12).map_or(uuid.clone(), |short| format!("{short}…"));
    let unmanaged = match room.unmanaged {
        0 => String::new(),
        bytes => format!(" ({} held by unmanaged processes)", show(bytes)),
    };
    let (free, total) = (show(room.free), show(room.total));
    format!("{uuid} ({name}) has {free} of {total} free{unmanaged}, {} % compute", room.compute_free)
}

fn number(count: usize) -> String {
    match count {
        0 => "is none".into(),
        1 => "is 1".into(),
        n => format!("are {n}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn room(uuid: &str, free: u64, compute_free: u32) -> Room {
        Room {
            uuid: format!("GPU-{uuid}-aaaa-bbbb"),
            name: "NVIDIA A100".into(),
            total: 40 * GIB,
            free,
            compute: 100,
            compute_free,
            unmanaged: 0,
        }
    }

    fn ask(memory: Memory, compute: Option<u32>) -> Ask {
        Ask { memory, compute, ..Ask::default() }
    }

    fn one(rooms: &[Room], memory: Memory, compute: Option<u32>) -> Result<(u64, u32), String> {
        let places = decide(rooms, Allowance::UNLIMITED, &ask(memory, compute)).map_err(|no| no.why)?;
        assert_eq!(places.len(), 1);
        Ok((places[0].memory, places[0].compute))
    }

    #[test]
    fn what_is_not_said_follows_what_is() {
        let rooms = [room("1", 40 * GIB, 100)];
        assert_eq!(one(&rooms, Memory::Bytes(4 * GIB), Some(30)), Ok((4 * GIB, 30)));
        assert_eq!(one(&rooms, Memory::Percent(25), Some(30)), Ok((10 * GIB, 30)));
        assert_eq!(one(&rooms, Memory::Bytes(4 * GIB), None), Ok((4 * GIB, 10)));
        assert_eq!(one(&rooms, Memory::Unsaid, Some(25)), Ok((10 * GIB, 25)));
        assert_eq!(one(&rooms, Memory::Unsaid, None), Ok((40 * GIB, 100)));
        let used = [room("1", 30 * GIB, 3)];
        assert_eq!(one(&used, Memory::Unsaid, None), Ok((30 * GIB, 3)));
        assert_eq!(one(&used, Memory::Bytes(4 * GIB), None), Ok((4 * GIB, 3)), "what is left, not a refusal");
        assert_eq!(
            one(&used, Memory::Bytes(1000 * 1000 * 1000 + 1), Some(1)),
            Ok((1_000_000_000 / 512 * 512, 1))
        );
    }

    #[test]
    fn a_refusal_says_what_is_free_where() {
        let rooms = [room("1111111", 3 * GIB + GIB / 2, 20), room("2222222", GIB, 100)];
        assert_eq!(
            one(&rooms, Memory::Bytes(6 * GIB), None).unwrap_err(),
            "no device has 6.0 GiB free: GPU-1111111-… (NVIDIA A100) has 3.5 GiB of 40.0 GiB free, 20 % compute; \
             GPU-2222222-… (NVIDIA A100) has 1.0 GiB of 40.0 GiB free, 100 % compute; ask for less, or use --wait"
        );
        let why = one(&rooms, Memory::Bytes(2 * GIB), Some(50)).unwrap_err();
        assert!(why.starts_with("no device has 2.0 GiB and 50 % compute free"), "{why}");
        let unmanaged = [Room { unmanaged: GIB, ..room("1", GIB, 100) }];
        let why = one(&unmanaged, Memory::Bytes(2 * GIB), None).unwrap_err();
        assert!(why.contains("(1.0 GiB held by unmanaged processes)"), "{why}");
    }

    #[test]
    fn what_can_never_be_is_not_waited_for() {
        let rooms = [room("1", 40 * GIB, 100)];
        let refused = |ask: &Ask| decide(&rooms, Allowance::UNLIMITED, ask).unwrap_err().reason;
        assert_eq!(refused(&ask(Memory::Bytes(41 * GIB), None)), Reason::NeverFits);
        assert_eq!(refused(&Ask { count: 2, ..Ask::default() }), Reason::NeverFits);
        assert_eq!(refused(&Ask { count: 0, ..Ask::default() }), Reason::Nonsense);
        assert_eq!(refused(&ask(Memory::Percent(101), None)), Reason::Nonsense);
        assert_eq!(refused(&ask(Memory::Unsaid, Some(0))), Reason::Nonsense);
        assert_eq!(refused(&ask(Memory::Bytes(0), None)), Reason::Nonsense);
        let elsewhere = Ask { devices: vec!["GPU-9".into()], ..Ask::default() };
        assert_eq!(refused(&elsewhere), Reason::NoDevice);
        let nothing = decide(&[room("1", 0, 100)], Allowance::UNLIMITED, &Ask::default()).unwrap_err();
        assert_eq!(nothing.reason, Reason::NoRoom);
    }

    #[test]
    fn the_fullest_room_that_fits_is_taken_and_devices_keep_their_order() {
        let rooms = [room("1", 40 * GIB, 100), room("2", 8 * GIB, 100), room("3", 20 * GIB, 100)];
        let taken = |ask: &Ask| -> Vec<String> {
            let places = decide(&rooms, Allowance::UNLIMITED, ask).unwrap();
            places.into_iter().map(|place| place.uuid[4..5].to_string()).collect()
        };
        assert_eq!(taken(&ask(Memory::Bytes(4 * GIB), None)), ["2"]);
        assert_eq!(taken(&ask(Memory::Bytes(10 * GIB), None)), ["3"]);
        assert_eq!(taken(&Ask::default()), ["1"]);
        assert_eq!(taken(&Ask { count: 2, ..ask(Memory::Bytes(10 * GIB), None) }), ["1", "3"]);
        let named = vec![rooms[2].uuid.to_ascii_lowercase(), rooms[2].uuid.clone(), rooms[0].uuid.clone()];
        assert_eq!(taken(&Ask { count: 2, devices: named, ..ask(Memory::Bytes(GIB), None) }), ["3", "1"]);
    }

    #[test]
    fn a_user_gets_no_more_than_allowed() {
        let rooms = [room("1", 40 * GIB, 100), room("2", 40 * GIB, 100)];
        let allowed = Allowance { memory: 8 * GIB, compute: 50, tenants: 1 };
        let places = decide(&rooms, allowed, &Ask { count: 2, ..Ask::default() }).unwrap();
        assert_eq!(
            places.iter().map(|place| (place.memory, place.compute)).collect::<Vec<_>>(),
            [(4 * GIB, 25); 2]
        );
        let refused = decide(&rooms, allowed, &ask(Memory::Bytes(9 * GIB), None)).unwrap_err();
        assert_eq!(refused.reason, Reason::OverCap);
        assert_eq!(
            refused.why,
            "your limit on this machine leaves you 8.0 GiB and 50 % compute per device: ask for less, or use --wait"
        );
        let full = Allowance { tenants: 0, ..allowed };
        assert!(decide(&rooms, full, &Ask::default()).unwrap_err().why.contains("as many tenants"));
    }

    #[test]
    fn a_nested_tenant_takes_shares_of_its_parents() {
        let parent =
            [Room { total: 10 * GIB, free: 6 * GIB, compute: 30, compute_free: 20, ..room("1", 0, 0) }];
        assert_eq!(one(&parent, Memory::Percent(50), Some(50)), Ok((5 * GIB, 15)));
        assert_eq!(one(&parent, Memory::Unsaid, None), Ok((6 * GIB, 20)));
        assert!(one(&parent, Memory::Bytes(7 * GIB), None).is_err());
    }
}
