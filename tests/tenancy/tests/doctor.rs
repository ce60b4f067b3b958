//! `cleave doctor` finds what is wrong, and says what to do.
#![cfg(feature = "dist")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use cleave_tenancy::{Home, c_client, say, until};
use serde_json::Value;

/// Exit code and findings by name.
fn examine(command: &mut Command) -> (Option<i32>, Value) {
    let said = say(command.arg("--json"));
    let document: Value =
        serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error} in {said:?}"));
    let findings = document["findings"].as_array().expect("a list");
    for finding in findings {
        for part in ["severity", "id", "what"] {
            assert!(finding[part].as_str().is_some_and(|text| !text.is_empty()), "{finding}");
        }
    }
    assert_eq!(document["healthy"] == true, said.status.code() == Some(0), "{said:?}");
    (said.status.code(), document["findings"].clone())
}

fn ids(findings: &Value) -> Vec<&str> {
    findings
        .as_array()
        .expect("a list")
        .iter()
        .map(|finding| finding["id"].as_str().expect("a name"))
        .collect()
}

#[test]
fn a_sound_machine_is_healthy() {
    let home = Home::new();
    let (code, findings) = examine(&mut home.cleave(["doctor"]));
    assert_eq!(code, Some(0), "{findings}");
    assert!(ids(&findings).contains(&"no_node"), "{findings}");
    let said = say(&mut home.cleave(["doctor"]));
    assert!(said.status.success() && said.out.lines().any(|line| line.starts_with("note ")), "{said:?}");
    assert!(say(&mut home.run(["--mem", "256M"], "true")).status.success());
    let (code, findings) = examine(&mut home.cleave(["doctor"]));
    assert_eq!(code, Some(0), "with a daemon: {findings}");
    assert!(!ids(&findings).contains(&"no_node"), "{findings}");
}

#[test]
fn another_shim_is_a_problem() {
    let home = Home::new();
    let other = home.folder().join("libvgpu.so");
    fs::copy(home.dist().libcuda(), &other).unwrap();
    let (code, findings) = examine(home.cleave(["doctor"]).env("LD_PRELOAD", &other));
    assert_eq!(code, Some(1), "{findings}");
    assert!(ids(&findings).contains(&"another_shim"), "{findings}");
    let (code, findings) = examine(home.cleave(["doctor"]).env("LD_PRELOAD", "/no/such/libcleave.so"));
    assert_eq!(code, Some(1), "{findings}");
    assert!(ids(&findings).contains(&"shim_missing"), "{findings}");
}

#[test]
fn mps_is_seen() {
    let home = Home::new();
    let pipe = home.folder().join("mps");
    fs::create_dir(&pipe).unwrap();
    fs::write(pipe.join("control"), "").unwrap();
    let (_, findings) = examine(home.cleave(["doctor"]).env("CUDA_MPS_PIPE_DIRECTORY", &pipe));
    assert!(ids(&findings).contains(&"mps_left_over"), "{findings}");
}

#[test]
fn a_folder_others_can_write_to_is_a_problem() {
    let home = Home::new();
    fs::create_dir_all(home.node()).unwrap();
    assert!(Command::new("chmod").arg("777").arg(home.node()).status().unwrap().success());
    let (code, findings) = examine(&mut home.cleave(["doctor"]));
    assert_eq!(code, Some(1), "{findings}");
    let said = say(&mut home.run(["--mem", "256M"], "true"));
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    assert!(said.err.contains("chmod go-w"), "{said:?}");
}

#[test]
fn an_unmanaged_process_is_shown() {
    let home = Home::new();
    let mut tenant = home
        .run(["--mem", "1G"], c_client("tenant"))
        .arg("hold")
        .arg("1048576")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stranger = home
        .native(c_client("tenant"))
        .arg("hold")
        .arg("104857600")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    for child in [&mut tenant, &mut stranger] {
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "0\n");
    }
    let pid = stranger.id();
    until("the daemon to notice", Duration::from_secs(20), || {
        let status = home.status();
        let unmanaged = status["devices"][0]["unmanaged"].as_array()?;
        let managed = unmanaged.iter().any(|process| process["pid"] == tenant.id());
        assert!(!managed, "{status}");
        unmanaged.iter().any(|process| process["pid"] == pid).then_some(())
    });
    let said = say(&mut home.cleave(["ps"]));
    assert!(said.out.contains("UNMANAGED PID") && said.out.contains(&pid.to_string()), "{said:?}");
    let (_, findings) = examine(&mut home.cleave(["doctor"]));
    assert!(findings.to_string().contains(&pid.to_string()), "{findings}");
    for mut child in [tenant, stranger] {
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
    }
}
