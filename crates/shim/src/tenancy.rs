//! What this process may have: the slots of its tenant, opened once, at the first call that needs one.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use cleave_ledger::clock;
use cleave_slot::{Seat, Slot, Uuid};

use crate::process_unsafe::PerProcess;
use crate::{hami, log, unwrapped};

/// A node looks at its slots several times a second; one that did not for so long is not there.
const NODE_IS_GONE: u64 = 2_000_000_000;

/// Where a container finds its tenant's folder.
const IN_CONTAINER: &str = "/run/cleave/tenant";

static TENANCY: PerProcess<Tenancy> = PerProcess::new();

/// The standing of this process.
pub enum Tenancy {
    /// It is nobody's tenant: every call passes through, every number is the machine's.
    Unlimited,
    /// It may have what these grants say, and nothing of any other device.
    Tenant(Vec<Grant>),
    /// It is a tenant, but its grants cannot be read: it gets nothing.
    Refused(String),
}

/// A slot, and this process's seat in it.
pub struct Grant {
    pub slot: Slot,
    pub device: Uuid,
    /// Bytes that the environment lowers the slot's limit to.
    cap: u64,
    /// Percent that it lowers the slot's share to.
    compute_cap: u32,
    seat: OnceLock<Seat>,
    joining: Mutex<()>,
}

/// The tenancy of this process.
#[inline]
pub fn current() -> &'static Tenancy {
    TENANCY.get_or(open)
}

/// The tenancy, if anything needed it so far.
pub fn if_open() -> Option<&'static Tenancy> {
    TENANCY.get()
}

impl Tenancy {
    /// The grants of a tenant; none for others.
    pub fn grants(&self) -> &[Grant] {
        match self {
            Tenancy::Tenant(grants) => grants,
            Tenancy::Unlimited | Tenancy::Refused(_) => &[],
        }
    }

    /// The grant of a device with these digits in its name.
    pub fn grant(&self, digits: [u8; 16]) -> Option<&Grant> {
        self.grants().iter().find(|grant| grant.device.bytes() == digits)
    }

    /// Whether nothing is limited.
    pub fn is_unlimited(&self) -> bool {
        matches!(self, Tenancy::Unlimited)
    }

    /// Whether this process may use the driver at all. The reason why not goes to stderr, once.
    pub fn admit(&self) -> Result<(), &str> {
        match self {
            Tenancy::Refused(why) => Err(why),
            Tenancy::Unlimited | Tenancy::Tenant(_) => Ok(()),
        }
    }

    /// The first seat that is taken.
    pub fn first_seat(&self) -> Option<&Seat> {
        self.grants().iter().find_map(|grant| grant.seat.get())
    }
}

impl Grant {
    fn new(slot: Slot) -> Grant {
        // Where no node looks after the dead, whoever comes does.
        if clock::now_ns().saturating_sub(slot.heartbeat()) > NODE_IS_GONE {
            slot.recover();
        }
        let device = slot.terms().device;
        Grant {
            slot,
            device,
            cap: u64::MAX,
            compute_cap: 100,
            seat: OnceLock::new(),
            joining: Mutex::new(()),
        }
    }

    /// The environment can lower what the node has granted; more it cannot give.
    fn lower(&mut self, limit: hami::Limit) {
        self.cap = limit.memory.unwrap_or(u64::MAX);
        self.compute_cap = limit.compute;
    }

    /// The most percent of the device that the environment leaves.
    pub fn compute_cap(&self) -> u32 {
        self.compute_cap
    }

    /// The tenant's share of the device's compute engine now, in percent.
    pub fn compute(&self) -> u32 {
        self.slot.terms().compute.min(self.compute_cap)
    }

    /// Bytes the tenant may hold now.
    #[inline]
    pub fn memory(&self) -> u64 {
        self.slot.memory().min(self.cap)
    }

    /// Bytes that still fit.
    #[inline]
    pub fn free(&self) -> u64 {
        self.slot.free().min(self.cap.saturating_sub(self.slot.used()))
    }

    /// Reserves bytes, if they fit.
    #[inline]
    pub fn charge(&self, bytes: u64) -> bool {
        self.seat().is_ok_and(|seat| seat.charge_within(bytes, self.cap).is_ok())
    }

    /// This process's seat, taken when it is first needed.
    #[inline]
    pub fn seat(&self) -> Result<&Seat, cleave_slot::Error> {
        match self.seat.get() {
            Some(seat) => Ok(seat),
            None => self.join(),
        }
    }

    #[cold]
    fn join(&self) -> Result<&Seat, cleave_slot::Error> {
        let _one = self.joining.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seat) = self.seat.get() {
            return Ok(seat);
        }
        let seat = self.slot.join(&process_name()).inspect_err(|why| {
            log::aloud(format_args!("no seat for this process: {why}"));
        })?;
        for _ in 0..unwrapped::take() {
            seat.count_unwrapped();
        }
        Ok(self.seat.get_or_init(|| seat))
    }
}

fn open() -> Tenancy {
    quiet_panics();
    match grants() {
        Ok(Some(grants)) => Tenancy::Tenant(grants),
        Ok(None) => Tenancy::Unlimited,
        Err(why) => {
            log::aloud(format_args!("this tenant gets no GPU: {why}"));
            Tenancy::Refused(why)
        }
    }
}

/// The tenant's folder, if this process is a tenant's.
fn folder() -> Option<PathBuf> {
    match std::env::var_os("CLEAVE_TENANT").filter(|folder| !folder.is_empty()) {
        Some(folder) => Some(folder.into()),
        None => Some(PathBuf::from(IN_CONTAINER)).filter(|folder| folder.is_dir()),
    }
}

/// What the node granted, or what another scheduler's variables say where there is no node; `None` if nobody limits anything.
fn grants() -> Result<Option<Vec<Grant>>, String> {
    let container = hami::Container::read().map_err(|why| why.to_string())?;
    match (folder(), container) {
        (Some(folder), None) => granted(&folder).map(Some),
        (Some(folder), Some(container)) => {
            let mut grants = granted(&folder)?;
            grants.iter_mut().enumerate().for_each(|(number, grant)| grant.lower(container.limit(number)));
            Ok(Some(grants))
        }
        (None, Some(container)) => Ok(Some(container.slots()?.into_iter().map(Grant::new).collect())),
        (None, None) => Ok(None),
    }
}

/// One grant for each `gpuN` in the folder, in their order.
fn granted(folder: &Path) -> Result<Vec<Grant>, String> {
    let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", folder.display());
    let mut slots = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|why| failed(&why))? {
        let name = entry.map_err(|why| failed(&why))?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("gpu")?.parse::<u32>().ok());
        slots.extend(number.map(|number| (number, folder.join(name))));
    }
    slots.sort();
    slots.iter().map(|(_, slot)| Slot::open(slot).map(Grant::new).map_err(|why| why.to_string())).collect()
}

/// What the process calls itself, as `ps` shows it.
fn process_name() -> String {
    let name = std::fs::read("/proc/self/comm").unwrap_or_default();
    String::from_utf8_lossy(name.trim_ascii_end()).into_owned()
}

/// A mistake of ours becomes an error code and a line in the log, and not a message on the program's stderr.
fn quiet_panics() {
    std::panic::set_hook(Box::new(|panic| log::say(format_args!("{panic}"))));
}
