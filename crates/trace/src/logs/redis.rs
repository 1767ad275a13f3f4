//! The output of Redis's `MONITOR`: `1339518083.107412 [0 127.0.0.1:60866] "set" "x" "6"`, time in seconds, database,
//! client, and the command with its arguments, escaped. Redis 2.4 prints `(db 0)` for database and client if the
//! database is another than 0, and nothing else. There are no answers, so neither lengths of values read nor misses.
//!
//! A field of a hash is a record. Its key is the key of the hash, a zero byte and the field.

use bakeoff_tape::Operation;
use memchr::memmem;

use crate::error::Origin;
use crate::logs::escapes::{quoted_bytes, unescape, unescaped_bytes};
use crate::logs::spaces::Spaces;
use crate::logs::{Line, Log, Out, number};

/// What a command does with its arguments, which are counted from 0 after the command.
#[derive(Clone, Copy)]
enum Command {
    /// Reads the key.
    Read,
    /// Reads each argument's key.
    ReadEach,
    /// `SET key value [NX | XX] [GET] …`.
    Set,
    /// Writes the key with the value that is this argument.
    Write(Operation, usize),
    /// Writes keys and values by turns.
    WriteEach(Operation),
    /// Changes a value, which is as long as before or of unknown length.
    Change,
    /// Reads the key, then writes it.
    ReadAndWrite,
    /// Reads the key, then removes it.
    ReadAndRemove,
    /// Removes each argument's key.
    RemoveEach,
    /// Reads each field.
    ReadFields,
    /// Writes fields and values by turns.
    WriteFields(Operation),
    /// Changes a field.
    ChangeField,
    /// Removes each field.
    RemoveFields,
    /// Touches no record, or has a line for each command that it runs.
    Nothing,
}

/// What the commands do. Others touch records otherwise than an operation on one does.
const COMMANDS: &[(&str, Command)] = &[
    ("get", Command::Read),
    ("set", Command::Set),
    ("del", Command::RemoveEach),
    ("hget", Command::ReadFields),
    ("hset", Command::WriteFields(Operation::Upsert)),
    ("mget", Command::ReadEach),
    ("setex", Command::Write(Operation::Upsert, 2)),
    ("incr", Command::Change),
    ("exists", Command::ReadEach),
    ("unlink", Command::RemoveEach),
    ("hmget", Command::ReadFields),
    ("hdel", Command::RemoveFields),
    ("setnx", Command::Write(Operation::Insert, 1)),
    ("psetex", Command::Write(Operation::Upsert, 2)),
    ("mset", Command::WriteEach(Operation::Upsert)),
    ("msetnx", Command::WriteEach(Operation::Insert)),
    ("getex", Command::Read),
    ("getset", Command::ReadAndWrite),
    ("getdel", Command::ReadAndRemove),
    ("strlen", Command::Read),
    ("getrange", Command::Read),
    ("substr", Command::Read),
    ("getbit", Command::Read),
    ("bitcount", Command::Read),
    ("incrby", Command::Change),
    ("incrbyfloat", Command::Change),
    ("decr", Command::Change),
    ("decrby", Command::Change),
    ("append", Command::Change),
    ("setrange", Command::Change),
    ("setbit", Command::Change),
    ("hmset", Command::WriteFields(Operation::Upsert)),
    ("hsetnx", Command::WriteFields(Operation::Insert)),
    ("hexists", Command::ReadFields),
    ("hstrlen", Command::ReadFields),
    ("hincrby", Command::ChangeField),
    ("hincrbyfloat", Command::ChangeField),
    ("ping", Command::Nothing),
    ("select", Command::Nothing),
    ("multi", Command::Nothing),
    ("exec", Command::Nothing),
    ("discard", Command::Nothing),
    ("watch", Command::Nothing),
    ("unwatch", Command::Nothing),
    ("eval", Command::Nothing),
    ("evalsha", Command::Nothing),
    ("eval_ro", Command::Nothing),
    ("evalsha_ro", Command::Nothing),
    ("fcall", Command::Nothing),
    ("fcall_ro", Command::Nothing),
    ("script", Command::Nothing),
    ("function", Command::Nothing),
    ("info", Command::Nothing),
    ("client", Command::Nothing),
    ("config", Command::Nothing),
    ("command", Command::Nothing),
    ("auth", Command::Nothing),
    ("hello", Command::Nothing),
    ("quit", Command::Nothing),
    ("reset", Command::Nothing),
    ("echo", Command::Nothing),
    ("time", Command::Nothing),
    ("dbsize", Command::Nothing),
    ("publish", Command::Nothing),
    ("spublish", Command::Nothing),
    ("subscribe", Command::Nothing),
    ("unsubscribe", Command::Nothing),
    ("psubscribe", Command::Nothing),
    ("punsubscribe", Command::Nothing),
    ("ssubscribe", Command::Nothing),
    ("sunsubscribe", Command::Nothing),
    ("pubsub", Command::Nothing),
    ("role", Command::Nothing),
    ("replconf", Command::Nothing),
    ("psync", Command::Nothing),
    ("sync", Command::Nothing),
    ("cluster", Command::Nothing),
    ("asking", Command::Nothing),
    ("readonly", Command::Nothing),
    ("readwrite", Command::Nothing),
    ("wait", Command::Nothing),
    ("waitaof", Command::Nothing),
    ("acl", Command::Nothing),
    ("memory", Command::Nothing),
    ("latency", Command::Nothing),
    ("slowlog", Command::Nothing),
    ("module", Command::Nothing),
    ("debug", Command::Nothing),
    ("save", Command::Nothing),
    ("bgsave", Command::Nothing),
    ("bgrewriteaof", Command::Nothing),
    ("lastsave", Command::Nothing),
    ("monitor", Command::Nothing),
    ("shutdown", Command::Nothing),
];

