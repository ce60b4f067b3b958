//! The product of matrices that lie in fragments.
//!
//! Nothing is rearranged that need not be: A and the sums stay in planes, one value of all lanes each, as they come
//! from the registers; only B is transposed. All sizes are constants, so that the loops unroll and vectorise.

use super::fragment::{Accumulators, Operand};

/// Planes of 32 lanes: `X × Y / 32` of them, in an array of the size that Rust can name.
pub type Planes<T, const X: usize, const Y: usize> = [[T; Y]; X];

/// A: plane `register × PER + e` holds element `e` of each lane's register.
#[inline(always)]
pub fn left<T: Copy + Default, W: Copy, const M: usize, const K: usize, const PER: usize>(
    registers: &[[W; 32]],
    element: impl Fn(W, usize) -> T,
) -> Planes<T, M, K> {
    let mut planes = [[T::default(); K]; M];
    for (register, row) in planes.as_flattened_mut().chunks_exact_mut(32 * PER).zip(registers) {
        for (e, plane) in register.chunks_exact_mut(32).enumerate() {
            for (value, &word) in plane.iter_mut().zip(row) {
                *value = element(word, e);
            }
        }
    }
    planes
}

/// B: its rows, with the columns of each eight in the order in which the sums hold them: the even ones, then the odd.
#[inline(always)]
pub fn right<T: Copy + Default, W: Copy + Default, const K: usize, const N: usize, const PER: usize>(
    registers: &[[W; 32]],
    element: impl Fn(W, usize) -> T,
) -> [[T; N]; K] {
    let operand = Operand::b(N, K, PER);
    let mut matrix = [[T::default(); N]; K];
    for (register, row) in registers.iter().enumerate().take(operand.registers()) {
        let (outer, depth) = operand.tile(register);
        for member in 0..4 {
            let words: [W; 8] = std::array::from_fn(|at| row[4 * (2 * (at % 4) + at / 4) + member]);
            for e in 0..PER {
                let line = &mut matrix[depth + member * PER + e][outer..outer + 8];
                for (value, &word) in line.iter_mut().zip(&words) {
                    *value = element(word, e);
                }
            }
        }
    }
    matrix
}

/// C: plane `index` holds that value of each lane.
#[inline(always)]
pub fn sums<T: Copy + Default, W: Copy + Default, const M: usize, const N: usize>(
    row: impl Fn(usize) -> [W; 32],
    value: impl Fn(usize, W) -> T,
) -> Planes<T, M, N> {
    let mut planes = [[T::default(); N]; M];
    for (index, plane) in planes.as_flattened_mut().chunks_exact_mut(32).enumerate() {
        for (sum, word) in plane.iter_mut().zip(row(index)) {
            *sum = value(index, word);
        }
    }
    planes
}

/// Adds the products to the sums, in ascending k. Four rows at once, so that additions need not wait for each other.
#[inline(always)]
pub fn accumulate<T: Copy + Default, const M: usize, const N: usize, const K: usize, const PER: usize>(
    left: &Planes<T, M, K>,
    right: &[[T; N]; K],
    sums: &mut Planes<T, M, N>,
    step: impl Fn(T, T, T) -> T,
) {
    let (left, tall) = (left.as_flattened(), M / 8);
    for (tile, planes) in sums.as_flattened_mut().chunks_exact_mut(64).enumerate() {
        let (even, odd) = planes.split_at_mut(32);
        let (outer, from) = (tile % tall, tile / tall * 8);
        for rows in 0..2 {
            let lanes = 16 * rows;
            let mut part = [[T::default(); 8]; 4];
            for (row, part) in part.iter_mut().enumerate() {
                part[..4].copy_from_slice(&even[lanes + 4 * row..][..4]);
                part[4..].copy_from_slice(&odd[lanes + 4 * row..][..4]);
            }
            for (k, line) in right.iter().enumerate() {
                let register = k / (4 * PER) * tall + outer;
                let member = k / PER % 4;
                let plane = &left[(register * PER + k % PER) * 32 + lanes..][..16];
                for (row, part) in part.iter_mut().enumerate() {
                    let a = plane[4 * row + member];
                    for (sum, &b) in part.iter_mut().zip(&line[from..from + 8]) {
                        *sum = step(*sum, a, b);
                    }
                }
            }
            for (row, part) in part.iter().enumerate() {
                even[lanes + 4 * row..][..4].copy_from_slice(&part[..4]);
                odd[lanes + 4 * row..][..4].copy_from_slice(&part[4..]);
            }
        }
    }
}

/// The planes of a matrix of sums with their indices.
#[inline(always)]
pub fn planes<T, const M: usize, const N: usize>(
    sums: &Planes<T, M, N>,
) -> impl Iterator<Item = (usize, &[T])> {
    debug_assert_eq!(Accumulators { m: M, n: N }.values() * 32, M * N);
    sums.as_flattened().chunks_exact(32).enumerate()
}
