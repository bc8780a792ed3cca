//! Receipts: one for each order that a register collected, never changed (sales-pos.md 11). The goods sold are read
//! from the order.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::descriptor::schemas::never_null;
use stoa_sdk::{Column, EventData, EventKind, Id, Instant, collection};
use stoa_trade::document::actor::Actor;
use stoa_trade::payment_method::Method;
use stoa_trade::places::PosReceiptExtensions;
use stoa_trade::quantity::Money;
use stoa_trade::{new_row, resource};

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
        new_row!(ReceiptRow {
            id,
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
        })
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

resource! {
    /// A receipt in a list, as returned to API clients.
    pub struct ApiPosReceiptHeader of row: ReceiptRow {
        id: Id,
        session_id: Id,
        #[schemars(range(min = 1))]
        session_version: i64,
        order_id: Id,
        currency_code: String,
        total: Money,
        tendered_amount: Money = row.tendered,
        change_amount: Money = row.change,
        created_at: Instant,
        /// Cash that remained in the till; null on receipts older than payment components.
        cash_amount: Option<Money>,
    }
}

resource! {
    /// A receipt as returned to API clients.
    pub struct ApiPosReceipt of row: ReceiptRow, payments: &[PaymentRow], extensions: Option<PosReceiptExtensions> {
        #[serde(flatten)]
        header: ApiPosReceiptHeader = ApiPosReceiptHeader::from_row(row),
        payments: Vec<ApiPosReceiptPayment> = payments.iter().map(ApiPosReceiptPayment::from_row).collect(),
        /// Members that extensions add.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(transform = never_null)]
        extensions: Option<PosReceiptExtensions> = extensions,
    }
}

resource! {
    /// A receipt in a list, as returned to users.
    pub struct PosReceiptHeader beyond ApiPosReceiptHeader of row: ReceiptRow {
        /// The `X-Request-Id` of the request that created it.
        request_id: Id,
    }
}

resource! {
    /// A receipt as returned to users.
    pub struct PosReceipt of row: ReceiptRow, payments: &[PaymentRow], extensions: Option<PosReceiptExtensions> {
        #[serde(flatten)]
        header: PosReceiptHeader = PosReceiptHeader::from_row(row),
        payments: Vec<PosReceiptPayment> = payments.iter().map(PosReceiptPayment::from_row).collect(),
        /// Members that extensions add.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(transform = never_null)]
        extensions: Option<PosReceiptExtensions> = extensions,
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
