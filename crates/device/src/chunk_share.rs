//! Chunks that several processes hold.
//!
//! A shared chunk belongs to the records that have its bit set, all alike, and lives until the last of them lets go or
//! dies. Who lets go clears his bit first and looks for others then, so of two who leave at once at least one sees that
//! nobody is left. Who comes sets his bit first and looks at the word then. A word that is about to be freed is marked
//! with the record that frees it; one who comes takes the mark away again, and the freeing fails.

use std::sync::atomic::Ordering::SeqCst;

use cleave_ledger::RecordId;

use crate::chunk_word::{State, Word};
use crate::chunks::{Chunks, Holder, fuse};

impl Chunks {
    /// Shares chunks that the caller holds, in the order given; their numbers. A chunk that is shared already keeps its
    /// number, the others get successive ones. `None` if one is not the caller's to share.
    pub fn share(&self, by: Holder, chunks: &[u64]) -> Option<Vec<u64>> {
        let words: Option<Vec<Word>> = chunks.iter().map(|&chunk| self.word(chunk)).collect();
        let words = words?;
        let mine = |chunk: u64, word: &Word| {
            (word.state == State::Held && word.record == Some(by.record))
                || (word.is_shared() && self.is_held(by.record, chunk))
        };
        if !chunks.iter().zip(&words).all(|(&chunk, word)| mine(chunk, word)) {
            return None;
        }
        let fresh = words.iter().filter(|word| !word.is_shared()).count() as u64;
        let first = if fresh > 0 { self.numbers(fresh) } else { 0 };
        let mut done = 0;
        let mut numbers = Vec::with_capacity(chunks.len());
        for (&chunk, &word) in chunks.iter().zip(&words) {
            if word.is_shared() {
                numbers.push(word.tag);
                continue;
            }
            self.hold(by.record, chunk);
            let number = first + done;
            self.swap(chunk, word, Word::held(State::Shared, by.record, number));
            numbers.push(number);
            done += 1;
        }
        self.release(by, done);
        Some(numbers)
    }

    /// Joins those who hold the chunks with `count` successive numbers from `first` on; the chunks, in that order. `None`
    /// if they are not all there any more.
    pub fn join(&self, by: RecordId, first: u64, count: u64) -> Option<Vec<u64>> {
        let mut found =
            vec![None; usize::try_from(count).ok().filter(|&count| count <= self.total() as usize)?];
        for chunk in 0..self.total() {
            let Some(word) = self.word(chunk).filter(|word| word.is_shared()) else { continue };
            if let Some(place) = word.tag.checked_sub(first).and_then(|i| found.get_mut(i as usize)) {
                *place = Some(chunk);
            }
        }
        let chunks = found.into_iter().collect::<Option<Vec<u64>>>()?;
        let mut joined = Vec::with_capacity(chunks.len());
        for (&chunk, number) in chunks.iter().zip(first..) {
            let had = self.is_held(by, chunk);
            self.hold(by, chunk);
            if !self.reopen(by, chunk, number) {
                // Whoever lets the others go, or the next sweep, finds those that nobody holds now.
                let lost = joined.iter().chain((!had).then_some(&chunk));
                lost.for_each(|&chunk| self.unhold(by, chunk));
                return None;
            }
            if !had {
                joined.push(chunk);
            }
        }
        Some(chunks)
    }

    /// Stops holding shared chunks. What nobody else holds, and no descriptor names, is free.
    pub fn leave(&self, by: RecordId, chunks: impl IntoIterator<Item = u64>, named: &dyn Fn(u64) -> bool) {
        let _closing = self.closing();
        for chunk in chunks {
            self.unhold(by, chunk);
            self.close(by, chunk, named);
        }
    }

    /// Frees every shared chunk that nobody holds any more: its last descriptor was closed, or its last holder died while
    /// it let go. Acts in the name of `by`, a record whose token the caller's process holds.
    pub fn sweep(&self, by: RecordId, named: &dyn Fn(u64) -> bool) {
        if !self.ever_shared() {
            return;
        }
        let _closing = self.closing();
        let shared = (0..self.total()).filter(|&chunk| self.word(chunk).is_some_and(Word::is_shared));
        shared.for_each(|chunk| self.close(by, chunk, named));
    }

    /// A dead record holds nothing. What it held alone is left to [`sweep`](Self::sweep).
    pub(crate) fn drop_holds(&self, dead: RecordId) {
        for chunk in (0..self.total()).step_by(64) {
            fuse();
            self.hold_word(dead, chunk).store(0, SeqCst);
        }
    }

    /// Frees a shared chunk if nobody holds it. Under the lock of this process's closers.
    fn close(&self, by: RecordId, chunk: u64, named: &dyn Fn(u64) -> bool) {
        while let Some(word) = self.word(chunk).filter(|word| word.is_shared()) {
            if let Some(holder) = self.holder(chunk) {
                // It is shown under one who holds it.
                let shown = word.record.is_some_and(|record| self.is_held(record, chunk));
                let open = word.state == State::Shared && shown;
                if open || self.swap(chunk, word, Word::held(State::Shared, holder, word.tag)) {
                    return;
                }
                continue;
            }
            if named(word.tag) {
                return;
            }
            let closing = Word::held(State::Closing, by, word.tag);
            if word != closing && !self.swap(chunk, word, closing) {
                continue;
            }
            let next = match self.holder(chunk) {
                Some(holder) => Word::held(State::Shared, holder, word.tag),
                None => Word::LEFT,
            };
            if self.swap(chunk, closing, next) {
                return;
            }
        }
    }

    /// Makes sure that the chunk with this number stays, now that the caller's bit is set. False if it is gone.
    fn reopen(&self, by: RecordId, chunk: u64, number: u64) -> bool {
        loop {
            match self.word(chunk).filter(|word| word.is_shared() && word.tag == number) {
                None => return false,
                Some(Word { state: State::Shared, .. }) => return true,
                Some(word) => {
                    if self.swap(chunk, word, Word::held(State::Shared, by, number)) {
                        return true;
                    }
                }
            }
        }
    }

    /// One who holds the chunk.
    fn holder(&self, chunk: u64) -> Option<RecordId> {
        self.crowd().find(|&record| self.is_held(record, chunk))
    }

    fn is_held(&self, record: RecordId, chunk: u64) -> bool {
        self.hold_word(record, chunk).load(SeqCst) & 1 << (chunk % 64) != 0
    }

    fn hold(&self, record: RecordId, chunk: u64) {
        self.join_crowd(record);
        fuse();
        self.hold_word(record, chunk).fetch_or(1 << (chunk % 64), SeqCst);
    }

    fn unhold(&self, record: RecordId, chunk: u64) {
        fuse();
        self.hold_word(record, chunk).fetch_and(!(1 << (chunk % 64)), SeqCst);
    }
}
