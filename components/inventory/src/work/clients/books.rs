//! The ledger's services, as inventory uses them: the seam between a component and a native build. The books' lock is taken
//! by `admit`, before any goods are locked.

use stoa_sdk::{Date, Id, Problem, host};

use crate::records::quantity::Amount;

#[cfg(target_arch = "wasm32")]
use crate::bindings::commerce::ledger::books;
pub use crate::bindings::commerce::ledger::books::{Cost, Leg, Posting, Side, Target, Terms};
#[cfg(target_arch = "wasm32")]
use crate::bindings::commerce::ledger::directory;
pub use crate::bindings::commerce::ledger::directory::Entity;
#[cfg(not(target_arch = "wasm32"))]
use native::LEDGER;
#[cfg(not(target_arch = "wasm32"))]
pub use native::Ledger;

/// An active entity, and an active branch of it.
///
/// # Errors
/// NOT_FOUND, REFERENCE_INVALID at `/legalEntityId` or `/branchId`.
pub fn require(entity: Id, branch: Option<Id>) -> Result<Entity, Problem> {
    #[cfg(target_arch = "wasm32")]
    return directory::require(entity.into(), "/legalEntityId", branch.map(Into::into), "/branchId");
    #[cfg(not(target_arch = "wasm32"))]
    LEDGER.with(|ledger| ledger.borrow_mut().require(entity, branch))
}

/// The entity of this code and its branch of the same code, as onboarding makes them.
pub fn find_entity(code: &str) -> Option<(Id, Option<Id>)> {
    #[cfg(target_arch = "wasm32")]
    {
        let entity = directory::find_entity(code)?;
        let branch = directory::find_branch(entity.id, code);
        Some((entity.id.into(), branch.map(|branch| branch.id.into())))
    }
    #[cfg(not(target_arch = "wasm32"))]
    LEDGER.with(|ledger| ledger.borrow_mut().find_entity(code))
}

/// Keeps entity and branch from being archived as long as the warehouse lives.
///
/// # Errors
/// REFERENCE_INVALID at `/legalEntityId` or `/branchId`.
pub fn hold(warehouse: Id, entity: Id, branch: Option<Id>) -> Result<(), Problem> {
    #[cfg(target_arch = "wasm32")]
    return directory::hold("WAREHOUSE", warehouse.into(), entity.into(), branch.map(Into::into), None);
    #[cfg(not(target_arch = "wasm32"))]
    LEDGER.with(|ledger| ledger.borrow_mut().hold(warehouse, entity, branch))
}

/// Gives the warehouse's hold back.
///
/// # Errors
/// The ledger's.
pub fn release(warehouse: Id) -> Result<(), Problem> {
    #[cfg(target_arch = "wasm32")]
    return directory::release("WAREHOUSE", warehouse.into());
    #[cfg(not(target_arch = "wasm32"))]
    LEDGER.with(|ledger| ledger.borrow_mut().release(warehouse))
}

/// How the entity keeps its books, held so until the transaction ends; none where it keeps none.
///
/// # Errors
/// The ledger's.
pub fn admit(entity: Id) -> Result<Option<Terms>, Problem> {
    #[cfg(target_arch = "wasm32")]
    return books::admit(entity.into(), None, None, &[], &[]);
    #[cfg(not(target_arch = "wasm32"))]
    LEDGER.with(|ledger| ledger.borrow_mut().admit(entity))
}

/// Whether these costs fit the books, so that every later outflow can be posted.
///
/// # Errors
/// ACCOUNTING_AMOUNT_PRECISION at a cost's pointer.
pub fn admit_costs(entity: Id, costs: &[Cost]) -> Result<(), Problem> {
    if costs.is_empty() {
        return Ok(());
    }
    #[cfg(target_arch = "wasm32")]
    return books::admit_costs(entity.into(), costs);
    #[cfg(not(target_arch = "wasm32"))]
    LEDGER.with(|ledger| ledger.borrow_mut().admit_costs(entity, costs))
}

/// Writes an entry; nothing where no amount is above zero.
///
/// # Errors
/// The codes of accounting.
pub fn post(posting: &Posting) -> Result<(), Problem> {
    #[cfg(target_arch = "wasm32")]
    return books::post(posting).map(|_| ());
    #[cfg(not(target_arch = "wasm32"))]
    LEDGER.with(|ledger| ledger.borrow_mut().post(posting))
}

