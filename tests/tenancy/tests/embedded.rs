//! The daemon that a run starts where there is none: one per home, nobody's child, gone after its last tenant.
#![cfg(feature = "dist")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cleave_tenancy::{Home, c_client, say, until};

const PATIENCE: Duration = Duration::from_secs(20);

/// Daemons of this home that live now.
fn daemons(home: &Home) -> Vec<u32> {
    let mark = format!("CLEAVE_HOME={}", home.node().display());
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let read = |what: &str| fs::read(format!("/proc/{pid}/{what}")).unwrap_or_default();
        let has =
            |bytes: Vec<u8>, part: &str| bytes.split(|byte| *byte == 0).any(|word| word == part.as_bytes());
        has(read("environ"), &mark) && has(read("cmdline"), "--embedded")
    })
    .collect()
}

fn daemon(home: &Home) -> u64 {
    home.status()["node"]["pid"].as_u64().expect("a daemon")
}

/// A tenant that waits for the end of its input.
fn waiting(home: &Home) -> Child {
    let mut child = home
        .run(["--mem", "256M"], "sh")
        .args(["-c", "echo in; read x; exit 0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("cleave starts");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("text");
    assert_eq!(line, "in\n");
    child
}

fn end(mut child: Child) {
    drop(child.stdin.take());
    assert!(child.wait().expect("our child").success());
}

#[test]
fn first_runs_at_once_share_one_daemon() {
    let home = Home::new();
    let runs: Vec<Child> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..8).map(|_| scope.spawn(|| waiting(&home))).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    let status = home.status();
    assert_eq!(status["tenants"].as_array().unwrap().len(), 8, "{status}");
    assert_eq!(status["node"]["embedded"], true);
    until("the losers of the race to end", PATIENCE, || (daemons(&home).len() == 1).then_some(()));
    runs.into_iter().for_each(end);
}

#[test]
fn the_daemon_ends_after_its_last_tenant() {
    let home = Home::new();
    end(waiting(&home));
    until("the daemon to end", PATIENCE, || daemons(&home).is_empty().then_some(()));
    let said = say(&mut home.cleave(["ps"]));
    assert!(said.status.success() && said.out.contains("no daemon runs"), "{said:?}");
    // And the next run starts another one.
    end(waiting(&home));
}

#[test]
fn the_first_runner_may_go_before_the_second() {
    let home = Home::new();
    let first = waiting(&home);
    let pid = daemon(&home);
    let second = waiting(&home);
    end(first);
    until("the first to be gone", PATIENCE, || {
        (home.status()["tenants"].as_array()?.len() == 1).then_some(())
    });
    // Longer than a daemon stays without tenants.
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(daemon(&home), pid);
    end(second);
}

#[test]
fn an_interrupted_start_is_in_nobodys_way() {
    let home = Home::new();
    for wait_ms in [0, 1, 2, 4, 8, 12, 16, 24, 40, 80] {
        let mut run = home.run(["--mem", "256M"], "sleep");
        // A group of its own, as a shell gives to each job: Ctrl-C goes to all of it.
        let mut run = run.arg("1000").process_group(0).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait_ms));
        let group = format!("-{}", run.id());
        assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
        assert_eq!(run.wait().unwrap().signal(), Some(2), "after {wait_ms} ms");
        // Whatever was left, the next one gets all there is.
        end(waiting(&home));
        let gone = || home.status()["tenants"].as_array().is_none_or(Vec::is_empty).then_some(());
        until("both grants to be given back", PATIENCE, gone);
    }
}

#[test]
fn what_a_dead_daemon_left_is_shown_and_adopted() {
    let home = Home::new();
    let run = waiting(&home);
    let pid = daemon(&home);
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
    until("the daemon to be gone", PATIENCE, || daemons(&home).is_empty().then_some(()));
    let said = say(&mut home.cleave(["ps"]));
    assert!(said.out.starts_with("no daemon ran at") && said.out.contains("running"), "{said:?}");
    let status = home.status();
    assert_ne!(status["node"]["pid"], pid);
    assert_eq!(
        (&status["tenants"][0]["adopted"], &status["tenants"][0]["running"]),
        (&true.into(), &true.into())
    );
    end(run);
    until("the grant to be given back", PATIENCE, || {
        home.status()["tenants"].as_array()?.is_empty().then_some(())
    });
}

