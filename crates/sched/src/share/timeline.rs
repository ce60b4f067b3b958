//! What happened on an engine between two looks: who had it when, and so who pays.

use super::Id;

/// A stretch of time in which a tenant had work on the engine.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    pub tenant: Id,
    pub from: u64,
    pub to: u64,
    /// How far its work came in that time.
    pub progress: u64,
}

/// Divides `from` to `to` among those who were at work. A device that several use goes from one to the other, in slices that
/// begin at any time, so each pays by how far its work came; where nothing came any further, all pay the same. Time without
/// anybody is nobody's.
pub fn divide(from: u64, to: u64, stretches: &[Stretch], mut pay: impl FnMut(Id, u64)) {
    let mut edges: Vec<u64> = stretches.iter().flat_map(|s| [s.from, s.to]).collect();
    edges.extend([from, to]);
    edges.retain(|edge| (from..=to).contains(edge));
    edges.sort_unstable();
    edges.dedup();
    for pair in edges.windows(2) {
        let there = stretches.iter().filter(|s| s.from <= pair[0] && s.to >= pair[1]);
        let progress: u128 = there.clone().map(|stretch| u128::from(stretch.progress)).sum();
        let (time, count) = (u128::from(pair[1] - pair[0]), there.clone().count() as u128);
        there.for_each(|stretch| {
            let part = match progress {
                0 => time / count,
                _ => time * u128::from(stretch.progress) / progress,
            };
            pay(stretch.tenant, part as u64);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paid(from: u64, to: u64, stretches: &[(Id, u64, u64, u64)]) -> [u64; 3] {
        let mut paid = [0; 3];
        let stretches: Vec<_> = stretches
            .iter()
            .map(|&(tenant, from, to, progress)| Stretch { tenant, from, to, progress })
            .collect();
        divide(from, to, &stretches, |tenant, ns| paid[tenant as usize] += ns);
        paid
    }

    #[test]
    fn who_is_alone_pays_all_and_several_pay_by_progress() {
        assert_eq!(paid(100, 200, &[(0, 0, 300, 0)]), [100, 0, 0]);
        assert_eq!(paid(100, 200, &[(0, 100, 160, 7), (1, 140, 200, 7)]), [50, 50, 0]);
        assert_eq!(paid(0, 90, &[(0, 0, 90, 0), (1, 0, 90, 0), (2, 0, 90, 0)]), [30, 30, 30]);
        assert_eq!(paid(0, 90, &[(0, 0, 90, 10), (1, 0, 90, 80), (2, 0, 90, 0)]), [10, 80, 0]);
        assert_eq!(paid(0, 90, &[(0, 0, 90, u64::MAX), (1, 0, 90, u64::MAX)]), [45, 45, 0]);
    }

    #[test]
    fn idle_time_is_nobodys() {
        assert_eq!(paid(0, 100, &[(2, 20, 30, 1)]), [0, 0, 10]);
        assert_eq!(paid(0, 100, &[]), [0, 0, 0]);
        assert_eq!(paid(50, 50, &[(0, 0, 100, 1)]), [0, 0, 0]);
    }
}
