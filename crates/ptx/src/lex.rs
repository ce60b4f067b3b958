//! PTX text to tokens, without copying.

use crate::ir::Loc;

/// A token. Text is borrowed from the source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tok<'s> {
    /// Identifier with everything dotted that follows it directly: `%r1`, `%tid.x`, `ld.global.f32`.
    Word(&'s str),
    /// A word that starts with a dot, without the dot: `.reg`, `.b32`, `.shared::cta`.
    Dot(&'s str),
    Int {
        value: u64,
        unsigned: bool,
    },
    /// `0f…`
    Single(u32),
    /// `0d…` and decimal floats.
    Double(u64),
    /// The inside of a string, escapes untouched.
    Str(&'s str),
    Punct(Punct),
    End,
    /// Something that is no token; the text says what is wrong.
    Bad(&'static str),
}

macro_rules! punctuation {
    ($( $name:ident = $text:literal ),* $(,)?) => {
        /// Punctuation and operators.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Punct { $( $name ),* }

        impl Punct {
            pub(crate) const fn text(self) -> &'static str {
                match self { $( Punct::$name => $text ),* }
            }
        }
    };
}

punctuation! {
    Comma = ",", Semi = ";", Colon = ":", OpenBracket = "[", CloseBracket = "]", OpenBrace = "{", CloseBrace = "}",
    OpenParen = "(", CloseParen = ")", Plus = "+", Minus = "-", Star = "*", Slash = "/", Percent = "%", Amp = "&",
    Pipe = "|", Caret = "^", Tilde = "~", Bang = "!", Question = "?", At = "@", Assign = "=", Less = "<",
    Greater = ">", LessEq = "<=", GreaterEq = ">=", Equal = "==", NotEqual = "!=", ShiftLeft = "<<",
    ShiftRight = ">>", AndAnd = "&&", OrOr = "||",
}

impl std::fmt::Display for Tok<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Tok::Word(text) => write!(f, "`{text}`"),
            Tok::Dot(text) => write!(f, "`.{text}`"),
            Tok::Int { .. } | Tok::Single(_) | Tok::Double(_) => f.write_str("a number"),
            Tok::Str(_) => f.write_str("a string"),
            Tok::Punct(punct) => write!(f, "`{}`", punct.text()),
            Tok::End => f.write_str("the end of the source"),
            Tok::Bad(what) => f.write_str(what),
        }
    }
}

/// A token and where it starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'s> {
    pub tok: Tok<'s>,
    pub loc: Loc,
}

/// Cuts a source into tokens. A NUL ends the source, as it does for the driver.
#[derive(Clone)]
pub(crate) struct Lexer<'s> {
    source: &'s str,
    at: usize,
    line: u32,
    line_start: usize,
}

const fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'%')
}

const fn continues_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

impl<'s> Lexer<'s> {
    pub(crate) fn new(source: &'s str) -> Lexer<'s> {
        let end = source.find('\0').unwrap_or(source.len());
        Lexer { source: &source[..end], at: 0, line: 1, line_start: 0 }
    }

    /// The next token; `End` again and again after the last one.
    pub(crate) fn next(&mut self) -> Token<'s> {
        let start = self.skip_blank();
        let loc = Loc { line: self.line, column: column(start - self.line_start) };
        Token { tok: start_token(self, start), loc }
    }

    /// The byte at `at + ahead`, 0 beyond the end.
    fn peek(&self, ahead: usize) -> u8 {
        self.source.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The text from `start` to here. Both ends are next to ASCII bytes, hence on character boundaries.
    fn text(&self, start: usize) -> &'s str {
        self.source.get(start..self.at).unwrap_or("")
    }

    /// Skips blanks and comments; gives the position reached.
    fn skip_blank(&mut self) -> usize {
        loop {
            match (self.peek(0), self.peek(1)) {
                (b'\n', _) => self.newline(),
                (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, _) => self.at += 1,
                (b'/', b'/') => {
                    let rest = &self.source.as_bytes()[self.at..];
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                (b'/', b'*') => self.skip_comment(),
                _ => return self.at,
            }
        }
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line = self.line.saturating_add(1);
        self.line_start = self.at;
    }

    fn skip_comment(&mut self) {
        self.at += 2;
        while self.at < self.source.len() {
            match (self.peek(0), self.peek(1)) {
                (b'*', b'/') => {
                    self.at += 2;
                    return;
                }
                (b'\n', _) => self.newline(),
                _ => self.at += 1,
            }
        }
    }

    fn skip_word(&mut self) {
        let rest = &self.source.as_bytes()[self.at..];
        self.at += rest.iter().position(|&b| !continues_word(b)).unwrap_or(rest.len());
    }

    /// Skips `::name` parts, as in `shared::cta`.
    fn skip_qualifiers(&mut self) {
        while self.peek(0) == b':' && self.peek(1) == b':' && continues_word(self.peek(2)) {
            self.at += 2;
            self.skip_word();
        }
    }

    fn word(&mut self, start: usize) -> Tok<'s> {
        self.at += 1;
        self.skip_word();
        while self.peek(0) == b'.' && continues_word(self.peek(1)) {
            self.at += 1;
            self.skip_word();
            self.skip_qualifiers();
        }
        match self.text(start) {
            "%" => Tok::Punct(Punct::Percent),
            text => Tok::Word(text),
        }
    }

