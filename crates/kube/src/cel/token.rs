/// One word of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    Name(&'a str),
    Text(&'a str),
    Number(u64),
    Sign(&'a str),
}

/// Signs of two letters before those of one.
const SIGNS: [&str; 18] =
    ["==", "!=", "<=", ">=", "&&", "||", "<", ">", "(", ")", "[", "]", ".", ",", "!", "?", ":", "-"];

/// The words of an expression with where they begin; `None` if something is no word we know: comments, numbers with a
/// point, strings with a backslash or with letters before the quote.
pub fn tokens(text: &str) -> Option<Vec<(usize, Token<'_>)>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next()?;
        let length = match first {
            _ if first.is_whitespace() => {
                at += first.len_utf8();
                continue;
            }
            '"' | '\'' => {
                let inner = &rest[1..];
                let end = inner.find(first)?;
                let inner = &inner[..end];
                if inner.contains(['\\', '\n']) || inner.is_empty() && rest[2..].starts_with(first) {
                    return None;
                }
                found.push((at, Token::Text(inner)));
                end + 2
            }
            _ if first.is_ascii_digit() => {
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                found.push((at, Token::Number(rest[..end].parse().ok()?)));
                end
            }
            _ if first.is_ascii_alphabetic() || first == '_' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                if rest[end..].starts_with(['"', '\'']) {
                    return None;
                }
                found.push((at, Token::Name(&rest[..end])));
                end
            }
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
                found.push((at, Token::Sign(sign)));
                sign.len()
            }
        };
        // Words that touch are one word to CEL: 3Gi, 0x10.
        let glued = matches!(found.last(), Some((_, Token::Number(_))));
        at += length;
        if glued && text[at..].starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.') {
            return None;
        }
    }
    Some(found)
}
