//! Each instruction against a plain triple loop, with operands placed by the formulas of the instruction set manual,
//! written here as it writes them (per element index, not per tile).

use super::*;
use crate::num::{Round, bf16, f16, fp8};

/// A small repeatable number.
fn noise(seed: usize) -> u32 {
    let mut x = (seed as u32).wrapping_mul(0x9e37_79b9) ^ 0x5bd1_e995;
    x ^= x >> 15;
    x = x.wrapping_mul(0x85eb_ca6b);
    x ^ x >> 13
}

/// The row and column of element `i` of A in `lane`, for elements that fill `per` to a register, as in the manual's
/// tables for m16n8 shapes.
fn a_place(per: usize, i: usize, lane: usize) -> (usize, usize) {
    let (group, member) = (lane / 4, lane % 4);
    let low_row = (i / per).is_multiple_of(2);
    let low_half = i < 2 * per;
    (if low_row { group } else { group + 8 }, member * per + i % per + if low_half { 0 } else { 4 * per })
}

/// The row and column of element `i` of B in `lane`.
fn b_place(per: usize, i: usize, lane: usize) -> (usize, usize) {
    let (group, member) = (lane / 4, lane % 4);
    (member * per + i % per + if i < per { 0 } else { 4 * per }, group)
}

/// The row and column of value `i` of C in `lane`.
fn c_place(i: usize, lane: usize) -> (usize, usize) {
    let (group, member) = (lane / 4, lane % 4);
    (if i < 2 { group } else { group + 8 }, member * 2 + (i & 1))
}

/// Packs `value(row, column)`, of `32 / per` bits each, into registers.
fn pack(
    registers: usize,
    per: usize,
    place: impl Fn(usize, usize) -> (usize, usize),
    value: impl Fn(usize, usize) -> u32,
) -> Vec<Row> {
    let width = 32 / per;
    let mask = if width == 32 { u32::MAX } else { (1 << width) - 1 };
    let mut rows = vec![[0; 32]; registers];
    for i in 0..registers * per {
        for (lane, word) in rows[i / per].iter_mut().enumerate() {
            let (row, column) = place(i, lane);
            *word |= (value(row, column) & mask) << (i % per * width);
        }
    }
    rows
}

/// Small whole numbers are exact in every format, so the order of summation cannot matter.
fn small(element: Element, row: usize, column: usize) -> i32 {
    let value = noise(row * 1000 + column) as i32;
    match element {
        Element::U8 | Element::U4 => value & 15,
        Element::S4 => (value & 15) - 8,
        Element::B1 => value >> 3 & 1,
        Element::E5M2 => (value & 7) - 3,
        _ => (value & 15) - 7,
    }
}

fn encode(element: Element, value: i32) -> u32 {
    match element {
        Element::F16 => f16::from_f32(value as f32).into(),
        Element::BF16 => bf16::from_f32(value as f32).into(),
        // Low bits that a tensor core must not see.
        Element::TF32 => (value as f32).to_bits() | 0x1fff,
        Element::E4M3 => fp8::e4m3::from_f32(value as f32).into(),
        Element::E5M2 => fp8::e5m2::from_f32(value as f32).into(),
        _ => value as u32,
    }
}

fn encode_sum(sum: Sum, value: i32) -> u32 {
    match sum {
        Sum::F16 => f16::from_f32(value as f32).into(),
        Sum::F32 => (value as f32).to_bits(),
        Sum::S32 => value as u32,
    }
}

fn reference(mma: &Mma, c: impl Fn(usize, usize) -> i32, row: usize, column: usize) -> i32 {
    (0..mma.k).fold(c(row, column), |sum, k| {
        let (a, b) = (small(mma.a, row, k), small(mma.b, k + 500, column));
        sum + match (mma.a, mma.bits) {
            (Element::B1, BitOp::Xor) => a ^ b,
            (Element::B1, BitOp::And) => a & b,
            _ => a * b,
        }
    })
}

