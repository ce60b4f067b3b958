//! The memory of one device as words: one per chunk, and a counter that admits.
//!
//! The words are the truth about who has what; the counter decides, before any word changes, who may have more. It is
//! charged before words are claimed and released after they are let go, so an admitted request always finds its chunks,
//! and a process that dies anywhere in between has never less charged than claimed. Shared chunks are in nobody's
//! account: they lower the limit instead.
//!
//! Nothing here touches the memory itself. Who claims a chunk commits or clears it, while it holds it and never after.

use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cleave_ledger::{Book, Counter, Pages, RecordId, shared};

use crate::chunk_word::{State, Word};

/// Device memory moves between owners in pieces of this size.
pub const CHUNK: u64 = 2 << 20;

shared! {
    /// What stands before the words. Each on a cache line of its own.
    struct Head {
        counter: Counter,
        _counter: [AtomicU64; 7],
        /// The next number of a shared chunk.
        next: AtomicU64,
        _next: [AtomicU64; 7],
        /// No record above this one ever held a shared chunk.
        crowd: AtomicU64,
        _crowd: [AtomicU64; 7],
    }
}

/// The chunks of one device.
pub struct Chunks {
    head: &'static Head,
    words: &'static [AtomicU64],
    /// A bit per record and chunk: the record holds the chunk while it is shared. Written by the record alone.
    holds: &'static [AtomicU64],
    /// Only one thread of a process closes shared chunks in the name of its record.
    closing: Mutex<()>,
}

/// In whose name chunks change hands: a record whose token this process holds, and where the accounts are.
#[derive(Clone, Copy)]
pub struct Holder<'a> {
    pub book: &'a dyn Book,
    pub record: RecordId,
}

/// What the chunks are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// Memory.
    Memory,
    /// Memory when the file system is full: chunks that have pages, even if somebody would have liked to come back to them.
    Pages,
    /// No memory, only room for it.
    Room,
}

/// A chunk that was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claimed {
    pub chunk: u64,
    /// It has pages and somebody's content: the new owner clears it. Otherwise it is a hole: the new owner commits it.
    pub dirty: bool,
}

/// How full a device is, in chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    pub total: u64,
    /// In accounts.
    pub charged: u64,
    /// In nobody's account: shared between processes.
    pub shared: u64,
}

impl Fill {
    pub fn free(self) -> u64 {
        self.total.saturating_sub(self.charged + self.shared)
    }
}

/// Looks through all words that found nothing before a claim gives up: an admitted claim needs more than one only while
/// others are claiming and freeing at the same time, so this many means damaged pages.
const MOST_LOOKS: u32 = 10_000;

impl Chunks {
    /// Bytes that the words of `chunks` chunks need. All zero is an empty device.
    pub fn region_bytes(chunks: u64) -> usize {
        size_of::<Head>() + (chunks as usize + RecordId::TABLE * stride(chunks)) * size_of::<AtomicU64>()
    }

    /// The words at `offset`, a multiple of 8, of shared pages.
    pub fn view(pages: &Pages, offset: usize, chunks: u64) -> Chunks {
        let words = offset + size_of::<Head>();
        let holds = words + chunks as usize * size_of::<AtomicU64>();
        Chunks {
            head: pages.view(offset),
            words: pages.slice(words, chunks as usize),
            holds: pages.slice(holds, RecordId::TABLE * stride(chunks)),
            closing: Mutex::new(()),
        }
    }

    pub fn fill(&self) -> Fill {
        // The counter first: what is shared in between is then counted twice and not missed.
        let charged = self.head.counter.used().into();
        Fill { total: self.total(), charged, shared: self.shared() }
    }

    /// Chunks of `record`: what it is charged for, and the shared ones that are shown under it.
    pub fn held(&self, book: &dyn Book, record: RecordId) -> u64 {
        let shown = |word: Word| word.is_shared() && word.record == Some(record);
        let shared = if self.ever_shared() { self.count(shown) } else { 0 };
        u64::from(self.head.counter.held(book, record)) + shared
    }

    /// The same for several records by one look at the words.
    pub fn held_each(&self, book: &dyn Book, records: &[RecordId]) -> Vec<u64> {
        let mut shown = [0; RecordId::TABLE];
        let words = if self.ever_shared() { self.words } else { &[] };
        for word in
            words.iter().filter_map(|word| Word::unpack(word.load(SeqCst))).filter(|word| word.is_shared())
        {
            word.record.into_iter().for_each(|record| shown[record.index()] += 1);
        }
        let held =
            |record: &RecordId| u64::from(self.head.counter.held(book, *record)) + shown[record.index()];
        records.iter().map(held).collect()
    }

