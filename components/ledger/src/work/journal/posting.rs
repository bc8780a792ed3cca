//! Posting: legs that name roles, accounts and money become lines, in the order of checks that the interface promises.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::host::reject_argument;
use stoa_sdk::{Date, Id, Problem, today};
use stoa_trade::dates::{Month, effective_day};
use stoa_trade::quantity::Amount;

use crate::records::account::Postability;
use crate::records::entry::{MOST_LINES, PartyType};
use crate::records::role::Role;
use crate::rules::books::{Books, refuse_precision};
use crate::work::journal::write::{Draft, Line, write};
use crate::work::setup::{Demand, Setup};

/// Target of a leg: a role, an account or a money account.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    Role(Role),
    Account(Id),
    Money(Id),
}

#[derive(Debug, Clone)]
pub struct Leg {
    pub target: Target,
    pub is_debit: bool,
    /// None: beyond what any journal holds.
    pub amount: Option<Amount>,
    pub party: Option<(PartyType, Id)>,
    pub branch: Option<Id>,
    pub pointer: Option<String>,
}

/// An entry to be posted.
#[derive(Debug, Clone)]
pub struct Posting {
    pub entity: Id,
    pub currency: String,
    pub currency_pointer: Option<String>,
    pub on: Option<Date>,
    pub on_pointer: Option<String>,
    pub source_kind: String,
    pub source_id: Id,
    pub purpose: String,
    pub text: String,
    pub legs: Vec<Leg>,
}

impl Posting {
    /// The legs that are above zero.
    fn legs(&self) -> impl Iterator<Item = &Leg> {
        self.legs.iter().filter(|leg| leg.amount != Some(Amount::ZERO))
    }

    fn is_empty(&self) -> bool {
        self.legs().next().is_none()
    }
}

/// Posts the entries, all or none; none for what keeps no books or has nothing above zero.
pub fn post(postings: &[Posting]) -> Result<Vec<Option<Id>>, Problem> {
    let live: Vec<&Posting> = postings.iter().filter(|posting| !posting.is_empty()).collect();
    if live.is_empty() {
        return Ok(vec![None; postings.len()]);
    }
    let setup = Setup::read(collect_demand(&live))?;
    let mut fresh = BTreeSet::new();
    let mut drafts = Vec::new();
    let mut places = Vec::new();
    for posting in postings {
        let draft = if posting.is_empty() { None } else { draft_entry(posting, &setup, &mut fresh)? };
        places.push(draft.is_some());
        drafts.extend(draft);
    }
    let mut ids = write(drafts, fresh)?.into_iter().map(|entry| entry.id);
    Ok(places.into_iter().map(|has_entry| if has_entry { ids.next() } else { None }).collect())
}

fn collect_demand(postings: &[&Posting]) -> Demand {
    let mut demand = Demand::default();
    for posting in postings {
        demand.month(posting.entity, Month::from_day(posting.on.unwrap_or_else(today)));
        for leg in posting.legs() {
            match leg.target {
                // Comes with the entity.
                Target::Role(_) => {}
                Target::Account(account) => demand.account(posting.entity, account),
                Target::Money(money) => demand.money(posting.entity, money),
            }
        }
    }
    demand
}

/// The entry as it will be written; None where no books are kept. Accounts without a line so far come into `fresh`.
fn draft_entry(posting: &Posting, setup: &Setup, fresh: &mut BTreeSet<Id>) -> Result<Option<Draft>, Problem> {
    let entity = posting.entity;
    let Some(books) = setup.books(entity)? else { return Ok(None) };
    let day = effective_day(posting.on, today(), posting.on_pointer.as_deref().unwrap_or_default())?;
    books.check_currency(&posting.currency, posting.currency_pointer.as_deref())?;
    setup.require_accounts(
        entity,
        posting.legs().filter_map(|leg| match leg.target {
            Target::Role(role) => Some(role),
            Target::Account(_) | Target::Money(_) => None,
        }),
    )?;
    setup.check_day(entity, &books, day, posting.on_pointer.as_deref().unwrap_or_default())?;
    let (lines, total) = merge_legs(posting, &books, setup, fresh)?;
    Ok(Some(Draft {
        entity,
        is_late: setup.is_late(entity),
        day,
        currency: books.currency_code,
        source_kind: posting.source_kind.clone(),
        source_id: Some(posting.source_id),
        purpose: posting.purpose.clone(),
        description: posting.text.clone(),
        reference: None,
        reversal_of: None,
        total,
        lines,
    }))
}

