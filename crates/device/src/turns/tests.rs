//! Several processes in one address space, with a clock the test moves.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;

use cleave_ledger::Pages;

use super::*;
use crate::engine::EngineFields;

const MS: u64 = 1_000_000;
const SLICE: u64 = 2 * MS;
const SWITCH: u64 = 50_000;
/// When the device was made.
const EPOCH: u64 = 1_000 * MS;

struct Machine {
    fields: &'static [EngineFields],
    dead: [AtomicBool; 8],
}

impl Places for Machine {
    fn fields(&self, record: u16) -> &EngineFields {
        &self.fields[usize::from(record)]
    }

    fn is_alive(&self, record: u16) -> bool {
        !self.dead[usize::from(record)].load(SeqCst)
    }
}

struct Bench {
    turns: Turns,
    machine: Arc<Machine>,
    time: Arc<AtomicU64>,
}

impl Bench {
    fn new(paced: bool) -> Bench {
        let pages = Pages::anonymous(8192).expect("memory");
        let machine = Arc::new(Machine { fields: pages.slice(4096, 8), dead: Default::default() });
        let time = Arc::new(AtomicU64::new(EPOCH));
        let (words, source) = (pages.view(0), time.clone());
        let source = Box::new(move || source.load(SeqCst));
        let clock = Clock::with_source(paced, EPOCH, words, machine.clone(), source);
        Bench { turns: Turns::new(words, machine.clone(), clock, SLICE, SWITCH), machine, time }
    }

    /// Lets monotonic time pass until the device would be so old if it never stood still.
    fn at(&self, age: u64) {
        self.time.store(EPOCH + age, SeqCst);
    }

    fn now(&self) -> u64 {
        self.turns.clock().now()
    }

    fn die(&self, record: u16) {
        self.machine.dead[usize::from(record)].store(true, SeqCst);
    }

    fn enter(&self, me: u16) -> Turn {
        self.turns.enter(me, self.now())
    }
}

fn mine(turn: Turn) -> (u64, Tenure) {
    match turn {
        Turn::Mine { begin, tenure } => (begin, tenure),
        Turn::Theirs { look_at } => panic!("not before {look_at}"),
    }
}

fn theirs(turn: Turn) -> u64 {
    match turn {
        Turn::Theirs { look_at } => look_at - EPOCH,
        Turn::Mine { begin, .. } => panic!("mine from {begin}"),
    }
}

#[test]
fn the_turn_is_kept_lazily_and_confirmed_without_cost() {
    let bench = Bench::new(true);
    bench.at(5 * MS);
    let (begin, first) = mine(bench.enter(1));
    assert_eq!(begin, 5 * MS);
    bench.turns.leave(1, 6 * MS);
    bench.at(6 * MS);
    let (_, again) = mine(bench.enter(1));
    assert_eq!(again.end, first.end, "the same slice goes on");
    assert_ne!(again.generation, first.generation);
    bench.turns.leave(1, 6 * MS);
    bench.at(20 * MS);
    let (begin, later) = mine(bench.enter(1));
    assert_eq!(begin, 20 * MS);
    assert!(later.end >= 22 * MS);
    assert!(!bench.turns.holds(first) && bench.turns.holds(later));
}

#[test]
fn an_owner_without_work_is_replaced_once_the_clock_has_reached_its_end() {
    let bench = Bench::new(true);
    mine(bench.enter(1));
    bench.turns.leave(1, MS);
    assert_eq!(theirs(bench.enter(2)), MS, "what is queued for 1 runs until then");
    bench.at(MS + 70_000);
    let (begin, tenure) = mine(bench.turns.look(2));
    assert!(
        (MS + SWITCH..MS + SWITCH + 256).contains(&begin),
        "a late look costs the next owner nothing: {begin}"
    );
    assert_eq!(tenure.end - begin, SLICE);
    assert_eq!(bench.turns.clock().slip_ns(), 0);
}

#[test]
fn the_clock_never_runs_backwards_however_late_somebody_looks() {
    let bench = Bench::new(true);
    mine(bench.enter(1));
    bench.turns.leave(1, MS);
    theirs(bench.enter(2));
    bench.at(30 * MS);
    let before = bench.now();
    theirs(bench.enter(1));
    assert!(bench.now() >= before);
    let (begin, tenure) = mine(bench.turns.look(2));
    assert!(begin >= 29 * MS && tenure.end > before);
    bench.turns.leave(2, begin);
    bench.at(90 * MS);
    let before = bench.now();
    let _ = bench.turns.enter(2, begin);
    assert!(bench.now() >= before);
}

