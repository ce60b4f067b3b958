//! `cleave softgpu` as a person or a script runs it.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cleave_device::{Machine, Request};
use serde_json::Value;

/// A folder of one test, removed afterwards.
struct Temp(PathBuf);

impl Temp {
    fn new() -> Temp {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Relaxed);
        let path = PathBuf::from(format!("/dev/shm/cleave-cli-{}-{number}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Temp(path)
    }

    fn cleave(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cleave"));
        command.arg("softgpu").args(arguments).env("CLEAVE_SOFTGPU", &self.0).output().unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.cleave(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// A process that is on the device until it is killed.
    fn user(&self) -> User {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "user", "--nocapture"]).env("CLEAVE_TEST_USER_OF", &self.0);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = Vec::new();
        let out = child.stdout.as_mut().unwrap();
        while !said.ends_with(b"joined\n") {
            let mut byte = [0];
            out.read_exact(&mut byte).expect("the user joins");
            said.push(byte[0]);
        }
        User(child)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct User(Child);

impl Drop for User {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The process that is on the device. As a test of its own it does nothing.
#[test]
fn user() {
    let Ok(folder) = std::env::var("CLEAVE_TEST_USER_OF") else { return };
    let machine = Machine::open(&Request::folder(folder).with("memory", "64M").with("devices", "2")).unwrap();
    machine.join("the user").unwrap();
    println!("joined");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn where_there_is_no_device_none_is_made() {
    let temp = Temp::new();
    let output = temp.cleave(&[]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("there is no device in"), "{}", text(&output.stdout));
    let report = temp.json(&[]);
    assert_eq!((&report["exists"], &report["devices"]), (&false.into(), &Value::Array(Vec::new())));
    assert_eq!(fs::read_dir(&temp.0).unwrap().count(), 0);
}

#[test]
fn devices_and_their_users_are_shown() {
    let temp = Temp::new();
    let user = temp.user();
    let report = temp.json(&[]);
    assert_eq!(report["folder"], temp.0.to_str().unwrap());
    assert_eq!(report["setup"]["memory"], 64 << 20);
    assert_eq!(report["setup"]["mode"], "free");
    assert_eq!(report["security_boundary"], false);
    let devices = report["devices"].as_array().unwrap();
    assert_eq!(devices.len(), 2);
    for (index, device) in devices.iter().enumerate() {
        assert_eq!(device["index"], index);
        assert!(device["uuid"].as_str().unwrap().starts_with("GPU-"));
        assert_eq!(device["memory_total"], 64 << 20);
        assert_eq!(device["slip_ns"], 0);
        assert!(device["clock_ns"].as_u64().unwrap() > 0);
        let processes = device["processes"].as_array().unwrap();
        assert_eq!(processes.len(), 1);
        assert_eq!(processes[0]["pid"], user.0.id());
        assert_eq!((&processes[0]["name"], &processes[0]["state"]), (&"the user".into(), &"idle".into()));
    }
    let shown = text(&temp.cleave(&[]).stdout);
    for part in ["memory 64M", "GPU-", "the user", "idle", "no security boundary"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    drop(user);
    assert_eq!(temp.json(&[])["devices"][0]["processes"], Value::Array(Vec::new()), "the dead are gone");
    assert!(text(&temp.cleave(&[]).stdout).contains("nobody is on it"));
}

#[test]
fn a_device_in_use_is_reset_only_by_force() {
    let temp = Temp::new();
    let user = temp.user();
    let before = temp.json(&[])["devices"][0]["uuid"].clone();
    let output = temp.cleave(&["reset"]);
    assert_eq!(output.status.code(), Some(3));
    let reason = text(&output.stderr);
    assert!(reason.contains(&user.0.id().to_string()) && reason.contains("--force"), "{reason}");
    assert_eq!(temp.json(&[])["devices"][0]["uuid"], before, "untouched");

    let report = temp.json(&["reset", "--force"]);
    assert_eq!((&report["removed"], &report["processes"][0]), (&true.into(), &user.0.id().into()));
    assert_eq!(fs::read_dir(&temp.0).unwrap().count(), 0);

    let next = temp.user();
    let report = temp.json(&[]);
    assert_ne!(report["devices"][0]["uuid"], before, "a new device");
    let processes = report["devices"][0]["processes"].as_array().unwrap();
    assert_eq!((processes.len(), &processes[0]["pid"]), (1, &next.0.id().into()));
}

#[test]
fn an_unused_or_damaged_device_is_reset() {
    let temp = Temp::new();
    drop(temp.user());
    assert!(text(&temp.cleave(&["reset"]).stdout).starts_with("removed"));
    assert!(text(&temp.cleave(&["reset"]).stdout).starts_with("there is no device"));

    drop(temp.user());
    fs::write(temp.0.join("device/control"), "not this").unwrap();
    let output = temp.cleave(&[]);
    assert_eq!(output.status.code(), Some(1));
    let reason = text(&output.stderr);
    assert!(reason.starts_with("cleave: ") && reason.contains("cleave softgpu reset"), "{reason}");
    assert_eq!(temp.cleave(&["reset"]).status.code(), Some(0));
    assert_eq!(temp.json(&[])["exists"], false);
}

#[test]
fn presets_are_listed() {
    let temp = Temp::new();
    let shown = text(&temp.cleave(&["presets"]).stdout);
    for part in ["default", "paced", "a100", "40G", "CLEAVE_SOFTGPU_MEMORY"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let presets = temp.json(&["presets"]);
    let a100 = presets.as_array().unwrap().iter().find(|preset| preset["name"] == "a100").unwrap();
    assert_eq!((&a100["setup"]["memory"], &a100["setup"]["sms"]), (&(40_u64 << 30).into(), &108.into()));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let temp = Temp::new();
    assert_eq!(temp.cleave(&["--nonsense"]).status.code(), Some(2));
    let output = temp.cleave(&["--place", "a1000"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("CLEAVE_SOFTGPU=a1000 makes no sense"));
    assert_eq!(temp.cleave(&["reset", "--place", "private"]).status.code(), Some(1));
}
