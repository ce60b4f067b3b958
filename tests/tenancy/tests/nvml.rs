//! NVML in a tenant: its devices, its memory, its processes, its load, and nothing of anybody else's.
#![cfg(feature = "dist")]

use std::collections::HashMap;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cleave_slot::{Slot, Uuid};
use cleave_tenancy::{Granted, Home, c_client, say, until};

const MIB: u64 = 1 << 20;

/// A machine with several devices.
fn machine(devices: u32) -> Home {
    Home::with(&[("CLEAVE_SOFTGPU_DEVICES", &devices.to_string())])
}

/// What the client prints in a mode, each line as its words.
fn view(command: &mut Command) -> Vec<Vec<String>> {
    let said = say(command);
    assert!(said.status.success() && said.err.is_empty(), "{said:?}");
    said.out.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
}

/// The line that begins with a word.
fn line<'a>(view: &'a [Vec<String>], word: &str) -> &'a [String] {
    view.iter().find(|line| line[0] == word).unwrap_or_else(|| panic!("no {word} in {view:?}"))
}

/// A line's numbers by the words before them.
fn numbers(line: &[String]) -> HashMap<&str, u64> {
    line.windows(2).filter_map(|pair| Some((pair[0].as_str(), pair[1].parse().ok()?))).collect()
}

fn nvml(tenant: &Granted, words: &[&str]) -> Vec<Vec<String>> {
    view(tenant.command(c_client("nvml")).args(words))
}

/// A process that stays until its input ends.
struct Holder(Child);

impl Holder {
    /// Starts `command`, which says on its first line that it is there.
    fn start(mut command: Command) -> Holder {
        use std::io::{BufRead, BufReader};
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        assert_eq!(line, "0\n", "the client holds memory");
        Holder(child)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ended = self.0.wait();
    }
}

#[test]
fn devices_are_those_of_the_grants_in_their_order() {
    let home = machine(3);
    let all = home.devices();
    let tenant = home.grant_of(&[(all[2], 64 * MIB), (all[0], 32 * MIB)]);
    let seen = nvml(&tenant, &["devices"]);
    assert_eq!(line(&seen, "count"), ["count", "2", "old", "0", "2"]);
    let uuid = |words: &[String]| words[7].parse::<Uuid>().expect("a UUID");
    let shown: Vec<_> = seen.iter().filter(|line| line[0] == "device").collect();
    assert_eq!(shown.iter().map(|line| uuid(line)).collect::<Vec<_>>(), [all[2], all[0]]);
    for (number, line) in shown.iter().enumerate() {
        assert_eq!(numbers(line)["index"], number as u64, "{line:?}");
        assert_eq!(&line[line.len() - 3..], ["old", "0", "1"], "the older function finds the same: {line:?}");
    }
    assert_eq!(line(&seen, "beyond"), ["beyond", "2"], "no third device");

    // Each name finds a device of the grant and no other.
    let native = view(home.native(c_client("nvml")).arg("devices"));
    for (machine, granted) in [(2, Some(0)), (0, Some(1)), (1, None)] {
        let words = native.iter().filter(|line| line[0] == "device").nth(machine).expect("a device");
        for (kind, at) in [("uuid", 7), ("serial", 9), ("pci", 11)] {
            let found = nvml(&tenant, &["find", kind, &words[at]]);
            let expected =
                granted.map_or(["6".to_owned(), "99".to_owned()], |i: u32| ["0".to_owned(), i.to_string()]);
            assert_eq!(line(&found, "found")[1..], expected, "{kind} of device {machine}");
        }
    }
}

