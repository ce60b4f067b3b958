//! Where the elements of a `wmma` fragment lie in memory.

use crate::mma::{Accumulators, Operand};

/// A fragment and its matrix.
#[derive(Clone, Copy, Debug)]
pub struct Elements {
    pub tile: Tile,
    /// Bits of an element.
    pub bits: u32,
    /// Consecutive elements of a fragment's register lie side by side in memory.
    pub along: bool,
}

/// Which matrix it is.
#[derive(Clone, Copy, Debug)]
pub enum Tile {
    /// A or B.
    Factor(Operand),
    /// C or D; `along` means stored by rows.
    Sum(Accumulators),
}

/// A run of bytes that goes to one register.
pub struct Piece {
    /// From the start of the matrix.
    pub offset: u64,
    pub bytes: usize,
    /// Where in the register.
    pub shift: u32,
}

impl Elements {
    /// What register `k` of `lane` consists of, for a matrix whose lines are `stride` elements apart.
    pub fn pieces(&self, k: usize, lane: usize, stride: u64) -> Vec<Piece> {
        let bits = u64::from(self.bits);
        match self.tile {
            Tile::Factor(operand) if k < operand.registers() => {
                let (outer, depth) = operand.at(k, lane);
                if self.along {
                    let first = outer as u64 * stride + depth as u64;
                    let bytes = (self.bits as usize * operand.per).div_ceil(8);
                    return vec![Piece { offset: first * bits / 8, bytes, shift: 0 }];
                }
                let piece = |e: usize| Piece {
                    offset: ((depth + e) as u64 * stride + outer as u64) * bits / 8,
                    bytes: self.bits as usize / 8,
                    shift: e as u32 * self.bits,
                };
                (0..operand.per).map(piece).collect()
            }
            // Registers that the instruction names but no element needs.
            Tile::Factor(_) => Vec::new(),
            Tile::Sum(sums) => {
                let per = if self.bits == 16 { 2 } else { 1 };
                let piece = |e: usize| {
                    let (row, column) = sums.at(k * per + e, lane);
                    let (line, at) = if self.along { (row, column) } else { (column, row) };
                    Piece {
                        offset: (line as u64 * stride + at as u64) * bits / 8,
                        bytes: self.bits as usize / 8,
                        shift: e as u32 * self.bits,
                    }
                };
                (0..per).map(piece).collect()
            }
        }
    }
}
