//! What clients and the daemon say to each other: one JSON document per line, over the socket in the daemon's home.
//!
//! A client sends one [`Request`] and reads [`Answer`]s: one for most requests, any number of [`Answer::Queued`] before the last
//! one for a [`Start`] that waits. Memory is in bytes, compute in percent of a device. Field names are stable: the document
//! behind [`Answer::Status`] is what `cleave ps --json` prints.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::policy::Policy;

/// The document `cleave ps --json` prints.
mod status;

pub use status::{
    Denial, DeviceStatus, GrantStatus, NodeStatus, ProcessStatus, Shim, Status, TenantStatus, Unmanaged,
    Waiting,
};

/// The longest line either side accepts.
pub const MAX_LINE: usize = 1 << 20;

/// Version of the documents below; raised when a field changes its meaning, not when one is added.
pub const VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum Request {
    /// Make a tenant. Its main process is the one that asks.
    Start(Start),
    /// Everything the daemon knows.
    Status,
    /// Change what a running tenant may use. For root and the daemon's own user.
    Set(Set),
    /// Take a tenant's grants back. For its owner, root and the daemon's own user, as what follows.
    End { tenant: String },
    /// Let a tenant launch nothing more, those inside it included. Answered when what it has on the devices is done.
    Pause {
        tenant: String,
        /// Move its memory to the host as well.
        #[serde(default)]
        to_host: bool,
    },
    /// Let it go on.
    Resume { tenant: String },
    /// End all processes of a tenant and take its grants back.
    Kill { tenant: String },
    /// What is wrong on this machine, as far as the daemon sees it.
    Check,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    Started(Started),
    /// A [`Start`] with `wait` stands in the queue; more answers follow.
    Queued {
        why: String,
        position: u32,
    },
    /// Not done, and nothing was changed.
    Refused(Refusal),
    Status(Box<Status>),
    /// Done; there is nothing to tell.
    Done,
    Paused {
        /// Whether all it had on the devices is done; if not, a kernel of it does not end.
        drained: bool,
        /// Whether its memory is on the host.
        #[serde(default)]
        on_host: bool,
    },
    Killed {
        /// Processes that were there.
        processes: u32,
    },
    Checked {
        findings: Vec<Finding>,
    },
}

/// Why a request was not fulfilled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    pub reason: Reason,
    /// A sentence for people.
    pub why: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Something else holds what was asked for; with `wait` the same request would stand in the queue.
    NoRoom,
    /// The user has as much as one user may have; `wait` waits until some of it is given back.
    OverCap,
    /// Could never be given on this machine.
    NeverFits,
    /// The machine has no device of the kind.
    NoDevice,
    /// The peer may not do this.
    NotAllowed,
    /// There is no such tenant.
    NoTenant,
    /// The request makes no sense.
    Nonsense,
    /// The daemon has more connections or waiters than it serves at once.
    Busy,
    /// The system failed the daemon.
    Failed,
}

/// A wish for a tenant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Start {
    pub ask: Ask,
    pub driver: Driver,
    /// Stand in the queue until it fits.
    pub wait: bool,
    /// The tenant this one is nested in: it takes from that one's grants.
    pub parent: Option<String>,
    pub lifetime: Lifetime,
    /// Made up by the client once per tenant: the same ticket again gives the same tenant, so that a client may repeat a
    /// request whose answer got lost with a daemon.
    pub ticket: String,
}

/// What a tenant asks for. All amounts are per device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ask {
    /// What people call it; made from the command if empty.
    pub name: String,
    pub command: Vec<String>,
    /// Devices, each a different one.
    pub count: u32,
    /// Only these devices, by UUID; empty = any.
    pub devices: Vec<String>,
    pub memory: Memory,
    /// Percent of the device (of the parent's share when nested). None = the same share as of memory; if that is not said
    /// either, all that is left on the device.
    pub compute: Option<u32>,
    pub policy: Policy,
    /// Whose work goes first where shares leave a choice: the higher.
    pub priority: i32,
    /// Its work goes before that of others, within its share.
    pub latency: bool,
    pub moving: Moving,
}

impl Default for Ask {
    fn default() -> Ask {
        Ask {
            name: String::new(),
            command: Vec::new(),
            count: 1,
            devices: Vec::new(),
            memory: Memory::Unsaid,
            compute: None,
            policy: Policy::default(),
            priority: 0,
            latency: false,
            moving: Moving::Never,
        }
    }
}

