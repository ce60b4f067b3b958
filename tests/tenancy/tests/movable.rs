//! Memory that can move: it is as any other, and it keeps every byte and every address when it does.
#![cfg(feature = "dist")]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use cleave_tenancy::{Granted, Home, c_client, say, until};

const MIB: u64 = 1 << 20;
const PATIENCE: Duration = Duration::from_secs(30);

/// A tenant whose memory can move.
fn movable<'a>(home: &'a Home, memory: u64) -> Granted<'a> {
    let tenant = home.grant(&[memory]);
    tenant.slots[0].make_movable();
    tenant
}

/// A client that computes until it is told to stop.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn start(tenant: &Granted<'_>, words: &[&str]) -> Client {
        let mut client = Client::spawn(tenant.command(c_client("movable")).args(words));
        assert_eq!(client.line(), "0");
        client
    }

    fn spawn(command: &mut Command) -> Client {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("its output"));
        Client { child, input, output: BufReader::new(output) }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("its output");
        line.trim_end().into()
    }

    /// Reads on until it has done so many rounds.
    fn rounds(&mut self, wanted: u32) {
        loop {
            let line = self.line();
            match line.parse::<u32>() {
                Ok(round) if round >= wanted => return,
                Ok(_) => {}
                Err(_) => panic!("it says {line:?}"),
            }
        }
    }

    /// Lets it come to its end, and gives the last thing it says.
    fn end(mut self) -> String {
        drop(self.input.take());
        let last = self.output.by_ref().lines().map_while(Result::ok).last().unwrap_or_default();
        assert!(self.child.wait().expect("it ends").success(), "{last}");
        last
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ended_is_fine = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Bytes of the device that nobody has, as one sees who is nobody's tenant.
fn free(home: &Home) -> u64 {
    let said = say(home.native(c_client("movable")).arg("free"));
    said.out.trim().parse().unwrap_or_else(|_| panic!("{said:?}"))
}

#[test]
fn every_kind_of_memory_works_as_ever() {
    let home = Home::new();
    let tenant = movable(&home, 64 * MIB);
    let said = say(tenant.command(c_client("movable")).arg("kinds"));
    assert!(said.status.success(), "{said:?}");
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
    assert_eq!(tenant.used(0), 0);
}

#[test]
fn memory_that_moves_while_it_is_computed_on_keeps_every_byte_and_address() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_MEMORY", "256M")]);
    let tenant = movable(&home, 96 * MIB);
    let slot = &tenant.slots[0];
    let mut client = Client::start(&tenant, &["stay", "16"]);
    let held = tenant.used(0);
    let resident = free(&home);
    let mut round = 1;
    for _ in 0..5 {
        slot.send(true);
        until("it to leave", PATIENCE, || slot.stay().away.then_some(()));
        assert_eq!(tenant.used(0), held, "what is charged stays");
        assert!(free(&home) >= resident + 16 * MIB, "the device has it back");
        slot.send(false);
        until("it to return", PATIENCE, || slot.stay().here.then_some(()));
        client.rounds(round + 2);
        round += 2;
    }
    assert!(slot.stay().moved >= 10 * 16 * MIB);
    assert_eq!(client.end(), "good");
    assert_eq!((tenant.used(0), slot.stay().movable), (0, 0));
}

#[test]
fn who_wants_memory_that_is_away_waits_for_it() {
    let home = Home::new();
    let tenant = movable(&home, 64 * MIB);
    let slot = &tenant.slots[0];
    slot.send(true);
    let mut command = tenant.command(c_client("movable"));
    let mut child =
        command.args(["hold", "8"]).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("started");
    until("it to wait", PATIENCE, || (slot.stay().wanting == 1).then_some(()));
    assert!(child.try_wait().expect("looked").is_none());
    assert_eq!(slot.stay().movable, 0);
    slot.send(false);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn killed_on_the_way_it_leaves_nothing_behind() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_MEMORY", "256M")]);
    let tenant = movable(&home, 128 * MIB);
    let whole = free(&home);
    let slot = &tenant.slots[0];
    for delay in 0..12 {
        let mut client = Client::start(&tenant, &["stay", "64"]);
        client.rounds(1);
        slot.send(true);
        // Each time a little later: over the copy, the unmapping, and when it is away.
        let start = std::time::Instant::now();
        while start.elapsed() < Duration::from_millis(3 * delay) {
            std::hint::spin_loop();
        }
        if delay % 2 == 1 {
            until("it to leave", PATIENCE, || slot.stay().away.then_some(()));
        }
        slot.send(false);
        drop(client);
        until("its memory to come back", PATIENCE, || (free(&home) == whole).then_some(()));
        assert_eq!(tenant.used(0), 0);
    }
}

