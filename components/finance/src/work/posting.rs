//! Entries of the journal as finance posts them (finance-ledger.md A6): what they are of, and their legs.

use stoa_sdk::{Date, Id, Problem};
use stoa_trade::clients::books::{self, Leg, Party, Posting, Side, Target};
use stoa_trade::clients::directory;
use stoa_trade::quantity::{Amount, Money, widen};
use stoa_trade::refusal::illegal;

use crate::work::entries::PartyDocument;

/// The document and the purpose of an entry.
#[derive(Debug, Clone)]
pub struct EntrySource<'a> {
    pub kind: &'a str,
    pub id: Id,
    pub purpose: &'a str,
    /// As a reader of the journal knows the document.
    pub number: &'a str,
}

/// Legal entity, currency and day of an entry, and where the request states them.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    pub entity: Id,
    pub currency_code: &'a str,
    /// Where the request states the currency.
    pub currency_pointer: Option<&'a str>,
    pub on: Date,
    /// Where the request states the day.
    pub on_pointer: &'a str,
}

impl<'a> Terms<'a> {
    /// Terms whose currency the request does not state.
    pub fn new(entity: Id, currency_code: &'a str, on: Date, on_pointer: &'a str) -> Terms<'a> {
        Terms { entity, currency_code, currency_pointer: None, on, on_pointer }
    }
}

/// An entry with these legs.
pub fn draw_entry(terms: Terms<'_>, source: EntrySource<'_>, legs: Vec<Leg>) -> Posting {
    Posting {
        entity: terms.entity.into(),
        currency_code: terms.currency_code.to_owned(),
        currency_pointer: terms.currency_pointer.map(str::to_owned),
        on: Some(terms.on.to_string()),
        on_pointer: Some(terms.on_pointer.to_owned()),
        source_kind: source.kind.to_owned(),
        source_id: source.id.into(),
        purpose: source.purpose.to_owned(),
        text: format!("{} {}", source.kind, source.number),
        legs,
    }
}

/// A leg on the account of a role.
pub fn leg(role: &str, side: Side, amount: Amount) -> Leg {
    Leg {
        target: Target::Role(role.to_owned()),
        side,
        amount: amount.to_string(),
        party: None,
        branch: None,
        pointer: None,
    }
}

/// A leg on the account of a role, of a party.
pub fn party_leg(role: &str, side: Side, amount: Money, party: Party) -> Leg {
    Leg { party: Some(party), ..leg(role, side, widen(amount)) }
}

/// A leg on a money account. An entity without books has none, and posts nothing.
pub fn money_leg(account: Option<Id>, side: Side, amount: Money) -> Option<Leg> {
    let target = Target::Money(account?.into());
    Some(Leg { target, ..leg("", side, widen(amount)) })
}

/// The same leg, of a branch.
pub fn of_branch(leg: Leg, branch: Option<Id>) -> Leg {
    Leg { branch: branch.map(Into::into), ..leg }
}

/// Mirrors every entry of a document. One that was posted before the books began has none, and cannot be undone: a credit
/// corrects it.
///
/// # Errors
/// ILLEGAL_STATE with BEFORE_BOOKS; the codes of accounting.
pub fn undo(row: &impl PartyDocument, on: Date, on_pointer: &str) -> Result<(), Problem> {
    let (kind, document) = (row.source_kind(), row.document());
    let text = format!("{kind} {}", document.number);
    let mirrors = books::service::mirror(kind, document.id.into(), Some(&on.to_string()), Some(on_pointer), &text)?;
    // A document that was worth something has an entry, with books.
    if mirrors.is_empty() && !row.posted_amount().is_zero() {
        let keeps_books = directory::entities(&[row.debtor().entity]).first().is_some_and(|entity| entity.keeps_books);
        if keeps_books {
            return Err(illegal("/path/id", "BEFORE_BOOKS"));
        }
    }
    Ok(())
}
