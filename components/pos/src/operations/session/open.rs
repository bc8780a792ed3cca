//! Opening a session: the register's lock keeps it the only one, finance begins its drawer.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, insert, run, update};
use stoa_sdk::{Answer, Call, Id, Problem, Reply, emit, new_id, now};
use stoa_trade::clients::tills::{self, Session};
use stoa_trade::clients::{prices, warehouses};
use stoa_trade::coin::check_coins;
use stoa_trade::document::actor::Actor;
use stoa_trade::quantity::Money;
use stoa_trade::{new_record, usable};

use crate::records::register::RegisterRow;
use crate::records::session::{OPEN_SLOT, PosSession, SESSION_OPENED, SessionEvent, SessionRow, SessionStatus};
use crate::work::drawer::parse;

const REGISTER: &str = "/registerId";

/// Opening of a session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenPosSession {
    pub register_id: Id,
    /// Cash counted in the drawer at the opening.
    pub opening_amount: Money,
}

pub fn open(call: &Call) -> Answer {
    let input: OpenPosSession = call.body()?;
    let register: RegisterRow = usable(run(get(input.register_id).locked())?, REGISTER)?;
    if register.open_session_id.is_some() {
        return Err(Problem::at("SESSION_OPEN", REGISTER));
    }
    require_places(&register)?;
    check_coins(register.smallest_coin, &[("/openingAmount", input.opening_amount)])?;
    let now = now();
    let id = new_id();
    let opened = tills::service::open(&Session {
        id: id.into(),
        register_id: register.id.into(),
        legal_entity_id: register.legal_entity_id.into(),
        branch_id: register.branch_id.map(Into::into),
        currency_code: register.currency_code.clone(),
        money_account_id: register.cash_account_id.map(Into::into),
        opening: input.opening_amount.to_string(),
        smallest_coin: register.smallest_coin.map(|coin| coin.to_string()),
    })
    .map_err(|refused| refused.moved("/moneyAccountId", "/cashAccountId").moved("/accountId", "/cashAccountId"))?;
    let session_no = register.last_session_no.saturating_add(1);
    let session = new_record!(SessionRow {
        id,
        register_id: register.id,
        session_no,
        open_slot: Some(OPEN_SLOT),
        legal_entity_id: register.legal_entity_id,
        branch_id: register.branch_id,
        warehouse_id: register.warehouse_id,
        price_list_id: register.price_list_id,
        currency_code: register.currency_code,
        cash_account_id: opened.money_account_id.map(Id::from),
        operator_id: Actor::current().actor_id,
        status: SessionStatus::Open,
        opening_amount: input.opening_amount,
        expected_at_close: None,
        counted_amount: None,
        variance: None,
        notes: None,
        opened_at: now,
        closed_at: None,
        closed_by: None,
        smallest_coin: register.smallest_coin,
    });
    let taken = update::<RegisterRow>(register.id)
        .set(RegisterRow::open_session_id, &Some(id))
        .set(RegisterRow::last_session_no, &session_no);
    run((taken, insert([&session])))?;
    emit([SESSION_OPENED.of(id, Some(1), &SessionEvent { register_id: register.id, session_id: id })]);
    let shown = PosSession::from_row(&session, parse(&opened.expected));
    Ok(Reply::json(&shown).resource(id).subject(register.id))
}

/// The register's warehouse or price list may have been archived since the register was created.
///
/// # Errors
/// ARCHIVED at `/warehouseId` or `/priceListId` of the register.
fn require_places(register: &RegisterRow) -> Result<(), Problem> {
    let warehouse = warehouses::get([register.warehouse_id]).remove(&register.warehouse_id);
    if warehouse.is_none_or(|warehouse| !warehouse.active) {
        return Err(Problem::at("ARCHIVED", "/warehouseId"));
    }
    let list = prices::service::get_list(register.price_list_id.into());
    if list.is_none_or(|list| !list.active) {
        return Err(Problem::at("ARCHIVED", "/priceListId"));
    }
    Ok(())
}
