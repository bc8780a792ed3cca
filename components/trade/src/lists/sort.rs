//! Lists in an order that their caller chooses: by a required column, then by id, in either direction, where an index begins with
//! that column. The cursor of such a page has the value of its last row: a row that changes meanwhile moves, and no other row is
//! skipped or repeated for it.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use schemars::{JsonSchema, json_schema};
use serde::Serialize;
use stoa_sdk::store::{Rows, Value, run, select};
use stoa_sdk::{Answer, Column, Entity, Field, Filter, Id, Limit, Page, Problem, Reply, fit_page};

use crate::lists;
use crate::refusal::invalid;

/// A column that a list can be sorted by: an instant, a number, or a text of at most 64 characters.
pub struct SortKey<R> {
    /// As callers state it: `updatedAt`.
    pub name: &'static str,
    /// The column.
    pub column: &'static str,
    /// The text of a row's value.
    pub print: fn(&R) -> String,
    /// The value of such a text.
    pub read: fn(&str) -> Option<Value>,
}

/// A list that can be sorted; [`list_query!`](crate::list_query) declares it.
pub trait Sorted: 'static {
    /// What is listed.
    type Row: Entity + 'static;
    /// What it can be sorted by.
    const KEYS: &'static [SortKey<Self::Row>];
}

/// For the macro: the value of a text of the column's type.
pub fn read_value<T: Field + FromStr>(_: Column<T>, text: &str) -> Option<Value> {
    text.parse::<T>().ok().map(|value| value.put())
}

/// The order that a list is asked for: a key, with `-` before it the other way round.
pub struct Sort<L: Sorted> {
    key: &'static SortKey<L::Row>,
    is_descending: bool,
    list: PhantomData<fn() -> L>,
}

impl<L: Sorted> Clone for Sort<L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Sorted> Copy for Sort<L> {}

/// The text is no order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotASort;

impl fmt::Display for NotASort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key of the list is expected, with `-` before it or without")
    }
}

impl<L: Sorted> FromStr for Sort<L> {
    type Err = NotASort;

    fn from_str(text: &str) -> Result<Self, NotASort> {
        let (name, is_descending) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
        let key = L::KEYS.iter().find(|key| key.name == name).ok_or(NotASort)?;
        Ok(Sort { key, is_descending, list: PhantomData })
    }
}

impl<L: Sorted> fmt::Display for Sort<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_descending { "-" } else { "" }, self.key.name)
    }
}

stoa_sdk::json_text!([L: Sorted] Sort<L>);

stoa_sdk::inline_schema!([L: Sorted] Sort<L>, |_| {
    let orders = |key: &SortKey<L::Row>| [key.name.to_owned(), format!("-{}", key.name)];
    let orders: Vec<String> = L::KEYS.iter().flat_map(orders).collect();
    json_schema!({ "type": "string", "enum": orders })
});

/// An id, or an order, a value and an id, with colons between.
const CURSOR: &str = "^(-?[A-Za-z]{1,40}:[A-Za-z0-9._:~-]{0,200}:)?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";
/// Characters of a cursor at most.
const LONGEST_CURSOR: usize = 280;

/// Where the next page begins: after the row with this id, in a sorted list after its value and id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The order, and the value of the row in it as it is escaped.
    place: Option<(String, String)>,
    id: Id,
}

/// The text is no cursor of a list that can be sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotACursor;

impl fmt::Display for NotACursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the `nextCursor` of a page is expected")
    }
}

impl FromStr for Cursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Cursor, NotACursor> {
        let (place, id) = match text.split_once(':') {
            None => (None, text),
            Some((order, rest)) => {
                let (value, id) = rest.rsplit_once(':').ok_or(NotACursor)?;
                (Some((order.to_owned(), value.to_owned())), id)
            }
        };
        Ok(Cursor { place, id: id.parse().map_err(|_| NotACursor)? })
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((order, value)) = &self.place {
            write!(f, "{order}:{value}:")?;
        }
        write!(f, "{}", self.id)
    }
}

stoa_sdk::json_text!([] Cursor);

stoa_sdk::inline_schema!([] Cursor, |_| {
    json_schema!({ "type": "string", "pattern": CURSOR, "maxLength": LONGEST_CURSOR })
});

/// The text in letters, digits and `._:-`, which a URL takes as they are; `~20` is a space.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b':' | b'-' => escaped.push(char::from(byte)),
            _ => escaped.push_str(&format!("~{byte:02x}")),
        }
    }
    escaped
}

fn unescape(text: &str) -> Option<String> {
    let mut parts = text.split('~');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    // The store keeps no text with a null character.
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// A page as it is asked for.
pub struct Asked<'a, L: Sorted> {
    /// None: in the order of the ids.
    pub sort: Option<Sort<L>>,
    /// The row after which it begins.
    pub cursor: Option<&'a Cursor>,
    /// Rows at most.
    pub limit: Limit,
    /// A parameter is stated that only a list in the order of the ids takes.
    pub needs_id_order: bool,
}

