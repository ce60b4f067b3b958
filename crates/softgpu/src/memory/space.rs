//! Address space with memory behind it, handed out in spans of whole chunks.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cleave_device::chunks::CHUNK;

use super::bank::Bank;
use super::extents::Extents;
use super::layout;
use super::map_unsafe::{ChunkFile, Window};
use super::run::Run;
use crate::running;

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
    Device(Bank),
    /// Memory of the host, as much as the host has. The program sees it where the pointer says.
    Host(ChunkFile),
}

/// Free places in chunks from the window's start, and what is attached where.
struct Places {
    cold: Extents,
    warm: Extents,
    attached: HashMap<u64, u64>,
    /// Chunks that other processes may hold too, and how many things of this process need each.
    shared: HashMap<u64, u32>,
}

/// The numbers by which another process finds shared chunks: some in a row, and perhaps one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    pub first: u64,
    pub count: u32,
    /// 0 if there is none.
    pub second: u64,
}

/// A part of a device that a context occupies without any memory to show for it.
pub struct Room {
    space: Arc<Space>,
    chunks: Vec<u64>,
}

impl Space {
    /// The memory of a device, in window number `window`.
    pub fn of_device(window: usize, bank: Bank) -> io::Result<Space> {
        Space::new(layout::device(window), Backing::Device(bank))
    }

    pub fn of_host(place: (u64, u64)) -> io::Result<Space> {
        Space::new(place, Backing::Host(ChunkFile::create(place.1 / CHUNK)?))
    }

