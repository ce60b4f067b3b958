use super::*;
use crate::num::random::Random;

/// Bit `i` of `x`.
fn bit(x: u64, i: u32) -> u64 {
    x >> i & 1
}

/// The loop by which the ISA defines `bfe`.
fn bfe_by_bits(a: u64, pos: u32, len: u32, width: u32, signed: bool) -> u64 {
    let (pos, len, msb) = (pos & 0xff, len & 0xff, width - 1);
    let sign = if !signed || len == 0 { 0 } else { bit(a, (pos + len - 1).min(msb)) };
    (0..width).fold(0, |d, i| d | (if i < len && pos + i <= msb { bit(a, pos + i) } else { sign }) << i)
}

fn bfi_by_bits(a: u64, b: u64, pos: u32, len: u32, width: u32) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    (0..len).take_while(|i| pos + i < width).fold(b, |f, i| f & !(1 << (pos + i)) | bit(a, i) << (pos + i))
}

fn bfind_by_bits(a: u64, width: u32, signed: bool) -> u32 {
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let a = if signed && bit(a, width - 1) == 1 { !a & mask } else { a & mask };
    (0..width).rev().find(|&i| bit(a, i) == 1).unwrap_or(u32::MAX)
}

#[test]
fn bit_fields_match_their_definition() {
    let mut random = Random::new(7);
    for _ in 0..100_000 {
        let (a, b) = (random.int(), random.int());
        let (pos, len) = (random.below(80) as u32, random.below(300) as u32);
        let (a32, b32) = (a as u32, b as u32);
        assert_eq!(u64::from(a32.bfe(pos, len)), bfe_by_bits(a, pos, len, 32, false));
        assert_eq!(u64::from((a as i32).bfe(pos, len) as u32), bfe_by_bits(a, pos, len, 32, true));
        assert_eq!(a.bfe(pos, len), bfe_by_bits(a, pos, len, 64, false));
        assert_eq!((a as i64).bfe(pos, len) as u64, bfe_by_bits(a, pos, len, 64, true));
        assert_eq!(u64::from(bfi32(a32, b32, pos, len)), bfi_by_bits(a, b32.into(), pos, len, 32));
        assert_eq!(bfi64(a, b, pos, len), bfi_by_bits(a, b, pos, len, 64));
        assert_eq!(a32.bfind(), bfind_by_bits(a, 32, false));
        assert_eq!((a as i32).bfind(), bfind_by_bits(a, 32, true));
        assert_eq!(a.bfind(), bfind_by_bits(a, 64, false));
        assert_eq!((a as i64).bfind(), bfind_by_bits(a, 64, true));
        if a32 != 0 {
            assert_eq!(bfind_shift(a32), a32.leading_zeros());
        }
    }
    assert_eq!(bfind_shift(0u64), u32::MAX);
    assert_eq!(bfind_shift(-1i32), u32::MAX);
}

#[test]
fn products_match_wide_arithmetic() {
    let mut random = Random::new(8);
    for _ in 0..100_000 {
        let (a, b, c) = (random.int(), random.int(), random.int());
        let wide = i128::from(a as i64) * i128::from(b as i64);
        assert_eq!((a as i64).mul_hi(b as i64), (wide >> 64) as i64);
        assert_eq!(a.mul_hi(b), ((u128::from(a) * u128::from(b)) >> 64) as u64);
        let (a32, b32, c32) = (a as i32, b as i32, c as i32);
        let product = i64::from(a32) * i64::from(b32);
        assert_eq!(a32.mul_wide(b32), product);
        assert_eq!(a32.mul_hi(b32), (product >> 32) as i32);
        let clamp = |x: i64| x.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        assert_eq!(mad_hi_sat(a32, b32, c32), clamp((product >> 32) + i64::from(c32)));
        assert_eq!((a as i16).mul_wide(b as i16), i32::from(a as i16) * i32::from(b as i16));
        assert_eq!((a as u16).mul_hi(b as u16), ((u32::from(a as u16) * u32::from(b as u16)) >> 16) as u16);
        let low24 = |x: u64| (x as i64) << 40 >> 40;
        let product = low24(a) * low24(b);
        assert_eq!(mul24_lo_s32(a32, b32), product as i32);
        assert_eq!(mul24_hi_s32(a32, b32), (product >> 16) as i32);
        assert_eq!(mad24_hi_sat(a32, b32, c32), clamp(i64::from((product >> 16) as i32) + i64::from(c32)));
        let product = (a & 0xff_ffff) * (b & 0xff_ffff);
        assert_eq!(mul24_lo_u32(a as u32, b as u32), product as u32);
        assert_eq!(mul24_hi_u32(a as u32, b as u32), (product >> 16) as u32);
    }
}

#[test]
fn division_never_panics() {
    assert_eq!((7u32.div(0), 7u32.rem(0)), (u32::MAX, u32::MAX));
    assert_eq!((i64::MIN.div(-1), i64::MIN.rem(-1)), (i64::MIN, 0));
    assert_eq!((i32::MIN.div(0), (-7i32).div(2), (-7i32).rem(2)), (-1, -3, -1));
    assert_eq!((i16::MIN.div(-1), u16::MAX.rem(10)), (i16::MIN, 5));
}

#[test]
fn differences_and_shifts() {
    assert_eq!(3u32.sad(10, 5), 12);
    assert_eq!((-3i16).sad(10, 5), 18);
    assert_eq!((1u16.shl(16), 1u64.shl(63), 1u32.shl(u32::MAX)), (0, 1 << 63, 0));
    assert_eq!(((-8i32).shr(40), (-8i32).shr(1), 0x8000u16.shr(16), u64::MAX.shr(64)), (-1, -4, 0, 0));
}

