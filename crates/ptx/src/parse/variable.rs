//! Variable declarations, in a module or in a function.

use std::collections::HashMap;

use super::cursor::{Cursor, Parsed};
use super::init::{Global, Target};
use crate::Diagnostic;
use crate::ir::{Linkage, Name, ScalarType, Space, Variable};
use crate::lex::Punct;

impl<'s> Cursor<'s> {
    /// `.global .u32 a, b[4] = {1, 2};` with the names as written. `address` is the size of an address in bytes.
    pub(super) fn variables(
        &mut self,
        address: u8,
        globals: &HashMap<&'s str, Global>,
    ) -> Parsed<Vec<(&'s str, Variable)>> {
        let loc = self.loc();
        let specifiers = self.specifiers()?;
        let wrong = |what: &str| Diagnostic::new(loc, what);
        let space =
            specifiers.space.ok_or_else(|| wrong("expected a state space, a function or a directive"))?;
        let ty = specifiers.ty.ok_or_else(|| wrong("the variable has no type"))?;
        if ty == ScalarType::Pred {
            return Err(wrong("a predicate cannot be in memory"));
        }
        if specifiers.pointer.is_some() {
            return Err(wrong("`.ptr` belongs to kernel parameters"));
        }
        let lanes = specifiers.lanes.unwrap_or(1);
        let element = u64::from(ty.bytes()) * u64::from(lanes);
        let mut variables = Vec::new();
        loop {
            let (loc, name) = (self.loc(), self.name()?);
            let mut dims = self.dimensions(element)?;
            let mut init = None;
            if self.at(Punct::Assign) {
                if !matches!(space, Space::Global | Space::Const) {
                    return Err(self.error("only `.global` and `.const` variables can be initialised"));
                }
                self.advance();
                let mut shape = dims.clone();
                shape.extend((lanes > 1).then_some(u64::from(lanes)));
                let (value, count) = self.init(&Target { ty, dims: &shape, address, globals })?;
                if let Some(first @ 0) = dims.first_mut() {
                    *first = count;
                }
                init = Some(value);
            }
            if dims.first() == Some(&0) && specifiers.linkage != Some(Linkage::Extern) {
                return Err(Diagnostic::new(loc, format!("`{name}` needs a size")));
            }
            variables.push((
                name,
                Variable {
                    name: name.into(),
                    space,
                    linkage: specifiers.linkage,
                    align: specifiers.align,
                    ty,
                    lanes,
                    dims,
                    managed: specifiers.managed,
                    init,
                    loc,
                },
            ));
            if self.eat(Punct::Semi) {
                return Ok(variables);
            }
            self.expect(Punct::Comma)?;
        }
    }

    /// The strings of a `.pragma`, which is already behind.
    pub(super) fn pragma(&mut self) -> Parsed<Vec<Name>> {
        let mut strings = Vec::new();
        loop {
            strings.push(self.string()?.into());
            if self.eat(Punct::Semi) {
                return Ok(strings);
            }
            self.expect(Punct::Comma)?;
        }
    }
}
