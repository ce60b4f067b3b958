//! Reads `table.txt`. The table is ours, so a mistake in it is a bug and panics; a test reads it.

use std::collections::HashMap;

use super::{Form, Shape, Slot, Spec, TypeRule};
use crate::ir::{Field, Mods, Opcode, ScalarType, Space};

type Lets = HashMap<&'static str, &'static str>;

/// Every form of the table, in order.
pub(super) fn read(table: &'static str) -> Vec<Form> {
    let mut lets = Lets::new();
    let mut forms = Vec::new();
    for line in table.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(definition) = line.strip_prefix("let ") {
            let (name, words) = definition.split_once(' ').expect("`let` has a name and words");
            lets.insert(name, words.trim());
            continue;
        }
        forms.push(form(line, &lets));
    }
    forms
}

fn form(line: &'static str, lets: &Lets) -> Form {
    // Some modifiers hold `::`, so the operands start at a colon that stands alone.
    let (head, operands) =
        line.split_once(" : ").or_else(|| line.strip_suffix(':').map(|head| (head, ""))).expect("a colon");
    let mut head = head.split_whitespace();
    let name = head.next().expect("an opcode");
    let (name, opcode) = name.split_once('~').unwrap_or((name, name));
    let opcode = Opcode::from_word(opcode).unwrap_or_else(|| panic!("no opcode {opcode}"));
    let mut form = Form { name, opcode, slots: Vec::new(), implied: Vec::new(), operands: Vec::new() };
    for text in head {
        match text.strip_prefix('+') {
            Some(implied) => {
                let field = field(implied);
                form.implied.push((field, field.words()[0]));
            }
            None => form.slots.push(slot(text, lets)),
        }
    }
    form.operands = operands.split_whitespace().map(spec).collect();
    form
}

fn slot(text: &'static str, lets: &Lets) -> Slot {
    if let Some(types) = text.strip_prefix('.') {
        let ty = |word| ScalarType::from_word(word).unwrap_or_else(|| panic!("no type {word}"));
        return Slot::Type(list(types, lets).into_iter().map(ty).collect());
    }
    if let Some(words) = text.strip_prefix('\'') {
        return Slot::Literal(list(words.trim_end_matches('\''), lets));
    }
    let (text, optional) = match text.strip_suffix('?') {
        Some(text) => (text, true),
        None => (text, false),
    };
    let Some((name, words)) = text.split_once('=') else {
        let field = field(text);
        return Slot::Field { field, words: field.words(), optional };
    };
    let (field, words) = (field(name), list(words, lets));
    for word in &words {
        assert!(Mods::default().set(field, word), "{name} has no word {word}");
    }
    Slot::Field { field, words, optional }
}

fn field(name: &str) -> Field {
    *Field::ALL.iter().find(|field| field.name() == name).unwrap_or_else(|| panic!("no modifier {name}"))
}

/// The words of `a|b`, abbreviations resolved.
fn list(text: &'static str, lets: &Lets) -> Vec<&'static str> {
    text.split('|').flat_map(|word| lets.get(word).map_or(word, |words| words).split('|')).collect()
}

fn spec(text: &'static str) -> Spec {
    let mut spec = Spec {
        shape: Shape::One,
        ty: TypeRule::Nth(0),
        result: false,
        constant: false,
        optional: false,
        policy: false,
        wider: false,
        special: false,
    };
    match text {
        "@l" => return Spec { shape: Shape::Label, ..spec },
        "@t" => return Spec { shape: Shape::Table, ..spec },
        "@c" => return Spec { shape: Shape::Call, result: true, ..spec },
        _ => {}
    }
    let mut text = text;
    for (suffix, flag) in
        [('?', &mut spec.optional), ('^', &mut spec.policy), ('%', &mut spec.special), ('~', &mut spec.wider)]
    {
        if let Some(rest) = text.strip_suffix(suffix) {
            (text, *flag) = (rest, true);
        }
    }
    if text.starts_with('[') {
        let space = text.split_once(':').map(|(_, space)| Space::from_word(space).expect("a state space"));
        return Spec { shape: Shape::Address(space), ..spec };
    }
    if let Some((rest, ty)) = text.split_once(':') {
        (text, spec.ty) = (rest, type_rule(ty));
    }
    for (prefix, flag) in [('=', &mut spec.result), ('#', &mut spec.constant)] {
        if let Some(rest) = text.strip_prefix(prefix) {
            (text, *flag) = (rest, true);
        }
    }
    spec.shape = shape(text);
    spec
}

fn shape(text: &str) -> Shape {
    if text.contains(['|', '/']) {
        return Shape::Pair { required: text.contains('|') };
    }
    match text.split_once('{').map(|(_, inside)| inside.trim_end_matches('}')) {
        None => Shape::One,
        Some("w") => Shape::Width,
        Some("*") => Shape::Parts,
        Some(count) => Shape::Vector(count.parse().expect("a vector length")),
    }
}

fn type_rule(text: &str) -> TypeRule {
    match text {
        "wide" => TypeRule::Wide,
        "addr" => TypeRule::Address,
        _ => match text.parse() {
            Ok(nth) => TypeRule::Nth(nth),
            Err(_) => {
                TypeRule::Fixed(ScalarType::from_word(text).unwrap_or_else(|| panic!("no type {text}")))
            }
        },
    }
}
