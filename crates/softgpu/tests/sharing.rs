//! One device, several processes: what they hold together, and what becomes of it when they die.

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(unsafe_code, dead_code)]
mod host_unsafe;
#[allow(dead_code)]
mod peer;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use host_unsafe::*;
use peer::{Folder, Peer, hear, say};
use std::io::Write;
use std::process::Command;

const MIB: usize = 1 << 20;

fn alloc(bytes: usize) -> Result<CUdeviceptr, CUresult> {
    out(|dptr| Libcuda.cuMemAlloc_v2(dptr, bytes))
}

fn info() -> (usize, usize) {
    let mut total = 0;
    let free = out(|free| {
        total = out(|total| Libcuda.cuMemGetInfo_v2(free, total)).expect("information");
        CUDA_SUCCESS
    });
    (free.expect("information"), total)
}

/// Does what it is told, call by call; answers with what the driver answered.
fn obedient() {
    context();
    say("here");
    let mut held = Vec::new();
    loop {
        let line = hear();
        let (word, number) = line.split_once(' ').unwrap_or((&line, "0"));
        let number: usize = number.parse().expect("a number");
        match word {
            "alloc" => match alloc(number) {
                Ok(memory) => {
                    held.push((memory, number));
                    say(0);
                }
                Err(code) => say(code.0),
            },
            "free" => {
                let (memory, _) = held.remove(number);
                say(Libcuda.cuMemFree_v2(memory).0);
            }
            "fill" => {
                held.iter().for_each(|&(memory, bytes)| write(memory, &vec![number as u8; bytes]));
                say(0);
            }
            // How many of its bytes are not as given.
            "differ" => {
                let differ = |&(memory, bytes): &(CUdeviceptr, usize)| {
                    read_back::<u8>(memory, bytes).iter().filter(|&&b| b != number as u8).count()
                };
                say(held.iter().map(differ).sum::<usize>());
            }
            "info" => say(info().0),
            "context" => {
                say(out(|pctx| Libcuda.cuCtxCreate_v2(pctx, 0, CUdevice(0))).map_or_else(|c| c.0, |_| 0))
            }
            _ => return,
        }
    }
}

const OUT_OF_MEMORY: u64 = CUDA_ERROR_OUT_OF_MEMORY.0 as u64;

#[test]
fn neighbours_share_one_memory_to_the_chunk() {
    const NAME: &str = "neighbours_share_one_memory_to_the_chunk";
    if peer::acts(&[("obedient", obedient)]) {
        return;
    }
    let folder = Folder::new();
    let settings = [("CLEAVE_SOFTGPU_MEMORY", "64M"), ("CLEAVE_SOFTGPU_CONTEXT", "8M")];
    let start = || {
        let mut peer = Peer::start(NAME, "obedient", &folder, &settings);
        assert_eq!(peer.listen(), "here");
        peer
    };
    let mut a = start();
    assert_eq!(a.number("info"), 56 << 20, "a context costs what it costs");
    let mut b = start();
    assert_eq!(a.number("info"), 48 << 20);
    assert_eq!(a.number("alloc 20971520"), 0);
    assert_eq!((a.number("info"), b.number("info")), (28 << 20, 28 << 20));
    assert_eq!(b.number("alloc 29360129"), OUT_OF_MEMORY, "one byte more than there is");
    assert_eq!(b.number("alloc 29360128"), 0, "all there is");
    assert_eq!((a.number("alloc 1"), b.number("alloc 1")), (OUT_OF_MEMORY, OUT_OF_MEMORY));
    assert_eq!(a.number("context"), OUT_OF_MEMORY, "not even a context");
    // Killed, it leaves everything, at once.
    b.kill();
    assert_eq!(a.number("alloc 37748736"), 0);
    assert_eq!(a.number("info"), 0);
    a.kill();
    assert_eq!(start().number("info"), 56 << 20);
}

#[test]
fn memory_that_changes_hands_is_zero() {
    const NAME: &str = "memory_that_changes_hands_is_zero";
    if peer::acts(&[("obedient", obedient)]) {
        return;
    }
    let folder = Folder::new();
    let start = || {
        let mut peer = Peer::start(NAME, "obedient", &folder, &[("CLEAVE_SOFTGPU_MEMORY", "32M")]);
        assert_eq!(peer.listen(), "here");
        peer
    };
    let (mut a, mut b) = (start(), start());
    // Given back and kept warm; given back by the kernel at its death; both must not be seen by the next.
    assert_eq!(a.number("alloc 16777216"), 0);
    assert_eq!(a.number("alloc 16777216"), 0);
    assert_eq!(a.number("fill 7"), 0);
    assert_eq!(a.number("free 0"), 0);
    assert_eq!(b.number("alloc 16777216"), 0);
    assert_eq!(b.number("differ 0"), 0);
    assert_eq!(b.number("fill 9"), 0);
    assert_eq!(a.number("differ 7"), 0, "and nobody touches what is not his");
    a.kill();
    assert_eq!(b.number("alloc 16777216"), 0);
    let mut c = start();
    assert_eq!(b.number("free 0"), 0);
    assert_eq!(b.number("differ 0"), 0);
    assert_eq!(c.number("alloc 16777216"), 0);
    assert_eq!(c.number("differ 0"), 0);
}

