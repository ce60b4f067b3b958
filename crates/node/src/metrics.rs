//! The numbers of the status document for Prometheus: a page at `/metrics`, served on an address of its own where one is
//! configured. Whoever can reach the address can read it, and nothing else.

/// The page: a status in, text out.
mod page;

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::protocol::Status;

#[cfg(test)]
mod tests;

/// Readers at once: a collector or two, and somebody who looks.
const MOST: usize = 16;
/// How long a reader may take to ask, and to take the page.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest question that is read.
const LONGEST: usize = 8 << 10;
const PATH: &str = "/metrics";

/// An address that is listened on.
pub struct Metrics {
    listener: TcpListener,
}

impl Metrics {
    pub fn bind(address: SocketAddr) -> Result<Metrics> {
        let listener =
            TcpListener::bind(address).with_context(|| format!("cannot serve metrics on {address}"))?;
        Ok(Metrics { listener })
    }

    /// Answers for ever. `status` must not wait for a reader: it is asked before anything is sent, and each reader has a thread.
    pub fn serve(&self, status: impl Fn() -> Status + Send + Sync + 'static) {
        let desk = Arc::new(Desk { status: Box::new(status), readers: AtomicUsize::new(0) });
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => greet(stream, &desk),
                // Out of descriptors or memory: it will pass.
                Err(_) => thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

/// What the threads of readers share.
struct Desk {
    status: Box<dyn Fn() -> Status + Send + Sync>,
    readers: AtomicUsize,
}

impl Desk {
    fn page(&self) -> String {
        page::text(&(self.status)())
    }
}

/// A reader's place, given back when it is dropped.
struct Place(Arc<Desk>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Gives a reader a thread; without one, or when there are too many, the connection is closed.
fn greet(stream: TcpStream, desk: &Arc<Desk>) {
    let before = desk.readers.fetch_add(1, Ordering::AcqRel);
    let place = Place(desk.clone());
    if before < MOST {
        let answer = move || drop(answer(&stream, &place.0));
        let _ = thread::Builder::new().name("metrics".into()).stack_size(256 << 10).spawn(answer);
    }
}

/// One question, one answer, and the connection is closed: collectors ask every few seconds.
fn answer(stream: &TcpStream, desk: &Desk) -> io::Result<()> {
    let until = Instant::now() + PATIENCE;
    let Some(question) = question(stream, until)? else { return Ok(()) };
    let (head, body) = match asked(&question) {
        Asked::Page { body } => (("200 OK", page::TYPE), body.then(|| desk.page())),
        Asked::Else => (("404 Not Found", PLAIN), Some(format!("there is only {PATH}\n"))),
        Asked::Change => (("405 Method Not Allowed", PLAIN), Some("GET and HEAD are answered\n".into())),
        Asked::Nonsense => (("400 Bad Request", PLAIN), Some("this is no HTTP request\n".into())),
    };
    let (status, kind) = head;
    let length = body.as_ref().map(|body| format!("Content-Length: {}\r\n", body.len())).unwrap_or_default();
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{length}Connection: close\r\n\r\n{}",
        body.unwrap_or_default()
    );
    send(stream, text.as_bytes(), Instant::now() + PATIENCE)
}

const PLAIN: &str = "text/plain; charset=utf-8";

/// Up to the empty line behind the header; None if the reader went away or was too slow or too long-winded.
fn question(mut stream: &TcpStream, until: Instant) -> io::Result<Option<Vec<u8>>> {
    let mut read = Vec::new();
    let mut buffer = [0; 1024];
    while read.len() < LONGEST {
        stream.set_read_timeout(Some(left(until)?))?;
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(None),
            Ok(more) => read.extend_from_slice(&buffer[..more]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if read.windows(4).any(|end| end == b"\r\n\r\n") || read.windows(2).any(|end| end == b"\n\n") {
            return Ok(Some(read));
        }
    }
    Ok(Some(Vec::new()))
}

enum Asked {
    Page { body: bool },
    Else,
    Change,
    Nonsense,
}

/// What the first line of a question asks for.
fn asked(question: &[u8]) -> Asked {
    let line = question.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let words: Vec<&str> = std::str::from_utf8(line).unwrap_or_default().split_whitespace().collect();
    let [method, target, version] = words[..] else { return Asked::Nonsense };
    if !version.starts_with("HTTP/1.") {
        return Asked::Nonsense;
    }
    let path = target.split(['?', '#']).next().unwrap_or_default();
    match method {
        "GET" | "HEAD" if path == PATH => Asked::Page { body: method == "GET" },
        "GET" | "HEAD" => Asked::Else,
        _ => Asked::Change,
    }
}

/// All of it in time, or not at all: who reads a byte now and then is not waited for.
fn send(mut stream: &TcpStream, mut text: &[u8], until: Instant) -> io::Result<()> {
    while !text.is_empty() {
        stream.set_write_timeout(Some(left(until)?))?;
        match stream.write(text) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(sent) => text = &text[sent..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    // A time-out of zero would mean none.
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}
