//! Instructions and their operands.

use super::{
    BranchTargetsId, CallTargetsId, FuncId, LabelId, Loc, LocalId, Mods, Opcode, ParamId, ProtoId, RegId,
    ScalarType, SpecialReg, VarId,
};

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    pub guard: Option<Guard>,
    pub opcode: Opcode,
    pub mods: Mods,
    /// The types as written, in order (`cvt.rn.f32.s32` has `[F32, S32]`).
    pub types: Types,
    /// The operands as written, in order; optional ones that are missing are simply not there.
    pub operands: Vec<Operand>,
    pub loc: Loc,
}

/// `@p` or `@!p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    pub reg: RegId,
    pub negated: bool,
}

/// The types of one instruction: a slice of at most four, stored inline.
#[derive(Clone, Copy)]
pub struct Types {
    len: u8,
    types: [ScalarType; Types::MAX],
}

impl Types {
    /// No instruction names more types than this.
    pub const MAX: usize = 4;

    /// No types.
    pub const fn new() -> Types {
        Types { len: 0, types: [ScalarType::B32; Types::MAX] }
    }

    /// Appends a type; false if there is no room.
    pub fn push(&mut self, ty: ScalarType) -> bool {
        let Some(free) = self.types.get_mut(usize::from(self.len)) else { return false };
        *free = ty;
        self.len += 1;
        true
    }
}

impl Default for Types {
    fn default() -> Types {
        Types::new()
    }
}

impl std::ops::Deref for Types {
    type Target = [ScalarType];

    fn deref(&self) -> &[ScalarType] {
        &self.types[..usize::from(self.len)]
    }
}

impl PartialEq for Types {
    fn eq(&self, other: &Types) -> bool {
        **self == **other
    }
}

impl Eq for Types {}

impl std::hash::Hash for Types {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl std::fmt::Debug for Types {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl FromIterator<ScalarType> for Types {
    /// Keeps the first [`Types::MAX`] types.
    fn from_iter<I: IntoIterator<Item = ScalarType>>(iter: I) -> Types {
        let mut types = Types::new();
        for ty in iter {
            types.push(ty);
        }
        types
    }
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    Reg(RegId),
    /// `!p`
    Not(RegId),
    Imm(Imm),
    Special(SpecialReg),
    /// The address of a variable or function (or, in a call, the variable itself), plus a byte offset.
    Symbol(SymbolRef),
    /// `[base+offset]`
    Address(Address),
    /// `{a, b}`, and the parenthesised lists of a call.
    Vector(Vec<Operand>),
    /// `d|p`: two results. Each side is `Reg` or `Sink`.
    Pair(Box<[Operand; 2]>),
    Label(LabelId),
    /// Signature of an indirect call.
    Prototype(ProtoId),
    /// Possible targets of an indirect call.
    CallTargets(CallTargetsId),
    /// Jump table of `brx.idx`.
    BranchTargets(BranchTargetsId),
    /// `_`: the result is not wanted.
    Sink,
}

/// A constant. See [`Imm::bits`](crate::ir::Imm::bits) for its value as an operand of some type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Imm {
    /// 64 bits; signed or unsigned is up to the instruction.
    Int(i64),
    /// Bit pattern of an exact single-precision constant (`0f…`).
    F32(u32),
    /// Bit pattern of a double-precision or decimal constant.
    F64(u64),
}

impl Imm {
    /// The raw bits of this constant as an operand of type `ty`, zero-extended.
    ///
    /// Floating-point constants are converted to a floating-point `ty`; towards `.b*` and integer types the bit
    /// pattern counts. Integers are truncated, except that an integer given for a floating-point type is taken by bits.
    pub fn bits(self, ty: ScalarType) -> u64 {
        let raw = match (self, ty) {
            (Imm::Int(v), _) => v as u64,
            (Imm::F32(v), ScalarType::F64) => f64::from(f32::from_bits(v)).to_bits(),
            (Imm::F32(v), _) => u64::from(v),
            (Imm::F64(v), ScalarType::F32 | ScalarType::Tf32) => {
                u64::from((f64::from_bits(v) as f32).to_bits())
            }
            (Imm::F64(v), _) => v,
        };
        match ty.bits() {
            bits @ 0..64 => raw & ((1 << bits) - 1),
            _ => raw,
        }
    }
}

/// A named thing that has an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// Module-scope variable.
    Variable(VarId),
    /// Function or kernel.
    Function(FuncId),
    /// Variable of the body.
    Local(LocalId),
    /// Parameter of the function.
    Param(ParamId),
    /// Return value of the function.
    Return(ParamId),
}

/// A symbol and a byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SymbolRef {
    pub symbol: Symbol,
    pub offset: i64,
}

/// A memory operand.
///
/// With a symbol as base the access goes to that symbol, whether the instruction names its space or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    pub base: Base,
    /// Added to the base, in bytes.
    pub offset: i64,
}

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    Reg(RegId),
    Symbol(Symbol),
    /// Absolute: the offset is the address.
    Zero,
}
