//! The selectors of DRA claims: CEL expressions of the common forms, as Selectors.
//!
//! Not an interpreter: a term is understood whole, or named as lost. Terms are what `&&` joins; `||` is understood between
//! tests of one attribute.

use cleave_model::{Selectors, Span, Version};

use crate::quantity::Quantity;
use crate::refusal::Remark;

/// Tests, and what they test.
mod term;
/// Expressions cut into words.
mod token;

use term::{Subject, Term, Test, Value};

/// Whose attributes a device class has.
pub struct Source {
    /// The domain the driver publishes under.
    pub domain: &'static str,
    /// Attributes that all devices of the class have, and with which value. To ask for them is to ask for nothing.
    pub always: &'static [(&'static str, &'static str)],
}

/// Longer expressions are not looked at; the API server takes 10 KiB.
const LONGEST: usize = 10 << 10;

/// Positions on a node that a comparison may stand for.
const MOST_DEVICES: u64 = 64;

/// Adds what the expressions select, all of which must hold. What cannot be said is lost, term by term; what selects no
/// device at all is an error.
pub fn select(
    expressions: &[&str],
    source: &Source,
    selectors: &mut Selectors,
    lost: &mut Vec<Remark>,
) -> Result<(), Remark> {
    for expression in expressions {
        if expression.len() > LONGEST {
            lost.push(("selectors".into(), "are too long to be read".into()));
            continue;
        }
        for text in term::split(expression) {
            let apply = |term: Term| apply(&term, source, selectors);
            let why = match term::parse(text).map(apply) {
                Some(Ok(None)) => continue,
                Some(Ok(Some(why))) => why,
                Some(Err(())) => {
                    let why = format!("select no device: {} leaves none", crate::dialect::shown(text));
                    return Err(("selectors".into(), why));
                }
                None => "is not translated",
            };
            lost.push(("selectors".into(), format!("have the term {}, which {why}", one_line(text))));
        }
    }
    Ok(())
}

/// An expression in a sentence: on one line, and not without end.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(200).collect();
    format!("`{line}`")
}

/// Adds one term: nothing to say, or why it is not or not quite what was written. The error: no device is left.
fn apply(term: &Term, source: &Source, selectors: &mut Selectors) -> Result<Option<&'static str>, ()> {
    const NO_PLACE: Result<Option<&str>, ()> = Ok(Some("has no equal"));
    let (domain, name) = match &term.subject {
        Subject::Driver => {
            let same =
                matches!(&term.test, Test::Is(values) if values == &[Value::Text(source.domain.into())]);
            return if same { Ok(None) } else { NO_PLACE };
        }
        Subject::Attribute { domain, name } => (domain, name.as_str()),
        Subject::Capacity { domain, name } if name == "memory" && domain == source.domain => {
            return match memory_span(&term.test) {
                Some(span) => narrow(&mut selectors.memory_mib, span),
                None => NO_PLACE,
            };
        }
        Subject::Capacity { .. } => return NO_PLACE,
    };
    if domain != source.domain {
        return NO_PLACE;
    }
    match (name, &term.test) {
        (name, Test::Is(values)) if source.always.iter().any(|always| is_among(name, values, always)) => {
            Ok(None)
        }
        ("productName", test) => model(test, selectors),
        ("uuid", Test::Is(values)) => choose(&mut selectors.uuids, texts(values)),
        ("uuid", Test::Not(values)) => exclude(&mut selectors.not_uuids, texts(values)),
        ("architecture", Test::Is(values)) => choose(&mut selectors.architectures, texts(values)),
        ("index", test) => match indices(test) {
            Some(allowed) => choose(&mut selectors.indices, Some(allowed)),
            None => NO_PLACE,
        },
        ("profile", Test::Is(values)) => match texts(values).as_deref() {
            Some([one]) if selectors.profile.as_ref().is_none_or(|profile| profile == one) => {
                selectors.profile = Some(one.clone());
                Ok(None)
            }
            _ => NO_PLACE,
        },
        ("cudaComputeCapability", test) => match version_span(test) {
            Some(span) => narrow(&mut selectors.capability, span),
            None => NO_PLACE,
        },
        ("driverVersion", test) => match version_span(test) {
            Some(span) => narrow(&mut selectors.driver, span),
            None => NO_PLACE,
        },
        _ => NO_PLACE,
    }
}

