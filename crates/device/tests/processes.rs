//! Several processes on one folder: races, kills, full file systems. The children are this very binary.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cleave_device::{Folder, Machine, Request};

const ROLE: &str = "CLEAVE_TEST_ROLE";
const FOLDER: &str = "CLEAVE_TEST_FOLDER";

/// What a child does. As a test of its own it does nothing.
#[test]
fn child() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let request = Request::folder(std::env::var(FOLDER).unwrap()).with("memory", "32M");
    let wait = || drop(std::io::stdin().read_to_end(&mut Vec::new()));
    match role.as_str() {
        // All at once, when the parent closes the pipe.
        "open" => {
            wait();
            say(&Machine::open(&request).unwrap().id().to_string());
        }
        "join" => {
            let machine = Machine::open(&request).unwrap();
            let member = machine.join("a child").unwrap();
            say(&member.record().get().to_string());
            wait();
        }
        "make and remove" => loop {
            Machine::open(&request).unwrap();
            Folder::find(&request).unwrap().remove().unwrap();
        },
        "join and die" => {
            let machine = Machine::open(&request).unwrap();
            loop {
                machine.join("dying").unwrap();
                machine.recover();
            }
        }
        "fail" => say(&Machine::open(&request).err().map_or("opened".into(), |error| error.to_string())),
        other => panic!("no role {other}"),
    }
}

/// A line for the parent, which the test harness does not swallow.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n>{line}").unwrap();
    out.flush().unwrap();
}

fn command(role: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--nocapture", "--test-threads=1"]).env(ROLE, role).env(FOLDER, folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn spawn(role: &str, folder: &Path) -> Child {
    command(role, folder).spawn().unwrap()
}

fn hear(out: &mut BufReader<ChildStdout>) -> String {
    let mut lines = out.lines().map_while(Result::ok);
    lines.find_map(|line| line.strip_prefix('>').map(String::from)).expect("a line from the child")
}

/// A folder of one test, removed afterwards with all that devices in it have elsewhere.
struct Temp(PathBuf);