#[test]
fn who_comes_later_begins_later() {
    let bench = Bench::new(true);
    mine(bench.enter(1));
    bench.turns.leave(1, MS);
    bench.at(MS + 300_000);
    let (begin, _) = mine(bench.enter(2));
    assert!((MS + 300_000 + SWITCH..MS + 300_256 + SWITCH).contains(&begin), "{begin}");
}

#[test]
fn a_returning_owner_lets_those_pass_who_came_meanwhile() {
    let bench = Bench::new(true);
    mine(bench.enter(1));
    bench.turns.leave(1, MS);
    theirs(bench.enter(2));
    bench.at(MS + 10_000);
    // 2 should have had the turn since MS, but nobody has looked yet.
    theirs(bench.enter(1));
    let (begin, _) = mine(bench.turns.look(2));
    assert!((MS + SWITCH..MS + SWITCH + 256).contains(&begin), "{begin}");
}

#[test]
fn followers_of_the_last_kernel_stay_in_the_slice() {
    let bench = Bench::new(true);
    let (_, first) = mine(bench.enter(1));
    bench.turns.leave(1, MS);
    theirs(bench.enter(2));
    bench.at(MS + 10_000);
    let (_, again) = mine(bench.turns.enter(1, MS));
    assert_eq!(again.end, first.end);
}

#[test]
fn followers_do_not_make_the_slice_longer() {
    let bench = Bench::new(true);
    let (_, first) = mine(bench.enter(1));
    theirs(bench.enter(2));
    bench.turns.leave(1, first.end);
    theirs(bench.turns.enter(1, first.end));
    mine(bench.turns.look(2));
}

#[test]
fn turns_go_round() {
    let bench = Bench::new(true);
    let (_, mut tenure) = mine(bench.enter(3));
    for record in [1, 2, 5] {
        theirs(bench.enter(record));
    }
    let mut order = Vec::new();
    for _ in 0..8 {
        (1..6).for_each(|me| bench.machine.fields(me).bell.store(0, SeqCst));
        bench.at(tenure.end - MS);
        let before = tenure;
        theirs(bench.turns.yield_turn(tenure.owner, tenure).expect("others wait"));
        let woken = |&me: &u16| bench.machine.fields(me).bell.load(SeqCst) > 0;
        let next = (1..6).find(woken).expect("somebody");
        let (begin, next_tenure) = mine(bench.turns.look(next));
        assert!(begin >= before.end + SWITCH && begin < before.end + SWITCH + 256);
        order.push(next);
        tenure = next_tenure;
    }
    assert_eq!(order, [5, 1, 2, 3, 5, 1, 2, 3]);
    assert_eq!(bench.turns.clock().slip_ns(), 0);
}

#[test]
fn the_clock_stands_for_an_owner_that_is_late_and_counts_it() {
    let bench = Bench::new(true);
    let (_, tenure) = mine(bench.enter(1));
    theirs(bench.enter(2));
    bench.at(tenure.end + 3 * MS);
    assert_eq!(bench.now(), tenure.end);
    bench.turns.count_slip(tenure);
    bench.turns.yield_turn(1, tenure).expect("2 waits");
    assert_eq!((bench.now(), bench.turns.clock().slip_ns()), (tenure.end, 3 * MS));
    bench.at(tenure.end + 4 * MS);
    assert_eq!(bench.now(), tenure.end + MS);
}

#[test]
fn nobody_waits_for_the_dead() {
    let bench = Bench::new(true);
    let (_, tenure) = mine(bench.enter(1));
    theirs(bench.enter(2));
    theirs(bench.enter(4));
    bench.die(1);
    bench.die(2);
    assert_eq!(theirs(bench.turns.look(4)), tenure.end, "its slice is its own");
    bench.at(tenure.end);
    let (begin, _) = mine(bench.turns.look(4));
    assert!(begin >= tenure.end + SWITCH);
    assert_eq!(bench.turns.words().waiting_besides(0), [0; 16]);
}

