//! What a gate knows behind its lock: the open batch, what is in flight, and since when.

use std::sync::atomic::Ordering::{Relaxed, Release};

use crate::batch::{Breaks, Flights, Retired};
use crate::fare::Fare;
use crate::gate::Words;
use crate::lanes::Lanes;
use crate::open::{Left, MOST, Open};
use crate::order::Standing;
use crate::silence::Silence;
use crate::times::Times;

/// Without progress for so long, a command passes though enough is in flight: what is in flight may wait for it.
const QUANTUM: u64 = 4_000_000;
/// A single command that is known to take long is waited for longer, up to this.
const PATIENCE: u64 = 100_000_000;
/// A stall is forgotten when so many batches are done, or when nothing is in flight.
const FORGOTTEN: u32 = 8;
/// A command with nothing before it on its stream is measured together with what it waited for. So a measurement that can wait is put off
/// until there is something, but no more often than this: a program may wait for each of its commands.
const PUT_OFF: u32 = 8;
/// Work is seen to be done a little after it is. So much of a look's time may belong to what the next look finds.
const CARRIED: u64 = 1_000_000;
/// How often all that is known is doubted at most.
const DOUBT: u64 = 100_000_000;
/// How long nothing may be in flight before the arbiter is told.
const GRACE: u64 = 200_000;
/// An end that comes so much sooner than expected is told.
const EARLY: u64 = 300_000;
/// The soonest and the latest look at something that should be done.
const SOON: u64 = 20_000;
const LATE: u64 = 500_000;

/// What the window has room for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// One more command.
    Enough,
    /// One more command, but what is before it on its stream takes until then and a little longer: it could not begin sooner. Or a
    /// thread has waited for longer, and needs more.
    Later { until: u64 },
    /// Nothing, until then.
    None { until: u64 },
    /// Nothing, but what is in flight has not moved for so long that it may wait for what comes.
    Stalled,
}

/// What a gate knows.
pub struct Inner<M> {
    pub flights: Flights<M>,
    pub lanes: Lanes,
    pub silence: Silence,
    /// The stream of the last command that came this way, and for how many more there are several.
    stream: u64,
    streams: u8,
    /// The turn in which the spare credit was drawn.
    turn: u64,
    /// Drawn and not used, while the open batch is sealed.
    pub spare: u64,
    /// What the word was opened with; nothing while it is sealed.
    given: Left,
    /// Whether it was opened without limit.
    wide: bool,
    /// Used in the open batch, up to when it was sealed; and how long the longest of it runs.
    pub used: Left,
    longest: u64,
    submitted: u64,
    retired: u64,
    commands: u32,
    /// When something was last done, or begun after nothing was there: as it was expected, and as it was seen.
    progress_at: u64,
    seen_at: u64,
    /// When it was last looked what is done.
    looked_at: u64,
    /// Time that went by until then and is nobody's yet.
    carried: u64,
    /// Commands that passed because of a stall: ever, and not done yet, and when the last one did.
    nudges: u64,
    stalls: u32,
    nudged_at: u64,
    /// Until when room is kept for a thread that has waited for long.
    pub kept_until: u64,
    /// When it last seemed that nothing is as it is known.
    doubted_at: u64,
    /// How often a measurement was put off since the last one.
    put_off: u32,
    /// What of all in flight did not move when a stall was broken, and takes no room any more.
    excused: Left,
    /// Whether the arbiter was told that something is in flight.
    told: bool,
    /// The order after which it was told that somebody waits.
    waits_after: Option<u32>,
    /// When it expects what was in flight then to be done.
    drain_due: u64,
}

