//! Statements of SQL, as SQLite's `.trace FILE` and `sqlite3_expanded_sql` write them: with their values, one after the
//! other. Statements about one row by its key are operations.
//!
//! Source: SQLite's documentation of `sqlite3_trace_v2` and of its command line, and what SQLite 3.40 prints.

mod tokens;

use std::collections::HashMap;

use bakeoff_tape::Operation;

use crate::error::Origin;
use crate::logs::spaces::Spaces;
use crate::logs::{Line, Log, Out};
use tokens::{Token, Tokens, Value};

/// A statement that goes over several lines, at most.
const STATEMENT_BYTES_MAX: usize = 1 << 20;

/// The most tables with known facts, and the most nested savepoints.
const TABLES_MAX: usize = 4096;
const SAVEPOINTS_MAX: usize = 1024;

/// A log of statements.
#[derive(Default)]
pub(crate) struct Sql {
    spaces: Spaces,
    tables: Tables,
    /// A statement that is not complete yet.
    begun: Vec<u8>,
    begun_at: Option<Origin>,
    transaction: Transaction,
}

/// The transaction that the log is in, if it is in any.
#[derive(Default)]
struct Transaction {
    /// `BEGIN` opened it; else its first savepoint did.
    is_begun: bool,
    /// Savepoints that are not released.
    savepoints: Vec<Vec<u8>>,
    /// Where it wrote last.
    wrote_at: Option<Origin>,
}

impl Transaction {
    fn is_open(&self) -> bool {
        self.is_begun || !self.savepoints.is_empty()
    }
}

/// Facts about a table.
#[derive(Default)]
struct Table {
    columns: Vec<Vec<u8>>,
    /// The columns of its key; none if it is unknown.
    key: Vec<Vec<u8>>,
    /// How many values its rows have besides the key.
    values: Option<usize>,
}

/// Facts about tables, by their names in any case.
#[derive(Default)]
struct Tables {
    /// By names in lower case, where in `all` a table is.
    places: HashMap<Vec<u8>, usize>,
    all: Vec<(Vec<u8>, Table)>,
    /// The table looked up last, which is often looked up again.
    last: usize,
}

impl Tables {
    fn place(&mut self, name: &[u8]) -> Option<usize> {
        let is_it = |(known, _): &(Vec<u8>, Table)| known.eq_ignore_ascii_case(name);
        if !self.all.get(self.last).is_some_and(is_it) {
            self.last = *self.places.get(&name.to_ascii_lowercase())?;
        }
        Some(self.last)
    }

    fn get(&mut self, name: &[u8]) -> Option<&Table> {
        self.place(name).map(|place| &self.all[place].1)
    }

    /// A table, without known facts if it is new; `None` if there are too many.
    fn entry(&mut self, name: &[u8]) -> Option<&mut Table> {
        if self.place(name).is_none() {
            if self.all.len() >= TABLES_MAX {
                return None;
            }
            self.last = self.all.len();
            self.places.insert(name.to_ascii_lowercase(), self.last);
            self.all.push((name.to_ascii_lowercase(), Table::default()));
        }
        Some(&mut self.all[self.last].1)
    }
}

/// What a statement does.
enum Effect {
    OnRecords,
    Nothing,
    Unlike(&'static [u8]),
    /// It goes on.
    Incomplete,
}

/// The statements that are operations if they are about a row by its key, each by its first word. The name is that of
/// other statements with this word: to ignore them leaves the operations in.
const ON_ROWS: [(&str, &[u8]); 5] = [
    ("select", b"other-select"),
    ("insert", b"other-insert"),
    ("replace", b"other-replace"),
    ("update", b"other-update"),
    ("delete", b"other-delete"),
];

/// The statements that begin or end transactions.
const ON_TRANSACTIONS: [&str; 6] = ["begin", "commit", "end", "rollback", "savepoint", "release"];

/// The statements that touch no row.
const WITHOUT_ROWS: [&str; 10] =
    ["pragma", "create", "drop", "alter", "analyze", "vacuum", "attach", "detach", "reindex", "explain"];

impl Log for Sql {
    fn needs_blanks(&self) -> bool {
        true
    }

