//! The service `commerce:ledger/books`: how other modules post, and what they ask first.

use stoa_sdk::host::reject_argument;
use stoa_sdk::store::{MOST_KEYS, get_all, run, select};
use stoa_sdk::{Id, Problem, all, today};
use stoa_trade::arguments::parse;
use stoa_trade::dates::day_after;
use stoa_trade::pages::read_every;
use stoa_trade::quantity::Amount;

use crate::bindings::exports::commerce::ledger::books as service;
use crate::bindings::exports::commerce::ledger::books::Guest;
use crate::records::account::Postability;
use crate::records::entry::{EntryRow, PartyType};
use crate::records::mapping::RoleMappingRow;
use crate::records::role::Role;
use crate::rules::amounts::{read_amount, significant_decimals};
use crate::rules::books::refuse_precision;
use crate::services::Services;
use crate::work::balance::{self, Scope};
use crate::work::entities::begin_books;
use crate::work::journal::mirror::mirror_sources;
use crate::work::journal::posting::{Leg, Posting, Target, post};
use crate::work::setup::{Demand, Setup};

fn role(name: &str) -> Role {
    Role::of_name(name).unwrap_or_else(|| reject_argument("a posting role is unknown"))
}

fn posting(stated: service::Posting) -> Posting {
    let leg = |leg: service::Leg| Leg {
        target: match leg.target {
            service::Target::Role(name) => Target::Role(role(&name)),
            service::Target::Account(id) => Target::Account(id.into()),
            service::Target::Money(id) => Target::Money(id.into()),
        },
        is_debit: leg.side == service::Side::Debit,
        amount: read_amount(&leg.amount),
        party: leg.party.map(|party| {
            let kind = match party.kind {
                service::PartyKind::Customer => PartyType::Customer,
                service::PartyKind::Supplier => PartyType::Supplier,
            };
            (kind, Id::from(party.id))
        }),
        branch: leg.branch.map(Id::from),
        pointer: leg.pointer,
    };
    Posting {
        entity: stated.entity.into(),
        currency: stated.currency_code,
        currency_pointer: stated.currency_pointer,
        on: stated.on.as_deref().map(parse),
        on_pointer: stated.on_pointer,
        source_kind: stated.source_kind,
        source_id: stated.source_id.into(),
        purpose: stated.purpose,
        text: stated.text,
        legs: stated.legs.into_iter().map(leg).collect(),
    }
}

impl Guest for Services {
    fn post(stated: service::Posting) -> Result<Option<(u64, u64)>, Problem> {
        let entries = post(&[posting(stated)])?;
        Ok(entries.into_iter().next().flatten().map(Into::into))
    }

    fn post_all(postings: Vec<service::Posting>) -> Result<Vec<Option<(u64, u64)>>, Problem> {
        let postings: Vec<Posting> = postings.into_iter().map(posting).collect();
        Ok(post(&postings)?.into_iter().map(|entry| entry.map(Into::into)).collect())
    }

    fn mirror(
        source_kind: String,
        source_id: (u64, u64),
        on: Option<String>,
        on_pointer: Option<String>,
        text: String,
    ) -> Result<Vec<(u64, u64)>, Problem> {
        Self::mirror_all(source_kind, vec![source_id], on, on_pointer, text)
    }

    fn mirror_all(
        source_kind: String,
        source_ids: Vec<(u64, u64)>,
        on: Option<String>,
        on_pointer: Option<String>,
        text: String,
    ) -> Result<Vec<(u64, u64)>, Problem> {
        let on = on.as_deref().map(parse);
        let pointer = on_pointer.unwrap_or_default();
        let sources: Vec<Id> = source_ids.into_iter().map(Id::from).collect();
        let mirrors = mirror_sources(&source_kind, &sources, on, &pointer, &text)?;
        Ok(mirrors.into_iter().map(Into::into).collect())
    }

