//! The decision: which devices a tenant gets, and how much of each. Pure: rooms and an ask in, places or a sentence out.
//!
//! A room is what can be given of one device, or of a parent's grant when the tenant is nested. Nothing is promised twice:
//! what a room has free is what no grant, no unmanaged process and no reserve holds.

use cleave_sched::share::Timetable;

use crate::amount::{percent, share, show};
use crate::policy::{self, Policy};
use crate::protocol::{Ask, Memory, Moving, Reason, Refusal};

/// What can be given of one device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Room {
    pub uuid: String,
    pub name: String,
    /// What a percentage of memory is of.
    pub total: u64,
    pub free: u64,
    /// What is free for a tenant whose memory moves at turns: such tenants have the same room one after the other.
    pub free_by_turns: u64,
    /// What a percentage of compute is of: 100, or the parent's share.
    pub compute: u32,
    /// What of it is free at every minute of the day.
    pub compute_free: u32,
    /// What of the rest follows a timetable.
    pub tides: Vec<Timetable>,
    /// Held by processes that are no tenant's.
    pub unmanaged: u64,
    /// Tenants on it, and whether one of them has it to itself.
    pub tenants: usize,
    pub exclusive: bool,
    /// It is of another tenant's grant.
    pub inner: bool,
}

impl Room {
    /// What of it is free for whom asks so.
    fn free_for(&self, ask: &Ask) -> u64 {
        if ask.moving == Moving::Turns { self.free_by_turns } else { self.free }
    }
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
    /// Percent of the whole device; the most of the day.
    pub compute: u32,
}

/// Grants below this are of no use: not even a context fits.
const LEAST: u64 = 1 << 20;

/// Decides. Of the rooms that fit, the fullest is taken, so that large holes stay; an ask for "all that is free" takes the
/// emptiest.
pub fn decide(rooms: &[Room], allowance: Allowance, ask: &Ask) -> Result<Vec<Place>, Refusal> {
    check(ask)?;
    let rooms = candidates(rooms, ask)?;
    if rooms.iter().any(|room| room.inner) && matches!(ask.policy, Policy::Tidal(_) | Policy::Exclusive) {
        let why = "a tenant inside another has a share of it: exclusive and tidal are for whole devices";
        return Err(Refusal::new(Reason::Nonsense, why));
    }
    if ask.moving == Moving::Turns && (ask.count > 1 || rooms.iter().any(|room| room.inner)) {
        let why = "oversubscription is of one whole device: it is not for tenants of several devices or inside another";
        return Err(Refusal::new(Reason::Nonsense, why));
    }
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
    let greedy = ask.memory == Memory::Unsaid && stated(ask).is_none();
    let free = |room: &Room| room.free_for(ask);
    fitting.sort_by_key(|(room, _)| if greedy { u64::MAX - free(room) } else { free(room) });
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
        Ask { policy: Policy::BestEffort, compute: Some(_), .. } => {
            nonsense("best-effort takes no share of compute: leave --compute out, or choose another --policy")
        }
        Ask { policy: Policy::Tidal(_), compute: Some(_), .. } => nonsense(
            "a timetable says the shares of compute: leave --compute out, or choose another --policy",
        ),
        Ask { policy: Policy::Exclusive, compute: Some(1..=99), .. } => {
            nonsense("exclusive is the whole device: leave --compute out, or choose another --policy")
        }
        _ => Ok(()),
    }
}

/// The share of compute that is asked for in so many words.
fn stated(ask: &Ask) -> Option<u32> {
    ask.policy.timetable().map(|table| policy::peak([table])).or(ask.compute)
}

