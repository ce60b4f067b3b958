//! A device, tenants and a node in fixed steps of virtual time: small enough to see through, with the late wake-ups of a real
//! machine. The device goes round robin between tenants with work, as hardware does.

use std::collections::VecDeque;

use cleave_sched::share::{Arbiter, Course, Id, LATE_WORD_NS, Lease, Order, Seen, Share};

pub const US: u64 = 1_000;
pub const MS: u64 = 1_000_000;
const STEP: u64 = 5 * US;
const SLICE: u64 = 2 * MS;
const SWITCH: u64 = 50 * US;
/// From a wake-up to the one who wakes.
const HOP: u64 = 60 * US;
/// What a launch takes of the host.
const LAUNCH: u64 = 5 * US;
const GRACE: u64 = 200 * US;

/// What a program does.
#[derive(Clone, Copy)]
pub enum Program {
    /// Kernels back to back, as many as the gate lets through.
    Saturate,
    /// One kernel, wait, think for so long, again.
    Think { ns: u64 },
    /// `count` kernels at once every `every` nanoseconds: a request. Its latency is noted.
    Requests { count: u32, every: u64 },
    /// Back to back for `on`, then nothing for `off`.
    Bursts { on: u64, off: u64 },
    /// Nothing.
    Idle,
}

pub struct Tenant {
    pub id: Id,
    pub kernel: u64,
    /// What its process believes a kernel takes.
    pub believed: u64,
    pub program: Program,
    /// Its processes do nothing any more, and their words stay.
    pub stopped: bool,
    credit: i64,
    window: u64,
    /// It is looked at when its credit is used up, and need not ring.
    watched: bool,
    queue: VecDeque<u64>,
    seen: Seen,
    ready_at: u64,
    /// Requests that are not launched whole, and those not done: how many kernels are left of each, and when it came.
    requests: VecDeque<(u32, u64)>,
    open: VecDeque<(u32, u64)>,
    pub latencies: Vec<u64>,
    pub kernels: u64,
    pub done: Vec<u64>,
    idle_since: u64,
    rung_idle: bool,
    /// When it began to wait, and what was in flight then.
    waits_since: (u64, u64),
    rings: bool,
    next_request: u64,
}

pub struct World {
    pub now: u64,
    pub arbiter: Arbiter,
    pub tenants: Vec<Tenant>,
    /// The node does not look.
    pub node_stopped: bool,
    /// For how long each was last told that all holds.
    leases: Vec<Lease>,
    current: usize,
    slice_end: u64,
    switch_until: u64,
    node_wakes: u64,
    pub looks: u64,
    /// Orders that tenants were given.
    pub orders: u64,
    pub busy: u64,
    pub switches: u64,
}

impl World {
    pub fn new(tenants: &[(Share, u64, Program)]) -> World {
        let (mut arbiter, count) = (Arbiter::new(), tenants.len());
        let tenants = tenants.iter().enumerate().map(|(number, &(share, kernel, program))| {
            arbiter.set(number as Id, share);
            Tenant {
                id: number as Id,
                kernel,
                believed: kernel,
                program,
                stopped: false,
                credit: 0,
                window: 2 * MS,
                watched: false,
                queue: VecDeque::new(),
                seen: Seen::default(),
                ready_at: 0,
                requests: VecDeque::new(),
                open: VecDeque::new(),
                latencies: Vec::new(),
                kernels: 0,
                done: Vec::new(),
                idle_since: 0,
                rung_idle: true,
                waits_since: (0, 0),
                rings: false,
                next_request: 0,
            }
        });
        let tenants = tenants.collect();
        World {
            now: 0,
            arbiter,
            leases: vec![Lease::default(); count],
            tenants,
            node_stopped: false,
            current: 0,
            slice_end: 0,
            switch_until: 0,
            node_wakes: 0,
            looks: 0,
            orders: 0,
            busy: 0,
            switches: 0,
        }
    }

    /// The same without anybody who gives turns.
    pub fn unmanaged(tenants: &[(Share, u64, Program)]) -> World {
        let mut world = World::new(tenants);
        world.node_stopped = true;
        world.tenants.iter_mut().for_each(|tenant| tenant.credit = i64::MAX / 2);
        world
    }

    pub fn set(&mut self, tenant: usize, share: Share) {
        self.arbiter.set(tenant as Id, share);
        self.node_wakes = self.node_wakes.min(self.now + HOP);
    }

    /// A tenant is gone with all it had on the device.
    pub fn end(&mut self, tenant: usize) {
        self.arbiter.remove(tenant as Id);
        let tenant = &mut self.tenants[tenant];
        (tenant.stopped, tenant.seen) = (true, Seen::default());
        tenant.queue.clear();
    }

    pub fn run(&mut self, ns: u64) {
        let until = self.now + ns;
        while self.now < until {
            if !self.node_stopped && self.now >= self.node_wakes {
                self.look();
            }
            for number in 0..self.tenants.len() {
                if self.tenants[number].act(self.now) {
                    self.node_wakes = self.node_wakes.min(self.now + HOP);
                }
            }
            self.compute();
            self.now += STEP;
        }
    }

    fn look(&mut self) {
        self.looks += 1;
        let seen: Vec<(Id, Seen)> = self.tenants.iter().map(|tenant| (tenant.id, tenant.seen)).collect();
        let step = self.arbiter.step(self.now, &seen);
        self.orders += step.orders.len() as u64;
        for (id, order) in step.orders {
            self.leases[id as usize] = order.lease;
            self.tenants[id as usize].obey(&order, self.now);
        }
        // Whoever does something hears from the node before it has to take it for dead, and who waits knows that it is known.
        for ((id, seen), lease) in seen.iter().zip(&self.leases) {
            let (waits, works) = (seen.waiting > 0, seen.commands > 0);
            let due = step.wake_at + LATE_WORD_NS;
            assert!(!(waits || works) || lease.until >= due, "{id} at {}: {lease:?} for {due}", self.now);
            let tenant = &self.tenants[*id as usize];
            assert!(!waits || lease.knows || tenant.credit > 0 || tenant.stopped, "{id} at {}", self.now);
        }
        self.node_wakes = step.wake_at + HOP / 2;
    }

