//! The typed form of a PTX module.
//!
//! Instructions are uniform: an opcode, modifiers, types and operands, in the order they are written in PTX. Which
//! combinations exist is not encoded in Rust types but in the forms table; a parsed module holds only combinations
//! that table allows.
//!
//! What parsing settles, so that nobody downstream has to:
//! - names are resolved to ids; nested scopes are flattened and clashing names made unique;
//! - a register range (`%r<100>`) contributes only the registers that are used; a vector register becomes one scalar
//!   register per component;
//! - constant expressions are evaluated; initialisers are bytes and relocations;
//! - `.global` and `.const` variables declared inside a function are moved to the module;
//! - a prototype and its definition are one `Function`, an `.extern` declaration and its definition one
//!   `Variable`; ids follow the order of first appearance;
//! - debug information (`.file`, `.loc`, `.section`, the target option `debug`) is dropped.

mod inst;
mod mods;
mod opcode;
mod special;
mod types;
mod words;

pub use inst::{Address, Base, Guard, Imm, Inst, Operand, Symbol, SymbolRef, Types};
pub(crate) use mods::Field;
pub use mods::{
    Accuracy, AtomicOp, BitOp, BoolOp, CacheOp, Cmp, Count, Direction, Eviction, Fragment, Half, L2Eviction,
    Layout, Level, Mods, Overflow, Permute, Prefetch, Property, Proxy, Rounding, Scope, Semantics, Shape,
    Shuffle, Vote, Width,
};
pub use opcode::Opcode;
pub use special::SpecialReg;
pub use types::{Class, ScalarType, Space};
pub(crate) use words::words;

/// A name as written in the source (or made unique while flattening).
pub type Name = Box<str>;

/// A whole PTX module.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// `.version`
    pub version: Version,
    /// `.target`
    pub target: Target,
    /// `.address_size` in bits: 32 or 64.
    pub address_size: u32,
    /// Module-scope variables; [`VarId`] indexes this.
    pub variables: Vec<Variable>,
    /// Kernels and functions; [`FuncId`] indexes this.
    pub functions: Vec<Function>,
    /// `.alias` directives: the first name stands for the second function.
    pub aliases: Vec<(FuncId, FuncId)>,
    /// Module-scope `.pragma` strings.
    pub pragmas: Vec<Name>,
}

/// PTX ISA version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
}

/// The architecture a module was written for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// 80 for `sm_80`.
    pub sm: u32,
    /// `a` of `sm_90a`, `f` of `sm_100f`.
    pub suffix: Option<char>,
    /// Further words of the directive (`texmode_independent`, …).
    pub options: Vec<Name>,
}

macro_rules! ids {
    ($( $(#[$doc:meta])* $name:ident; )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )* };
}

ids! {
    /// Index into [`Module::variables`].
    VarId;
    /// Index into [`Module::functions`].
    FuncId;
    /// Index into [`Body::variables`].
    LocalId;
    /// Index into [`Function::params`] or [`Function::returns`].
    ParamId;
    /// Index into [`Body::regs`].
    RegId;
    /// Index into [`Body::labels`].
    LabelId;
    /// Index into [`Body::prototypes`].
    ProtoId;
    /// Index into [`Body::call_targets`].
    CallTargetsId;
    /// Index into [`Body::branch_targets`].
    BranchTargetsId;
}

words! {
    /// Linkage directive; no directive means the name is local to the module.
    pub enum Linkage { Visible = "visible", Extern = "extern", Weak = "weak", Common = "common" }
}

/// A variable in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: Name,
    pub space: Space,
    pub linkage: Option<Linkage>,
    /// `.align`, if written; see [`layout`](crate::layout) for the effective alignment.
    pub align: Option<u32>,
    /// Element type.
    pub ty: ScalarType,
    /// Elements per vector: 1, 2 or 4.
    pub lanes: u8,
    /// Array dimensions, outermost first; empty for a scalar. A first dimension of 0 is an unsized array.
    pub dims: Vec<u64>,
    /// `.attribute(.managed)`
    pub managed: bool,
    /// Initial contents; bytes beyond them are zero.
    pub init: Option<Init>,
    pub loc: Loc,
}

/// Initial contents of a variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Init {
    /// Little-endian image, as long as the initialiser that was written.
    pub bytes: Vec<u8>,
    /// Places in `bytes` that hold an address (zero in the image).
    pub relocs: Vec<Reloc>,
}

/// An address inside an initialiser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reloc {
    /// Where, in bytes from the start of the variable.
    pub offset: u64,
    /// How many bytes are written there: 1, 2, 4 or 8.
    pub width: u8,
    /// The address is shifted right by this many bytes first (the `0xFF00(sym)` forms; otherwise 0).
    pub shift: u8,
    /// `generic(sym)`: the generic address instead of the address in the symbol's own space.
    pub generic: bool,
    pub symbol: Symbol,
    pub addend: i64,
}

