//! The state an operation works on: a fragment of a warp while it runs on a worker.

use crate::block::Cta;
use crate::code::Code;
use crate::fault::{Fault, FaultKind};
use crate::grid::Env;
use crate::isa_unsafe::Vector;
use crate::op::{Op, Pc};
use crate::ranges::Ranges;
use crate::rows_unsafe::{LANES, Lane, Rows};
use crate::site::Site;
use crate::warp::{Fragment, Warp};
use crate::work::{Cost, Work};
use std::sync::atomic::Ordering::Relaxed;

/// All lanes.
pub const FULL: u32 = !0;

/// Why the interpreter loop was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The fragment waits, ended or lets another one go first: choose again.
    Reschedule,
    /// The slice is used up; `spinning` if it was spent in a loop that looks like waiting for somebody.
    Slice { spinning: bool },
    /// [`Machine::fault`] says what happened.
    Fault,
}

/// A fragment at work. Fields that every operation touches come first.
#[repr(C)]
pub struct Machine<'a> {
    /// Registers of the running frame.
    pub rows: Rows,
    /// Lanes that execute: those of the fragment, or fewer inside a guarded group.
    pub mask: u32,
    /// Slice left, in backward branches.
    pub budget: i32,
    /// Control transfers to this place or beyond must look for other fragments first.
    pub limit: Pc,
    /// `mask` as a row of zeros and ones; only kept up to date while `mask` is not full.
    pub lanes: LaneMask,
    pub work: Work,
    /// Costs of basic blocks.
    pub costs: &'a [Cost],
    pub fragment: Fragment,
    /// Set while a warp-wide instruction executes with lanes at other places: all lanes that take part.
    pub joined: Option<u32>,
    pub sites: &'a mut [Site],
    pub warp: &'a mut Warp,
    pub cta: &'a mut Cta,
    pub env: &'a Env,
    /// What the grid may touch.
    pub ranges: &'a Ranges,
    pub stop: Stop,
    pub fault: Option<Box<Fault>>,
}

/// A row of all ones or zero per lane.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct LaneMask(pub [u32; LANES]);

impl<'a> Machine<'a> {
    pub fn new(
        env: &'a Env,
        cta: &'a mut Cta,
        warp: &'a mut Warp,
        sites: &'a mut [Site],
        budget: i32,
    ) -> Machine<'a> {
        Machine {
            rows: Rows::none(),
            mask: 0,
            budget,
            limit: Pc::END,
            lanes: LaneMask([0; LANES]),
            work: Work::default(),
            costs: env.timed.as_deref().unwrap_or(&env.kernel.code.costs),
            fragment: Fragment::default(),
            joined: None,
            sites,
            warp,
            cta,
            env,
            ranges: &env.launch.ranges,
            stop: Stop::Reschedule,
            fault: None,
        }
    }

    pub fn code(&self) -> &'a Code {
        &self.env.kernel.code
    }

    /// Makes `mask` the lanes that execute.
    #[inline(always)]
    pub fn set_mask(&mut self, mask: u32) {
        self.mask = mask;
        if mask != FULL {
            self.lanes.0 = std::array::from_fn(|i| 0u32.wrapping_sub(mask >> i & 1));
        }
    }

    #[inline(always)]
    pub fn get<T: Lane>(&self, offset: u32) -> [T; LANES] {
        self.rows.get(offset)
    }

    /// Writes the lanes that execute.
    pub fn put<T: Lane>(&mut self, offset: u32, value: [T; LANES]) {
        match self.mask {
            FULL => self.rows.put(offset, value),
            _ => self.rows.put_masked(offset, &value, self.mask),
        }
    }

    /// The same, with the instruction set of the operation.
    #[inline(always)]
    pub fn write<V: Vector, T: Lane>(&mut self, offset: u32, value: [T; LANES]) {
        match self.mask {
            FULL => self.rows.put(offset, value),
            _ => V::put_masked(&self.rows, offset, value, self.mask),
        }
    }

    /// Writes the lanes of a predicate that execute.
    #[inline(always)]
    pub fn put_pred(&mut self, offset: u32, value: u32) {
        let old = self.rows.pred(offset);
        self.rows.set_pred(offset, old ^ ((old ^ value) & self.mask));
    }

    /// The lanes that execute, lowest first.
    #[inline(always)]
    pub fn active(&self) -> Lanes {
        Lanes(self.mask)
    }

    /// Ends the grid because of `op`.
    #[cold]
    pub fn fail(&mut self, op: &Op, kind: FaultKind, lane: usize, address: u64) -> Pc {
        self.fail_with(op, kind, lane, address, String::new())
    }

    #[cold]
    pub fn fail_with(&mut self, op: &Op, kind: FaultKind, lane: usize, address: u64, detail: String) -> Pc {
        let code = self.code();
        let index = op.at(0).index(&code.ops);
        let function = self.frame().function;
        let detail = match (function == self.env.kernel.function, detail.is_empty()) {
            (false, true) => format!("in function {}", code.functions[function as usize].name),
            _ => detail,
        };
        self.fault = Some(Box::new(Fault {
            kind,
            kernel: self.env.kernel.name.clone(),
            line: code.lines.get(index).copied().unwrap_or(0),
            address,
            block: self.cta.ctaid,
            thread: self.env.tids[self.warp.index as usize].of(lane),
            detail,
        }));
        self.stop = Stop::Fault;
        Pc::STOP
    }

    /// Whether somebody wants this grid paused or stopped.
    #[inline(always)]
    pub fn interrupted(&self) -> bool {
        self.env.control.load(Relaxed) != 0
    }
}

/// The set bits of a mask, lowest first.
#[derive(Clone, Copy)]
pub struct Lanes(pub u32);

impl Iterator for Lanes {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        (self.0 != 0).then(|| {
            let lane = self.0.trailing_zeros() as usize;
            self.0 &= self.0 - 1;
            lane
        })
    }
}