    fn admit(
        entity: (u64, u64),
        currency_code: Option<String>,
        currency_pointer: Option<String>,
        roles: Vec<String>,
        amounts: Vec<service::Amount>,
    ) -> Result<Option<service::Terms>, Problem> {
        let id = Id::from(entity);
        let roles: Vec<Role> = roles.iter().map(|name| role(name)).collect();
        let setup = Setup::read(Demand::new(id))?;
        let Some(books) = setup.books(id)? else { return Ok(None) };
        if let Some(code) = currency_code {
            books.check_currency(&code, currency_pointer.as_deref())?;
        }
        setup.require_accounts(id, roles)?;
        let unfit =
            amounts.into_iter().filter(|stated| !read_amount(&stated.value).is_some_and(|amount| books.holds(amount)));
        let unfit: Vec<String> = unfit.map(|stated| stated.pointer.unwrap_or_default()).collect();
        if !unfit.is_empty() {
            return Err(refuse_precision(unfit));
        }
        // At most 12.
        let amount_scale = u8::try_from(books.scale).unwrap_or_default();
        Ok(Some(service::Terms { currency_code: books.currency_code, amount_scale }))
    }

    fn admit_costs(entity: (u64, u64), costs: Vec<service::Cost>) -> Result<(), Problem> {
        let id = Id::from(entity);
        let Some(books) = Setup::read(Demand::new(id))?.books(id)? else { return Ok(()) };
        let fits = |cost: &service::Cost| {
            let digits = significant_decimals(&cost.unit_cost) + usize::from(cost.decimal_places);
            digits <= books.scale as usize
        };
        let unfit: Vec<String> = costs.into_iter().filter(|cost| !fits(cost)).map(|cost| cost.pointer).collect();
        if unfit.is_empty() { Ok(()) } else { Err(refuse_precision(unfit)) }
    }

    fn today() -> String {
        today().to_string()
    }

    fn role_balances(
        entity: (u64, u64),
        roles: Vec<String>,
        as_of: Option<String>,
    ) -> Result<Vec<service::RoleBalance>, Problem> {
        let id = Id::from(entity);
        let roles: Vec<Role> = roles.iter().map(|name| role(name)).collect();
        let end = as_of.as_deref().map(parse).and_then(day_after);
        let mapped = all([
            RoleMappingRow::legal_entity_id.eq(id),
            RoleMappingRow::role.one_of(roles.iter().copied()),
            RoleMappingRow::account_id.not_null(),
        ]);
        let mapped = run(select::<RoleMappingRow>(mapped).whole())?;
        let accounts: Vec<Id> = mapped.iter().filter_map(|row| row.account_id).collect();
        if accounts.is_empty() {
            return Ok(Vec::new());
        }
        let scope = Scope::accounts(id, accounts);
        let [sums] = balance::sums_before(&scope, [end])?;
        let balance = |row: &RoleMappingRow| {
            let sums = row.account_id.and_then(|account| sums.get(&account)).copied().unwrap_or_default();
            let balance = sums.balance().ok_or_else(Amount::limit_exceeded)?;
            Ok(service::RoleBalance { role: row.role.as_str().to_owned(), balance: balance.to_string() })
        };
        mapped.iter().map(balance).collect()
    }

    fn entries(source_kind: String, source_ids: Vec<(u64, u64)>) -> Vec<service::Posted> {
        let show = |row: EntryRow| service::Posted {
            entity_id: row.legal_entity_id.into(),
            source_id: row.source_id.into(),
            purpose: row.purpose,
            total: row.total.to_string(),
        };
        let mut posted = Vec::new();
        for some in source_ids.chunks(MOST_KEYS) {
            let of_sources = all([
                EntryRow::source_id.one_of(some.iter().copied().map(Id::from)),
                EntryRow::source_kind.eq(source_kind.as_str()),
            ]);
            posted.extend(read_every(&of_sources, |row: &EntryRow| row.id).into_iter().map(show));
        }
        posted
    }

    fn line_accounts(entity: (u64, u64), ids: Vec<(u64, u64)>, types: Vec<String>) -> Result<Vec<(u64, u64)>, Problem> {
        let entity = Id::from(entity);
        let rows = run(get_all::<Postability>(ids.into_iter().map(Id::from)))?;
        let fits = |account: &Postability| {
            account.takes_documents(entity) && types.iter().any(|name| name == account.account_type.as_str())
        };
        Ok(rows.into_iter().filter(fits).map(|account| account.id.into()).collect())
    }

    fn begin(
        entity: (u64, u64),
        expected_version: i64,
        currency_code: String,
        amount_scale: u8,
    ) -> Result<(), Problem> {
        begin_books(entity.into(), expected_version, &currency_code, i64::from(amount_scale))
    }
}
