//! A device in virtual time, and a program that submits to it through a gate.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use cleave_gate::{
    Answer, Command, Device, DrawnWords, Flight, FlightWords, Gate, Order, TurnWords, Wait, Waiter, Why,
    Words,
};

pub const US: u64 = 1_000;
pub const MS: u64 = 1_000_000;

/// Never done, until somebody says so.
pub const FOREVER: u64 = u64::MAX;

/// One engine that does one command after the other, unless it is wide; those that never end do not keep it from the others.
#[derive(Default)]
pub struct Fake {
    pub now: Cell<u64>,
    /// When each command of a stream is done.
    streams: RefCell<HashMap<u64, Vec<u64>>>,
    engine: Cell<u64>,
    /// Whether commands of several streams run side by side, each as fast as alone.
    pub wide: Cell<bool>,
    pub busy: Cell<u64>,
    /// Streams 1 to 4 are destroyed.
    pub gone: Cell<bool>,
    pub rings: Cell<u32>,
    /// Who looks as soon as the bell rings, and sees what at work and waiting.
    pub looks: Cell<Option<&'static Page>>,
    pub heard: RefCell<Vec<(u32, u32)>>,
    pub marks: Cell<i64>,
    pub puts: Cell<u64>,
}

pub struct Mark {
    stream: u64,
    position: usize,
    at: u64,
}

impl Fake {
    pub fn at(now: u64) -> Fake {
        Fake { now: Cell::new(now), ..Fake::default() }
    }

    pub fn launch(&self, stream: u64, ns: u64) {
        let mut streams = self.streams.borrow_mut();
        let stream = streams.entry(stream).or_default();
        let free = if self.wide.get() { 0 } else { self.engine.get() };
        let start = self.now.get().max(free).max(stream.last().copied().unwrap_or(0));
        let end = start.saturating_add(ns);
        if end != FOREVER {
            self.engine.set(end);
            self.busy.set(self.busy.get() + ns);
        }
        stream.push(end);
    }

    /// Somebody else has the engine for a while.
    pub fn occupy(&self, ns: u64) {
        self.engine.set(self.engine.get().max(self.now.get()) + ns);
    }

    /// Ends what would never end.
    pub fn release(&self) {
        let now = self.now.get();
        for end in self.streams.borrow_mut().values_mut().flatten() {
            *end = if *end == FOREVER { now } else { *end };
        }
    }

    pub fn drained_at(&self) -> u64 {
        self.engine.get()
    }

    fn end(&self, mark: &Mark) -> u64 {
        let streams = self.streams.borrow();
        let end = mark.position.checked_sub(1).and_then(|last| streams.get(&mark.stream)?.get(last).copied());
        end.unwrap_or(0)
    }
}

impl Device for Fake {
    type Mark = Mark;

    fn put(&self, stream: u64, _: bool) -> Option<Mark> {
        assert!(!self.gone.get() || stream > 4, "a stream that is destroyed is not touched");
        self.marks.set(self.marks.get() + 1);
        self.puts.set(self.puts.get() + 1);
        let position = self.streams.borrow().get(&stream).map_or(0, Vec::len);
        Some(Mark { stream, position, at: self.now.get() })
    }

    fn put_if(&self, stream: u64, is_there: impl Fn() -> bool) -> Option<Self::Mark> {
        is_there().then(|| self.put(stream, true)).flatten()
    }

    fn is_done(&self, mark: &Mark) -> bool {
        self.end(mark) <= self.now.get()
    }

    fn between(&self, from: &Mark, to: &Mark) -> Option<u64> {
        Some(self.end(to).saturating_sub(self.end(from).max(from.at)))
    }

    fn give_back(&self, _: Mark) {
        self.marks.set(self.marks.get() - 1);
    }

    fn ring(&self) {
        self.rings.set(self.rings.get() + 1);
        let flight = self.looks.get().map(Page::flight);
        self.heard.borrow_mut().extend(flight.map(|flight| (flight.commands, flight.waiting)));
    }
}

/// The words of a tenant with one process.
pub struct Page {
    pub turn: TurnWords,
    pub drawn: DrawnWords,
    pub flight: FlightWords,
    pub percent: AtomicU32,
}

impl Page {
    pub fn new(percent: u32) -> Page {
        Page {
            turn: TurnWords::default(),
            drawn: DrawnWords::default(),
            flight: FlightWords::default(),
            percent: AtomicU32::new(percent),
        }
    }

    pub fn words(&self) -> Words<'_> {
        let Page { turn, drawn, flight, percent } = self;
        Words { turn, drawn, flight, percent, cap: 100 }
    }

    pub fn give(&self, order: Order) {
        let _nobody_sleeps_here = self.turn.give(&self.drawn, &order);
    }

    pub fn flight(&self) -> Flight {
        let mut flight = Flight::of(&self.drawn);
        flight.add(&self.flight);
        flight
    }
}

/// A turn without end.
pub fn always() -> Order {
    Order { credit_ns: 1 << 60, tracked: true, lease_until: FOREVER, ..Order::default() }
}

/// Submits a command if it passes; otherwise what it waits for, by a thread that does not wait for it.
pub fn submit(
    gate: &Gate<'_, Fake>,
    fake: &Fake,
    command: Command,
    stream: u64,
    truth: u64,
) -> Result<(), Wait> {
    submit_as(&mut gate.waiter(), gate, fake, (command, stream, truth))
}

/// The same by a thread that may have waited for it already.
pub fn submit_as(
    waiter: &mut Waiter<'_>,
    gate: &Gate<'_, Fake>,
    fake: &Fake,
    (command, stream, truth): (Command, u64, u64),
) -> Result<(), Wait> {
    if gate.try_pass(command, stream).is_some() {
        fake.launch(stream, truth);
        return Ok(());
    }
    match gate.ask(fake, waiter, command, stream, fake.now.get()) {
        Answer::Go(ticket) => {
            fake.launch(stream, truth);
            gate.launched(fake, ticket, true, fake.now.get());
            Ok(())
        }
        Answer::Wait(wait) => Err(wait),
    }
}

/// Submits without pause until the clock reads `end`; how many commands passed. Waking up takes a while.
pub fn saturate(
    gate: &Gate<'_, Fake>,
    fake: &Fake,
    end: u64,
    mut next: impl FnMut(u64) -> (Command, u64, u64),
) -> u64 {
    let (mut passed, mut waiter) = (0, gate.waiter());
    while fake.now.get() < end {
        match submit_as(&mut waiter, gate, fake, next(passed)) {
            Ok(()) => passed += 1,
            Err(wait) => fake.now.set(wait.until.min(end) + 50 * US),
        }
    }
    passed
}

/// Submits until the turn is used up; what is waited for then.
pub fn use_up(gate: &Gate<'_, Fake>, fake: &Fake, command: Command, truth: u64) -> Wait {
    loop {
        match submit(gate, fake, command, 1, truth) {
            Ok(()) => {}
            Err(wait) if wait.why == Why::Closed => return wait,
            Err(wait) => fake.now.set(wait.until),
        }
    }
}

/// Looks until nothing is in flight.
pub fn drain(gate: &Gate<'_, Fake>, fake: &Fake) {
    while let Some(next) = gate.poll(fake, fake.now.get()).next {
        fake.now.set(next);
    }
}

pub fn kernel(number: u64) -> Command {
    Command::kernel(number * 64, [4, 1, 1], [32, 1, 1])
}

pub fn charged(page: &Page) -> u64 {
    page.drawn.charged.load(Relaxed)
}
