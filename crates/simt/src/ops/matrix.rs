//! Matrix instructions: registers of a warp to the functions of [`crate::mma`] and back.
//!
//! `r[0]` is the side table entry. All lanes that have not exited take part.

use super::scattered;
use crate::detail::{Detail, Matrix, Product};
use crate::isa_unsafe::{Body, Vector};
use crate::machine::{FULL, Machine};
use crate::mma::{Element, Mma, Row, Sum, WideRow, matrix, mma_f64, mma_quad};
use crate::op::{Op, Pc};
use crate::rendezvous::Exchange;
use crate::rows_unsafe::{LANES, Lane};

/// Most registers an operand has.
const MOST: usize = 8;

fn detail<'a>(m: &Machine<'a>, op: &Op) -> Option<&'a Matrix> {
    match m.code().details.get(op.r[0] as usize) {
        Some(Detail::Matrix(matrix)) => Some(matrix),
        _ => None,
    }
}

/// Waits for the whole warp.
fn assemble(m: &mut Machine<'_>, op: &Op) -> Result<(), Pc> {
    m.meet(op, &[FULL; LANES], |_: &Machine<'_>| Exchange::default()).map(|_| ())
}

#[inline(always)]
fn rows<T: Lane + Default>(m: &Machine<'_>, offsets: &[u32]) -> [[T; LANES]; MOST] {
    let mut rows = [[T::default(); LANES]; MOST];
    for (row, &offset) in rows.iter_mut().zip(offsets) {
        *row = m.get(offset);
    }
    rows
}

/// `mma` and `wmma.mma` of the kinds that programs spend time on: `KIND` indexes [`HOT`].
pub struct Multiply<const KIND: usize>;

/// Products with code of their own.
pub const HOT: [Mma; 8] = [
    product(16, 8, 16, Element::F16, Sum::F32),
    product(16, 8, 16, Element::F16, Sum::F16),
    product(16, 8, 8, Element::F16, Sum::F32),
    product(16, 8, 16, Element::BF16, Sum::F32),
    product(16, 8, 8, Element::TF32, Sum::F32),
    product(16, 8, 32, Element::S8, Sum::S32),
    product(16, 16, 16, Element::F16, Sum::F32),
    product(16, 16, 16, Element::F16, Sum::F16),
];

const fn product(m: usize, n: usize, k: usize, element: Element, sum: Sum) -> Mma {
    Mma { m, n, k, a: element, b: element, c: sum, d: sum, saturate: false, bits: crate::mma::BitOp::Xor }
}

impl<const KIND: usize> Body for Multiply<KIND> {
    #[inline(always)]
    fn run<V: Vector>(m: &mut Machine<'_>, op: &Op) -> Pc {
        multiply(m, op, |_, a, b, c, d| HOT[KIND].apply(a, b, c, d))
    }
}

/// Any other product of 32-bit registers.
pub fn multiply_any(m: &mut Machine<'_>, op: &Op) -> Pc {
    multiply(m, op, |product, a, b, c, d| match product {
        Product::Common(mma) => mma.apply(a, b, c, d),
        Product::Quad { a_layout, b_layout, c: c_type, d: d_type } => {
            mma_quad((*a_layout, a), (*b_layout, b), (*c_type, c), (*d_type, d));
            true
        }
        Product::Double { .. } => false,
    })
}

#[inline(always)]
fn multiply(
    m: &mut Machine<'_>,
    op: &Op,
    apply: impl Fn(&Product, &[Row], &[Row], &[Row], &mut [Row]) -> bool,
) -> Pc {
    let Some(Matrix::Multiply { product, a, b, c, d }) = detail(m, op) else { return Pc::STOP };
    if let Err(stop) = assemble(m, op) {
        return stop;
    }
    let (left, right, before) = (rows::<u32>(m, a), rows::<u32>(m, b), rows::<u32>(m, c));
    let mut after = [[0; LANES]; MOST];
    apply(product, &left[..a.len()], &right[..b.len()], &before[..c.len()], &mut after[..d.len()]);
    for (row, &offset) in after.iter().zip(d) {
        m.put(offset, *row);
    }
    op.next()
}

/// A product of 64-bit registers.
pub fn multiply_double(m: &mut Machine<'_>, op: &Op) -> Pc {
    let Some(Matrix::Multiply { product: Product::Double { shape, round }, a, b, c, d }) = detail(m, op)
    else {
        return Pc::STOP;
    };
    if let Err(stop) = assemble(m, op) {
        return stop;
    }
    let (left, right, before) = (rows::<u64>(m, a), rows::<u64>(m, b), rows::<u64>(m, c));
    let mut after: [WideRow; MOST] = [[0; LANES]; MOST];
    mma_f64(*shape, *round, &left[..a.len()], &right[..b.len()], &before[..c.len()], &mut after[..d.len()]);
    for (row, &offset) in after.iter().zip(d) {
        m.put(offset, *row);
    }
    op.next()
}

/// `ldmatrix`: `r[4]` is the row of generic addresses (plus `imm`).
pub fn load(m: &mut Machine<'_>, op: &Op) -> Pc {
    let Some(Matrix::Move { registers, transposed }) = detail(m, op) else { return Pc::STOP };
    if let Err(stop) = assemble(m, op) {
        return stop;
    }
    for (k, &register) in registers.iter().enumerate() {
        let mut tile: matrix::Matrix = [[0; 8]; 8];
        for (r, line) in tile.iter_mut().enumerate() {
            let lane = 8 * k + r;
            let address = m.rows.lane(op.r[4], true, lane).wrapping_add(op.imm);
            let mut bytes = [0; 16];
            if let Err(stop) = scattered::read(m, op, lane, address, false, &mut bytes) {
                return stop;
            }
            *line = std::array::from_fn(|c| u16::from_le_bytes([bytes[2 * c], bytes[2 * c + 1]]));
        }
        m.put(register, matrix::load(&tile, *transposed));
    }
    op.next()
}

/// `stmatrix`: the inverse.
pub fn store(m: &mut Machine<'_>, op: &Op) -> Pc {
    let Some(Matrix::Move { registers, transposed }) = detail(m, op) else { return Pc::STOP };
    if let Err(stop) = assemble(m, op) {
        return stop;
    }
    for (k, &register) in registers.iter().enumerate() {
        let tile = matrix::store(&m.get::<u32>(register), *transposed);
        for (r, line) in tile.iter().enumerate() {
            let lane = 8 * k + r;
            let address = m.rows.lane(op.r[4], true, lane).wrapping_add(op.imm);
            let bytes: Vec<u8> = line.iter().flat_map(|x| x.to_le_bytes()).collect();
            if let Err(stop) = scattered::write(m, op, lane, address, false, &bytes) {
                return stop;
            }
        }
    }
    op.next()
}

/// `movmatrix`: `r[1]` transposed into `r[2]`.
pub fn transpose(m: &mut Machine<'_>, op: &Op) -> Pc {
    if let Err(stop) = assemble(m, op) {
        return stop;
    }
    let value = m.get::<u32>(op.r[1]);
    m.put(op.r[2], matrix::transpose(&value));
    op.next()
}

/// `wmma.load` and `wmma.store`: `r[4]` is the row of generic addresses (plus `imm`), `r[3]` that of the strides.
pub fn fragment<const STORE: bool>(m: &mut Machine<'_>, op: &Op) -> Pc {
    let Some(Matrix::Fragment { registers, wide, elements }) = detail(m, op) else { return Pc::STOP };
    if let Err(stop) = assemble(m, op) {
        return stop;
    }
    for lane in m.active() {
        let base = m.rows.lane(op.r[4], true, lane).wrapping_add(op.imm);
        let stride = m.rows.lane(op.r[3], false, lane);
        for (k, &register) in registers.iter().enumerate() {
            let mut word = if STORE { m.rows.lane(register, *wide, lane) } else { 0 };
            for piece in elements.pieces(k, lane, stride) {
                let address = base.wrapping_add(piece.offset);
                let mut bytes = [0; 8];
                let bytes = &mut bytes[..piece.bytes];
                let done = if STORE {
                    bytes.copy_from_slice(&(word >> piece.shift).to_le_bytes()[..piece.bytes]);
                    scattered::write(m, op, lane, address, false, bytes)
                } else {
                    let done = scattered::read(m, op, lane, address, false, bytes);
                    let mut whole = [0; 8];
                    whole[..piece.bytes].copy_from_slice(bytes);
                    word |= u64::from_le_bytes(whole) << piece.shift;
                    done
                };
                if let Err(stop) = done {
                    return stop;
                }
            }
            if !STORE {
                m.rows.set_lane(register, *wide, lane, word);
            }
        }
    }
    op.next()
}
