//! Divergence: a warp is a set of fragments, groups of lanes that are at the same place.
//!
//! Threads are scheduled independently (as since sm_70): any fragment may run. To bring lanes together again the one deepest in calls and then
//! lowest in the code goes first, and fragments merge when one arrives where another waits. A fragment that used up a slice ages, and younger
//! ones go first: lanes that spin for each other make progress.

use crate::block::Cta;
use crate::clock::Seen;
use crate::frame::Frame;
use crate::isa_unsafe::interpret;
use crate::local::Local;
use crate::machine::{Machine, Stop};
use crate::op::Pc;
use crate::rendezvous::Exchange;
use crate::rows_unsafe::RegFile;
use std::cmp::Reverse;

/// Lanes that are at the same place.
#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    pub pc: Pc,
    pub mask: u32,
    /// Index into [`Warp::frames`].
    pub frame: u32,
    /// Slices used up while others wanted to run.
    pub age: u32,
    pub wait: Wait,
}

impl Default for Fragment {
    fn default() -> Fragment {
        Fragment { pc: Pc::STOP, mask: 0, frame: 0, age: 0, wait: Wait::Ready }
    }
}

/// What a fragment waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    Ready,
    /// The barrier leaves this phase.
    Barrier {
        id: u8,
        phase: u32,
    },
    /// The lanes of the mask arrive at the same kind of warp-wide instruction.
    Lanes {
        needs: u32,
    },
}

/// A warp of a block.
#[derive(Default)]
pub struct Warp {
    /// Position in the block.
    pub index: u32,
    /// Threads that have not exited.
    pub alive: u32,
    /// The carry flag of each thread.
    pub carry: u32,
    /// What lanes show each other in warp-wide instructions.
    pub exchange: Exchange,
    pub regs: RegFile,
    pub local: Local,
    pub frames: Vec<Frame>,
    /// All fragments but the running one.
    pub fragments: Vec<Fragment>,
    /// The modelled clock when the turn began, in cycles since the block's start.
    pub cycles: u64,
    /// Cycles per backward branch, as far as seen.
    pub rate: u64,
    /// The tick of `%globaltimer` it saw last.
    pub seen: Seen,
    /// It asked for a time that was not known.
    pub stalled: bool,
    /// Free-running: asleep until then, in nanoseconds of the device's age; 0 if awake.
    pub nap: u64,
}

/// What became of a warp's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// All threads have exited.
    Exited,
    /// Nobody can run before a barrier opens.
    Waiting,
    /// The slice is used up.
    Slice { spinning: bool },
    /// The machine holds a fault.
    Fault,
}

impl Warp {
    /// Whether a fragment could run, given the phases of the barriers.
    pub fn runnable(&self, phases: &[u32; 16]) -> bool {
        self.fragments.iter().any(|f| ready(f, phases))
    }

    /// A turn is over that took so many cycles and backward branches. What the latter take is remembered, and seldom underrated.
    pub fn spend(&mut self, cycles: u64, branches: i32) {
        self.cycles += cycles;
        if branches > 0 {
            self.rate = (cycles / branches as u64).max(self.rate - self.rate / 4);
        }
    }

    /// Makes those ready whose barriers opened; gives the latest moment one of these did.
    pub fn leave_barriers(&mut self, cta: &Cta) -> u64 {
        let mut opened = 0;
        for fragment in &mut self.fragments {
            if let Wait::Barrier { id, phase } = fragment.wait
                && ready(fragment, &cta.phases)
            {
                opened = opened.max(cta.opened(id, phase));
                fragment.wait = Wait::Ready;
            }
        }
        opened
    }
}

fn ready(fragment: &Fragment, phases: &[u32; 16]) -> bool {
    match fragment.wait {
        Wait::Ready => true,
        Wait::Barrier { id, phase } => phases[usize::from(id & 15)] != phase,
        Wait::Lanes { .. } => false,
    }
}

