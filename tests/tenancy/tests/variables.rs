//! Limits that other schedulers write into a container's environment, and what a program may do with its visible devices.
#![cfg(feature = "dist")]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use cleave_tenancy::{Home, c_client, say};

const MIB: u64 = 1 << 20;

/// What the client found: its devices as (uuid, index, total), and the MiB it got of the first.
#[derive(Debug, PartialEq)]
struct Found {
    devices: Vec<(String, u64, u64)>,
    /// MiB that were free of the first when the client came.
    free: u64,
    got: u64,
}

/// A container with the shim in front of the software GPU: no tenant, only variables.
fn container(home: &Home, variables: &[(&str, &str)]) -> Command {
    let mut command = home.native(c_client("both"));
    command.env("LD_PRELOAD", home.dist().libcleave());
    command.env("CUDA_DEVICE_MEMORY_SHARED_CACHE", home.folder().join("vgpu.cache"));
    command.envs(variables.iter().copied());
    command
}

fn found(command: &mut Command) -> Found {
    let said = say(command);
    assert!(said.status.success() && said.err.is_empty(), "{said:?}");
    let lines: Vec<Vec<&str>> = said.out.lines().map(|line| line.split(' ').collect()).collect();
    let number = |line: &[&str], word: &str| -> u64 {
        let at =
            line.iter().position(|found| *found == word).unwrap_or_else(|| panic!("no {word} in {line:?}"));
        line[at + 1].parse().expect("a number")
    };
    let (mut devices, mut free) = (Vec::new(), 0);
    for line in lines.iter().filter(|line| line[0] == "device") {
        let total = number(line, "total");
        // Case 48: CUDA and NVML report the same.
        assert_eq!([number(line, "device-total"), number(line, "nvml-total")], [total, total], "{line:?}");
        assert_eq!(number(line, "free"), number(line, "nvml-free"), "{line:?}");
        free = number(line, "free") / MIB;
        devices.insert(0, (line[3].to_owned(), number(line, "index"), total / MIB));
    }
    let last = lines.last().expect("a last line");
    assert!(["0", "2"].contains(&last[3]), "the only refusal is out of memory: {last:?}");
    Found { devices, free, got: number(last, "got") }
}

/// A client that holds what it got until it is dropped.
struct Holder(Child);

impl Holder {
    fn start(mut command: Command) -> Holder {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
        let mut lines =
            BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
        let last = lines.find(|line| line.starts_with("got "));
        assert!(last.is_some(), "the client ended too early");
        Holder(child)
    }
}

impl Holder {
    fn kill(mut self) {
        self.0.kill().expect("killed");
        self.0.wait().expect("waited for");
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ended = self.0.wait();
    }
}

/// A context has its price on the device; what is left of the limit goes to allocations.
fn machine() -> Home {
    Home::with(&[("CLEAVE_SOFTGPU_DEVICES", "2"), ("CLEAVE_SOFTGPU_MEMORY", "512M")])
}

/// Case 14: the limit belongs to a device, whatever order a program puts its devices in.
#[test]
fn case_14_a_limit_follows_its_device() {
    let home = machine();
    let names: Vec<String> = home.devices().iter().map(|uuid| uuid.to_string()).collect();
    let limits = [("CUDA_DEVICE_MEMORY_LIMIT_0", "96m"), ("CUDA_DEVICE_MEMORY_LIMIT_1", "160m")];
    let (first, second) = ((names[0].clone(), 0, 96), (names[1].clone(), 1, 160));
    let with = |visible: Option<&str>| {
        let mut command = container(&home, &limits);
        if let Some(visible) = visible {
            command.env("CUDA_VISIBLE_DEVICES", visible);
        }
        found(&mut command)
    };
    assert_eq!(with(None).devices, [first.clone(), second.clone()]);
    for visible in ["1", &names[1], &names[1][..12], &names[1].to_lowercase().replace("gpu", "GPU")] {
        let found = with(Some(visible));
        assert_eq!(found.devices, std::slice::from_ref(&second), "{visible}");
        assert!(found.got > 96 && found.got <= 160, "{visible}: {} MiB", found.got);
    }
    let swapped = with(Some("1,0"));
    assert_eq!(swapped.devices, [second.clone(), first.clone()]);
    assert!(
        swapped.got > 96 && swapped.got <= 160,
        "the current device is the last one retained: {}",
        swapped.got
    );
    assert_eq!(with(Some("0,7,1")).devices, [first], "stops at the first that is none");

    // The scheduler's own order goes before the machine's.
    let mut command = container(&home, &limits);
    command.env("NVIDIA_VISIBLE_DEVICES", format!("{},{}", names[1], names[0]));
    command.env("CUDA_DEVICE_MEMORY_SHARED_CACHE", home.folder().join("other.cache"));
    assert_eq!(found(&mut command).devices, [(names[1].clone(), 0, 96), (names[0].clone(), 1, 160)]);
}

