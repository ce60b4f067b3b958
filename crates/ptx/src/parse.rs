//! PTX text to IR: one pass over the tokens, one file per kind of thing.

mod body;
mod constant;
mod cursor;
mod declaration;
mod function;
mod init;
mod inst;
mod operand;
mod scope;
mod variable;

use std::collections::HashMap;

use crate::Diagnostic;
use crate::ir::{
    FuncId, Function, FunctionKind, Linkage, Loc, Module, Name, Param, Space, Target, VarId, Variable,
    Version,
};
use crate::lex::{Punct, Tok};
use body::{BodyParser, Finished};
use cursor::{Cursor, Parsed};
use init::Global;
use inst::Heads;

/// Complaints after which reading stops.
const MAX_DIAGNOSTICS: usize = 20;

/// Reads a PTX module, or says what is wrong with it. The source ends at its first NUL, if it has one.
pub fn parse(source: &str) -> Result<Module, Vec<Diagnostic>> {
    let mut parser = Parser {
        cursor: Cursor::new(source),
        module: Module {
            version: Version { major: 0, minor: 0 },
            target: Target { sm: 0, suffix: None, options: Vec::new() },
            address_size: 32,
            variables: Vec::new(),
            functions: Vec::new(),
            aliases: Vec::new(),
            pragmas: Vec::new(),
        },
        globals: HashMap::new(),
        heads: Heads::default(),
        diagnostics: Vec::new(),
    };
    parser.run();
    if parser.diagnostics.is_empty() { Ok(parser.module) } else { Err(parser.diagnostics) }
}

fn enough(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.len() >= MAX_DIAGNOSTICS
}

struct Parser<'s> {
    cursor: Cursor<'s>,
    module: Module,
    globals: HashMap<&'s str, Global>,
    heads: Heads<'s>,
    diagnostics: Vec<Diagnostic>,
}

impl<'s> Parser<'s> {
    fn run(&mut self) {
        // Without its first lines nothing else in a module can be judged.
        if let Err(diagnostic) = self.preamble() {
            self.diagnostics.push(diagnostic);
            return;
        }
        while self.cursor.tok() != Tok::End && !enough(&self.diagnostics) {
            let start = self.cursor.consumed;
            if let Err(diagnostic) = self.item() {
                self.diagnostics.push(diagnostic);
                if !self.cursor.is_behind_statement(start) {
                    self.recover();
                }
            }
        }
        if self.diagnostics.is_empty()
            && let Err(diagnostic) = self.check_names()
        {
            self.diagnostics.push(diagnostic);
        }
    }

    /// `.version 8.0`, `.target sm_80`, and maybe `.address_size 64`.
    fn preamble(&mut self) -> Parsed<()> {
        self.directive("version")?;
        self.module.version = self.version()?;
        self.directive("target")?;
        self.module.target = self.target()?;
        if self.cursor.eat_dot("address_size") {
            let wrong = self.cursor.error("the address size must be 32 or 64");
            self.module.address_size =
                Some(self.cursor.number()?).filter(|n| matches!(n, 32 | 64)).ok_or(wrong)?;
        }
        Ok(())
    }

    fn directive(&mut self, word: &str) -> Parsed<()> {
        if self.cursor.eat_dot(word) { Ok(()) } else { Err(self.cursor.unexpected(&format!("`.{word}`"))) }
    }

    fn version(&mut self) -> Parsed<Version> {
        // `8.0` reads as a decimal float; both parts are small, so the float is exact enough to print back.
        let text = match self.cursor.tok() {
            Tok::Double(bits) => format!("{:?}", f64::from_bits(bits)),
            _ => return Err(self.cursor.unexpected("a version number")),
        };
        let (major, minor) = text.split_once('.').unwrap_or((&text, "0"));
        let version = Version { major: major.parse().unwrap_or(0), minor: minor.parse().unwrap_or(0) };
        if !(1..=99).contains(&version.major) || version.minor > 99 {
            return Err(self.cursor.error(format!("PTX version {text} is not known")));
        }
        self.cursor.advance();
        Ok(version)
    }

