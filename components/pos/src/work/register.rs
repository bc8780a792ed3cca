//! New registers, of a person or of onboarding (sales-pos.md 9).

use stoa_sdk::store::{insert, run};
use stoa_sdk::{Id, Problem, emit, new_id, now};
use stoa_trade::Status;
use stoa_trade::clients::directory::{self, Holder};
use stoa_trade::clients::money::{self, Usage};
use stoa_trade::clients::prices::{PriceList, service as lists};
use stoa_trade::clients::warehouses::{self, Warehouse};
use stoa_trade::payment_method::Method;
use stoa_trade::quantity::Money;
use stoa_trade::refusal::{or_duplicate, unusable};
use stoa_trade::text::key;

use crate::records::register::{REGISTER_CREATED, RegisterEvent, RegisterRow};

const CASH_ACCOUNT: &str = "/cashAccountId";

/// The parts of a new register.
pub struct NewRegister {
    pub code: String,
    pub name: String,
    pub warehouse: Warehouse,
    pub list: PriceList,
    pub cash_account: Option<Id>,
    pub smallest_coin: Option<Money>,
}

/// The warehouse and the list that a body names.
///
/// # Errors
/// NOT_FOUND at either.
pub fn find_places(warehouse: Id, list: Id) -> Result<(Warehouse, PriceList), Problem> {
    let found = warehouses::get([warehouse]).remove(&warehouse);
    let found = found.ok_or_else(|| Problem::reference_missing("/warehouseId"))?;
    let list = lists::get_list(list.into()).ok_or_else(|| Problem::reference_missing("/priceListId"))?;
    Ok((found, list))
}

/// Puts a register in, holds what it stands on, and says so.
///
/// # Errors
/// REFERENCE_INVALID, PAYMENT_ACCOUNT_INVALID, DUPLICATE at `/code`.
pub fn insert_register(register: NewRegister) -> Result<RegisterRow, Problem> {
    check_usable(&register)?;
    let entity = Id::from(register.warehouse.legal_entity_id);
    check_cash_account(entity, register.cash_account)?;
    let row = RegisterRow {
        id: new_id(),
        version: 1,
        created_at: now(),
        updated_at: now(),
        code_key: key(&register.code),
        code: register.code,
        name: register.name,
        legal_entity_id: entity,
        branch_id: register.warehouse.branch_id.map(Id::from),
        warehouse_id: register.warehouse.id.into(),
        price_list_id: register.list.id.into(),
        currency_code: register.list.currency_code,
        cash_account_id: register.cash_account,
        status: Status::Active,
        archived_at: None,
        open_session_id: None,
        last_session_no: 0,
        smallest_coin: register.smallest_coin,
    };
    run(insert([&row])).map_err(or_duplicate("/code"))?;
    directory::hold(Holder::Register(row.id), entity, row.branch_id, row.cash_account_id).map_err(|refused| {
        let refused = refused.moved("/legalEntityId", "/warehouseId").moved("/branchId", "/warehouseId");
        refused.moved("/moneyAccountId", CASH_ACCOUNT)
    })?;
    emit([REGISTER_CREATED.of(row.id, None, &RegisterEvent { register_id: row.id })]);
    Ok(row)
}

/// Goods are sold from normal warehouses at active lists.
fn check_usable(register: &NewRegister) -> Result<(), Problem> {
    match (register.warehouse.active, register.warehouse.normal) {
        (false, _) => return Err(unusable("/warehouseId", "ARCHIVED")),
        (true, false) => return Err(unusable("/warehouseId", "NOT_NORMAL")),
        (true, true) => {}
    }
    if register.list.active { Ok(()) } else { Err(unusable("/priceListId", "ARCHIVED")) }
}

/// A stated account is an active till of an entity with books.
///
/// # Errors
/// PAYMENT_ACCOUNT_INVALID.
fn check_cash_account(entity: Id, account: Option<Id>) -> Result<(), Problem> {
    let Some(account) = account else { return Ok(()) };
    let usage = Usage {
        method: Method::Cash.as_str().to_owned(),
        stated: Some(account.into()),
        pointer: CASH_ACCOUNT.to_owned(),
    };
    let found = money::resolve(entity, &[usage])?.into_iter().next().flatten();
    match found.is_some_and(|account| account.till) {
        true => Ok(()),
        false => Err(Problem::at("PAYMENT_ACCOUNT_INVALID", CASH_ACCOUNT)),
    }
}
