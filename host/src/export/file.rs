//! The lines of a company's file: a manifest, rows, and an end that counts them.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

pub const FORMAT: &str = "stoa-company/1";

/// Bytes of the longest line: more than any row has.
const LONGEST: u64 = 256 << 20;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Line {
    Manifest(CompanyManifest),
    /// The table, and the values by column.
    Row(String, Map<String, Json>),
    /// The last line: every table that has rows.
    End(BTreeMap<String, TableCount>),
}

/// The kind of the file, and the requirements of another deployment for it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompanyManifest {
    pub format: String,
    pub company: Uuid,
    pub name: String,
    /// Version of the host that wrote it.
    pub host_version: String,
    /// Time of the snapshot, RFC 3339.
    pub at: String,
    /// Versions of the active modules by name.
    pub modules: BTreeMap<String, String>,
    /// Columns with their types by table.
    pub tables: BTreeMap<String, String>,
}

/// The rows of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableCount {
    pub rows: u64,
    /// The SHA-256 of each row's line, combined by exclusive or: independent of the order.
    pub sha256: String,
}

/// Counts the rows of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    pub rows: u64,
    combined: [u8; 32],
}

impl Tally {
    pub fn add(&mut self, line: &str) {
        self.rows += 1;
        let digest = Sha256::digest(line.as_bytes());
        self.combined.iter_mut().zip(digest).for_each(|(byte, other)| *byte ^= other);
    }

    pub fn count(&self) -> TableCount {
        TableCount { rows: self.rows, sha256: hex::encode(self.combined) }
    }
}

impl Line {
    /// The line's text, without its end.
    pub fn to_text(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string(self)?)
    }
}

/// Reads lines.
pub struct Lines<'a> {
    input: &'a mut dyn BufRead,
    buffer: Vec<u8>,
    number: u64,
}

impl<'a> Lines<'a> {
    pub fn new(input: &'a mut dyn BufRead) -> Lines<'a> {
        Lines { input, buffer: Vec::new(), number: 0 }
    }

    /// The next line; none at the end of the input.
    pub fn read(&mut self) -> anyhow::Result<Option<Line>> {
        self.buffer.clear();
        self.number += 1;
        let length = Read::take(&mut *self.input, LONGEST).read_until(b'\n', &mut self.buffer)?;
        if length == 0 {
            return Ok(None);
        }
        let line = serde_json::from_slice(&self.buffer).with_context(|| format!("line {}", self.number))?;
        Ok(Some(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_depends_on_rows_and_not_on_their_order() {
        let tally = |lines: &[&str]| {
            let mut tally = Tally::default();
            lines.iter().for_each(|line| tally.add(line));
            tally
        };
        assert_eq!(tally(&["a", "b"]), tally(&["b", "a"]));
        assert_ne!(tally(&["a", "b"]), tally(&["a", "c"]));
        assert_ne!(tally(&["a", "a"]), tally(&[]), "rows are counted");
    }

    #[test]
    fn a_line_that_was_cut_is_rejected() {
        let mut text = r#"{"row":["stoa_role",{"id":null}]}"#.to_owned() + "\n" + r#"{"row":["stoa_ro"#;
        let mut input = text.as_bytes();
        let mut lines = Lines::new(&mut input);
        assert!(
            matches!(lines.read(), Ok(Some(Line::Row(table, members))) if table == "stoa_role" && members.len() == 1)
        );
        assert!(lines.read().unwrap_err().to_string().contains("line 2"));
        text.clear();
        let mut input = text.as_bytes();
        assert!(Lines::new(&mut input).read().unwrap().is_none());
    }
}
