//! Shares of compute, measured by what programs get done compared with having the device alone: they count their own finished
//! kernels, and nothing else is believed. The device is paced: its time is a model's, however slow the machine is.
#![cfg(feature = "dist")]

use std::time::Duration;

use cleave_tenancy::{Home, Load, say, span, until};

/// Rounds of the kernel: a millisecond or so.
const ROUNDS: u32 = 40;

/// What tenants together get done, in percent of what one alone would; the rest is switches, and a machine with more to do than
/// this test. The benchmark of shares holds it to much more.
const TOGETHER: f64 = 80.0;

/// What a device alone gets done, in kernels per second: one over the time from the end of a kernel to the end of the next, as
/// it mostly is. A moment in which this machine had other things to do does not count.
fn solo(home: &Home) -> f64 {
    let load = home.bare_load(ROUNDS);
    load.goes_on(300);
    let moments = load.moments();
    load.end();
    let mut apart: Vec<u64> = moments.windows(2).map(|two| two[1] - two[0]).collect();
    apart.sort_unstable();
    1e9 / apart[apart.len() / 2] as f64
}

/// Kernels per second of the device's time, over a while from now on. Time in which the device stood still because the machine
/// was too slow for it is nobody's.
fn rates(home: &Home, loads: &[&Load], length: Duration) -> Vec<f64> {
    let slip = home.slip();
    let (from, to) = span(length);
    let stood = home.slip() - slip;
    let seconds = (Duration::from_nanos(to - from).saturating_sub(stood)).as_secs_f64();
    assert!(
        seconds > length.as_secs_f64() / 2.0,
        "the machine is too slow to measure anything: {stood:?} lost"
    );
    loads.iter().map(|load| load.done(from, to) as f64 / seconds).collect()
}

/// What each gets, in percent of what one alone would.
fn percents(home: &Home, solo: f64, loads: &[&Load], length: Duration) -> Vec<f64> {
    rates(home, loads, length).into_iter().map(|rate| 100.0 * rate / solo).collect()
}

/// Saturating tenants have the device as asked, within five points of what they have together, and that is nearly all of it.
fn assert_shared(got: &[f64], asked: &[f64]) {
    let together: f64 = got.iter().sum();
    let near = got.iter().zip(asked).all(|(got, asked)| (100.0 * got / together - asked).abs() <= 5.0);
    assert!(near && got.len() == asked.len(), "got {got:.1?} percent, asked for {asked:.1?}");
    assert!((TOGETHER..103.0).contains(&together), "got {got:.1?} percent, {together:.1} in all");
}

fn set(home: &Home, words: &[&str]) {
    let said = say(&mut home.cleave([&["set"], words].concat()));
    assert!(said.status.success(), "{said:?}");
}

const TENANT: [&str; 2] = ["--mem", "256M"];

fn load(home: &Home, words: &[&str]) -> Load {
    home.load(&[&TENANT, words].concat(), ROUNDS, "")
}

#[test]
fn what_is_asked_for_is_what_is_got() {
    let home = Home::paced();
    let solo = solo(&home);
    let large = load(&home, &["--compute", "70"]);
    let small = load(&home, &["--compute", "30"]);
    large.goes_on(60);
    let got = percents(&home, solo, &[&large, &small], Duration::from_secs(2));
    assert_shared(&got, &[70.0, 30.0]);
    [large, small].into_iter().for_each(Load::end);
}

/// A change acts within a tenth of a second, by the programs' own counts.
#[test]
fn a_share_changes_at_once() {
    let home = Home::paced();
    let solo = solo(&home);
    let one = load(&home, &["--name", "one", "--compute", "20"]);
    let other = load(&home, &["--name", "other", "--compute", "50"]);
    set(&home, &["other", "--policy", "fixed"]);
    let before = percents(&home, solo, &[&one, &other], Duration::from_millis(600));
    assert!(before[1] < 55.0, "{before:?}");
    let after = after(&home, solo, &["other", "--compute", "10"], &[&one, &other]);
    assert_shared(&after, &[90.0, 10.0]);
    [one, other].into_iter().for_each(Load::end);
}

/// What two tenants of a device get from a tenth of a second after a change on.
fn after(home: &Home, solo: f64, change: &[&str], loads: &[&Load]) -> Vec<f64> {
    set(home, change);
    std::thread::sleep(Duration::from_millis(100));
    percents(home, solo, loads, Duration::from_millis(900))
}

/// So do policies and priorities.
#[test]
fn a_policy_and_a_priority_change_at_once() {
    let home = Home::paced();
    let solo = solo(&home);
    let one = load(&home, &["--name", "one", "--compute", "25"]);
    let other = load(&home, &["--name", "other", "--compute", "25"]);
    let after = |change: &[&str]| after(&home, solo, change, &[&one, &other]);
    other.goes_on(60);
    assert_shared(&percents(&home, solo, &[&one, &other], Duration::from_millis(600)), &[50.0, 50.0]);
    // What nobody asked for goes to whoever has the higher priority.
    assert_shared(&after(&["one", "--priority", "1"]), &[75.0, 25.0]);
    assert_shared(&after(&["other", "--priority", "2"]), &[25.0, 75.0]);
    assert_shared(&after(&["other", "--policy", "fixed"]), &[75.0, 25.0]);
    assert_shared(&after(&["other", "--policy", "best-effort"]), &[100.0, 0.0]);
    assert_shared(&after(&["other", "--policy", "burst", "--compute", "40"]), &[25.0, 75.0]);
    [one, other].into_iter().for_each(Load::end);
}