    fn dot(&mut self) -> Tok<'s> {
        self.at += 1;
        let start = self.at;
        self.skip_word();
        self.skip_qualifiers();
        if self.at == start { Tok::Bad("a dot without a name") } else { Tok::Dot(self.text(start)) }
    }

    fn string(&mut self) -> Tok<'s> {
        self.at += 1;
        let start = self.at;
        loop {
            match self.peek(0) {
                b'"' => {
                    let text = self.text(start);
                    self.at += 1;
                    return Tok::Str(text);
                }
                b'\\' if self.peek(1) != b'\n' => self.at += 2,
                b'\n' | 0 => return Tok::Bad("an unterminated string"),
                _ => self.at += 1,
            }
        }
    }

    fn number(&mut self, start: usize) -> Tok<'s> {
        self.skip_word();
        let text = self.text(start);
        let (radix, digits) = match text.as_bytes() {
            [b'0', b'f' | b'F', ..] => return exact(text, 8, |bits| Tok::Single(bits as u32)),
            [b'0', b'd' | b'D', ..] => return exact(text, 16, Tok::Double),
            [b'0', b'x' | b'X', ..] => (16, text.get(2..).unwrap_or("")),
            [b'0', b'b' | b'B', ..] => (2, text.get(2..).unwrap_or("")),
            _ if self.peek(0) == b'.' || text.contains(['e', 'E']) => return self.decimal_float(start),
            [b'0', _, ..] => (8, text.get(1..).unwrap_or("")),
            _ => (10, text),
        };
        let (digits, suffix) = match digits.strip_suffix('U') {
            // The octal `0U` leaves no digits behind its leading zero.
            Some("") if radix == 8 => ("0", true),
            Some(digits) => (digits, true),
            None => (digits, false),
        };
        match u64::from_str_radix(digits, radix) {
            Ok(value) => Tok::Int { value, unsigned: suffix || value > i64::MAX as u64 },
            Err(_) => Tok::Bad("a malformed or too large number"),
        }
    }

    /// A float in decimal notation; everything up to the dot or the exponent's digits is already skipped.
    fn decimal_float(&mut self, start: usize) -> Tok<'s> {
        if self.peek(0) == b'.' {
            self.at += 1;
            self.skip_word();
        }
        if self.text(start).ends_with(['e', 'E']) && matches!(self.peek(0), b'+' | b'-') {
            self.at += 1;
            self.skip_word();
        }
        match self.text(start).parse::<f64>() {
            Ok(value) => Tok::Double(value.to_bits()),
            Err(_) => Tok::Bad("a malformed number"),
        }
    }

    fn punct(&mut self, length: usize, punct: Punct) -> Tok<'s> {
        self.at += length;
        Tok::Punct(punct)
    }
}

/// A column as a number from 1.
fn column(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX).saturating_add(1)
}

/// A float given by exactly `digits` hexadecimal digits of its bit pattern.
fn exact<'s>(text: &'s str, digits: usize, make: impl Fn(u64) -> Tok<'s>) -> Tok<'s> {
    match text.get(2..).filter(|t| t.len() == digits).and_then(|t| u64::from_str_radix(t, 16).ok()) {
        Some(bits) => make(bits),
        None => Tok::Bad("a floating-point constant with the wrong number of digits"),
    }
}

