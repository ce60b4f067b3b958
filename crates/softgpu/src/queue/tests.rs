//! The queue's promises, one test each, with an engine whose kernels end when the test says so.

use super::*;
use cleave_api::cuda::types::*;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

const FAULT: CUresult = CUDA_ERROR_ILLEGAL_ADDRESS;
/// A small copy.
const SHORT: usize = 128 << 10;
const COPY: (Engine, usize) = (Engine::Ce0, 64);

/// Time of a free-running device that passes by being looked at.
#[derive(Default)]
pub struct Ticking(AtomicU64);

impl Time for Ticking {
    fn is_modelled(&self) -> bool {
        false
    }

    fn now(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn reached(&self, _: u64) -> bool {
        true
    }

    fn sleep_until(&self, _: u64) {}

    fn is_short(&self, bytes: u64, _: u64) -> bool {
        bytes <= SHORT as u64
    }

    fn copied(&self, _: Engine, _: u64, _: u64, _: u64) -> u64 {
        0
    }
}

struct Bench {
    queue: Arc<Queue>,
    send: Sender<(u32, Completion)>,
    started: Receiver<(u32, Completion)>,
}

impl Bench {
    fn new() -> Bench {
        let (send, started) = channel();
        Bench {
            queue: Queue::new(&Engines::new(), Arc::new(Ticking::default()), CUcontext(1)),
            send,
            started,
        }
    }

    fn stream(&self) -> Arc<Stream> {
        Stream::create(&self.queue, true, 0)
    }

    /// A kernel that tells the test when it starts and ends when the test drops or finishes its token.
    fn kernel(&self, id: u32) -> Work {
        let send = self.send.clone();
        Work::Start(Box::new(move |done| send.send((id, done)).expect("the bench lives")))
    }

    fn expect(&self, id: u32) -> Completion {
        let (started, done) = self.started.try_recv().expect("a kernel has started");
        assert_eq!(started, id);
        done
    }

