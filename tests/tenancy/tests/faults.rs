//! Turns when something goes wrong: holders that die, stop, lie or never end; a daemon that dies or stops. Nobody else waits
//! longer than a quantum and the device's own time slice, nobody becomes unlimited.
#![cfg(feature = "dist")]

use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use cleave_tenancy::{Home, Load, c_client, c_library, say, span, until};

const PATIENCE: Duration = Duration::from_secs(20);
const ROUNDS: u32 = 10;

/// A quantum of 3.5 ms, the device's time slice of 2 ms, a switch, a kernel of half a millisecond, and what this machine needs to run
/// threads.
const LONGER: Duration = Duration::from_millis(15);
/// The same, and what one waits for its turn in any case beside another.
const LONGEST: Duration = Duration::from_millis(30);

/// How much longer a tenant waited until `to` than it did from `from` to `at`, for its turns, before something happened.
fn longer(load: &Load, (from, at): (u64, u64), to: u64) -> Duration {
    let usual = load.longest_gap(from, at);
    load.longest_gap(at.saturating_sub(usual.as_nanos() as u64), to).saturating_sub(usual)
}

/// Nobody waited long.
fn assert_short(gaps: &[Duration]) {
    assert!(gaps.iter().all(|gap| *gap < LONGEST), "{gaps:?}");
}

/// Nobody waited much longer than before.
fn assert_not_longer(longer: &[Duration]) {
    assert!(longer.iter().all(|longer| *longer < LONGER), "{longer:?} longer");
}

fn load(home: &Home, name: &str, compute: u32, mode: &str) -> Load {
    let compute = compute.to_string();
    home.load(&["--mem", "256M", "--name", name, "--compute", &compute], ROUNDS, mode)
}

fn daemon(home: &Home) -> u64 {
    home.status()["node"]["pid"].as_u64().expect("a daemon")
}

fn signal(name: &str, pid: u64) {
    let done = Command::new("kill").args(["-s", name, &pid.to_string()]).stderr(Stdio::null()).status();
    done.expect("kill is there");
}

/// What two tenants at work get of each other's device, in percent; the first of the pair.
fn part(one: &Load, other: &Load, from: u64, to: u64) -> f64 {
    let (one, other) = (one.done(from, to) as f64, other.done(from, to) as f64);
    100.0 * one / (one + other).max(1.0)
}

#[test]
fn a_holder_that_is_killed_delays_nobody() {
    let home = Home::paced();
    let survivor = load(&home, "survivor", 30, "");
    let gaps = [(); 5].map(|()| {
        let victim = load(&home, "victim", 70, "");
        victim.goes_on(20);
        let before = span(Duration::from_millis(100));
        victim.signal("KILL");
        victim.wait();
        let (_, to) = span(Duration::from_millis(100));
        longer(&survivor, before, to)
    });
    assert_not_longer(&gaps);
    survivor.end();
}

#[test]
fn a_holder_that_is_stopped_delays_nobody() {
    let home = Home::paced();
    let runner = load(&home, "runner", 30, "");
    let stopped = load(&home, "stopped", 70, "");
    stopped.goes_on(30);
    let gaps = [(); 5].map(|()| {
        let before = span(Duration::from_millis(100));
        stopped.signal("STOP");
        let (_, to) = span(Duration::from_millis(150));
        stopped.signal("CONT");
        stopped.goes_on(10);
        longer(&runner, before, to)
    });
    assert_not_longer(&gaps);
    [runner, stopped].into_iter().for_each(Load::end);
}

/// The daemon is killed again and again while two tenants run: nobody starves, nobody becomes unlimited, and the last one
/// adopts them.
#[test]
fn a_daemon_that_is_killed_at_any_moment_changes_little() {
    let home = Home::paced();
    let capped = ["--mem", "256M", "--name", "capped", "--compute", "20", "--policy", "fixed"];
    let capped = home.load(&capped, ROUNDS, "");
    let other = load(&home, "other", 50, "");
    other.goes_on(50);
    let before = span(Duration::from_millis(300));
    let begin = before.1;
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..12 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        std::thread::sleep(Duration::from_micros(random % 150_000));
        // Asking who it is starts the next one where there is none.
        signal("KILL", daemon(&home));
    }
    daemon(&home);
    let (_, to) = span(Duration::from_millis(200));
    let got = part(&capped, &other, begin, to);
    assert!((4.0..40.0).contains(&got), "{got:.1} percent for one who may have 20");
    // Several that die one after the other may be in the way of the same wait.
    assert_not_longer(&[&capped, &other].map(|tenant| longer(tenant, before, to) / 2));
    assert_eq!(home.status()["tenants"].as_array().map(Vec::len), Some(2));
    let (from, to) = span(Duration::from_secs(1));
    let got = part(&capped, &other, from, to);
    assert!((14.0..26.0).contains(&got), "{got:.1} percent under the last daemon");
    [capped, other].into_iter().for_each(Load::end);
}

