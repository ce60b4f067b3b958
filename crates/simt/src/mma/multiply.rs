//! Multiply and accumulate on tiles.
//!
//! `d = a × b + c`, element by element in ascending k: a sum of floats starts from `c` and adds one product after
//! another in f32, each sum rounded to nearest even, and is rounded once more if `d` is f16. The products are exact
//! (two factors of at most 11 bits). Hardware promises only as much precision, not an order.

use super::fragment::{Accumulators, Operand};
use crate::num::{Round, bf16, f16, float, fp8, tf32};

/// One 32-bit register of all lanes.
pub type Row = [u32; 32];
/// One 64-bit register of all lanes.
pub type WideRow = [u64; 32];

/// The types of A and B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    F16,
    BF16,
    TF32,
    E4M3,
    E5M2,
    S8,
    U8,
    S4,
    U4,
    B1,
}

impl Element {
    /// Elements in one register.
    pub fn per(self) -> usize {
        match self {
            Element::TF32 => 1,
            Element::F16 | Element::BF16 => 2,
            Element::E4M3 | Element::E5M2 | Element::S8 | Element::U8 => 4,
            Element::S4 | Element::U4 => 8,
            Element::B1 => 32,
        }
    }
}

/// The types of C and D.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sum {
    F16,
    F32,
    S32,
}

/// What a single-bit product does before it counts ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitOp {
    Xor,
    And,
}

/// An `mma.sync` or `wmma.mma` on 32-bit registers, but for `m8n8k4.f16` ([`super::mma_quad`]) and f64 ([`mma_f64`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mma {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub a: Element,
    pub b: Element,
    pub c: Sum,
    pub d: Sum,
    /// `.satfinite` of an integer product: the sum clamps instead of wrapping.
    pub saturate: bool,
    /// Matters for [`Element::B1`] only.
    pub bits: BitOp,
}

/// Instantiates `$run` for the shape at hand, or answers false.
macro_rules! by_shape {
    ($shape:expr, $run:ident $args:tt, [$(($m:literal, $n:literal, $k:literal)),* $(,)?]) => {
        match $shape {
            $( ($m, $n, $k) => { $run::<$m, $n, $k> $args; true } )*
            _ => false,
        }
    };
}

impl Mma {
    /// Computes D. False if the instruction set has no such shape, in which case `d` is left alone.
    #[inline(always)]
    pub fn apply(&self, a: &[Row], b: &[Row], c: &[Row], d: &mut [Row]) -> bool {
        let shape = (self.m, self.n, self.k);
        match self.a {
            Element::F16 | Element::BF16 | Element::TF32 | Element::E4M3 | Element::E5M2 => by_shape!(
                shape,
                floats(self, a, b, c, d),
                [
                    (16, 8, 4),
                    (16, 8, 8),
                    (16, 8, 16),
                    (16, 8, 32),
                    (16, 16, 8),
                    (16, 16, 16),
                    (8, 32, 16),
                    (32, 8, 16),
                ]
            ),
            Element::S8 | Element::U8 | Element::S4 | Element::U4 => by_shape!(
                shape,
                integers(self, a, b, c, d),
                [
                    (8, 8, 16),
                    (8, 8, 32),
                    (16, 8, 16),
                    (16, 8, 32),
                    (16, 8, 64),
                    (16, 16, 16),
                    (8, 32, 16),
                    (32, 8, 16),
                ]
            ),
            // A register of single bits is one element of 32: k counts words.
            Element::B1 => by_shape!(
                (self.m, self.n, self.k / 32),
                bits(self, a, b, c, d),
                [(8, 8, 4), (16, 8, 4), (16, 8, 8)]
            ),
        }
    }
}

#[inline(always)]
fn floats<const M: usize, const N: usize, const K: usize>(
    mma: &Mma,
    a: &[Row],
    b: &[Row],
    c: &[Row],
    d: &mut [Row],
) {
    let left =
        rows_of::<f32, _, M, K>(Operand::a(M, K, mma.a.per()), a, |row, out| unpack_floats(mma.a, row, out));
    let right = columns_of::<f32, _, K, N>(Operand::b(N, K, mma.b.per()), b, |row, out| {
        unpack_floats(mma.b, row, out)
    });
    let places = Accumulators { m: M, n: N };
    let mut sum = [[0.0f32; N]; M];
    for value in 0..places.values() {
        let row = c.get(if mma.c == Sum::F16 { value / 2 } else { value }).unwrap_or(&[0; 32]);
        for (lane, &word) in row.iter().enumerate() {
            let (i, j) = places.at(value, lane);
            sum[i][j] = match mma.c {
                Sum::F16 => f16::to_f32((word >> (value % 2 * 16)) as u16),
                _ => f32::from_bits(word),
            };
        }
    }
    accumulate(&left, &right, &mut sum, |sum, a, b| sum + a * b);
    for value in 0..places.values() {
        let Some(row) = d.get_mut(if mma.d == Sum::F16 { value / 2 } else { value }) else { return };
        for (lane, word) in row.iter_mut().enumerate() {
            let (i, j) = places.at(value, lane);
            *word = match mma.d {
                Sum::F16 if value % 2 == 0 => f16::from_f32(sum[i][j]).into(),
                Sum::F16 => *word | u32::from(f16::from_f32(sum[i][j])) << 16,
                _ if sum[i][j].is_nan() => float::NAN.to_bits(),
                _ => sum[i][j].to_bits(),
            };
        }
    }
}

