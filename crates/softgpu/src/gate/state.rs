//! What paced mode knows: the block dispatcher, the tenures, the kernels under way. No threads, and the clock is the turns'.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use cleave_device::turns::{Turn, Turns};
use cleave_device::usage::Busy;
use cleave_pace::turns::Tenure;
use cleave_pace::{Card, Chip, KernelId, Shape};

use super::tenures::Tenures;
use super::watcher::Watch;

/// Hears when a kernel ends, in device time.
pub type Retire = Box<dyn FnOnce(u64) + Send>;

/// What is to be done once the state is unlocked.
pub struct Effects {
    /// Kernels whose end is known.
    pub retired: Vec<(u64, Retire, u64)>,
    /// How far emulation may go, in GR time.
    pub horizon: u64,
    /// How far GR time has a place in device time.
    pub known: u64,
    /// Whether blocks may start that could not before.
    pub granted: bool,
    pub watch: Watch,
}

pub struct State {
    turns: Arc<Turns>,
    me: u16,
    busy: &'static Busy,
    slice: u64,
    start_ns: u64,
    chip: Chip,
    tenures: Tenures,
    hold: Hold,
    kernels: BTreeMap<u64, Kernel>,
    /// Kernels by the chip's numbers.
    placed: BTreeMap<KernelId, u64>,
    /// Kernels the chip does not know yet, by when they may start.
    early: BTreeSet<(u64, u64)>,
    /// Kernels that have ended but whose followers are still to come, by their end in GR time.
    ends: BTreeSet<(u64, u64)>,
    next: u64,
    /// Device time up to which this process's work is done.
    frontier: u64,
    /// Device time up to which its use of GR is counted.
    counted: u64,
    /// Device time up to which it may be emulated.
    ahead: u64,
}

/// How this process stands to the turn.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hold {
    /// It has nothing to do.
    Idle,
    Waiting {
        look_at: u64,
    },
    Held {
        tenure: Tenure,
        /// Emulation reached the end before the clock did.
        in_time: bool,
    },
}

struct Kernel {
    shape: Shape,
    chip: Option<KernelId>,
    starts: VecDeque<(u64, u32)>,
    /// GR time.
    end: Option<u64>,
    retire: Option<Retire>,
}

impl State {
    pub fn new(turns: Arc<Turns>, me: u16, busy: &'static Busy, card: Card) -> State {
        State {
            turns,
            me,
            busy,
            slice: card.slice_ns,
            start_ns: card.start_ns,
            chip: Chip::new(card),
            tenures: Tenures::default(),
            hold: Hold::Idle,
            kernels: BTreeMap::new(),
            placed: BTreeMap::new(),
            early: BTreeSet::new(),
            ends: BTreeSet::new(),
            next: 1,
            frontier: 0,
            counted: 0,
            ahead: 0,
        }
    }

    pub fn launch(&mut self, shape: Shape, ready: u64) -> u64 {
        let kernel = self.next;
        self.next += 1;
        let fresh = Kernel { shape, chip: None, starts: VecDeque::new(), end: None, retire: None };
        self.kernels.insert(kernel, fresh);
        self.early.insert((ready, kernel));
        kernel
    }

    /// When and where the next block of a kernel starts.
    pub fn start(&mut self, kernel: u64) -> Option<(u64, u32)> {
        self.kernels.get_mut(&kernel)?.starts.pop_front()
    }

    pub fn reached(&mut self, kernel: u64, block: u64, at: u64) {
        if let Some(id) = self.id(kernel) {
            self.chip.reached(id, block, at);
        }
    }

    /// True if that was the kernel's last block.
    pub fn ended(&mut self, kernel: u64, block: u64, at: u64) -> bool {
        let end = self.id(kernel).and_then(|id| self.chip.ended(id, block, at));
        if let Some(end) = end {
            self.has_ended(kernel, end);
        }
        end.is_some()
    }

    pub fn retire(&mut self, kernel: u64, retire: Retire) {
        let Some(state) = self.kernels.get_mut(&kernel) else { return };
        state.retire = Some(retire);
        if state.end.is_none() {
            // It never ran a block.
            let now = self.tenures.gr(self.turns.clock().now());
            self.cancel_in_chip(kernel, now);
            self.has_ended(kernel, now);
        }
    }

    pub fn cancel(&mut self, kernel: u64) {
        let now = self.turns.clock().now();
        self.cancel_in_chip(kernel, self.tenures.gr(now));
        self.frontier = self.frontier.max(now.min(self.tenures.end()));
        self.forget(&[kernel]);
    }

