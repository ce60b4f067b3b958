//! A program that loads the device and keeps its own account of what it gets done: nobody's report is believed but its own.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use cleave_ledger::clock;

use crate::{Home, c_client, until};

/// How long a load may take to begin.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running load; killed when it is dropped.
pub struct Load {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
    account: PathBuf,
}

impl Home {
    /// `cleave run <words> -- load …`: kernels of so many rounds, as fast as they are taken.
    pub fn load(&self, words: &[&str], rounds: u32, mode: &str) -> Load {
        Load::start(self, self.run(words, c_client("load")), rounds, mode)
    }

    /// The same, with nothing between the program and the device.
    pub fn bare_load(&self, rounds: u32) -> Load {
        Load::start(self, self.native(c_client("load")), rounds, "")
    }

    /// The same under a command that ends in a program to run.
    pub fn load_by(&self, command: Command, rounds: u32) -> Load {
        Load::start(self, command, rounds, "")
    }

    /// How long the paced device has stood still so far because emulation fell behind.
    pub fn slip(&self) -> Duration {
        let said = crate::say(&mut self.cleave(["softgpu", "--json"]));
        let document: serde_json::Value = serde_json::from_str(&said.out).unwrap_or_default();
        let ns = document["devices"][0]["slip_ns"].as_u64().unwrap_or_else(|| panic!("no slip in {said:?}"));
        Duration::from_nanos(ns)
    }
}

impl Load {
    fn start(home: &Home, mut command: Command, rounds: u32, mode: &str) -> Load {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let account = home.folder().join(format!("account{}", COUNT.fetch_add(1, Relaxed)));
        command.arg(&account).arg(rounds.to_string()).args(Some(mode).filter(|mode| !mode.is_empty()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the load can be started");
        let lines = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        let mut load = Load { child, lines, account };
        load.hears("begun");
        load
    }

    /// Waits for a line of it.
    pub fn hears(&mut self, line: &str) {
        let mut heard = String::new();
        self.lines.read_line(&mut heard).expect("its output can be read");
        assert_eq!(heard.trim_end(), line, "the load ended: {:?}", self.child.try_wait());
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, name: impl AsRef<OsStr>) {
        let mut kill = Command::new("kill");
        let done = kill.arg("-s").arg(name).arg(self.pid().to_string()).status().expect("kill is there");
        assert!(done.success());
    }

    /// Says that it should come to an end.
    pub fn closes_input(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Ends it as it wants to end, and sees that nothing it launched was lost.
    pub fn end(mut self) {
        self.closes_input();
        self.hears("whole");
        assert!(self.child.wait().expect("it can be waited for").success());
    }

    /// Waits until it is gone.
    pub fn wait(mut self) -> ExitStatus {
        self.child.wait().expect("it can be waited for")
    }

    /// When its kernels were done, in nanoseconds of [`clock::now_ns`].
    pub fn moments(&self) -> Vec<u64> {
        let file = File::open(&self.account).expect("its account is there");
        let read = |offset: u64, len: usize| {
            let mut bytes = vec![0; len];
            file.read_exact_at(&mut bytes, offset).expect("its account is whole");
            let (words, _) = bytes.as_chunks::<8>();
            words.iter().map(|word| u64::from_le_bytes(*word)).collect::<Vec<u64>>()
        };
        let count = read(0, 8)[0];
        read(8, count as usize * 8)
    }

    /// Kernels done between two moments.
    pub fn done(&self, from: u64, to: u64) -> usize {
        self.moments().into_iter().filter(|at| (from..to).contains(at)).count()
    }

    /// The longest time without a kernel done, between two moments.
    pub fn longest_gap(&self, from: u64, to: u64) -> Duration {
        let inside = self.moments().into_iter().filter(|at| (from..to).contains(at));
        let edges: Vec<u64> = [from].into_iter().chain(inside).chain([to]).collect();
        Duration::from_nanos(edges.windows(2).map(|two| two[1] - two[0]).max().unwrap_or(0))
    }

    /// Waits until so many more kernels are done.
    pub fn goes_on(&self, more: usize) {
        let before = self.moments().len();
        until("kernels to be done", PATIENCE, || (self.moments().len() >= before + more).then_some(()));
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lets time pass that is measured, and says from when to when it was.
pub fn span(length: Duration) -> (u64, u64) {
    let from = clock::now_ns();
    std::thread::sleep(length);
    (from, clock::now_ns())
}