/// Asks for its eighth again and again, and must always get it; then fights for more.
fn fighter() {
    context();
    say("here");
    let seed: u8 = hear().parse().expect("a number");
    for round in 0..200usize {
        let parts: Vec<CUdeviceptr> = (0..4)
            .map(|_| alloc(2 * MIB).unwrap_or_else(|code| panic!("it fits, but {code:?} in round {round}")))
            .collect();
        let mark = [seed; 64];
        parts.iter().for_each(|&part| write(part, &mark));
        // Ours alone, whoever else is at the brim.
        assert!(parts.iter().all(|&part| read_back::<u8>(part, 64) == mark));
        parts.iter().for_each(|&part| assert_eq!(Libcuda.cuMemFree_v2(part), CUDA_SUCCESS));
    }
    say("had my share");
    hear();
    let mut held: Vec<(CUdeviceptr, u8)> = Vec::new();
    for round in 0..400usize {
        match alloc((1 + (round * 7 + usize::from(seed)) % 9) * MIB) {
            Ok(memory) => {
                let mark = seed.wrapping_add(round as u8);
                write(memory, &[mark; 64]);
                held.push((memory, mark));
            }
            Err(code) => {
                assert_eq!(code, CUDA_ERROR_OUT_OF_MEMORY);
                for (memory, mark) in held.drain(..) {
                    assert_eq!(read_back::<u8>(memory, 64), [mark; 64]);
                    assert_eq!(Libcuda.cuMemFree_v2(memory), CUDA_SUCCESS);
                }
            }
        }
    }
    say("fought");
    hear();
}

#[test]
fn eight_at_the_brim_get_what_fits_and_nothing_more() {
    const NAME: &str = "eight_at_the_brim_get_what_fits_and_nothing_more";
    if peer::acts(&[("fighter", fighter), ("obedient", obedient)]) {
        return;
    }
    let folder = Folder::new();
    let settings = [("CLEAVE_SOFTGPU_MEMORY", "64M")];
    let mut fighters: Vec<Peer> = (0..8).map(|_| Peer::start(NAME, "fighter", &folder, &settings)).collect();
    fighters.iter_mut().for_each(|peer| assert_eq!(peer.listen(), "here"));
    fighters.iter_mut().enumerate().for_each(|(seed, peer)| peer.tell(seed));
    fighters.iter_mut().for_each(|peer| assert_eq!(peer.listen(), "had my share"));
    fighters.iter_mut().for_each(|peer| peer.tell("fight"));
    // Two of them die over it, in the middle of whatever they do.
    let mut last = Peer::start(NAME, "obedient", &folder, &settings);
    assert_eq!(last.listen(), "here");
    fighters.drain(..2).for_each(Peer::kill);
    fighters.iter_mut().for_each(|peer| assert_eq!(peer.listen(), "fought"));
    fighters.drain(..).for_each(Peer::kill);
    assert_eq!(last.number("info"), 64 << 20, "the dead hold nothing");
    assert_eq!(last.number(format_args!("alloc {}", 64 << 20)), 0);
}

/// Initialises, takes memory and forks: the child lives on.
fn parent() {
    context();
    alloc(20 * MIB).expect("memory");
    let child = fork_sleeper();
    say(child);
    hear();
}

#[test]
fn a_dead_process_is_dead_although_its_child_lives() {
    const NAME: &str = "a_dead_process_is_dead_although_its_child_lives";
    if peer::acts(&[("parent", parent), ("obedient", obedient)]) {
        return;
    }
    let folder = Folder::new();
    let settings = [("CLEAVE_SOFTGPU_MEMORY", "32M")];
    let mut a = Peer::start(NAME, "parent", &folder, &settings);
    let child: i32 = a.listen().parse().expect("a process");
    let mut b = Peer::start(NAME, "obedient", &folder, &settings);
    assert_eq!(b.listen(), "here");
    assert_eq!(b.number("info"), 12 << 20);
    a.kill();
    assert_eq!(b.number("info"), 32 << 20);
    assert!(kill(child), "the child was alive all the time");
}