/// A daemon that is stopped says nothing, and is as good as dead; when it goes on, so does all it did.
#[test]
fn a_daemon_that_is_stopped_is_missed_by_nobody() {
    let home = Home::paced();
    let capped = ["--mem", "256M", "--name", "capped", "--compute", "20", "--policy", "fixed"];
    let capped = home.load(&capped, ROUNDS, "");
    let other = load(&home, "other", 50, "");
    other.goes_on(50);
    let pid = daemon(&home);
    for _ in 0..10 {
        let before = span(Duration::from_millis(120));
        signal("STOP", pid);
        let (_, to) = span(Duration::from_millis(80));
        assert_not_longer(&[&capped, &other].map(|tenant| longer(tenant, before, to)));
        signal("CONT", pid);
        span(Duration::from_millis(50));
    }
    signal("STOP", pid);
    let (from, to) = span(Duration::from_millis(1000));
    let [capped_done, other_done] = [&capped, &other].map(|load| load.done(from, to));
    assert!(capped_done > 0 && other_done > 0, "{capped_done} {other_done}");
    // Each by itself: its own share of the second and not more, by the times it has learnt.
    let got = part(&capped, &other, from, to);
    assert!((15.0..45.0).contains(&got), "{got:.1} of 20 to 50");
    signal("CONT", pid);
    span(Duration::from_millis(300));
    let (from, to) = span(Duration::from_secs(1));
    let got = part(&capped, &other, from, to);
    assert!((14.0..26.0).contains(&got), "{got:.1} percent again");
    [capped, other].into_iter().for_each(Load::end);
}

/// A machine that stood still, as one does that is a paused guest: afterwards all is as before, and nobody has the time that
/// was nobody's.
#[test]
fn after_standing_still_all_is_as_before() {
    let home = Home::paced();
    let large = load(&home, "large", 70, "");
    let small = load(&home, "small", 30, "");
    small.goes_on(30);
    let daemon = daemon(&home);
    let everybody = [u64::from(large.pid()), u64::from(small.pid()), daemon];
    everybody.iter().for_each(|pid| signal("STOP", *pid));
    std::thread::sleep(Duration::from_secs(5));
    everybody.iter().for_each(|pid| signal("CONT", *pid));
    let (from, to) = span(Duration::from_millis(300));
    for tenant in [&large, &small] {
        let gap = tenant.longest_gap(from, to);
        assert!(gap < Duration::from_millis(150), "{gap:?}: who was away longest does not have it all");
    }
    let (from, to) = span(Duration::from_millis(1200));
    let got = part(&large, &small, from, to);
    assert!((64.0..76.0).contains(&got), "{got:.1} percent of 70");
    [large, small].into_iter().for_each(Load::end);
}

/// The time of day may be set while the daemon and its tenants run. Turns, leases and waits are none of its business.
#[test]
fn a_wall_clock_that_jumps_changes_nothing() {
    let home = Home::paced();
    let jumping = c_library("jumping");
    let mut node = home.cleave(["node"]);
    let mut node = node.env("LD_PRELOAD", &jumping).stdout(Stdio::null()).spawn().expect("a daemon");
    until("the daemon", PATIENCE, || UnixStream::connect(home.node().join("node.sock")).ok());
    let load = |name: &str, compute: &str| {
        let words = ["--mem", "256M", "--name", name, "--compute", compute];
        let mut run = home.run(words, c_client("load"));
        run.env("LD_PRELOAD", &jumping);
        home.load_by(run, ROUNDS)
    };
    let (large, small) = (load("large", "70"), load("small", "30"));
    small.goes_on(50);
    let daemon = daemon(&home);
    assert_eq!(daemon, u64::from(node.id()));
    for pid in [u64::from(large.pid()), u64::from(small.pid()), daemon] {
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).expect("it lives");
        assert!(maps.contains("jumping.so"), "{pid} has another clock");
    }
    let (from, to) = span(Duration::from_millis(1500));
    let got = part(&large, &small, from, to);
    assert!((64.0..76.0).contains(&got), "{got:.1} percent of 70");
    assert_short(&[large.longest_gap(from, to), small.longest_gap(from, to)]);
    assert_eq!(home.status()["tenants"].as_array().map(Vec::len), Some(2), "nobody's time was over");
    assert_eq!(home.status()["node"]["pid"].as_u64(), Some(daemon), "nor the daemon's");
    [large, small].into_iter().for_each(Load::end);
    node.kill().expect("it can be ended");
    node.wait().expect("it can be waited for");
}

