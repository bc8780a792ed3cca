//! Creating, replacing and archiving one price. Each takes the name of list and variant before it reads what stands there, so
//! that the check of overlaps sees every price that was committed before.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Select, get, insert, lock, run, select, update};
use stoa_sdk::{
    Answer, Call, Id, Instant, Item, Operation, Problem, all, currency, emit, event, facts, item, new_id, text,
};

use crate::records::EmptyBody;
use crate::records::price::{
    AUDIT, Amount, Price, PriceEvent, PriceId, PriceRow, PublicPrice, lock_name, show, show_public,
};
use crate::records::price_list::{ListRow, Status};
use crate::rules::access::{Asker, WRITE, require_list, require_price};
use crate::rules::period::{Period, Stated};
use crate::work::articles;

const PRICES_AT: &str = "/tenants/{tenantId}/pricing/price-lists/{listId}/prices";
/// A price of a list.
const PRICE_AT: &str = "/tenants/{tenantId}/pricing/price-lists/{listId}/prices/{priceId}";
const CLIENT_PRICES_AT: &str = "/api-client/pricing/price-lists/{listId}/prices";
const CLIENT_PRICE_AT: &str = "/api-client/pricing/price-lists/{listId}/prices/{priceId}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::create(PRICES_AT, "createPrice", create).summary("Create a price")
        .description("Periods of active prices of one list and variant never overlap; one may begin where another ends.")
        .needs(WRITE).body::<PriceInput>().answers::<Price>().writes(AUDIT, &["pricing.price.created"])
        .problems(&["ARCHIVED", "REFERENCE_INVALID", "PRICE_PERIOD_OVERLAP"]),
    Operation::replace(PRICE_AT, "replacePrice", replace).summary("Replace a price")
        .description("Amount and bounds may change; an omitted bound becomes unbounded. Variant and currency must be the stored ones.")
        .needs(WRITE).body::<PriceInput>().answers::<Price>().writes(AUDIT, &["pricing.price.updated"])
        .problems(&["ARCHIVED", "IMMUTABLE_FIELD", "PRICE_PERIOD_OVERLAP"]),
    Operation::transition("/tenants/{tenantId}/pricing/price-lists/{listId}/prices/{priceId}/archive", "archivePrice",
        archive)
        .summary("Archive a price").description("Its period is free again.")
        .needs(WRITE).body::<EmptyBody>().answers::<Price>()
        .writes(AUDIT, &["pricing.price.archived"]).problems(&["ARCHIVED"]),
    Operation::create(CLIENT_PRICES_AT, "apiCreatePrice", api_create).summary("Create a price in a public list")
        .description("Periods of active prices of one list and variant never overlap; one may begin where another ends.")
        .machine(WRITE).body::<PriceInput>().answers::<PublicPrice>().writes(AUDIT, &["pricing.price.created"])
        .problems(&["ARCHIVED", "REFERENCE_INVALID", "PRICE_PERIOD_OVERLAP"]),
    Operation::replace(CLIENT_PRICE_AT, "apiReplacePrice", api_replace).summary("Replace a price of a public list")
        .description("Amount and bounds may change; an omitted bound becomes unbounded. Variant and currency must be the stored ones.")
        .machine(WRITE).body::<PriceInput>().answers::<PublicPrice>().writes(AUDIT, &["pricing.price.updated"])
        .problems(&["ARCHIVED", "IMMUTABLE_FIELD", "PRICE_PERIOD_OVERLAP"]),
    Operation::transition("/api-client/pricing/price-lists/{listId}/prices/{priceId}/archive", "apiArchivePrice",
        api_archive)
        .summary("Archive a price of a public list").description("Its period is free again.")
        .machine(WRITE).body::<EmptyBody>().answers::<PublicPrice>()
        .writes(AUDIT, &["pricing.price.archived"]).problems(&["ARCHIVED"]),
];

