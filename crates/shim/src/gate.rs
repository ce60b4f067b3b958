//! Turns: how a tenant's commands come to the engines of its devices.
//!
//! The gate itself is `cleave_gate`'s. Here are its surroundings in a process: which gate a command goes through, marks made of
//! events, waiting, and the thread that follows completions.

use cleave_api::cuda::types::*;
use cleave_gate::{Answer, Before, Command, Engine, FlightWords, Gate, Wait, Waited};
use cleave_ledger::{clock, futex};
use cleave_slot::Seat;

use crate::books;
use crate::movable::{self, Movable};
use crate::process_unsafe::PerProcess;
use crate::real_unsafe::cuda as real;
use crate::tenancy::{self, Grant};

/// How many bytes a copy moves, and where to.
mod amount;
/// Which recordings are under way.
mod captures;
/// Events, as marks of a gate.
mod marks;
/// Streams, as a gate knows them.
mod streams;
/// A thread of our own.
#[allow(unsafe_code)]
pub mod thread_unsafe;
/// The thread that follows completions.
mod tracker;

pub use amount::{Amount, Seen};
pub use captures::{begin_capture, end_capture};
pub use streams::Stream;

use marks::Marks;
use tracker::Tracker;

/// The gates of a process.
struct Gates {
    each: Vec<Turns>,
    tracker: Tracker,
    /// The tenant's memory, if it can be away.
    movable: Option<&'static Movable>,
}

/// The gates to one device.
struct Turns {
    grant: &'static Grant,
    seat: Option<&'static Seat>,
    marks: Marks,
    gates: [Gate<'static, Marks>; Engine::COUNT],
}

static GATES: PerProcess<Option<Gates>> = PerProcess::new();

/// The gates, if this process is a tenant's.
#[inline]
fn gates() -> Option<&'static Gates> {
    GATES.get_or(Gates::open).as_ref()
}

impl Gates {
    fn open() -> Option<Gates> {
        let grants = tenancy::current().grants();
        let each = grants.iter().map(Turns::new).collect();
        (!grants.is_empty()).then_some(Gates { each, tracker: Tracker::default(), movable: movable::get() })
    }

    /// Hands work on memory to the driver, when memory is there.
    #[inline(always)]
    fn hand_over(&'static self, call: impl FnOnce() -> CUresult) -> CUresult {
        let _stay = self.movable.map(Movable::enter);
        call()
    }

