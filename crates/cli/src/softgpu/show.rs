//! The devices and who is on them.

use std::fs;

use cleave_device::key::{KEYS, Unit};
use cleave_device::{Activity, Engine, Folder, Machine, Mode, Process, Request, Setup};
use serde::Serialize;

use crate::table::table;
use crate::{Failure, document};

const NOTICE: &str =
    "The software GPU is no security boundary: who may use a device can read and damage all of it.";

/// The document of `cleave softgpu --json`.
#[derive(Serialize)]
struct Report {
    /// `null` for a private device.
    folder: Option<String>,
    exists: bool,
    preset: Option<String>,
    memory_file: Option<String>,
    setup: Option<SetupReport>,
    devices: Vec<DeviceReport>,
    security_boundary: bool,
}

#[derive(Serialize)]
pub struct SetupReport {
    mode: &'static str,
    devices: usize,
    memory: u64,
    sms: u32,
    capability: String,
    clock_khz: u32,
    context: u64,
    slice_ns: u64,
    switch_ns: u64,
    copy_bytes_per_us: u64,
    name: String,
}

#[derive(Serialize)]
struct DeviceReport {
    index: usize,
    uuid: String,
    name: String,
    pci: String,
    memory_total: u64,
    memory_used: u64,
    memory_free: u64,
    /// Percent of the last full second.
    utilisation: Utilisation,
    /// Time of the device.
    clock_ns: u64,
    /// How long it stood still so far.
    slip_ns: u64,
    processes: Vec<ProcessReport>,
}

#[derive(Serialize)]
struct ProcessReport {
    /// 0 where it cannot be seen from here.
    pid: u32,
    /// As the process itself sees it.
    own_pid: u32,
    uid: u32,
    name: String,
    memory: u64,
    utilisation: Utilisation,
    state: &'static str,
}

#[derive(Serialize)]
struct Utilisation {
    gr: f64,
    ce0: f64,
    ce1: f64,
    enc: f64,
    dec: f64,
}

pub fn run(request: &Request, json: bool) -> Result<String, Failure> {
    let machine = Machine::existing(request)?;
    let folder = Folder::find(request).map(|folder| folder.path.display().to_string());
    if let Some(machine) = machine {
        machine.recover();
    }
    let report = Report::of(folder, machine);
    if json { document(&report) } else { Ok(report.text(machine.map(Machine::setup))) }
}

impl Report {
    fn of(folder: Option<String>, machine: Option<&Machine>) -> Report {
        Report {
            folder,
            exists: machine.is_some(),
            preset: machine.map(|machine| machine.preset().into()),
            memory_file: machine.and_then(Machine::memory_path).map(|path| path.display().to_string()),
            setup: machine.map(|machine| SetupReport::of(machine.setup())),
            devices: machine.map_or_else(Vec::new, |machine| {
                (0..machine.devices().len()).map(|device| DeviceReport::of(machine, device)).collect()
            }),
            security_boundary: false,
        }
    }

    fn text(&self, setup: Option<&Setup>) -> String {
        let (Some(setup), Some(folder)) = (setup, &self.folder) else {
            return match &self.folder {
                Some(folder) => {
                    format!("there is no device in {folder}: the first program that uses it makes one\n")
                }
                None => "a private device is seen by its own process alone\n".into(),
            };
        };
        let figures = KEYS.iter().map(|key| format!("{} {}", key.name, key.show(setup))).collect::<Vec<_>>();
        let mut text = format!("folder  {folder}\n");
        text += &format!("memory  {}\n", self.memory_file.as_deref().unwrap_or("?"));
        text += &format!("setup   {} ({})\n", self.preset.as_deref().unwrap_or("?"), figures.join(", "));
        let slip = |device: &DeviceReport| {
            let clock = device.clock_ns.max(1) as f64;
            format!("{:.3}s ({:.2}%)", device.slip_ns as f64 / 1e9, 100.0 * device.slip_ns as f64 / clock)
        };
        let rows = self.devices.iter().map(|device| {
            let used =
                format!("{}/{}", Unit::Bytes.show(device.memory_used), Unit::Bytes.show(device.memory_total));
            let index = device.index.to_string();
            let mut row = vec![index, device.name.clone(), device.uuid.clone(), used];
            row.extend(device.utilisation.cells());
            row.push(slip(device));
            row
        });
        let rows: Vec<Vec<String>> = rows.collect();
        text += &format!("\n{}", table(&["GPU", "NAME", "UUID", "MEMORY", "GR", "CE", "SLIP"], &rows));
        let users = Users::read();
        let rows: Vec<Vec<String>> = self
            .devices
            .iter()
            .flat_map(|device| device.processes.iter().map(|process| process.row(device.index, &users)))
            .collect();
        if rows.is_empty() {
            text += "\nnobody is on it\n";
        } else {
            text += &format!(
                "\n{}",
                table(&["GPU", "PID", "USER", "NAME", "MEMORY", "GR", "CE", "STATE"], &rows)
            );
            if rows.iter().any(|row| row[1].ends_with('*')) {
                text += "* in another container: its number there\n";
            }
        }
        text + &format!("\n{NOTICE}\n")
    }
}

