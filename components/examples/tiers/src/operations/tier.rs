//! The tiers of a price: one list, read and replaced as a whole.

use pricing::records::permission::{READ, WRITE};
use pricing::records::price::{AUDIT, PriceEvent, PriceRow, UPDATED, lock_name};
use pricing::records::price_list::ListRow;
use pricing::rules::access::require_price;
use pricing::work::articles::is_variant_on_sale;
use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, insert, lock, run, select, update_all};
use stoa_sdk::{Answer, Call, Id, Operation, Problem, emit, new_ids, now};
use stoa_trade::clients::articles::products_of;
use stoa_trade::{Change, require_unarchived, writable};

use crate::records::tier::{PriceTiers, Tier, TierInput, TierRow, of_price, show};
use crate::rules::tier::{check, sort};

const TIERS: &str = "/pricing/price-lists/{listId}/prices/{priceId}/tiers";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(TIERS, "getPriceTiers", read).summary("Quantity tiers of a price")
        .needs(READ).answers::<PriceTiers>(),
    Operation::replace(TIERS, "setPriceTiers", set).summary("Replace the quantity tiers of a price")
        .description("All of them at once; none takes the tiers away. They are part of the price: its version moves.")
        .needs(WRITE).body::<PriceTiersInput>().answers::<PriceTiers>().writes(AUDIT, &[UPDATED.code])
        .problems(&["ARCHIVED"]),
];

/// The tiers that a price shall have, in any order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriceTiersInput {
    #[schemars(length(max = 50))]
    pub tiers: Vec<TierInput>,
}

/// `GET .../tiers`.
pub fn read(call: &Call) -> Answer {
    let (list_id, price_id) = (call.path_id("listId")?, call.path_id("priceId")?);
    let (price, rows) = run((get::<PriceRow>(price_id), select::<TierRow>(of_price(price_id)).whole()))?;
    Ok(show(require_price(list_id, price)?, sort(rows)))
}

/// `PUT .../tiers`. Holds the name of list and variant, as every change of a price does.
pub fn set(call: &Call) -> Answer {
    let (list_id, price_id) = (call.path_id("listId")?, call.path_id("priceId")?);
    let PriceTiersInput { tiers } = call.body()?;
    let tiers = check(&tiers)?;
    let (price, list) = run((get::<PriceRow>(price_id), get::<ListRow>(list_id)))?;
    let variant = require_price(list_id, price)?.variant_id;
    let (_, price, rows) = run((
        lock(lock_name(list_id, variant)),
        get::<PriceRow>(price_id).locked(),
        select::<TierRow>(TierRow::price_id.eq(price_id)).whole(),
    ))?;
    let price = writable(call, Some(require_price(list_id, price)?))?;
    let list = require_unarchived(list.ok_or_else(Problem::not_found)?)?;

    let before = sort(rows.iter().cloned());
    write(price_id, &tiers, rows)?;
    // A change of nothing: the price's version moves, and with it the entity tag.
    let change = Change::new(&price, price.clone())?;
    run(change.update())?;
    let is_public = list.is_public() && is_variant_on_sale(variant);
    emit([UPDATED.of(price_id, None, &PriceEvent::from_row(change.after(), is_public))]);
    let changed = if before == tiers { Vec::new() } else { vec!["tiers"] };
    Ok(show(change.into_after(), tiers).subjects(products_of([variant])).changed(changed))
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
    let missing = tiers.get(rows.len()..).unwrap_or_default();
    let ids = new_ids(u32::try_from(missing.len()).unwrap_or(u32::MAX));
    let added: Vec<TierRow> = missing
        .iter()
        .zip(ids)
        .zip(rows.len()..)
        .map(|((tier, id), place)| TierRow {
            id,
            version: 1,
            created_at: now(),
            updated_at: now(),
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
