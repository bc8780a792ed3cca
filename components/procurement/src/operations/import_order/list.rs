//! Reading import orders: lists of headers, and one order with its lines, shipments and charges.

use stoa_sdk::store::{Rows, get, run, select};
use stoa_sdk::{Answer, Call, Date, Filter, Id, Instant, Problem, Reply, Text, all, has, holds};
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, between, changed_since, equals, mentions, read_page};
use stoa_trade::quantity::{self, Amount, StatedTotal};

use crate::operations::order::list::of_variant;
use crate::records::charge::{AllocationRow, Charge, ChargeRow, ChargeStatus};
use crate::records::import_order::{
    ImportOrder, ImportOrderHeader, ImportParts, LandedTotals, PublicImportOrder, PublicImportOrderHeader,
};
use crate::records::order::{OrderKind, OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::records::permission::COST_READ;
use crate::records::shipment::{Shipment, ShipmentItemRow, ShipmentRow, ShipmentStage};
use crate::records::shown_order::{PublicPurchaseOrder, PurchaseOrder};

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
    fn page(&self) -> Result<Rows<OrderRow>, Problem> {
        let currency = self.currency_code.as_deref().map(str::to_ascii_uppercase);
        let filter = all([
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
        ]);
        read_page(&filter, self.cursor, self.limit)
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
    answer_page(query.page()?, |row| row.id, |row| ImportOrderHeader::from_row(&row))
}

pub fn list_as_client(call: &Call) -> Answer {
    let query: ListImportOrders = call.query()?;
    answer_page(query.page()?, |row| row.id, |row| PublicImportOrderHeader::from_row(&row))
}

pub fn read(call: &Call) -> Answer {
    let (row, items, parts) = read_order(call.path_id("id")?, holds(COST_READ))?;
    let order = PurchaseOrder::from_row(&row, &items);
    Ok(Reply::json(&ImportOrder::from_row(&row, order, parts)).resource(row.id))
}

pub fn read_as_client(call: &Call) -> Answer {
    let (row, items, parts) = read_order(call.path_id("id")?, false)?;
    let order = PublicPurchaseOrder::from_row(&row, &items);
    Ok(Reply::json(&PublicImportOrder::from_row(&row, order, parts)).resource(row.id))
}

fn read_order(id: Id, with_costs: bool) -> Result<(OrderRow, Vec<OrderItemRow>, ImportParts), Problem> {
    let live = all([OrderItemRow::order_id.eq(id), OrderItemRow::line_no.not_null()]);
    let of_shipments = ShipmentRow::order_id.eq(id);
    let of_charges = ChargeRow::order_id.eq(id);
    let (row, mut items, shipments, shipped, charges, allocations) = run((
        get::<OrderRow>(id),
        select::<OrderItemRow>(live).whole(),
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
    Ok((row, items, parts))
}

fn totals(row: &OrderRow, charges: &[ChargeRow]) -> Result<LandedTotals, Problem> {
    let with = |amounts: Vec<Amount>| quantity::sum([row.total].into_iter().chain(amounts));
    let live = charges.iter().filter(|charge| charge.status != ChargeStatus::Cancelled);
    Ok(LandedTotals {
        landed_total: with(charges.iter().map(|charge| quantity::widen(charge.allocated)).collect())?,
        estimated_total: with(live.map(|charge| quantity::widen(charge.amount)).collect())?,
    })
}
