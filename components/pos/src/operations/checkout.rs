//! Checkout: a confirmed order is delivered and collected at once, with one immutable receipt (sales-pos.md 11). After
//! any refusal nothing remains.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::host::fault;
use stoa_sdk::store::{insert, run};
use stoa_sdk::{Answer, Call, Id, Operation, Problem, Reply, emit, item, new_id};
use stoa_trade::clients::sales::{self, Order, Status as OrderStatus};
use stoa_trade::clients::tills::{self, Collected, Collection};
use stoa_trade::coin::check_coins;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::places::PosReceiptExtensions;
use stoa_trade::points;
use stoa_trade::quantity::{Amount, Money};
use stoa_trade::refusal::{refuse, refuse_invalid};

use crate::records::payment::{Component, PaymentRow};
use crate::records::permission::CHECK_OUT;
use crate::records::receipt::{POS_RECEIPT, PosReceipt, RECEIPT_CREATED, ReceiptEvent, ReceiptRow};
use crate::records::session::SessionRow;
use crate::rules::collectable::require_collectable;
use crate::rules::register_match::{Place, check_place};
use crate::rules::tender::{PosPaymentInput, StatedTender};
use crate::work::drawer::{at_payments, parse};
use crate::work::extension::{accept_payments, check_checkout};
use crate::work::session::{lock_session, raise_version, require_open, require_operator};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::create("/pos/sessions/{id}/checkout", "checkoutPosSession", check_out).summary("Check a sales order out")
        .description("Only by the operator of the session. The confirmed order is delivered in full and paid exactly: either \
            `tenderedAmount` in cash, or components that add up to its total. Change is cash only. The receipt is immutable. \
            An issued invoice of the order is settled by the payment.")
        .needs(CHECK_OUT).body::<PosCheckoutInput>().answers::<PosReceipt>().cache_control("no-store")
        .writes(POS_RECEIPT, &[RECEIPT_CREATED.code])
        .problems(&["PERMISSION_DENIED", "VERSION_CONFLICT", "ILLEGAL_STATE", "REGISTER_MISMATCH", "AMOUNT_PRECISION",
            "TENDER_INSUFFICIENT", "PAYMENT_TOTAL_MISMATCH", "PAYMENT_ACCOUNT_INVALID", "UNIT_UNAVAILABLE", "LIMIT_EXCEEDED",
            "ARCHIVED", "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_PERIOD_CLOSED", "ACCOUNTING_CURRENCY_UNSUPPORTED",
            "ACCOUNTING_AMOUNT_PRECISION"])
        .item_codes(&["MISMATCH", "SESSION_CLOSED", "ORDER_BILLED", "ORDER_COLLECTED", "METHOD_UNMAPPED",
            "ROLE_UNMAPPED", "BEFORE_BOOKS", "MONTH_CLOSED"])
        .reaches(&[points::CHECKOUT.0, points::PAYMENT_ACCEPTANCE.0, points::VIEWS.0, "sale.completed", "inventory.updated"]),
];

/// Checkout of a sales order. State exactly one of `tenderedAmount` and `payments`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PosCheckoutInput {
    pub order_id: Id,
    pub expected_order_version: ExpectedVersion,
    pub expected_session_version: ExpectedVersion,
    /// Cash for the whole total; the excess is returned as change.
    pub tendered_amount: Option<Money>,
    /// Payments that add up to the total, at most one of them in cash.
    #[schemars(length(min = 1, max = stoa_trade::limits::CHECKOUT_PAYMENTS))]
    pub payments: Option<Vec<PosPaymentInput>>,
    /// Cash handed over for a CASH component. Omitted: its amount. The excess is change.
    pub cash_tendered: Option<Money>,
}