    /// The gates to the device that is current on this thread. Most tenants have one device, and nobody has to be asked which
    /// it is.
    #[inline]
    fn here(&'static self) -> Option<&'static Turns> {
        match &self.each[..] {
            [only] => Some(only),
            _ => self.ask_here(),
        }
    }

    #[cold]
    fn ask_here(&'static self) -> Option<&'static Turns> {
        let mut device = CUdevice(0);
        real::cuCtxGetDevice((&mut device).into()).ok().ok()?;
        let grant = books::get()?.cards.get(device).ok()?.grant()?;
        self.each.iter().find(|turns| std::ptr::eq(turns.grant, grant))
    }
}

impl Turns {
    fn new(grant: &'static Grant) -> Turns {
        // Without a seat nobody sees what is in flight; the share is kept all the same.
        let seat = grant.seat().ok();
        let flight = |engine| match seat {
            Some(seat) => seat.flight(engine),
            None => Box::leak(Box::<FlightWords>::default()),
        };
        let gate = |engine| Gate::new(grant.slot.words(engine, flight(engine), grant.compute_cap()));
        Turns { grant, seat, marks: Marks::new(&grant.slot), gates: Engine::ALL.map(gate) }
    }

    #[inline]
    fn gate(&'static self, engine: Engine) -> &'static Gate<'static, Marks> {
        &self.gates[engine.index()]
    }

    #[inline]
    fn count_launch(&self) {
        if let Some(seat) = self.seat {
            seat.count_launch();
        }
    }

    /// Submits a command that could not pass at once: when it may. `LAST`: it has no other gate to pass, and is handed over.
    #[cold]
    fn submit<const LAST: bool>(
        &'static self,
        gates: &'static Gates,
        engine: Engine,
        command: Command,
        stream: Stream,
        call: impl FnOnce() -> CUresult,
    ) -> CUresult {
        let (gate, stream) = (self.gate(engine), stream.id());
        self.marks.remember_context();
        let mut waiter = gate.waiter();
        loop {
            match gate.ask(&self.marks, &mut waiter, command, stream, clock::now_ns()) {
                Answer::Go(ticket) => {
                    let result = if LAST { gates.hand_over(call) } else { call() };
                    gate.launched(&self.marks, ticket, result == CUDA_SUCCESS, clock::now_ns());
                    if gate.has_work() {
                        gates.tracker.watch();
                    }
                    return result;
                }
                Answer::Wait(wait) => {
                    // What is in flight is followed while this thread sleeps.
                    gates.tracker.watch();
                    self.wait(gate, &wait);
                }
            }
        }
    }

    /// Waits for what the gate said. A signal ends the wait: its handler has run, and the gate is asked again.
    fn wait(&'static self, gate: &Gate<'static, Marks>, wait: &Wait) {
        let begin = clock::now_ns();
        futex::wait(gate.seq(), wait.seq, Some(wait.until));
        gate.waited(wait, clock::now_ns().saturating_sub(begin));
    }
}

/// Submits a kernel or a graph through the gate.
#[inline]
pub fn launch(
    command: impl FnOnce() -> Command,
    stream: Stream,
    call: impl FnOnce() -> CUresult,
) -> CUresult {
    let Some((gates, turns)) = gates().and_then(|gates| Some((gates, gates.here()?))) else { return call() };
    turns.count_launch();
    pass::<true>(gates, turns, Engine::Gr, command, stream, call)
}

/// Submits one of several kernels that are one launch, on the device that its stream belongs to. `call` goes on to the next of
/// them, and from the last one to [`hand_over`].
pub fn launch_on(stream: Stream, command: Command, call: impl FnOnce() -> CUresult) -> CUresult {
    let submit = || {
        let Some((gates, turns)) = gates().and_then(|gates| Some((gates, gates.here()?))) else {
            return call();
        };
        turns.count_launch();
        pass::<false>(gates, turns, Engine::Gr, || command, stream, call)
    };
    match streams::context(stream) {
        Some(context) => streams::within(context, submit),
        None => submit(),
    }
}

/// Hands a launch that has passed its gates to the driver. Not before: who waits at a gate keeps no memory from moving.
pub fn hand_over(call: impl FnOnce() -> CUresult) -> CUresult {
    match gates() {
        Some(gates) => gates.hand_over(call),
        None => call(),
    }
}

#[inline]
fn pass<const LAST: bool>(
    gates: &'static Gates,
    turns: &'static Turns,
    engine: Engine,
    command: impl FnOnce() -> Command,
    stream: Stream,
    call: impl FnOnce() -> CUresult,
) -> CUresult {
    let gate = turns.gate(engine);
    // What is recorded is not done now; whoever launches the graph pays for it.
    if gate.is_free() || captures::any() && captures::records(stream) {
        return if LAST { gates.hand_over(call) } else { call() };
    }
    let command = command();
    let Some(cost) = gate.try_pass(command, stream.id()) else {
        return turns.submit::<LAST>(gates, engine, command, stream, call);
    };
    let result = if LAST { gates.hand_over(call) } else { call() };
    if result != CUDA_SUCCESS {
        gate.refused(cost);
    }
    result
}

/// Submits a copy, or memory that is set, through the gate of the engine that does it.
#[inline]
pub fn copy(name: &'static str, see: impl FnOnce(&mut Amount), call: impl FnOnce() -> CUresult) -> CUresult {
    let Some((gates, turns)) = gates().and_then(|gates| Some((gates, gates.here()?))) else { return call() };
    if Engine::ALL[1..].iter().all(|engine| turns.gate(*engine).is_free()) {
        return gates.hand_over(call);
    }
    let mut amount = Amount::new(name);
    see(&mut amount);
    let (engine, stream) = (amount.engine(), amount.stream());
    let submit = || pass::<true>(gates, turns, engine, || Command::copy(amount.bytes()), stream, call);
    if amount.waits() { waiting_in(turns, Some(stream), submit) } else { submit() }
}

/// Runs a call that waits for a stream, or for all of them, and takes out of flight what it has waited for.
pub fn waiting(stream: Option<Stream>, call: impl FnOnce() -> CUresult) -> CUresult {
    match gates().and_then(Gates::here) {
        Some(turns) => waiting_in(turns, stream, call),
        None => call(),
    }
}

fn waiting_in(turns: &'static Turns, stream: Option<Stream>, call: impl FnOnce() -> CUresult) -> CUresult {
    // Of several contexts only this one is waited for; which streams are its own is not known.
    let Some(waited) = stream.map_or_else(
        || turns.marks.only_context().then_some(Waited::All),
        |stream| Some(Waited::Stream(stream.id())),
    ) else {
        let result = call();
        look(turns);
        return result;
    };
    let before: [Before; Engine::COUNT] = std::array::from_fn(|at| turns.gates[at].before());
    let result = call();
    if result == CUDA_SUCCESS {
        let busy = |gate: &Gate<'_, Marks>| !gate.is_free() && gate.has_work();
        for (gate, before) in turns.gates.iter().zip(before).filter(|(gate, _)| busy(gate)) {
            gate.synced(&turns.marks, before, waited, clock::now_ns());
        }
    }
    result
}

/// A program has waited for something that may be anywhere.
pub fn looked() {
    if let Some(turns) = gates().and_then(Gates::here) {
        look(turns);
    }
}

fn look(turns: &'static Turns) {
    let now = clock::now_ns();
    for gate in turns.gates.iter().filter(|gate| !gate.is_free() && gate.is_due(now)) {
        gate.poll(&turns.marks, now);
    }
}

/// A graph is no more: what has its handle next is another.
pub fn forget_graph(graph: CUgraphExec) {
    for turns in GATES.get().and_then(Option::as_ref).into_iter().flat_map(|gates| &gates.each) {
        turns.gate(Engine::Gr).forget(Command::graph(graph.0 as u64));
    }
}

/// Destroys a stream. What went to it is marked before, and nobody marks it meanwhile.
pub fn destroying_stream(stream: Stream, call: impl FnOnce() -> CUresult) -> CUresult {
    let Some(gates) = GATES.get().and_then(Option::as_ref) else { return call() };
    for turns in &gates.each {
        for gate in &turns.gates {
            gate.part_with(&turns.marks, stream.id(), clock::now_ns());
        }
    }
    let _nobody_marks = marks::still();
    call()
}

/// A context is about to be destroyed, or all that is in it: its marks go before it does.
pub fn destroying_context(context: CUcontext) {
    for turns in GATES.get().and_then(Option::as_ref).into_iter().flat_map(|gates| &gates.each) {
        for gate in &turns.gates {
            gate.abandon(&turns.marks, |mark| mark.context() == context, clock::now_ns());
        }
        // Who found one of its streams before that has marked it then.
        drop(marks::still());
        turns.marks.forget(context);
    }
}
