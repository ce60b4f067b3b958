//! Operations before registers have places: what instructions are lowered to first.

use crate::detail::{Matrix, Product, Target};
use crate::fragment::Elements;
use crate::num::cvt::Cvt;
use crate::op::Run;
use crate::ops::scalar::LaneFn;

/// A virtual register, of some class; see [`Values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub u32);

/// Which file a register lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A 32-bit row; narrower values are zero-extended in it.
    Narrow,
    /// A 64-bit row.
    Wide,
    /// A predicate word.
    Pred,
}

/// An operand of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A plain number.
    Raw(u32),
    Use(Value),
    Def(Value),
    /// Written in some lanes only: the others keep what they had.
    Both(Value),
}

/// An operation whose registers have no places yet.
#[derive(Clone, Debug)]
pub struct Proto {
    pub run: Run,
    pub args: [Arg; 6],
    pub imm: u64,
    pub line: u32,
    pub flow: Flow,
    pub extra: Extra,
    /// What later passes recognise.
    pub shape: Shape,
    /// Touches memory in a way that spin loops do: loops around it are taken for waiting.
    pub waits: bool,
}

/// Operations that passes know by what they compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `args[0] = args[1]`
    Move,
    /// Single precision, to nearest, without modifiers.
    Fma,
    Mul,
    Add,
    Other,
}

/// Where control goes after an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    Next,
    /// Ends a basic block without a jump.
    Fall,
    Jump(Label),
    Branch {
        target: Label,
        negated: bool,
    },
    Table(Vec<Label>),
    /// Nowhere: exit, return, trap.
    End,
}

/// A place to jump to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(pub u32);

/// What goes into the side table.
#[derive(Clone, Debug)]
pub enum Extra {
    None,
    Lane(LaneFn),
    Cvt(Cvt),
    Call {
        target: CallTarget,
        args: Vec<Slot>,
        returns: Vec<Slot>,
    },
    /// More operands than fit.
    Rows(Vec<Arg>),
    Matrix(MatrixProto),
    /// The update of an atomic instruction.
    Update(LaneFn),
    /// How many operations the guard holds for.
    Guard(usize),
}

/// A matrix instruction.
#[derive(Clone, Debug)]
pub enum MatrixProto {
    Multiply { product: Product, a: Vec<Arg>, b: Vec<Arg>, c: Vec<Arg>, d: Vec<Arg> },
    Move { registers: Vec<Arg>, transposed: bool },
    Fragment { registers: Vec<Arg>, wide: bool, elements: Elements },
}

impl MatrixProto {
    fn lists(&self) -> [&[Arg]; 4] {
        match self {
            MatrixProto::Multiply { a, b, c, d, .. } => [a, b, c, d],
            MatrixProto::Move { registers, .. } | MatrixProto::Fragment { registers, .. } => {
                [registers, &[], &[], &[]]
            }
        }
    }

    pub fn lists_mut(&mut self) -> impl Iterator<Item = &mut Arg> {
        let (first, rest): (&mut Vec<Arg>, _) = match self {
            MatrixProto::Multiply { a, b, c, d, .. } => (a, Some((b, c, d))),
            MatrixProto::Move { registers, .. } | MatrixProto::Fragment { registers, .. } => {
                (registers, None)
            }
        };
        let rest = rest.into_iter().flat_map(|(b, c, d)| b.iter_mut().chain(c).chain(d));
        first.iter_mut().chain(rest)
    }

    /// With `place` for each register.
    pub fn placed(&self, place: impl Fn(&Arg) -> u32) -> Matrix {
        let all = |args: &[Arg]| args.iter().map(&place).collect();
        match self {
            MatrixProto::Multiply { product, a, b, c, d } => {
                Matrix::Multiply { product: *product, a: all(a), b: all(b), c: all(c), d: all(d) }
            }
            MatrixProto::Move { registers, transposed } => {
                Matrix::Move { registers: all(registers), transposed: *transposed }
            }
            MatrixProto::Fragment { registers, wide, elements } => {
                Matrix::Fragment { registers: all(registers), wide: *wide, elements: *elements }
            }
        }
    }
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallTarget {
    Function(u32),
    Indirect(Value),
}

impl CallTarget {
    pub fn place(self, offset: impl Fn(Value) -> u32) -> Target {
        match self {
            CallTarget::Function(index) => Target::Function(index),
            CallTarget::Indirect(value) => Target::Indirect(offset(value)),
        }
    }
}

/// Where an argument or a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Bytes of the frame's local memory.
    Local {
        offset: u32,
        size: u32,
    },
    Register(Value),
}

impl Proto {
    /// All operands that are registers.
    pub fn registers(&self) -> impl Iterator<Item = Arg> {
        let listed: [&[Arg]; 4] = match &self.extra {
            Extra::Rows(rows) => [rows, &[], &[], &[]],
            Extra::Matrix(matrix) => matrix.lists(),
            _ => [&[]; 4],
        };
        let (target, args, returns): (_, &[Slot], &[Slot]) = match &self.extra {
            Extra::Call { target, args, returns } => (Some(target), args, returns),
            _ => (None, &[], &[]),
        };
        let target = target.and_then(|t| match t {
            CallTarget::Indirect(value) => Some(Arg::Use(*value)),
            CallTarget::Function(_) => None,
        });
        let register = |slot: &Slot| match slot {
            Slot::Register(value) => Some(*value),
            Slot::Local { .. } => None,
        };
        (self
            .args
            .iter()
            .chain(listed.into_iter().flatten())
            .copied()
            .filter(|arg| !matches!(arg, Arg::Raw(_))))
        .chain(target)
        .chain(args.iter().filter_map(register).map(Arg::Use))
        .chain(returns.iter().filter_map(register).map(Arg::Def))
    }
}

/// The virtual registers of a function.
#[derive(Default)]
pub struct Values {
    pub classes: Vec<Class>,
    /// The value of a register that never changes.
    pub constants: Vec<Option<u64>>,
    /// Registers that the lowering of one instruction made for itself.
    pub temporary: Vec<bool>,
    known: std::collections::HashMap<(bool, u64), Value>,
}

impl Values {
    pub fn add(&mut self, class: Class, temporary: bool) -> Value {
        self.classes.push(class);
        self.constants.push(None);
        self.temporary.push(temporary);
        Value(self.classes.len() as u32 - 1)
    }

    pub fn class(&self, value: Value) -> Class {
        self.classes[value.0 as usize]
    }

    pub fn constant(&self, value: Value) -> Option<u64> {
        self.constants[value.0 as usize]
    }

    /// A register that always holds `bits`.
    pub fn constant_of(&mut self, wide: bool, bits: u64) -> Value {
        let bits = if wide { bits } else { u64::from(bits as u32) };
        if let Some(&value) = self.known.get(&(wide, bits)) {
            return value;
        }
        let value = self.add(if wide { Class::Wide } else { Class::Narrow }, false);
        self.constants[value.0 as usize] = Some(bits);
        self.known.insert((wide, bits), value);
        value
    }
}
