//! The daemon's life and death: what it loses when it is killed (nothing), what it adopts, whom it obeys.
#![cfg(feature = "dist")]
#![allow(clippy::unwrap_used)]

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use cleave_tenancy::{Home, Said, c_client, say, until};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(30);
const MIB: u64 = 1 << 20;

/// `cleave node`, killed when it is dropped.
struct Daemon(Child);

impl Daemon {
    fn start(home: &Home) -> Daemon {
        // Under a mask that a cautious root has: what tenants need must be theirs all the same.
        let mut shell = home.command("sh");
        let shell = shell.args(["-c", "umask 077; exec \"$1\" node", "sh"]).arg(home.dist().cleave());
        let child = shell.stdout(Stdio::null()).spawn().unwrap();
        let daemon = Daemon(child);
        until("the daemon", PATIENCE, || {
            let answers = UnixStream::connect(home.node().join("node.sock")).is_ok();
            (answers && home.status()["node"]["pid"] == daemon.0.id()).then_some(())
        });
        daemon
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A tenant that holds memory until its input ends.
fn hold(home: &Home, words: &[&str], bytes: u64) -> Child {
    let mut run = home.run(words, c_client("tenant"));
    run.args(["hold", &bytes.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = run.spawn().unwrap();
    let mut answer = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut answer).unwrap();
    assert_eq!(answer, "0\n");
    child
}

fn end(mut child: Child) {
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

/// One more process in the tenant of `folder`.
fn inside(home: &Home, folder: &str, words: &[&str]) -> Said {
    let mut command = home.native(c_client("tenant"));
    say(command.env("CLEAVE_TENANT", folder).env("LD_PRELOAD", home.dist().libcleave()).args(words))
}

fn tenants(status: &Value) -> &Vec<Value> {
    status["tenants"].as_array().unwrap()
}

/// Case 30: without a daemon nothing falls open; with the next one nothing is lost.
#[test]
fn case_30_a_killed_daemon_loses_nothing() {
    let home = Home::new();
    let daemon = Daemon::start(&home);
    let run = hold(&home, &["--name", "survivor", "--mem", "512M", "--compute", "20"], 300 * MIB);
    let before = until("what only the driver shows", PATIENCE, || {
        let status = home.status();
        (tenants(&status)[0]["grants"][0]["overhead"].as_u64()? > 0).then_some(status)
    });
    daemon.kill();

    let folder = tenants(&before)[0]["folder"].as_str().unwrap();
    let info = inside(&home, folder, &["info"]);
    assert!(info.out.starts_with("0 536870912 "), "the limit is still what it was: {info:?}");
    assert_eq!(inside(&home, folder, &["take", "300000000"]).out, "2\n");
    assert_eq!(inside(&home, folder, &["take", "100000000"]).out, "0\n");

    let daemon = Daemon::start(&home);
    let after = home.status();
    let (mut old, mut new) = (tenants(&before)[0].clone(), tenants(&after)[0].clone());
    // What was measured is measured anew.
    for tenant in [&mut old, &mut new] {
        tenant["grants"][0]["history"].take();
    }
    // The refusal above was counted without a daemon.
    (old["adopted"], old["grants"][0]["denials"]) = (true.into(), 1.into());
    assert_eq!(new, old);
    assert_eq!(after["node"]["adopted"], 1);
    assert_eq!(after["devices"][0]["granted"], 512 * MIB);
    let said = say(home.run(["--mem", "3600M"], c_client("tenant")).args(["take", "1"]));
    assert!(said.err.contains("has 3.5 GiB of 4.0 GiB free"), "{said:?}");
    end(run);
    until("the grant to be given back", PATIENCE, || tenants(&home.status()).is_empty().then_some(()));
    drop(daemon);
}

/// Processes that end while there is no daemon are noticed by the next one.
#[test]
fn what_ended_meanwhile_is_given_back() {
    let home = Home::new();
    let daemon = Daemon::start(&home);
    let [short, long] = ["short", "long"].map(|name| hold(&home, &["--name", name, "--mem", "1G"], MIB));
    daemon.kill();
    end(short);
    let _daemon = Daemon::start(&home);
    until("the end to be noticed", PATIENCE, || {
        let status = home.status();
        (tenants(&status).len() == 1 && tenants(&status)[0]["name"] == "long").then_some(())
    });
    end(long);
}

/// Case 26 for the daemon: killed again and again while runs start, also between taking its lock and serving. Every run gets its grant, and in the end nothing is left of any.
#[test]
fn case_26_killed_at_any_moment_no_run_fails() {
    let home = Home::new();
    let (stop, kills) = (AtomicBool::new(false), AtomicU32::new(0));
    std::thread::scope(|scope| {
        let killer = scope.spawn(|| {
            let mut random = 0x2545_f491_4f6c_dd1d_u64;
            while !stop.load(Ordering::Relaxed) {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                std::thread::sleep(Duration::from_micros(random % 30_000));
                let about = fs::read(home.node().join("node.json")).unwrap_or_default();
                let about: Value = serde_json::from_slice(&about).unwrap_or_default();
                let Some(pid) = about["pid"].as_u64() else { continue };
                let name = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                if name.contains("--embedded") {
                    let killed =
                        Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status();
                    kills
                        .fetch_add(u32::from(killed.is_ok_and(|status| status.success())), Ordering::Relaxed);
                }
            }
        });
        let runners: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    while kills.load(Ordering::Relaxed) < 40 {
                        let mut run = home.run(["--mem", "256M", "--compute", "10"], c_client("tenant"));
                        let said = say(run.args(["take", "100000000"]));
                        assert!(said.status.success() && said.out == "0\n", "{said:?}");
                    }
                })
            })
            .collect();
        let failed = runners.into_iter().map(|runner| runner.join()).filter(Result::is_err).count();
        stop.store(true, Ordering::Relaxed);
        killer.join().unwrap();
        assert_eq!(failed, 0, "after {kills:?} kills");
    });
    let _daemon = Daemon::start(&home);
    until("all to be given back", PATIENCE, || tenants(&home.status()).is_empty().then_some(()));
    assert_eq!(home.status()["devices"][0]["free"], 4096 * MIB);
    assert_eq!(fs::read_dir(home.node().join("tenants")).unwrap().count(), 0, "nothing half made stays");
}

