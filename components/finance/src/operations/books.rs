//! Beginning to keep books with a history: the amounts of the documents become the opening entry (finance-ledger.md A4, P34).

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{aggregate, run};
use stoa_sdk::{
    Answer, Call, Date, Field, Id, Item, Operation, Problem, Reply, all, item, map, set, text, today, totals,
};
use stoa_trade::clients::books::{self, Leg, Side as JournalSide};
use stoa_trade::clients::costs::{self, Goods, Stated};
use stoa_trade::clients::{articles, directory, units};
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::{Amount, Money, sum, widen};
use stoa_trade::refusal::{refuse, refuse_invalid};

use crate::operations::row::posting_reasons;
use crate::records::party_entry::{PartyAccount, PartyEntryRow};
use crate::records::permission::SETTINGS;
use crate::records::side::Side;
use crate::work::balances::of_account;
use crate::work::control::read_control;
use crate::work::ordered::parse;
use crate::work::posting::{EntrySource, Terms, draw_entry, leg};

const LEGAL_ENTITY: &str = "LEGAL_ENTITY";
const OPENING: &str = "OPENING";
/// Lines of an entry at most, but for its counterpart.
const MOST_LEGS: usize = 190;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::transition("/ledger/legal-entities/{id}/start-books", "startBooks", start).summary("Start books for documents \
        that already exist")
        .description("Starts the books as of today. Prepare the chart of accounts and the mappings first. The opening entry \
            sets every control account to the balance of the documents; documents in other currencies are excluded. Documents \
            posted before this day cannot be voided afterwards.")
        .needs(SETTINGS).body::<StartBooks>().grows_with("/costs").answers::<StartedBooks>().cache_control("no-store")
        .writes(LEGAL_ENTITY, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "ARCHIVED", "LIMIT_EXCEEDED", "VALUATION_COST_REQUIRED",
            "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_AMOUNT_PRECISION", "ACCOUNTING_CURRENCY_UNSUPPORTED",
            "ACCOUNTING_PERIOD_CLOSED"])
        .item_codes(posting_reasons!["BOOKS_KEPT"]),
];

/// Terms of the books.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartBooks {
    /// The `version` of the legal entity that you read.
    pub expected_version: ExpectedVersion,
    #[schemars(with = "text::CurrencyCode")]
    pub currency_code: String,
    /// Maximum number of decimal places of an amount in the journal. Omitted or null: 6.
    #[schemars(range(min = 6, max = 12))]
    pub amount_scale: Option<u8>,
    /// Costs to assign to goods without a known cost.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::STATED_COSTS), extend("default" = []))]
    pub costs: Vec<StatedCost>,
}

/// Cost of one unit of measure: for all goods of a variant without a cost, or for one serialized unit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatedCost {
    /// Variant whose goods have no cost. State either this or `inventoryUnitId`.
    pub variant_id: Option<Id>,
    pub inventory_unit_id: Option<Id>,
    pub unit_cost: Money,
}

/// State of the books after they began.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartedBooks {
    id: Id,
    version: i64,
    books_start_on: Date,
    /// Id of the opening entry; null if all opening balances were zero.
    opening_entry_id: Option<Id>,
    /// Currencies of open documents that the books exclude.
    other_currencies: Vec<String>,
}

totals! {
    /// Balance of a party on each account.
    PartyStanding of PartyEntryRow by [side: Side, party_id: Id] {
        invoices: Money = sum(amount),
        unapplied: Money = sum(amount),
    }
}

totals! {
    OfCurrency of PartyEntryRow by [currency_code: String] { invoices: Money = sum(amount), unapplied: Money = sum(amount) }
}

fn start(call: &Call) -> Answer {
    let id: Id = call.path_id("id")?;
    let body: StartBooks = call.body()?;
    let stated = read_costs(&body.costs)?;
    if directory::entities(&[id]).is_empty() {
        return Err(Problem::not_found());
    }
    let products = find_goods(&body.costs)?;
    let currency_code = body.currency_code.as_str();
    // From here on the request holds the books exclusively: a posting waits, and finds them begun.
    books::service::begin(id.into(), body.expected_version.0, currency_code, body.amount_scale.unwrap_or(6))?;
    let inventory = costs::service::open(id.into(), currency_code, &stated)
        .map_err(|refusal| refusal.moved("/stated", "/costs"))?;
    let legs = opening_legs(id, currency_code, parse(&inventory))?;
    let opening_entry_id = post_opening(id, currency_code, legs)?;
    let answer = StartedBooks {
        id,
        version: body.expected_version.0 + 1,
        books_start_on: today(),
        opening_entry_id,
        other_currencies: find_other_currencies(id, currency_code)?,
    };
    let changed = ["keepsBooks", "currencyCode", "booksStartOn", "amountScale"];
    Ok(Reply::json(&answer).resource(id).subjects(products).changed(changed))
}

/// # Errors
/// VALIDATION_FAILED where a cost names both or neither.
fn read_costs(costs: &[StatedCost]) -> Result<Vec<Stated>, Problem> {
    let is_one = |cost: &StatedCost| cost.variant_id.is_some() != cost.inventory_unit_id.is_some();
    let wrong = costs.iter().enumerate().filter(|(_, cost)| !is_one(cost));
    refuse_invalid(wrong.map(|(nth, _)| item(format!("/costs/{nth}"), "NOT_ALLOWED")).collect::<Vec<Item>>())?;
    let stated = |cost: &StatedCost| {
        let goods = match (cost.variant_id, cost.inventory_unit_id) {
            (Some(variant), _) => Goods::OfVariant(variant.into()),
            (None, Some(unit)) => Goods::OfUnit(unit.into()),
            (None, None) => return None,
        };
        Some(Stated { goods, unit_cost: cost.unit_cost.to_string() })
    };
    Ok(costs.iter().filter_map(stated).collect())
}