    /// The device works for one step.
    fn compute(&mut self) {
        let count = self.tenants.len();
        let has_work = |tenant: &Tenant| !tenant.queue.is_empty();
        let others = (1..count).map(|i| (self.current + i) % count).find(|i| has_work(&self.tenants[*i]));
        let own = has_work(&self.tenants[self.current]);
        if let Some(next) = others
            && (!own || self.now >= self.slice_end)
        {
            self.current = next;
            self.switches += 1;
            self.switch_until = self.now + SWITCH;
            self.slice_end = self.switch_until + SLICE;
        } else if own && self.now >= self.slice_end {
            self.slice_end = self.now + SLICE;
        }
        if self.now < self.switch_until {
            return;
        }
        let now = self.now + STEP;
        let mut left = STEP;
        let tenant = &mut self.tenants[self.current];
        if !tenant.queue.is_empty() {
            self.busy += STEP;
        }
        while let Some(rest) = tenant.queue.front_mut().filter(|_| left > 0) {
            let did = left.min(*rest);
            *rest -= did;
            left -= did;
            if *rest > 0 {
                break;
            }
            tenant.queue.pop_front();
            tenant.finished(now);
        }
    }

    /// Kernel time that each tenant got done between two moments, in percent of that time.
    pub fn percent(&self, tenant: usize, from: u64, to: u64) -> f64 {
        let tenant = &self.tenants[tenant];
        let done = tenant.done.iter().filter(|at| (from..to).contains(at)).count() as f64;
        100.0 * done * tenant.kernel as f64 / (to - from) as f64
    }
}

impl Tenant {
    fn obey(&mut self, order: &Order, now: u64) {
        if self.stopped {
            return;
        }
        if order.course == Course::Holds {
            return;
        }
        if order.course != Course::GoesOn {
            self.credit = order.credit_ns as i64;
        }
        self.window = order.window_ns;
        self.watched = order.watched;
        if self.seen.waiting > 0 && self.credit > 0 {
            self.seen.waiting = 0;
            self.ready_at = now + HOP;
        }
    }

    /// It goes on, and sees what became of its work meanwhile.
    pub fn resume(&mut self) {
        let waiting = self.seen.commands - self.queue.len() as u32;
        self.seen.commands -= waiting;
        let done = self.believed * u64::from(waiting);
        self.seen.in_flight_ns = self.seen.in_flight_ns.saturating_sub(done);
        self.seen.retired_ns += done;
    }

    fn finished(&mut self, now: u64) {
        self.kernels += 1;
        self.done.push(now);
        if let Some((left, came)) = self.open.front_mut() {
            *left -= 1;
            if *left == 0 {
                let came = *came;
                self.open.pop_front();
                self.latencies.push(now - came);
            }
        }
        if self.stopped {
            return;
        }
        self.seen.commands -= 1;
        self.seen.in_flight_ns -= self.believed.min(self.seen.in_flight_ns);
        self.seen.retired_ns += self.believed;
        self.seen.progress_at = now;
        // What a kernel takes is learnt.
        self.believed = (self.believed * 3 + self.kernel) / 4;
        if self.seen.commands == 0 {
            self.seen.in_flight_ns = 0;
            self.idle_since = now;
            self.rung_idle = false;
            let (since, predicted) = self.waits_since;
            self.rings |= self.seen.waiting > 0 && now - since < predicted / 2;
            if let Program::Think { ns } = self.program {
                self.ready_at = now + ns;
            }
        }
    }

    fn has_something(&mut self, now: u64) -> bool {
        match self.program {
            Program::Saturate => true,
            Program::Think { .. } => self.seen.commands == 0,
            Program::Bursts { on, off } => now % (on + off) < on,
            Program::Requests { count, every } => {
                while self.next_request <= now {
                    self.requests.push_back((count, self.next_request));
                    self.open.push_back((count, self.next_request));
                    self.next_request += every;
                }
                !self.requests.is_empty()
            }
            Program::Idle => false,
        }
    }

    /// Does what its program does at this moment; whether it rings.
    fn act(&mut self, now: u64) -> bool {
        if self.stopped {
            return false;
        }
        if std::mem::take(&mut self.rings) {
            return true;
        }
        if now < self.ready_at {
            return false;
        }
        if !self.has_something(now) {
            let rings = self.seen.commands == 0 && !self.rung_idle && now >= self.idle_since + GRACE;
            self.rung_idle |= rings;
            return rings;
        }
        if self.seen.waiting > 0 {
            return false;
        }
        if self.credit <= 0 {
            self.seen.waiting = 1;
            self.waits_since = (now, self.seen.in_flight_ns);
            return !self.watched;
        }
        if self.seen.commands >= 2 && self.seen.in_flight_ns + self.believed > self.window {
            return false;
        }
        let rings = self.seen.commands == 0 && now >= self.idle_since + GRACE && !self.watched;
        if self.seen.commands == 0 {
            self.seen.progress_at = now;
        }
        self.credit -= self.believed as i64;
        self.seen.commands += 1;
        self.seen.in_flight_ns += self.believed;
        self.queue.push_back(self.kernel);
        self.ready_at = now + LAUNCH;
        if let Some((left, _)) = self.requests.front_mut() {
            *left -= 1;
            if *left == 0 {
                self.requests.pop_front();
            }
        }
        rings
    }
}
