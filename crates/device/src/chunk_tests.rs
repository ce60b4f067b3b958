//! Chunks under threads that stand for processes, and die at every step.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};

use cleave_ledger::{Account, Book, Pages, RecordId};

use crate::chunks::{Chunks, Claimed, Holder, Wants};

thread_local! {
    /// Steps until this thread dies; 0 is never.
    static FUSE: Cell<u64> = const { Cell::new(0) };
}

/// Dies here if the fuse has burnt down.
pub fn burn() {
    let left = FUSE.get();
    FUSE.set(left.saturating_sub(1));
    if left == 1 {
        resume_unwind(Box::new("killed"));
    }
}

/// Runs `body` until it ends or has made `steps` steps. Whether it ended.
fn kill_after(steps: u64, body: impl FnOnce()) -> bool {
    FUSE.set(steps);
    let ended = catch_unwind(AssertUnwindSafe(body)).is_ok();
    FUSE.set(0);
    ended
}

struct Accounts(&'static [Account]);

impl Book for Accounts {
    fn account(&self, record: RecordId) -> &Account {
        &self.0[record.index()]
    }
}

/// A device as one process sees it.
struct Device {
    pages: &'static Pages,
    count: u64,
    chunks: Chunks,
    book: Accounts,
}

const NOBODY: &dyn Fn(u64) -> bool = &|_| false;

impl Device {
    fn new(count: u64) -> Device {
        let accounts = size_of::<Account>() * RecordId::TABLE;
        let pages = Pages::anonymous(Chunks::region_bytes(count) + accounts).unwrap();
        Device::of(Box::leak(Box::new(pages)), count)
    }

    fn of(pages: &'static Pages, count: u64) -> Device {
        let book = Accounts(pages.slice(Chunks::region_bytes(count), RecordId::TABLE));
        Device { pages, count, chunks: Chunks::view(pages, 0, count), book }
    }

    /// The same device as another process sees it.
    fn again(&self) -> Device {
        Device::of(self.pages, self.count)
    }

    fn holder(&self, number: u16) -> Holder<'_> {
        Holder { book: &self.book, record: id(number) }
    }

    fn claim(&self, number: u16, count: u64) -> Option<Vec<u64>> {
        let claimed = self.chunks.claim(self.holder(number), count, 0, Wants::Memory);
        claimed.map(|claimed| claimed.iter().map(|c| c.chunk).collect())
    }

    fn free(&self) -> u64 {
        self.chunks.fill().free()
    }

    /// All that is free can be taken at once, and not one more.
    fn check_brim(&self, number: u16) {
        let free = self.free();
        assert_eq!(self.claim(number, free + 1), None);
        let all = self.claim(number, free).expect("what is free can be had");
        assert_eq!(self.free(), 0);
        self.chunks.free(self.holder(number), all);
        assert_eq!(self.free(), free);
    }
}

fn id(number: u16) -> RecordId {
    RecordId::new(number).unwrap()
}

#[test]
fn a_device_holds_what_it_has_and_not_one_more() {
    let device = Device::new(8);
    let a = device.claim(1, 3).unwrap();
    assert_eq!(a, [0, 1, 2]);
    assert_eq!(device.claim(2, 6), None);
    assert_eq!(device.free(), 5, "a refused request leaves nothing behind");
    let b = device.claim(2, 5).unwrap();
    assert_eq!((device.free(), device.chunks.held(&device.book, id(2))), (0, 5));
    device.chunks.give(device.holder(1), b.iter().copied());
    assert_eq!(device.free(), 0, "nobody gives what is not his");
    device.chunks.give(device.holder(1), a);
    device.chunks.give(device.holder(2), b);
    assert_eq!(device.free(), 8);
    assert!(device.chunks.claim(device.holder(1), u64::MAX, 0, Wants::Memory).is_none());
}

#[test]
fn scattered_chunks_serve_a_big_request_and_runs_come_first() {
    let device = Device::new(10);
    let all = device.claim(1, 10).unwrap();
    device.chunks.give(device.holder(1), [all[0], all[2], all[5], all[6], all[7]]);
    assert_eq!(device.claim(2, 3).unwrap(), [5, 6, 7]);
    device.chunks.give(device.holder(2), [5, 6, 7]);
    assert_eq!(device.claim(2, 4).unwrap(), [0, 2, 5, 6]);
}