#[test]
fn funnel_shifts_match_their_definition() {
    let mut random = Random::new(9);
    for _ in 0..50_000 {
        let (a, b, c) = (random.int() as u32, random.int() as u32, random.below(70) as u32);
        let joined = u64::from(b) << 32 | u64::from(a);
        let bits = |from: u32| (joined >> from) as u32;
        let (wrap, clamp) = (c & 31, c.min(32));
        assert_eq!(shf_l_wrap(a, b, c), bits(32 - wrap));
        assert_eq!(shf_l_clamp(a, b, c), bits(32 - clamp));
        assert_eq!(shf_r_wrap(a, b, c), bits(wrap));
        assert_eq!(shf_r_clamp(a, b, c), bits(clamp));
    }
}

#[test]
fn carries_chain() {
    let mut random = Random::new(10);
    for _ in 0..50_000 {
        let (a, b, c) = (random.int(), random.int(), random.below(2) == 1);
        let sum = u128::from(a) + u128::from(b) + u128::from(c);
        assert_eq!(add_carry64(a, b, c), (sum as u64, sum >> 64 == 1));
        let difference = i128::from(a) - i128::from(b) - i128::from(c);
        assert_eq!(sub_borrow64(a, b, c), (difference as u64, difference < 0));
        let (a, b) = (a as u32, b as u32);
        let sum = u64::from(a) + u64::from(b) + u64::from(c);
        assert_eq!(add_carry32(a, b, c), (sum as u32, sum >> 32 == 1));
        let difference = i64::from(a) - i64::from(b) - i64::from(c);
        assert_eq!(sub_borrow32(a, b, c), (difference as u32, difference < 0));
    }
}

#[test]
fn masks_and_extensions() {
    assert_eq!(bmsk_wrap(1, 2), 6);
    assert_eq!(
        (bmsk_clamp(32, 4), bmsk_clamp(4, 40), bmsk_clamp(30, 5), bmsk_clamp(3, 0)),
        (0, !15, 3 << 30, 0)
    );
    assert_eq!((bmsk_wrap(33, 33), bmsk_wrap(0, 32)), (2, 0));
    assert_eq!(
        (zext_clamp(!0, 5), zext_clamp(!0, 0), zext_clamp(!0, 32), zext_clamp(!0, 99)),
        (31, 0, !0, !0)
    );
    assert_eq!(
        (sext_clamp(0x1f, 5), sext_clamp(0x0f, 5), sext_clamp(5, 0), sext_clamp(!1, 77)),
        (!0, 15, 0, !1)
    );
}

#[test]
fn permutations() {
    let (a, b) = (0x8382_8180, 0x0706_0504);
    assert_eq!(prmt(a, b, 0x7610), 0x0706_8180);
    assert_eq!(prmt(a, b, 0xf8c3), 0x00ff_0083);
    let all = |mode: Permute| [0, 1, 2, 7].map(|c| prmt(0x0302_0100, b, mode.selectors(c)));
    assert_eq!(all(Permute::F4e), [0x0302_0100, 0x0403_0201, 0x0504_0302, 0x0605_0403]);
    assert_eq!(all(Permute::B4e), [0x0506_0700, 0x0607_0001, 0x0700_0102, 0x0001_0203]);
    assert_eq!(all(Permute::Rc8), [0, 0x0101_0101, 0x0202_0202, 0x0303_0303]);
    assert_eq!(all(Permute::Ecl), [0x0302_0100, 0x0302_0101, 0x0302_0202, 0x0303_0303]);
    assert_eq!(all(Permute::Ecr), [0, 0x0101_0100, 0x0202_0100, 0x0302_0100]);
    assert_eq!(all(Permute::Rc16), [0x0100_0100, 0x0302_0302, 0x0100_0100, 0x0302_0302]);
}

#[test]
fn truth_tables() {
    let (a, b, c) = (0x1234_5678, 0x9abc_def0, 0x0f0f_3333);
    for lut in 0..=255u8 {
        let got = lop3(a, b, c, lut);
        for i in 0..32 {
            let index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1;
            assert_eq!(got >> i & 1, u32::from(lut) >> index & 1, "lut {lut:#x} bit {i}");
        }
    }
    assert_eq!(lop3(a, b, c, (0xf0 & 0xcc | 0xaa) ^ 0xf0), (a & b | c) ^ a);
}

#[test]
fn nth_set_bit() {
    let mask = 0xaaaa_aaaa;
    assert_eq!([fns(mask, 3, 1), fns(mask, 3, -1), fns(mask, 2, 1), fns(mask, 2, -1)], [3, 3, 3, 1]);
    assert_eq!(
        [fns(mask, 3, 0), fns(mask, 2, 0), fns(mask, 31, 2), fns(mask, 31, -16)],
        [3, u32::MAX, u32::MAX, 1]
    );
    assert_eq!([fns(0, 0, 1), fns(mask, 0, i32::MIN), fns(mask, 0, i32::MAX)], [u32::MAX; 3]);
}

#[test]
fn dot_products() {
    assert_eq!(dp4a(0x0102_03ff, 0x0101_0101, 10, false, false), 10 + 1 + 2 + 3 + 255);
    assert_eq!(dp4a(0x0102_03ff, 0x0101_0101, 10, true, true), 10 + 1 + 2 + 3 - 1);
    assert_eq!(dp4a(0x8080_8080, 0xffff_ffff, 0, true, false) as i32, -128 * 255 * 4);
    assert_eq!(dp2a(0xffff_0002, 0x0403_0201, 100, true, true, false), 100 + 2 - 2);
    assert_eq!(dp2a(0xffff_0002, 0x0403_0201, 100, false, false, true), 100 + 2 * 3 + 65535 * 4);
}