    fn expect_none(&self) {
        assert!(matches!(self.started.try_recv(), Err(TryRecvError::Empty)), "nothing may have started");
    }
}

#[test]
fn a_stream_runs_one_command_after_the_other_and_streams_overlap() {
    let bench = Bench::new();
    let (a, b) = (bench.stream(), bench.stream());
    a.submit(bench.kernel(1));
    let last = a.submit(bench.kernel(2));
    b.submit(bench.kernel(3));
    let first = bench.expect(1);
    let other = bench.expect(3);
    bench.expect_none();
    assert!(!a.is_idle() && !b.is_idle());
    first.finish(Ok(()));
    bench.expect(2).finish(Ok(()));
    assert_eq!(last.wait(Patience::Sleep), Ok(()));
    assert!(a.is_idle() && !b.is_idle());
    other.finish(Ok(()));
    bench.queue.wait_all(Patience::Spin);
    assert!(b.is_idle());
}

#[test]
fn the_legacy_stream_meets_blocking_streams_both_ways() {
    let bench = Bench::new();
    let blocking = bench.stream();
    let free = Stream::create(&bench.queue, false, 0);
    let legacy = Stream::legacy(&bench.queue);
    blocking.submit(bench.kernel(1));
    legacy.submit(bench.kernel(2));
    blocking.submit(bench.kernel(3));
    free.submit(bench.kernel(4));
    let one = bench.expect(1);
    bench.expect(4).finish(Ok(()));
    bench.expect_none();
    assert!(free.is_idle());
    assert!(!legacy.is_idle());
    one.finish(Ok(()));
    let two = bench.expect(2);
    bench.expect_none();
    two.finish(Ok(()));
    assert!(!legacy.is_idle(), "the legacy stream stands for every blocking one");
    bench.expect(3).finish(Ok(()));
    assert!(legacy.is_idle());
}

#[test]
fn a_stream_waits_for_an_event_of_another_and_times_follow_the_order() {
    let bench = Bench::new();
    let (a, b) = (bench.stream(), bench.stream());
    let (start, end) =
        (Event::new(&bench.queue, true, Patience::Spin), Event::new(&bench.queue, true, Patience::Spin));
    assert!(start.is_done());
    assert_eq!(end.since(&start), Err(CUDA_ERROR_INVALID_HANDLE));
    start.record(&a);
    a.submit(bench.kernel(1));
    end.record(&a);
    let waits: Vec<_> = end.last().into_iter().collect();
    bench.queue.submit(b.lane(), Work::Join, &waits);
    b.submit(bench.kernel(2));
    assert!(start.is_done() && !end.is_done());
    assert_eq!(end.since(&start), Err(CUDA_ERROR_NOT_READY));
    let one = bench.expect(1);
    bench.expect_none();
    one.finish(Ok(()));
    bench.expect(2).finish(Ok(()));
    end.wait();
    assert_eq!(end.since(&start), Ok(1));
    let untimed = Event::new(&bench.queue, false, Patience::Sleep);
    untimed.record(&a);
    assert_eq!(untimed.since(&start), Err(CUDA_ERROR_INVALID_HANDLE));
}

#[test]
fn a_fault_cancels_what_waits_and_stays() {
    let bench = Bench::new();
    let (a, b) = (bench.stream(), bench.stream());
    let stopped = Arc::new(AtomicU32::new(0));
    let seen = stopped.clone();
    bench.queue.on_poison(move |code| seen.store(code.0, Ordering::Relaxed));
    a.submit(bench.kernel(1));
    let second = a.submit(bench.kernel(2));
    let (send, received) = channel();
    let call = Box::new(move |status| send.send(status).expect("the test lives"));
    a.submit(Work::Host { call, even_after_fault: true });
    let skipped =
        a.submit(Work::Host { call: Box::new(|_| panic!("must not run")), even_after_fault: false });
    bench.expect(1).finish(Err(FAULT));
    assert_eq!(second.wait(Patience::Spin), Err(FAULT));
    assert_eq!(skipped.wait(Patience::Spin), Err(FAULT));
    assert_eq!(received.recv(), Ok(Err(FAULT)));
    assert_eq!(bench.queue.check(), Err(FAULT));
    assert_eq!(stopped.load(Ordering::Relaxed), FAULT.0);
    assert_eq!(b.submit(bench.kernel(3)).status(), Some(Err(FAULT)));
    bench.queue.poison(CUDA_ERROR_UNKNOWN);
    assert_eq!(bench.queue.check(), Err(FAULT), "the first fault stays");
    bench.expect_none();
}

#[test]
fn a_lost_token_ends_its_task() {
    let bench = Bench::new();
    let task = bench.stream().submit(Work::Start(Box::new(drop)));
    assert_eq!(task.wait(Patience::Sleep), Err(CUDA_ERROR_UNKNOWN));
}

#[test]
fn a_panicking_command_ends_its_task_and_nothing_else() {
    let bench = Bench::new();
    let stream = bench.stream();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        stream.submit(Work::Inline(Box::new(|| panic!("a command of the test"))));
    }));
    assert!(result.is_err());
    assert_eq!(bench.queue.check(), Err(CUDA_ERROR_UNKNOWN));
    let other = Bench::new();
    other.stream().submit(other.kernel(1));
    other.expect(1).finish(Ok(()));
}

#[test]
fn a_value_wait_blocks_only_its_stream() {
    let bench = Bench::new();
    let (a, b) = (bench.stream(), bench.stream());
    let word = Arc::new(AtomicU32::new(0));
    let seen = word.clone();
    a.submit(Work::Until(Box::new(move || Ok(seen.load(Ordering::Acquire) >= 7))));
    let after = a.submit(bench.kernel(1));
    b.submit(bench.kernel(2));
    bench.expect(2).finish(Ok(()));
    bench.expect_none();
    word.store(7, Ordering::Release);
    let (id, done) = bench.started.recv().expect("the poller looks again");
    assert_eq!(id, 1);
    done.finish(Ok(()));
    assert_eq!(after.wait(Patience::Spin), Ok(()));
}