/// Takes memory until there is none, and uses all of it.
fn greedy() {
    context();
    let mut held = Vec::new();
    let code = loop {
        match alloc(2 * MIB) {
            Ok(memory) => held.push(memory),
            Err(code) => break code,
        }
    };
    held.iter().for_each(|&memory| write(memory, &vec![5u8; 2 * MIB]));
    assert!(held.iter().all(|&memory| read_back::<u8>(memory, 2 * MIB).iter().all(|&b| b == 5)));
    // What was given back can be had again.
    let last = held.pop().expect("there was some");
    assert_eq!(Libcuda.cuMemFree_v2(last), CUDA_SUCCESS);
    assert!(alloc(2 * MIB).is_ok());
    say(format_args!("{} {} {}", code.0, held.len() + 1, info().0));
}

#[test]
fn a_full_tmpfs_is_out_of_memory_and_no_signal() {
    const NAME: &str = "a_full_tmpfs_is_out_of_memory_and_no_signal";
    if peer::acts(&[("greedy", greedy)]) {
        return;
    }
    // A mount namespace with a /dev/shm of 40 MiB, where the device says it has 256.
    let script = "mount -t tmpfs -o size=40m none /dev/shm && mkdir /dev/shm/gpu && exec \"$0\" \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "sh", "-c", script]);
    command.arg(std::env::current_exe().expect("a path"));
    command.args(["--exact", NAME, "--nocapture", "--test-threads=1"]);
    command.env("CLEAVE_TEST_ROLE", "greedy").env("CLEAVE_SOFTGPU", "/dev/shm/gpu");
    let settings = [("CLEAVE_SOFTGPU_MEMORY", "256M"), ("CLEAVE_SOFTGPU_CONTEXT", "0")];
    let mut peer = Peer::run(command, &settings);
    let Some(said) = peer.next() else {
        assert!(!may_mount(), "the process ended without an answer");
        // Past the capture of the test runner: a test that did not run must not look like one that did.
        let _ = writeln!(std::io::stdout(), "skipped: a full tmpfs: needs the right to mount one");
        return;
    };
    let numbers: Vec<u64> = said.split(' ').map(|n| n.parse().expect("a number")).collect();
    let [code, chunks, free] = numbers[..] else { panic!("{said}") };
    assert_eq!(code, OUT_OF_MEMORY);
    assert!((10..20).contains(&chunks), "{chunks} chunks of 40 MiB");
    assert_eq!(free, (256 << 20) - chunks * (2 << 20), "the device itself has room");
    assert!(peer.ends_well());
}

fn may_mount() -> bool {
    let script = "mount -t tmpfs none /dev/shm";
    let status = Command::new("unshare").args(["--mount", "sh", "-c", script]).status();
    status.is_ok_and(|status| status.success())
}

/// Says what initialisation answered.
fn starter() {
    say(Libcuda.cuInit(0).0);
}

#[test]
fn a_request_that_differs_and_a_damaged_folder_are_errors() {
    const NAME: &str = "a_request_that_differs_and_a_damaged_folder_are_errors";
    if peer::acts(&[("starter", starter)]) {
        return;
    }
    let folder = Folder::new();
    let start = |settings: &[(&str, &str)]| {
        let settings = [settings, &[("CLEAVE_LOG", "off")]].concat();
        Peer::start(NAME, "starter", &folder, &settings).listen()
    };
    let code = |code: CUresult| code.0.to_string();
    assert_eq!(start(&[("CLEAVE_SOFTGPU_MEMORY", "64M")]), code(CUDA_SUCCESS));
    assert_eq!(start(&[]), code(CUDA_SUCCESS));
    assert_eq!(start(&[("CLEAVE_SOFTGPU_MEMORY", "32M")]), code(CUDA_ERROR_INVALID_VALUE));
    assert_eq!(start(&[("CLEAVE_SOFTGPU_SMS", "many")]), code(CUDA_ERROR_INVALID_VALUE));
    let damage = |file: &std::path::Path| std::fs::write(file, b"not a device").expect("a file");
    walk(folder.path(), &damage);
    assert_eq!(start(&[]), code(CUDA_ERROR_SYSTEM_NOT_READY));
}

/// Every file called `control`.
fn walk(folder: &std::path::Path, found: &dyn Fn(&std::path::Path)) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.file_name().is_some_and(|name| name == "control") {
            found(&path);
        }
    }
}
