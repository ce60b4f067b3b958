//! Instructions: guard, dotted text, operands.

use std::collections::HashMap;
use std::rc::Rc;

use super::body::BodyParser;
use super::cursor::Parsed;
use crate::Diagnostic;
use crate::forms::{self, Head, Shape};
use crate::ir::{Guard, Inst, Loc, Operand, ScalarType};
use crate::lex::{Punct, Tok};
use crate::refuse;

/// How instruction texts read. A module uses few different ones, each very often.
#[derive(Default)]
pub(super) struct Heads<'s> {
    known: HashMap<&'s str, Rc<[Head]>>,
}

impl<'s> Heads<'s> {
    fn get(&mut self, text: &'s str, loc: Loc) -> Parsed<Rc<[Head]>> {
        if let Some(heads) = self.known.get(text) {
            return Ok(heads.clone());
        }
        let heads = resolve(text, loc)?;
        self.known.insert(text, heads.clone());
        Ok(heads)
    }
}

fn resolve(text: &str, loc: Loc) -> Parsed<Rc<[Head]>> {
    if let Some(why) = refuse::instruction(text) {
        return Err(Diagnostic::new(loc, why));
    }
    match forms::resolve(text) {
        Ok(heads) => Ok(heads.into()),
        Err(bad) => {
            let column = loc.column.saturating_add(u32::try_from(bad.at).unwrap_or(0));
            Err(Diagnostic::new(Loc { column, ..loc }, bad.message))
        }
    }
}

impl<'s> BodyParser<'_, 's> {
    /// What follows `@`.
    pub(super) fn guard(&mut self) -> Parsed<Guard> {
        let negated = self.cursor.eat(Punct::Bang);
        let loc = self.cursor.loc();
        let reg = self.register()?;
        if self.scopes.regs[reg.index()].ty != ScalarType::Pred {
            return Err(Diagnostic::new(loc, "a guard must be a predicate register"));
        }
        Ok(Guard { reg, negated })
    }

    /// An instruction whose first word, `text`, is already behind.
    pub(super) fn instruction(&mut self, guard: Option<Guard>, text: &'s str, loc: Loc) -> Parsed<()> {
        let heads = match self.cursor.tok() {
            Tok::Dot(_) => resolve(&self.split_text(text), loc)?,
            _ => self.heads.get(text, loc)?,
        };
        self.operand_locs.clear();
        let mut operands = match heads.first().and_then(|head| head.form.operands.first()) {
            Some(spec) if spec.shape == Shape::Call => self.call_operands()?,
            _ => self.operands(&heads)?,
        };
        let head = self.choose(&heads, &mut operands, loc)?;
        let (opcode, mods, types) = (head.form.opcode, head.mods, head.types);
        self.push(Inst { guard, opcode, mods, types, operands, loc });
        Ok(())
    }

    /// The text of an instruction whose modifiers are set off by blanks.
    fn split_text(&mut self, text: &str) -> String {
        let mut whole = text.to_owned();
        while let Tok::Dot(word) = self.cursor.tok() {
            whole.push('.');
            whole.push_str(word);
            self.cursor.advance();
        }
        whole
    }

    fn operands(&mut self, heads: &[Head]) -> Parsed<Vec<Operand>> {
        let mut operands = Vec::with_capacity(4);
        if self.cursor.eat(Punct::Semi) {
            return Ok(operands);
        }
        loop {
            let spec = heads.first().and_then(|head| head.form.operands.get(operands.len()));
            self.operand_locs.push(self.cursor.loc());
            operands.push(self.operand(spec.map(|spec| spec.shape))?);
            if self.cursor.eat(Punct::Semi) {
                return Ok(operands);
            }
            self.cursor.expect(Punct::Comma)?;
        }
    }

    /// `(returns), target, (arguments), prototype;` where everything but the target may be missing.
    fn call_operands(&mut self) -> Parsed<Vec<Operand>> {
        let mut operands = vec![Operand::Vector(Vec::new())];
        self.operand_locs.push(self.cursor.loc());
        if self.cursor.eat(Punct::OpenParen) {
            operands[0] = Operand::Vector(self.elements(Punct::CloseParen)?);
            self.cursor.expect(Punct::Comma)?;
        }
        self.operand_locs.push(self.cursor.loc());
        operands.push(self.operand(None)?);
        let mut more = self.cursor.eat(Punct::Comma);
        self.operand_locs.push(self.cursor.loc());
        if more && self.cursor.eat(Punct::OpenParen) {
            operands.push(Operand::Vector(self.elements(Punct::CloseParen)?));
            more = self.cursor.eat(Punct::Comma);
        } else {
            operands.push(Operand::Vector(Vec::new()));
        }
        if more {
            self.operand_locs.push(self.cursor.loc());
            operands.push(self.operand(None)?);
        }
        self.cursor.expect(Punct::Semi)?;
        Ok(operands)
    }

    /// The first form the operands suit; otherwise what is wrong by the form they suit best.
    fn choose<'h>(&self, heads: &'h [Head], operands: &mut [Operand], loc: Loc) -> Parsed<&'h Head> {
        let context = self.context();
        let mut worst: Option<crate::check::Misfit> = None;
        for head in heads {
            match context.fit(head, operands) {
                Ok(()) => return Ok(head),
                Err(misfit) if worst.as_ref().is_none_or(|w| misfit.operand > w.operand) => {
                    worst = Some(misfit)
                }
                Err(_) => {}
            }
        }
        let Some(misfit) = worst else { return Err(Diagnostic::new(loc, "the instruction has no form")) };
        let loc = misfit.operand.and_then(|index| self.operand_locs.get(index)).copied().unwrap_or(loc);
        Err(Diagnostic::new(loc, misfit.message))
    }
}
