//! `mma.m8n8k4` with f16 operands computes four independent products: lanes `4q..4q+4` and `16+4q..16+4q+4` hold the
//! matrices of product `q`. It is the only shape whose operands may lie either way, and the only one without the
//! common tiles.

use super::multiply::{Row, Sum};
use crate::num::{f16, float};

/// How an operand's elements run along registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    Row,
    Col,
}

/// `d = a × b + c` for each of the four products, summed as in [`super::Mma`].
#[inline]
pub fn mma_quad(a: (Layout, &[Row]), b: (Layout, &[Row]), c: (Sum, &[Row]), d: (Sum, &mut [Row])) {
    let (c, (d_type, d)) = (c, d);
    for product in 0..4 {
        let lanes: [usize; 8] = std::array::from_fn(|i| 4 * product + i % 4 + i / 4 * 16);
        // By row: a line of A is a lane, and so is a line of B. By column, lanes are columns of four rows each.
        let left = |row: usize, k: usize| match a.0 {
            Layout::Row => half(a.1, lanes[row], k),
            Layout::Col => half(a.1, lanes[row / 4 * 4 + k], row % 4),
        };
        let right = |k: usize, column: usize| match b.0 {
            Layout::Col => half(b.1, lanes[column], k),
            Layout::Row => half(b.1, lanes[column / 4 * 4 + k], column % 4),
        };
        let mut sums = [[0.0f32; 8]; 8];
        for (i, row) in sums.iter_mut().enumerate() {
            for (j, sum) in row.iter_mut().enumerate() {
                *sum =
                    (0..4).fold(accumulator(c.0, c.1, &lanes, i, j), |sum, k| sum + left(i, k) * right(k, j));
            }
        }
        for (i, row) in sums.iter().enumerate() {
            for (j, &sum) in row.iter().enumerate() {
                write(d_type, d, &lanes, i, j, sum);
            }
        }
    }
}

/// Element `at` of an f16 fragment: two to a register.
#[inline(always)]
fn half(registers: &[Row], lane: usize, at: usize) -> f32 {
    let word = registers.get(at / 2).map_or(0, |row| row[lane]);
    f16::to_f32((word >> (at % 2 * 16)) as u16)
}

/// The lane (of eight) and the index of the value that holds row `i`, column `j` of an f32 accumulator.
#[inline(always)]
fn place(i: usize, j: usize) -> (usize, usize) {
    (i / 4 * 4 + (j & 2) + (i & 1), (j & 4) + (i & 2) + (j & 1))
}

#[inline(always)]
fn accumulator(sum: Sum, registers: &[Row], lanes: &[usize; 8], i: usize, j: usize) -> f32 {
    if sum == Sum::F16 {
        return half(registers, lanes[i], j);
    }
    let (lane, value) = place(i, j);
    f32::from_bits(registers.get(value).map_or(0, |row| row[lanes[lane]]))
}

#[inline(always)]
fn write(to: Sum, registers: &mut [Row], lanes: &[usize; 8], i: usize, j: usize, sum: f32) {
    if to == Sum::F16 {
        let Some(row) = registers.get_mut(j / 2) else { return };
        let shift = j % 2 * 16;
        let word = &mut row[lanes[i]];
        *word = *word & !(0xffff << shift) | u32::from(f16::from_f32(sum)) << shift;
        return;
    }
    let (lane, value) = place(i, j);
    if let Some(row) = registers.get_mut(value) {
        row[lanes[lane]] = if sum.is_nan() { float::NAN.to_bits() } else { sum.to_bits() };
    }
}
