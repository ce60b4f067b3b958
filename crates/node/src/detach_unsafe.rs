//! A process that outlives whoever started it.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// The log is begun anew above this size.
const LOG: u64 = 1 << 20;

/// Runs `prepare` and what it gives in a process of its own: a session without a terminal, nobody's child, with none of the
/// caller's files. Returns in the caller when it is prepared, or with the reason why it is not. What `prepare` and `run` do never
/// returns there.
pub fn detach<R: FnOnce() -> Result<()>>(prepare: impl FnOnce() -> Result<R>) -> Result<()> {
    close_inherited();
    for _ in 0..ATTEMPTS {
        let (read, write) = pipe()?;
        // SAFETY: the caller has promised that this process has one thread, so the child may do anything.
        match unsafe { libc::fork() } {
            -1 => return Err(std::io::Error::last_os_error()).context("cannot fork"),
            0 => {
                drop(read);
                // SAFETY: takes nothing. A process that was just forked leads no group, so it may lead a session.
                unsafe { libc::setsid() };
                let _ = std::env::set_current_dir("/");
                let code = child(prepare, write);
                std::process::exit(code)
            }
            _ => {
                drop(write);
                if let Some(outcome) = wait_for(read) {
                    return outcome;
                }
            }
        }
    }
    bail!("the daemon died {ATTEMPTS} times before it served")
}

/// A daemon may be killed while it starts; another one then takes its place.
const ATTEMPTS: u32 = 5;

/// The word by which a child says that it is prepared.
const READY: &str = "ready";

fn child<R: FnOnce() -> Result<()>>(prepare: impl FnOnce() -> Result<R>, mut parent: File) -> i32 {
    let run = match prepare() {
        Ok(run) => run,
        Err(error) => {
            let _ = write!(parent, "{error:#}");
            return 1;
        }
    };
    let _ = parent.write_all(READY.as_bytes());
    drop(parent);
    match run() {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("cleave node: {error:#}");
            1
        }
    }
}

/// What the child says; None if it died before it said anything.
fn wait_for(mut child: File) -> Option<Result<()>> {
    let mut said = String::new();
    let heard = child.read_to_string(&mut said).context("cannot hear the daemon");
    match (heard, said.as_str()) {
        (Err(error), _) => Some(Err(error)),
        (Ok(_), READY) => Some(Ok(())),
        (Ok(_), "") => None,
        (Ok(_), why) => Some(Err(anyhow::anyhow!("{why}"))),
    }
}

/// Standard input and output to nothing, errors to a log.
pub fn redirect(log: &Path) -> Result<()> {
    let long = fs::metadata(log).is_ok_and(|about| about.len() > LOG);
    let mut options = OpenOptions::new();
    options.create(true).mode(0o600);
    let options = if long { options.write(true).truncate(true) } else { options.append(true) };
    let log = options.open(log).with_context(|| format!("cannot open {}", log.display()))?;
    let null =
        OpenOptions::new().read(true).write(true).open("/dev/null").context("cannot open /dev/null")?;
    for (from, to) in [(&null, 0), (&null, 1), (&log, 2)] {
        // SAFETY: both are open, and the standard library expects nothing of the three but that they are.
        if unsafe { libc::dup2(from.as_raw_fd(), to) } < 0 {
            return Err(std::io::Error::last_os_error()).context("cannot redirect");
        }
    }
    Ok(())
}

fn pipe() -> Result<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(std::io::Error::last_os_error()).context("cannot make a pipe");
    }
    // SAFETY: the kernel has just given us both, and nobody else knows them.
    Ok(ends.map(|fd| unsafe { File::from_raw_fd(fd) }).into())
}

/// Closes what was inherited beyond the standard three: a pipe somebody waits on must not stay open in a daemon.
fn close_inherited() {
    // SAFETY: the caller has promised that this process needs none of them.
    if unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0) } == 0 {
        return;
    }
    let open = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let open: Vec<i32> = open.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for fd in open.into_iter().filter(|fd| *fd > 2) {
        // SAFETY: as above; the folder's own descriptor is closed by now, closing it again does nothing.
        unsafe { libc::close(fd) };
    }
}