fn find_account<'a>(leg: &Leg, entity: Id, setup: &'a Setup) -> Result<&'a Postability, Problem> {
    match leg.target {
        Target::Role(role) => setup.account_of(entity, role).ok_or_else(|| Problem::new("ACCOUNTING_SETUP_REQUIRED")),
        Target::Money(money) => match setup.money(entity, money) {
            Some((row, account)) if row.legal_entity_id == entity => Ok(account),
            _ => reject_argument("a posting names money of another entity"),
        },
        // A document may have named it long before.
        Target::Account(id) => match setup.account(entity, id) {
            Some(account) if account.takes_documents(entity) => Ok(account),
            _ => Err(Problem::reference_invalid(leg.pointer.clone().unwrap_or_default())),
        },
    }
}

/// Group that one line sums: account, side, party, branch.
type Group = (Id, bool, Option<(u8, Id)>, Option<Id>);

/// One line per group, in the order of the legs; with the sum of the debits.
fn merge_legs(
    posting: &Posting,
    books: &Books,
    setup: &Setup,
    fresh: &mut BTreeSet<Id>,
) -> Result<(Vec<Line>, Amount), Problem> {
    let mut places: BTreeMap<Group, usize> = BTreeMap::new();
    let mut lines: Vec<Line> = Vec::new();
    let mut pointers: Vec<Vec<String>> = Vec::new();
    let mut unfit = Vec::new();
    for leg in posting.legs() {
        let account = find_account(leg, posting.entity, setup)?;
        if !account.used {
            fresh.insert(account.id);
        }
        let account = account.id;
        let party = leg.party.map(|(kind, id)| (kind as u8, id));
        let place = *places.entry((account, leg.is_debit, party, leg.branch)).or_insert_with(|| {
            lines.push(Line {
                account,
                is_debit: leg.is_debit,
                amount: Amount::ZERO,
                party: leg.party,
                branch: leg.branch,
                description: None,
            });
            pointers.push(Vec::new());
            lines.len() - 1
        });
        let (Some(line), Some(named)) = (lines.get_mut(place), pointers.get_mut(place)) else { continue };
        named.extend(leg.pointer.clone());
        match leg.amount.and_then(|amount| line.amount.checked_add(amount)) {
            Some(sum) => line.amount = sum,
            None => unfit.extend(leg.pointer.clone().into_iter().chain([String::new()]).take(1)),
        }
    }
    for (line, named) in lines.iter().zip(&pointers) {
        if !books.holds(line.amount) {
            match named.as_slice() {
                [] => unfit.push(String::new()),
                named => unfit.extend(named.iter().cloned()),
            }
        }
    }
    if !unfit.is_empty() {
        return Err(refuse_precision(unfit));
    }
    if lines.len() > MOST_LINES {
        return Err(Problem::limit_exceeded("", MOST_LINES, "LINES"));
    }
    let side = |is_debit: bool| {
        let amounts = lines.iter().filter(|line| line.is_debit == is_debit).map(|line| line.amount);
        amounts.into_iter().try_fold(Amount::ZERO, Amount::checked_add)
    };
    let (Some(debit), Some(credit)) = (side(true), side(false)) else { return Err(refuse_precision([String::new()])) };
    if debit != credit {
        reject_argument("a posting does not balance");
    }
    if !books.holds(debit) {
        return Err(refuse_precision([String::new()]));
    }
    Ok((lines, debit))
}
