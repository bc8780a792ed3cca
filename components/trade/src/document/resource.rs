//! Rows as callers see them: each member is stated once, with its type, its comment for the contract and its source.

/// Declares a row as callers of one kind see it: the struct of the answer, and its function `from_row`. A member is the
/// row's column of the same name, unless it says otherwise; facts that are not in the row are further parameters of `from_row`.
///
/// People see what API clients see and more: their struct flattens that of the clients. With `of record`, `id`
/// comes before the members, `version`, `createdAt` and `updatedAt` after them.
///
/// ```
/// # use stoa_sdk::{Id, collection, tenant};
/// # use stoa_trade::resource;
/// collection! {
///     record ShelfRow in "shelf" {
///         code: String,
///         notes: Option<String>,
///     }
/// }
///
/// resource! {
///     /// A shelf as returned to API clients.
///     pub struct ApiShelf of record row: ShelfRow, places: usize {
///         code: String,
///         /// Places that are free.
///         places: usize = places,
///     }
/// }
///
/// resource! {
///     /// A shelf as returned to users.
///     pub struct Shelf of row: ShelfRow, places: usize {
///         tenant_id: Id = tenant(),
///         #[serde(flatten)]
///         public: ApiShelf = ApiShelf::from_row(row, places),
///         notes: Option<String>,
///     }
/// }
/// ```
///
/// A row that users see as API clients do, and beyond it, is declared `beyond` the view of clients: `tenantId` and the
/// members of that view are before its own.
///
/// ```
/// # use stoa_sdk::{Id, collection};
/// # use stoa_trade::resource;
/// # collection! { record ShelfRow in "shelf" { code: String, notes: Option<String> } }
/// # resource! { pub struct ApiShelf of record row: ShelfRow { code: String, } }
/// resource! {
///     /// A shelf as returned to users.
///     pub struct Shelf beyond ApiShelf of row: ShelfRow {
///         notes: Option<String>,
///     }
/// }
/// ```
#[macro_export]
macro_rules! resource {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident beyond $public:ident of $row:ident: $row_type:ty
        $(, $fact:ident: $fact_type:ty)* { $($member:tt)* }
    ) => {
        $crate::resource! {
            $(#[$meta])*
            $vis struct $name of $row: $row_type $(, $fact: $fact_type)* {
                tenant_id: ::stoa_sdk::Id = ::stoa_sdk::tenant(),
                #[serde(flatten)]
                public: $public = $public::from_row($row $(, $fact)*),
                $($member)*
            }
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident of record $row:ident: $row_type:ty $(, $fact:ident: $fact_type:ty)* {
            $($member:tt)*
        }
    ) => {
        $crate::resource! {
            $(#[$meta])*
            $vis struct $name of $row: $row_type $(, $fact: $fact_type)* {
                id: ::stoa_sdk::Id,
                $($member)*
                #[schemars(range(min = 1))]
                version: i64,
                created_at: ::stoa_sdk::Instant,
                updated_at: ::stoa_sdk::Instant,
            }
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident of $row:ident: $row_type:ty $(, $fact:ident: $fact_type:ty)* {
            $($(#[$member_meta:meta])* $member:ident: $type:ty $(= $value:expr)?),* $(,)?
        }
    ) => {
        #[derive(Debug, ::serde::Serialize, ::schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        $(#[$meta])*
        $vis struct $name {
            $($(#[$member_meta])* $member: $type,)*
        }

        impl $name {
            /// The row as these callers see it.
            $vis fn from_row($row: &$row_type $(, $fact: $fact_type)*) -> $name {
                $name { $($member: $crate::resource!(@value $row $member $($value)?),)* }
            }
        }
    };
    (@value $row:ident $member:ident) => { ::std::clone::Clone::clone(&$row.$member) };
    (@value $row:ident $member:ident $value:expr) => { $value };
}

/// Declares documents whole: the view of the header, then the lines. A limit that the contract states is a constant of
/// [`limits`](crate::limits).
///
/// ```
/// # use stoa_sdk::{Id, collection};
/// # use stoa_trade::{resource, with_lines};
/// # collection! { record ShelfRow in "shelf" { code: String } }
/// # resource! { pub struct ShelfHeader of row: ShelfRow { code: String } }
/// # #[derive(Debug, serde::Serialize, schemars::JsonSchema)]
/// # pub struct ShelfLine {}
/// with_lines! {
///     /// A shelf with its lines.
///     pub struct Shelf of row: ShelfRow => ShelfHeader, lines: [ShelfLine; LINES];
/// }
/// ```
#[macro_export]
macro_rules! with_lines {
    ($(
        $(#[$meta:meta])*
        $vis:vis struct $name:ident of $row:ident: $row_type:ty $(, $fact:ident: $fact_type:ty)*
        => $header:ident, $lines:ident: [$line:ty $(; $limit:ident)?];
    )+) => {$(
        $crate::resource! {
            $(#[$meta])*
            $vis struct $name of $row: $row_type $(, $fact: $fact_type)*, $lines: Vec<$line> {
                #[serde(flatten)]
                header: $header = $header::from_row($row $(, $fact)*),
                $(#[schemars(length(max = stoa_trade::limits::$limit))])?
                $lines: Vec<$line> = $lines,
            }
        }
    )+};
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use stoa_sdk::scripted::{NOW, script};
    use stoa_sdk::{Id, Instant, collection};

    collection! {
        record ShelfRow in "shelf" {
            code: String,
            notes: Option<String>,
        }
    }

    resource! {
        struct ApiShelf of record row: ShelfRow, free: usize {
            code: String,
            free_places: usize = free,
        }
    }

    resource! {
        struct Shelf of row: ShelfRow, free: usize {
            #[serde(flatten)]
            public: ApiShelf = ApiShelf::from_row(row, free),
            notes: Option<String>,
            shout: String = row.code.to_uppercase(),
        }
    }

    resource! {
        struct OwnShelf beyond ApiShelf of row: ShelfRow, free: usize {
            notes: Option<String>,
        }
    }

    fn shelf() -> ShelfRow {
        let (created_at, updated_at) = (Instant(NOW), Instant(NOW));
        ShelfRow { id: Id(1, 1), version: 1, created_at, updated_at, code: "a-1".to_owned(), notes: None }
    }

    #[test]
    fn the_company_and_the_view_of_clients_are_before_the_members_that_only_users_see() {
        script([]);
        let shown = serde_json::to_value(OwnShelf::from_row(&shelf(), 3)).unwrap();
        let members: Vec<&str> = shown.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        let expected = ["tenantId", "id", "code", "freePlaces", "version", "createdAt", "updatedAt", "notes"];
        assert_eq!(members, expected);
    }

    #[test]
    fn a_member_is_a_column_unless_it_says_otherwise() {
        let row = shelf();
        let shown = serde_json::to_value(Shelf::from_row(&row, 3)).unwrap();
        let now = row.created_at;
        let expected = [
            ("id", json!(row.id)),
            ("code", json!("a-1")),
            ("freePlaces", json!(3)),
            ("version", json!(1)),
            ("createdAt", json!(now)),
            ("updatedAt", json!(now)),
            ("notes", json!(null)),
            ("shout", json!("A-1")),
        ];
        let members: Vec<(&str, Value)> =
            shown.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value.clone())).collect();
        assert_eq!(members, expected);
    }
}
