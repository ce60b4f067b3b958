//! Initialisers: nested braces, constants and addresses, to bytes and relocations.

use std::collections::HashMap;

use super::cursor::{Cursor, Parsed};
use crate::ir::{FuncId, Imm, Init, Reloc, ScalarType, Symbol, VarId};
use crate::lex::{Punct, Tok};

/// Most zeros written for gaps between nested braces. Beyond this a tiny source could ask for any amount of memory.
const MAX_IMAGE: u64 = 1 << 26;

/// A module-scope name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Global {
    Variable(VarId),
    Function(FuncId),
}

/// What an initialiser is written for.
pub(super) struct Target<'a, 's> {
    pub ty: ScalarType,
    /// Array dimensions, the vector lanes last; a first dimension of 0 grows as needed.
    pub dims: &'a [u64],
    /// Bytes in an address.
    pub address: u8,
    pub globals: &'a HashMap<&'s str, Global>,
}

impl<'s> Cursor<'s> {
    /// Reads an initialiser; gives it with the number of outermost elements.
    pub(super) fn init(&mut self, target: &Target<'_, 's>) -> Parsed<(Init, u64)> {
        let mut init = Init::default();
        if matches!(target.ty, ScalarType::Pred) || (target.ty.is_float() && target.ty.bits() < 32) {
            return Err(self.error(format!("a `.{}` variable cannot be initialised", target.ty)));
        }
        let count = self.level(target, target.dims, &mut init)?;
        Ok((init, count))
    }

    fn level(&mut self, target: &Target<'_, 's>, dims: &[u64], init: &mut Init) -> Parsed<u64> {
        let Some((&dim, inner)) = dims.split_first() else {
            self.element(target, init)?;
            return Ok(1);
        };
        let stride = inner.iter().product::<u64>().saturating_mul(u64::from(target.ty.bytes()));
        let start = init.bytes.len() as u64;
        self.expect(Punct::OpenBrace)?;
        let mut count = 0;
        loop {
            if dim != 0 && count == dim {
                return Err(self.error("more initial values than elements"));
            }
            self.pad(init, start.saturating_add(stride.saturating_mul(count)))?;
            self.level(target, inner, init)?;
            count += 1;
            if self.eat(Punct::CloseBrace) {
                return Ok(count);
            }
            self.expect(Punct::Comma)?;
        }
    }

    fn pad(&self, init: &mut Init, length: u64) -> Parsed<()> {
        if length == init.bytes.len() as u64 {
            return Ok(());
        }
        if length > MAX_IMAGE {
            return Err(self.error("the initialiser leaves too large a gap"));
        }
        init.bytes.resize(length as usize, 0);
        Ok(())
    }

    fn element(&mut self, target: &Target<'_, 's>, init: &mut Init) -> Parsed<()> {
        let width = target.ty.bytes() as usize;
        if let Tok::Word(name) = self.tok()
            && name != "WARP_SZ"
        {
            return self.address(target, init, 0, width);
        }
        let loc = self.loc();
        let value = self.constant()?;
        if let Imm::Int(mask) = value
            && self.eat(Punct::OpenParen)
        {
            let shift = byte_of(mask as u64).filter(|_| width == 1);
            let shift =
                shift.ok_or_else(|| crate::Diagnostic::new(loc, "an address mask must select one byte"))?;
            self.address(target, init, shift, width)?;
            return self.expect(Punct::CloseParen);
        }
        let fits = match value {
            Imm::Int(_) => !target.ty.is_float(),
            Imm::F32(_) => matches!(target.ty, ScalarType::F32 | ScalarType::F64 | ScalarType::B32),
            Imm::F64(_) => matches!(target.ty, ScalarType::F32 | ScalarType::F64 | ScalarType::B64),
        };
        if !fits {
            return Err(crate::Diagnostic::new(
                loc,
                format!("this constant cannot initialise a `.{}`", target.ty),
            ));
        }
        let bits = u128::from(value.bits(target.ty)).to_le_bytes();
        init.bytes.extend_from_slice(&bits[..width]);
        Ok(())
    }

    /// `sym`, `sym+4`, `generic(sym)+4`.
    fn address(&mut self, target: &Target<'_, 's>, init: &mut Init, shift: u8, width: usize) -> Parsed<()> {
        let start = self.error("an address does not fit this element");
        let mut name = self.name()?;
        let mut addend = 0i64;
        let generic = name == "generic" && self.eat(Punct::OpenParen);
        if generic {
            name = self.name()?;
            addend = self.addend()?;
            self.expect(Punct::CloseParen)?;
        }
        addend = addend.wrapping_add(self.addend()?);
        let symbol = match target.globals.get(name) {
            Some(Global::Variable(id)) => Symbol::Variable(*id),
            Some(Global::Function(id)) => Symbol::Function(*id),
            None => return Err(crate::Diagnostic { message: format!("unknown symbol `{name}`"), ..start }),
        };
        let masked = width == 1;
        if target.ty.is_float() || !(masked || width >= 4 && width <= usize::from(target.address)) {
            return Err(start);
        }
        let offset = init.bytes.len() as u64;
        init.relocs.push(Reloc { offset, width: width as u8, shift, generic, symbol, addend });
        init.bytes.resize(init.bytes.len() + width, 0);
        Ok(())
    }

    fn addend(&mut self) -> Parsed<i64> {
        if self.eat(Punct::Plus) { self.integer() } else { Ok(0) }
    }
}

/// Which byte a mask selects, if it selects exactly one.
fn byte_of(mask: u64) -> Option<u8> {
    (0..8).find(|byte| mask == 0xFF << (byte * 8))
}
