//! Lists in an order that their caller chooses: by a required column, then by id, in either direction, where an index begins with
//! that column. The cursor of a page is the id of its last row. The next page begins after the value that this row has then.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use schemars::json_schema;
use stoa_sdk::store::{Row, Rows, Value, get, run, select};
use stoa_sdk::{Column, Entity, Field, Filter, Id, Limit, Problem, fit_page};

use crate::lists;
use crate::refusal::invalid;

/// A column that a list can be sorted by: an instant, a number, or a text of at most 64 characters.
pub struct SortKey<R> {
    /// As callers state it: `updatedAt`.
    pub name: &'static str,
    /// The column.
    pub column: &'static str,
    /// A row's value.
    pub value: fn(&R) -> Value,
}

/// A list that can be sorted; [`list_query!`](crate::list_query) declares it.
pub trait Sorted: 'static {
    /// The rows that are listed.
    type Row: Entity + 'static;
    /// The keys that the list can be sorted by.
    const KEYS: &'static [SortKey<Self::Row>];
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

impl<L: Sorted> Sort<L> {
    /// The value and the id after which the page after this cursor begins.
    fn read_place(self, cursor: Id) -> Result<Row, Problem> {
        let row = run(get::<L::Row>(cursor))?.ok_or_else(|| invalid("/query/cursor", "FORMAT"))?;
        Ok(vec![(self.key.value)(&row), cursor.put()])
    }
}

/// The text is not an order of the list.
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
    // The contract names the values once: lists of users and of API clients have them.
    let words = L::Row::NAME.split('_').filter_map(|word| word.split_at_checked(1));
    let title: String = words.map(|(first, rest)| first.to_uppercase() + rest).chain(["Sort".to_owned()]).collect();
    json_schema!({ "type": "string", "enum": orders, "title": title })
});

/// A page as it is asked for.
pub struct Asked<L: Sorted> {
    /// None: in the order of the ids.
    pub sort: Option<Sort<L>>,
    /// The row after which it begins.
    pub cursor: Option<Id>,
    /// Rows at most.
    pub limit: Limit,
    /// A parameter is stated that only a list in the order of the ids takes.
    pub needs_id_order: bool,
}

/// Reads the page of the rows that meet the filter. Only the order of ids ends at the watermark.
///
/// # Errors
/// VALIDATION_FAILED with NOT_ALLOWED at `/query/sort` next to a parameter that it excludes, and with FORMAT at `/query/cursor`
/// where no row has the id of the cursor: it has no place in the order.
pub fn read_page<L: Sorted>(filter: &Filter, asked: &Asked<L>) -> Result<Rows<L::Row>, Problem> {
    let Some(sort) = asked.sort else {
        return lists::read_page(filter, asked.cursor, asked.limit);
    };
    if asked.needs_id_order {
        return Err(invalid("/query/sort", "NOT_ALLOWED"));
    }
    let after = asked.cursor.map(|cursor| sort.read_place(cursor)).transpose()?;
    let column = Column::<()>::new(sort.key.column);
    fit_page(asked.limit, |limit| {
        let rows = select::<L::Row>(filter.clone());
        let rows = if sort.is_descending { rows.by_descending(column) } else { rows.by(column) };
        run(rows.after_row(after.clone()).limit(limit))
    })
}

#[cfg(test)]
mod tests {
    use stoa_sdk::scripted::{NOW, rows, script, whole};
    use stoa_sdk::store::Call as StoreCall;
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

    fn ask(query: &[(&str, &str)]) -> Result<Rows<ShelfRow>, Problem> {
        let call = Call {
            operation: "listShelves".to_owned(),
            path: Vec::new(),
            query: query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            body: None,
            if_match: None,
        };
        call.query::<ListShelves>()?.page([])
    }

    const SECOND: &str = "00000000-0000-0000-0000-000000000002";

    #[test]
    fn a_sorted_page_begins_after_the_row_of_its_cursor() {
        let second = Id(0, 2);
        for (sort, value, is_descending) in
            [("number", "B".to_owned().put(), false), ("-updatedAt", Instant(NOW).put(), true)]
        {
            let log = script([vec![rows([whole(&shelf(2, "B"), 1)])], vec![rows([])]]);
            ask(&[("sort", sort), ("cursor", SECOND)]).unwrap();
            match log.borrow().runs.iter().flatten().collect::<Vec<_>>().as_slice() {
                [StoreCall::Get(row), StoreCall::Select(page)] => {
                    assert_eq!(row.ids, [second.put()], "{sort}");
                    assert_eq!(page.after, Some(vec![value, second.put()]), "{sort}");
                    let orders: Vec<bool> = page.order.iter().map(|order| order.descending).collect();
                    assert_eq!(orders, [is_descending], "{sort}");
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn an_order_has_conditions() {
        for (query, expected) in [
            (&[("sort", "number"), ("cursor", SECOND)][..], "/query/cursor FORMAT"),
            (&[("sort", "number"), ("text", "a")], "/query/sort NOT_ALLOWED"),
            (&[("sort", "number"), ("updatedSince", "2026-01-01T00:00:00.000Z")], "/query/sort NOT_ALLOWED"),
            (&[("sort", "name")], "/query FORMAT"),
        ] {
            // No row has the cursor's id.
            script([vec![rows([])]]);
            let problem = ask(query).err().unwrap();
            let faults: Vec<String> =
                problem.errors.into_iter().map(|error| format!("{} {}", error.pointer, error.code)).collect();
            assert_eq!(faults, [expected], "{query:?}");
        }
    }
}
