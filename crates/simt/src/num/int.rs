//! Integers and bit fields.
//!
//! Wrapping addition, logic and the like are Rust's own operators; this file holds what PTX defines differently.

/// The integer types of PTX instructions, so that each operation is written once.
pub trait Int: Copy + PartialOrd {
    /// Twice as wide; what `mul.wide` gives.
    type Wide;
    const BITS: u32;

    /// `div`: zero divides to all ones, the smallest by -1 to itself.
    fn div(self, by: Self) -> Self;
    /// `rem`: the remainder by zero is all ones, by -1 zero.
    fn rem(self, by: Self) -> Self;
    /// `mul.hi`.
    fn mul_hi(self, by: Self) -> Self;
    /// `mul.wide`.
    fn mul_wide(self, by: Self) -> Self::Wide;
    /// `sad`: `c + |a - b|`.
    fn sad(self, b: Self, c: Self) -> Self;
    /// `shl`: an amount of the width or more leaves nothing.
    fn shl(self, by: u32) -> Self;
    /// `shr`: an amount of the width or more leaves only copies of the sign.
    fn shr(self, by: u32) -> Self;
    /// `bfind`: the highest bit that differs from the sign, all ones if none does.
    fn bfind(self) -> u32;
    /// `bfe`: `len` bits from `pos`, extended by the sign of the field if the type is signed.
    fn bfe(self, pos: u32, len: u32) -> Self;
}

macro_rules! int {
    ($($t:ident $wide:ident $unsigned:ident;)*) => { $(
        impl Int for $t {
            type Wide = $wide;
            const BITS: u32 = $t::BITS;

            #[inline(always)]
            fn div(self, by: $t) -> $t {
                let safe = if by == 0 { 1 } else { by };
                if by == 0 { !0 } else { self.wrapping_div(safe) }
            }

            #[inline(always)]
            fn rem(self, by: $t) -> $t {
                let safe = if by == 0 { 1 } else { by };
                if by == 0 { !0 } else { self.wrapping_rem(safe) }
            }

            #[inline(always)]
            fn mul_hi(self, by: $t) -> $t {
                ((self as $wide).wrapping_mul(by as $wide) >> $t::BITS) as $t
            }

            #[inline(always)]
            fn mul_wide(self, by: $t) -> $wide {
                (self as $wide).wrapping_mul(by as $wide)
            }

            #[inline(always)]
            fn sad(self, b: $t, c: $t) -> $t {
                c.wrapping_add(if self < b { b.wrapping_sub(self) } else { self.wrapping_sub(b) })
            }

            #[inline(always)]
            fn shl(self, by: u32) -> $t {
                if by < $t::BITS { self.wrapping_shl(by) } else { 0 }
            }

            #[inline(always)]
            fn shr(self, by: u32) -> $t {
                let signed = $t::MIN != 0;
                if by < $t::BITS {
                    self.wrapping_shr(by)
                } else if signed {
                    self.wrapping_shr($t::BITS - 1)
                } else {
                    0
                }
            }

            #[inline(always)]
            fn bfind(self) -> u32 {
                // All ones for a negative number, else zero.
                let sign = self.shr($t::BITS);
                let magnitude = (self ^ sign) as $unsigned;
                ($t::BITS - 1).wrapping_sub(magnitude.leading_zeros())
            }

            #[inline(always)]
            fn bfe(self, pos: u32, len: u32) -> $t {
                let (pos, len) = (pos & 0xff, len & 0xff);
                let last = if pos + len > $t::BITS { $t::BITS } else { pos + len };
                // To the top and back down: the way down extends by the sign of the type.
                let up = self.shl($t::BITS - last);
                if len == 0 { 0 } else { up.shr($t::BITS - last + pos) }
            }
        }
    )* };
}

int! {
    u8 u16 u8;
    i8 i16 u8;
    u16 u32 u16;
    i16 i32 u16;
    u32 u64 u32;
    i32 i64 u32;
    u64 u128 u64;
    i64 i128 u64;
}

/// `bfind.shiftamt`: how far left the found bit must go to become the highest.
#[inline(always)]
pub fn bfind_shift<T: Int>(a: T) -> u32 {
    let found = a.bfind();
    if found == u32::MAX { found } else { T::BITS - 1 - found }
}

/// `bfi.b32`: the low `len` bits of `a` placed at `pos` in `b`.
#[inline(always)]
pub fn bfi32(a: u32, b: u32, pos: u32, len: u32) -> u32 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    let mask = (!(!0u32).shl(len)).shl(pos);
    a.shl(pos) & mask | b & !mask
}

