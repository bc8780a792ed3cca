//! The books' entry of what inventory does by itself (rows P3 to P6 of the posting table): one per request, its legs by account
//! and branch.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Problem};
use stoa_trade::clients::books::{Leg, Side, Target, Terms};
use stoa_trade::posting::{EntrySource, new_role_leg, post_today};
use stoa_trade::quantity::Amount;

use crate::records::cost::CostKind;
use crate::work::goods::settle::Settled;

/// The role of the account opposite to the goods, and whether goods came in.
fn counterpart(kind: CostKind) -> Option<(&'static str, bool)> {
    match kind {
        CostKind::AdjustedIn => Some(("INVENTORY_ADJUSTMENT", true)),
        CostKind::AdjustedOut => Some(("INVENTORY_ADJUSTMENT", false)),
        CostKind::Damaged => Some(("INVENTORY_DAMAGE", false)),
        CostKind::Lost => Some(("INVENTORY_LOSS", false)),
        _ => None,
    }
}

/// The costs that inventory posts by itself: those of `counterpart`.
pub const OWN: [CostKind; 4] = [CostKind::AdjustedIn, CostKind::AdjustedOut, CostKind::Damaged, CostKind::Lost];

/// Source kind and purpose of a movement's entry, unless a document is the source.
pub const MOVEMENT: (&str, &str) = ("INVENTORY_MOVEMENT", "ADJUSTMENT");

/// Source kind and purpose of a stock count's entry.
pub const COUNT: (&str, &str) = ("STOCK_COUNT", "POSTING");

/// The account opposite to the goods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Counterpart {
    Role(&'static str),
    Account(Id),
}

impl Settled {
    /// Posts the entry of the request: source INVENTORY_MOVEMENT and the first movement, purpose ADJUSTMENT. Nothing without
    /// books, or where nothing is worth anything. The last call of all.
    pub fn post(&self, terms: Option<&Terms>, entity: Id, text: &str) -> Result<(), Problem> {
        let (kind, purpose) = MOVEMENT;
        match self.first_movement() {
            Some(id) => self.post_as(terms, entity, EntrySource { kind, id, purpose }, text),
            None => Ok(()),
        }
    }

    /// As `post`, for another source.
    pub fn post_as(&self, terms: Option<&Terms>, entity: Id, source: EntrySource, text: &str) -> Result<(), Problem> {
        let Some(terms) = terms else { return Ok(()) };
        let mut sums: BTreeMap<(Counterpart, bool, Option<Id>), i128> = BTreeMap::new();
        let goods = &self.goods;
        let came = goods.inflows.iter().zip(&self.brought);
        let came = came.map(|(flow, layer)| (flow.kind, flow.counter_account, flow.place.branch, layer.value));
        let gone = goods.outflows.iter().zip(&self.costs);
        let gone = gone.map(|(flow, cost)| (flow.kind, flow.counter_account, flow.place.branch, cost.amount));
        for (kind, account, branch, amount) in came.chain(gone) {
            let (Some((role, is_in)), Some(amount)) = (counterpart(kind), amount) else { continue };
            let other = account.map_or(Counterpart::Role(role), Counterpart::Account);
            let sum = sums.entry((other, is_in, branch)).or_default();
            *sum = sum.checked_add(amount.units()).ok_or_else(Amount::limit_exceeded)?;
        }
        let legs: Vec<Leg> = sums.into_iter().filter(|(_, amount)| *amount > 0).flat_map(legs).collect();
        post_today(entity, (&terms.currency_code, None), source, text, legs)
    }
}

fn legs(((other, is_in, branch), amount): ((Counterpart, bool, Option<Id>), i128)) -> [Leg; 2] {
    let leg = |role: &str, side| new_role_leg(role, side, Amount::from_units(amount), branch);
    let (goods_side, other_side) = if is_in { (Side::Debit, Side::Credit) } else { (Side::Credit, Side::Debit) };
    let opposite = match other {
        Counterpart::Role(role) => leg(role, other_side),
        Counterpart::Account(account) => Leg { target: Target::Account(account.into()), ..leg("", other_side) },
    };
    [leg("INVENTORY", goods_side), opposite]
}
