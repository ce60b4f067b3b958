//! What is wrong on this machine, as far as the daemon sees it: its part of `cleave doctor`. Pure.

use crate::amount::show;
use crate::card::Mode;
use crate::protocol::{Finding, Hold, Kind, Lifetime, Severity, Shim, Status};

/// What the status document does not say of the machine.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    pub no_real: Option<String>,
    pub no_soft: Option<String>,
    /// By UUID.
    pub modes: Vec<(String, Mode)>,
    /// Processes of the vendor's multi-process service.
    pub mps: Vec<u32>,
    /// Bytes left in the file system of the home folder, and whether it is in memory.
    pub room: u64,
    pub in_memory: bool,
    /// Folders among the tenants that are none, and why.
    pub strays: Vec<(String, String)>,
}

/// Less room than this is soon used up by slots.
const LITTLE: u64 = 16 << 20;

pub fn findings(status: &Status, machine: &Machine) -> Vec<Finding> {
    let mut found = Vec::new();
    drivers(status, machine, &mut found);
    devices(status, machine, &mut found);
    tenants(status, &mut found);
    home(status, machine, &mut found);
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    found
}

fn finding(severity: Severity, id: &str, what: String, why: &str, fix: impl Into<String>) -> Finding {
    Finding { severity, id: id.into(), what, why: why.into(), fix: fix.into() }
}

fn drivers(status: &Status, machine: &Machine, found: &mut Vec<Finding>) {
    let soft = status.devices.iter().any(|device| device.kind == Kind::Soft);
    if let Some(why) = &machine.no_real {
        let severity = if soft { Severity::Note } else { Severity::Problem };
        let matters = if soft { "tenants run on the software GPU" } else { "there is no device to give out" };
        let fix = "install the vendor's driver, and see that nvidia-smi works; `--device soft` needs none";
        found.push(finding(severity, "no_driver", why.clone(), matters, fix));
    }
    if let Some(why) = &machine.no_soft {
        let severity = if machine.no_real.is_some() { Severity::Problem } else { Severity::Note };
        let fix = "see `cleave softgpu`, and the log if CLEAVE_SOFTGPU names something unusual";
        found.push(finding(severity, "no_softgpu", why.clone(), "the software GPU cannot be used", fix));
    }
    if !machine.mps.is_empty() {
        let pids: Vec<String> = machine.mps.iter().map(u32::to_string).collect();
        let what = format!("the multi-process service runs (pid {})", pids.join(", "));
        let why = "under it the driver shows one process for many, so what only the driver knows is charged to nobody";
        let fix = "echo quit | nvidia-cuda-mps-control";
        found.push(finding(Severity::Warning, "mps_active", what, why, fix));
    }
}

fn devices(status: &Status, machine: &Machine, found: &mut Vec<Finding>) {
    for (uuid, mode) in &machine.modes {
        let reset = format!("nvidia-smi -i {uuid} -c DEFAULT");
        let (severity, id, what, why, fix) = match mode {
            Mode::Shared => continue,
            Mode::Exclusive => (
                Severity::Problem,
                "exclusive_mode",
                format!("{uuid} is in exclusive mode"),
                "only one process at a time can use it, so it cannot be shared",
                reset,
            ),
            Mode::Prohibited => (
                Severity::Problem,
                "prohibited_mode",
                format!("{uuid} is in prohibited mode"),
                "no process can use it, so nothing of it is given out",
                reset,
            ),
            Mode::Partitioned => (
                Severity::Note,
                "partitioned",
                format!("{uuid} is partitioned (MIG)"),
                "its instances are given out in its place, each with its own memory",
                format!("nvidia-smi -i {uuid} -mig 0 makes it one device again"),
            ),
        };
        found.push(finding(severity, id, what, why, fix));
    }
    for device in &status.devices {
        if !device.per_process {
            let what = format!("the driver does not say what each process holds of {}", device.uuid);
            let why = "contexts and modules are not charged, and unmanaged processes are not seen";
            found.push(finding(Severity::Warning, "no_process_memory", what, why, ""));
        }
        for stranger in &device.unmanaged {
            let (pid, name, memory) = (stranger.pid, &stranger.name, show(stranger.memory));
            let what = format!("process {pid} ({name}) holds {memory} of {} outside any tenant", device.uuid);
            let why = "nothing limits it, and what it holds cannot be given to tenants";
            found.push(finding(Severity::Warning, "unmanaged", what, why, "start it under `cleave run`"));
        }
        let taken = device.granted.saturating_add(device.reserved);
        let strange: u64 = device.unmanaged.iter().map(|stranger| stranger.memory).sum();
        if taken.saturating_add(strange) > device.total {
            let what = format!("{} has less memory than was granted and is held unmanaged", device.uuid);
            let why = "a tenant may be refused by the driver though its grant has room";
            found.push(finding(Severity::Warning, "overcommitted", what, why, "end the unmanaged processes"));
        }
    }
}

