//! The words, signs and values of a statement.

use memchr::memchr;

/// An integer takes this much at most.
const INTEGER_BYTES: u64 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A word or a name, without the signs around it.
    Word(&'a [u8]),
    Text(&'a [u8]),
    /// Digits of a blob.
    Blob(&'a [u8]),
    Number(&'a [u8]),
    Sign(u8),
    /// A text without an end.
    Open,
}

#[derive(Clone)]
pub(super) struct Tokens<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    /// The text before the sign that ends it. Two signs in it mean one.
    fn quoted(&mut self, sign: u8) -> Option<&'a [u8]> {
        let text = self.rest;
        let mut at = 0;
        loop {
            at += memchr(sign, &text[at..])?;
            if text.get(at + 1) != Some(&sign) {
                self.rest = &text[at + 1..];
                return Some(&text[..at]);
            }
            at += 2;
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.rest = self.rest.trim_ascii_start();
        if self.rest.starts_with(b"--") {
            let end = memchr(b'\n', self.rest)?;
            self.rest = &self.rest[end..];
            return self.next();
        }
        let (first, after) = self.rest.split_first()?;
        let text = self.rest;
        let mut quoted = |skipped: usize, sign: u8, make: fn(&'a [u8]) -> Token<'a>| {
            self.rest = &text[skipped..];
            match self.quoted(sign) {
                Some(inner) => Some(make(inner)),
                None => {
                    self.rest = b"";
                    Some(Token::Open)
                }
            }
        };
        match first {
            b'\'' => return quoted(1, b'\'', Token::Text),
            b'"' => return quoted(1, b'"', Token::Word),
            b'`' => return quoted(1, b'`', Token::Word),
            b'[' => return quoted(1, b']', Token::Word),
            b'x' | b'X' if after.first() == Some(&b'\'') => return quoted(2, b'\'', Token::Blob),
            _ => {}
        }
        let length = |is: fn(&u8) -> bool| text.iter().take_while(|byte| is(byte)).count();
        let is_signed = matches!(first, b'-' | b'+') && after.first().is_some_and(u8::is_ascii_digit);
        if first.is_ascii_digit() || is_signed {
            let digits = 1 + after.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.').count();
            self.rest = &text[digits..];
            return Some(Token::Number(&text[..digits]));
        }
        let letters = length(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 128);
        if letters > 0 {
            self.rest = &text[letters..];
            return Some(Token::Word(&text[..letters]));
        }
        self.rest = after;
        Some(Token::Sign(*first))
    }
}

impl<'a> Tokens<'a> {
    /// Takes a word if it is the next.
    pub(super) fn word(&mut self, word: &str) -> bool {
        let mut ahead = self.clone();
        let is = matches!(ahead.next(), Some(Token::Word(found)) if found.eq_ignore_ascii_case(word.as_bytes()));
        if is {
            *self = ahead;
        }
        is
    }

    /// Takes a sign if it is the next.
    pub(super) fn sign(&mut self, sign: u8) -> bool {
        let mut ahead = self.clone();
        let is = ahead.next() == Some(Token::Sign(sign));
        if is {
            *self = ahead;
        }
        is
    }

    pub(super) fn name(&mut self) -> Option<&'a [u8]> {
        match self.next()? {
            Token::Word(name) => Some(name),
            _ => None,
        }
    }

    /// A table's name, perhaps after the name of its schema.
    pub(super) fn table(&mut self) -> Option<&'a [u8]> {
        let name = self.name()?;
        if self.sign(b'.') { self.name() } else { Some(name) }
    }

    /// The names before the end of a bracket, each the first word of its part, in lower case.
    pub(super) fn names_in_brackets(&mut self) -> Vec<Vec<u8>> {
        let (mut names, mut begins) = (Vec::new(), true);
        for token in self {
            match token {
                Token::Word(name) if std::mem::take(&mut begins) => names.push(name.to_ascii_lowercase()),
                Token::Sign(b',') => begins = true,
                Token::Sign(b')') => break,
                _ => {}
            }
        }
        names
    }

    /// A value that is written out; `None` if it is an expression.
    pub(super) fn value(&mut self) -> Option<Value<'a>> {
        Some(match self.next()? {
            Token::Text(text) => Value::Text(text),
            Token::Blob(digits) => Value::Blob(digits),
            Token::Number(digits) => Value::Number(digits),
            Token::Word(word) if word.eq_ignore_ascii_case(b"null") => Value::Null,
            _ => return None,
        })
    }

    /// The value after a sign of equality.
    pub(super) fn equal_value(&mut self) -> Option<Value<'a>> {
        self.sign(b'=').then_some(())?;
        self.sign(b'=');
        self.value()
    }

    /// A value before a comma, the end of a bracket or `WHERE`. `Some(None)` is an expression.
    pub(super) fn value_or_expression(&mut self) -> Option<Option<Value<'a>>> {
        let mut ahead = self.clone();
        if let Some(value) = ahead.value().filter(|_| ahead.ends_value()) {
            *self = ahead;
            return Some(Some(value));
        }
        let mut depth = 0;
        while depth > 0 || !self.ends_value() {
            match self.next()? {
                Token::Sign(b'(') => depth += 1,
                Token::Sign(b')') => depth -= 1,
                Token::Open => return None,
                _ => {}
            }
        }
        Some(None)
    }

    /// Whether a value cannot go on here.
    fn ends_value(&self) -> bool {
        match self.clone().next() {
            Some(Token::Sign(sign)) => matches!(sign, b',' | b')'),
            Some(Token::Word(word)) => word.eq_ignore_ascii_case(b"where"),
            _ => false,
        }
    }

    /// Whether nothing follows but what the statement returns.
    pub(super) fn is_at_end(&mut self) -> bool {
        if self.word("returning") {
            return true;
        }
        self.sign(b';');
        self.next().is_none()
    }
}

#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    Text(&'a [u8]),
    Blob(&'a [u8]),
    Number(&'a [u8]),
    Null,
}

impl Value<'_> {
    pub(super) fn bytes(self) -> u64 {
        match self {
            // Two signs mean one.
            Self::Text(text) => (text.len() - text.iter().filter(|byte| **byte == b'\'').count() / 2) as u64,
            Self::Blob(digits) => digits.len() as u64 / 2,
            Self::Number(digits) => (digits.len() as u64).min(INTEGER_BYTES),
            Self::Null => 0,
        }
    }

    pub(super) fn push(self, key: &mut Vec<u8>) {
        let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0) as u8;
        match self {
            Self::Text(mut text) => {
                while let Some(sign) = memchr(b'\'', text) {
                    key.extend_from_slice(&text[..=sign]);
                    text = &text[(sign + 2).min(text.len())..];
                }
                key.extend_from_slice(text);
            }
            Self::Blob(digits) => key.extend(digits.chunks_exact(2).map(|pair| value(pair[0]) << 4 | value(pair[1]))),
            Self::Number(digits) => key.extend_from_slice(digits),
            Self::Null => {}
        }
    }
}