fn check(mma: Mma) {
    let (pa, pb) = (mma.a.per(), mma.b.per());
    let c_value = |row: usize, column: usize| (noise(row * 77 + column + 9_000) & 31) as i32 - 16;
    let a = pack(
        mma.m * mma.k / pa / 32,
        pa,
        |i, lane| a_place(pa, i, lane),
        |r, k| encode(mma.a, small(mma.a, r, k)),
    );
    let b = pack(
        mma.n * mma.k / pb / 32,
        pb,
        |i, lane| b_place(pb, i, lane),
        |k, n| encode(mma.b, small(mma.b, k + 500, n)),
    );
    let per_sum = |sum| if sum == Sum::F16 { 2 } else { 1 };
    let fragment = |sum, value: &dyn Fn(usize, usize) -> i32| {
        let registers = mma.m * mma.n / 32 / per_sum(sum);
        pack(registers, per_sum(sum), c_place, |row, column| encode_sum(sum, value(row, column)))
    };
    let c = fragment(mma.c, &c_value);
    let expected = fragment(mma.d, &|row, column| reference(&mma, c_value, row, column));
    let mut d = vec![[0xdead_beef; 32]; expected.len()];
    assert!(mma.apply(&a, &b, &c, &mut d), "{mma:?}");
    assert_eq!(d, expected, "{mma:?}");
}

fn mma((m, n, k): (usize, usize, usize), a: Element, b: Element, c: Sum, d: Sum) -> Mma {
    Mma { m, n, k, a, b, c, d, saturate: false, bits: BitOp::Xor }
}

#[test]
fn floats() {
    use Element::{BF16, E4M3, E5M2, F16, TF32};
    use Sum::{F16 as H, F32 as F};
    for k in [8, 16] {
        for (c, d) in [(F, F), (H, H), (F, H), (H, F)] {
            check(mma((16, 8, k), F16, F16, c, d));
        }
        check(mma((16, 8, k), BF16, BF16, F, F));
    }
    check(mma((16, 8, 4), TF32, TF32, F, F));
    check(mma((16, 8, 8), TF32, TF32, F, F));
    for (a, b) in [(E4M3, E4M3), (E4M3, E5M2), (E5M2, E4M3), (E5M2, E5M2)] {
        for k in [16, 32] {
            check(mma((16, 8, k), a, b, F, F));
            check(mma((16, 8, k), a, b, H, H));
        }
    }
}

#[test]
fn integers() {
    use Element::{S4, S8, U4, U8};
    for (a, b) in [(S8, S8), (S8, U8), (U8, S8), (U8, U8)] {
        for shape in [(8, 8, 16), (16, 8, 16), (16, 8, 32)] {
            check(mma(shape, a, b, Sum::S32, Sum::S32));
        }
    }
    for (a, b) in [(S4, S4), (S4, U4), (U4, S4), (U4, U4)] {
        for shape in [(8, 8, 32), (16, 8, 32), (16, 8, 64)] {
            check(mma(shape, a, b, Sum::S32, Sum::S32));
        }
    }
}

#[test]
fn single_bits() {
    for bits in [BitOp::Xor, BitOp::And] {
        for shape in [(8, 8, 128), (16, 8, 128), (16, 8, 256)] {
            check(Mma { bits, ..mma(shape, Element::B1, Element::B1, Sum::S32, Sum::S32) });
        }
    }
}

#[test]
fn saturation_is_for_integers_that_ask() {
    let wrap = mma((8, 8, 16), Element::U8, Element::U8, Sum::S32, Sum::S32);
    let (a, b, c) = ([[!0; 32]], [[!0; 32]], [[i32::MAX as u32; 32]; 2]);
    let mut d = [[0; 32]; 2];
    wrap.apply(&a, &b, &c, &mut d);
    assert_eq!(d[0][0], (i32::MAX as u32).wrapping_add(255 * 255 * 16));
    Mma { saturate: true, ..wrap }.apply(&a, &b, &c, &mut d);
    assert_eq!(d[1][31], i32::MAX as u32);
}

#[test]
fn unknown_shapes_are_refused() {
    let odd = mma((16, 8, 12), Element::F16, Element::F16, Sum::F32, Sum::F32);
    assert!(!odd.apply(&[], &[], &[], &mut []));
    assert!(!mma_f64((8, 8, 5), Round::Nearest, &[], &[], &[], &mut []));
    let short = mma((16, 8, 16), Element::F16, Element::F16, Sum::F32, Sum::F32);
    assert!(short.apply(&[[0; 32]], &[], &[], &mut [[7; 32]]), "missing registers count as zero");
}

