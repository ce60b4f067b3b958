//! Calls: frames of registers and local memory, one on top of the other.
//!
//! A frame belongs to the lanes that called together. Lanes that call from different places, or at different times, have frames of their own; these
//! may share rows, since a lane only ever touches its own column.

use crate::fault::FaultKind;
use crate::machine::Machine;
use crate::op::{Op, Pc};
use crate::rows_unsafe::{Extent, LANES};

/// An activation of a function.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub function: u32,
    /// Calls above the kernel.
    pub depth: u32,
    /// Registers below this frame.
    pub base: Extent,
    /// Where the frame's local memory starts, in bytes from the start of the thread's.
    pub local: u32,
    /// Where the caller goes on.
    pub ret: Pc,
    /// The caller's frame.
    pub parent: u32,
    /// Lanes that have not returned; the slot is free when there are none.
    pub lanes: u32,
}

/// Register rows a warp may use for its call stack, in bytes: far beyond what stack limits allow in practice.
const MAX_REGISTER_BYTES: u64 = 64 << 20;

impl Machine<'_> {
    /// Points the machine at the registers of the running fragment's frame.
    pub fn enter_rows(&mut self) {
        let frame = self.warp.frames[self.fragment.frame as usize];
        let extent = self.code().functions[frame.function as usize].extent;
        self.rows = self.warp.regs.frame(frame.base, extent);
    }

    /// The frame of the running fragment.
    pub fn frame(&self) -> &Frame {
        &self.warp.frames[self.fragment.frame as usize]
    }

    /// Makes a frame for `function` on top of the running one and enters it. The caller copies arguments before and results after.
    pub fn push_frame(&mut self, op: &Op, function: u32, ret: Pc) -> Result<(), Pc> {
        let code = self.code();
        let caller = *self.frame();
        let base = caller.base.plus(code.functions[caller.function as usize].extent);
        let callee = &code.functions[function as usize];
        let local = self.warp.local.top(self.fragment.mask);
        let needs = base.plus(callee.extent).bytes();
        let fits = self.warp.local.reserve(self.fragment.mask, local, callee.local, self.env.local_limit);
        if needs > MAX_REGISTER_BYTES || !fits {
            let lane = self.fragment.mask.trailing_zeros() as usize;
            return Err(self.fail(op, FaultKind::StackOverflow, lane % LANES, 0));
        }
        let frame = Frame {
            function,
            depth: caller.depth + 1,
            base,
            local,
            ret,
            parent: self.fragment.frame,
            lanes: self.fragment.mask,
        };
        self.fragment.frame = self.warp.new_frame(frame);
        self.enter_rows();
        self.rows.fill(callee, self.fragment.mask);
        self.find_limit();
        Ok(())
    }

    /// Leaves the running frame for the caller's; gives back where that goes on.
    pub fn pop_frame(&mut self) -> Pc {
        let mask = self.fragment.mask;
        let frame = &mut self.warp.frames[self.fragment.frame as usize];
        frame.lanes &= !mask;
        let (parent, ret, local) = (frame.parent, frame.ret, frame.local);
        self.warp.local.release(mask, local);
        self.fragment.frame = parent;
        self.enter_rows();
        self.find_limit();
        ret
    }

    /// Takes exiting lanes out of every frame they are in.
    pub fn leave_frames(&mut self, mask: u32) {
        for frame in &mut self.warp.frames {
            frame.lanes &= !mask;
        }
    }
}

impl crate::warp::Warp {
    /// A slot for `frame`: shared with lanes that made the same call earlier and are still in it, so that they can merge.
    fn new_frame(&mut self, frame: Frame) -> u32 {
        let same = |f: &Frame| {
            f.lanes != 0
                && f.function == frame.function
                && f.parent == frame.parent
                && f.ret == frame.ret
                && f.local == frame.local
        };
        // Slot 0 is the kernel's own frame.
        if let Some(slot) = self.frames.iter().skip(1).position(same) {
            self.frames[slot + 1].lanes |= frame.lanes;
            return slot as u32 + 1;
        }
        match self.frames.iter().skip(1).position(|f| f.lanes == 0) {
            Some(slot) => {
                self.frames[slot + 1] = frame;
                slot as u32 + 1
            }
            None => {
                self.frames.push(frame);
                self.frames.len() as u32 - 1
            }
        }
    }
}
