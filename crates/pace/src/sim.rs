//! One device, several contexts, virtual time: what the shared device does with processes and threads, done here by one loop.
//!
//! Contexts get GR in round-robin slices as long as they have kernels; streams of a context overlap when blocks fit; copies run beside them.

use crate::card::{Card, Shape};
use crate::chip::{Chip, KernelId};
use crate::copies;
use crate::turns::{self, Tenure, WORDS};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// A process with its queue of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Context(usize);

/// A stream of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stream {
    pub context: Context,
    index: usize,
}

/// Something a stream does before it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// All blocks take the same time.
    Kernel { shape: Shape, block_ns: u64 },
    /// A copy on one of the two copy engines.
    Copy { bytes: u64, engine: usize },
    /// The host lets time pass before it submits the next.
    Pause { ns: u64 },
}

/// A kernel that ended, in device time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub stream: Stream,
    /// When its predecessors had ended.
    pub ready: u64,
    /// When its first block started.
    pub start: u64,
    pub end: u64,
}

/// What a context got done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Blocks that ended, and their time added up.
    pub blocks: u64,
    pub work_ns: u64,
    pub kernels: u64,
    /// Time with GR and a kernel to run.
    pub busy_ns: u64,
    pub copied_bytes: u64,
    /// The longest time from wanting GR to having it.
    pub longest_wait_ns: u64,
}

/// A device with its contexts.
pub struct Sim {
    card: Card,
    now: u64,
    contexts: Vec<State>,
    /// Who has GR, and since when.
    tenure: Tenure,
    begin: u64,
    switches: u64,
    copy_engines: [u64; 2],
    /// Ends of copies and pauses.
    timers: BinaryHeap<Reverse<(u64, Stream)>>,
    spans: Vec<Span>,
    /// How much of what was submitted has ended, on all streams.
    ended: u64,
}

struct State {
    chip: Chip,
    /// GR time when the last tenure began or ended.
    gr: u64,
    streams: Vec<Queue>,
    running: BTreeMap<KernelId, Running>,
    /// Kernel ends and block ends to come, in GR time.
    kernel_ends: BinaryHeap<Reverse<(u64, KernelId)>>,
    block_ends: BinaryHeap<Reverse<(u64, u64)>>,
    /// Since when it wants GR without having it.
    wants: Option<u64>,
    report: Report,
}

#[derive(Default)]
struct Queue {
    /// Patterns and how many times each is left to do.
    patterns: std::collections::VecDeque<(Vec<Work>, u64)>,
    at: usize,
    busy: bool,
    /// Bytes of the running copy that are not booked yet, and its engine.
    copying: Option<(u64, usize)>,
    /// When each work of it ended.
    ends: Vec<u64>,
}

struct Running {
    stream: usize,
    block_ns: u64,
    ready: u64,
    start: Option<u64>,
}

impl Sim {
    pub fn new(card: Card) -> Sim {
        Sim {
            card,
            now: 0,
            contexts: Vec::new(),
            tenure: Tenure { owner: 0, generation: 0, end: 0 },
            begin: 0,
            switches: 0,
            copy_engines: [0; 2],
            timers: BinaryHeap::new(),
            spans: Vec::new(),
            ended: 0,
        }
    }

    /// A new context without streams. There can be 1022.
    pub fn context(&mut self) -> Context {
        assert!(self.contexts.len() < usize::from(turns::RECORDS) - 2, "a device has 1022 records");
        self.contexts.push(State {
            chip: Chip::new(self.card.clone()),
            gr: 0,
            streams: Vec::new(),
            running: BTreeMap::new(),
            kernel_ends: BinaryHeap::new(),
            block_ends: BinaryHeap::new(),
            wants: None,
            report: Report::default(),
        });
        Context(self.contexts.len() - 1)
    }

    pub fn stream(&mut self, context: Context) -> Stream {
        let streams = &mut self.contexts[context.0].streams;
        streams.push(Queue::default());
        Stream { context, index: streams.len() - 1 }
    }

    /// Submits `pattern` so many times, after what was submitted before.
    pub fn push(&mut self, stream: Stream, pattern: &[Work], times: u64) {
        if !pattern.is_empty() && times > 0 {
            let queue = &mut self.contexts[stream.context.0].streams[stream.index];
            queue.patterns.push_back((pattern.to_vec(), times));
        }
    }

    /// Lets time pass until the device clock shows `until`.
    pub fn run(&mut self, until: u64) {
        while self.run_to_end_of_work(until) {}
    }

