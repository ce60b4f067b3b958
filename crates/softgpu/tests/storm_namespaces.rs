//! Processes in namespaces of their own on one device, when its folder is visible there: pids, users, mounts and clocks differ.

#![allow(non_snake_case)]

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(unsafe_code, dead_code)]
mod storm_unsafe;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_device::{Machine, Request};
use storm_unsafe::process::{again, role, skipped};
use storm_unsafe::{Device, WRITE, until};

const NAME: &str = "processes_in_other_namespaces_share_the_device";
const CHUNK: u64 = 2 << 20;
/// Each sees another pid 1, another root, other mounts, and a clock shifted one way or the other.
const CELLS: [&[&str]; 2] = [
    &["unshare", "--user", "--map-root-user", "--pid", "--mount", "--time", "--monotonic", "90000", "--fork"],
    &["unshare", "--user", "--map-root-user", "--pid", "--mount", "--time", "--monotonic", "-15", "--fork"],
];

/// Takes memory, works, says what it sees, and stays until its standard input ends.
fn work(chunks: u64) {
    context();
    let write = kernel(WRITE, "write");
    let memory = memory((chunks * CHUNK) as usize);
    for round in 0..50 {
        assert_eq!(launch(write, 32, CUstream(0), &[memory.0, round]), CUDA_SUCCESS);
        assert_eq!(read_back::<u64>(memory, 1), [round]);
    }
    let machine = Machine::open(&Request::of_process().expect("settings")).expect("a device");
    let pids: Vec<u32> = machine.processes(0).iter().map(|process| process.pid).collect();
    let own = std::process::id();
    println!("\nsees {own} {} {} {pids:?}", machine.clock(0).now(), machine.device(0).uuid_text());
    let _ = std::io::stdin().read(&mut [0]);
}

/// A process in a cell that has come so far as to say what it sees: its own pid, the device's time, the rest.
struct Inmate {
    child: Child,
    own: String,
    time: u64,
    uuid: String,
    pids: String,
}

impl Inmate {
    fn start(cell: &[&str], device: &Device, chunks: u64) -> Inmate {
        let mut command = again(cell, NAME, &chunks.to_string(), device.folder());
        command.env("CLEAVE_SOFTGPU", device.folder()).env("CLEAVE_SOFTGPU_CONTEXT", "");
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("this test again");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let said = lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("sees "));
        let said = said.expect("it sees something");
        let mut words = said.splitn(5, ' ').skip(1).map(String::from);
        let mut word = || words.next().expect("a word");
        Inmate { own: word(), time: word().parse().expect("a time"), uuid: word(), pids: word(), child }
    }
}

#[test]
fn processes_in_other_namespaces_share_the_device() {
    if let Some((chunks, _)) = role() {
        return work(chunks.parse().expect("a number"));
    }
    let permitted = |cell: &&[&str]| {
        Command::new(cell[0])
            .args(&cell[1..])
            .arg("true")
            .output()
            .is_ok_and(|output| output.status.success())
    };
    if !CELLS.iter().all(permitted) {
        return skipped("a device in other namespaces", "unshare is not permitted here");
    }
    let device = Device::new("storm-namespaces", "memory = \"64M\"\ncontext = \"4M\"\n");
    let machine = device.machine();
    let started = machine.clock(0).now();
    let first = Inmate::start(CELLS[0], &device, 3);
    let between = machine.clock(0).now();
    let second = Inmate::start(CELLS[1], &device, 4);
    let ended = machine.clock(0).now();

    // One time for all, and each sees only itself by its pid.
    assert!((started..between).contains(&first.time) && (between..ended).contains(&second.time));
    assert_eq!((first.own.as_str(), second.own.as_str()), ("1", "1"));
    assert_eq!((first.pids.as_str(), second.pids.as_str()), ("[1]", "[0, 1]"));
    assert_eq!((&first.uuid, &first.uuid), (&second.uuid, &machine.device(0).uuid_text()));

    // From outside all of them are seen, and what they hold.
    let all = machine.processes(0);
    assert_eq!(all.iter().map(|process| process.memory / CHUNK).collect::<Vec<_>>(), [5, 6]);
    assert!(all.iter().all(|process| process.pid > 1), "seen from outside");
    assert_eq!(machine.memory(0).used, 11 * CHUNK);

    // Who dies in a cell is recovered from outside; the pid is good for that, it was the process's all along.
    let killed = Command::new("kill").args(["-9", &all[0].pid.to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    until("the first is dead", || machine.processes(0).len() == 1);
    assert_eq!(machine.memory(0).used, 6 * CHUNK);
    for mut inmate in [first, second] {
        drop(inmate.child.stdin.take());
        let _ = inmate.child.wait();
    }
    until("both are gone", || machine.memory(0).used == 0);
}