#[test]
fn a_value_that_never_comes_ends_with_its_context() {
    let bench = Bench::new();
    let task = bench.stream().submit(Work::Until(Box::new(|| Ok(false))));
    bench.queue.poison(FAULT);
    assert_eq!(task.wait(Patience::Sleep), Err(FAULT));
    let bench = Bench::new();
    let task = bench.stream().submit(Work::Until(Box::new(|| Err(FAULT))));
    assert_eq!(task.wait(Patience::Sleep), Err(FAULT));
}

#[test]
fn a_synchronous_command_takes_its_turn_and_keeps_its_error() {
    let bench = Bench::new();
    let stream = bench.stream();
    assert_eq!(stream.perform(COPY, || Ok(())), Ok(()));
    assert_eq!(stream.perform(COPY, || Err(FAULT)), Err(FAULT));
    assert_eq!(bench.queue.check(), Ok(()));
    stream.submit(bench.kernel(1));
    let ended = Arc::new(AtomicBool::new(false));
    let thread = {
        let (stream, ended) = (stream.clone(), ended.clone());
        std::thread::spawn(move || {
            stream.perform(COPY, || {
                assert!(ended.load(Ordering::SeqCst));
                Ok(())
            })
        })
    };
    let one = bench.expect(1);
    ended.store(true, Ordering::SeqCst);
    one.finish(Ok(()));
    assert_eq!(thread.join().expect("the turn came after the kernel"), Ok(()));
    stream.submit(bench.kernel(2));
    let thread = std::thread::spawn(move || stream.perform(COPY, || panic!("cancelled")));
    bench.expect(2).finish(Err(FAULT));
    assert_eq!(thread.join().expect("no panic"), Err(FAULT));
}

#[test]
fn a_host_function_runs_on_its_own_thread_in_order() {
    let bench = Bench::new();
    let stream = bench.stream();
    let (send, received) = channel();
    let here = std::thread::current().id();
    for i in 0..3 {
        let send = send.clone();
        let call = Box::new(move |_| {
            assert!(in_host_function());
            send.send((i, std::thread::current().id())).expect("the test lives");
        });
        stream.submit(Work::Host { call, even_after_fault: false });
    }
    stream.wait(Patience::Sleep);
    assert!(!in_host_function());
    for i in 0..3 {
        let (id, thread) = received.try_recv().expect("done before the wait returned");
        assert_eq!(id, i);
        assert_ne!(thread, here);
    }
}

#[test]
fn a_long_chain_of_short_commands_needs_little_stack() {
    let bench = Bench::new();
    let streams: Vec<_> = (0..20).map(|_| bench.stream()).collect();
    let ran = Arc::new(AtomicUsize::new(0));
    let gate = streams[0].submit(bench.kernel(1));
    let mut last = gate.clone();
    for stream in &streams {
        bench.queue.submit(stream.lane(), Work::Join, &[last]);
        for _ in 0..4000 {
            let ran = ran.clone();
            stream.submit(Work::Inline(Box::new(move || {
                ran.fetch_add(1, Ordering::Relaxed);
                Ok(())
            })));
        }
        last = stream.submit(Work::Join);
    }
    let done = bench.expect(1);
    let small = std::thread::Builder::new().stack_size(64 << 10).spawn(move || done.finish(Ok(())));
    small.expect("a thread").join().expect("no overflow");
    assert_eq!(ran.load(Ordering::Relaxed), 80_000);
}

