//! A block in modelled time: warps that are behind go first, and none goes beyond the limit.

use crate::block::{Block, Outcome, TURN};
use crate::launch::Pacing;
use crate::site::Site;
use crate::timeline::LEAD_NS;
use crate::warp::Warp;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

impl Block {
    /// Runs until the block ends or every warp that can run has reached `limit`.
    pub fn run_paced(&mut self, pacing: &Arc<dyn Pacing>, sites: &mut [Site], limit: u64) -> Outcome {
        let card = pacing.card();
        let limit = card.cycles_until(limit.saturating_sub(self.cta.start));
        let lead = card.cycles_until(LEAD_NS);
        loop {
            let Some(behind) = self.behind() else {
                return match self.warps.iter().all(|warp| warp.fragments.is_empty()) {
                    true => self.done(self.moment(pacing, self.latest())),
                    false => Outcome::Stuck,
                };
            };
            if behind >= limit || self.env.control.load(Relaxed) != 0 {
                return Outcome::Rest { at: self.moment(pacing, behind), stalled: false };
            }
            let mut moved = false;
            let target = limit.min(behind.saturating_add(lead));
            for warp in 0..self.warps.len() {
                self.leave_barriers(warp);
                let state = &self.warps[warp];
                if state.cycles >= target || !state.runnable(&self.cta.phases) {
                    continue;
                }
                let budget = budget(state, target);
                if let Err(fault) = self.turn(warp, sites, budget) {
                    return Outcome::Fault(fault);
                }
                moved |= !std::mem::take(&mut self.warps[warp].stalled);
            }
            if !moved {
                let behind = self.behind().unwrap_or(behind);
                return Outcome::Rest { at: self.moment(pacing, behind), stalled: true };
            }
        }
    }

    /// The clock of the warp that is furthest behind among those that can run.
    fn behind(&mut self) -> Option<u64> {
        (0..self.warps.len()).for_each(|warp| self.leave_barriers(warp));
        let runnable = self.warps.iter().filter(|warp| warp.runnable(&self.cta.phases));
        runnable.map(|warp| warp.cycles).min()
    }

    /// The clock of the warp that is furthest ahead.
    fn latest(&self) -> u64 {
        self.warps.iter().map(|warp| warp.cycles).max().unwrap_or(0)
    }

    /// Lets the clock of a warp see the opening of a barrier it waited at.
    fn leave_barriers(&mut self, warp: usize) {
        let warp = &mut self.warps[warp];
        warp.cycles = warp.cycles.max(warp.leave_barriers(&self.cta));
    }

    fn moment(&self, pacing: &Arc<dyn Pacing>, cycles: u64) -> u64 {
        // A block takes time, however little it does.
        self.cta.start.saturating_add(pacing.card().ns(cycles).max(1))
    }
}

/// Backward branches until the warp's clock shows about `target`; the next one ends the turn if nothing is known about it.
fn budget(warp: &Warp, target: u64) -> i32 {
    let branches = target.saturating_sub(warp.cycles).checked_div(warp.rate).unwrap_or(0);
    branches.min(TURN as u64) as i32
}