/// Input of a price.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PriceInput {
    /// Immutable.
    pub variant_id: Id,
    /// Upper-cased; must be the list's.
    #[schemars(regex(pattern = text::ANY_CASE_CURRENCY), extend("x-normalize" = ["upper"]))]
    pub currency_code: String,
    pub amount: Amount,
    /// Inclusive; null: since ever.
    #[serde(default)]
    pub valid_from: Option<Stated>,
    /// Exclusive, after `validFrom`; null: for ever.
    #[serde(default)]
    pub valid_to: Option<Stated>,
}

impl PriceInput {
    /// # Errors
    /// The faults of the bounds, below `pointer`.
    pub fn period(&self, pointer: &str) -> Result<Period, Vec<Item>> {
        Period::read(self.valid_from.as_ref(), self.valid_to.as_ref(), pointer)
    }

    /// A new row.
    pub fn row(&self, id: Id, now: Instant, list: Id, period: Period) -> PriceRow {
        PriceRow {
            id,
            version: 1,
            created_at: now,
            updated_at: now,
            list_id: list,
            variant_id: self.variant_id,
            currency_code: self.currency_code.clone(),
            amount: self.amount,
            valid_from: period.from,
            valid_to: period.to,
            status: Status::Active,
            archived_at: None,
        }
    }
}

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
    create_as(Asker::Person, call).map(show)
}

pub fn api_create(call: &Call) -> Answer {
    create_as(Asker::Client, call).map(|row| show_public(&row))
}

/// Creates the price of the body.
fn create_as(asker: Asker, call: &Call) -> Result<PriceRow, Problem> {
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
    let list = require_list(asker, list)?;
    articles::require_active(article.as_ref(), "/variantId")?;
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
    emit(&[event("pricing.price.created", AUDIT, row.id, None, &PriceEvent::of(&row, is_public))]);
    Ok(row)
}

pub fn replace(call: &Call) -> Answer {
    let (row, changed) = replace_as(Asker::Person, call)?;
    Ok(show(row).changed(changed))
}

pub fn api_replace(call: &Call) -> Answer {
    let (row, changed) = replace_as(Asker::Client, call)?;
    Ok(show_public(&row).changed(changed))
}

/// Replaces the price by the body; answers which members differ too.
fn replace_as(asker: Asker, call: &Call) -> Result<(PriceRow, Vec<&'static str>), Problem> {
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
    let list = require_list(asker, list)?;
    let row = writable(call, require_price(list_id, row)?)?;
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
    emit(&[event("pricing.price.updated", AUDIT, id, None, &PriceEvent::of(&after, is_public))]);
    let members = [
        ("amount", row.amount != after.amount),
        ("validFrom", row.valid_from != after.valid_from),
        ("validTo", row.valid_to != after.valid_to),
    ];
    let changed = members.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
    Ok((after, changed))
}

/// The members that an archive changes.
const ARCHIVED: [&str; 2] = ["status", "archivedAt"];

pub fn archive(call: &Call) -> Answer {
    Ok(show(archive_as(Asker::Person, call)?).changed(ARCHIVED.to_vec()))
}

pub fn api_archive(call: &Call) -> Answer {
    Ok(show_public(&archive_as(Asker::Client, call)?).changed(ARCHIVED.to_vec()))
}

/// Archives the price. Takes the name too, for which it must read the variant first: a schedule that closes this price must not
/// do so meanwhile.
fn archive_as(asker: Asker, call: &Call) -> Result<PriceRow, Problem> {
    let list_id = call.path_id("listId")?;
    let id = call.path_id("priceId")?;
    let EmptyBody {} = call.body()?;
    let (row, list) = run((get(id), get::<ListRow>(list_id)))?;
    require_list(asker, list)?;
    let variant = require_price(list_id, row)?.variant_id;
    let (_, row) = run((lock(lock_name(list_id, variant)), get(id).locked()))?;
    let row = writable(call, require_price(list_id, row)?)?;
    let now = Instant(facts().now);
    let after =
        PriceRow { status: Status::Archived, archived_at: Some(now), updated_at: now, version: row.version + 1, ..row };
    run(update::<PriceRow>(id).set(PriceRow::status, &after.status).set(PriceRow::archived_at, &after.archived_at))?;
    emit(&[event("pricing.price.archived", AUDIT, id, None, &PriceEvent::of(&after, false))]);
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
