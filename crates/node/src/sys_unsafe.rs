//! The few system calls that the standard library does not have.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;
use std::{mem, ptr};

/// The user this process acts as.
pub fn user() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

/// A name nobody can guess: 32 hexadecimal digits.
pub fn random_name() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    // SAFETY: the buffer is ours and as long as it is said to be. So few bytes come whole or not at all.
    let read = unsafe { libc::syscall(libc::SYS_getrandom, bytes.as_mut_ptr(), bytes.len(), 0) };
    if read != bytes.len() as libc::c_long {
        return Err(io::Error::last_os_error());
    }
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Who is at the other end of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// 0 if it cannot be seen from here (another pid namespace).
    pub pid: u32,
    pub uid: u32,
    pub gid: u32,
}

pub fn peer(stream: &UnixStream) -> io::Result<Peer> {
    let mut about = libc::ucred { pid: 0, uid: u32::MAX, gid: u32::MAX };
    option(stream, libc::SO_PEERCRED, &mut about)?;
    Ok(Peer { pid: u32::try_from(about.pid).unwrap_or(0), uid: about.uid, gid: about.gid })
}

/// A descriptor of the process at the other end, as it was when it connected: no other process that gets its number since
/// can be mistaken for it. Kernels before 6.5 have none to give.
pub fn peer_process(stream: &UnixStream) -> io::Result<OwnedFd> {
    /// Newer than the headers of the C library we must run on.
    const SO_PEERPIDFD: libc::c_int = 77;
    let mut fd: RawFd = -1;
    option(stream, SO_PEERPIDFD, &mut fd)?;
    own(fd.into())
}

fn option<T>(stream: &UnixStream, name: libc::c_int, value: &mut T) -> io::Result<()> {
    let mut len = mem::size_of::<T>() as libc::socklen_t;
    let value = ptr::from_mut(value).cast();
    // SAFETY: the value is ours and as long as it is said to be; both types it is called with are plain numbers.
    if unsafe { libc::getsockopt(stream.as_raw_fd(), libc::SOL_SOCKET, name, value, &mut len) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// A descriptor of a process; kernels before 5.3 have none to give.
pub fn open_process(pid: u32) -> io::Result<OwnedFd> {
    // SAFETY: plain numbers.
    own(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) })
}

/// Whom [`signal`] asks to end, or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    Term,
    Kill,
}

/// Sends a signal to the very process that a descriptor is of. One that is gone is no error.
pub fn signal(process: &OwnedFd, signal: Signal) -> io::Result<()> {
    let number = match signal {
        Signal::Term => libc::SIGTERM,
        Signal::Kill => libc::SIGKILL,
    };
    let nothing = ptr::null::<libc::siginfo_t>();
    // SAFETY: plain numbers, and no further information about the signal.
    let sent = unsafe { libc::syscall(libc::SYS_pidfd_send_signal, process.as_raw_fd(), number, nothing, 0) };
    match io::Error::last_os_error() {
        _ if sent == 0 => Ok(()),
        error if error.raw_os_error() == Some(libc::ESRCH) => Ok(()),
        error => Err(error),
    }
}

fn own(fd: libc::c_long) -> io::Result<OwnedFd> {
    let fd = i32::try_from(fd).ok().filter(|&fd| fd >= 0).ok_or_else(io::Error::last_os_error)?;
    // SAFETY: the kernel has just given us this descriptor, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Waits until one of `fds` has something to read (a process: has died), or the time is over. Says which ones have.
pub fn readable(fds: &[BorrowedFd], timeout: Duration) -> io::Result<Vec<bool>> {
    let entry = |fd: &BorrowedFd| libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut polled: Vec<libc::pollfd> = fds.iter().map(entry).collect();
    let timeout = i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: as many entries as are said; the descriptors are open while they are borrowed.
    if unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, timeout) } < 0 {
        let error = io::Error::last_os_error();
        // A signal is no reason to fail: nothing was seen this time.
        return if error.kind() == io::ErrorKind::Interrupted {
            Ok(vec![false; fds.len()])
        } else {
            Err(error)
        };
    }
    Ok(polled.iter().map(|entry| entry.revents != 0).collect())
}