#[test]
fn kept_chunks_are_free_and_come_back_to_their_owner_alone() {
    let device = Device::new(2);
    let (me, other) = (device.holder(1), device.holder(2));
    device.chunks.claim(me, 2, 70, Wants::Memory).unwrap();
    device.chunks.keep(me, [0, 1]);
    assert_eq!(device.free(), 2);
    assert_eq!(device.chunks.retake(me, &[(70, 0), (71, 1)]), Some(vec![]));
    assert_eq!(device.chunks.retake(me, &[(70, 0)]), None, "full");
    device.chunks.keep(me, [0, 1]);
    // The other one gets the first, with what is in it, and says so.
    let claimed = device.chunks.claim(other, 1, 0, Wants::Memory).unwrap();
    assert_eq!(claimed, [Claimed { chunk: 0, dirty: true }]);
    device.chunks.keep(other, [0]);
    assert_eq!(device.chunks.retake(me, &[(70, 0), (71, 1)]), Some(vec![(70, 0)]), "one was lost");
    assert_eq!(device.chunks.held(&device.book, id(1)), 1);
    device.check_brim(3);
}

#[test]
fn what_a_context_costs_leaves_chunks_as_they_were() {
    let device = Device::new(4);
    let me = device.holder(1);
    device.chunks.claim(me, 1, 0, Wants::Memory).unwrap();
    device.chunks.free(me, [0]);
    let room = device.chunks.claim(me, 4, 0, Wants::Room).unwrap();
    assert_eq!(device.free(), 0);
    device.chunks.free(me, room.iter().map(|c| c.chunk));
    let again = device.chunks.claim(me, 4, 0, Wants::Memory).unwrap();
    let dirty: Vec<bool> = again.iter().map(|c| c.dirty).collect();
    assert_eq!(dirty, [true, false, false, false], "only what had content has it");
}

#[test]
fn a_full_file_system_prefers_chunks_with_pages() {
    let device = Device::new(3);
    let (me, other) = (device.holder(1), device.holder(2));
    device.chunks.claim(other, 3, 0, Wants::Memory).unwrap();
    device.chunks.give(other, [0]);
    device.chunks.keep(other, [1, 2]);
    let memory = device.chunks.claim(me, 1, 0, Wants::Memory).unwrap();
    assert_eq!(memory, [Claimed { chunk: 0, dirty: false }], "what others keep warm comes last");
    device.chunks.give(me, [0]);
    let pages = device.chunks.claim(me, 1, 0, Wants::Pages).unwrap();
    assert_eq!(pages, [Claimed { chunk: 1, dirty: true }]);
}

#[test]
fn a_shared_chunk_lives_as_long_as_anyone_holds_it() {
    let device = Device::new(4);
    let (chunks, owner) = (&device.chunks, device.holder(1));
    let mine = device.claim(1, 2).unwrap();
    let numbers = chunks.share(owner, &mine).unwrap();
    assert_eq!(numbers[1], numbers[0] + 1);
    assert_eq!(chunks.share(owner, &mine), Some(numbers.clone()), "shared again, the same");
    assert_eq!((device.free(), chunks.held(&device.book, id(1))), (2, 2));
    assert_eq!(chunks.join(id(2), numbers[0], 2), Some(mine.clone()));
    assert_eq!(chunks.join(id(2), numbers[0], 3), None);
    assert_eq!(chunks.join(id(2), numbers[0] + 7, 1), None);
    chunks.leave(id(1), mine.iter().copied(), NOBODY);
    assert_eq!((device.free(), chunks.held(&device.book, id(2))), (2, 2), "it passed to who holds it");
    assert_eq!(chunks.held_each(&device.book, &[id(1), id(2)]), [0, 2]);
    device.check_brim(3);
    chunks.leave(id(2), mine.iter().copied(), NOBODY);
    assert_eq!(device.free(), 4);
    assert_eq!(chunks.join(id(2), numbers[0], 2), None, "gone");
    assert_eq!(chunks.share(owner, &mine), None, "not the caller's any more");
}

