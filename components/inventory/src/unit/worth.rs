//! What pieces are worth on their way in, and the entry of inventory's own for what a request changed in worth.

use stoa_sdk::{Decimal, Id, Problem};

use crate::books::{self, Cost, Leg, Posting, Side, Target, Terms};
use crate::cost::exact;
use crate::cost::row::CostKind;
use crate::terms::{Amount, UnitCost};

/// What a piece is worth. Both none: not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Worth {
    pub unit_cost: Option<UnitCost>,
    pub currency_code: Option<String>,
}

/// The books of one entity as a request found them. Nobody starts or closes them until the request ends.
#[derive(Debug, Clone)]
pub struct Books {
    entity: Id,
    terms: Option<Terms>,
}

impl Books {
    /// Takes part in the entity's books, before goods are locked.
    ///
    /// # Errors
    /// The ledger's.
    pub fn enter(entity: Id) -> Result<Books, Problem> {
        Ok(Books { entity, terms: books::admit(entity)? })
    }

    /// For a request that changes no worth, or whose caller posts it.
    pub fn not_asked(entity: Id) -> Books {
        Books { entity, terms: None }
    }

    pub fn are_kept(&self) -> bool {
        self.terms.is_some()
    }

    /// What goods are worth that come in at a stated cost.
    ///
    /// # Errors
    /// VALUATION_COST_REQUIRED where books are kept and none is stated.
    pub fn worth(&self, stated: Option<Decimal<6>>, pointer: &str) -> Result<Worth, Problem> {
        if self.terms.is_some() && stated.is_none() {
            return Err(Problem::at("VALUATION_COST_REQUIRED", pointer));
        }
        Ok(Worth {
            unit_cost: stated.map(exact::cost),
            currency_code: self.terms.as_ref().map(|terms| terms.currency_code.clone()),
        })
    }

    /// Whether every part of goods of these costs can be posted: (cost, decimal places of the unit, pointer).
    ///
    /// # Errors
    /// ACCOUNTING_AMOUNT_PRECISION.
    pub fn admit_costs(&self, costs: impl IntoIterator<Item = (Decimal<6>, u8, String)>) -> Result<(), Problem> {
        if self.terms.is_none() {
            return Ok(());
        }
        let cost = |(cost, decimal_places, pointer): (Decimal<6>, u8, String)| Cost {
            unit_cost: cost.to_string(),
            decimal_places,
            pointer,
        };
        let costs: Vec<Cost> = costs.into_iter().map(cost).collect();
        books::admit_costs(self.entity, &costs)
    }

    /// Posts what a request changed in worth, in one entry; the last call of a request.
    ///
    /// # Errors
    /// The ledger's.
    pub fn post(&self, source: Source, changes: &[ValueChange]) -> Result<(), Problem> {
        let Some(terms) = &self.terms else { return Ok(()) };
        let legs: Vec<Leg> = changes.iter().flat_map(legs).collect();
        if legs.is_empty() {
            return Ok(());
        }
        books::post(&Posting {
            entity: self.entity.into(),
            currency_code: terms.currency_code.clone(),
            currency_pointer: None,
            on: None,
            on_pointer: None,
            source_kind: source.kind.to_owned(),
            source_id: source.id.into(),
            purpose: source.purpose.to_owned(),
            text: source.text.to_owned(),
            legs,
        })
    }
}

/// What an entry is about, once and for ever.
pub struct Source<'a> {
    pub kind: &'a str,
    pub id: Id,
    pub purpose: &'a str,
    pub text: &'a str,
}

/// A change of what an entity's goods are worth, without a sign, and the branch of the warehouse where it happened.
#[derive(Debug, Clone)]
pub struct ValueChange {
    pub kind: CostKind,
    pub amount: Amount,
    pub branch: Option<Id>,
}

/// Both sides of a change; none for what another module posts.
fn legs(change: &ValueChange) -> Vec<Leg> {
    let (debit, credit) = match change.kind {
        CostKind::AdjustedIn => ("INVENTORY", "INVENTORY_ADJUSTMENT"),
        CostKind::AdjustedOut => ("INVENTORY_ADJUSTMENT", "INVENTORY"),
        CostKind::Damaged => ("INVENTORY_DAMAGE", "INVENTORY"),
        CostKind::Lost => ("INVENTORY_LOSS", "INVENTORY"),
        _ => return Vec::new(),
    };
    let leg = |role: &str, side: Side| Leg {
        target: Target::Role(role.to_owned()),
        side,
        amount: change.amount.to_string(),
        party: None,
        branch: change.branch.map(Into::into),
        pointer: None,
    };
    vec![leg(debit, Side::Debit), leg(credit, Side::Credit)]
}
