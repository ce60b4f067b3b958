//! Several processes of one test, which talk by lines.
//!
//! A test that uses peers is also their program: it begins with [`acts`], which runs the part of a peer and nothing else.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const ROLE: &str = "CLEAVE_TEST_ROLE";
/// Marks lines that peers mean, among those the test program prints.
const MARK: char = '\u{1}';

/// In a peer: runs its part and says so. In the test itself: false.
pub fn acts(parts: &[(&str, fn())]) -> bool {
    let Ok(role) = std::env::var(ROLE) else { return false };
    let (_, part) = parts.iter().find(|(name, _)| *name == role).expect("a part of that name");
    part();
    true
}

/// In a peer: a line to the test.
pub fn say(line: impl std::fmt::Display) {
    println!("\n{MARK}{line}");
}

/// In a peer: the next line of the test. A peer whose test has gone ends.
pub fn hear() -> String {
    let mut line = String::new();
    if std::io::stdin().read_line(&mut line).is_ok_and(|n| n > 0) {
        return line.trim_end().to_owned();
    }
    std::process::exit(0);
}

/// A process that plays a part. Killed when dropped.
pub struct Peer {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts `role` of the test `name` on the device in `folder`.
    pub fn start(name: &str, role: &str, folder: &Folder, settings: &[(&str, &str)]) -> Peer {
        let exe = std::env::current_exe().expect("this test has a path");
        let mut command = Command::new(exe);
        command.args(["--exact", name, "--nocapture", "--test-threads=1"]);
        command.env(ROLE, role).env("CLEAVE_SOFTGPU", folder.path()).env("CLEAVE_SOFTGPU_CONTEXT", "0");
        Peer::run(command, settings)
    }

    pub fn run(mut command: Command, settings: &[(&str, &str)]) -> Peer {
        command.envs(settings.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("this test runs again");
        let to = child.stdin.take().expect("piped");
        let from = BufReader::new(child.stdout.take().expect("piped"));
        Peer { child, to, from }
    }

    pub fn tell(&mut self, line: impl std::fmt::Display) {
        writeln!(self.to, "{line}").expect("the peer listens");
    }

    /// The next line the peer says; `None` if it has ended.
    pub fn next(&mut self) -> Option<String> {
        for line in (&mut self.from).lines().map_while(Result::ok) {
            if let Some((_, said)) = line.split_once(MARK) {
                return Some(said.to_owned());
            }
        }
        None
    }

    pub fn listen(&mut self) -> String {
        self.next().expect("the peer said something")
    }

    /// Tells and listens.
    pub fn ask(&mut self, line: impl std::fmt::Display) -> String {
        self.tell(line);
        self.listen()
    }

    pub fn number(&mut self, line: impl std::fmt::Display) -> u64 {
        let said = self.ask(line);
        said.parse().unwrap_or_else(|_| panic!("not a number: {said}"))
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// `kill -9`, and the system has heard of it.
    pub fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ended");
    }

    /// Lets the peer end by itself; whether all was well there.
    pub fn ends_well(mut self) -> bool {
        while self.next().is_some() {}
        self.child.wait().expect("it ended").success()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder for one test's device, gone afterwards.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let base = Path::new("/dev/shm");
        let base = if base.is_dir() { base.to_owned() } else { std::env::temp_dir() };
        let name = format!("cleave-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
        let path = base.join(name);
        std::fs::create_dir(&path).expect("a new folder");
        Folder(path)
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
