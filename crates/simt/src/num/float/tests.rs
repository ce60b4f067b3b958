use std::cmp::Ordering;

use super::*;
use crate::num::big::{Big, PLACES};
use crate::num::random::Random;

const DIRECTED: [Round; 3] = [Round::Zero, Round::Down, Round::Up];

trait Step: Float + std::fmt::Debug {
    fn up(self) -> Self;
    fn down(self) -> Self;
    fn any(random: &mut Random) -> Self;
}

impl Step for f32 {
    fn up(self) -> f32 {
        self.next_up()
    }
    fn down(self) -> f32 {
        self.next_down()
    }
    fn any(random: &mut Random) -> f32 {
        random.f32()
    }
}

impl Step for f64 {
    fn up(self) -> f64 {
        self.next_up()
    }
    fn down(self) -> f64 {
        self.next_down()
    }
    fn any(random: &mut Random) -> f64 {
        random.f64()
    }
}

/// `result` is the neighbour of the true value in direction `mode`; `order` compares a candidate with that value.
fn assert_directed<T: Step>(result: T, mode: Round, negative: bool, order: impl Fn(T) -> Ordering) {
    let below = match mode {
        Round::Down => true,
        Round::Up => false,
        _ => !negative,
    };
    let infinite = result.bits() & !T::SIGN == T::INFINITY;
    let finite_order = |x: T| {
        let magnitude = x.bits() & !T::SIGN;
        if magnitude == T::INFINITY {
            if x > T::ZERO { Ordering::Greater } else { Ordering::Less }
        } else {
            order(x)
        }
    };
    assert!(!infinite || mode != Round::Zero, "{result:?} {mode:?}");
    if below {
        assert_ne!(finite_order(result), Ordering::Greater, "{result:?} {mode:?} too high");
        assert_eq!(finite_order(result.up()), Ordering::Greater, "{result:?} {mode:?} too low");
    } else {
        assert_ne!(finite_order(result), Ordering::Less, "{result:?} {mode:?} too low");
        assert_eq!(finite_order(result.down()), Ordering::Less, "{result:?} {mode:?} too high");
    }
}

fn finite<T: Float>(x: T) -> bool {
    x.bits() & !T::SIGN < T::INFINITY
}

fn directed<T: Step>(rounds: u32) {
    let mut random = Random::new(1);
    let big = |x: T| Big::from_f64(x.widen());
    for _ in 0..rounds {
        let (a, b, c) = (T::any(&mut random), T::any(&mut random), T::any(&mut random));
        if !(finite(a) && finite(b) && finite(c)) {
            continue;
        }
        for mode in DIRECTED {
            let sum = big(a).add(&big(b));
            if !sum.is_zero() {
                let negative = sum.cmp(&Big::from_f64(0.0)) == Ordering::Less;
                assert_directed(add_round(a, b, mode), mode, negative, |x| big(x).cmp(&sum));
                let minus = neg(b);
                assert_directed(sub_round(a, minus, mode), mode, negative, |x| big(x).cmp(&sum));
            }
            let product = big(a).mul(&big(b));
            if !product.is_zero() {
                let negative = (a < T::ZERO) != (b < T::ZERO);
                let order = |x: T| big(x).shl(PLACES).cmp(&product);
                assert_directed(mul_round(a, b, mode), mode, negative, order);
            }
            let fused = product.add(&big(c).shl(PLACES));
            if !fused.is_zero() {
                let negative = fused.cmp(&Big::from_f64(0.0)) == Ordering::Less;
                let order = |x: T| big(x).shl(PLACES).cmp(&fused);
                assert_directed(fma_round(a, b, c, mode), mode, negative, order);
            }
            if a != T::ZERO && b != T::ZERO {
                // x ? a/b  ⇔  x·|b| ? a·sign(b)
                let (divisor, dividend) =
                    if b < T::ZERO { (big(b).neg(), big(a).neg()) } else { (big(b), big(a)) };
                let dividend = dividend.shl(PLACES);
                let order = |x: T| big(x).mul(&divisor).cmp(&dividend);
                let negative = (a < T::ZERO) != (b < T::ZERO);
                assert_directed(div_round(a, b, mode), mode, negative, order);
            }
            if a > T::ZERO {
                let square = big(a).shl(PLACES);
                let order =
                    |x: T| if x < T::ZERO { Ordering::Less } else { big(x).mul(&big(x)).cmp(&square) };
                assert_directed(sqrt_round(a, mode), mode, false, order);
            }
        }
    }
}

#[test]
fn directed_rounding_of_f32_is_exact() {
    directed::<f32>(20_000);
}

#[test]
fn directed_rounding_of_f64_is_exact() {
    directed::<f64>(4_000);
}

