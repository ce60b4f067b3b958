//! The socket as clients meet it: honest ones, stuck ones, and those that send anything.

use std::io::{BufRead, BufReader};
use std::sync::mpsc;

use super::*;
use crate::client::Client;
use crate::config::{Config, Rules};
use crate::drivers::View;
use crate::drivers::tests::{Fake, card};
use crate::home::Home;
use crate::protocol::{Ask, Kind, Lifetime, Memory, Status};
use crate::scratch::Scratch;
use crate::store::Store;

/// A daemon with one device of 16 GiB, in this process.
struct Daemon {
    scratch: Scratch,
    shared: Arc<Shared>,
}

impl Daemon {
    fn new() -> Daemon {
        let scratch = Scratch::new();
        let home = Home::at(scratch.path());
        let real = Fake::default();
        real.0.lock().unwrap().push(card(Kind::Real, 1, 16));
        let drivers = Drivers::fake(&real, &Fake::default());
        let store = Store::open(home.tenants()).unwrap();
        let config = Config { home: home.clone(), embedded: false, libraries: None, rules: Rules::default() };
        let node = Node::new(config, store, View::default(), None, Box::new(|| 0)).unwrap();
        let shared = Arc::new(Shared::new(node, drivers));
        let listener = UnixListener::bind(home.socket()).unwrap();
        let serving = shared.clone();
        thread::spawn(move || listen(&listener, &serving));
        Daemon { scratch, shared }
    }

    fn home(&self) -> Home {
        Home::at(self.scratch.path())
    }

    fn connect(&self) -> UnixStream {
        UnixStream::connect(self.home().socket()).unwrap()
    }

    fn ask(&self, request: &Request) -> Answer {
        Client::connect(&self.home()).unwrap().ask(request, |_| ()).unwrap()
    }

    fn status(&self) -> Status {
        match self.ask(&Request::Status) {
            Answer::Status(status) => *status,
            other => panic!("{other:?}"),
        }
    }
}

fn wish(gib: u64, wait: bool) -> Request {
    let ask = Ask { memory: Memory::Bytes(gib << 30), compute: Some(1), ..Ask::default() };
    Request::Start(Start { ask, wait, lifetime: Lifetime::Grant, ..Start::default() })
}

fn tenant(answer: Answer) -> String {
    match answer {
        Answer::Started(started) => started.tenant,
        other => panic!("{other:?}"),
    }
}

fn line(stream: &UnixStream) -> String {
    let mut text = String::new();
    BufReader::new(stream).read_line(&mut text).unwrap();
    text
}

#[test]
fn a_wish_is_granted_shown_and_ended() {
    let daemon = Daemon::new();
    let id = tenant(daemon.ask(&wish(4, false)));
    let status = daemon.status();
    assert_eq!((status.tenants[0].id.as_str(), status.devices[0].granted), (id.as_str(), 4 << 30));
    assert!(matches!(daemon.ask(&Request::Check), Answer::Checked { findings } if !findings.is_empty()));
    assert_eq!(daemon.ask(&Request::End { tenant: id }), Answer::Done);
    assert_eq!(daemon.status().tenants, []);
}

