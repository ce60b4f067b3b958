//! GR time and device time.
//!
//! GR time passes for a process only while it has GR; the block dispatcher knows no other. Each tenure is a piece of both: they run side by side
//! within it, and GR time stands between two.

use std::collections::VecDeque;

/// Pieces that are remembered: an end may be reported a little after its tenure.
const REMEMBERED: usize = 16;

/// The tenures of one process.
#[derive(Debug)]
pub struct Tenures {
    /// Oldest first, never empty.
    pieces: VecDeque<Piece>,
    /// When the present tenure began. Within one piece there may have been others meanwhile, while there was nothing to do here.
    begin: u64,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    /// GR time at `begin`.
    gr: u64,
    /// Device time.
    begin: u64,
    end: u64,
}

impl Default for Tenures {
    fn default() -> Tenures {
        Tenures { pieces: VecDeque::from([Piece { gr: 0, begin: 0, end: 0 }]), begin: 0 }
    }
}

impl Tenures {
    /// A new tenure, from `begin` to `end` in device time.
    pub fn grant(&mut self, begin: u64, end: u64) {
        let last = self.last();
        self.begin = begin;
        if begin <= last.end {
            return self.extend(end);
        }
        if self.pieces.len() == REMEMBERED {
            self.pieces.pop_front();
        }
        self.pieces.push_back(Piece { gr: last.gr + (last.end - last.begin), begin, end });
    }

    /// The present tenure lasts until `end`.
    pub fn extend(&mut self, end: u64) {
        if let Some(last) = self.pieces.back_mut() {
            last.end = last.end.max(end);
        }
    }

    /// Device time at which the present tenure began.
    pub fn begin(&self) -> u64 {
        self.begin
    }

    /// End of the present tenure in device time.
    pub fn end(&self) -> u64 {
        self.last().end
    }

    /// End of the present tenure in GR time.
    pub fn end_gr(&self) -> u64 {
        self.gr(self.end())
    }

    /// The moment in the present tenure that a device time is: its begin for what lies before.
    pub fn gr(&self, device: u64) -> u64 {
        let last = self.last();
        last.gr + device.max(self.begin).saturating_sub(last.begin)
    }

    /// Device time of a moment in GR time; a moment between two tenures is the end of the first. `None`: its tenure is still to come.
    pub fn device(&self, gr: u64) -> Option<u64> {
        if gr > self.end_gr() {
            return None;
        }
        let piece = self.pieces.iter().rev().find(|piece| piece.gr < gr).unwrap_or(&self.pieces[0]);
        Some(piece.begin + gr.saturating_sub(piece.gr))
    }

    fn last(&self) -> Piece {
        self.pieces[self.pieces.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gr_time_stands_between_tenures() {
        let mut tenures = Tenures::default();
        tenures.grant(100, 200);
        tenures.grant(1000, 1100);
        assert_eq!((tenures.end_gr(), tenures.gr(1050), tenures.gr(7)), (200, 150, 100));
        assert_eq!(tenures.device(30), Some(130));
        assert_eq!(tenures.device(100), Some(200), "an end at the end of a slice belongs to it");
        assert_eq!(tenures.device(101), Some(1001));
        assert_eq!((tenures.device(200), tenures.device(201)), (Some(1100), None));
        tenures.extend(1200);
        assert_eq!(tenures.device(201), Some(1101));
    }

    #[test]
    fn a_tenure_given_up_early_leaves_no_gap() {
        let mut tenures = Tenures::default();
        tenures.grant(100, 200);
        // Idle from 120 on; another process came and went; back at 150.
        tenures.grant(150, 250);
        assert_eq!(tenures.gr(130), tenures.gr(150), "nothing starts while others have the turn");
        assert_eq!(tenures.device(tenures.gr(150)), Some(150));
        assert_eq!(tenures.end(), 250);
    }

    #[test]
    fn old_tenures_are_forgotten_not_the_order() {
        let mut tenures = Tenures::default();
        (1..100).for_each(|i| tenures.grant(i * 1000, i * 1000 + 10));
        assert_eq!(tenures.device(990), Some(99_010));
        assert!(tenures.device(3).is_some());
    }
}