/// The exact path, asked to round to nearest, must agree with the processor everywhere.
#[test]
fn nearest_agrees_with_hardware() {
    let mut random = Random::new(2);
    let near = Round::Nearest;
    for _ in 0..200_000 {
        let (a, b, c) = (random.f32(), random.f32(), random.f32());
        assert_eq!(add_round(a, b, near).to_bits(), add(a, b).to_bits(), "{a:e} + {b:e}");
        assert_eq!(sub_round(a, b, near).to_bits(), sub(a, b).to_bits(), "{a:e} - {b:e}");
        assert_eq!(mul_round(a, b, near).to_bits(), mul(a, b).to_bits(), "{a:e} * {b:e}");
        assert_eq!(div_round(a, b, near).to_bits(), div(a, b).to_bits(), "{a:e} / {b:e}");
        assert_eq!(fma_round(a, b, c, near).to_bits(), fma(a, b, c).to_bits(), "{a:e} * {b:e} + {c:e}");
        assert_eq!(sqrt_round(a, near).to_bits(), sqrt(a).to_bits(), "sqrt {a:e}");
        let (a, b, c) = (random.f64(), random.f64(), random.f64());
        if a.is_nan() || b.is_nan() || c.is_nan() {
            continue;
        }
        assert_eq!(add_round(a, b, near).to_bits(), add(a, b).to_bits(), "{a:e} + {b:e}");
        assert_eq!(mul_round(a, b, near).to_bits(), mul(a, b).to_bits(), "{a:e} * {b:e}");
        assert_eq!(div_round(a, b, near).to_bits(), div(a, b).to_bits(), "{a:e} / {b:e}");
        assert_eq!(fma_round(a, b, c, near).to_bits(), fma(a, b, c).to_bits(), "{a:e} * {b:e} + {c:e}");
        assert_eq!(sqrt_round(a, near).to_bits(), sqrt(a).to_bits(), "sqrt {a:e}");
    }
}

#[test]
fn exact_zeros_take_the_sign_of_the_mode() {
    for mode in Round::ALL {
        let expected = if mode == Round::Down { -0.0f32 } else { 0.0 };
        assert_eq!(add_round(1.5f32, -1.5, mode).to_bits(), expected.to_bits());
        assert_eq!(add_round(0.0f32, -0.0, mode).to_bits(), expected.to_bits());
        assert_eq!(fma_round(1.0f32, 1.0, -1.0, mode).to_bits(), expected.to_bits());
        assert_eq!(add_round(-0.0f32, -0.0, mode).to_bits(), (-0.0f32).to_bits());
        assert_eq!(mul_round(-0.0f32, 3.0, mode).to_bits(), (-0.0f32).to_bits());
        assert_eq!(sqrt_round(-0.0f32, mode).to_bits(), (-0.0f32).to_bits());
        assert_eq!(div_round(1.0f32, -0.0, mode), f32::NEG_INFINITY);
    }
}

#[test]
fn f32_has_one_nan() {
    // Opaque, so that the processor answers and not the compiler.
    let odd = std::hint::black_box(f32::from_bits(0xffc0_1234));
    let minus = std::hint::black_box(-1.0);
    for result in [
        add(odd, 1.0),
        mul(odd, odd),
        fma(odd, 0.0, 1.0),
        sqrt(minus),
        div(minus - minus, 0.0),
        min(odd, odd),
    ] {
        assert_eq!(result.to_bits(), 0x7fff_ffff);
    }
    assert_eq!(sub(f32::INFINITY, f32::INFINITY).to_bits(), 0x7fff_ffff);
    assert_eq!(min(odd, 2.0), 2.0);
    assert_eq!(max(-2.0, odd), -2.0);
    assert_eq!(max_nan(-2.0, odd).to_bits(), 0x7fff_ffff);
    assert_eq!(max(NAN_F64, 2.0), 2.0);
}

#[test]
fn minus_zero_is_below_zero() {
    assert_eq!(min(0.0f32, -0.0).to_bits(), 0x8000_0000);
    assert_eq!(min(-0.0f32, 0.0).to_bits(), 0x8000_0000);
    assert_eq!(max(0.0f64, -0.0).to_bits(), 0);
    assert_eq!(max(-0.0f64, 0.0).to_bits(), 0);
    assert_eq!(max(1.0f64, 2.0), 2.0);
    assert_eq!(min(1.0f64, 2.0), 1.0);
}

#[test]
fn modifiers() {
    assert_eq!(sat(f32::NAN).to_bits(), 0);
    assert_eq!(sat(-0.0f32).to_bits(), 0);
    assert_eq!((sat(0.25f32), sat(7.0f32), sat(-7.0f32)), (0.25, 1.0, 0.0));
    assert_eq!(ftz(f32::from_bits(0x807f_ffff)).to_bits(), 0x8000_0000);
    assert_eq!(ftz(f32::from_bits(0x0080_0000)).to_bits(), 0x0080_0000);
    assert_eq!(ftz(f32::NEG_INFINITY), f32::NEG_INFINITY);
    assert_eq!(relu(-3.0).to_bits(), 0);
    assert_eq!(xorsign_abs(max, -1.0, 2.0), -2.0);
    assert_eq!(xorsign_abs(min, -1.0, -2.0), 1.0);
    assert_eq!(copysign(-1.0f32, 2.0), -2.0);
}

#[test]
fn properties() {
    use Property::{Finite, Infinite, Normal, NotANumber, Number, Subnormal};
    let holds = |x: f32| {
        [Finite, Infinite, Number, NotANumber, Normal, Subnormal].map(|property| {
            let wide = f64::from(x);
            // A subnormal f32 is a normal f64.
            let same = matches!(property, Normal | Subnormal) || test(x, property) == test(wide, property);
            assert!(same, "{x} {property:?}");
            test(x, property)
        })
    };
    assert_eq!(holds(-0.0), [true, false, true, false, true, false]);
    assert_eq!(holds(1e-40), [true, false, true, false, false, true]);
    assert_eq!(holds(f32::MAX), [true, false, true, false, true, false]);
    assert_eq!(holds(f32::NEG_INFINITY), [false, true, true, false, false, false]);
    assert_eq!(holds(f32::NAN), [false, false, false, true, false, false]);
    assert!(test(1e-310f64, Subnormal));
}