/// Sums start from C and go up in k.
#[test]
fn order_of_summation() {
    let instruction = mma((16, 8, 8), Element::BF16, Element::BF16, Sum::F32, Sum::F32);
    let one = bf16::from_f32(1.0);
    let big = bf16::from_f32(2f32.powi(24));
    // k = 0 adds 2^24, k = 1 takes it away, C is 1: the 1 is lost on the way up.
    let a = pack(2, 2, |i, lane| a_place(2, i, lane), |_, k| u32::from(if k < 2 { one } else { 0 }));
    let b = pack(
        1,
        2,
        |i, lane| b_place(2, i, lane),
        |k, _| {
            u32::from(match k {
                0 => big,
                1 => big | 0x8000,
                _ => 0,
            })
        },
    );
    let mut d = [[0; 32]; 4];
    instruction.apply(&a, &b, &[[1f32.to_bits(); 32]; 4], &mut d);
    assert_eq!(d[0][0], 0);
}

#[test]
fn doubles() {
    for (m, k) in [(8, 4), (16, 4), (16, 8), (16, 16)] {
        let value = |row: usize, column: usize| f64::from(noise(row * 31 + column)) / 7.0;
        // One element to a register, so element and register index agree; A alternates between the row halves.
        let spread = |registers: usize, place: &dyn Fn(usize, usize) -> (usize, usize), offset: usize| {
            (0..registers)
                .map(|i| {
                    std::array::from_fn(|lane| {
                        let (row, column) = place(i, lane);
                        value(row + offset, column).to_bits()
                    })
                })
                .collect::<Vec<WideRow>>()
        };
        let tall = m / 8;
        let a = spread(m * k / 32, &|i, lane| (lane / 4 + 8 * (i % tall), lane % 4 + 4 * (i / tall)), 0);
        let b = spread(k / 4, &|i, lane| (lane % 4 + 4 * i, lane / 4), 100);
        let c = spread(m / 4, &c_place, 200);
        for mode in [Round::Nearest, Round::Up] {
            let mut d = vec![[0; 32]; m / 4];
            assert!(mma_f64((m, 8, k), mode, &a, &b, &c, &mut d));
            for lane in 0..32 {
                for (i, row) in d.iter().enumerate() {
                    let (r, n) = c_place(i, lane);
                    let exact =
                        (0..k).fold(value(r + 200, n), |sum, k| value(r, k).mul_add(value(k + 100, n), sum));
                    let got = f64::from_bits(row[lane]);
                    match mode {
                        Round::Nearest => assert_eq!(got, exact),
                        _ => assert!(got >= exact && got - exact < exact * 1e-14),
                    }
                }
            }
        }
    }
}

/// Fragments of `wmma`: what a load by [`Operand::at`] puts in, a store by [`Accumulators::at`] takes out.
#[test]
fn wmma_shapes() {
    use Element::{BF16, F16, S8, TF32, U8};
    let shapes = [(16, 16, 16), (8, 32, 16), (32, 8, 16)];
    let mut cases = vec![(mma((16, 16, 8), TF32, TF32, Sum::F32, Sum::F32), 4, 4)];
    for (at, shape) in shapes.into_iter().enumerate() {
        cases.push((mma(shape, F16, F16, Sum::F32, Sum::F16), 8, 8));
        cases.push((mma(shape, F16, F16, Sum::F16, Sum::F32), 8, 8));
        let (a, b) = [(4, 4), (2, 8), (8, 2)][at];
        cases.push((mma(shape, BF16, BF16, Sum::F32, Sum::F32), a, b));
        cases.push((mma(shape, S8, S8, Sum::S32, Sum::S32), a / 2, b / 2));
        cases.push((mma(shape, U8, U8, Sum::S32, Sum::S32), a / 2, b / 2));
    }
    for (mma, a_registers, b_registers) in cases {
        let (m, n, k) = (mma.m, mma.n, mma.k);
        let load = |operand: Operand, named: usize, value: &dyn Fn(usize, usize) -> u32| {
            assert!(operand.registers() <= named, "{mma:?}");
            let place = |i: usize, lane: usize| {
                let (outer, depth) = operand.at(i / operand.per, lane);
                (outer, depth + i % operand.per)
            };
            let mut rows = pack(operand.registers(), operand.per, place, value);
            rows.resize(named, [0; 32]);
            rows
        };
        let a =
            load(Operand::a(m, k, mma.a.per()), a_registers, &|row, k| encode(mma.a, small(mma.a, row, k)));
        let b =
            load(Operand::b(n, k, mma.b.per()), b_registers, &|n, k| encode(mma.b, small(mma.b, k + 500, n)));
        let places = Accumulators { m, n };
        assert_eq!(places.values(), 8);
        let c_value = |row: usize, column: usize| (row * 3 + column) as i32 - 20;
        let accumulators = |sum: Sum, value: &dyn Fn(usize, usize) -> i32| {
            let per = if sum == Sum::F16 { 2 } else { 1 };
            pack(
                8 / per,
                per,
                |i, lane| places.at(i, lane),
                |row, column| encode_sum(sum, value(row, column)),
            )
        };
        let c = accumulators(mma.c, &c_value);
        let expected = accumulators(mma.d, &|row, column| reference(&mma, c_value, row, column));
        let mut d = vec![[0; 32]; expected.len()];
        assert!(mma.apply(&a, &b, &c, &mut d), "{mma:?}");
        assert_eq!(d, expected, "{mma:?}");
        let mut seen = vec![0; m * n];
        (0..8).for_each(|value| {
            (0..32).for_each(|lane| {
                let (row, column) = places.at(value, lane);
                seen[row * n + column] += 1;
            })
        });
        assert!(seen.iter().all(|&times| times == 1), "every element has one place");
    }
}

