//! Where matrix elements sit in registers.
//!
//! With `group = lane / 4` and `member = lane % 4`, register `r` of an operand holds, in lane `lane`, consecutive
//! elements along k of row (or, for B, column) `group` of one tile.

/// A or B of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// m for A, n for B.
    pub outer: usize,
    /// k.
    pub depth: usize,
    /// Elements in one register.
    pub per: usize,
    /// A walks its tiles along m first, B along k first.
    pub outer_first: bool,
}

impl Operand {
    pub fn a(m: usize, k: usize, per: usize) -> Operand {
        Operand { outer: m, depth: k, per, outer_first: true }
    }

    pub fn b(n: usize, k: usize, per: usize) -> Operand {
        Operand { outer: n, depth: k, per, outer_first: false }
    }

    /// Registers in use. `wmma` names eight for f16 in every shape; the others stay zero.
    pub fn registers(&self) -> usize {
        (self.outer / 8) * (self.depth / (4 * self.per))
    }

    /// The outer index and the k of the first element that `register` holds in `lane`. The other elements follow
    /// along k.
    #[inline(always)]
    pub fn at(&self, register: usize, lane: usize) -> (usize, usize) {
        let (outer, depth) = self.tile(register);
        (outer + lane / 4, depth + lane % 4 * self.per)
    }

    /// The outer index and the k at which the tile of `register` begins.
    #[inline(always)]
    pub(super) fn tile(&self, register: usize) -> (usize, usize) {
        let (tall, deep) = (self.outer / 8, self.depth / (4 * self.per));
        let (outer, depth) = if self.outer_first {
            (register % tall, register / tall)
        } else {
            (register / deep, register % deep)
        };
        (8 * outer, 4 * self.per * depth)
    }
}

/// C or D of one instruction: tiles of 8 by 8, two values each, down a column of tiles first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accumulators {
    pub m: usize,
    pub n: usize,
}

impl Accumulators {
    /// Values in each lane. An f16 register holds two of them, the lower index in the lower half.
    pub fn values(&self) -> usize {
        self.m * self.n / 32
    }

    /// The row and column of the value with this index in `lane`.
    #[inline(always)]
    pub fn at(&self, value: usize, lane: usize) -> (usize, usize) {
        let (tile, tall) = (value / 2, self.m / 8);
        (8 * (tile % tall) + lane / 4, 8 * (tile / tall) + lane % 4 * 2 + value % 2)
    }
}
