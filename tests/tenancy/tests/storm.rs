//! Thirty-two processes of one tenant that get and free memory at random under one quota, killed at random, with a daemon that
//! is killed as well: nobody ever has more than the quota, and in the end the ledger is what the living hold.
#![cfg(feature = "dist")]

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use cleave_slot::Slot;
use cleave_tenancy::{Home, c_client, until};

const MIB: u64 = 1 << 20;
const QUOTA: u64 = 512 * MIB;
const PROCESSES: usize = 32;
/// Of each process.
const OPERATIONS: u32 = 300;
const KILLS: u32 = 200;
/// The daemon is killed once for so many others.
const DAEMON: u32 = 50;
const PATIENCE: Duration = Duration::from_secs(120);

/// A process and the line it says in the end.
struct Member {
    child: Child,
    line: std::thread::JoinHandle<String>,
}

impl Member {
    fn start(mut command: Command) -> Member {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a process");
        let out = child.stdout.take().expect("its output");
        let line = std::thread::spawn(move || {
            let mut line = String::new();
            BufReader::new(out).read_line(&mut line).expect("a line or nothing");
            line
        });
        Member { child, line }
    }

    /// Kills it, which may already have said what it holds, or a failure.
    fn kill(mut self) {
        self.child.kill().expect("a signal");
        self.child.wait().expect("its end");
        let line = self.line.join().expect("a line");
        assert!(line.is_empty() || line.starts_with("held "), "{line}");
    }
}

fn daemon(home: &Home) -> Child {
    let child = home.cleave(["node"]).stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("a daemon");
    let place = cleave_node::Home::at(home.node());
    until("the daemon to answer", PATIENCE, || {
        let status = cleave_node::client::status(&place).ok()??;
        (status.node.pid == child.id()).then_some(())
    });
    child
}

fn end(child: &mut Child) {
    child.kill().expect("a signal");
    child.wait().expect("its end");
}

/// What `pid` has in its environment.
fn environment(pid: u32) -> Vec<(OsString, OsString)> {
    let bytes = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let pairs = bytes.split(|&byte| byte == 0).filter_map(|pair| {
        let at = pair.iter().position(|&byte| byte == b'=')?;
        Some((OsString::from_vec(pair[..at].to_vec()), OsString::from_vec(pair[at + 1..].to_vec())))
    });
    pairs.collect()
}

/// Ends the sampling, also where the test fails.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

#[test]
fn case_24_the_ledger_is_what_the_living_hold() {
    let home = Home::new();
    let mut node = daemon(&home);
    // The tenant lives as long as this one; the others join it by what they have in their environment.
    let mut keeper = home.run(["--mem", "512M", "--compute", "50"], "cat");
    let mut keeper = keeper.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a tenant");
    let tenant = until("the tenant", PATIENCE, || {
        let given = environment(keeper.id());
        given.iter().any(|(name, _)| name == "CLEAVE_TENANT").then_some(given)
    });
    let variable = |name: &str| tenant.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    let folder = PathBuf::from(variable("CLEAVE_TENANT").expect("a tenant's folder"));
    let slot = Slot::open(&folder.join("gpu0")).expect("its slot");
    assert_eq!(slot.memory(), QUOTA);

    let start = |program: &str, words: [&str; 2]| {
        let mut command = Command::new(c_client(program));
        command.env_clear().envs(tenant.iter().cloned()).args(words);
        Member::start(command)
    };
    let mut seed = 0;
    let mut join = || {
        seed += 1;
        start("crowd", [&seed.to_string(), &OPERATIONS.to_string()])
    };
    // What a context takes is not known before somebody had one; from then on it is charged like everything else.
    let mut first = start("tenant", ["hold", "2097152"]);
    let context = until("the size of a context to be learnt", PATIENCE, || {
        Some(slot.terms().context).filter(|&learnt| learnt > 0)
    });
    end(&mut first.child);
    until("the first to be forgotten", PATIENCE, || (slot.used() == 0).then_some(()));

    let over = AtomicBool::new(false);
    let (members, samples, most) = std::thread::scope(|scope| {
        let ending = Ending(&over);
        let sampler = scope.spawn(|| {
            let (mut samples, mut most) = (0_u64, 0);
            while !over.load(SeqCst) {
                most = slot.used().max(most);
                samples += 1;
                std::thread::sleep(Duration::from_micros(200));
            }
            (samples, most)
        });
        let mut members: Vec<Member> = (0..PROCESSES).map(|_| join()).collect();
        let mut dice = 0x5eed_u64;
        for kill in 1..=KILLS {
            dice = dice.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            std::thread::sleep(Duration::from_micros(dice >> 32 & 0x7fff));
            members.swap_remove((dice >> 33) as usize % PROCESSES).kill();
            members.push(join());
            if kill % DAEMON == 0 {
                end(&mut node);
                node = daemon(&home);
            }
        }
        // Those that are left do all their operations; that they end is that none of them hangs.
        until("all to have said what they hold", PATIENCE, || {
            members.iter().all(|member| member.line.is_finished()).then_some(())
        });
        drop(ending);
        let (samples, most) = sampler.join().expect("samples");
        (members, samples, most)
    });
    assert!(samples > 1000, "only {samples} samples");
    assert!(most <= QUOTA, "{most} bytes were in use at once");
    assert!(most > QUOTA / 2, "only {most} bytes were ever in use: this was no storm");

    let mut children = Vec::new();
    let mut holds = HashMap::new();
    for Member { child, line } in members {
        let line = line.join().expect("a line");
        let held = line.trim().strip_prefix("held ").and_then(|held| held.parse::<u64>().ok());
        holds.insert(child.id(), held.unwrap_or_else(|| panic!("said {line:?}")));
        children.push(child);
    }
    // Once the daemon has looked again, and found nothing besides.
    until("the ledger to be what the living hold", PATIENCE, || {
        let status = home.status();
        let grant = &status["tenants"][0]["grants"][0];
        let seats = slot.seats();
        let each =
            seats.iter().all(|seat| holds.get(&seat.pid).map(|held| held + context) == Some(seat.held));
        let sum = holds.values().map(|held| held + context).sum::<u64>();
        let besides = grant["overhead"].as_u64() == Some(0);
        (each
            && besides
            && seats.len() == PROCESSES
            && grant["used"].as_u64() == Some(sum)
            && slot.used() == sum)
            .then_some(())
    });

    children.iter_mut().for_each(end);
    until("nothing to be held by the dead", PATIENCE, || (slot.used() == 0).then_some(()));
    drop(keeper.stdin.take());
    assert!(keeper.wait().expect("its end").success());
    end(&mut node);
}
