//! What storms share: a device of their own, and processes on it.

#[path = "../../../ledger/tests/process_unsafe/mod.rs"]
pub mod process;

use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cleave_device::{Machine, Request};
use process::{Folder, Forked, fork};

/// A device in a folder of its own, gone when dropped.
pub struct Device(Folder);

impl Device {
    /// Nobody has opened it yet; who does makes it as `config` says.
    pub fn new(name: &str, config: &str) -> Device {
        let folder = Folder::new(name);
        std::fs::write(folder.path().join("config.toml"), config).expect("a configuration");
        Device(folder)
    }

    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The device as a bystander sees it.
    pub fn machine(&self) -> &'static Machine {
        Machine::open(&Request::folder(self.folder())).expect("a device")
    }

    /// A forked process that will find this device, and has one worker thread.
    pub fn start(&self, body: impl FnOnce()) -> Forked {
        fork(|| {
            // SAFETY: a forked process has one thread.
            unsafe {
                std::env::set_var("CLEAVE_SOFTGPU", self.folder());
                std::env::set_var("CLEAVE_SOFTGPU_WORKERS", "1");
                std::env::remove_var("CLEAVE_SOFTGPU_CONTEXT");
            }
            body();
        })
    }
}

/// Tests that fork take turns: a fork copies whatever locks the other threads hold.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A kernel that writes one value.
pub const WRITE: &str = r"
.version 7.0
.target sm_70
.address_size 64
.visible .entry write(.param .u64 at, .param .u64 value)
{
    .reg .u64 %a, %v;
    ld.param.u64 %a, [at];
    ld.param.u64 %v, [value];
    cvta.to.global.u64 %a, %a;
    st.global.u64 [%a], %v;
    ret;
}
";

/// Waits for `word`, set by another process; a minute is too long on any machine.
pub fn wait_for(what: &str, word: &AtomicU32, done: impl Fn(u32) -> bool) {
    until(what, || {
        let now = word.load(SeqCst);
        let done = done(now);
        if !done {
            cleave_ledger::futex::wait(word, now, Some(cleave_ledger::clock::now_ns() + 5_000_000));
        }
        done
    });
}

/// Looks again and again until it is so; a minute is too long on any machine.
pub fn until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < end, "in a minute it never came to this: {what}");
        std::thread::yield_now();
    }
}

/// Random numbers, the same in each run, unless `CLEAVE_TEST_SEED` says otherwise.
pub struct Dice(pub u64);

impl Dice {
    pub fn new() -> Dice {
        let seed = std::env::var("CLEAVE_TEST_SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
        Dice(seed.unwrap_or(0x5eed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn roll(&mut self, sides: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % u64::from(sides)) as u32
    }
}

/// Signals another process.
pub fn signal(to: &Forked, number: i32) {
    // SAFETY: a signal to a child of ours.
    unsafe { libc::kill(to.pid() as libc::pid_t, number) };
}

pub fn is_root() -> bool {
    // SAFETY: asks for a number.
    unsafe { libc::geteuid() == 0 }
}

/// Gives up being root, for good.
pub fn become_nobody(user: u32) {
    // SAFETY: plain numbers and an empty list; in a forked process with one thread.
    let done = unsafe {
        libc::setgroups(0, std::ptr::null()) == 0 && libc::setgid(user) == 0 && libc::setuid(user) == 0
    };
    assert!(done, "root may become anybody");
}

/// Sends what this process says on standard error into a file.
pub fn redirect_stderr(to: &std::fs::File) {
    use std::os::fd::AsRawFd;
    // SAFETY: two open descriptors.
    unsafe { libc::dup2(to.as_raw_fd(), 2) };
}

/// Ends this process by a signal, should it still run after so many seconds.
pub fn limit_seconds(seconds: u32) {
    // SAFETY: a plain number.
    unsafe { libc::alarm(seconds) };
}
