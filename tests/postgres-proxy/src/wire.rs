//! PostgreSQL's messages, as far as the proxy needs them: statements with their values on the way in, and where an answer ends.

use std::collections::{HashMap, VecDeque};

use uuid::Uuid;

use super::{Shape, Statement, Value};

/// One message: its kind and its payload without the length.
pub type Message<'a> = (u8, &'a [u8]);

/// Takes the complete messages off the front of a buffer, and returns how many bytes they had.
pub fn messages(buffer: &[u8]) -> (Vec<Message<'_>>, usize) {
    let mut found = Vec::new();
    let mut offset = 0;
    while let Some(head) = buffer.get(offset..offset + 5) {
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let Some(payload) = buffer.get(offset + 5..offset + 1 + length) else { break };
        found.push((head[0], payload));
        offset += 1 + length;
    }
    (found, offset)
}

/// Reads a payload from its front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    fn text(&mut self) -> Option<&'a str> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let text = std::str::from_utf8(self.take(end)?).ok();
        self.take(1)?;
        text
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn long(&mut self) -> Option<i32> {
        Some(i32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }
}

/// A parameter of a start-up message without its length.
pub fn start_option(payload: &[u8], name: &str) -> Option<String> {
    let mut reader = Reader(payload);
    // 3.0; other numbers ask for encryption, or cancel.
    (reader.long()? == 3 << 16).then_some(())?;
    loop {
        let (found, value) = (reader.text()?, reader.text()?);
        if found == name {
            return Some(value.to_owned());
        }
    }
}

/// Statements that a connection has prepared.
#[derive(Default)]
pub struct Prepared {
    /// By name: text and types of the parameters.
    statements: HashMap<String, (String, Vec<u32>)>,
    /// Names that the server was asked about and has not answered yet.
    described: VecDeque<String>,
}

impl Prepared {
    /// A Parse message: what it prepares.
    pub fn parse(&mut self, payload: &[u8]) -> Option<Shape> {
        let mut reader = Reader(payload);
        let (name, sql) = (reader.text()?.to_owned(), reader.text()?.to_owned());
        let types: Vec<u32> =
            (0..reader.short()?).map(|_| reader.long().map(|oid| oid as u32)).collect::<Option<_>>()?;
        let shape = Shape { sql: sql.clone(), types: types.iter().map(|oid| written_type(*oid)).collect() };
        self.statements.insert(name, (sql, types));
        Some(shape)
    }

    /// A Describe message.
    pub fn describe(&mut self, payload: &[u8]) -> Option<()> {
        let (kind, name) = payload.split_first()?;
        (*kind == b'S').then_some(())?;
        self.described.push_back(Reader(name).text()?.to_owned());
        Some(())
    }

    /// A ParameterDescription message: types that the statement itself may have left to the server.
    pub fn learn_types(&mut self, payload: &[u8]) -> Option<()> {
        let mut reader = Reader(payload);
        let types = (0..reader.short()?).map(|_| reader.long().map(|oid| oid as u32)).collect::<Option<_>>()?;
        self.statements.get_mut(&self.described.pop_front()?)?.1 = types;
        Some(())
    }

    /// A Bind message: the statement with its values. None for values that are not in binary form.
    pub fn bind(&self, payload: &[u8]) -> Option<Statement> {
        let mut reader = Reader(payload);
        let _portal = reader.text()?;
        let (sql, types) = self.statements.get(reader.text()?)?;
        for _ in 0..reader.short()? {
            (reader.short()? == 1).then_some(())?;
        }
        let mut values = Vec::new();
        for nth in 0..usize::from(reader.short()?) {
            let oid = types.get(nth).copied().unwrap_or(0);
            values.push(match reader.long()? {
                -1 => Value::Null(name_of(oid)?.to_owned()),
                length => value(oid, reader.take(usize::try_from(length).ok()?)?)?,
            });
        }
        Some(Statement { sql: sql.clone(), values })
    }
}

/// The types that the host binds.
fn name_of(oid: u32) -> Option<&'static str> {
    Some(match oid {
        16 | 1000 => "boolean",
        17 | 1001 => "bytea",
        20 | 1016 => "bigint",
        23 | 1007 => "integer",
        25 | 1009 => "text",
        1043 | 1015 => "varchar",
        1082 | 1182 => "date",
        1184 | 1185 => "timestamptz",
        2950 | 2951 => "uuid",
        3802 | 3807 => "jsonb",
        _ => return None,
    })
}

/// A type as a PREPARE names it; values left to the server are left to it again.
fn written_type(oid: u32) -> String {
    let is_list = matches!(oid, 1000 | 1001 | 1005..=1016 | 1115 | 1182 | 1185 | 2951 | 3807);
    format!("{}{}", name_of(oid).unwrap_or("unknown"), if is_list { "[]" } else { "" })
}

/// A text without parameters, or the one that it prepares: `prepare name(type, ..) as ..`.
pub fn shape(sql: &str) -> Shape {
    let prepared = sql.strip_prefix("prepare ").and_then(|rest| {
        let (_, rest) = rest.split_once('(')?;
        rest.split_once(") as")
    });
    match prepared {
        Some((types, sql)) => {
            Shape { sql: sql.trim().to_owned(), types: types.split(',').map(|name| name.trim().to_owned()).collect() }
        }
        None => Shape { sql: sql.to_owned(), types: Vec::new() },
    }
}

/// Microseconds between 1970 and 2000, where PostgreSQL begins to count.
const Y2K: i64 = 946_684_800_000_000;

