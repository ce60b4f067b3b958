//! What a daemon gives, to whom, and what it says when it does not: amounts, devices, the queue, strangers, nested runs.
#![cfg(feature = "dist")]
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use cleave_tenancy::{Home, Said, c_client, say, until};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(30);
const MIB: u64 = 1 << 20;

/// A program that holds device memory until it is told to end.
struct Holder {
    child: Child,
    /// Closed to end it.
    input: Option<ChildStdin>,
    /// Kept open: a program that cannot write would end for that.
    output: BufReader<ChildStdout>,
    /// What the driver said to its allocation.
    answer: String,
}

impl Holder {
    fn start(command: &mut Command, bytes: u64) -> Holder {
        command.args(["hold", &bytes.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        Holder { child, input, output, answer: answer.trim_end().into() }
    }

    fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
        drop(self.output);
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn hold(home: &Home, words: &[&str], bytes: u64) -> Holder {
    Holder::start(&mut home.run(words, c_client("tenant")), bytes)
}

fn take(home: &Home, words: &[&str], bytes: u64) -> Said {
    say(home.run(words, c_client("tenant")).args(["take", &bytes.to_string()]))
}

fn tenants(status: &Value) -> &Vec<Value> {
    status["tenants"].as_array().unwrap()
}

fn named<'a>(status: &'a Value, name: &str) -> &'a Value {
    let found = tenants(status).iter().find(|tenant| tenant["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {status}"))
}

/// What a context takes is not known before there was one, and is not free all the same.
#[test]
fn the_first_context_on_a_device_is_charged_before_anything_else_is_made() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_CONTEXT", "64M")]);
    let words = ["--mem", "512M", "--compute", "10"];
    assert_eq!(take(&home, &words, 480 << 20).out, "2\n", "64 MiB of 512 are gone");
    assert_eq!(take(&home, &words, 440 << 20).out, "0\n");
}

#[test]
fn a_grant_that_does_not_fit_says_what_is_free_where() {
    let home = Home::new();
    let first = hold(&home, &["--mem", "3G", "--compute", "70"], MIB);
    assert_eq!(first.answer, "0");
    let said = take(&home, &["--mem", "2G"], MIB);
    assert!(!said.status.success() && said.out.is_empty(), "{said:?}");
    for part in ["no device has 2.0 GiB free", "has 1.0 GiB of 4.0 GiB free", "30 % compute", "--wait"] {
        assert!(said.err.contains(part), "{part}: {said:?}");
    }
    let said = take(&home, &["--mem", "512M", "--compute", "31"], MIB);
    assert!(said.err.contains("512 MiB and 31 % compute free"), "{said:?}");
    let said = take(&home, &["--mem", "5G"], MIB);
    assert!(said.err.contains("no device is that large"), "{said:?}");
    assert_eq!(take(&home, &["--mem", "25%", "--compute", "30"], MIB).out, "0\n");
    first.end();
}

#[test]
fn several_devices_are_several_grants() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_DEVICES", "3"), ("CLEAVE_SOFTGPU_MEMORY", "2G")]);
    let both = hold(&home, &["--name", "both", "--gpu", "2", "--mem", "1536M"], 1024 * MIB);
    assert_eq!(both.answer, "0");
    let status = home.status();
    let grants = named(&status, "both")["grants"].as_array().unwrap();
    assert_eq!(grants.len(), 2);
    assert_ne!(grants[0]["device"], grants[1]["device"]);
    assert_eq!(grants[0]["memory"], 1536 * MIB);
    // What fits best on a half-empty device goes there, and the empty one stays whole.
    let small = hold(&home, &["--name", "small", "--mem", "512M", "--compute", "10"], MIB);
    let status = home.status();
    let device = &named(&status, "small")["grants"][0]["device"];
    assert!(grants.iter().any(|grant| grant["device"] == *device), "{status}");
    let free: Vec<u64> =
        status["devices"].as_array().unwrap().iter().map(|device| device["free"].as_u64().unwrap()).collect();
    assert!(free.contains(&(2048 * MIB)), "{free:?}");
    let uuid = device.as_str().unwrap().to_string();
    let said = take(&home, &["--mem", "1G", "--device", &uuid], MIB);
    assert!(said.err.contains("no device has 1.0 GiB free"), "{said:?}");
    let said = take(&home, &["--mem", "1G", "--gpu", "2"], MIB);
    assert!(said.err.contains("fewer than 2 devices have 1.0 GiB free"), "{said:?}");
    both.end();
    small.end();
}

