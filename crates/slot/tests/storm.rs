//! Processes of one slot that charge and release at random and are killed by the thousand, with them the node's daemon, which
//! changes the limit all the while: at no moment more is in use than may be, and in the end exactly what the living hold.

#[allow(unsafe_code, dead_code)]
#[path = "../../ledger/tests/process_unsafe/mod.rs"]
mod process_unsafe;
mod support;

use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::time::Duration;

use cleave_ledger::{Pages, RecordId, shared};
use cleave_slot::{NodeSlot, Slot};
use process_unsafe::{Forked, fork, pause};
use support::{Dice, Place, terms, until};

const HIGH: u64 = 1000 * 512;
const LOW: u64 = 400 * 512;
const PROCESSES: usize = 4;
const KILLS: usize = 2000;
/// The daemon is killed once for so many others.
const DAEMON: usize = 20;

shared! {
    /// What the processes of the test tell each other.
    struct Board {
        over: AtomicU32,
        /// One more for each process that has begun.
        begun: AtomicU32,
        /// One more for each time somebody saw what must not be.
        wrong: AtomicU32,
        /// One more for each daemon that has adopted the slot.
        daemons: AtomicU32,
        samples: AtomicU64,
        /// Launches that somebody was about to count, and that are counted.
        launching: AtomicU64,
        launched: AtomicU64,
        /// What the living say they hold in the end, by record, plus one.
        reports: [AtomicU64; RecordId::TABLE],
    }
}

impl Board {
    fn is_over(&self) -> bool {
        self.over.load(SeqCst) != 0
    }

    fn expect(&self, holds: bool) {
        self.wrong.fetch_add(u32::from(!holds), SeqCst);
    }
}

/// A process of the tenant.
fn charge_until_killed(place: &Place, board: &Board) {
    let slot = Slot::open(&place.slot()).expect("a slot");
    let seat = slot.join("storm").expect("more places than processes");
    board.begun.fetch_add(1, SeqCst);
    let mut dice = Dice(u64::from(std::process::id()) * 0x9e37_79b9 + 1);
    let mut mine = 0;
    while !board.is_over() {
        let bytes = u64::from(dice.roll((HIGH / 4) as u32));
        let units = bytes.div_ceil(512) * 512;
        match dice.roll(64) {
            0 => board
                .expect(slot.seats().iter().any(|seen| seen.record == seat.record() && seen.held == mine)),
            1..32 => match seat.charge(bytes) {
                Ok(()) => mine += units,
                Err(denied) => seat.denied("storm", denied.wanted, denied.free()),
            },
            _ => {
                seat.release(bytes);
                mine -= units.min(mine);
            }
        }
        board.expect(seat.held() == mine && slot.used() <= HIGH);
        board.launching.fetch_add(1, SeqCst);
        seat.count_launch();
        board.launched.fetch_add(1, SeqCst);
    }
    board.reports[seat.record().index()].store(mine + 1, SeqCst);
    pause();
}

/// A daemon: adopts the slot, then changes all that a daemon changes until it is killed.
fn rule_until_killed(place: &Place, board: &Board) {
    let node = NodeSlot::open(&place.slot()).expect("the last one is dead");
    board.expect(node.own() <= HIGH);
    board.daemons.fetch_add(1, SeqCst);
    let mut dice = Dice(u64::from(std::process::id()) * 0x51_7cc1 + 1);
    while !board.is_over() {
        node.set_memory(if dice.roll(2) == 0 { HIGH } else { LOW });
        node.recover();
        // Only as much more as fits, so that the sum below the highest limit means something; less at any time.
        let _ = node.try_own(u64::from(dice.roll((HIGH / 8) as u32)));
        node.set_own(node.own() / 2);
        for seen in node.seats() {
            node.note(seen.record, seen.generation, 512, seen.pid);
        }
        rest();
    }
    node.set_own(0);
    pause();
}

/// Leaves the processors to those who charge.
fn rest() {
    std::thread::sleep(Duration::from_micros(100));
}

fn sample(place: &Place, board: &Board) {
    let slot = Slot::open(&place.slot()).expect("a slot");
    while !board.is_over() {
        let (used, limit) = (slot.used(), slot.memory());
        board.expect(used <= HIGH && (limit == HIGH || limit == LOW) && slot.free() <= HIGH);
        board.samples.fetch_add(1, SeqCst);
        rest();
    }
}

#[test]
fn the_slot_is_what_the_living_hold() {
    let place = Place::new("storm");
    drop(place.create(&terms(HIGH)));
    let board: &Board = Pages::anonymous(size_of::<Board>()).expect("a page").view(0);
    let tenant = || fork(|| charge_until_killed(&place, board));
    let ruler = || fork(|| rule_until_killed(&place, board));

    let sampler = fork(|| sample(&place, board));
    let mut daemon = ruler();
    let mut dice = Dice(0x5eed);
    let mut children: Vec<Forked> = (0..PROCESSES).map(|_| tenant()).collect();
    for kill in 0..KILLS {
        std::thread::sleep(Duration::from_micros(dice.roll(1500).into()));
        let at = dice.roll(PROCESSES as u32) as usize;
        assert!(children[at].kill(), "a process of the storm failed by itself");
        children[at] = tenant();
        if kill % DAEMON == 0 {
            assert!(daemon.kill(), "a daemon failed by itself");
            daemon = ruler();
        }
    }
    let (begun, daemons) = (board.begun.load(SeqCst) as usize, board.daemons.load(SeqCst) as usize);
    assert!(begun > KILLS / 4, "only {begun} processes came as far as to charge");
    assert!(daemons > KILLS / DAEMON / 4, "only {daemons} daemons came as far as to rule");

    board.over.store(1, SeqCst);
    assert_eq!(sampler.end_within(60), Some(Ok(0)), "the sampler hangs");
    let slot = Slot::open(&place.slot()).expect("a slot");
    let reports = || board.reports.iter().map(|report| report.load(SeqCst)).filter(|&report| report > 0);
    until("a report of each of the living", || reports().count() == PROCESSES);
    // The last daemon gives up what it holds; whoever is left among the dead is recovered by it or by the next.
    assert!(daemon.kill());
    let node = NodeSlot::open(&place.slot()).expect("the last daemon is dead");
    node.set_own(0);
    node.recover();
    assert_eq!(slot.used(), reports().map(|report| report - 1).sum::<u64>());
    for seen in node.seats() {
        assert_eq!(seen.held + 1, board.reports[seen.record.index()].load(SeqCst));
    }
    assert_eq!(node.seats().len(), PROCESSES);
    let counted = board.launched.load(SeqCst)..=board.launching.load(SeqCst);
    assert!(counted.contains(&node.launches()), "{} launches, {counted:?} were counted", node.launches());
    assert_eq!(board.wrong.load(SeqCst), 0, "somebody saw too much in use, or lost something");
    let samples = board.samples.load(SeqCst);
    assert!(samples > 1000, "only {samples} samples");

    assert!(children.iter_mut().all(Forked::kill));
    assert_eq!((node.recover(), node.used(), slot.seats().len()), (PROCESSES, 0, 0));
}
