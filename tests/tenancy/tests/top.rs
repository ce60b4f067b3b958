//! `cleave top` on a real terminal, and the numbers for Prometheus.
#![cfg(feature = "dist")]
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use cleave_tenancy::{Home, Terminal, c_client, say, until};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(30);
const MIB: u64 = 1 << 20;

/// A process that is killed when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn daemon(home: &Home, words: &[&str]) -> Running {
    let daemon = home.cleave(["node"]).args(words).stderr(Stdio::null()).spawn().unwrap();
    let daemon = Running(daemon);
    until("the daemon", PATIENCE, || {
        let answers = UnixStream::connect(home.node().join("node.sock")).is_ok();
        (answers && home.status()["node"]["pid"] == daemon.0.id()).then_some(())
    });
    daemon
}

/// A tenant that computes until it is dropped.
fn busy(home: &Home, words: &[&str]) -> Running {
    let mut run = home.run(words, c_client("busy"));
    let mut run =
        Running(run.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut begun = String::new();
    BufReader::new(run.0.stdout.as_mut().unwrap()).read_line(&mut begun).unwrap();
    assert_eq!(begun, "0\n");
    run
}

/// `cleave top` on a terminal, and how that terminal was before.
struct Top<'a> {
    terminal: &'a Terminal,
    child: Running,
    before: String,
}

const TAKEN: &str = "\u{1b}[?1049h";
const GIVEN_BACK: &str = "\u{1b}[?1049l";
const CURSOR: &str = "\u{1b}[?25h";

impl<'a> Top<'a> {
    fn start(home: &Home, terminal: &'a Terminal) -> Top<'a> {
        terminal.forget();
        let before = terminal.manner();
        let mut command = home.cleave(["top", "--interval", "0.2"]);
        command.env("LANG", "C.UTF-8").env("TERM", "xterm-256color").env_remove("LC_ALL");
        Top { terminal, child: Running(terminal.start(&command)), before }
    }

    /// Waits until a text is drawn.
    fn shows(&self, text: &str) {
        until(text, PATIENCE, || self.terminal.written().contains(text).then_some(()));
    }

    /// Waits for its end; the terminal is as it was.
    fn ends(mut self) -> ExitStatus {
        let status = until("the end of top", PATIENCE, || self.child.0.try_wait().unwrap());
        assert_eq!(self.terminal.manner(), self.before, "keys are read as before");
        let last = |text: &str| self.terminal.written().rfind(text);
        until("the end of what it wrote", PATIENCE, || last(GIVEN_BACK).filter(|at| Some(*at) > last(TAKEN)));
        assert!(last(CURSOR).is_some_and(|at| Some(at) > last("\u{1b}[?25l")), "the cursor is seen again");
        status
    }
}

#[test]
fn it_shows_resizes_sorts_and_gives_the_terminal_back() {
    let home = Home::new();
    let _daemon = daemon(&home, &[]);
    let _tenant = busy(&home, &["--name", "observed", "--mem", "256M", "--compute", "40"]);
    let terminal = Terminal::new(120, 30);
    let top = Top::start(&home, &terminal);
    top.shows("observed");
    top.shows("LAST MINUTE");
    assert_ne!(terminal.manner(), top.before, "keys are read one by one");
    terminal.forget();
    terminal.resize(40, 10);
    top.shows("observed");
    assert!(!terminal.written().contains("LAST MINUTE"), "what does not fit is left out");
    terminal.press(b"g");
    top.shows("got");
    terminal.press(b"q");
    assert_eq!(top.ends().code(), Some(0));

    for key in [&b"\x1b"[..], b"\x03"] {
        let top = Top::start(&home, &terminal);
        top.shows("observed");
        terminal.press(key);
        assert_eq!(top.ends().code(), Some(0), "{key:?}");
    }
    for (name, number) in [("TERM", 15), ("HUP", 1), ("INT", 2)] {
        let top = Top::start(&home, &terminal);
        top.shows("observed");
        let pid = top.child.0.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &pid]).status().unwrap().success());
        assert_eq!(top.ends().signal(), Some(number), "{name}");
    }
}

#[test]
fn it_outlives_daemons() {
    let home = Home::new();
    let terminal = Terminal::new(100, 24);
    let top = Top::start(&home, &terminal);
    top.shows("no daemon, retrying");
    let first = daemon(&home, &[]);
    let _tenant = busy(&home, &["--name", "observed", "--mem", "256M", "--compute", "40"]);
    top.shows("observed");
    terminal.forget();
    drop(first);
    top.shows("no daemon, retrying");
    terminal.forget();
    let _second = daemon(&home, &[]);
    top.shows("observed");
    terminal.press(b"q");
    assert_eq!(top.ends().code(), Some(0));
}

