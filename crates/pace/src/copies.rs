//! A copy engine as a calendar: whoever has bytes to move books the next piece after the last booking.
//!
//! A piece is at most one time slice long: processes with long copies alternate, and the booking of one that died ends soon.

use crate::card::Card;

/// A stretch of a copy engine's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub begin: u64,
    pub end: u64,
    pub bytes: u64,
}

/// The next piece of a copy that may start at `ready` and has `bytes` left, on an engine that is booked until `booked`.
pub fn book(card: &Card, booked: u64, ready: u64, bytes: u64) -> Piece {
    let begin = booked.max(ready);
    let bytes = bytes.min(piece_bytes(card));
    Piece { begin, end: begin.saturating_add(card.copy_ns(bytes)), bytes }
}

/// The most bytes in one piece.
pub fn piece_bytes(card: &Card) -> u64 {
    (card.copy_bytes_per_us.saturating_mul(card.slice_ns) / 1000).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card() -> Card {
        Card { copy_bytes_per_us: 1000, slice_ns: 2_000_000, ..Card::default() }
    }

    #[test]
    fn a_long_copy_is_booked_in_slices() {
        let (mut left, mut at, mut pieces) = (5_000_000, 100, 0);
        while left > 0 {
            let piece = book(&card(), at, 0, left);
            assert!(piece.end - piece.begin <= 2_000_000 && piece.begin == at);
            (left, at, pieces) = (left - piece.bytes, piece.end, pieces + 1);
        }
        assert_eq!((at, pieces), (5_000_100, 3));
    }

    #[test]
    fn starts_when_ready_and_free() {
        assert_eq!(book(&card(), 50, 70, 1000), Piece { begin: 70, end: 1070, bytes: 1000 });
        assert_eq!(book(&card(), 90, 70, 1000).begin, 90);
        assert_eq!(book(&card(), 0, 0, 0), Piece { begin: 0, end: 1, bytes: 0 });
    }
}