    fn line<'a>(&mut self, line: &'a [u8], origin: Origin, out: &mut Out<'_>) -> Line<'a> {
        if self.begun.is_empty() && line.trim_ascii().is_empty() {
            return Line::Read;
        }
        let effect = if self.begun.is_empty() || begins_statement(line) && !is_open(&self.begun) {
            self.abandon(out);
            match self.statement(line, origin, out) {
                Effect::Incomplete => {
                    self.begun_at = Some(origin);
                    self.begun.extend_from_slice(line);
                    Effect::OnRecords
                }
                effect => effect,
            }
        } else {
            self.begun.push(b'\n');
            self.begun.extend_from_slice(line);
            let begun = std::mem::take(&mut self.begun);
            match self.statement(&begun, self.begun_at.unwrap_or(origin), out) {
                Effect::Incomplete if begun.len() < STATEMENT_BYTES_MAX => {
                    self.begun = begun;
                    Effect::OnRecords
                }
                Effect::Incomplete => Effect::Unlike(b""),
                effect => effect,
            }
        };
        match effect {
            Effect::OnRecords | Effect::Incomplete => Line::Read,
            Effect::Nothing => Line::WithoutRecord,
            Effect::Unlike(b"") => Line::Foreign,
            Effect::Unlike(name) => Line::Unlike(name),
        }
    }

    fn end(&mut self, out: &mut Out<'_>) {
        self.abandon(out);
        if let Some(origin) = self.transaction.wrote_at {
            out.commit(origin);
        }
    }
}

/// Whether a line begins a statement.
pub(crate) fn is_statement(line: &[u8]) -> bool {
    let mut tokens = Tokens { rest: line };
    let (Some(Token::Word(first)), second) = (tokens.next(), tokens.next()) else { return false };
    let is = |token: Option<Token<'_>>, words: &[&str]| match token {
        Some(Token::Word(word)) => words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes())),
        _ => false,
    };
    match &*first.to_ascii_lowercase() {
        b"insert" => is(second, &["into", "or"]),
        b"replace" => is(second, &["into"]),
        b"delete" => is(second, &["from"]),
        b"update" => matches!(second, Some(Token::Word(_))) && tokens.any(|token| is(Some(token), &["set"])),
        b"select" => second.is_some() && tokens.any(|token| is(Some(token), &["from"])),
        b"begin" | b"commit" => second.is_none_or(|token| {
            matches!(token, Token::Sign(b';'))
                || is(Some(token), &["transaction", "immediate", "exclusive", "deferred"])
        }),
        b"create" => is(second, &["table", "index", "unique", "view", "trigger", "virtual", "temp", "temporary"]),
        b"pragma" => second.is_some(),
        _ => false,
    }
}

/// Whether a line begins a statement, by its first word.
fn begins_statement(line: &[u8]) -> bool {
    let mut tokens = Tokens { rest: line };
    match tokens.next() {
        Some(Token::Word(word)) => {
            let is = |known: &str| word.eq_ignore_ascii_case(known.as_bytes());
            ON_ROWS.iter().any(|(known, _)| is(known))
                || WITHOUT_ROWS.iter().chain(&ON_TRANSACTIONS).any(|known| is(known))
        }
        _ => line.starts_with(b"--"),
    }
}

/// Whether a text of a statement is not closed.
fn is_open(statement: &[u8]) -> bool {
    Tokens { rest: statement }.any(|token| token == Token::Open)
}

impl Sql {
    /// Counts a statement that never became complete.
    fn abandon(&mut self, out: &mut Out<'_>) {
        if let Some(origin) = self.begun_at.take().filter(|_| !self.begun.is_empty()) {
            out.unread(origin, &self.begun);
        }
        self.begun.clear();
    }

