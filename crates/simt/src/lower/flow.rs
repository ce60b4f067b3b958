//! Basic blocks of a function.

use super::proto::{Flow, Proto};
use std::ops::Range;

/// The blocks of a function in order, and who follows whom.
pub struct Blocks {
    pub ranges: Vec<Range<usize>>,
    pub successors: Vec<Vec<usize>>,
}

/// Cuts operations into blocks. `labels[l]` is the index of the operation that label `l` stands before.
pub fn blocks(protos: &[Proto], labels: &[usize]) -> Blocks {
    let mut leader = vec![false; protos.len() + 1];
    leader[0] = true;
    for &at in labels {
        leader[at.min(protos.len())] = true;
    }
    for (at, proto) in protos.iter().enumerate() {
        if proto.flow != Flow::Next {
            leader[at + 1] = true;
        }
    }
    let starts: Vec<usize> = (0..protos.len()).filter(|&at| leader[at]).collect();
    let ends = starts.iter().skip(1).copied().chain([protos.len()]);
    let ranges: Vec<Range<usize>> = starts.iter().copied().zip(ends).map(|(a, b)| a..b).collect();
    let block_at = |at: usize| starts.partition_point(|&start| start <= at).saturating_sub(1);
    let target = |label: super::proto::Label| {
        let at = labels[label.0 as usize];
        (at < protos.len()).then(|| block_at(at))
    };
    let successors = ranges.iter().enumerate().map(|(i, range)| {
        let next = (i + 1 < ranges.len()).then_some(i + 1);
        match protos[range.clone()].last().map(|p| &p.flow) {
            Some(Flow::Jump(label)) => target(*label).into_iter().collect(),
            Some(Flow::Branch { target: label, .. }) => next.into_iter().chain(target(*label)).collect(),
            Some(Flow::Table(list)) => list.iter().filter_map(|l| target(*l)).collect(),
            Some(Flow::End) => Vec::new(),
            Some(Flow::Next | Flow::Fall) | None => next.into_iter().collect(),
        }
    });
    let successors = successors.collect();
    Blocks { ranges, successors }
}
