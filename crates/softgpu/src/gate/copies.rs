//! Copy engines: in paced mode they are booked, piece by piece, no further ahead than one slice; in free mode a copy takes what it takes.

use cleave_device::engine::Engine;
use cleave_pace::copies::{book, piece_bytes};

use super::Gate;
use crate::queue::Time;

/// In free mode, copies above this many bytes go to a copy thread; a smaller one costs less than waking that thread.
const SHORT_BYTES: u64 = 128 << 10;

/// Whether a copy can be performed and booked on any thread, without a wait.
pub fn is_short(gate: &Gate, bytes: u64, ready: u64) -> bool {
    if !gate.is_modelled() {
        return bytes <= SHORT_BYTES;
    }
    bytes <= piece_bytes(&gate.card).min(SHORT_BYTES)
        && ready <= gate.now().saturating_add(gate.card.slice_ns)
}

/// When a copy whose bytes have been moved ends.
pub fn copied(gate: &Gate, engine: Engine, bytes: u64, ready: u64, began: u64) -> u64 {
    let busy = gate.usage.of(engine);
    if !gate.is_modelled() {
        busy.add(began, gate.now());
        return 0;
    }
    let words = gate.turns.words();
    let (mut left, mut end) = (bytes, ready);
    loop {
        // Others may book before us what is more than a slice away.
        gate.sleep_until(end.saturating_sub(gate.card.slice_ns));
        let piece =
            words.book(usize::from(engine == Engine::Ce1), |booked| book(&gate.card, booked, end, left));
        busy.add(piece.begin, piece.end);
        (left, end) = (left - piece.bytes, piece.end);
        if left == 0 {
            return end;
        }
    }
}
