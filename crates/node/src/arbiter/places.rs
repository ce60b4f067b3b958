//! Where the memory of tenants is, beside whose turn it is: a tenant whose memory is away is told nothing before it is back.

use std::collections::BTreeMap;

use cleave_sched::share::{Id, Policy, Seen, Share};
use cleave_slot::{Flight, NodeSlot, Stay};

use crate::floor::{Floor, Lodger, is_short};

/// What the daemon says of a grant whose memory can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    /// Such tenants may together have more than there is, and then their memory moves when turns do.
    pub at_turns: bool,
    pub grant: u64,
    /// What the device has for all of these together.
    pub room: u64,
    /// It is paused, and its memory is to be on the host.
    pub to_host: bool,
}

/// A turn lasts so many times as long as it takes to bring memory out and in: whoever works for ten of these times and then for
/// long on the host is not interrupted.
const TIMES: u64 = 15;
/// As long as nobody has measured it, a nanosecond moves so many bytes.
const BYTES_PER_NS: u64 = 1;
/// What is measured is believed if it is not so many times slower.
const SLOWEST: u64 = 4;
const SHORTEST_NS: u64 = 100_000_000;
/// Who has come back keeps its turn for so many of these times, even if it pauses now and then: every change is then worth its
/// price, however short the times are in which a tenant needs the device.
const AT_LEAST: u64 = 10;
/// Pauses as long as so many of these times are worth a change.
const LONG_PAUSE: u64 = 2;
/// Who has just come back needs a moment until its first work is there.
const ARRIVAL_NS: u64 = 50_000_000;
/// Who does nothing for so long, when it has had enough of its turn, gives it up. Less is no pause.
const GRACE_NS: u64 = 10_000_000;

/// Where one grant's memory is.
pub struct Lodging {
    moves: Moves,
    stay: Stay,
    fixed: u64,
    sent: bool,
    /// When all of it was last back.
    arrived_at: u64,
    /// When something of it was last at work, and what was done by then.
    worked_at: u64,
    done_ns: u64,
    /// Whether it did nothing when it was last looked at, and how long its last two pauses were.
    pausing: bool,
    pauses: [u64; 2],
    /// It had its turn when the arbiter last spoke.
    on_turn: bool,
    /// How long it would take to bring its memory out and in, by what others measured on its device.
    as_others_ns: Option<u64>,
    /// Its device is short of room, so that it may have to leave.
    pub short: bool,
}

impl Lodging {
    pub fn new(moves: Moves) -> Lodging {
        let stay = Stay { here: true, away: true, ..Stay::default() };
        Lodging {
            moves,
            stay,
            fixed: 0,
            sent: false,
            arrived_at: 0,
            worked_at: 0,
            done_ns: 0,
            pausing: true,
            pauses: [0; 2],
            on_turn: false,
            as_others_ns: None,
            short: false,
        }
    }

    pub fn set(&mut self, moves: Moves) {
        self.moves = moves;
    }

    pub fn look(&mut self, slot: &NodeSlot, now: u64) {
        let was_here = self.is_here();
        self.stay = slot.stay();
        self.sent = slot.is_sent();
        self.fixed = slot.used().saturating_sub(self.stay.movable);
        if self.is_here() && !was_here {
            self.arrived_at = now;
        }
    }

    /// Whether it may be given turns.
    pub fn is_here(&self) -> bool {
        !self.sent && self.stay.here
    }

    /// Whether something of it is on its way, so that it should be looked at often.
    pub fn is_moving(&self) -> bool {
        self.on_turn || self.stay.wanting > 0 || if self.sent { !self.stay.away } else { !self.stay.here }
    }

    /// What it does on all engines, as one: all of them need its memory. `lonely` if nobody else waits whose memory stays.
    pub fn seen(&self, engines: [Seen; 3], lonely: bool, now: u64) -> Seen {
        let mut all = engines[0];
        for other in &engines[1..] {
            all.waiting = all.waiting.saturating_add(other.waiting);
            all.in_flight_ns = all.in_flight_ns.saturating_add(other.in_flight_ns);
            all.commands = all.commands.saturating_add(other.commands);
            all.retired_ns = all.retired_ns.wrapping_add(other.retired_ns);
            all.progress_at = all.progress_at.max(other.progress_at);
        }
        all.waiting = all.waiting.saturating_add(self.stay.wanting);
        // What passed the gate and finds no memory is not at work: it waits, however long it seems to take.
        if self.sent && self.stay.away {
            (all.in_flight_ns, all.commands) = (0, 0);
        }
        if self.on_turn && self.keeps_turn(&all, lonely, now) {
            return Seen { moving: true, ..Seen::default() };
        }
        all
    }