/// Case 44 and 48: total is the grant's, nothing underflows, sums hold.
#[test]
fn cases_44_48_memory_is_the_grants() {
    let home = Home::new();
    let all = home.devices();
    let tenant = home.grant_of(&[(all[0], 64 * MIB)]);
    let figures = || {
        let seen = nvml(&tenant, &["memory"]);
        assert_eq!(line(&seen, "memory2-version"), ["memory2-version", "25", "null", "2"]);
        let (one, two) = (numbers(line(&seen, "memory")), numbers(line(&seen, "memory2")));
        assert_eq!(one["used"] + one["free"], one["total"], "{one:?}");
        assert_eq!(two["used"] + two["free"] + two["reserved"], two["total"], "{two:?}");
        assert_eq!((one["total"], one["free"]), (two["total"], two["free"]));
        (two["total"], two["used"], two["free"])
    };
    assert_eq!(figures(), (64 * MIB, 0, 64 * MIB));
    let seat = Slot::open(&tenant.folder().join("gpu0")).and_then(|slot| slot.join("test")).expect("a seat");
    seat.charge(24 * MIB).expect("fits");
    assert_eq!(figures(), (64 * MIB, 24 * MIB, 40 * MIB));
    tenant.slots[0].set_memory(16 * MIB);
    assert_eq!(figures(), (16 * MIB, 16 * MIB, 0), "below what is held");
    tenant.slots[0].set_memory(1 << 50);
    assert_eq!(figures().0, 4 << 30, "no more than the device has");
}

/// Free memory that others have taken is not free, whatever the grant says.
#[test]
fn free_is_what_the_device_still_has() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_MEMORY", "256M")]);
    let all = home.devices();
    let tenant = home.grant_of(&[(all[0], 200 * MIB)]);
    let mut other = home.native(c_client("tenant"));
    other.args(["hold", &(128 * MIB).to_string()]);
    let _other = Holder::start(other);
    let seen = nvml(&tenant, &["memory"]);
    let two = numbers(line(&seen, "memory2"));
    assert_eq!((two["total"], two["used"]), (200 * MIB, 0));
    assert!(two["free"] <= 128 * MIB, "{two:?}");
    assert_eq!(two["used"] + two["free"] + two["reserved"], two["total"], "{two:?}");
}

/// Case 47: exactly the tenant's processes, in every generation of the list.
#[test]
fn case_47_processes_are_the_tenants() {
    let home = Home::new();
    let all = home.devices();
    let tenant = home.grant_of(&[(all[0], 64 * MIB)]);
    let mut other = home.native(c_client("tenant"));
    other.args(["hold", &(8 * MIB).to_string()]);
    let other = Holder::start(other);

    let seen = nvml(&tenant, &["processes"]);
    assert!(seen.iter().filter(|line| line[0] == "list").all(|line| line[2..] == ["0", "0"]), "{seen:?}");
    assert_eq!(line(&seen, "without-room"), ["without-room", "0", "0"]);

    let seat = Slot::open(&tenant.folder().join("gpu0")).and_then(|slot| slot.join("test")).expect("a seat");
    seat.charge(24 * MIB).expect("fits");
    let me = format!("{}:{}", std::process::id(), 24 * MIB);
    let seen = nvml(&tenant, &["processes"]);
    for form in ["", "_v2", "_v3"] {
        let compute = format!("nvmlDeviceGetComputeRunningProcesses{form}");
        let list = |name: &str| {
            seen.iter().find(|line| line[0] == "list" && line[1] == name).expect("a list")[2..].to_vec()
        };
        assert_eq!(list(&compute), ["0", "1", &me]);
        for kind in ["Graphics", "MPSCompute"] {
            assert_eq!(list(&format!("nvmlDeviceGet{kind}RunningProcesses{form}")), ["0", "0"]);
        }
    }
    assert_eq!(line(&seen, "without-room"), ["without-room", "7", "1"], "the room that is needed");
    assert_eq!(line(&seen, "room-for-one"), ["room-for-one", "0", "1"]);
    assert_eq!(line(&seen, "null-room"), ["null-room", "2"]);
    assert_eq!(line(&seen, "null-count"), ["null-count", "2"]);
    assert_eq!(line(&seen, "details"), ["details", "0", "1"]);

    let name = |pid: u32| nvml(&tenant, &["name", &pid.to_string()]).swap_remove(0);
    assert_eq!(name(std::process::id())[1], "0");
    assert_eq!(name(other.0.id())[1], "6", "others have no name here");
    drop(other);
}