    /// Lets time pass until some work ends; false if `until` comes first.
    pub fn run_to_end_of_work(&mut self, until: u64) -> bool {
        for at in self.all_streams() {
            self.submit(at);
        }
        let before = self.ended;
        loop {
            self.settle();
            self.hand_over();
            if self.ended != before {
                return true;
            }
            let Some(next) = self.next_event().filter(|&next| next <= until) else { break };
            self.pass(next);
        }
        self.pass(until.max(self.now));
        false
    }

    /// When each work of a stream ended, pauses included, in order.
    pub fn ends(&self, stream: Stream) -> &[u64] {
        &self.contexts[stream.context.0].streams[stream.index].ends
    }

    pub fn now(&self) -> u64 {
        self.now
    }

    pub fn report(&self, context: Context) -> Report {
        self.contexts[context.0].report
    }

    /// Kernels that ended, in that order.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// How many times GR went from one context to another.
    pub fn switches(&self) -> u64 {
        self.switches
    }

    fn all_streams(&self) -> Vec<Stream> {
        let contexts = self.contexts.iter().enumerate();
        contexts
            .flat_map(|(c, state)| {
                (0..state.streams.len()).map(move |index| Stream { context: Context(c), index })
            })
            .collect()
    }

    fn owner(&self) -> Option<usize> {
        usize::from(self.tenure.owner).checked_sub(1)
    }

    /// The context's GR time now.
    fn gr(&self, context: usize) -> u64 {
        let passed = if self.owner() == Some(context) { self.now.saturating_sub(self.begin) } else { 0 };
        self.contexts[context].gr + passed
    }

    /// Moves the clock, and counts what ended meanwhile.
    fn pass(&mut self, to: u64) {
        let from = self.now.max(self.begin);
        self.now = to;
        let Some(owner) = self.owner() else { return };
        let gr = self.gr(owner);
        let state = &mut self.contexts[owner];
        if !state.running.is_empty() {
            state.report.busy_ns += to.saturating_sub(from);
        }
        while let Some(&Reverse((end, block_ns))) = state.block_ends.peek()
            && end <= gr
        {
            state.block_ends.pop();
            state.report.blocks += 1;
            state.report.work_ns += block_ns;
        }
    }

    /// Does everything that happens at this moment.
    fn settle(&mut self) {
        while let Some(&Reverse((at, stream))) = self.timers.peek()
            && at <= self.now
        {
            self.timers.pop();
            self.advance(stream);
        }
        if let Some(owner) = self.owner().filter(|_| self.begin <= self.now) {
            self.end_kernels(owner);
            self.start_blocks(owner);
        }
    }

    /// A copy or pause of the stream is over, or a piece of a copy.
    fn advance(&mut self, stream: Stream) {
        let queue = &mut self.contexts[stream.context.0].streams[stream.index];
        if let Some((bytes, engine)) = queue.copying.take_if(|(bytes, _)| *bytes > 0) {
            return self.copy(stream, bytes, engine);
        }
        queue.copying = None;
        queue.busy = false;
        queue.ends.push(self.now);
        self.ended += 1;
        self.submit(stream);
    }

    /// Gives the device the stream's next work.
    fn submit(&mut self, stream: Stream) {
        let Context(context) = stream.context;
        let gr = self.gr(context);
        let state = &mut self.contexts[context];
        let queue = &mut state.streams[stream.index];
        if queue.busy {
            return;
        }
        let Some(work) = queue.take() else { return };
        queue.busy = true;
        match work {
            Work::Kernel { shape, block_ns } => {
                let id = state.chip.launch(shape, gr);
                let (stream, block_ns) = (stream.index, block_ns.max(1));
                state.running.insert(id, Running { stream, block_ns, ready: self.now, start: None });
                if self.owner() != Some(context) {
                    self.contexts[context].wants.get_or_insert(self.now);
                }
            }
            Work::Copy { bytes, engine } => {
                state.report.copied_bytes += bytes;
                self.copy(stream, bytes, engine % 2);
            }
            Work::Pause { ns } => self.timers.push(Reverse((self.now + ns, stream))),
        }
    }

    fn copy(&mut self, stream: Stream, bytes: u64, engine: usize) {
        let piece = copies::book(&self.card, self.copy_engines[engine], self.now, bytes);
        self.copy_engines[engine] = piece.end;
        self.contexts[stream.context.0].streams[stream.index].copying = Some((bytes - piece.bytes, engine));
        self.timers.push(Reverse((piece.end, stream)));
    }