/// Whether the other end of a stream has closed it.
pub fn is_closed(stream: &UnixStream) -> bool {
    let mut byte = 0_u8;
    let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
    // SAFETY: room for one byte, one byte asked for.
    let read = unsafe { libc::recv(stream.as_raw_fd(), ptr::from_mut(&mut byte).cast(), 1, flags) };
    read == 0 || (read < 0 && io::Error::last_os_error().kind() != io::ErrorKind::WouldBlock)
}

/// Takes the lock of an open file for as long as it stays open. False if somebody else has it.
pub fn lock(file: &File) -> io::Result<bool> {
    // SAFETY: plain numbers.
    if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    if error.kind() == io::ErrorKind::WouldBlock { Ok(false) } else { Err(error) }
}

/// The number of a group, by its name.
pub fn group(name: &str) -> io::Result<u32> {
    let name = CString::new(name).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mut buffer = vec![0_u8; 64 << 10];
    // SAFETY: plain structs of numbers and pointers, filled before they are read.
    let (mut entry, mut found) = (unsafe { mem::zeroed::<libc::group>() }, ptr::null_mut());
    // SAFETY: the name ends with a zero, the buffer is as long as it is said to be, the structs are ours.
    let code = unsafe {
        libc::getgrnam_r(name.as_ptr(), &mut entry, buffer.as_mut_ptr().cast(), buffer.len(), &mut found)
    };
    match (code, found.is_null()) {
        (0, false) => Ok(entry.gr_gid),
        (0, true) => Err(io::Error::new(io::ErrorKind::NotFound, "there is no such group")),
        (code, _) => Err(io::Error::from_raw_os_error(code)),
    }
}

/// The name of a user; its number where it has none.
pub fn user_name(uid: u32) -> String {
    let mut buffer = vec![0_u8; 16 << 10];
    // SAFETY: plain structs of numbers and pointers, filled before they are read.
    let (mut entry, mut found) = (unsafe { mem::zeroed::<libc::passwd>() }, ptr::null_mut());
    // SAFETY: the buffer is as long as it is said to be, the structs are ours.
    let code =
        unsafe { libc::getpwuid_r(uid, &mut entry, buffer.as_mut_ptr().cast(), buffer.len(), &mut found) };
    if code != 0 || found.is_null() || entry.pw_name.is_null() {
        return uid.to_string();
    }
    // SAFETY: the C library has put a text that ends with a zero into our buffer, which is still there.
    unsafe { CStr::from_ptr(entry.pw_name) }.to_string_lossy().into_owned()
}

/// The minute of the day at a second since 1970, where this machine is.
pub fn minute_of_day(second: u64) -> u32 {
    let second = libc::time_t::try_from(second).unwrap_or(0);
    // SAFETY: a plain struct of numbers, and a pointer in it that nobody reads.
    let mut local: libc::tm = unsafe { mem::zeroed() };
    // SAFETY: reads one number, fills one struct; both are ours.
    unsafe { libc::localtime_r(&second, &mut local) };
    u32::try_from(local.tm_hour * 60 + local.tm_min).unwrap_or(0)
}

/// How many bytes the file system of `path` can hold, and whether it is one in memory.
pub fn room(path: &Path) -> io::Result<(u64, bool)> {
    let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: a plain struct of numbers.
    let mut about: libc::statfs = unsafe { mem::zeroed() };
    // SAFETY: the path ends with a zero, and the struct is ours to fill.
    if unsafe { libc::statfs(path.as_ptr(), &mut about) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((about.f_bavail.saturating_mul(about.f_bsize as u64), about.f_type == libc::TMPFS_MAGIC))
}

/// Keeps the signals that ask a daemon to end from this thread and those it will start; [`asked_to_end`] waits for them.
pub fn hold_end_signals() {
    let set = end_signals();
    // SAFETY: reads one set.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set, ptr::null_mut()) };
}

/// Returns when a signal asks this process to end.
pub fn asked_to_end() {
    let set = end_signals();
    let mut signal = 0;
    // SAFETY: reads one set, writes one number.
    while unsafe { libc::sigwait(&set, &mut signal) } != 0 {}
}

fn end_signals() -> libc::sigset_t {
    // SAFETY: a plain set of bits, emptied and filled by the calls made for it.
    unsafe {
        let mut set = mem::zeroed();
        libc::sigemptyset(&mut set);
        for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
            libc::sigaddset(&mut set, signal);
        }
        set
    }
}