impl Machine<'_> {
    /// Runs the warp until nobody can go on or the slice is used up.
    pub fn take_turn(&mut self) -> Turn {
        loop {
            let Some(chosen) = self.choose() else {
                if self.warp.fragments.is_empty() {
                    return Turn::Exited;
                }
                if self.join_stragglers() {
                    match self.stop {
                        Stop::Fault => return Turn::Fault,
                        _ => continue,
                    }
                }
                return Turn::Waiting;
            };
            self.resume(chosen);
            interpret(self, self.fragment.pc);
            match self.stop {
                Stop::Reschedule => {}
                Stop::Slice { spinning } => return Turn::Slice { spinning },
                Stop::Fault => return Turn::Fault,
            }
        }
    }

    /// Index of the fragment to run next.
    fn choose(&mut self) -> Option<usize> {
        let opened = self.warp.leave_barriers(self.cta);
        self.wait_until(opened);
        let (warp, chance) = (&*self.warp, &mut self.cta.chance);
        let candidates = warp.fragments.iter().enumerate().filter(|(_, f)| f.wait == Wait::Ready);
        if let Some(chance) = chance {
            let count = candidates.clone().count();
            return (count > 0).then(|| candidates.map(|(i, _)| i).nth(chance.below(count))).flatten();
        }
        candidates
            .min_by_key(|(_, f)| (f.age, Reverse(warp.frames[f.frame as usize].depth), f.pc))
            .map(|(i, _)| i)
    }

    /// Takes a fragment out of the warp and makes it the running one.
    pub fn resume(&mut self, chosen: usize) {
        self.fragment = self.warp.fragments.swap_remove(chosen);
        self.fragment.wait = Wait::Ready;
        self.merge_at(self.fragment.pc);
        self.set_mask(self.fragment.mask);
        self.enter_rows();
        self.find_limit();
    }

    /// Puts the running fragment back, to go on at `pc` when `wait` is over.
    pub fn park(&mut self, pc: Pc, wait: Wait) {
        self.warp.fragments.push(Fragment { pc, wait, ..self.fragment });
        self.fragment.mask = 0;
        self.stop = Stop::Reschedule;
    }

    /// Goes on at `next`, after a look at the others if one of them is there or before.
    #[inline(always)]
    pub fn go(&mut self, next: Pc) -> Pc {
        if next < self.limit { next } else { self.arrive(next) }
    }

    /// Merges with whoever waits at `next`; lets others go first if it is their turn.
    #[cold]
    #[inline(never)]
    pub fn arrive(&mut self, next: Pc) -> Pc {
        if self.merge_at(next) {
            self.set_mask(self.fragment.mask);
        }
        self.find_limit();
        if self.limit != Pc::END && self.others_first(next) {
            self.park(next, Wait::Ready);
            return Pc::STOP;
        }
        next
    }

    /// Takes in all ready fragments of the running frame that are at `pc`.
    fn merge_at(&mut self, pc: Pc) -> bool {
        let before = self.fragment.mask;
        let running = &mut self.fragment;
        self.warp.fragments.retain(|f| {
            let same = f.pc == pc && f.frame == running.frame && f.wait == Wait::Ready;
            if same {
                running.mask |= f.mask;
                running.age = running.age.min(f.age);
            }
            !same
        });
        running.mask != before
    }

    /// The lowest place where a ready fragment of the running frame waits.
    pub fn find_limit(&mut self) {
        let frame = self.fragment.frame;
        let others = self.warp.fragments.iter().filter(|f| f.frame == frame && f.wait == Wait::Ready);
        self.limit = others.map(|f| f.pc).min().unwrap_or(Pc::END);
    }

    fn others_first(&mut self, next: Pc) -> bool {
        if let Some(chance) = &mut self.cta.chance {
            return chance.below(2) == 0;
        }
        let (age, frame) = (self.fragment.age, self.fragment.frame);
        let others = self.warp.fragments.iter().filter(|f| f.frame == frame && f.wait == Wait::Ready);
        others.map(|f| (f.age, f.pc)).min().is_some_and(|first| first < (age, next))
    }

    /// Splits the running fragment: the lanes of `taken` go to `target`, the others to `rest`. Goes on with the lower place.
    #[cold]
    #[inline(never)]
    pub fn diverge(&mut self, taken: u32, target: Pc, rest: Pc) -> Pc {
        let others = self.fragment.mask & !taken;
        let (stay, next, leave, there) =
            if target < rest { (taken, target, others, rest) } else { (others, rest, taken, target) };
        self.split_off(leave, there);
        self.fragment.mask = stay;
        self.set_mask(stay);
        self.find_limit();
        self.go(next)
    }

    /// Goes on with the lanes of `taken` alone; the others of the fragment wait at `rest`.
    #[cold]
    #[inline(never)]
    pub fn leave_behind(&mut self, taken: u32, rest: Pc) {
        self.split_off(self.fragment.mask & !taken, rest);
        self.fragment.mask = taken;
        self.set_mask(taken);
        self.find_limit();
    }

    /// Lets the lanes of `mask` wait at `pc`, with others that are there already.
    pub fn split_off(&mut self, mask: u32, pc: Pc) {
        let frame = self.fragment.frame;
        let there = self.warp.fragments.iter_mut();
        match there.into_iter().find(|f| f.pc == pc && f.frame == frame && f.wait == Wait::Ready) {
            Some(other) => other.mask |= mask,
            None => self.warp.fragments.push(Fragment { pc, mask, ..self.fragment }),
        }
    }

    /// A backward transfer: pays for it, and ends the slice when it is used up or somebody interrupts.
    #[inline(always)]
    pub fn go_back(&mut self, next: Pc, price: i32) -> Pc {
        self.budget -= price;
        if self.budget < 0 || self.interrupted() {
            return self.end_slice(next, price > 1);
        }
        self.go(next)
    }

    #[cold]
    #[inline(never)]
    pub fn end_slice(&mut self, next: Pc, spinning: bool) -> Pc {
        let oldest = self.warp.fragments.iter().map(|f| f.age).max();
        self.fragment.age = oldest.map_or(0, |age| age + 1);
        self.park(next, Wait::Ready);
        self.stop = Stop::Slice { spinning };
        Pc::STOP
    }

    /// Ends the threads of the running fragment.
    pub fn exit_threads(&mut self) -> Pc {
        let mask = self.fragment.mask;
        self.leave_frames(mask);
        self.warp.alive &= !mask;
        let at = self.cycles();
        self.cta.threads_exited(mask.count_ones(), at);
        self.fragment.mask = 0;
        self.release_lanes();
        self.stop = Stop::Reschedule;
        Pc::STOP
    }
}
