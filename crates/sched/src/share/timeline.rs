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
    /// Its work should have been done long ago, and nothing of it moves.
    pub stands: bool,
    pub weight: u64,
}

/// Divides `from` to `to` among those who were at work. A device that several use goes from one to the other, in slices that
/// begin at any time, so each pays by how far its work came; where nothing came any further, all pay the same. Where everybody's
/// work stands, the reason is none of them (the machine has stopped, or somebody else has the device): each pays by its weight,
/// and nobody is put behind the others for it. Time without anybody is nobody's.
pub fn divide(from: u64, to: u64, stretches: &[Stretch], mut pay: impl FnMut(Id, u64)) {
    let mut edges: Vec<u64> = stretches.iter().flat_map(|s| [s.from, s.to]).collect();
    edges.extend([from, to]);
    edges.retain(|edge| (from..=to).contains(edge));
    edges.sort_unstable();
    edges.dedup();
    for pair in edges.windows(2) {
        let there = stretches.iter().filter(|s| s.from <= pair[0] && s.to >= pair[1]);
        let stands = there.clone().all(|stretch| stretch.stands);
        let came = there.clone().any(|stretch| stretch.progress > 0);
        let part = |stretch: &Stretch| match (stands, came) {
            (true, _) => u128::from(stretch.weight),
            (false, true) => u128::from(stretch.progress),
            (false, false) => 1,
        };
        let time = u128::from(pair[1] - pair[0]);
        let all = there.clone().map(part).sum::<u128>().max(1);
        there.for_each(|stretch| pay(stretch.tenant, (time * part(stretch) / all) as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paid(from: u64, to: u64, stretches: &[(Id, u64, u64, u64)]) -> [u64; 3] {
        let mut paid = [0; 3];
        let stretches: Vec<_> = stretches
            .iter()
            .map(|&(tenant, from, to, progress)| Stretch {
                tenant,
                from,
                to,
                progress,
                stands: false,
                weight: 1,
            })
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
    fn where_everything_stands_each_pays_by_its_weight() {
        let mut paid = [0; 2];
        let stretch =
            |tenant, weight, stands| Stretch { tenant, from: 0, to: 100, progress: 12, stands, weight };
        divide(0, 100, &[stretch(0, 90, true), stretch(1, 10, true)], |tenant, ns| {
            paid[tenant as usize] += ns
        });
        assert_eq!(paid, [90, 10]);
        divide(0, 100, &[stretch(0, 90, true), stretch(1, 10, false)], |tenant, ns| {
            paid[tenant as usize] += ns
        });
        assert_eq!(paid, [140, 60], "one of them moves: it may be the other that does not let it");
    }

    #[test]
    fn idle_time_is_nobodys() {
        assert_eq!(paid(0, 100, &[(2, 20, 30, 1)]), [0, 0, 10]);
        assert_eq!(paid(0, 100, &[]), [0, 0, 0]);
        assert_eq!(paid(50, 50, &[(0, 0, 100, 1)]), [0, 0, 0]);
    }
}
