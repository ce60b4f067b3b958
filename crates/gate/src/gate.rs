//! The gate itself: who passes, who waits and for what.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::batch::{Batch, Sample, Whose};
use crate::bucket;
use crate::credit::Law;
use crate::device::{Command, Device};
use crate::inner::{Inner, Room};
use crate::open::{Left, Open};
use crate::order::{Standing, WINDOW};
use crate::times::{FAR_MORE, Meanwhile, TIMES_MORE, Times};
use crate::waiter::Waiter;
use crate::words::{DrawnWords, FlightWords, TurnWords};

/// Commands of a batch where completions are followed closely, and where nobody waits for them.
const COMMANDS: u32 = 64;
const COMMANDS_ALONE: u32 = 4000;
/// Who waits looks again after so long, whatever it waits for.
pub(crate) const LOOK: u64 = 100_000_000;

/// Where a gate reads and writes: the slot of the grant, and the record of this process.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    /// What the arbiter says.
    pub turn: &'a TurnWords,
    /// What the tenant has drawn.
    pub drawn: &'a DrawnWords,
    /// What this process has in flight.
    pub flight: &'a FlightWords,
    /// The tenant's share in percent.
    pub percent: &'a AtomicU32,
    /// The most of it that counts.
    pub cap: u32,
}

/// The gate of a process to one engine of a device.
pub struct Gate<'a, D: Device> {
    pub(crate) words: Words<'a>,
    pub(crate) times: Times,
    pub(crate) open: Open,
    /// How many batches were closed, for those who look without the lock.
    pub(crate) closed: AtomicU64,
    /// When somebody last looked what is done.
    pub(crate) polled_at: AtomicU64,
    inner: Mutex<Inner<D::Mark>>,
}

/// Whether a command may be submitted.
pub enum Answer<M> {
    /// Now. The ticket is given to [`Gate::launched`].
    Go(Ticket<M>),
    /// Not yet.
    Wait(Wait),
}

/// What to wait for before asking again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The reason.
    pub why: Why,
    /// While [`TurnWords::seq`] is this, nothing has changed.
    pub seq: u32,
    /// Ask again then at the latest.
    pub until: u64,
}

/// Why a command waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// The tenant is not on turn.
    Closed,
    /// Enough is in flight.
    Window,
    /// There is no arbiter, and the tenant's own share is used up.
    Bucket,
}

/// A command that passed the slow way.
pub struct Ticket<M> {
    command: Command,
    stream: u64,
    cost: u64,
    most: u64,
    close: bool,
    sample: Option<Sample<M>>,
}

impl<'a, D: Device> Gate<'a, D> {
    /// The gate over these words.
    pub fn new(words: Words<'a>) -> Gate<'a, D> {
        Gate {
            words,
            times: Times::default(),
            open: Open::default(),
            closed: AtomicU64::new(0),
            polled_at: AtomicU64::new(0),
            inner: Mutex::new(Inner::default()),
        }
    }

    /// Whether nothing is limited and nobody looks: there never was an arbiter, and the share is the whole device.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.words.turn.lease.load(Relaxed) == 0
            && self.words.percent.load(Relaxed).min(self.words.cap) >= 100
    }

    /// Lets a command pass that is known and fits: no lock, no clock, no system call. What it is expected to take; None if it
    /// has to [`ask`](Gate::ask).
    #[inline]
    pub fn try_pass(&self, command: Command, stream: u64) -> Option<u64> {
        let cost = self.times.usual(command)?;
        self.open.take(cost, stream, self.words.turn.turn.load(Relaxed)).then_some(cost)
    }

