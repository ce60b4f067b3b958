//! Removes what registers make needless: copies of constants, results computed only to be moved on, and sums that only a longer sum needs.

use super::proto::{Arg, Extra, Flow, Proto, Shape, Slot, Value, Values};
use crate::isa_unsafe::Isa;

/// Rewrites `protos` in place; `entry` are registers that hold something when the function starts.
pub fn run(protos: &mut Vec<Proto>, labels: &mut [usize], values: &mut Values, entry: &[Value], isa: Isa) {
    let mut dead = vec![false; protos.len()];
    propagate_constants(protos, values, entry, &mut dead);
    forward_results(protos, labels, values, &mut dead);
    super::fuse::run(protos, labels, values, isa, &mut dead);
    remove(protos, labels, &dead);
}

/// Destination and source of an unguarded move.
fn move_parts(proto: &Proto) -> Option<(Value, Value)> {
    match (proto.shape, proto.args[0], proto.args[1]) {
        (Shape::Move, Arg::Def(d), Arg::Use(a)) => Some((d, a)),
        _ => None,
    }
}

/// A register whose only definition is a constant is that constant.
fn propagate_constants(protos: &mut [Proto], values: &Values, entry: &[Value], dead: &mut [bool]) {
    let mut definitions = vec![0u32; values.classes.len()];
    for &value in entry {
        definitions[value.0 as usize] = 2;
    }
    for proto in protos.iter() {
        for arg in proto.registers() {
            if let Arg::Def(v) | Arg::Both(v) = arg {
                definitions[v.0 as usize] += 1;
            }
        }
    }
    let mut known: Vec<Option<Value>> = vec![None; values.classes.len()];
    // Twice: a constant may be moved on once before it is used.
    for _ in 0..2 {
        for (at, proto) in protos.iter().enumerate() {
            if let Some((d, a)) = move_parts(proto)
                && definitions[d.0 as usize] == 1
            {
                let source = known[a.0 as usize].unwrap_or(a);
                if values.constant(source).is_some() {
                    known[d.0 as usize] = Some(source);
                    dead[at] = true;
                }
            }
        }
    }
    for proto in protos.iter_mut() {
        replace_uses(proto, &|v| known[v.0 as usize].unwrap_or(v));
    }
}

fn replace_uses(proto: &mut Proto, with: &impl Fn(Value) -> Value) {
    let renew = |arg: &mut Arg| {
        if let Arg::Use(v) = arg {
            *v = with(*v);
        }
    };
    proto.args.iter_mut().for_each(renew);
    match &mut proto.extra {
        Extra::Rows(rows) => rows.iter_mut().for_each(renew),
        Extra::Matrix(matrix) => matrix.lists_mut().for_each(renew),
        Extra::Call { args, target, .. } => {
            for slot in args {
                if let Slot::Register(v) = slot {
                    *v = with(*v);
                }
            }
            if let super::proto::CallTarget::Indirect(v) = target {
                *v = with(*v);
            }
        }
        _ => {}
    }
}

/// `t = …; d = t`, where `t` is used nowhere else and `d` not in between: the result goes to `d` at once.
fn forward_results(protos: &mut [Proto], labels: &[usize], values: &Values, dead: &mut [bool]) {
    const NONE: usize = usize::MAX;
    let mut uses = vec![0u32; values.classes.len()];
    let mut definitions = vec![0u32; values.classes.len()];
    for (proto, dead) in protos.iter().zip(dead.iter()) {
        if *dead {
            continue;
        }
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
    let mut leader = vec![false; protos.len() + 1];
    for &at in labels {
        leader[at.min(protos.len())] = true;
    }
    // Within the current block: where each register was last defined, and last touched in any way.
    let mut defined_at = vec![NONE; values.classes.len()];
    let mut touched_at = vec![NONE; values.classes.len()];
    let mut block = 0;
    for at in 0..protos.len() {
        if leader[at] {
            block = at;
        }
        if !dead[at]
            && let Some((d, t)) = move_parts(&protos[at])
        {
            let from = defined_at[t.0 as usize];
            let touched = touched_at[d.0 as usize];
            let in_block = from != NONE && from >= block;
            let free = touched == NONE || touched < block || touched <= from;
            let once = uses[t.0 as usize] == 1 && definitions[t.0 as usize] == 1;
            let same_class = values.class(d) == values.class(t);
            if in_block
                && free
                && once
                && same_class
                && defines_once(&protos[from], t)
                && !defines(&protos[from], d)
            {
                for arg in &mut protos[from].args {
                    if *arg == Arg::Def(t) {
                        *arg = Arg::Def(d);
                    }
                }
                dead[at] = true;
                touched_at[d.0 as usize] = at;
                defined_at[d.0 as usize] = from;
                continue;
            }
        }
        if !dead[at] {
            let registers: Vec<Arg> = protos[at].registers().collect();
            for arg in registers {
                match arg {
                    Arg::Use(v) => touched_at[v.0 as usize] = at,
                    Arg::Def(v) => {
                        defined_at[v.0 as usize] = at;
                        touched_at[v.0 as usize] = at;
                    }
                    Arg::Both(v) => touched_at[v.0 as usize] = at,
                    Arg::Raw(_) => {}
                }
            }
        }
        if protos[at].flow != Flow::Next {
            block = at + 1;
        }
    }
}

/// Whether an operation writes `t` in a plain operand.
fn defines_once(proto: &Proto, t: Value) -> bool {
    proto.args.iter().filter(|arg| **arg == Arg::Def(t)).count() == 1
        && matches!(proto.extra, Extra::None | Extra::Lane(_) | Extra::Cvt(_))
}

/// Whether an operation writes `d` as well.
fn defines(proto: &Proto, d: Value) -> bool {
    proto.registers().any(|arg| matches!(arg, Arg::Def(v) | Arg::Both(v) if v == d))
}

/// Takes dead operations out; labels and the lengths of guarded groups follow.
fn remove(protos: &mut Vec<Proto>, labels: &mut [usize], dead: &[bool]) {
    let mut kept = Vec::with_capacity(dead.len() + 1);
    let mut count = 0;
    for &gone in dead {
        kept.push(count);
        count += usize::from(!gone);
    }
    kept.push(count);
    for label in labels {
        if let Some(&at) = kept.get(*label) {
            *label = at;
        }
    }
    for (at, proto) in protos.iter_mut().enumerate() {
        if let Extra::Guard(inside) = &mut proto.extra {
            *inside = kept[at + 1 + *inside] - kept[at] - 1;
        }
    }
    let mut index = 0;
    protos.retain(|_| {
        index += 1;
        !dead[index - 1]
    });
}