#[test]
fn a_descriptor_keeps_a_shared_chunk() {
    let device = Device::new(2);
    let mine = device.claim(1, 1).unwrap();
    let number = device.chunks.share(device.holder(1), &mine).unwrap()[0];
    device.chunks.recover(&device.book, id(1), &|named| named == number);
    assert_eq!(device.free(), 1, "its owner is dead, its descriptor is not");
    assert_eq!(device.chunks.join(id(2), number, 1), Some(mine.clone()));
    device.chunks.leave(id(2), mine, &|named| named == number);
    assert_eq!(device.free(), 1);
    device.chunks.sweep(id(2), NOBODY);
    assert_eq!(device.free(), 2);
}

#[test]
fn damaged_words_are_chunks_nobody_can_have() {
    let device = Device::new(4);
    let words: &[AtomicU64] = device.pages.slice(0, Chunks::region_bytes(4) / size_of::<AtomicU64>());
    words.iter().for_each(|word| word.store(u64::MAX, SeqCst));
    assert!(device.claim(1, 1).is_none());
    assert!(device.chunks.join(id(1), 0, 1).is_none());
    assert!(device.chunks.share(device.holder(1), &[0]).is_none());
    device.chunks.recover(&device.book, id(1), NOBODY);
    assert_eq!(device.free(), 0);
}

/// What one process does in its life, beside a neighbour that holds and shares some.
fn a_life(device: &Device) {
    let (chunks, me) = (&device.chunks, device.holder(1));
    let a = device.claim(1, 3).unwrap();
    chunks.keep(me, [a[0], a[1]]);
    chunks.retake(me, &[(0, a[0]), (1, a[1])]).unwrap();
    let room = chunks.claim(me, 2, 0, Wants::Room).unwrap();
    let shared = chunks.share(me, &a[..2]).unwrap();
    // The neighbour joins one of them; it must survive us.
    chunks.join(id(2), shared[1], 1).unwrap();
    chunks.join(id(1), 1, 1).unwrap();
    chunks.give(me, [a[2]]);
    chunks.leave(id(1), [a[0]], NOBODY);
    chunks.free(me, room.iter().map(|c| c.chunk));
}

#[test]
fn death_at_any_step_gives_back_exactly_what_was_held() {
    let mut deaths = 0;
    for steps in 1.. {
        // A recoverer may die at any step too; the next one goes on.
        for recoverer_steps in 1.. {
            let device = Device::new(16);
            let theirs = device.claim(2, 2).unwrap();
            assert_eq!(device.chunks.share(device.holder(2), &theirs[..1]), Some(vec![1]));
            let ended = kill_after(steps, || a_life(&device));
            let recover = || device.chunks.recover(&device.book, id(1), NOBODY);
            let recovered = kill_after(recoverer_steps, recover);
            recover();
            // What the neighbour joined is the neighbour's.
            let joined = device.chunks.held(&device.book, id(2)) - 2;
            assert!(joined <= 1);
            let fill = device.chunks.fill();
            assert_eq!((fill.charged, fill.shared, fill.free()), (1, 1 + joined, 14 - joined), "{steps}");
            assert_eq!(device.chunks.held(&device.book, id(1)), 0);
            device.check_brim(3);
            deaths += 1;
            if recovered {
                if ended {
                    assert!(deaths > 100, "the fuse was never lit: {deaths}");
                    return;
                }
                break;
            }
        }
    }
}

#[test]
fn at_the_brim_nothing_that_fits_is_refused() {
    let device = Device::new(32);
    std::thread::scope(|scope| {
        for number in 1..=8 {
            let device = device.again();
            scope.spawn(move || {
                for round in 0..2000 {
                    // Each has its eighth: it must always get it.
                    let mine = device.claim(number, 4).expect("it fits");
                    let me = device.holder(number);
                    match round % 3 {
                        0 => device.chunks.keep(me, mine),
                        1 => device.chunks.give(me, mine),
                        _ => device.chunks.free(me, mine),
                    }
                }
            });
        }
    });
    assert_eq!(device.free(), 32);
}

/// Whose each chunk is, as those believe who hold it: the life that claimed it, or 0.
struct Beliefs {
    owner: Vec<AtomicUsize>,
    dead: Vec<AtomicBool>,
    lives: AtomicUsize,
}

impl Beliefs {
    fn take(&self, life: usize, chunk: u64) {
        let before = self.owner[chunk as usize].swap(life, SeqCst);
        assert!(before == 0 || self.dead[before].load(SeqCst), "chunk {chunk} has two owners");
    }

