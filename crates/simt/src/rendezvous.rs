//! Warp-wide instructions: lanes that name each other meet before any of them goes on.
//!
//! Usually all lanes are in one fragment and nothing has to be done. If some are elsewhere, the fragment waits; when the others come to the same
//! place they merge and execute together. Lanes may also meet at different places (both sides of a branch may hold the same
//! shuffle): then each fragment leaves its operands in the [`Exchange`] and executes with everybody's.

use crate::machine::{Machine, Stop};
use crate::op::{Op, Pc};
use crate::rows_unsafe::LANES;
use crate::warp::{Fragment, Wait};

/// What lanes show each other.
#[derive(Clone, Copy, Default)]
pub struct Exchange {
    /// One value per lane.
    pub values: [u64; LANES],
    /// One predicate per lane.
    pub preds: u32,
}

/// Who takes part in a warp-wide instruction, and what they brought.
pub struct Meeting {
    pub lanes: u32,
    pub brought: Exchange,
}

impl Machine<'_> {
    /// Brings together the lanes that `masks` of the running lanes name. `Err`: not now, leave the loop.
    pub fn meet(
        &mut self,
        op: &Op,
        masks: &[u32; LANES],
        brought: impl Fn(&Self) -> Exchange,
    ) -> Result<Meeting, Pc> {
        if let Some(lanes) = self.joined.take() {
            return Ok(Meeting { lanes, brought: self.warp.exchange });
        }
        let needs = self.active().fold(0, |needs, lane| needs | masks[lane]) & self.warp.alive;
        let mine = brought(self);
        if needs & !self.mask == 0 {
            return Ok(Meeting { lanes: self.mask, brought: mine });
        }
        for lane in self.active() {
            self.warp.exchange.values[lane] = mine.values[lane];
        }
        self.warp.exchange.preds ^= (self.warp.exchange.preds ^ mine.preds) & self.mask;
        self.park(op.at(0), Wait::Lanes { needs });
        self.release_lanes();
        Err(Pc::STOP)
    }

    /// Lets fragments go on that wait at one place and lack nobody any more.
    pub fn release_lanes(&mut self) {
        let alive = self.warp.alive;
        for i in 0..self.warp.fragments.len() {
            let first = self.warp.fragments[i];
            if !matches!(first.wait, Wait::Lanes { .. }) {
                continue;
            }
            let here = |f: &Fragment| {
                f.pc == first.pc && f.frame == first.frame && matches!(f.wait, Wait::Lanes { .. })
            };
            let (have, need) = together(self.warp.fragments.iter().filter(|f| here(f)));
            if need & alive & !have == 0 {
                for f in self.warp.fragments.iter_mut().filter(|f| here(f)) {
                    f.wait = Wait::Ready;
                }
            }
        }
    }

    /// Nobody can run: lets lanes that wait for each other at different places execute with what all of them brought.
    pub fn join_stragglers(&mut self) -> bool {
        let waiting = self.warp.fragments.iter().filter(|f| matches!(f.wait, Wait::Lanes { .. }));
        let (have, need) = together(waiting.clone());
        if have == 0 || need & self.warp.alive & !have != 0 {
            return false;
        }
        let group: Vec<Pc> = waiting.map(|f| f.pc).collect();
        for pc in group {
            let Some(at) =
                self.warp.fragments.iter().position(|f| f.pc == pc && matches!(f.wait, Wait::Lanes { .. }))
            else {
                continue;
            };
            self.resume(at);
            self.joined = Some(have);
            let next = crate::isa_unsafe::step(self, pc);
            self.joined = None;
            if next == Pc::STOP {
                // It failed, or waits for something else now.
                if self.stop == Stop::Fault {
                    return true;
                }
                continue;
            }
            self.park(next, Wait::Ready);
        }
        true
    }
}

/// All lanes of some fragments, and all lanes they wait for.
fn together<'f>(fragments: impl Iterator<Item = &'f Fragment>) -> (u32, u32) {
    fragments.fold((0, 0), |(have, need), f| match f.wait {
        Wait::Lanes { needs } => (have | f.mask, need | needs),
        _ => (have, need),
    })
}
