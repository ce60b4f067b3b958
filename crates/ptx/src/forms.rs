//! Which instructions exist: `forms/table.txt`, read once, drives parsing, checking, printing and def/use queries.

mod head;
mod row;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::ir::{Field, Inst, Mods, Opcode, Operand, RegId, ScalarType, Space, Types};

pub(crate) use head::{Head, resolve, write_head};

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Form {
    /// Text of the opcode in this form.
    name: &'static str,
    pub opcode: Opcode,
    slots: Vec<Slot>,
    /// Modifiers this form implies without writing them.
    implied: Vec<(Field, &'static str)>,
    pub operands: Vec<Spec>,
}

/// A place for one word between opcode and operands.
#[derive(Debug)]
enum Slot {
    Field {
        field: Field,
        words: Vec<&'static str>,
        optional: bool,
    },
    Type(Vec<ScalarType>),
    /// A word that must be there and carries no information.
    Literal(Vec<&'static str>),
}

/// What one operand must look like.
#[derive(Debug)]
pub(crate) struct Spec {
    pub shape: Shape,
    pub ty: TypeRule,
    /// The operand is written by the instruction.
    pub result: bool,
    /// Only a constant will do.
    pub constant: bool,
    pub optional: bool,
    /// The cache policy: there if and only if the cache hint modifier is.
    pub policy: bool,
    /// The register may be wider than the type.
    pub wider: bool,
    /// A special register will do.
    pub special: bool,
}

/// The syntactic shape of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    One,
    /// An address, in this space whatever the modifiers say.
    Address(Option<Space>),
    /// `d|p`; the second side may be left out if not `required`.
    Pair {
        required: bool,
    },
    /// A vector of this many elements; a lone register will do for one.
    Vector(usize),
    /// A vector as long as the width modifier says, or a single value.
    Width,
    /// A vector of two or four registers that together have the type's size.
    Parts,
    Label,
    Table,
    /// Everything a call may have.
    Call,
}

/// How an operand's type follows from the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeRule {
    /// The instruction's n-th type.
    Nth(usize),
    Fixed(ScalarType),
    /// Twice as wide as the first type.
    Wide,
    /// Any integer as wide as an address.
    Address,
}

static FORMS: LazyLock<Forms> = LazyLock::new(Forms::read);

struct Forms {
    all: Vec<Form>,
    /// Indices of the forms whose name starts with this word, in table order.
    by_word: HashMap<&'static str, Vec<usize>>,
    /// Indices of an opcode's forms, in table order.
    by_opcode: Vec<Vec<usize>>,
}

impl Forms {
    fn read() -> Forms {
        let all = row::read(include_str!("forms/table.txt"));
        let mut by_word: HashMap<&'static str, Vec<usize>> = HashMap::new();
        let mut by_opcode = vec![Vec::new(); Opcode::ALL.len()];
        for (index, form) in all.iter().enumerate() {
            by_word.entry(first_word(form.name)).or_default().push(index);
            by_opcode[form.opcode as usize].push(index);
        }
        Forms { all, by_word, by_opcode }
    }
}

fn first_word(text: &str) -> &str {
    text.split('.').next().unwrap_or(text)
}

/// The forms of an opcode.
fn of_opcode(opcode: Opcode) -> impl Iterator<Item = &'static Form> {
    FORMS.by_opcode[opcode as usize].iter().map(|&index| &FORMS.all[index])
}

/// Whether the first operand of `opcode` is its result. No instruction has results elsewhere.
pub fn has_result(opcode: Opcode) -> bool {
    of_opcode(opcode).any(|form| form.operands.first().is_some_and(|spec| spec.result))
}

/// What an instruction does with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

impl Inst {
    /// Calls `visit` for every register the instruction reads or writes, guard and address bases included.
    ///
    /// The carry flag is not a register: it is written where `mods.cc` is set and read by `addc`, `subc`, `madc`.
    pub fn for_each_reg(&self, mut visit: impl FnMut(RegId, Access)) {
        if let Some(guard) = self.guard {
            visit(guard.reg, Access::Read);
        }
        let first = if has_result(self.opcode) { Access::Write } else { Access::Read };
        for (index, operand) in self.operands.iter().enumerate() {
            visit_regs(operand, if index == 0 { first } else { Access::Read }, &mut visit);
        }
    }
}

fn visit_regs(operand: &Operand, access: Access, visit: &mut impl FnMut(RegId, Access)) {
    match operand {
        Operand::Reg(reg) | Operand::Not(reg) => visit(*reg, access),
        Operand::Address(address) => {
            if let crate::ir::Base::Reg(reg) = address.base {
                visit(reg, Access::Read);
            }
        }
        Operand::Vector(parts) => parts.iter().for_each(|part| visit_regs(part, access, visit)),
        Operand::Pair(sides) => sides.iter().for_each(|side| visit_regs(side, access, visit)),
        _ => {}
    }
}

impl TypeRule {
    /// The operand type for an instruction with these types; `None` where any address-sized integer will do.
    pub(crate) fn of(self, types: &Types) -> Option<ScalarType> {
        use ScalarType::*;
        match self {
            TypeRule::Nth(n) => types.get(n).copied(),
            TypeRule::Fixed(ty) => Some(ty),
            TypeRule::Wide => match types.first()? {
                U16 => Some(U32),
                S16 => Some(S32),
                U32 => Some(U64),
                _ => Some(S64),
            },
            TypeRule::Address => None,
        }
    }
}

impl Form {
    /// Whether this form writes exactly these modifiers and types.
    fn covers(&self, mods: &Mods, types: &Types) -> bool {
        let (mut left, mut types) = (*mods, types.iter());
        for (field, word) in &self.implied {
            if left.take(*field) != Some(word) {
                return false;
            }
        }
        let fits = self.slots.iter().all(|slot| match slot {
            Slot::Field { field, words, optional } => match left.take(*field) {
                Some(word) => head::spelling(*field, words, word).is_some(),
                None => *optional,
            },
            Slot::Type(allowed) => types.next().is_some_and(|ty| allowed.contains(ty)),
            Slot::Literal(_) => true,
        });
        fits && types.next().is_none() && left == Mods::default()
    }
}

#[cfg(test)]
mod exercise;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opcode_has_a_form_and_agrees_on_results() {
        for &opcode in Opcode::ALL {
            let results: Vec<bool> =
                of_opcode(opcode).map(|f| f.operands.first().is_some_and(|s| s.result)).collect();
            assert!(!results.is_empty(), "{opcode} has no form");
            assert!(results.iter().all(|r| *r == results[0]), "{opcode} sometimes has a result");
        }
    }

    #[test]
    fn only_first_operands_are_results_and_only_last_ones_optional() {
        for form in &FORMS.all {
            assert!(form.operands.iter().skip(1).all(|s| !s.result), "{}", form.name);
            let mut optional = form.operands.iter().map(|s| s.optional).skip_while(|o| !o);
            assert!(optional.all(|o| o), "{}", form.name);
        }
    }

    #[test]
    fn a_form_covers_what_it_reads() {
        for form in &FORMS.all {
            let (mods, types) = head::minimal(form);
            assert!(form.covers(&mods, &types), "{}", form.name);
            let mut text = String::new();
            write_head(&mut text, form.opcode, &mods, &types).unwrap();
            let heads = resolve(&text).unwrap_or_else(|e| panic!("{text}: {}", e.message));
            assert!(heads.iter().any(|h| h.mods == mods && h.types == types), "{text}");
        }
    }
}
