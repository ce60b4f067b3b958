//! Many threads, streams and events at once; the order is checked by its results.

use super::order::LaneId;
use super::tests::Ticking;
use super::*;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::channel;

const THREADS: usize = 4;
const STREAMS: usize = 6;
const STEPS: usize = 4_000;

/// xorshift: repeatable, no dependency.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).expect("below sides")
    }
}

/// What a command must find done when it runs.
#[derive(Clone)]
struct Claim {
    counter: Arc<AtomicUsize>,
    at_least: usize,
}

/// Events with the claims that hold once they are reached.
type Board = Vec<(Arc<Task>, Claim)>;

struct Shadow {
    stream: Arc<Stream>,
    counter: Arc<AtomicUsize>,
    submitted: usize,
}

#[test]
fn commands_find_done_what_they_wait_for() {
    let engines = Engines::new();
    let queue = Queue::new(&engines, Arc::new(Ticking::default()), CUcontext(1));
    // Three threads end kernels in whatever order they get them.
    let (kernels, received) = channel::<(Completion, Box<dyn FnOnce() + Send>)>();
    let received = Arc::new(Mutex::new(received));
    let workers: Vec<_> = (0..3)
        .map(|_| {
            let received = received.clone();
            std::thread::spawn(move || {
                loop {
                    let Ok((done, body)) = lock(&received).recv() else { return };
                    body();
                    done.finish(Ok(()));
                }
            })
        })
        .collect();
    let wrong = Arc::new(AtomicUsize::new(0));
    let board: Arc<Mutex<Board>> = Arc::default();

    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (queue, kernels, wrong, board) = (&queue, kernels.clone(), wrong.clone(), board.clone());
            scope.spawn(move || {
                let mut dice = Dice(0x9e37_79b9 + thread as u64);
                let mut streams: Vec<_> = (0..STREAMS)
                    .map(|i| Shadow {
                        stream: Stream::create(queue, i.is_multiple_of(2), 0),
                        counter: Arc::default(),
                        submitted: 0,
                    })
                    .collect();
                for _ in 0..STEPS {
                    let pick = dice.roll(STREAMS);
                    let mut claims = Vec::new();
                    if dice.roll(4) == 0 {
                        let event = {
                            let board = lock(&board);
                            if board.is_empty() { None } else { Some(board[dice.roll(board.len())].clone()) }
                        };
                        if let Some((task, claim)) = event {
                            queue.submit(streams[pick].stream.lane(), Work::Join, &[task]);
                            claims.push(claim);
                        }
                    }
                    let legacy = dice.roll(50) == 0;
                    if legacy {
                        let met = streams.iter().step_by(2);
                        claims
                            .extend(met.map(|s| Claim { counter: s.counter.clone(), at_least: s.submitted }));
                    } else {
                        let own = &mut streams[pick];
                        claims.push(Claim { counter: own.counter.clone(), at_least: own.submitted });
                        own.submitted += 1;
                    }
                    let counter = (!legacy).then(|| streams[pick].counter.clone());
                    let wrong = wrong.clone();
                    let body = move || {
                        if claims.iter().any(|c| c.counter.load(Ordering::Relaxed) < c.at_least) {
                            wrong.fetch_add(1, Ordering::Relaxed);
                        }
                        if let Some(counter) = counter {
                            counter.fetch_add(1, Ordering::Relaxed);
                        }
                    };
                    let kernels = kernels.clone();
                    let work = match dice.roll(3) {
                        0 => Work::Inline(Box::new(move || {
                            body();
                            Ok(())
                        })),
                        1 => Work::Host { call: Box::new(move |_| body()), even_after_fault: false },
                        _ => Work::Start(Box::new(move |done| {
                            kernels.send((done, Box::new(body))).expect("workers live");
                        })),
                    };
                    let lane = if legacy { LaneId::LEGACY } else { streams[pick].stream.lane() };
                    let task = queue.submit(lane, work, &[]);
                    if !legacy && dice.roll(8) == 0 {
                        let own = &streams[pick];
                        let claim = Claim { counter: own.counter.clone(), at_least: own.submitted };
                        let mut board = lock(&board);
                        if board.len() == 64 {
                            board.remove(0);
                        }
                        board.push((task.clone(), claim));
                    }
                    match dice.roll(200) {
                        0 => queue.wait_all(Patience::Spin),
                        1..=4 => streams[pick].stream.wait(Patience::Sleep),
                        5 => assert_eq!(task.wait(Patience::Spin), Ok(())),
                        6 => {
                            let stream = Stream::create(queue, pick.is_multiple_of(2), 0);
                            streams[pick] = Shadow { stream, counter: Arc::default(), submitted: 0 };
                        }
                        _ => {}
                    }
                }
                queue.wait_all(Patience::Sleep);
                for own in &streams {
                    assert_eq!(own.counter.load(Ordering::Relaxed), own.submitted, "every command ran once");
                }
            });
        }
    });
    drop(kernels);
    for worker in workers {
        worker.join().expect("no panic");
    }
    assert_eq!(wrong.load(Ordering::Relaxed), 0);
    assert_eq!(queue.check(), Ok(()));
}
