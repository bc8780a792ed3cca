//! Records that an entry relies on, read in one round trip under the books' shared lock: the entity, mappings, accounts
//! and months.
//!
//! No other request changes these records before the transaction ends, so the request keeps what it read: `admit` and
//! the posts after it read the set-up of an entity once. The lock is taken in the batch that reads, before its reads,
//! so nothing that is kept is older than the lock.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use stoa_sdk::store::{find, get_all, lock_all_shared, run, select};
use stoa_sdk::{Date, Field, Id, Item, Kept, Problem, all, has, item, map, set, today};
use stoa_trade::Status;
use stoa_trade::dates::Month;
use stoa_trade::refusal::refuse;
use stoa_trade::snapshot::{Summed, late_entities};

use crate::records::account::{AccountRow, Postability};
use crate::records::entity::EntityRow;
use crate::records::mapping::RoleMappingRow;
use crate::records::money_account::MoneyRow;
use crate::records::period::{PeriodRow, PeriodStatus};
use crate::records::role::Role;
use crate::rules::books::Books;
use crate::work::day_totals::posting_locks;

/// Key of a fact; all but the first with the entity under whose lock it is read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Entity(Id),
    Month(Id, Month),
    Account(Id, Id),
    Money(Id, Id),
}

/// The value kept for a key. An open month, and a record that does not exist, are not facts.
enum Fact {
    /// An entity, the accounts of its roles, and whether lines of this request are late for its day totals.
    Entity(EntityRow, BTreeMap<&'static str, Postability>, bool),
    ClosedMonth,
    Account(Postability),
    /// Money and its account.
    Money(MoneyRow, Postability),
}

thread_local! {
    static KEPT: Kept<Key, Rc<Fact>> = const { Kept::new() };
}

/// Keys to read from the books. With an entity always comes the current month, on which most entries are dated.
#[derive(Default)]
pub struct Demand(BTreeSet<Key>);

impl Demand {
    /// The demand of an entity and its current month.
    pub fn new(entity: Id) -> Demand {
        let mut demand = Demand::default();
        demand.month(entity, Month::from_day(today()));
        demand
    }

    /// A month of the entity's books.
    pub fn month(&mut self, entity: Id, month: Month) {
        self.0.extend([Key::Entity(entity), Key::Month(entity, month)]);
    }

    /// An account that is named, perhaps of another entity.
    pub fn account(&mut self, entity: Id, account: Id) {
        self.0.insert(Key::Account(entity, account));
    }

    /// A money account that is named, perhaps of another entity.
    pub fn money(&mut self, entity: Id, money: Id) {
        self.0.insert(Key::Money(entity, money));
    }
}

/// The facts that were read for a demand.
pub struct Setup(BTreeMap<Key, Rc<Fact>>);

impl Setup {
    /// Takes the locks of entities that the request did not ask about before, and reads what it did not read before.
    pub fn read(demand: Demand) -> Result<Setup, Problem> {
        let mut failure = None;
        let read = |missing: &[Key]| {
            read_facts(missing).unwrap_or_else(|problem| {
                failure = Some(problem);
                Vec::new()
            })
        };
        let facts = KEPT.with(|kept| kept.get(demand.0, read));
        match failure {
            None => Ok(Setup(facts)),
            Some(problem) => {
                Setup::forget();
                Err(problem)
            }
        }
    }

    /// Forgets the rows that the request has read: code that changes one of them calls this.
    pub fn forget() {
        KEPT.with(Kept::forget);
    }

    fn entity(&self, entity: Id) -> Option<(&EntityRow, &BTreeMap<&'static str, Postability>, bool)> {
        match self.0.get(&Key::Entity(entity))?.as_ref() {
            Fact::Entity(row, accounts, is_late) => Some((row, accounts, *is_late)),
            _ => None,
        }
    }

    /// Returns whether lines of this request's time are in the entity's day totals already.
    pub fn is_late(&self, entity: Id) -> bool {
        self.entity(entity).is_some_and(|(.., is_late)| is_late)
    }

    /// The books of an entity; none if it keeps none.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such entity, ARCHIVED where its books are closed for good.
    pub fn books(&self, entity: Id) -> Result<Option<Books>, Problem> {
        let (row, ..) = self.entity(entity).ok_or_else(Problem::not_found)?;
        match row.books() {
            Some(_) if row.status == Status::Archived => Err(Problem::record_archived()),
            books => Ok(books),
        }
    }

    /// The account of a role, or of the role that serves in its place.
    pub fn account_of(&self, entity: Id, role: Role) -> Option<&Postability> {
        let (_, accounts, _) = self.entity(entity)?;
        role.with_fallbacks().find_map(|role| accounts.get(role.as_str()))
    }

    /// An account that was asked for.
    pub fn account(&self, entity: Id, account: Id) -> Option<&Postability> {
        match self.0.get(&Key::Account(entity, account))?.as_ref() {
            Fact::Account(account) => Some(account),
            _ => None,
        }
    }