/// 100 % is all of the share; what others do does not show.
#[test]
fn load_is_that_of_the_share() {
    let home = Home::new();
    let all = home.devices();
    let tenant = home.grant_of(&[(all[0], 256 * MIB)]);
    let idle = home.grant_of(&[(all[0], 256 * MIB)]);
    tenant.slots[0].set_compute(50);
    let mut busy = tenant.command(c_client("busy"));
    busy.env("CLEAVE_SOFTGPU_WORKERS", "1");
    let busy = Holder::start(busy);

    let machine = until("the device is busy", Duration::from_secs(30), || {
        let seen = view(home.native(c_client("nvml")).arg("load"));
        line(&seen, "rates")[2].parse().ok().filter(|&load: &u64| load >= 20)
    });
    let seen = nvml(&tenant, &["load"]);
    let own: u64 = line(&seen, "rates")[2].parse().expect("a number");
    assert!(own <= 100 && own >= machine.min(40), "{own} of the share, {machine} of the device");
    let most: u64 = line(&seen, "samples")[4].parse().expect("a number");
    let governor: u64 = line(&seen, "states")[2].parse().expect("a number");
    assert!((1..=100).contains(&most) && (1..=100).contains(&governor), "{seen:?}");
    let processes = line(&seen, "processes");
    assert!(processes[1] == "0" && processes[2].starts_with(&format!("{}:", busy.0.id())), "{processes:?}");

    let seen = nvml(&idle, &["load"]);
    assert_eq!(line(&seen, "rates")[1..3], ["0", "0"], "another tenant's work is not ours");
    assert_eq!(line(&seen, "processes")[1], "6", "no sample of ours");
    assert_eq!(line(&seen, "states"), ["states", "0", "0"]);
    assert_eq!(line(&seen, "samples"), ["samples", "0", "1", "most", "0"]);
}

/// A tenant whose grants cannot be read has no driver, and one line says why.
#[test]
fn without_grants_there_is_no_driver() {
    let home = Home::new();
    let mut command = home.native(c_client("nvml"));
    command.arg("devices").env("LD_PRELOAD", home.dist().libcleave()).env("CLEAVE_TENANT", "/nowhere");
    let said = say(&mut command);
    assert_eq!((said.status.code(), said.out.as_str()), (Some(2), "no NVML: 9\n"));
    assert!(said.err.lines().count() == 1 && said.err.contains("/nowhere"), "{said:?}");
}

/// nvidia-smi in all the ways people run it: the grant, the tenant's processes, sane numbers.
#[test]
fn nvidia_smi_shows_the_grant() {
    let Some(smi) = std::env::var_os("CLEAVE_NVIDIA_SMI") else {
        println!("skipped: nvidia-smi in a tenant (CLEAVE_NVIDIA_SMI names none)");
        return;
    };
    let home = machine(2);
    let all = home.devices();
    let tenant = home.grant_of(&[(all[1], 640 * MIB)]);
    let mut other = home.native(c_client("tenant"));
    other.args(["hold", &(8 * MIB).to_string()]).env("CUDA_VISIBLE_DEVICES", "1");
    let other = Holder::start(other);
    let seat = Slot::open(&tenant.folder().join("gpu0")).and_then(|slot| slot.join("test")).expect("a seat");
    seat.charge(24 * MIB).expect("fits");

    let run = |words: &[&str]| {
        let said = say(tenant.command(&smi).args(words));
        assert!(said.status.success() && said.err.is_empty(), "{words:?}: {said:?}");
        said.out
    };
    let query =
        ["--query-gpu=index,uuid,memory.total,memory.used,memory.free", "--format=csv,noheader,nounits"];
    assert_eq!(run(&query), format!("0, {}, 640, 24, 616\n", all[1]));
    let list = run(&["-L"]);
    assert!(list.lines().count() == 1 && list.contains(&all[1].to_string()), "{list}");
    let (me, them) = (std::process::id().to_string(), other.0.id().to_string());
    let apps = run(&["--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"]);
    assert_eq!(apps, format!("{me}, 24\n"));
    for words in [&[][..], &["-q"], &["pmon", "-c", "1"]] {
        let text = run(words);
        let shows = |pid: &String| text.split_whitespace().any(|word| word == pid);
        assert!(shows(&me) || words.first() == Some(&"pmon"), "{words:?}: {text}");
        assert!(!shows(&them), "{words:?}: {text}");
    }
    let screen = run(&[]);
    assert!(screen.contains("24MiB /   640MiB"), "{screen}");
}
