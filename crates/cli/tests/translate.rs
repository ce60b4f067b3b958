//! `cleave translate` as people call it.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SLICE: &str = "kind: Pod\nmetadata: {name: a, namespace: team}\nspec:\n  containers:\n  - name: main\n    resources:\n      limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}\n";
const WHOLE: &str = "kind: Pod\nmetadata: {name: b}\nspec:\n  containers:\n  - {name: main, resources: {limits: {nvidia.com/gpu: 1}}}\n";

/// A folder that is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("cleave-translate-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn cleave(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cleave"));
    command.arg("translate").args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // One that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn standard_input_and_exit_codes() {
    let good = cleave(&["-"], SLICE);
    assert_eq!(good.status.code(), Some(0));
    assert!(stdout(&good).contains("gpu=1 memory=3000Mi compute=rest"));
    let refused = cleave(&[], WHOLE);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stdout(&refused).contains("refused: container main: nvidia.com/gpu belongs to"));
    assert_eq!(cleave(&["--dialect", "nvidia"], WHOLE).status.code(), Some(0));
    assert_eq!(cleave(&["--namespace", "default=nvidia"], WHOLE).status.code(), Some(0));
    let lost = SLICE.replace("namespace: team", "annotations: {hami.io/device-scoring-weights: slot=1}");
    assert_eq!(cleave(&["-"], &lost).status.code(), Some(3));
    let foreign = "kind: ResourceClaim\nmetadata: {name: n}\nspec: {devices: {requests: [{name: nic, deviceClassName: nic.example.com}]}}\n";
    let foreign = cleave(&["-o", "yaml", "-"], foreign);
    assert_eq!(foreign.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&foreign.stderr).contains("not ours: device class \"nic.example.com\""));
    assert_eq!(cleave(&["-"], "a: [").status.code(), Some(1));
    assert_eq!(cleave(&["--dialect", "klingon"], SLICE).status.code(), Some(1));
    assert_eq!(cleave(&["--no-such-flag"], SLICE).status.code(), Some(2));
}

#[test]
fn folders_without_links() {
    let folder = Folder::new("folder");
    folder.file("one.yaml", SLICE);
    folder.file("deep/two.json", "{\"kind\":\"List\",\"items\":[]}");
    folder.file("deep/three.yml", &SLICE.replace("name: a", "name: c"));
    folder.file("notes.txt", "not: [yaml");
    let outside = Folder::new("outside");
    let secret = outside.file("secret.yaml", &SLICE.replace("name: a", "name: secret"));
    std::os::unix::fs::symlink(&secret, folder.0.join("link.yaml")).unwrap();
    std::os::unix::fs::symlink(&outside.0, folder.0.join("linked")).unwrap();
    let output = cleave(&[text(&folder.0)], "");
    assert_eq!(output.status.code(), Some(0));
    let printed = stdout(&output);
    assert!(printed.contains("team/Pod/a") && printed.contains("team/Pod/c"), "{printed}");
    assert!(!printed.contains("secret"), "{printed}");
    assert_eq!(cleave(&[text(&folder.0.join("missing.yaml"))], "").status.code(), Some(1));
}

#[test]
fn yaml_and_json_are_whole_documents() {
    let two = format!("{SLICE}---\n{WHOLE}");
    let yaml = cleave(&["-o", "yaml"], &two);
    assert_eq!(yaml.status.code(), Some(1));
    assert!(stdout(&yaml).contains("cleave.io/memory: 3000Mi") && !stdout(&yaml).contains("gpumem"));
    assert!(String::from_utf8_lossy(&yaml.stderr).contains("refused: "));
    let again = cleave(&["-"], &stdout(&yaml));
    assert!(stdout(&again).contains("gpu=1 memory=3000Mi compute=rest"));
    let json: serde_json::Value = serde_json::from_slice(&cleave(&["--json"], &two).stdout).unwrap();
    assert_eq!(json["summary"]["understood"], 1);
    assert_eq!(json["summary"]["refused"], 1);
    assert_eq!(json["objects"][0]["pods"][0]["containers"][0]["ask"]["memory"]["limit"]["mib"], 3000);
    assert_eq!(json["objects"][1]["pods"][0]["refused"]["key"], "nvidia.com/gpu");
    let none: serde_json::Value = serde_json::from_slice(&cleave(&["--json"], "").stdout).unwrap();
    assert_eq!(none["summary"]["objects"], 0);
}

#[test]
fn names_cannot_move_the_cursor() {
    let odd = SLICE.replace("name: a,", "name: \"a\\e[2J\\u202e\",");
    let printed = stdout(&cleave(&["-"], &odd));
    assert!(!printed.contains('\u{1b}') && !printed.contains('\u{202e}'), "{printed:?}");
}
