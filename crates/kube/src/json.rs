//! JSON as events: numbers keep their letters, strings are checked, nothing is built in memory but the current scalar.

use std::io::{BufRead, ErrorKind};

use crate::events::{Bounds, Event, Events};
use crate::tree::Scalar;

/// Reads JSON values one after another.
pub struct Json<R> {
    reader: R,
    bounds: Bounds,
    /// Bytes read since the last object ended.
    used: usize,
    /// Open brackets, innermost last, and whether they still wait for their first member.
    open: Vec<(u8, bool)>,
    /// A key was read: a colon and a value follow.
    value_next: bool,
}

impl<R: BufRead> Json<R> {
    pub fn new(reader: R, bounds: Bounds) -> Json<R> {
        Json { reader, bounds, used: 0, open: Vec::new(), value_next: false }
    }

    fn peek(&mut self) -> Result<Option<u8>, String> {
        loop {
            match self.reader.fill_buf() {
                Ok(bytes) => return Ok(bytes.first().copied()),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e.to_string()),
            }
        }
    }

    fn advance(&mut self) -> Result<(), String> {
        self.reader.consume(1);
        self.used += 1;
        if self.used > self.bounds.bytes {
            return Err(format!("an object of more than {} bytes", self.bounds.bytes));
        }
        Ok(())
    }

    fn skip_space(&mut self) -> Result<Option<u8>, String> {
        while let Some(b) = self.peek()? {
            if !matches!(b, b' ' | b'\t' | b'\r' | b'\n') {
                return Ok(Some(b));
            }
            self.advance()?;
        }
        Ok(None)
    }

    /// Steps over a comma where one must be, and says whether the bracket closes instead.
    fn member(&mut self) -> Result<u8, String> {
        let next = self.skip_space()?.ok_or("the text ends inside a value")?;
        if self.value_next {
            return Ok(next);
        }
        let Some((bracket, first)) = self.open.last_mut() else { return Ok(next) };
        if next == *bracket || std::mem::replace(first, false) {
            return Ok(next);
        }
        if next != b',' {
            return Err("a comma is missing".into());
        }
        self.advance()?;
        let after = self.skip_space()?.ok_or("the text ends inside a value")?;
        if matches!(after, b'}' | b']') { Err("a comma before a closing bracket".into()) } else { Ok(after) }
    }

    fn string(&mut self) -> Result<String, String> {
        self.advance()?;
        let mut bytes = Vec::new();
        loop {
            let b = self.peek()?.ok_or("the text ends inside a string")?;
            self.advance()?;
            match b {
                b'"' => return String::from_utf8(bytes).map_err(|_| "a string that is not UTF-8".into()),
                b'\\' => {
                    let mut buffer = [0u8; 4];
                    bytes.extend_from_slice(self.escape()?.encode_utf8(&mut buffer).as_bytes());
                }
                0..=0x1f => return Err("a control character inside a string".into()),
                _ => bytes.push(b),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let b = self.peek()?.ok_or("the text ends inside a string")?;
        self.advance()?;
        Ok(match b {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex()?;
                if !(0xd800..0xdc00).contains(&high) {
                    return Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                for expected in [b'\\', b'u'] {
                    if self.peek()? != Some(expected) {
                        return Err("half of a surrogate pair".into());
                    }
                    self.advance()?;
                }
                let low = self.hex()?;
                if !(0xdc00..0xe000).contains(&low) {
                    return Err("half of a surrogate pair".into());
                }
                char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))
                    .unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err("an escape JSON does not have".into()),
        })
    }

    fn hex(&mut self) -> Result<u32, String> {
        let mut value = 0;
        for _ in 0..4 {
            let digit = self.peek()?.and_then(|b| char::from(b).to_digit(16)).ok_or("a broken \\u escape")?;
            self.advance()?;
            value = value * 16 + digit;
        }
        Ok(value)
    }

    /// A number or a word, as written.
    fn bare(&mut self) -> Result<String, String> {
        let mut text = String::new();
        while let Some(b) = self.peek()? {
            if !(b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.')) {
                break;
            }
            text.push(char::from(b));
            self.advance()?;
        }
        let number = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        if number || matches!(text.as_str(), "true" | "false" | "null") {
            Ok(text)
        } else {
            Err("something that is not JSON".into())
        }
    }
}

impl<R: BufRead> Events for Json<R> {
    fn next(&mut self) -> Result<Option<Event>, String> {
        if self.open.is_empty() && self.skip_space()?.is_none() {
            return Ok(None);
        }
        let b = self.member()?;
        let inside_map = matches!(self.open.last(), Some((b'}', _)));
        let key = inside_map && !self.value_next;
        self.value_next = false;
        match b {
            b'}' | b']' if !key || b == b'}' => {
                if self.open.pop().map(|(bracket, _)| bracket) != Some(b) {
                    return Err("a closing bracket that nothing opened".into());
                }
                self.advance()?;
                Ok(Some(Event::End))
            }
            b'"' => {
                let text = self.string()?;
                if key {
                    if self.skip_space()? != Some(b':') {
                        return Err("a colon is missing".into());
                    }
                    self.advance()?;
                    self.value_next = true;
                }
                Ok(Some(Event::Scalar { scalar: Scalar { text, quoted: true }, anchor: 0 }))
            }
            _ if key => Err("a key that is not a string".into()),
            b'{' | b'[' => {
                if self.open.len() >= 4 * self.bounds.depth {
                    return Err("nested too deeply".into());
                }
                self.advance()?;
                self.open.push((if b == b'{' { b'}' } else { b']' }, true));
                Ok(Some(if b == b'{' { Event::Map { anchor: 0 } } else { Event::List { anchor: 0 } }))
            }
            _ => Ok(Some(Event::Scalar { scalar: Scalar { text: self.bare()?, quoted: false }, anchor: 0 })),
        }
    }

    fn object_done(&mut self) {
        self.used = 0;
    }
}
