//! Gives virtual registers places in the frame: registers that are never needed at the same time share a row.
//!
//! What counts is one thread's way through the function. Lanes of a warp may be at different places, but a lane only ever touches its
//! own column, so a row can hold one register for one lane and another for the next.

use super::flow::Blocks;
use super::proto::{Arg, Class, Proto, Value, Values};
use crate::rows_unsafe::{Extent, ROW32, ROW64};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Where each virtual register lives.
pub struct Places {
    /// Byte offset in the file of its class; `None` for registers nobody uses.
    pub offsets: Vec<Option<u32>>,
    pub extent: Extent,
    pub constants32: Vec<u32>,
    pub constants64: Vec<u64>,
}

/// First and last position where a register must keep its row. Operation `i` reads at `2i` and writes at `2i + 1`.
#[derive(Clone, Copy)]
struct Span {
    first: u32,
    last: u32,
}

/// `entry`: registers that hold something when the function starts.
pub fn run(protos: &[Proto], blocks: &Blocks, values: &Values, entry: &[Value]) -> Places {
    let mut spans: Vec<Option<Span>> = vec![None; values.classes.len()];
    for &value in entry {
        extend(&mut spans, value, 0);
    }
    for (at, proto) in (0u32..).zip(protos) {
        for arg in proto.registers() {
            match arg {
                Arg::Use(v) => extend(&mut spans, v, 2 * at),
                Arg::Def(v) => extend(&mut spans, v, 2 * at + 1),
                Arg::Both(v) => {
                    extend(&mut spans, v, 2 * at);
                    extend(&mut spans, v, 2 * at + 1);
                }
                Arg::Raw(_) => {}
            }
        }
    }
    for (at, value) in super::liveness::across_blocks(protos, blocks, values) {
        extend(&mut spans, value, 2 * at as u32);
    }

    let mut places = Places {
        offsets: vec![None; spans.len()],
        extent: Extent::default(),
        constants32: Vec::new(),
        constants64: Vec::new(),
    };
    for (i, constant) in values.constants.iter().enumerate() {
        let Some(bits) = constant else { continue };
        if spans[i].take().is_none() {
            continue;
        }
        places.offsets[i] = Some(match values.classes[i] {
            Class::Wide => push(&mut places.constants64, *bits) * ROW64,
            _ => push(&mut places.constants32, *bits as u32) * ROW32,
        });
    }
    let firsts = [places.constants32.len() as u32, places.constants64.len() as u32, 0];
    let mut ends = firsts;
    let mut order: Vec<usize> = (0..spans.len()).filter(|&i| spans[i].is_some()).collect();
    order.sort_by_key(|&i| spans[i].map(|s| s.first));
    let mut busy: [BinaryHeap<Reverse<(u32, u32)>>; 3] = Default::default();
    let mut free: [Vec<u32>; 3] = Default::default();
    for i in order {
        let Some(span) = spans[i] else { continue };
        let class = values.classes[i] as usize;
        while let Some(&Reverse((last, slot))) = busy[class].peek()
            && last < span.first
        {
            busy[class].pop();
            free[class].push(slot);
        }
        let slot = free[class].pop().unwrap_or_else(|| {
            ends[class] += 1;
            ends[class] - 1
        });
        busy[class].push(Reverse((span.last, slot)));
        let size = [ROW32, ROW64, 4][class];
        places.offsets[i] = Some(slot * size);
    }
    places.extent = Extent { rows32: ends[0], rows64: ends[1], preds: ends[2] };
    places
}

fn push<T>(list: &mut Vec<T>, item: T) -> u32 {
    list.push(item);
    list.len() as u32 - 1
}

fn extend(spans: &mut [Option<Span>], value: Value, at: u32) {
    let span = spans[value.0 as usize].get_or_insert(Span { first: at, last: at });
    span.first = span.first.min(at);
    span.last = span.last.max(at);
}
