//! Which registers are needed across basic blocks.

use super::flow::Blocks;
use super::proto::{Arg, Proto, Value, Values};

/// Pairs of an operation's index and a register that must still hold its value there: at the borders of all blocks it lives across.
pub fn across_blocks(protos: &[Proto], blocks: &Blocks, values: &Values) -> Vec<(usize, Value)> {
    // Most registers live inside one block; only those read before they are written in some block can cross.
    let count = blocks.ranges.len();
    let mut number: Vec<Option<u32>> = vec![None; values.classes.len()];
    let mut crossing: Vec<Value> = Vec::new();
    let mut reads: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut writes: Vec<Vec<Value>> = vec![Vec::new(); count];
    let mut written_in = vec![usize::MAX; values.classes.len()];
    for (b, range) in blocks.ranges.iter().enumerate() {
        for proto in &protos[range.clone()] {
            let registers = || proto.registers();
            for arg in registers() {
                if let Arg::Use(v) | Arg::Both(v) = arg
                    && written_in[v.0 as usize] != b
                    && values.constant(v).is_none()
                {
                    let n = *number[v.0 as usize].get_or_insert_with(|| {
                        crossing.push(v);
                        crossing.len() as u32 - 1
                    });
                    reads[b].push(n);
                }
            }
            for arg in registers() {
                if let Arg::Def(v) = arg {
                    written_in[v.0 as usize] = b;
                    writes[b].push(v);
                }
            }
        }
    }

    let words = crossing.len().div_ceil(64);
    let set_of = |list: &mut dyn Iterator<Item = u32>| {
        let mut set = vec![0u64; words];
        for n in list {
            set[n as usize / 64] |= 1 << (n % 64);
        }
        set
    };
    let kill: Vec<Vec<u64>> =
        writes.iter().map(|list| set_of(&mut list.iter().filter_map(|v| number[v.0 as usize]))).collect();
    let mut live_in: Vec<Vec<u64>> = reads.iter().map(|list| set_of(&mut list.iter().copied())).collect();
    let mut live_out = vec![vec![0u64; words]; count];

    let mut predecessors = vec![Vec::new(); count];
    for (b, list) in blocks.successors.iter().enumerate() {
        for &s in list {
            predecessors[s].push(b);
        }
    }
    let mut pending: Vec<usize> = (0..count).collect();
    let mut queued = vec![true; count];
    while let Some(b) = pending.pop() {
        queued[b] = false;
        let mut changed = false;
        for w in 0..words {
            let out = blocks.successors[b].iter().fold(0, |acc, &s| acc | live_in[s][w]);
            live_out[b][w] = out;
            let through = live_in[b][w] | out & !kill[b][w];
            changed |= through != live_in[b][w];
            live_in[b][w] = through;
        }
        if changed {
            for &p in &predecessors[b] {
                if !queued[p] {
                    queued[p] = true;
                    pending.push(p);
                }
            }
        }
    }

    let mut live = Vec::new();
    for (b, range) in blocks.ranges.iter().enumerate() {
        live.extend(members(&live_in[b]).map(|n| (range.start, crossing[n])));
        live.extend(members(&live_out[b]).map(|n| (range.end, crossing[n])));
    }
    live
}

fn members(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(w, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(w * 64 + bit)
        })
    })
}
