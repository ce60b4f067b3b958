//! Consecutive chunks.

/// Chunks `first..first + count`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Run {
    pub first: u64,
    pub count: u64,
}

impl Run {
    /// Chunk numbers as runs, in their order.
    pub fn join(chunks: impl IntoIterator<Item = u64>) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for chunk in chunks {
            match runs.last_mut() {
                Some(run) if run.first + run.count == chunk => run.count += 1,
                _ => runs.push(Run { first: chunk, count: 1 }),
            }
        }
        runs
    }

    pub fn chunks(self) -> std::ops::Range<u64> {
        self.first..self.first + self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_join_in_their_order() {
        let run = |first, count| Run { first, count };
        assert_eq!(Run::join([3, 4, 5, 9, 8, 10]), [run(3, 3), run(9, 1), run(8, 1), run(10, 1)]);
        assert_eq!(run(3, 3).chunks().collect::<Vec<u64>>(), [3, 4, 5]);
    }
}