/// The four products of m8n8k4, placed by the manual's formulas.
#[test]
fn quads() {
    let value = |product: usize, seed: usize, row: usize, column: usize| {
        (noise(product * 10_000 + seed * 1000 + row * 10 + column) & 15) as i32 - 7
    };
    let product_of = |lane: usize| lane % 16 / 4;
    let upper = |lane: usize| if lane < 16 { 0 } else { 4 };
    let f16_bits = |value: i32| u32::from(f16::from_f32(value as f32));
    for a_layout in [Layout::Row, Layout::Col] {
        for b_layout in [Layout::Row, Layout::Col] {
            for (c_type, d_type) in
                [(Sum::F32, Sum::F32), (Sum::F16, Sum::F16), (Sum::F16, Sum::F32), (Sum::F32, Sum::F16)]
            {
                let halves = |registers: usize, at: &dyn Fn(usize, usize) -> i32| {
                    let mut rows = vec![[0u32; 32]; registers];
                    for i in 0..2 * registers {
                        for (lane, word) in rows[i / 2].iter_mut().enumerate() {
                            *word |= f16_bits(at(i, lane)) << (i % 2 * 16);
                        }
                    }
                    rows
                };
                let a = halves(2, &|i, lane| match a_layout {
                    Layout::Row => value(product_of(lane), 1, lane % 4 + upper(lane), i),
                    Layout::Col => value(product_of(lane), 1, i % 4 + upper(lane), lane % 4),
                });
                let b = halves(2, &|i, lane| match b_layout {
                    Layout::Row => value(product_of(lane), 2, lane % 4, i + upper(lane)),
                    Layout::Col => value(product_of(lane), 2, i, lane % 4 + upper(lane)),
                });
                let spread = |sum: Sum, at: &dyn Fn(usize, usize, usize) -> i32| match sum {
                    Sum::F16 => halves(4, &|i, lane| at(product_of(lane), lane % 4 + upper(lane), i)),
                    _ => (0..8)
                        .map(|i| {
                            std::array::from_fn(|lane| {
                                let row = (lane & 1) + (i & 2) + upper(lane);
                                let column = (i & 4) + (lane & 2) + (i & 1);
                                (at(product_of(lane), row, column) as f32).to_bits()
                            })
                        })
                        .collect(),
                };
                let c = spread(c_type, &|product, row, column| value(product, 3, row, column));
                let expected = spread(d_type, &|product, row, column| {
                    (0..4).fold(value(product, 3, row, column), |sum, k| {
                        sum + value(product, 1, row, k) * value(product, 2, k, column)
                    })
                });
                let mut d = vec![[0xdead_beef; 32]; expected.len()];
                mma_quad((a_layout, &a), (b_layout, &b), (c_type, &c), (d_type, &mut d));
                assert_eq!(d, expected, "{a_layout:?} {b_layout:?} {c_type:?} {d_type:?}");
            }
        }
    }
}