/// Reads the token that starts at `start`.
fn start_token<'s>(lexer: &mut Lexer<'s>, start: usize) -> Tok<'s> {
    use Punct::*;
    let (first, second) = (lexer.peek(0), lexer.peek(1));
    match (first, second) {
        (byte, _) if starts_word(byte) => lexer.word(start),
        (b'0'..=b'9', _) => lexer.number(start),
        (b'.', _) => lexer.dot(),
        (b'"', _) => lexer.string(),
        (b',', _) => lexer.punct(1, Comma),
        (b';', _) => lexer.punct(1, Semi),
        (b':', _) => lexer.punct(1, Colon),
        (b'[', _) => lexer.punct(1, OpenBracket),
        (b']', _) => lexer.punct(1, CloseBracket),
        (b'{', _) => lexer.punct(1, OpenBrace),
        (b'}', _) => lexer.punct(1, CloseBrace),
        (b'(', _) => lexer.punct(1, OpenParen),
        (b')', _) => lexer.punct(1, CloseParen),
        (b'+', _) => lexer.punct(1, Plus),
        (b'-', _) => lexer.punct(1, Minus),
        (b'*', _) => lexer.punct(1, Star),
        (b'/', _) => lexer.punct(1, Slash),
        (b'^', _) => lexer.punct(1, Caret),
        (b'~', _) => lexer.punct(1, Tilde),
        (b'?', _) => lexer.punct(1, Question),
        (b'@', _) => lexer.punct(1, At),
        (b'&', b'&') => lexer.punct(2, AndAnd),
        (b'&', _) => lexer.punct(1, Amp),
        (b'|', b'|') => lexer.punct(2, OrOr),
        (b'|', _) => lexer.punct(1, Pipe),
        (b'=', b'=') => lexer.punct(2, Equal),
        (b'=', _) => lexer.punct(1, Assign),
        (b'!', b'=') => lexer.punct(2, NotEqual),
        (b'!', _) => lexer.punct(1, Bang),
        (b'<', b'<') => lexer.punct(2, ShiftLeft),
        (b'<', b'=') => lexer.punct(2, LessEq),
        (b'<', _) => lexer.punct(1, Less),
        (b'>', b'>') => lexer.punct(2, ShiftRight),
        (b'>', b'=') => lexer.punct(2, GreaterEq),
        (b'>', _) => lexer.punct(1, Greater),
        (0, _) => Tok::End,
        _ => {
            let width = lexer.source[start..].chars().next().map_or(1, char::len_utf8);
            lexer.at += width;
            Tok::Bad("an unexpected character")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toks(source: &str) -> Vec<Tok<'_>> {
        let mut lexer = Lexer::new(source);
        std::iter::from_fn(|| Some(lexer.next().tok)).take_while(|t| *t != Tok::End).collect()
    }

    #[test]
    fn words_take_their_dotted_tail() {
        assert_eq!(
            toks("ld.global.L2::128B.f32 %f1, [%rd1+-4];"),
            [
                Tok::Word("ld.global.L2::128B.f32"),
                Tok::Word("%f1"),
                Tok::Punct(Punct::Comma),
                Tok::Punct(Punct::OpenBracket),
                Tok::Word("%rd1"),
                Tok::Punct(Punct::Plus),
                Tok::Punct(Punct::Minus),
                Tok::Int { value: 4, unsigned: false },
                Tok::Punct(Punct::CloseBracket),
                Tok::Punct(Punct::Semi),
            ]
        );
        assert_eq!(toks(".reg .b32"), [Tok::Dot("reg"), Tok::Dot("b32")]);
        assert_eq!(toks("$L__BB0_1:"), [Tok::Word("$L__BB0_1"), Tok::Punct(Punct::Colon)]);
    }

    #[test]
    fn numbers() {
        let int = |value, unsigned| Tok::Int { value, unsigned };
        assert_eq!(
            toks("0 7 010 0x1F 0b101 5U 0U"),
            [
                int(0, false),
                int(7, false),
                int(8, false),
                int(31, false),
                int(5, false),
                int(5, true),
                int(0, true)
            ]
        );
        assert_eq!(toks("0xFFFFFFFFFFFFFFFF"), [int(u64::MAX, true)]);
        assert_eq!(
            toks("0f3F800000 0d3FF0000000000000"),
            [Tok::Single(0x3f80_0000), Tok::Double(0x3ff0_0000_0000_0000)]
        );
        let float = |v: f64| Tok::Double(v.to_bits());
        assert_eq!(toks("1.5 2. 1e3 1.5e-3"), [float(1.5), float(2.0), float(1000.0), float(0.0015)]);
        for bad in ["09", "0x", "0f123", "18446744073709551616", "1e"] {
            assert!(matches!(toks(bad)[..], [Tok::Bad(_)]), "{bad}");
        }
    }

    #[test]
    fn blanks_comments_and_positions() {
        let mut lexer = Lexer::new("// one\n/* two\n */ add\n\tsub");
        let (add, sub) = (lexer.next(), lexer.next());
        assert_eq!((add.tok, add.loc.line, add.loc.column), (Tok::Word("add"), 3, 5));
        assert_eq!((sub.tok, sub.loc.line, sub.loc.column), (Tok::Word("sub"), 4, 2));
    }

    #[test]
    fn nul_ends_the_source_and_garbage_is_bad() {
        assert_eq!(toks("add\0garbage"), [Tok::Word("add")]);
        assert!(matches!(toks("\"abc")[..], [Tok::Bad(_)]));
        assert!(matches!(toks("é#")[..], [Tok::Bad(_), Tok::Bad(_)]));
        assert_eq!(toks("/* never closed"), []);
    }
}
