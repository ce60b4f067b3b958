//! Power and temperature. The software GPU draws none and has none: a simple card is modelled, so that what reads these
//! figures sees them follow the load. Nothing here depends on time beyond the load of the last second.

/// Degrees of an idle and of a fully loaded device.
const COOL: u32 = 30;
const WARM: u32 = 70;

/// Degrees at which a card of this kind would slow down and shut down. The model never reaches them.
pub const SLOWDOWN: u32 = 90;
pub const SHUTDOWN: u32 = 95;
pub const HIGHEST: u32 = 85;

/// Milliwatts of an idle device: a board and its multiprocessors asleep.
fn idle(sms: u32) -> u32 {
    10_000 + 250 * sms
}

/// Milliwatts of a device under full load, which is also its limit.
pub fn limit(sms: u32) -> u32 {
    20_000 + 2_500 * sms
}

/// Milliwatts at a load in percent.
pub fn power(sms: u32, load: u32) -> u32 {
    idle(sms) + (limit(sms) - idle(sms)) / 100 * load.min(100)
}

/// Millijoules of a device that was there for `age_ns` and busy for `busy_ns` of them.
pub fn energy(sms: u32, age_ns: u64, busy_ns: u64) -> u64 {
    let (age, busy) = (u128::from(age_ns), u128::from(busy_ns.min(age_ns)));
    let spent = u128::from(idle(sms)) * age + u128::from(limit(sms) - idle(sms)) * busy;
    u64::try_from(spent / 1_000_000_000).unwrap_or(u64::MAX)
}

/// Degrees at a load in percent.
pub fn temperature(load: u32) -> u32 {
    COOL + (WARM - COOL) * load.min(100) / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_follow_the_load_within_their_limits() {
        for sms in [1, 8, 108, 256] {
            assert!(power(sms, 0) < power(sms, 50) && power(sms, 50) < power(sms, 100));
            assert!(power(sms, 100) <= limit(sms));
            assert_eq!(power(sms, 100), power(sms, 4711));
        }
        assert_eq!(energy(8, 10_000_000_000, 10_000_000_000), u64::from(limit(8)) * 10);
        assert_eq!(energy(8, 10_000_000_000, 0), u64::from(idle(8)) * 10);
        assert_eq!((temperature(0), temperature(100), temperature(1000)), (COOL, WARM, WARM));
        assert!([COOL, WARM, HIGHEST, SLOWDOWN, SHUTDOWN].is_sorted());
    }
}
