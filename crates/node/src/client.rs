//! The client's side: connecting, asking, starting a daemon where there is none.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::home::Home;
use crate::protocol::{Answer, Refusal, Request, Start, Started, Status};
use crate::sys_unsafe;

/// A connection to a daemon.
pub struct Client {
    lines: BufReader<UnixStream>,
}

/// Why there was no answer.
#[derive(Debug)]
pub enum Lost {
    /// There is no daemon, or it ended before it answered: it makes sense to start one and ask again.
    NoDaemon(io::Error),
    /// Anything else: asking again would give the same.
    Broken(anyhow::Error),
}

impl Client {
    /// A connection to the daemon of `home`, if one is there.
    pub fn connect(home: &Home) -> Result<Client, Lost> {
        home.check(sys_unsafe::user()).map_err(Lost::Broken)?;
        match UnixStream::connect(home.socket()) {
            Ok(stream) => Ok(Client { lines: BufReader::new(stream) }),
            Err(error) if is_gone(&error) => Err(Lost::NoDaemon(error)),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Err(Lost::Broken(anyhow::anyhow!(
                    "the daemon at {} does not admit this user: ask for membership in the group of that socket",
                    home.socket().display()
                )))
            }
            Err(error) => {
                Err(Lost::Broken(anyhow::Error::new(error).context(format!("{}", home.socket().display()))))
            }
        }
    }

    /// Asks, and gives every answer to `heard` that is not the last one.
    pub fn ask(&mut self, request: &Request, mut heard: impl FnMut(&Answer)) -> Result<Answer, Lost> {
        let mut line = serde_json::to_vec(request).map_err(|error| Lost::Broken(error.into()))?;
        line.push(b'\n');
        let stream = self.lines.get_mut();
        stream.set_read_timeout(patience(request)).map_err(Lost::from_io)?;
        stream.write_all(&line).map_err(Lost::from_io)?;
        loop {
            let answer = self.read()?;
            match answer {
                Answer::Queued { .. } => heard(&answer),
                last => return Ok(last),
            }
        }
    }

    fn read(&mut self) -> Result<Answer, Lost> {
        let mut line = Vec::new();
        let mut limited = (&mut self.lines).take(MAX_ANSWER);
        limited.read_until(b'\n', &mut line).map_err(Lost::from_io)?;
        if line.is_empty() {
            return Err(Lost::NoDaemon(io::ErrorKind::UnexpectedEof.into()));
        }
        serde_json::from_slice(&line)
            .context("the daemon's answer makes no sense; is it of another version?")
            .map_err(Lost::Broken)
    }
}

/// The longest answer that is believed: a status of many tenants.
const MAX_ANSWER: u64 = 64 << 20;

/// How long a daemon may take. Who stands in line waits as long as it takes.
fn patience(request: &Request) -> Option<Duration> {
    let waits = matches!(request, Request::Start(start) if start.wait);
    (!waits).then_some(Duration::from_secs(30))
}

/// Asks the daemon of `home`; where there is none, or it ends before it answers, `start` is to start one, and the question is
/// asked again. What `start` starts may find that another daemon was quicker, and end.
pub fn ask_or_start(
    home: &Home,
    mut start: impl FnMut() -> Result<()>,
    request: &Request,
    mut heard: impl FnMut(&Answer),
) -> Result<Answer> {
    persist(home, &mut start, |patience| {
        // A daemon that spoke was alive: whoever waited in its queue for an hour has not run out of patience.
        let heard = |answer: &Answer| {
            patience.renew();
            heard(answer);
        };
        Client::connect(home)?.ask(request, heard)
    })
}

/// A connection to the daemon of `home`; `start` is to start one where there is none. A daemon that is about to end may take
/// the connection with it: what must not fail goes by [`ask_or_start`].
pub fn connect_or_start(home: &Home, mut start: impl FnMut() -> Result<()>) -> Result<Client> {
    persist(home, &mut start, |_| Client::connect(home))
}

