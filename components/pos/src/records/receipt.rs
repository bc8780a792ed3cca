//! Receipts: one for each order that a register collected, never changed (sales-pos.md 11). The goods sold are read from the order.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Column, EventData, EventKind, Id, Instant, collection, now, tenant};
use stoa_trade::document::actor::Actor;
use stoa_trade::payment_method::Method;
use stoa_trade::quantity::Money;

use crate::records::EXAMPLE_ID;
use crate::records::payment::{ApiPosReceiptPayment, Paid, PaymentRow, PosReceiptPayment};
use crate::records::session::SessionRow;

/// Audit name of receipts.
pub const POS_RECEIPT: &str = "POS_RECEIPT";

collection! {
    /// `session_version` is the session's after it. The flags say which methods its payments have: lists ask for them.
    pub ledger ReceiptRow in "receipt" {
        session_id: Id,
        session_version: i64,
        register_id: Id,
        operator_id: String,
        order_id: Id,
        currency_code: String,
        total: Money,
        tendered: Money,
        change: Money,
        cash_amount: Option<Money>,
        has_cash: bool,
        has_transfer: bool,
        has_card: bool,
        has_check: bool,
        has_other: bool,
        request_id: Id,
    }
    unique { order: [order_id], version: [session_id, session_version] }
    index { [session_id, id], [register_id, id] }
}

impl ReceiptRow {
    /// The receipt of an order that a session collected; `session` as it is after the checkout.
    pub fn new(id: Id, session: &SessionRow, order_id: Id, paid: &Paid) -> ReceiptRow {
        let has = |method: Method| paid.components.iter().any(|component| component.method == method);
        let actor = Actor::current();
        ReceiptRow {
            id,
            created_at: now(),
            updated_at: now(),
            session_id: session.id,
            session_version: session.version,
            register_id: session.register_id,
            operator_id: actor.actor_id,
            order_id,
            currency_code: session.currency_code.clone(),
            total: paid.total,
            tendered: paid.tendered,
            change: paid.change,
            cash_amount: Some(paid.cash),
            has_cash: has(Method::Cash),
            has_transfer: has(Method::Transfer),
            has_card: has(Method::Card),
            has_check: has(Method::Check),
            has_other: has(Method::Other),
            request_id: actor.request_id,
        }
    }

    /// The column that says whether a receipt has a payment of the method, and the value of it.
    pub fn method_flag(method: Method) -> (Column<bool>, fn(&ReceiptRow) -> bool) {
        match method {
            Method::Cash => (ReceiptRow::has_cash, |row| row.has_cash),
            Method::Transfer => (ReceiptRow::has_transfer, |row| row.has_transfer),
            Method::Card => (ReceiptRow::has_card, |row| row.has_card),
            Method::Check => (ReceiptRow::has_check, |row| row.has_check),
            Method::Other => (ReceiptRow::has_other, |row| row.has_other),
        }
    }
}

/// A receipt in a list, as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiPosReceiptHeader {
    id: Id,
    session_id: Id,
    #[schemars(range(min = 1))]
    session_version: i64,
    order_id: Id,
    currency_code: String,
    total: Money,
    tendered_amount: Money,
    change_amount: Money,
    created_at: Instant,
    /// Cash that remained in the till; null on receipts older than payment components.
    cash_amount: Option<Money>,
}

/// A receipt as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ApiPosReceipt {
    #[serde(flatten)]
    pub header: ApiPosReceiptHeader,
    pub payments: Vec<ApiPosReceiptPayment>,
}

/// A receipt in a list, as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PosReceiptHeader {
    tenant_id: Id,
    #[serde(flatten)]
    public: ApiPosReceiptHeader,
    /// The `X-Request-Id` of the request that created it.
    request_id: Id,
}

/// A receipt as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PosReceipt {
    #[serde(flatten)]
    pub header: PosReceiptHeader,
    pub payments: Vec<PosReceiptPayment>,
}

impl From<ReceiptRow> for ApiPosReceiptHeader {
    fn from(row: ReceiptRow) -> ApiPosReceiptHeader {
        ApiPosReceiptHeader {
            id: row.id,
            session_id: row.session_id,
            session_version: row.session_version,
            order_id: row.order_id,
            currency_code: row.currency_code,
            total: row.total,
            tendered_amount: row.tendered,
            change_amount: row.change,
            created_at: row.created_at,
            cash_amount: row.cash_amount,
        }
    }
}

impl From<ReceiptRow> for PosReceiptHeader {
    fn from(row: ReceiptRow) -> PosReceiptHeader {
        PosReceiptHeader { tenant_id: tenant(), request_id: row.request_id, public: row.into() }
    }
}

impl PosReceipt {
    /// `payments` in the order of their lines.
    pub fn from_row(row: ReceiptRow, payments: &[PaymentRow]) -> PosReceipt {
        let payments = payments.iter().map(PosReceiptPayment::from_row).collect();
        PosReceipt { header: row.into(), payments }
    }
}

impl ApiPosReceipt {
    /// `payments` in the order of their lines.
    pub fn from_row(row: ReceiptRow, payments: &[PaymentRow]) -> ApiPosReceipt {
        let payments = payments.iter().map(ApiPosReceiptPayment::from_row).collect();
        ApiPosReceipt { header: row.into(), payments }
    }
}

/// Event data of a receipt: its ids.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReceiptEvent {
    pub receipt_id: Id,
    pub session_id: Id,
    pub order_id: Id,
}

impl EventData for ReceiptEvent {
    fn example() -> ReceiptEvent {
        ReceiptEvent { receipt_id: EXAMPLE_ID, session_id: EXAMPLE_ID, order_id: EXAMPLE_ID }
    }
}

pub const RECEIPT_CREATED: EventKind<ReceiptEvent> =
    EventKind::new("pos.receipt.created", POS_RECEIPT, "A register collected a sales order.");