/// What `cleave ps` shows of the only grant of a tenant.
fn grant(home: &Home, name: &str) -> serde_json::Value {
    let status = home.status();
    let tenants = status["tenants"].as_array().expect("tenants");
    let tenant = tenants.iter().find(|tenant| tenant["name"] == name);
    tenant.unwrap_or_else(|| panic!("no {name} in {status}"))["grants"][0].clone()
}

/// The client as a tenant of the daemon.
fn tenant(home: &Home, options: &str, words: &[&str]) -> Client {
    Client::spawn(home.run(options.split(' '), c_client("movable")).args(words))
}

#[test]
fn paused_to_the_host_it_leaves_the_device_and_resumed_it_goes_on() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_MEMORY", "256M")]);
    let mut client = tenant(&home, "--mem 96M --compute 50 --name moves --movable", &["stay", "16"]);
    let mut other = tenant(&home, "--mem 32M --compute 50 --name stays", &["hold", "8"]);
    assert_eq!((client.line(), other.line()), ("0".into(), "0".into()));
    client.rounds(2);
    let resident = free(&home);
    let refused = say(&mut home.cleave(["pause", "--to-host", "stays"]));
    assert!(!refused.status.success() && refused.err.contains("--movable"), "{refused:?}");
    for round in 0..2 {
        let said = say(&mut home.cleave(["pause", "--to-host", "--json", "moves"]));
        assert!(said.status.success() && said.out.contains("\"on_host\": true"), "{said:?}");
        assert!(free(&home) >= resident + 16 * MIB, "the device has it back");
        let now = grant(&home, "moves");
        assert_eq!((now["on_host"].as_bool(), now["paused"].as_bool()), (Some(true), Some(true)), "{now}");
        assert!(now["used"].as_u64() >= Some(16 * MIB), "its place in the book stays: {now}");
        let more = say(home.run(["--mem", "224M", "--compute", "1"], "true").stdin(Stdio::null()));
        assert!(!more.status.success(), "{more:?}");
        let said = say(&mut home.cleave(["resume", "moves"]));
        assert!(said.status.success(), "{said:?}");
        client.rounds(10 * (round + 1));
    }
    let now = grant(&home, "moves");
    assert_eq!((now["on_host"].as_bool(), now["paused"].as_bool()), (Some(false), Some(false)), "{now}");
    assert!(now["moved_bytes"].as_u64() >= Some(4 * 16 * MIB), "{now}");
    assert_eq!(client.end(), "good");
    other.end();
}

#[test]
fn tenants_that_do_not_fit_together_take_turns_and_lose_nothing() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_MEMORY", "128M")]);
    let words = ["phases", "64", "0"];
    let clients = ["a", "b", "c"]
        .map(|name| tenant(&home, &format!("--mem 70% --compute 30 --name {name} --oversubscribe"), &words));
    let moved = until("each to have moved", 4 * PATIENCE, || {
        let status = home.status();
        let moved: Vec<u64> = status["tenants"]
            .as_array()?
            .iter()
            .filter_map(|tenant| tenant["grants"][0]["moved_bytes"].as_u64())
            .collect();
        (moved.len() == 3 && moved.iter().all(|bytes| *bytes >= 128 * MIB)).then_some(moved)
    });
    let refused = say(&mut home.run(["--mem", "50%", "--compute", "1"], "true"));
    assert!(!refused.status.success(), "what is not oversubscribed has what is left: {refused:?}");
    for client in clients {
        assert_eq!(client.end(), "good", "after {moved:?}");
    }
}

#[test]
fn tenants_that_fit_together_are_never_moved() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_MEMORY", "256M")]);
    let mut clients = ["a", "b"].map(|name| {
        tenant(
            &home,
            &format!("--mem 40% --compute 40 --name {name} --oversubscribe"),
            &["phases", "64", "5"],
        )
    });
    for client in &mut clients {
        while client.line() != "3" {}
    }
    for name in ["a", "b"] {
        assert_eq!(grant(&home, name)["moved_bytes"].as_u64(), Some(0));
    }
    for client in clients {
        assert_eq!(client.end(), "good");
    }
}
