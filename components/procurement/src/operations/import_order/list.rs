//! Reading import orders: lists of headers, and one order with its lines, shipments and charges.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Date, Filter, Id, Instant, Problem, Reply, Text, all, has, holds};
use stoa_trade::lists::{between, changed_since, equals, mentions, read_page};
use stoa_trade::quantity::{self, Amount, StatedTotal};
use stoa_trade::{Caller, list_query};

use crate::operations::order::list::of_variant;
use crate::records::charge::{AllocationRow, Charge, ChargeRow, ChargeStatus};
use crate::records::import_order::{
    ApiImportOrder, ApiImportOrderHeader, ImportOrder, ImportOrderHeader, ImportParts, LandedTotals,
};
use crate::records::order::{OrderKind, OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::records::permission::COST_READ;
use crate::records::shipment::{Shipment, ShipmentItemRow, ShipmentRow, ShipmentStage};
use crate::records::shown_order::{ApiPurchaseOrder, PurchaseOrder};

list_query! {
    pub struct ListImportOrders {
        status: Option<OrderStatus>,
        supplier_id: Option<Id>,
        warehouse_id: Option<Id>,
        legal_entity_id: Option<Id>,
        /// ISO 4217.
        currency_code: Option<Text<3, 3>>,
        /// Only documents with a line of this variant.
        variant_id: Option<Id>,
        /// Only documents whose number contains the text, ignoring case.
        number: Option<Text<1, 64>>,
        /// Only orders expected on or after this day.
        expected_from: Option<Date>,
        /// Only orders expected on or before this day.
        expected_to: Option<Date>,
        total_min: Option<StatedTotal>,
        total_max: Option<StatedTotal>,
        /// Only orders with a shipment in this stage.
        stage: Option<ShipmentStage>,
        /// Only orders with a shipment that arrives on or after this day.
        arrives_from: Option<Date>,
        /// Only orders with a shipment that arrives on or before this day.
        arrives_to: Option<Date>,
        /// Only records created at or after this instant.
        from: Option<Instant>,
        /// Only records created at or before this instant.
        to: Option<Instant>,
        /// Only records changed at or after this instant.
        updated_since: Option<Instant>,
    }
}

impl ListImportOrders {
    fn filter(&self) -> Filter {
        let currency = self.currency_code.as_deref().map(str::to_ascii_uppercase);
        all([
            OrderRow::kind.eq(OrderKind::Import),
            equals(OrderRow::status, self.status),
            equals(OrderRow::supplier_id, self.supplier_id),
            equals(OrderRow::warehouse_id, self.warehouse_id),
            equals(OrderRow::legal_entity_id, self.legal_entity_id),
            equals(OrderRow::currency_code, currency),
            self.variant_id.map(of_variant).unwrap_or_default(),
            mentions("number", self.number.as_deref()),
            between(OrderRow::expected_on, self.expected_from, self.expected_to),
            between(OrderRow::total, self.total_min.map(|total| total.0), self.total_max.map(|total| total.0)),
            self.with_shipment(),
            between(OrderRow::created_at, self.from, self.to),
            changed_since(OrderRow::updated_at, self.updated_since),
        ])
    }

    /// Orders with one shipment of which all that is asked of shipments is true.
    fn with_shipment(&self) -> Filter {
        let asked = all([
            equals(ShipmentRow::stage, self.stage),
            between(ShipmentRow::arrives_on, self.arrives_from, self.arrives_to),
        ]);
        match asked == Filter::default() {
            true => asked,
            false => has::<ShipmentRow, _, _>(OrderRow::id, ShipmentRow::order_id, asked),
        }
    }
}

pub fn list(call: &Call) -> Answer {
    let query: ListImportOrders = call.query()?;
    let rows = read_page(&query.filter(), query.cursor, query.limit)?;
    Caller::current().answer_page(rows, ImportOrderHeader::from_row, ApiImportOrderHeader::from_row)
}

pub fn read(call: &Call) -> Answer {
    let (id, caller) = (call.path_id("id")?, Caller::current());
    let with_costs = !caller.is_client() && holds(COST_READ);
    let of_shipments = ShipmentRow::order_id.eq(id);
    let of_charges = ChargeRow::order_id.eq(id);
    let (row, mut items, shipments, shipped, charges, allocations) = run((
        get::<OrderRow>(id),
        select::<OrderItemRow>(OrderItemRow::live_of(id)).whole(),
        select::<ShipmentRow>(of_shipments.clone()).whole(),
        select(has::<ShipmentRow, _, _>(ShipmentItemRow::shipment_id, ShipmentRow::id, of_shipments)).whole(),
        select::<ChargeRow>(of_charges.clone()).whole(),
        select::<AllocationRow>(has::<ChargeRow, _, _>(AllocationRow::charge_id, ChargeRow::id, of_charges)).whole(),
    ))?;
    let row = row.filter(|row| row.kind == OrderKind::Import).ok_or_else(Problem::not_found)?;
    items.sort_by_key(|item| item.line_no);
    let parts = ImportParts {
        totals: totals(&row, &charges)?,
        shipments: shipments.iter().map(|shipment| Shipment::from_row(shipment, &shipped)).collect(),
        charges: charges.iter().map(|charge| Charge::from_row(charge, &allocations, with_costs)).collect(),
    };
    let reply = match caller {
        Caller::Person => Reply::json(&ImportOrder::from_row(&row, PurchaseOrder::from_row(&row, &items), parts)),
        Caller::Client => Reply::json(&ApiImportOrder::from_row(&row, ApiPurchaseOrder::from_row(&row, &items), parts)),
    };
    Ok(reply.resource(id))
}

fn totals(row: &OrderRow, charges: &[ChargeRow]) -> Result<LandedTotals, Problem> {
    let with = |amounts: Vec<Amount>| quantity::sum([row.total].into_iter().chain(amounts));
    let live = charges.iter().filter(|charge| charge.status != ChargeStatus::Cancelled);
    Ok(LandedTotals {
        landed_total: with(charges.iter().map(|charge| quantity::widen(charge.allocated)).collect())?,
        estimated_total: with(live.map(|charge| quantity::widen(charge.amount)).collect())?,
    })
}
