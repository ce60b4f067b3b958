//! The daemon's socket: a thread per connection, bounded in number, time and length. No client can hurt the daemon or another
//! client: what it sends is one line of limited length within limited time, and who it is the kernel says.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::check;
use crate::drivers::Drivers;
use crate::lifetime::Watch;
use crate::node::{Asker, Node, Waiter};
use crate::protocol::{Answer, Driver, MAX_LINE, Reason, Refusal, Request, Start};
use crate::sys_unsafe::{self, Peer};

/// The daemon's answers without its socket.
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
/// Pausing and killing tenants.
mod suspend;
#[cfg(test)]
mod tests;

/// Connections at once, and of one user: nobody can take all of them.
const MOST: usize = 256;
const MOST_OF_ONE: usize = 128;

/// How long a client may take to send a request or to read an answer, and how long it may be silent between two.
const LINE: Duration = Duration::from_secs(5);
const SILENCE: Duration = Duration::from_secs(60);

/// How often who waits looks whether its client is still there.
const LOOK: Duration = Duration::from_millis(250);

/// The daemon's state as its threads share it.
pub struct Shared {
    node: Mutex<Node>,
    /// Locked before `node`, never after it: looking at devices may take long.
    drivers: Mutex<Looking>,
    /// Rings when something became free.
    freed: Condvar,
    connections: Mutex<BTreeMap<u32, usize>>,
}

struct Looking {
    drivers: Drivers,
    last: Option<Instant>,
}

/// How long a look at the devices holds good.
const FRESH: Duration = Duration::from_millis(2);

impl Shared {
    pub fn new(node: Node, drivers: Drivers) -> Shared {
        Shared {
            node: Mutex::new(node),
            drivers: Mutex::new(Looking { drivers, last: None }),
            freed: Condvar::new(),
            connections: Mutex::default(),
        }
    }

    pub fn node(&self) -> MutexGuard<'_, Node> {
        self.node.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the devices and after the tenants. `soft`: also at the software GPU.
    pub fn round(&self, soft: bool) {
        let mut looking = self.drivers.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever waited for the last look has seen it: many who ask at once do not add up.
        if !soft && looking.last.is_some_and(|last| last.elapsed() < FRESH) {
            return;
        }
        let soft = soft || self.node().wants_soft();
        let view = looking.drivers.look(soft);
        if self.node().round(view) {
            self.freed.notify_all();
        }
        looking.last = Some(Instant::now());
    }

    pub fn connections(&self) -> usize {
        self.counts().values().sum()
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<u32, usize>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more connection of a user, given back when it is dropped.
    fn admit(self: &Arc<Shared>, uid: u32) -> Option<Place> {
        let mut counts = self.counts();
        let all: usize = counts.values().sum();
        let mine = counts.entry(uid).or_default();
        // Root gets in when all places are taken by others.
        if (all >= MOST && uid != 0) || *mine >= MOST_OF_ONE {
            return None;
        }
        *mine += 1;
        Some(Place { shared: self.clone(), uid })
    }
}

struct Place {
    shared: Arc<Shared>,
    uid: u32,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.shared.counts();
        if let Some(mine) = counts.get_mut(&self.uid) {
            *mine = mine.saturating_sub(1);
        }
        counts.retain(|_, count| *count > 0);
    }
}

