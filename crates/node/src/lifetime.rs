//! How long a tenant lasts: its main process, the processes with a seat, those that carry its name in their environment.

use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::sys_unsafe;

/// The variable by which a tenant's processes know their folder.
pub const VARIABLE: &str = "CLEAVE_TENANT";

/// One process of one boot of the machine: its number alone may be another's tomorrow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Main {
    pub pid: u32,
    /// When it was started, in the kernel's ticks since boot.
    pub started: u64,
    pub boot: String,
}

impl Main {
    /// The process that has this number now.
    pub fn of(pid: u32) -> Option<Main> {
        Some(Main { pid, started: start_time(pid)?, boot: boot() })
    }

    /// Whether it still is the process that has this number. A process that has ended and was not waited for yet is not.
    fn is_there(&self) -> bool {
        self.boot == boot() && start_time(self.pid) == Some(self.started)
    }
}

/// Keeps an eye on a process.
#[derive(Debug)]
pub struct Watch {
    main: Main,
    /// None where the kernel has none to give: then its entry in /proc is looked at.
    process: Option<OwnedFd>,
}

impl Watch {
    /// On the process at the other end of a socket; `process` is its descriptor, if there is one.
    pub fn on_peer(pid: u32, process: Option<OwnedFd>) -> Option<Watch> {
        let process = process.or_else(|| sys_unsafe::open_process(pid).ok());
        let main = Main::of(pid)?;
        let watch = Watch { main, process };
        // The number was read first: if the process lives now, it was its own all the time.
        watch.is_alive().then_some(watch)
    }

    /// On a process an earlier daemon knew, if it still is that one.
    pub fn again(main: &Main) -> Option<Watch> {
        let process = sys_unsafe::open_process(main.pid).ok();
        let watch = Watch { main: main.clone(), process };
        (main.is_there() && watch.is_alive()).then_some(watch)
    }

    pub fn main(&self) -> &Main {
        &self.main
    }

    pub fn is_alive(&self) -> bool {
        match &self.process {
            Some(process) => {
                let dead = sys_unsafe::readable(&[process.as_fd()], Duration::ZERO);
                dead.is_ok_and(|dead| dead == [false])
            }
            None => self.main.is_there(),
        }
    }

    /// Becomes readable when the process dies.
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.process.as_ref().map(AsFd::as_fd)
    }
}

/// Processes that were started with `folder` as their tenant. `proc` is where the kernel shows processes.
pub fn carriers(proc: &Path, folder: &Path) -> impl Iterator<Item = u32> {
    let entry = [VARIABLE.as_bytes(), b"=", folder.as_os_str().as_bytes()].concat();
    processes(proc).filter(move |pid| {
        let environment = fs::read(proc.join(pid.to_string()).join("environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable == entry)
    })
}

/// The processes above `pid`, nearest first.
pub fn ancestors(proc: &Path, pid: u32) -> Vec<u32> {
    let mut line = Vec::new();
    let mut at = pid;
    // A bound, should the kernel show us a moving picture.
    while line.len() < 256 {
        let Some(parent) = stat(proc, at).and_then(|fields| fields.get(PARENT)?.parse().ok()) else { break };
        if parent == 0 {
            break;
        }
        line.push(parent);
        at = parent;
    }
    line
}

/// Every process that can be seen.
pub fn processes(proc: &Path) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(proc).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// What a process was started as; empty if it cannot be seen.
pub fn process_name(pid: u32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let program = line.split(|&byte| byte == 0).next().unwrap_or_default();
    if !program.is_empty() {
        return String::from_utf8_lossy(program).into_owned();
    }
    fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim_end().into()
}

/// This boot of the machine.
fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().into()
}

/// Fields of a process's stat, counted from the one behind its name.
const STATE: usize = 0;
const PARENT: usize = 1;
const STARTED: usize = 19;

fn start_time(pid: u32) -> Option<u64> {
    let fields = stat(Path::new("/proc"), pid)?;
    let ended = matches!(fields.get(STATE)?.as_str(), "Z" | "X" | "x");
    if ended { None } else { fields.get(STARTED)?.parse().ok() }
}

/// The name of a process may hold anything, a closing bracket included: what counts stands behind the last one.
fn stat(proc: &Path, pid: u32) -> Option<Vec<String>> {
    let text = fs::read(proc.join(pid.to_string()).join("stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let fields = text.rsplit_once(')')?.1;
    Some(fields.split_whitespace().map(str::to_string).collect())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_process_is_known_again_and_its_successor_is_not() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let main = Main::of(child.id()).unwrap();
        assert!(Watch::again(&main).is_some_and(|watch| watch.is_alive()));
        let successor = Main { started: main.started + 1, ..main.clone() };
        assert!(Watch::again(&successor).is_none(), "the same number, another process");
        let rebooted = Main { boot: "another".into(), ..main.clone() };
        assert!(Watch::again(&rebooted).is_none());
        let watch = Watch::on_peer(child.id(), None).unwrap();
        let blind = Watch { main: main.clone(), process: None };
        assert!(watch.is_alive() && blind.is_alive());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!watch.is_alive() && !blind.is_alive());
        assert!(Watch::again(&main).is_none());
    }

    #[test]
    fn what_proc_shows_is_read_as_the_kernel_writes_it() {
        let scratch = Scratch::new();
        let write = |pid: &str, stat: &str, environ: &[u8]| {
            let folder = scratch.path().join(pid);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("stat"), stat).unwrap();
            fs::write(folder.join("environ"), environ).unwrap();
        };
        write("7", "7 (a) b) c) S 5 7", b"A=1\0CLEAVE_TENANT=/h/tenants/x\0B=2\0");
        write("5", "5 (sh) S 1 5", b"XCLEAVE_TENANT=/h/tenants/y\0CLEAVE_TENANT=/h/tenants/xx\0");
        write("1", "1 (init) S 0 1", b"");
        write("9", "garbage", b"\xff\xfe");
        assert_eq!(ancestors(scratch.path(), 7), [5, 1]);
        assert_eq!(ancestors(scratch.path(), 9), [0_u32; 0]);
        assert_eq!(carriers(scratch.path(), Path::new("/h/tenants/x")).collect::<Vec<u32>>(), [7]);
        assert_eq!(carriers(scratch.path(), Path::new("/h/tenants/y")).count(), 0);
        assert_eq!(processes(scratch.path()).count(), 4);
    }
}