    /// These have retired, and what follows them has been launched.
    pub fn forget(&mut self, kernels: &[u64]) {
        for kernel in kernels {
            if let Some(state) = self.kernels.remove(kernel)
                && let Some(end) = state.end
            {
                self.ends.remove(&(end, *kernel));
            }
        }
    }

    pub fn globaltimer(&self, at: u64) -> Option<u64> {
        self.tenures.device(at)
    }

    /// Looks at the turn: whether it has come, or gone, or may last longer.
    pub fn look(&mut self) {
        match self.hold {
            Hold::Waiting { .. } => {
                let turn = self.turns.look(self.me);
                self.follow(turn);
            }
            Hold::Held { tenure, .. } if !self.turns.holds(tenure) => {
                // We were stopped for too long.
                let turn = self.turns.look(self.me);
                self.follow(turn);
            }
            Hold::Held { tenure, in_time } => {
                // While the clock stands for us, only emulation can move it on.
                let running = self.turns.clock().running();
                if (in_time || running <= tenure.end) && !self.turns.is_wanted(self.me) {
                    self.stay(tenure, running);
                }
            }
            Hold::Idle => {}
        }
    }

    /// Decides all that can be decided now.
    pub fn settle(&mut self) -> Effects {
        let mut granted = false;
        loop {
            self.enter();
            self.ahead = self.turns.clock().now().saturating_add(self.slice).min(self.tenures.end());
            self.place();
            granted |= self.grant();
            if !self.turn_over() {
                break;
            }
        }
        self.count();
        if self.hold != Hold::Idle {
            self.turns.show_life(self.me);
        }
        let retired = self.known_ends();
        if retired.is_empty() {
            self.leave();
        }
        let (horizon, known) = (self.horizon(), self.tenures.end_gr());
        Effects { retired, horizon, known, granted, watch: self.watch() }
    }

    /// When to look again.
    pub fn watch(&self) -> Watch {
        let clock = self.turns.clock();
        match self.hold {
            Hold::Idle => match self.early.first() {
                Some(&(ready, _)) => Watch::Until(clock.wall(ready)),
                None => Watch::Nothing,
            },
            Hold::Waiting { look_at } => Watch::Until(look_at),
            // Emulation waits for the clock, or did: this thread may have been late itself.
            Hold::Held { tenure, .. } if self.ahead < tenure.end => {
                Watch::Until(clock.wall(self.ahead.saturating_sub(self.slice / 2)))
            }
            // The clock stands for us: only emulation can move it on.
            Hold::Held { tenure, in_time: false } if clock.running() > tenure.end => Watch::Bell,
            Hold::Held { .. } if self.turns.is_wanted(self.me) => Watch::Bell,
            Hold::Held { tenure, .. } => Watch::Until(clock.wall(tenure.end.saturating_sub(self.slice / 2))),
        }
    }

    /// Wants the turn if there is something to do.
    fn enter(&mut self) {
        if self.hold == Hold::Idle
            && let Some(ready) = self.due()
        {
            let turn = self.turns.enter(self.me, ready);
            self.follow(turn);
        }
    }

    /// Since when there is a kernel that could start, if only it were its turn.
    fn due(&self) -> Option<u64> {
        let (ready, _) = *self.early.first()?;
        // A standing clock never gets there: who stands before it is late or stopped, and only who waits parks it.
        (ready <= self.frontier || ready <= self.turns.clock().running()).then_some(ready)
    }

    fn follow(&mut self, turn: Turn) {
        match turn {
            Turn::Theirs { look_at } => self.hold = Hold::Waiting { look_at },
            Turn::Mine { begin, tenure } => {
                let begin = begin.max(self.frontier);
                // A slice that goes on is no new one.
                if tenure.end != self.tenures.end() {
                    self.tenures.grant(begin, tenure.end);
                }
                self.hold = Hold::Held { tenure, in_time: false };
            }
        }
    }

    /// Gives the chip what may start within the tenure.
    fn place(&mut self) {
        if !matches!(self.hold, Hold::Held { .. }) {
            return;
        }
        let end = self.tenures.end();
        while let Some(&(ready, kernel)) = self.early.first()
            && ready < end
        {
            self.early.pop_first();
            let Some(state) = self.kernels.get_mut(&kernel) else { continue };
            let id = self.chip.launch(state.shape, self.tenures.gr(ready));
            state.chip = Some(id);
            self.placed.insert(id, kernel);
            // Up to here there was nothing to do.
            if self.placed.len() == 1 && self.ends.is_empty() {
                self.counted = self.counted.max(ready.max(self.tenures.begin()));
            }
        }
    }

