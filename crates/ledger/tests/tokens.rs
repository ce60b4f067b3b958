//! Tokens between processes: who gets one, who sees it, and when it falls.

#[allow(unsafe_code, dead_code)]
mod process_unsafe;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;

use cleave_ledger::{Pages, Tokens, birth, futex};
use process_unsafe::{Folder, fork, pause};

fn lock_file(folder: &Folder) -> PathBuf {
    let path = folder.path().join("lock");
    std::fs::write(&path, "").expect("a lock file");
    path
}

/// A word both sides of a fork see, to say that something is done.
struct Signal(&'static AtomicU32);

impl Signal {
    fn new() -> Signal {
        Signal(Pages::anonymous(4096).expect("a page").view(0))
    }

    fn give(&self) {
        self.0.store(1, SeqCst);
        futex::wake(self.0, u32::MAX);
    }

    fn wait(&self) {
        while self.0.load(SeqCst) == 0 {
            futex::wait(self.0, 0, None);
        }
    }
}

#[test]
fn a_token_is_one_processs_until_it_dies() {
    let folder = Folder::new("one-process");
    let path = lock_file(&folder);
    let tokens = Tokens::open(&path).unwrap();
    assert_eq!(tokens.probe(7).unwrap(), None);
    let held = Signal::new();
    let mut child = fork(|| {
        let tokens = Tokens::open(&path).expect("a lock file");
        assert!(tokens.hold(7).expect("a token"));
        held.give();
        pause();
    });
    held.wait();
    assert!(!tokens.hold(7).unwrap());
    assert_eq!(tokens.probe(7).unwrap(), Some(child.pid()));
    assert_eq!(tokens.probe(8).unwrap(), None, "one byte only");
    assert!(child.kill());
    assert_eq!(tokens.probe(7).unwrap(), None);
    assert!(tokens.hold(7).unwrap());
    assert_eq!(tokens.probe(7).unwrap(), Some(std::process::id()), "one's own is seen as well");
    tokens.release(7).unwrap();
    assert_eq!(tokens.probe(7).unwrap(), None);
}

#[test]
fn a_token_falls_though_a_forked_child_lives_on() {
    let folder = Folder::new("forked-child");
    let path = lock_file(&folder);
    let tokens = Tokens::open(&path).unwrap();
    let page = Pages::anonymous(4096).expect("a page");
    let (grandchild, mark) = (page.view::<AtomicU32>(0), page.view::<AtomicU32>(64));
    let ready = Signal::new();
    let mut child = fork(|| {
        let tokens = Tokens::open(&path).expect("a lock file");
        assert!(tokens.hold(3).expect("a token"));
        let _inner = fork(|| {
            grandchild.store(std::process::id(), SeqCst);
            mark.store(u32::from(tokens.hold(3).expect("an answer")) + 1, SeqCst);
            ready.give();
            pause();
        });
        pause();
    });
    ready.wait();
    assert_eq!(mark.load(SeqCst), 1, "the forked child does not have its parent's token");
    assert_eq!(tokens.probe(3).unwrap(), Some(child.pid()));
    assert!(child.kill());
    let inner = grandchild.load(SeqCst);
    assert!(std::path::Path::new(&format!("/proc/{inner}")).exists(), "it lives on");
    assert_eq!(tokens.probe(3).unwrap(), None);
    process_unsafe::kill(inner);
}

#[test]
fn threads_of_a_process_are_told_apart() {
    let folder = Folder::new("threads");
    for tokens in [Tokens::open(&lock_file(&folder)).unwrap(), Tokens::private()] {
        let tokens = &tokens;
        assert!(tokens.hold(5).unwrap());
        std::thread::scope(|scope| scope.spawn(|| assert!(!tokens.hold(5).unwrap())).join().unwrap());
        assert_eq!(tokens.probe(5).unwrap(), Some(std::process::id()));
        tokens.release(5).unwrap();
        tokens.release(5).unwrap();
        assert!(tokens.hold(5).unwrap());
    }
}

/// The descriptor of `path` in this process.
fn descriptor(path: &Path) -> i32 {
    let open = std::fs::read_dir("/proc/self/fd").expect("a list").filter_map(Result::ok);
    let of = open.filter(|entry| std::fs::read_link(entry.path()).is_ok_and(|link| link == path));
    let numbers: Vec<i32> = of.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    assert_eq!(numbers.len(), 1, "one descriptor");
    numbers[0]
}

#[test]
fn a_descriptor_that_the_program_closed_is_not_used() {
    let folder = Folder::new("closed");
    let path = lock_file(&folder);
    let tokens = Tokens::open(&path).unwrap();
    assert!(tokens.hold(4).unwrap());
    let number = descriptor(&path);
    assert!(number >= 60, "{number} is where programs close");

    // Another file takes its place: no lock is taken there.
    let other = folder.path().join("other");
    std::fs::write(&other, "").unwrap();
    process_unsafe::replace(number, &other);
    assert!(tokens.hold(5).is_err() && tokens.probe(4).is_err() && tokens.release(4).is_err());
    let seen = fork(|| {
        let others = Tokens::open(&other).expect("a file");
        assert!((0..Tokens::COUNT).all(|n| others.probe(n).expect("an answer").is_none()));
        assert_eq!(Tokens::open(&path).expect("a file").probe(4).expect("an answer"), None, "it fell");
    });
    assert_eq!(seen.end(), Ok(0));
}

#[test]
fn what_is_closed_holds_nothing() {
    let folder = Folder::new("close");
    let path = lock_file(&folder);
    let tokens = Tokens::open(&path).unwrap();
    assert!(tokens.hold(4).unwrap());
    tokens.close();
    assert!(tokens.hold(5).is_err());
    assert_eq!(Tokens::open(&path).unwrap().probe(4).unwrap(), None);
}

#[test]
fn a_forked_child_is_told_from_its_parent() {
    let own = birth();
    assert_eq!(birth(), own);
    let child = fork(|| {
        let child = birth();
        assert!(child != own && child == birth());
        let inner = fork(|| assert!(birth() != own && birth() != child));
        assert_eq!(inner.end(), Ok(0));
    });
    assert_eq!(child.end(), Ok(0));
    assert_eq!(birth(), own);
}

#[test]
fn there_are_no_tokens_beyond_the_last() {
    let tokens = Tokens::private();
    assert!(tokens.hold(Tokens::COUNT - 1).unwrap());
    assert!(tokens.hold(Tokens::COUNT).is_err() && tokens.probe(u32::MAX).is_err());
    assert!(Tokens::open("/nonexistent/lock".as_ref()).is_err());
}
