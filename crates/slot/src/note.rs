//! What the node knows of the owner of a record: one writer, and readers that never take one owner's for another's.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cleave_ledger::shared;

use crate::memory::Memory;

shared! {
    /// Whom a note is about, as `generation:32 | host pid:32`, and the overhead.
    pub struct NoteWords {
        words: [AtomicU64; 2],
    }
}

/// What the node knows of the owner of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Note {
    /// Bytes only the driver knows of.
    pub overhead: u64,
    /// Its pid in the node's pid namespace, 0 if the node does not know.
    pub host_pid: u32,
}

impl NoteWords {
    /// Writes down what is known of the owner of that generation. The node alone does.
    pub fn write(&self, generation: u32, note: Note) {
        write(&self.words, generation, note);
    }

    /// What is known of the owner of that generation.
    pub fn read(&self, generation: u32) -> Option<Note> {
        read(&self.words, generation)
    }
}

const ABOUT: usize = 0;
const OVERHEAD: usize = 1;

/// No process has this number: the note is being written.
const NOBODY: u64 = u64::MAX;

fn write(memory: &impl Memory, generation: u32, note: Note) {
    let about = u64::from(generation) << 32 | u64::from(note.host_pid);
    if memory.load(ABOUT, Relaxed) != about {
        // Between two owners the overhead is nobody's: whoever sees the new one sees this as well.
        memory.store(ABOUT, NOBODY, Relaxed);
    }
    memory.store(OVERHEAD, note.overhead, Release);
    memory.store(ABOUT, about, Release);
}

fn read(memory: &impl Memory, generation: u32) -> Option<Note> {
    let about = memory.load(ABOUT, Acquire);
    let overhead = memory.load(OVERHEAD, Acquire);
    let same = memory.load(ABOUT, Relaxed) == about;
    let fits = same && about != NOBODY && (about >> 32) as u32 == generation;
    fits.then_some(Note { overhead, host_pid: about as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::weak;

    fn note(overhead: u64) -> Note {
        Note { overhead, host_pid: 9 }
    }

    #[test]
    fn a_note_is_its_owners_alone() {
        let words = NoteWords { words: [const { AtomicU64::new(0) }; 2] };
        assert_eq!(words.read(1), None);
        words.write(1, note(5));
        assert_eq!((words.read(1), words.read(2)), (Some(note(5)), None));
        words.write(1, note(6));
        words.write(2, note(7));
        assert_eq!((words.read(1), words.read(2)), (None, Some(note(7))));
        // A node that died in the middle of writing.
        words.words[ABOUT].store(NOBODY, Relaxed);
        assert_eq!((words.read(2), words.read(u32::MAX)), (None, None));
    }

    #[test]
    fn no_reader_takes_one_owners_note_for_anothers() {
        let writes = |memory: &weak::Weak| {
            write(memory, 1, note(10));
            write(memory, 1, note(11));
            write(memory, 2, note(20));
        };
        weak::check(2, writes, |memory| {
            assert!(read(memory, 1).is_none_or(|read| read == note(10) || read == note(11)));
            assert!(read(memory, 2).is_none_or(|read| read == note(20)));
        });
    }
}
