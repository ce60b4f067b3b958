//! A home of the node, apart from the machine's: its own daemon, its own software GPU.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::Dist;

/// A folder with a node's state and a software GPU; gone when dropped, with whatever still lives from it.
pub struct Home {
    dist: Dist,
    folder: PathBuf,
    variables: Vec<(String, String)>,
    /// Held while this home measures time.
    _alone: Option<MutexGuard<'static, ()>>,
}

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

impl Home {
    /// An empty home with a software GPU that has one device of 4 GiB.
    pub fn new() -> Home {
        Home::with(&[])
    }

    /// As [`new`](Home::new), with further variables, which say how the software GPU is made.
    pub fn with(variables: &[(&str, &str)]) -> Home {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let base =
            if Path::new("/dev/shm").is_dir() { PathBuf::from("/dev/shm") } else { std::env::temp_dir() };
        let name = format!("cleave-test-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
        let folder = base.join(name);
        std::fs::create_dir_all(folder.join("gpu")).expect("a folder for the test");
        let variables = variables.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        Home { dist: Dist::find(), folder, variables, _alone: None }
    }

    /// A home whose software GPU takes the time a modelled device would take. There is one such home at a time in a test
    /// program: what is measured is not the other tests' load.
    pub fn paced() -> Home {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut home = Home::with(&[("CLEAVE_SOFTGPU_PRESET", "paced")]);
        home._alone = Some(alone);
        home
    }

    /// The folder of all of it, for what a test wants to leave there.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The node's home.
    pub fn node(&self) -> PathBuf {
        self.folder.join("node")
    }

    /// The build under test.
    pub fn dist(&self) -> &Dist {
        &self.dist
    }

    /// `program` in the environment of this home: what it starts finds this node and this software GPU.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        for name in ["LD_PRELOAD", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CLEAVE_TENANT", "CLEAVE_LOG"] {
            command.env_remove(name);
        }
        command.env("CLEAVE_HOME", self.node()).env("CLEAVE_SOFTGPU", self.folder.join("gpu"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null());
        command
    }

    /// `program` on the software GPU, without any quota.
    pub fn native(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.command(program);
        command.env("LD_LIBRARY_PATH", self.dist.softgpu());
        command
    }

    /// `cleave` with these words.
    pub fn cleave<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Command {
        let mut command = self.command(self.dist.cleave());
        command.args(words);
        command
    }

    /// `cleave run <words> -- <program>`; arguments for the program may follow.
    pub fn run<S: AsRef<OsStr>>(
        &self,
        words: impl IntoIterator<Item = S>,
        program: impl AsRef<OsStr>,
    ) -> Command {
        let mut command = self.cleave(["run"]);
        command.args(words).arg("--").arg(program);
        command
    }

    /// What `cleave ps --json` shows now.
    pub fn status(&self) -> Value {
        let said = say(&mut self.cleave(["ps", "--json"]));
        serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error} in {said:?}"))
    }
}

impl Default for Home {
    fn default() -> Home {
        Home::new()
    }
}

/// Runs a command to its end.
pub fn say(command: &mut Command) -> Said {
    let Output { status, stdout, stderr } = command.output().expect("the command can be started");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Said { status, out: text(stdout), err: text(stderr) }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.end_all();
        let _absent_is_fine = std::fs::remove_dir_all(&self.folder);
    }
}

impl Home {
    /// Kills whatever has this home in its environment: the daemon, and what a failed test left behind.
    fn end_all(&self) {
        let mark = format!("CLEAVE_HOME={}", self.node().display());
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        for process in processes {
            let Some(pid) = process.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
            let ours = environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes());
            if ours && pid != std::process::id() {
                let _gone_is_fine =
                    Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status();
            }
        }
    }
}
