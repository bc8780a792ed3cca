//! The parameters by which every document of a side is listed.

/// The query of a list of documents: the parameters that all of them have, then its own. The comment of `text` says
/// which columns that parameter searches.
macro_rules! document_list {
    ($name:ident of $row:ident, $status:ident {
        $(#[$searched:meta])* text; $($parameter:tt)*
    } dated {
        $(#[$dated:meta])* $day:ident; $($other_days:tt)*
    } of $amount:ident) => {
        stoa_trade::list_query! {
            pub struct $name of $row {
                status: Option<$status>,
                legal_entity_id: Option<stoa_sdk::Id>,
                party_id: Option<stoa_sdk::Id>,
                currency_code: Option<stoa_trade::document::currency::CurrencyCode>,
                /// Only documents whose number contains the text, ignoring case.
                number: Option<stoa_sdk::Text<1, 64>> = stoa_trade::lists::mentions("number", number.as_deref()),
                $(#[$searched])*
                text: Option<stoa_sdk::Text<1, 200>> = stoa_trade::lists::mentions("text", text.as_deref()),
                $($parameter)*
                $(#[$dated])*
                from: Option<stoa_sdk::Date> = stoa_trade::lists::at_least($row::$day, from),
                to: Option<stoa_sdk::Date> = stoa_trade::lists::at_most($row::$day, to),
                $($other_days)*
                total_min: Option<stoa_trade::quantity::Money> = stoa_trade::lists::at_least($row::$amount, total_min),
                total_max: Option<stoa_trade::quantity::Money> = stoa_trade::lists::at_most($row::$amount, total_max),
            }
        }
    };
}

pub(crate) use document_list;
