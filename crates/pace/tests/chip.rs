//! The block dispatcher, alone and against a simulator that tries every moment.

use cleave_pace::{Card, Chip, KernelId, Shape, Start};
use std::collections::BTreeMap;

/// Two multiprocessors of four slots and 256 threads.
fn card() -> Card {
    Card {
        sms: 2,
        threads_per_sm: 256,
        blocks_per_sm: 4,
        registers_per_sm: 16 << 10,
        shared_per_sm: 32 << 10,
        start_ns: 0,
        ..Card::default()
    }
}

fn shape(blocks: u64, threads: u32) -> Shape {
    Shape { blocks, threads, registers: 16, shared: 0, priority: 0, cooperative: false }
}

/// Lets every block of kernel k take `times[k]`, reporting ends at once. Gives all starts, and the end of each kernel.
fn drive(chip: &mut Chip, times: &BTreeMap<KernelId, u64>) -> (Vec<Start>, BTreeMap<KernelId, u64>) {
    let (mut starts, mut ends) = (Vec::new(), BTreeMap::new());
    while let Some(start) = chip.next(u64::MAX) {
        starts.push(start);
        if let Some(end) = chip.ended(start.kernel, start.block, start.at + times[&start.kernel]) {
            ends.insert(start.kernel, end);
        }
    }
    (starts, ends)
}

fn run(card: Card, kernels: &[(Shape, u64, u64)]) -> (Vec<Start>, Vec<u64>) {
    let mut chip = Chip::new(card);
    let times = kernels.iter().map(|&(shape, ready, time)| (chip.launch(shape, ready), time)).collect();
    let (starts, ends) = drive(&mut chip, &times);
    (starts, ends.into_values().collect())
}

#[test]
fn a_small_grid_leaves_multiprocessors_idle() {
    let (starts, ends) = run(card(), &[(shape(1, 64), 0, 100)]);
    assert_eq!((starts.len(), starts[0].sm, ends[0]), (1, 0, 100));
    // As long as there is an idle one, a block does not share.
    let (starts, ends) = run(card(), &[(shape(2, 64), 0, 100)]);
    assert_eq!((starts[0].sm, starts[1].sm, ends[0]), (0, 1, 100));
}

#[test]
fn small_kernels_overlap_and_big_ones_queue() {
    let (_, ends) = run(card(), &[(shape(2, 64), 0, 100), (shape(2, 64), 0, 100)]);
    assert_eq!(ends, [100, 100]);
    let (_, ends) = run(card(), &[(shape(8, 64), 0, 100), (shape(2, 64), 0, 100)]);
    assert_eq!(ends, [100, 200]);
}

#[test]
fn each_resource_bounds_the_blocks_at_a_time() {
    let at_once =
        |shape: Shape| run(card(), &[(shape, 0, 100)]).0.iter().filter(|start| start.at == 0).count();
    assert_eq!(at_once(shape(99, 32)), 8, "slots");
    assert_eq!(at_once(shape(99, 100)), 4, "threads, in whole warps");
    assert_eq!(at_once(Shape { registers: 128, ..shape(99, 64) }), 4, "registers");
    assert_eq!(at_once(Shape { shared: 12 << 10, ..shape(99, 32) }), 4, "shared memory");
    assert_eq!(at_once(Shape { shared: 99 << 20, ..shape(99, 32) }), 2, "too big for one: alone on it");
}

#[test]
fn half_the_slots_give_half_the_throughput() {
    let whole = run(card(), &[(shape(800, 32), 0, 100)]).1;
    let half = run(Card { blocks_per_sm: 2, ..card() }, &[(shape(800, 32), 0, 100)]).1;
    assert_eq!((whole[0], half[0]), (10_000, 20_000));
}

#[test]
fn a_kernel_ends_with_its_last_block_and_starts_after_the_launch_took_its_time() {
    let mut chip = Chip::new(Card { start_ns: 40, ..card() });
    let kernel = chip.launch(shape(2, 64), 10);
    assert_eq!(chip.next(50), None, "only starts before that moment");
    let (first, second) = (chip.next(51).unwrap(), chip.next(51).unwrap());
    assert_eq!((first.at, second.at), (50, 50));
    assert_eq!(chip.ended(kernel, second.block, 300), None);
    assert_eq!(chip.ended(kernel, first.block, 120), Some(300));
    assert_eq!(chip.frontier(), u64::MAX);
}

#[test]
fn a_greater_priority_goes_first_and_then_the_older() {
    let urgent = Shape { priority: 5, ..shape(8, 64) };
    // The first kernel takes all room for 100; meanwhile three more become ready.
    let (starts, ends) = run(
        card(),
        &[(shape(16, 64), 0, 100), (shape(8, 64), 50, 100), (urgent, 60, 100), (shape(8, 64), 40, 100)],
    );
    assert_eq!(ends, [300, 500, 200, 400], "the first one's second half waits for the urgent one");
    assert!(starts.windows(2).all(|pair| pair[0].at <= pair[1].at));
}