/// A tenant may write anything into its own page, and ring for ever.
#[test]
fn a_liar_harms_itself_alone() {
    let home = Home::paced();
    let honest = load(&home, "honest", 50, "");
    honest.goes_on(20);
    // Its own account may be anything: it is not asked for it.
    let file = home.folder().join("liars");
    let mut run = home.run(["--mem", "256M", "--name", "liar", "--compute", "50"], c_client("load"));
    run.arg(file)
        .args([&ROUNDS.to_string(), "lie"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut liar = run.spawn().expect("a liar");
    let pid = daemon(&home);
    span(Duration::from_millis(300));
    let slip = home.slip();
    let before = cpu_time(pid);
    let (from, to) = span(Duration::from_secs(2));
    let used = cpu_time(pid) - before;
    let seconds = Duration::from_nanos(to - from).saturating_sub(home.slip() - slip).as_secs_f64();
    let kernels = honest.done(from, to) as f64 / seconds;
    // Half of what a device alone does.
    assert!(kernels >= 0.45 * SOLO, "{kernels:.0} kernels a second");
    assert!(used < Duration::from_millis(600), "{used:?} of two seconds");
    assert_eq!(daemon(&home), pid, "the same daemon");
    let _gone_is_fine = liar.kill();
    liar.wait().expect("it can be waited for");
    honest.goes_on(20);
    honest.end();
}

/// Kernels of [`ROUNDS`] rounds that a paced device does in a second.
const SOLO: f64 = 2180.0;

/// What a process used of the processors so far.
fn cpu_time(pid: u64) -> Duration {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("the daemon lives");
    let fields: Vec<&str> = text.rsplit_once(')').expect("a name").1.split_whitespace().collect();
    let ticks: u64 = [11, 12].iter().map(|field| fields[*field].parse::<u64>().expect("a number")).sum();
    Duration::from_millis(ticks * 10)
}

/// A kernel that does not end cannot be taken off the device: the device shares itself out, and everybody is told.
#[test]
fn an_endless_kernel_is_shown_and_killed() {
    let home = Home::paced();
    let other = load(&home, "other", 50, "");
    let mut endless = load(&home, "endless", 50, "endless");
    endless.goes_on(20);
    endless.closes_input();
    endless.hears("endless");
    until("it to be shown", PATIENCE, || {
        let said = say(&mut home.cleave(["ps"]));
        said.out.contains("not preemptible").then_some(())
    });
    let (from, to) = span(Duration::from_secs(1));
    // Half a device by its own round robin.
    let done = other.done(from, to) as f64;
    assert!(done > 0.3 * SOLO, "{done} kernels in a second");
    assert_short(&[other.longest_gap(from, to)]);
    let said = say(&mut home.cleave(["kill", "endless"]));
    assert!(said.status.success(), "{said:?}");
    endless.wait();
    other.goes_on(20);
    let slip = home.slip();
    let (from, to) = span(Duration::from_millis(700));
    let seconds = Duration::from_nanos(to - from).saturating_sub(home.slip() - slip).as_secs_f64();
    let kernels = other.done(from, to) as f64 / seconds;
    assert!(kernels > 0.9 * SOLO, "{kernels:.0} kernels a second");
    other.end();
}

/// Containers may have a clock of their own; what stands in shared pages is one time for all.
#[test]
fn a_tenant_in_another_time_namespace_has_its_share() {
    let shifted = ["-T", "--monotonic", "100000", "--boottime", "100000"];
    let can = Command::new("unshare").args(shifted).arg("true").stderr(Stdio::null()).status();
    if !can.is_ok_and(|status| status.success()) {
        println!("skipped: a tenant in another time namespace (this user may not make one)");
        return;
    }
    let home = Home::paced();
    let native = load(&home, "native", 60, "");
    let mut command = home.run(["--mem", "256M", "--name", "foreign", "--compute", "40"], "unshare");
    command.args(shifted).arg(c_client("load"));
    let foreign = home.load_by(command, ROUNDS);
    foreign.goes_on(50);
    let before = foreign.moments().len();
    let (from, to) = span(Duration::from_millis(1500));
    // Its moments are of its own clock.
    let theirs = (foreign.moments().len() - before) as f64;
    let got = 100.0 * theirs / (theirs + native.done(from, to) as f64);
    assert!((35.0..45.0).contains(&got), "{got:.1} percent of 40");
    assert_short(&[native.longest_gap(from, to)]);
    [native, foreign].into_iter().for_each(Load::end);
}
