//! `cleave run` is not there once the program runs: whatever a program, a shell or a terminal could notice is as without it.
#![cfg(feature = "dist")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cleave_tenancy::{Home, c_client, say, until};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(20);
const GIB: u64 = 1 << 30;

/// `sh -c script` with these words as $1 and on; the first is what `cleave run … --` starts with.
fn shell(home: &Home, script: &str, words: &[&str]) -> Command {
    let mut command = home.command("sh");
    command.args(["-c", script, "sh"]).arg(home.dist().cleave()).args(words);
    command
}

#[test]
fn the_exit_code_is_the_programs() {
    let home = Home::new();
    for code in [0, 7, 255] {
        let said = say(home.run(["--mem", "1G"], "sh").args(["-c", &format!("exit {code}")]));
        assert_eq!(said.status.code(), Some(code), "{said:?}");
    }
    let said = say(home.run(["--mem", "1G"], "sh").args(["-c", "kill -TERM $$"]));
    assert_eq!(said.status.signal(), Some(15), "{said:?}");
}

#[test]
fn what_cannot_be_run_is_said_as_shells_say_it() {
    let home = Home::new();
    let said = say(&mut home.run(["--mem", "1G"], "no-such-program"));
    assert_eq!(said.status.code(), Some(127), "{said:?}");
    assert!(said.err.contains("cannot find no-such-program in PATH"), "{said:?}");
    let file = home.folder().join("data");
    fs::write(&file, "data").unwrap();
    let said = say(&mut home.run(["--mem", "1G"], &file));
    assert_eq!(said.status.code(), Some(126), "{said:?}");
    assert!(said.err.contains("not executable"), "{said:?}");
    // Neither needed a daemon.
    assert!(!home.node().join("node.sock").exists());
}

#[test]
fn a_script_without_a_first_line_is_given_to_the_shell() {
    let home = Home::new();
    let script = home.folder().join("script");
    fs::write(&script, "echo \"$1\"; exit 9\n").unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&script).status().unwrap().success());
    let said = say(home.run(["--mem", "1G"], &script).arg("word"));
    assert_eq!((said.out.as_str(), said.status.code()), ("word\n", Some(9)), "{said:?}");
}