impl SetupReport {
    pub fn of(setup: &Setup) -> SetupReport {
        SetupReport {
            mode: match setup.mode {
                Mode::Free => "free",
                Mode::Paced => "paced",
            },
            devices: setup.devices,
            memory: setup.memory,
            sms: setup.sms,
            capability: format!("{}.{}", setup.capability.0, setup.capability.1),
            clock_khz: setup.clock_khz,
            context: setup.context,
            slice_ns: setup.slice_ns,
            switch_ns: setup.switch_ns,
            copy_bytes_per_us: setup.copy_bytes_per_us,
            name: setup.name.clone(),
        }
    }
}

impl DeviceReport {
    fn of(machine: &Machine, index: usize) -> DeviceReport {
        let (device, memory) = (machine.device(index), machine.memory(index));
        let now = machine.clock(index).now();
        DeviceReport {
            index,
            uuid: device.uuid_text(),
            name: device.name.clone(),
            pci: device.pci_text(),
            memory_total: memory.total,
            memory_used: memory.used,
            memory_free: memory.free,
            utilisation: Utilisation::of(|engine| machine.last_second_ns(index, engine)),
            clock_ns: now,
            slip_ns: machine.slip_ns(index),
            processes: machine
                .processes(index)
                .iter()
                .map(|process| ProcessReport::of(process, now))
                .collect(),
        }
    }
}

impl ProcessReport {
    fn of(process: &Process, now: u64) -> ProcessReport {
        ProcessReport {
            pid: process.pid,
            own_pid: process.own_pid,
            uid: process.uid,
            name: process.name.clone(),
            memory: process.memory,
            utilisation: Utilisation::of(|engine| process.last_second_ns(engine, now)),
            state: match process.activity {
                Activity::Idle => "idle",
                Activity::Running => "running",
                Activity::Waiting => "waiting",
                Activity::Silent => "silent",
            },
        }
    }

    fn row(&self, device: usize, users: &Users) -> Vec<String> {
        let pid = if self.pid == 0 { format!("{}*", self.own_pid) } else { self.pid.to_string() };
        let mut row = vec![device.to_string(), pid, users.name(self.uid), self.name.clone()];
        row.push(Unit::Bytes.show(self.memory));
        row.extend(self.utilisation.cells());
        row.push(self.state.into());
        row
    }
}

impl Utilisation {
    fn of(busy_ns: impl Fn(Engine) -> u64) -> Utilisation {
        // Tenths of a percent of a second.
        let percent = |engine| (busy_ns(engine) as f64 / 1e6).round() / 10.0;
        Utilisation {
            gr: percent(Engine::Gr),
            ce0: percent(Engine::Ce0),
            ce1: percent(Engine::Ce1),
            enc: percent(Engine::Enc),
            dec: percent(Engine::Dec),
        }
    }

    /// GR, and the busier of the copy engines.
    fn cells(&self) -> [String; 2] {
        [self.gr, self.ce0.max(self.ce1)].map(|percent| format!("{percent:.0}%"))
    }
}

/// Names of users, as far as this container knows them.
struct Users(String);

impl Users {
    fn read() -> Users {
        Users(fs::read_to_string("/etc/passwd").unwrap_or_default())
    }

    fn name(&self, uid: u32) -> String {
        let fields = self.0.lines().map(|line| line.split(':').collect::<Vec<_>>());
        let uid = uid.to_string();
        let mut named = fields.filter(|fields| fields.get(2) == Some(&uid.as_str()));
        named.next().map_or(uid.clone(), |fields| fields[0].to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_have_names_where_they_are_known() {
        let users = Users("root:x:0:0:root:/root:/bin/sh\nann:x:1000:\nbroken\n".into());
        assert_eq!(
            (users.name(0), users.name(1000), users.name(7)),
            ("root".into(), "ann".into(), "7".into())
        );
    }

    #[test]
    fn utilisation_is_percent_of_a_second() {
        let utilisation =
            Utilisation::of(|engine| if engine == Engine::Gr { 123_456_789 } else { 999_999_999 });
        assert_eq!((utilisation.gr, utilisation.ce0), (12.3, 100.0));
        assert_eq!(utilisation.cells(), ["12%", "100%"]);
    }
}
