//! The arbiters of this machine's devices: one thread that looks at what tenants have at work and gives them turns.
//!
//! What is decided is decided in [`cleave_sched::share`]; here are the clock, the slots, the bells, and what is measured on the
//! way. The daemon's other threads say who is there ([`Arbiters::arrange`]) and read what was measured; neither waits for a round.

/// How often a tenant is looked at because it rings.
mod bell;
/// What was had of an engine, by the second.
mod meter;
/// Where the memory of tenants is.
mod places;
/// Records of the dead, found sooner than by the daemon's rounds.
mod recovery;
/// One look at all tenants.
mod rounds;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Acquire};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cleave_ledger::{clock, futex};
use cleave_sched::share::Share;
use cleave_slot::NodeSlot;

pub use self::places::Moves;
use self::rounds::Rounds;
use crate::sys_unsafe;

/// A grant whose turns are given here.
#[derive(Clone)]
pub struct Member {
    pub tenant: String,
    /// UUID of the device.
    pub device: String,
    pub slot: Arc<NodeSlot>,
    pub share: Share,
    /// How its memory may move, if it may.
    pub moves: Option<Moves>,
}

impl PartialEq for Member {
    fn eq(&self, other: &Member) -> bool {
        Arc::ptr_eq(&self.slot, &other.slot)
            && (&self.tenant, &self.device, self.share, self.moves)
                == (&other.tenant, &other.device, other.share, other.moves)
    }
}

/// What a tenant had of a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Of the last second, in percent: the time it had each engine, and the time a thread of it waited.
    pub compute: f64,
    pub copy_in: f64,
    pub copy_out: f64,
    pub waiting: f64,
    /// `compute` of each of the last seconds, the newest last.
    pub history: Vec<f32>,
    /// Nanoseconds it had the compute engine since this daemon began.
    pub held_ns: u64,
    /// Work of it does not end.
    pub stuck: bool,
}

/// What all tenants together had of a device's compute engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Busy {
    pub percent: f64,
    /// Since this daemon began, or since there was nobody on the device.
    pub ns: u64,
    pub history: Vec<f32>,
}

/// The daemon's side of the thread.
#[derive(Default)]
pub struct Arbiters {
    arranged: Mutex<Arranged>,
    told: Mutex<Told>,
    /// One more for each change of what is arranged.
    bell: AtomicU32,
}

#[derive(Default)]
struct Arranged {
    members: Vec<Member>,
}

/// What was measured, by tenant and device.
#[derive(Default)]
struct Told {
    tenants: BTreeMap<(String, String), Measured>,
    devices: BTreeMap<String, Busy>,
}

impl Arbiters {
    /// These are all there are from now on.
    pub fn arrange(&self, members: Vec<Member>) {
        let mut arranged = lock(&self.arranged);
        if arranged.members == members {
            return;
        }
        arranged.members = members;
        drop(arranged);
        self.bell.fetch_add(1, AcqRel);
        futex::wake(&self.bell, 1);
    }

    /// What a tenant had of a device.
    pub fn measured(&self, tenant: &str, device: &str) -> Measured {
        let key = (tenant.to_string(), device.to_string());
        lock(&self.told).tenants.get(&key).cloned().unwrap_or_default()
    }

    pub fn busy(&self, device: &str) -> Busy {
        lock(&self.told).devices.get(device).cloned().unwrap_or_default()
    }

    /// Gives turns, for ever.
    pub fn run(&self) -> ! {
        sys_unsafe::be_prompt();
        let mut rounds = Rounds::new(recovery::start());
        let mut arranged = self.bell.load(Acquire);
        rounds.arrange(lock(&self.arranged).members.clone(), clock::now_ns());
        loop {
            let now = clock::now_ns();
            let bell = self.bell.load(Acquire);
            if bell != arranged {
                rounds.arrange(lock(&self.arranged).members.clone(), now);
                arranged = bell;
            }
            let until = rounds.round(now);
            if let Some(told) = rounds.tell() {
                *lock(&self.told) = told;
            }
            rounds.wait((&self.bell, bell), now, until);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
