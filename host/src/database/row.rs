//! Parameters and rows of the host's own tables, alike for both databases: SQLite has no booleans, uuids or times, so the
//! reader says what it expects.

use uuid::Uuid;

use super::Error;

/// A parameter or a column's value.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Null,
    Id(Uuid),
    Text(String),
    Boolean(bool),
    Integer(i64),
    /// Milliseconds since 1970.
    Instant(i64),
    Bytes(Vec<u8>),
}

/// A row, by position.
#[derive(Debug, Clone, PartialEq)]
pub struct Row(pub Vec<Cell>);

impl Row {
    pub fn is_null(&self, index: usize) -> bool {
        matches!(self.0.get(index), Some(Cell::Null) | None)
    }

    pub fn id(&self, index: usize) -> Result<Uuid, Error> {
        match self.0.get(index) {
            Some(Cell::Id(id)) => Ok(*id),
            Some(Cell::Bytes(bytes)) => Uuid::from_slice(bytes).map_err(|_| mismatch(index, "uuid")),
            _ => Err(mismatch(index, "uuid")),
        }
    }

    pub fn text(&self, index: usize) -> Result<String, Error> {
        match self.0.get(index) {
            Some(Cell::Text(text)) => Ok(text.clone()),
            _ => Err(mismatch(index, "text")),
        }
    }

    pub fn integer(&self, index: usize) -> Result<i64, Error> {
        match self.0.get(index) {
            Some(Cell::Integer(number)) => Ok(*number),
            _ => Err(mismatch(index, "integer")),
        }
    }

    pub fn boolean(&self, index: usize) -> Result<bool, Error> {
        match self.0.get(index) {
            Some(Cell::Boolean(flag)) => Ok(*flag),
            Some(Cell::Integer(number)) => Ok(*number != 0),
            _ => Err(mismatch(index, "boolean")),
        }
    }

    /// Milliseconds since 1970.
    pub fn instant(&self, index: usize) -> Result<i64, Error> {
        match self.0.get(index) {
            Some(Cell::Instant(ms) | Cell::Integer(ms)) => Ok(*ms),
            _ => Err(mismatch(index, "instant")),
        }
    }

    pub fn bytes(&self, index: usize) -> Result<&[u8], Error> {
        match self.0.get(index) {
            Some(Cell::Bytes(bytes)) => Ok(bytes),
            _ => Err(mismatch(index, "bytes")),
        }
    }

    /// `read` of the column, or none where it is null.
    pub fn optional<T>(
        &self,
        index: usize,
        read: impl Fn(&Row, usize) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        if self.is_null(index) { Ok(None) } else { read(self, index).map(Some) }
    }
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    /// A parameter that may be null.
    pub fn optional<T>(value: Option<T>, make: impl Fn(T) -> Cell) -> Cell {
        value.map_or(Cell::Null, make)
    }
}

fn mismatch(index: usize, wanted: &str) -> Error {
    Error::Fault(format!("column {index} is no {wanted}"))
}
