//! What happened on an engine between two looks: who had it when, and so who pays.

/// A stretch of time in which a tenant had work on the engine.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    pub tenant: usize,
    pub from: u64,
    pub to: u64,
}

/// Divides `from` to `to` among those who were at work: a device that several use goes from one to the other, so each pays the
/// same part. Time without anybody is nobody's.
pub fn divide(from: u64, to: u64, stretches: &[Stretch], mut pay: impl FnMut(usize, u64)) {
    let mut edges: Vec<u64> = stretches.iter().flat_map(|s| [s.from, s.to]).collect();
    edges.extend([from, to]);
    edges.retain(|edge| (from..=to).contains(edge));
    edges.sort_unstable();
    edges.dedup();
    for pair in edges.windows(2) {
        let there = stretches.iter().filter(|s| s.from <= pair[0] && s.to >= pair[1]);
        let count = there.clone().count() as u64;
        there.for_each(|stretch| pay(stretch.tenant, (pair[1] - pair[0]) / count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paid(from: u64, to: u64, stretches: &[(usize, u64, u64)]) -> [u64; 3] {
        let mut paid = [0; 3];
        let stretches: Vec<_> =
            stretches.iter().map(|&(tenant, from, to)| Stretch { tenant, from, to }).collect();
        divide(from, to, &stretches, |tenant, ns| paid[tenant] += ns);
        paid
    }

    #[test]
    fn who_is_alone_pays_all_and_two_pay_half() {
        assert_eq!(paid(100, 200, &[(0, 0, 300)]), [100, 0, 0]);
        assert_eq!(paid(100, 200, &[(0, 100, 160), (1, 140, 200)]), [50, 50, 0]);
        assert_eq!(paid(0, 90, &[(0, 0, 90), (1, 0, 90), (2, 0, 90)]), [30, 30, 30]);
    }

    #[test]
    fn idle_time_is_nobodys() {
        assert_eq!(paid(0, 100, &[(2, 20, 30)]), [0, 0, 10]);
        assert_eq!(paid(0, 100, &[]), [0, 0, 0]);
        assert_eq!(paid(50, 50, &[(0, 0, 100)]), [0, 0, 0]);
    }
}
