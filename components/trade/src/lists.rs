//! List operations: conditions that hold where a parameter is stated, and pages.
//!
//! The struct of a list's query spells its `cursor` and `limit` itself. Parameters arrive as texts and are read as what
//! their fields ask for; behind `#[serde(flatten)]` nothing asks, and `limit=50` is not a number.

pub mod sort;

use std::collections::BTreeSet;

use serde::Serialize;
use stoa_sdk::store::{Rows, run, select};
use stoa_sdk::{
    Answer, Column, Field, Filter, Id, Instant, Limit, Page, Problem, Reply, View, all, contains, facts, fit_page,
};

/// The column has the stated value; every row where none is stated.
pub fn equals<T: Field, V: Into<T::Plain>>(column: Column<T>, stated: Option<V>) -> Filter {
    stated.map(|value| column.eq(value)).unwrap_or_default()
}

/// The column lies between the stated bounds, both inclusive: `from` and `to`, `totalMin` and `totalMax`.
pub fn between<T: Field, V: Into<T::Plain>>(column: Column<T>, least: Option<V>, most: Option<V>) -> Filter {
    all([at_least(column, least), at_most(column, most)])
}

/// The column is at least the stated bound: `from`, `totalMin`.
pub fn at_least<T: Field, V: Into<T::Plain>>(column: Column<T>, stated: Option<V>) -> Filter {
    stated.map(|value| column.ge(value)).unwrap_or_default()
}

/// The column is at most the stated bound: `to`, `totalMax`.
pub fn at_most<T: Field, V: Into<T::Plain>>(column: Column<T>, stated: Option<V>) -> Filter {
    stated.map(|value| column.le(value)).unwrap_or_default()
}

/// Returns whether the column has a value, as it is stated; every row where nothing is.
pub fn is_set<T: Field>(column: Column<Option<T>>, stated: Option<bool>) -> Filter {
    match stated {
        Some(true) => column.not_null(),
        Some(false) => column.is_null(),
        None => Filter::default(),
    }
}

/// The row has changed at or after the stated instant, and before the request's watermark; every row where none is
/// stated.
pub fn changed_since(updated_at: Column<Instant>, stated: Option<Instant>) -> Filter {
    let changed = |since| all([updated_at.ge(since), before_watermark(updated_at)]);
    stated.map(changed).unwrap_or_default()
}

/// The row has changed before the request's watermark: later changes are for a later list, since transactions under way
/// may still commit earlier ones.
pub fn before_watermark(updated_at: Column<Instant>) -> Filter {
    facts().horizon.map(|watermark| updated_at.lt(Instant(watermark))).unwrap_or_default()
}

/// The row was made at or after the stated instant; every row where none is stated. For rows that never change: no
/// index is needed, since their ids are in the order of their creation, and a page ends before the request's watermark.
pub fn made_since(id: Column<Id>, stated: Option<Instant>) -> Filter {
    stated.map(|since| id.ge(Id::first_at(since))).unwrap_or_default()
}

/// A column of the search group contains the stated text, in any case and literally.
pub fn mentions(group: &str, stated: Option<&str>) -> Filter {
    stated.map(|text| contains(group, text)).unwrap_or_default()
}

/// Asks nothing of the rows: the handler reads what the parameter asks for in another way.
pub fn ask_nothing<T>(_: Option<T>) -> Filter {
    Filter::default()
}

/// Reads the page after the cursor of the rows that meet the filter, in the order of their ids.
pub fn read_page<V: View>(filter: &Filter, cursor: Option<Id>, limit: Limit) -> Result<Rows<V>, Problem> {
    fit_page(limit, |limit| run(select::<V>(filter.clone()).page(cursor).limit(limit)))
}

/// Answers a page of rows, each shown by `show`.
pub fn answer_page<R, T: Serialize>(rows: Rows<R>, id: impl Fn(&R) -> Id, show: impl Fn(R) -> T) -> Answer {
    let next_cursor = rows.next(id);
    Ok(Reply::json(&Page { items: rows.items.into_iter().map(show).collect(), next_cursor }))
}

/// Reads that a page may take to fill up where some rows are passed over.
const READS: usize = 4;