#[test]
fn no_process_stands_between() {
    let home = Home::new();
    let mut child =
        home.run(["--mem", "1G"], "sh").args(["-c", "echo $$ $PPID"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(out, format!("{} {}\n", child.id(), std::process::id()));
    assert!(child.wait().unwrap().success());
    let said = say(home.run(["--mem", "1G"], c_client("tenant")).arg("alone"));
    assert_eq!(said.out, "alone\n", "no child that the program did not start");
}

#[test]
fn input_output_and_arguments_pass_through() {
    let home = Home::new();
    let mut child = home
        .run(["--mem", "1G"], "sh")
        .args(["-c", "cat; echo error >&2; printf '%s|' \"$@\"", "sh", "", "a b", "--mem", "$x"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"through\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "through\n|a b|--mem|$x|");
    assert!(String::from_utf8_lossy(&output.stderr).ends_with("error\n"));
}

#[test]
fn descriptors_are_as_they_were() {
    let home = Home::new();
    let listing = "ls -l /proc/self/fd 2>/dev/null | sed -n 's/.* \\([0-9]*\\) -> .*/\\1/p'";
    // A descriptor of the caller's own is passed on, and none of ours is.
    for redirection in ["7>/dev/null", "0<&-", "2>&-", "0<&- 2>&- 9</dev/null"] {
        let script = |prefix: &str| format!("exec {redirection}; exec {prefix} sh -c \"{listing}\"");
        let plain = say(home.command("sh").args(["-c", &script("").replace('$', "\\$")]));
        let under = script("\"$1\" run --mem 1G --");
        let under = say(&mut shell(&home, &under, &[]));
        assert_eq!(under.out, plain.out, "{redirection}: {under:?}");
    }
    let script = "exec \"$1\" run --mem 1G -- sh -c 'echo seven >&7' 7>\"$2\"";
    let file = home.folder().join("seven");
    let said = say(&mut shell(&home, script, &[file.to_str().unwrap()]));
    assert!(said.status.success(), "{said:?}");
    assert_eq!(fs::read_to_string(file).unwrap(), "seven\n");
}

#[test]
fn whoever_reads_from_the_program_does_not_wait_for_the_daemon() {
    let home = Home::new();
    // The first run starts the daemon, which lives on for a while; the pipes must end with the program.
    let mut child = shell(&home, "exec \"$1\" run --mem 1G -- true 8>&1", &[])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    assert!(child.wait().unwrap().success());
    let daemon = until("a daemon", PATIENCE, || home.status()["node"]["pid"].as_u64());
    let mut text = String::new();
    out.read_to_string(&mut text).unwrap();
    err.read_to_string(&mut text).unwrap();
    assert!(PathBuf::from(format!("/proc/{daemon}")).exists(), "the pipes ended before the daemon did");
}

#[test]
fn signals_are_as_they_were() {
    let home = Home::new();
    let show = "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status";
    for before in ["", "trap '' PIPE; ", "trap '' HUP INT; ", "exec env --block-signal=USR1 "] {
        let exec = if before.starts_with("exec") { "" } else { "exec " };
        let plain = say(home.command("sh").args(["-c", &format!("{before}{exec}{show}")]));
        assert!(plain.out.contains("SigIgn"), "{plain:?}");
        let under = say(&mut shell(&home, &format!("{before}{exec}\"$1\" run --mem 1G -- {show}"), &[]));
        assert_eq!(under.out, plain.out, "{before}: {under:?}");
    }
}

#[test]
fn control_c_on_a_terminal_reaches_the_program() {
    let home = Home::new();
    let said = say(home
        .command(c_client("terminal"))
        .arg("interrupt")
        .arg(home.dist().cleave())
        .args(["run", "--mem", "1G", "--"])
        .arg(c_client("tenant"))
        .arg("patient"));
    assert_eq!(said.out, "interrupted\nexit 5\n", "{said:?}");
}

#[test]
fn the_environment_says_what_is_granted_and_keeps_the_rest() {
    let home = Home::new();
    let other = cleave_tenancy::c_library("empty");
    let said = say(home
        .run(["--mem", "1G"], "sh")
        .args(["-c", "echo \"$LD_PRELOAD\"; echo \"$CUDA_VISIBLE_DEVICES\"; echo \"$MINE\"; umask; pwd"])
        .env("LD_PRELOAD", &other)
        .env("MINE", "kept")
        .current_dir("/usr"));
    let lines: Vec<&str> = said.out.lines().collect();
    let preload: Vec<&str> = lines[0].split(':').collect();
    assert_eq!((preload.len(), preload[0]), (2, other.to_str().unwrap()), "{said:?}");
    assert!(preload[1].ends_with("/libcleave.so"), "{said:?}");
    assert!(lines[1].starts_with("GPU-"), "{said:?}");
    assert_eq!((lines[2], lines[4]), ("kept", "/usr"), "{said:?}");
    assert_eq!(lines[3], say(home.command("sh").args(["-c", "umask"])).out.trim());
}

#[test]
fn what_was_chosen_and_what_was_not_is_said_once() {
    let home = Home::new();
    let said = say(&mut home.run(["--mem", "1G", "--compute", "100", "--device", "soft"], "true"));
    assert_eq!(said.err, "", "nothing to say");
    let said = say(&mut home.run(["--mem", "1G", "--compute", "30"], "true"));
    assert_eq!(said.err.lines().count(), 1, "{said:?}");
    assert!(said.err.contains("software GPU"), "{said:?}");
    let said = say(&mut home.run(["--device", "soft"], "true"));
    assert!(said.err.contains("granted ") && said.err.contains("--mem"), "{said:?}");
    let said = say(home.run(["--mem", "1G", "--device", "soft"], "true").env("CUDA_VISIBLE_DEVICES", "1"));
    assert!(said.err.contains("CUDA_VISIBLE_DEVICES=1 gives way"), "{said:?}");
}

#[test]
fn a_program_gets_its_grant_and_not_more() {
    let home = Home::new();
    let tenant = c_client("tenant");
    let said = say(home.run(["--mem", "1G"], &tenant).arg("info"));
    assert!(said.out.starts_with(&format!("0 {GIB} ")), "{said:?}");
    let take = |bytes: u64| say(home.run(["--mem", "1G"], &tenant).args(["take", &bytes.to_string()])).out;
    assert_eq!((take(GIB / 2).as_str(), take(GIB + 1).as_str()), ("0\n", "2\n"));
}

#[test]
fn look_ups_that_pass_by_the_preload_meet_the_shim_all_the_same() {
    let home = Home::new();
    let deep = c_client("deep");
    for driver in ["libcuda.so.1", "libcuda.so"] {
        let take = |words: &[&str], bytes: u64| {
            let mut command = home.run(words, &deep);
            command.arg(cleave_tenancy::c_library("deep_take")).arg(driver).arg(bytes.to_string());
            say(&mut command)
        };
        let said = take(&["--mem", "1G"], GIB / 2);
        assert_eq!(said.out, "0\n", "{driver}: {said:?}");
        let said = take(&["--mem", "1G"], GIB + 1);
        assert_eq!(said.out, "2\n", "{driver}: {said:?}");
    }
}

#[test]
fn a_grant_that_does_not_fit_is_refused_with_a_sentence() {
    let home = Home::new();
    let mut holder = Holder::start(&home, &["--mem", "3G"], GIB);
    let said = say(&mut home.run(["--mem", "2G"], "true"));
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    assert!(said.err.starts_with("cleave: ") && said.err.contains("free"), "{said:?}");
    let said = say(&mut home.run(["--mem", "400G"], "true"));
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    let said = say(&mut home.run(["--mem", "1G", "--gpu", "9"], "true"));
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    let said = say(&mut home.run(["--device", "real"], "true"));
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    holder.end();
}

#[test]
fn one_after_the_other_gets_everything() {
    let home = Home::new();
    for _ in 0..20 {
        let said = say(&mut home.run(["--mem", "100%"], "true"));
        assert!(said.status.success(), "the one before has ended: {said:?}");
    }
}

#[test]
fn several_devices_are_several_grants() {
    let home = Home::with(&[("CLEAVE_SOFTGPU_DEVICES", "2")]);
    let said = say(home.run(["--mem", "1G", "--gpu", "2"], "sh").args(["-c", "echo $CUDA_VISIBLE_DEVICES"]));
    let uuids: Vec<&str> = said.out.trim().split(',').collect();
    assert_eq!(uuids.len(), 2, "{said:?}");
    let both = format!("{},{}", uuids[1], uuids[0]);
    let said =
        say(home.run(["--mem", "1G", "--device", &both], "sh").args(["-c", "echo $CUDA_VISIBLE_DEVICES"]));
    assert_eq!(said.out.trim().split(',').count(), 2, "{said:?}");
    let said =
        say(home.run(["--mem", "1G", "--device", uuids[1]], "sh").args(["-c", "echo $CUDA_VISIBLE_DEVICES"]));
    assert_eq!(said.out.trim(), uuids[1], "{said:?}");
}

#[test]
fn a_priority_in_the_environment_counts_where_no_option_says_one() {
    let home = Home::new();
    let priority = |words: &[&str], variable: &str| {
        let words = [&["--mem", "256M", "--compute", "10"], words].concat();
        let mut run = home.run(words, home.dist().cleave());
        let said = say(run.args(["ps", "--json"]).env("CUDA_TASK_PRIORITY", variable));
        let status: serde_json::Value = serde_json::from_str(&said.out).unwrap_or_default();
        status["tenants"][0]["grants"][0]["priority"].as_i64().ok_or(said.err)
    };
    assert_eq!(priority(&[], "0"), Ok(1));
    assert_eq!(priority(&[], "1"), Ok(0));
    assert_eq!(priority(&["--priority", "-2"], "0"), Ok(-2));
    assert!(priority(&[], "high").unwrap_err().contains("CUDA_TASK_PRIORITY=high is no priority"));
}

#[test]
fn waiting_ends_when_there_is_room() {
    let home = Home::new();
    let mut holder = Holder::start(&home, &["--mem", "3G"], GIB);
    let mut waiter = home
        .run(["--mem", "2G", "--wait"], "echo")
        .arg("in")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(waiter.stderr.take().unwrap()).lines();
    let line = said.next().unwrap().unwrap();
    assert!(line.contains("waiting, number 1 in line"), "{line}");
    until("one who waits", PATIENCE, || (home.status()["waiting"].as_array()?.len() == 1).then_some(()));
    holder.end();
    let output = waiter.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "in\n");
    assert!(output.status.success());
}

#[test]
fn control_c_ends_the_wait_and_leaves_the_line() {
    let home = Home::new();
    let mut holder = Holder::start(&home, &["--mem", "3G"], GIB);
    let mut waiter = home.run(["--mem", "2G", "--wait"], "true").stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(waiter.stderr.take().unwrap()).lines();
    assert!(said.next().unwrap().unwrap().contains("waiting"));
    kill("-INT", waiter.id());
    assert_eq!(waiter.wait().unwrap().signal(), Some(2));
    until("an empty line", PATIENCE, || home.status()["waiting"].as_array()?.is_empty().then_some(()));
    holder.end();
}

#[test]
fn a_nested_run_takes_from_the_run_around_it() {
    let home = Home::new();
    let cleave = home.dist().cleave();
    let tenant = c_client("tenant");
    let inner = |mem: &str| {
        let mut command = home.run(["--mem", "2G"], &cleave);
        command.args(["run", "--mem", mem, "--"]).arg(&tenant).arg("info");
        say(&mut command)
    };
    let said = inner("1G");
    assert!(said.out.starts_with(&format!("0 {GIB} ")), "{said:?}");
    let said = inner("3G");
    assert_eq!((said.status.code(), said.out.as_str()), (Some(1), ""), "{said:?}");
    let said = inner("50%");
    assert!(said.out.starts_with(&format!("0 {GIB} ")), "half of the grant, not of the device: {said:?}");
}

#[test]
fn a_daemonised_child_keeps_the_grant() {
    let home = Home::new();
    let pid = home.folder().join("pid");
    let script = "setsid sh -c 'echo $$ >\"$1.new\"; mv \"$1.new\" \"$1\"; exec sleep 1000' sh \"$0\" >/dev/null 2>&1 &";
    let said = say(home.run(["--mem", "1G", "--name", "parent"], "sh").args(["-c", script]).arg(&pid));
    assert!(said.status.success(), "{said:?}");
    let child: u32 = until("the child", PATIENCE, || fs::read_to_string(&pid).ok()?.trim().parse().ok());
    let tenants = || tenants(&home);
    until("the parent to be gone", PATIENCE, || (tenants().first()?["running"] == false).then_some(()));
    let said = say(&mut home.run(["--mem", "4G"], "true"));
    assert_eq!(said.status.code(), Some(1), "the grant is still taken: {said:?}");
    kill("-KILL", child);
    until("the grant to be given back", PATIENCE, || tenants().is_empty().then_some(()));
}

#[test]
fn programs_that_cannot_carry_the_shim_are_named() {
    let home = Home::new();
    let said = say(&mut home.run(["--mem", "1G"], "true"));
    assert!(!said.err.contains("unmanaged"), "{said:?}");

    let source = home.folder().join("quiet.c");
    fs::write(&source, "int main(void) { return 3; }").unwrap();
    let still = home.folder().join("still");
    let made = Command::new("gcc").arg("-static").arg("-o").arg(&still).arg(&source).status().unwrap();
    assert!(made.success(), "a static C library is needed for this test");
    let said = say(&mut home.run(["--mem", "1G"], &still));
    assert_eq!(said.status.code(), Some(3), "{said:?}");
    assert!(said.err.contains("is linked statically: it cannot carry the limits"), "{said:?}");

    // The kernel does not find that loader here; what counts is that the hint comes first.
    let glibc = fs::read(c_client("tenant")).unwrap();
    let (old, new) = (&b"/lib64/ld-linux-x86-64.so.2\0"[..], &b"/lib/ld-musl-x86_64.so.1\0\0\0\0"[..]);
    let Some(at) = glibc.windows(old.len()).position(|window| window == old) else {
        return; // Another processor has another loader.
    };
    let mut musl = glibc.clone();
    musl[at..at + new.len()].copy_from_slice(new);
    let path = home.folder().join("musl");
    fs::write(&path, musl).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&path).status().unwrap().success());
    let said = say(home.run(["--mem", "1G"], &path).arg("alone"));
    assert!(said.err.contains("uses the musl C library"), "{said:?}");
}

#[test]
fn a_running_tenant_is_resized() {
    let home = Home::new();
    let mut holder = Holder::start(&home, &["--mem", "2G", "--name", "big"], GIB);
    let said = say(&mut home.cleave(["set", "big", "--mem", "512M", "--json"]));
    assert!(said.status.success(), "{said:?}");
    let document: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(document[0]["memory"], GIB / 2, "{said:?}");
    assert!(document[0]["used"].as_u64().unwrap() >= GIB, "it keeps what it has: {said:?}");
    let said = say(&mut home.cleave(["set", "big", "--mem", "25%", "--compute", "10"]));
    assert!(
        said.out.contains("1.0 GiB of memory") && said.out.contains("10% of compute (burst)"),
        "{said:?}"
    );
    for (words, part) in [
        (&["set", "small", "--mem", "1G"][..], "small"),
        (&["set", "big"], "nothing to set"),
        (&["set", "big", "--mem", "400G"], "cleave: "),
    ] {
        let said = say(&mut home.cleave(words));
        assert_eq!(said.status.code(), Some(1), "{said:?}");
        assert!(said.err.contains(part), "{said:?}");
    }
    holder.end();
}

#[test]
fn ps_shows_who_was_refused_what() {
    let home = Home::new();
    let mut holder = Holder::start(&home, &["--mem", "1G", "--name", "greedy"], 2 * GIB);
    let said = say(&mut home.cleave(["ps"]));
    assert!(said.out.contains("greedy") && said.out.contains("TENANT"), "{said:?}");
    let said = say(&mut home.cleave(["ps", "-v"]));
    assert!(said.out.contains("cuMemAlloc_v2 wanted 2.0 GiB"), "{said:?}");
    let tenant = &tenants(&home)[0];
    let denial = &tenant["grants"][0]["processes"][0]["denial"];
    assert_eq!((&denial["symbol"], &denial["wanted"]), (&"cuMemAlloc_v2".into(), &(2 * GIB).into()));
    assert_eq!(tenant["grants"][0]["compute_enforced"], true);
    holder.end();
}

#[test]
fn a_grant_for_a_container_can_be_pasted_and_ended() {
    let home = Home::new();
    let said = say(&mut home.cleave(["grant", "--mem", "1G", "--compute", "100", "--", "docker"]));
    assert!(said.status.success(), "{said:?}");
    for part in [
        "target=/run/cleave/tenant",
        "target=/run/cleave/lib,readonly",
        "target=/etc/ld.so.preload,readonly",
        "--env LD_PRELOAD=/run/cleave/lib/libcleave.so",
        "--env CUDA_VISIBLE_DEVICES=GPU-",
        "--env CLEAVE_SOFTGPU=",
        "target=/run/cleave/front,readonly",
        "--env LD_LIBRARY_PATH=/run/cleave/front:/run/cleave/lib/softgpu",
    ] {
        assert!(said.out.contains(part), "{part} in {said:?}");
    }
    let id = tenants(&home)[0]["id"].as_str().unwrap().to_string();
    assert!(said.err.contains(&format!("cleave end {id}")), "{said:?}");
    assert!(say(&mut home.cleave(["end", &id])).status.success());
    assert!(tenants(&home).is_empty());

    let said = say(&mut home.cleave(["grant", "--mem", "1G", "--cdi"]));
    let cdi: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(cdi["kind"], "cleave/grant");
    // A stand-in for the container: the same files, where they are on this machine.
    let mounts = cdi["devices"][0]["containerEdits"]["mounts"].as_array().unwrap();
    let source = |target: &str| {
        let mount = mounts.iter().find(|mount| mount["containerPath"] == target).unwrap();
        PathBuf::from(mount["hostPath"].as_str().unwrap())
    };
    let said = say(home
        .native(c_client("tenant"))
        .arg("info")
        .env("LD_PRELOAD", source("/run/cleave/lib").join("libcleave.so"))
        .env("CLEAVE_TENANT", source("/run/cleave/tenant")));
    assert!(said.out.starts_with(&format!("0 {GIB} ")), "{said:?}");
}

fn tenants(home: &Home) -> Vec<Value> {
    home.status()["tenants"].as_array().cloned().unwrap_or_default()
}

fn kill(signal: &str, pid: u32) {
    let sent = Command::new("kill").args([signal, &pid.to_string()]).status();
    assert!(sent.expect("kill is there").success());
}

/// A tenant that stays until it is told to end.
struct Holder(Child);

impl Holder {
    /// Started, and done with its allocation, whatever came of it.
    fn start(home: &Home, words: &[&str], bytes: u64) -> Holder {
        let mut child = home
            .run(words, c_client("tenant"))
            .args(["hold", &bytes.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("cleave starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("text");
        assert!(line == "0\n" || line == "2\n", "{line}");
        Holder(child)
    }

    fn end(&mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().expect("our child").success());
    }
}
