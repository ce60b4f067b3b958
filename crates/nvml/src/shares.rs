//! Percents as samples: who was on an engine in each hundredth of the time.

/// How many there are.
pub const SAMPLES: usize = 100;

/// The process of each sample; `None` where the engine was free. A process with 30 percent is in 30 samples.
pub fn turns(percents: impl Iterator<Item = (u32, u32)>) -> [Option<u32>; SAMPLES] {
    let mut turns = [None; SAMPLES];
    let each = percents.flat_map(|(pid, percent)| std::iter::repeat_n(pid, percent as usize));
    for (turn, pid) in turns.iter_mut().zip(each) {
        *turn = Some(pid);
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_process_has_its_share_of_the_samples() {
        let turns = turns([(7, 30), (8, 0), (9, 20)].into_iter());
        let of = |pid| turns.iter().filter(|turn| **turn == pid).count();
        assert_eq!((of(Some(7)), of(Some(8)), of(Some(9)), of(None)), (30, 0, 20, 50));
    }

    #[test]
    fn roundings_that_add_up_to_more_are_cut() {
        let turns = turns((1..=8).map(|pid| (pid, 13)));
        assert!(turns.iter().all(Option::is_some));
        assert_eq!(turns.iter().filter(|turn| **turn == Some(8)).count(), 9);
    }
}
