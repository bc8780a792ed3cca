//! The lines of the journal: all of an entity in posting order, or those of one account by date with a running balance.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{Rows, aggregate, get, run, select};
use stoa_sdk::{Answer, Call, Date, Field, Filter, Id, Limit, Page, Problem, Reply, all, any, map, paged, view};

use crate::account::{Account, AccountLabel, AccountRow};
use crate::balance::{self, Amount, Scope, Sums};
use crate::branch::BranchRow;
use crate::entity::EntityRow;
use crate::entry::{EntryRow, LineRow, PartyType};
use crate::month::{day_after, today};
use crate::refusal::invalid;
use crate::trial_balance::{of_entity, reported};

/// Days that a general ledger spans at most.
const LONGEST: i64 = 366;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskGeneralLedger {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    legal_entity_id: Id,
    /// The first day.
    from: Date,
    /// The last day, at most 366 days from the first.
    to: Date,
    branch_id: Option<Id>,
}

/// A line of the general ledger.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LedgerLine {
    line_id: Id,
    entry_id: Id,
    line_no: i64,
    entry_date: Date,
    account_id: Id,
    account_code: String,
    account_name: String,
    /// The line's, or its entry's.
    description: String,
    source_kind: String,
    source_id: Id,
    debit: Amount,
    credit: Amount,
    party_type: Option<PartyType>,
    party_id: Option<Id>,
    branch_id: Option<Id>,
}

view! {
    EntryLabel of EntryRow { id: Id, description: String, source_kind: String, source_id: Id }
}

fn in_order(from: Option<Date>, to: Option<Date>) -> Result<(), Problem> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(invalid("/query/to", "RANGE")),
        _ => Ok(()),
    }
}

pub fn general_ledger(call: &Call) -> Answer {
    let query: AskGeneralLedger = call.query()?;
    in_order(Some(query.from), Some(query.to))?;
    if query.to.days() - query.from.days() >= LONGEST {
        return Err(invalid("/query/to", "RANGE"));
    }
    let id = query.legal_entity_id;
    let within = [LineRow::entry_date.ge(query.from), LineRow::entry_date.le(query.to)];
    let filter = all([Scope::entity(id, query.branch_id).lines()].into_iter().chain(within));
    let (entity, branch, lines) = paged(query.limit, |limit| {
        run((
            get::<EntityRow>(id),
            query.branch_id.map(get::<BranchRow>),
            select::<LineRow>(filter.clone()).after(query.cursor).limit(limit),
        ))
    })?;
    reported(entity, "/query/legalEntityId")?;
    of_entity(query.branch_id, branch, id)?;
    let (entries, accounts) = run((entries(&lines.items), crate::entry::labels(&lines.items)))?;
    let entries = map(entries.into_iter().map(|entry| (entry.id, entry)));
    let accounts = map(accounts.into_iter().map(|account: AccountLabel| (account.id, account)));
    let shown = |line: LineRow| {
        let (entry, account) = (entries.get(&line.entry_id), accounts.get(&line.account_id));
        LedgerLine {
            line_id: line.id,
            entry_id: line.entry_id,
            line_no: line.line_no,
            entry_date: line.entry_date,
            account_id: line.account_id,
            account_code: account.map(|account| account.code.clone()).unwrap_or_default(),
            account_name: account.map(|account| account.name.clone()).unwrap_or_default(),
            description: described(line.description, entry),
            source_kind: entry.map(|entry| entry.source_kind.clone()).unwrap_or_default(),
            source_id: entry.map_or(line.entry_id, |entry| entry.source_id),
            debit: line.debit,
            credit: line.credit,
            party_type: line.party_type,
            party_id: line.party_id,
            branch_id: line.branch.0,
        }
    };
    Ok(Reply::json(&Page::of(lines.items, lines.more, |line| line.id, shown)))
}

fn entries(lines: &[LineRow]) -> stoa_sdk::store::GetAll<EntryLabel> {
    stoa_sdk::store::get_all(stoa_sdk::set(lines.iter().map(|line| line.entry_id)))
}

fn described(own: Option<String>, entry: Option<&EntryLabel>) -> String {
    own.or_else(|| entry.map(|entry| entry.description.clone())).unwrap_or_default()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskStatement {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    /// The first day; omitted: the first of the books.
    from: Option<Date>,
    /// The last day; omitted: today.
    to: Option<Date>,
    party_id: Option<Id>,
    branch_id: Option<Id>,
}

/// A line of a statement.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatementLine {
    line_id: Id,
    entry_id: Id,
    entry_date: Date,
    /// The line's, or its entry's.
    description: String,
    source_kind: String,
    source_id: Id,
    debit: Amount,
    credit: Amount,
    /// Debit minus credit of all lines up to and with this one.
    balance: Amount,
}

