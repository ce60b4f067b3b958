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

/// The descriptors in this process of what is at `path` or below.
fn descriptors(path: &Path) -> Vec<i32> {
    let open = std::fs::read_dir("/proc/self/fd").expect("a list").filter_map(Result::ok);
    let of = open.filter(|entry| std::fs::read_link(entry.path()).is_ok_and(|link| link.starts_with(path)));
    of.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn descriptor(path: &Path) -> i32 {
    let numbers = descriptors(path);
    assert_eq!(numbers.len(), 1, "one descriptor");
    numbers[0]
}

/// Tokens of as many files as there can be.
fn spread(folder: &Path) -> Tokens {
    for number in 0..Tokens::FILES {
        std::fs::write(folder.join(number.to_string()), "").expect("a lock file");
    }
    let folder = folder.to_owned();
    Tokens::spread(move |number| {
        std::fs::File::options().read(true).write(true).open(folder.join(number.to_string()))
    })
}

#[test]
fn tokens_of_several_files_are_as_those_of_one() {
    let folder = Folder::new("spread");
    let tokens = spread(folder.path());
    assert!(descriptors(folder.path()).is_empty(), "nothing is open that nobody needs");
    let held = Signal::new();
    let mut child = fork(|| {
        let tokens = spread(folder.path());
        for n in [0, 700, 701, 1023] {
            assert!(tokens.hold(n).expect("a token"));
        }
        tokens.release(0).expect("given up");
        held.give();
        pause();
    });
    held.wait();
    let is_held = |n| tokens.probe(n).expect("an answer").is_some();
    assert_eq!((0..Tokens::COUNT).filter(|n| is_held(*n)).collect::<Vec<_>>(), [700, 701, 1023]);
    assert_eq!(tokens.probe(700).unwrap(), Some(child.pid()));
    assert!(!tokens.hold(1023).unwrap());
    // What others hold stays when this process is done with their file; so does what it holds itself.
    assert!(tokens.hold(702).unwrap() && tokens.hold(5).unwrap());
    assert!((0..Tokens::COUNT).all(|n| tokens.probe(n).is_ok()));
    assert_eq!(descriptors(folder.path()).len(), 3, "two hold a token, one was looked at last");
    let seen = fork(|| {
        let others = spread(folder.path());
        assert!([5, 700, 701, 702, 1023].into_iter().all(|n| !others.hold(n).expect("an answer")));
    });
    assert_eq!(seen.end(), Ok(0));
    assert!(child.kill());
    assert!(!is_held(700) && is_held(702));
    tokens.close();
    assert!(tokens.hold(1).is_err() && descriptors(folder.path()).is_empty());
}

#[test]
fn a_file_of_several_that_the_program_closed_is_opened_anew_only_if_nothing_fell() {
    let folder = Folder::new("spread-closed");
    let tokens = spread(folder.path());
    let other = Folder::new("spread-other");
    std::fs::write(other.path().join("file"), "").unwrap();
    assert_eq!(tokens.probe(4).unwrap(), None);
    process_unsafe::replace(descriptor(folder.path()), &other.path().join("file"));
    assert!(tokens.hold(4).unwrap(), "nothing was held by the one that is gone");
    process_unsafe::replace(descriptor(folder.path()), &other.path().join("file"));
    assert!(tokens.hold(5).is_err() && tokens.release(4).is_err() && tokens.probe(5).is_err());
    assert!(tokens.hold(64).unwrap(), "of another file");
    assert_eq!(descriptors(other.path()).len(), 2, "what is not ours stays open");
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
