//! Credit: by which law a command is judged, and what is drawn for it.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use crate::bucket;
use crate::gate::{LOOK, Why, Words};
use crate::order::Standing;
use crate::silence::Silence;

/// By which law a command is judged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// The arbiter gives turns.
    Turns,
    /// There is none: the tenant keeps its own share.
    Bucket { percent: u32 },
    /// There never was one, and the share is the whole device.
    Free,
}

impl Words<'_> {
    pub(crate) fn law(&self, silence: &Silence, standing: &Standing) -> Law {
        let percent = self.percent.load(Relaxed).min(self.cap);
        match silence.is_gone(standing) {
            false => Law::Turns,
            true if percent >= 100 => Law::Free,
            true => Law::Bucket { percent },
        }
    }

    /// What to wait for where the turn is used up, `spare` being what was drawn and is not used.
    pub(crate) fn closed(&self, law: Law, spare: u64, standing: &Standing, now: u64) -> Option<(Why, u64)> {
        let closed = law == Law::Turns && self.left(standing) <= 0 && spare == 0;
        closed.then_some((Why::Closed, now + LOOK))
    }

    /// Draws credit for a command, and for what the batch has `room` for besides: how much in addition to what is `spare`.
    pub(crate) fn draw(
        &self,
        law: Law,
        cost: u64,
        (spare, room): (u64, u64),
        standing: &Standing,
        now: u64,
    ) -> Result<u64, (Why, u64)> {
        let need = cost.saturating_sub(spare);
        let want = cost.max(room).saturating_sub(spare);
        let amount = match law {
            Law::Free => want,
            Law::Turns => {
                if let Some(closed) = self.closed(law, spare, standing, now) {
                    return Err(closed);
                }
                want.min(u64::try_from(self.left(standing)).unwrap_or(0).max(need))
            }
            Law::Bucket { .. } if need == 0 => 0,
            Law::Bucket { percent } => {
                bucket::draw(&self.drawn.bucket, want, percent, now)
                    .map_err(|until| (Why::Bucket, until.min(now + LOOK)))?;
                want
            }
        };
        self.drawn.charged.fetch_add(amount, AcqRel);
        Ok(amount)
    }

    /// What may still be drawn in this turn.
    fn left(&self, standing: &Standing) -> i64 {
        standing.allowed.wrapping_sub(self.drawn.charged.load(Acquire)) as i64
    }
}
