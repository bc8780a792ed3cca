//! What an entry relies on, read in one round trip under the books' shared lock: the entity, mappings, accounts and months.
//! Nobody changes any of it before the transaction ends.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::store::{get_all, lock_all_shared, run, select};
use stoa_sdk::{Date, Id, Item, Problem, all, has, item, map, set};

use crate::records::account::{AccountRow, Postability};
use crate::records::entity::EntityRow;
use crate::records::mapping::RoleMappingRow;
use crate::records::money_account::MoneyRow;
use crate::records::month::Month;
use crate::records::period::{PeriodRow, PeriodStatus};
use crate::records::role::Role;
use crate::records::status::Status;
use crate::rules::books::{Books, books_lock};

/// What is asked of the books.
#[derive(Default)]
pub struct Demand {
    pub entities: BTreeSet<Id>,
    pub roles: Vec<Role>,
    pub accounts: BTreeSet<Id>,
    pub money: BTreeSet<Id>,
    pub months: BTreeSet<Month>,
}

/// What the books answer.
pub struct Setup {
    entities: BTreeMap<Id, EntityRow>,
    roles: BTreeMap<(Id, &'static str), Id>,
    pub money: BTreeMap<Id, MoneyRow>,
    pub accounts: BTreeMap<Id, Postability>,
    closed: BTreeSet<(Id, Month)>,
}

impl Setup {
    /// Takes the locks and reads.
    ///
    /// # Errors
    /// The store's failures.
    pub fn read(demand: Demand) -> Result<Setup, Problem> {
        let entities = || demand.entities.iter().copied();
        let roles: BTreeSet<&str> =
            set(demand.roles.iter().flat_map(|role| role.with_fallbacks()).map(|role| role.as_str()));
        let wanted = || {
            let named = roles.iter().filter_map(|name| Role::of_name(name));
            all([RoleMappingRow::legal_entity_id.one_of(entities()), RoleMappingRow::role.one_of(named)])
        };
        let mapped = has::<RoleMappingRow, _, _>(AccountRow::id, RoleMappingRow::account_id, wanted());
        let of_money = has::<MoneyRow, _, _>(
            AccountRow::id,
            MoneyRow::account_id,
            MoneyRow::id.one_of(demand.money.iter().copied()),
        );
        let closed = all([
            PeriodRow::legal_entity_id.one_of(entities()),
            PeriodRow::month.one_of(demand.months.iter().copied()),
            PeriodRow::status.eq(PeriodStatus::Closed),
        ]);
        let (_, entity_rows, mappings, mapped, money, of_money, named, closed) = run((
            lock_all_shared(entities().map(books_lock)),
            get_all::<EntityRow>(entities()),
            (!roles.is_empty()).then(|| select::<RoleMappingRow>(wanted())),
            (!roles.is_empty()).then(|| select::<Postability>(mapped)),
            get_all::<MoneyRow>(demand.money.iter().copied()),
            (!demand.money.is_empty()).then(|| select::<Postability>(of_money)),
            get_all::<Postability>(demand.accounts.iter().copied()),
            (!demand.months.is_empty()).then(|| select::<PeriodRow>(closed)),
        ))?;
        let mut accounts = map(named.into_iter().map(|account| (account.id, account)));
        let more = mapped.into_iter().chain(of_money).flat_map(|rows| rows.items);
        accounts.extend(more.map(|account| (account.id, account)));
        let mappings = mappings.into_iter().flat_map(|rows| rows.items);
        Ok(Setup {
            entities: map(entity_rows.into_iter().map(|row| (row.id, row))),
            roles: map(mappings.filter_map(|row| Some(((row.legal_entity_id, row.role.as_str()), row.account_id?)))),
            money: map(money.into_iter().map(|row| (row.id, row))),
            accounts,
            closed: set(closed.into_iter().flat_map(|rows| rows.items).map(|row| (row.legal_entity_id, row.month))),
        })
    }

    /// The books of an entity; none where it keeps none.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such entity, ARCHIVED where its books are closed for good.
    pub fn books(&self, entity: Id) -> Result<Option<Books>, Problem> {
        let row = self.entities.get(&entity).ok_or_else(Problem::not_found)?;
        match row.books() {
            Some(_) if row.status == Status::Archived => Err(Problem::archived()),
            books => Ok(books),
        }
    }

    /// The account of a role, or of the role that serves in its place.
    pub fn account_of(&self, entity: Id, role: Role) -> Option<Id> {
        role.with_fallbacks().find_map(|role| self.roles.get(&(entity, role.as_str())).copied())
    }

    /// Refuses roles that have no account: every one of them.
    ///
    /// # Errors
    /// ACCOUNTING_SETUP_REQUIRED.
    pub fn require_accounts(&self, entity: Id, roles: impl IntoIterator<Item = Role>) -> Result<(), Problem> {
        let mut errors: Vec<Item> = Vec::new();
        for role in roles {
            let pointer = format!("/mappings/roles/{}", role.as_str());
            if self.account_of(entity, role).is_none() && errors.iter().all(|item| item.pointer != pointer) {
                errors.push(item(pointer, "ROLE_UNMAPPED"));
            }
        }
        if errors.is_empty() {
            return Ok(());
        }
        Err(Problem { code: "ACCOUNTING_SETUP_REQUIRED".to_owned(), errors })
    }

    /// Refuses a day on which no entry can be dated.
    ///
    /// # Errors
    /// ACCOUNTING_PERIOD_CLOSED.
    pub fn check_day(&self, entity: Id, books: &Books, day: Date, pointer: &str) -> Result<(), Problem> {
        books.check_day(day, self.closed.contains(&(entity, Month::of(day))), pointer)
    }
}
