//! Processes a test starts: itself again in another role, and forks.

use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const ROLE: &str = "CLEAVE_TEST_ROLE";
const FOLDER: &str = "CLEAVE_TEST_FOLDER";

/// A folder of the test's own, gone when dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let base = Path::new("/dev/shm");
        let base = if base.is_dir() { base.to_owned() } else { std::env::temp_dir() };
        let folder = base.join(format!("cleave-test-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Folder(folder)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The role this process was started in, with its folder; None for the test itself.
pub fn role() -> Option<(String, PathBuf)> {
    Some((std::env::var(ROLE).ok()?, std::env::var_os(FOLDER)?.into()))
}

/// This test binary again, at test `name`, in `role`; `before` are the words that start it, such as unshare's.
pub fn again(before: &[&str], name: &str, role: &str, folder: &Path) -> Command {
    let own = std::env::current_exe().expect("this test has a path").into_os_string();
    let mut words = before.iter().map(Into::into).chain([own]);
    let mut command = Command::new(words.next().expect("at least the test"));
    command.args(words).args(["--exact", name, "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).env(FOLDER, folder);
    command
}

/// Says on the real standard output, where the harness hides nothing, what was not tested and why.
pub fn skipped(what: &str, why: &str) {
    let _ = writeln!(std::io::stdout(), "skipped: {what}: {why}");
}

/// A forked child. Killed when dropped.
pub struct Forked(libc::pid_t);

/// Forks; the child does `body` and ends, with code 101 if that panics.
pub fn fork(body: impl FnOnce()) -> Forked {
    // SAFETY: the other threads of a test wait for this one and hold no lock that the child needs; the child leaves by
    // _exit and runs nothing of the harness.
    unsafe {
        match libc::fork() {
            0 => {
                let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
                libc::_exit(if done.is_ok() { 0 } else { 101 });
            }
            child => {
                assert!(child > 0, "no fork");
                Forked(child)
            }
        }
    }
}

impl Forked {
    pub fn pid(&self) -> u32 {
        self.0 as u32
    }

    /// Kills the child and waits for its end. False if it had failed by itself before.
    pub fn kill(&mut self) -> bool {
        if self.0 == 0 {
            return true;
        }
        // SAFETY: a signal to a child that is ours and not waited for yet.
        unsafe { libc::kill(self.0, libc::SIGKILL) };
        matches!(self.wait(), Ok(0) | Err(libc::SIGKILL))
    }

    /// Waits for the child's own end: its exit code, or else the signal that ended it.
    pub fn end(mut self) -> Result<i32, i32> {
        self.wait()
    }

    /// As [`end`](Forked::end), but the child is killed if it takes longer than so many seconds; then None.
    pub fn end_within(mut self, seconds: u64) -> Option<Result<i32, i32>> {
        let until = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < until {
            let mut status = 0;
            // SAFETY: the child is ours and not waited for yet.
            if unsafe { libc::waitpid(self.0, &mut status, libc::WNOHANG) } == self.0 {
                self.0 = 0;
                return Some(outcome(status));
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        None
    }

    fn wait(&mut self) -> Result<i32, i32> {
        let mut status = 0;
        // SAFETY: the child is ours and not waited for yet.
        unsafe { libc::waitpid(self.0, &mut status, 0) };
        self.0 = 0;
        outcome(status)
    }
}

fn outcome(status: libc::c_int) -> Result<i32, i32> {
    if libc::WIFEXITED(status) { Ok(libc::WEXITSTATUS(status)) } else { Err(libc::WTERMSIG(status)) }
}

/// As [`fork`], but returns when the child has ended, without having waited for it.
pub fn zombie(body: impl FnOnce()) -> Forked {
    let child = fork(body);
    // SAFETY: a plain struct of numbers, and a child that is ours; it stays to be waited for.
    unsafe {
        let mut about: libc::siginfo_t = std::mem::zeroed();
        libc::waitid(libc::P_PID, child.0 as libc::id_t, &mut about, libc::WEXITED | libc::WNOWAIT);
    }
    child
}

/// Closes every descriptor beyond the standard ones, as daemons do.
pub fn close_all() {
    // SAFETY: nothing of the child that goes on uses them.
    (3..5000).for_each(|file| unsafe {
        libc::close(file);
    });
}

impl Drop for Forked {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Waits until this process is killed; it ends by itself should the test forget it.
pub fn pause() -> ! {
    loop {
        // SAFETY: both take plain numbers or nothing; the alarm ends the process.
        unsafe {
            libc::alarm(120);
            libc::pause();
        }
    }
}

/// Kills a process that is not our child.
pub fn kill(pid: u32) {
    // SAFETY: a signal to another process.
    unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
}

/// Makes `path` the file behind a descriptor of ours.
pub fn replace(descriptor: i32, path: &Path) {
    let file = std::fs::File::open(path).expect("a file");
    // SAFETY: whoever had that descriptor is tested for not using it any more.
    assert!(unsafe { libc::dup2(file.as_raw_fd(), descriptor) } == descriptor);
}
