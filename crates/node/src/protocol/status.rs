//! The document `cleave ps --json` prints: everything the daemon knows, in bytes and percent. Field names are stable.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Enforced, Kind, Lifetime, Moving};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// [`VERSION`](super::VERSION) of this document.
    pub version: u32,
    pub node: NodeStatus,
    pub devices: Vec<DeviceStatus>,
    pub tenants: Vec<TenantStatus>,
    /// Who waits for room, first in line first.
    pub waiting: Vec<Waiting>,
}

/// The daemon itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeStatus {
    pub pid: u32,
    pub uid: u32,
    /// The version of the program.
    pub release: String,
    pub home: PathBuf,
    /// Started by a run, ends with its last tenant.
    pub embedded: bool,
    pub started_unix_ms: u64,
    /// Tenants it found when it started.
    pub adopted: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceStatus {
    pub uuid: String,
    pub name: String,
    pub kind: Kind,
    /// Memory the device has.
    pub total: u64,
    /// Kept back by the daemon's configuration.
    pub reserved: u64,
    /// The sum of all grants on it, nested ones not counted twice.
    pub granted: u64,
    /// What tenants use of it.
    pub used: u64,
    /// What can still be granted.
    pub free: u64,
    /// Percent of compute that is granted.
    pub compute_granted: u32,
    pub compute_free: u32,
    /// Whether the driver tells what each process holds; without it there is no overhead and nobody unmanaged below.
    pub per_process: bool,
    /// Processes that hold memory of it and belong to no tenant.
    pub unmanaged: Vec<Unmanaged>,
    /// Of the last second, how much of it tenants had the compute engine.
    #[serde(default)]
    pub busy_percent: f64,
    /// The same in nanoseconds, all that this daemon saw.
    #[serde(default)]
    pub busy_ns: u64,
    /// `busy_percent` of each of the last seconds, at most 60, the newest last.
    #[serde(default)]
    pub history: Vec<f32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unmanaged {
    pub pid: u32,
    pub name: String,
    pub memory: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TenantStatus {
    pub id: String,
    pub name: String,
    pub uid: u32,
    pub user: String,
    pub command: Vec<String>,
    /// The process it was made for; 0 for a grant that belongs to none.
    pub pid: u32,
    /// Whether that process still runs.
    pub running: bool,
    pub lifetime: Lifetime,
    pub parent: Option<String>,
    pub folder: PathBuf,
    pub started_unix_ms: u64,
    /// Found by this daemon, made by an earlier one.
    pub adopted: bool,
    pub shim: Shim,
    pub enforced: Enforced,
    pub grants: Vec<GrantStatus>,
    /// What is wrong with it, if something is.
    pub trouble: Option<String>,
}

/// Whether the library was seen at work in the tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shim {
    /// A process of the tenant has a seat now.
    Alive,
    /// None has one now, but one had.
    Seen,
    NotSeen,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrantStatus {
    /// UUID of the device.
    pub device: String,
    pub device_name: String,
    pub kind: Kind,
    /// What the tenant may hold.
    pub memory: u64,
    /// What it holds, overhead and nested tenants included; may be above `memory` after it was lowered.
    pub used: u64,
    pub free: u64,
    /// Percent of the device now; 0 for best-effort.
    pub compute: u32,
    /// Whether a share below 100 % is kept.
    pub compute_enforced: bool,
    /// How it is kept, as `--policy` takes it.
    #[serde(default)]
    pub policy: String,
    #[serde(default)]
    pub priority: i32,
    #[serde(default)]
    pub latency: bool,
    /// It may launch nothing until it is resumed.
    #[serde(default)]
    pub paused: bool,
    /// Whether its memory can leave the device, whether it has, and how many bytes its processes have moved so far.
    #[serde(default)]
    pub moving: Moving,
    #[serde(default)]
    pub on_host: bool,
    #[serde(default)]
    pub moved_bytes: u64,
    /// Of the last second, how much of it the tenant had the compute engine, by the daemon's clock.
    #[serde(default)]
    pub got_percent: f64,
    /// The same in nanoseconds, all that this daemon saw.
    #[serde(default)]
    pub held_ns: u64,
    /// Of the last second, how much of it a thread of the tenant waited for its turn.
    #[serde(default)]
    pub waiting_percent: f64,
    /// Of the last second, how much of it the tenant had the engines that copy to and from the device.
    #[serde(default)]
    pub copy_in_percent: f64,
    #[serde(default)]
    pub copy_out_percent: f64,
    /// A kernel of it does not end, and others share the device with it as the device sees fit.
    #[serde(default)]
    pub not_preemptible: bool,
    /// Launches of all processes it ever had.
    #[serde(default)]
    pub launches: u64,
    /// What the tenant says of itself: nanoseconds its work took on the device, and nanoseconds its threads waited for turns.
    #[serde(default)]
    pub gpu_ns: u64,
    #[serde(default)]
    pub waited_ns: u64,
    /// `got_percent` of each of the last seconds, at most 60, the newest last.
    #[serde(default)]
    pub history: Vec<f32>,
    /// What only the driver shows: contexts, modules.
    pub overhead: u64,
    /// What nested tenants took of it.
    pub nested: u64,
    /// Refusals so far, those of processes that are gone included.
    pub denials: u64,
    /// Calls through functions that were handed out unwrapped.
    pub unwrapped: u64,
    pub processes: Vec<ProcessStatus>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessStatus {
    /// As the daemon sees it; 0 if it cannot.
    pub pid: u32,
    pub name: String,
    /// Charged by the process itself.
    pub held: u64,
    pub overhead: u64,
    pub contexts: u32,
    pub launches: u64,
    pub pinned_host: u64,
    pub unwrapped: u64,
    pub denial: Option<Denial>,
}

/// The last refusal of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Denial {
    pub symbol: String,
    pub wanted: u64,
    pub free: u64,
    pub when_unix_ms: u64,
    /// How often the process was refused.
    pub count: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waiting {
    pub name: String,
    pub uid: u32,
    pub user: String,
    pub command: Vec<String>,
    pub since_unix_ms: u64,
    pub why: String,
}