/// The rows of a page, and the order that they are in.
pub struct SortedRows<R: 'static> {
    rows: Rows<R>,
    /// The order as callers state it, and its key; none: by id.
    sort: Option<(String, &'static SortKey<R>)>,
}

/// Reads the page of the rows that meet the filter. Only the order of ids ends at the watermark.
///
/// # Errors
/// VALIDATION_FAILED with NOT_ALLOWED at `/query/sort` beside a parameter that it excludes, and at `/query/cursor` where the cursor
/// is of another order.
pub fn read_page<L: Sorted>(filter: &Filter, asked: &Asked<'_, L>) -> Result<SortedRows<L::Row>, Problem> {
    let Some(sort) = asked.sort else {
        let cursor = asked.cursor.map(Cursor::read_id).transpose()?;
        return Ok(SortedRows { rows: lists::read_page(filter, cursor, asked.limit)?, sort: None });
    };
    if asked.needs_id_order {
        return Err(invalid("/query/sort", "NOT_ALLOWED"));
    }
    let after = asked.cursor.map(|cursor| cursor.read_place(sort)).transpose()?;
    let column = Column::<()>::new(sort.key.column);
    let rows = fit_page(asked.limit, |limit| {
        let rows = select::<L::Row>(filter.clone());
        let rows = if sort.is_descending { rows.by_descending(column) } else { rows.by(column) };
        run(rows.after_row(after.clone()).limit(limit))
    })?;
    Ok(SortedRows { rows, sort: Some((sort.to_string(), sort.key)) })
}

fn other_order() -> Problem {
    invalid("/query/cursor", "NOT_ALLOWED")
}

impl Cursor {
    /// The id after which a page in the order of the ids begins.
    fn read_id(&self) -> Result<Id, Problem> {
        if self.place.is_none() { Ok(self.id) } else { Err(other_order()) }
    }

    /// The value and the id after which a page in this order begins.
    fn read_place<L: Sorted>(&self, sort: Sort<L>) -> Result<Vec<Value>, Problem> {
        let value = match &self.place {
            Some((order, value)) if *order == sort.to_string() => {
                unescape(value).and_then(|text| (sort.key.read)(&text))
            }
            _ => return Err(other_order()),
        };
        let value = value.ok_or_else(|| invalid("/query/cursor", "FORMAT"))?;
        Ok(vec![value, self.id.put()])
    }
}

impl<R: Entity + 'static> SortedRows<R> {
    /// The rows of the page.
    pub fn items(&self) -> &[R] {
        &self.rows.items
    }

    /// The cursor of the next page; none where nothing follows.
    fn next(&self) -> Option<Cursor> {
        let Some((order, key)) = &self.sort else {
            return self.rows.next(Entity::id).map(|id| Cursor { place: None, id });
        };
        let last = self.rows.items.last().filter(|_| self.rows.more)?;
        Some(Cursor { place: Some((order.clone(), escape(&(key.print)(last)))), id: last.id() })
    }
}

/// One page of a list that can be sorted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "{T}Page")]
pub struct SortedPage<T> {
    /// Items in the order of the list.
    pub items: Vec<T>,
    /// Cursor of the next page, to be sent with the same `sort`; null on the last page. A page before it may have fewer items
    /// than `limit`, or none: a text search scans at most 10,000 records per request, and the next page continues there.
    pub next_cursor: Option<Cursor>,
}

/// Rows that are answered as a page.
pub trait PageRows {
    /// What is listed.
    type Row;

    /// Answers the page, each row shown by `show`.
    fn answer<T: Serialize>(self, show: impl Fn(&Self::Row) -> T) -> Answer;
}

impl<R: Entity> PageRows for Rows<R> {
    type Row = R;

    fn answer<T: Serialize>(self, show: impl Fn(&R) -> T) -> Answer {
        let next_cursor = self.next(Entity::id);
        Ok(Reply::json(&Page { items: self.items.iter().map(show).collect(), next_cursor }))
    }
}