/// Makes files of this process readable for others unless it says otherwise, whatever its starter's habits are.
pub fn usual_mask() {
    // SAFETY: takes a number and cannot fail.
    unsafe { libc::umask(0o022) };
}

/// Lets this thread wake when it asked to, and run at once when it does: it sleeps nearly always, and others wait for it.
/// Where the kernel does not do so it wakes a little later.
pub fn be_prompt() {
    /// As the kernel takes it; newer than the headers of the C library we must run on.
    #[repr(C)]
    struct Attributes {
        size: u32,
        policy: u32,
        flags: u64,
        nice: i32,
        priority: u32,
        /// For a thread without real-time claims: how long it wants to run at a time.
        slice_ns: u64,
        deadline: u64,
        period: u64,
    }
    // SAFETY: plain numbers.
    let (policy, nice) = unsafe { (libc::sched_getscheduler(0), libc::getpriority(libc::PRIO_PROCESS, 0)) };
    let attributes = Attributes {
        size: size_of::<Attributes>() as u32,
        policy: libc::SCHED_OTHER as u32,
        flags: 0,
        nice,
        priority: 0,
        slice_ns: 100_000,
        deadline: 0,
        period: 0,
    };
    // SAFETY: plain numbers.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0) };
    // Whoever started the daemon with more than that has decided.
    if policy == libc::SCHED_OTHER {
        // SAFETY: a struct that is as long as it says, which the kernel reads.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, ptr::from_ref(&attributes), 0) };
    }
}

/// Allows this process as many descriptors as it may have: slots are open files.
pub fn raise_descriptors() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes and reads one struct.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max.min(1 << 20);
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::process::Command;

    use super::*;

    #[test]
    fn the_peer_is_who_it_is() {
        let (one, other) = UnixStream::pair().unwrap();
        let about = peer(&one).unwrap();
        assert_eq!((about.pid, about.uid), (std::process::id(), user()));
        assert!(!is_closed(&one));
        drop(other);
        assert!(is_closed(&one));
        if let Ok(process) = peer_process(&one) {
            assert_eq!(readable(&[process.as_fd()], Duration::ZERO).unwrap(), [false], "this process lives");
        }
    }

    #[test]
    fn death_is_readable() {
        let mut child = Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let process = open_process(child.id());
        let readable =
            |timeout| process.as_ref().map(|process| readable(&[process.as_fd()], timeout).unwrap());
        // Kernels before 5.3 have nothing to read.
        assert!(readable(Duration::ZERO).is_ok_and(|dead| dead == [false]) || process.is_err());
        match &process {
            Ok(process) => signal(process, Signal::Kill).unwrap(),
            Err(_) => child.kill().unwrap(),
        }
        assert!(readable(Duration::from_secs(60)).is_ok_and(|dead| dead == [true]) || process.is_err());
        child.wait().unwrap();
    }

    #[test]
    fn days_have_minutes() {
        let [now, later] = [1_700_000_000, 1_700_000_000 + 90 * 60].map(minute_of_day);
        assert_eq!((now + 90) % (24 * 60), later);
    }

    #[test]
    fn names_are_looked_up() {
        assert_eq!(user_name(0), "root");
        assert_eq!(user_name(4_000_000_001), "4000000001");
        assert_eq!(group("root").unwrap(), 0);
        assert!(group("no such group").is_err());
    }

    #[test]
    fn a_name_is_new_each_time() {
        let [one, other] = [random_name().unwrap(), random_name().unwrap()];
        assert_eq!(one.len(), 32);
        assert_ne!(one, other);
    }
}
