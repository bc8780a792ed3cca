//! Cash that the operator puts into the drawer or takes out of it (sales-pos.md 10.2).

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, insert, run};
use stoa_sdk::{Answer, Call, Id, Instant, Operation, Page, Problem, Reply, new_id, view};
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::clients::tills::{self, Direction};
use stoa_trade::coin::check_coins;
use stoa_trade::document::actor::Actor;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::lists::{answer_page, made_since};
use stoa_trade::quantity::Positive;
use stoa_trade::text::Prose;
use stoa_trade::{list_query, new_row};

use crate::records::cash_movement::{CashDirection, CashMovementRow, PosCashMovement};
use crate::records::permission::{READ, SELL};
use crate::records::session::{POS_SESSION, SessionRow};
use crate::work::session::{lock_session, raise_version, require_open, require_operator};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::create("/pos/sessions/{id}/cash-movements", "createPosCashMovement", create).summary("Move cash")
        .description("Only by the operator of the session. Cash out is at most the expected cash of the drawer. With books, \
            the movement is posted against the counter account, else against the account for cash movements.")
        .needs(SELL).body::<PosCashMovementInput>().answers::<PosCashMovement>().cache_control("no-store")
        .writes(POS_SESSION, &[])
        .problems(&["PERMISSION_DENIED", "VERSION_CONFLICT", "ILLEGAL_STATE", "AMOUNT_PRECISION", "LIMIT_EXCEEDED", "PAYMENT_ACCOUNT_INVALID",
            "ARCHIVED", "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_PERIOD_CLOSED", "ACCOUNTING_CURRENCY_UNSUPPORTED",
            "ACCOUNTING_AMOUNT_PRECISION"])
        .item_codes(&["SESSION_CLOSED", "EXCEEDS_TILL_CASH", "METHOD_UNMAPPED", "ROLE_UNMAPPED",
            "BEFORE_BOOKS", "MONTH_CLOSED"]),
    Operation::read("/pos/sessions/{id}/cash-movements", "listPosCashMovements", list).summary("Cash movements of a session")
        .needs(READ).query::<ListPosCashMovements>().answers::<Page<PosCashMovement>>().cache_control("no-store"),
];

/// A cash movement in a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PosCashMovementInput {
    /// The `version` of the session that you read.
    pub expected_version: ExpectedVersion,
    pub direction: CashDirection,
    pub amount: Positive,
    /// Free text for users. Text that resembles a card number is rejected.
    pub reason: Prose<1, 1000>,
    /// Another money account of the legal entity, such as the safe; only if the entity keeps books.
    pub counter_account_id: Option<Id>,
}

list_query! {
    pub struct ListPosCashMovements of CashMovementRow {
        direction: Option<CashDirection>,
        /// Only cash moved at or after this instant. A movement never changes.
        updated_since: Option<Instant> = made_since(CashMovementRow::id, updated_since),
    }
}

pub fn create(call: &Call) -> Answer {
    let input: PosCashMovementInput = call.body()?;
    let reason = String::from(input.reason);
    refuse_card_numbers(&[("/reason", Some(&reason))])?;
    let session = lock_session(call.path_id("id")?)?;
    require_operator(&session)?;
    input.expected_version.check(session.version)?;
    require_open(&session)?;
    check_coins(session.smallest_coin, &[("/amount", input.amount.0)])?;
    let id = new_id();
    let direction = match input.direction {
        CashDirection::In => Direction::In,
        CashDirection::Out => Direction::Out,
    };
    let counter = input.counter_account_id.map(Into::into);
    let amount = input.amount.0.to_string();
    tills::service::move_(session.id.into(), id.into(), direction, &amount, counter, &reason)?;
    let change = raise_version(&session)?;
    let actor = Actor::current();
    let row = new_row!(CashMovementRow {
        id,
        session_id: session.id,
        session_version: change.after().version,
        direction: input.direction,
        amount: input.amount.0,
        currency_code: session.currency_code.clone(),
        reason,
        counter_account_id: input.counter_account_id,
        request_id: actor.request_id,
        created_by: actor.actor_id,
    });
    run((change.update(), insert([&row])))?;
    Ok(Reply::json(&PosCashMovement::from_row(&row)).resource(session.id).subjects([id, session.register_id]))
}

view! { KnownSession of SessionRow { id: Id } }

pub fn list(call: &Call) -> Answer {
    let query: ListPosCashMovements = call.query()?;
    let session: KnownSession = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    let rows = query.page([CashMovementRow::session_id.eq(session.id)])?;
    answer_page(rows, |row| row.id, |row| PosCashMovement::from_row(&row))
}