#[inline(always)]
fn integers<const M: usize, const N: usize, const K: usize>(
    mma: &Mma,
    a: &[Row],
    b: &[Row],
    c: &[Row],
    d: &mut [Row],
) {
    let left = rows_of::<i32, _, M, K>(Operand::a(M, K, mma.a.per()), a, |row, out| {
        unpack_integers(mma.a, row, out)
    });
    let right = columns_of::<i32, _, K, N>(Operand::b(N, K, mma.b.per()), b, |row, out| {
        unpack_integers(mma.b, row, out)
    });
    // At most 64 products of 16 bits: the sum fits before C is added.
    let mut sum = [[0; N]; M];
    accumulate(&left, &right, &mut sum, |sum, a, b| sum + a * b);
    let add = |c: u32, sum: i32| {
        let c = c.cast_signed();
        (if mma.saturate { c.saturating_add(sum) } else { c.wrapping_add(sum) }).cast_unsigned()
    };
    finish(&sum, c, d, add);
}

#[inline(always)]
fn bits<const M: usize, const N: usize, const K: usize>(
    mma: &Mma,
    a: &[Row],
    b: &[Row],
    c: &[Row],
    d: &mut [Row],
) {
    let left = rows_of::<u32, _, M, K>(Operand::a(M, K, 1), a, |row: &Row, out: &mut [u32]| {
        out.copy_from_slice(row)
    });
    let right = columns_of::<u32, _, K, N>(Operand::b(N, K, 1), b, |row: &Row, out: &mut [u32]| {
        out.copy_from_slice(row)
    });
    let mut sum = [[0; N]; M];
    match mma.bits {
        BitOp::Xor => accumulate(&left, &right, &mut sum, |sum, a, b| sum + (a ^ b).count_ones()),
        BitOp::And => accumulate(&left, &right, &mut sum, |sum, a, b| sum + (a & b).count_ones()),
    }
    finish(&sum, c, d, u32::wrapping_add);
}

/// Adds C to the 32-bit sums of products and spreads them over D.
#[inline(always)]
fn finish<T: Copy, const M: usize, const N: usize>(
    sum: &[[T; N]; M],
    c: &[Row],
    d: &mut [Row],
    add: impl Fn(u32, T) -> u32,
) {
    let places = Accumulators { m: M, n: N };
    for (value, row) in d.iter_mut().enumerate().take(places.values()) {
        let before = c.get(value).unwrap_or(&[0; 32]);
        for lane in 0..32 {
            let (i, j) = places.at(value, lane);
            row[lane] = add(before[lane], sum[i][j]);
        }
    }
}

/// `mma.f64` and `wmma.f64`: a chain of fused multiply-adds from `c` in ascending k. False if there is no such shape.
#[inline(always)]
pub fn mma_f64(
    (m, n, k): (usize, usize, usize),
    mode: Round,
    a: &[WideRow],
    b: &[WideRow],
    c: &[WideRow],
    d: &mut [WideRow],
) -> bool {
    by_shape!((m, n, k), doubles(mode, a, b, c, d), [(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)])
}

#[inline(always)]
fn doubles<const M: usize, const N: usize, const K: usize>(
    mode: Round,
    a: &[WideRow],
    b: &[WideRow],
    c: &[WideRow],
    d: &mut [WideRow],
) {
    let unpack = |row: &WideRow, out: &mut [f64]| {
        for (value, &word) in out.iter_mut().zip(row) {
            *value = f64::from_bits(word);
        }
    };
    let left = rows_of::<f64, _, M, K>(Operand::a(M, K, 1), a, unpack);
    let right = columns_of::<f64, _, K, N>(Operand::b(N, K, 1), b, unpack);
    let places = Accumulators { m: M, n: N };
    let mut sum = [[0.0; N]; M];
    for (value, row) in c.iter().enumerate().take(places.values()) {
        for (lane, &word) in row.iter().enumerate() {
            let (i, j) = places.at(value, lane);
            sum[i][j] = f64::from_bits(word);
        }
    }
    match mode {
        Round::Nearest => accumulate(&left, &right, &mut sum, |sum, a, b| float::fma(a, b, sum)),
        _ => accumulate(&left, &right, &mut sum, |sum, a, b| float::fma_round(a, b, sum, mode)),
    }
    for (value, row) in d.iter_mut().enumerate().take(places.values()) {
        for (lane, word) in row.iter_mut().enumerate() {
            let (i, j) = places.at(value, lane);
            *word = sum[i][j].to_bits();
        }
    }
}

