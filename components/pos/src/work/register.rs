//! New registers, of a person or of onboarding (sales-pos.md 9).

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Field, Id, Problem, emit, new_id, text};
use stoa_trade::clients::directory::{self, Holder};
use stoa_trade::clients::money::{self, Usage};
use stoa_trade::clients::prices::{PriceList, service as lists};
use stoa_trade::clients::warehouses::{self, Warehouse};
use stoa_trade::document::number::insert_unless_taken;
use stoa_trade::payment_method::Method;
use stoa_trade::quantity::Positive;
use stoa_trade::refusal::unusable;
use stoa_trade::taken::find_taken;
use stoa_trade::text::{Line, key};
use stoa_trade::{Status, new_record};

use crate::records::permission::READ;
use crate::records::register::{REGISTER_CREATED, RegisterEvent, RegisterRow};

const CASH_ACCOUNT: &str = "/cashAccountId";

/// A register in a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PosRegisterInput {
    /// Stored as typed. Unique for ever, ignoring case.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64))]
    pub code: String,
    pub name: Line<1, 200>,
    /// Warehouse that sells the goods. The register belongs to its legal entity and branch.
    pub warehouse_id: Id,
    /// Price list of the register; it decides the currency.
    pub price_list_id: Id,
    /// Money account of a till of the legal entity; only if the entity keeps books.
    pub cash_account_id: Option<Id>,
    /// Smallest coin in use, such as 0.05. Amounts of cash that the coins cannot form are rejected at opening, in movements,
    /// tenders, change and counts. Omitted or null: every amount is allowed.
    pub smallest_coin: Option<Positive>,
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

/// Puts a register in, holds the records that it uses, and reports it.
///
/// # Errors
/// REFERENCE_INVALID, PAYMENT_ACCOUNT_INVALID, DUPLICATE at `/code`.
pub fn insert_register(
    register: PosRegisterInput,
    warehouse: &Warehouse,
    list: PriceList,
) -> Result<RegisterRow, Problem> {
    check_usable(warehouse, &list)?;
    let entity = Id::from(warehouse.legal_entity_id);
    check_cash_account(entity, register.cash_account_id)?;
    let row = new_record!(RegisterRow {
        id: new_id(),
        code_key: key(&register.code),
        code: register.code,
        name: register.name.into(),
        legal_entity_id: entity,
        branch_id: warehouse.branch_id.map(Id::from),
        warehouse_id: register.warehouse_id,
        price_list_id: register.price_list_id,
        currency_code: list.currency_code,
        cash_account_id: register.cash_account_id,
        status: Status::Active,
        archived_at: None,
        open_session_id: None,
        last_session_no: 0,
        smallest_coin: register.smallest_coin.map(|coin| coin.0),
    });
    if !insert_unless_taken(&row)? {
        return Err(find_taken::<RegisterRow>("code", vec![row.code_key.put()], "/code", READ)?);
    }
    directory::hold(Holder::Register(row.id), entity, row.branch_id, row.cash_account_id).map_err(|refused| {
        let refused = refused.moved("/legalEntityId", "/warehouseId").moved("/branchId", "/warehouseId");
        refused.moved("/moneyAccountId", CASH_ACCOUNT)
    })?;
    emit([REGISTER_CREATED.of(row.id, None, &RegisterEvent { register_id: row.id })]);
    Ok(row)
}

/// Goods are sold from normal warehouses at active lists.
fn check_usable(warehouse: &Warehouse, list: &PriceList) -> Result<(), Problem> {
    match (warehouse.active, warehouse.normal) {
        (false, _) => return Err(unusable("/warehouseId", "ARCHIVED")),
        (true, false) => return Err(unusable("/warehouseId", "NOT_NORMAL")),
        (true, true) => {}
    }
    if list.active { Ok(()) } else { Err(unusable("/priceListId", "ARCHIVED")) }
}

/// A stated account is an active till of an entity with books.
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
