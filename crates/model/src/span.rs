use std::fmt;
use std::str::FromStr;

/// A version of three numbers, such as a driver's `535.104.5` or a compute capability `8.0.0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// The least version above this one.
    pub fn next(self) -> Option<Version> {
        let Version(major, minor, patch) = self;
        patch.checked_add(1).map(|patch| Version(major, minor, patch))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// What is not one to three numbers with dots between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAVersion;

impl FromStr for Version {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Version, NotAVersion> {
        let mut parts = [0; 3];
        let mut written = text.split('.');
        for (place, part) in written.by_ref().take(3).enumerate() {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            parts[place] = part.parse().ok().filter(|_| digits).ok_or(NotAVersion)?;
        }
        if written.next().is_some() { Err(NotAVersion) } else { Ok(Version(parts[0], parts[1], parts[2])) }
    }
}

/// What a property of a device must lie in: at least `from` and less than `below`. The default holds everything, even what
/// is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span<T> {
    pub from: Option<T>,
    pub below: Option<T>,
}

impl<T> Default for Span<T> {
    fn default() -> Self {
        Span { from: None, below: None }
    }
}

impl<T: Copy + Ord> Span<T> {
    pub fn is_open(&self) -> bool {
        self.from.is_none() && self.below.is_none()
    }

    /// Whether a value lies in it. What is not known lies only in a span without ends.
    pub fn holds(&self, value: Option<T>) -> bool {
        let within =
            |value| self.from.is_none_or(|from| from <= value) && self.below.is_none_or(|b| value < b);
        value.map_or(self.is_open(), within)
    }

    /// What lies in both; `None` if nothing can.
    pub fn and(self, other: Span<T>) -> Option<Span<T>> {
        let from = self.from.max(other.from);
        let below = self.below.into_iter().chain(other.below).min();
        let empty = matches!((from, below), (Some(from), Some(below)) if from >= below);
        (!empty).then_some(Span { from, below })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_up_to_three_numbers() {
        assert_eq!("535.104.5".parse(), Ok(Version(535, 104, 5)));
        assert_eq!("8".parse(), Ok(Version(8, 0, 0)));
        for odd in ["", "8.", "1.2.3.4", "+8", "8.0-rc1", "99999999999"] {
            assert_eq!(odd.parse::<Version>(), Err(NotAVersion), "{odd}");
        }
        assert!(Version(9, 0, 0) > Version(8, 9, 9));
        assert_eq!(Version(1, 2, u32::MAX).next(), None);
    }

    #[test]
    fn spans_hold_what_lies_between() {
        let span = Span { from: Some(3), below: Some(5) };
        assert_eq!([2, 3, 4, 5].map(|value| span.holds(Some(value))), [false, true, true, false]);
        assert!(!span.holds(None) && Span::<u32>::default().holds(None));
        assert_eq!(
            span.and(Span { from: Some(4), below: None }),
            Some(Span { from: Some(4), below: Some(5) })
        );
        assert_eq!(span.and(Span { from: Some(5), below: None }), None);
        assert_eq!(Span::default().and(span), Some(span));
    }
}
