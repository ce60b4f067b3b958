//! The node's side of a slot.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::{Relaxed, Release, SeqCst};
use std::sync::atomic::fence;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cleave_ledger::{RecordId, State, clock};

use crate::claims;
use crate::error::Error;
use crate::files::{Opening, Side};
use crate::guard_unsafe::Watched;
use crate::layout::Limits;
use crate::note::Note;
use crate::seat::Denied;
use crate::slot::{bytes, units};
use crate::terms::{Owner, Terms};
use crate::view::SeatView;

/// How long an adopting daemon waits for the last one to be gone: the kernel takes its memory away before its tokens.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the node looks at one tenant's dead in one go: records that lie about their owners cost time to disprove, and that
/// is not the other tenants' time.
const ROUND: Duration = Duration::from_millis(50);

/// A slot in the hands of the node, one daemon at a time. Whatever stands in `usage`, reading and writing it here is bounded
/// and harms nobody but its tenant.
pub struct NodeSlot {
    /// Before what it watches over, so that it ends first.
    watched: [Watched; 2],
    pub(crate) open: Opening,
    /// Whose turn it is to change what the node holds.
    own: Mutex<()>,
}

impl NodeSlot {
    /// Makes a slot. It appears at once and whole; `folder` is not there yet, its parent is. Of several who make the same one,
    /// one succeeds and the others are told that it exists.
    pub fn create(folder: &Path, terms: &Terms, owner: Owner) -> Result<NodeSlot, Error> {
        let draft = draft(folder);
        fs::create_dir(&draft).map_err(Error::system(&draft, "make"))?;
        let made = NodeSlot::fill(&draft, folder, terms, owner).and_then(|slot| {
            fs::rename(&draft, folder).map_err(|error| match error.kind() {
                ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists => {
                    Error::Exists { folder: folder.to_owned() }
                }
                _ => Error::system(folder, "make")(error),
            })?;
            Ok(slot)
        });
        if made.is_err() {
            let _ = fs::remove_dir_all(&draft);
        }
        made
    }

    fn fill(draft: &Path, folder: &Path, terms: &Terms, owner: Owner) -> Result<NodeSlot, Error> {
        let open = Opening::create(draft, folder, owner)?;
        open.limits.write(terms);
        NodeSlot::hold(open)
    }

    /// Adopts a slot that another daemon, now dead, has made: what it held goes on.
    pub fn open(folder: &Path) -> Result<NodeSlot, Error> {
        NodeSlot::hold(Opening::open(folder, Side::Node)?)
    }

    /// Takes the node's record.
    fn hold(open: Opening) -> Result<NodeSlot, Error> {
        let watched = [Watched::new(&*open.usage), Watched::new(&*open.limits)];
        let until = Instant::now() + PATIENCE;
        while !open.tokens.hold(claims::NODE.into()).map_err(open.trouble("hold"))? {
            if Instant::now() > until {
                return Err(Error::Busy { folder: open.folder.clone() });
            }
            clock::sleep_until(clock::now_ns() + 1_000_000);
        }
        open.usage.counter.resume(&open, NODE);
        let word = &open.usage.entry(NODE).word;
        if word.read().state != State::Claimed {
            word.free();
            word.claim();
        }
        Ok(NodeSlot { watched, open, own: Mutex::new(()) })
    }

    /// Whether a file of the slot was found cut short; noticed only after [`survive_truncation`](crate::survive_truncation).
    /// Nothing read from such a slot means anything any more.
    pub fn is_damaged(&self) -> bool {
        self.watched.iter().any(Watched::has_lost)
    }

    /// What the grant says.
    pub fn terms(&self) -> Terms {
        self.open.limits.terms()
    }

    /// Changes how much the tenant may hold. If it holds more it keeps that and gets no more.
    pub fn set_memory(&self, bytes: u64) {
        self.open.limits.memory.store(bytes, Release);
        self.changed();
    }

    /// Changes the tenant's percent of the compute engine.
    pub fn set_compute(&self, percent: u32) {
        self.open.limits.compute.store(percent, Relaxed);
        self.changed();
    }

    /// Says how much a context takes on the device.
    pub fn learn_context(&self, bytes: u64) {
        self.open.limits.context.store(bytes, Relaxed);
        self.changed();
    }

    fn changed(&self) {
        self.open.limits.changes.fetch_add(1, Release);
    }

