//! The memory of one device: chunks of one file, each with one word that says who holds it.

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};

use super::map_unsafe::{CHUNK, ChunkFile};

/// Consecutive chunks of the file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Run {
    pub first: u64,
    pub count: u64,
}

impl Run {
    /// Chunk numbers as runs.
    pub fn join(chunks: &[u64]) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for &chunk in chunks {
            match runs.last_mut() {
                Some(run) if run.first + run.count == chunk => run.count += 1,
                _ => runs.push(Run { first: chunk, count: 1 }),
            }
        }
        runs
    }
}

/// Chunk ownership. A word changes by compare-exchange only, so owners never need a common lock.
///
/// * `EMPTY`: a hole of the file, nobody's.
/// * `HELD`: somebody's memory.
/// * `KEPT`: free, but still committed and with its last content; whoever takes it without having left it must clear it.
#[derive(Debug)]
pub struct Chunks {
    file: ChunkFile,
    words: Box<[AtomicU64]>,
    held: AtomicUsize,
}

const EMPTY: u64 = 0;
const HELD: u64 = 1;
const KEPT: u64 = 2;

impl Chunks {
    pub fn create(count: u64) -> io::Result<Chunks> {
        let words = (0..count).map(|_| AtomicU64::new(EMPTY)).collect();
        Ok(Chunks { file: ChunkFile::create(count)?, words, held: AtomicUsize::new(0) })
    }

    pub fn file(&self) -> &ChunkFile {
        &self.file
    }

    pub fn total_bytes(&self) -> u64 {
        self.words.len() as u64 * CHUNK
    }

    pub fn free_bytes(&self) -> u64 {
        (self.words.len() - self.held.load(Relaxed)) as u64 * CHUNK
    }

    /// Takes `count` zeroed chunks, in as few runs as possible. `None`: the device, or the file system behind it, is full.
    pub fn take(&self, count: u64) -> Option<Vec<Run>> {
        // Most requests that cannot be served are seen at once, before anything is taken and given back.
        if self.free_bytes() / CHUNK < count {
            return None;
        }
        let mut runs = Vec::new();
        let mut missing = count;
        if let Some(run) = self.take_run(count) {
            missing -= run.count;
            runs.push(run);
        }
        while missing > 0 {
            let Some(run) = self.take_any(missing) else { break };
            missing -= run.count;
            runs.push(run);
        }
        let committed = missing == 0 && runs.iter().all(|r| self.file.commit(r.first, r.count).is_ok());
        if !committed {
            for run in runs {
                self.give(run);
            }
            return None;
        }
        Some(runs)
    }

    /// Gives held chunks back to the device; their memory returns to the system.
    pub fn give(&self, run: Run) {
        // Content must not pass to the next owner: a chunk that cannot be cleared is lost instead.
        if self.file.release(run.first, run.count).is_err() {
            return;
        }
        for chunk in run.first..run.first + run.count {
            if self.swap(chunk, HELD, EMPTY) {
                self.held.fetch_sub(1, Relaxed);
            }
        }
    }

    /// Marks a held chunk as free to take, content and all, so that its last owner gets it back cheaply.
    pub fn keep(&self, chunk: u64) {
        if self.swap(chunk, HELD, KEPT) {
            self.held.fetch_sub(1, Relaxed);
        }
    }

    /// Takes a kept chunk again, as its last owner left it.
    pub fn retake(&self, chunk: u64) -> bool {
        let taken = self.swap(chunk, KEPT, HELD);
        if taken {
            self.held.fetch_add(1, Relaxed);
        }
        taken
    }

    fn take_run(&self, count: u64) -> Option<Run> {
        let mut len = 0;
        for (i, word) in self.words.iter().enumerate() {
            len = if word.load(Relaxed) == EMPTY { len + 1 } else { 0 };
            if len == count {
                return Some(self.claim(i as u64 + 1 - count, count)).filter(|run| run.count > 0);
            }
        }
        None
    }

    fn take_any(&self, most: u64) -> Option<Run> {
        let start = self.words.iter().position(|word| word.load(Relaxed) == EMPTY)? as u64;
        Some(self.claim(start, most)).filter(|run| run.count > 0)
    }

    /// Takes up to `most` chunks in a row from `first`; shorter when one is not free.
    fn claim(&self, first: u64, most: u64) -> Run {
        let count = (first..self.words.len() as u64)
            .take(most as usize)
            .take_while(|&chunk| self.swap(chunk, EMPTY, HELD))
            .count();
        self.held.fetch_add(count, Relaxed);
        Run { first, count: count as u64 }
    }

    fn swap(&self, chunk: u64, from: u64, to: u64) -> bool {
        self.words[chunk as usize].compare_exchange(from, to, AcqRel, Relaxed).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_all_there_is_and_not_one_more() {
        let chunks = Chunks::create(8).unwrap();
        let a = chunks.take(3).unwrap();
        assert_eq!(a, [Run { first: 0, count: 3 }]);
        assert_eq!(chunks.free_bytes(), 5 * CHUNK);
        assert_eq!(chunks.take(6), None);
        assert_eq!(chunks.free_bytes(), 5 * CHUNK, "a failed request leaves nothing behind");
        let b = chunks.take(5).unwrap();
        assert_eq!(chunks.free_bytes(), 0);
        chunks.give(a[0]);
        chunks.give(b[0]);
        assert_eq!(chunks.free_bytes(), chunks.total_bytes());
    }

    #[test]
    fn scattered_chunks_serve_a_big_request() {
        let chunks = Chunks::create(6).unwrap();
        let all: Vec<Run> = (0..6).map(|_| chunks.take(1).unwrap()[0]).collect();
        for i in [0, 2, 3, 5] {
            chunks.give(all[i]);
        }
        let runs = chunks.take(4).unwrap();
        assert_eq!(runs.iter().map(|r| r.count).sum::<u64>(), 4);
        assert_eq!(runs.len(), 3);
    }

    #[test]
    fn kept_chunks_count_as_free_and_come_back_once() {
        let chunks = Chunks::create(2).unwrap();
        let run = chunks.take(2).unwrap()[0];
        chunks.keep(run.first);
        assert_eq!(chunks.free_bytes(), CHUNK);
        assert!(chunks.retake(run.first));
        assert!(!chunks.retake(run.first));
        chunks.give(Run { first: run.first, count: 1 });
        assert_eq!(chunks.free_bytes(), CHUNK);
        assert_eq!(chunks.take(1).unwrap(), [Run { first: run.first, count: 1 }]);
    }
}