    /// Whether it has its turn whatever it seems to do: a change costs more than a thread that is woken late. It has it while its
    /// memory is on the way, while it is at work and a moment longer, and if its pauses are short for as long as the way was worth.
    fn keeps_turn(&self, all: &Seen, lonely: bool, now: u64) -> bool {
        let since = |at: u64, span: u64| now < at.saturating_add(span);
        match (all.commands, all.waiting) {
            // A thread that waits looks up now and then, and seems not to wait.
            _ if !self.is_here() => true,
            (1.., _) => true,
            (0, 1..) => since(self.arrived_at.max(self.worked_at), ARRIVAL_NS),
            (0, 0) if self.worked_at < self.arrived_at => since(self.arrived_at, ARRIVAL_NS),
            (0, 0) => {
                let brief = self.pauses[0].min(self.pauses[1]) < LONG_PAUSE * self.swap_ns();
                let stays = lonely && brief && since(self.arrived_at, AT_LEAST * self.swap_ns());
                stays || since(self.worked_at, GRACE_NS)
            }
        }
    }

    /// Whether its turn may end at any moment, because it does nothing with it.
    pub fn is_dozing(&self, now: u64) -> bool {
        self.short && self.on_turn && now > self.worked_at
    }

    /// Takes in what it has at work on its engines, or did since the last look: nobody looks often enough to see all of it.
    pub fn works(&mut self, flights: &[Flight], now: u64) {
        let done_ns = flights.iter().fold(0, |sum: u64, flight| sum.wrapping_add(flight.retired_ns));
        let works = flights.iter().any(|flight| flight.commands > 0);
        let waits = self.stay.wanting > 0 || flights.iter().any(|flight| flight.waiting > 0);
        let pause = now.saturating_sub(self.worked_at);
        if (works || waits) && self.pausing && self.worked_at > 0 && pause >= GRACE_NS {
            self.pauses = [pause, self.pauses[0]];
        }
        self.pausing = !works && !waits;
        if works {
            self.worked_at = now;
        } else if done_ns != self.done_ns {
            let last = flights.iter().map(|flight| flight.progress_at).max().unwrap_or(0);
            self.worked_at = self.worked_at.max(last.min(now));
        }
        self.done_ns = done_ns;
    }

    /// What the arbiter is told of it: turns that are worth a move.
    pub fn share(&self, share: Share) -> Share {
        if !self.short {
            return share;
        }
        // In steps, so that not every measurement is news.
        let quantum_ns = (TIMES * self.swap_ns()).max(SHORTEST_NS).next_multiple_of(SHORTEST_NS);
        Share { policy: Policy::TimeShare { quantum_ns }, latency: false, ..share }
    }

    /// How long it takes to bring its memory out and in: measured, or else as others measured it, or estimated. What is said is
    /// not believed beyond what no device is slower than.
    fn swap_ns(&self) -> u64 {
        let estimate = 2 * self.bytes() / BYTES_PER_NS;
        let measured = (self.stay.swap_ns > 0).then_some(self.stay.swap_ns).or(self.as_others_ns);
        measured.map_or(estimate, |measured| measured.min(SLOWEST * estimate))
    }

    /// What there is to move, or will be soon.
    fn bytes(&self) -> u64 {
        self.stay.movable.max(self.moves.grant / 2)
    }

    /// How long this takes for so many bytes, if it has been measured here.
    fn measured_for(&self, bytes: u64) -> Option<u64> {
        let ns = u128::from(self.stay.swap_ns) * u128::from(bytes) / u128::from(self.stay.movable.max(1));
        (self.stay.swap_ns > 0 && self.stay.movable > 0).then(|| u64::try_from(ns).unwrap_or(u64::MAX))
    }

    fn lodger(&self, id: Id, on_turn: bool, wants: bool) -> Lodger {
        Lodger {
            id,
            grant: self.moves.grant,
            fixed: self.fixed,
            sent: self.sent,
            away: self.stay.away,
            on_turn,
            wants: wants || self.stay.wanting > 0,
            kept_out: self.moves.to_host,
        }
    }

