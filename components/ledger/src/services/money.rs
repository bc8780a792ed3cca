//! The service `commerce:ledger/money`: which money account a payment uses, and what went through them.

use stoa_sdk::host::reject_argument;
use stoa_sdk::store::{run, select};
use stoa_sdk::{Id, Item, Problem, all, has, item, map, set};
use stoa_trade::Status;
use stoa_trade::arguments::parse;
use stoa_trade::dates::day_after;
use stoa_trade::payment_method::Method;
use stoa_trade::quantity::Amount;
use stoa_trade::refusal::refuse;
use stoa_trade::services::read_rows;

use crate::bindings::exports::commerce::ledger::money as service;
use crate::bindings::exports::commerce::ledger::money::{Account, Flow, Guest};
use crate::records::mapping::MethodMappingRow;
use crate::records::money_account::MoneyRow;
use crate::rules::references::takes_money;
use crate::rules::refusal::refuse_at;
use crate::rules::sums::Sums;
use crate::services::Services;
use crate::work::balance::{self, Scope};
use crate::work::setup::{Demand, Setup};

fn account(row: &MoneyRow) -> Account {
    Account {
        id: row.id.into(),
        entity_id: row.legal_entity_id.into(),
        kind: row.kind.as_str().to_owned(),
        till: row.till,
        active: row.status == Status::Active,
        name: row.name.clone(),
    }
}

fn method(name: &str) -> Method {
    Method::from_name(name).unwrap_or_else(|| reject_argument("a method of payment is unknown"))
}

/// Problem code of a stated account that cannot be used.
const INVALID: &str = "PAYMENT_ACCOUNT_INVALID";

/// For each use its method, the stated account and where it is stated.
type Use = (Method, Option<Id>, String);

fn resolve(entity: Id, uses: Vec<Use>) -> Result<Vec<Option<Account>>, Problem> {
    let mut demand = Demand::new(entity);
    for money in uses.iter().filter_map(|(_, stated, _)| *stated) {
        demand.money(entity, money);
    }
    let setup = Setup::read(demand)?;
    if setup.books(entity)?.is_none() {
        let stated = uses.iter().filter(|(_, stated, _)| stated.is_some());
        refuse_at(INVALID, stated.map(|(.., pointer)| pointer.clone()).collect())?;
        return Ok(vec![None; uses.len()]);
    }
    let unfit = |(method, stated, _): &&Use| {
        stated.is_some_and(|id| !setup.money(entity, id).is_some_and(|(row, _)| takes_money(*method, row, entity)))
    };
    refuse_at(INVALID, uses.iter().filter(unfit).map(|(.., pointer)| pointer.clone()).collect())?;
    let open = uses.iter().filter(|(_, stated, _)| stated.is_none()).map(|(method, ..)| *method);
    let mapped = find_by_method(entity, open.collect())?;
    let chosen = |(method, stated, _): &Use| match stated {
        Some(id) => setup.money(entity, *id).map(|(row, _)| account(row)),
        None => mapped.iter().find(|(mapped_method, _)| mapped_method == method).map(|(_, row)| account(row)),
    };
    Ok(uses.iter().map(chosen).collect())
}

/// The money account of each of these methods.
fn find_by_method(entity: Id, methods: Vec<Method>) -> Result<Vec<(Method, MoneyRow)>, Problem> {
    if methods.is_empty() {
        return Ok(Vec::new());
    }
    let these = || {
        let methods = MethodMappingRow::method.one_of(methods.iter().copied());
        all([MethodMappingRow::legal_entity_id.eq(entity), methods])
    };
    let (mappings, money) = run((
        select::<MethodMappingRow>(these()).whole(),
        select::<MoneyRow>(has::<MethodMappingRow, _, _>(MoneyRow::id, MethodMappingRow::money_account_id, these()))
            .whole(),
    ))?;
    let money = map(money.into_iter().map(|row| (row.id, row)));
    let find_money = |method: Method| {
        let mapping = mappings.iter().find(|row| row.method == method)?;
        money.get(&mapping.money_account_id?).cloned()
    };
    let mut found = Vec::new();
    let mut errors: Vec<Item> = Vec::new();
    for method in methods {
        let pointer = format!("/mappings/methods/{}", method.as_str());
        match find_money(method) {
            Some(row) => found.push((method, row)),
            None if errors.iter().any(|item| item.pointer == pointer) => {}
            None => errors.push(item(pointer, "METHOD_UNMAPPED")),
        }
    }
    refuse("ACCOUNTING_SETUP_REQUIRED", errors)?;
    Ok(found)
}

impl Guest for Services {
    fn resolve(entity: (u64, u64), uses: Vec<service::Usage>) -> Result<Vec<Option<Account>>, Problem> {
        let uses = uses.into_iter().map(|usage| (method(&usage.method), usage.stated.map(Id::from), usage.pointer));
        resolve(entity.into(), uses.collect())
    }

    fn get(ids: Vec<(u64, u64)>) -> Vec<Account> {
        read_rows(ids).iter().map(account).collect()
    }

    fn flows(entity: (u64, u64), since: String, until: String) -> Result<Vec<Flow>, Problem> {
        let id = Id::from(entity);
        let (since, end) = (parse(&since), day_after(parse(&until)));
        let money = run(select::<MoneyRow>(MoneyRow::legal_entity_id.eq(id)).whole())?;
        if money.is_empty() {
            return Ok(Vec::new());
        }
        let scope = Scope::accounts(id, set(money.iter().map(|row| row.account_id)).into_iter().collect());
        let [earlier, later] = balance::sums_before(&scope, [Some(since), end])?;
        let mut flows = Vec::new();
        for row in &money {
            let opening = earlier.get(&row.account_id).copied().unwrap_or_default();
            let closing = later.get(&row.account_id).copied().unwrap_or_default();
            if closing != Sums::default() {
                flows.push(sum_flow(row.id, opening, closing).ok_or_else(Amount::limit_exceeded)?);
            }
        }
        Ok(flows)
    }
}

fn sum_flow(account: Id, opening: Sums, closing: Sums) -> Option<Flow> {
    let moved = closing.since(opening)?;
    Some(Flow {
        account: account.into(),
        opening: opening.balance()?.to_string(),
        in_: moved.debit.to_string(),
        out: moved.credit.to_string(),
        closing: closing.balance()?.to_string(),
    })
}