#[test]
fn a_logout_does_not_end_the_daemon() {
    let home = Home::new();
    // The session that starts the daemon has a terminal, and loses it.
    let said = say(home
        .command(c_client("terminal"))
        .arg("hangup")
        .arg(home.dist().cleave())
        .args(["run", "--mem", "256M", "--"])
        .arg(c_client("tenant"))
        .arg("patient"));
    assert_eq!(said.out, "signal 1\n", "the program is hung up: {said:?}");
    let pid = daemon(&home);
    let next = waiting(&home);
    assert_eq!(daemon(&home), pid, "the daemon is still the one of the lost session");
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    assert_eq!(fields[4], "0", "it has no terminal");
    end(next);
}

#[test]
fn the_command_works_when_it_is_copied_alone() {
    let home = Home::new();
    let copy = home.folder().join("cleave-copy");
    // By another process: what this one writes, a child that another test just starts has open too, and it cannot be run.
    let copied = Command::new("cp").arg(home.dist().cleave()).arg(&copy).status();
    assert!(copied.is_ok_and(|status| status.success()));
    let tenant = c_client("tenant");
    let said = say(home.command(&copy).args(["run", "--mem", "1G", "--"]).arg(&tenant).arg("info"));
    assert!(said.out.starts_with("0 1073741824 "), "{said:?}");
    let folders = fs::read_dir(home.node().join("lib")).unwrap().flatten().map(|entry| entry.path());
    let unpacked: Vec<_> = folders.filter(|folder| folder.join("libcleave.so").exists()).collect();
    assert_eq!(unpacked.len(), 1, "{unpacked:?}");
    for file in ["libcleave.so", "softgpu/libcuda.so.1", "softgpu/libnvidia-ml.so.1", "softgpu/libcuda.so"] {
        assert!(unpacked[0].join(file).exists(), "{file}");
    }
    // Damage is repaired before anything is loaded.
    until("the daemon to end", PATIENCE, || daemons(&home).is_empty().then_some(()));
    fs::write(unpacked[0].join("libcleave.so"), "damaged").unwrap();
    let said = say(home.command(&copy).args(["run", "--mem", "1G", "--"]).arg(&tenant).arg("info"));
    assert!(said.out.starts_with("0 1073741824 "), "{said:?}");
}

/// Runs a script in a mount namespace of its own; None where this machine does not allow that.
fn with_mounts(home: &Home, script: &str) -> Option<cleave_tenancy::Said> {
    let allowed = Command::new("unshare").args(["-m", "true"]).stderr(Stdio::null()).status();
    if !allowed.is_ok_and(|status| status.success()) {
        println!("skipped: this machine allows no mount namespaces");
        return None;
    }
    let mut command = home.command("unshare");
    command.args(["-m", "sh", "-c", script, "sh"]).arg(home.dist().cleave()).arg(home.node());
    Some(say(command.arg(c_client("tenant"))))
}

#[test]
fn a_home_that_is_mounted_noexec_has_its_libraries_elsewhere() {
    let home = Home::new();
    fs::create_dir_all(home.node()).unwrap();
    let noexec = "mount -t tmpfs -o noexec,mode=755 none \"$2\"";
    let elsewhere = "mount -t tmpfs -o mode=755 none /var/lib";
    let Some(said) =
        with_mounts(&home, &format!("{noexec} && {elsewhere} && exec \"$1\" run --mem 1G -- \"$3\" info"))
    else {
        return;
    };
    assert!(said.out.starts_with("0 1073741824 "), "{said:?}");
    let nowhere = "mount -t tmpfs -o noexec,mode=755 none /var/lib";
    let home = Home::new();
    fs::create_dir_all(home.node()).unwrap();
    let said =
        with_mounts(&home, &format!("{noexec} && {nowhere} && exec \"$1\" run --mem 1G -- \"$3\" info"))
            .unwrap();
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    assert!(said.err.contains("noexec") && said.err.contains("CLEAVE_HOME"), "{said:?}");
}
