//! What tenants' programs do.

use cleave_gate::Command;
use cleave_pace::{Card, Shape, Work};

use crate::world::{US, fresh};

/// A program.
#[derive(Clone, Copy, Debug)]
pub enum Program {
    /// Kernels back to back over all streams.
    Saturate { kernel: u64 },
    /// The same with kernels that leave room for others beside them: of so many blocks, where the device takes four.
    Slim { kernel: u64, blocks: u64 },
    /// Kernels of two functions in turn.
    Mixed { short: u64, long: u64 },
    /// The same of one function, which takes now this, now that.
    Varied { short: u64, long: u64 },
    /// The same function takes longer from the middle on.
    Changes { before: u64, after: u64, at: u64 },
    /// A kernel, a wait for its end, a thought, again.
    Think { kernel: u64, thought: u64 },
    /// Back to back for a while, then nothing for a while.
    Bursts { kernel: u64, on: u64, off: u64 },
    /// A number of kernels at once, now and then, and a wait for the last.
    Requests { kernel: u64, count: u32, every: u64 },
    /// Copies to the device, back to back.
    Copies { bytes: u64 },
    /// Nothing until then, and kernels back to back from then on.
    From { kernel: u64, at: u64 },
}

/// What a program does next.
#[derive(Clone, Copy)]
pub enum Thing {
    Nothing { until: u64 },
    Sync { stream: u64 },
    Submit { stream: u64, command: Command, work: Work, worth: u64, engine: usize },
}

/// A program at work.
pub struct Doing {
    program: Program,
    streams: u64,
    function: u64,
    count: u64,
    /// Kernels left of the present request, and when it came.
    request: (u32, u64),
    requests: u64,
    /// It waits for an answer from the device.
    asks: bool,
    syncs: bool,
    offset: u64,
}

impl Doing {
    pub fn new(program: Program, streams: usize, seed: u64) -> Doing {
        let offset = seed * 137 * US;
        Doing {
            program,
            streams: streams as u64,
            function: fresh(),
            count: 0,
            request: (0, 0),
            requests: 0,
            asks: false,
            syncs: false,
            offset,
        }
    }

    /// The end of a work it waited for is there: when its request came, if it was one.
    pub fn answered(&mut self) -> Option<u64> {
        std::mem::take(&mut self.asks).then_some(self.request.1)
    }

    pub fn next(&mut self, now: u64) -> Thing {
        match self.program {
            Program::Saturate { kernel } => self.kernel(kernel, 0),
            Program::Slim { kernel, blocks } => self.kernel_of(blocks, kernel, 0),
            Program::Mixed { short, long } => match self.count % 2 {
                0 => self.kernel(short, 0),
                _ => self.kernel(long, 1),
            },
            Program::Varied { short, long } => {
                self.kernel(if self.count.is_multiple_of(2) { short } else { long }, 0)
            }
            Program::Changes { before, after, at } => self.kernel(if now < at { before } else { after }, 0),
            Program::From { at, .. } if now < at => Thing::Nothing { until: at },
            Program::From { kernel, .. } => self.kernel(kernel, 0),
            Program::Think { kernel, thought } => {
                if self.syncs {
                    self.syncs = false;
                    self.count += 1;
                    return Thing::Sync { stream: 1 };
                }
                let thinks = self.count % 2 == 1;
                if thinks && thought > 0 {
                    self.count += 1;
                    return Thing::Nothing { until: now + thought };
                }
                self.syncs = true;
                self.kernel(kernel, 0)
            }
            Program::Bursts { kernel, on, off } => {
                let phase = (now + self.offset) % (on + off);
                match phase < on {
                    true => self.kernel(kernel, 0),
                    false => Thing::Nothing { until: now + (on + off - phase) },
                }
            }
            Program::Requests { kernel, count, every } => self.request(now, kernel, count, every),
            Program::Copies { bytes } => {
                let stream = 1 + self.count % self.streams;
                self.count += 1;
                let worth = Card::paced().copy_ns(bytes);
                Thing::Submit {
                    stream,
                    command: Command::copy(bytes),
                    work: Work::Copy { bytes, engine: 0 },
                    worth,
                    engine: 1,
                }
            }
        }
    }

    fn request(&mut self, now: u64, kernel: u64, count: u32, every: u64) -> Thing {
        if self.request.0 > 0 {
            self.request.0 -= 1;
            self.asks = self.request.0 == 0;
            self.syncs = self.asks;
            return self.kernel(kernel, 0);
        }
        if std::mem::take(&mut self.syncs) {
            return Thing::Sync { stream: 1 };
        }
        let due = self.requests * every;
        if now < due {
            return Thing::Nothing { until: due };
        }
        self.requests += 1;
        self.request = (count, due);
        self.request(now, kernel, count, every)
    }

    /// A kernel that fills the device.
    fn kernel(&mut self, ns: u64, variant: u32) -> Thing {
        self.kernel_of(u64::from(Card::paced().sms), ns, variant)
    }

    /// A kernel of so many blocks, each of which fills a multiprocessor.
    fn kernel_of(&mut self, blocks: u64, ns: u64, variant: u32) -> Thing {
        let stream = 1 + self.count % self.streams;
        self.count += 1;
        let card = Card::paced();
        let shape = Shape {
            blocks,
            threads: card.threads_per_sm,
            registers: 32,
            shared: 0,
            priority: 0,
            cooperative: false,
        };
        let block_ns = ns.saturating_sub(card.start_ns).max(1);
        Thing::Submit {
            stream,
            command: Command::kernel(self.function, [4, 1, 1], [1024, 1 + variant, 1]),
            work: Work::Kernel { shape, block_ns },
            worth: ns,
            engine: 0,
        }
    }
}