/// What the ask gets of a room, if it fits.
fn fit(room: &Room, allowance: &Allowance, ask: &Ask) -> Option<Place> {
    let most = room.free_for(ask).min(allowance.memory);
    let memory = match ask.memory {
        Memory::Bytes(bytes) => bytes,
        Memory::Percent(part) => percent(room.total, part),
        Memory::Unsaid => stated(ask).map_or(most, |part| percent(room.total, part).min(most)),
    };
    // Whole units of accounting; what is below one could not be charged.
    let memory = memory / UNIT * UNIT;
    let compute = compute(room, allowance, ask, memory)?;
    let fits = (LEAST..=most).contains(&memory) && !room.exclusive;
    fits.then(|| Place { uuid: room.uuid.clone(), memory, compute })
}

/// The share of compute, in percent of the whole device, if there is so much.
fn compute(room: &Room, allowance: &Allowance, ask: &Ask, memory: u64) -> Option<u32> {
    let left = room.compute_free.min(allowance.compute);
    match (&ask.policy, ask.compute, ask.memory) {
        (Policy::BestEffort, ..) => Some(0),
        (Policy::Exclusive, ..) => Some(100).filter(|whole| room.tenants == 0 && *whole <= left),
        (Policy::Tidal(table), ..) => {
            let steady = room.compute_free.saturating_add(policy::peak(&room.tides));
            let most = policy::peak([table]);
            let fits = policy::peak(room.tides.iter().chain([table])) <= steady && most <= allowance.compute;
            fits.then_some(most)
        }
        (_, Some(part), _) => Some(scaled(part, room.compute)).filter(|part| *part <= left),
        (_, None, Memory::Unsaid) => Some(left).filter(|left| *left > 0),
        (_, None, _) => {
            Some(scaled(share(memory, room.total), room.compute).min(left)).filter(|part| *part > 0)
        }
    }
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
    let part = match ask.policy {
        Policy::BestEffort => 0,
        Policy::Exclusive => 100,
        _ => stated(ask).unwrap_or(1),
    };
    let memory = match ask.memory {
        Memory::Bytes(bytes) => Some(show(bytes)),
        Memory::Percent(part) => Some(format!("{part} % of its memory")),
        Memory::Unsaid => None,
    };
    let what = match (memory, stated(ask)) {
        _ if ask.policy == Policy::Exclusive => "nobody else on it".into(),
        (Some(memory), Some(compute)) => format!("{memory} and {compute} % compute free"),
        (Some(memory), None) => format!("{memory} free"),
        (None, Some(compute)) => format!("memory and {compute} % compute free"),
        (None, None) => "anything free".into(),
    };
    let share = |room: &Room| if part == 0 { 0 } else { scaled(part, room.compute) };
    let never = rooms.iter().all(|room| wanted(room) > room.total || share(room) > room.compute);
    let listed: Vec<String> = rooms.iter().map(|room| describe(room)).collect();
    let listed = listed.join("; ");
    if never {
        return Refusal::new(Reason::NeverFits, format!("no device is that large: {listed}"));
    }
    let mine = allowance.per(ask.count);
    let capped = |room: &Room| wanted(room) > mine.memory || share(room) > mine.compute;
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
    let whose = match (room.exclusive, room.tides.is_empty()) {
        (true, _) => ", a tenant has it to itself",
        (_, false) => " at every minute of the day",
        _ => "",
    };
    format!("{uuid} ({name}) has {free} of {total} free{unmanaged}, {} % compute{whose}", room.compute_free)
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
            free_by_turns: free,
            compute: 100,
            compute_free,
            ..Room::default()
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

    fn given(room: &Room, policy: &str, compute: Option<u32>) -> Result<u32, Refusal> {
        let ask = Ask { policy: policy.parse().unwrap(), ..ask(Memory::Bytes(GIB), compute) };
        decide(std::slice::from_ref(room), Allowance::UNLIMITED, &ask).map(|places| places[0].compute)
    }

    #[test]
    fn best_effort_takes_nothing_and_exclusive_takes_all() {
        let full = Room { tenants: 2, ..room("1", 10 * GIB, 0) };
        assert_eq!(given(&full, "best-effort", None), Ok(0));
        assert_eq!(given(&full, "fixed", Some(1)).unwrap_err().reason, Reason::NoRoom);
        let why = given(&full, "exclusive", None).unwrap_err().why;
        assert!(why.starts_with("no device has nobody else on it: "), "{why}");
        let lent = Room { tenants: 1, ..room("1", 10 * GIB, 100) };
        assert_eq!(
            given(&lent, "exclusive", None).unwrap_err().reason,
            Reason::NoRoom,
            "of a best-effort one"
        );
        assert_eq!(given(&room("1", 10 * GIB, 100), "exclusive", None), Ok(100));
        let taken = Room { tenants: 1, exclusive: true, ..room("1", 10 * GIB, 0) };
        let refused = given(&taken, "best-effort", None).unwrap_err();
        assert!(
            refused.reason == Reason::NoRoom && refused.why.contains("a tenant has it to itself"),
            "{refused}"
        );
        for (policy, compute) in [("best-effort", 10), ("exclusive", 99), ("tidal=00:00-24:00=5", 5)] {
            let refused = given(&full, policy, Some(compute)).unwrap_err();
            assert!(
                refused.reason == Reason::Nonsense && refused.why.contains("leave --compute out"),
                "{refused}"
            );
        }
        let inner = Room { inner: true, ..room("1", 10 * GIB, 100) };
        assert_eq!(given(&inner, "exclusive", None).unwrap_err().reason, Reason::Nonsense);
        let greedy = Ask { policy: Policy::BestEffort, ..Ask::default() };
        assert_eq!(decide(&[full], Allowance::UNLIMITED, &greedy).unwrap()[0].memory, 10 * GIB);
    }

    #[test]
    fn a_timetable_fits_where_it_fits_at_every_minute() {
        let day = Timetable::parse("08:00-20:00=70,20:00-08:00=20").unwrap();
        // 10 % steady and a timetable that takes up to 70.
        let sea = Room { tides: vec![day], ..room("1", 10 * GIB, 20) };
        assert_eq!(given(&sea, "tidal=08:00-20:00=20,20:00-08:00=70", None), Ok(70));
        assert_eq!(
            given(&sea, "tidal=08:00-20:00=21,20:00-08:00=20", None).unwrap_err().reason,
            Reason::NoRoom
        );
        assert_eq!(given(&sea, "burst", Some(20)), Ok(20));
        let why = given(&sea, "burst", Some(21)).unwrap_err().why;
        assert!(why.contains("20 % compute at every minute of the day"), "{why}");
        let memory = Ask { policy: "tidal=00:00-24:00=10".parse().unwrap(), ..Ask::default() };
        assert_eq!(decide(&[sea], Allowance::UNLIMITED, &memory).unwrap()[0].memory, 4 * GIB);
    }

    #[test]
    fn tenants_whose_memory_moves_have_one_room_after_the_other() {
        let turns = |bytes| Ask { moving: Moving::Turns, ..ask(Memory::Bytes(bytes), Some(10)) };
        let rooms = [Room { free_by_turns: 30 * GIB, ..room("1", 5 * GIB, 100) }];
        let decided = decide(&rooms, Allowance::UNLIMITED, &turns(30 * GIB)).unwrap();
        assert_eq!(decided[0].memory, 30 * GIB);
        let refused = decide(&rooms, Allowance::UNLIMITED, &turns(31 * GIB)).unwrap_err();
        assert_eq!(refused.reason, Reason::NoRoom);
        assert!(
            one(&rooms, Memory::Bytes(6 * GIB), Some(10)).is_err(),
            "others have what is left beside the largest"
        );
        let two = [rooms[0].clone(), rooms[0].clone()];
        let refused = decide(&two, Allowance::UNLIMITED, &Ask { count: 2, ..turns(GIB) }).unwrap_err();
        assert!(refused.why.contains("one whole device"), "{refused}");
        let inner = [Room { inner: true, ..rooms[0].clone() }];
        assert!(decide(&inner, Allowance::UNLIMITED, &turns(GIB)).is_err());
    }
}