pub fn check_out(call: &Call) -> Answer {
    let input: PosCheckoutInput = call.body()?;
    let tender = StatedTender {
        tendered_amount: input.tendered_amount,
        payments: input.payments,
        cash_tendered: input.cash_tendered,
    };
    refuse_invalid(tender.find_faults())?;
    let session = lock_session(call.path_id("id")?)?;
    require_operator(&session)?;
    let order = lock_order(input.order_id)?;
    let stated = (input.expected_session_version, input.expected_order_version);
    check_versions((session.version, stated.0), (order.version, stated.1))?;
    require_open(&session)?;
    if order.status != OrderStatus::Confirmed {
        return Err(Problem::illegal_state("/orderId"));
    }
    check_place(place_of_session(&session), place_of_order(&order))?;
    check_checkout(&order, &session)?;
    let lines: Vec<Amount> = order.items.iter().map(|line| parse(&line.line_total)).collect();
    let total = require_collectable(parse(&order.total), &lines)?;
    let paid = tender.pay(total)?;
    check_coins(session.smallest_coin, &tender.in_cash(&paid))?;
    let is_whole = tender.tendered_amount.is_some();
    let components: Vec<tills::Component> = paid.components.iter().map(component_to_wire).collect();
    // Every refusal of the collection comes before goods are touched; it only inserts and posts then.
    tills::service::prepare(session.id.into(), order.id, &components)
        .map_err(|refused| at_payments(refused, is_whole))?;
    let receipt_id = new_id();
    accept_payments(receipt_id, &order, &paid.components, is_whole)?;
    sales::service::deliver(order.id, order.version, Some(receipt_id.into()))?;
    let collected = tills::service::collect(&Collection {
        session_id: session.id.into(),
        receipt_id: receipt_id.into(),
        order_id: order.id,
        customer_id: order.customer_id,
        legal_entity_id: order.legal_entity_id,
        branch_id: order.branch_id,
        currency_code: order.currency_code.clone(),
        total: total.to_string(),
        components,
    })
    .map_err(|refused| at_payments(refused, is_whole))?;
    let change = raise_version(&session)?;
    let receipt = ReceiptRow::new(receipt_id, change.after(), order.id.into(), &paid);
    let payments = draw_payments(&receipt, &paid.components, &collected);
    run((change.update(), insert([&receipt]), insert(&payments)))?;
    let event = ReceiptEvent { receipt_id, session_id: session.id, order_id: receipt.order_id };
    emit([RECEIPT_CREATED.of(receipt_id, None, &event)]);
    let places = [session.id, session.register_id, receipt.order_id];
    let products = order.items.iter().map(|line| Id::from(line.product_id));
    let shown = PosReceipt::from_row(&receipt, &payments, PosReceiptExtensions::read(receipt_id));
    let reply = Reply::json(&shown).resource(receipt_id);
    Ok(reply.subjects(places.into_iter().chain(products)))
}

/// The order, held until the transaction ends.
///
/// # Errors
/// NOT_FOUND at `/orderId`.
fn lock_order(id: Id) -> Result<Order, Problem> {
    let orders = sales::lock_orders(&[id], &[])?;
    orders.into_iter().next().ok_or_else(|| Problem::reference_missing("/orderId"))
}

/// # Errors
/// VERSION_CONFLICT at each version that is another.
fn check_versions(session: (i64, ExpectedVersion), order: (i64, ExpectedVersion)) -> Result<(), Problem> {
    let stale = [("/expectedSessionVersion", session), ("/expectedOrderVersion", order)];
    let stale = stale.into_iter().filter(|(_, (current, expected))| expected.check(*current).is_err());
    refuse("VERSION_CONFLICT", stale.map(|(pointer, _)| item(pointer, "VERSION_CONFLICT")).collect())
}

fn place_of_session(session: &SessionRow) -> Place<'_> {
    Place {
        legal_entity_id: session.legal_entity_id,
        warehouse_id: session.warehouse_id,
        price_list_id: session.price_list_id,
        currency_code: &session.currency_code,
    }
}

fn place_of_order(order: &Order) -> Place<'_> {
    Place {
        legal_entity_id: order.legal_entity_id.into(),
        warehouse_id: order.warehouse_id.into(),
        price_list_id: order.price_list_id.into(),
        currency_code: &order.currency_code,
    }
}

fn component_to_wire(component: &Component) -> tills::Component {
    tills::Component {
        line_no: component.line_no,
        method: component.method.as_str().to_owned(),
        card_kind: component.card_kind.map(|kind| kind.as_str().to_owned()),
        amount: component.amount.to_string(),
        account_id: component.account.map(Into::into),
        reference: component.reference.clone(),
    }
}

/// Each component with the id of finance's payment and the account that took it.
fn draw_payments(receipt: &ReceiptRow, components: &[Component], collected: &Collected) -> Vec<PaymentRow> {
    let row = |component: &Component| {
        let payment = collected.payments.iter().find(|payment| payment.line_no == component.line_no);
        let payment = payment.unwrap_or_else(|| fault("finance collected other components"));
        PaymentRow {
            id: new_id(),
            created_at: receipt.created_at,
            updated_at: receipt.updated_at,
            receipt_id: receipt.id,
            session_id: receipt.session_id,
            line_no: component.line_no.into(),
            method: component.method,
            card_kind: component.card_kind,
            amount: component.amount,
            currency_code: receipt.currency_code.clone(),
            account_id: payment.money_account_id.map(Id::from),
            reference: component.reference.clone(),
            payment_id: payment.id.into(),
        }
    };
    components.iter().map(row).collect()
}