#[test]
fn scripts_get_a_table_or_a_document() {
    let home = Home::new();
    let said = say(&mut home.cleave(["top", "--once"]));
    assert!(said.status.success() && said.out.starts_with("no daemon runs at "), "{said:?}");
    let nobody: Value = serde_json::from_str(&say(&mut home.cleave(["top", "--json"])).out).unwrap();
    assert!(nobody["node"].is_null(), "{nobody}");
    let said = say(&mut home.cleave(["top"]));
    assert!(!said.status.success() && said.err.contains("needs a terminal"), "{said:?}");
    let said = say(&mut home.cleave(["top", "--once", "--interval", "0"]));
    assert!(!said.status.success() && said.err.contains("from 0.1 to 3600"), "{said:?}");

    let _daemon = daemon(&home, &[]);
    let _tenant =
        busy(&home, &["--name", "observed", "--mem", "256M", "--compute", "40", "--policy", "fixed"]);
    let said = say(&mut home.cleave(["top", "--once", "--sort", "got"]));
    assert!(said.status.success(), "{said:?}");
    for part in ["DEVICE", "observed", "40%", "256 MiB", "fixed", "running"] {
        assert!(said.out.contains(part), "{part} in\n{}", said.out);
    }
    let document: Value = serde_json::from_str(&say(&mut home.cleave(["top", "--json"])).out).unwrap();
    assert_eq!(document["tenants"][0]["name"], "observed");
}

/// The page, without its header.
fn page(address: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
    body.into()
}

/// The first sample of a name.
fn sample(page: &str, name: &str) -> f64 {
    let line = page.lines().find(|line| line.starts_with(&format!("{name}{{")));
    line.unwrap_or_else(|| panic!("{name} in\n{page}")).rsplit(' ').next().unwrap().parse().unwrap()
}

/// An address that nobody listens on now.
fn address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// Processes that came and went between two questions have launched all the same.
#[test]
fn launches_outlive_their_process() {
    let home = Home::new();
    let address = address();
    let _daemon = daemon(&home, &["--metrics", &address]);
    let mut run = home.run(["--mem", "256M", "--compute", "40"], "sh");
    // Each launches forty times.
    run.args(["-c", "for each in 1 2 3 4 5; do \"$0\" left || exit; done; echo 0; cat"])
        .arg(c_client("gate"));
    let mut tenant =
        Running(run.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut done = String::new();
    BufReader::new(tenant.0.stdout.as_mut().unwrap()).read_line(&mut done).unwrap();
    assert_eq!(done, "0\n");
    assert_eq!(sample(&page(&address), "cleave_tenant_launches_total"), 200.0);
    assert_eq!(home.status()["tenants"][0]["grants"][0]["launches"], 200);
}

#[test]
fn a_collector_gets_the_same_numbers() {
    let home = Home::new();
    let address = address();
    let _daemon = daemon(&home, &["--metrics", &address]);
    let odd = "ob\"ser\\ved";
    let _tenant = busy(&home, &["--name", odd, "--mem", "256M", "--compute", "40"]);
    let first = page(&address);
    assert_eq!(sample(&first, "cleave_tenant_memory_granted_bytes"), (256 * MIB) as f64);
    assert_eq!(sample(&first, "cleave_tenant_compute_asked_ratio"), 0.4);
    const SUMS: [&str; 3] = [
        "cleave_tenant_launches_total",
        "cleave_tenant_held_seconds_total",
        "cleave_device_busy_seconds_total",
    ];
    until("sums to grow", PATIENCE, || {
        let now = page(&address);
        let grown = |name: &&str| {
            let (before, now) = (sample(&first, name), sample(&now, name));
            assert!(now >= before, "{name} went from {before} to {now}");
            now > before
        };
        SUMS.iter().all(grown).then_some(())
    });
    let said = say(&mut home.cleave(["node", "--metrics", "9400"]));
    assert!(!said.status.success() && said.err.contains("such as 127.0.0.1:9400"), "{said:?}");
    let Some(python) = std::env::var_os("CLEAVE_PROMETHEUS") else {
        println!(
            "skipped: the page read by prometheus_client (CLEAVE_PROMETHEUS names no Python that has it)"
        );
        return;
    };
    let script = "import sys\nfrom prometheus_client.parser import text_string_to_metric_families as read\n\
                  families = list(read(sys.stdin.read()))\n\
                  names = {sample.labels['name'] for family in families for sample in family.samples if 'tenant' in sample.labels}\n\
                  print(len(families), names == {sys.argv[1]})";
    let mut python = Command::new(python)
        .args(["-c", script, odd])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(page(&address).as_bytes()).unwrap();
    let read = python.wait_with_output().unwrap();
    let families = first.lines().filter(|line| line.starts_with("# TYPE ")).count();
    assert_eq!(String::from_utf8_lossy(&read.stdout), format!("{families} True\n"), "{read:?}");
}
