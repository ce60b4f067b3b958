//! Addition, subtraction and multiply-add through the carry flag of each thread.

use crate::machine::Machine;
use crate::num::int::Int;
use crate::op::{Op, Pc};
use crate::rows_unsafe::{LANES, Lane};

// What `imm` says.
pub const ADD: u64 = 0;
pub const SUBTRACT: u64 = 1;
pub const MAD_LO: u64 = 2;
pub const MAD_HI: u64 = 3;
pub const MAD_HI_SIGNED: u64 = 4;
/// The flag takes part.
pub const READS: u64 = 8;
/// The flag is set from the result.
pub const WRITES: u64 = 16;

/// The widths a chain may have.
pub trait Word: Lane {
    fn add(self, b: Self, carry: bool) -> (Self, bool);
    fn sub(self, b: Self, borrow: bool) -> (Self, bool);
    fn product(self, b: Self, kind: u64) -> Self;
}

macro_rules! word {
    ($($ty:ident $signed:ident $add:ident $sub:ident;)*) => { $(
        impl Word for $ty {
            fn add(self, b: $ty, carry: bool) -> ($ty, bool) { crate::num::int::$add(self, b, carry) }
            fn sub(self, b: $ty, borrow: bool) -> ($ty, bool) { crate::num::int::$sub(self, b, borrow) }
            fn product(self, b: $ty, kind: u64) -> $ty {
                match kind {
                    MAD_HI => self.mul_hi(b),
                    MAD_HI_SIGNED => (self as $signed).mul_hi(b as $signed) as $ty,
                    _ => self.wrapping_mul(b),
                }
            }
        }
    )* };
}

word! {
    u32 i32 add_carry32 sub_borrow32;
    u64 i64 add_carry64 sub_borrow64;
}

/// `d = a + b` and its kin; `r[3]` is the addend of a multiply-add.
pub fn chain<T: Word>(m: &mut Machine<'_>, op: &Op) -> Pc {
    let (a, b) = (m.get::<T>(op.r[1]), m.get::<T>(op.r[2]));
    let kind = op.imm & 7;
    let c = if kind >= MAD_LO { m.get::<T>(op.r[3]) } else { b };
    let flags = if op.imm & READS != 0 { m.warp.carry } else { 0 };
    let mut carry = 0;
    let mut d = a;
    for i in 0..LANES {
        let flag = flags >> i & 1 != 0;
        let (value, out) = match kind {
            ADD => a[i].add(b[i], flag),
            SUBTRACT => a[i].sub(b[i], flag),
            _ => a[i].product(b[i], kind).add(c[i], flag),
        };
        d[i] = value;
        carry |= u32::from(out) << i;
    }
    m.put(op.r[0], d);
    if op.imm & WRITES != 0 {
        m.warp.carry ^= (m.warp.carry ^ carry) & m.mask;
    }
    op.next()
}
