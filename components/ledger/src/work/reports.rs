//! The first reads of every report of an entity's books.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Filter, Id, Problem, all};

use crate::records::account::{AccountLabel, AccountRow};
use crate::records::branch::BranchRow;
use crate::records::entity::EntityRow;
use crate::rules::books::{Books, require_books};
use crate::rules::references::check_branch;
use crate::rules::results::sort_by_code;
use crate::work::balance::Scope;

/// Whom a report is about.
pub struct Subject {
    pub books: Books,
    /// Ordered by code.
    pub accounts: Vec<AccountLabel>,
    pub scope: Scope,
}

/// The books of an entity, or of a branch of it, and those of its accounts that meet the filter.
///
/// # Errors
/// NOT_FOUND, BOOKS_NOT_KEPT, REFERENCE_INVALID: of the query's `legalEntityId` and `branchId`.
pub fn read_subject(entity: Id, branch: Option<Id>, accounts: Filter) -> Result<Subject, Problem> {
    let (row, accounts, of_branch) = run((
        get::<EntityRow>(entity),
        select::<AccountLabel>(all([AccountRow::legal_entity_id.eq(entity), accounts])).whole(),
        branch.map(get::<BranchRow>),
    ))?;
    let books = require_books(row, "/query/legalEntityId")?;
    check_branch(of_branch, entity)?;
    Ok(Subject { books, accounts: sort_by_code(accounts), scope: Scope::entity(entity, branch) })
}
