//! Trees as YAML and as JSON.

use crate::tree::{Node, Scalar};

/// A document in YAML, with `---` before it. Strings that could be anything else are quoted.
pub fn yaml(node: &Node) -> String {
    let mut out = String::from("---\n");
    match node {
        Node::Map(entries) if !entries.is_empty() => block_map(entries, 0, &mut out),
        other => {
            inline(other, &mut out);
            out.push('\n');
        }
    }
    out
}

/// A value as JSON on one line.
pub fn json(node: &Node) -> String {
    let mut out = String::new();
    json_value(node, &mut out);
    out
}

/// A JSON string.
pub fn json_string(text: &str) -> String {
    let mut out = String::new();
    quote(text, &mut out);
    out
}

/// YAML reads a longer key only where a question mark stands before it.
const LONGEST_KEY: usize = 1000;

fn block_map(entries: &[(String, Node)], indent: usize, out: &mut String) {
    for (key, value) in entries {
        pad(indent, out);
        block_entry(key, value, indent, out);
    }
}

/// A key and its value; the cursor stands where the key goes.
fn block_entry(key: &str, value: &Node, indent: usize, out: &mut String) {
    let begin = out.len();
    scalar(&Scalar { text: key.to_owned(), quoted: true }, out);
    if out.len() - begin > LONGEST_KEY {
        out.insert_str(begin, "? ");
        out.push('\n');
        pad(indent, out);
    }
    out.push(':');
    match value {
        Node::Map(inner) if !inner.is_empty() => {
            out.push('\n');
            block_map(inner, indent + 2, out);
        }
        Node::List(items) if !items.is_empty() => {
            out.push('\n');
            block_list(items, indent, out);
        }
        Node::Scalar(s) if s.quoted && is_block_text(&s.text) => block_text(&s.text, indent + 2, out),
        other => {
            out.push(' ');
            inline(other, out);
            out.push('\n');
        }
    }
}

fn block_list(items: &[Node], indent: usize, out: &mut String) {
    for item in items {
        pad(indent, out);
        out.push_str("- ");
        match item {
            Node::Map(entries) if !entries.is_empty() => {
                for (place, (key, value)) in entries.iter().enumerate() {
                    if place > 0 {
                        pad(indent + 2, out);
                    }
                    block_entry(key, value, indent + 2, out);
                }
            }
            Node::List(inner) if !inner.is_empty() => {
                json_value(&Node::List(inner.clone()), out);
                out.push('\n');
            }
            other => {
                inline(other, out);
                out.push('\n');
            }
        }
    }
}

/// Text of several lines that reads the same as a block: no trailing spaces, no odd characters, one newline at most
/// at its end.
fn is_block_text(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.ends_with('\n')
        && !body.starts_with([' ', '\n', '\t'])
        && body.lines().all(|line| !line.ends_with([' ', '\t', '\r']))
        && text
            .chars()
            .all(|c| c == '\n' || (!c.is_control() && c != '\u{feff}' && c != '\u{2028}' && c != '\u{2029}'))
}

fn block_text(text: &str, indent: usize, out: &mut String) {
    out.push_str(if text.ends_with('\n') { " |\n" } else { " |-\n" });
    for line in text.lines() {
        if !line.is_empty() {
            pad(indent, out);
            out.push_str(line);
        }
        out.push('\n');
    }
}

fn inline(node: &Node, out: &mut String) {
    match node {
        Node::Scalar(s) => scalar(s, out),
        Node::Map(_) => out.push_str("{}"),
        Node::List(_) => out.push_str("[]"),
    }
}

fn scalar(s: &Scalar, out: &mut String) {
    if s.quoted && !is_plain_word(&s.text) {
        quote(&s.text, out);
    } else if s.text.is_empty() && !s.quoted {
        out.push_str("null");
    } else if !s.quoted && s.text.chars().any(char::is_control) {
        // A plain scalar over several lines is one line with its breaks folded.
        quote(&s.text, out);
    } else {
        out.push_str(&s.text);
    }
}

/// A string that no YAML reader takes for a number, a boolean, a date or syntax.
fn is_plain_word(text: &str) -> bool {
    let first = text.chars().next().is_some_and(|c| c.is_ascii_alphabetic());
    let rest = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'));
    let lower = text.to_ascii_lowercase();
    first
        && rest
        && !matches!(lower.as_str(), "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null")
}

fn json_value(node: &Node, out: &mut String) {
    match node {
        _ if node.is_null() => out.push_str("null"),
        Node::Scalar(s) if s.quoted => quote(&s.text, out),
        Node::Scalar(s) if is_json_bare(&s.text) => out.push_str(&s.text),
        Node::Scalar(s) => quote(&s.text, out),
        Node::List(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                json_value(item, out);
            }
            out.push(']');
        }
        Node::Map(entries) => {
            out.push('{');
            for (place, (key, value)) in entries.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                quote(key, out);
                out.push(':');
                json_value(value, out);
            }
            out.push('}');
        }
    }
}

/// Whether plain text means the same in JSON without quotes.
fn is_json_bare(text: &str) -> bool {
    if matches!(text, "true" | "false") {
        return true;
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    all(whole) && all(fraction) && (whole == "0" || !whole.starts_with('0'))
}

/// Double quotes with JSON's escapes, which YAML reads too.
fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}') => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

fn pad(indent: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', indent));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::for_each_object;
    use crate::events::Bounds;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<Node> {
        let mut found = None;
        for_each_object(text.as_bytes(), Bounds::default(), &mut |f| {
            found = f.ok();
            true
        });
        found
    }

    /// Values as text, whether quoted or not: what must survive writing and reading.
    fn bare(node: &Node) -> Node {
        match node {
            Node::Scalar(s) => Node::string(s.text.clone()),
            Node::List(items) => Node::List(items.iter().map(bare).collect()),
            Node::Map(entries) => Node::Map(entries.iter().map(|(k, v)| (k.clone(), bare(v))).collect()),
        }
    }

    #[test]
    fn blocks_lists_and_odd_strings() {
        let text = "---\na:\n- b: \"1\"\n  c: 2\n- []\nd: |\n  one\n\n  two\ne: \"yes\"\nf: x/y\ng: {}\n";
        assert_eq!(yaml(&read(text).unwrap()), text);
    }

    #[test]
    fn a_long_key_reads_the_same() {
        let key = "\u{12}".repeat(400);
        let entry = Node::Map(vec![(key, Node::Map(vec![("a".into(), Node::string("1"))]))]);
        let node = Node::Map(vec![("x".into(), Node::List(vec![entry.clone()])), ("y".into(), entry)]);
        assert_eq!(read(&yaml(&node)), Some(node));
    }

    fn tree() -> impl Strategy<Value = Node> {
        let leaf = "[ -~\\n\\t\u{e9}\u{2028}]{0,12}".prop_map(Node::string);
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Node::List),
                prop::collection::btree_map("[a-z<:#\\- ]{1,6}", inner, 0..4)
                    .prop_map(|m| Node::Map(m.into_iter().filter(|(k, _)| k != "<<").collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_the_same(inner in tree()) {
            let node = Node::Map(vec![("x".into(), inner)]);
            prop_assert_eq!(read(&yaml(&node)).map(|n| bare(&n)), Some(bare(&node)));
            prop_assert_eq!(read(&json(&node)).map(|n| bare(&n)), Some(bare(&node)));
        }
    }
}
