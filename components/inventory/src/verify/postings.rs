//! Entries that inventory posted by itself, against the worth of their goods: each request has one entry, of that worth. I10
//! finds a missing entry: the account of INVENTORY takes no entry by hand.

use std::collections::BTreeMap;

use stoa_sdk::store::{aggregate, read, select};
use stoa_sdk::{Filter, Id, all, set, totals, view};
use stoa_trade::clients::books::{self, Posted};
use stoa_trade::pages::read_every;
use stoa_trade::quantity::Amount;
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding};

use crate::records::cost::CostEntryRow;
use crate::records::movement::{DocumentType, MovementRow};
use crate::work::goods::post;

/// Movements of a batch, and those of its last instant.
const BATCH: u32 = 100;

/// Sources of one question.
const SOURCES: usize = 500;

view! {
    Moved of MovementRow { id: Id, request_id: Id, document_type: Option<DocumentType>, document_id: Option<Id> }
}

pub fn verify(after: Option<Id>) -> Batch {
    let page = read(select::<Moved>(Filter::default()).after(after).limit(BATCH));
    let Some(end) = page.items.last().map(|row| row.id) else { return NOTHING_LEFT };
    let mut rows = page.items;
    if page.more {
        // Ids of one request bear one instant: a batch goes on to the end of its last one, so that every request is in it whole.
        let rest = all([MovementRow::id.gt(end), MovementRow::id.lt(next_instant(end))]);
        rows.extend(read_every(&rest, |row: &Moved| row.id));
    }
    let last = rows.last().map(|row| row.id).filter(|_| page.more);
    let mut requests: BTreeMap<Id, Vec<Moved>> = BTreeMap::new();
    for row in rows {
        requests.entry(row.request_id).or_default().push(row);
    }
    let movements: Vec<Id> = requests.values().flatten().map(|row| row.id).collect();
    let counts: Vec<Id> = set(requests.values().flatten().filter_map(count)).into_iter().collect();
    let posted = read_entries(post::MOVEMENT, &movements).into_iter().chain(read_entries(post::COUNT, &counts));
    let mut entries: BTreeMap<Id, Vec<Posted>> = BTreeMap::new();
    posted.for_each(|entry| entries.entry(entry.source_id.into()).or_default().push(entry));
    let worth = worth(&movements);
    let mut findings = Vec::new();
    for rows in requests.values() {
        let Some(first) = rows.first() else { continue };
        let sources = set(rows.iter().map(|row| row.id).chain(rows.iter().filter_map(count)));
        let own_entries: Vec<&Posted> = sources.iter().filter_map(|source| entries.get(source)).flatten().collect();
        let worth: i128 = rows.iter().filter_map(|row| worth.get(&row.id)).sum();
        if own_entries.len() > 1 {
            findings.push(finding("entry-once", first.id, "The movement's request has several entries in the books."));
        }
        if own_entries.first().is_some_and(|entry| entry.total.parse() != Ok(Amount::from_units(worth))) {
            let message = "The books' entry is not what the movement's goods were worth.";
            findings.push(finding("entry-total", first.id, message));
        }
    }
    (findings, last)
}

/// The lowest id of the instant after an id's.
fn next_instant(id: Id) -> Id {
    Id(((id.0 >> 16) + 1) << 16, 0)
}

fn count(row: &Moved) -> Option<Id> {
    row.document_id.filter(|_| row.document_type == Some(DocumentType::StockCount))
}

fn read_entries((kind, purpose): (&str, &str), sources: &[Id]) -> Vec<Posted> {
    let entries = sources.chunks(SOURCES).flat_map(|sources| books::entries(kind, sources));
    entries.filter(|entry| entry.purpose == purpose).collect()
}

totals! { MovementWorth of CostEntryRow by [movement_id: Option<Id>] { amount: Amount = sum(amount) } }

/// Worth of the goods that inventory posts by itself, by movement.
fn worth(movements: &[Id]) -> BTreeMap<Id, i128> {
    let own_kinds = CostEntryRow::kind.one_of(post::OWN);
    let mut worth = BTreeMap::new();
    for movements in movements.chunks(SOURCES) {
        let filter = all([CostEntryRow::movement_id.one_of(movements.iter().copied()), own_kinds.clone()]);
        let sums = read(aggregate::<MovementWorth>(filter).whole());
        worth.extend(sums.into_iter().filter_map(|sum| Some((sum.movement_id?, sum.amount.units().abs()))));
    }
    worth
}