#[test]
fn a_container_shares_its_limit_and_cannot_switch_it_off() {
    let home = machine();
    let limit = [
        ("CUDA_DEVICE_MEMORY_LIMIT", "200m"),
        ("CUDA_DISABLE_CONTROL", "true"),
        ("CUDA_VISIBLE_DEVICES", "0"),
    ];
    let mut first = container(&home, &limit);
    first.args(["80", "stay"]);
    let first = Holder::start(first);
    let second = found(&mut container(&home, &limit));
    assert_eq!(second.devices[0].2, 200);
    assert!(second.got <= 120, "{} MiB beside 80", second.got);

    // Case 49: who raises its own variable raises nothing while others live.
    let mut raised = limit;
    raised[0].1 = "500m";
    assert_eq!(found(&mut container(&home, &raised)).devices[0].2, 200);
    // Case 34: a changed limit needs no file deleted. What the first held goes with it, though no node looks after the dead.
    first.kill();
    assert_eq!(found(&mut container(&home, &limit)).free, 200);
    assert_eq!(found(&mut container(&home, &raised)).devices[0].2, 500);
    let mut lowered = limit;
    lowered[0].1 = "0x64M";
    assert_eq!(found(&mut container(&home, &lowered)).devices[0].2, 100);
}

/// Case 49: a login, or a cleared environment, is held to what the container's first process was given.
#[test]
fn case_49_who_clears_the_variables_is_still_limited() {
    let home = machine();
    let script = r#"env -u CUDA_DEVICE_MEMORY_LIMIT -u CUDA_DEVICE_MEMORY_SHARED_CACHE "$0"; exit $?"#;
    let limit = [("CUDA_DEVICE_MEMORY_LIMIT", "200m"), ("CUDA_VISIBLE_DEVICES", "0")];
    let client = container(&home, &limit);
    let mut command = home.native("unshare");
    command.args(["--pid", "--fork", "--mount-proc", "sh", "-c", script]).arg(client.get_program());
    command.envs(client.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let said = say(&mut command);
    if said.err.contains("unshare") {
        println!("skipped: a container's first process (no right to make a pid namespace)");
        return;
    }
    assert!(said.out.contains(&format!(" total {} ", 200 * MIB)), "{said:?}");
    assert!(home.folder().join("vgpu.cache.cleave").is_dir(), "the container's own place");
}

#[test]
fn without_limits_everything_is_the_machines() {
    let home = machine();
    for nothing in [&[][..], &[("CUDA_DEVICE_MEMORY_LIMIT", "0"), ("CUDA_DEVICE_SM_LIMIT", "0")]] {
        let found = found(container(&home, nothing).arg("1"));
        assert_eq!(found.devices.iter().map(|device| device.2).collect::<Vec<_>>(), [512, 512], "case 45");
    }
    assert!(!home.folder().join("vgpu.cache.cleave").exists(), "nothing was made");
}

#[test]
fn a_variable_lowers_a_grant_and_never_raises_it() {
    let home = machine();
    let all = home.devices();
    let tenant = home.grant_of(&[(all[1], 128 * MIB)]);
    let with = |limit: &str| {
        let mut command = tenant.command(c_client("both"));
        command.env("CUDA_DEVICE_MEMORY_LIMIT", limit);
        found(&mut command)
    };
    for (limit, total) in [("0", 128), ("96m", 96), ("1g", 128)] {
        let found = with(limit);
        assert_eq!(found.devices, [(all[1].to_string(), 0, total)], "{limit}");
        assert!(found.got <= total, "{limit}: {found:?}");
    }
}

/// What the program puts into the variable are numbers of its grant.
#[test]
fn visible_devices_are_those_of_the_grant() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_DEVICES", "3")]);
    let all: Vec<String> = home.devices().iter().map(|uuid| uuid.to_string()).collect();
    let grants = [2, 0].map(|i: usize| (all[i].parse().expect("a UUID"), 128 * MIB));
    let tenant = home.grant_of(&grants);
    let client = |visible: Option<&str>| {
        let mut command = tenant.command(c_client("both"));
        command.arg("0").env_remove("CUDA_VISIBLE_DEVICES");
        command.envs(visible.map(|visible| ("CUDA_VISIBLE_DEVICES", visible)));
        command
    };
    let with = |visible: Option<&str>| {
        let names = found(&mut client(visible)).devices.into_iter().map(|device| device.0);
        names.map(|name| all.iter().position(|uuid| *uuid == name).expect("a device")).collect::<Vec<_>>()
    };
    assert_eq!(with(None), [2, 0]);
    assert_eq!(with(Some(&format!("{},{}", all[2], all[0]))), [2, 0]);
    assert_eq!(with(Some("0")), [2]);
    assert_eq!(with(Some("1")), [0]);
    assert_eq!(with(Some("1,0")), [0, 2]);
    assert_eq!(with(Some(&all[0])), [0]);
    // Another's device, a number that is none, nothing: what the driver says to a program without devices.
    for none in [&all[1], "2", ""] {
        let said = say(&mut client(Some(none)));
        assert_eq!((said.status.code(), said.out.as_str()), (Some(1), "cuInit: 100\n"), "{none:?}");
    }
}

#[test]
fn a_limit_that_is_none_gives_no_device() {
    let home = machine();
    let said = say(&mut container(&home, &[("CUDA_DEVICE_MEMORY_LIMIT_0", "plenty")]));
    assert_eq!((said.status.code(), said.out.as_str()), (Some(1), "nvmlInit_v2: 9\n"));
    assert!(
        said.err.contains("CUDA_DEVICE_MEMORY_LIMIT_0=plenty") && said.err.lines().count() == 1,
        "{said:?}"
    );
}
