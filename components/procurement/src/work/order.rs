//! A purchase order under the lock of its row: what every transition reads first, and what it writes of the order last. All that
//! touches an order, its shipments and its charges waits for this row.

use stoa_sdk::bindings::commerce::platform::events::Event;
use stoa_sdk::store::{Batch, Update, get, run, select, update};
use stoa_sdk::{EventKind, Id, Problem, Reply, emit, now};
use stoa_trade::clients::articles;
use stoa_trade::document::state::next_state;
use stoa_trade::document::version::ExpectedVersion;

use crate::records::order::{ORDER_UPDATED, OrderKind, OrderRow, OrderStatus, PurchaseOrderEvent, show_write};
use crate::records::order_item::OrderItemRow;
use crate::rules::order_state::{OrderVerb, TRANSITIONS};

/// An order with its lines in their order.
#[derive(Debug, Clone)]
pub struct LockedOrder {
    pub row: OrderRow,
    pub items: Vec<OrderItemRow>,
}

/// The order, held until the request ends, and what is asked with it: that is read under the lock; or NOT_FOUND.
pub fn lock_order_with<B: Batch>(id: Id, batch: B) -> Result<(LockedOrder, B::Answer), Problem> {
    let live = select(OrderItemRow::live_of(id)).whole();
    let (row, mut items, answer) = run((get::<OrderRow>(id).locked(), live, batch))?;
    let row = row.ok_or_else(Problem::not_found)?;
    items.sort_by_key(|item: &OrderItemRow| item.line_no);
    Ok((LockedOrder { row, items }, answer))
}

/// The import order, held until the request ends, and what is asked with it; NOT_FOUND for an order of another kind.
pub fn lock_import_with<B: Batch>(id: Id, batch: B) -> Result<(LockedOrder, B::Answer), Problem> {
    let (order, answer) = lock_order_with(id, batch)?;
    if order.row.kind == OrderKind::Import { Ok((order, answer)) } else { Err(Problem::not_found()) }
}

impl LockedOrder {
    /// Refuses with VERSION_CONFLICT another version, then with ILLEGAL_STATE a state that does not allow the verb.
    pub fn check(&self, expected: ExpectedVersion, verb: OrderVerb) -> Result<(), Problem> {
        expected.check(self.row.version)?;
        next_state(TRANSITIONS, self.row.status, verb).map(drop)
    }

    /// The order after a transition of this verb; ILLEGAL_STATE where its state does not allow it.
    pub fn after(&self, verb: OrderVerb) -> Result<OrderRow, Problem> {
        let status = next_state(TRANSITIONS, self.row.status, verb)?;
        Ok(OrderRow { status, ..self.touch() })
    }

    /// The order after a change of what belongs to it.
    pub fn touch(&self) -> OrderRow {
        OrderRow { version: self.row.version + 1, updated_at: now(), ..self.row.clone() }
    }

    /// The line of this id.
    pub fn item(&self, id: Id) -> Option<&OrderItemRow> {
        self.items.iter().find(|item| item.id == id)
    }

    /// The position of a line in the record.
    pub fn pointer(&self, item: Id) -> String {
        let index = self.items.iter().position(|row| row.id == item).unwrap_or_default();
        format!("/items/{index}")
    }

    /// Subjects of a write's audit entry: the products of its lines, and its supplier.
    pub fn subjects(&self) -> Vec<Id> {
        let products = articles::products_of(self.items.iter().map(|item| item.variant_id));
        products.into_iter().chain([self.row.supplier_id]).collect()
    }

    /// Writes what belongs to the order, which has the next version then, and says so; the order as it is after it.
    pub fn write_parts(&self, parts: impl Batch) -> Result<OrderRow, Problem> {
        let after = self.touch();
        run((parts, update_order(&after)))?;
        emit([order_event(&ORDER_UPDATED, &after)]);
        Ok(after)
    }

    /// The answer to a write, after which the order is this.
    pub fn show(&self, after: &OrderRow, changed: &[&str]) -> Reply {
        show_write(after).subjects(self.subjects()).changed(changed.iter().copied())
    }
}

/// The update of the order by a transition. A change only of records that belong to it raises its version too.
pub fn update_order(after: &OrderRow) -> Update<OrderRow> {
    const COLUMNS: &[&str] = &["status", "approved_at", "approved_by", "cancelled_at", "cancel_reason"];
    update::<OrderRow>(after.id).set_from(after, COLUMNS)
}

/// The event of a change after which the order is this.
pub fn order_event(kind: &EventKind<PurchaseOrderEvent>, after: &OrderRow) -> Event {
    kind.of(after.id, Some(after.version), &PurchaseOrderEvent::from_row(after))
}

/// The status of an order of which goods came: what its lines say.
pub fn receiving_verb(items: &[OrderItemRow]) -> OrderVerb {
    let is_whole = items.iter().all(|item| item.left_to_receive().is_zero());
    if is_whole { OrderVerb::ReceiveRest } else { OrderVerb::ReceivePart }
}

/// Refuses with ILLEGAL_STATE a draft, which has no charges.
pub fn require_approved(status: OrderStatus) -> Result<(), Problem> {
    if status == OrderStatus::Draft { Err(Problem::new("ILLEGAL_STATE")) } else { Ok(()) }
}
