//! `printf` formatting of values that device code passed.

use std::fmt::Write;

/// What the formatter asks for next.
pub enum Wanted {
    /// The next argument, of this many bytes (4 or 8), aligned to as many.
    Word(u64),
    /// The string at an address that was an argument.
    String(u64),
}

/// What it gets.
pub enum Given {
    Word(u64),
    String(Vec<u8>),
}

/// How one conversion is written.
#[derive(Clone, Copy, Default)]
struct Spec {
    minus: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    long: bool,
}

/// Widest field anybody gets.
const MAX_FIELD: usize = 4096;

/// The formatted text and the number of arguments used.
pub fn format<E>(
    format: &[u8],
    next: &mut dyn FnMut(Wanted) -> Result<Given, E>,
) -> Result<(Vec<u8>, usize), E> {
    let mut out = Vec::new();
    let mut used = 0;
    let mut rest = format;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut word = |size| -> Result<u64, E> {
            used += 1;
            match next(Wanted::Word(size))? {
                Given::Word(word) => Ok(word),
                Given::String(_) => Ok(0),
            }
        };
        let (spec, after) = parse(rest, &mut word)?;
        let Some((&conversion, tail)) = after.split_first() else {
            out.push(b'%');
            break;
        };
        rest = tail;
        let size = if spec.long { 8 } else { 4 };
        match conversion {
            b'%' => out.push(b'%'),
            b'd' | b'i' => {
                let raw = word(size)?;
                let value = if spec.long { raw as i64 } else { i64::from(raw as i32) };
                integer(&mut out, &spec, value.unsigned_abs().to_string(), value < 0, true, "");
            }
            b'u' => integer(&mut out, &spec, word(size)?.to_string(), false, false, ""),
            b'o' => integer(&mut out, &spec, format!("{:o}", word(size)?), false, false, "0"),
            b'x' => integer(&mut out, &spec, format!("{:x}", word(size)?), false, false, "0x"),
            b'X' => integer(&mut out, &spec, format!("{:X}", word(size)?), false, false, "0X"),
            b'p' => pad(&mut out, &spec, format!("{:#x}", word(8)?).as_bytes()),
            b'c' => pad(&mut out, &spec, &[word(4)? as u8]),
            b's' => {
                let address = word(8)?;
                let text = match address {
                    0 => b"(null)".to_vec(),
                    _ => match next(Wanted::String(address))? {
                        Given::String(text) => text,
                        Given::Word(_) => Vec::new(),
                    },
                };
                let len = spec.precision.map_or(text.len(), |p| p.min(text.len()));
                pad(&mut out, &spec, &text[..len]);
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                float(&mut out, &spec, f64::from_bits(word(8)?), conversion);
            }
            // Not a conversion: written as it stands.
            other => out.extend_from_slice(&[b'%', other]),
        }
    }
    Ok((out, used))
}

fn parse<'f, E>(
    mut rest: &'f [u8],
    word: &mut dyn FnMut(u64) -> Result<u64, E>,
) -> Result<(Spec, &'f [u8]), E> {
    let mut spec = Spec::default();
    while let Some((&flag, tail)) = rest.split_first() {
        match flag {
            b'-' => spec.minus = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternate = true,
            b'0' => spec.zero = true,
            _ => break,
        }
        rest = tail;
    }
    if let Some(tail) = rest.strip_prefix(b"*") {
        let width = word(4)? as i32;
        spec.minus |= width < 0;
        spec.width = (width.unsigned_abs() as usize).min(MAX_FIELD);
        rest = tail;
    } else {
        (spec.width, rest) = number(rest);
    }
    if let Some(tail) = rest.strip_prefix(b".") {
        if let Some(tail) = tail.strip_prefix(b"*") {
            let precision = word(4)? as i32;
            spec.precision = usize::try_from(precision).ok().map(|p| p.min(MAX_FIELD));
            rest = tail;
        } else {
            let (precision, tail) = number(tail);
            spec.precision = Some(precision);
            rest = tail;
        }
    }
    while let Some((&length, tail)) = rest.split_first() {
        match length {
            b'l' | b'j' | b'z' | b't' => spec.long = true,
            b'h' | b'L' => {}
            _ => break,
        }
        rest = tail;
    }
    Ok((spec, rest))
}

fn number(mut rest: &[u8]) -> (usize, &[u8]) {
    let mut value = 0usize;
    while let Some((&digit @ b'0'..=b'9', tail)) = rest.split_first() {
        value = (value * 10 + usize::from(digit - b'0')).min(MAX_FIELD);
        rest = tail;
    }
    (value, rest)
}

fn pad(out: &mut Vec<u8>, spec: &Spec, text: &[u8]) {
    let fill = vec![b' '; spec.width.saturating_sub(text.len())];
    if spec.minus {
        out.extend_from_slice(text);
        out.extend_from_slice(&fill);
    } else {
        out.extend_from_slice(&fill);
        out.extend_from_slice(text);
    }
}

