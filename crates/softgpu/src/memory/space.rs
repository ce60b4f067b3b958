//! Address space with memory behind it, handed out in spans of whole chunks.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::chunks::{Chunks, Run};
use super::extents::Extents;
use super::layout;
use super::map_unsafe::{CHUNK, ChunkFile, Window};

/// Free device memory that stays attached where it was, in chunks: taking it again costs no system call.
const MOST_WARM: u64 = 256;

/// One window, its engine alias, and the memory attached to them.
pub struct Space {
    window: Window,
    alias: Window,
    backing: Backing,
    places: Mutex<Places>,
}

enum Backing {
    /// Memory of a device, as much as the device has. Only the engine sees it.
    Device(Chunks),
    /// Memory of the host, as much as the host has. The program sees it where the pointer says.
    Host(ChunkFile),
}

/// Free places in chunks from the window's start, and what is attached where.
struct Places {
    cold: Extents,
    warm: Extents,
    attached: HashMap<u64, u64>,
}

impl Places {
    /// Takes kept chunks of a place back. False when somebody else had taken one meanwhile; that one is forgotten here.
    fn retake(&mut self, chunks: &Chunks, place: u64, count: u64) -> bool {
        let attached = &mut self.attached;
        let lost = (place..place + count)
            .filter(|at| !attached.get(at).is_some_and(|&chunk| chunks.retake(chunk)))
            .collect::<Vec<u64>>();
        for at in &lost {
            attached.remove(at);
        }
        lost.is_empty()
    }
}

impl Space {
    pub fn of_device(ordinal: usize, bytes: u64) -> io::Result<Space> {
        Space::new(layout::device(ordinal), Backing::Device(Chunks::create(bytes / CHUNK)?))
    }

    pub fn of_host(place: (u64, u64)) -> io::Result<Space> {
        Space::new(place, Backing::Host(ChunkFile::create(place.1 / CHUNK)?))
    }

    fn new((base, len): (u64, u64), backing: Backing) -> io::Result<Space> {
        let places =
            Places { cold: Extents::new(0, len / CHUNK), warm: Extents::default(), attached: HashMap::new() };
        Ok(Space {
            window: Window::reserve(base, len)?,
            alias: Window::reserve(base + layout::ALIAS, len)?,
            backing,
            places: Mutex::new(places),
        })
    }

    /// A span of `count` chunks with memory behind it; its address. `None` when the device or the host is full.
    pub fn take(&self, count: u64) -> Option<u64> {
        let mut places = self.places();
        let place = match self.wake(&mut places, count) {
            Some(place) => place,
            None => self.attach(&mut places, count)?,
        };
        Some(self.window.base() + place * CHUNK)
    }

    /// Gives a span back. Its address means nothing any more, also to a kernel that still runs.
    pub fn give(&self, addr: u64, count: u64) {
        let mut places = self.places();
        let place = (addr - self.window.base()) / CHUNK;
        match &self.backing {
            Backing::Device(chunks) if places.warm.total() + count <= MOST_WARM => {
                for at in place..place + count {
                    if let Some(&chunk) = places.attached.get(&at) {
                        chunks.keep(chunk);
                    }
                }
                places.warm.give(place, count);
            }
            _ => self.detach(&mut places, place, count),
        }
    }

    /// Chunks without an address, for memory that the program maps itself.
    pub fn take_chunks(&self, count: u64) -> Option<Vec<Run>> {
        let Backing::Device(chunks) = &self.backing else { return None };
        let mut places = self.places();
        self.take_or_cool(&mut places, chunks, count)
    }

    pub fn give_chunks(&self, runs: &[Run]) {
        if let Backing::Device(chunks) = &self.backing {
            runs.iter().for_each(|&run| chunks.give(run));
        }
    }

    /// Maps chunks of this device into another window's engine alias.
    pub fn map_chunks(&self, runs: &[Run], alias: &Window, mut addr: u64) -> io::Result<()> {
        let Backing::Device(chunks) = &self.backing else { return Ok(()) };
        for run in runs {
            alias.map_file(addr, chunks.file(), run.first, run.count)?;
            addr += run.count * CHUNK;
        }
        Ok(())
    }

    /// Free and total bytes of the device.
    pub fn info(&self) -> (u64, u64) {
        match &self.backing {
            Backing::Device(chunks) => (chunks.free_bytes(), chunks.total_bytes()),
            Backing::Host(_) => (u64::MAX, u64::MAX),
        }
    }

    /// A warm place, content and all.
    fn wake(&self, places: &mut Places, count: u64) -> Option<u64> {
        let Backing::Device(chunks) = &self.backing else { return None };
        let place = places.warm.take(count, 1)?;
        if places.retake(chunks, place, count) {
            return Some(place);
        }
        self.detach(places, place, count);
        None
    }

    fn attach(&self, places: &mut Places, count: u64) -> Option<u64> {
        let place = places.cold.take(count, 1)?;
        let attached = match &self.backing {
            Backing::Device(chunks) => {
                let Some(runs) = self.take_or_cool(places, chunks, count) else {
                    places.cold.give(place, count);
                    return None;
                };
                self.put(places, place, &runs)
            }
            Backing::Host(file) => {
                let at = place * CHUNK;
                self.window.map_file(self.window.base() + at, file, place, count).is_ok()
                    && self.alias.map_file(self.alias.base() + at, file, place, count).is_ok()
            }
        };
        if !attached {
            self.detach(places, place, count);
            return None;
        }
        Some(place)
    }

    /// Maps runs of chunks one after the other from `place` on.
    fn put(&self, places: &mut Places, place: u64, runs: &[Run]) -> bool {
        let Backing::Device(chunks) = &self.backing else { return false };
        let mut at = place;
        for run in runs {
            places.attached.extend((0..run.count).map(|i| (at + i, run.first + i)));
            at += run.count;
        }
        let mut addr = self.alias.base() + place * CHUNK;
        runs.iter().all(|run| {
            let mapped = self.alias.map_file(addr, chunks.file(), run.first, run.count).is_ok();
            addr += run.count * CHUNK;
            mapped
        })
    }

    /// Takes chunks, also those that were kept warm.
    fn take_or_cool(&self, places: &mut Places, chunks: &Chunks, count: u64) -> Option<Vec<Run>> {
        chunks.take(count).or_else(|| {
            if places.warm.total() == 0 {
                return None;
            }
            let warm: Vec<(u64, u64)> = std::mem::take(&mut places.warm).iter().collect();
            for (place, count) in warm {
                places.retake(chunks, place, count);
                self.detach(places, place, count);
            }
            chunks.take(count)
        })
    }

    /// Takes the memory away from a place. The engine's side becomes scratch pages: a kernel that races with the free
    /// must not take the process down.
    fn detach(&self, places: &mut Places, place: u64, count: u64) {
        let (at, len) = (place * CHUNK, count * CHUNK);
        let gone = self.alias.map_zero(self.alias.base() + at, len).is_ok()
            && self.window.map_nothing(self.window.base() + at, len).is_ok();
        match &self.backing {
            Backing::Device(chunks) => {
                let held: Vec<u64> =
                    (place..place + count).filter_map(|at| places.attached.remove(&at)).collect();
                Run::join(&held).into_iter().for_each(|run| chunks.give(run));
            }
            Backing::Host(file) => {
                // Pages that stay allocated in the file are a leak of host memory and nothing worse.
                let _ = file.release(place, count);
            }
        }
        // A place that could not be cleared (no memory for the kernel's own tables) is never used again.
        if gone {
            places.cold.give(place, count);
        }
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
