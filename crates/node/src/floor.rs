//! Whose memory is on a device when not all that is granted fits on it. Pure: what there is and where it is in, wishes out.
//!
//! Room is kept for what a tenant was granted and not for what it has of it, so that whoever is on the device can have all of it.
//! Nobody leaves but for somebody whose turn it is, and then whoever had none for the longest time leaves first.

use std::collections::BTreeMap;

use cleave_sched::share::Id;

/// A tenant whose memory can move, on one device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lodger {
    pub id: Id,
    /// What it may have there.
    pub grant: u64,
    /// What stays there when the rest has left: contexts, modules, arrays.
    pub fixed: u64,
    /// It is told to be on the host.
    pub sent: bool,
    /// Nothing of it that can move is on the device.
    pub away: bool,
    /// It has its turn, or is about to.
    pub on_turn: bool,
    /// A thread of it waits.
    pub wants: bool,
    /// It was paused to the host.
    pub kept_out: bool,
}

impl Lodger {
    /// What it takes of the device now, or may take any moment.
    fn takes(&self) -> u64 {
        if self.sent && self.away { self.fixed } else { self.grant }
    }
}

/// Who had a turn when, on one device.
#[derive(Default)]
pub struct Floor {
    turns: BTreeMap<Id, u64>,
}

/// Whether not all of them fit.
pub fn is_short(room: u64, lodgers: &[Lodger]) -> bool {
    lodgers.iter().fold(0, |sum: u64, lodger| sum.saturating_add(lodger.grant)) > room
}

impl Floor {
    /// Who is to be on the host from now on (true), and who on the device. `room` is what there is for all of them together.
    pub fn step(&mut self, now: u64, room: u64, lodgers: &[Lodger]) -> Vec<(Id, bool)> {
        self.turns.retain(|id, _| lodgers.iter().any(|lodger| lodger.id == *id));
        for lodger in lodgers.iter().filter(|lodger| lodger.on_turn) {
            self.turns.insert(lodger.id, now);
        }
        if !is_short(room, lodgers) {
            return lodgers.iter().map(|lodger| (lodger.id, lodger.kept_out)).collect();
        }
        let stay = self.stay(room, lodgers);
        let wish = |lodger: &Lodger| {
            let staying = stay.contains(&lodger.id);
            // Who comes in waits until there is room; when nobody is left who could leave, there is as much as there will be.
            let others = lodgers.iter().filter(|other| other.id != lodger.id);
            let taken = others.clone().fold(0, |sum: u64, other| sum.saturating_add(other.takes()));
            let is_away = |other: &Lodger| other.sent && other.away;
            let leaving = others.clone().any(|other| !stay.contains(&other.id) && !is_away(other));
            let fits = taken.saturating_add(lodger.grant) <= room;
            let enters = staying && (!lodger.sent || fits || !leaving);
            (lodger.id, !enters)
        };
        lodgers.iter().map(wish).collect()
    }