    /// Takes `count` chunks whose tags count up from `tag`. `None`: that many are not free.
    pub fn claim(&self, by: Holder, count: u64, tag: u64, wants: Wants) -> Option<Vec<Claimed>> {
        if !self.charge(by, count) {
            return None;
        }
        let mut claimed = Vec::with_capacity(count as usize);
        let mut looks = 0;
        while (claimed.len() as u64) < count {
            let before = claimed.len();
            self.grab(by.record, count as usize, tag, wants, &mut claimed);
            looks = if claimed.len() > before { 0 } else { looks + 1 };
            if looks == MOST_LOOKS {
                self.free(by, claimed.iter().map(|c| c.chunk));
                self.release(by, count - claimed.len() as u64);
                return None;
            }
        }
        Some(claimed)
    }

    /// Lets held chunks go as they are. Their content is cleared by whoever takes them.
    pub fn free(&self, by: Holder, chunks: impl IntoIterator<Item = u64>) {
        self.let_go(by, chunks, Word::left);
    }

    /// Lets held chunks go that the caller has just made holes of the file.
    pub fn give(&self, by: Holder, chunks: impl IntoIterator<Item = u64>) {
        self.let_go(by, chunks, |_| Word::EMPTY);
    }

    /// Lets held chunks go, content and all, so that the caller gets them back cheaply if nobody else took them.
    pub fn keep(&self, by: Holder, chunks: impl IntoIterator<Item = u64>) {
        self.let_go(by, chunks, |word| Word { state: State::Kept, ..word });
    }

    /// Takes kept chunks again, as the caller left them: pairs of tag and chunk. Gives those that somebody else had taken
    /// meanwhile; `None`, and nothing taken, when that many are not free.
    pub fn retake(&self, by: Holder, kept: &[(u64, u64)]) -> Option<Vec<(u64, u64)>> {
        if !self.charge(by, kept.len() as u64) {
            return None;
        }
        let lost = kept.iter().copied().filter(|&(tag, chunk)| {
            let from = Word::held(State::Kept, by.record, tag);
            !self.swap(chunk, from, Word { state: State::Held, ..from })
        });
        let lost: Vec<(u64, u64)> = lost.collect();
        self.release(by, lost.len() as u64);
        Some(lost)
    }

    /// Gives back all that a dead record had, exactly once however often it is called. The caller's process holds the
    /// record's token. `named` tells which numbers of shared chunks somebody has a descriptor of.
    pub fn recover(&self, book: &dyn Book, dead: RecordId, named: &dyn Fn(u64) -> bool) {
        for chunk in 0..self.total() {
            match self.word(chunk) {
                Some(word) if word.is_of(dead) => self.swap(chunk, word, word.left()),
                // So that it is taken before what a living process would like to come back to.
                Some(word) if word.state == State::Kept && word.record == Some(dead) => {
                    self.swap(chunk, word, Word::LEFT)
                }
                _ => continue,
            };
        }
        self.drop_holds(dead);
        self.sweep(dead, named);
        fuse();
        self.head.counter.recover(book, dead);
    }

    /// Charges for chunks that are about to be claimed.
    fn charge(&self, by: Holder, count: u64) -> bool {
        let Ok(units) = u32::try_from(count) else { return false };
        fuse();
        // Asked after the counter was read: who shares a chunk marks it before he is discharged of it, so a chunk
        // between the two counts twice and never not at all.
        let limit = || (self.total() - self.shared()) as u32;
        self.head.counter.charge(by.book, by.record, units, limit).is_ok()
    }

    pub(crate) fn release(&self, by: Holder, count: u64) {
        if count > 0 {
            fuse();
            self.head.counter.release(by.book, by.record, count as u32);
        }
    }

    fn let_go(&self, by: Holder, chunks: impl IntoIterator<Item = u64>, to: impl Fn(Word) -> Word) {
        let gone = chunks.into_iter().filter(|&chunk| {
            let word = self.word(chunk).filter(|word| word.is_of(by.record));
            word.is_some_and(|word| self.swap(chunk, word, to(word)))
        });
        let gone = gone.count() as u64;
        self.release(by, gone);
    }

