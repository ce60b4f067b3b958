//! Fuses chains of single-precision multiply-adds into one operation that keeps the sum in vector registers.
//!
//! Rounding does not change: every step of the chain is still rounded on its own. An addition is a multiplication by one; of a chain only the
//! last result is written, so the steps before must have no other reader.

use super::proto::{Arg, Extra, Flow, Proto, Shape, Value, Values};
use crate::isa_unsafe::{Isa, select};
use crate::ops::chain::Chain as ChainOp;

/// Longest chain: what is gained beyond is little.
const LONGEST: usize = 16;

/// A chain that ends at some operation.
#[derive(Clone)]
struct Chain {
    /// What the sum starts from; `None` for the bare product of the first pair.
    start: Option<Value>,
    /// Factors of each step, and the operation they come from.
    pairs: Vec<(Value, Value, usize)>,
    /// Where the destination was defined before the chain, in this block.
    before: Option<usize>,
}

/// Replaces chains; `dead` marks operations that are no longer needed.
pub fn run(protos: &mut [Proto], labels: &[usize], values: &mut Values, isa: Isa, dead: &mut [bool]) {
    let mut uses = vec![0u32; values.classes.len()];
    let mut definitions = vec![0u32; values.classes.len()];
    for (proto, _) in protos.iter().zip(dead.iter()).filter(|(_, dead)| !**dead) {
        for arg in proto.registers() {
            match arg {
                Arg::Use(v) => uses[v.0 as usize] += 1,
                Arg::Def(v) => definitions[v.0 as usize] += 1,
                Arg::Both(v) => {
                    uses[v.0 as usize] += 1;
                    definitions[v.0 as usize] += 1;
                }
                Arg::Raw(_) => {}
            }
        }
    }
    let one = values.constant_of(false, u64::from(1f32.to_bits()));
    let mut leader = vec![false; protos.len() + 1];
    for &at in labels {
        leader[at.min(protos.len())] = true;
    }
    let count = values.classes.len();
    let mut block =
        Block { defined: vec![None; count], touched: vec![None; count], chains: vec![None; protos.len()] };
    for at in 0..protos.len() {
        if leader[at] {
            block.clear(count);
        }
        if dead[at] {
            continue;
        }
        if let Some((d, mut chain)) = step(&protos[at], at, one) {
            // The sum so far may itself be a chain that nobody else looks at, now or later.
            let earlier = |t: Value| {
                let alone = uses[t.0 as usize] == 1 && definitions[t.0 as usize] == 1;
                let i = block.defined[t.0 as usize].filter(|_| alone || t == d)?;
                let chain = block.chains[i].as_ref().filter(|_| block.touched[t.0 as usize] == Some(i))?;
                (chain.pairs.len() < LONGEST && block.unchanged(chain)).then(|| (t, i, chain.clone()))
            };
            let mut found = chain.start.and_then(earlier);
            if found.is_none() && protos[at].shape == Shape::Add {
                // Addition does not care which operand is the sum.
                let (start, pair) = (chain.start, chain.pairs[0]);
                found = earlier(pair.0);
                if let (Some(_), Some(start)) = (&found, start) {
                    chain.pairs[0].0 = start;
                }
            }
            if let Some((t, i, earlier)) = found {
                dead[i] = true;
                block.defined[t.0 as usize] = earlier.before;
                let mut pairs = earlier.pairs;
                pairs.append(&mut chain.pairs);
                chain = Chain { start: earlier.start, pairs, before: None };
            }
            chain.before = block.defined[d.0 as usize];
            block.chains[at] = Some(chain);
        }
        for arg in protos[at].registers() {
            match arg {
                Arg::Use(v) => block.touched[v.0 as usize] = Some(at),
                Arg::Def(v) | Arg::Both(v) => {
                    block.defined[v.0 as usize] = Some(at);
                    block.touched[v.0 as usize] = Some(at);
                }
                Arg::Raw(_) => {}
            }
        }
        if protos[at].flow != Flow::Next {
            block.clear(count);
        }
    }
    for (at, chain) in block.chains.into_iter().enumerate() {
        if let Some(chain) = chain.filter(|chain| chain.pairs.len() > 1 && !dead[at]) {
            let Arg::Def(d) = protos[at].args[0] else { continue };
            let mut rows = vec![Arg::Def(d)];
            rows.extend(chain.start.map(Arg::Use));
            rows.extend(chain.pairs.iter().flat_map(|&(a, b, _)| [Arg::Use(a), Arg::Use(b)]));
            let proto = &mut protos[at];
            proto.run = select::<ChainOp>(isa);
            proto.args = [Arg::Raw(0); 6];
            proto.extra = Extra::Rows(rows);
            proto.shape = Shape::Other;
        }
    }
}

/// What is known inside a basic block.
struct Block {
    /// Last definition of each register.
    defined: Vec<Option<usize>>,
    /// Last use or definition of each register.
    touched: Vec<Option<usize>>,
    chains: Vec<Option<Chain>>,
}

impl Block {
    fn clear(&mut self, count: usize) {
        self.defined = vec![None; count];
        self.touched = vec![None; count];
    }

    /// Whether the operands of a chain still have the values they had when its steps read them.
    fn unchanged(&self, chain: &Chain) -> bool {
        let before = |v: Value, at: usize| self.defined[v.0 as usize].is_none_or(|defined| defined < at);
        let first = chain.pairs.first().map_or(0, |pair| pair.2);
        let start = chain.start.is_none_or(|c| {
            before(c, first) || self.defined[c.0 as usize] == chain.pairs.last().map(|pair| pair.2)
        });
        start && chain.pairs.iter().all(|&(a, b, at)| before(a, at) && before(b, at))
    }
}

/// An operation as a chain of one step.
fn step(proto: &Proto, at: usize, one: Value) -> Option<(Value, Chain)> {
    let (Arg::Def(d), Arg::Use(a), Arg::Use(b)) = (proto.args[0], proto.args[1], proto.args[2]) else {
        return None;
    };
    let (start, pair) = match (proto.shape, proto.args[3]) {
        (Shape::Fma, Arg::Use(c)) => (Some(c), (a, b, at)),
        (Shape::Mul, _) => (None, (a, b, at)),
        (Shape::Add, _) => (Some(b), (a, one, at)),
        _ => return None,
    };
    Some((d, Chain { start, pairs: vec![pair], before: None }))
}