#[test]
fn cooperative_blocks_start_together() {
    let together = Shape { cooperative: true, ..shape(8, 64) };
    let (starts, ends) = run(card(), &[(shape(1, 64), 0, 100), (together, 0, 50), (shape(1, 64), 0, 10)]);
    assert_eq!(ends, [100, 150, 160], "the one behind does not slip in");
    assert!(starts[1..9].iter().all(|start| start.at == 100));
}

#[test]
fn a_late_kernel_starts_at_the_first_moment_that_is_open() {
    let mut chip = Chip::new(card());
    let big = chip.launch(shape(16, 64), 0);
    let times = BTreeMap::from([(big, 100)]);
    drive(&mut chip, &times);
    // All is decided up to 100, when the second half started.
    let late = chip.launch(shape(1, 64), 30);
    let start = chip.next(u64::MAX).unwrap();
    assert_eq!((start.kernel, start.at), (late, 200), "no room before the second half ends");
    // On an idle chip nothing is decided before somebody wants to start.
    assert_eq!(chip.ended(late, 0, 250), Some(250));
    let later = chip.launch(shape(1, 64), 210);
    assert_eq!(chip.next(u64::MAX).unwrap().at, 210);
    chip.cancel(later, 211);
}

#[test]
fn unknown_ends_hold_decisions_back() {
    let mut chip = Chip::new(card());
    let first = chip.launch(shape(8, 64), 0);
    let second = chip.launch(shape(1, 64), 0);
    for _ in 0..8 {
        chip.next(u64::MAX).unwrap();
    }
    assert_eq!(chip.next(u64::MAX), None);
    chip.ended(first, 3, 100);
    assert_eq!(chip.next(u64::MAX), None, "others may end before 100");
    for block in [0, 1, 2, 4, 5, 6] {
        chip.reached(first, block, 101);
    }
    chip.reached(first, 7, 100);
    assert_eq!(chip.next(u64::MAX), None, "the last one may end at 100");
    assert_eq!(chip.frontier(), 100);
    chip.reached(first, 7, 500);
    assert_eq!(chip.next(100), None);
    let start = chip.next(101).unwrap();
    assert_eq!((start.kernel, start.at, start.sm), (second, 100, 1));
    assert_eq!(chip.frontier(), 101);
    // A block that is held up for ever holds up nobody.
    for block in [0, 1, 2, 4, 5, 6, 7] {
        chip.reached(first, block, u64::MAX);
    }
    chip.ended(second, 0, 900);
    let third = chip.launch(shape(1, 64), 0);
    assert_eq!(chip.next(u64::MAX).unwrap(), Start { kernel: third, block: 0, sm: 1, at: 900 });
}

#[test]
fn cancelling_frees_the_room() {
    let mut chip = Chip::new(card());
    let endless = chip.launch(shape(8, 64), 0);
    let next = chip.launch(shape(1, 64), 0);
    while chip.next(u64::MAX).is_some() {}
    chip.cancel(endless, 70);
    let start = chip.next(u64::MAX).unwrap();
    assert_eq!((start.kernel, start.at), (next, 70));
    assert_eq!(chip.ended(endless, 0, 100), None);
}

/// A small generator: the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

/// Kernel, block, multiprocessor and moment of each start; the end of each kernel.
type Schedule = (Vec<(usize, u64, u32, u64)>, Vec<u64>);

struct Case {
    shape: Shape,
    ready: u64,
    seed: u64,
}

impl Case {
    fn time(&self, block: u64) -> u64 {
        1 + Dice((self.seed ^ block.wrapping_mul(0x9e37_79b9)) | 1).below(40)
    }
}

fn cases(dice: &mut Dice) -> Vec<Case> {
    let count = 1 + dice.below(6);
    let case = |dice: &mut Dice| {
        let cooperative = dice.below(5) == 0;
        let shape = Shape {
            blocks: 1 + dice.below(if cooperative { 4 } else { 20 }),
            threads: 1 + dice.below(128) as u32,
            registers: 1 + dice.below(64) as u32,
            shared: dice.below(16 << 10) as u32,
            priority: dice.below(3) as i32,
            cooperative,
        };
        Case { shape, ready: dice.below(100), seed: dice.below(u64::MAX) }
    };
    (0..count).map(|_| case(dice)).collect()
}