#[test]
fn there_is_one_daemon_per_home_and_it_goes_when_asked() {
    let home = Home::new();
    let mut daemon = Daemon::start(&home);
    let said = say(&mut home.cleave(["node"]));
    assert!(!said.status.success() && said.err.contains("another daemon serves this home"), "{said:?}");
    let term = Command::new("kill").args(["-TERM", &daemon.0.id().to_string()]).status().unwrap();
    assert!(term.success());
    assert!(daemon.0.wait().unwrap().success());
    assert!(!home.node().join("node.sock").exists());
}

#[test]
fn damage_is_told_and_harms_nobody_else() {
    let home = Home::new();
    let daemon = Daemon::start(&home);
    let [whole, broken] = ["whole", "broken"].map(|name| hold(&home, &["--name", name, "--mem", "1G"], MIB));
    let status = home.status();
    let folder = |name: &str| {
        let tenant = tenants(&status).iter().find(|tenant| tenant["name"] == name).unwrap();
        tenant["folder"].as_str().unwrap().to_string()
    };
    daemon.kill();
    fs::write(format!("{}/tenant.json", folder("broken")), "\u{0}garbage").unwrap();
    fs::create_dir(home.node().join("tenants/nothing")).unwrap();
    fs::create_dir(home.node().join("tenants/.new-half")).unwrap();

    let daemon = Daemon::start(&home);
    let status = home.status();
    assert_eq!(tenants(&status).len(), 2, "{status}");
    assert_eq!(status["devices"][0]["granted"], 2048 * MIB, "what is known of it is not granted again");
    let said = say(&mut home.cleave(["doctor"]));
    assert!(said.out.contains("its record cannot be read") && said.out.contains("nothing"), "{said:?}");
    assert!(!home.node().join("tenants/.new-half").exists());

    // Anything at all on the socket: an answer that says so, and the daemon goes on.
    for bytes in
        [&b"\n"[..], b"{\n", b"\xff\xfe\x00\n", b"{\"request\":\"status\",\"x\":1}\n", &[b'['; 100_000]]
    {
        let stream = UnixStream::connect(home.node().join("node.sock")).unwrap();
        (&stream).write_all(bytes).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).unwrap();
        assert!(line.starts_with("{\"answer\":"), "{line}");
    }
    assert_eq!(home.status()["node"]["pid"], daemon.0.id());
    // A tenant that cuts its own page short while the daemon has it mapped.
    let usage = format!("{}/gpu0/usage", folder("whole"));
    fs::OpenOptions::new().write(true).open(usage).unwrap().set_len(0).unwrap();
    until("the damage to be seen", PATIENCE, || {
        let said = say(&mut home.cleave(["doctor"]));
        said.out.contains("cut short").then_some(())
    });
    assert_eq!(home.status()["node"]["pid"], daemon.0.id());
    for mut child in [whole, broken] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn a_configuration_it_does_not_understand_is_refused_by_name() {
    let home = Home::new();
    fs::create_dir(home.node()).unwrap();
    fs::write(home.node().join("config.toml"), "[caps.everyone]\nmemroy = \"1G\"\n").unwrap();
    let said = say(&mut home.cleave(["node"]));
    assert!(
        !said.status.success() && said.err.contains("memroy") && said.err.contains("config.toml"),
        "{said:?}"
    );
}