fn persist<T>(
    home: &Home,
    start: &mut dyn FnMut() -> Result<()>,
    mut attempt: impl FnMut(&mut Patience) -> Result<T, Lost>,
) -> Result<T> {
    let mut patience = Patience::new();
    loop {
        let lost = match attempt(&mut patience) {
            Ok(answer) => return Ok(answer),
            Err(Lost::Broken(error)) => return Err(error),
            Err(Lost::NoDaemon(error)) => error,
        };
        match patience.next() {
            Some(Next::Start) => start().context("cannot start a daemon")?,
            Some(Next::Look) => std::thread::sleep(LOOK),
            None => bail!("no daemon answers at {}: {lost}", home.socket().display()),
        }
    }
}

/// Makes a tenant, with a daemon that `start` starts where there is none; `queued` hears why it waits, and its place in line.
/// The outer error is a failure to ask, the inner one the daemon's refusal.
pub fn start_tenant(
    home: &Home,
    start: impl FnMut() -> Result<()>,
    mut wish: Start,
    mut queued: impl FnMut(&str, u32),
) -> Result<Result<Started, Refusal>> {
    if wish.ticket.is_empty() {
        wish.ticket = sys_unsafe::random_name().context("cannot make up a ticket")?;
    }
    shorten(&mut wish.ask.command);
    let heard = |answer: &Answer| {
        if let Answer::Queued { why, position } = answer {
            queued(why, *position);
        }
    };
    match ask_or_start(home, start, &Request::Start(wish), heard)? {
        Answer::Started(started) => Ok(Ok(started)),
        Answer::Refused(refusal) => Ok(Err(refusal)),
        other => bail!("the daemon answered a start with {other:?}"),
    }
}

/// The beginning of a command: enough for people to know it by, however long it is.
fn shorten(command: &mut Vec<String>) {
    const ENOUGH: usize = 4096;
    let mut left = ENOUGH;
    command.retain_mut(|word| {
        let kept = left > 0;
        if word.len() > left {
            word.truncate(word.floor_char_boundary(left));
            word.push('…');
        }
        left = left.saturating_sub(word.len() + 1);
        kept
    });
}

/// What the daemon of `home` knows; None if there is no daemon.
pub fn status(home: &Home) -> Result<Option<Status>> {
    let answer = Client::connect(home).and_then(|mut client| client.ask(&Request::Status, |_| ()));
    match answer {
        Ok(Answer::Status(status)) => Ok(Some(*status)),
        Ok(Answer::Refused(refusal)) => Err(refusal.into()),
        Ok(other) => bail!("the daemon answered a question for its status with {other:?}"),
        Err(Lost::NoDaemon(_)) => Ok(None),
        Err(Lost::Broken(error)) => Err(error),
    }
}

impl Lost {
    fn from_io(error: io::Error) -> Lost {
        match error.kind() {
            _ if is_gone(&error) => Lost::NoDaemon(error),
            io::ErrorKind::WouldBlock => {
                Lost::Broken(anyhow::anyhow!("the daemon is there, but does not answer"))
            }
            _ => Lost::Broken(error.into()),
        }
    }
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Lost::NoDaemon(error) => write!(f, "no daemon answers: {error}"),
            Lost::Broken(error) => write!(f, "{error:#}"),
        }
    }
}

impl std::error::Error for Lost {}

/// What the kernel says of a socket nobody listens on, or whose owner went away.
fn is_gone(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionRefused, ConnectionReset, NotFound, UnexpectedEof};
    [BrokenPipe, ConnectionRefused, ConnectionReset, NotFound, UnexpectedEof].contains(&error.kind())
}

/// How long a client looks for a daemon, how often it starts one meanwhile, and how often it looks.
const PATIENCE: Duration = Duration::from_secs(10);
const START: Duration = Duration::from_millis(500);
const LOOK: Duration = Duration::from_millis(5);

enum Next {
    Start,
    Look,
}

/// Starting is repeated now and then: a daemon that still held the lock when the last attempt was made may have ended since.
struct Patience {
    began: Instant,
    started: Option<Instant>,
}

