//! Kubernetes quantities, exactly: no floating point, and what does not fit is refused instead of rounded.

use std::fmt;

/// A quantity in billionths of a unit, which is as fine as Kubernetes goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity(i128);

/// Billionths per unit.
const NANO: i128 = 1_000_000_000;
/// Kubernetes caps a quantity here; we refuse instead.
const LARGEST: i128 = i64::MAX as i128;
const MIB: i128 = 1 << 20;

/// Why a text is not a quantity we can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAQuantity {
    Malformed,
    TooLarge,
    TooFine,
}

impl fmt::Display for NotAQuantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotAQuantity::Malformed => "is not a Kubernetes quantity",
            NotAQuantity::TooLarge => "is too large for a Kubernetes quantity",
            NotAQuantity::TooFine => "is finer than a billionth",
        })
    }
}

impl Quantity {
    pub const ZERO: Quantity = Quantity(0);

    pub fn whole(units: u32) -> Quantity {
        Quantity(i128::from(units) * NANO)
    }

    /// Reads `12`, `1.5`, `20k`, `3Gi`, `250m`, `1e3`, `-1`.
    pub fn parse(text: &str) -> Result<Quantity, NotAQuantity> {
        let (negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let digits_end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at(digits_end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
            return Err(NotAQuantity::Malformed);
        }
        let (times, divided) = scale(suffix).ok_or(NotAQuantity::Malformed)?;
        let fraction = fraction.trim_end_matches('0');
        let mut mantissa: i128 = 0;
        for digit in whole.bytes().chain(fraction.bytes()) {
            let next = mantissa.checked_mul(10).and_then(|m| m.checked_add(i128::from(digit - b'0')));
            mantissa = next.filter(|m| *m <= LARGEST * NANO).ok_or(NotAQuantity::TooLarge)?;
        }
        let places = u32::try_from(fraction.len()).map_err(|_| NotAQuantity::TooFine)?;
        let below =
            10i128.checked_pow(places).and_then(|p| p.checked_mul(divided)).ok_or(NotAQuantity::TooFine)?;
        let above =
            mantissa.checked_mul(times).and_then(|m| m.checked_mul(NANO)).ok_or(NotAQuantity::TooLarge)?;
        if above % below != 0 {
            return Err(NotAQuantity::TooFine);
        }
        let nano = above / below;
        if nano > LARGEST * NANO {
            return Err(NotAQuantity::TooLarge);
        }
        Ok(Quantity(if negative { -nano } else { nano }))
    }

    pub fn is_negative(self) -> bool {
        self.0 < 0
    }

    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The number of whole units, if there is nothing behind the point and it is not negative.
    pub fn as_units(self) -> Option<u64> {
        if self.0 < 0 || self.0 % NANO != 0 { None } else { u64::try_from(self.0 / NANO).ok() }
    }

    /// As bytes: MiB, and whether that lost something. Rounded down, so never more than was written.
    pub fn as_mib(self) -> Option<(u64, bool)> {
        let mib = u64::try_from(self.0.checked_div(NANO * MIB)?).ok()?;
        (self.0 >= 0).then_some((mib, self.0 % (NANO * MIB) != 0))
    }

    /// This many times `mib` MiB, in MiB, if that is a whole number.
    pub fn times_mib(self, mib: u64) -> Option<u64> {
        let total = self.0.checked_mul(i128::from(mib))?;
        if total < 0 || total % NANO != 0 { None } else { u64::try_from(total / NANO).ok() }
    }

    /// Thousandths, rounded down, and whether that lost something.
    pub fn as_thousandths(self) -> Option<(u64, bool)> {
        let step = NANO / 1000;
        if self.0 < 0 { None } else { Some((u64::try_from(self.0 / step).ok()?, self.0 % step != 0)) }
    }

    /// Hundred-thousandths, rounded down, and whether that lost something: a fraction of one as a share.
    pub fn as_share(self) -> Option<(u64, bool)> {
        let step = NANO / 100_000;
        if self.0 < 0 { None } else { Some((u64::try_from(self.0 / step).ok()?, self.0 % step != 0)) }
    }
}

/// What a suffix multiplies by and divides by.
fn scale(suffix: &str) -> Option<(i128, i128)> {
    Some(match suffix {
        "" => (1, 1),
        "n" => (1, 1_000_000_000),
        "u" => (1, 1_000_000),
        "m" => (1, 1000),
        "k" => (1000, 1),
        "M" => (1_000_000, 1),
        "G" => (1_000_000_000, 1),
        "T" => (1_000_000_000_000, 1),
        "P" => (1_000_000_000_000_000, 1),
        "E" => (1_000_000_000_000_000_000, 1),
        "Ki" => (1 << 10, 1),
        "Mi" => (1 << 20, 1),
        "Gi" => (1 << 30, 1),
        "Ti" => (1 << 40, 1),
        "Pi" => (1 << 50, 1),
        "Ei" => (1 << 60, 1),
        other => {
            let exponent = other.strip_prefix('e').or_else(|| other.strip_prefix('E'))?;
            let (negative, digits) = match exponent.as_bytes().first()? {
                b'-' => (true, &exponent[1..]),
                b'+' => (false, &exponent[1..]),
                _ => (false, exponent),
            };
            if digits.is_empty() || digits.len() > 2 || !digits.bytes().all(|d| d.is_ascii_digit()) {
                return None;
            }
            let power = 10i128.checked_pow(digits.parse().ok()?)?;
            if negative { (1, power) } else { (power, 1) }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn units(text: &str) -> Option<u64> {
        Quantity::parse(text).ok().and_then(Quantity::as_units)
    }

    #[test]
    fn every_suffix() {
        assert_eq!(units("3000"), Some(3000));
        assert_eq!(units("20k"), Some(20_000));
        assert_eq!(units("1Ki"), Some(1024));
        assert_eq!(units("1.5Gi"), Some(3 << 29));
        assert_eq!(units("2e3"), Some(2000));
        assert_eq!(units("2E3"), Some(2000));
        assert_eq!(units("1E"), Some(1_000_000_000_000_000_000));
        assert_eq!(units("4000m"), Some(4));
        assert_eq!(units("1500m"), None);
        assert_eq!(units("+5"), Some(5));
        assert_eq!(units("5."), Some(5));
        assert_eq!(units(".5k"), Some(500));
        assert_eq!(units("007"), Some(7));
    }

    #[test]
    fn what_is_no_quantity() {
        for text in
            ["", "-", ".", "1.2.3", "3 Gi", "3GB", "0x10", "1_000", "e3", "1e", "1e+", "1e300", "NaN", "١"]
        {
            assert_eq!(Quantity::parse(text), Err(NotAQuantity::Malformed), "{text}");
        }
        assert_eq!(Quantity::parse("9223372036854775808"), Err(NotAQuantity::TooLarge));
        assert_eq!(Quantity::parse("8Ei"), Err(NotAQuantity::TooLarge));
        assert_eq!(Quantity::parse("99E"), Err(NotAQuantity::TooLarge));
        assert_eq!(Quantity::parse("0.0000000001"), Err(NotAQuantity::TooFine));
        assert_eq!(Quantity::parse("1e-30"), Err(NotAQuantity::TooFine));
    }

    #[test]
    fn bytes_become_mib_rounded_down() {
        let mib = |text| Quantity::parse(text).ok().and_then(Quantity::as_mib);
        assert_eq!(mib("1Gi"), Some((1024, false)));
        assert_eq!(mib("8G"), Some((7629, true)));
        assert_eq!(mib("1"), Some((0, true)));
        assert_eq!(mib("-1Gi"), None);
    }

    #[test]
    fn fractions_of_a_unit() {
        let half = Quantity::parse("5.5").unwrap();
        assert_eq!(half.times_mib(1024), Some(5632));
        assert_eq!(Quantity::parse("0.3").unwrap().times_mib(1024), None);
        assert_eq!(Quantity::parse("0.125").unwrap().as_share(), Some((12_500, false)));
        assert_eq!(Quantity::parse("0.333333").unwrap().as_share(), Some((33_333, true)));
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,24}") {
            let _ = Quantity::parse(&text);
        }

        #[test]
        fn near_quantities_never_panic(text in "[-+]?[0-9.]{0,30}([numkMGTPE]|[KMGTPE]i|[eE][-+]?[0-9]{0,4})?") {
            if let Ok(q) = Quantity::parse(&text) {
                let _ = (q.as_units(), q.as_mib(), q.times_mib(u64::MAX), q.as_thousandths(), q.as_share());
            }
        }

        #[test]
        fn whole_numbers_are_themselves(n in 0..=i64::MAX as u64) {
            prop_assert_eq!(units(&n.to_string()), Some(n));
        }
    }
}
