//! A machine whose device is divided into instances: they are granted in its place, and each program is held to its own.
#![cfg(feature = "dist")]

use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use cleave_slot::Uuid;
use cleave_tenancy::{Home, c_client, c_library, say, until};

const PATIENCE: Duration = Duration::from_secs(30);
const MIB: u64 = 1 << 20;

const DIVIDED: &str = "GPU-11111111-1111-1111-1111-111111111111";
const WHOLE: &str = "GPU-22222222-2222-2222-2222-222222222222";
const SMALL: &str = "MIG-33333333-3333-5333-8333-333333333333";
const LARGE: &str = "MIG-44444444-4444-5444-8444-444444444444";

/// The folder of the vendor's libraries, which are one of ours under both names.
fn driver(home: &Home) -> PathBuf {
    let folder = home.folder().join("driver");
    std::fs::create_dir(&folder).expect("a folder for the driver");
    for name in ["libcuda.so.1", "libnvidia-ml.so.1"] {
        std::fs::copy(c_library("partitioned"), folder.join(name)).expect("the driver takes its place");
    }
    folder
}

fn lines(command: &mut Command) -> Vec<String> {
    let said = say(command);
    assert!(said.status.success(), "{said:?}");
    said.out.lines().map(str::to_owned).collect()
}

/// Case 14: the limit belongs to a device, and a program names instances as the driver lets it.
#[test]
fn case_14_a_limit_follows_its_instance() {
    let home = Home::new();
    let driver = driver(&home);
    let grants = [(WHOLE, 64), (SMALL, 96), (LARGE, 160)];
    let grants = grants.map(|(name, mib)| (name.parse::<Uuid>().expect("a name"), mib * MIB));
    let tenant = home.grant_of(&grants);
    let with = |visible: Option<&str>| {
        let mut command = tenant.command(c_client("instances"));
        command
            .env("LD_LIBRARY_PATH", &driver)
            .envs(visible.map(|visible| ("CUDA_VISIBLE_DEVICES", visible)));
        let mut lines = lines(&mut command);
        let cuda = lines.split_off(3);
        let shown = [format!("nvml {WHOLE} 64"), format!("nvml {SMALL} 96"), format!("nvml {LARGE} 160")];
        assert_eq!(lines, shown, "NVML does not look at the variable");
        cuda
    };
    let all = ["cuda 2222 64", "cuda 3333 96", "cuda 4444 160", "got 64 of 64"];
    assert_eq!(with(None), all);
    let large = ["cuda 4444 160", "got 160 of 160"];
    let older = format!("MIG-{DIVIDED}/5/1");
    for name in ["2", LARGE, "MIG-4", "mig-4444", &older, "mig-gpu-1111/5/1"] {
        assert_eq!(with(Some(name)), large, "{name}");
    }
    assert_eq!(with(Some("1,0")), ["cuda 3333 96", "cuda 2222 64", "got 96 of 96"]);
    // The device itself, an instance there is not, a name that several have.
    for none in [DIVIDED, "MIG-5", "MIG-", &format!("MIG-{DIVIDED}/1/1"), &format!("MIG-{WHOLE}/1/0"), "3"] {
        assert_eq!(with(Some(none)), ["cuInit 100"], "{none}");
    }
}

#[test]
fn instances_are_given_out_in_the_place_of_their_device() {
    let home = Home::new();
    let driver = driver(&home);
    let real = |mut command: Command| {
        command.env("LD_LIBRARY_PATH", &driver);
        command
    };
    let mut daemon =
        real(home.cleave(["node"])).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
    until("the daemon", PATIENCE, || UnixStream::connect(home.node().join("node.sock")).ok());
    let run = |words: &[&str]| real(home.run(words, c_client("instances")));
    let got = lines(&mut run(&["--device", SMALL, "--mem", "128M"]));
    assert_eq!(got, [&format!("nvml {SMALL} 128"), "cuda 3333 128", "got 128 of 128"]);

    // The fullest that fits: only the large instance has so much.
    assert_eq!(lines(&mut run(&["--mem", "1500M"]))[0], format!("nvml {LARGE} 1500"));
    let said = say(&mut run(&["--mem", "3G"]));
    assert!(!said.status.success() && said.err.contains("MIG-4444"), "the device had that much: {said:?}");
    let said = say(&mut run(&["--device", DIVIDED]));
    assert!(!said.status.success() && said.err.contains("is partitioned (MIG)"), "{said:?}");

    let doctor = say(&mut real(home.cleave(["doctor"]))).out;
    assert!(doctor.contains(&format!("{DIVIDED} is partitioned (MIG)")), "{doctor}");
    let devices = home.status()["devices"].as_array().expect("a list").clone();
    let names: Vec<&str> = devices.iter().filter_map(|device| device["uuid"].as_str()).collect();
    assert_eq!(names[..3], [SMALL, LARGE, WHOLE]);
    daemon.kill().and_then(|()| daemon.wait()).expect("ended");
}