/// A log of `MONITOR`.
#[derive(Default)]
pub(crate) struct Redis {
    spaces: Spaces,
}

impl Log for Redis {
    fn line<'a>(&mut self, line: &'a [u8], origin: Origin, out: &mut Out<'_>) -> Line<'a> {
        if matches!(line, b"OK" | b"+OK") {
            return Line::WithoutRecord;
        }
        let Some(Head { time_s, database, rest }) = head(line) else { return Line::Foreign };
        let mut arguments = Arguments { rest };
        let Some(Some(word)) = arguments.next() else { return Line::Foreign };
        let Some((_, command)) = COMMANDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes())) else {
            return Line::Unlike(word);
        };
        if let Command::Nothing = command {
            return Line::WithoutRecord;
        }
        if out.ignores(word) {
            return Line::WithoutRecord;
        }
        let mut put = Put { spaces: &mut self.spaces, database, origin, time_s, out };
        match put.all(*command, &mut arguments) {
            // A line that was cut off, or a command that the server refused.
            None => Line::Foreign,
            Some(()) => Line::Read,
        }
    }
}

/// Whether a line is one of `MONITOR`.
pub(crate) fn is_redis_line(line: &[u8]) -> bool {
    head(line).is_some_and(|head| Arguments { rest: head.rest }.all(|argument| argument.is_some()))
}

/// The part of a line before its command.
struct Head<'a> {
    time_s: f64,
    database: &'a [u8],
    rest: &'a [u8],
}

fn head(line: &[u8]) -> Option<Head<'_>> {
    // As telnet shows it, a line begins with a plus sign.
    let line = line.strip_prefix(b"+").unwrap_or(line);
    let (time, rest) = line.split_at_checked(memchr::memchr(b' ', line)?)?;
    let point = time.len().checked_sub(7)?;
    let (seconds, fraction) = (number(&time[..point])?, time[point..].strip_prefix(b".")?);
    let time_s = seconds as f64 + number(fraction)? as f64 / 1e6;
    let rest = &rest[1..];
    if rest.starts_with(b"\"") {
        return Some(Head { time_s, database: b"0", rest });
    }
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if let Some(rest) = rest.strip_prefix(b"(db ") {
        let (database, rest) = rest.split_at(digits(rest));
        let rest = rest.strip_prefix(b") ").filter(|_| !database.is_empty());
        return rest.map(|rest| Head { time_s, database, rest });
    }
    let rest = rest.strip_prefix(b"[")?;
    let database = &rest[..digits(rest)];
    let client = rest[database.len()..].strip_prefix(b" ")?;
    let end = memmem::find(client, b"] \"")?;
    (!database.is_empty()).then_some(Head { time_s, database, rest: &client[end + 2..] })
}