/// The matrix A: the lanes of each register are one tile in row order.
#[inline(always)]
fn rows_of<T: Copy + Default, W, const M: usize, const K: usize>(
    operand: Operand,
    registers: &[W],
    unpack: impl Fn(&W, &mut [T]),
) -> [[T; K]; M] {
    let mut matrix = [[T::default(); K]; M];
    for_tiles(operand, registers, unpack, |row, column, values| {
        matrix[row][column..][..values.len()].copy_from_slice(values);
    });
    matrix
}

/// The matrix B: the lanes of each register are one tile in column order.
#[inline(always)]
fn columns_of<T: Copy + Default, W, const K: usize, const N: usize>(
    operand: Operand,
    registers: &[W],
    unpack: impl Fn(&W, &mut [T]),
) -> [[T; N]; K] {
    let mut matrix = [[T::default(); N]; K];
    for_tiles(operand, registers, unpack, |column, row, values| {
        for (at, &value) in values.iter().enumerate() {
            matrix[row + at][column] = value;
        }
    });
    matrix
}

/// Calls `place` with the outer index, the k and the elements of each line of each tile.
#[inline(always)]
fn for_tiles<T: Copy + Default, W>(
    operand: Operand,
    registers: &[W],
    unpack: impl Fn(&W, &mut [T]),
    mut place: impl FnMut(usize, usize, &[T]),
) {
    let mut tile = [T::default(); 32 * 8];
    let tile = &mut tile[..32 * operand.per];
    for (register, row) in registers.iter().enumerate().take(operand.registers()) {
        unpack(row, tile);
        let (outer, depth) = operand.tile(register);
        for (line, values) in tile.chunks_exact(4 * operand.per).enumerate() {
            place(outer + line, depth, values);
        }
    }
}

/// Adds the products to `sum`. Four rows at once, so that additions need not wait for each other.
#[inline(always)]
fn accumulate<T: Copy, S: Copy, const M: usize, const N: usize, const K: usize>(
    a: &[[T; K]; M],
    b: &[[T; N]; K],
    sum: &mut [[S; N]; M],
    step: impl Fn(S, T, T) -> S,
) {
    for (rows, sums) in a.chunks_exact(4).zip(sum.chunks_exact_mut(4)) {
        for from in (0..N).step_by(8) {
            let mut part: [[S; 8]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| sums[i][from + j]));
            for (k, line) in b.iter().enumerate() {
                for (part, row) in part.iter_mut().zip(rows) {
                    for (sum, &b) in part.iter_mut().zip(&line[from..from + 8]) {
                        *sum = step(*sum, row[k], b);
                    }
                }
            }
            for (sums, part) in sums.iter_mut().zip(&part) {
                sums[from..from + 8].copy_from_slice(part);
            }
        }
    }
}

/// The elements of one register of all lanes, lane by lane.
#[inline(always)]
fn unpack_floats(element: Element, row: &Row, out: &mut [f32]) {
    match element {
        Element::F16 => unpack::<_, 2>(row, out, |half| f16::to_f32(half as u16)),
        Element::BF16 => unpack::<_, 2>(row, out, |half| bf16::to_f32(half as u16)),
        Element::E4M3 => unpack::<_, 4>(row, out, |byte| fp8::e4m3::to_f32(byte as u8)),
        Element::E5M2 => unpack::<_, 4>(row, out, |byte| fp8::e5m2::to_f32(byte as u8)),
        _ => unpack::<_, 1>(row, out, tf32::read),
    }
}

/// The elements of one register of all lanes, lane by lane.
#[inline(always)]
fn unpack_integers(element: Element, row: &Row, out: &mut [i32]) {
    match element {
        Element::S8 => unpack::<_, 4>(row, out, |byte| i32::from(byte as i8)),
        Element::U8 => unpack::<_, 4>(row, out, |byte| i32::from(byte as u8)),
        Element::S4 => unpack::<_, 8>(row, out, |nibble| (nibble << 28).cast_signed() >> 28),
        _ => unpack::<_, 8>(row, out, |nibble| (nibble & 15).cast_signed()),
    }
}

/// `of` sees each element in its low bits, with others above it.
#[inline(always)]
fn unpack<T, const PER: usize>(row: &Row, out: &mut [T], of: impl Fn(u32) -> T) {
    for (values, &word) in out.chunks_exact_mut(PER).zip(row) {
        for (at, value) in values.iter_mut().enumerate() {
            *value = of(word >> (32 / PER * at));
        }
    }
}
