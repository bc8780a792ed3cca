//! Creating, replacing and archiving one price. Each takes the name of list and variant before it reads what stands there, so
//! that the check of overlaps sees every price that was committed before.

use stoa_sdk::store::{Select, get, insert, lock, run, select, update};
use stoa_sdk::{Answer, Call, Id, Instant, Problem, all, emit, event, facts, item, new_id};

use crate::list::{Asker, ListRow, Status};
use crate::period::Period;
use crate::price::{PriceId, PriceInput, PriceRow, answer, lock_name, of_list};
use crate::{EmptyBody, PRICE, articles, currency, public};

/// Active prices of the variant in the list whose period overlaps.
fn overlapping(list: Id, variant: Id, period: Period, but: Option<Id>) -> Select<PriceId> {
    let same = [
        PriceRow::list_id.eq(list),
        PriceRow::variant_id.eq(variant),
        PriceRow::status.eq(Status::Active),
        period.overlapping(),
    ];
    select(all(same.into_iter().chain(but.map(|id| PriceRow::id.ne(id))))).limit(1)
}

pub fn create(call: &Call) -> Answer {
    created(call, Asker::Person).map(answer)
}

/// Creates the price of the body.
pub fn created(call: &Call, asker: Asker) -> Result<PriceRow, Problem> {
    let list_id = call.path_id("listId")?;
    let input: PriceInput = call.body()?;
    let mut faults = Vec::new();
    if !currency::is_active(&input.currency_code) {
        faults.push(item("/currencyCode", "FORMAT"));
    }
    let period = match input.period("") {
        Ok(period) if faults.is_empty() => period,
        Ok(_) => return Err(Problem::invalid(faults)),
        Err(more) => return Err(Problem::invalid(faults.into_iter().chain(more).collect())),
    };
    let variant = input.variant_id;
    let article = articles::get_variant(variant);
    let (_, list, overlaps) =
        run((lock(lock_name(list_id, variant)), get::<ListRow>(list_id), overlapping(list_id, variant, period, None)))?;
    let list = ListRow::known_to(asker, list)?;
    articles::usable(article.as_ref(), "/variantId")?;
    let list = list.unarchived()?;
    if input.currency_code != list.currency_code {
        return Err(Problem::reference_invalid("/currencyCode"));
    }
    if !overlaps.items.is_empty() {
        return Err(Problem::of("PRICE_PERIOD_OVERLAP"));
    }
    let row = input.row(new_id(), Instant(facts().now), list_id, period);
    run(insert([&row]))?;
    let is_public = list.is_public() && article.as_ref().is_some_and(articles::is_sold);
    emit(&[event("pricing.price.created", PRICE, row.id, None, &public::Price::of(&row, is_public))]);
    Ok(row)
}

pub fn replace(call: &Call) -> Answer {
    let (row, changed) = replaced(call, Asker::Person)?;
    Ok(answer(row).changed(changed))
}

/// Replaces the price by the body; answers which members differ too.
pub fn replaced(call: &Call, asker: Asker) -> Result<(PriceRow, Vec<&'static str>), Problem> {
    let list_id = call.path_id("listId")?;
    let id = call.path_id("priceId")?;
    let input: PriceInput = call.body()?;
    let period = input.period("").map_err(Problem::invalid)?;
    // The body names the variant; where it is not the stored one the lock is the wrong one, and the change is refused.
    let variant = input.variant_id;
    let (_, list, row, overlaps) = run((
        lock(lock_name(list_id, variant)),
        get::<ListRow>(list_id),
        get(id).locked(),
        overlapping(list_id, variant, period, Some(id)),
    ))?;
    let list = ListRow::known_to(asker, list)?;
    let row = writable(call, of_list(row, list_id)?)?;
    let list = list.unarchived()?;
    let fixed =
        [("/variantId", variant != row.variant_id), ("/currencyCode", input.currency_code != row.currency_code)];
    let fixed: Vec<String> = fixed.into_iter().filter(|(_, differs)| *differs).map(|(at, _)| at.to_owned()).collect();
    if !fixed.is_empty() {
        return Err(Problem::immutable(fixed));
    }
    if !overlaps.items.is_empty() {
        return Err(Problem::of("PRICE_PERIOD_OVERLAP"));
    }
    let after = PriceRow {
        amount: input.amount,
        valid_from: period.from,
        valid_to: period.to,
        updated_at: Instant(facts().now),
        version: row.version + 1,
        ..row.clone()
    };
    run(update::<PriceRow>(id)
        .set(PriceRow::amount, &after.amount)
        .set(PriceRow::valid_from, &after.valid_from)
        .set(PriceRow::valid_to, &after.valid_to))?;
    let is_public = list.is_public() && articles::get_variant(variant).as_ref().is_some_and(articles::is_sold);
    emit(&[event("pricing.price.updated", PRICE, id, None, &public::Price::of(&after, is_public))]);
    let members = [
        ("amount", row.amount != after.amount),
        ("validFrom", row.valid_from != after.valid_from),
        ("validTo", row.valid_to != after.valid_to),
    ];
    let changed = members.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
    Ok((after, changed))
}

/// The members that an archive changes.
pub const ARCHIVED: [&str; 2] = ["status", "archivedAt"];

pub fn archive(call: &Call) -> Answer {
    Ok(answer(archived(call, Asker::Person)?).changed(ARCHIVED.to_vec()))
}

/// Archives the price. Takes the name too, for which it must read the variant first: a schedule that closes this price must not
/// do so meanwhile.
pub fn archived(call: &Call, asker: Asker) -> Result<PriceRow, Problem> {
    let list_id = call.path_id("listId")?;
    let id = call.path_id("priceId")?;
    let EmptyBody {} = call.body()?;
    let (row, list) = run((get(id), get::<ListRow>(list_id)))?;
    ListRow::known_to(asker, list)?;
    let variant = of_list(row, list_id)?.variant_id;
    let (_, row) = run((lock(lock_name(list_id, variant)), get(id).locked()))?;
    let row = writable(call, of_list(row, list_id)?)?;
    let now = Instant(facts().now);
    let after =
        PriceRow { status: Status::Archived, archived_at: Some(now), updated_at: now, version: row.version + 1, ..row };
    run(update::<PriceRow>(id).set(PriceRow::status, &after.status).set(PriceRow::archived_at, &after.archived_at))?;
    emit(&[event("pricing.price.archived", PRICE, id, None, &public::Price::of(&after, false))]);
    Ok(after)
}

/// The row, if it may be changed.
///
/// # Errors
/// PRECONDITION_FAILED, ARCHIVED.
pub fn writable(call: &Call, row: PriceRow) -> Result<PriceRow, Problem> {
    call.matches(row.id, row.version)?;
    if row.status == Status::Archived { Err(Problem::archived()) } else { Ok(row) }
}
