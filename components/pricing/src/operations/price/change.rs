//! Creating, replacing and archiving one price. Each takes the name of list and variant before it reads the existing prices, so
//! that the check of overlaps sees every price that was committed before.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{First, get, insert, lock, run, select};
use stoa_sdk::{Answer, Call, Client, Id, Item, Operation, Problem, Reply, all, currency, emit, item, new_id, text};
use stoa_trade::clients::articles;
use stoa_trade::taken::show_readable;
use stoa_trade::{Caller, Change, EmptyBody, Status, new_record, require_unarchived, writable};

use crate::records::permission::{READ, WRITE};
use crate::records::price::{
    ARCHIVED, AUDIT, Amount, ApiPrice, CREATED, Price, PriceEvent, PriceId, PriceIdentity, PriceRow, UPDATED,
    lock_name, show,
};
use crate::records::price_list::ListRow;
use crate::rules::access::{require_list, require_price};
use crate::rules::period::{Period, Stated, overlap_filter, read_period};
use crate::work::articles::is_variant_on_sale;

const PRICE: &str = "/pricing/price-lists/{listId}/prices/{priceId}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::create("/pricing/price-lists/{listId}/prices", "createPrice", create).summary("Create a price")
        .description("Periods of active prices of one list and variant never overlap. One may begin at the instant at which \
            another ends.")
        .needs(WRITE).body::<PriceInput>().answers::<Price>().writes(AUDIT, &[CREATED.code])
        .problems(&["ARCHIVED", "REFERENCE_INVALID", "PRICE_PERIOD_OVERLAP"])
        .and_client(Client::new(WRITE).summary("Create a price in a public list").answers::<ApiPrice>()),
    Operation::replace(PRICE, "replacePrice", replace).summary("Replace a price")
        .description("Amount and period may change; an omitted bound becomes unbounded. Variant and currency must be the \
            current ones.")
        .needs(WRITE).body::<PriceInput>().answers::<Price>().writes(AUDIT, &[UPDATED.code])
        .problems(&["ARCHIVED", "IMMUTABLE_FIELD", "PRICE_PERIOD_OVERLAP"])
        .and_client(Client::new(WRITE).summary("Replace a price of a public list").answers::<ApiPrice>()),
    Operation::transition("/pricing/price-lists/{listId}/prices/{priceId}/archive", "archivePrice", archive)
        .summary("Archive a price").description("Its period becomes available again.")
        .needs(WRITE).body::<EmptyBody>().answers::<Price>().writes(AUDIT, &[ARCHIVED.code]).problems(&["ARCHIVED"])
        .and_client(Client::new(WRITE).summary("Archive a price of a public list").answers::<ApiPrice>()),
];

/// A price in a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PriceInput {
    /// Immutable.
    pub variant_id: Id,
    /// Converted to upper case; must be the currency of the list.
    #[schemars(regex(pattern = text::ANY_CASE_CURRENCY), extend("x-normalize" = ["upper"]))]
    pub currency_code: String,
    pub amount: Amount,
    /// Inclusive; null: no start.
    pub valid_from: Option<Stated>,
    /// Exclusive, after `validFrom`; null: no end.
    pub valid_to: Option<Stated>,
}

impl PriceInput {
    fn period(&self, pointer: &str) -> Result<Period, Vec<Item>> {
        read_period(self.valid_from.as_ref(), self.valid_to.as_ref(), pointer)
    }

    /// The period of a new price, or every fault below the pointer that the schema cannot find.
    pub fn check(&self, pointer: &str) -> Result<Period, Vec<Item>> {
        let is_active = currency::is_active(&self.currency_code);
        let currency = (!is_active).then(|| item(format!("{pointer}/currencyCode"), "FORMAT"));
        match (currency, self.period(pointer)) {
            (None, period) => period,
            (Some(fault), period) => Err([fault].into_iter().chain(period.err().into_iter().flatten()).collect()),
        }
    }