#[test]
fn a_full_stream_makes_the_program_wait() {
    let bench = Bench::new();
    let stream = bench.stream();
    stream.submit(bench.kernel(1));
    let count = Arc::new(AtomicUsize::new(0));
    let thread = {
        let (stream, count) = (stream.clone(), count.clone());
        std::thread::spawn(move || {
            for _ in 0..10_000 {
                stream.submit(Work::Join);
                count.fetch_add(1, Ordering::Relaxed);
            }
        })
    };
    let done = bench.expect(1);
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert!(count.load(Ordering::Relaxed) < 9_000);
    done.finish(Ok(()));
    thread.join().expect("goes on once there is room");
    stream.wait(Patience::Sleep);
}

#[test]
fn a_dropped_stream_finishes_and_its_place_is_used_again() {
    let bench = Bench::new();
    let stream = bench.stream();
    stream.submit(bench.kernel(1));
    let last = stream.submit(Work::Join);
    drop(stream);
    bench.expect(1).finish(Ok(()));
    assert_eq!(last.wait(Patience::Sleep), Ok(()));
    for _ in 0..10_000 {
        bench.stream().submit(Work::Join);
    }
    assert!(lock(&bench.queue.order).lane_count() < 100);
}

#[test]
fn each_thread_has_its_own_default_stream() {
    let bench = Bench::new();
    let here = Stream::per_thread(&bench.queue);
    assert_eq!(here.id(), Stream::per_thread(&bench.queue).id());
    let queue = bench.queue.clone();
    let there = std::thread::spawn(move || Stream::per_thread(&queue).id()).join().expect("no panic");
    assert_ne!(here.id(), there);
    let other = Bench::new();
    assert_ne!(here.id(), Stream::per_thread(&other.queue).id());
}

#[test]
fn quiesce_waits_for_what_runs() {
    let bench = Bench::new();
    let stream = bench.stream();
    stream.submit(bench.kernel(1));
    let pending = stream.submit(bench.kernel(2));
    let done = bench.expect(1);
    bench.queue.poison(FAULT);
    let queue = bench.queue.clone();
    let thread = std::thread::spawn(move || queue.quiesce());
    assert!(!thread.is_finished());
    done.finish(Ok(()));
    thread.join().expect("no panic");
    assert_eq!(pending.wait(Patience::Spin), Err(FAULT));
}

#[test]
fn large_copies_leave_the_calling_thread() {
    let bench = Bench::new();
    let here = std::thread::current().id();
    let stream = bench.stream();
    for bytes in [SHORT, SHORT + 1] {
        let small = bytes <= SHORT;
        let copy = move || {
            assert_eq!(std::thread::current().id() == here, small);
            Ok(())
        };
        assert_eq!(
            stream
                .submit(Work::Copy { engine: Engine::Ce0, bytes, run: Box::new(copy) })
                .wait(Patience::Spin),
            Ok(())
        );
    }
}

/// Time of a paced device that the test moves; copies take a nanosecond per byte on an engine that is always free.
#[derive(Default)]
struct Modelled {
    now: AtomicU64,
    /// Whoever sleeps moves the clock himself.
    leaps: AtomicBool,
}

impl Time for Modelled {
    fn is_modelled(&self) -> bool {
        true
    }

    fn now(&self) -> u64 {
        self.now.load(Ordering::SeqCst)
    }

    fn reached(&self, at: u64) -> bool {
        self.now() >= at
    }

    fn sleep_until(&self, at: u64) {
        if self.leaps.load(Ordering::SeqCst) {
            self.now.fetch_max(at, Ordering::SeqCst);
        }
        while !self.reached(at) {
            std::thread::yield_now();
        }
    }

    fn is_short(&self, _: u64, _: u64) -> bool {
        true
    }

    fn copied(&self, _: Engine, bytes: u64, ready: u64, _: u64) -> u64 {
        ready + bytes
    }
}

fn modelled() -> (Bench, Arc<Modelled>) {
    let (time, (send, started)) = (Arc::new(Modelled::default()), channel());
    (Bench { queue: Queue::new(&Engines::new(), time.clone(), CUcontext(1)), send, started }, time)
}