/// Whether an attribute is one that all devices have, and its value is among those asked for.
fn is_among(name: &str, values: &[Value], always: &(&str, &str)) -> bool {
    name == always.0 && values.contains(&Value::Text(always.1.into()))
}

fn model(test: &Test, selectors: &mut Selectors) -> Result<Option<&'static str>, ()> {
    match test {
        Test::Is(values) => choose(&mut selectors.names, texts(values)),
        Test::Not(values) => exclude(&mut selectors.not_names, texts(values)),
        Test::Has { parts, folded, anywhere } => {
            // A name in small letters never has a part in capital ones.
            if *folded && parts.iter().any(|part| part.bytes().any(|b| b.is_ascii_uppercase())) {
                return Err(());
            }
            if !selectors.models.is_empty() || !parts.iter().all(|part| sayable(part)) {
                return Ok(Some("has no equal beside the others"));
            }
            selectors.models = parts.clone();
            Ok(match (folded, anywhere) {
                (true, true) => None,
                (false, true) => Some("is matched in any letter case"),
                (_, false) => Some("is matched anywhere in the name and in any letter case"),
            })
        }
        _ => Ok(Some("has no equal")),
    }
}

/// Keeps of `chosen` what is also in `allowed`, or takes all of it where nothing was chosen yet.
fn choose<T: PartialEq>(chosen: &mut Vec<T>, allowed: Option<Vec<T>>) -> Result<Option<&'static str>, ()> {
    let Some(allowed) = allowed else { return Ok(Some("has no equal")) };
    if chosen.is_empty() {
        *chosen = allowed;
    } else {
        chosen.retain(|value| allowed.contains(value));
    }
    // An empty list would choose everything.
    if chosen.is_empty() { Err(()) } else { Ok(None) }
}

fn exclude(excluded: &mut Vec<String>, values: Option<Vec<String>>) -> Result<Option<&'static str>, ()> {
    let Some(values) = values else { return Ok(Some("has no equal")) };
    excluded.extend(values);
    Ok(None)
}

fn narrow<T: Copy + Ord>(span: &mut Span<T>, other: Span<T>) -> Result<Option<&'static str>, ()> {
    *span = span.and(other).ok_or(())?;
    Ok(None)
}

/// Values that are all text, and can be said in a list of words.
fn texts(values: &[Value]) -> Option<Vec<String>> {
    let text = |value: &Value| match value {
        Value::Text(text) if sayable(text) => Some(text.clone()),
        _ => None,
    };
    values.iter().map(text).collect()
}

/// Lists of words have commas between, and no spaces at the ends.
fn sayable(text: &str) -> bool {
    !text.is_empty() && !text.contains(',') && text.trim() == text && !text.chars().any(char::is_control)
}

fn indices(test: &Test) -> Option<Vec<u32>> {
    let below = |end: u64| (end <= MOST_DEVICES).then(|| (0..end as u32).collect());
    match test {
        Test::Is(values) => {
            let number = |value: &Value| match value {
                Value::Number(n) => u32::try_from(*n).ok(),
                _ => None,
            };
            values.iter().map(number).collect()
        }
        Test::Below(Value::Number(end)) => below(*end),
        Test::AtMost(Value::Number(last)) => below(last.checked_add(1)?),
        _ => None,
    }
}

fn version_span(test: &Test) -> Option<Span<Version>> {
    let version = |value: &Value| match value {
        Value::Version(version) => Some(*version),
        _ => None,
    };
    Some(match test {
        Test::Is(values) => {
            let [one] = values.as_slice() else { return None };
            let one = version(one)?;
            Span { from: Some(one), below: Some(one.next()?) }
        }
        Test::AtLeast(v) => Span { from: Some(version(v)?), below: None },
        Test::Above(v) => Span { from: Some(version(v)?.next()?), below: None },
        Test::Below(v) => Span { from: None, below: Some(version(v)?) },
        Test::AtMost(v) => Span { from: None, below: Some(version(v)?.next()?) },
        Test::Not(_) | Test::Has { .. } => return None,
    })
}