    /// Lets blocks start that are certain to.
    fn grant(&mut self) -> bool {
        // What follows a kernel that has just ended must not come too late.
        let followers = self.ends.first().map_or(u64::MAX, |(end, _)| end.saturating_add(self.start_ns));
        let until = self.horizon().min(followers);
        let mut granted = false;
        while let Some(start) = self.chip.next(until) {
            if let Some(kernel) =
                self.placed.get(&start.kernel).and_then(|kernel| self.kernels.get_mut(kernel))
            {
                kernel.starts.push_back((start.at, start.sm));
                granted = true;
            }
        }
        granted
    }

    /// At the end of the slice: passes the turn on, or stays. True if there may be more to decide.
    fn turn_over(&mut self) -> bool {
        let Hold::Held { tenure, in_time } = self.hold else { return false };
        let end = self.tenures.end_gr();
        let done = self.chip.frontier() >= end && self.ends.first().is_none_or(|(known, _)| *known > end);
        if !done || self.is_idle() {
            return false;
        }
        let running = self.turns.clock().running();
        let late = !in_time && running > tenure.end;
        if late {
            self.turns.count_slip(tenure);
        }
        if let Some(turn) = self.turns.yield_turn(self.me, tenure) {
            self.count();
            self.follow(turn);
            return matches!(self.hold, Hold::Held { .. });
        }
        self.hold = Hold::Held { tenure, in_time: true };
        self.stay(tenure, if late { tenure.end } else { running })
    }

    /// Moves the end of the slice to one slice after `now`; not if that is hardly a move: the watcher comes again in time.
    fn stay(&mut self, tenure: Tenure, now: u64) -> bool {
        if now + self.slice < tenure.end + self.slice / 4 {
            return false;
        }
        match self.turns.extend(tenure, now + self.slice) {
            Some(tenure) => {
                self.tenures.extend(tenure.end);
                self.hold = Hold::Held { tenure, in_time: false };
            }
            None => {
                let turn = self.turns.look(self.me);
                self.follow(turn);
            }
        }
        true
    }

    /// Kernels whose end in device time is known and not yet told.
    fn known_ends(&mut self) -> Vec<(u64, Retire, u64)> {
        let mut known = Vec::new();
        for &(end, kernel) in &self.ends {
            let Some(at) = self.tenures.device(end) else { break };
            if let Some(retire) = self.kernels.get_mut(&kernel).and_then(|state| state.retire.take()) {
                self.frontier = self.frontier.max(at);
                known.push((kernel, retire, at));
            }
        }
        known
    }

    /// Gives up the turn when nothing is left to do in it.
    fn leave(&mut self) {
        if self.hold != Hold::Idle && self.is_idle() {
            self.count();
            self.hold = Hold::Idle;
            self.turns.leave(self.me, self.frontier);
        }
    }

    /// Nothing is on the chip and nothing has just left it; what is still to come is no reason to keep the turn.
    fn is_idle(&self) -> bool {
        self.kernels.len() == self.early.len() && self.due().is_none()
    }

    /// Counts the use of GR up to where everything is decided.
    fn count(&mut self) {
        if matches!(self.hold, Hold::Held { .. }) {
            let known = self.ends.first().map_or(u64::MAX, |(end, _)| *end);
            let decided = self.chip.frontier().min(known).min(self.tenures.end_gr());
            let decided = match self.is_idle() {
                true => self.frontier,
                false => self.tenures.device(decided).unwrap_or(0),
            };
            self.busy.add(self.counted.max(self.tenures.begin()), decided);
            self.counted = self.counted.max(decided);
        }
    }

    /// How far emulation may go, in GR time.
    fn horizon(&self) -> u64 {
        self.tenures.gr(self.ahead)
    }

    fn has_ended(&mut self, kernel: u64, end: u64) {
        if let Some(state) = self.kernels.get_mut(&kernel) {
            state.end = Some(end);
            if let Some(id) = state.chip {
                self.placed.remove(&id);
            }
            self.ends.insert((end, kernel));
        }
    }

    fn cancel_in_chip(&mut self, kernel: u64, at: u64) {
        if let Some(id) = self.id(kernel) {
            self.chip.cancel(id, at);
            self.placed.remove(&id);
        }
        self.early.retain(|(_, early)| *early != kernel);
    }

    fn id(&self, kernel: u64) -> Option<KernelId> {
        self.kernels.get(&kernel)?.chip
    }
}