    /// `sm_90a, debug`
    fn target(&mut self) -> Parsed<Target> {
        let wrong = self.cursor.unexpected("a target such as `sm_80`");
        let name = self.cursor.name()?;
        let number = name.strip_prefix("sm_").ok_or_else(|| wrong.clone())?;
        let digits = number.trim_end_matches(['a', 'f']);
        let suffix = match &number[digits.len()..] {
            "" => None,
            "a" => Some('a'),
            "f" => Some('f'),
            _ => return Err(wrong),
        };
        let sm = digits.parse().map_err(|_| wrong)?;
        let mut options: Vec<Name> = Vec::new();
        while self.cursor.eat(Punct::Comma) {
            let option = self.cursor.name()?;
            // Debug information is dropped, and a module that promises it must have it.
            options.extend((option != "debug").then(|| option.into()));
        }
        Ok(Target { sm, suffix, options })
    }

    /// One directive, variable or function.
    fn item(&mut self) -> Parsed<()> {
        if self.cursor.eat(Punct::At) {
            self.cursor.skip_line();
            return Ok(());
        }
        let Tok::Dot(word) = self.cursor.tok() else {
            return Err(self.cursor.unexpected("a directive"));
        };
        match word {
            "file" | "loc" => {
                self.cursor.skip_line();
                Ok(())
            }
            "section" => self.section(),
            "pragma" => {
                self.cursor.advance();
                let strings = self.cursor.pragma()?;
                self.module.pragmas.extend(strings);
                Ok(())
            }
            "alias" => self.alias(),
            _ => self.declaration(),
        }
    }

    /// A debug section: of no use here, skipped by its braces.
    fn section(&mut self) -> Parsed<()> {
        let unclosed = self.cursor.error("the section is not closed");
        while !self.cursor.at(Punct::OpenBrace) {
            if self.cursor.advance().tok == Tok::End {
                return Err(unclosed);
            }
        }
        let mut open = 0;
        loop {
            match self.cursor.advance().tok {
                Tok::Punct(Punct::OpenBrace) => open += 1,
                Tok::Punct(Punct::CloseBrace) if open == 1 => return Ok(()),
                Tok::Punct(Punct::CloseBrace) => open -= 1,
                Tok::End => return Err(unclosed),
                _ => {}
            }
        }
    }

    /// `.alias name, function;`
    fn alias(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let alias = self.function_name()?;
        self.cursor.expect(Punct::Comma)?;
        let function = self.function_name()?;
        self.cursor.expect(Punct::Semi)?;
        self.module.aliases.push((alias, function));
        Ok(())
    }

    fn function_name(&mut self) -> Parsed<FuncId> {
        let loc = self.cursor.loc();
        let name = self.cursor.name()?;
        match self.globals.get(name) {
            Some(Global::Function(id)) => Ok(*id),
            _ => Err(Diagnostic::new(loc, format!("unknown function `{name}`"))),
        }
    }

    /// A function or variables. Linkage comes before either, so it is looked at first.
    fn declaration(&mut self) -> Parsed<()> {
        let start = self.cursor.clone();
        let linkage = match self.cursor.tok() {
            Tok::Dot(word) => Linkage::from_word(word),
            _ => None,
        };
        if linkage.is_some() {
            self.cursor.advance();
        }
        let kind = match self.cursor.tok() {
            Tok::Dot(word) => FunctionKind::from_word(word),
            _ => None,
        };
        match kind {
            Some(kind) => {
                self.cursor.advance();
                self.function(kind, linkage)
            }
            None => {
                self.cursor = start;
                self.variables()
            }
        }
    }

    fn variables(&mut self) -> Parsed<()> {
        let variables = self.cursor.variables((self.module.address_size / 8) as u8, &self.globals)?;
        for (name, variable) in variables {
            if !matches!(variable.space, Space::Global | Space::Const | Space::Shared) {
                let message = format!("a `.{}` variable cannot be declared in a module", variable.space);
                return Err(Diagnostic::new(variable.loc, message));
            }
            self.declare_variable(name, variable)?;
        }
        Ok(())
    }