/// The products of the goods whose costs are stated.
///
/// # Errors
/// NOT_FOUND.
fn find_goods(costs: &[StatedCost]) -> Result<BTreeSet<Id>, Problem> {
    let unit_ids: Vec<Id> = set(costs.iter().filter_map(|cost| cost.inventory_unit_id)).into_iter().collect();
    let units = if unit_ids.is_empty() { Vec::new() } else { units::get(&unit_ids) };
    let units: BTreeMap<Id, Id> = map(units.iter().map(|unit| (unit.id.into(), unit.variant_id.into())));
    let variants = set(costs.iter().filter_map(|cost| cost.variant_id).chain(units.values().copied()));
    let goods = if variants.is_empty() { BTreeMap::new() } else { articles::get(variants) };
    let missing = costs.iter().enumerate().filter_map(|(nth, cost)| {
        let member = match (cost.variant_id, cost.inventory_unit_id) {
            (Some(variant), _) if !goods.contains_key(&variant) => "variantId",
            (None, Some(unit)) if !units.contains_key(&unit) => "inventoryUnitId",
            _ => return None,
        };
        Some(item(format!("/costs/{nth}/{member}"), "NOT_FOUND"))
    });
    refuse("NOT_FOUND", missing.collect())?;
    Ok(set(goods.values().map(|article| Id::from(article.product_id))))
}

/// Every control role at its document balance, roles of parties by party.
fn opening_legs(entity: Id, currency_code: &str, inventory: Amount) -> Result<Vec<Leg>, Problem> {
    let control = read_control(entity, currency_code)?;
    let mut legs: Vec<Leg> = [
        ("SALES_CLEARING", control.sales_clearing),
        ("INVENTORY", inventory),
        ("GOODS_RECEIVED_NOT_INVOICED", control.goods_received_not_invoiced),
    ]
    .into_iter()
    .filter_map(|(role, balance)| balance_leg(role, balance))
    .collect();
    let mut after = None;
    loop {
        let entries = all([PartyEntryRow::legal_entity_id.eq(entity), PartyEntryRow::currency_code.eq(currency_code)]);
        let unapplied = PartyEntryRow::account.ne(PartyAccount::Invoices);
        let page = run(aggregate::<PartyStanding>(entries)
            .when(PartyStanding::invoices, of_account(PartyAccount::Invoices))
            .when(PartyStanding::unapplied, unapplied)
            .without_zeros()
            .after(after.take())
            .limit(1_000))?;
        for standing in &page.items {
            legs.extend(party_legs(standing));
        }
        after = page.items.last().map(|standing| vec![standing.side.put(), standing.party_id.put()]);
        if !page.more {
            return Ok(legs);
        }
    }
}

/// A leg at a signed balance; none for zero.
fn balance_leg(role: &str, balance: Amount) -> Option<Leg> {
    let side = if balance.is_negative() { JournalSide::Credit } else { JournalSide::Debit };
    (!balance.is_zero()).then(|| leg(role, side, Amount::from_units(balance.units().abs())))
}

/// A customer's debt is a debit, a debt to a supplier a credit.
fn party_legs(standing: &PartyStanding) -> impl Iterator<Item = Leg> {
    let sign = if standing.side == Side::Sales { 1 } else { -1 };
    let signed = |amount: Money| Amount::from_units(widen(amount).units() * sign);
    let party = standing.side.party(standing.party_id);
    let legs = [
        (standing.side.open_role(), signed(standing.invoices)),
        (standing.side.credit_role(), signed(standing.unapplied)),
    ];
    legs.into_iter()
        .filter_map(|(role, balance)| balance_leg(role, balance))
        .map(move |leg| Leg { party: Some(party), ..leg })
}

/// Posts the opening: one entry, or as many as its lines need.
fn post_opening(entity: Id, currency_code: &str, legs: Vec<Leg>) -> Result<Option<Id>, Problem> {
    let mut postings = Vec::new();
    for (nth, some) in legs.chunks(MOST_LEGS).enumerate() {
        let total =
            |side: JournalSide| sum(some.iter().filter(|leg| leg.side == side).map(|leg| parse::<Amount>(&leg.amount)));
        let balance =
            total(JournalSide::Credit)?.checked_sub(total(JournalSide::Debit)?).ok_or_else(Amount::limit_exceeded)?;
        let legs: Vec<Leg> = some.iter().cloned().chain(balance_leg("OPENING_BALANCE", balance)).collect();
        let purpose = if nth == 0 { OPENING.to_owned() } else { format!("{OPENING}:{}", nth + 1) };
        let terms = Terms {
            currency_pointer: Some("/currencyCode"),
            ..Terms::new(entity, currency_code, today(), "/booksStartOn")
        };
        let source = EntrySource { kind: OPENING, id: entity, purpose: &purpose, number: currency_code };
        postings.push(draw_entry(terms, source, legs));
    }
    if postings.is_empty() {
        return Ok(None);
    }
    let entries = books::service::post_all(&postings)?;
    Ok(entries.into_iter().flatten().next().map(Id::from))
}

fn find_other_currencies(entity: Id, currency_code: &str) -> Result<Vec<String>, Problem> {
    let entries = all([PartyEntryRow::legal_entity_id.eq(entity), PartyEntryRow::currency_code.ne(currency_code)]);
    let open = run(aggregate::<OfCurrency>(entries)
        .when(OfCurrency::invoices, of_account(PartyAccount::Invoices))
        .when(OfCurrency::unapplied, PartyEntryRow::account.ne(PartyAccount::Invoices))
        .without_zeros()
        .whole())?;
    let codes = set(open.into_iter().map(|group| group.currency_code));
    Ok(codes.into_iter().collect())
}