fn tenants(status: &Status, found: &mut Vec<Finding>) {
    for tenant in &status.tenants {
        let who = format!("tenant {} ({})", tenant.id, tenant.name);
        if let Some(trouble) = &tenant.trouble {
            let why = "it goes on under the limits it knows, but the daemon cannot account for all of it";
            let fix = format!("end it (`cleave end {}`) and start it again", tenant.id);
            found.push(finding(Severity::Problem, "broken_tenant", format!("{who}: {trouble}"), why, fix));
        }
        let unwrapped: u64 = tenant.grants.iter().map(|grant| grant.unwrapped).sum();
        if unwrapped > 0 {
            let what =
                format!("{who} was given {unwrapped} functions that allocate or launch and are not wrapped");
            let why = "what it does through them is charged only when the driver shows it";
            found.push(finding(
                Severity::Warning,
                "unwrapped",
                what,
                why,
                "use a release that knows this driver",
            ));
        }
        if tenant.running && tenant.shim == Shim::NotSeen && tenant.lifetime == Lifetime::Process {
            let what = format!("no process of {who} has come to its slot");
            let why = "it has not used the device yet, or its programs are static or clear LD_PRELOAD: then nothing limits it";
            found.push(finding(Severity::Note, "shim_not_seen", what, why, ""));
        }
    }
    if status.tenants.iter().any(|tenant| tenant.enforced.memory == Hold::Cooperative) {
        let what = "tenants run under the daemon's own user or as root".to_string();
        let why = "limits hold for programs that do not fight them; such a tenant could change its own";
        let fix = "run `cleave node` as another user (root) where that matters";
        found.push(finding(Severity::Note, "cooperative", what, why, fix));
    }
}

fn home(status: &Status, machine: &Machine, found: &mut Vec<Finding>) {
    let home = status.node.home.display();
    if machine.room < LITTLE {
        let what = format!("{home} has {} left", show(machine.room));
        let why = "each grant needs some hundred KiB there; without room no tenant can start";
        found.push(finding(
            Severity::Problem,
            "small_home",
            what,
            why,
            "make room, or set CLEAVE_HOME elsewhere",
        ));
    }
    if !machine.in_memory {
        let what = format!("{home} is on a disk");
        let why = "slots are written on every allocation; on a disk that may be slow";
        let fix = "set CLEAVE_HOME to a folder on a tmpfs, such as /dev/shm";
        found.push(finding(Severity::Warning, "home_on_disk", what, why, fix));
    }
    for (name, reason) in &machine.strays {
        let what = format!("{home}/tenants/{name} is no tenant the daemon can read: {reason}");
        let why = "what was granted there is not known and may be granted again";
        let fix = format!("end what runs in it, then `cleave end {name}`");
        found.push(finding(Severity::Problem, "stray_tenant", what, why, fix));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{DeviceStatus, NodeStatus, Unmanaged, VERSION};

    fn status() -> Status {
        let device = DeviceStatus {
            uuid: "GPU-1".into(),
            name: "A".into(),
            kind: Kind::Real,
            total: 1 << 30,
            reserved: 0,
            granted: 0,
            used: 0,
            free: 1 << 30,
            compute_granted: 0,
            compute_free: 100,
            per_process: true,
            unmanaged: Vec::new(),
            busy_percent: 0.0,
            busy_ns: 0,
            history: Vec::new(),
        };
        let node = NodeStatus {
            pid: 1,
            uid: 0,
            release: "0".into(),
            home: "/home".into(),
            embedded: false,
            started_unix_ms: 0,
            adopted: 0,
        };
        Status { version: VERSION, node, devices: vec![device], tenants: Vec::new(), waiting: Vec::new() }
    }

    fn machine() -> Machine {
        Machine { room: u64::MAX, in_memory: true, ..Machine::default() }
    }

    fn ids(status: &Status, machine: &Machine) -> Vec<String> {
        findings(status, machine).into_iter().map(|finding| finding.id).collect()
    }

    #[test]
    fn a_healthy_machine_has_no_findings() {
        assert_eq!(findings(&status(), &machine()), []);
    }

    #[test]
    fn what_is_wrong_is_named_and_the_worst_comes_first() {
        let mut status = status();
        status.devices[0].per_process = false;
        status.devices[0].granted = 1 << 30;
        status.devices[0].unmanaged = vec![Unmanaged { pid: 7, name: "x".into(), memory: 1 }];
        let machine = Machine {
            modes: vec![
                ("GPU-1".into(), Mode::Exclusive),
                ("GPU-2".into(), Mode::Shared),
                ("GPU-3".into(), Mode::Partitioned),
            ],
            mps: vec![8, 9],
            room: 1 << 20,
            in_memory: false,
            strays: vec![("x".into(), "why".into())],
            ..machine()
        };
        let found = ids(&status, &machine);
        assert_eq!(found[..3], ["exclusive_mode", "small_home", "stray_tenant"]);
        assert_eq!(
            found[3..],
            ["mps_active", "no_process_memory", "unmanaged", "overcommitted", "home_on_disk", "partitioned"]
        );
        assert!(
            findings(&status, &machine)
                .iter()
                .all(|finding| !finding.what.is_empty() && !finding.why.is_empty())
        );
    }

    #[test]
    fn a_missing_driver_matters_as_much_as_there_is_nothing_else() {
        let no_real = Machine { no_real: Some("none".into()), ..machine() };
        let mut status = status();
        status.devices.clear();
        assert_eq!(findings(&status, &no_real)[0].severity, Severity::Problem);
        status.devices = self::status().devices;
        status.devices[0].kind = Kind::Soft;
        assert_eq!(findings(&status, &no_real)[0].severity, Severity::Note);
        let neither = Machine { no_soft: Some("none".into()), ..no_real };
        assert_eq!(ids(&status, &neither), ["no_softgpu", "no_driver"]);
    }
}
