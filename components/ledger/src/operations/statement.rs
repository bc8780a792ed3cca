//! The statement of an account: its lines by date, with a running balance.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::store::{Rows, aggregate, get, run, select};
use stoa_sdk::{Answer, Call, Date, Field, Id, Operation, Problem, Reply, all, map, today, totals, view};
use stoa_trade::dates::{check_range, day_after};
use stoa_trade::quantity::Amount;
use stoa_trade::{list_query, resource};

use crate::records::account::{Account, AccountRow};
use crate::records::branch::BranchRow;
use crate::records::entry::{EntryLabel, LineRow};
use crate::records::permission::figures;
use crate::rules::days::day_of_id;
use crate::rules::references::check_branch;
use crate::rules::sums::Sums;
use crate::work::balance::{self, Scope};
use crate::work::labels::{describe_line, entries_of};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    figures(Operation::read("/ledger/accounts/{id}/statement", "getAccountStatement", statement))
        .summary("The lines of an account by date, with a running balance")
        .query::<AskStatement>().answers::<Statement>().problems(&["REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
];

list_query! {
    pub struct AskStatement {
        /// First day. Omitted: the first day of the books.
        from: Option<Date>,
        /// Last day. Omitted: today.
        to: Option<Date>,
        party_id: Option<Id>,
        branch_id: Option<Id>,
    }
}

resource! {
    /// A line of a statement.
    pub struct StatementLine of line: LineRow, entry: Option<&EntryLabel>, balance: Amount {
        line_id: Id = line.id,
        entry_id: Id,
        entry_date: Date,
        /// Description of the line, else of its entry.
        description: String = describe_line(line, entry),
        source_kind: String = entry.map(|entry| entry.source_kind.clone()).unwrap_or_default(),
        source_id: Id = entry.map_or(line.entry_id, |entry| entry.source_id),
        debit: Amount,
        credit: Amount,
        /// Debit minus credit of all lines up to and including this one.
        balance: Amount = balance,
    }
}

/// Lines of an account by date. Opening and closing cover the whole range, on every page.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    account: Account,
    opening: Amount,
    items: Vec<StatementLine>,
    next_cursor: Option<Id>,
    closing: Amount,
}

view! { DayOfLine of LineRow { id: Id, entry_date: Date } }

totals! { Both of LineRow by [] { debit: Amount = sum(debit), credit: Amount = sum(credit) } }

fn balance_of(sums: BTreeMap<Id, Sums>) -> Result<Amount, Problem> {
    let sum = sums.into_values().try_fold(Sums::default(), Sums::add);
    sum.and_then(Sums::balance).ok_or_else(Amount::limit_exceeded)
}

pub fn statement(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let query: AskStatement = call.query()?;
    check_range(query.from, query.to)?;
    let end = day_after(query.to.unwrap_or_else(today));
    let account: AccountRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let entity = account.legal_entity_id;
    let (branch, line) = run((query.branch_id.map(get::<BranchRow>), query.cursor.map(get::<DayOfLine>)))?;
    check_branch(branch, entity)?;
    // Any id is a position: one that is not a line has the day of its own instant.
    let day_of_line = line.flatten().map(|line| line.entry_date);
    let place = query.cursor.map(|cursor| (day_of_line.unwrap_or_else(|| day_of_id(cursor)), cursor));
    let scope = Scope { party: query.party_id, branch: query.branch_id, ..Scope::accounts(entity, vec![id]) };
    let from = query.from.map(|day| LineRow::entry_date.ge(day));
    let to = end.map(|day| LineRow::entry_date.lt(day));
    let within = || all([scope.lines()].into_iter().chain(from.clone()).chain(to.clone()));
    // Both sides of the lines of the pages before: of whole days, and of the day on which the page begins.
    let begun = place.filter(|(day, _)| query.from.is_none_or(|from| *day >= from));
    let of_day = begun.map(|(day, line)| {
        let same_day = [LineRow::entry_date.eq(day), LineRow::id.le(line)];
        aggregate::<Both>(all([scope.lines()].into_iter().chain(same_day))).one()
    });
    let after = place.map(|(day, line)| vec![day.put(), line.put()]);
    let lines = select::<LineRow>(within()).by(LineRow::entry_date).after_row(after).limit(query.limit.0);
    let (of_day, lines) = run((of_day, lines))?;
    let [opening, closing] = balance::sums_of_range(&scope, query.from, end)?;
    let (opening, closing) = (balance_of(opening)?, balance_of(closing)?);
    let start = match begun.zip(of_day) {
        None => Some(opening),
        Some(((day, _), both)) => {
            let [before] = balance::sums_before(&scope, [Some(day)])?;
            let of_day = Sums { debit: both.debit, credit: both.credit };
            of_day.balance().and_then(|moved| balance_of(before).ok()?.checked_add(moved))
        }
    };
    let (items, next_cursor) = list_items(lines, start.ok_or_else(Amount::limit_exceeded)?)?;
    let account = Account::from_row(&account);
    Ok(Reply::json(&Statement { account, opening, items, next_cursor, closing }))
}

/// The lines with their running balance, from `start`.
fn list_items(lines: Rows<LineRow>, start: Amount) -> Result<(Vec<StatementLine>, Option<Id>), Problem> {
    let entries = run(entries_of(&lines.items))?;
    let entries = map(entries.into_iter().map(|entry| (entry.id, entry)));
    let mut balance = start;
    let mut items = Vec::new();
    for line in &lines.items {
        let moved = line.debit.checked_sub(line.credit);
        balance = moved.and_then(|moved| balance.checked_add(moved)).ok_or_else(Amount::limit_exceeded)?;
        items.push(StatementLine::from_row(line, entries.get(&line.entry_id), balance));
    }
    let next = items.last().map(|item| item.line_id).filter(|_| lines.more);
    Ok((items, next))
}