    /// One look through the words: a run of what is still missing if there is one, then pieces.
    fn grab(&self, by: RecordId, count: usize, tag: u64, wants: Wants, got: &mut Vec<Claimed>) {
        let left = |word: Word| word == Word::LEFT;
        let empty = |word: Word| word.state == State::Empty;
        let mut take = |pick: &dyn Fn(Word) -> bool| {
            if let Some(first) = self.run_of(count - got.len(), pick) {
                self.seize(first, by, count, tag, wants, pick, got);
            }
            self.seize(0, by, count, tag, wants, pick, got);
        };
        match wants {
            // What has pages and nobody to come back to it costs least; what somebody keeps warm comes last.
            Wants::Memory => {
                take(&left);
                take(&empty);
            }
            Wants::Pages => take(&|word| word.state == State::Kept),
            Wants::Room => take(&empty),
        }
        take(&Word::is_free);
    }

    /// Where `count` chunks begin that are all as wanted; only worth a look for more than one.
    fn run_of(&self, count: usize, pick: &dyn Fn(Word) -> bool) -> Option<usize> {
        let mut len = 0;
        if count < 2 {
            return None;
        }
        for (i, word) in self.words.iter().enumerate() {
            len = if Word::unpack(word.load(Relaxed)).is_some_and(pick) { len + 1 } else { 0 };
            if len == count {
                return Some(i + 1 - count);
            }
        }
        None
    }

    /// Claims what is as wanted, from chunk `first` on, until there are `count`.
    #[allow(clippy::too_many_arguments)]
    fn seize(
        &self,
        first: usize,
        by: RecordId,
        count: usize,
        tag: u64,
        wants: Wants,
        pick: &dyn Fn(Word) -> bool,
        got: &mut Vec<Claimed>,
    ) {
        for chunk in first..self.words.len() {
            if got.len() == count {
                return;
            }
            let Some(word) = self.word(chunk as u64).filter(|&word| pick(word)) else { continue };
            let dirty = word.state == State::Kept;
            let state = if wants == Wants::Room && !dirty { State::Bare } else { State::Held };
            if self.swap(chunk as u64, word, Word::held(state, by, tag + got.len() as u64)) {
                got.push(Claimed { chunk: chunk as u64, dirty });
            }
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.words.len() as u64
    }

    /// Shared chunks, exactly as many as there are while nobody shares or frees one.
    fn shared(&self) -> u64 {
        if self.ever_shared() { self.count(Word::is_shared) } else { 0 }
    }

    /// Most devices never share a chunk, and then nothing needs to be counted.
    pub(crate) fn ever_shared(&self) -> bool {
        self.head.next.load(SeqCst) != 0
    }

    fn count(&self, pick: impl Fn(Word) -> bool) -> u64 {
        self.words.iter().filter(|word| Word::unpack(word.load(SeqCst)).is_some_and(&pick)).count() as u64
    }

    pub(crate) fn word(&self, chunk: u64) -> Option<Word> {
        self.words.get(chunk as usize).and_then(|word| Word::unpack(word.load(SeqCst)))
    }

    pub(crate) fn swap(&self, chunk: u64, from: Word, to: Word) -> bool {
        fuse();
        let word = &self.words[chunk as usize];
        word.compare_exchange(from.pack(), to.pack(), SeqCst, Relaxed).is_ok()
    }

    /// `count` numbers that no shared chunk of this device has or had; the first of them.
    pub(crate) fn numbers(&self, count: u64) -> u64 {
        // From 1 on: 0 says that nothing was ever shared.
        self.head.next.fetch_max(1, SeqCst);
        self.head.next.fetch_add(count, SeqCst)
    }

    /// The records that may hold shared chunks.
    pub(crate) fn crowd(&self) -> impl Iterator<Item = RecordId> {
        let highest = self.head.crowd.load(SeqCst).min(RecordId::LAST.into());
        (1..=highest).filter_map(|number| RecordId::new(number as u16))
    }

    pub(crate) fn join_crowd(&self, record: RecordId) {
        self.head.crowd.fetch_max(record.get().into(), SeqCst);
    }

    /// The word with a record's bits of the 64 chunks around `chunk`.
    pub(crate) fn hold_word(&self, record: RecordId, chunk: u64) -> &AtomicU64 {
        &self.holds[record.index() * stride(self.total()) + (chunk / 64) as usize]
    }

    pub(crate) fn closing(&self) -> MutexGuard<'_, ()> {
        self.closing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Words of one record's bits.
fn stride(chunks: u64) -> usize {
    chunks.div_ceil(64) as usize
}

/// A place where a process can die: tests burn it here.
#[inline]
pub(crate) fn fuse() {
    #[cfg(test)]
    crate::chunk_tests::burn();
}
