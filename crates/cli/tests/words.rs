//! What is refused before anything is started: no daemon, no library, no device is needed for it.

use std::process::{Command, Output};

fn cleave(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cleave"));
    // Nothing may be found or made there.
    command
        .args(words)
        .env("CLEAVE_HOME", "/nonexistent/home")
        .env_remove("CLEAVE_TENANT")
        .env_remove("LD_PRELOAD");
    command.output().expect("cleave starts")
}

fn refused(words: &[&str], code: i32, part: &str) {
    let output = cleave(words);
    let reason = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {reason}");
    assert!(reason.contains(part), "{words:?}: {reason}");
    assert!(output.stdout.is_empty(), "{words:?}");
}

#[test]
fn amounts_that_make_no_sense() {
    for (amount, part) in [
        ("0", "no memory is no grant"),
        ("-1", "less than nothing"),
        ("2X", "X is no unit"),
        ("200%", "more than the whole device"),
        ("lots", "does not begin with a number"),
    ] {
        refused(&["run", "--mem", amount, "--", "true"], 2, part);
        refused(&["set", "tenant", "--mem", amount], 2, part);
        refused(&["grant", "--mem", amount, "--", "docker"], 2, part);
    }
    for compute in ["0", "101", "-3", "half"] {
        refused(&["run", "--compute", compute, "--", "true"], 2, "whole percent of the device");
    }
    refused(&["run", "--gpu", "0", "--", "true"], 2, "--gpu");
    refused(&["run", "--device", "0", "--", "true"], 2, "no UUID");
    refused(&["run", "--isolation", "hard", "--", "true"], 1, "--isolation hard is not there yet");
    refused(&["run", "--isolation", "magic", "--", "true"], 2, "magic");
    refused(&["run", "--mem", "1G"], 2, "PROGRAM");
    refused(&["run", "--memory", "1G", "--", "true"], 2, "--memory");
}

#[test]
fn programs_that_cannot_be_run() {
    refused(&["run", "--mem", "1G", "--", "no-such-program"], 127, "cannot find no-such-program");
    refused(&["run", "--mem", "1G", "--", "/no/such/program"], 127, "/no/such/program");
    refused(&["run", "--mem", "1G", "--", "/etc/passwd"], 126, "not executable");
    refused(&["run", "--mem", "1G", "--", "/"], 126, "it is a folder");
}

#[test]
fn container_engines_are_sent_to_grant() {
    for command in [
        &["docker", "run", "image"][..],
        &["sudo", "-E", "podman", "create", "image"],
        &["/usr/bin/nerdctl", "run", "i"],
    ] {
        let words: Vec<&str> =
            ["run", "--mem", "1G", "--"].into_iter().chain(command.iter().copied()).collect();
        refused(&words, 1, "make a grant with `cleave grant");
    }
    refused(&["grant", "--mem", "1G"], 1, "for which engine?");
    refused(&["grant", "--mem", "1G", "--", "lxc"], 2, "lxc");
}

#[test]
fn a_program_in_a_container_needs_no_run() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cleave"));
    command.args(["run", "--mem", "1G", "--", "true"]).env("CLEAVE_TENANT", "/run/cleave/tenant");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("has a grant already"));
}

#[test]
fn without_a_daemon_there_is_little_to_show() {
    let output = cleave(&["ps"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("no daemon runs at /nonexistent/home"));
    let document: serde_json::Value = serde_json::from_slice(&cleave(&["ps", "--json"]).stdout).unwrap();
    assert!(document["node"].is_null() && document["tenants"].as_array().unwrap().is_empty());
    let output = cleave(&["top", "--once"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("no daemon runs at /nonexistent/home"));
    refused(&["top"], 1, "the live view needs a terminal");
    refused(&["set", "train", "--mem", "1G"], 1, "no daemon runs");
    refused(&["set", "train"], 1, "nothing to set");
    refused(&["end", "train"], 1, "no daemon runs");
}

#[test]
fn the_manual_is_printed_or_written() {
    let page = cleave(&["man"]);
    assert!(page.status.success() && String::from_utf8_lossy(&page.stdout).contains("cleave"));
    let folder = std::env::temp_dir().join(format!("cleave-man-{}", std::process::id()));
    let written = cleave(&["man", folder.to_str().unwrap()]);
    assert!(written.status.success());
    assert!(folder.join("cleave.1").is_file() && folder.join("cleave-run.1").is_file());
    std::fs::remove_dir_all(folder).unwrap();
    let completions = cleave(&["completions", "bash"]);
    assert!(String::from_utf8_lossy(&completions.stdout).contains("_cleave"));
}

#[test]
fn a_library_is_located_as_a_program_would_find_it() {
    let output = cleave(&["preflight", "/no/such/libcleave.so", "libm.so.6", "libno-such.so.1"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && said.starts_with("libm.so.6=/") && said.lines().count() == 1,
        "{said}"
    );
}