/// The arguments of a command, as they are written between quotation marks; `None` where the mark at the end lacks.
struct Arguments<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Arguments<'a> {
    type Item = Option<&'a [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let text = std::mem::take(&mut self.rest).strip_prefix(b"\"");
        Some(text.and_then(|text| {
            let end = quoted_bytes(text)?;
            let rest = &text[end + 1..];
            self.rest = rest.strip_prefix(b" ").unwrap_or(rest);
            Some(&text[..end])
        }))
    }
}

/// Puts the operations of a command.
struct Put<'a, 'b> {
    spaces: &'a mut Spaces,
    database: &'a [u8],
    origin: Origin,
    time_s: f64,
    out: &'a mut Out<'b>,
}

impl Put<'_, '_> {
    /// `None` if arguments lack.
    fn all(&mut self, command: Command, arguments: &mut Arguments<'_>) -> Option<()> {
        let key = arguments.next()??;
        match command {
            Command::Read => self.one(Operation::Get, key, None),
            Command::ReadEach => self.each(Operation::Get, key, arguments)?,
            Command::RemoveEach => self.each(Operation::Delete, key, arguments)?,
            Command::Set => self.set(key, arguments)?,
            Command::Write(operation, place) => {
                let value = arguments.nth(place - 1)??;
                self.one(operation, key, Some(value));
            }
            Command::WriteEach(operation) => {
                let mut key = key;
                loop {
                    self.one(operation, key, Some(arguments.next()??));
                    match arguments.next() {
                        None => break,
                        Some(next) => key = next?,
                    }
                }
            }
            Command::Change => self.one(Operation::Update, key, None),
            Command::ReadAndWrite => {
                let value = arguments.next()??;
                self.one(Operation::Get, key, None);
                self.one(Operation::Upsert, key, Some(value));
            }
            Command::ReadAndRemove => {
                self.one(Operation::Get, key, None);
                self.one(Operation::Delete, key, None);
            }
            Command::ReadFields => self.fields(Operation::Get, key, arguments)?,
            Command::RemoveFields => self.fields(Operation::Delete, key, arguments)?,
            Command::ChangeField => self.field(Operation::Update, (key, arguments.next()??), None),
            Command::WriteFields(operation) => {
                let mut field = arguments.next()??;
                loop {
                    self.field(operation, (key, field), Some(arguments.next()??));
                    match arguments.next() {
                        None => break,
                        Some(next) => field = next?,
                    }
                }
            }
            Command::Nothing => {}
        }
        Some(())
    }

    fn set(&mut self, key: &[u8], arguments: &mut Arguments<'_>) -> Option<()> {
        let value = arguments.next()??;
        let mut operation = Operation::Upsert;
        for option in arguments {
            match &*option?.to_ascii_lowercase() {
                b"nx" => operation = Operation::Insert,
                b"xx" => operation = Operation::Update,
                b"get" => self.one(Operation::Get, key, None),
                _ => {}
            }
        }
        self.one(operation, key, Some(value));
        Some(())
    }

    fn each(&mut self, operation: Operation, first: &[u8], others: &mut Arguments<'_>) -> Option<()> {
        self.one(operation, first, None);
        others.try_for_each(|key| key.map(|key| self.one(operation, key, None)))
    }

    fn fields(&mut self, operation: Operation, key: &[u8], fields: &mut Arguments<'_>) -> Option<()> {
        self.field(operation, (key, fields.next()??), None);
        fields.try_for_each(|field| field.map(|field| self.field(operation, (key, field), None)))
    }

    fn one(&mut self, operation: Operation, key: &[u8], value: Option<&[u8]>) {
        let name = self.spaces.begin(self.database);
        unescape(key, name);
        self.out.push(self.origin, (operation, name), value.map(unescaped_bytes), Some(self.time_s));
    }

    fn field(&mut self, operation: Operation, (key, field): (&[u8], &[u8]), value: Option<&[u8]>) {
        let name = self.spaces.begin(self.database);
        unescape(key, name);
        name.push(0);
        unescape(field, name);
        self.out.push(self.origin, (operation, name), value.map(unescaped_bytes), Some(self.time_s));
    }
}
