//! Moving 8×8 matrices of 16-bit elements between memory and registers.
//!
//! For `.x2` and `.x4` each matrix is moved on its own: lanes `8i..8i+8` give the row addresses of matrix `i`, which
//! goes to register `i`.

use super::multiply::Row;

/// Eight rows of eight elements, as they lie in memory.
pub type Matrix = [[u16; 8]; 8];

/// The register that `ldmatrix` fills: lane `4r + c` gets elements `2c` and `2c + 1` of row `r`, or of column `r` with
/// `.trans`.
#[inline]
pub fn load(matrix: &Matrix, trans: bool) -> Row {
    std::array::from_fn(|lane| {
        let (r, c) = (lane / 4, lane % 4 * 2);
        let (low, high) =
            if trans { (matrix[c][r], matrix[c + 1][r]) } else { (matrix[r][c], matrix[r][c + 1]) };
        u32::from(low) | u32::from(high) << 16
    })
}

/// The rows that `stmatrix` writes: the inverse of [`load`].
#[inline]
pub fn store(register: &Row, trans: bool) -> Matrix {
    let mut matrix = [[0; 8]; 8];
    for (lane, &word) in register.iter().enumerate() {
        let (r, c) = (lane / 4, lane % 4 * 2);
        let (low, high) = (word as u16, (word >> 16) as u16);
        if trans {
            matrix[c][r] = low;
            matrix[c + 1][r] = high;
        } else {
            matrix[r][c] = low;
            matrix[r][c + 1] = high;
        }
    }
    matrix
}

/// `movmatrix.trans`: the fragment of the transposed matrix.
#[inline]
pub fn transpose(register: &Row) -> Row {
    load(&store(register, false), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_hold_rows_or_columns() {
        let matrix: Matrix = std::array::from_fn(|r| std::array::from_fn(|c| (10 * r + c) as u16));
        let plain = load(&matrix, false);
        assert_eq!(
            (plain[0], plain[1], plain[4], plain[31]),
            (1 << 16, 3 << 16 | 2, 11 << 16 | 10, 77 << 16 | 76)
        );
        let trans = load(&matrix, true);
        assert_eq!(
            (trans[0], trans[1], trans[4], trans[31]),
            (10 << 16, 30 << 16 | 20, 11 << 16 | 1, 77 << 16 | 67)
        );
        assert_eq!(store(&plain, false), matrix);
        assert_eq!(store(&trans, true), matrix);
        assert_eq!(transpose(&plain), trans);
        assert_eq!(transpose(&trans), plain);
    }
}