    /// Money that was asked for, and its account.
    pub fn money(&self, entity: Id, money: Id) -> Option<(&MoneyRow, &Postability)> {
        match self.0.get(&Key::Money(entity, money))?.as_ref() {
            Fact::Money(row, account) => Some((row, account)),
            _ => None,
        }
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
        refuse("ACCOUNTING_SETUP_REQUIRED", errors)
    }

    /// Refuses a day on which no entry can be dated.
    ///
    /// # Errors
    /// ACCOUNTING_PERIOD_CLOSED.
    pub fn check_day(&self, entity: Id, books: &Books, day: Date, pointer: &str) -> Result<(), Problem> {
        books.check_day(day, self.0.contains_key(&Key::Month(entity, Month::from_day(day))), pointer)
    }
}

fn read_facts(missing: &[Key]) -> Result<Vec<(Key, Rc<Fact>)>, Problem> {
    let (mut entities, mut months, mut accounts, mut money) = (vec![], vec![], vec![], vec![]);
    for key in missing {
        match key {
            Key::Entity(entity) => entities.push(*entity),
            Key::Month(entity, month) => months.push((*entity, *month)),
            Key::Account(entity, account) => accounts.push((*entity, *account)),
            Key::Money(entity, id) => money.push((*entity, *id)),
        }
    }
    let of_entities = || {
        let roles =
            [RoleMappingRow::legal_entity_id.one_of(entities.iter().copied()), RoleMappingRow::account_id.not_null()];
        (!entities.is_empty()).then(|| all(roles))
    };
    let mapped_of = |filter| has::<RoleMappingRow, _, _>(AccountRow::id, RoleMappingRow::account_id, filter);
    let ids = |pairs: &[(Id, Id)]| set(pairs.iter().map(|(_, id)| *id));
    let money_accounts = (!money.is_empty()).then(|| {
        let these = MoneyRow::id.one_of(ids(&money));
        select::<Postability>(has::<MoneyRow, _, _>(AccountRow::id, MoneyRow::account_id, these)).whole()
    });
    let closed = (!months.is_empty()).then(|| {
        select::<PeriodRow>(all([
            PeriodRow::legal_entity_id.one_of(set(months.iter().map(|(entity, _)| *entity))),
            PeriodRow::month.one_of(set(months.iter().map(|(_, month)| *month))),
            PeriodRow::status.eq(PeriodStatus::Closed),
        ]))
        .whole()
    });
    let summed =
        (!entities.is_empty()).then(|| find::<Summed>("entity", entities.iter().map(|entity| vec![entity.put()])));
    let (_, entity_rows, summed, mappings, mapped, money_rows, of_money, named, closed) = run((
        (!entities.is_empty()).then(|| lock_all_shared(entities.iter().copied().flat_map(posting_locks))),
        get_all::<EntityRow>(entities.iter().copied()),
        summed,
        of_entities().map(|filter| select::<RoleMappingRow>(filter).whole()),
        of_entities().map(|filter| select::<Postability>(mapped_of(filter)).whole()),
        get_all::<MoneyRow>(ids(&money)),
        money_accounts,
        get_all::<Postability>(ids(&accounts)),
        closed,
    ))?;
    let by_id = |rows: Vec<Postability>| map(rows.into_iter().map(|account| (account.id, account)));
    let (mapped, of_money, named) =
        (by_id(mapped.unwrap_or_default()), by_id(of_money.unwrap_or_default()), by_id(named));
    let (mappings, late) = (mappings.unwrap_or_default(), late_entities(&summed.unwrap_or_default()));
    let entity = |row: EntityRow| {
        let id = row.id;
        let entity_mappings = mappings.iter().filter(|mapping| mapping.legal_entity_id == id);
        let account =
            |mapping: &RoleMappingRow| Some((mapping.role.as_str(), mapped.get(&mapping.account_id?)?.clone()));
        (Key::Entity(id), Fact::Entity(row, map(entity_mappings.filter_map(account)), late.contains(&id)))
    };
    let money_rows = map(money_rows.into_iter().map(|row| (row.id, row)));
    let account = |&(entity, id): &(Id, Id)| Some((Key::Account(entity, id), Fact::Account(named.get(&id)?.clone())));
    let money_of = |&(entity, id): &(Id, Id)| {
        let row = money_rows.get(&id)?;
        Some((Key::Money(entity, id), Fact::Money(row.clone(), of_money.get(&row.account_id)?.clone())))
    };
    let closed = closed.unwrap_or_default().into_iter();
    let facts = entity_rows.into_iter().map(entity);
    let facts = facts.chain(closed.map(|row| (Key::Month(row.legal_entity_id, row.month), Fact::ClosedMonth)));
    let facts = facts.chain(accounts.iter().filter_map(account)).chain(money.iter().filter_map(money_of));
    Ok(facts.map(|(key, fact)| (key, Rc::new(fact))).collect())
}
