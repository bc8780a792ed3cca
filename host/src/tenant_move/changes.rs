//! The changed rows of a company, by key. The old place's log names them, so that no table is read for them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use bytes::Buf;
use futures_util::TryStreamExt as _;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::replication;
use super::server::Server;
use super::tables::MovedTable;

/// Values of the columns of a primary key, as PostgreSQL writes them.
pub type RowKey = Vec<String>;
/// Keys of rows, each table by its position in the list of tables.
pub type Keys = BTreeMap<usize, BTreeSet<RowKey>>;

/// What transactions change that commit after a moment. The slot is temporary: it ends with the command's connection.
pub struct Changes {
    slot: String,
    publication: String,
}

impl Changes {
    /// Changes from now on. Waits for the transactions under way. `number`: differs for two of one connection.
    pub async fn follow(source: &mut Server, company: Uuid, number: u32) -> anyhow::Result<Changes> {
        let publication = replication::name(company);
        let slot = format!("{publication}_{number}");
        source.run(format!("select pg_create_logical_replication_slot('{slot}', 'pgoutput', true)")).await?;
        Ok(Changes { slot, publication })
    }

    /// The rows that have changed until now.
    pub async fn end(self, source: &mut Server, tables: &[MovedTable]) -> anyhow::Result<Keys> {
        let Changes { slot, publication } = self;
        let read = format!(
            "select data from pg_logical_slot_get_binary_changes('{slot}', null, null, 'proto_version', '1',
               'publication_names', '{publication}')"
        );
        let mut messages = Messages { tables, relations: BTreeMap::new(), keys: Keys::new() };
        let mut rows = sqlx::query_scalar::<_, Vec<u8>>(AssertSqlSafe(read)).fetch(&mut source.connection);
        while let Some(message) = rows.try_next().await.context("changed rows of the old place")? {
            messages.read(&message).context("changed rows of the old place")?;
        }
        drop(rows);
        source.run(format!("select pg_drop_replication_slot('{slot}')")).await?;
        Ok(messages.keys)
    }
}

/// A reader of the messages of `pgoutput`, version 1: <https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html>.
struct Messages<'a> {
    tables: &'a [MovedTable],
    /// By PostgreSQL's number: a message about the table comes before its first change.
    relations: BTreeMap<u32, Relation>,
    keys: Keys,
}

/// A table as a message describes it.
struct Relation {
    /// The position in the list of tables, unless it is not compared.
    table: Option<usize>,
    /// Positions of the columns of the primary key.
    key: Vec<usize>,
}

impl Messages<'_> {
    fn read(&mut self, mut message: &[u8]) -> anyhow::Result<()> {
        match message.try_get_u8()? {
            b'R' => {
                let number = message.try_get_u32()?;
                self.relations.insert(number, Relation::read(&mut message, self.tables)?);
            }
            b'I' | b'U' | b'D' => {
                let number = message.try_get_u32()?;
                let relation = self.relations.get(&number).context("a change of an unknown table")?;
                // The old key of a row that has another or is deleted, and the new row.
                while message.has_remaining() {
                    message.try_get_u8()?;
                    let row = read_row(&mut message)?;
                    if let Some(table) = relation.table {
                        self.keys.entry(table).or_default().insert(relation.find_key(&row)?);
                    }
                }
            }
            b'T' => anyhow::bail!("a table of the old place was emptied"),
            // Begins and ends of transactions, and types.
            _ => {}
        }
        Ok(())
    }
}

impl Relation {
    fn read(message: &mut &[u8], tables: &[MovedTable]) -> anyhow::Result<Relation> {
        read_text(message)?;
        let name = read_text(message)?;
        message.try_get_u8()?;
        let mut columns = Vec::new();
        for _ in 0..message.try_get_u16()? {
            message.try_get_u8()?;
            columns.push(read_text(message)?);
            message.try_get_u32()?;
            message.try_get_u32()?;
        }
        let Some(table) = tables.iter().position(|table| is_named(&table.name, name)) else {
            return Ok(Relation { table: None, key: Vec::new() });
        };
        let position = |key: &String| columns.iter().position(|column| is_named(key, column));
        let key: Option<Vec<usize>> = tables.get(table).and_then(|table| table.key.iter().map(position).collect());
        Ok(Relation { table: Some(table), key: key.with_context(|| format!("the primary key of {name}"))? })
    }

    fn find_key(&self, row: &[Option<&[u8]>]) -> anyhow::Result<RowKey> {
        let value = |column: &usize| {
            let value = row.get(*column).copied().flatten().context("a row without its key")?;
            Ok(std::str::from_utf8(value)?.to_owned())
        };
        self.key.iter().map(value).collect()
    }
}