    fn drop(&self, life: usize, chunk: u64) {
        assert!(self.owner[chunk as usize].compare_exchange(life, 0, SeqCst, SeqCst).is_ok());
    }
}

#[test]
fn processes_that_fight_and_die_leave_nothing_behind() {
    const CHUNKS: u64 = 24;
    const LIVES: usize = 3000;
    let device = Device::new(CHUNKS);
    let beliefs = Beliefs {
        owner: (0..CHUNKS).map(|_| AtomicUsize::new(0)).collect(),
        dead: (0..=LIVES).map(|_| AtomicBool::new(false)).collect(),
        lives: AtomicUsize::new(1),
    };
    let offered = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for number in 1..=6u16 {
            let (device, beliefs, offered) = (device.again(), &beliefs, &offered);
            scope.spawn(move || {
                let mut seed = u64::from(number);
                loop {
                    let life = beliefs.lives.fetch_add(1, SeqCst);
                    if life > LIVES {
                        return;
                    }
                    let steps = 1 + dice(&mut seed) % 200;
                    kill_after(steps, || live(&device, beliefs, offered, number, life, &mut seed));
                    beliefs.dead[life].store(true, SeqCst);
                    // Whoever comes next: here the next life of the same thread, after a recoverer that died.
                    let recover = || device.chunks.recover(&device.book, id(number), NOBODY);
                    kill_after(1 + dice(&mut seed) % 60, recover);
                    recover();
                }
            });
        }
    });
    (1..=6).for_each(|number| device.chunks.recover(&device.book, id(number), NOBODY));
    let fill = device.chunks.fill();
    assert_eq!((fill.charged, fill.shared), (0, 0));
    device.check_brim(1);
}

/// Claims, keeps, shares and joins at random, for ever.
fn live(
    device: &Device,
    beliefs: &Beliefs,
    offered: &Mutex<Vec<(u64, u64)>>,
    number: u16,
    life: usize,
    seed: &mut u64,
) {
    let (chunks, me) = (&device.chunks, device.holder(number));
    let mut held: Vec<u64> = Vec::new();
    let mut joined: Vec<(u64, u64)> = Vec::new();
    loop {
        match dice(seed) % 7 {
            0 | 1 => {
                let claimed = chunks.claim(me, 1 + dice(seed) % 4, 0, Wants::Memory).unwrap_or_default();
                for chunk in claimed.iter().map(|c| c.chunk) {
                    beliefs.take(life, chunk);
                    held.push(chunk);
                }
            }
            2 => {
                if let Some(chunk) = held.pop() {
                    beliefs.drop(life, chunk);
                    chunks.keep(me, [chunk]);
                    // The tag is wherever the claim put it, so this finds it or not; both must be right.
                    if chunks.retake(me, &[(0, chunk)]) == Some(vec![]) {
                        beliefs.take(life, chunk);
                        held.push(chunk);
                    }
                }
            }
            3 => {
                if let Some(chunk) = held.pop() {
                    beliefs.drop(life, chunk);
                    chunks.give(me, [chunk]);
                }
            }
            4 => {
                if let Some(chunk) = held.pop() {
                    beliefs.drop(life, chunk);
                    let shared = chunks.share(me, &[chunk]).expect("it is ours");
                    offered.lock().unwrap().push((shared[0], chunk));
                    joined.push((shared[0], chunk));
                }
            }
            5 => {
                let offer = offered.lock().unwrap().pop();
                if let Some((shared, chunk)) = offer
                    && let Some(found) = chunks.join(id(number), shared, 1)
                {
                    assert_eq!(found, [chunk]);
                    if !joined.contains(&(shared, chunk)) {
                        joined.push((shared, chunk));
                    }
                }
            }
            _ => {
                if let Some((_, chunk)) = joined.pop() {
                    chunks.leave(id(number), [chunk], NOBODY);
                }
            }
        }
        // What we hold stays what it is, whoever else lets go.
        let stays = |&(number, chunk): &(u64, u64)| {
            chunks.word(chunk).is_some_and(|word| word.is_shared() && word.tag == number)
        };
        assert!(joined.iter().all(stays));
        burn();
    }
}

fn dice(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *seed >> 33
}