/// `bfi.b64`: the low `len` bits of `a` placed at `pos` in `b`.
#[inline(always)]
pub fn bfi64(a: u64, b: u64, pos: u32, len: u32) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    let mask = (!(!0u64).shl(len)).shl(pos);
    a.shl(pos) & mask | b & !mask
}

/// `mad.hi.sat.s32`.
#[inline(always)]
pub fn mad_hi_sat(a: i32, b: i32, c: i32) -> i32 {
    a.mul_hi(b).saturating_add(c)
}

/// The 48-bit product of `mul24.u32`.
#[inline(always)]
fn product24_u32(a: u32, b: u32) -> u64 {
    u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)
}

/// The 48-bit product of `mul24.s32`.
#[inline(always)]
fn product24_s32(a: i32, b: i32) -> i64 {
    i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)
}

#[inline(always)]
pub fn mul24_lo_u32(a: u32, b: u32) -> u32 {
    product24_u32(a, b) as u32
}

/// Bits 47..16 of the product.
#[inline(always)]
pub fn mul24_hi_u32(a: u32, b: u32) -> u32 {
    (product24_u32(a, b) >> 16) as u32
}

#[inline(always)]
pub fn mul24_lo_s32(a: i32, b: i32) -> i32 {
    product24_s32(a, b) as i32
}

/// Bits 47..16 of the product.
#[inline(always)]
pub fn mul24_hi_s32(a: i32, b: i32) -> i32 {
    (product24_s32(a, b) >> 16) as i32
}

/// `mad24.hi.sat.s32`.
#[inline(always)]
pub fn mad24_hi_sat(a: i32, b: i32, c: i32) -> i32 {
    mul24_hi_s32(a, b).saturating_add(c)
}

/// `a + b + carry` and the carry out.
#[inline(always)]
pub fn add_carry32(a: u32, b: u32, carry: bool) -> (u32, bool) {
    let sum = u64::from(a) + u64::from(b) + u64::from(carry);
    (sum as u32, sum >> 32 != 0)
}

/// `a + b + carry` and the carry out.
#[inline(always)]
pub fn add_carry64(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (partial, first) = a.overflowing_add(b);
    let (sum, second) = partial.overflowing_add(u64::from(carry));
    (sum, first | second)
}

/// `a - (b + borrow)` and the borrow out, which PTX keeps in the carry flag.
#[inline(always)]
pub fn sub_borrow32(a: u32, b: u32, borrow: bool) -> (u32, bool) {
    let difference = u64::from(a).wrapping_sub(u64::from(b) + u64::from(borrow));
    (difference as u32, difference >> 32 != 0)
}

/// `a - (b + borrow)` and the borrow out, which PTX keeps in the carry flag.
#[inline(always)]
pub fn sub_borrow64(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (partial, first) = a.overflowing_sub(b);
    let (difference, second) = partial.overflowing_sub(u64::from(borrow));
    (difference, first | second)
}

/// The upper word of `high:low` shifted left.
#[inline(always)]
pub fn shf_l_wrap(low: u32, high: u32, by: u32) -> u32 {
    ((pair(low, high) << (by & 31)) >> 32) as u32
}

/// As [`shf_l_wrap`], but amounts above 32 count as 32.
#[inline(always)]
pub fn shf_l_clamp(low: u32, high: u32, by: u32) -> u32 {
    ((pair(low, high) << by.min(32)) >> 32) as u32
}

/// The lower word of `high:low` shifted right.
#[inline(always)]
pub fn shf_r_wrap(low: u32, high: u32, by: u32) -> u32 {
    (pair(low, high) >> (by & 31)) as u32
}

/// As [`shf_r_wrap`], but amounts above 32 count as 32.
#[inline(always)]
pub fn shf_r_clamp(low: u32, high: u32, by: u32) -> u32 {
    (pair(low, high) >> by.min(32)) as u32
}

#[inline(always)]
fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// `bmsk.clamp`: `width` ones from bit `pos`.
#[inline(always)]
pub fn bmsk_clamp(pos: u32, width: u32) -> u32 {
    (!(!0u32).shl(width)).shl(pos)
}

/// `bmsk.wrap`: both operands count modulo 32.
#[inline(always)]
pub fn bmsk_wrap(pos: u32, width: u32) -> u32 {
    bmsk_clamp(pos & 31, width & 31)
}

/// `szext.clamp.u32`: the low `bits` bits.
#[inline(always)]
pub fn zext_clamp(a: u32, bits: u32) -> u32 {
    a & !(!0u32).shl(bits)
}

/// `szext.clamp.s32`: the low `bits` bits, sign extended.
#[inline(always)]
pub fn sext_clamp(a: u32, bits: u32) -> u32 {
    let unused = 32 - bits.min(32);
    a.shl(unused).cast_signed().shr(unused).cast_unsigned()
}

