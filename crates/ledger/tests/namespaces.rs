//! The same pages and tokens from other namespaces: one time, and pids where they can be seen.

#[allow(unsafe_code, dead_code)]
mod process_unsafe;

use std::path::Path;
use std::process::{Command, Output};

use cleave_ledger::{Tokens, clock, futex};
use process_unsafe::{Folder, again, role, skipped};

/// The words that start a program in new namespaces, if this machine allows it.
fn unshare(flags: &[&'static str]) -> Option<Vec<&'static str>> {
    let as_root = [&["unshare"], flags].concat();
    let as_user = [&["unshare", "--user", "--map-root-user"], flags].concat();
    let works = |words: &Vec<&str>| {
        let answer = Command::new(words[0]).args(&words[1..]).arg("true").output();
        answer.is_ok_and(|output| output.status.success())
    };
    [as_root, as_user].into_iter().find(works)
}

fn run(before: &[&str], name: &str, role: &str, folder: &Path) -> String {
    let Output { status, stdout, stderr } =
        again(before, name, role, folder).output().expect("this test again");
    let text = String::from_utf8_lossy(&stdout).into_owned();
    assert!(status.success(), "{text}{}", String::from_utf8_lossy(&stderr));
    text
}

/// The number behind `key=` in what a child printed.
fn number(text: &str, key: &str) -> Option<u64> {
    let value = &text[text.find(key)? + key.len()..];
    value.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[test]
fn a_shifted_clock_reads_the_same_time() {
    const NAME: &str = "a_shifted_clock_reads_the_same_time";
    if role().is_some() {
        let now = clock::now_ns();
        // On the shifted clock both would return at once, or in a day.
        clock::sleep_until(now + 2_000_000);
        assert!(!futex::wait(&0.into(), 0, Some(now + 4_000_000)));
        assert!((4_000_000..60_000_000_000).contains(&(clock::now_ns() - now)));
        println!(
            "now={now} own={}",
            std::fs::read_to_string("/proc/self/timens_offsets").unwrap_or_default()
        );
        return;
    }
    let folder = Folder::new("time");
    for shift in ["100000", "-20"] {
        let Some(mut words) = unshare(&["--time", "--fork"]) else {
            return skipped("time namespaces", "unshare --time is not permitted here");
        };
        words.extend(["--monotonic", shift]);
        let before = clock::now_ns();
        let text = run(&words, NAME, "child", folder.path());
        let now = number(&text, "now=").expect("a time");
        assert!((before..clock::now_ns()).contains(&now), "{now} is not after {before}: {text}");
        assert!(text.contains(shift), "the child's clock is not shifted: {text}");
    }
}

#[test]
fn a_holder_that_cannot_be_seen_is_alive_and_has_no_pid() {
    const NAME: &str = "a_holder_that_cannot_be_seen_is_alive_and_has_no_pid";
    if let Some((_, folder)) = role() {
        let tokens = Tokens::open(&folder.join("lock")).unwrap();
        assert!(!tokens.hold(9).unwrap());
        let pid = tokens.probe(9).unwrap().expect("a holder");
        assert!(tokens.hold(10).unwrap());
        println!("pid={pid} own={}", tokens.probe(10).unwrap().expect("ourselves"));
        return;
    }
    let folder = Folder::new("pids");
    std::fs::write(folder.path().join("lock"), "").unwrap();
    let tokens = Tokens::open(&folder.path().join("lock")).unwrap();
    assert!(tokens.hold(9).unwrap());
    let Some(words) = unshare(&["--pid", "--fork"]) else {
        return skipped("pid namespaces", "unshare --pid is not permitted here");
    };
    let text = run(&words, NAME, "child", folder.path());
    assert_eq!(number(&text, "pid="), Some(0), "{text}");
    assert_eq!(number(&text, "own="), Some(1), "{text}");
    assert_eq!(tokens.probe(10).unwrap(), None, "its token fell with it");
}
