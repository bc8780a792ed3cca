//! The parameters by which purchase orders of either kind are listed.

use stoa_sdk::{Filter, Id, all, has};

use crate::records::order::OrderRow;
use crate::records::order_item::OrderItemRow;

/// Orders of which a line is of the variant.
pub fn has_variant(id: Id) -> Filter {
    let live = all([OrderItemRow::variant_id.eq(id), OrderItemRow::line_no.not_null()]);
    has::<OrderItemRow, _, _>(OrderRow::id, OrderItemRow::order_id, live)
}

/// The query of a list of orders: the parameters that all have, and its own after the status and after the totals.
macro_rules! order_list {
    ($name:ident { $($after_status:tt)* } { $($after_totals:tt)* }) => {
        stoa_trade::list_query! {
            pub struct $name of OrderRow {
                status: Option<crate::records::order::OrderStatus>,
                $($after_status)*
                supplier_id: Option<stoa_sdk::Id>,
                warehouse_id: Option<stoa_sdk::Id>,
                legal_entity_id: Option<stoa_sdk::Id>,
                /// ISO 4217.
                currency_code: Option<stoa_sdk::Text<3, 3>> = stoa_trade::lists::equals(
                    OrderRow::currency_code,
                    currency_code.map(|code| code.to_ascii_uppercase()),
                ),
                /// Only documents with a line of this variant.
                variant_id: Option<stoa_sdk::Id> =
                    variant_id.map(crate::operations::order_list::has_variant).unwrap_or_default(),
                /// Only documents whose number contains the text, ignoring case.
                number: Option<stoa_sdk::Text<1, 64>> = stoa_trade::lists::mentions("number", number.as_deref()),
                /// Only orders expected on or after this day.
                expected_from: Option<stoa_sdk::Date> =
                    stoa_trade::lists::at_least(OrderRow::expected_on, expected_from),
                /// Only orders expected on or before this day.
                expected_to: Option<stoa_sdk::Date> = stoa_trade::lists::at_most(OrderRow::expected_on, expected_to),
                total_min: Option<stoa_trade::quantity::StatedTotal> =
                    stoa_trade::lists::at_least(OrderRow::total, total_min.map(|total| total.0)),
                total_max: Option<stoa_trade::quantity::StatedTotal> =
                    stoa_trade::lists::at_most(OrderRow::total, total_max.map(|total| total.0)),
                $($after_totals)*
                /// Only records created at or after this instant.
                from: Option<stoa_sdk::Instant> = stoa_trade::lists::at_least(OrderRow::created_at, from),
                /// Only records created at or before this instant.
                to: Option<stoa_sdk::Instant> = stoa_trade::lists::at_most(OrderRow::created_at, to),
                /// Only records changed at or after this instant.
                updated_since: Option<stoa_sdk::Instant> =
                    stoa_trade::lists::changed_since(OrderRow::updated_at, updated_since),
            }
        }
    };
}

pub(crate) use order_list;