    fn statement(&mut self, statement: &[u8], origin: Origin, out: &mut Out<'_>) -> Effect {
        let mut tokens = Tokens { rest: statement };
        let Some(first) = tokens.name() else {
            return if statement.starts_with(b"--") { Effect::Nothing } else { Effect::Unlike(b"") };
        };
        let is = |known: &str| first.eq_ignore_ascii_case(known.as_bytes());
        let Some((word, name)) = ON_ROWS.iter().find(|(known, _)| is(known)) else {
            if is("create") {
                return self.create(tokens, statement);
            }
            if ON_TRANSACTIONS.iter().any(|known| is(known)) {
                return self.transaction(first, tokens, origin, out);
            }
            return if WITHOUT_ROWS.iter().any(|known| is(known)) { Effect::Nothing } else { Effect::Unlike(b"") };
        };
        if out.ignores(word.as_bytes()) {
            return if is_open(statement) || goes_on(statement) { Effect::Incomplete } else { Effect::Nothing };
        }
        let mut put = Put { sql: self, origin, out };
        let done = match *word {
            "select" => put.select(tokens),
            "insert" | "replace" => put.insert(tokens, is("replace")),
            "update" => put.update(tokens),
            _ => put.delete(tokens),
        };
        match done {
            Some(()) => {
                match self.transaction.is_open() {
                    _ if *word == "select" => {}
                    true => self.transaction.wrote_at = Some(origin),
                    false => {
                        out.commit(origin);
                    }
                }
                Effect::OnRecords
            }
            None if statement.trim_ascii_end().ends_with(b";") && !is_open(statement) => Effect::Unlike(name),
            // A statement may be written over several lines. A statement that a program logs needs no semicolon.
            None if is_open(statement) || goes_on(statement) => Effect::Incomplete,
            None => Effect::Unlike(name),
        }
    }

    /// Follows transactions: writes within one are a batch. bakeoff cannot undo those of a rolled back one.
    fn transaction(&mut self, word: &[u8], mut tokens: Tokens<'_>, origin: Origin, out: &mut Out<'_>) -> Effect {
        let now = &mut self.transaction;
        let has_written = now.wrote_at.is_some();
        match &*word.to_ascii_lowercase() {
            b"begin" => now.is_begun = true,
            b"savepoint" if now.savepoints.len() < SAVEPOINTS_MAX => {
                now.savepoints.extend(tokens.name().map(<[u8]>::to_vec));
            }
            b"savepoint" => {}
            b"release" => {
                let _ = tokens.word("savepoint");
                let name = tokens.name().unwrap_or_default();
                let place = now.savepoints.iter().rposition(|known| known.eq_ignore_ascii_case(name));
                now.savepoints.truncate(place.unwrap_or(now.savepoints.len()));
            }
            b"rollback" if tokens.word("to") || tokens.word("transaction") && tokens.word("to") => {}
            _ => *now = Transaction { wrote_at: now.wrote_at, ..Transaction::default() },
        }
        let is_batch = !now.is_open() && now.wrote_at.take().is_some() && out.commit(origin);
        match word.eq_ignore_ascii_case(b"rollback") {
            true if has_written => Effect::Unlike(b"rollback"),
            _ if is_batch => Effect::OnRecords,
            _ => Effect::Nothing,
        }
    }

    /// Notes what a table's key is.
    fn create(&mut self, mut tokens: Tokens<'_>, statement: &[u8]) -> Effect {
        let is_whole = |statement: &[u8]| statement.trim_ascii_end().ends_with(b";") || !goes_on(statement);
        if !is_whole(statement) {
            return Effect::Incomplete;
        }
        let _ = tokens.word("temp") || tokens.word("temporary");
        if !tokens.word("table") {
            return Effect::Nothing;
        }
        if tokens.word("if") {
            let _ = tokens.word("not") && tokens.word("exists");
        }
        let (Some(name), true) = (tokens.table(), tokens.sign(b'(')) else { return Effect::Nothing };
        let (mut columns, mut key, mut depth) = (Vec::new(), Vec::new(), 1);
        let (mut begins, mut last_word) = (true, Vec::new());
        while let Some(token) = tokens.next() {
            match token {
                Token::Sign(b'(') => depth += 1,
                Token::Sign(b')') => depth -= 1,
                Token::Sign(b',') if depth == 1 => begins = true,
                Token::Word(word) => {
                    let lower = word.to_ascii_lowercase();
                    let constrains =
                        [&b"primary"[..], b"unique", b"check", b"foreign", b"constraint"].contains(&&*lower);
                    if begins && !constrains {
                        columns.push(lower.clone());
                    }
                    if lower == b"key" && last_word == b"primary" {
                        // A key of the column, or of the columns in brackets.
                        let mut ahead = tokens.clone();
                        key = match ahead.sign(b'(') {
                            true => ahead.names_in_brackets(),
                            false => columns.last().cloned().into_iter().collect(),
                        };
                    }
                    (begins, last_word) = (false, lower);
                }
                _ => begins = false,
            }
            if depth == 0 {
                break;
            }
        }
        let values = Some(columns.len().saturating_sub(key.len().max(1)));
        if let Some(known) = self.tables.entry(name) {
            *known = Table { columns, key, values };
        }
        Effect::Nothing
    }
}