impl Temp {
    fn under(parent: &str) -> Temp {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("cleave-processes-{}-{}", std::process::id(), NUMBER.fetch_add(1, Relaxed));
        let path = Path::new(parent).join(name);
        fs::create_dir(&path).unwrap();
        Temp(path)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = Folder::find(&Request::folder(&self.0)).unwrap().remove();
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A tmpfs, and what is usually a disk.
const PLACES: [&str; 2] = ["/dev/shm", env!("CARGO_TARGET_TMPDIR")];

fn names(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn of_many_that_make_a_device_at_once_one_does() {
    for place in PLACES {
        let temp = Temp::under(place);
        let mut children: Vec<Child> = (0..16).map(|_| spawn("open", &temp.0)).collect();
        children.iter_mut().for_each(|child| drop(child.stdin.take()));
        let ids: Vec<String> = children
            .iter_mut()
            .map(|child| {
                let id = hear(&mut BufReader::new(child.stdout.take().unwrap()));
                child.wait().unwrap();
                id
            })
            .collect();
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        assert_eq!(names(&temp.0), ["device"], "losers clean up");
    }
}

/// Makers and removers killed at any moment leave a folder in which the next one finds or makes a device, and no litter.
#[test]
fn makers_killed_at_any_moment_leave_a_usable_folder() {
    let mut random = std::process::id();
    for place in PLACES {
        let temp = Temp::under(place);
        for round in 0..40 {
            let mut children: Vec<Child> = (0..2).map(|_| spawn("make and remove", &temp.0)).collect();
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            std::thread::sleep(std::time::Duration::from_micros(u64::from(random >> 16) % 8000));
            for child in &mut children {
                child.kill().unwrap();
                let status = child.wait().unwrap();
                assert_eq!(status.signal(), Some(9), "round {round}: it failed by itself");
            }
        }
        // A device may be left, so that nothing was to be made and swept; remove it to see a making.
        Machine::open(&Request::folder(&temp.0)).unwrap();
        Folder::find(&Request::folder(&temp.0)).unwrap().remove().unwrap();
        Machine::open(&Request::folder(&temp.0)).unwrap();
        assert_eq!(names(&temp.0), ["device"]);
    }
}

#[test]
fn the_dead_are_recovered_and_the_living_are_not() {
    let temp = Temp::under("/dev/shm");
    let machine = Machine::open(&Request::folder(&temp.0).with("memory", "32M")).unwrap();
    let mut children: Vec<(Child, BufReader<ChildStdout>)> = (0..4)
        .map(|_| {
            let mut child = spawn("join", &temp.0);
            let out = BufReader::new(child.stdout.take().unwrap());
            (child, out)
        })
        .collect();
    let records: Vec<String> = children.iter_mut().map(|(_, out)| hear(out)).collect();
    let pids = |machine: &Machine| {
        let mut pids: Vec<u32> = machine.processes(0).iter().map(|process| process.pid).collect();
        pids.sort_unstable();
        pids
    };
    let mut all: Vec<u32> = children.iter().map(|(child, _)| child.id()).collect();
    all.sort_unstable();
    assert_eq!(pids(machine), all);
    assert!(machine.processes(0).iter().all(|process| process.name == "a child"));
    assert_eq!(machine.recover(), 0, "all of {records:?} live");

    for (child, _) in children.iter_mut().take(2) {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let mut left: Vec<u32> = children.iter().skip(2).map(|(child, _)| child.id()).collect();
    left.sort_unstable();
    assert_eq!(pids(machine), left, "seen before anyone recovers them");
    assert_eq!(machine.recover(), 2);
    assert_eq!(machine.recover(), 0, "once");
    assert_eq!(pids(machine), left);

    let ours = machine.join("the parent").unwrap();
    assert!(records[..2].contains(&ours.record().get().to_string()), "a free record is used again");
    for (mut child, _) in children {
        drop(child.stdin.take());
        child.wait().unwrap();
    }
    assert_eq!(machine.recover(), 2, "an orderly end is an end too");
    assert_eq!(pids(machine), [std::process::id()]);
}

/// Recoverers and joiners that are killed are followed by others; no record is lost.
#[test]
fn records_survive_kills_at_any_moment() {
    let temp = Temp::under("/dev/shm");
    let machine = Machine::open(&Request::folder(&temp.0).with("memory", "32M")).unwrap();
    let mut random = std::process::id();
    for _ in 0..40 {
        let mut children: Vec<Child> = (0..3).map(|_| spawn("join and die", &temp.0)).collect();
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        std::thread::sleep(std::time::Duration::from_micros(u64::from(random >> 16) % 8000));
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
    machine.recover();
    assert_eq!(machine.recover(), 0);
    assert_eq!(machine.processes(0).len(), 0);
    assert_eq!(machine.memory(0).used, 0);
    assert_eq!(machine.join("after").unwrap().record().get(), 1, "the first record is free again");
}

/// On a file system without room a device is refused with a reason, and nothing is left behind.
#[test]
fn a_full_file_system_is_an_error() {
    let temp = Temp::under("/dev/shm");
    let child = command("fail", &temp.0.join("full"));
    let mount = "mkdir \"$1\" && mount -t tmpfs -o size=256k none \"$1\" && shift && \"$@\" && ls -A \"$CLEAVE_TEST_FOLDER\"";
    let mut inside = Command::new("unshare");
    inside.args(["--user", "--map-root-user", "--mount", "sh", "-c", mount, "sh"]).arg(temp.0.join("full"));
    inside.arg(child.get_program()).args(child.get_args());
    inside.envs(child.get_envs().filter_map(|(name, value)| Some((name, value?)))).stdin(Stdio::null());
    let output = inside.output().expect("unshare runs");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if !output.status.success() && text.contains("unshare") {
        eprintln!("not tested, no namespaces here: {text}");
        return;
    }
    let answer = text.lines().find_map(|line| line.strip_prefix('>')).unwrap_or_else(|| panic!("{text}"));
    assert!(answer.contains("no space left") && answer.contains("make room"), "{answer}");
    assert!(!text.contains(".new-"), "{text}");
}
