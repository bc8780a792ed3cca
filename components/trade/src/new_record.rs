//! New rows: the columns that all of them begin with.

/// A new record of a collection, made now and in its first version; the columns that are the record's own are stated.
///
/// ```
/// # use stoa_sdk::{Id, collection, new_id};
/// # use stoa_trade::new_record;
/// # collection! { record ShelfRow in "shelf" { code: String } }
/// fn new_shelf(code: String) -> ShelfRow {
///     new_record!(ShelfRow { id: new_id(), code })
/// }
/// ```
#[macro_export]
macro_rules! new_record {
    ($row:ident { $($column:tt)* }) => {
        $crate::new_row!($row { version: 1, $($column)* })
    };
}

/// A new row of a ledger or projection, made now: as [`new_record!`](crate::new_record), without a version.
#[macro_export]
macro_rules! new_row {
    ($row:ident { $($column:tt)* }) => {
        $row { created_at: ::stoa_sdk::now(), updated_at: ::stoa_sdk::now(), $($column)* }
    };
}

#[cfg(test)]
mod tests {
    use stoa_sdk::scripted::{NOW, script};
    use stoa_sdk::{Id, Instant, collection};

    collection! {
        record ShelfRow in "shelf" {
            code: String,
        }
    }

    #[test]
    fn a_new_record_is_made_now_in_its_first_version() {
        script([]);
        let code = "A".to_owned();
        let row = new_record!(ShelfRow { id: Id(0, 7), code });
        assert_eq!((row.id, row.version, row.code.as_str()), (Id(0, 7), 1, "A"));
        assert_eq!((row.created_at, row.updated_at), (Instant(NOW), Instant(NOW)));
    }
}
