//! Pausing, resuming and killing tenants while they are at work.
#![cfg(feature = "dist")]

use std::time::{Duration, Instant};

use cleave_tenancy::{Home, Load, say, span, until};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(20);
const ROUNDS: u32 = 10;

fn load(home: &Home, name: &str) -> Load {
    home.load(&["--mem", "256M", "--compute", "40", "--name", name], ROUNDS, "")
}

fn cleave(home: &Home, words: &[&str]) -> String {
    let said = say(&mut home.cleave(words));
    assert!(said.status.success(), "{said:?}");
    said.out
}

fn is_paused(home: &Home, name: &str) -> bool {
    let status = home.status();
    let tenants = status["tenants"].as_array().expect("tenants");
    tenants.iter().any(|tenant| tenant["name"] == name && tenant["grants"][0]["paused"] == true)
}

/// Kernels that were done while nothing should be.
fn done_meanwhile(load: &Load) -> usize {
    let (from, to) = span(Duration::from_millis(300));
    load.done(from, to)
}

#[test]
fn a_paused_tenant_does_nothing_and_loses_nothing() {
    let home = Home::paced();
    let [one, other] = ["one", "other"].map(|name| load(&home, name));
    let begun = Instant::now();
    assert!(cleave(&home, &["pause", "one"]).starts_with("paused "));
    assert!(begun.elapsed() < Duration::from_secs(2), "what it had in flight is a few milliseconds");
    assert!(is_paused(&home, "one") && !is_paused(&home, "other"));
    // What was done is found done by the program a moment later.
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(done_meanwhile(&one), 0);
    other.goes_on(20);
    assert!(cleave(&home, &["ps"]).contains("paused"));
    assert!(cleave(&home, &["resume", "one"]).starts_with("resumed "));
    one.goes_on(20);
    assert!(!is_paused(&home, "one"));
    [one, other].into_iter().for_each(Load::end);
}

#[test]
fn a_pause_outlives_the_daemon() {
    let home = Home::paced();
    let paused = load(&home, "paused");
    cleave(&home, &["pause", "paused"]);
    let kill = || {
        let pid = home.status()["node"]["pid"].as_u64().expect("a daemon");
        say(home.command("kill").args(["-9", &pid.to_string()]));
    };
    kill();
    std::thread::sleep(Duration::from_millis(20));
    // Longer than the lease of the dead daemon's word.
    let (from, to) = span(Duration::from_millis(900));
    assert_eq!(paused.done(from, to), 0);
    assert!(is_paused(&home, "paused"), "the next daemon knows");
    assert_eq!(done_meanwhile(&paused), 0);
    cleave(&home, &["resume", "paused"]);
    paused.goes_on(10);
    paused.end();
}

#[test]
fn signals_are_handled_while_paused() {
    let home = Home::paced();
    let mut paused = load(&home, "paused");
    cleave(&home, &["pause", "paused"]);
    std::thread::sleep(Duration::from_millis(100));
    paused.signal("INT");
    paused.hears("interrupted");
    assert_eq!(paused.wait().code(), Some(5), "its own handler, its own exit code");
    until("the grant to be given back", PATIENCE, || {
        home.status()["tenants"].as_array().is_some_and(Vec::is_empty).then_some(())
    });
}

/// Whoever is ended while it is paused must not wait for somebody to resume it.
#[test]
fn an_ended_tenant_is_not_left_paused() {
    let home = Home::paced();
    let [ended, witness] = ["ended", "witness"].map(|name| load(&home, name));
    cleave(&home, &["pause", "ended"]);
    cleave(&home, &["end", "ended"]);
    ended.goes_on(3);
    [ended, witness].into_iter().for_each(Load::end);
}

#[test]
fn what_cannot_be_done_says_so() {
    let home = Home::paced();
    let tenant = load(&home, "tenant");
    let said = say(&mut home.cleave(["pause", "--to-host", "tenant"]));
    assert!(!said.status.success() && said.err.contains("started with --movable"), "{said:?}");
    assert!(!is_paused(&home, "tenant"), "and nothing else is done instead");
    for verb in ["pause", "resume", "kill"] {
        let said = say(&mut home.cleave([verb, "nobody"]));
        assert!(!said.status.success() && said.err.contains("there is no tenant nobody"), "{said:?}");
    }
    tenant.end();
}

/// All processes of a tenant end, also one that pays no attention, one that hides from its parent, and one that is paused.
#[test]
fn kill_ends_every_process() {
    let home = Home::paced();
    let script = "trap '' TERM; (setsid sleep 1000 &) ; \"$0\" run --mem 64M -- sleep 1000 & echo ready; while true; do sleep 1; done";
    let mut run = home.run(["--mem", "256M", "--name", "stubborn"], "sh");
    run.args(["-c", script]).arg(home.dist().cleave());
    run.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    let mut child = run.spawn().expect("a run");
    let others = load(&home, "others");
    until("the tenant inside", PATIENCE, || {
        home.status()["tenants"].as_array().is_some_and(|tenants| tenants.len() == 3).then_some(())
    });
    let said: Value =
        serde_json::from_str(&cleave(&home, &["kill", "--json", "stubborn"])).expect("a document");
    assert!(said["processes"].as_u64() >= Some(3), "{said}");
    let status = child.wait().expect("it can be waited for");
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&status),
        Some(9),
        "it paid no attention to SIGTERM"
    );
    let tenants = home.status()["tenants"].as_array().map(Vec::len);
    assert_eq!(tenants, Some(1), "its grants are given back, and those inside it");
    others.goes_on(10);
    cleave(&home, &["pause", "others"]);
    let begun = Instant::now();
    cleave(&home, &["kill", "others"]);
    assert!(begun.elapsed() < Duration::from_secs(3), "asked to end, it ends");
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&others.wait()), Some(15));
}
