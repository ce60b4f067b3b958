//! Multiply and accumulate on tiles.
//!
//! `d = a × b + c`, element by element in ascending k: a sum of floats starts from `c` and adds one product after
//! another in f32, each sum rounded to nearest even, and is rounded once more if `d` is f16. The products are exact
//! (two factors of at most 11 bits). Hardware promises only as much precision, not an order.

use super::tile::{self, Planes};
use crate::num::float::{self, Float};
use crate::num::{Round, bf16, f16, fp8, tf32};

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
    ($shape:expr, $per:literal, $run:ident $args:tt, [$($m:literal x $n:literal x $k:literal),* $(,)?]) => {
        match $shape {
            $( ($m, $n, $k) => { $run::<$m, $n, $k, $per> $args; true } )*
            _ => false,
        }
    };
}

impl Mma {
    /// Computes D. False if the instruction set has no such shape, in which case `d` is left alone.
    #[inline(always)]
    pub fn apply(&self, a: &[Row], b: &[Row], c: &[Row], d: &mut [Row]) -> bool {
        let shape = (self.m, self.n, self.k);
        let (first, second) = (self.a, self.b);
        match first {
            Element::F16 => by_shape!(
                shape,
                2,
                floats(self, a, b, c, d, half_f16, half_f16),
                [16 x 8 x 8, 16 x 8 x 16, 16 x 16 x 16, 8 x 32 x 16, 32 x 8 x 16]
            ),
            Element::BF16 => by_shape!(
                shape,
                2,
                floats(self, a, b, c, d, half_bf16, half_bf16),
                [16 x 8 x 8, 16 x 8 x 16, 16 x 16 x 16, 8 x 32 x 16, 32 x 8 x 16]
            ),
            Element::TF32 => by_shape!(
                shape,
                1,
                floats(self, a, b, c, d, |word, _| tf32::read(word), |word, _| tf32::read(word)),
                [16 x 8 x 4, 16 x 8 x 8, 16 x 16 x 8]
            ),
            Element::E4M3 | Element::E5M2 => by_shape!(
                shape,
                4,
                floats(self, a, b, c, d, |w, at| byte_float(first, w, at), |w, at| byte_float(second, w, at)),
                [16 x 8 x 16, 16 x 8 x 32]
            ),
            Element::S8 | Element::U8 => by_shape!(
                shape,
                4,
                integers(self, a, b, c, d, |w, at| byte(first, w, at), |w, at| byte(second, w, at)),
                [8 x 8 x 16, 16 x 8 x 16, 16 x 8 x 32, 16 x 16 x 16, 8 x 32 x 16, 32 x 8 x 16]
            ),
            Element::S4 | Element::U4 => by_shape!(
                shape,
                8,
                integers(self, a, b, c, d, |w, at| nibble(first, w, at), |w, at| nibble(second, w, at)),
                [8 x 8 x 32, 16 x 8 x 32, 16 x 8 x 64]
            ),
            // A register of single bits is one element of 32: k counts words.
            Element::B1 => by_shape!(
                (self.m, self.n, self.k / 32),
                1,
                bits(self, a, b, c, d),
                [8 x 8 x 4, 16 x 8 x 4, 16 x 8 x 8]
            ),
        }
    }
}

#[inline(always)]
fn floats<const M: usize, const N: usize, const K: usize, const PER: usize>(
    mma: &Mma,
    a: &[Row],
    b: &[Row],
    c: &[Row],
    d: &mut [Row],
    of_a: impl Fn(u32, usize) -> f32,
    of_b: impl Fn(u32, usize) -> f32,
) {
    let left = tile::left::<f32, u32, M, K, PER>(a, of_a);
    let right = tile::right::<f32, u32, K, N, PER>(b, of_b);
    let mut sums: Planes<f32, M, N> = match mma.c {
        Sum::F16 => tile::sums(|index| row(c, index / 2), |index, word| half_f16(word, index % 2)),
        _ => tile::sums(|index| row(c, index), |_, word| f32::from_bits(word)),
    };
    tile::accumulate::<f32, M, N, K, PER>(&left, &right, &mut sums, |sum, a, b| sum + a * b);
    for (index, plane) in tile::planes(&sums) {
        match mma.d {
            Sum::F16 => {
                let Some(row) = d.get_mut(index / 2) else { return };
                for (word, &sum) in row.iter_mut().zip(plane) {
                    let half = u32::from(f16::from_f32(sum));
                    *word = if index % 2 == 0 { half } else { *word | half << 16 };
                }
            }
            _ => write(d, index, |lane| plane[lane].canonical().to_bits()),
        }
    }
}