    /// Those who shall be on the device: whose turn it is, then who had one last, as many as fit. Who is on the host comes back
    /// only for a turn, or if it wants to and nobody has to leave for it.
    fn stay(&self, room: u64, lodgers: &[Lodger]) -> Vec<Id> {
        let mut order: Vec<&Lodger> = lodgers.iter().filter(|lodger| !lodger.kept_out).collect();
        let last = |lodger: &Lodger| self.turns.get(&lodger.id).copied().unwrap_or(0);
        order.sort_by_key(|lodger| {
            (!lodger.on_turn, lodger.sent, std::cmp::Reverse(last(lodger)), !lodger.wants, lodger.id)
        });
        let mut left = room;
        let mut stay = Vec::new();
        for lodger in order {
            let comes = lodger.on_turn || !lodger.sent || lodger.wants;
            let fits = lodger.grant <= left;
            if comes && (fits || lodger.on_turn) {
                left = left.saturating_sub(lodger.grant);
                stay.push(lodger.id);
            }
        }
        stay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: u64 = 100;

    fn lodger(id: Id, grant: u64) -> Lodger {
        Lodger { id, grant, away: true, ..Lodger::default() }
    }

    /// Does what is wished, until nothing changes.
    fn settle(floor: &mut Floor, now: u64, lodgers: &mut [Lodger]) -> u32 {
        let mut moves = 0;
        for _ in 0..10 {
            let wishes = floor.step(now, ROOM, lodgers);
            for (id, sent) in wishes {
                let lodger = lodgers.iter_mut().find(|lodger| lodger.id == id).unwrap();
                moves += u32::from(lodger.sent != sent);
                (lodger.sent, lodger.away) = (sent, sent);
            }
            let there: u64 = lodgers.iter().filter(|lodger| !lodger.sent).map(|lodger| lodger.grant).sum();
            assert!(there <= ROOM, "{lodgers:?}");
        }
        moves
    }

    #[test]
    fn who_fits_is_never_moved() {
        let (mut floor, mut lodgers) = (Floor::default(), [lodger(1, 40), lodger(2, 60)]);
        for now in 0..10 {
            lodgers[now as usize % 2].on_turn ^= true;
            assert_eq!(settle(&mut floor, now, &mut lodgers), 0);
        }
        lodgers[0].kept_out = true;
        assert_eq!(
            floor.step(20, ROOM, &lodgers),
            [(1, true), (2, false)],
            "but it can be paused to the host"
        );
    }

    #[test]
    fn two_that_do_not_fit_take_turns() {
        let (mut floor, mut lodgers) = (Floor::default(), [lodger(1, 75), lodger(2, 75)]);
        settle(&mut floor, 1, &mut lodgers);
        for now in 2..10 {
            let turn = now as usize % 2;
            lodgers[turn].on_turn = true;
            lodgers[1 - turn].on_turn = false;
            settle(&mut floor, now, &mut lodgers);
            assert_eq!((lodgers[turn].sent, lodgers[1 - turn].sent), (false, true));
        }
        // In a host phase nobody has a turn, and nobody moves.
        lodgers.iter_mut().for_each(|lodger| lodger.on_turn = false);
        assert_eq!(settle(&mut floor, 11, &mut lodgers), 0);
    }

    #[test]
    fn whose_turn_it_is_waits_until_the_other_is_out() {
        let mut floor = Floor::default();
        let first = Lodger { away: false, ..lodger(1, 75) };
        let second = Lodger { sent: true, on_turn: true, wants: true, ..lodger(2, 75) };
        assert_eq!(floor.step(1, ROOM, &[first, second]), [(1, true), (2, true)]);
        let leaving = Lodger { sent: true, ..first };
        assert_eq!(floor.step(2, ROOM, &[leaving, second]), [(1, true), (2, true)]);
        let gone = Lodger { away: true, fixed: 5, ..leaving };
        assert_eq!(floor.step(3, ROOM, &[gone, second]), [(1, true), (2, false)]);
        let large = Lodger { fixed: 40, ..gone };
        assert_eq!(floor.step(4, ROOM, &[large, second])[1], (2, false), "there will not be more room");
    }

    #[test]
    fn only_as_many_leave_as_must_and_the_one_without_a_turn_for_longest() {
        let mut floor = Floor::default();
        let mut lodgers = [lodger(1, 30), lodger(2, 30), lodger(3, 30), lodger(4, 30)];
        lodgers[3].sent = true;
        for turn in [1, 0, 2] {
            lodgers.iter_mut().for_each(|lodger| lodger.on_turn = lodger.id == turn + 1);
            assert_eq!(settle(&mut floor, 10 + turn, &mut lodgers), 0);
        }
        lodgers.iter_mut().for_each(|lodger| lodger.on_turn = lodger.id == 4);
        settle(&mut floor, 20, &mut lodgers);
        let sent: Vec<Id> = lodgers.iter().filter(|lodger| lodger.sent).map(|lodger| lodger.id).collect();
        assert_eq!(sent, [1]);
        // One of them ends: who wants to comes back by itself.
        let mut left = [lodgers[0], lodgers[1], lodgers[3]];
        left[2].grant = 50;
        left[0].wants = true;
        assert!(is_short(ROOM, &left));
        assert_eq!(settle(&mut floor, 30, &mut left), 0, "there is no room for it");
        left[0].grant = 21;
        assert!(is_short(ROOM, &left));
    }
}