/// Whether a tenant's memory can leave its device. It is made so from the beginning, or not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moving {
    #[default]
    Never,
    /// When the tenant is paused to the host.
    Paused,
    /// Whenever it is another's turn and not all that is granted fits: several of these may together have more than there is.
    Turns,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    Bytes(u64),
    /// Of the device's memory (of the parent's grant when nested).
    Percent(u32),
    /// The same share as of compute; if that is not said either, all that is free on the device.
    #[default]
    Unsaid,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Driver {
    /// The vendor's driver if the machine has a device of it, else the software GPU.
    #[default]
    Auto,
    Soft,
    Real,
}

/// How long a tenant lasts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifetime {
    /// As long as one of its processes lives.
    #[default]
    Process,
    /// Until it is ended by name; for containers.
    Grant,
}

/// A tenant that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Started {
    pub tenant: String,
    pub name: String,
    /// The tenant's folder: CLEAVE_TENANT for its processes.
    pub folder: PathBuf,
    /// In the order of `gpu0`, `gpu1` … of the folder.
    pub grants: Vec<Granted>,
    /// The daemon's unpacked libraries (`libcleave.so`, `softgpu/`), if it has any.
    pub libraries: Option<PathBuf>,
    /// The folder of the software GPU (CLEAVE_SOFTGPU for the tenant's processes), if the grants are on it.
    pub softgpu: Option<PathBuf>,
    pub enforced: Enforced,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Granted {
    pub uuid: String,
    pub device: String,
    pub kind: Kind,
    pub memory: u64,
    /// Percent of the device now; 0 for best-effort.
    pub compute: u32,
    pub policy: Policy,
    /// Memory the whole device has.
    pub total: u64,
}

/// Whose driver shows a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Real,
    Soft,
}

/// What is held against the tenant's will.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforced {
    pub memory: Hold,
    /// Whether a share of compute below 100 % is kept.
    pub compute: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// The tenant runs under the daemon's uid and could change its own limits.
    Cooperative,
    /// The limits belong to another uid.
    Enforced,
}

/// A live change of a tenant's grants; what is None stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Set {
    pub tenant: String,
    /// Only the grant on this device; None = all of the tenant's grants.
    pub device: Option<String>,
    pub memory: Option<Memory>,
    pub compute: Option<u32>,
    pub policy: Option<Policy>,
    pub priority: Option<i32>,
    pub latency: Option<bool>,
}

/// Something a person should know about this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub severity: Severity,
    /// A short stable name, such as `mps_active`.
    pub id: String,
    /// What is so.
    pub what: String,
    /// Why it matters.
    #[serde(default)]
    pub why: String,
    /// What to do about it; empty if there is nothing to do.
    pub fix: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Note,
    /// Works, with less than is promised.
    Warning,
    /// Does not work.
    Problem,
}

impl Refusal {
    pub fn new(reason: Reason, why: impl Into<String>) -> Refusal {
        Refusal { reason, why: why.into() }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_readable_line() {
        let ask = Ask { memory: Memory::Bytes(1 << 30), compute: Some(30), ..Ask::default() };
        let start = Start { ask, wait: true, ticket: "t1".into(), ..Start::default() };
        let line = serde_json::to_string(&Request::Start(start.clone())).unwrap();
        assert!(!line.contains('\n'));
        assert!(line.starts_with(r#"{"request":"start","ask":{"name":"","command":[],"count":1"#), "{line}");
        assert!(line.contains(r#""memory":{"bytes":1073741824},"compute":30"#), "{line}");
        assert_eq!(serde_json::from_str::<Request>(&line).unwrap(), Request::Start(start));
    }

    #[test]
    fn what_a_client_leaves_out_has_its_usual_value() {
        let request: Request =
            serde_json::from_str(r#"{"request":"start","ask":{"memory":"unsaid"}}"#).unwrap();
        assert_eq!(request, Request::Start(Start::default()));
        let refused = Answer::Refused(Refusal::new(Reason::NoRoom, "full"));
        let line = serde_json::to_string(&refused).unwrap();
        assert_eq!(line, r#"{"answer":"refused","reason":"no_room","why":"full"}"#);
    }
}