impl<M> Default for Inner<M> {
    fn default() -> Inner<M> {
        Inner {
            flights: Flights::default(),
            lanes: Lanes::default(),
            silence: Silence::default(),
            stream: 0,
            streams: 0,
            turn: 0,
            spare: 0,
            given: Left::default(),
            wide: false,
            used: Left::default(),
            longest: 0,
            submitted: 0,
            retired: 0,
            commands: 0,
            progress_at: 0,
            seen_at: 0,
            looked_at: 0,
            carried: 0,
            nudges: 0,
            stalls: 0,
            nudged_at: 0,
            kept_until: 0,
            doubted_at: 0,
            put_off: 0,
            excused: Left::default(),
            told: false,
            waits_after: None,
            drain_due: 0,
        }
    }
}

impl<M> Inner<M> {
    /// Stops the fast way, and books what went it.
    pub fn seal(&mut self, open: &Open) {
        if self.given == Left::default() {
            return;
        }
        let left = open.seal();
        if !self.wide {
            self.used.ns += self.given.ns.saturating_sub(left.ns);
            self.used.commands += self.given.commands.saturating_sub(left.commands);
            self.spare = left.ns;
        }
        self.given = Left::default();
        self.wide = false;
    }

    /// Opens the fast way for the spare credit.
    pub fn unseal(&mut self, open: &Open, commands: u32) {
        self.given = Left { ns: self.spare.min(MOST.ns), commands };
        open.unseal(self.given, self.turn);
    }

    /// Opens it without limit.
    pub fn free(&mut self, open: &Open) {
        (self.given, self.wide, self.spare) = (MOST, true, 0);
        open.unseal(MOST, self.turn);
    }

    /// What was drawn in another turn is void.
    pub fn enter(&mut self, turn: u64) {
        if self.turn != turn {
            (self.turn, self.spare) = (turn, 0);
        }
    }

    /// The batch is used by one more command.
    pub fn take(&mut self, fare: &Fare) {
        self.used.ns = self.used.ns.saturating_add(fare.most);
        self.used.commands += 1;
        self.longest = self.longest.max(fare.length);
        self.spare = self.spare.saturating_sub(fare.cost);
    }

    /// A command was none.
    pub fn give_back(&mut self, cost: u64, most: u64) {
        if self.used.commands > 0 {
            self.used.ns = self.used.ns.saturating_sub(most);
            self.used.commands -= 1;
            self.spare = self.spare.saturating_add(cost);
        }
    }

    /// The open batch is in flight from now on: what it holds, and how long the longest of it runs.
    pub fn submit(&mut self) -> (Left, u64) {
        let used = std::mem::take(&mut self.used);
        self.submitted = self.submitted.wrapping_add(used.ns);
        self.commands += used.commands;
        (used, std::mem::take(&mut self.longest))
    }

    /// A batch is done: since it was expected to be, as far as nobody saw otherwise. Who looks late would else seem late with
    /// all that follows.
    pub fn retired(&mut self, done: &Retired, now: u64) {
        let Retired { ns, commands, .. } = *done;
        self.retired = self.retired.wrapping_add(ns);
        self.commands = self.commands.saturating_sub(commands);
        self.stalls = self.stalls.saturating_sub(1);
        if done.excused {
            self.excused.ns = self.excused.ns.saturating_sub(ns);
            self.excused.commands = self.excused.commands.saturating_sub(commands);
        }
        let seen = self.progress_at.max(self.looked_at).min(now);
        self.progress_at = self.progress_at.saturating_add(ns).clamp(seen, now);
        self.seen_at = now;
    }

    /// All that was done by now is retired, and so much time was not taken by it. A long command that is still in flight may have run
    /// all the while, beside others that cost nothing.
    pub fn looked(&mut self, left: u64, now: u64) {
        let runs = if left > CARRIED { self.flights.longest().max(CARRIED) } else { CARRIED };
        (self.carried, self.looked_at) = (left.min(runs), now);
    }

    /// Up to when time is paid for that was until `at`, now that it was looked what is done.
    pub fn paid_to(&self, at: u64, now: u64) -> u64 {
        at.clamp(now.saturating_sub(CARRIED), now)
    }

    /// The most that what is done now can have taken: the time since something last was, side by side or not.
    pub fn span(&self, now: u64) -> u64 {
        now.saturating_sub(self.seen_at).max(self.carried.saturating_add(now.saturating_sub(self.looked_at)))
    }

