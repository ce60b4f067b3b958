//! Operands, as far as their syntax goes. Whether they suit the instruction is checked afterwards.

use super::body::BodyParser;
use super::cursor::Parsed;
use super::init::Global;
use super::scope::Entry;
use crate::Diagnostic;
use crate::forms::Shape;
use crate::ir::{Address, Base, Loc, Operand, RegId, SpecialReg, Symbol, SymbolRef};
use crate::lex::{Punct, Tok};

/// What a word among the operands stands for.
enum Meaning {
    Reg(RegId),
    /// Something that is complete as it is.
    Whole(Operand),
    /// Something with an address, and the size of its elements.
    Symbol(Symbol, u64),
}

impl<'s> BodyParser<'_, 's> {
    /// One operand. `shape` matters only where names have another meaning: labels and jump tables.
    pub(super) fn operand(&mut self, shape: Option<Shape>) -> Parsed<Operand> {
        if shape == Some(Shape::Label) {
            let loc = self.cursor.loc();
            let name = self.cursor.name()?;
            return Ok(Operand::Label(self.scopes.use_label(name, loc)));
        }
        match self.cursor.tok() {
            Tok::Word("_") => {
                self.cursor.advance();
                self.second_side(Operand::Sink)
            }
            Tok::Word("WARP_SZ") => Ok(Operand::Imm(self.cursor.constant()?)),
            Tok::Word(_) => self.word(),
            Tok::Punct(Punct::OpenBracket) => self.address(),
            Tok::Punct(Punct::OpenBrace) => {
                self.cursor.advance();
                Ok(Operand::Vector(self.elements(Punct::CloseBrace)?))
            }
            Tok::Punct(Punct::Bang) => self.negation(),
            _ if self.cursor.at_constant() => Ok(Operand::Imm(self.cursor.constant()?)),
            _ => Err(self.cursor.unexpected("an operand")),
        }
    }

    /// The elements of a vector or of a call's list, without nested ones.
    pub(super) fn elements(&mut self, close: Punct) -> Parsed<Vec<Operand>> {
        let mut elements = Vec::new();
        if self.cursor.eat(close) {
            return Ok(elements);
        }
        loop {
            if self.cursor.at(Punct::OpenBrace) || self.cursor.at(Punct::OpenBracket) {
                return Err(self.cursor.unexpected("a register or a constant"));
            }
            elements.push(self.operand(None)?);
            if self.cursor.eat(close) {
                return Ok(elements);
            }
            self.cursor.expect(Punct::Comma)?;
        }
    }

    fn word(&mut self) -> Parsed<Operand> {
        match self.meaning()? {
            Meaning::Reg(reg) => self.second_side(Operand::Reg(reg)),
            Meaning::Whole(operand) => Ok(operand),
            Meaning::Symbol(symbol, element) => {
                Ok(Operand::Symbol(SymbolRef { symbol, offset: self.offset(element)? }))
            }
        }
    }

    /// `+4` or `[2]` after a symbol, in bytes.
    fn offset(&mut self, element: u64) -> Parsed<i64> {
        if self.cursor.eat(Punct::OpenBracket) {
            let index = self.cursor.integer()?;
            self.cursor.expect(Punct::CloseBracket)?;
            return Ok(index.wrapping_mul(element as i64));
        }
        self.plus()
    }

    fn plus(&mut self) -> Parsed<i64> {
        if self.cursor.eat(Punct::Plus) { self.cursor.integer() } else { Ok(0) }
    }

    /// `|p` after a first result.
    fn second_side(&mut self, first: Operand) -> Parsed<Operand> {
        if !self.cursor.eat(Punct::Pipe) {
            return Ok(first);
        }
        let second = match self.cursor.tok() {
            Tok::Word("_") => {
                self.cursor.advance();
                Operand::Sink
            }
            _ => Operand::Reg(self.register()?),
        };
        Ok(Operand::Pair(Box::new([first, second])))
    }

    /// `!p`, or a constant that starts with `!`.
    fn negation(&mut self) -> Parsed<Operand> {
        let start = self.cursor.clone();
        self.cursor.advance();
        if matches!(self.cursor.tok(), Tok::Word(name) if name != "WARP_SZ") {
            return Ok(Operand::Not(self.register()?));
        }
        *self.cursor = start;
        Ok(Operand::Imm(self.cursor.constant()?))
    }

    fn address(&mut self) -> Parsed<Operand> {
        self.cursor.expect(Punct::OpenBracket)?;
        let address = match self.cursor.tok() {
            Tok::Word(name) if name != "WARP_SZ" => {
                let loc = self.cursor.loc();
                let base = match self.meaning()? {
                    Meaning::Reg(reg) => Base::Reg(reg),
                    Meaning::Symbol(symbol, _) => Base::Symbol(symbol),
                    Meaning::Whole(_) => return Err(Diagnostic::new(loc, format!("`{name}` is no address"))),
                };
                Address { base, offset: self.plus()? }
            }
            _ => Address { base: Base::Zero, offset: self.cursor.integer()? },
        };
        self.cursor.expect(Punct::CloseBracket)?;
        Ok(Operand::Address(address))
    }

    /// A scalar register by name.
    pub(super) fn register(&mut self) -> Parsed<RegId> {
        let loc = self.cursor.loc();
        match self.meaning()? {
            Meaning::Reg(reg) => Ok(reg),
            _ => Err(Diagnostic::new(loc, "expected a register")),
        }
    }

    /// Resolves the word at hand.
    fn meaning(&mut self) -> Parsed<Meaning> {
        let Tok::Word(name) = self.cursor.tok() else { return Err(self.cursor.unexpected("a name")) };
        let unknown = self.cursor.loc();
        self.cursor.advance();
        if let Some((vector, component)) = name.split_once('.') {
            let special = SpecialReg::from_word(name).map(|reg| Meaning::Whole(Operand::Special(reg)));
            let lane = || self.scopes.component(vector, component).map(Meaning::Reg);
            return special.or_else(lane).ok_or_else(|| unknown_name(name, unknown));
        }
        let meaning = match self.scopes.lookup(name) {
            Some(Entry::Reg(reg)) => Meaning::Reg(reg),
            Some(Entry::Vector { first, lanes }) => {
                let regs = (0..u32::from(lanes)).map(|lane| Operand::Reg(RegId(first.0 + lane)));
                Meaning::Whole(Operand::Vector(regs.collect()))
            }
            Some(Entry::Local(id)) => {
                Meaning::Symbol(Symbol::Local(id), self.variables[id.index()].element_size())
            }
            Some(Entry::Param(id)) => {
                Meaning::Symbol(Symbol::Param(id), self.function.params[id.index()].element_size())
            }
            Some(Entry::Return(id)) => {
                Meaning::Symbol(Symbol::Return(id), self.function.returns[id.index()].element_size())
            }
            Some(Entry::Moved(id)) => Meaning::Symbol(Symbol::Variable(id), self.variable(id).element_size()),
            Some(Entry::Prototype(id)) => Meaning::Whole(Operand::Prototype(id)),
            Some(Entry::CallTargets(id)) => Meaning::Whole(Operand::CallTargets(id)),
            Some(Entry::BranchTargets(id)) => Meaning::Whole(Operand::BranchTargets(id)),
            None => match self.globals.get(name) {
                Some(Global::Variable(id)) => {
                    Meaning::Symbol(Symbol::Variable(*id), self.variable(*id).element_size())
                }
                Some(Global::Function(id)) => Meaning::Symbol(Symbol::Function(*id), 1),
                None => match SpecialReg::from_word(name) {
                    Some(special) => Meaning::Whole(Operand::Special(special)),
                    None => return Err(unknown_name(name, unknown)),
                },
            },
        };
        Ok(meaning)
    }
}

fn unknown_name(name: &str, loc: Loc) -> Diagnostic {
    let what = if name.starts_with('%') { "register" } else { "name" };
    Diagnostic::new(loc, format!("unknown {what} `{name}`"))
}