    /// Says that the node is there.
    pub fn heartbeat(&self, now_ns: u64) {
        self.open.limits.heartbeat.store(now_ns, Relaxed);
    }

    /// Bytes in use by all, the node's part included.
    pub fn used(&self) -> u64 {
        self.open.used()
    }

    /// Bytes the node holds: what only the driver shows, and what nested tenants took.
    pub fn own(&self) -> u64 {
        bytes(self.open.usage.counter.held(&self.open, NODE))
    }

    /// Makes what the node holds `bytes`, whatever the limit: above it, nothing is free and growth stops.
    pub fn set_own(&self, bytes: u64) {
        let _turn = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let (open, wanted) = (&self.open, units(bytes).unwrap_or(u32::MAX));
        let counter = &open.usage.counter;
        let held = counter.held(open, NODE);
        if wanted >= held {
            // Refused only if a tenant has spoilt the counter; the next time may go better.
            let _ = counter.charge(open, NODE, wanted - held, || u32::MAX);
        } else {
            counter.release(open, NODE, held - wanted);
        }
    }

    /// Adds to what the node holds, if it fits: for a tenant inside this one.
    pub fn try_own(&self, more: u64) -> Result<(), Denied> {
        let _turn = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        self.open.charge(NODE, more, u64::MAX)
    }

    /// Writes down what the node knows of the owner of a record.
    pub fn note(&self, record: RecordId, generation: u32, overhead: u64, host_pid: u32) {
        self.open.limits.notes[record.index()].write(generation, Note { overhead, host_pid });
    }

    /// How often something was refused, by all processes there ever were.
    pub fn denials(&self) -> u64 {
        self.open.usage.denials.load(Relaxed)
    }

    /// How many functions of the allocation or launch class were handed out unwrapped, to all processes there ever were.
    pub fn unwrapped(&self) -> u64 {
        self.open.usage.unwrapped.load(Relaxed)
    }

    /// Launches by all processes there ever were. No record forgets what its owners counted, so nothing has to be handed over
    /// when one dies.
    pub fn launches(&self) -> u64 {
        let counted = RecordId::all().map(|id| self.open.usage.entry(id).launches.load(Relaxed));
        counted.fold(0, u64::saturating_add)
    }

    /// The living processes of the tenant.
    pub fn seats(&self) -> Vec<SeatView> {
        self.open.seats(within(ROUND))
    }

    /// Begins a new span for [`SeatView::peak`]: right after the seats were looked at, and before the driver is asked again
    /// what each process holds.
    pub fn forget_peaks(&self) {
        let usage = &self.open.usage;
        for id in usage.claims.taken() {
            let peak = &usage.entry(id).peak;
            // First forgotten, then what is held now: what is charged in between counts in either.
            peak.store(0, SeqCst);
            fence(SeqCst);
            peak.fetch_max(usage.counter.held(&self.open, id), SeqCst);
        }
    }

    /// Gives back what dead processes hold; how many there were.
    pub fn recover(&self) -> usize {
        let time = within(ROUND);
        self.open.recover(|_| time())
    }
}

impl Drop for NodeSlot {
    fn drop(&mut self) {
        // The record and what it holds stay, for the next daemon.
        let _ = self.open.tokens.release(claims::NODE.into());
    }
}

/// Whether so long has not passed yet.
fn within(span: Duration) -> impl Fn() -> bool {
    let end = Instant::now() + span;
    move || Instant::now() < end
}

const NODE: RecordId = match RecordId::new(claims::NODE) {
    Some(id) => id,
    None => panic!(),
};

impl Limits {
    fn write(&self, terms: &Terms) {
        let (kind, words) = terms.device.to_words();
        self.device_kind.store(kind, Relaxed);
        for (place, word) in self.device.iter().zip(words) {
            place.store(word, Relaxed);
        }
        self.memory.store(terms.memory, Relaxed);
        self.compute.store(terms.compute, Relaxed);
        self.encode.store(terms.encode, Relaxed);
        self.decode.store(terms.decode, Relaxed);
        self.priority.store(terms.priority, Relaxed);
        self.policy.store(terms.policy, Relaxed);
        self.device_total.store(terms.device_total, Relaxed);
        self.context.store(terms.context, Relaxed);
    }
}

/// Where a slot is made before it is shown.
fn draft(folder: &Path) -> PathBuf {
    use std::hash::{BuildHasher, RandomState};
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let unique = RandomState::new().hash_one(folder);
    folder.with_file_name(format!(".{name}.{unique:016x}"))
}