#[test]
fn fixed_alone_stays_limited() {
    let home = Home::paced();
    let solo = solo(&home);
    let alone = load(&home, &["--compute", "30", "--policy", "fixed"]);
    alone.goes_on(30);
    let got = percents(&home, solo, &[&alone], Duration::from_millis(1500))[0];
    // Never more; and less only as this machine is busy, since who comes late for its turn does not get it twice.
    assert!((15.0..33.0).contains(&got), "{got:.1} percent of 30");
    alone.end();
}

/// Lent time is given back: a tenant with a tenth of the device has all of it as long as nobody else is there.
#[test]
fn burst_has_what_others_leave() {
    let home = Home::paced();
    let solo = solo(&home);
    let one = load(&home, &["--compute", "10"]);
    one.goes_on(60);
    let alone = percents(&home, solo, &[&one], Duration::from_millis(700));
    assert!(alone[0] >= TOGETHER, "{alone:?}");
    let other = load(&home, &["--compute", "90"]);
    other.goes_on(30);
    let got = percents(&home, solo, &[&one, &other], Duration::from_millis(1500));
    assert_shared(&got, &[10.0, 90.0]);
    other.end();
    one.goes_on(30);
    let again = percents(&home, solo, &[&one], Duration::from_millis(500));
    assert!(again[0] >= TOGETHER, "{again:?}");
    one.end();
}

#[test]
fn best_effort_gives_way() {
    let home = Home::paced();
    let solo = solo(&home);
    let lowly = load(&home, &["--policy", "best-effort"]);
    lowly.goes_on(50);
    let alone = percents(&home, solo, &[&lowly], Duration::from_millis(500));
    assert!(alone[0] >= TOGETHER, "{alone:?}");
    let owner = load(&home, &["--compute", "40"]);
    owner.goes_on(50);
    let got = percents(&home, solo, &[&owner, &lowly], Duration::from_secs(1));
    assert!(got[0] >= TOGETHER - 5.0 && got[1] <= 8.0, "{got:?}");
    owner.end();
    lowly.goes_on(50);
    lowly.end();
}

#[test]
fn exclusive_and_timetables_are_booked() {
    let home = Home::paced();
    let tide = load(&home, &["--name", "tide", "--policy", "tidal=00:00-12:00=60,12:00-00:00=61"]);
    let said = say(&mut home.run([&TENANT[..], &["--compute", "40"]].concat(), "true"));
    assert!(said.err.contains("39 % compute at every minute of the day"), "{said:?}");
    let said = say(&mut home.run([&TENANT[..], &["--policy", "exclusive"]].concat(), "true"));
    assert!(said.err.contains("no device has nobody else on it"), "{said:?}");
    let grant = home.status()["tenants"][0]["grants"][0].clone();
    assert!(grant["compute"] == 60 || grant["compute"] == 61, "{grant}");
    assert_eq!(grant["policy"], "tidal=00:00-12:00=60,12:00-00:00=61");
    tide.end();
    let said = say(&mut home.run([&TENANT[..], &["--policy", "exclusive"]].concat(), "true"));
    assert!(said.status.success(), "{said:?}");
}

/// What the daemon tells of it agrees with what the programs counted.
#[test]
fn what_is_shown_is_what_was_got() {
    let home = Home::paced();
    let solo = solo(&home);
    let one = load(&home, &["--name", "one", "--compute", "60"]);
    let other = load(&home, &["--name", "other", "--compute", "40"]);
    other.goes_on(60);
    let got = percents(&home, solo, &[&one, &other], Duration::from_millis(1500));
    let status = home.status();
    let shown = |name: &str| {
        let tenants = status["tenants"].as_array().expect("tenants");
        let tenant = tenants.iter().find(|tenant| tenant["name"] == name).expect("the tenant");
        let grant = &tenant["grants"][0];
        assert!(grant["history"].as_array().is_some_and(|seconds| !seconds.is_empty()), "{grant}");
        assert!(grant["waiting_percent"].as_f64().is_some_and(|percent| percent > 10.0), "{grant}");
        grant["got_percent"].as_f64().expect("a number")
    };
    assert_shared(&got, &[60.0, 40.0]);
    assert_shared(&[shown("one"), shown("other")], &[60.0, 40.0]);
    let busy = status["devices"][0]["busy_percent"].as_f64();
    assert!(busy.is_some_and(|busy| (90.0..101.0).contains(&busy)), "{busy:?}");
    [one, other].into_iter().for_each(Load::end);
}

/// A tenant that is alone and never waits for what it launched is seen to do nothing as soon as that is done.
#[test]
fn who_rests_is_not_shown_at_work() {
    let home = Home::paced();
    let mut rests = home.load(&[&TENANT[..], &["--compute", "50"]].concat(), ROUNDS, "rest");
    rests.goes_on(200);
    rests.closes_input();
    rests.hears("resting");
    until("it to be seen to rest", Duration::from_secs(5), || {
        let grant = &home.status()["tenants"][0]["grants"][0];
        (grant["got_percent"] == 0.0 && grant["not_preemptible"] == false).then_some(())
    });
}
