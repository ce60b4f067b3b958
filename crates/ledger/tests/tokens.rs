//! Tokens between processes: who gets one, who sees it, and when it falls.

#[allow(unsafe_code, dead_code)]
mod process_unsafe;

use std::path::PathBuf;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;

use cleave_ledger::{Pages, Tokens, futex};
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

#[test]
fn there_are_no_tokens_beyond_the_last() {
    let tokens = Tokens::private();
    assert!(tokens.hold(Tokens::COUNT - 1).unwrap());
    assert!(tokens.hold(Tokens::COUNT).is_err() && tokens.probe(u32::MAX).is_err());
    assert!(Tokens::open("/nonexistent/lock".as_ref()).is_err());
}
