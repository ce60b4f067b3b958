//! The inside of a function, statement by statement.

use std::collections::HashMap;

use super::cursor::{Cursor, Parsed};
use super::init::Global;
use super::inst::Heads;
use super::scope::{Entry, Scopes};
use crate::Diagnostic;
use crate::check::Context;
use crate::ir::{
    Body, BranchTargets, BranchTargetsId, CallTargets, CallTargetsId, Function, Inst, Loc, LocalId, Module,
    Opcode, Operand, Param, ParamId, ProtoId, Prototype, Space, Stmt, VarId, Variable,
};
use crate::lex::{Punct, Tok};

/// Deepest nesting of `{ … }`.
const MAX_SCOPES: usize = 1000;

pub(super) struct BodyParser<'a, 's> {
    pub cursor: &'a mut Cursor<'s>,
    pub heads: &'a mut Heads<'s>,
    pub globals: &'a HashMap<&'s str, Global>,
    pub module: &'a Module,
    /// The function's header.
    pub function: &'a Function,
    pub scopes: Scopes<'a, 's>,
    pub variables: Vec<Variable>,
    /// `.global` and `.const` variables that go to the module; their ids follow the module's.
    pub moved: Vec<Variable>,
    pub prototypes: Vec<Prototype>,
    pub call_targets: Vec<CallTargets>,
    branch_targets: Vec<BranchTargets>,
    stmts: Vec<Stmt>,
    /// Positions of the operands of the instruction at hand.
    pub operand_locs: Vec<Loc>,
}

/// What reading a body gives.
pub(super) struct Finished {
    pub body: Body,
    pub moved: Vec<Variable>,
}

impl<'a, 's> BodyParser<'a, 's> {
    pub(super) fn new(
        cursor: &'a mut Cursor<'s>,
        heads: &'a mut Heads<'s>,
        globals: &'a HashMap<&'s str, Global>,
        module: &'a Module,
        function: &'a Function,
    ) -> BodyParser<'a, 's> {
        BodyParser {
            cursor,
            heads,
            globals,
            module,
            function,
            scopes: Scopes::new(globals),
            variables: Vec::new(),
            moved: Vec::new(),
            prototypes: Vec::new(),
            call_targets: Vec::new(),
            branch_targets: Vec::new(),
            stmts: Vec::new(),
            operand_locs: Vec::new(),
        }
    }

