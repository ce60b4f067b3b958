//! Variables and their initialisers.

use std::fmt::{self, Display, Formatter};

use crate::ir::{Init, Linkage, Module, Reloc, ScalarType, Symbol, Variable};

/// A variable up to its initialiser.
pub(super) struct VariableHead<'a> {
    pub variable: &'a Variable,
    /// Written as `.extern`, whatever its linkage: a declaration that comes before the definition.
    pub external: bool,
}

impl Display for VariableHead<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let variable = self.variable;
        let linkage = if self.external { Some(Linkage::Extern) } else { variable.linkage };
        if let Some(linkage) = linkage {
            write!(f, ".{linkage} ")?;
        }
        write!(f, ".{}", variable.space)?;
        if variable.managed {
            f.write_str(" .attribute(.managed)")?;
        }
        if let Some(align) = variable.align {
            write!(f, " .align {align}")?;
        }
        if variable.lanes > 1 {
            write!(f, " .v{}", variable.lanes)?;
        }
        write!(f, " .{} {}{}", variable.ty, variable.name, Dimensions(&variable.dims))
    }
}

/// `[4][2]`
pub(super) struct Dimensions<'a>(pub &'a [u64]);

impl Display for Dimensions<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|dim| match dim {
            0 => f.write_str("[]"),
            _ => write!(f, "[{dim}]"),
        })
    }
}

/// The value of a variable: one element, or braces nested like its dimensions.
pub(super) struct Initialiser<'a> {
    pub module: &'a Module,
    pub variable: &'a Variable,
    pub init: &'a Init,
}

impl Display for Initialiser<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut dims = self.variable.dims.clone();
        dims.extend((self.variable.lanes > 1).then_some(u64::from(self.variable.lanes)));
        self.level(f, &dims, 0)
    }
}

impl Initialiser<'_> {
    fn level(&self, f: &mut Formatter<'_>, dims: &[u64], start: u64) -> fmt::Result {
        let Some((&dim, inner)) = dims.split_first() else { return self.element(f, start) };
        let stride = inner.iter().product::<u64>().saturating_mul(u64::from(self.variable.ty.bytes())).max(1);
        f.write_str("{")?;
        for index in 0..dim {
            let at = start.saturating_add(index.saturating_mul(stride));
            if at >= self.init.bytes.len() as u64 {
                break;
            }
            if index > 0 {
                f.write_str(if index % 16 == 0 { ",\n\t" } else { ", " })?;
            }
            self.level(f, inner, at)?;
        }
        f.write_str("}")
    }

    fn element(&self, f: &mut Formatter<'_>, at: u64) -> fmt::Result {
        // Relocations are in order of their offsets.
        if let Ok(found) = self.init.relocs.binary_search_by_key(&at, |reloc| reloc.offset) {
            return self.address(f, &self.init.relocs[found]);
        }
        let mut bytes = [0u8; 8];
        let width = self.variable.ty.bytes().min(8) as usize;
        if let Some(image) = self.init.bytes.get(at as usize..at as usize + width) {
            bytes[..width].copy_from_slice(image);
        }
        let bits = u64::from_le_bytes(bytes);
        match self.variable.ty {
            ScalarType::F32 => write!(f, "0f{bits:08X}"),
            ScalarType::F64 => write!(f, "0d{bits:016X}"),
            _ => write!(f, "{bits}"),
        }
    }

    fn address(&self, f: &mut Formatter<'_>, reloc: &Reloc) -> fmt::Result {
        let name = match reloc.symbol {
            Symbol::Variable(id) => self.module.variables.get(id.index()).map(|v| &v.name),
            Symbol::Function(id) => self.module.functions.get(id.index()).map(|f| &f.name),
            _ => None,
        };
        let name = name.map_or("?", |name| name);
        let masked = reloc.width == 1;
        if masked {
            write!(f, "0x{:X}(", 0xFFu64 << (u32::from(reloc.shift) * 8))?;
        }
        match reloc.generic {
            true => write!(f, "generic({name})")?,
            false => f.write_str(name)?,
        }
        if reloc.addend != 0 {
            write!(f, "+{}", reloc.addend)?;
        }
        f.write_str(if masked { ")" } else { "" })
    }
}
