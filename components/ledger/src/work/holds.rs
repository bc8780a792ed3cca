//! Taking and giving back the holds of warehouses and registers.

use stoa_sdk::store::{Value, find, get, insert, lock_shared, run, update};
use stoa_sdk::{Field, Id, Problem, new_id};
use stoa_trade::{new_record, require_named, usable};

use crate::records::branch::BranchRow;
use crate::records::entity::EntityRow;
use crate::records::hold::HoldRow;
use crate::records::money_account::MoneyRow;
use crate::rules::books::books_lock;

fn key_of(kind: &str, id: Id) -> Vec<Value> {
    vec![kind.to_owned().put(), id.put()]
}

/// Takes or replaces a holder's hold, under the books' shared lock: archiving waits for it or is seen by it.
///
/// # Errors
/// NOT_FOUND or REFERENCE_INVALID at what cannot be held.
pub fn take(kind: &str, id: Id, entity: Id, branch: Option<Id>, money: Option<Id>) -> Result<(), Problem> {
    let (_, owner, branch_row, money_row, current) = run((
        lock_shared(books_lock(entity)),
        get::<EntityRow>(entity),
        branch.map(get::<BranchRow>),
        money.map(get::<MoneyRow>),
        find::<HoldRow>("holder", [key_of(kind, id)]),
    ))?;
    usable(owner, "/legalEntityId")?;
    if let Some(branch) = require_named(branch_row, "/branchId")? {
        branch.require_active(entity, "/branchId")?;
    }
    if money.is_some() {
        let money = usable(money_row.flatten(), "/moneyAccountId")?;
        if money.legal_entity_id != entity {
            return Err(Problem::reference_invalid("/moneyAccountId"));
        }
    }
    let hold = new_record!(HoldRow {
        id: new_id(),
        holder_kind: kind.to_owned(),
        holder_id: id,
        legal_entity_id: entity,
        branch_id: branch,
        money_account_id: money,
        active: true,
    });
    let Some(current) = current.first() else {
        run(insert([&hold]))?;
        return Ok(());
    };
    let columns = ["legal_entity_id", "branch_id", "money_account_id", "active"];
    run(update::<HoldRow>(current.id).set_from(&hold, &columns))?;
    Ok(())
}

/// Gives a holder's hold back.
pub fn release(kind: &str, id: Id) -> Result<(), Problem> {
    let current = run(find::<HoldRow>("holder", [key_of(kind, id)]))?;
    if let Some(current) = current.first().filter(|hold| hold.active) {
        run(update::<HoldRow>(current.id).set(HoldRow::active, &false))?;
    }
    Ok(())
}