    /// Makes the header's names known. Register parameters get their register.
    pub(super) fn declare_params(
        &mut self,
        names: &[&'s str],
        params: &mut [Param],
        returned: bool,
    ) -> Parsed<()> {
        let loc = self.function.loc;
        for (index, (name, param)) in names.iter().zip(params).enumerate() {
            if *name == "_" {
                continue;
            }
            let id = ParamId(index as u32);
            let entry = match (param.space, returned) {
                (Space::Reg, _) => {
                    let entry = self.scopes.declare_reg(name, param.ty, 1, loc)?;
                    if let Entry::Reg(reg) = entry {
                        param.reg = Some(reg);
                        param.name = self.scopes.regs[reg.index()].name.clone();
                    }
                    continue;
                }
                (_, true) => Entry::Return(id),
                (_, false) => Entry::Param(id),
            };
            self.scopes.declare(name, entry, loc)?;
            param.name = self.scopes.unique(name);
        }
        Ok(())
    }

    /// Reads from behind the opening brace to the closing one. Complaints go to `diagnostics`; reading goes on after
    /// them until `enough` says stop.
    pub(super) fn run(
        mut self,
        diagnostics: &mut Vec<Diagnostic>,
        enough: impl Fn(&[Diagnostic]) -> bool,
    ) -> Parsed<Finished> {
        let before = diagnostics.len();
        while self.scopes.depth() > 0 {
            let start = self.cursor.consumed;
            let line = self.cursor.loc().line;
            if let Err(diagnostic) = self.statement() {
                diagnostics.push(diagnostic);
                if enough(diagnostics) || self.cursor.tok() == Tok::End {
                    break;
                }
                if !self.cursor.is_behind_statement(start) {
                    self.recover(line);
                }
            }
        }
        if diagnostics.len() == before {
            self.bind_labels()?;
        }
        let Scopes { regs, labels, .. } = self.scopes;
        let body = Body {
            regs,
            variables: self.variables,
            labels,
            prototypes: self.prototypes,
            call_targets: self.call_targets,
            branch_targets: self.branch_targets,
            stmts: self.stmts,
        };
        Ok(Finished { body, moved: self.moved })
    }

    /// Moves behind the broken statement that began in `line`. A brace in the same line may belong to a vector; one in
    /// a later line ends the scope.
    fn recover(&mut self, line: u32) {
        loop {
            match self.cursor.tok() {
                Tok::End => return,
                Tok::Punct(Punct::CloseBrace) if self.cursor.loc().line > line => return,
                Tok::Punct(Punct::Semi) => {
                    self.cursor.advance();
                    return;
                }
                _ => {
                    self.cursor.advance();
                }
            }
        }
    }

    fn statement(&mut self) -> Parsed<()> {
        match self.cursor.tok() {
            Tok::Punct(Punct::OpenBrace) => {
                if self.scopes.depth() >= MAX_SCOPES {
                    return Err(self.cursor.error("scopes are nested too deeply"));
                }
                self.cursor.advance();
                self.scopes.open();
                Ok(())
            }
            Tok::Punct(Punct::CloseBrace) => {
                self.cursor.advance();
                self.scopes.close();
                Ok(())
            }
            Tok::Dot(word) => self.directive(word),
            Tok::Punct(Punct::At) => {
                let loc = self.cursor.loc();
                self.cursor.advance();
                if self.cursor.at(Punct::At) {
                    self.cursor.skip_line();
                    return Ok(());
                }
                let guard = self.guard()?;
                let Tok::Word(text) = self.cursor.tok() else {
                    return Err(self.cursor.unexpected("an instruction"));
                };
                self.cursor.advance();
                self.instruction(Some(guard), text, loc)
            }
            Tok::Word(text) => {
                let loc = self.cursor.loc();
                self.cursor.advance();
                if self.cursor.at(Punct::Colon) && !text.contains('.') {
                    self.cursor.advance();
                    return self.label(text, loc);
                }
                self.instruction(None, text, loc)
            }
            _ => Err(self.cursor.unexpected("an instruction, a declaration or `}`")),
        }
    }

    pub(super) fn push(&mut self, inst: Inst) {
        self.stmts.push(Stmt::Inst(inst));
    }

    fn directive(&mut self, word: &'s str) -> Parsed<()> {
        match word {
            "reg" => self.registers(),
            "loc" | "file" => {
                self.cursor.skip_line();
                Ok(())
            }
            "pragma" => {
                self.cursor.advance();
                let strings = self.cursor.pragma()?;
                self.stmts.extend(strings.into_iter().map(Stmt::Pragma));
                Ok(())
            }
            _ => self.variable_declaration(),
        }
    }

    /// `.reg .b32 %r<10>, x;`
    fn registers(&mut self) -> Parsed<()> {
        let start = self.cursor.error("a register declaration has a type and names only");
        let specifiers = self.cursor.specifiers()?;
        let lanes = specifiers.lanes.unwrap_or(1);
        let (Some(ty), None, None) = (specifiers.ty, specifiers.linkage, specifiers.pointer) else {
            return Err(start);
        };
        loop {
            let loc = self.cursor.loc();
            let name = self.cursor.name()?;
            if self.cursor.eat(Punct::Less) {
                let count = self.cursor.number()?;
                self.cursor.expect(Punct::Greater)?;
                self.scopes.declare_range(name, count, ty, lanes, loc)?;
            } else {
                self.scopes.declare_reg(name, ty, lanes, loc)?;
            }
            if self.cursor.eat(Punct::Semi) {
                return Ok(());
            }
            self.cursor.expect(Punct::Comma)?;
        }
    }

    fn variable_declaration(&mut self) -> Parsed<()> {
        let loc = self.cursor.loc();
        let variables = self.cursor.variables((self.module.address_size / 8) as u8, self.globals)?;
        for (name, mut variable) in variables {
            let entry = match variable.space {
                Space::Global | Space::Const => {
                    variable.name = format!("{}${name}", self.function.name).into();
                    while self.globals.contains_key(&*variable.name)
                        || self.moved.iter().any(|v| v.name == variable.name)
                    {
                        variable.name = format!("{}$", variable.name).into();
                    }
                    let id = VarId((self.module.variables.len() + self.moved.len()) as u32);
                    self.moved.push(variable);
                    Entry::Moved(id)
                }
                Space::Local | Space::Shared | Space::Param => {
                    variable.name = self.scopes.unique(name);
                    let id = LocalId(self.variables.len() as u32);
                    self.variables.push(variable);
                    Entry::Local(id)
                }
                Space::Reg => return Err(Diagnostic::new(loc, "a register cannot be declared like this")),
            };
            self.scopes.declare(name, entry, loc)?;
        }
        Ok(())
    }

    /// What a label stands before: code, or one of the lists that go by a label's name.
    fn label(&mut self, name: &'s str, loc: Loc) -> Parsed<()> {
        let entry = if self.cursor.eat_dot("branchtargets") {
            let labels = self.names(|this, name, loc| Ok(this.scopes.use_label(name, loc)))?;
            let id = BranchTargetsId(self.branch_targets.len() as u32);
            let unique = self.scopes.unique(name);
            self.branch_targets.push(BranchTargets { name: unique, labels });
            Entry::BranchTargets(id)
        } else if self.cursor.eat_dot("calltargets") {
            let functions = self.names(|this, name, loc| match this.globals.get(name) {
                Some(Global::Function(id)) => Ok(*id),
                _ => Err(Diagnostic::new(loc, format!("unknown function `{name}`"))),
            })?;
            let id = CallTargetsId(self.call_targets.len() as u32);
            let unique = self.scopes.unique(name);
            self.call_targets.push(CallTargets { name: unique, functions });
            Entry::CallTargets(id)
        } else if self.cursor.eat_dot("callprototype") {
            let prototype = self.prototype(name)?;
            let id = ProtoId(self.prototypes.len() as u32);
            self.prototypes.push(prototype);
            Entry::Prototype(id)
        } else {
            let label = self.scopes.define_label(name, loc)?;
            self.stmts.push(Stmt::Label(label));
            return Ok(());
        };
        self.scopes.declare(name, entry, loc)
    }

    /// `a, b, c;`
    fn names<T>(&mut self, mut item: impl FnMut(&mut Self, &'s str, Loc) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        loop {
            let loc = self.cursor.loc();
            let name = self.cursor.name()?;
            items.push(item(self, name, loc)?);
            if self.cursor.eat(Punct::Semi) {
                return Ok(items);
            }
            self.cursor.expect(Punct::Comma)?;
        }
    }

    /// `(.param .b32 _) _ (.param .b64 _);`
    fn prototype(&mut self, name: &'s str) -> Parsed<Prototype> {
        let returns = match self.cursor.eat(Punct::OpenParen) {
            true => self.cursor.list(Punct::CloseParen, Cursor::param)?,
            false => Vec::new(),
        };
        self.cursor.name()?;
        let params = match self.cursor.eat(Punct::OpenParen) {
            true => self.cursor.list(Punct::CloseParen, Cursor::param)?,
            false => Vec::new(),
        };
        let mut noreturn = false;
        while !self.cursor.eat(Punct::Semi) {
            if self.cursor.eat_dot("noreturn") {
                noreturn = true;
            } else if self.cursor.eat_dot("abi_preserve") || self.cursor.eat_dot("abi_preserve_control") {
                self.cursor.number()?;
            } else {
                return Err(self.cursor.unexpected("`;`"));
            }
        }
        // The names in a prototype mean nothing.
        let unnamed = |params: Vec<(Param, &str)>| {
            params.into_iter().map(|(param, _)| Param { name: "".into(), ..param }).collect()
        };
        let name = self.scopes.unique(name);
        Ok(Prototype { name, returns: unnamed(returns), params: unnamed(params), noreturn })
    }

    /// A module-scope variable, one that is about to be moved there included.
    pub(super) fn variable(&self, id: VarId) -> &Variable {
        let known = &self.module.variables;
        known.get(id.index()).unwrap_or_else(|| &self.moved[id.index() - known.len()])
    }

    pub(super) fn context(&self) -> Context<'_> {
        Context {
            regs: &self.scopes.regs,
            locals: &self.variables,
            prototypes: &self.prototypes,
            call_targets: &self.call_targets,
            function: self.function,
            module: self.module,
            moved: &self.moved,
        }
    }

    /// Replaces label uses by labels, now that all are defined.
    fn bind_labels(&mut self) -> Parsed<()> {
        for stmt in &mut self.stmts {
            if let Stmt::Inst(inst) = stmt
                && inst.opcode == Opcode::Bra
                && let Some(Operand::Label(label)) = inst.operands.first_mut()
            {
                *label = self.scopes.label(*label)?;
            }
        }
        for label in self.branch_targets.iter_mut().flat_map(|targets| &mut targets.labels) {
            *label = self.scopes.label(*label)?;
        }
        Ok(())
    }
}
