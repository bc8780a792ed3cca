//! Inventory's services: one case per function, with its arguments in their order.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stoa_sdk::Problem;

use crate::Key;
use crate::bindings::commerce::inventory::{costs, stock, units};

pub use costs::{ChargeLine, CorrectionLine, Destination, Flow, FlowPage, Goods, Part, Stated, ValuationPage};
pub use stock::{
    CustomerReturn, Delivered, DeliveryLine, Disposition, IncomingLine, NewUnit, Receipt, ReceiptLine, Received,
    ReserveLine, Reserved, ReturnLine, Returned, SalesOrder, SentBack, SupplierReturn, SupplierReturnLine,
};
pub use units::{Found, Unit, UnitsOf};

/// A call, and what it answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Call {
    /// `Vec<Reserved>`.
    Reserve(SalesOrder, Key, Vec<ReserveLine>),
    /// Nothing.
    Release(Key, Vec<Key>, String),
    /// `Vec<Delivered>`.
    Deliver(SalesOrder, Vec<DeliveryLine>),
    /// `Vec<Returned>`.
    ReturnFromCustomer(CustomerReturn, Vec<ReturnLine>),
    /// `Vec<Received>`.
    Receive(Receipt, Vec<ReceiptLine>),
    /// Nothing.
    ChangeIncoming(Vec<IncomingLine>),
    /// `Vec<SentBack>`.
    ReturnToSupplier(SupplierReturn, Vec<SupplierReturnLine>),
    /// `Vec<Unit>`.
    Units(Vec<Key>),
    /// `Vec<Found>`.
    Find(Vec<String>),
    /// `Vec<UnitsOf>`.
    OfReceiptItems(Vec<Key>),
    /// `Vec<UnitsOf>`.
    OfAllocations(Vec<Key>),
    /// `Vec<Vec<Part>>`.
    Correct(Key, Vec<CorrectionLine>),
    /// `Vec<Vec<Part>>`.
    Charge(Key, Vec<ChargeLine>),
    /// The worth of all goods.
    Open(Key, String, Vec<Stated>),
    /// `ValuationPage`.
    Valuation { entity: Key, as_of: Option<String>, variant: Option<Key>, cursor: Option<Key>, limit: u32 },
    /// `FlowPage`.
    Flows { entity: Key, since: String, until: String, variant: Option<Key>, cursor: Option<Key>, limit: u32 },
}

impl Call {
    /// Makes the call: a guest's part.
    pub fn make(&self) -> Result<Value, Problem> {
        Ok(match self {
            Call::Reserve(order, warehouse, lines) => json!(stock::reserve(order, *warehouse, lines)?),
            Call::Release(order, reservations, reason) => json!(stock::release(*order, reservations, reason)?),
            Call::Deliver(order, lines) => json!(stock::deliver(order, lines)?),
            Call::ReturnFromCustomer(to, lines) => json!(stock::return_from_customer(to, lines)?),
            Call::Receive(from, lines) => json!(stock::receive(from, lines)?),
            Call::ChangeIncoming(lines) => json!(stock::change_incoming(lines)?),
            Call::ReturnToSupplier(to, lines) => json!(stock::return_to_supplier(to, lines)?),
            Call::Units(ids) => json!(units::get_many(ids)),
            Call::Find(identities) => json!(units::find(identities)?),
            Call::OfReceiptItems(ids) => json!(units::of_receipt_items(ids)),
            Call::OfAllocations(ids) => json!(units::of_allocations(ids)),
            Call::Correct(credit, lines) => json!(costs::correct(*credit, lines)?),
            Call::Charge(charge, lines) => json!(costs::charge(*charge, lines)?),
            Call::Open(entity, currency, stated) => json!(costs::open(*entity, currency, stated)?),
            Call::Valuation { entity, as_of, variant, cursor, limit } => {
                json!(costs::valuation(*entity, as_of.as_deref(), *variant, *cursor, *limit)?)
            }
            Call::Flows { entity, since, until, variant, cursor, limit } => {
                json!(costs::flows(*entity, since, until, *variant, *cursor, *limit)?)
            }
        })
    }
}