impl Patience {
    fn new() -> Patience {
        Patience { began: Instant::now(), started: None }
    }

    fn renew(&mut self) {
        self.began = Instant::now();
    }

    fn next(&mut self) -> Option<Next> {
        if self.started.is_none_or(|last| last.elapsed() >= START) {
            if self.began.elapsed() >= PATIENCE {
                return None;
            }
            self.started = Some(Instant::now());
            return Some(Next::Start);
        }
        Some(Next::Look)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::os::unix::net::UnixListener;
    use std::thread;

    use super::*;
    use crate::protocol::Reason;
    use crate::scratch::Scratch;

    /// A daemon that answers as it is told: None for one that ends before it has answered. Removes its socket in the end.
    fn daemon(home: &Home, answers: &'static [Option<&str>]) -> thread::JoinHandle<()> {
        let (listener, socket) = (UnixListener::bind(home.socket()).unwrap(), home.socket());
        thread::spawn(move || {
            for answer in answers {
                let (stream, _) = listener.accept().unwrap();
                let mut line = String::new();
                BufReader::new(&stream).read_line(&mut line).unwrap();
                if let Some(answer) = answer {
                    (&stream).write_all(answer.as_bytes()).unwrap();
                }
            }
            std::fs::remove_file(socket).unwrap();
        })
    }

    #[test]
    fn a_daemon_that_ends_while_it_is_asked_is_followed_by_another() {
        let scratch = Scratch::new();
        let home = Home::at(scratch.path());
        let last = Cell::new(Some(daemon(&home, &[None])));
        let starts = Cell::new(0);
        let start = || {
            starts.set(starts.get() + 1);
            last.take().unwrap().join().unwrap();
            // The first one that is started ends in the same way; the second one answers, after the client stood in line.
            let queued = "{\"answer\":\"queued\",\"why\":\"full\",\"position\":3}\n";
            let refused = "{\"answer\":\"refused\",\"reason\":\"no_device\",\"why\":\"none\"}\n";
            let answers: &'static str = format!("{queued}{refused}").leak();
            let answers = if starts.get() == 1 { vec![None] } else { vec![Some(answers)] };
            last.set(Some(daemon(&home, answers.leak())));
            Ok(())
        };
        let mut heard = Vec::new();
        let wish = Start { wait: true, ..Start::default() };
        let refused =
            start_tenant(&home, start, wish, |why, position| heard.push((why.to_string(), position)));
        assert_eq!(refused.unwrap().unwrap_err().reason, Reason::NoDevice);
        assert_eq!((starts.get(), heard), (2, vec![("full".to_string(), 3)]));
    }

    #[test]
    fn without_a_daemon_there_is_no_status_and_a_start_that_fails_says_why() {
        let scratch = Scratch::new();
        let home = Home::at(scratch.path());
        assert!(status(&home).unwrap().is_none());
        let failed = connect_or_start(&home, || bail!("no room"));
        assert_eq!(format!("{:#}", failed.err().unwrap()), "cannot start a daemon: no room");
    }

    #[test]
    fn an_answer_that_makes_no_sense_is_not_waited_on() {
        let scratch = Scratch::new();
        let home = Home::at(scratch.path());
        let daemon = daemon(&home, &[Some("{\"answer\":\"later\"}\n")]);
        let error = format!("{:#}", status(&home).unwrap_err());
        assert!(error.contains("of another version"), "{error}");
        daemon.join().unwrap();
    }

    #[test]
    fn a_long_command_is_known_by_its_beginning() {
        let mut command: Vec<String> = vec!["prog".into(), "é".repeat(3000), "more".into()];
        shorten(&mut command);
        assert_eq!(command.len(), 2);
        assert!(command[1].len() <= 4096 && command[1].ends_with("é…"));
        let mut short = vec!["a".to_string(), "b".to_string()];
        shorten(&mut short);
        assert_eq!(short, ["a", "b"]);
    }
}
