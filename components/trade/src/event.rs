//! Event data of records that are public at times: what API clients see of them then, else ids.

/// Declares the data of a record's events: one type while the record is public, another one while it is hidden. Facts
/// that are not in the row are further parameters of `from_row`; in the example of the contract, which is that of the row, they
/// are true.
///
/// ```
/// # use stoa_sdk::{Id, Instant, collection};
/// # use stoa_trade::{Identity, event_data, resource};
/// # collection! { record ShelfRow in "shelf" { code: String } }
/// # impl ShelfRow {
/// #     fn example() -> ShelfRow {
/// #         let (created_at, updated_at) = (Instant(0), Instant(0));
/// #         ShelfRow { id: Id(0, 1), version: 1, created_at, updated_at, code: "A".to_owned() }
/// #     }
/// # }
/// # resource! {
/// #     pub struct ApiShelf of row: ShelfRow { code: String }
/// # }
/// event_data! {
///     /// Event data of a shelf: all members while it is in use, else its id only.
///     pub enum ShelfEvent of row: ShelfRow, is_used {
///         Public(ApiShelf) = ApiShelf::from_row(row), if is_used;
///         Hidden(Identity) = Identity { id: row.id },
///     }
/// }
/// ```
#[macro_export]
macro_rules! event_data {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident of $row:ident: $row_type:ty $(, $fact:ident)* {
            Public($public_type:ty) = $public:expr, if $is_public:expr;
            Hidden($hidden_type:ty) = $hidden:expr,
        }
    ) => {
        #[derive(Debug, ::serde::Serialize, ::schemars::JsonSchema)]
        #[serde(untagged)]
        $(#[$meta])*
        $vis enum $name {
            Public($public_type),
            Hidden($hidden_type),
        }

        impl $name {
            /// The data of an event about the row.
            $vis fn from_row($row: &$row_type $(, $fact: bool)*) -> $name {
                if $is_public { $name::Public($public) } else { $name::Hidden($hidden) }
            }
        }

        impl ::stoa_sdk::EventData for $name {
            fn example() -> $name {
                $(let $fact = true;)*
                $name::from_row(&<$row_type>::example() $(, $fact)*)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use stoa_sdk::{EventData, Id, Instant, collection};

    use crate::{Identity, resource};

    collection! {
        record ShelfRow in "shelf" {
            code: String,
        }
    }

    impl ShelfRow {
        fn example() -> ShelfRow {
            let (created_at, updated_at) = (Instant(0), Instant(0));
            ShelfRow { id: Id(0, 1), version: 1, created_at, updated_at, code: "A".to_owned() }
        }
    }

    resource! {
        struct ApiShelf of row: ShelfRow {
            code: String,
        }
    }

    event_data! {
        enum ShelfEvent of row: ShelfRow, is_used {
            Public(ApiShelf) = ApiShelf::from_row(row), if is_used && row.code != "B";
            Hidden(Identity) = Identity { id: row.id },
        }
    }

    #[test]
    fn a_hidden_record_is_its_id_alone() {
        let shown = |event: ShelfEvent| serde_json::to_value(event).unwrap();
        let row = ShelfRow::example();
        assert_eq!(shown(ShelfEvent::example()), json!({ "code": "A" }));
        assert_eq!(shown(ShelfEvent::from_row(&row, false)), json!({ "id": row.id }));
        let other = ShelfRow { code: "B".to_owned(), ..row };
        assert_eq!(shown(ShelfEvent::from_row(&other, true)), json!({ "id": other.id }));
    }
}