#[inline(always)]
fn integers<const M: usize, const N: usize, const K: usize, const PER: usize>(
    mma: &Mma,
    a: &[Row],
    b: &[Row],
    c: &[Row],
    d: &mut [Row],
    of_a: impl Fn(u32, usize) -> f32,
    of_b: impl Fn(u32, usize) -> f32,
) {
    let left = tile::left::<f32, u32, M, K, PER>(a, of_a);
    let right = tile::right::<f32, u32, K, N, PER>(b, of_b);
    // The sum of all products stays below 2^22, so f32 holds it exactly, and multiplies faster than integers.
    let mut sums = [[0.0; N]; M];
    tile::accumulate::<f32, M, N, K, PER>(&left, &right, &mut sums, |sum, a, b| sum + a * b);
    // Adding 1.5 × 2^23 leaves a whole number of that size in the low bits.
    let whole = |sum: f32| (sum + 12_582_912.0).to_bits().wrapping_sub(0x4b40_0000).cast_signed();
    for (index, plane) in tile::planes(&sums) {
        let before = row(c, index).map(u32::cast_signed);
        if mma.saturate {
            write(d, index, |lane| before[lane].saturating_add(whole(plane[lane])).cast_unsigned());
        } else {
            write(d, index, |lane| before[lane].wrapping_add(whole(plane[lane])).cast_unsigned());
        }
    }
}

#[inline(always)]
fn bits<const M: usize, const N: usize, const K: usize, const PER: usize>(
    mma: &Mma,
    a: &[Row],
    b: &[Row],
    c: &[Row],
    d: &mut [Row],
) {
    let left = tile::left::<u32, u32, M, K, PER>(a, |word, _| word);
    let right = tile::right::<u32, u32, K, N, PER>(b, |word, _| word);
    let mut sums = [[0; N]; M];
    let count = |sum: u32, ones: u32| sum + ones.count_ones();
    match mma.bits {
        BitOp::Xor => {
            tile::accumulate::<u32, M, N, K, PER>(&left, &right, &mut sums, |sum, a, b| count(sum, a ^ b));
        }
        BitOp::And => {
            tile::accumulate::<u32, M, N, K, PER>(&left, &right, &mut sums, |sum, a, b| count(sum, a & b));
        }
    }
    for (index, plane) in tile::planes(&sums) {
        let before = row(c, index);
        write(d, index, |lane| before[lane].wrapping_add(plane[lane]));
    }
}

/// `mma.f64` and `wmma.f64`: a chain of fused multiply-adds from `c` in ascending k. False if there is no such shape.
#[inline(always)]
pub fn mma_f64(
    shape: (usize, usize, usize),
    mode: Round,
    a: &[WideRow],
    b: &[WideRow],
    c: &[WideRow],
    d: &mut [WideRow],
) -> bool {
    by_shape!(shape, 1, doubles(mode, a, b, c, d), [8 x 8 x 4, 16 x 8 x 4, 16 x 8 x 8, 16 x 8 x 16])
}

#[inline(always)]
fn doubles<const M: usize, const N: usize, const K: usize, const PER: usize>(
    mode: Round,
    a: &[WideRow],
    b: &[WideRow],
    c: &[WideRow],
    d: &mut [WideRow],
) {
    let left = tile::left::<f64, u64, M, K, PER>(a, |word, _| f64::from_bits(word));
    let right = tile::right::<f64, u64, K, N, PER>(b, |word, _| f64::from_bits(word));
    let mut sums: Planes<f64, M, N> = tile::sums(|index| row(c, index), |_, word| f64::from_bits(word));
    let chain = |sum, a, b| {
        if mode == Round::Nearest { float::fma(a, b, sum) } else { float::fma_round(a, b, sum, mode) }
    };
    tile::accumulate::<f64, M, N, K, PER>(&left, &right, &mut sums, chain);
    for (index, plane) in tile::planes(&sums) {
        write(d, index, |lane| plane[lane].to_bits());
    }
}

#[inline(always)]
fn row<W: Copy + Default>(rows: &[[W; 32]], index: usize) -> [W; 32] {
    rows.get(index).copied().unwrap_or([W::default(); 32])
}

#[inline(always)]
fn write<W>(rows: &mut [[W; 32]], index: usize, of: impl Fn(usize) -> W) {
    if let Some(row) = rows.get_mut(index) {
        for (lane, word) in row.iter_mut().enumerate() {
            *word = of(lane);
        }
    }
}

#[inline(always)]
fn half_f16(word: u32, at: usize) -> f32 {
    f16::to_f32((word >> (16 * at)) as u16)
}

#[inline(always)]
fn half_bf16(word: u32, at: usize) -> f32 {
    bf16::to_f32((word >> (16 * at)) as u16)
}

#[inline(always)]
fn byte_float(element: Element, word: u32, at: usize) -> f32 {
    let byte = (word >> (8 * at)) as u8;
    if element == Element::E4M3 { fp8::e4m3::to_f32(byte) } else { fp8::e5m2::to_f32(byte) }
}

#[inline(always)]
fn byte(element: Element, word: u32, at: usize) -> f32 {
    let top = (word >> (8 * at)) << 24;
    (if element == Element::S8 { top.cast_signed() >> 24 } else { (top >> 24).cast_signed() }) as f32
}

#[inline(always)]
fn nibble(element: Element, word: u32, at: usize) -> f32 {
    let top = (word >> (4 * at)) << 28;
    (if element == Element::S4 { top.cast_signed() >> 28 } else { (top >> 28).cast_signed() }) as f32
}