    /// A thread that is going to ask.
    pub fn waiter(&self) -> Waiter<'a> {
        Waiter::new(self.words.flight)
    }

    /// Lets a command pass, or says what to wait for. Never blocks.
    pub fn ask(
        &self,
        device: &D,
        waiter: &mut Waiter<'_>,
        command: Command,
        stream: u64,
        now: u64,
    ) -> Answer<D::Mark> {
        let mut inner = self.lock();
        let standing = self.words.turn.read();
        inner.seal(&self.open);
        inner.enter(standing.turn);
        inner.silence.judge(&standing, waiter.waits(), now);
        let law = self.words.law(&inner.silence, &standing);
        if law == Law::Free && !standing.paused {
            waiter.passes();
            return Answer::Go(self.free(inner, command, stream));
        }
        // Whoever takes the arbiter's place in its absence does not know who else is there.
        let knows_others = law == Law::Turns || standing.lease == 0;
        self.retire(&mut inner, device, &standing, now);
        let quarter = standing.window / 4;
        let mut expected = self.times.expect(command);
        if expected.unknown {
            // It may be long: only a few of them are in flight at a time.
            expected.ns = expected.ns.max(quarter);
            expected.most = expected.ns;
        }
        // Only where somebody's work goes first: a program may have better things to do than to wait in a launch.
        let narrow = standing.window < WINDOW && !expected.unsure;
        let follows = narrow && inner.flights.only(stream) && self.open.only(stream);
        let fare = self.fare(&mut inner, command, &expected, stream, &standing, now);
        let room = inner.room(&fare, expected.unsure, follows, standing.window, now);
        let room = match room {
            Room::Enough if now < inner.kept_until && !waiter.is_overdue(now) => {
                Room::Later { until: inner.kept_until }
            }
            room => room,
        };
        let ahead = (inner.spare, quarter.saturating_sub(inner.used.ns));
        let drawn = match room {
            _ if standing.paused => Err((Why::Closed, now + LOOK)),
            _ if fare.is_free => Ok(0),
            Room::None { until } => Err((Why::Window, until)),
            // Who has no turn for it either waits for that: the arbiter must see it.
            Room::Later { until } => {
                let closed = self.words.closed(law, inner.spare, &standing, now);
                Err(closed.unwrap_or((Why::Window, until)))
            }
            Room::Enough | Room::Stalled => self.words.draw(law, fare.cost, ahead, &standing, now),
        };
        let fare = match drawn {
            Ok(ns) => {
                inner.spare += ns;
                fare
            }
            Err((why, until)) => {
                let rest = || fare.or_rest(&inner.lanes, &standing, now).filter(|_| why == Why::Closed);
                // What is tried is compared with what the command takes alone.
                let trial = || match knows_others {
                    true => fare.or_trial(&inner.lanes, &self.times, command, stream, &standing, now),
                    false => None,
                };
                let Some(other) = rest().or_else(trial).filter(|_| !standing.paused) else {
                    return Answer::Wait(self.refuse(inner, device, waiter, (why, until), &standing, now));
                };
                other
            }
        };
        // Not before it passes: who has to wait for a turn as well has not broken a stall yet.
        if room == Room::Stalled && !fare.is_free {
            inner.nudge(now);
        }
        let says = self.says(&mut inner, &fare, command, &expected, stream, now);
        let sample = says.is_any();
        fare.take(&mut inner.lanes, stream, standing.turn, now);
        // Before it is seen to have something at work: who waits and has is taken to have used up its turn.
        if waiter.is_overdue(now) {
            inner.kept_until = 0;
        }
        waiter.passes();
        if !self.open.touch(stream) {
            inner = self.close(inner, device, None, now);
            self.open.touch(stream);
        }
        let rings = inner.begin(&standing, now);
        inner.take(&fare);
        let most = if standing.tracked { COMMANDS } else { COMMANDS_ALONE };
        let room = most.saturating_sub(inner.used.commands);
        let close = sample || inner.used.ns >= quarter || room == 0;
        if !close {
            inner.unseal(&self.open, room);
        }
        let breaks = inner.breaks(&standing);
        inner.publish(&self.words, &self.open);
        drop(inner);
        // Not sooner: who is woken may look before this thread goes on.
        if rings {
            device.ring();
        }
        let mut ticket = Ticket { command, stream, cost: fare.cost, most: fare.most, close, sample: None };
        if sample {
            if !expected.unknown && (says.cost.is_some() || fare.width > 1) {
                self.times.skip(command);
            }
            let clean_in = (!standing.shared && knows_others).then_some(standing.turn);
            let last = says.company.map(|company| company.last);
            let last = last.and_then(|last| device.put_if(last, || self.lock().lanes.has(last)));
            ticket.sample = device.put(stream, true).map(|from| Sample {
                command,
                drawn: fare.cost,
                expected: fare.most,
                unsure: expected.unsure,
                stream,
                from,
                last,
                clean_in,
                breaks,
                says,
            });
        }
        Answer::Go(ticket)
    }

    /// The command of a ticket was submitted, or refused by the driver: then it costs nothing.
    pub fn launched(&self, device: &D, mut ticket: Ticket<D::Mark>, ok: bool, now: u64) {
        if !ok {
            if let Some(sample) = ticket.sample.take() {
                sample.give_back(device);
            }
            self.give_back(ticket.cost, ticket.most);
        }
        if ticket.close {
            let inner = self.close(self.lock(), device, ticket.sample, now);
            inner.publish(&self.words, &self.open);
        }
    }

    /// A command that passed at `cost` was refused by the driver.
    #[cold]
    pub fn refused(&self, cost: u64) {
        self.give_back(cost, cost);
    }

    fn give_back(&self, cost: u64, most: u64) {
        let mut inner = self.lock();
        inner.seal(&self.open);
        inner.give_back(cost, most);
        inner.publish(&self.words, &self.open);
    }

    /// A thread has waited so long for what [`ask`](Gate::ask) said, and asks again.
    pub fn waited(&self, wait: &Wait, ns: u64) {
        if wait.why != Why::Window {
            self.words.drawn.waited_ns.fetch_add(ns, Relaxed);
        }
    }

    /// The word to wait on.
    pub fn seq(&self) -> &'a AtomicU32 {
        &self.words.turn.seq
    }

    /// Whether completions have to be followed though nothing is submitted.
    pub fn is_tracked(&self) -> bool {
        self.words.turn.is_tracked()
    }

    /// What stood behind a command is something else now.
    pub fn forget(&self, command: Command) {
        let _one = self.lock();
        self.times.forget(command);
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner<D::Mark>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the gate wide.
    fn free(
        &self,
        mut inner: MutexGuard<'_, Inner<D::Mark>>,
        command: Command,
        stream: u64,
    ) -> Ticket<D::Mark> {
        if !self.open.touch(stream) {
            drop(self.open.turn_over());
            self.open.touch(stream);
        }
        self.times.skip(command);
        inner.free(&self.open);
        inner.publish(&self.words, &self.open);
        Ticket { command, stream, cost: 0, most: 0, close: false, sample: None }
    }

    /// Says what to wait for. What is submitted is marked, so that its end can be seen; the arbiter hears of the first who waits, and
    /// of anybody it seems not to know of.
    fn refuse(
        &self,
        inner: MutexGuard<'_, Inner<D::Mark>>,
        device: &D,
        waiter: &mut Waiter<'_>,
        (why, until): (Why, u64),
        standing: &Standing,
        now: u64,
    ) -> Wait {
        let begins = !waiter.waits();
        waiter.refused(why, now);
        let mut inner = self.close(inner, device, None, now);
        if why == Why::Window && waiter.is_overdue(now) {
            inner.keep_room(now);
        }
        if why == Why::Closed {
            inner.expect_drain(standing.watched, now);
        }
        inner.publish(&self.words, &self.open);
        let mut until = inner.look_at(now).map_or(until, |at| until.min(at));
        let mut rings = why == Why::Closed && inner.is_first_to_wait(standing.seq) && !standing.watched;
        // A pause ends by a word and not by its absence.
        if why == Why::Closed && !standing.paused {
            rings |= inner.silence.asks_for_turn(standing, begins, now);
            until = inner.silence.trusts_until(standing).map_or(until, |at| until.min(at));
        }
        if rings {
            drop(inner);
            device.ring();
        }
        Wait { why, seq: standing.seq, until: until.max(now + 1) }
    }

    /// Ends the open batch. The lock is not held while the device is asked to mark.
    pub(crate) fn close<'g>(
        &'g self,
        mut inner: MutexGuard<'g, Inner<D::Mark>>,
        device: &D,
        sample: Option<Sample<D::Mark>>,
        now: u64,
    ) -> MutexGuard<'g, Inner<D::Mark>> {
        inner.seal(&self.open);
        let (used, longest) = inner.submit();
        if used == Left::default() {
            if let Some(sample) = sample {
                sample.give_back(device);
            }
            return inner;
        }
        let streams = self.open.turn_over();
        drop(inner);
        let batch = Batch::close(device, used, longest, streams, sample, now);
        let mut inner = self.lock();
        inner.flights.push(batch);
        self.closed.store(inner.flights.closed(), Relaxed);
        inner
    }

    /// Takes out of flight what is done, and learns from it.
    pub(crate) fn retire(&self, inner: &mut Inner<D::Mark>, device: &D, standing: &Standing, now: u64) {
        // All that is done now was done since something last was: what ran side by side is not paid for twice.
        let all = now.saturating_sub(inner.seen_at());
        let mut span = inner.span(now);
        let crowded = inner.flights.is_crowded();
        let law = self.words.law(&inner.silence, standing);
        // An arbiter says when others come.
        let alone = law == Law::Turns && !standing.tracked;
        let retired = inner.flights.retire(device, now);
        let expected: u64 = retired.iter().map(|done| done.ns).fold(0, u64::saturating_add);
        let longest = retired.iter().map(|done| done.longest).fold(expected, u64::max);
        // What a process measures may contain the slices of its siblings, who pay for them.
        let paid_to = self.words.drawn.paid_to.load(Relaxed);
        let (mut more, mut paid) = (now.saturating_sub(paid_to).saturating_sub(expected), 0);
        if !retired.is_empty() && all >= longest.saturating_mul(TIMES_MORE).saturating_add(FAR_MORE) {
            inner.doubt(&self.times, now);
        }
        for done in retired {
            inner.retired(&done, now);
            let (mut ns, mut drawn, mut known) = (done.ns.min(span), done.ns, true);
            if let Some(sample) = done.measured {
                known = !sample.unsure && standing.lease != 0;
                let took = sample.ns.min(span);
                let rest = done.ns.saturating_sub(sample.expected);
                (ns, drawn) = (rest.min(span - took) + took, rest.saturating_add(sample.drawn));
                // Where a stall was broken meanwhile, it may have waited for just that.
                let breaks = inner.breaks(standing);
                let stalled = sample.breaks != breaks && !inner.broke_in_vain(now);
                let clean = sample.clean_in == Some(standing.turn) && !standing.shared;
                let meanwhile = match clean {
                    _ if stalled => Meanwhile::Stall,
                    true if sample.breaks == breaks && alone => Meanwhile::Alone,
                    true if sample.breaks == breaks => Meanwhile::Nothing,
                    _ => Meanwhile::Others,
                };
                let let_on = sample.breaks.let_on != breaks.let_on;
                let waited = let_on || meanwhile == Meanwhile::Stall;
                if !waited {
                    self.times.learn_alone(sample.command, sample.ns, sample.says.alone);
                }
                let own = match sample.says.cost {
                    // What is long is known by what it takes by itself.
                    Some(Whose::All) if crowded => {
                        let part = part(all, sample.expected, expected);
                        Some(part.max(self.times.long_alone(sample.command)))
                    }
                    Some(_) => Some(u64::MAX),
                    None => None,
                };
                match own.map(|own| sample.ns.min(own)) {
                    Some(took) if let_on => self.times.bound(sample.command, took),
                    Some(took) => self.times.learn(sample.command, took, meanwhile),
                    None => {}
                }
                if !waited {
                    self.times.judge(sample.command, sample.ns, &sample.says, sample.later);
                }
            }
            span -= ns;
            if let Law::Bucket { percent } = law {
                let pays = ns.min(drawn.saturating_add(if known { 0 } else { more }));
                more -= pays.saturating_sub(drawn);
                paid += pays;
                bucket::correct(&self.words.drawn.bucket, drawn, pays, percent);
            }
            self.words.drawn.gpu_ns.fetch_add(ns, Relaxed);
        }
        inner.looked(span, now);
        if paid > 0 {
            self.words.drawn.paid_to.fetch_max(inner.paid_to(paid_to.saturating_add(paid), now), Relaxed);
        }
        if inner.drained_early(now) && self.words.flight.waiting.load(Relaxed) > 0 {
            inner.publish(&self.words, &self.open);
            device.ring();
        }
    }
}

/// What of a span is due to one of those who share it. Where streams run side by side, each kernel's own time includes that of
/// the others.
fn part(span: u64, own: u64, all: u64) -> u64 {
    (u128::from(span) * u128::from(own) / u128::from(all.max(1))) as u64
}

impl<M> Ticket<M> {
    /// The stream it is for.
    pub fn stream(&self) -> u64 {
        self.stream
    }

    /// What it is for.
    pub fn command(&self) -> Command {
        self.command
    }
}
