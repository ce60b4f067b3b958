//! The token stream as the parser sees it: one token of lookahead and helpers that complain.

use crate::diagnostic::Diagnostic;
use crate::ir::Loc;
use crate::lex::{Lexer, Punct, Tok, Token};

pub(super) type Parsed<T> = Result<T, Diagnostic>;

#[derive(Clone)]
pub(super) struct Cursor<'s> {
    lexer: Lexer<'s>,
    token: Token<'s>,
    /// The token before the one at hand.
    previous: Tok<'s>,
    /// How many tokens are behind.
    pub consumed: usize,
}

impl<'s> Cursor<'s> {
    pub(super) fn new(source: &'s str) -> Cursor<'s> {
        let mut lexer = Lexer::new(source);
        let token = lexer.next();
        Cursor { lexer, token, previous: Tok::End, consumed: 0 }
    }

    /// The token at hand.
    pub(super) fn tok(&self) -> Tok<'s> {
        self.token.tok
    }

    /// Where the token at hand starts.
    pub(super) fn loc(&self) -> Loc {
        self.token.loc
    }

    /// Moves on; gives the token that was at hand.
    pub(super) fn advance(&mut self) -> Token<'s> {
        let next = self.lexer.next();
        let token = std::mem::replace(&mut self.token, next);
        self.previous = token.tok;
        self.consumed += 1;
        token
    }

    pub(super) fn at(&self, punct: Punct) -> bool {
        self.token.tok == Tok::Punct(punct)
    }

    /// Moves past `punct` if it is at hand.
    pub(super) fn eat(&mut self, punct: Punct) -> bool {
        let there = self.at(punct);
        if there {
            self.advance();
        }
        there
    }

    /// Moves past the dotted word `name` if it is at hand.
    pub(super) fn eat_dot(&mut self, name: &str) -> bool {
        let there = self.token.tok == Tok::Dot(name);
        if there {
            self.advance();
        }
        there
    }

    pub(super) fn expect(&mut self, punct: Punct) -> Parsed<()> {
        if self.eat(punct) { Ok(()) } else { Err(self.unexpected(&format!("`{}`", punct.text()))) }
    }

    /// A name. Names never hold a dot.
    pub(super) fn name(&mut self) -> Parsed<&'s str> {
        match self.tok() {
            Tok::Word(name) if !name.contains('.') => {
                self.advance();
                Ok(name)
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    /// A string literal.
    pub(super) fn string(&mut self) -> Parsed<&'s str> {
        match self.tok() {
            Tok::Str(text) => {
                self.advance();
                Ok(text)
            }
            _ => Err(self.unexpected("a string")),
        }
    }

    /// An unsigned number that fits 32 bits.
    pub(super) fn number(&mut self) -> Parsed<u32> {
        match self.tok() {
            Tok::Int { value, .. } => {
                let value = u32::try_from(value).map_err(|_| self.error("the number is too large"))?;
                self.advance();
                Ok(value)
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    /// `first, second, …` up to `close`, which is consumed.
    pub(super) fn list<T>(
        &mut self,
        close: Punct,
        mut item: impl FnMut(&mut Cursor<'s>) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            self.expect(Punct::Comma)?;
        }
    }

    /// Whether the statement that began when `consumed` was `start` has been read up to its semicolon.
    pub(super) fn is_behind_statement(&self, start: usize) -> bool {
        self.consumed > start && self.previous == Tok::Punct(Punct::Semi)
    }

    /// Moves to the first token of another line.
    pub(super) fn skip_line(&mut self) {
        let line = self.loc().line;
        while self.loc().line == line && self.tok() != Tok::End {
            self.advance();
        }
    }

    /// A complaint about the place at hand.
    pub(super) fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.loc(), message)
    }

    /// A complaint that something else was expected here.
    pub(super) fn unexpected(&self, wanted: &str) -> Diagnostic {
        self.error(format!("expected {wanted}, found {}", self.tok()))
    }
}
