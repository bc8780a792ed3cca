//! The invariants of finance (finance-ledger.md B12), checked in bounded batches: invoices and what they bill, then
//! payments, credits, applications, tills, collections and returns, totals by month, and the books at last.

mod books;
mod funds;
mod goods;
mod invoices;
mod orders;
mod tills;

use stoa_sdk::store::{read, select};
use stoa_sdk::{Entity, Filter, Finding, Findings, Id};
use stoa_trade::snapshot::{check_lines, check_totals};

use crate::work::month_totals::{MoneyMoves, Parties, Revenue};

/// Rows of a batch, unless each leads to many more.
const ROWS: u32 = 200;

/// The findings of a batch, and the last row that it looked at where others follow.
type Batch = (Vec<Finding>, Option<Id>);

/// A check and its name in cursors: it goes on after the row that it looked at last.
type Stage = (&'static str, fn(Option<Id>) -> Batch);

/// The stages in their order.
const STAGES: [Stage; 15] = [
    ("invoice", |after| check_page(after, Filter::default(), invoices::INVOICES, invoices::check_invoices)),
    ("billed", |after| check_page(after, orders::filter_issued(), orders::INVOICES, orders::check_billed)),
    ("application", |after| check_page(after, Filter::default(), ROWS, invoices::check_applications)),
    ("payment", |after| check_page(after, Filter::default(), ROWS, funds::check_payments)),
    ("credit", |after| check_page(after, Filter::default(), ROWS, funds::check_credits)),
    ("till", |after| check_page(after, Filter::default(), ROWS, tills::check_tills)),
    ("collection", |after| check_page(after, Filter::default(), ROWS, tills::check_collections)),
    ("return", |after| check_page(after, Filter::default(), ROWS, goods::check_returns)),
    ("entry", check_lines::<Parties, 1>),
    ("party-total", check_totals::<Parties, 1>),
    ("revenue-line", check_lines::<Revenue, 3>),
    ("revenue-total", check_totals::<Revenue, 3>),
    ("money-move", check_lines::<MoneyMoves, 1>),
    ("money-total", check_totals::<MoneyMoves, 1>),
    ("books", books::check_books),
];

/// Checks the page of rows after this one.
fn check_page<R: Entity>(after: Option<Id>, filter: Filter, limit: u32, check: fn(&[R]) -> Vec<Finding>) -> Batch {
    let page = read(select::<R>(filter).after(after).limit(limit));
    let last = page.items.last().filter(|_| page.more).map(|row| row.id());
    let findings = if page.items.is_empty() { Vec::new() } else { check(&page.items) };
    (findings, last)
}

fn finding(invariant: &str, resource: Id, message: &str) -> Finding {
    Finding { invariant: invariant.to_owned(), resource: Some(resource.into()), message: message.to_owned() }
}

/// The cursor names the stage and how far it came.
pub fn verify(cursor: Option<String>) -> Findings {
    let cursor = cursor.unwrap_or_default();
    let (stage, after) = cursor.split_once(':').unwrap_or(("", ""));
    let index = STAGES.iter().position(|(name, _)| *name == stage).unwrap_or_default();
    let Some((name, check)) = STAGES.get(index) else { return Findings { findings: Vec::new(), next: None } };
    let (findings, last) = check(after.parse().ok());
    let next = match last {
        Some(last) => Some(format!("{name}:{last}")),
        None => STAGES.get(index + 1).map(|(name, _)| format!("{name}:")),
    };
    Findings { findings, next }
}