#[test]
fn one_connection_may_ask_several_times_and_several_at_once() {
    let daemon = Daemon::new();
    let stream = daemon.connect();
    (&stream)
        .write_all(b"{\"request\":\"check\"}\n{\"request\":\"none\"}\n{\"request\":\"status\"}\n")
        .unwrap();
    let answers: Vec<String> = BufReader::new(&stream).lines().take(3).map(Result::unwrap).collect();
    assert!(answers[0].starts_with(r#"{"answer":"checked""#), "{}", answers[0]);
    assert!(answers[1].contains(r#""reason":"nonsense""#) && answers[1].contains("none"), "{}", answers[1]);
    assert!(answers[2].starts_with(r#"{"answer":"status""#), "{}", answers[2]);
}

#[test]
fn what_is_too_long_or_ends_too_soon_is_refused() {
    let daemon = Daemon::new();
    let stream = daemon.connect();
    let long = vec![b'x'; MAX_LINE + 8192];
    // The daemon may close before it has read all of it.
    let _ = (&stream).write_all(&long);
    assert!(line(&stream).contains("one line of at most"));
    let stream = daemon.connect();
    (&stream).write_all(b"{\"request\":").unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert!(line(&stream).contains("in the middle of its line"));
    assert_eq!(daemon.status().tenants, []);
}

#[test]
fn clients_that_say_nothing_stop_nobody_and_are_limited() {
    let daemon = Daemon::new();
    let mut stuck: Vec<UnixStream> = (0..MOST_OF_ONE - 1).map(|_| daemon.connect()).collect();
    assert_eq!(daemon.status().tenants, []);
    // The place of that question is free again once its thread has ended.
    while daemon.shared.connections() > MOST_OF_ONE - 1 {
        thread::yield_now();
    }
    stuck.push(daemon.connect());
    assert!(line(&daemon.connect()).contains(r#""reason":"busy""#));
    drop(stuck);
    while daemon.shared.connections() > 0 {
        thread::yield_now();
    }
    assert_eq!(daemon.status().tenants, []);
}

/// Bytes from a seed: a test must be the same each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

#[test]
fn whatever_is_sent_the_daemon_answers_and_goes_on() {
    let daemon = Daemon::new();
    let requests = [
        wish(1, false),
        Request::Status,
        Request::Check,
        Request::End { tenant: "x".into() },
        Request::Set(crate::protocol::Set { tenant: "x".into(), compute: Some(5), ..Default::default() }),
    ];
    let valid: Vec<Vec<u8>> = requests.iter().map(|request| serde_json::to_vec(request).unwrap()).collect();
    let pieces: [&[u8]; 8] =
        [b"18446744073709551616", b"-1", b"null", b"[[[[[[", b"\"\\ud800\"", b"{}", b"1e999", b"\0\xff"];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..1500 {
        let mut bytes = match round % 3 {
            0 => (0..random.below(300)).map(|_| random.next() as u8).collect(),
            _ => valid[random.below(valid.len())].clone(),
        };
        for _ in 0..random.below(4) {
            let at = random.below(bytes.len().max(1)).min(bytes.len());
            match random.below(4) {
                0 if at < bytes.len() => bytes[at] = random.next() as u8,
                1 => bytes.truncate(at),
                2 => drop(bytes.splice(at..at, pieces[random.below(pieces.len())].iter().copied())),
                _ => bytes.rotate_left(at),
            }
        }
        bytes.retain(|byte| *byte != b'\n');
        bytes.push(b'\n');
        let stream = daemon.connect();
        (&stream).write_all(&bytes).unwrap();
        if random.below(8) > 0 {
            let answer = line(&stream);
            let answer: Answer =
                serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
            if let Answer::Started(started) = answer {
                daemon.ask(&Request::End { tenant: started.tenant });
            }
        }
    }
    let status = daemon.status();
    assert_eq!(status.devices[0].total, 16 << 30);
    // Wishes whose sender went away before the answer may have been granted: such grants last until they are ended.
    for tenant in status.tenants {
        assert_eq!(daemon.ask(&Request::End { tenant: tenant.id }), Answer::Done);
    }
    assert_eq!(daemon.status().devices[0].granted, 0);
}

/// Asks from a thread; every answer arrives in the channel.
fn waiter(daemon: &Daemon, gib: u64) -> (mpsc::Receiver<Answer>, thread::JoinHandle<()>) {
    let (send, receive) = mpsc::channel();
    let home = daemon.home();
    let thread = thread::spawn(move || {
        let mut client = Client::connect(&home).unwrap();
        let last = client.ask(&wish(gib, true), |answer| send.send(answer.clone()).unwrap()).unwrap();
        send.send(last).unwrap();
    });
    (receive, thread)
}

fn position(answer: Answer) -> u32 {
    match answer {
        Answer::Queued { position, .. } => position,
        other => panic!("{other:?}"),
    }
}

#[test]
fn who_waits_gets_room_in_the_order_of_coming() {
    let daemon = Daemon::new();
    let holder = tenant(daemon.ask(&wish(16, false)));
    let (first, first_thread) = waiter(&daemon, 12);
    assert_eq!(position(first.recv().unwrap()), 1);
    let (second, second_thread) = waiter(&daemon, 8);
    assert_eq!(position(second.recv().unwrap()), 2);
    assert_eq!(daemon.status().waiting.len(), 2);
    let refused = daemon.ask(&wish(1, false));
    assert!(matches!(refused, Answer::Refused(Refusal { reason: Reason::NoRoom, .. })), "{refused:?}");

    daemon.ask(&Request::End { tenant: holder });
    let first = loop {
        if let Answer::Started(started) = first.recv().unwrap() {
            break started.tenant;
        }
    };
    first_thread.join().unwrap();
    // It may hear of other reasons first; 8 GiB do not fit beside 12.
    assert!(second.iter().any(|answer| position(answer) == 1));
    daemon.ask(&Request::End { tenant: first });
    let started = second.iter().find(|answer| matches!(answer, Answer::Started(_)));
    assert!(started.is_some());
    second_thread.join().unwrap();
    assert_eq!(daemon.status().waiting, []);
}

#[test]
fn a_waiter_that_goes_away_makes_room_for_the_next() {
    let daemon = Daemon::new();
    let holder = tenant(daemon.ask(&wish(8, false)));
    let gone = daemon.connect();
    let mut request = serde_json::to_vec(&wish(16, true)).unwrap();
    request.push(b'\n');
    (&gone).write_all(&request).unwrap();
    assert!(line(&gone).contains(r#""answer":"queued""#));
    let (next, thread) = waiter(&daemon, 8);
    assert_eq!(position(next.recv().unwrap()), 2, "it would fit, but the first one waits for all of it");
    drop(gone);
    let started = next.iter().find(|answer| matches!(answer, Answer::Started(_)));
    assert!(started.is_some());
    thread.join().unwrap();
    assert_eq!(daemon.ask(&Request::End { tenant: holder }), Answer::Done);
}
