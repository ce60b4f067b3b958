//! The dotted text of an instruction (`ld.global.nc.v4.f32`) to opcode, modifiers and types, and back.

use std::fmt;

use super::{FORMS, Form, Slot, first_word, of_opcode};
use crate::ir::{Field, Mods, Opcode, ScalarType, Types};

/// No form has more slots than this.
const MAX_SLOTS: usize = 16;

/// One way to read the text of an instruction. Several forms may share a text and differ in their operands.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub form: &'static Form,
    pub mods: Mods,
    pub types: Types,
}

/// Why no form reads a text.
#[derive(Debug)]
pub(crate) struct BadHead {
    /// Where in the text, in bytes.
    pub at: usize,
    pub message: String,
}

/// How far a form got with a text, and the slot it then missed; `None` if it met a word it does not know.
struct Failure<'f> {
    at: usize,
    missing: Option<&'f Slot>,
}

/// Every form that reads `text`.
pub(crate) fn resolve(text: &str) -> Result<Vec<Head>, BadHead> {
    let mut heads = Vec::new();
    let mut best: Option<(&Form, Failure<'_>)> = None;
    for &index in FORMS.by_word.get(first_word(text)).into_iter().flatten() {
        let form = &FORMS.all[index];
        match form.read(text) {
            Ok((mods, types)) => heads.push(Head { form, mods, types }),
            Err(failure) if best.as_ref().is_none_or(|(_, best)| failure.at > best.at) => {
                best = Some((form, failure))
            }
            Err(_) => {}
        }
    }
    if heads.is_empty() { Err(explain(text, best)) } else { Ok(heads) }
}

/// What to say about a text that no form reads, by the form that got furthest.
fn explain(text: &str, best: Option<(&Form, Failure<'_>)>) -> BadHead {
    let (at, message) = match best {
        Some((_, Failure { at, missing: Some(slot) })) => {
            let wanted: Vec<&str> = match slot {
                Slot::Type(allowed) => allowed.iter().map(|ty| ty.word()).collect(),
                Slot::Field { words, .. } | Slot::Literal(words) => words.clone(),
            };
            (at, format!("`{text}` lacks one of `.{}`", wanted.join("`, `.")))
        }
        Some((form, Failure { at, missing: None })) if at > 0 => {
            let word = first_word(text.get(at..).unwrap_or(""));
            (at, format!("`.{word}` does not go with `{}` in `{text}`", form.name))
        }
        _ => (0, format!("unknown instruction `{text}`")),
    };
    BadHead { at, message }
}

/// Writes the text that reads as `opcode`, `mods` and `types`. A combination no form has is a formatting error.
pub(crate) fn write_head(
    out: &mut dyn fmt::Write,
    opcode: Opcode,
    mods: &Mods,
    types: &Types,
) -> fmt::Result {
    let form = of_opcode(opcode).find(|form| form.covers(mods, types)).ok_or(fmt::Error)?;
    let (mut left, mut types) = (*mods, types.iter());
    out.write_str(form.name)?;
    for slot in &form.slots {
        let word = match slot {
            Slot::Field { field, words, .. } => {
                left.take(*field).and_then(|word| spelling(*field, words, word))
            }
            Slot::Type(_) => types.next().map(|ty| ty.word()),
            Slot::Literal(words) => words.first().copied(),
        };
        if let Some(word) = word {
            write!(out, ".{word}")?;
        }
    }
    Ok(())
}

/// How a slot that admits `words` spells the value that `word` stands for.
pub(super) fn spelling(field: Field, words: &[&'static str], word: &str) -> Option<&'static str> {
    let value = |word: &str| {
        let mut mods = Mods::default();
        mods.set(field, word).then_some(mods)
    };
    let wanted = value(word)?;
    words.iter().copied().find(|candidate| *candidate == word || value(candidate) == Some(wanted))
}

/// The word among `words` that `text` starts with, the longest if several do.
fn leading_word<'w>(text: &str, words: &[&'w str]) -> Option<&'w str> {
    let leads =
        |word: &str| text.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    words.iter().copied().filter(|word| leads(word)).max_by_key(|word| word.len())
}

impl Form {
    /// Reads `text` as this form. Modifiers may come in any order, types only in theirs.
    fn read(&self, text: &str) -> Result<(Mods, Types), Failure<'_>> {
        let (mut mods, mut types) = (Mods::default(), Types::new());
        for (field, word) in &self.implied {
            mods.set(*field, word);
        }
        let mut rest = match text.strip_prefix(self.name) {
            Some(rest) if rest.is_empty() || rest.starts_with('.') => rest,
            _ => return Err(Failure { at: 0, missing: None }),
        };
        let mut used = [false; MAX_SLOTS];
        while let Some(words) = rest.strip_prefix('.') {
            let Some((slot, length)) = self.take_word(words, &used, &mut mods, &mut types) else {
                return Err(Failure { at: text.len() - words.len(), missing: None });
            };
            used[slot] = true;
            rest = words.get(length..).unwrap_or("");
        }
        match self.slots.iter().zip(&used).find(|(slot, used)| !**used && !slot.optional()) {
            Some((slot, _)) => Err(Failure { at: text.len(), missing: Some(slot) }),
            None => Ok((mods, types)),
        }
    }

    /// Finds the slot for the word that `text` starts with and takes the word's meaning in; gives slot and length.
    fn take_word(
        &self,
        text: &str,
        used: &[bool],
        mods: &mut Mods,
        types: &mut Types,
    ) -> Option<(usize, usize)> {
        let mut types_may_come = true;
        for (index, slot) in self.slots.iter().enumerate().filter(|(index, _)| !used[*index]) {
            match slot {
                Slot::Type(allowed) => {
                    let word = first_word(text);
                    let ty = ScalarType::from_word(word).filter(|ty| allowed.contains(ty) && types_may_come);
                    if ty.is_some_and(|ty| types.push(ty)) {
                        return Some((index, word.len()));
                    }
                    types_may_come = false;
                }
                Slot::Literal(words) => {
                    if let Some(word) = leading_word(text, words) {
                        return Some((index, word.len()));
                    }
                }
                Slot::Field { field, words, .. } => {
                    if let Some(word) = leading_word(text, words) {
                        mods.set(*field, word);
                        return Some((index, word.len()));
                    }
                }
            }
        }
        None
    }
}

