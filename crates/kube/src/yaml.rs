//! YAML as events, one document at a time, so that a broken document costs only itself.

use std::cell::Cell;
use std::io::{BufRead, ErrorKind, Read};

use saphyr_parser::{BufferedInput, Event as Seen, Parser, ScalarStyle};

use crate::events::{Bounds, Event, Events};
use crate::tree::Scalar;

/// Longest piece of a line taken at once.
const PIECE: u64 = 64 << 10;

/// The text of a file, handed out document by document. A line that begins with `---` always begins a document:
/// YAML allows it nowhere else, not even inside a block of text.
pub struct Source<R> {
    reader: R,
    line: String,
    at: usize,
    /// Whether `line` begins where a line begins.
    fresh: bool,
    /// Whether `line` is the first one of the current document, which may be its marker.
    first: bool,
    ended: bool,
    error: Option<String>,
}

impl<R: BufRead> Source<R> {
    pub fn new(reader: R) -> Source<R> {
        let mut source = Source {
            reader,
            line: String::new(),
            at: 0,
            fresh: true,
            first: true,
            ended: false,
            error: None,
        };
        source.refill();
        if source.line.starts_with('\u{feff}') {
            source.at = '\u{feff}'.len_utf8();
        }
        source
    }

    /// Why reading stopped, if not because the file ended.
    pub fn error(&mut self) -> Option<String> {
        self.error.take()
    }

    /// Whether there is nothing left.
    pub fn is_done(&self) -> bool {
        self.ended && self.at >= self.line.len()
    }

    /// Drops the rest of the current document.
    pub fn skip_document(&mut self) {
        while !self.is_done() && (self.first || !self.at_marker()) {
            self.refill();
        }
    }

    fn at_marker(&self) -> bool {
        let rest = self.line.strip_prefix("---").filter(|_| self.fresh && self.at == 0);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
    }

    fn refill(&mut self) {
        self.fresh = self.line.is_empty() || self.line.ends_with('\n');
        self.at = 0;
        self.first = false;
        let mut bytes = std::mem::take(&mut self.line).into_bytes();
        bytes.clear();
        loop {
            match self.reader.by_ref().take(PIECE).read_until(b'\n', &mut bytes) {
                Ok(0) => self.ended = true,
                Ok(_) => self.complete_character(&mut bytes),
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => {
                    self.ended = true;
                    self.error = Some(e.to_string());
                }
            }
            break;
        }
        self.line =
            String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    }

    /// A piece of a long line may end inside a character: up to three bytes more complete it.
    fn complete_character(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..3 {
            let cut = std::str::from_utf8(bytes).is_err_and(|e| e.error_len().is_none());
            if !cut || self.reader.by_ref().take(1).read_to_end(bytes).is_err() {
                return;
            }
        }
    }
}

/// The characters of one document.
pub struct Document<'a, R> {
    source: &'a mut Source<R>,
    /// Bytes handed out since the last object ended.
    used: &'a Cell<usize>,
    limit: usize,
    stopped: bool,
}

impl<R: BufRead> Document<'_, R> {
    /// Goes on to the next line; stops at the next document. Past the limit the text ends for the parser as well; the
    /// caller sees from `used` that it did not.
    fn next_line(&mut self) {
        if self.source.ended {
            self.stopped = true;
            return;
        }
        self.source.refill();
        self.used.set(self.used.get() + self.source.line.len());
        self.stopped = self.source.at_marker() || self.used.get() > self.limit;
    }
}

impl<R: BufRead> Iterator for Document<'_, R> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        while !self.stopped {
            match self.source.line.as_bytes().get(self.source.at) {
                Some(byte) if byte.is_ascii() => {
                    self.source.at += 1;
                    return Some(char::from(*byte));
                }
                Some(_) => {
                    let next = self.source.line.get(self.source.at..)?.chars().next()?;
                    self.source.at += next.len_utf8();
                    return Some(next);
                }
                None => self.next_line(),
            }
        }
        None
    }
}

/// The events of one document.
pub struct Yaml<'a, R: BufRead> {
    parser: Parser<'a, BufferedInput<Document<'a, R>>>,
    used: &'a Cell<usize>,
    limit: usize,
}

impl<'a, R: BufRead> Yaml<'a, R> {
    pub fn new(source: &'a mut Source<R>, used: &'a Cell<usize>, bounds: Bounds) -> Yaml<'a, R> {
        source.first = true;
        used.set(source.line.len());
        let document = Document { source, used, limit: bounds.bytes, stopped: false };
        Yaml { parser: Parser::new_from_iter(document), used, limit: bounds.bytes }
    }
}

impl<R: BufRead> Events for Yaml<'_, R> {
    fn next(&mut self) -> Result<Option<Event>, String> {
        loop {
            let seen = match self.parser.next_event() {
                None => return Ok(None),
                _ if self.used.get() > self.limit => {
                    return Err(format!("an object of more than {} bytes", self.limit));
                }
                Some(Err(e)) => return Err(e.to_string()),
                Some(Ok((seen, _))) => seen,
            };
            return Ok(Some(match seen {
                Seen::MappingStart(anchor, _) => Event::Map { anchor },
                Seen::SequenceStart(anchor, _) => Event::List { anchor },
                Seen::MappingEnd | Seen::SequenceEnd => Event::End,
                Seen::Alias(anchor) => Event::Alias(anchor),
                Seen::Scalar(text, style, anchor, tag) => {
                    let string = tag.is_some_and(|t| t.suffix == "str" || !t.is_yaml_core_schema());
                    let quoted = style != ScalarStyle::Plain || string;
                    Event::Scalar { scalar: Scalar { text: text.into_owned(), quoted }, anchor }
                }
                Seen::StreamEnd => return Ok(None),
                Seen::Nothing | Seen::StreamStart | Seen::DocumentStart(_) | Seen::DocumentEnd => continue,
            }));
        }
    }

    fn object_done(&mut self) {
        self.used.set(0);
    }
}