/// `prmt.b32`: four bytes chosen from `b:a`; bit 3 of a selector spreads the sign of its byte.
#[inline(always)]
pub fn prmt(a: u32, b: u32, selectors: u32) -> u32 {
    let source = pair(a, b);
    let mut result = 0;
    let mut at = 0;
    while at < 4 {
        let selector = selectors >> (4 * at);
        let byte = (source >> (8 * (selector & 7))) as u8;
        let spread = (byte.cast_signed() >> 7).cast_unsigned();
        result |= u32::from(if selector & 8 == 0 { byte } else { spread }) << (8 * at);
        at += 1;
    }
    result
}

/// The modes of `prmt` with a two-bit control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permute {
    /// Forward 4 extract.
    F4e,
    /// Backward 4 extract.
    B4e,
    /// Replicate 8.
    Rc8,
    /// Edge clamp left.
    Ecl,
    /// Edge clamp right.
    Ecr,
    /// Replicate 16.
    Rc16,
}

impl Permute {
    /// The [`prmt`] selectors that a mode means for the control `c`.
    #[inline(always)]
    pub fn selectors(self, c: u32) -> u32 {
        // The four answers of each mode; a digit picks a byte, the last digit the lowest one.
        let answers = match self {
            Permute::F4e => [0x3210, 0x4321, 0x5432, 0x6543],
            Permute::B4e => [0x5670, 0x6701, 0x7012, 0x0123],
            Permute::Rc8 => [0x0000, 0x1111, 0x2222, 0x3333],
            Permute::Ecl => [0x3210, 0x3211, 0x3222, 0x3333],
            Permute::Ecr => [0x0000, 0x1110, 0x2210, 0x3210],
            Permute::Rc16 => [0x1010, 0x3232, 0x1010, 0x3232],
        };
        answers[(c & 3) as usize]
    }
}

/// `lop3`: bit by bit, the entry of the truth table `lut` that the three inputs address.
#[inline(always)]
pub fn lop3(a: u32, b: u32, c: u32, lut: u8) -> u32 {
    let term = |index: u8, bits: u32| if lut >> index & 1 == 1 { bits } else { 0 };
    term(0, !a & !b & !c)
        | term(1, !a & !b & c)
        | term(2, !a & b & !c)
        | term(3, !a & b & c)
        | term(4, a & !b & !c)
        | term(5, a & !b & c)
        | term(6, a & b & !c)
        | term(7, a & b & c)
}

/// `fns`: the position of the set bit of `mask` that is `offset` set bits away from `base`.
#[inline(always)]
pub fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    let base = base & 31;
    if offset == 0 {
        return if mask >> base & 1 == 1 { base } else { u32::MAX };
    }
    // Looking down is looking up in the mirror.
    let (mirrored, from) = if offset > 0 { (mask, base) } else { (mask.reverse_bits(), 31 - base) };
    let mut rest = mirrored >> from << from;
    let mut skip = offset.unsigned_abs() - 1;
    while rest != 0 && skip > 0 {
        rest &= rest - 1;
        skip -= 1;
    }
    if rest == 0 {
        return u32::MAX;
    }
    let found = rest.trailing_zeros();
    if offset > 0 { found } else { 31 - found }
}

/// Byte `at` of `x`, extended by its sign or by zeros.
#[inline(always)]
fn byte(x: u32, at: u32, signed: bool) -> i32 {
    let raw = (x >> (8 * at)) as u8;
    if signed { i32::from(raw.cast_signed()) } else { i32::from(raw) }
}

/// Half word `at` of `x`, extended by its sign or by zeros.
#[inline(always)]
fn half(x: u32, at: u32, signed: bool) -> i32 {
    let raw = (x >> (16 * at)) as u16;
    if signed { i32::from(raw.cast_signed()) } else { i32::from(raw) }
}

/// `dp4a`: `c` plus the product of the bytes, wrapping.
#[inline(always)]
pub fn dp4a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    let mut sum = c.cast_signed();
    let mut at = 0;
    while at < 4 {
        sum = sum.wrapping_add(byte(a, at, a_signed) * byte(b, at, b_signed));
        at += 1;
    }
    sum.cast_unsigned()
}

/// `dp2a`: `c` plus the product of the half words of `a` with the lower or upper two bytes of `b`, wrapping.
#[inline(always)]
pub fn dp2a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, upper: bool) -> u32 {
    let from = if upper { 2 } else { 0 };
    let low = half(a, 0, a_signed).wrapping_mul(byte(b, from, b_signed));
    let high = half(a, 1, a_signed).wrapping_mul(byte(b, from + 1, b_signed));
    c.cast_signed().wrapping_add(low).wrapping_add(high).cast_unsigned()
}

#[cfg(test)]
mod tests;
