//! The parameters by which purchase orders are listed, of both kinds and of only import orders.

use stoa_sdk::{Date, Filter, Id, Instant, Text, all, has};
use stoa_trade::ids::{Ids, among};
use stoa_trade::list_query;
use stoa_trade::lists::{at_least, at_most, between, changed_since, equals, mentions};
use stoa_trade::quantity::StatedTotal;

use crate::records::order::{OrderKind, OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::records::shipment::{ShipmentRow, ShipmentStage};

/// The query of a list of orders: the parameters that both have, and its own after the status and after the totals.
macro_rules! order_list {
    ($name:ident $(sorted $sorted:tt)? { $($after_status:tt)* } { $($after_totals:tt)* }) => {
        list_query! {
            pub struct $name of OrderRow $(sorted $sorted)? {
                /// Only these orders, at most 100, separated by commas.
                ids: Option<Ids> = among(OrderRow::id, ids.as_ref()),
                status: Option<OrderStatus>,
                $($after_status)*
                supplier_id: Option<Id>,
                warehouse_id: Option<Id>,
                legal_entity_id: Option<Id>,
                /// ISO 4217.
                currency_code: Option<Text<3, 3>> =
                    equals(OrderRow::currency_code, currency_code.map(|code| code.to_ascii_uppercase())),
                /// Only documents with a line of this variant.
                variant_id: Option<Id> = variant_id.map(has_variant).unwrap_or_default(),
                /// Only documents whose number contains the text, ignoring case.
                number: Option<Text<1, 64>> = mentions("number", number.as_deref()),
                /// Only orders expected on or after this day.
                expected_from: Option<Date> = at_least(OrderRow::expected_on, expected_from),
                /// Only orders expected on or before this day.
                expected_to: Option<Date> = at_most(OrderRow::expected_on, expected_to),
                total_min: Option<StatedTotal> = at_least(OrderRow::total, total_min.map(|total| total.0)),
                total_max: Option<StatedTotal> = at_most(OrderRow::total, total_max.map(|total| total.0)),
                $($after_totals)*
            } by creation {
                /// Only records changed at or after this instant.
                updated_since: Option<Instant> = changed_since(OrderRow::updated_at, updated_since),
            }
        }
    };
}

order_list! {
    ListPurchaseOrders sorted [updated_at: "updatedAt", number_key: "number"; not with number, updated_since]
    { kind: Option<OrderKind>, } {}
}

order_list! {
    ListImportOrders {} {
        /// Only orders with a shipment in this stage.
        stage: Option<ShipmentStage> = has_shipment(stage, arrives_from, arrives_to),
        /// Only orders with a shipment that arrives on or after this day.
        arrives_from: Option<Date> = Filter::default(),
        /// Only orders with a shipment that arrives on or before this day.
        arrives_to: Option<Date> = Filter::default(),
    }
}

/// Orders of which a line is of the variant.
fn has_variant(id: Id) -> Filter {
    let live = all([OrderItemRow::variant_id.eq(id), OrderItemRow::line_no.not_null()]);
    has::<OrderItemRow, _, _>(OrderRow::id, OrderItemRow::order_id, live)
}

/// Orders with one shipment of which all is true that is asked of shipments.
fn has_shipment(stage: Option<ShipmentStage>, from: Option<Date>, to: Option<Date>) -> Filter {
    let asked = all([equals(ShipmentRow::stage, stage), between(ShipmentRow::arrives_on, from, to)]);
    match asked == Filter::default() {
        true => asked,
        false => has::<ShipmentRow, _, _>(OrderRow::id, ShipmentRow::order_id, asked),
    }
}
