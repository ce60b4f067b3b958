//! What the gate needs of a device, done by the modelled one.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use cleave_gate::Device;
use cleave_pace::{Sim, Stream, Work};

/// The device as one process sees it: its streams are numbered from 1.
pub struct Modelled {
    sim: Rc<RefCell<Sim>>,
    streams: Vec<Stream>,
    pushed: RefCell<Vec<u64>>,
    /// Somebody is to look: the node, and the process's own tracker.
    pub rung: Cell<bool>,
}

/// A place in a stream: after so many works, and not before it was put.
pub struct Mark {
    stream: usize,
    after: u64,
    put_at: u64,
}

impl Modelled {
    pub fn new(sim: Rc<RefCell<Sim>>, streams: usize) -> Modelled {
        let context = sim.borrow_mut().context();
        let streams = (0..streams).map(|_| sim.borrow_mut().stream(context)).collect::<Vec<Stream>>();
        let pushed = RefCell::new(vec![0; streams.len()]);
        Modelled { sim, streams, pushed, rung: Cell::new(false) }
    }

    /// Submits work to a stream; how many it has been given.
    pub fn push(&self, stream: u64, work: Work) -> u64 {
        let at = stream as usize - 1;
        self.sim.borrow_mut().push(self.streams[at], &[work], 1);
        let pushed = &mut self.pushed.borrow_mut()[at];
        *pushed += 1;
        *pushed
    }

    /// When works of a stream ended.
    pub fn ends<R>(&self, stream: u64, look: impl FnOnce(&[u64]) -> R) -> R {
        look(self.sim.borrow().ends(self.streams[stream as usize - 1]))
    }

    /// When the device came past a mark.
    fn passed(&self, mark: &Mark) -> Option<u64> {
        let sim = self.sim.borrow();
        let Some(last) = mark.after.checked_sub(1) else { return Some(mark.put_at) };
        sim.ends(self.streams[mark.stream]).get(last as usize).map(|end| mark.put_at.max(*end))
    }
}

impl Device for Modelled {
    type Mark = Mark;

    fn put(&self, stream: u64, _timed: bool) -> Option<Mark> {
        let at = stream as usize - 1;
        let put_at = self.sim.borrow().now();
        Some(Mark { stream: at, after: self.pushed.borrow()[at], put_at })
    }

    fn put_if(&self, stream: u64, is_there: impl Fn() -> bool) -> Option<Mark> {
        is_there().then(|| self.put(stream, true)).flatten()
    }

    fn is_done(&self, mark: &Mark) -> bool {
        self.passed(mark).is_some()
    }

    fn between(&self, from: &Mark, to: &Mark) -> Option<u64> {
        Some(self.passed(to)?.saturating_sub(self.passed(from)?))
    }

    fn give_back(&self, _: Mark) {}

    fn ring(&self) {
        self.rung.set(true);
    }
}