#[test]
fn what_follows_goes_on_at_once_and_the_host_sees_it_in_time() {
    let (bench, time) = modelled();
    let (stream, called) = (bench.stream(), Arc::new(AtomicU64::new(0)));
    let (start, end) =
        (Event::new(&bench.queue, true, Patience::Spin), Event::new(&bench.queue, true, Patience::Spin));
    time.now.store(100, Ordering::SeqCst);
    start.record(&stream);
    stream.submit(bench.kernel(1));
    stream.submit(Work::Copy { engine: Engine::Ce0, bytes: 40, run: Box::new(|| Ok(())) });
    stream.submit(bench.kernel(2));
    end.record(&stream);
    let (clock, moment) = (time.clone(), called.clone());
    let call = Box::new(move |_| moment.store(clock.now(), Ordering::SeqCst));
    stream.submit(Work::Host { call, even_after_fault: false });

    let first = bench.expect(1);
    assert_eq!(first.ready(), 100);
    first.finish_at(Ok(()), 1_000);
    let second = bench.expect(2);
    assert_eq!(second.ready(), 1_040, "before the clock shows anything of it");
    second.finish_at(Ok(()), 5_000);
    assert!(start.is_done() && !end.is_done() && !stream.is_idle());
    assert_eq!(end.since(&start), Err(CUDA_ERROR_NOT_READY));
    assert_eq!(called.load(Ordering::SeqCst), 0);
    time.now.store(4_999, Ordering::SeqCst);
    assert!(!end.is_done());
    time.now.store(5_000, Ordering::SeqCst);
    assert!(end.is_done());
    assert_eq!(end.since(&start), Ok(4_900));
    stream.wait(Patience::Spin);
    assert_eq!(called.load(Ordering::SeqCst), 5_000);
}

#[test]
fn a_command_begins_after_all_it_waits_for_and_not_before_it_was_asked_for() {
    let (bench, time) = modelled();
    let (a, b) = (bench.stream(), bench.stream());
    a.submit(bench.kernel(1));
    let event = Event::new(&bench.queue, true, Patience::Spin);
    event.record(&a);
    bench.expect(1).finish_at(Ok(()), 700);
    b.submit(bench.kernel(2));
    let other = bench.expect(2);
    assert_eq!(other.ready(), 0);
    // The event has been emulated, but its time has not come.
    bench.queue.submit(b.lane(), Work::Join, &[event.last().expect("recorded")]);
    other.finish_at(Ok(()), 300);
    b.submit(bench.kernel(3));
    let third = bench.expect(3);
    assert_eq!(third.ready(), 700);
    third.finish_at(Ok(()), 800);
    time.now.store(2_000, Ordering::SeqCst);
    b.submit(bench.kernel(4));
    assert_eq!(bench.expect(4).ready(), 2_000);
}

#[test]
fn a_synchronous_copy_takes_its_time() {
    let (bench, time) = modelled();
    let stream = bench.stream();
    stream.submit(bench.kernel(1));
    bench.expect(1).finish_at(Ok(()), 500);
    time.leaps.store(true, Ordering::SeqCst);
    let mut touched = 0;
    let copied = stream.perform((Engine::Ce1, 64), || {
        touched = time.now();
        Ok(())
    });
    assert_eq!((copied, touched, time.now()), (Ok(()), 500, 564));
}

#[test]
fn what_is_cancelled_takes_no_time() {
    let (bench, _time) = modelled();
    let stream = bench.stream();
    stream.submit(bench.kernel(1));
    let waits = stream.submit(bench.kernel(2));
    let one = bench.expect(1);
    bench.queue.poison(FAULT);
    one.finish_at(Err(FAULT), 0);
    assert_eq!(waits.wait(Patience::Spin), Err(FAULT));
}