/// Answers a page of those rows whose owner `select` finds on sale, or whatever else it asks of the owners of a page at
/// once: a filter over all owners would be asked of a whole company. Where little is kept, the page is shorter than its
/// limit, and its cursor, the last row that was looked at, leads on.
///
/// `read` reads the rows after a cursor, no more than `limit` of them.
pub fn answer_kept<R, T: Serialize>(
    (cursor, limit): (Option<Id>, Limit),
    read: impl Fn(Option<Id>) -> Result<Rows<R>, Problem>,
    owner: impl Fn(&R) -> Id,
    select: impl Fn(BTreeSet<Id>) -> Result<BTreeSet<Id>, Problem>,
    id: impl Fn(&R) -> Id,
    show: impl Fn(R) -> T,
) -> Answer {
    let limit = limit.0 as usize;
    let (mut items, mut cursor, mut has_more) = (Vec::new(), cursor, true);
    for _ in 0..READS {
        if !has_more || items.len() == limit {
            break;
        }
        let rows = read(cursor)?;
        let kept = select(rows.items.iter().map(&owner).collect())?;
        has_more = rows.more;
        for row in rows.items {
            if items.len() == limit {
                has_more = true;
                break;
            }
            cursor = Some(id(&row));
            if kept.contains(&owner(&row)) {
                items.push(show(row));
            }
        }
    }
    Ok(Reply::json(&Page { items, next_cursor: cursor.filter(|_| has_more) }))
}