    fn end_kernels(&mut self, context: usize) {
        let gr = self.gr(context);
        loop {
            let state = &mut self.contexts[context];
            let Some(&Reverse((end, id))) = state.kernel_ends.peek().filter(|&&Reverse((end, _))| end <= gr)
            else {
                return;
            };
            debug_assert_eq!(end, gr, "an event was missed");
            state.kernel_ends.pop();
            state.report.kernels += 1;
            let Some(kernel) = state.running.remove(&id) else { continue };
            let stream = Stream { context: Context(context), index: kernel.stream };
            state.streams[kernel.stream].busy = false;
            state.streams[kernel.stream].ends.push(self.now);
            self.ended += 1;
            let start = kernel.start.unwrap_or(kernel.ready);
            self.spans.push(Span { stream, ready: kernel.ready, start, end: self.now });
            self.submit(stream);
        }
    }

    fn start_blocks(&mut self, context: usize) {
        let gr = self.gr(context);
        let state = &mut self.contexts[context];
        let (chip, running) = (&mut state.chip, &mut state.running);
        while let Some((start, end)) =
            chip.next_lasting(gr + 1, |id| running.get(&id).map_or(1, |k| k.block_ns))
        {
            let Some(kernel) = running.get_mut(&start.kernel) else { continue };
            kernel.start.get_or_insert(self.now);
            state.block_ends.push(Reverse((start.at + kernel.block_ns, kernel.block_ns)));
            if let Some(end) = end {
                state.kernel_ends.push(Reverse((end, start.kernel)));
            }
        }
    }

    /// Passes GR on if its owner has no work or its slice is over, and somebody wants it.
    fn hand_over(&mut self) {
        let owner = self.owner();
        let active = owner.is_some_and(|owner| !self.contexts[owner].running.is_empty());
        if active && self.now < self.tenure.end {
            return;
        }
        let Some(next) = turns::next(self.tenure.owner, &self.waiting(), |_| true) else { return };
        if let Some(owner) = owner {
            self.contexts[owner].gr = self.gr(owner);
        }
        let (begin, tenure) = self.tenure.pass(next, self.now, self.card.slice_ns, self.card.switch_ns);
        if next != self.tenure.owner {
            self.switches += u64::from(self.tenure.owner != 0);
            self.loser_waits(owner);
        }
        (self.begin, self.tenure) = (begin, tenure);
        let winner = &mut self.contexts[usize::from(next) - 1];
        if let Some(since) = winner.wants.take() {
            winner.report.longest_wait_ns = winner.report.longest_wait_ns.max(begin - since);
        }
    }

    fn loser_waits(&mut self, owner: Option<usize>) {
        let Some(state) = owner.map(|owner| &mut self.contexts[owner]) else { return };
        if !state.running.is_empty() {
            state.wants = Some(self.now);
        }
    }

    /// Contexts with kernels, as records.
    fn waiting(&self) -> [u64; WORDS] {
        let mut bits = [0; WORDS];
        for (i, _) in self.contexts.iter().enumerate().filter(|(_, state)| !state.running.is_empty()) {
            bits[(i + 1) / 64 % WORDS] |= 1 << ((i + 1) % 64);
        }
        bits
    }

    /// When something happens next.
    fn next_event(&mut self) -> Option<u64> {
        let timer = self.timers.peek().map(|&Reverse((at, _))| at);
        let Some(owner) = self.owner().filter(|&owner| !self.contexts[owner].running.is_empty()) else {
            return timer;
        };
        let (begin, state) = (self.begin, &mut self.contexts[owner]);
        let end = state.kernel_ends.peek().map_or(u64::MAX, |&Reverse((end, _))| end);
        let work = end.min(state.chip.frontier()).saturating_sub(state.gr).saturating_add(begin);
        let others =
            self.contexts.iter().enumerate().any(|(i, state)| i != owner && !state.running.is_empty());
        let slice = others.then_some(self.tenure.end);
        timer.into_iter().chain(slice).chain([work]).min()
    }
}

impl Queue {
    fn take(&mut self) -> Option<Work> {
        let (pattern, times) = self.patterns.front_mut()?;
        let work = pattern[self.at];
        self.at += 1;
        if self.at == pattern.len() {
            self.at = 0;
            *times = times.saturating_sub(1);
            if *times == 0 {
                self.patterns.pop_front();
            }
        }
        Some(work)
    }
}