#[test]
fn who_waits_is_served_in_order_and_who_goes_away_is_dropped() {
    let home = Home::new();
    let first = hold(&home, &["--mem", "3G"], MIB);
    let wait = |name: &str, mem: &str| {
        let mut run =
            home.run(["--name", name, "--mem", mem, "--compute", "1", "--wait"], c_client("tenant"));
        let run = run.args(["hold", "1"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = run.spawn().unwrap();
        let queued = || {
            let status = home.status();
            let names = status["waiting"].as_array().unwrap().iter().map(|waiter| waiter["name"].clone());
            names.collect::<Vec<_>>().contains(&name.into()).then_some(())
        };
        until("it to stand in line", PATIENCE, queued);
        child
    };
    let mut gone = wait("gone", "4G");
    let second = wait("second", "2G");
    let third = wait("third", "1G");
    gone.kill().unwrap();
    gone.wait().unwrap();
    // The third would have fitted all the time, but comes after the second, which does not fit yet.
    until("the one that went away to be dropped", PATIENCE, || {
        (home.status()["waiting"].as_array()?.len() == 2).then_some(())
    });
    assert_eq!(tenants(&home.status()).len(), 1);
    first.end();
    let mut started: Vec<Child> = vec![second, third];
    until("both to be served", PATIENCE, || (tenants(&home.status()).len() == 2).then_some(()));
    assert_eq!(home.status()["waiting"].as_array().unwrap().len(), 0);
    for child in &mut started {
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn limits_change_while_a_tenant_runs() {
    let home = Home::new();
    let run = hold(&home, &["--name", "live", "--mem", "2G"], 1024 * MIB);
    assert_eq!(run.answer, "0");
    let said = say(&mut home.cleave(["set", "live", "--mem", "512M"]));
    assert!(said.status.success(), "{said:?}");
    let status = home.status();
    let grant = &named(&status, "live")["grants"][0];
    assert_eq!(grant["memory"], 512 * MIB);
    assert!(grant["used"].as_u64().unwrap() >= 1024 * MIB, "it keeps what it has: {grant}");
    assert_eq!(grant["free"], 0);
    let device = &status["devices"][0];
    assert!(device["free"].as_u64().unwrap() <= 3072 * MIB, "what it keeps is not granted again: {device}");
    let said = say(&mut home.cleave(["set", "live", "--mem", "5G"]));
    assert!(!said.status.success() && said.err.contains("no device is that large"), "{said:?}");
    run.end();
}

/// Case 29: tenants that start together are not taken for each other.
#[test]
fn case_29_processes_are_shown_under_the_tenant_they_are_of() {
    let home = Home::new();
    let sizes: Vec<u64> = (1..=8).map(|n| n * 16 * MIB).collect();
    let holders: Vec<Holder> = std::thread::scope(|scope| {
        let start = |size: u64| {
            let home = &home;
            scope.spawn(move || {
                hold(home, &["--name", &format!("of-{size}"), "--mem", "400M", "--compute", "5"], size)
            })
        };
        let starts: Vec<_> = sizes.iter().map(|size| start(*size)).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    let status = home.status();
    for (size, holder) in sizes.iter().zip(&holders) {
        let tenant = named(&status, &format!("of-{size}"));
        let processes = tenant["grants"][0]["processes"].as_array().unwrap();
        assert_eq!(processes.len(), 1, "{tenant}");
        assert_eq!(processes[0]["pid"], holder.child.id(), "{tenant}");
        assert_eq!(tenant["pid"], holder.child.id(), "the program is the process that was started");
        assert!(processes[0]["held"].as_u64().unwrap() >= *size, "{tenant}");
    }
    assert_eq!(status["devices"][0]["unmanaged"], Value::Array(Vec::new()), "{status}");
    holders.into_iter().for_each(Holder::end);
}

/// A pid that holds device memory without a record is shown, and what it holds is not granted.
#[test]
fn what_strangers_hold_is_not_granted() {
    let home = Home::new();
    let stranger = Holder::start(&mut home.native(c_client("tenant")), 1024 * MIB);
    assert_eq!(stranger.answer, "0");
    let said = take(&home, &["--mem", "3584M"], MIB);
    assert!(!said.status.success() && said.err.contains("held by unmanaged processes"), "{said:?}");
    let keeper = hold(&home, &["--mem", "1G"], MIB);
    let status = home.status();
    let seen = &status["devices"][0]["unmanaged"][0];
    assert_eq!(seen["pid"], stranger.child.id(), "{status}");
    assert!(seen["memory"].as_u64().unwrap() >= 1024 * MIB, "{status}");
    let said = say(&mut home.cleave(["doctor"]));
    assert!(said.out.contains(&stranger.child.id().to_string()), "{said:?}");
    stranger.end();
    until("it to be forgotten", PATIENCE, || {
        home.status()["devices"][0]["unmanaged"].as_array()?.is_empty().then_some(())
    });
    keeper.end();
}

/// Case 49: a tenant that takes the library out of its environment, and goes to the driver itself, is seen.
#[test]
fn case_49_a_program_that_slips_out_is_visible() {
    let home = Home::new();
    let mut run = home.run(["--mem", "256M"], "env");
    let driver = format!("LD_LIBRARY_PATH={}", home.dist().softgpu().display());
    let loose = Holder::start(run.args(["-u", "LD_PRELOAD", &driver]).arg(c_client("tenant")), 1024 * MIB);
    assert_eq!(loose.answer, "0", "nothing stops it");
    let pid =
        until("it to be seen", PATIENCE, || home.status()["devices"][0]["unmanaged"][0]["pid"].as_u64());
    assert_eq!(pid, u64::from(loose.child.id()));
    let status = home.status();
    assert_eq!(tenants(&status)[0]["shim"], "not_seen");
    assert!(status["devices"][0]["free"].as_u64().unwrap() <= (4096 - 256 - 1024) * MIB, "{status}");
    loose.end();
}

#[test]
fn a_nested_run_takes_from_the_grant_around_it() {
    let home = Home::new();
    let cleave = home.dist().cleave();
    let nested = |outer: &[&str], inner: &str, bytes: u64| {
        let script = format!(
            "\"$1\" run {inner} --name inner -- \"$2\" take {bytes}; \"$1\" ps --json >\"$3\"; exec \"$2\" info"
        );
        let shown = home.folder().join("shown");
        let mut run = home.run([&["--name", "outer"], outer].concat(), "sh");
        let said = say(run.args(["-c", &script, "sh"]).arg(&cleave).arg(c_client("tenant")).arg(&shown));
        let status: Value = serde_json::from_slice(&std::fs::read(shown).unwrap()).unwrap();
        (said, status)
    };
    let (said, status) = nested(&["--mem", "1G", "--compute", "40"], "--mem 50% --compute 50", 600 * MIB);
    assert!(said.out.starts_with("2\n0 1073741824 "), "half of 1 GiB has no room for 600 MiB: {said:?}");
    assert!(status["devices"][0]["free"].as_u64().unwrap() >= 3072 * MIB, "{status}");
    let (said, _) = nested(&["--mem", "1G"], "--mem 512M", 100 * MIB);
    assert!(said.out.starts_with("0\n"), "{said:?}");
    let (said, _) = nested(&["--mem", "1G"], "--mem 2G", MIB);
    assert!(said.err.contains("is that large") || said.err.contains("of your grant"), "{said:?}");
    // Case 49: nobody gets out by forgetting where he is; the process that asks has the outer tenant above it.
    let script = "env -u CLEAVE_TENANT \"$1\" run --mem 2G -- \"$2\" take 1; :";
    let mut run = home.run(["--mem", "1G"], "sh");
    let said = say(run.args(["-c", script, "sh"]).arg(&cleave).arg(c_client("tenant")));
    assert!(said.out.is_empty() && said.err.contains("of your grant"), "{said:?}");
    until("all to be given back", PATIENCE, || tenants(&home.status()).is_empty().then_some(()));

    // While the inner one holds its part, the outer one has that much less.
    let pipe = home.folder().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let script = "\"$1\" run --mem 768M --name inner -- \"$2\" hold 1000000 <\"$3\" & echo on; exec \"$2\" hold 100000000";
    let mut outer = home.run(["--mem", "1G", "--name", "outer"], "sh");
    let mut outer = outer.args(["-c", script, "sh"]).arg(&cleave).arg(c_client("tenant")).arg(&pipe);
    outer = outer.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut outer = outer.spawn().unwrap();
    let mut inner_input = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    let status = until("the inner one", PATIENCE, || {
        let status = home.status();
        let inner = tenants(&status).iter().find(|tenant| tenant["name"] == "inner")?;
        (inner["shim"] == "alive").then(|| status.clone())
    });
    assert_eq!(named(&status, "inner")["parent"], named(&status, "outer")["id"]);
    assert!(named(&status, "outer")["grants"][0]["nested"].as_u64().unwrap() == 768 * MIB, "{status}");
    inner_input.write_all(b"\n").unwrap();
    drop(inner_input);
    drop(outer.stdin.take());
    assert!(outer.wait().unwrap().success());
}

/// Case 25: one of three processes of a tenant is killed, another comes; all of them stay limited together.
#[test]
fn case_25_a_killed_process_gives_back_and_frees_nobody() {
    let home = Home::new();
    let inside = home.folder().join("inside");
    std::fs::create_dir(&inside).unwrap();
    let script = "for n in 1 2 3; do mkfifo $2/$n; \"$1\" hold 300000000 <$2/$n >$2/out$n & done; wait";
    let mut run = home.run(["--mem", "1G"], "sh");
    let mut run = run.args(["-c", script, "sh"]).arg(c_client("tenant")).arg(&inside).spawn().unwrap();
    let inputs: Vec<std::fs::File> = (1..=3).map(|n| write_end(&inside.join(n.to_string()))).collect();
    let processes = || -> Vec<u64> {
        let status = home.status();
        let grant = tenants(&status)[0]["grants"][0].clone();
        grant["processes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|process| process["pid"].as_u64().unwrap())
            .collect()
    };
    until("three processes", PATIENCE, || (processes().len() == 3).then_some(()));
    until("three answers", PATIENCE, || {
        let said = |n: i32| std::fs::read_to_string(inside.join(format!("out{n}"))).unwrap_or_default();
        (1..=3).all(|n| !said(n).is_empty()).then_some(())
    });
    let victim = processes()[0];
    assert!(Command::new("kill").args(["-9", &victim.to_string()]).status().unwrap().success());
    until("two processes", PATIENCE, || (processes().len() == 2).then_some(()));
    let status = home.status();
    assert!(tenants(&status)[0]["grants"][0]["used"].as_u64().unwrap() < 700_000_000, "{status}");
    // One more process of the same tenant gets what the dead one had, and not a byte more.
    let folder = tenants(&status)[0]["folder"].as_str().unwrap();
    let take = |bytes: &str| {
        let mut command = home.native(c_client("tenant"));
        command.env("CLEAVE_TENANT", folder).env("LD_PRELOAD", home.dist().libcleave());
        say(command.args(["take", bytes])).out
    };
    assert_eq!((take("450000000").as_str(), take("300000000").as_str()), ("2\n", "0\n"));
    drop(inputs);
    run.wait().unwrap();
}

/// Opens a named pipe when its reader is there.
fn write_end(path: &Path) -> std::fs::File {
    let path = PathBuf::from(path);
    until("the pipe", PATIENCE, || path.exists().then_some(()));
    std::fs::OpenOptions::new().write(true).open(path).unwrap()
}

/// Case 27: a process that gets a dead one's number gets nothing else of it.
#[test]
fn case_27_a_number_used_again_inherits_nothing() {
    let home = Home::new();
    let first = hold(&home, &["--name", "first", "--mem", "1G"], 500 * MIB);
    let second = hold(&home, &["--name", "second", "--mem", "1G"], 100 * MIB);
    let number = first.child.id();
    first.kill();
    // The kernel gives the next number; somebody else may be quicker, so a few attempts.
    let again = (0..50).find_map(|_| {
        std::fs::write("/proc/sys/kernel/ns_last_pid", (number - 1).to_string()).ok()?;
        let child = Command::new("sleep").arg("1000").spawn().unwrap();
        let got_it = child.id() == number;
        let mut child = Some(child);
        if !got_it {
            let mut other = child.take()?;
            other.kill().unwrap();
            other.wait().unwrap();
        }
        child
    });
    until("the first to end", PATIENCE, || (tenants(&home.status()).len() == 1).then_some(()));
    let status = home.status();
    assert_eq!(tenants(&status)[0]["name"], "second");
    assert_eq!(status["devices"][0]["unmanaged"], Value::Array(Vec::new()), "{status}");
    if let Some(mut again) = again {
        again.kill().unwrap();
        again.wait().unwrap();
    }
    second.end();
}
