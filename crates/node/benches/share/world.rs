//! Tenants with the shim's gates, the node's arbiters and the modelled device, in one loop of virtual time.
//!
//! Whoever is woken comes a little later, now and then much later, as on a busy machine.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use cleave_gate::{
    Answer, Before, DrawnWords, Flight, FlightWords, Gate, TurnWords, Wait, Waited, Waiter, Words,
};
use cleave_pace::{Card, Sim};
use cleave_sched::Chance;
use cleave_sched::share::{Desk, Engine, Id, Lease, Seen, Share};

use self::node::{Failure, Said, new_desk};
use crate::device::Modelled;
use crate::program::{Doing, Program, Thing};

/// The node.
pub mod node;

pub const US: u64 = 1_000;
pub const MS: u64 = 1_000_000;
pub const SECOND: u64 = 1_000_000_000;

/// What a call of the driver takes of the host.
const CALL: u64 = 4 * US;
/// Kernels a driver takes before it makes the program wait, gate or no gate.
const DEPTH: u64 = 512;

/// A tenant as a case describes it.
#[derive(Clone, Copy)]
pub struct Setup {
    pub share: Share,
    pub program: Program,
    pub processes: usize,
    pub streams: usize,
    /// How long its processes are not let run at the end of each so long a time; no time for those that always are.
    pub held_up: (u64, u64),
}

pub struct World {
    pub now: u64,
    sim: Rc<RefCell<Sim>>,
    desk: Desk,
    pub tenants: Vec<Tenant>,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    node_at: u64,
    chance: Chance,
    managed: bool,
    node_lives: bool,
    /// After how many more orders the node fails, and how.
    fails: Option<(u64, Failure)>,
    /// What it was about to say then.
    unsaid: Vec<Said>,
    pub failed_at: Option<u64>,
    pub looks: u64,
    /// What each tenant does of the device when it is alone: several streams or processes are not what one is.
    solo: Vec<f64>,
}

