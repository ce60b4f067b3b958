//! Keeping a device busy, or asking it for something now and then; a second thread sees what is done, because the first may stand at
//! somebody's gate.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, anyhow};
use cleave_ledger::clock::{now_ns, sleep_until};

use super::driver_unsafe::{Gpu, Graph, Kernel, Mark, Stream, Transfer};
use super::load::Load;
use super::record::{Calibration, Done, Span};

/// Kernels shorter than this are noted several at a time: an event costs as much as a short kernel.
const NOTED_NS: u64 = 250_000;
/// How much work waits on the device, as a program has it that never wants to see it idle.
const QUEUED_NS: u64 = 8_000_000;
/// How many notes that is, at least and at most.
const NOTES: std::ops::RangeInclusive<u64> = 4..=64;
/// Empty kernels and copies of unknown speed, between notes.
const COUNTED: usize = 32;

/// One thing to submit.
#[derive(Clone, Copy)]
enum Step {
    Kernel(Kernel),
    Graph(Graph),
    Copy(Transfer),
}

pub struct Work {
    gpu: Gpu,
    load: Load,
    /// What follows each other, and how much work each is.
    steps: Vec<(Step, u64)>,
    streams: Vec<Stream>,
    done: Mutex<Vec<Done>>,
}

impl Work {
    /// Everything that takes time only once, so that nothing of it falls into the measurement.
    pub fn prepare(load: Load, calibration: &Calibration) -> Result<Work> {
        let gpu = Gpu::open()?.with_part(load.part);
        let kernels: Vec<(Kernel, u64)> = load.kernels.iter().map(|&ns| calibration.kernel(ns)).collect();
        let steps = if load.copy > 0 {
            vec![(Step::Copy(gpu.transfer(load.copy as usize)?), load.copy)]
        } else if load.graph > 0 {
            let all: Vec<(Kernel, u64)> = kernels.iter().copied().cycle().take(load.graph).collect();
            let graph: Vec<Kernel> = all.iter().map(|kernel| kernel.0).collect();
            vec![(Step::Graph(gpu.graph(&graph)?), all.iter().map(|kernel| kernel.1).sum())]
        } else {
            kernels.into_iter().map(|(kernel, work)| (Step::Kernel(kernel), work)).collect()
        };
        let streams = (0..load.streams).map(|_| gpu.stream()).collect::<Result<Vec<_>>>()?;
        let work = Work { gpu, load, steps, streams, done: Mutex::default() };
        for &stream in &work.streams {
            work.steps.iter().try_for_each(|&(step, _)| work.submit(step, stream))?;
        }
        work.gpu.drain()?;
        Ok(work)
    }

    /// Works from the beginning of a span to its end; what was done in it. Threads are left behind that may still wait.
    pub fn run(self, span: Span) -> Result<Vec<Done>> {
        let work: &'static Work = Box::leak(Box::new(self));
        if work.load.request > 0 {
            std::thread::spawn(move || ended(work.requests(span)));
        } else {
            let depth = work.notes();
            let (submitted, to_see) = sync_channel(depth);
            let (seen, to_use) = sync_channel(depth);
            (0..depth)
                .try_for_each(|_| seen.send(work.gpu.mark()?).map_err(|_| anyhow!("no room for a mark")))?;
            std::thread::spawn(move || ended(work.see(&to_see, &seen)));
            std::thread::spawn(move || ended(work.saturate(span, &to_use, &submitted)));
        }
        sleep_until(span.end);
        Ok(std::mem::take(&mut *work.done.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn submit(&self, step: Step, stream: Stream) -> Result<()> {
        match step {
            Step::Kernel(kernel) => self.gpu.launch(stream, kernel),
            Step::Graph(graph) => self.gpu.launch_graph(stream, graph),
            Step::Copy(transfer) => self.gpu.copy(stream, transfer),
        }
    }

    /// Whether the work of a step is GPU time.
    fn is_timed(&self) -> bool {
        self.load.copy == 0 && self.steps.iter().all(|step| step.1 > 1)
    }

    fn notes(&self) -> usize {
        let mean = self.steps.iter().map(|step| step.1).sum::<u64>() / self.steps.len() as u64;
        let noted = if self.is_timed() { mean.max(NOTED_NS) } else { NOTED_NS };
        QUEUED_NS.div_ceil(noted).clamp(*NOTES.start(), *NOTES.end()) as usize
    }

    fn saturate(
        &self,
        span: Span,
        marks: &Receiver<Mark>,
        submitted: &SyncSender<(Mark, u64)>,
    ) -> Result<()> {
        self.gpu.enter()?;
        sleep_until(span.start);
        let mut steps = self.steps.iter().cycle();
        for stream in self.streams.iter().cycle() {
            self.pause(span);
            if now_ns() >= span.end {
                return Ok(());
            }
            let (mut work, mut count) = (0, 0);
            while if self.is_timed() { work < NOTED_NS } else { count < self.count() } {
                let Some(&(step, worth)) = steps.next() else { return Ok(()) };
                self.submit(step, *stream)?;
                work += worth;
                count += 1;
            }
            let mark = marks.recv()?;
            self.gpu.record(mark, *stream)?;
            submitted.send((mark, work))?;
        }
        Ok(())
    }

    /// Steps between two notes where their time is not known.
    fn count(&self) -> usize {
        if self.load.copy > 0 { 1 } else { COUNTED }
    }

    /// A bursty tenant lets time pass between its bursts.
    fn pause(&self, span: Span) {
        let Load { on, off, .. } = self.load;
        if off > 0 {
            let into = (now_ns().saturating_sub(span.start)) % (on + off);
            if into >= on {
                sleep_until(now_ns() + on + off - into);
            }
        }
    }

    fn see(&self, submitted: &Receiver<(Mark, u64)>, seen: &SyncSender<Mark>) -> Result<()> {
        self.gpu.enter()?;
        while let Ok((mark, work)) = submitted.recv() {
            self.gpu.wait(mark)?;
            self.note(0, work);
            // Nobody needs it any more when the other thread has ended.
            let _ended = seen.send(mark);
        }
        Ok(())
    }

    /// Requests at times that do not depend on how fast they are answered.
    fn requests(&self, span: Span) -> Result<()> {
        self.gpu.enter()?;
        let mark = self.gpu.mark()?;
        let stream = self.streams[0];
        let interval = self.load.request_ns() * 100 / self.load.percent;
        let (mut due, mut random) = (span.start, 1u64);
        loop {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            due += interval / 2 + (random >> 33) * interval / (1 << 31);
            // Who comes late because the last request took long has waited since its time; who comes late because the host
            // woke it late has not.
            let waited = now_ns() > due;
            sleep_until(due);
            let from = if waited { due } else { now_ns() };
            let mut work = 0;
            for &(step, worth) in self.steps.iter().cycle().take(self.load.request) {
                self.submit(step, stream)?;
                work += worth;
            }
            self.gpu.record(mark, stream)?;
            self.gpu.wait(mark)?;
            self.note(from, work);
        }
    }

    fn note(&self, from: u64, work: u64) {
        let at = now_ns();
        self.done.lock().unwrap_or_else(PoisonError::into_inner).push(Done { from, at, work });
    }
}

/// A worker whose device fails is of no use: it says so and ends.
fn ended(result: Result<()>) {
    if let Err(error) = result {
        crate::say(&format!("{error:#}"));
        std::process::exit(1);
    }
}
