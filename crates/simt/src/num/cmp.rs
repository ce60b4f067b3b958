//! Comparisons. One small function per operator, so that a loop over lanes can be instantiated for each; the type
//! says whether integers compare signed.
//!
//! f16 and bf16 compare as the f32 they widen to.

/// The operators of `setp`. `lo ls hi hs` are `lt le gt ge` of unsigned types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    Num,
    Nan,
}

impl Cmp {
    pub const ALL: [Cmp; 14] = [
        Cmp::Eq,
        Cmp::Ne,
        Cmp::Lt,
        Cmp::Le,
        Cmp::Gt,
        Cmp::Ge,
        Cmp::Equ,
        Cmp::Neu,
        Cmp::Ltu,
        Cmp::Leu,
        Cmp::Gtu,
        Cmp::Geu,
        Cmp::Num,
        Cmp::Nan,
    ];
}

/// `a cmp b`. With a constant `cmp` this folds to one comparison.
#[inline(always)]
pub fn compare<T: PartialOrd>(cmp: Cmp, a: T, b: T) -> bool {
    match cmp {
        Cmp::Eq => a == b,
        // False if either is NaN, unlike Rust's `!=`.
        Cmp::Ne => ordered(&a, &b) && a != b,
        Cmp::Lt => a < b,
        Cmp::Le => a <= b,
        Cmp::Gt => a > b,
        Cmp::Ge => a >= b,
        Cmp::Equ => !ordered(&a, &b) || a == b,
        Cmp::Neu => a != b,
        Cmp::Ltu => !at_least(&a, &b),
        Cmp::Leu => !above(&a, &b),
        Cmp::Gtu => !at_least(&b, &a),
        Cmp::Geu => !above(&b, &a),
        Cmp::Num => ordered(&a, &b),
        Cmp::Nan => !ordered(&a, &b),
    }
}

// Named, so that negating them reads as what it is: true also for NaN.
#[inline(always)]
fn at_least<T: PartialOrd>(a: &T, b: &T) -> bool {
    a >= b
}

#[inline(always)]
fn above<T: PartialOrd>(a: &T, b: &T) -> bool {
    a > b
}

#[inline(always)]
#[allow(clippy::eq_op)] // only a NaN differs from itself
fn ordered<T: PartialOrd>(a: &T, b: &T) -> bool {
    a == a && b == b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_decides_by_the_letter_u() {
        let holds = |a: f32, b: f32| Cmp::ALL.map(|cmp| u8::from(compare(cmp, a, b)));
        //                            eq ne lt le gt ge|equ neu ltu leu gtu geu|num nan
        assert_eq!(holds(1.0, 2.0), [0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0]);
        assert_eq!(holds(2.0, 1.0), [0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0]);
        assert_eq!(holds(-0.0, 0.0), [1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0]);
        assert_eq!(holds(f32::NAN, 1.0), [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1]);
        assert_eq!(holds(1.0, f32::NAN), [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1]);
    }

    #[test]
    fn the_type_carries_the_sign() {
        assert!(compare(Cmp::Lt, -1i32, 1));
        assert!(compare(Cmp::Gt, u32::MAX, 1));
        assert!(compare(Cmp::Ne, 1u64, 2));
    }
}
