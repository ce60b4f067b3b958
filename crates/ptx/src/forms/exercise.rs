//! Writes instructions for every form of the table, every word and type of it, and sends them through parser and printer.

use super::{FORMS, Form, Shape, Slot, Spec};
use crate::ir::{ScalarType, Space};

/// What the operands refer to: registers named after their type, a variable per space.
const PRELUDE: &str = ".version 8.7\n.target sm_90\n.address_size 64\n\
    .global .b64 at_global; .const .b64 at_const; .shared .b64 at_shared;\n\
    .func callee() { ret; }\n\
    .entry k(.param .b64 at_param) {\n.local .b64 at_local;\nlabel: table: .branchtargets label;\n";

#[test]
fn every_form_parses_and_prints() {
    let mut source = PRELUDE.to_owned();
    for ty in ScalarType::ALL {
        source.push_str(&format!(".reg .{ty} r_{ty};\n"));
    }
    let mut count = 0;
    for form in &FORMS.all {
        for words in choices(form) {
            count += 1;
            source.push_str(&instruction(form, &words));
        }
    }
    source.push_str("ret;\n}\n");
    assert!(count > 2000, "only {count} instructions");
    let module = crate::parse(&source).unwrap_or_else(|diagnostics| {
        let d = &diagnostics[0];
        panic!("{d} in `{}`", source.lines().nth(d.loc.line as usize - 1).unwrap_or(""))
    });
    let again = crate::parse(&module.to_string()).unwrap_or_else(|diagnostics| panic!("{}", diagnostics[0]));
    assert!(module == again);
}

/// Word per slot: the shortest instruction, then one with each word of each slot, and one with all slots filled.
fn choices(form: &Form) -> Vec<Vec<Option<&'static str>>> {
    let words: Vec<Vec<&'static str>> = form
        .slots
        .iter()
        .map(|slot| match slot {
            Slot::Field { words, .. } | Slot::Literal(words) => words.clone(),
            Slot::Type(types) => types.iter().map(|ty| ty.word()).collect(),
        })
        .collect();
    let base: Vec<_> =
        form.slots.iter().zip(&words).map(|(slot, w)| (!slot.optional()).then_some(w[0])).collect();
    let mut all = vec![base.clone(), words.iter().map(|w| Some(w[0])).collect()];
    for (slot, words) in words.iter().enumerate() {
        for &word in words {
            let mut choice = base.clone();
            choice[slot] = Some(word);
            all.push(choice);
        }
    }
    all
}

fn instruction(form: &Form, words: &[Option<&'static str>]) -> String {
    let mut text = form.name.to_owned();
    for word in words.iter().flatten() {
        text.push('.');
        text.push_str(word);
    }
    let head = super::resolve(&text).unwrap_or_else(|bad| panic!("{}", bad.message));
    let head = head.iter().find(|head| std::ptr::eq(head.form, form)).unwrap_or_else(|| panic!("{text}"));
    let wanted = |spec: &&Spec| !spec.policy || head.mods.cache_hint;
    let operands: Vec<String> = form.operands.iter().filter(wanted).map(|spec| operand(spec, head)).collect();
    format!("{text} {};\n", operands.join(", "))
}

fn operand(spec: &Spec, head: &super::Head) -> String {
    let ty = spec.ty.of(&head.types).unwrap_or(ScalarType::B64);
    let reg = |ty: ScalarType| format!("r_{ty}");
    let vector = |count: usize, ty| format!("{{{}}}", vec![reg(ty); count].join(", "));
    match spec.shape {
        Shape::Call => "callee".into(),
        Shape::Label => "label".into(),
        Shape::Table => "table".into(),
        Shape::Address(space) => match space.or(head.mods.space) {
            None => "[r_b64+8]".into(),
            Some(Space::Reg) => panic!("an address in a register"),
            Some(space) => format!("[at_{space}]"),
        },
        Shape::Pair { .. } => format!("{}|r_pred", reg(ty)),
        Shape::Vector(count) => vector(count, ty),
        Shape::Width => match head.mods.width {
            None => reg(ty),
            Some(crate::ir::Width::V2) => vector(2, ty),
            Some(crate::ir::Width::V4) => vector(4, ty),
        },
        Shape::Parts => match ty.bits() {
            16 => vector(2, ScalarType::B8),
            32 => vector(2, ScalarType::B16),
            64 => vector(4, ScalarType::B16),
            _ => vector(2, ScalarType::B64),
        },
        Shape::One if spec.constant => "1".into(),
        Shape::One => reg(ty),
    }
}
