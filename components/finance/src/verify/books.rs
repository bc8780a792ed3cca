//! The books of each legal entity against what its documents say (FI11).

use stoa_sdk::store::{aggregate, read};
use stoa_sdk::{Field, Finding, Id, totals};
use stoa_trade::clients::{books, directory};
use stoa_trade::quantity::Money;

use crate::records::party_entry::PartyEntryRow;
use crate::verify::{Batch, finding};
use crate::work::control::{read_control, read_inventory};

/// Legal entities of a batch.
const ENTITIES: u32 = 5;

totals! { OfEntity of PartyEntryRow by [legal_entity_id: Id] { amount: Money = sum(amount) } }

/// FI11: every control account is at what the documents say.
pub fn check_books(after: Option<Id>) -> Batch {
    let page = read(aggregate::<OfEntity>(Default::default()).after(after.map(|id| vec![id.put()])).limit(ENTITIES));
    let last = page.items.last().filter(|_| page.more).map(|group| group.legal_entity_id);
    let ids: Vec<Id> = page.items.iter().map(|group| group.legal_entity_id).collect();
    if ids.is_empty() {
        return (Vec::new(), None);
    }
    let entities = directory::entities(&ids);
    let kept = entities.iter().filter(|entity| entity.keeps_books);
    let kept = kept.filter_map(|entity| Some((Id::from(entity.id), entity.currency_code.as_deref()?)));
    (kept.filter_map(|(id, currency_code)| check_entity(id, currency_code)).collect(), last)
}

fn check_entity(id: Id, currency_code: &str) -> Option<Finding> {
    let sums =
        read_control(id, currency_code).and_then(|control| Ok(control.roles(read_inventory(id, currency_code)?)));
    let Ok(documents) = sums else {
        return Some(finding("FI11", id, "The sums of the legal entity's documents cannot be computed."));
    };
    let balances = books::balances(id, &documents.map(|(role, _)| role));
    let differs = |(role, sum): &(&str, _)| balances.get(*role).copied().unwrap_or_default() != *sum;
    let is_off = documents.iter().any(differs);
    is_off.then(|| {
        finding("FI11", id, "The balance of a control account of the legal entity differs from its documents.")
    })
}