impl<R: Entity + 'static> PageRows for SortedRows<R> {
    type Row = R;

    fn answer<T: Serialize>(self, show: impl Fn(&R) -> T) -> Answer {
        let next_cursor = self.next();
        Ok(Reply::json(&SortedPage { items: self.rows.items.iter().map(show).collect(), next_cursor }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;
    use stoa_sdk::scripted::{NOW, rows, script, whole};
    use stoa_sdk::store::{Call as StoreCall, Reply as StoreReply};
    use stoa_sdk::{Call, Instant, collection};

    use super::*;
    use crate::list_query;
    use crate::lists::{changed_since, mentions};

    collection! {
        record ShelfRow in "shelf" {
            number: String,
        }
    }

    fn shelf(id: u64, number: &str) -> ShelfRow {
        let now = Instant(NOW);
        ShelfRow { id: Id(0, id), version: 1, created_at: now, updated_at: now, number: number.to_owned() }
    }

    list_query! {
        struct ListShelves of ShelfRow sorted [updated_at: "updatedAt", number: "number"; not with text, updated_since] {
            text: Option<String> = mentions("text", text.as_deref()),
            updated_since: Option<Instant> = changed_since(ShelfRow::updated_at, updated_since),
        }
    }

    fn ask(query: &[(&str, &str)]) -> Result<SortedRows<ShelfRow>, Problem> {
        let call = Call {
            operation: "listShelves".to_owned(),
            path: Vec::new(),
            query: query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            body: None,
            if_match: None,
        };
        call.query::<ListShelves>()?.page([])
    }

    fn two_of_more() -> StoreReply {
        let mut page = rows([whole(&shelf(1, "A"), 1), whole(&shelf(2, "Ä b"), 1)]);
        if let StoreReply::Rows(page) = &mut page {
            page.more = true;
        }
        page
    }

    const SECOND: &str = "00000000-0000-0000-0000-000000000002";

    #[test]
    fn a_cursor_has_the_order_the_value_and_the_id() {
        for (sort, place) in [
            (None, String::new()),
            (Some("number"), "number:~c3~84~20b:".to_owned()),
            (Some("-updatedAt"), format!("-updatedAt:{}:", Instant(NOW))),
        ] {
            let log = script([vec![two_of_more()], vec![two_of_more()]]);
            let sort: Vec<(&str, &str)> = sort.map(|sort| ("sort", sort)).into_iter().collect();
            let answer = ask(&sort).unwrap().answer(|row| row.number.clone()).unwrap();
            let page: Json = serde_json::from_str(&answer.body).unwrap();
            let cursor = format!("{place}{SECOND}");
            assert_eq!(page["nextCursor"].as_str(), Some(cursor.as_str()));
            ask(&[sort, vec![("cursor", cursor.as_str())]].concat()).unwrap();
            match log.borrow().runs[1].as_slice() {
                [StoreCall::Select(call)] => {
                    assert_eq!(call.after.as_ref().map(Vec::len), Some(1 + call.order.len()));
                    assert_eq!(call.order.first().map(|order| order.descending), sort_is_descending(&place));
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn sort_is_descending(place: &str) -> Option<bool> {
        (!place.is_empty()).then(|| place.starts_with('-'))
    }

    #[test]
    fn a_cursor_of_another_order_is_rejected() {
        script([]);
        let refused = |query: &[(&str, &str)]| {
            let problem = ask(query).err().unwrap();
            problem.errors.into_iter().map(|error| format!("{} {}", error.pointer, error.code)).collect::<Vec<_>>()
        };
        let (of_number, of_no_instant) = (format!("number:a:{SECOND}"), format!("updatedAt:a:{SECOND}"));
        let (of_number, of_no_instant) = (of_number.as_str(), of_no_instant.as_str());
        for (query, expected) in [
            (&[("cursor", of_number)][..], "/query/cursor NOT_ALLOWED"),
            (&[("sort", "-number"), ("cursor", of_number)], "/query/cursor NOT_ALLOWED"),
            (&[("sort", "number"), ("cursor", SECOND)], "/query/cursor NOT_ALLOWED"),
            (&[("sort", "updatedAt"), ("cursor", of_no_instant)], "/query/cursor FORMAT"),
            (&[("sort", "number"), ("text", "a")], "/query/sort NOT_ALLOWED"),
            (&[("sort", "number"), ("updatedSince", "2026-01-01T00:00:00.000Z")], "/query/sort NOT_ALLOWED"),
            (&[("sort", "name")], "/query FORMAT"),
        ] {
            assert_eq!(refused(query), [expected], "{query:?}");
        }
    }

    #[test]
    fn cursors_are_read_as_they_are_written() {
        for value in ["", "a", "a~b:c", "日本 語"] {
            let cursor = Cursor { place: Some(("number".to_owned(), escape(value))), id: Id(1, 2) };
            assert_eq!(cursor.to_string().parse::<Cursor>(), Ok(cursor.clone()), "{cursor}");
            assert_eq!(unescape(&escape(value)).as_deref(), Some(value), "{cursor}");
        }
        for wrong in ["", "a:b", "a:b:c"] {
            assert_eq!(wrong.parse::<Cursor>(), Err(NotACursor), "{wrong}");
        }
        for wrong in ["~4", "a~zz", "~ff", "~00"] {
            assert_eq!(unescape(wrong), None, "{wrong}");
        }
    }
}
