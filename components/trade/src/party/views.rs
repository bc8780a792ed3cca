//! Parties as callers and events see them, where customers and suppliers are seen alike.

/// Declares the views of a row of [`party_row!`](crate::party_row): the record as users see it, the receipt of a write by
/// an API client, the data of an event with the name of its id, and `show_write`, which answers a write. `example` is
/// the id in the example of the event.
#[macro_export]
macro_rules! party_views {
    (
        $row:ident with $terms:ident, example $example:expr;
        $(#[$whole_meta:meta])* $whole:ident;
        $(#[$receipt_meta:meta])* $receipt:ident;
        $(#[$event_meta:meta])* $event:ident { $id:ident }
    ) => {
        $crate::resource! {
            $(#[$whole_meta])*
            pub struct $whole of row: $row {
                #[serde(flatten)]
                head: $crate::life::Head = $crate::Archivable::head(row),
                #[serde(flatten)]
                party: $crate::party::PartyHead = row.party_head(),
                notes: Option<String>,
                profile: Option<$crate::party::Profile<$terms>> = row.profile(),
            }
        }

        $crate::resource! {
            $(#[$receipt_meta])*
            pub struct $receipt of row: $row {
                #[serde(flatten)]
                head: $crate::life::PublicHead = $crate::Archivable::public_head(row),
            }
        }

        /// The answer to a write: the record to users, its receipt to API clients.
        pub fn show_write(row: &$row) -> ::stoa_sdk::Reply {
            let caller = $crate::Caller::current();
            caller.show(|| $whole::from_row(row), || $receipt::from_row(row)).of(row.id, row.version)
        }

        $crate::resource! {
            $(#[$event_meta])*
            pub struct $event of row: $row {
                $id: ::stoa_sdk::Id = row.id,
                code: String,
                status: $crate::Status,
            }
        }

        impl ::stoa_sdk::EventData for $event {
            fn example() -> $event {
                $event { $id: $example, code: "ACME".to_owned(), status: $crate::Status::Active }
            }
        }
    };
}
