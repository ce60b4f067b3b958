//! Processes that charge and release at random on one counter and are killed by the thousand: at every moment no more is in
//! use than the limit, and after recovery exactly what the living hold.

#[allow(unsafe_code, dead_code)]
mod process_unsafe;

use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use cleave_ledger::{Account, Book, Counter, Pages, RecordId, RecordWord, State, Tokens, shared};
use process_unsafe::{Folder, Forked, fork, pause};

const LIMIT: u32 = 1000;
const PROCESSES: usize = 4;
const KILLS: usize = 2000;

shared! {
    struct Entry {
        word: RecordWord,
        account: Account,
        /// What the owner says it holds, once the storm is over, plus one.
        report: AtomicU32,
        pad: AtomicU32,
    }
}

shared! {
    struct Table {
        counter: Counter,
        /// 1 when the storm is over.
        over: AtomicU32,
        /// Set when somebody saw more in use than the limit, or held other than it knew.
        wrong: AtomicU32,
        /// One more for each process that has begun.
        begun: AtomicU32,
        pad: AtomicU32,
        entries: [Entry; RecordId::TABLE],
    }
}

impl Book for Table {
    fn account(&self, record: RecordId) -> &Account {
        &self.entries[record.index()].account
    }
}

impl Table {
    fn open(folder: &Path) -> (&'static Table, Tokens) {
        let pages = Pages::open(&folder.join("table"), size_of::<Table>()).expect("a table");
        (pages.view(0), Tokens::open(&folder.join("lock")).expect("a lock file"))
    }

    /// Recovers `record` if its owner is dead. Its token is the caller's afterwards, if true.
    fn take(&self, tokens: &Tokens, record: RecordId) -> bool {
        if !tokens.hold(record.get().into()).expect("a token") {
            return false;
        }
        let entry = &self.entries[record.index()];
        if entry.word.bury() {
            self.counter.recover(self, record);
            entry.report.store(0, SeqCst);
            entry.word.free();
        }
        true
    }

    fn recover_all(&self, tokens: &Tokens) {
        for record in records().filter(|&record| self.state(record) != State::Free) {
            if self.take(tokens, record) {
                tokens.release(record.get().into()).expect("a release");
            }
        }
    }

    fn state(&self, record: RecordId) -> State {
        self.entries[record.index()].word.read().state
    }
}

fn records() -> impl Iterator<Item = RecordId> {
    RecordId::all().take(PROCESSES + 4)
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % u64::from(sides)) as u32
    }
}

/// A process of the storm: charges, releases and recovers others until it is killed, or until the storm is over.
fn charge_until_killed(folder: &Path) {
    let (table, tokens) = Table::open(folder);
    let me = records().find(|&record| table.take(&tokens, record)).expect("more records than processes");
    let entry = &table.entries[me.index()];
    assert!(entry.word.claim(), "taken, so free");
    table.begun.fetch_add(1, SeqCst);

    let mut dice = Dice(u64::from(std::process::id()) * 0x9e37_79b9 + 1);
    let mut mine = 0;
    while table.over.load(SeqCst) == 0 {
        let units = dice.roll(LIMIT / 4);
        match dice.roll(64) {
            0 => table.recover_all(&tokens),
            1..32 => mine += table.counter.charge(table, me, units, || LIMIT).map_or(0, |()| units),
            _ => mine -= table.counter.release(table, me, units),
        }
        if table.counter.used() > LIMIT || table.counter.held(table, me) != mine {
            table.wrong.fetch_add(1, SeqCst);
        }
    }
    entry.report.store(mine + 1, SeqCst);
    pause();
}

#[test]
fn the_counter_is_what_the_living_hold() {
    let folder = Folder::new("kills");
    Pages::create(&folder.path().join("table"), size_of::<Table>()).expect("a table");
    std::fs::write(folder.path().join("lock"), "").expect("a lock file");
    let (table, tokens) = Table::open(folder.path());
    let start = || fork(|| charge_until_killed(folder.path()));

    let mut dice = Dice(0x5eed);
    let mut children: Vec<Forked> = (0..PROCESSES).map(|_| start()).collect();
    for _ in 0..KILLS {
        std::thread::sleep(Duration::from_micros(dice.roll(1000).into()));
        let at = dice.roll(PROCESSES as u32) as usize;
        assert!(children[at].kill(), "a process of the storm failed by itself");
        children[at] = start();
    }
    let begun = table.begun.load(SeqCst) as usize;
    assert!(begun > KILLS / 4, "only {begun} processes came as far as to charge");

    table.over.store(1, SeqCst);
    // Those that live at the end hold a record each, and have said what they hold.
    let report = |record: RecordId| table.entries[record.index()].report.load(SeqCst);
    let until = Instant::now() + Duration::from_secs(60);
    let mut living = Vec::new();
    while living.len() < PROCESSES {
        assert!(Instant::now() < until, "a process of the storm does not report");
        std::thread::yield_now();
        table.recover_all(&tokens);
        living = records().filter(|&record| report(record) > 0).collect();
    }
    assert_eq!(table.counter.used(), living.iter().map(|&record| report(record) - 1).sum::<u32>());
    for &record in &living {
        assert_eq!(table.counter.held(table, record), report(record) - 1);
    }
    assert_eq!(table.wrong.load(SeqCst), 0, "somebody saw too much in use, or lost something");

    assert!(children.iter_mut().all(Forked::kill));
    table.recover_all(&tokens);
    assert_eq!(table.counter.used(), 0, "all are dead");
}