/// Whether a statement ends where another line must follow: in brackets, or after a sign.
fn goes_on(statement: &[u8]) -> bool {
    let (mut depth, mut last) = (0_i32, None);
    for token in (Tokens { rest: statement }) {
        match token {
            Token::Sign(b'(') => depth += 1,
            Token::Sign(b')') => depth -= 1,
            Token::Open => return true,
            _ => {}
        }
        last = Some(token);
    }
    let words: [&[u8]; 7] = [b"from", b"where", b"set", b"into", b"values", b"and", b"select"];
    let ends_in = |word: &[u8]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    depth > 0
        || match last {
            Some(Token::Sign(sign)) => matches!(sign, b'=' | b',' | b'('),
            Some(Token::Word(word)) => ends_in(word),
            _ => false,
        }
}

/// Puts the operations of a statement.
struct Put<'a, 'b> {
    sql: &'a mut Sql,
    origin: Origin,
    out: &'a mut Out<'b>,
}

impl Put<'_, '_> {
    fn select(&mut self, mut tokens: Tokens<'_>) -> Option<()> {
        let mut depth = 0;
        loop {
            match tokens.next()? {
                Token::Sign(b'(') => depth += 1,
                Token::Sign(b')') => depth -= 1,
                Token::Word(word) if depth == 0 && word.eq_ignore_ascii_case(b"from") => break,
                _ => {}
            }
        }
        let table = tokens.table()?;
        let mut ahead = tokens.clone();
        if let Some(Token::Word(word)) = ahead.next()
            && !word.eq_ignore_ascii_case(b"where")
        {
            // Another name for the table.
            tokens = ahead;
            if word.eq_ignore_ascii_case(b"as") {
                tokens.name()?;
            }
        }
        let keys = self.keys(table, &mut tokens)?;
        if tokens.word("limit") {
            tokens.value()?;
        }
        tokens.is_at_end().then(|| keys.each().for_each(|key| self.put(Operation::Get, table, key, None)))
    }

    fn delete(&mut self, mut tokens: Tokens<'_>) -> Option<()> {
        tokens.word("from").then_some(())?;
        let table = tokens.table()?;
        let keys = self.keys(table, &mut tokens)?;
        tokens.is_at_end().then(|| keys.each().for_each(|key| self.put(Operation::Delete, table, key, None)))
    }

    fn update(&mut self, mut tokens: Tokens<'_>) -> Option<()> {
        if tokens.word("or") {
            tokens.name()?;
        }
        let table = tokens.table()?;
        tokens.word("set").then_some(())?;
        let (mut bytes, mut columns) = (Some(0_u64), 0);
        loop {
            tokens.name()?;
            tokens.sign(b'=').then_some(())?;
            columns += 1;
            // An expression is of unknown length.
            let value = tokens.value_or_expression()?;
            bytes = bytes.zip(value).map(|(bytes, value)| bytes + value.bytes());
            if !tokens.sign(b',') {
                break;
            }
        }
        let keys = self.keys(table, &mut tokens)?;
        // Of a row with more values than these the length is unknown.
        let values = self.sql.tables.get(table).and_then(|table| table.values);
        let bytes = bytes.filter(|_| values.unwrap_or(1) == columns);
        tokens.is_at_end().then(|| keys.each().for_each(|key| self.put(Operation::Update, table, key, bytes)))
    }

