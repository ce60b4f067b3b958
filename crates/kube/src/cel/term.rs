use cleave_model::Version;

use super::token::{Token, tokens};
use crate::quantity::Quantity;

/// One thing an expression says about a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    pub subject: Subject,
    pub test: Test,
}

/// What is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    Driver,
    Attribute { domain: String, name: String },
    Capacity { domain: String, name: String },
}

/// What must be true of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// It is one of these.
    Is(Vec<Value>),
    /// It is none of these.
    Not(Vec<Value>),
    AtLeast(Value),
    Above(Value),
    Below(Value),
    AtMost(Value),
    /// It has one of these parts.
    Has {
        parts: Vec<String>,
        /// After its capital letters were made small.
        folded: bool,
        /// Not only at its beginning.
        anywhere: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Text(String),
    Number(u64),
    Version(Version),
    Quantity(Quantity),
}

/// Parentheses inside parentheses that are looked into.
const DEEPEST: usize = 16;

/// The terms that `&&` joins, as they are written. An expression that joins in another way is one term.
pub fn split(text: &str) -> Vec<&str> {
    let text = text.trim();
    let Some(words) = tokens(text) else { return vec![text] };
    let joints = match joints(&words, &["&&", "||", "?"]) {
        Some(joints) if joints.iter().all(|(_, sign)| *sign == "&&") => joints,
        _ => return vec![text],
    };
    let mut terms = Vec::new();
    let mut start = 0;
    for (at, sign) in joints {
        terms.push(text[start..at].trim());
        start = at + sign.len();
    }
    terms.push(text[start..].trim());
    terms
}

/// Where one of the signs stands outside of all parentheses; `None` if those do not match.
fn joints<'a>(words: &[(usize, Token<'a>)], signs: &[&str]) -> Option<Vec<(usize, &'a str)>> {
    let mut open: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for (at, word) in words {
        let Token::Sign(sign) = word else { continue };
        match *sign {
            "(" | "[" => open.push(sign),
            ")" if open.pop() != Some("(") => return None,
            "]" if open.pop() != Some("[") => return None,
            ")" | "]" => {}
            sign if open.is_empty() && signs.contains(&sign) => found.push((*at, sign)),
            _ => {}
        }
    }
    open.is_empty().then_some(found)
}

/// A term, if it is of a form that is known.
pub fn parse(text: &str) -> Option<Term> {
    let words = tokens(text)?;
    joints(&words, &[])?;
    let words: Vec<Token<'_>> = words.into_iter().map(|(_, word)| word).collect();
    one_of(&words, 0)
}

