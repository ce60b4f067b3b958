//! The node in virtual time: it looks, it says what is to be done, and it fails.

use std::cmp::Reverse;
use std::sync::atomic::Ordering::Relaxed;

use cleave_gate::Order;
use cleave_sched::share::{self, Course, Desk, Id, Share};

use super::{Event, State, US, World, index, seen};

/// How a node fails when it is about to say something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// It dies before.
    Before,
    /// It dies while it says it: for how long that holds is not said, and nobody is woken.
    Amid,
    /// It is stopped before, and goes on so much later.
    Stopped { ns: u64 },
    /// It dies before, and so much later there is another, which dies after so many orders, and so on.
    Replaced { ns: u64, orders: u64 },
}

/// An order to a tenant about an engine.
pub type Said = (usize, usize, share::Order);

/// A node's that knows nothing of what was.
pub fn new_desk(shares: impl Iterator<Item = Share>) -> Desk {
    let mut desk = Desk::default();
    shares.enumerate().for_each(|(number, share)| desk.set(0, number as Id, share));
    desk
}

impl World {
    /// The node is gone. Its word holds for as long as it said.
    pub fn kill_node(&mut self) {
        (self.node_lives, self.node_at) = (false, u64::MAX);
    }

    /// The node fails after so many more orders.
    pub fn fail_node(&mut self, orders: u64, how: Failure) {
        self.fails = Some((orders, how));
    }

    /// It is about to say this, with the rest still to say.
    fn fail(&mut self, how: Failure, (engine, tenant, order): Said, rest: &[Said]) {
        self.failed_at.get_or_insert(self.now);
        self.kill_node();
        match how {
            Failure::Before => {}
            Failure::Amid => {
                let before = self.tenants[tenant].leases[engine];
                let _nobody_is_woken = self.say(engine, tenant, &share::Order { lease: before, ..order });
            }
            Failure::Stopped { ns } => {
                self.unsaid = std::iter::once((engine, tenant, order)).chain(rest.iter().copied()).collect();
                self.come_back(ns);
            }
            Failure::Replaced { ns, orders } => {
                self.desk = new_desk(self.tenants.iter().map(|tenant| tenant.share));
                self.fails = Some((orders, how));
                self.come_back(ns);
            }
        }
    }

    fn come_back(&mut self, ns: u64) {
        self.node_at = self.now + ns;
        self.events.push(Reverse((self.node_at, Event::Node)));
    }

    pub fn wake_node(&mut self, at: u64) {
        let at = at + self.hop();
        if at < self.node_at {
            self.node_at = at;
            self.events.push(Reverse((at, Event::Node)));
        }
    }

    /// The node looks, and gives its orders.
    pub fn look(&mut self) {
        self.node_lives = true;
        // What a node that was stopped says is of then.
        for (engine, tenant, order) in std::mem::take(&mut self.unsaid) {
            self.obey(engine, tenant, &order);
        }
        self.looks += 1;
        let (now, tenants) = (self.now, &self.tenants);
        let mut orders = Vec::new();
        let wake_at = self.desk.step(
            now,
            |_, engine| match index(engine) {
                Some(engine) => seen(tenants, engine),
                None => Vec::new(),
            },
            |_, engine, id, order| orders.extend(index(engine).map(|engine| (engine, id as usize, order))),
        );
        for (number, said) in orders.iter().enumerate() {
            match &mut self.fails {
                Some((0, how)) => {
                    let how = *how;
                    self.fails = None;
                    return self.fail(how, *said, &orders[number + 1..]);
                }
                Some((left, _)) => *left -= 1,
                None => {}
            }
            let (engine, tenant, order) = said;
            self.obey(*engine, *tenant, order);
        }
        self.node_at = wake_at.max(now + 50 * US) + 30 * US;
        self.events.push(Reverse((self.node_at, Event::Node)));
    }

    fn obey(&mut self, engine: usize, number: usize, order: &share::Order) {
        if !self.say(engine, number, order) {
            return;
        }
        for process in 0..self.tenants[number].processes.len() {
            let woken = match &self.tenants[number].processes[process].state {
                State::AtGate { engine: at, wait, .. } if *at == engine => {
                    wait.seq != self.tenants[number].turns[engine].seq.load(Relaxed)
                }
                _ => false,
            };
            let later = self.now + self.hop();
            if woken && later < self.tenants[number].processes[process].at {
                self.schedule(number, process, later);
            }
            self.schedule_tracker(number, process, engine, later);
        }
    }

    /// Writes an order down; whether threads may wait for it.
    fn say(&mut self, engine: usize, number: usize, order: &share::Order) -> bool {
        let said = Order {
            credit_ns: order.credit_ns,
            window_ns: order.window_ns,
            tracked: order.tracked,
            shared: order.shared,
            watched: order.watched,
            paused: order.paused,
            lets_on: order.lets_on,
            lease_until: order.lease.until,
            knows: order.lease.knows,
        };
        let tenant = &mut self.tenants[number];
        tenant.leases[engine] = order.lease;
        match order.course {
            Course::Begins => tenant.turns[engine].give(tenant.drawn[engine], &said),
            Course::Renewed => tenant.turns[engine].renew(tenant.drawn[engine], &said),
            Course::GoesOn => tenant.turns[engine].go_on(&said),
            Course::Holds => {
                tenant.turns[engine].extend(&said);
                false
            }
        }
    }
}