/// A kernel or a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub kind: FunctionKind,
    pub linkage: Option<Linkage>,
    pub name: Name,
    pub returns: Vec<Param>,
    pub params: Vec<Param>,
    /// `.noreturn`
    pub noreturn: bool,
    pub limits: Limits,
    /// `.pragma` strings between header and body.
    pub pragmas: Vec<Name>,
    /// `None` for a declaration whose definition is elsewhere.
    pub body: Option<Body>,
    pub loc: Loc,
}

words! {
    /// Kernel or function.
    pub enum FunctionKind { Entry = "entry", Func = "func" }
}

/// A formal parameter or return value.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Empty for the `_` of a call prototype.
    pub name: Name,
    pub ty: ScalarType,
    pub lanes: u8,
    /// Array dimensions as in [`Variable::dims`].
    pub dims: Vec<u64>,
    /// `.align`, if written.
    pub align: Option<u32>,
    /// `.ptr` attribute of a kernel parameter.
    pub pointer: Option<Pointer>,
    /// Set when the parameter is declared `.reg` and the function has a body: the register that holds it.
    pub reg: Option<RegId>,
    /// [`Space::Param`] or [`Space::Reg`].
    pub space: Space,
}

/// What a kernel parameter points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    pub space: Option<Space>,
    pub align: Option<u32>,
}

/// Performance directives of a function header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// `.maxntid`; missing dimensions are 1.
    pub maxntid: Option<[u32; 3]>,
    /// `.reqntid`; missing dimensions are 1.
    pub reqntid: Option<[u32; 3]>,
    pub minnctapersm: Option<u32>,
    pub maxnctapersm: Option<u32>,
    pub maxnreg: Option<u32>,
    /// `.reqnctapercluster`; missing dimensions are 1.
    pub reqnctapercluster: Option<[u32; 3]>,
    pub maxclusterrank: Option<u32>,
    pub explicitcluster: bool,
}

/// The inside of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    pub regs: Vec<RegDecl>,
    /// `.local`, `.shared` and `.param` variables of all scopes.
    pub variables: Vec<Variable>,
    pub labels: Vec<Label>,
    /// `.callprototype` declarations.
    pub prototypes: Vec<Prototype>,
    /// `.calltargets` declarations.
    pub call_targets: Vec<CallTargets>,
    /// `.branchtargets` declarations.
    pub branch_targets: Vec<BranchTargets>,
    pub stmts: Vec<Stmt>,
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegDecl {
    pub name: Name,
    pub ty: ScalarType,
}

/// A place in the code; its position is the [`Stmt::Label`] with its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub name: Name,
}

/// The signature of an indirect call.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    pub name: Name,
    pub returns: Vec<Param>,
    pub params: Vec<Param>,
    pub noreturn: bool,
}

/// The functions an indirect call may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTargets {
    pub name: Name,
    pub functions: Vec<FuncId>,
}

/// The jump table of a `brx.idx`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchTargets {
    pub name: Name,
    pub labels: Vec<LabelId>,
}

/// One step of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    Label(LabelId),
    Inst(Inst),
    /// `.pragma` between instructions, e.g. `nounroll`: a hint.
    Pragma(Name),
}

/// A position in the source; both count from 1.
///
/// Positions are for messages: two values that differ only in position are equal.
#[derive(Clone, Copy, Debug, Default, Eq)]
pub struct Loc {
    pub line: u32,
    pub column: u32,
}

impl PartialEq for Loc {
    fn eq(&self, _: &Loc) -> bool {
        true
    }
}

impl std::fmt::Display for Loc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Module {
    /// The function or kernel of this name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| &*f.name == name)
    }

    /// The module-scope variable of this name.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|v| &*v.name == name)
    }
}
