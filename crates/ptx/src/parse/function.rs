//! Function headers: kind, name, parameters, performance directives.

use super::cursor::{Cursor, Parsed};
use crate::ir::{Function, FunctionKind, Limits, Linkage, Param};
use crate::lex::{Punct, Tok};

/// A header and the names its parameters were written with.
pub(super) struct Header<'s> {
    pub function: Function,
    pub name: &'s str,
    pub return_names: Vec<&'s str>,
    pub param_names: Vec<&'s str>,
}

impl<'s> Cursor<'s> {
    /// A header from behind `.entry` or `.func` up to the body's brace or the semicolon, neither of them read.
    pub(super) fn header(&mut self, kind: FunctionKind, linkage: Option<Linkage>) -> Parsed<Header<'s>> {
        if self.eat_dot("attribute") {
            self.skip_parentheses()?;
        }
        let (returns, return_names) = match kind {
            FunctionKind::Func => self.params()?,
            FunctionKind::Entry => Default::default(),
        };
        let loc = self.loc();
        let name = self.name()?;
        let (params, param_names) = self.params()?;
        let mut function = Function {
            kind,
            linkage,
            name: name.into(),
            returns,
            params,
            noreturn: false,
            limits: Limits::default(),
            pragmas: Vec::new(),
            body: None,
            loc,
        };
        while let Tok::Dot(word) = self.tok() {
            self.performance(word, &mut function)?;
        }
        Ok(Header { function, name, return_names, param_names })
    }

    /// A parenthesised list of parameters, or nothing.
    fn params(&mut self) -> Parsed<(Vec<Param>, Vec<&'s str>)> {
        if !self.eat(Punct::OpenParen) {
            return Ok(Default::default());
        }
        Ok(self.list(Punct::CloseParen, Cursor::param)?.into_iter().unzip())
    }

    fn performance(&mut self, word: &str, function: &mut Function) -> Parsed<()> {
        let unknown = self.error(format!("unknown directive `.{word}`"));
        self.advance();
        let limits = &mut function.limits;
        match word {
            "maxntid" => limits.maxntid = Some(self.extent()?),
            "reqntid" => limits.reqntid = Some(self.extent()?),
            "minnctapersm" => limits.minnctapersm = Some(self.number()?),
            "maxnctapersm" => limits.maxnctapersm = Some(self.number()?),
            "maxnreg" => limits.maxnreg = Some(self.number()?),
            "reqnctapercluster" => limits.reqnctapercluster = Some(self.extent()?),
            "maxclusterrank" => limits.maxclusterrank = Some(self.number()?),
            "explicitcluster" => limits.explicitcluster = true,
            "noreturn" => function.noreturn = true,
            "abi_preserve" | "abi_preserve_control" => drop(self.number()?),
            "pragma" => function.pragmas.extend(self.pragma()?),
            _ => return Err(unknown),
        }
        Ok(())
    }

    /// One to three numbers; missing ones are 1.
    fn extent(&mut self) -> Parsed<[u32; 3]> {
        let mut extent = [1; 3];
        for (index, size) in extent.iter_mut().enumerate() {
            if index > 0 && !self.eat(Punct::Comma) {
                break;
            }
            *size = self.number()?;
        }
        Ok(extent)
    }

    fn skip_parentheses(&mut self) -> Parsed<()> {
        self.expect(Punct::OpenParen)?;
        let mut open = 1;
        while open > 0 {
            match self.advance().tok {
                Tok::Punct(Punct::OpenParen) => open += 1,
                Tok::Punct(Punct::CloseParen) => open -= 1,
                Tok::End => return Err(self.unexpected("`)`")),
                _ => {}
            }
        }
        Ok(())
    }
}