/// Tests of one attribute with `||` between are one test.
fn one_of(words: &[Token<'_>], depth: usize) -> Option<Term> {
    let mut level = 0usize;
    let parts = words.split(|word| {
        match word {
            Token::Sign("(" | "[") => level += 1,
            Token::Sign(")" | "]") => level = level.saturating_sub(1),
            _ => {}
        }
        level == 0 && *word == Token::Sign("||")
    });
    let mut whole: Option<Term> = None;
    for part in parts {
        let term = single(part, depth)?;
        whole = Some(match whole {
            None => term,
            Some(before) if before.subject == term.subject => {
                Term { test: either(before.test, term.test)?, ..before }
            }
            Some(_) => return None,
        });
    }
    whole
}

fn either(first: Test, second: Test) -> Option<Test> {
    match (first, second) {
        (Test::Is(mut values), Test::Is(more)) => {
            values.extend(more);
            Some(Test::Is(values))
        }
        (
            Test::Has { mut parts, folded, anywhere },
            Test::Has { parts: more, folded: also_folded, anywhere: also_anywhere },
        ) if (folded, anywhere) == (also_folded, also_anywhere) => {
            parts.extend(more);
            Some(Test::Has { parts, folded, anywhere })
        }
        _ => None,
    }
}

/// A test, perhaps in parentheses or negated.
fn single(words: &[Token<'_>], depth: usize) -> Option<Term> {
    if depth > DEEPEST {
        return None;
    }
    match words {
        [Token::Sign("!"), Token::Sign("("), inner @ .., Token::Sign(")")] if encloses(&words[1..]) => {
            let term = one_of(inner, depth + 1)?;
            let Test::Is(values) = term.test else { return None };
            Some(Term { test: Test::Not(values), ..term })
        }
        [Token::Sign("("), inner @ .., Token::Sign(")")] if encloses(words) => one_of(inner, depth + 1),
        _ => test(words),
    }
}

/// Whether the first parenthesis is closed by the last one.
fn encloses(words: &[Token<'_>]) -> bool {
    let mut level = 0usize;
    for (place, word) in words.iter().enumerate() {
        match word {
            Token::Sign("(") => level += 1,
            Token::Sign(")") => level = level.saturating_sub(1),
            _ => {}
        }
        if level == 0 {
            return place + 1 == words.len();
        }
    }
    false
}

/// A subject and what is said about it.
fn test(words: &[Token<'_>]) -> Option<Term> {
    let (subject, rest) = subject(words)?;
    let (folded, rest) = match rest {
        [Token::Sign("."), Token::Name("lowerAscii"), Token::Sign("("), Token::Sign(")"), rest @ ..] => {
            (true, rest)
        }
        rest => (false, rest),
    };
    let is_text = |method: &str| matches!(method, "matches" | "contains" | "startsWith");
    let test = match rest {
        [Token::Sign("."), Token::Name(method), Token::Sign("("), Token::Text(part), Token::Sign(")")]
            if is_text(method) =>
        {
            part_test(method, part, folded)?
        }
        // Only parts of names are looked for in small letters.
        _ if folded => return None,
        [Token::Sign("."), Token::Name(method), Token::Sign("("), rest @ ..] => method_test(method, rest)?,
        [Token::Name("in"), Token::Sign("["), items @ .., Token::Sign("]")] => Test::Is(list(items)?),
        [Token::Sign(sign), value @ ..] => compared(sign, one_value(value)?)?,
        _ => return None,
    };
    Some(Term { subject, test })
}

fn subject<'a, 'b>(words: &'b [Token<'a>]) -> Option<(Subject, &'b [Token<'a>])> {
    let [Token::Name("device"), Token::Sign("."), Token::Name(kind), rest @ ..] = words else { return None };
    match (*kind, rest) {
        ("driver", rest) => Some((Subject::Driver, rest)),
        (
            kind @ ("attributes" | "capacity"),
            [
                Token::Sign("["),
                Token::Text(domain),
                Token::Sign("]"),
                Token::Sign("."),
                Token::Name(name),
                rest @ ..,
            ],
        ) => {
            let (domain, name) = ((*domain).to_owned(), (*name).to_owned());
            let subject = match kind {
                "attributes" => Subject::Attribute { domain, name },
                _ => Subject::Capacity { domain, name },
            };
            Some((subject, rest))
        }
        _ => None,
    }
}

fn part_test(method: &str, part: &str, folded: bool) -> Option<Test> {
    let (part, anywhere) = match method {
        "contains" => (part, true),
        "startsWith" => (part, false),
        _ => literal(part)?,
    };
    Some(Test::Has { parts: vec![part.to_owned()], folded, anywhere })
}

/// The text a regular expression looks for, if that is all it does, and whether it looks anywhere.
fn literal(pattern: &str) -> Option<(&str, bool)> {
    let (begins, rest) = match pattern.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let (open_start, rest) = match rest.strip_prefix(".*") {
        Some(rest) => (true, rest),
        None => (!begins, rest),
    };
    let part = match (rest.strip_suffix(".*$").or_else(|| rest.strip_suffix(".*")), rest.ends_with('$')) {
        (Some(part), _) => part,
        (None, true) => return None,
        (None, false) => rest,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_' | '/');
    (!part.is_empty() && part.chars().all(plain)).then_some((part, open_start))
}

/// `compareTo(X) >= 0`, `isGreaterThan(X)`, `isLessThan(X)`, after the opening parenthesis.
fn method_test(method: &str, rest: &[Token<'_>]) -> Option<Test> {
    let (value, rest) = value(rest)?;
    match (method, rest) {
        ("isGreaterThan", [Token::Sign(")")]) => Some(Test::Above(value)),
        ("isLessThan", [Token::Sign(")")]) => Some(Test::Below(value)),
        ("compareTo", [Token::Sign(")"), Token::Sign(sign), Token::Number(0)]) => compared(sign, value),
        _ => None,
    }
}

fn compared(sign: &str, value: Value) -> Option<Test> {
    Some(match sign {
        "==" => Test::Is(vec![value]),
        "!=" => Test::Not(vec![value]),
        ">=" => Test::AtLeast(value),
        ">" => Test::Above(value),
        "<" => Test::Below(value),
        "<=" => Test::AtMost(value),
        _ => return None,
    })
}

fn one_value(words: &[Token<'_>]) -> Option<Value> {
    let (value, rest) = value(words)?;
    rest.is_empty().then_some(value)
}

fn value<'a, 'b>(words: &'b [Token<'a>]) -> Option<(Value, &'b [Token<'a>])> {
    match words {
        [Token::Text(text), rest @ ..] => Some((Value::Text((*text).to_owned()), rest)),
        [Token::Number(number), rest @ ..] => Some((Value::Number(*number), rest)),
        [Token::Name("semver"), Token::Sign("("), Token::Text(text), Token::Sign(")"), rest @ ..] => {
            // CEL wants all three numbers.
            let version = text.parse().ok().filter(|_| text.split('.').count() == 3)?;
            Some((Value::Version(version), rest))
        }
        [Token::Name("quantity"), Token::Sign("("), Token::Text(text), Token::Sign(")"), rest @ ..] => {
            Some((Value::Quantity(super::quantity(text)?), rest))
        }
        _ => None,
    }
}

fn list(words: &[Token<'_>]) -> Option<Vec<Value>> {
    if words.is_empty() {
        return Some(Vec::new());
    }
    words.split(|word| *word == Token::Sign(",")).map(one_value).collect()
}
