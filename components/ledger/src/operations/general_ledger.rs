//! The general ledger: the lines of an entity's journal in the order of posting.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Bounds, Call, Date, Id, Operation, Page, Reply, all, fit_page, map};
use stoa_trade::dates::check_range;
use stoa_trade::quantity::Amount;
use stoa_trade::refusal::out_of_range;
use stoa_trade::{list_query, resource};

use crate::records::account::AccountLabel;
use crate::records::branch::BranchRow;
use crate::records::entity::EntityRow;
use crate::records::entry::{EntryLabel, LineRow, MOST_LINES, PartyType};
use crate::records::permission::figures;
use crate::rules::books::require_books;
use crate::rules::references::check_branch;
use crate::work::balance::Scope;
use crate::work::labels::{accounts_of, describe_line, entries_of};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    figures(Operation::read("/ledger/general-ledger", "getGeneralLedger", general_ledger))
        .summary("Lines of the journal in the order of posting")
        .query::<AskGeneralLedger>().answers::<Page<LedgerLine>>()
        .problems(&["NOT_FOUND", "ILLEGAL_STATE", "REFERENCE_INVALID"]).item_codes(&["BOOKS_NOT_KEPT"]),
];

/// Days that a general ledger spans at most.
const LONGEST: i64 = 366;

list_query! {
    pub struct AskGeneralLedger {
        legal_entity_id: Id,
        /// First day of the range.
        from: Date,
        /// Last day, at most 366 days after the first.
        to: Date,
        branch_id: Option<Id>,
    }
}

resource! {
    /// A line of the general ledger.
    pub struct LedgerLine of line: LineRow, entry: Option<&EntryLabel>, account: Option<&AccountLabel> {
        line_id: Id = line.id,
        entry_id: Id,
        #[schemars(range(min = 1, max = MOST_LINES))]
        line_no: i64,
        entry_date: Date,
        account_id: Id,
        account_code: String = account.map(|account| account.code.clone()).unwrap_or_default(),
        account_name: String = account.map(|account| account.name.clone()).unwrap_or_default(),
        /// Description of the line, else of its entry.
        description: String = describe_line(line, entry),
        source_kind: String = entry.map(|entry| entry.source_kind.clone()).unwrap_or_default(),
        source_id: Id = entry.map_or(line.entry_id, |entry| entry.source_id),
        debit: Amount,
        credit: Amount,
        party_type: Option<PartyType>,
        party_id: Option<Id>,
        branch_id: Option<Id> = line.branch.0,
    }
}

pub fn general_ledger(call: &Call) -> Answer {
    let query: AskGeneralLedger = call.query()?;
    check_range(Some(query.from), Some(query.to))?;
    if query.to.days() - query.from.days() >= LONGEST {
        return Err(out_of_range("/query/to", Bounds::between(1_i64, LONGEST).of_counted("DAYS")));
    }
    let id = query.legal_entity_id;
    let within = [LineRow::entry_date.ge(query.from), LineRow::entry_date.le(query.to)];
    let filter = all([Scope::entity(id, query.branch_id).lines()].into_iter().chain(within));
    let (entity, branch, lines) = fit_page(query.limit, |limit| {
        run((
            get::<EntityRow>(id),
            query.branch_id.map(get::<BranchRow>),
            select::<LineRow>(filter.clone()).page(query.cursor).limit(limit),
        ))
    })?;
    require_books(entity, "/query/legalEntityId")?;
    check_branch(branch, id)?;
    let (entries, accounts) = run((entries_of(&lines.items), accounts_of(&lines.items)))?;
    let entries = map(entries.into_iter().map(|entry| (entry.id, entry)));
    let accounts = map(accounts.into_iter().map(|account: AccountLabel| (account.id, account)));
    let show = |line: LineRow| LedgerLine::from_row(&line, entries.get(&line.entry_id), accounts.get(&line.account_id));
    Ok(Reply::json(&Page::from_rows(lines.items, lines.more, |line| line.id, show)))
}
