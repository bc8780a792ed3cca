//! The service `commerce:ledger/books`: how other modules post, and what they ask first.

use stoa_sdk::host::fault;
use stoa_sdk::store::{get_all, read, run, select};
use stoa_sdk::{Date, Id, Problem, all};

use crate::account::Postability;
use crate::balance::{self, Amount, Scope};
use crate::bindings::exports::commerce::ledger::books as service;
use crate::bindings::exports::commerce::ledger::books::Guest;
use crate::entity_change;
use crate::entry::{EntryRow, PartyType};
use crate::mapping::RoleMappingRow;
use crate::mirror;
use crate::month::{day_after, today};
use crate::posting::{self, Leg, Posting, Target};
use crate::role::Role;
use crate::services::Services;
use crate::setup::{Demand, Setup, imprecise};

/// Fractional digits that a leg's amount has at most.
const FINEST: usize = 12;

fn role(name: &str) -> Role {
    Role::named(name).unwrap_or_else(|| fault("a caller names a posting role that there is not"))
}

fn day(text: &str) -> Date {
    text.parse().unwrap_or_else(|_| fault("a caller's date is none"))
}

/// None where the amount is a decimal that no journal holds.
fn amount(text: &str) -> Option<Amount> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || text.ends_with('.') {
        fault("a caller's amount is no decimal without sign");
    }
    let significant = fraction.trim_end_matches('0');
    if significant.len() > FINEST {
        return None;
    }
    match significant {
        "" => whole.parse().ok(),
        significant => format!("{whole}.{significant}").parse().ok(),
    }
}

fn posting(of: service::Posting) -> Posting {
    let leg = |leg: service::Leg| Leg {
        target: match leg.target {
            service::Target::Role(name) => Target::Role(role(&name)),
            service::Target::Account(id) => Target::Account(id.into()),
            service::Target::Money(id) => Target::Money(id.into()),
        },
        is_debit: leg.side == service::Side::Debit,
        amount: amount(&leg.amount),
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
        entity: of.entity.into(),
        currency: of.currency_code,
        currency_pointer: of.currency_pointer,
        on: of.on.as_deref().map(day),
        on_pointer: of.on_pointer,
        source_kind: of.source_kind,
        source_id: of.source_id.into(),
        purpose: of.purpose,
        text: of.text,
        legs: of.legs.into_iter().map(leg).collect(),
    }
}

/// Digits after the point, without zeros at the end.
fn significant_decimals(cost: &str) -> usize {
    cost.split_once('.').map_or(0, |(_, fraction)| fraction.trim_end_matches('0').len())
}

impl Guest for Services {
    fn post(of: service::Posting) -> Result<Option<(u64, u64)>, Problem> {
        let entries = posting::post(&[posting(of)])?;
        Ok(entries.into_iter().next().flatten().map(Into::into))
    }

    fn post_all(postings: Vec<service::Posting>) -> Result<Vec<Option<(u64, u64)>>, Problem> {
        let postings: Vec<Posting> = postings.into_iter().map(posting).collect();
        Ok(posting::post(&postings)?.into_iter().map(|entry| entry.map(Into::into)).collect())
    }

    fn mirror(
        source_kind: String,
        source_id: (u64, u64),
        on: Option<String>,
        on_pointer: Option<String>,
        text: String,
    ) -> Result<Vec<(u64, u64)>, Problem> {
        let on = on.as_deref().map(day);
        let pointer = on_pointer.unwrap_or_default();
        let mirrors = mirror::mirror(&source_kind, source_id.into(), on, &pointer, &text)?;
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
        let mut demand = Demand { roles: roles.clone(), ..Demand::default() };
        demand.entities.insert(id);
        let setup = Setup::read(demand)?;
        let Some(books) = setup.books(id)? else { return Ok(None) };
        if let Some(code) = currency_code {
            books.takes_currency(&code, currency_pointer.as_deref())?;
        }
        setup.mapped(id, roles)?;
        let unfit = amounts.into_iter().filter(|of| !amount(&of.value).is_some_and(|amount| books.holds(amount)));
        let unfit: Vec<String> = unfit.map(|of| of.pointer.unwrap_or_default()).collect();
        if !unfit.is_empty() {
            return Err(imprecise(unfit));
        }
        // At most 12.
        let amount_scale = u8::try_from(books.scale).unwrap_or_default();
        Ok(Some(service::Terms { currency_code: books.currency_code, amount_scale }))
    }

    fn admit_costs(entity: (u64, u64), costs: Vec<service::Cost>) -> Result<(), Problem> {
        let id = Id::from(entity);
        let mut demand = Demand::default();
        demand.entities.insert(id);
        let Some(books) = Setup::read(demand)?.books(id)? else { return Ok(()) };
        let fits = |cost: &service::Cost| {
            let digits = significant_decimals(&cost.unit_cost) + usize::from(cost.decimal_places);
            digits <= books.scale as usize
        };
        let unfit: Vec<String> = costs.into_iter().filter(|cost| !fits(cost)).map(|cost| cost.pointer).collect();
        if unfit.is_empty() { Ok(()) } else { Err(imprecise(unfit)) }
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
        let end = as_of.as_deref().map(day).and_then(day_after);
        let mapped = all([
            RoleMappingRow::legal_entity_id.eq(id),
            RoleMappingRow::role.one_of(roles.iter().copied()),
            RoleMappingRow::account_id.not_null(),
        ]);
        let (mapped, base) = run((select::<RoleMappingRow>(mapped), balance::last_closed(id, end)))?;
        let accounts: Vec<Id> = mapped.items.iter().filter_map(|row| row.account_id).collect();
        if accounts.is_empty() {
            return Ok(Vec::new());
        }
        let scope = Scope::accounts(id, accounts);
        let sums = balance::fold(balance::run_sums(balance::sums(&scope, balance::base(&base), end))?)?;
        let balance = |row: &RoleMappingRow| {
            let sums = row.account_id.and_then(|account| sums.get(&account)).copied().unwrap_or_default();
            let balance = sums.balance().ok_or_else(Problem::limit_exceeded)?;
            Ok(service::RoleBalance { role: row.role.as_str().to_owned(), balance: balance.to_string() })
        };
        mapped.items.iter().map(balance).collect()
    }

    fn entries(source_kind: String, source_ids: Vec<(u64, u64)>) -> Vec<service::Posted> {
        if source_ids.is_empty() {
            return Vec::new();
        }
        let of_sources =
            [EntryRow::source_id.one_of(source_ids.into_iter().map(Id::from)), EntryRow::source_kind.eq(source_kind)];
        let posted = |row: EntryRow| service::Posted {
            entity_id: row.legal_entity_id.into(),
            source_id: row.source_id.into(),
            purpose: row.purpose,
            total: row.total.to_string(),
        };
        read(select::<EntryRow>(all(of_sources))).items.into_iter().map(posted).collect()
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
        entity_change::begin(entity.into(), expected_version, &currency_code, i64::from(amount_scale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_that_no_journal_holds_are_told_from_zero() {
        assert_eq!(amount("0.000000000000000"), Some(Amount::ZERO));
        assert_eq!(amount("1.5000000000000000").map(|amount| amount.to_string()).as_deref(), Some("1.500000000000"));
        assert_eq!(amount("0.0000000000001"), None);
        assert_eq!(amount(&"9".repeat(40)), None);
        assert_eq!(significant_decimals("0.3300"), 2);
        assert_eq!(significant_decimals("12"), 0);
    }
}