    /// Stalls that are not forgotten: each makes the gate more patient.
    fn stalls(&self) -> u32 {
        self.stalls.div_ceil(FORGOTTEN)
    }

    /// When something was last seen to be done, or begun after nothing was there.
    pub fn seen_at(&self) -> u64 {
        self.seen_at
    }

    /// Something is about to be in flight; whether the arbiter has to be told, once it can be seen.
    pub fn begin(&mut self, standing: &Standing, now: u64) -> bool {
        if self.is_empty() {
            (self.stalls, self.excused, self.carried, self.looked_at) = (0, Left::default(), 0, now);
            (self.progress_at, self.seen_at) = (now, now);
            self.silence.rests();
        }
        let asks = self.silence.asks_at_work(standing, now);
        asks || standing.tracked && !std::mem::replace(&mut self.told, true) && !standing.watched
    }

    /// Whether nothing is in flight, as far as is known.
    pub fn is_empty(&self) -> bool {
        self.commands == 0 && self.used.commands == 0
    }

    /// Whether commands lately went to several streams, this one's being the last.
    pub fn has_streams(&mut self, stream: u64) -> bool {
        let changes = self.stream != 0 && self.stream != stream;
        self.streams = if changes { u8::MAX } else { self.streams.saturating_sub(1) };
        self.stream = stream;
        self.streams > 0
    }

    /// Whether there is room in the window for a command. One that `follows` has all that is in flight before it on its stream, so that
    /// nothing can wait for it.
    pub fn room(&self, fare: &Fare, unsure: bool, follows: bool, window: u64, now: u64) -> Room {
        let in_flight = self.submitted.wrapping_sub(self.retired).saturating_add(self.used.ns);
        let counted = in_flight.saturating_sub(self.excused.ns);
        let commands = (self.commands + self.used.commands).saturating_sub(self.excused.commands);
        // Two one after the other, of those that run side by side.
        let two = 2 * u32::from(fare.width);
        let (window, least) = match self.excused.commands {
            0 => (window, two),
            // What nobody knows may be one more of the kind.
            _ if unsure => (0, 1),
            // What seems to stand may only wait for siblings, again and again: it must not pile up.
            _ if self.excused.ns > window => (0, two),
            _ => (window / 2, two),
        };
        if counted.saturating_add(fare.most) <= window {
            return Room::Enough;
        }
        if commands < least {
            let due = self.progress_at.saturating_add(in_flight).saturating_sub(window / 2);
            return if follows && now < due { Room::Later { until: due } } else { Room::Enough };
        }
        // What is believed to take long is waited for; of anything else nobody knows what it waits for.
        let front = self.flights.believed().unwrap_or(0);
        let patience = front.saturating_mul(2).clamp(QUANTUM, PATIENCE) << self.stalls().min(8);
        let stalled_at = self.progress_at.max(self.nudged_at).saturating_add(patience);
        if now < stalled_at { Room::None { until: stalled_at } } else { Room::Stalled }
    }

    /// A thread has waited for room for long: nobody else is given any, but it has to come again for it.
    pub fn keep_room(&mut self, now: u64) {
        self.kept_until = now.saturating_add(QUANTUM);
    }

    /// A command passes though there is no room for it. What does not move no longer counts, so that all it may wait for gets a
    /// chance.
    pub fn nudge(&mut self, now: u64) {
        self.excused = self.flights.excuse();
        self.nudges += 1;
        self.stalls += FORGOTTEN;
        self.nudged_at = now;
    }

    /// Whether a measurement is put off: until the command is `behind` others, or often enough.
    pub fn puts_off(&mut self, behind: bool) -> bool {
        let puts_off = !behind && self.put_off < PUT_OFF;
        self.put_off = if puts_off { self.put_off + 1 } else { 0 };
        puts_off
    }