/// Sign or prefix, zeros and digits.
fn signed(out: &mut Vec<u8>, spec: &Spec, sign: &str, digits: &str, zeros: bool) {
    let len = sign.len() + digits.len();
    if zeros && !spec.minus && len < spec.width {
        out.extend_from_slice(sign.as_bytes());
        out.resize(out.len() + spec.width - len, b'0');
        out.extend_from_slice(digits.as_bytes());
    } else {
        pad(out, spec, format!("{sign}{digits}").as_bytes());
    }
}

fn sign_of(spec: &Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    }
}

fn integer(
    out: &mut Vec<u8>,
    spec: &Spec,
    mut digits: String,
    negative: bool,
    is_signed: bool,
    prefix: &str,
) {
    if spec.precision == Some(0) && digits == "0" {
        digits.clear();
    }
    let zero = digits.chars().all(|c| c == '0');
    let precision = spec.precision.unwrap_or(0);
    let mut body = "0".repeat(precision.saturating_sub(digits.len()));
    body.push_str(&digits);
    let mut lead = if is_signed { sign_of(spec, negative).to_owned() } else { String::new() };
    if spec.alternate && !(zero && prefix != "0") && !(prefix == "0" && body.starts_with('0')) {
        lead.push_str(prefix);
    }
    signed(out, spec, &lead, &body, spec.zero && spec.precision.is_none());
}

fn float(out: &mut Vec<u8>, spec: &Spec, value: f64, conversion: u8) {
    let sign = sign_of(spec, value.is_sign_negative());
    let magnitude = value.abs();
    let upper = conversion.is_ascii_uppercase();
    if !value.is_finite() {
        let name = if value.is_nan() { "nan" } else { "inf" };
        let name = if upper { name.to_uppercase() } else { name.to_owned() };
        return pad(out, spec, format!("{sign}{name}").as_bytes());
    }
    let precision = spec.precision.unwrap_or(6);
    let mut digits = match conversion.to_ascii_lowercase() {
        b'f' => fixed(magnitude, precision, spec.alternate),
        b'e' => exponent(magnitude, precision, spec.alternate),
        b'g' => shortest(magnitude, precision.max(1), spec.alternate),
        _ => hexadecimal(magnitude, spec.precision, spec.alternate),
    };
    if upper {
        digits = digits.to_uppercase();
    }
    let (lead, body) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(body) if conversion.eq_ignore_ascii_case(&b'a') => (format!("{sign}{}", &digits[..2]), body),
        _ => (sign.to_owned(), digits.as_str()),
    };
    signed(out, spec, &lead, body, spec.zero);
}

fn fixed(x: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{x:.precision$}");
    if point && precision == 0 {
        text.push('.');
    }
    text
}

fn exponent(x: f64, precision: usize, point: bool) -> String {
    let text = format!("{x:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if point && precision == 0 { "." } else { "" };
    format!("{mantissa}{point}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn shortest(x: f64, precision: usize, keep_zeros: bool) -> String {
    let scientific = format!("{:.*e}", precision - 1, x);
    let power: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let by_exponent = power < -4 || power >= precision as i32;
    let text = match by_exponent {
        true => exponent(x, precision - 1, keep_zeros),
        false => fixed(x, (precision as i32 - 1 - power).max(0) as usize, keep_zeros),
    };
    if keep_zeros {
        return text;
    }
    let (mantissa, tail) =
        text.split_once('e').map_or((text.as_str(), String::new()), |(m, e)| (m, format!("e{e}")));
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => mantissa,
    };
    format!("{mantissa}{tail}")
}

fn hexadecimal(x: f64, precision: Option<usize>, point: bool) -> String {
    let bits = x.to_bits();
    let (mut exponent, mut fraction) = ((bits >> 52) as i32 & 0x7ff, bits & ((1 << 52) - 1));
    let mut lead = u64::from(exponent != 0);
    exponent = if bits == 0 { 0 } else { exponent.max(1) - 1023 };
    if let Some(precision) = precision.filter(|p| *p < 13) {
        let drop = 52 - 4 * precision as u32;
        let whole = lead << 52 | fraction;
        let half = 1u64 << (drop - 1);
        let tie = whole & ((1 << drop) - 1) == half;
        let rounded = if tie && whole >> drop & 1 == 0 { whole } else { whole + half } >> drop << drop;
        (lead, fraction) = (rounded >> 52, rounded & ((1 << 52) - 1));
    }
    let digits = format!("{fraction:013x}");
    let digits = match precision {
        Some(precision) => format!("{digits:0<precision$}")[..precision].to_owned(),
        None => digits.trim_end_matches('0').to_owned(),
    };
    let mut text = format!("0x{lead}");
    if !digits.is_empty() || point {
        text.push('.');
    }
    let _ = write!(text, "{digits}p{exponent:+}");
    text
}