    pub fn told(&mut self, sent: bool) {
        self.sent = sent;
    }
}

/// The floors of all devices.
#[derive(Default)]
pub struct Places {
    floors: BTreeMap<usize, Floor>,
}

impl Places {
    /// Where the memory of those on one device shall be; each is given with whether it has its turn and whether it waits.
    pub fn step(
        &mut self,
        device: usize,
        now: u64,
        lodgings: &mut [(Id, &mut Lodging, bool, bool)],
    ) -> Vec<(Id, bool)> {
        // Those of an ordinary grant always fit, and are in nobody's way.
        let lodgers: Vec<Lodger> = lodgings
            .iter()
            .map(|(id, lodging, on_turn, wants)| lodging.lodger(*id, *on_turn, *wants))
            .collect();
        let at_turns = |id: Id| lodgings.iter().any(|(other, it, ..)| *other == id && it.moves.at_turns);
        let (moving, still): (Vec<Lodger>, Vec<Lodger>) =
            lodgers.into_iter().partition(|lodger| at_turns(lodger.id));
        let room = lodgings.iter().map(|(_, lodging, ..)| lodging.moves.room).min().unwrap_or(0);
        let short = is_short(room, &moving);
        let mut wishes: Vec<(Id, bool)> = still.iter().map(|lodger| (lodger.id, lodger.kept_out)).collect();
        wishes.extend(self.floors.entry(device).or_default().step(now, room, &moving));
        for at in 0..lodgings.len() {
            let bytes = lodgings[at].1.bytes();
            let others = lodgings.iter().filter_map(|(_, other, ..)| other.measured_for(bytes)).max();
            lodgings[at].1.as_others_ns = others;
        }
        for (_, lodging, on_turn, _) in lodgings.iter_mut() {
            lodging.on_turn = *on_turn;
            lodging.short = short && lodging.moves.at_turns;
        }
        wishes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const GRANT: u64 = 10 << 20;

    fn moves(at_turns: bool) -> Moves {
        Moves { at_turns, grant: GRANT, room: 15 << 20, to_host: false }
    }

    /// A tenant on turn that came back at 1 s; to bring its memory out and in takes 20 ms.
    fn lodging() -> Lodging {
        let stay = Stay { here: true, movable: GRANT, swap_ns: 20 * MS, ..Stay::default() };
        Lodging { stay, arrived_at: 1000 * MS, on_turn: true, short: true, ..Lodging::new(moves(true)) }
    }

    fn seen(lodging: &Lodging, waiting: u32, commands: u32, lonely: bool, at_ms: u64) -> Seen {
        let engine = Seen { waiting, commands, in_flight_ns: MS, retired_ns: 7, ..Seen::default() };
        lodging.seen([engine, Seen::default(), Seen::default()], lonely, at_ms * MS)
    }

    #[test]
    fn a_turn_that_memory_moved_for_lasts() {
        let mut lodging = lodging();
        assert!(seen(&lodging, 1, 0, true, 1040).moving, "its threads are being woken");
        assert_eq!(seen(&lodging, 1, 0, true, 1060).waiting, 1, "they did not come, or have no credit left");
        assert!(seen(&lodging, 1, 3, true, 1500).moving, "at work, whatever it says");
        assert!(seen(&lodging, 0, 0, true, 1040).moving && !seen(&lodging, 0, 0, true, 1060).moving);
        let works = Flight { commands: 1, ..Flight::default() };
        lodging.works(&[works], 1050 * MS);
        assert!(seen(&lodging, 0, 0, true, 1100).moving, "on the host for a moment");
        assert!(!seen(&lodging, 0, 0, false, 1100).moving, "but somebody waits for whom nothing has to move");
        assert!(!seen(&lodging, 0, 0, true, 1000 + 10 * 20).moving, "on the host for longer");
        lodging.works(&[works], 1500 * MS);
        assert!(seen(&lodging, 0, 0, false, 1505).moving && !seen(&lodging, 0, 0, true, 1511).moving);
        lodging.on_turn = false;
        let truth = seen(&lodging, 1, 3, true, 1040);
        assert_eq!((truth.waiting, truth.commands, truth.moving), (1, 3, false));
    }

    #[test]
    fn work_between_two_looks_counts() {
        let mut lodging = lodging();
        let did = |retired_ns| Flight { retired_ns, progress_at: 1490 * MS, waiting: 1, ..Flight::default() };
        lodging.works(&[did(5)], 1500 * MS);
        assert!(seen(&lodging, 1, 0, true, 1530).moving, "the next command is on its way");
        lodging.works(&[did(5)], 1545 * MS);
        assert!(!seen(&lodging, 1, 0, true, 1545).moving, "it is not, for 50 ms");
    }

    #[test]
    fn who_pauses_for_long_gives_its_turn_up_at_once() {
        let mut lodging = lodging();
        let works = |commands| [Flight { commands, ..Flight::default() }];
        let mut cycle = |pauses: [u64; 2]| {
            for (begin, pause) in [1000, 2000].into_iter().zip(pauses) {
                for (at, commands) in [(0, 1), (5, 0), (6, 1), (10, 1), (15, 0), (10 + pause, 1)] {
                    lodging.works(&works(commands), (begin + at) * MS);
                }
            }
            lodging.arrived_at = 2980 * MS;
            lodging.works(&works(1), 2990 * MS);
            lodging.works(&works(0), 3000 * MS);
            seen(&lodging, 0, 0, true, 3020).moving
        };
        assert!(cycle([30, 30]) && cycle([30, 400]) && cycle([400, 30]), "it may be back soon");
        assert!(!cycle([40, 400]));
    }

    #[test]
    fn who_waits_for_memory_waits_for_a_turn() {
        let mut lodging = Lodging { on_turn: false, ..lodging() };
        (lodging.stay.here, lodging.stay.wanting) = (false, 2);
        assert_eq!(seen(&lodging, 1, 0, true, 2000).waiting, 3);
        lodging.on_turn = true;
        assert!(seen(&lodging, 1, 0, true, 2000).moving, "and has it while memory is on the way");
        lodging.stay.wanting = 0;
        assert!(seen(&lodging, 0, 0, true, 2000).moving, "even if it looks up from its waiting");
    }

    #[test]
    fn what_passed_the_gate_before_memory_left_is_not_at_work() {
        let mut lodging = Lodging { on_turn: false, sent: true, ..lodging() };
        (lodging.stay.here, lodging.stay.wanting) = (false, 1);
        assert_eq!(seen(&lodging, 0, 1, true, 2000).commands, 1, "as long as it is on its way out");
        lodging.stay.away = true;
        let waits = seen(&lodging, 0, 1, true, 2000);
        assert_eq!((waits.waiting, waits.commands, waits.in_flight_ns, waits.moving), (1, 0, 0, false));
        lodging.on_turn = true;
        assert!(seen(&lodging, 0, 1, true, 2000).moving, "its memory is sent for");
    }

    #[test]
    fn turns_are_worth_what_a_change_costs() {
        let share = Share { latency: true, ..Share::default() };
        let quantum = |lodging: &Lodging| match lodging.share(share).policy {
            Policy::TimeShare { quantum_ns } => quantum_ns,
            other => panic!("{other:?}"),
        };
        let mut lodging = lodging();
        assert_eq!(quantum(&lodging), 300 * MS);
        lodging.stay.swap_ns = 0;
        assert_eq!(quantum(&lodging), 400 * MS, "of 10 MiB there and back, at a byte in a nanosecond");
        lodging.as_others_ns = Some(30 * MS);
        assert_eq!(quantum(&lodging), 500 * MS, "as it takes others");
        lodging.stay.swap_ns = u64::MAX;
        assert!(quantum(&lodging) <= 1300 * MS, "whatever it says");
        lodging.short = false;
        assert_eq!(lodging.share(share), share);
    }

    #[test]
    fn only_those_who_asked_for_it_make_room() {
        let mut places = Places::default();
        let (mut still, mut one, mut two) =
            (Lodging::new(moves(false)), Lodging::new(moves(true)), Lodging::new(moves(true)));
        let mut all = [(1, &mut still, false, true), (2, &mut one, true, true), (3, &mut two, false, true)];
        let wishes = places.step(0, 5, &mut all);
        assert_eq!(wishes, [(1, false), (2, false), (3, true)]);
        assert_eq!((still.short, one.short, two.short, one.on_turn), (false, true, true, true));
        one.stay = Stay { movable: GRANT, swap_ns: 30 * MS, ..one.stay };
        places.step(0, 6, &mut [(2, &mut one, true, true), (3, &mut two, false, true)]);
        assert_eq!(two.swap_ns(), 15 * MS, "it will have half its grant, and takes as long as the other");
    }
}