/// Devices have whole MiB, so every bound in bytes is one in MiB.
fn memory_span(test: &Test) -> Option<Span<u64>> {
    let mib = |value: &Value| match value {
        Value::Quantity(quantity) => quantity.as_mib(),
        _ => None,
    };
    let at_least = |v: &Value| mib(v).map(|(mib, rest)| mib + u64::from(rest));
    let above = |v: &Value| mib(v).map(|(mib, _)| mib + 1);
    Some(match test {
        Test::AtLeast(v) => Span { from: Some(at_least(v)?), below: None },
        Test::Above(v) => Span { from: Some(above(v)?), below: None },
        Test::Below(v) => Span { from: None, below: Some(at_least(v)?) },
        Test::AtMost(v) => Span { from: None, below: Some(above(v)?) },
        Test::Is(_) | Test::Not(_) | Test::Has { .. } => return None,
    })
}

/// A quantity as CEL writes it.
fn quantity(text: &str) -> Option<Quantity> {
    Quantity::parse(text).ok().filter(|q| !q.is_negative())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NVIDIA: Source = Source { domain: "gpu.nvidia.com", always: &[("type", "gpu")] };

    fn selected(expression: &str) -> (Result<(), Remark>, Selectors, Vec<Remark>) {
        let (mut selectors, mut lost) = (Selectors::default(), Vec::new());
        let result = select(&[expression], &NVIDIA, &mut selectors, &mut lost);
        (result, selectors, lost)
    }

    fn clean(expression: &str) -> Selectors {
        let (result, selectors, lost) = selected(expression);
        assert_eq!((result, lost), (Ok(()), Vec::new()), "{expression}");
        selectors
    }

    fn a(rest: &str) -> String {
        format!("device.attributes[\"gpu.nvidia.com\"].{rest}")
    }

    #[test]
    fn equality_and_lists() {
        assert_eq!(clean(&a("productName == 'Tesla T4'")).names, ["Tesla T4"]);
        assert_eq!(clean(&a("productName in ['A', \"B C\"]")).names, ["A", "B C"]);
        assert_eq!(clean(&a("productName != 'Tesla T4'")).not_names, ["Tesla T4"]);
        assert_eq!(clean(&a("uuid in [\"GPU-1\",\"GPU-2\"]")).uuids, ["GPU-1", "GPU-2"]);
        assert_eq!(clean(&format!("!({})", a("uuid in ['GPU-1']"))).not_uuids, ["GPU-1"]);
        assert_eq!(clean(&a("architecture == 'Ampere'")).architectures, ["Ampere"]);
        assert_eq!(clean(&a("index < 2")).indices, [0, 1]);
        assert_eq!(clean(&a("index == 3")).indices, [3]);
        let either = format!("{} || {}", a("productName == 'A'"), a("productName == 'B'"));
        assert_eq!(clean(&either).names, ["A", "B"]);
    }

    #[test]
    fn parts_of_names() {
        assert_eq!(clean(&a("productName.lowerAscii().matches('^.*a100.*$')")).models, ["a100"]);
        assert_eq!(clean(&a("productName.lowerAscii().contains('rtx 3090')")).models, ["rtx 3090"]);
        let (_, selectors, lost) = selected(&a("productName.matches('A100')"));
        assert_eq!((selectors.models, lost.len()), (vec!["A100".to_owned()], 1));
        assert!(lost[0].1.contains("any letter case"));
        // A pattern that is more than a part of a name is none.
        for pattern in ["a.00", "a(100|30)", "a[0-9]+", "a1?", "\\\\d"] {
            let (_, selectors, lost) = selected(&a(&format!("productName.matches('{pattern}')")));
            assert_eq!((selectors, lost.len()), (Selectors::default(), 1), "{pattern}");
        }
        assert!(selected(&a("productName.lowerAscii().contains('A100')")).0.is_err());
    }

    #[test]
    fn versions_and_capacities() {
        let span = |rest: &str| clean(&a(rest)).driver;
        let v = |text: &str| text.parse().ok();
        assert_eq!(span("driverVersion.compareTo(semver('535.0.0')) >= 0").from, v("535.0.0"));
        assert_eq!(span("driverVersion.isGreaterThan(semver('535.0.0'))").from, v("535.0.1"));
        assert_eq!(span("driverVersion.isLessThan(semver('535.0.0'))").below, v("535.0.0"));
        assert_eq!(span("driverVersion.compareTo(semver('535.0.0')) <= 0").below, v("535.0.1"));
        assert_eq!(
            clean(&a("cudaComputeCapability == semver('8.0.0')")).capability,
            Span { from: v("8.0.0"), below: v("8.0.1") }
        );
        let memory =
            |rest: &str| clean(&format!("device.capacity['gpu.nvidia.com'].memory.{rest}")).memory_mib;
        assert_eq!(memory("compareTo(quantity('40Gi')) >= 0").from, Some(40_960));
        assert_eq!(memory("isGreaterThan(quantity('40Gi'))").from, Some(40_961));
        assert_eq!(memory("compareTo(quantity('1')) >= 0").from, Some(1));
        assert_eq!(memory("isLessThan(quantity('40Gi'))").below, Some(40_960));
    }

    #[test]
    fn terms_are_kept_one_by_one() {
        let text = format!(
            "device.driver == 'gpu.nvidia.com' && {} && {} && {}",
            a("type == 'gpu'"),
            a("architecture == 'Hopper'"),
            a("brand == 'Nvidia'")
        );
        let (result, selectors, lost) = selected(&text);
        assert_eq!((result, selectors.architectures), (Ok(()), vec!["Hopper".to_owned()]));
        assert_eq!(lost.len(), 1);
        assert!(lost[0].1.contains("brand == 'Nvidia'"), "{}", lost[0].1);
    }

    /// What only looks like a form that is known is never taken for it.
    #[test]
    fn nothing_is_taken_out_of_its_context() {
        for text in [
            format!("{} || true", a("productName == 'A'")),
            format!("{} ? {} : true", a("productName == 'A'"), a("uuid == 'B'")),
            format!("{} && {} ? true : false", a("productName == 'A'"), a("uuid == 'B'")),
            format!("{} && {} || true", a("productName == 'A'"), a("uuid == 'B'")),
            format!("{} || {}", a("productName == 'A'"), a("uuid == 'B'")),
            format!("[{}].exists(x, x)", a("productName == 'A'")),
            format!("{} == false", a("productName == 'A'")),
            format!("!({} && {})", a("productName == 'A'"), a("uuid == 'B'")),
            "device.attributes['other.example'].productName == 'A'".into(),
            a("productName == 'A,B'"),
            a("productName.size() == 3"),
            a("productName == 'A"),
            a("index < 1000000"),
            a("memory >= '40Gi'"),
            format!("// {}\ntrue", a("productName == 'A'")),
            "(".repeat(5000),
        ] {
            let (result, selectors, lost) = selected(&text);
            assert_eq!((result, selectors), (Ok(()), Selectors::default()), "{text}");
            assert!(!lost.is_empty(), "{text}");
        }
    }

    #[test]
    fn what_contradicts_itself_selects_nothing() {
        for text in [
            format!("{} && {}", a("uuid == 'A'"), a("uuid == 'B'")),
            format!("{} && {}", a("index == 0"), a("index == 1")),
            format!(
                "{} && {}",
                a("driverVersion.isGreaterThan(semver('2.0.0'))"),
                a("driverVersion.isLessThan(semver('1.0.0'))")
            ),
            a("index < 0"),
            a("uuid in []"),
        ] {
            assert!(selected(&text).0.is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn odd_expressions_never_panic(text in "[a-z.()'\"!&|=<>\\[\\]0-9, ü?/\\\\-]{0,60}", at in 0usize..80) {
            selected(&text).0.ok();
            let mut spoilt = a("productName.lowerAscii().matches('^.*a100.*$') && true");
            let at = at.min(spoilt.len());
            spoilt.insert_str(at, &text);
            selected(&spoilt).0.ok();
        }
    }
}
