//! Pausing and killing tenants: what takes longer than an answer, without holding up anybody else.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use super::{Connection, refuse};
use crate::protocol::{Answer, Reason, Refusal};
use crate::sys_unsafe::{self, Signal};

/// How long a pause waits for what is on the devices to be done, and how long nothing must have been there.
const DRAIN: Duration = Duration::from_secs(5);
const STILL: Duration = Duration::from_millis(10);

/// How long processes have to end when they are asked to, and then when they are not asked.
const ASKED: Duration = Duration::from_secs(3);
const FORCED: Duration = Duration::from_secs(5);

/// How long memory has to leave a device.
const MOVE: Duration = Duration::from_secs(120);

const LOOK: Duration = Duration::from_millis(2);

const PAUSED: Answer = Answer::Paused { drained: true, on_host: false };

impl Connection {
    pub(super) fn pause(&self, id: &str, to_host: bool) -> Answer {
        if to_host && let Err(refusal) = self.shared.node().check_moving(id, &self.peer) {
            return Answer::Refused(refusal);
        }
        if let Err(refusal) = self.shared.node().set_paused(id, true, &self.peer) {
            return Answer::Refused(refusal);
        }
        let end = Instant::now() + DRAIN;
        let mut empty_since = None;
        while Instant::now() < end {
            if self.shared.node().is_drained(id) {
                // A launch may have passed its gate in the moment of the order, and be counted only then.
                if empty_since.get_or_insert_with(Instant::now).elapsed() >= STILL {
                    return if to_host { self.send_to_host(id) } else { PAUSED };
                }
            } else {
                empty_since = None;
            }
            thread::sleep(LOOK);
        }
        Answer::Paused { drained: false, on_host: false }
    }

    /// Moves the memory of a tenant that is paused and has nothing on the devices. If it cannot be moved it stays.
    fn send_to_host(&self, id: &str) -> Answer {
        if let Err(refusal) = self.shared.node().set_to_host(id, true, &self.peer) {
            return Answer::Refused(refusal);
        }
        let end = Instant::now() + MOVE;
        while Instant::now() < end {
            if self.shared.node().is_away(id) {
                return Answer::Paused { drained: true, on_host: true };
            }
            thread::sleep(LOOK);
        }
        let stays = self.shared.node().set_to_host(id, false, &self.peer);
        stays.map_or_else(Answer::Refused, |()| PAUSED)
    }

    pub(super) fn resume(&self, id: &str) -> Answer {
        self.shared.node().set_paused(id, false, &self.peer).map_or_else(Answer::Refused, |()| Answer::Done)
    }

    /// Asks every process of the tenant to end, then ends those that are left, then takes its grants back.
    pub(super) fn kill(&self, id: &str) -> Answer {
        let begun = Instant::now();
        let mut asked: BTreeSet<u32> = BTreeSet::new();
        loop {
            let victims = match self.shared.node().victims(id, &self.peer) {
                Ok(victims) => victims,
                // It ended with its last process.
                Err(Refusal { reason: Reason::NoTenant, .. }) if !asked.is_empty() => break,
                Err(refusal) => return Answer::Refused(refusal),
            };
            if victims.is_empty() {
                break;
            }
            let left: Vec<String> = victims.iter().map(|victim| victim.pid.to_string()).collect();
            if begun.elapsed() >= ASKED + FORCED {
                let why = format!("these processes of {id} do not end, not even killed: {}", left.join(", "));
                return refuse(Reason::Failed, why);
            }
            let forced = begun.elapsed() >= ASKED;
            for victim in victims {
                let first = asked.insert(victim.pid);
                let signal = if forced { Signal::Kill } else { Signal::Term };
                if !(first || forced) {
                    continue;
                }
                if let Err(error) = sys_unsafe::signal(&victim.process, signal) {
                    let why = format!("cannot end process {} of {id}: {error}", victim.pid);
                    return refuse(Reason::Failed, why);
                }
            }
            thread::sleep(LOOK * 5);
        }
        let ended = self.shared.node().end(id, &self.peer);
        self.shared.freed.notify_all();
        match ended {
            Err(refusal) if refusal.reason != Reason::NoTenant => Answer::Refused(refusal),
            _ => Answer::Killed { processes: u32::try_from(asked.len()).unwrap_or(u32::MAX) },
        }
    }
}
