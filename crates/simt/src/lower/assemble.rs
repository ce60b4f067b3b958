//! Protos with places to operations, and functions one after the other into a program.

use super::allocate::Places;
use super::builder::Builder;
use super::proto::{Arg, Class, Extra, Flow, Proto, Slot, Value, Values};
use crate::code::{Code, Function, Place};
use crate::detail::{Call, Detail};
use crate::machine::Machine;
use crate::op::{Op, Pc, Run};
use crate::ops::control;
use crate::work::Cost;

/// A program under construction.
#[derive(Default)]
pub struct Assembly {
    ops: Vec<Op>,
    lines: Vec<u32>,
    functions: Vec<Function>,
    costs: Vec<Cost>,
    details: Vec<Detail>,
    pub sites: u32,
}

/// What a backward branch costs of a warp's turn if the loop seems to wait for somebody: a turn has room for few of them.
const SPIN_PRICE: u64 = 128;

impl Assembly {
    pub fn add(&mut self, b: &Builder<'_>, places: &Places, params: &[Slot], returns: &[Slot]) {
        let entry = self.ops.len();
        let first_cost = self.costs.len() as u32;
        self.costs.extend_from_slice(&b.costs);
        self.sites = b.sites;
        // How many operations before each one look like waiting.
        let waits: Vec<u32> = std::iter::once(0)
            .chain(b.protos.iter().scan(0, |sum, p| {
                *sum += u32::from(p.waits);
                Some(*sum)
            }))
            .collect();
        for (at, proto) in b.protos.iter().enumerate() {
            let spot = Spot { at, labels: &b.labels, waits: &waits };
            let op = self.operation(proto, places, &b.values, &spot, first_cost);
            self.ops.push(op);
            self.lines.push(proto.line);
        }
        let place = |slots: &[Slot]| slots.iter().map(|slot| place_of(slot, places, &b.values)).collect();
        self.functions.push(Function {
            name: b.home.function.name.to_string(),
            entry: entry as u32,
            extent: places.extent,
            constants32: places.constants32.clone().into(),
            constants64: places.constants64.clone().into(),
            local: b.home.local_bytes,
            params: place(params),
            returns: place(returns),
        });
    }

    pub fn finish(self) -> Code {
        Code {
            ops: self.ops.into(),
            lines: self.lines.into(),
            functions: self.functions.into(),
            costs: self.costs.into(),
            timed: Default::default(),
            details: self.details.into(),
            sites: self.sites,
        }
    }

    fn detail(&mut self, detail: Detail) -> u32 {
        self.details.push(detail);
        self.details.len() as u32 - 1
    }

    fn operation(
        &mut self,
        proto: &Proto,
        places: &Places,
        values: &Values,
        spot: &Spot<'_>,
        cost: u32,
    ) -> Op {
        let offset = |value: Value| places.offsets[value.0 as usize].unwrap_or(0);
        let place = |arg: &Arg| match *arg {
            Arg::Raw(raw) => raw,
            Arg::Use(value) | Arg::Def(value) | Arg::Both(value) => offset(value),
        };
        let mut op = Op { run: proto.run, r: std::array::from_fn(|k| place(&proto.args[k])), imm: proto.imm };
        match &proto.extra {
            Extra::None => {}
            Extra::Guard(inside) => op.r[1] = *inside as u32,
            Extra::Matrix(matrix) => op.r[0] = self.detail(Detail::Matrix(matrix.placed(place))),
            Extra::Update(f) => op.r[3] = self.detail(Detail::Lane(*f)),
            Extra::Lane(f) => op.imm = self.detail(Detail::Lane(*f)).into(),
            Extra::Cvt(cvt) => op.imm = self.detail(Detail::Cvt(*cvt)).into(),
            Extra::Rows(_) if proto.flow == Flow::End => {}
            Extra::Rows(rows) => {
                let rows = rows.iter().map(place).collect();
                op.r[0] = self.detail(Detail::Rows(rows));
            }
            Extra::Call { target, args, returns } => {
                let list = |slots: &[Slot]| slots.iter().map(|slot| place_of(slot, places, values)).collect();
                let call = Call { target: target.place(offset), args: list(args), returns: list(returns) };
                op.r[0] = self.detail(Detail::Call(call));
            }
        }
        if proto.flow != Flow::Next {
            op.r[5] += cost;
        }
        match &proto.flow {
            Flow::Next | Flow::Fall | Flow::End => {}
            Flow::Jump(label) => {
                let distance = spot.distance(*label);
                op.r[1] = distance as u32;
                if distance <= 0 {
                    op.run = plain(control::jump_back);
                    op.imm = spot.price(distance);
                }
            }
            Flow::Branch { target, negated } => {
                let distance = spot.distance(*target);
                op.r[1] = distance as u32;
                op.run = match (distance <= 0, negated) {
                    (false, false) => plain(control::branch::<false>),
                    (false, true) => plain(control::branch::<true>),
                    (true, false) => plain(control::branch_back::<false>),
                    (true, true) => plain(control::branch_back::<true>),
                };
                op.imm = spot.price(distance);
            }
            Flow::Table(labels) => {
                let table = labels.iter().map(|label| spot.distance(*label)).collect();
                op.r[0] = self.detail(Detail::Table(table));
            }
        }
        op
    }
}

fn plain(run: fn(&mut Machine<'_>, &Op) -> Pc) -> Run {
    run
}

/// Where an operation stands.
struct Spot<'a> {
    at: usize,
    labels: &'a [usize],
    waits: &'a [u32],
}

impl Spot<'_> {
    fn distance(&self, label: super::proto::Label) -> i32 {
        self.labels[label.0 as usize] as i32 - self.at as i32
    }

    /// What a jump over `distance` costs: more if the loop it closes looks like waiting.
    fn price(&self, distance: i32) -> u64 {
        if distance > 0 {
            return 0;
        }
        let start = (self.at as i32 + distance) as usize;
        if self.waits[self.at + 1] > self.waits[start] { SPIN_PRICE } else { 1 }
    }
}

fn place_of(slot: &Slot, places: &Places, values: &Values) -> Place {
    match *slot {
        Slot::Local { offset, size } => Place::Local { offset, size },
        Slot::Register(value) => {
            let offset = places.offsets[value.0 as usize].unwrap_or(0);
            match values.class(value) {
                Class::Narrow => Place::Row { offset, wide: false },
                Class::Wide => Place::Row { offset, wide: true },
                Class::Pred => Place::Pred { offset },
            }
        }
    }
}