/// Runs as somebody who is not the daemon's user.
fn as_user(command: &mut Command, uid: u32, gid: u32) -> &mut Command {
    // Supplementary groups go with the change.
    command.uid(uid).gid(gid)
}

/// On a shared workstation: who may connect, who may have how much, and whose limits nobody can change but the daemon.
#[test]
fn users_are_told_apart_by_the_kernel() {
    if fs::metadata("/proc/self").map(|about| std::os::unix::fs::MetadataExt::uid(&about)).unwrap() != 0 {
        println!("skipped: users told apart by the kernel (only root can be several users)");
        return;
    }
    let home = Home::new();
    fs::set_permissions(home.folder().join("gpu"), Permissions::from_mode(0o1777)).unwrap();
    fs::create_dir(home.node()).unwrap();
    let config = home.node().join("config.toml");
    fs::write(&config, "[caps.everyone]\nmemory = \"1G\"\n").unwrap();
    let daemon = Daemon::start(&home);
    let said = say(as_user(home.run(["--mem", "1G"], "true").current_dir("/"), 12_345, 1));
    assert!(!said.status.success() && said.err.contains("does not admit this user"), "{said:?}");
    daemon.kill();

    fs::write(&config, "[socket]\ngroup = \"daemon\"\n[caps.everyone]\nmemory = \"1G\"\n").unwrap();
    let _daemon = Daemon::start(&home);
    let said = say(as_user(home.run(["--mem", "1G"], "true").current_dir("/"), 12_345, 12_345));
    assert!(
        !said.status.success() && said.err.contains("does not admit this user"),
        "not in the group: {said:?}"
    );
    let own = hold(&home, &["--name", "roots", "--mem", "2G"], MIB);
    let said = say(as_user(home.run(["--mem", "1500M"], "true").current_dir("/"), 12_345, 1));
    assert!(said.err.contains("your limit on this machine leaves you 1.0 GiB"), "{said:?}");
    let script = "for f in limits usage; do true 2>/dev/null >>$CLEAVE_TENANT/gpu0/$f && echo writes $f; done; \"$1\" ps --json; \
                  \"$1\" set roots --mem 1M; \"$1\" set mine --mem 4G";
    let mut run = home.run(["--name", "mine", "--mem", "1G"], "sh");
    let said =
        say(as_user(run.args(["-c", script, "sh"]).arg(home.dist().cleave()).current_dir("/"), 12_345, 1));
    assert!(said.out.starts_with("writes usage\n{"), "it can write its usage, and not its limits: {said:?}");
    let status: Value = serde_json::from_str(said.out.split_once('\n').unwrap().1).unwrap();
    let find = |name: &str| tenants(&status).iter().find(|tenant| tenant["name"] == name).unwrap();
    assert_eq!(find("mine")["enforced"]["memory"], "enforced");
    assert_eq!(find("roots")["enforced"]["memory"], "cooperative");
    assert_eq!(
        said.err.matches("only root and the user the daemon runs as may change limits").count(),
        2,
        "{said:?}"
    );
    let roots = find("roots")["id"].as_str().unwrap();
    let said = say(as_user(home.cleave(["end", roots]).current_dir("/"), 12_345, 1));
    assert!(!said.status.success() && said.err.contains("belongs to root"), "{said:?}");
    end(own);
}

/// The main process may be killed at once, in the middle of its start; nothing is left of it.
#[test]
fn a_run_killed_at_any_moment_leaves_nothing() {
    let home = Home::new();
    let _daemon = Daemon::start(&home);
    for wait_us in (0..40).map(|n| n * 700) {
        let mut run = home.run(["--mem", "1G"], "sleep").arg("1000").stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(wait_us));
        run.kill().unwrap();
        assert_eq!(run.wait().unwrap().signal(), Some(9));
    }
    until("all to be given back", PATIENCE, || tenants(&home.status()).is_empty().then_some(()));
    assert_eq!(home.status()["devices"][0]["free"], 4096 * MIB);
}