pub struct Tenant {
    share: Share,
    turns: [&'static TurnWords; 2],
    drawn: [&'static DrawnWords; 2],
    /// For how long it was last told that all this holds.
    leases: [Lease; 2],
    rings: u32,
    held_up: (u64, u64),
    pub processes: Vec<Process>,
}

pub struct Process {
    device: Modelled,
    gates: [Gate<'static, Modelled>; 2],
    waiters: [Waiter<'static>; 2],
    flights: [&'static FlightWords; 2],
    pub doing: Doing,
    /// What it was not let do yet.
    refused: Option<Thing>,
    state: State,
    at: u64,
    tracker_at: [u64; 2],
    /// What it had done: when, and how much of the device alone that is.
    pub done: Vec<(u64, u64)>,
    /// Streams, how many works of each are counted, and what each of them was.
    counted: Vec<(usize, Vec<u64>)>,
    pub latencies: Vec<u64>,
}

enum State {
    Ready,
    /// At a gate, since when.
    AtGate {
        engine: usize,
        wait: Wait,
        since: u64,
    },
    /// Waits for the end of a work of a stream.
    Syncing {
        stream: u64,
        works: u64,
        before: [Before; 2],
    },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Node,
    Thread(usize, usize),
    Tracker(usize, usize, usize),
}

const ENGINES: [Engine; 2] = [Engine::Gr, Engine::CopyIn];

impl World {
    pub fn new(setups: &[Setup], managed: bool, seed: u64) -> World {
        let sim = Rc::new(RefCell::new(Sim::new(Card::paced())));
        let tenants = setups.iter().enumerate().map(|(number, setup)| Tenant::new(&sim, setup, number));
        let tenants: Vec<Tenant> = tenants.collect();
        let mut world = World {
            now: 0,
            sim,
            desk: new_desk(setups.iter().map(|setup| setup.share)),
            tenants,
            events: BinaryHeap::new(),
            node_at: u64::MAX,
            chance: Chance::new(seed),
            managed,
            node_lives: managed,
            fails: None,
            unsaid: Vec::new(),
            failed_at: None,
            looks: 0,
            solo: vec![1.0; setups.len()],
        };
        if managed {
            world.wake_node(0);
            // The node is there before its tenants are.
            world.look();
        }
        for tenant in 0..world.tenants.len() {
            for process in 0..world.tenants[tenant].processes.len() {
                world.schedule(tenant, process, 0);
            }
        }
        world
    }

    pub fn run(&mut self, ns: u64) {
        let until = self.now + ns;
        loop {
            let next = self.events.peek().map_or(until, |Reverse((at, _))| (*at).min(until));
            let ended = self.sim.borrow_mut().run_to_end_of_work(next.max(self.now));
            self.now = self.sim.borrow().now();
            if ended {
                self.notice_ends();
                continue;
            }
            if next >= until && self.events.peek().is_none_or(|Reverse((at, _))| *at > until) {
                break;
            }
            if let Some(Reverse((at, event))) = self.events.pop() {
                self.handle(at, event);
            }
        }
    }

    fn handle(&mut self, at: u64, event: Event) {
        if let Event::Thread(tenant, _) | Event::Tracker(tenant, ..) = event
            && let Some(until) = self.tenants[tenant].held_up_until(at)
        {
            return self.put_off(at, until, event);
        }
        match event {
            Event::Node if self.node_at == at => self.look(),
            Event::Thread(tenant, process) if self.tenants[tenant].processes[process].at == at => {
                self.go_on(tenant, process);
            }
            Event::Tracker(tenant, process, engine)
                if self.tenants[tenant].processes[process].tracker_at[engine] == at =>
            {
                self.track(tenant, process, engine);
            }
            // Something sooner took its place.
            _ => {}
        }
    }

    /// What was to happen at a time happens later.
    fn put_off(&mut self, at: u64, until: u64, event: Event) {
        let planned = match event {
            Event::Node => &mut self.node_at,
            Event::Thread(tenant, process) => &mut self.tenants[tenant].processes[process].at,
            Event::Tracker(tenant, process, engine) => {
                &mut self.tenants[tenant].processes[process].tracker_at[engine]
            }
        };
        if *planned == at {
            *planned = until;
            self.events.push(Reverse((until, event)));
        }
    }

    /// How late somebody who is woken comes.
    fn hop(&mut self) -> u64 {
        match self.chance.below(100) {
            0 => 700 * US + self.chance.below(400) as u64 * US,
            _ => 40 * US + self.chance.below(70) as u64 * US,
        }
    }

    /// How much longer the first call after a wait may take: the driver's threads are woken by it, and want the same processors.
    fn jostle(&mut self) -> u64 {
        match self.chance.below(4) {
            0 => 10 * US + self.chance.below(80) as u64 * US,
            _ => 0,
        }
    }

    fn schedule(&mut self, tenant: usize, process: usize, at: u64) {
        self.tenants[tenant].processes[process].at = at;
        self.events.push(Reverse((at, Event::Thread(tenant, process))));
    }

    /// A process's own thread that follows completions is woken or set.
    fn schedule_tracker(&mut self, tenant: usize, process: usize, engine: usize, at: u64) {
        let tracker_at = &mut self.tenants[tenant].processes[process].tracker_at[engine];
        *tracker_at = at;
        self.events.push(Reverse((at, Event::Tracker(tenant, process, engine))));
    }

    fn track(&mut self, tenant: usize, number: usize, engine: usize) {
        let process = &self.tenants[tenant].processes[number];
        if !process.gates[engine].is_tracked() {
            return;
        }
        let polled = process.gates[engine].poll(&process.device, self.now);
        self.answer_bell(tenant, number);
        if let Some(next) = polled.next {
            let at = next.max(self.now + 10 * US) + 25 * US;
            self.schedule_tracker(tenant, number, engine, at);
        }
    }

    /// Where a process has rung, the node comes to look, and its tracker.
    fn answer_bell(&mut self, tenant: usize, process: usize) {
        if self.tenants[tenant].processes[process].device.rung.take() {
            self.tenants[tenant].rings += 1;
            if self.node_lives {
                self.wake_node(self.now);
            }
            for engine in 0..2 {
                let at = self.now + 60 * US;
                if self.tenants[tenant].processes[process].tracker_at[engine] < self.now {
                    self.schedule_tracker(tenant, process, engine, at);
                }
            }
        }
    }

    /// Work ended: it is counted, and who waited for it wakes.
    fn notice_ends(&mut self) {
        for tenant in 0..self.tenants.len() {
            for process in 0..self.tenants[tenant].processes.len() {
                let there = &mut self.tenants[tenant].processes[process];
                there.count();
                if let State::Syncing { stream, works, .. } = there.state
                    && there.at == u64::MAX
                    && there.device.ends(stream, |ends| ends.len() as u64) >= works
                {
                    let at = self.now + self.hop();
                    self.schedule(tenant, process, at);
                }
            }
        }
    }

    /// A program goes on from where it was.
    fn go_on(&mut self, tenant: usize, number: usize) {
        let (now, managed) = (self.now, self.managed);
        let process = &mut self.tenants[tenant].processes[number];
        let waited = matches!(process.state, State::AtGate { .. });
        match std::mem::replace(&mut process.state, State::Ready) {
            State::Ready => {}
            State::AtGate { engine, wait, since } => {
                process.gates[engine].waited(&wait, now - since);
            }
            State::Syncing { stream, before, .. } => {
                if managed {
                    for (gate, before) in process.gates.iter().zip(before) {
                        gate.synced(&process.device, before, Waited::Stream(stream), now);
                    }
                }
                if let Some(came) = process.doing.answered() {
                    let end = process.device.ends(stream, |ends| ends.last().copied().unwrap_or(now));
                    process.latencies.push(end - came);
                }
            }
        }
        let next = process.step(now, managed);
        let passed = matches!(process.state, State::Ready);
        let next = next.map(|at| if waited && passed { at + self.jostle() } else { at });
        self.answer_bell(tenant, number);
        match next {
            Some(at) => self.schedule(tenant, number, at),
            None => self.tenants[tenant].processes[number].at = u64::MAX,
        }
    }

    /// From here on, percents of a tenant are of what it does alone, under nobody.
    pub fn measure_by_solo(&mut self, setups: &[Setup]) {
        let solo = setups.iter().map(|setup| {
            let mut alone = World::new(std::slice::from_ref(setup), false, 1);
            alone.run(2 * SECOND);
            alone.percent(0, SECOND, alone.now) / 100.0
        });
        self.solo = solo.collect();
    }

    /// The same measure as in another world.
    pub fn measure_as(&mut self, other: &World) {
        self.solo.clone_from(&other.solo);
    }

    /// What a tenant had done between two moments, in percent.
    pub fn percent(&self, tenant: usize, from: u64, to: u64) -> f64 {
        let done = self.tenants[tenant].processes.iter().flat_map(|process| &process.done);
        let ns: u64 = done.filter(|(at, _)| (from..to).contains(at)).map(|(_, ns)| ns).sum();
        100.0 * ns as f64 / (to - from) as f64 / self.solo[tenant]
    }

    /// The longest time between two ends of a tenant's work, of those that are over between two moments.
    pub fn longest_gap(&self, tenant: usize, from: u64, to: u64) -> u64 {
        let done = self.tenants[tenant].processes.iter().flat_map(|process| &process.done);
        let mut ends: Vec<u64> = done.map(|(at, _)| *at).filter(|at| *at <= to).collect();
        ends.push(to);
        ends.sort_unstable();
        ends.windows(2).filter(|two| two[1] > from).map(|two| two[1] - two[0]).max().unwrap_or(0)
    }

    /// When something of a tenant was next done after a moment; now, if nothing was.
    pub fn next_end(&self, tenant: usize, after: u64) -> u64 {
        let done = self.tenants[tenant].processes.iter().flat_map(|process| &process.done);
        done.map(|(at, _)| *at).filter(|at| *at > after).min().unwrap_or(self.now)
    }

    /// How many times the device went from one process to another.
    pub fn switches(&self) -> u64 {
        self.sim.borrow().switches()
    }
}

fn index(engine: Engine) -> Option<usize> {
    ENGINES.iter().position(|one| *one == engine)
}

fn seen(tenants: &[Tenant], engine: usize) -> Vec<(Id, Seen)> {
    let tenants = tenants.iter().enumerate().map(|(number, tenant)| {
        let mut flight = Flight::of(tenant.drawn[engine]);
        tenant.processes.iter().for_each(|process| flight.add(process.flights[engine]));
        let seen = Seen {
            waiting: flight.waiting,
            in_flight_ns: flight.in_flight_ns,
            commands: flight.commands,
            retired_ns: flight.retired_ns,
            progress_at: flight.progress_at,
            moving: false,
            rings: tenant.rings,
        };
        (number as Id, seen)
    });
    tenants.collect()
}

impl Tenant {
    fn new(sim: &Rc<RefCell<Sim>>, setup: &Setup, number: usize) -> Tenant {
        let turns = [(); 2].map(|()| &*Box::leak(Box::<TurnWords>::default()));
        let drawn = [(); 2].map(|()| &*Box::leak(Box::<DrawnWords>::default()));
        let percent = &*Box::leak(Box::new(AtomicU32::new(setup.share.percent)));
        let processes = (0..setup.processes).map(|process| {
            let flights = [(); 2].map(|()| &*Box::leak(Box::<FlightWords>::default()));
            let gate = |engine: usize| {
                let (turn, drawn, flight) = (turns[engine], drawn[engine], flights[engine]);
                Gate::new(Words { turn, drawn, flight, percent, cap: 100 })
            };
            let gates = [gate(0), gate(1)];
            Process {
                waiters: [gates[0].waiter(), gates[1].waiter()],
                device: Modelled::new(sim.clone(), setup.streams),
                gates,
                flights,
                doing: Doing::new(setup.program, setup.streams, (number * 31 + process) as u64),
                refused: None,
                state: State::Ready,
                at: 0,
                tracker_at: [0; 2],
                done: Vec::new(),
                counted: vec![(0, Vec::new()); setup.streams],
                latencies: Vec::new(),
            }
        });
        let processes = processes.collect();
        Tenant {
            share: setup.share,
            turns,
            drawn,
            leases: Default::default(),
            rings: 0,
            held_up: setup.held_up,
            processes,
        }
    }

    /// Until when nothing of it is let run.
    fn held_up_until(&self, now: u64) -> Option<u64> {
        let (length, every) = self.held_up;
        let into = now.checked_rem(every)?;
        (into >= every - length).then(|| now - into + every)
    }
}

impl Process {
    /// Does what its program does next; when it goes on by itself.
    fn step(&mut self, now: u64, managed: bool) -> Option<u64> {
        // A call that waits is the one that goes on.
        let thing = self.refused.take().unwrap_or_else(|| self.doing.next(now));
        match thing {
            Thing::Nothing { until } => Some(until),
            Thing::Sync { stream } => {
                let before = [self.gates[0].before(), self.gates[1].before()];
                let works = self.counted[stream as usize - 1].1.len() as u64;
                self.state = State::Syncing { stream, works, before };
                let done = self.device.ends(stream, |ends| ends.len() as u64) >= works;
                done.then_some(now + CALL)
            }
            Thing::Submit { stream, command, work, worth, engine } => {
                if managed {
                    if self.gates[engine].try_pass(command, stream).is_none() {
                        let waiter = &mut self.waiters[engine];
                        match self.gates[engine].ask(&self.device, waiter, command, stream, now) {
                            Answer::Go(ticket) => {
                                self.submit(stream, work, worth);
                                self.gates[engine].launched(&self.device, ticket, true, now);
                                return Some(now + CALL);
                            }
                            Answer::Wait(wait) => {
                                self.refused = Some(thing);
                                return Some(self.wait(engine, wait, now));
                            }
                        }
                    }
                } else if self.backlog(stream) >= DEPTH {
                    self.refused = Some(thing);
                    return Some(now + 50 * US);
                }
                self.submit(stream, work, worth);
                Some(now + CALL)
            }
        }
    }

    fn submit(&mut self, stream: u64, work: cleave_pace::Work, worth: u64) {
        self.device.push(stream, work);
        self.counted[stream as usize - 1].1.push(worth);
    }

    fn backlog(&self, stream: u64) -> u64 {
        let (done, given) = &self.counted[stream as usize - 1];
        (given.len() - done) as u64
    }

    fn wait(&mut self, engine: usize, wait: Wait, now: u64) -> u64 {
        let until = wait.until.max(now + 1) + 30 * US;
        self.state = State::AtGate { engine, wait, since: now };
        until
    }

    /// Counts what ended since the last look.
    fn count(&mut self) {
        for (number, (counted, given)) in self.counted.iter_mut().enumerate() {
            self.device.ends(number as u64 + 1, |ends| {
                for at in &ends[*counted..] {
                    self.done.push((*at, given[*counted]));
                    *counted += 1;
                }
            });
        }
    }
}

/// A number that no two programs share.
pub fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}