    /// A new row.
    pub fn row(&self, id: Id, list: Id, period: Period) -> PriceRow {
        new_record!(PriceRow {
            id,
            list_id: list,
            variant_id: self.variant_id,
            currency_code: self.currency_code.clone(),
            amount: self.amount,
            valid_from: period.from,
            valid_to: period.to,
            status: Status::Active,
            archived_at: None,
        })
    }
}

/// Active prices of the variant in the list whose period overlaps.
fn find_overlaps(list: Id, variant: Id, period: Period, but: Option<Id>) -> First<PriceId> {
    let overlap = overlap_filter(list, PriceRow::variant_id.eq(variant), period);
    select(all([overlap].into_iter().chain(but.map(|id| PriceRow::id.ne(id))))).first()
}

/// Rejects a period that an active price covers. An API client that reads prices learns its id too: it may replace or archive
/// that price.
fn refuse_overlap(overlap: Option<PriceId>) -> Result<(), Problem> {
    match overlap {
        Some(price) => Err(Problem::conflict("PRICE_PERIOD_OVERLAP", "/validFrom", show_readable(price.id, READ))),
        None => Ok(()),
    }
}

/// Shows a price that was written; the audit entry is found by its product too.
fn show_with_product(row: &PriceRow) -> Reply {
    show(row).subjects(articles::products_of([row.variant_id]))
}

pub fn create(call: &Call) -> Answer {
    let list_id = call.path_id("listId")?;
    let input: PriceInput = call.body()?;
    let period = input.check("").map_err(Problem::invalid)?;
    let variant = input.variant_id;
    let article = articles::get_one(variant);
    let (_, list, overlaps) = run((
        lock(lock_name(list_id, variant)),
        get::<ListRow>(list_id),
        find_overlaps(list_id, variant, period, None),
    ))?;
    let list = require_list(Caller::current(), list)?;
    articles::require_active(article.as_ref(), "/variantId")?;
    let list = require_unarchived(list)?;
    if input.currency_code != list.currency_code {
        return Err(Problem::reference_invalid("/currencyCode"));
    }
    refuse_overlap(overlaps)?;
    let row = input.row(new_id(), list_id, period);
    run(insert([&row]))?;
    let is_public = list.is_public() && article.as_ref().is_some_and(articles::is_on_sale);
    emit([CREATED.of(row.id, None, &PriceEvent::from_row(&row, is_public))]);
    Ok(show_with_product(&row))
}

pub fn replace(call: &Call) -> Answer {
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
        find_overlaps(list_id, variant, period, Some(id)),
    ))?;
    let list = require_list(Caller::current(), list)?;
    let row = writable(call, Some(require_price(list_id, row)?))?;
    let list = require_unarchived(list)?;
    let after = PriceRow {
        variant_id: variant,
        currency_code: input.currency_code,
        amount: input.amount,
        valid_from: period.from,
        valid_to: period.to,
        ..row.clone()
    };
    let change = Change::new(&row, after)?;
    refuse_overlap(overlaps)?;
    let data = |row: &PriceRow| PriceEvent::from_row(row, list.is_public() && is_variant_on_sale(variant));
    change.write_and_emit(&UPDATED, data, show_with_product)
}

/// Takes the name too, for which it must read the variant first: a schedule that closes this price must not do so
/// meanwhile.
pub fn archive(call: &Call) -> Answer {
    let list_id = call.path_id("listId")?;
    let id = call.path_id("priceId")?;
    let EmptyBody {} = call.body()?;
    let (row, list) = run((get(id), get::<ListRow>(list_id)))?;
    require_list(Caller::current(), list)?;
    let variant = require_price(list_id, row)?.variant_id;
    let (_, row) = run((lock(lock_name(list_id, variant)), get(id).locked()))?;
    let change = Change::archive(writable(call, Some(require_price(list_id, row)?))?);
    change.write_and_emit(&ARCHIVED, PriceIdentity::from_row, show_with_product)
}