/// What the model says, moment by moment.
fn brute_force(card: &Card, cases: &[Case]) -> Schedule {
    // What is free: slots, threads, registers, shared memory.
    let whole =
        [card.blocks_per_sm, card.threads_per_sm, card.registers_per_sm, card.shared_per_sm].map(i64::from);
    let mut free = vec![whole; card.sms as usize];
    let takes = |shape: &Shape| {
        let warps = i64::from(shape.threads.div_ceil(32));
        let registers = (i64::from(shape.registers) * 32 + 255) / 256 * 256;
        [1, warps * 32, warps * registers, i64::from(shape.shared)]
    };
    let fits = |free: &[i64; 4], takes: &[i64; 4]| free.iter().zip(takes).all(|(free, take)| free >= take);
    let (mut placed, mut ends) = (vec![0; cases.len()], vec![0; cases.len()]);
    let mut running: Vec<(u64, usize, usize)> = Vec::new();
    let mut starts = Vec::new();
    for now in 0.. {
        running.retain(|&(end, sm, kernel)| {
            if end == now {
                (0..4).for_each(|i| free[sm][i] += takes(&cases[kernel].shape)[i]);
            }
            end != now
        });
        let mut order: Vec<usize> =
            (0..cases.len()).filter(|&k| cases[k].ready + card.start_ns <= now).collect();
        order.sort_by_key(|&k| (-cases[k].shape.priority, cases[k].ready, k));
        'kernels: for kernel in order {
            let (case, takes) = (&cases[kernel], takes(&cases[kernel].shape));
            while placed[kernel] < case.shape.blocks {
                let room: i64 = free
                    .iter()
                    .map(|free| {
                        (0..4).filter(|&i| takes[i] > 0).map(|i| free[i] / takes[i]).min().unwrap_or(0)
                    })
                    .sum();
                let needs =
                    if case.shape.cooperative && placed[kernel] == 0 { case.shape.blocks as i64 } else { 1 };
                if room < needs {
                    break 'kernels;
                }
                let candidates = (0..free.len()).filter(|&sm| fits(&free[sm], &takes));
                let sm = candidates
                    .max_by_key(|&sm| (free[sm][1], free[sm][0], std::cmp::Reverse(sm)))
                    .expect("there is room");
                (0..4).for_each(|i| free[sm][i] -= takes[i]);
                let (block, end) = (placed[kernel], now + case.time(placed[kernel]));
                starts.push((kernel, block, sm as u32, now));
                running.push((end, sm, kernel));
                ends[kernel] = ends[kernel].max(end);
                placed[kernel] += 1;
            }
        }
        if running.is_empty() && cases.iter().zip(&placed).all(|(case, &placed)| placed == case.shape.blocks)
        {
            return (starts, ends);
        }
    }
    unreachable!("time has no end")
}

/// The chip, fed by an executor that runs blocks in random order and reports partial progress.
fn with_chip(card: &Card, cases: &[Case], dice: &mut Dice) -> Schedule {
    let mut chip = Chip::new(card.clone());
    let ids: Vec<KernelId> = cases.iter().map(|case| chip.launch(case.shape, case.ready)).collect();
    let index = |id: KernelId| ids.iter().position(|&other| other == id).expect("launched here");
    let mut running: Vec<(Start, u64)> = Vec::new();
    let (mut starts, mut ends) = (Vec::new(), vec![0; cases.len()]);
    loop {
        while let Some(start) = chip.next(u64::MAX) {
            let kernel = index(start.kernel);
            starts.push((kernel, start.block, start.sm, start.at));
            running.push((start, start.at + cases[kernel].time(start.block)));
        }
        if running.is_empty() {
            return (starts, ends);
        }
        let chosen = dice.below(running.len() as u64) as usize;
        let (start, end) = running[chosen];
        if dice.below(3) == 0 {
            chip.reached(start.kernel, start.block, start.at + dice.below(end - start.at + 1));
        } else {
            running.swap_remove(chosen);
            if let Some(end) = chip.ended(start.kernel, start.block, end) {
                ends[index(start.kernel)] = end;
            }
        }
    }
}

#[test]
fn agrees_with_brute_force_whatever_the_order_of_reports() {
    let mut dice = Dice(0x1234_5678_9abc_def1);
    for round in 0..3_000 {
        let card = Card {
            sms: 1 + dice.below(4) as u32,
            threads_per_sm: 128 + 32 * dice.below(8) as u32,
            blocks_per_sm: 1 + dice.below(8) as u32,
            start_ns: dice.below(10),
            ..card()
        };
        let mut cases = cases(&mut dice);
        for case in &mut cases {
            // What fits nowhere, and what can never start together, is the driver's to refuse.
            let fits = card.blocks_per_sm(case.shape.threads, case.shape.registers, case.shape.shared);
            case.shape.cooperative &= case.shape.blocks <= u64::from(fits * card.sms);
            if fits == 0 {
                case.shape = Shape { blocks: case.shape.blocks, cooperative: false, ..shape(1, 32) };
            }
        }
        let expected = brute_force(&card, &cases);
        for _ in 0..3 {
            assert_eq!(with_chip(&card, &cases, &mut dice), expected, "round {round}");
        }
    }
}

#[test]
fn blocks_are_cheap() {
    // Not a benchmark: fails only if the cost per block depends on how many there are.
    let start = std::time::Instant::now();
    let (starts, _) = run(card(), &[(shape(200_000, 32), 0, 100)]);
    assert_eq!(starts.len(), 200_000);
    assert!(start.elapsed() < std::time::Duration::from_secs(10));
}