/// The lines of an account by date. Opening and closing are those of the whole range, whichever page this is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    account: Account,
    opening: Amount,
    items: Vec<StatementLine>,
    next_cursor: Option<Id>,
    closing: Amount,
}

view! { Place of LineRow { id: Id, account_id: Id, entry_date: Date } }

fn balance_of(answer: (Option<Vec<stoa_sdk::store::Row>>, Vec<stoa_sdk::store::Row>)) -> Result<Amount, Problem> {
    let mut sums = Sums::default();
    for more in balance::fold(answer)?.into_values() {
        sums = sums.add(more).ok_or_else(Problem::limit_exceeded)?;
    }
    sums.balance().ok_or_else(Problem::limit_exceeded)
}

pub fn statement(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let query: AskStatement = call.query()?;
    in_order(query.from, query.to)?;
    let end = day_after(query.to.unwrap_or_else(today));
    let account: AccountRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let entity = account.legal_entity_id;
    let (branch, place, before, until) = run((
        query.branch_id.map(get::<BranchRow>),
        query.cursor.map(get::<Place>),
        query.from.map(|from| balance::last_closed(entity, Some(from))),
        balance::last_closed(entity, end),
    ))?;
    of_entity(query.branch_id, branch, entity)?;
    let place = match (query.cursor, place.flatten()) {
        (None, _) => None,
        (Some(_), Some(place)) if place.account_id == id => Some(place),
        // A position in a statement by date is that of a line.
        (Some(_), _) => return Err(invalid("/query/cursor", "FORMAT")),
    };
    let scope = Scope { party: query.party_id, branch: query.branch_id, ..Scope::accounts(entity, vec![id]) };
    let from = query.from.map(|day| LineRow::entry_date.ge(day));
    let to = end.map(|day| LineRow::entry_date.lt(day));
    let within = || all([scope.lines()].into_iter().chain(from.clone()).chain(to.clone()));
    // Both sides of what the pages before have shown.
    let shown = place.as_ref().map(|place| {
        let same_day = all([LineRow::entry_date.eq(place.entry_date), LineRow::id.le(place.id)]);
        let shown = any([LineRow::entry_date.lt(place.entry_date), same_day]);
        aggregate::<LineRow>(all([within(), shown]))
            .sum(LineRow::debit, Filter::default())
            .sum(LineRow::credit, Filter::default())
    });
    let opening = query.from.map(|from| balance::sums(&scope, before.as_ref().and_then(balance::base), Some(from)));
    let closing = balance::sums(&scope, balance::base(&until), end);
    let after = place.map(|place| vec![place.entry_date.put(), place.id.put()]);
    let lines = select::<LineRow>(within()).by(LineRow::entry_date).after_row(after).limit(query.limit.0);
    let (opening, closing, shown, lines) = balance::run_sums((opening, closing, shown, lines))?;
    let opening = opening.map_or(Ok(Amount::ZERO), balance_of)?;
    let closing = balance_of(closing)?;
    let shown = shown.and_then(|rows| rows.into_iter().next()).and_then(|row| {
        let mut values = row.into_iter();
        Some(Sums { debit: Amount::take(values.next()?)?, credit: Amount::take(values.next()?)? })
    });
    let start = shown.unwrap_or_default().balance().and_then(|shown| opening.checked_add(shown));
    let (items, next_cursor) = items(lines, start.ok_or_else(Problem::limit_exceeded)?)?;
    let account = Account::of(account, stoa_sdk::facts().tenant.into());
    Ok(Reply::json(&Statement { account, opening, items, next_cursor, closing }))
}

/// The lines with their running balance, from `start`.
fn items(lines: Rows<LineRow>, start: Amount) -> Result<(Vec<StatementLine>, Option<Id>), Problem> {
    let entries = run(entries(&lines.items))?;
    let entries = map(entries.into_iter().map(|entry| (entry.id, entry)));
    let mut balance = start;
    let mut items = Vec::new();
    for line in lines.items {
        let moved = line.debit.checked_sub(line.credit);
        balance = moved.and_then(|moved| balance.checked_add(moved)).ok_or_else(Problem::limit_exceeded)?;
        let entry = entries.get(&line.entry_id);
        items.push(StatementLine {
            line_id: line.id,
            entry_id: line.entry_id,
            entry_date: line.entry_date,
            description: described(line.description, entry),
            source_kind: entry.map(|entry| entry.source_kind.clone()).unwrap_or_default(),
            source_id: entry.map_or(line.entry_id, |entry| entry.source_id),
            debit: line.debit,
            credit: line.credit,
            balance,
        });
    }
    let next = items.last().map(|item| item.line_id).filter(|_| lines.more);
    Ok((items, next))
}