/// The query of a list, as a struct with `cursor` and `limit` before its own parameters. `of Status`: `status` too,
/// ACTIVE unless stated; `of OnlyActive`: API clients ask for nothing else.
///
/// ```
/// # use stoa_sdk::Id;
/// # use stoa_trade::{Status, list_query};
/// list_query! {
///     pub struct ListShelves of Status {
///         warehouse_id: Option<Id>,
///     }
/// }
/// ```
///
/// A list of a row states the filter of each parameter: the column of the same name has the value, unless the parameter
/// says otherwise in an expression over the parameters. The struct then has the functions `filter` and `page`, which
/// reads the page of a scope.
///
/// ```
/// # use stoa_sdk::{Answer, Call, Date, Id, Text, collection};
/// # use stoa_trade::list_query;
/// # use stoa_trade::lists::{answer_page, at_least, at_most, mentions};
/// # collection! {
/// #     record VisitRow in "visit" {
/// #         branch_id: Id,
/// #         customer_id: Id,
/// #         number: String,
/// #         on_date: Date,
/// #     }
/// # }
/// list_query! {
///     pub struct ListVisits of VisitRow {
///         customer_id: Option<Id>,
///         number: Option<Text<1, 64>> = mentions("number", number.as_deref()),
///         from: Option<Date> = at_least(VisitRow::on_date, from),
///         to: Option<Date> = at_most(VisitRow::on_date, to),
///     }
/// }
///
/// fn list(branch: Id, call: &Call) -> Answer {
///     let rows = call.query::<ListVisits>()?.page([VisitRow::branch_id.eq(branch)])?;
///     answer_page(rows, |row| row.id, |row| row.number)
/// }
/// ```
///
/// A list that can be [sorted](crate::lists::sort) states its keys, for each of which the collection has an index that
/// begins with the column (behind a column that is always stated, such as `status`), and the parameters that do not go
/// with `sort`: those that search a text, and `updated_since`.
///
/// ```
/// # use stoa_sdk::{Text, collection};
/// # use stoa_trade::list_query;
/// # use stoa_trade::lists::mentions;
/// # collection! { pub record ShelfRow in "shelf" { number: String } index { [updated_at], [number] } }
/// list_query! {
///     pub struct ListShelves of ShelfRow sorted [updated_at: "updatedAt", number: "number"; not with text] {
///         text: Option<Text<1, 200>> = mentions("text", text.as_deref()),
///     }
/// }
/// ```
///
/// With `by creation`, the parameters `from` and `to`, the bounds of `createdAt`, are between the first parameters and
/// the last ones.
#[macro_export]
macro_rules! list_query {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($parameter:tt)* }) => {
        $crate::list_query! { @of [$(#[$meta])* $vis struct $name] [] [$($parameter)*] }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident of Status { $($parameter:tt)* }) => {
        $crate::list_query! { @of [$(#[$meta])* $vis struct $name] [#[serde(default)] status: $crate::Status,] [$($parameter)*] }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident of OnlyActive { $($parameter:tt)* }) => {
        $crate::list_query! {
            @of [
                $(#[$meta])*
                #[allow(dead_code, reason = "the contract of API clients: one handler reads the query of both callers")]
                $vis struct $name
            ]
            [
                /// Only ACTIVE records are listed.
                #[serde(default)]
                status: $crate::life::OnlyActive,
            ]
            [$($parameter)*]
        }
    };
    (
        $(#[$meta:meta])* $vis:vis struct $name:ident of $row:ident $(sorted $sorted:tt)? { $($before:tt)* }
        by creation { $($after:tt)* }
    ) => {
        $crate::list_query! {
            $(#[$meta])* $vis struct $name of $row $(sorted $sorted)? {
                $($before)*
                /// Only records created at or after this instant.
                from: Option<::stoa_sdk::Instant> = $crate::lists::at_least($row::created_at, from),
                /// Only records created at or before this instant.
                to: Option<::stoa_sdk::Instant> = $crate::lists::at_most($row::created_at, to),
                $($after)*
            }
        }
    };
    (
        $(#[$meta:meta])* $vis:vis struct $name:ident of $row:ident {
            $($(#[$parameter_meta:meta])* $parameter:ident: $type:ty $(= $filter:expr)?),* $(,)?
        }
    ) => {
        $crate::list_query! {
            @of [$(#[$meta])* $vis struct $name] [] [$($(#[$parameter_meta])* $parameter: $type),*]
        }

        $crate::list_query! { @filter [$vis] $name $row [$($parameter: $type $(= $filter)?),*] }

        impl $name {
            /// Reads the page of these rows.
            #[allow(dead_code, reason = "a list may read its page in another way")]
            $vis fn page(
                &self,
                scope: impl IntoIterator<Item = ::stoa_sdk::Filter>,
            ) -> Result<::stoa_sdk::store::Rows<$row>, ::stoa_sdk::Problem> {
                $crate::lists::read_page(&self.filter(scope), self.cursor, self.limit)
            }
        }
    };
    (
        $(#[$meta:meta])* $vis:vis struct $name:ident of $row:ident
        sorted [$($key:ident: $sort:literal),+; not with $($other:ident),+] {
            $($(#[$parameter_meta:meta])* $parameter:ident: $type:ty $(= $filter:expr)?),* $(,)?
        }
    ) => {
        $crate::list_query! {
            @of [$(#[$meta])* $vis struct $name] []
            [
                $($(#[$parameter_meta])* $parameter: $type,)*
                /// Order of the items; a `-` before the name makes it descending. Omitted: the order of their creation. If the
                /// record that `cursor` names has changed meanwhile, the page continues after its new value. `sort` cannot be
                /// combined with `updatedSince` or with a text search: to keep a copy, use `updatedSince`.
                sort: Option<$crate::lists::sort::Sort<$name>>,
            ]
        }

        impl $crate::lists::sort::Sorted for $name {
            type Row = $row;
            const KEYS: &'static [$crate::lists::sort::SortKey<$row>] = &[$($crate::lists::sort::SortKey {
                name: $sort,
                column: $row::$key.name(),
                value: |row| ::stoa_sdk::Field::put(&row.$key),
            }),+];
        }

        $crate::list_query! { @filter [$vis] $name $row [$($parameter: $type $(= $filter)?),*] }

        impl $name {
            /// Reads the page of these rows.
            $vis fn page(
                &self,
                scope: impl IntoIterator<Item = ::stoa_sdk::Filter>,
            ) -> Result<::stoa_sdk::store::Rows<$row>, ::stoa_sdk::Problem> {
                $crate::lists::sort::read_page::<$name>(
                    &self.filter(scope),
                    &$crate::lists::sort::Asked {
                        sort: self.sort,
                        cursor: self.cursor,
                        limit: self.limit,
                        needs_id_order: [$(self.$other.is_some()),+].contains(&true),
                    },
                )
            }
        }
    };
    (@filter [$vis:vis] $name:ident $row:ident [$($parameter:ident: $type:ty $(= $filter:expr)?),*]) => {
        impl $name {
            /// The rows of the scope that the query asks for.
            #[allow(clippy::clone_on_copy, reason = "some parameters are texts")]
            $vis fn filter(&self, scope: impl IntoIterator<Item = ::stoa_sdk::Filter>) -> ::stoa_sdk::Filter {
                $(let $parameter = self.$parameter.clone();)*
                let stated = [$($crate::list_query!(@filter $row $parameter $($filter)?)),*];
                ::stoa_sdk::all(scope.into_iter().chain(stated))
            }
        }
    };
    (@filter $row:ident $parameter:ident) => { $crate::lists::equals($row::$parameter, $parameter) };
    (@filter $row:ident $parameter:ident $filter:expr) => { $filter };
    (@of [$(#[$meta:meta])* $vis:vis struct $name:ident] [$($status:tt)*] [$($parameter:tt)*]) => {
        $(#[$meta])*
        #[derive(::serde::Deserialize, ::schemars::JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        $vis struct $name {
            cursor: Option<::stoa_sdk::Id>,
            #[serde(default)]
            limit: ::stoa_sdk::Limit,
            $($status)*
            $($parameter)*
        }
    };
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use stoa_sdk::scripted::{NOW, rows, script, whole};
    use stoa_sdk::store::Call as StoreCall;
    use stoa_sdk::{Call, collection};

    use super::*;
    use crate::quantity::{Amount, StatedTotal};

    collection! {
        record OrderRow in "sales_order" {
            number: String,
            customer_id: Id,
            total: Amount,
        }
    }

    fn order(id: u64) -> OrderRow {
        let now = Instant(NOW);
        OrderRow {
            id: Id(0, id),
            version: 1,
            created_at: now,
            updated_at: now,
            number: format!("SO-{id:06}"),
            customer_id: Id(1, 1),
            total: Amount::ZERO,
        }
    }

    list_query! {
        struct ListOrders of OrderRow {
            customer_id: Option<Id>,
            number: Option<String> = mentions("number", number.as_deref()),
            total_min: Option<StatedTotal> = at_least(OrderRow::total, total_min.map(|total| total.0)),
            total_max: Option<StatedTotal> = at_most(OrderRow::total, total_max.map(|total| total.0)),
        } by creation {}
    }

    fn call(query: &[(&str, &str)]) -> Call {
        Call {
            operation: "listSalesOrders".to_owned(),
            path: Vec::new(),
            query: query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            body: None,
            if_match: None,
        }
    }

    #[test]
    fn what_is_not_stated_asks_nothing() {
        let customer = "00000000-0000-0001-0000-000000000001";
        let total: Amount = "1.5".parse().unwrap();
        for (query, expected) in [
            (&[][..], Filter::default()),
            (&[("limit", "7")], Filter::default()),
            (&[("customerId", customer)], OrderRow::customer_id.eq(Id(1, 1))),
            (&[("number", "%")], contains("number", "%")),
            (
                &[("totalMin", "1.5"), ("totalMax", "1.500000000000")],
                all([OrderRow::total.ge(total), OrderRow::total.le(total)]),
            ),
            (&[("to", "2026-01-01T00:00:00Z")], OrderRow::created_at.le(Instant(NOW))),
        ] {
            let read: ListOrders = call(query).query().unwrap();
            assert_eq!(read.filter([]), expected, "{query:?}");
        }
    }

    #[test]
    fn the_scope_of_a_list_holds_beside_what_is_stated() {
        let scope = || OrderRow::customer_id.eq(Id(1, 1));
        let read: ListOrders = call(&[("number", "7")]).query().unwrap();
        assert_eq!(read.filter([scope()]), all([scope(), contains("number", "7")]));
    }

    #[test]
    fn bounds_include_themselves() {
        let bounds = [OrderRow::created_at.ge(Instant(1)), OrderRow::created_at.le(Instant(2))];
        assert_eq!(between(OrderRow::created_at, Some(Instant(1)), Some(Instant(2))), all(bounds));
    }

    #[test]
    fn a_page_leads_on_to_the_next() {
        let mut page = rows([whole(&order(1), 1), whole(&order(2), 1)]);
        if let stoa_sdk::store::Reply::Rows(page) = &mut page {
            page.more = true;
        }
        let log = script([vec![page]]);
        let query: ListOrders =
            call(&[("limit", "2"), ("cursor", "00000000-0000-0000-0000-000000000000")]).query().unwrap();
        let rows = query.page([]).unwrap();
        let answer = answer_page(rows, |row| row.id, |row| row.number).unwrap();
        assert_eq!(
            answer.body,
            r#"{"items":["SO-000001","SO-000002"],"nextCursor":"00000000-0000-0000-0000-000000000002"}"#
        );
        match log.borrow().runs[0].as_slice() {
            [StoreCall::Select(call)] => assert_eq!((call.limit, call.after.is_some()), (2, true)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    #[allow(clippy::disallowed_types, reason = "what serde derives for `flatten` can take in floats")]
    fn flattened_parameters_are_no_numbers() {
        #[derive(Deserialize)]
        struct Paging {
            limit: Limit,
        }
        #[derive(Deserialize)]
        struct Flattened {
            #[serde(flatten)]
            paging: Paging,
        }
        let read_limit = |query: &[(&str, &str)]| call(query).query::<Flattened>().map(|query| query.paging.limit);
        assert!(read_limit(&[("limit", "7")]).is_err());
        assert_eq!(call(&[("limit", "7")]).query::<Paging>().unwrap().limit, Limit(7));
    }
}