/// The values of a row. `None`: null, or a long value that is not sent because it has not changed.
fn read_row<'a>(message: &mut &'a [u8]) -> anyhow::Result<Vec<Option<&'a [u8]>>> {
    let mut row = Vec::new();
    for _ in 0..message.try_get_u16()? {
        row.push(match message.try_get_u8()? {
            b'n' | b'u' => None,
            _ => {
                let length = usize::try_from(message.try_get_u32()?)?;
                let (value, rest) = message.split_at_checked(length).context("a value that is cut off")?;
                *message = rest;
                Some(value)
            }
        });
    }
    Ok(row)
}

/// A text that ends with a zero.
fn read_text<'a>(message: &mut &'a [u8]) -> anyhow::Result<&'a str> {
    let end = message.iter().position(|byte| *byte == 0).context("a text without its end")?;
    let (text, rest) = message.split_at(end);
    *message = rest.get(1..).unwrap_or_default();
    Ok(std::str::from_utf8(text)?)
}

/// Compares a name that is quoted where SQL needs it with one that is not.
fn is_named(quoted: &str, name: &str) -> bool {
    quoted.trim_matches('"') == name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(number: u32, name: &str, columns: &[&str]) -> Vec<u8> {
        let mut message = [b"R", &number.to_be_bytes()[..], b"public\0", name.as_bytes(), b"\0d"].concat();
        message.extend(u16::try_from(columns.len()).unwrap().to_be_bytes());
        for column in columns {
            message.extend([&[1][..], column.as_bytes(), &[0; 9]].concat());
        }
        message
    }

    /// A change. Each row is its kind and its values.
    fn change(kind: u8, number: u32, rows: &[(u8, &[Option<&str>])]) -> Vec<u8> {
        let mut message = [&[kind][..], &number.to_be_bytes()].concat();
        for (kind, values) in rows {
            message.push(*kind);
            message.extend(u16::try_from(values.len()).unwrap().to_be_bytes());
            for value in *values {
                match value {
                    None => message.push(b'n'),
                    Some(value) => {
                        message.push(b't');
                        message.extend(u32::try_from(value.len()).unwrap().to_be_bytes());
                        message.extend(value.as_bytes());
                    }
                }
            }
        }
        message
    }

    fn tables() -> [MovedTable; 1] {
        let key = ["tenant_id", "\"position\""].map(str::to_owned).to_vec();
        [MovedTable { name: "item".into(), key, columns: BTreeMap::new() }]
    }

    fn read(messages: &[Vec<u8>]) -> anyhow::Result<Keys> {
        let tables = tables();
        let mut read = Messages { tables: &tables, relations: BTreeMap::new(), keys: Keys::new() };
        messages.iter().try_for_each(|message| read.read(message)).map(|()| read.keys)
    }

    #[test]
    fn each_change_names_its_row_before_and_after() {
        let columns = relation(7, "item", &["name", "position", "tenant_id"]);
        let row = |name, position| [Some(name), Some(position), Some("T")];
        let messages = [
            vec![b'B', 1, 2],
            columns,
            change(b'I', 7, &[(b'N', &row("a", "1"))]),
            change(b'U', 7, &[(b'N', &row("b", "2"))]),
            change(b'U', 7, &[(b'K', &[None, Some("3"), Some("T")]), (b'N', &row("c", "4"))]),
            change(b'D', 7, &[(b'K', &[None, Some("5"), Some("T")])]),
            vec![b'C'],
        ];
        let keys = ["1", "2", "3", "4", "5"].map(|position| vec!["T".to_owned(), position.to_owned()]);
        assert_eq!(read(&messages).unwrap(), Keys::from([(0, keys.into())]));
    }

    #[test]
    fn a_table_that_is_not_compared_is_passed_over() {
        let messages = [relation(8, "mark", &["id"]), change(b'I', 8, &[(b'N', &[Some("1")])])];
        assert_eq!(read(&messages).unwrap(), Keys::new());
    }

    #[test]
    fn a_message_that_is_cut_off_or_out_of_turn_is_an_error() {
        let row = [Some("a"), Some("1"), Some("T")];
        let insert = change(b'I', 7, &[(b'N', &row)]);
        assert!(read(std::slice::from_ref(&insert)).is_err(), "no table was described");
        let columns = relation(7, "item", &["name", "position", "tenant_id"]);
        for end in 0..insert.len() {
            let cut = insert[..end].to_vec();
            // A change without a row names no key.
            let is_read = read(&[columns.clone(), cut]).is_ok_and(|keys| keys.is_empty());
            assert_eq!(is_read, end == 5, "cut at {end}");
        }
        assert!(read(&[columns[..columns.len() - 1].to_vec()]).is_err());
        assert!(read(&[relation(7, "item", &["name"])]).is_err(), "the key is not there");
        assert!(read(&[vec![b'T', 0, 0, 0, 1]]).is_err());
    }
}
