//! Tests that need a device of their own, and processes of their own: settings are read once per process.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cleave_device::chunks::{Holder, Wants};
use cleave_device::usage::{BUCKET_NS, Usage};
use cleave_device::{Engine, Machine, Request};

const CHILD: &str = "CLEAVE_TEST_CHILD";
const GUEST: &str = "CLEAVE_TEST_GUEST";

/// A folder for a device, gone when it is dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let base = ["/dev/shm", "/tmp"].into_iter().map(Path::new).find(|base| base.is_dir());
        let path = base.expect("a folder for temporary files");
        let path = path.join(format!("cleave-nvml-test-{}-{name}", std::process::id()));
        std::fs::create_dir(&path).expect("the folder is new");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs `body` in a new process on a new device. `name` is the full name of the calling test.
pub fn run(name: &str, settings: &[(&str, &str)], body: impl FnOnce()) {
    if std::env::var(CHILD).is_ok_and(|child| child == name) {
        return body();
    }
    let folder = Folder::new(name);
    let mut child = again(name);
    child.env("CLEAVE_SOFTGPU", &folder.0).envs(settings.iter().copied());
    let output = child.output().expect("this test runs again");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && text.contains("1 passed"),
        "child of {name} failed:\n{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// This test binary, to run one test once more.
fn again(test: &str) -> Command {
    let exe = std::env::current_exe().expect("this test has a path");
    let mut child = Command::new(exe);
    child.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(CHILD, test);
    child
}

/// Another process on the device of this one: it holds chunks of device 0 and keeps its GR busy.
pub struct Guest(pub Child);

impl Guest {
    /// Starts it through `test`, which calls [`guest`] first.
    pub fn start(test: &str, chunks: u64, percent: u64) -> Guest {
        let mut command = again(test);
        command.env(GUEST, format!("{chunks} {percent}")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a guest starts");
        let lines = BufReader::new(child.stdout.take().expect("a piped output")).lines();
        let mut lines = lines.map_while(Result::ok);
        assert!(lines.any(|line| line.ends_with("ready")), "the guest is ready");
        Guest(child)
    }

    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    pub fn kill(&mut self) {
        self.0.kill().expect("it lives");
        self.0.wait().expect("it ends");
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a guest does until its input ends; returns at once in any other process, saying so.
pub fn guest() -> bool {
    let Ok(wanted) = std::env::var(GUEST) else { return false };
    let numbers: Vec<u64> = wanted.split(' ').map(|n| n.parse().expect("a number")).collect();
    let request = Request::of_process().expect("settings");
    let machine = Machine::open(&request).expect("the device");
    let record = machine.join("guest").expect("a record").record();
    let by = Holder { book: machine.seats(0), record };
    machine.chunks(0).claim(by, numbers[0], 0, Wants::Room).expect("room");
    std::thread::spawn(move || keep_busy(machine, machine.usage(0, record), numbers[1]));
    println!("ready");
    let _ended = std::io::stdin().read_to_end(&mut Vec::new());
    true
}

/// Fills past and coming buckets, some ahead of time, so that it does not matter when somebody reads.
fn keep_busy(machine: &Machine, usage: &Usage, percent: u64) {
    let mut next = (machine.clock(0).now() / BUCKET_NS).saturating_sub(11);
    loop {
        let last = machine.clock(0).now() / BUCKET_NS + 10;
        for bucket in next..last {
            let start = bucket * BUCKET_NS;
            usage.of(Engine::Gr).add(start, start + BUCKET_NS / 100 * percent);
        }
        next = last;
        std::thread::sleep(Duration::from_nanos(BUCKET_NS / 2));
    }
}