    /// Adds a variable, or completes an earlier `.extern` declaration of it.
    fn declare_variable(&mut self, name: &'s str, variable: Variable) -> Parsed<()> {
        match self.globals.get(name) {
            None => {
                self.globals.insert(name, Global::Variable(VarId(self.module.variables.len() as u32)));
                self.module.variables.push(variable);
                Ok(())
            }
            Some(Global::Variable(id)) => {
                let known = &mut self.module.variables[id.index()];
                let same =
                    (known.space, known.ty, known.lanes) == (variable.space, variable.ty, variable.lanes);
                match (known.linkage, variable.linkage) {
                    _ if !same => Err(redeclared(name, variable.loc)),
                    (Some(Linkage::Extern), _) => {
                        *known = variable;
                        Ok(())
                    }
                    (_, Some(Linkage::Extern)) => Ok(()),
                    _ => Err(Diagnostic::new(variable.loc, format!("`{name}` is defined twice"))),
                }
            }
            Some(Global::Function(_)) => Err(redeclared(name, variable.loc)),
        }
    }

    fn function(&mut self, kind: FunctionKind, linkage: Option<Linkage>) -> Parsed<()> {
        let header = self.cursor.header(kind, linkage)?;
        let id = self.declare_function(header.name, &header.function)?;
        if self.cursor.eat(Punct::Semi) {
            return Ok(());
        }
        if self.module.functions[id.index()].body.is_some() {
            return Err(self.cursor.error(format!("`{}` is defined twice", header.name)));
        }
        self.cursor.expect(Punct::OpenBrace)?;
        let mut function = header.function;
        function.noreturn |= self.module.functions[id.index()].noreturn;
        let (mut returns, mut params) = (function.returns.clone(), function.params.clone());
        let mut body =
            BodyParser::new(&mut self.cursor, &mut self.heads, &self.globals, &self.module, &function);
        body.declare_params(&header.return_names, &mut returns, true)?;
        body.declare_params(&header.param_names, &mut params, false)?;
        let Finished { body, moved } = body.run(&mut self.diagnostics, enough)?;
        self.module.variables.extend(moved);
        self.module.functions[id.index()] = Function { returns, params, body: Some(body), ..function };
        Ok(())
    }

    /// Adds a function without its body, or finds the earlier declaration of it.
    fn declare_function(&mut self, name: &'s str, function: &Function) -> Parsed<FuncId> {
        match self.globals.get(name) {
            None => {
                let id = FuncId(self.module.functions.len() as u32);
                self.globals.insert(name, Global::Function(id));
                self.module.functions.push(function.clone());
                Ok(id)
            }
            Some(Global::Function(id)) => {
                let known = &self.module.functions[id.index()];
                let same = known.kind == function.kind
                    && same_params(&known.returns, &function.returns)
                    && same_params(&known.params, &function.params);
                if same { Ok(*id) } else { Err(redeclared(name, function.loc)) }
            }
            Some(Global::Variable(_)) => Err(redeclared(name, function.loc)),
        }
    }

    /// A variable moved out of a function may meet a module-scope name that was declared later.
    fn check_names(&self) -> Parsed<()> {
        for (index, variable) in self.module.variables.iter().enumerate() {
            match self.globals.get(&*variable.name) {
                Some(Global::Variable(id)) if id.index() == index => {}
                None => {}
                Some(_) => return Err(redeclared(&variable.name, variable.loc)),
            }
        }
        Ok(())
    }

    /// Moves behind the broken item.
    fn recover(&mut self) {
        let mut open = 0u32;
        loop {
            match self.cursor.tok() {
                Tok::End => return,
                Tok::Punct(Punct::OpenBrace) => open += 1,
                Tok::Punct(Punct::CloseBrace) if open == 1 => {
                    self.cursor.advance();
                    return;
                }
                // Without an opening one it belongs to what is already behind: an initialiser.
                Tok::Punct(Punct::CloseBrace) => open = open.saturating_sub(1),
                Tok::Punct(Punct::Semi) if open == 0 => {
                    self.cursor.advance();
                    return;
                }
                _ => {}
            }
            self.cursor.advance();
        }
    }
}

fn redeclared(name: &str, loc: Loc) -> Diagnostic {
    Diagnostic::new(loc, format!("`{name}` is declared differently elsewhere"))
}

fn same_params(known: &[Param], new: &[Param]) -> bool {
    let shape = |p: &Param| (p.space, p.ty.bits(), p.size());
    known.len() == new.len() && known.iter().zip(new).all(|(a, b)| shape(a) == shape(b))
}