/// What the books value the entity's goods at; none where it keeps none, or the role has no account.
pub fn inventory_balance(entity: Id) -> Option<Amount> {
    #[cfg(target_arch = "wasm32")]
    {
        let kept = directory::entities(&[entity.into()]).first().is_some_and(|entity| entity.keeps_books);
        if !kept {
            return None;
        }
        let roles = ["INVENTORY".to_owned()];
        let balances = books::role_balances(entity.into(), &roles, None).ok()?;
        balances.into_iter().find(|balance| balance.role == "INVENTORY")?.balance.parse().ok()
    }
    #[cfg(not(target_arch = "wasm32"))]
    LEDGER.with(|ledger| ledger.borrow_mut().inventory_balance(entity))
}

/// An entry that the books have of one of inventory's sources.
#[derive(Debug, Clone, PartialEq)]
pub struct Posted {
    pub source: Id,
    pub purpose: String,
    pub total: Amount,
}

/// The entries of these sources, at most 1,000.
pub fn entries(source_kind: &str, sources: &[Id]) -> Vec<Posted> {
    #[cfg(target_arch = "wasm32")]
    {
        let sources: Vec<_> = sources.iter().copied().map(Into::into).collect();
        let read = |entry: books::Posted| {
            Some(Posted { source: entry.source_id.into(), purpose: entry.purpose, total: entry.total.parse().ok()? })
        };
        books::entries(source_kind, &sources).into_iter().filter_map(read).collect()
    }
    #[cfg(not(target_arch = "wasm32"))]
    LEDGER.with(|ledger| ledger.borrow_mut().entries(source_kind, sources))
}

/// The company's calendar day.
pub fn today() -> Date {
    day(&stoa_sdk::facts().today)
}

/// The day of the request's facts.
pub fn day(text: &str) -> Date {
    match text.parse() {
        Ok(day) => day,
        Err(_) => host::fault("the host gave no day"),
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::cell::RefCell;

    use super::{Amount, Cost, Entity, Posted, Posting, Terms};
    use stoa_sdk::{Id, Problem};

    /// The ledger as a native program provides it.
    #[allow(clippy::missing_errors_doc, reason = "as the functions that call it say")]
    pub trait Ledger {
        fn require(&mut self, entity: Id, branch: Option<Id>) -> Result<Entity, Problem>;
        fn find_entity(&mut self, code: &str) -> Option<(Id, Option<Id>)>;
        fn hold(&mut self, warehouse: Id, entity: Id, branch: Option<Id>) -> Result<(), Problem>;
        fn release(&mut self, warehouse: Id) -> Result<(), Problem>;
        fn admit(&mut self, entity: Id) -> Result<Option<Terms>, Problem>;
        fn admit_costs(&mut self, entity: Id, costs: &[Cost]) -> Result<(), Problem>;
        fn post(&mut self, posting: &Posting) -> Result<(), Problem>;
        fn inventory_balance(&mut self, entity: Id) -> Option<Amount>;
        fn entries(&mut self, source_kind: &str, sources: &[Id]) -> Vec<Posted>;
    }

    /// A ledger without books, of which every entity is active.
    struct NoBooks;

    impl Ledger for NoBooks {
        fn require(&mut self, entity: Id, _branch: Option<Id>) -> Result<Entity, Problem> {
            Ok(Entity {
                id: entity.into(),
                code: "MAIN".to_owned(),
                name: "Main".to_owned(),
                active: true,
                keeps_books: false,
                currency_code: None,
                amount_scale: None,
            })
        }

        fn find_entity(&mut self, _code: &str) -> Option<(Id, Option<Id>)> {
            None
        }

        fn hold(&mut self, _warehouse: Id, _entity: Id, _branch: Option<Id>) -> Result<(), Problem> {
            Ok(())
        }

        fn release(&mut self, _warehouse: Id) -> Result<(), Problem> {
            Ok(())
        }

        fn admit(&mut self, _entity: Id) -> Result<Option<Terms>, Problem> {
            Ok(None)
        }

        fn admit_costs(&mut self, _entity: Id, _costs: &[Cost]) -> Result<(), Problem> {
            Ok(())
        }

        fn post(&mut self, _posting: &Posting) -> Result<(), Problem> {
            Ok(())
        }

        fn inventory_balance(&mut self, _entity: Id) -> Option<Amount> {
            None
        }

        fn entries(&mut self, _source_kind: &str, _sources: &[Id]) -> Vec<Posted> {
            Vec::new()
        }
    }

    thread_local! {
        /// What stands for the ledger on this thread of a native program.
        pub static LEDGER: RefCell<Box<dyn Ledger>> = RefCell::new(Box::new(NoBooks));
    }
}