    /// Something took far longer than was expected. Others may be the reason: it is not looked into all the time.
    pub fn doubt(&mut self, times: &Times, now: u64) {
        if now >= self.doubted_at.saturating_add(DOUBT) {
            self.doubted_at = now;
            times.doubt_all();
        }
    }

    /// Whether the last stall was broken so long ago that what is done now did not wait for that.
    pub fn broke_in_vain(&self, now: u64) -> bool {
        now >= self.nudged_at.saturating_add(QUANTUM)
    }

    /// How many stalls were broken so far.
    pub fn breaks(&self, standing: &Standing) -> Breaks {
        Breaks { nudges: self.nudges, let_on: standing.let_on }
    }

    /// When something in flight is expected to be done, or should be looked at again. None if nothing is marked.
    pub fn look_at(&self, now: u64) -> Option<u64> {
        let (expected, varies) = self.flights.due(self.progress_at)?;
        let since = now.saturating_sub(self.progress_at);
        // What is expected may be wrong: the longer it takes, the more patient.
        let patience = if varies { (since / 8).clamp(SOON, LATE / 2) } else { (since / 4).max(LATE) };
        Some(due(expected, now).min(now + patience))
    }

    /// Whether all that is known of is in the open batch, or nowhere.
    pub fn is_drained(&self) -> bool {
        self.commands == 0
    }

    /// When the open batch is expected to be done; it is sealed.
    pub fn open_due(&self) -> u64 {
        self.progress_at.saturating_add(self.used.ns)
    }

    /// Nothing is in flight and the arbiter has to know, from the moment that is returned on.
    pub fn tell_idle_at(&self) -> Option<u64> {
        self.told.then_some(self.seen_at.saturating_add(GRACE))
    }

    /// From here on the arbiter knows that nothing is in flight.
    pub fn told_idle(&mut self) {
        self.told = false;
    }

    /// A command was refused: the arbiter waits for what is in flight, and expects it to take as long as is predicted. One that
    /// is `watched` for that is looked at when it should be done, and only what comes sooner is worth telling.
    pub fn expect_drain(&mut self, watched: bool, now: u64) {
        let from = if watched { self.progress_at } else { now };
        self.drain_due = from.saturating_add(self.submitted.wrapping_sub(self.retired));
    }

    /// Whether what was in flight is done much sooner than that, which is not told twice.
    pub fn drained_early(&mut self, now: u64) -> bool {
        let early = self.commands == 0 && now.saturating_add(EARLY) < self.drain_due;
        if self.commands == 0 {
            self.drain_due = 0;
        }
        early
    }

    /// Whether nobody has waited since this order. The arbiter knows by the first that there is work.
    pub fn is_first_to_wait(&mut self, seq: u32) -> bool {
        let is_first = self.waits_after.replace(seq) != Some(seq);
        self.told |= is_first;
        is_first
    }

    /// The open batch is done without ever having been marked; what it was.
    pub fn settle(&mut self, now: u64) -> u64 {
        let (used, longest) = self.submit();
        let Left { ns, commands } = used;
        self.retired(&Retired { ns, commands, longest, excused: false, measured: None }, now);
        ns
    }

    /// Shows others what is in flight.
    pub fn publish(&self, words: &Words<'_>, open: &Open) {
        let mut used = self.used;
        if self.given != Left::default() && !self.wide {
            let left = open.left();
            used.ns += self.given.ns.saturating_sub(left.ns);
            used.commands += self.given.commands.saturating_sub(left.commands);
        }
        let flight = words.flight;
        flight.progress_at.store(self.progress_at, Relaxed);
        flight.retired.store(self.retired, Relaxed);
        flight.commands.store(self.commands + used.commands, Relaxed);
        flight.submitted.store(self.submitted.wrapping_add(used.ns), Release);
    }
}

/// When to look at something that should be done at `at`: then, or a little later if it is late.
pub fn due(at: u64, now: u64) -> u64 {
    if at > now { at } else { now + ((now - at) / 4).clamp(SOON, LATE) }
}