impl Slot {
    pub(super) fn optional(&self) -> bool {
        matches!(self, Slot::Field { optional: true, .. })
    }
}

/// The shortest instruction of a form: every mandatory slot with its first word.
#[cfg(test)]
pub(super) fn minimal(form: &Form) -> (Mods, Types) {
    let (mut mods, mut types) = (Mods::default(), Types::new());
    for (field, word) in &form.implied {
        mods.set(*field, word);
    }
    for slot in &form.slots {
        match slot {
            Slot::Field { field, words, optional: false } => assert!(mods.set(*field, words[0])),
            Slot::Type(allowed) => assert!(types.push(allowed[0])),
            _ => {}
        }
    }
    (mods, types)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Space, Width};

    fn only(text: &str) -> Head {
        let heads = resolve(text).unwrap_or_else(|bad| panic!("{}", bad.message));
        assert_eq!(heads.len(), 1, "{text}");
        heads[0].clone()
    }

    #[test]
    fn modifiers_come_in_any_order() {
        let head = only("ld.global.nc.v4.f32");
        assert_eq!(
            head.mods,
            Mods { space: Some(Space::Global), nc: true, width: Some(Width::V4), ..Mods::default() }
        );
        assert_eq!(head.mods, only("ld.nc.v4.global.f32").mods);
        assert_eq!(*only("cvt.rn.f32.s64").types, [ScalarType::F32, ScalarType::S64]);
    }

    #[test]
    fn messages_name_the_word() {
        for (text, at, message) in [
            ("frob.u32", 0, "unknown instruction `frob.u32`"),
            ("add.frob.u32", 4, "`.frob` does not go with `add` in `add.frob.u32`"),
            ("cvt.f32", 7, "lacks one of"),
        ] {
            let bad = resolve(text).unwrap_err();
            assert_eq!(bad.at, at, "{text}");
            assert!(bad.message.contains(message), "{}", bad.message);
        }
    }

    #[test]
    fn spellings_are_canonical() {
        let print = |text: &str| {
            let head = resolve(text).unwrap().remove(0);
            let mut out = String::new();
            write_head(&mut out, head.form.opcode, &head.mods, &head.types).unwrap();
            out
        };
        assert_eq!(print("atom.global.gpu.add.u32"), "atom.gpu.global.add.u32");
        assert_eq!(print("membar.gl"), "membar.gl");
        assert_eq!(print("barrier.cta.sync.aligned"), "bar.sync");
        assert_eq!(print("barrier.sync"), "barrier.sync");
        assert_eq!(print("mbarrier.init.shared::cta.b64"), "mbarrier.init.shared.b64");
        assert_eq!(print("min.NaN.xorsign.abs.f32"), "min.NaN.xorsign.abs.f32");
    }
}
