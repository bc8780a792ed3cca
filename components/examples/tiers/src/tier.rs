//! Tiers: from which quantity on a price has which amount. The tiers of a price are one list, read and replaced as a whole.

use pricing::list::ListRow;
use pricing::price::{Amount, PriceRow, lock_name, of_list};
use pricing::{PRICE, articles, price_change, public};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, insert, lock, run, select, update, update_all};
use stoa_sdk::{
    Answer, Call, Decimal, Filter, Id, Instant, Item, Problem, Reply, all, collection, emit, event, facts, item,
    new_ids, set as distinct,
};

/// At most 12 integer digits and 6 after the point.
pub type Quantity = Decimal<6>;

collection! {
    /// Nothing is ever deleted: places beyond the last tier stay, inactive, for the next longer list.
    pub record TierRow in "price_tier" {
        price_id: Id,
        position: i64,
        from_quantity: Quantity,
        amount: Amount,
        active: bool,
    }
    unique { place: [price_id, position] }
    checks { position: [position >= 0] }
}

/// The tiers that a price shall have, in any order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriceTiersInput {
    #[schemars(length(max = 50))]
    pub tiers: Vec<TierInput>,
}

/// A tier as it is sent.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TierInput {
    /// Above zero; each once.
    pub from_quantity: Quantity,
    pub amount: Amount,
}

/// The tiers of a price, the lowest quantity first. The entity tag is the price's.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceTiers {
    pub price_id: Id,
    pub price_list_id: Id,
    pub variant_id: Id,
    pub currency_code: String,
    /// Below the first tier.
    pub amount: Amount,
    pub tiers: Vec<Tier>,
}

/// A tier: the amount of each unit from this quantity on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tier {
    pub from_quantity: Quantity,
    pub amount: Amount,
}

/// The tiers of a price.
pub fn of_price(price: Id) -> Filter {
    all([TierRow::price_id.eq(price), TierRow::active.eq(true)])
}

/// Rows as tiers, the lowest quantity first.
pub fn sorted(rows: impl IntoIterator<Item = TierRow>) -> Vec<Tier> {
    let tier = |row: TierRow| Tier { from_quantity: row.from_quantity, amount: row.amount };
    let mut tiers: Vec<Tier> = rows.into_iter().filter(|row| row.active).map(tier).collect();
    tiers.sort_unstable_by_key(|tier| tier.from_quantity);
    tiers
}

/// What a unit costs at this quantity: the amount of the highest tier that it reaches, else the price's own.
pub fn amount_at(quantity: Quantity, base: Amount, tiers: &[Tier]) -> Amount {
    tiers.iter().rev().find(|tier| tier.from_quantity <= quantity).map_or(base, |tier| tier.amount)
}

/// `GET .../tiers`.
pub fn read(call: &Call) -> Answer {
    let (list_id, price_id) = (call.path_id("listId")?, call.path_id("priceId")?);
    let (price, rows) = run((get::<PriceRow>(price_id), select::<TierRow>(of_price(price_id))))?;
    Ok(answer(of_list(price, list_id)?, sorted(rows.items)))
}

/// `PUT .../tiers`. Holds the name of list and variant, as every change of a price does.
pub fn set(call: &Call) -> Answer {
    let (list_id, price_id) = (call.path_id("listId")?, call.path_id("priceId")?);
    let PriceTiersInput { tiers } = call.body()?;
    let tiers = check(&tiers)?;
    let (price, list) = run((get::<PriceRow>(price_id), get::<ListRow>(list_id)))?;
    let variant = of_list(price, list_id)?.variant_id;
    let (_, price, rows) = run((
        lock(lock_name(list_id, variant)),
        get::<PriceRow>(price_id).locked(),
        select::<TierRow>(TierRow::price_id.eq(price_id)),
    ))?;
    let price = price_change::writable(call, of_list(price, list_id)?)?;
    let list = list.ok_or_else(Problem::not_found)?.unarchived()?;

    let before = sorted(rows.items.iter().cloned());
    write(price_id, &tiers, rows.items)?;
    // Sets what it is: the version moves, and with it the entity tag.
    run(update::<PriceRow>(price_id).set(PriceRow::amount, &price.amount))?;
    let price = PriceRow { version: price.version + 1, updated_at: Instant(facts().now), ..price };
    let is_public = list.is_public() && articles::get_variant(variant).as_ref().is_some_and(articles::is_sold);
    emit(&[event("pricing.price.updated", PRICE, price_id, None, &public::Price::of(&price, is_public))]);
    let changed = if before == tiers { Vec::new() } else { vec!["tiers"] };
    Ok(answer(price, tiers).changed(changed))
}

/// The tiers in order, or every fault that the schema cannot tell.
fn check(input: &[TierInput]) -> Result<Vec<Tier>, Problem> {
    let mut faults: Vec<Item> = Vec::new();
    let mut seen = distinct([]);
    for (index, tier) in input.iter().enumerate() {
        let pointer = || format!("/tiers/{index}/fromQuantity");
        if tier.from_quantity.is_zero() {
            faults.push(item(pointer(), "RANGE"));
        } else if !seen.insert(tier.from_quantity) {
            faults.push(item(pointer(), "REPEATED"));
        }
    }
    if !faults.is_empty() {
        return Err(Problem::invalid(faults));
    }
    let tier = |tier: &TierInput| Tier { from_quantity: tier.from_quantity, amount: tier.amount };
    let mut tiers: Vec<Tier> = input.iter().map(tier).collect();
    tiers.sort_unstable_by_key(|tier| tier.from_quantity);
    Ok(tiers)
}

/// Fills the places from the first on, and puts those beyond the last tier out of use.
fn write(price: Id, tiers: &[Tier], mut rows: Vec<TierRow>) -> Result<(), Problem> {
    rows.sort_unstable_by_key(|row| row.position);
    let mut changed = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        let after = match tiers.get(place) {
            Some(tier) => {
                TierRow { from_quantity: tier.from_quantity, amount: tier.amount, active: true, ..row.clone() }
            }
            None => TierRow { active: false, ..row.clone() },
        };
        if after != *row {
            changed.push(after);
        }
    }
    let now = Instant(facts().now);
    let missing = tiers.get(rows.len()..).unwrap_or_default();
    let ids = new_ids(u32::try_from(missing.len()).unwrap_or(u32::MAX));
    let added: Vec<TierRow> = missing
        .iter()
        .zip(ids)
        .zip(rows.len()..)
        .map(|((tier, id), place)| TierRow {
            id,
            version: 1,
            created_at: now,
            updated_at: now,
            price_id: price,
            position: i64::try_from(place).unwrap_or(i64::MAX),
            from_quantity: tier.from_quantity,
            amount: tier.amount,
            active: true,
        })
        .collect();
    let update = update_all::<TierRow>(changed.iter().map(|row| row.id))
        .set_each(TierRow::from_quantity, changed.iter().map(|row| row.from_quantity))
        .set_each(TierRow::amount, changed.iter().map(|row| row.amount))
        .set_each(TierRow::active, changed.iter().map(|row| row.active));
    run((update, insert(&added)))?;
    Ok(())
}

fn answer(price: PriceRow, tiers: Vec<Tier>) -> Reply {
    let (id, version, list) = (price.id, price.version, price.list_id);
    let body = PriceTiers {
        price_id: id,
        price_list_id: list,
        variant_id: price.variant_id,
        currency_code: price.currency_code,
        amount: price.amount,
        tiers,
    };
    Reply::json(&body).of(id, version).subject(list)
}
