//! Declarations of variables and parameters: `.visible .global .align 16 .v2 .f32 name[4] = …`.

use super::cursor::{Cursor, Parsed};
use crate::Diagnostic;
use crate::ir::{Linkage, Param, Pointer, ScalarType, Space};
use crate::lex::{Punct, Tok};

/// Largest variable we accept, in bytes. No device has more memory, and offsets stay far from overflow.
const MAX_BYTES: u64 = 1 << 40;

/// Everything before the names of a declaration.
#[derive(Clone, Debug, Default)]
pub(super) struct Specifiers {
    pub linkage: Option<Linkage>,
    pub space: Option<Space>,
    pub align: Option<u32>,
    pub managed: bool,
    pub lanes: Option<u8>,
    pub ty: Option<ScalarType>,
    pub pointer: Option<Pointer>,
}

impl<'s> Cursor<'s> {
    /// Reads the dotted words of a declaration. They may come in any order, each at most once.
    pub(super) fn specifiers(&mut self) -> Parsed<Specifiers> {
        let mut specifiers = Specifiers::default();
        while let Tok::Dot(word) = self.tok() {
            self.specifier(word, &mut specifiers)?;
        }
        Ok(specifiers)
    }

    fn specifier(&mut self, word: &'s str, into: &mut Specifiers) -> Parsed<()> {
        let loc = self.loc();
        let wrong = |why: &str| Err(Diagnostic::new(loc, format!("`.{word}` {why}")));
        self.advance();
        let fresh = match word {
            "align" => into.align.replace(self.alignment()?).is_none(),
            "attribute" => {
                into.managed |= self.attribute()?;
                true
            }
            "ptr" => into.pointer.replace(self.pointer()?).is_none(),
            "v2" => into.lanes.replace(2).is_none(),
            "v4" => into.lanes.replace(4).is_none(),
            "texref" | "samplerref" | "surfref" | "tex" => {
                return wrong("is not supported: textures and surfaces");
            }
            _ => {
                if let Some(ty) = ScalarType::from_word(word) {
                    into.ty.replace(ty).is_none()
                } else if let Some(space) = Space::from_word(word) {
                    into.space.replace(space).is_none()
                } else if let Some(linkage) = Linkage::from_word(word) {
                    into.linkage.replace(linkage).is_none()
                } else {
                    return wrong("is not known here");
                }
            }
        };
        if fresh { Ok(()) } else { wrong("contradicts what stands before it") }
    }

    fn alignment(&mut self) -> Parsed<u32> {
        let wrong = self.error("an alignment must be a power of two");
        Some(self.number()?).filter(|n| n.is_power_of_two()).ok_or(wrong)
    }

    /// `.attribute(.managed)`; true if that is what it says. `.unified` only tells a linker about addresses.
    fn attribute(&mut self) -> Parsed<bool> {
        self.expect(Punct::OpenParen)?;
        let mut managed = false;
        loop {
            if self.eat_dot("managed") {
                managed = true;
            } else if self.eat_dot("unified") {
                self.expect(Punct::OpenParen)?;
                self.list(Punct::CloseParen, Cursor::integer)?;
            } else {
                return Err(self.unexpected("`.managed` or `.unified`"));
            }
            if self.eat(Punct::CloseParen) {
                return Ok(managed);
            }
            self.expect(Punct::Comma)?;
        }
    }

    /// What follows `.ptr`: a state space, an alignment, both or nothing.
    fn pointer(&mut self) -> Parsed<Pointer> {
        let mut pointer = Pointer { space: None, align: None };
        if let Tok::Dot(word) = self.tok()
            && let Some(space) = Space::from_word(word)
        {
            self.advance();
            pointer.space = Some(space);
        }
        if self.eat_dot("align") {
            pointer.align = Some(self.alignment()?);
        }
        Ok(pointer)
    }

    /// `[4][2]` after a name; `[]` counts as 0 and may only come first. `element` is the size of one element.
    pub(super) fn dimensions(&mut self, element: u64) -> Parsed<Vec<u64>> {
        let mut dims = Vec::new();
        let mut bytes = element;
        while self.at(Punct::OpenBracket) {
            let too_large = self.error("the array is too large");
            self.advance();
            let dim = match self.tok() {
                Tok::Punct(Punct::CloseBracket) if dims.is_empty() => 0,
                _ => {
                    let positive = self.error("an array dimension must be positive");
                    u64::try_from(self.integer()?).ok().filter(|n| *n > 0).ok_or(positive)?
                }
            };
            self.expect(Punct::CloseBracket)?;
            bytes = bytes.checked_mul(dim.max(1)).filter(|b| *b <= MAX_BYTES).ok_or(too_large)?;
            dims.push(dim);
        }
        Ok(dims)
    }

    /// A formal parameter. `_` stands for a missing name.
    pub(super) fn param(&mut self) -> Parsed<(Param, &'s str)> {
        let start = self.error("");
        let specifiers = self.specifiers()?;
        let wrong = |what: &str| Diagnostic { message: what.into(), ..start.clone() };
        let space = specifiers.space.filter(|s| matches!(s, Space::Param | Space::Reg));
        let space = space.ok_or_else(|| wrong("a parameter must be `.param` or `.reg`"))?;
        let ty = specifiers.ty.ok_or_else(|| wrong("the parameter has no type"))?;
        let lanes = specifiers.lanes.unwrap_or(1);
        if space == Space::Param && ty == ScalarType::Pred {
            return Err(wrong("a predicate cannot be passed in `.param` space"));
        }
        if space == Space::Reg && lanes != 1 {
            return Err(wrong("a vector register cannot be a parameter"));
        }
        let name = self.name()?;
        let dims = self.dimensions(u64::from(ty.bytes()) * u64::from(lanes))?;
        let param = Param {
            name: if name == "_" { "".into() } else { name.into() },
            ty,
            lanes,
            dims,
            align: specifiers.align,
            pointer: specifiers.pointer,
            reg: None,
            space,
        };
        Ok((param, name))
    }
}
