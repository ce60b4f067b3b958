//! The machine's devices, as one process has them open.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use cleave_ledger::{RecordId, State, Tokens};

use crate::chunks::{CHUNK, Chunks};
use crate::clock::Clock;
use crate::engine::{EngineFields, EngineWords};
use crate::folder;
use crate::header::Header;
use crate::identity::{Device, Id};
use crate::layout::{Claims, DeviceArea, Record};
use crate::member::Member;
use crate::memory_file;
use crate::open::Files;
use crate::seats::{Seats, is_held};
use crate::setup::{Mode, Setup};
use crate::shared_event::SharedEvents;
use crate::shares_unsafe::Shares;
use crate::turns::Turns;
use crate::usage::Usage;

/// An open set of devices. It stays open until the process ends: its lock file must never be closed.
pub struct Machine {
    header: Header,
    /// `None` for a private one.
    folder: Option<PathBuf>,
    memory: File,
    shares: Shares,
    pub(crate) tokens: &'static Tokens,
    pub(crate) claims: &'static Claims,
    records: &'static [Record],
    events: SharedEvents,
    parts: Vec<Part>,
    pub(crate) member: OnceLock<Member>,
}

/// What belongs to one device.
struct Part {
    device: Device,
    area: &'static DeviceArea,
    seats: Seats,
    chunks: Chunks,
    turns: Arc<Turns>,
}

/// Bytes of a device's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    pub total: u64,
    pub used: u64,
    pub free: u64,
}

impl Machine {
    pub(crate) fn new(folder: Option<PathBuf>, header: Header, files: Files) -> &'static Machine {
        let layout = header.layout();
        let pages = &files.pages;
        let tokens: &'static Tokens = Box::leak(Box::new(files.tokens));
        let areas: &[DeviceArea] = pages.slice(layout.areas, layout.devices);
        let part = |(ordinal, area): (usize, &'static DeviceArea)| {
            let seats = Seats::new(pages.slice(layout.seats(ordinal), RecordId::TABLE), tokens);
            let Setup { mode, slice_ns, switch_ns, ref name, .. } = header.setup;
            let clock = Clock::new(mode == Mode::Paced, header.epoch_ns, &area.engines, Arc::new(seats));
            Part {
                device: Device::new(header.id, ordinal, name),
                area,
                seats,
                chunks: Chunks::view(pages, layout.region(ordinal), layout.chunks),
                turns: Arc::new(Turns::new(&area.engines, Arc::new(seats), clock, slice_ns, switch_ns)),
            }
        };
        Box::leak(Box::new(Machine {
            folder,
            memory: files.memory,
            shares: Shares::new(files.shares),
            tokens,
            claims: pages.view(layout.claims),
            records: pages.slice(layout.records, RecordId::TABLE),
            events: SharedEvents::view(pages, layout.events),
            parts: areas.iter().enumerate().map(part).collect(),
            member: OnceLock::new(),
            header,
        }))
    }

    pub fn setup(&self) -> &Setup {
        &self.header.setup
    }

    /// The preset it was made from.
    pub fn preset(&self) -> &str {
        &self.header.preset
    }

    /// What tells it from every other one.
    pub fn id(&self) -> Id {
        self.header.id
    }

    /// When it was made, in nanoseconds of the initial time namespace's monotonic clock.
    pub fn epoch_ns(&self) -> u64 {
        self.header.epoch_ns
    }

    /// Whether it is of this process alone.
    pub fn is_private(&self) -> bool {
        self.folder.is_none()
    }

    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The file of device memory, for people.
    pub fn memory_path(&self) -> Option<PathBuf> {
        self.folder().map(|folder| memory_file::path(&folder::device(folder)))
    }

    /// Device memory: device `d` has the chunks from `d * setup().chunks()` on.
    pub fn memory_file(&self) -> &File {
        &self.memory
    }

    /// Descriptors that processes give away.
    pub fn shares(&self) -> &Shares {
        &self.shares
    }

    /// Who the devices are.
    pub fn devices(&self) -> impl ExactSizeIterator<Item = &Device> {
        self.parts.iter().map(|part| &part.device)
    }

    /// One of them.
    ///
    /// # Panics
    /// Here and below, if there is no such device.
    pub fn device(&self, device: usize) -> &Device {
        &self.parts[device].device
    }

    pub fn chunks(&self, device: usize) -> &Chunks {
        &self.parts[device].chunks
    }

    /// Where the accounts of its counter are, and the processes' places at its engines.
    pub fn seats(&self, device: usize) -> &Seats {
        &self.parts[device].seats
    }

    pub fn engine_words(&self, device: usize) -> &'static EngineWords {
        &self.parts[device].area.engines
    }

    pub fn fields(&self, device: usize, record: RecordId) -> &'static EngineFields {
        &self.parts[device].seats.of(record).engine
    }

    pub fn usage(&self, device: usize, record: RecordId) -> &'static Usage {
        &self.parts[device].seats.of(record).usage
    }

    /// What processes used that have ended.
    pub fn departed(&self, device: usize) -> &'static Usage {
        &self.parts[device].area.departed
    }

    pub fn turns(&self, device: usize) -> &Arc<Turns> {
        &self.parts[device].turns
    }

    pub fn clock(&self, device: usize) -> &Clock {
        self.turns(device).clock()
    }

    /// How long the device stood still so far.
    pub fn slip_ns(&self, device: usize) -> u64 {
        self.clock(device).slip_ns()
    }

    pub fn events(&self) -> &SharedEvents {
        &self.events
    }

    pub fn record(&self, record: RecordId) -> &'static Record {
        &self.records[record.index()]
    }

    /// This process's place, once it has joined.
    pub fn member(&self) -> Option<&Member> {
        self.member.get()
    }

    /// Whether the process of that record lives.
    pub fn is_alive(&self, record: RecordId) -> bool {
        self.record(record).word.read().state == State::Claimed && is_held(self.tokens, record.get())
    }

    /// The number of the process that has a record and lives: 0 if this process cannot see it.
    pub fn owner(&self, record: RecordId) -> Option<u32> {
        let holder = self.tokens.probe(record.get().into()).ok().flatten();
        holder.filter(|_| self.record(record).word.read().state == State::Claimed)
    }

    /// What a device has. What a dead process held is free, even if nobody has recovered it yet; no token is taken.
    pub fn memory(&self, device: usize) -> MemoryInfo {
        self.memory_without(device, self.claimed().filter(|record| !self.is_alive(*record)))
    }

    /// The same for a caller who knows who is dead.
    pub fn memory_without(&self, device: usize, dead: impl Iterator<Item = RecordId>) -> MemoryInfo {
        let Part { chunks, seats, .. } = &self.parts[device];
        let fill = chunks.fill();
        let dead: Vec<RecordId> = dead.collect();
        let dead: u64 = chunks.held_each(seats, &dead).iter().sum();
        let used = (fill.total - fill.free().min(fill.total)).saturating_sub(dead);
        MemoryInfo { total: fill.total * CHUNK, used: used * CHUNK, free: (fill.total - used) * CHUNK }
    }
}
