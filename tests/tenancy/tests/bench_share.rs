//! `cleave bench share` tells a system that limits from one that does not, and says what went wrong where something did.
#![cfg(feature = "dist")]

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cleave_tenancy::{Home, Said, say};
use serde_json::Value;

/// Who measures time wants the machine for itself, as far as these tests are concerned.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A paced software GPU, as the bench wants it.
fn paced() -> Home {
    Home::with(&[("CLEAVE_SOFTGPU_PRESET", "paced")])
}

fn bench(home: &Home, words: &[&str]) -> Said {
    say(home.cleave(["bench", "share", "--device", "soft"]).args(words))
}

fn document(home: &Home, words: &[&str]) -> Value {
    let said = bench(home, &[words, &["--json", "-"]].concat());
    serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error} in {said:?}"))
}

/// A score of the document, by the beginning of its case's name.
fn score<'a>(document: &'a Value, case: &str) -> &'a Value {
    let scores = document["scores"].as_array().expect("scores");
    let found = scores.iter().find(|score| score["case"].as_str().is_some_and(|name| name.starts_with(case)));
    found.unwrap_or_else(|| panic!("no {case} in {document}"))
}

#[test]
fn a_run_without_limits_scores_badly() {
    let _alone = alone();
    let home = paced();
    let plot = home.folder().join("plot.svg");
    let words = [
        "--unmanaged",
        "--shares",
        "80,20",
        "--seconds",
        "3",
        "--case",
        "shares",
        "--plot",
        plot.to_str().unwrap(),
    ];
    let document = document(&home, &words);
    let share = score(&document, "shares in 1 s");
    assert_eq!(share["held"], false, "{document}");
    assert!(share["value"].as_f64().unwrap() > 20.0, "asked 80, got half: {share}");
    assert_eq!(score(&document, "shares in 0.1 s")["held"], false);
    for tenant in document["tenants"].as_array().unwrap() {
        let got = tenant["got"].as_f64().unwrap();
        assert!((40.0..55.0).contains(&got), "the device gives everybody the same: {tenant}");
    }
    let svg = fs::read_to_string(plot).unwrap();
    assert_eq!(svg.matches("stroke-dasharray").count(), 2, "{svg}");
}

#[test]
fn limits_are_seen_by_what_gets_done() {
    let _alone = alone();
    let home = paced();
    let document = document(&home, &["--shares", "80,20", "--seconds", "4", "--case", "shares"]);
    // Wide, because the machine is shared; still far from what nobody limits.
    for (tenant, asked) in document["tenants"].as_array().unwrap().iter().zip([80.0, 20.0]) {
        let got = tenant["got"].as_f64().unwrap();
        assert!((got - asked).abs() < 10.0, "asked {asked}: {document}");
    }
}

#[test]
fn a_command_that_fails_is_named_with_what_it_said() {
    let _alone = alone();
    let home = paced();
    let said = bench(
        &home,
        &[
            "--shares",
            "50,50",
            "--case",
            "shares",
            "--tenant-command",
            "echo no image {name} >&2; exit 7 # {worker}",
        ],
    );
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    assert!(said.err.contains("tenant a ended with exit status: 7"), "{said:?}");
    assert!(said.err.contains("no image a"), "{said:?}");
}

#[test]
fn another_systems_command_gets_what_was_asked() {
    let _alone = alone();
    let home = paced();
    let notes = home.folder().join("notes");
    let command = format!("echo {{name}} {{share}} {{policy}} >> {}; {{worker}}", notes.display());
    let words = [
        "--shares",
        "70,30",
        "--seconds",
        "2",
        "--case",
        "shares",
        "--policy",
        "fixed",
        "--tenant-command",
        &command,
    ];
    let document = document(&home, &words);
    assert_eq!(document["system"], command.as_str());
    let mut lines: Vec<String> = fs::read_to_string(notes).unwrap().lines().map(String::from).collect();
    lines.sort();
    lines.dedup();
    assert_eq!(lines, ["a 70 fixed", "b 30 fixed"]);
}

#[test]
fn a_device_that_is_not_paced_is_said() {
    let _alone = alone();
    let home = Home::new();
    let said = bench(&home, &["--unmanaged", "--shares", "50,50", "--seconds", "2", "--case", "shares"]);
    assert!(said.status.success(), "{said:?}");
    assert!(said.out.contains("this software GPU runs freely"), "{said:?}");
}

#[test]
fn nothing_is_left_behind() {
    let _alone = alone();
    let home = paced();
    // Without a home of its own the bench makes one, with a daemon, and takes both away.
    let mut command = home.cleave([
        "bench",
        "share",
        "--device",
        "soft",
        "--shares",
        "100",
        "--seconds",
        "2",
        "--case",
        "shares",
    ]);
    let child = command.env_remove("CLEAVE_HOME").stdout(Stdio::piped()).spawn().unwrap();
    let mark = format!("cleave-bench-{}", child.id());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let there = |folder: &Path| folder.join(&mark).exists();
    assert!(!there(Path::new("/dev/shm")) && !there(&std::env::temp_dir()));
    let daemons = fs::read_dir("/proc").unwrap().flatten();
    let mut environments =
        daemons.map(|process| fs::read(process.path().join("environ")).unwrap_or_default());
    assert!(
        !environments.any(|text| String::from_utf8_lossy(&text).contains(&mark)),
        "a process of {mark} lives on"
    );
    assert!(!home.node().exists(), "the other home was not used");
}