/// Serves whoever connects, for ever.
pub fn listen(listener: &UnixListener, shared: &Arc<Shared>) {
    loop {
        match listener.accept() {
            Ok((stream, _)) => greet(stream, shared),
            // Out of descriptors or memory: it will pass.
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

fn greet(stream: UnixStream, shared: &Arc<Shared>) {
    let Ok(peer) = sys_unsafe::peer(&stream) else { return };
    // Before anything is read: later the process may be another one under the same number.
    let watch = match peer.pid {
        0 => None,
        pid => Watch::on_peer(pid, sys_unsafe::peer_process(&stream).ok()),
    };
    let Some(place) = shared.admit(peer.uid) else {
        // Written without waiting: the socket's buffer has room for a line.
        let _ = stream.set_nonblocking(true);
        let busy =
            Refusal::new(Reason::Busy, "the daemon has as many connections as it serves at once: try again");
        let _ = send(&stream, &Answer::Refused(busy));
        return;
    };
    let serve = move || {
        let shared = place.shared.clone();
        let mut connection = Connection { stream, peer, watch: Some(watch), shared };
        connection.serve();
        // The place is given back when the connection is closed, not before.
        drop(connection);
        drop(place);
    };
    // Without a thread the connection is closed, and the client asks again.
    let _ = thread::Builder::new().name("client".into()).stack_size(512 << 10).spawn(serve);
}

struct Connection {
    stream: UnixStream,
    peer: Peer,
    /// Taken by the first tenant that is made for this process; a second one asks for it again.
    watch: Option<Option<Watch>>,
    shared: Arc<Shared>,
}

impl Connection {
    fn serve(&mut self) {
        let _ = self.stream.set_write_timeout(Some(LINE));
        let mut lines = Lines::default();
        loop {
            let answer = match lines.next(&self.stream) {
                Ok(Some(line)) => self.respond(&line),
                Ok(None) => return,
                Err(why) => {
                    let _ = send(&self.stream, &refuse(Reason::Nonsense, why));
                    return;
                }
            };
            if send(&self.stream, &answer).is_err() {
                return;
            }
        }
    }

    fn respond(&mut self, line: &[u8]) -> Answer {
        match serde_json::from_slice(line) {
            Ok(request) => self.answer(request),
            Err(error) => refuse(Reason::Nonsense, format!("this is no request the daemon knows: {error}")),
        }
    }

    fn answer(&mut self, request: Request) -> Answer {
        let done = |result: Result<(), Refusal>| result.map_or_else(Answer::Refused, |()| Answer::Done);
        match request {
            Request::Start(start) => self.start(&start),
            Request::Status => {
                self.shared.round(false);
                Answer::Status(Box::new(self.shared.node().status(&self.peer)))
            }
            Request::Set(set) => {
                let result = done(self.shared.node().set(&set, &self.peer));
                self.shared.freed.notify_all();
                result
            }
            Request::End { tenant } => {
                let result = done(self.shared.node().end(&tenant, &self.peer));
                self.shared.freed.notify_all();
                result
            }
            Request::Pause { tenant, to_host } => self.pause(&tenant, to_host),
            Request::Resume { tenant } => self.resume(&tenant),
            Request::Kill { tenant } => self.kill(&tenant),
            Request::Check => {
                self.shared.round(false);
                let node = self.shared.node();
                Answer::Checked { findings: check::findings(&node.status(&self.peer), &node.machine()) }
            }
        }
    }

    fn start(&mut self, start: &Start) -> Answer {
        self.shared.round(start.driver == Driver::Soft || !start.ask.devices.is_empty());
        let watch = self.watch.take().unwrap_or_else(|| Watch::on_peer(self.peer.pid, None));
        let asker = Asker { peer: self.peer, watch };
        let shared = self.shared.clone();
        let mut node = shared.node();
        let spoken_for = node.queue.spoken_for(u64::MAX, |waiter| waiter.wants.clone());
        let outcome = match node.start(start, asker, &spoken_for) {
            // Who starts one program after the other must not be refused because of the one that has ended.
            Err((refusal, Some(asker))) if waits(&refusal) && node.end_the_gone(true) => {
                self.shared.freed.notify_all();
                node.start(start, asker, &spoken_for)
            }
            outcome => outcome,
        };
        match outcome {
            Ok(started) => Answer::Started(started),
            Err((refusal, Some(asker))) if start.wait && waits(&refusal) => {
                self.wait(node, start, asker, refusal)
            }
            Err((refusal, _)) => Answer::Refused(refusal),
        }
    }

    /// Stands in line until it fits, it can never fit, or the client goes away.
    fn wait<'a>(
        &'a self,
        mut node: MutexGuard<'a, Node>,
        start: &Start,
        asker: Asker,
        refusal: Refusal,
    ) -> Answer {
        let (mut asker, mut refusal) = (asker, refusal);
        let waiter = Waiter {
            name: start.ask.name.clone(),
            uid: self.peer.uid,
            command: start.ask.command.clone(),
            since_unix_ms: node.now_unix_ms(),
            why: refusal.why.clone(),
            wants: node.spots(start, &self.peer, &refusal),
        };
        let number = node.queue.join(waiter);
        let mut told = None;
        let answer = loop {
            let now = (node.queue.position(number), refusal.why.clone());
            if told.as_ref() != Some(&now) {
                let queued = Answer::Queued { position: now.0, why: now.1.clone() };
                told = Some(now);
                // Not under the lock: the client may be slow to read.
                drop(node);
                let sent = send(&self.stream, &queued);
                node = self.shared.node();
                if sent.is_err() {
                    break Answer::Done;
                }
            }
            let woken = self.shared.freed.wait_timeout(node, LOOK);
            node = woken.unwrap_or_else(PoisonError::into_inner).0;
            if sys_unsafe::is_closed(&self.stream) {
                break Answer::Done;
            }
            let spoken_for = node.queue.spoken_for(number, |waiter| waiter.wants.clone());
            match node.start(start, asker, &spoken_for) {
                Ok(started) => break Answer::Started(started),
                Err((again, Some(back))) if waits(&again) => {
                    let wants = node.spots(start, &self.peer, &again);
                    node.queue.update(number, |waiter| {
                        waiter.why.clone_from(&again.why);
                        waiter.wants = wants;
                    });
                    (asker, refusal) = (back, again);
                }
                Err((refusal, _)) => break Answer::Refused(refusal),
            }
        };
        node.queue.leave(number);
        drop(node);
        // Who stood behind it may be first now.
        self.shared.freed.notify_all();
        answer
    }
}

/// Whether waiting can help.
fn waits(refusal: &Refusal) -> bool {
    matches!(refusal.reason, Reason::NoRoom | Reason::OverCap)
}

fn refuse(reason: Reason, why: impl Into<String>) -> Answer {
    Answer::Refused(Refusal::new(reason, why))
}

fn send(mut stream: &UnixStream, answer: &Answer) -> io::Result<()> {
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    stream.write_all(&line)
}

/// Lines from a stream: not too long, not too slow.
#[derive(Default)]
struct Lines {
    /// What came behind the last line.
    rest: Vec<u8>,
}

impl Lines {
    /// The next line; None when the client is done or silent.
    fn next(&mut self, mut stream: &UnixStream) -> Result<Option<Vec<u8>>, String> {
        let mut until = Instant::now() + if self.rest.is_empty() { SILENCE } else { LINE };
        let mut searched = 0;
        let mut buffer = [0_u8; 4096];
        loop {
            if let Some(at) = self.rest[searched..].iter().position(|&byte| byte == b'\n') {
                let behind = self.rest.split_off(searched + at + 1);
                return Ok(Some(std::mem::replace(&mut self.rest, behind)));
            }
            searched = self.rest.len();
            if searched > MAX_LINE {
                return Err(format!("a request is one line of at most {MAX_LINE} bytes"));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return if searched == 0 {
                    Ok(None)
                } else {
                    Err("the request did not come to an end in time".into())
                };
            }
            // A time-out of zero would mean none.
            let _ = stream.set_read_timeout(Some(left.max(Duration::from_millis(1))));
            match stream.read(&mut buffer) {
                Ok(0) if searched == 0 => return Ok(None),
                Ok(0) => return Err("the request ended in the middle of its line".into()),
                Ok(read) => {
                    if searched == 0 {
                        until = Instant::now() + LINE;
                    }
                    self.rest.extend_from_slice(&buffer[..read]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Time is over; said above.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return Ok(None),
            }
        }
    }
}
