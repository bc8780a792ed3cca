//! Holds: a warehouse or a register of another module keeps what it stands on from being archived.

use stoa_sdk::store::{find, get, insert, lock_shared, run, update};
use stoa_sdk::{Field, Id, Instant, Problem, collection, facts, new_id};

use crate::branch::BranchRow;
use crate::entity::{EntityRow, Status, books_lock};
use crate::money_account::MoneyRow;

collection! {
    pub record HoldRow in "hold" {
        holder_kind: String,
        holder_id: Id,
        legal_entity_id: Id,
        branch_id: Option<Id>,
        money_account_id: Option<Id>,
        active: bool,
    }
    unique { holder: [holder_kind, holder_id] }
    index { [legal_entity_id, active], [branch_id, active], [money_account_id, active] }
}

fn holder(kind: &str, id: Id) -> Vec<stoa_sdk::store::Value> {
    vec![kind.to_owned().put(), id.put()]
}

/// Takes or replaces a holder's hold, under the books' shared lock: archiving waits for it or is seen by it.
///
/// # Errors
/// NOT_FOUND or REFERENCE_INVALID at what cannot be held.
pub fn take(kind: &str, id: Id, entity: Id, branch: Option<Id>, money: Option<Id>) -> Result<(), Problem> {
    let (_, owner, branch_row, money_row, standing) = run((
        lock_shared(books_lock(entity)),
        get::<EntityRow>(entity),
        branch.map(get::<BranchRow>),
        money.map(get::<MoneyRow>),
        find::<HoldRow>("holder", [holder(kind, id)]),
    ))?;
    EntityRow::named(owner, "/legalEntityId")?;
    if branch.is_some() {
        BranchRow::named(branch_row.flatten().as_ref(), entity, "/branchId")?;
    }
    if money.is_some() {
        match money_row.flatten() {
            None => return Err(Problem::reference_missing("/moneyAccountId")),
            Some(row) if row.status == Status::Archived || row.legal_entity_id != entity => {
                return Err(Problem::reference_invalid("/moneyAccountId"));
            }
            Some(_) => {}
        }
    }
    if let Some(standing) = standing.first() {
        run(update::<HoldRow>(standing.id)
            .set(HoldRow::legal_entity_id, &entity)
            .set(HoldRow::branch_id, &branch)
            .set(HoldRow::money_account_id, &money)
            .set(HoldRow::active, &true))?;
        return Ok(());
    }
    let now = Instant(facts().now);
    run(insert([&HoldRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        holder_kind: kind.to_owned(),
        holder_id: id,
        legal_entity_id: entity,
        branch_id: branch,
        money_account_id: money,
        active: true,
    }]))?;
    Ok(())
}

/// Gives a holder's hold back.
pub fn release(kind: &str, id: Id) -> Result<(), Problem> {
    let standing = run(find::<HoldRow>("holder", [holder(kind, id)]))?;
    if let Some(standing) = standing.first().filter(|hold| hold.active) {
        run(update::<HoldRow>(standing.id).set(HoldRow::active, &false))?;
    }
    Ok(())
}