fn value(oid: u32, bytes: &[u8]) -> Option<Value> {
    Some(match oid {
        16 => Value::Boolean(bytes.first()? != &0),
        17 => Value::Bytes(bytes.to_vec()),
        20 => Value::Integer(i64::from_be_bytes(bytes.try_into().ok()?)),
        23 => Value::Written(i32::from_be_bytes(bytes.try_into().ok()?).to_string(), "integer".to_owned()),
        25 | 1043 => Value::Text(std::str::from_utf8(bytes).ok()?.to_owned()),
        1082 => Value::Raw(format!("(date '2000-01-01' + {})", i32::from_be_bytes(bytes.try_into().ok()?))),
        1184 => Value::Instant(i64::from_be_bytes(bytes.try_into().ok()?) + Y2K),
        2950 => Value::Id(Uuid::from_slice(bytes).ok()?),
        // After a byte that states the version of the binary form.
        3802 => Value::Text(std::str::from_utf8(bytes.get(1..)?).ok()?.to_owned()),
        _ => list(oid, bytes)?,
    })
}

fn list(oid: u32, bytes: &[u8]) -> Option<Value> {
    let type_ = name_of(oid)?.to_owned();
    let mut reader = Reader(bytes);
    let dimensions = reader.long()?;
    let _has_nulls = reader.long()?;
    let element = u32::try_from(reader.long()?).ok()?;
    let count = if dimensions == 0 { 0 } else { reader.long()? };
    let _lower_bound = if dimensions == 0 { 0 } else { reader.long()? };
    let mut items = Vec::new();
    for _ in 0..count {
        items.push(match reader.long()? {
            -1 => Value::Null(type_.clone()),
            length => value(element, reader.take(usize::try_from(length).ok()?)?)?,
        });
    }
    Some(Value::List(type_, items))
}

/// A Query message: its statements. Nothing in the host's own texts has a semicolon inside quotes.
pub fn simple(payload: &[u8]) -> Vec<Statement> {
    let text = Reader(payload).text().unwrap_or_default();
    text.split(';').map(str::trim).filter(|sql| !sql.is_empty()).map(written_out).collect()
}

/// A statement without parameters. The arguments of `execute name(arguments)` become values.
fn written_out(sql: &str) -> Statement {
    let call =
        sql.strip_prefix("execute ").and_then(|call| call.strip_suffix(')')).and_then(|call| call.split_once('('));
    let Some((name, arguments)) = call else { return Statement { sql: sql.to_owned(), values: Vec::new() } };
    let argument = |text: &str| match text.trim_matches('\'').parse() {
        Ok(id) => Value::Id(id),
        Err(_) => Value::Raw(text.to_owned()),
    };
    Statement { sql: format!("execute {name}"), values: split(arguments).iter().map(|text| argument(text)).collect() }
}

/// Splits at commas outside quotes and brackets.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut part, mut quoted, mut depth) = (Vec::new(), String::new(), false, 0);
    for character in text.chars() {
        match character {
            '\'' => quoted = !quoted,
            '[' | '(' if !quoted => depth += 1,
            ']' | ')' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(std::mem::take(&mut part).trim().to_owned());
                continue;
            }
            _ => {}
        }
        part.push(character);
    }
    parts.push(part.trim().to_owned());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_executed_statement_is_taken_apart() {
        let text = b"begin; execute open('019abc00-0000-7000-8000-000000000001', array['a, b', 'c']::text[], true)\0";
        let said = simple(text);
        assert_eq!(said[1].sql, "execute open");
        assert_eq!(
            said[1].values,
            [
                Value::Id("019abc00-0000-7000-8000-000000000001".parse().unwrap()),
                Value::Raw("array['a, b', 'c']::text[]".to_owned()),
                Value::Raw("true".to_owned()),
            ]
        );
    }

    #[test]
    fn the_server_tells_the_types_that_were_left_to_it() {
        let mut prepared = Prepared::default();
        prepared.parse(b"s1\0select $1\0\0\0").unwrap();
        let bind = b"\0s1\0\0\x01\0\x01\0\x01\0\0\0\x08\0\0\0\0\0\0\0\x05\0\0";
        assert_eq!(prepared.bind(bind), None, "of no type");
        prepared.describe(b"Ss1\0").unwrap();
        prepared.learn_types(&[0, 1, 0, 0, 0, 20]).unwrap();
        let said = prepared.bind(bind).unwrap();
        assert_eq!((said.sql.as_str(), said.values.as_slice()), ("select $1", [Value::Integer(5)].as_slice()));
    }

    #[test]
    fn a_start_tells_its_options() {
        let start = b"\0\x03\0\0user\0stoa\0options\0-c a=1\0\0";
        assert_eq!(start_option(start, "options").as_deref(), Some("-c a=1"));
        assert_eq!(start_option(start, "nothing"), None);
    }

    #[test]
    fn what_is_prepared_is_known_with_its_types() {
        let expected = |sql: &str, types: &[&str]| Shape {
            sql: sql.to_owned(),
            types: types.iter().map(|name| (*name).to_owned()).collect(),
        };
        let parsed = Prepared::default().parse(b"s1\0select $1, $2\0\0\x02\0\0\x0b\x86\0\0\x0b\x87");
        assert_eq!(parsed, Some(expected("select $1, $2", &["uuid", "uuid[]"])));
        assert_eq!(shape("prepare open(uuid, text[]) as select $1"), expected("select $1", &["uuid", "text[]"]));
        assert_eq!(shape("commit"), expected("commit", &[]));
    }

    #[test]
    fn half_a_message_waits() {
        let whole = [b'Z', 0, 0, 0, 5, b'I', b'C', 0, 0, 0, 8];
        let (found, used) = messages(&whole);
        assert_eq!((found.len(), used), (1, 6));
    }
}