    fn insert(&mut self, mut tokens: Tokens<'_>, replaces: bool) -> Option<()> {
        let mut operation = if replaces { Operation::Upsert } else { Operation::Insert };
        if tokens.word("or") {
            let word = tokens.name()?;
            if word.eq_ignore_ascii_case(b"replace") {
                operation = Operation::Upsert;
            }
        }
        tokens.word("into").then_some(())?;
        let table = tokens.table()?;
        let mut names = Vec::new();
        if tokens.sign(b'(') {
            loop {
                names.push(tokens.name()?.to_ascii_lowercase());
                if !tokens.sign(b',') {
                    break;
                }
            }
            tokens.sign(b')').then_some(())?;
        }
        tokens.word("values").then_some(())?;
        let known = self.sql.tables.entry(table)?;
        if known.key.is_empty() {
            known.key.extend(names.first().cloned());
        }
        let columns = if names.is_empty() { &known.columns } else { &names };
        let is_known = !columns.is_empty() && !known.key.is_empty();
        let mut keys = Keys { values: Vec::new(), columns: if is_known { known.key.len() } else { 1 } };
        let mut rows = Vec::new();
        loop {
            tokens.sign(b'(').then_some(())?;
            let mut values = Vec::new();
            loop {
                values.push(tokens.value_or_expression()?);
                if !tokens.sign(b',') {
                    break;
                }
            }
            tokens.sign(b')').then_some(())?;
            let mut bytes: Option<u64> = values.iter().map(|value| value.map(Value::bytes)).sum();
            for number in 0..keys.columns {
                // If the row lacks the key, SQLite numbers it. If the key is unknown, it is the first column.
                let place = if is_known { columns.iter().position(|name| *name == known.key[number])? } else { 0 };
                let key = (*values.get(place)?)?;
                bytes = bytes.map(|bytes| bytes - key.bytes());
                keys.values.push(key);
            }
            rows.push((bytes, values.len() - keys.columns));
            if !tokens.sign(b',') {
                break;
            }
        }
        if tokens.word("on") {
            let is_conflict = tokens.word("conflict");
            is_conflict.then_some(())?;
            if tokens.any(|token| matches!(token, Token::Word(word) if word.eq_ignore_ascii_case(b"update"))) {
                operation = Operation::Upsert;
            }
        } else {
            tokens.is_at_end().then_some(())?;
        }
        if let (Some((_, count)), Some(known)) = (rows.first(), self.sql.tables.entry(table)) {
            known.values = known.values.or(Some(*count));
        }
        keys.each().zip(rows).for_each(|(key, (bytes, _))| self.put(operation, table, key, bytes));
        Some(())
    }

    /// The keys of `WHERE key = value`, `WHERE key IN (value, …)`, or `WHERE a = value AND b = value` where the key has
    /// several columns.
    fn keys<'a>(&mut self, table: &[u8], tokens: &mut Tokens<'a>) -> Option<Keys<'a>> {
        tokens.word("where").then_some(())?;
        let is_bracketed = tokens.sign(b'(');
        let first = tokens.table()?;
        let (mut values, mut others) = (Vec::new(), Vec::new());
        if tokens.word("in") {
            tokens.sign(b'(').then_some(())?;
            loop {
                values.push(tokens.value()?);
                if !tokens.sign(b',') {
                    break;
                }
            }
            tokens.sign(b')').then_some(())?;
        } else {
            values.push(tokens.equal_value()?);
            while tokens.word("and") {
                others.push((tokens.table()?, tokens.equal_value()?));
            }
        }
        (!is_bracketed || tokens.sign(b')')).then_some(())?;
        // The first column that a row is asked for by is the key, unless an earlier statement shows it.
        let key = &mut self.sql.tables.entry(table)?.key;
        match key.len() {
            0 if others.is_empty() => key.push(first.to_ascii_lowercase()),
            1 if others.is_empty() => key[0].eq_ignore_ascii_case(first).then_some(())?,
            columns if columns != others.len() + 1 || values.len() != 1 => return None,
            _ => {
                others.push((first, values[0]));
                let value = |column: &Vec<u8>| others.iter().find(|(name, _)| name.eq_ignore_ascii_case(column));
                values = key.iter().map(|column| value(column).map(|(_, value)| *value)).collect::<Option<_>>()?;
            }
        }
        Some(Keys { values, columns: key.len() })
    }

    /// Puts an operation on a row. Values of a key of several columns have a zero byte between them.
    fn put(&mut self, operation: Operation, table: &[u8], key: &[Value<'_>], value_bytes: Option<u64>) {
        let name = self.sql.spaces.begin(table);
        for (number, value) in key.iter().enumerate() {
            if number > 0 {
                name.push(0);
            }
            value.push(name);
        }
        self.out.push(self.origin, (operation, name), value_bytes, None);
    }
}

/// The keys of rows, each as many values as the key has columns.
struct Keys<'a> {
    values: Vec<Value<'a>>,
    columns: usize,
}

impl<'a> Keys<'a> {
    fn each(&self) -> impl Iterator<Item = &[Value<'a>]> {
        self.values.chunks_exact(self.columns)
    }
}