#[test]
fn a_stopped_process_is_parked_until_it_speaks_up() {
    for paced in [false, true] {
        let bench = Bench::new(paced);
        let grace = if paced { PACED_GRACE } else { FREE_GRACE };
        let (_, tenure) = mine(bench.enter(1));
        theirs(bench.enter(2));
        bench.at(tenure.end + grace - 1);
        theirs(bench.turns.look(2));
        bench.at(tenure.end + grace);
        let (_, second) = mine(bench.turns.look(2));
        assert_eq!(bench.turns.clock().slip_ns(), if paced { grace } else { 0 });
        // 1 is stopped: it is passed over although it never withdrew.
        bench.turns.words().ask(1);
        theirs(bench.enter(4));
        theirs(bench.turns.yield_turn(2, second).expect("4 waits"));
        mine(bench.turns.look(4));
        assert_eq!(bench.machine.fields(1).parked.load(SeqCst), 1);
        theirs(bench.turns.look(1));
        assert_eq!(bench.machine.fields(1).parked.load(SeqCst), 0, "it is back");
    }
}

#[test]
fn who_was_stopped_counts_nothing_twice() {
    let bench = Bench::new(true);
    let (_, tenure) = mine(bench.enter(1));
    theirs(bench.enter(2));
    bench.at(tenure.end + PACED_GRACE);
    let (_, second) = mine(bench.turns.look(2));
    bench.at(second.end + PACED_GRACE + MS);
    let now = bench.now();
    bench.turns.count_slip(tenure);
    assert_eq!(bench.now(), now);
    bench.at(second.end + PACED_GRACE + 2 * MS);
    bench.turns.count_slip(second);
    bench.turns.count_slip(tenure);
    assert_eq!(bench.now(), second.end);
}

#[test]
fn progress_keeps_a_late_owner_from_being_parked() {
    let bench = Bench::new(true);
    let (_, tenure) = mine(bench.enter(1));
    theirs(bench.enter(2));
    bench.at(tenure.end + PACED_GRACE - 1);
    bench.turns.show_life(1);
    bench.at(tenure.end + PACED_GRACE + MS);
    theirs(bench.turns.look(2));
}

#[test]
fn a_dead_owner_does_not_hold_the_clock_though_nobody_waits() {
    let bench = Bench::new(true);
    let (_, tenure) = mine(bench.enter(1));
    bench.die(1);
    bench.at(tenure.end + 5 * MS);
    assert_eq!(bench.now(), tenure.end);
    bench.turns.settle();
    assert_eq!(bench.turns.clock().slip_ns(), 5 * MS);
    bench.at(tenure.end + 6 * MS);
    assert_eq!(bench.now(), tenure.end + MS);
    mine(bench.enter(2));
}

#[test]
fn a_record_is_forgotten_once_and_for_all() {
    let bench = Bench::new(true);
    mine(bench.enter(1));
    theirs(bench.enter(2));
    theirs(bench.enter(3));
    bench.turns.forget(2);
    bench.turns.forget(1);
    bench.turns.forget(1);
    let (begin, _) = mine(bench.turns.look(3));
    assert!(begin < MS, "at once: {begin}");
}

#[test]
fn an_extended_tenure_is_the_only_one_that_counts() {
    let bench = Bench::new(true);
    let (_, tenure) = mine(bench.enter(1));
    let longer = bench.turns.extend(tenure, tenure.end + MS).expect("ours");
    assert_eq!(bench.turns.extend(tenure, tenure.end + MS), None);
    assert!(bench.turns.holds(longer) && longer.end >= tenure.end + MS);
    assert_eq!(bench.turns.yield_turn(1, longer), None, "nobody waits");
}

#[test]
fn in_free_mode_slices_begin_when_they_begin() {
    let bench = Bench::new(false);
    let (_, tenure) = mine(bench.enter(1));
    theirs(bench.enter(2));
    bench.at(tenure.end + 10_000);
    theirs(bench.turns.yield_turn(1, tenure).expect("2 waits"));
    let (begin, _) = mine(bench.turns.look(2));
    assert!(begin >= tenure.end + 10_000 + SWITCH);
    assert_eq!(bench.now(), tenure.end + 10_000);
    bench.turns.leave(2, bench.now());
    mine(bench.turns.look(1));
}
