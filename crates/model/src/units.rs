use std::fmt;

/// A share of one device in thousandths of a percent: 100 000 is the whole device.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MilliPercent(u32);

impl MilliPercent {
    pub const NONE: MilliPercent = MilliPercent(0);
    pub const WHOLE: MilliPercent = MilliPercent(100_000);

    /// A share of `thousandths` of a percent, if that is no more than a whole device.
    pub const fn new(thousandths: u32) -> Option<MilliPercent> {
        if thousandths <= Self::WHOLE.0 { Some(MilliPercent(thousandths)) } else { None }
    }

    /// A share of whole percents, if that is no more than a whole device.
    pub const fn percent(percent: u32) -> Option<MilliPercent> {
        if percent <= 100 { Some(MilliPercent(percent * 1000)) } else { None }
    }

    pub const fn thousandths(self) -> u32 {
        self.0
    }

    /// This share of `total`, rounded down: a share never resolves to more than was written.
    pub fn of(self, total: u64) -> u64 {
        let exact = u128::from(total) * u128::from(self.0) / u128::from(Self::WHOLE.0);
        u64::try_from(exact).unwrap_or(total)
    }
}

/// `30 %`, `12.5 %`: no trailing zeros.
impl fmt::Display for MilliPercent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_thousandths(f, u64::from(self.0))?;
        f.write_str(" %")
    }
}

impl fmt::Debug for MilliPercent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Device memory of one slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    Mib(u64),
    /// Of whichever device is chosen.
    Share(MilliPercent),
}

impl Memory {
    pub const NONE: Memory = Memory::Mib(0);
    pub const WHOLE: Memory = Memory::Share(MilliPercent::WHOLE);

    /// MiB on a device of `total` MiB. May exceed `total`: then it does not fit.
    pub fn on(self, total: u64) -> u64 {
        match self {
            Memory::Mib(mib) => mib,
            Memory::Share(share) => share.of(total),
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Memory::Mib(mib) => write!(f, "{mib} MiB"),
            Memory::Share(MilliPercent::WHOLE) => f.write_str("whole"),
            Memory::Share(share) => write!(f, "{share}"),
        }
    }
}

/// Compute of one slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compute {
    Share(MilliPercent),
    /// Thousandths of a TFLOPS (FP16): a share once the device is known.
    MilliTflops(u64),
}

impl Compute {
    pub const NONE: Compute = Compute::Share(MilliPercent::NONE);
    pub const WHOLE: Compute = Compute::Share(MilliPercent::WHOLE);

    /// The share of a device that does `milli_tflops` (0 = not known), rounded down; `None` when it is more than
    /// the device has or its speed is not known.
    pub fn on(self, milli_tflops: u64) -> Option<MilliPercent> {
        match self {
            Compute::Share(share) => Some(share),
            Compute::MilliTflops(0) => Some(MilliPercent::NONE),
            Compute::MilliTflops(wanted) => {
                let whole = u128::from(MilliPercent::WHOLE.thousandths());
                let share = (u128::from(wanted) * whole).checked_div(u128::from(milli_tflops))?;
                MilliPercent::new(u32::try_from(share).ok()?)
            }
        }
    }
}

impl fmt::Display for Compute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Compute::Share(share) => write!(f, "{share}"),
            Compute::MilliTflops(milli) => {
                write_thousandths(f, *milli)?;
                f.write_str(" TFLOPS")
            }
        }
    }
}

/// What is set aside for a tenant, and what it may never exceed. Equal unless bursting or oversubscription was
/// asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds<T> {
    pub reserved: T,
    pub ceiling: T,
}

impl<T: Copy> Bounds<T> {
    /// Reserved and ceiling alike.
    pub const fn exactly(value: T) -> Bounds<T> {
        Bounds { reserved: value, ceiling: value }
    }
}

fn write_thousandths(f: &mut fmt::Formatter<'_>, thousandths: u64) -> fmt::Result {
    let (whole, rest) = (thousandths / 1000, thousandths % 1000);
    if rest == 0 {
        return write!(f, "{whole}");
    }
    write!(f, "{whole}.{}", format!("{rest:03}").trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_round_down_and_never_overflow() {
        assert_eq!(MilliPercent::percent(33).map(|s| s.of(1000)), Some(330));
        assert_eq!(MilliPercent::new(33_333).map(|s| s.of(10)), Some(3));
        assert_eq!(MilliPercent::WHOLE.of(u64::MAX), u64::MAX);
        assert_eq!(MilliPercent::percent(101), None);
        assert_eq!(MilliPercent::new(100_001), None);
    }

    #[test]
    fn tflops_become_a_share_of_the_chosen_device() {
        assert_eq!(Compute::MilliTflops(78_000).on(312_000), MilliPercent::percent(25));
        assert_eq!(Compute::MilliTflops(313_000).on(312_000), None);
        assert_eq!(Compute::MilliTflops(1).on(0), None);
        assert_eq!(Compute::MilliTflops(u64::MAX).on(1), None);
    }

    #[test]
    fn shown_without_trailing_zeros() {
        let shown = MilliPercent::new(12_500).map(|s| s.to_string());
        assert_eq!(shown.as_deref(), Some("12.5 %"));
        assert_eq!(Compute::MilliTflops(1_050).to_string(), "1.05 TFLOPS");
        assert_eq!(Memory::WHOLE.to_string(), "whole");
    }
}