    fn new((base, len): (u64, u64), backing: Backing) -> io::Result<Space> {
        let cold = Extents::new(0, len / CHUNK);
        let (warm, attached, shared) = (Extents::default(), HashMap::new(), HashMap::new());
        Ok(Space {
            window: Window::reserve(base, len)?,
            alias: Window::reserve(base + layout::ALIAS, len)?,
            backing,
            places: Mutex::new(Places { cold, warm, attached, shared }),
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
        let Places { warm, attached, shared, .. } = &mut *places;
        let chunks = || (place..place + count).filter_map(|at| attached.get(&at).copied());
        let alone = || shared.is_empty() || !chunks().any(|chunk| shared.contains_key(&chunk));
        match &self.backing {
            // What stays mapped here may be another process's in a moment: not while a kernel could still be about to
            // touch it, having been told a moment ago that it may.
            Backing::Device(bank) if warm.total() + count <= MOST_WARM && !running::any() && alone() => {
                bank.keep(chunks());
                warm.give(place, count);
            }
            _ => self.detach(&mut places, place, count),
        }
    }

    /// Chunks without an address, for memory that the program maps itself.
    pub fn take_chunks(&self, count: u64) -> Option<Vec<Run>> {
        let _places = self.places();
        Some(Run::join(self.bank()?.take(count, 0)?))
    }

    pub fn give_chunks(&self, runs: &[Run]) {
        let mut places = self.places();
        let chunks = runs.iter().flat_map(|run| run.chunks()).collect();
        self.let_go(&mut places, chunks);
    }

    /// Maps chunks of this device into another window's engine alias.
    pub fn map_chunks(&self, runs: &[Run], alias: &Window, mut addr: u64) -> io::Result<()> {
        let Some(bank) = self.bank() else { return Ok(()) };
        for &run in runs {
            bank.map(alias, addr, run)?;
            addr += run.count * CHUNK;
        }
        Ok(())
    }

    /// Occupies `bytes` of the device. `None`: it is full.
    pub fn take_room(self: &Arc<Self>, bytes: u64) -> Option<Room> {
        let _places = self.places();
        let chunks = self.bank()?.take_room(bytes.div_ceil(CHUNK))?;
        Some(Room { space: self.clone(), chunks })
    }

    /// Opens the chunks behind `len` bytes at `addr` to other processes.
    pub fn share(&self, addr: u64, len: u64) -> Option<Numbers> {
        let mut places = self.places();
        let at = addr - self.window.base();
        let span = at / CHUNK..(at + len).div_ceil(CHUNK);
        let chunks: Option<Vec<u64>> = span.map(|place| places.attached.get(&place).copied()).collect();
        self.share_all(&mut places, &chunks?)
    }

    /// Opens chunks that have no address to other processes.
    pub fn share_chunks(&self, runs: &[Run]) -> Option<Numbers> {
        let mut places = self.places();
        let chunks: Vec<u64> = runs.iter().flat_map(|run| run.chunks()).collect();
        self.share_all(&mut places, &chunks)
    }

    /// Attaches `count` chunks that another process shares; their address. `None`: they are gone, or cannot be mapped.
    pub fn join(&self, numbers: Numbers, count: u64) -> Option<u64> {
        let mut places = self.places();
        let chunks = self.join_all(&mut places, numbers, count)?;
        let Some(place) = places.cold.take(count, 1) else {
            self.let_go(&mut places, chunks);
            return None;
        };
        if !self.put(&mut places, place, &Run::join(chunks)) {
            self.detach(&mut places, place, count);
            return None;
        }
        Some(self.window.base() + place * CHUNK)
    }

    /// Holds `count` chunks that another process shares. [`give_chunks`](Self::give_chunks) ends it.
    pub fn join_chunks(&self, numbers: Numbers, count: u64) -> Option<Vec<Run>> {
        let mut places = self.places();
        Some(Run::join(self.join_all(&mut places, numbers, count)?))
    }

    /// Free and total bytes of the device.
    pub fn info(&self) -> (u64, u64) {
        match &self.backing {
            Backing::Device(bank) => (bank.fill().free() * CHUNK, bank.total_bytes()),
            Backing::Host(_) => (u64::MAX, u64::MAX),
        }
    }

    /// A warm place, content and all.
    fn wake(&self, places: &mut Places, count: u64) -> Option<u64> {
        let bank = self.bank()?;
        let place = places.warm.take(count, 1)?;
        let Places { warm, attached, .. } = &mut *places;
        let kept: Vec<(u64, u64)> =
            (place..place + count).filter_map(|at| Some((at, *attached.get(&at)?))).collect();
        let Some(lost) = bank.retake(&kept) else {
            warm.give(place, count);
            return None;
        };
        if lost.is_empty() {
            return Some(place);
        }
        lost.iter().for_each(|(at, _)| {
            attached.remove(at);
        });
        self.detach(places, place, count);
        None
    }

    fn attach(&self, places: &mut Places, count: u64) -> Option<u64> {
        let place = places.cold.take(count, 1)?;
        let attached = match &self.backing {
            Backing::Device(bank) => {
                let Some(chunks) = bank.take(count, place) else {
                    places.cold.give(place, count);
                    return None;
                };
                self.put(places, place, &Run::join(chunks))
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
        let chunks = runs.iter().flat_map(|run| run.chunks());
        places.attached.extend((place..).zip(chunks));
        self.map_chunks(runs, &self.alias, self.alias.base() + place * CHUNK).is_ok()
    }

    /// Takes the memory away from a place. The engine's side becomes scratch pages: a kernel that races with the free
    /// must not take the process down.
    fn detach(&self, places: &mut Places, place: u64, count: u64) {
        let (at, len) = (place * CHUNK, count * CHUNK);
        let gone = self.alias.map_zero(self.alias.base() + at, len).is_ok()
            && self.window.map_nothing(self.window.base() + at, len).is_ok();
        match &self.backing {
            Backing::Device(_) => {
                let chunks = (place..place + count).filter_map(|at| places.attached.remove(&at)).collect();
                self.let_go(places, chunks);
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

    /// Gives back chunks that nothing of this process maps any more: to the device, or to those who hold them too.
    fn let_go(&self, places: &mut Places, chunks: Vec<u64>) {
        let Some(bank) = self.bank() else { return };
        let (shared, own): (Vec<u64>, Vec<u64>) =
            chunks.into_iter().partition(|chunk| places.shared.contains_key(chunk));
        bank.give(&own);
        let unused = |chunk: &u64| {
            let uses = places.shared.get_mut(chunk)?;
            *uses -= 1;
            (*uses == 0).then_some(*chunk)
        };
        let left: Vec<u64> = shared.iter().filter_map(unused).collect();
        if !left.is_empty() {
            left.iter().for_each(|chunk| {
                places.shared.remove(chunk);
            });
            bank.leave(&left);
        }
    }

    fn share_all(&self, places: &mut Places, chunks: &[u64]) -> Option<Numbers> {
        let numbers = self.bank()?.share(chunks)?;
        for &chunk in chunks {
            places.shared.entry(chunk).or_insert(1);
        }
        let row = Run::join(numbers.iter().copied());
        // Chunks are shared all at once, except by small blocks, which lie in two chunks at most.
        match *row.as_slice() {
            [Run { first, count }] => Some(Numbers { first, count: count as u32, second: 0 }),
            [Run { first, count }, Run { first: second, count: 1 }] => {
                Some(Numbers { first, count: count as u32, second })
            }
            _ => None,
        }
    }

    fn join_all(&self, places: &mut Places, numbers: Numbers, count: u64) -> Option<Vec<u64>> {
        let Numbers { first, count: row, second } = numbers;
        if u64::from(row) + u64::from(second != 0) != count {
            return None;
        }
        let bank = self.bank()?;
        let mut chunks = bank.join(first, row.into())?;
        for &chunk in &chunks {
            *places.shared.entry(chunk).or_insert(0) += 1;
        }
        if second != 0 {
            let Some(last) = bank.join(second, 1) else {
                self.let_go(places, chunks);
                return None;
            };
            for chunk in last {
                *places.shared.entry(chunk).or_insert(0) += 1;
                chunks.push(chunk);
            }
        }
        Some(chunks)
    }

    fn bank(&self) -> Option<&Bank> {
        match &self.backing {
            Backing::Device(bank) => Some(bank),
            Backing::Host(_) => None,
        }
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _places = self.space.places();
        if let Some(bank) = self.space.bank() {
            bank.give_room(&self.chunks);
        }
    }
}
