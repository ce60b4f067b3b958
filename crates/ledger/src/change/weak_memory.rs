//! The machines on a memory as weak as the language allows: loom tries every order in which the words may be seen. What
//! `every_step` searches is which steps follow each other; here it is whether the orderings named in the code suffice.

use loom::sync::Arc;
use loom::sync::atomic::AtomicU64;

use super::*;

struct Memory {
    total: AtomicU64,
    accounts: [[AtomicU64; 3]; 2],
}

impl Memory {
    fn word(&self, place: Place) -> &AtomicU64 {
        match place {
            Place::Total => &self.total,
            Place::Settled(record) => &self.accounts[record.index() - 1][0],
            Place::Note(record) => &self.accounts[record.index() - 1][1],
            Place::Confirmed(record) => &self.accounts[record.index() - 1][2],
        }
    }
}

impl Cells for Memory {
    fn load(&self, place: Place, order: Ordering) -> u64 {
        self.word(place).load(order)
    }

    fn store(&self, place: Place, word: u64, order: Ordering) {
        self.word(place).store(word, order);
    }

    fn exchange(&self, place: Place, old: u64, new: u64) -> bool {
        self.word(place).compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

const LIMIT: u32 = 4;

fn id(number: u16) -> RecordId {
    RecordId::new(number).unwrap()
}

/// Does at most `steps` steps. The rest is left as a death leaves it.
fn go(memory: &Memory, mut change: Change, steps: usize) -> bool {
    (0..steps).any(|_| change.step(memory, &|| LIMIT) != Progress::On)
}

/// A record dies after so many steps of its second operation and is recovered, while another goes on.
fn death_after(steps: usize) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let memory = Arc::new(Memory {
            total: AtomicU64::new(0),
            accounts: [(); 2].map(|()| [(); 3].map(|()| AtomicU64::new(0))),
        });
        let other = Arc::clone(&memory);
        // The kernel's lock orders a death before the recovery; so it is one thread here.
        let dying = loom::thread::spawn(move || {
            assert!(go(&other, Change::charge(id(1), 1), usize::MAX));
            go(&other, Change::charge(id(1), 2), steps);
            let mut recovery = Recovery::of(id(1));
            loop {
                if let Progress::Done(given) = recovery.step(&*other) {
                    return given;
                }
            }
        });
        assert!(go(&memory, Change::charge(id(2), 1), usize::MAX), "fits beside all that the other has");
        assert_eq!(held(&*memory, id(2)), 1);
        assert!([0, 1, 3].contains(&held(&*memory, id(1))), "an amount it had at some time");
        let given = dying.join().unwrap();
        assert!(given == -1 || given == -3, "given back {given}");
        assert_eq!(Total::unpack(memory.load(Place::Total, Acquire)).used, 1, "what the living one holds");
    });
}

#[test]
fn a_death_is_recovered_under_any_memory_order() {
    for steps in 0..=8 {
        death_after(steps);
    }
}
