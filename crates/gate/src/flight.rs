//! What a tenant has in flight on an engine, as its processes say. The arbiter uses it to see sooner, never to charge.

use std::sync::atomic::Ordering::Relaxed;

use crate::words::{DrawnWords, FlightWords};

/// What a tenant's processes together have in flight.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flight {
    /// Threads that wait at the gate.
    pub waiting: u32,
    /// Predicted nanoseconds in flight.
    pub in_flight_ns: u64,
    /// Commands in flight.
    pub commands: u32,
    /// Predicted nanoseconds that are done.
    pub retired_ns: u64,
    /// When something was last done, or begun after nothing was there.
    pub progress_at: u64,
    /// Predicted nanoseconds drawn by all processes there ever were.
    pub charged: u64,
    /// Nanoseconds that threads have waited, likewise.
    pub waited_ns: u64,
    /// Nanoseconds of work that is done, likewise.
    pub gpu_ns: u64,
}

impl Flight {
    /// What a tenant has drawn so far; what its processes have in flight is added to it.
    pub fn of(drawn: &DrawnWords) -> Flight {
        Flight {
            charged: drawn.charged.load(Relaxed),
            waited_ns: drawn.waited_ns.load(Relaxed),
            gpu_ns: drawn.gpu_ns.load(Relaxed),
            ..Flight::default()
        }
    }

    /// Adds what a process has in flight. Numbers that cannot be are taken as nothing in flight.
    pub fn add(&mut self, process: &FlightWords) {
        let (submitted, retired) = (process.submitted.load(Relaxed), process.retired.load(Relaxed));
        let in_flight = u64::try_from(submitted.wrapping_sub(retired) as i64).unwrap_or(0);
        self.waiting = self.waiting.saturating_add(process.waiting.load(Relaxed));
        self.in_flight_ns = self.in_flight_ns.saturating_add(in_flight);
        self.commands = self.commands.saturating_add(process.commands.load(Relaxed));
        self.retired_ns = self.retired_ns.wrapping_add(retired);
        self.progress_at = self.progress_at.max(process.progress_at.load(Relaxed));
    }
}

impl FlightWords {
    /// Forgets what an earlier owner of the record had in flight.
    pub fn clear(&self) {
        self.submitted.store(0, Relaxed);
        self.retired.store(0, Relaxed);
        self.commands.store(0, Relaxed);
        self.waiting.store(0, Relaxed);
        self.progress_at.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_added_up_whatever_they_say() {
        let drawn = DrawnWords::default();
        drawn.charged.store(9, Relaxed);
        let (one, other) = (FlightWords::default(), FlightWords::default());
        one.submitted.store(50, Relaxed);
        one.retired.store(20, Relaxed);
        one.commands.store(u32::MAX, Relaxed);
        one.progress_at.store(7, Relaxed);
        other.retired.store(1, Relaxed);
        other.commands.store(3, Relaxed);
        other.waiting.store(1, Relaxed);
        let mut flight = Flight::of(&drawn);
        flight.add(&one);
        flight.add(&other);
        let expected = Flight {
            waiting: 1,
            in_flight_ns: 30,
            commands: u32::MAX,
            retired_ns: 21,
            progress_at: 7,
            charged: 9,
            ..Flight::default()
        };
        assert_eq!(flight, expected);
        one.clear();
        let mut flight = Flight::default();
        flight.add(&one);
        assert_eq!(flight, Flight::default());
    }
}
