//! The service `commerce:ledger/directory`: entities and branches as other modules name them, and holds on them.

use stoa_sdk::store::{find, get, read, run};
use stoa_sdk::{Field, Id, Problem};
use stoa_trade::services::read_rows;
use stoa_trade::{Status, require_named, usable};

use crate::bindings::exports::commerce::ledger::directory::{Branch, Entity, Guest};
use crate::records::branch::BranchRow;
use crate::records::entity::EntityRow;
use crate::services::Services;
use crate::work::holds;

fn entity(row: EntityRow) -> Entity {
    let books = row.books();
    Entity {
        id: row.id.into(),
        code: row.code,
        name: row.name,
        active: row.status == Status::Active,
        keeps_books: books.is_some(),
        // At most 12.
        amount_scale: books.as_ref().and_then(|books| u8::try_from(books.scale).ok()),
        currency_code: books.map(|books| books.currency_code),
    }
}

fn branch(row: BranchRow) -> Branch {
    Branch {
        id: row.id.into(),
        entity_id: row.legal_entity_id.into(),
        code: row.code,
        name: row.name,
        active: row.status == Status::Active,
    }
}

impl Guest for Services {
    fn entities(ids: Vec<(u64, u64)>) -> Vec<Entity> {
        read_rows(ids).into_iter().map(entity).collect()
    }

    fn branches(ids: Vec<(u64, u64)>) -> Vec<Branch> {
        read_rows(ids).into_iter().map(branch).collect()
    }

    fn find_entity(code: String) -> Option<Entity> {
        let rows = read(find::<EntityRow>("code", [vec![code.to_ascii_lowercase().put()]]));
        rows.into_iter().next().map(entity)
    }

    fn find_branch(entity: (u64, u64), code: String) -> Option<Branch> {
        let key = vec![Id::from(entity).put(), code.to_ascii_lowercase().put()];
        read(find::<BranchRow>("code", [key])).into_iter().next().map(branch)
    }

    fn require(
        entity_id: (u64, u64),
        entity_pointer: String,
        branch: Option<(u64, u64)>,
        branch_pointer: String,
    ) -> Result<Entity, Problem> {
        let id = Id::from(entity_id);
        let (row, branch_row) = run((get::<EntityRow>(id), branch.map(|id| get::<BranchRow>(id.into()))))?;
        // A missing reference is reported before an unusable one.
        let row = row.ok_or_else(|| Problem::reference_missing(entity_pointer.as_str()))?;
        let branch = require_named(branch_row, &branch_pointer)?;
        let row = usable(Some(row), &entity_pointer)?;
        if let Some(branch) = branch {
            branch.require_active(id, &branch_pointer)?;
        }
        Ok(entity(row))
    }

    fn hold(
        holder_kind: String,
        holder: (u64, u64),
        entity: (u64, u64),
        branch: Option<(u64, u64)>,
        money_account: Option<(u64, u64)>,
    ) -> Result<(), Problem> {
        holds::take(&holder_kind, holder.into(), entity.into(), branch.map(Id::from), money_account.map(Id::from))
    }

    fn release(holder_kind: String, holder: (u64, u64)) -> Result<(), Problem> {
        holds::release(&holder_kind, holder.into())
    }
}
