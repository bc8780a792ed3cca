//! Price lists: read and changed by people, read by API clients.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run, select, update};
use stoa_sdk::{
    Answer, Call, Id, Instant, Limit, Operation, Page, Problem, Reply, Text, all, contains, currency, emit, event,
    facts, item, paged,
};

use crate::records::price_list::{
    AUDIT, ListEvent, ListIdentity, ListRow, PriceList, PublicPriceList, Status, Visibility, show,
};
use crate::records::{EmptyBody, OnlyActive};
use crate::rules::access::{READ, WRITE};
use crate::work::price_list::{PriceListInput, insert_list};

const LISTS_AT: &str = "/tenants/{tenantId}/pricing/price-lists";
const LIST_AT: &str = "/tenants/{tenantId}/pricing/price-lists/{id}";
const CLIENT_LISTS_AT: &str = "/api-client/pricing/price-lists";
const CLIENT_LIST_AT: &str = "/api-client/pricing/price-lists/{listId}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(LISTS_AT, "listPriceLists", list).summary("Price lists")
        .needs(READ).query::<ListPriceLists>().answers::<Page<PriceList>>(),
    Operation::create(LISTS_AT, "createPriceList", create).summary("Create a price list")
        .description("A code stays reserved after archive. PUBLIC opts in to reads by API clients.")
        .needs(WRITE).body::<PriceListInput>().answers::<PriceList>()
        .writes(AUDIT, &["pricing.list.created"]).problems(&["DUPLICATE"]),
    Operation::read(LIST_AT, "getPriceList", read).summary("A price list").needs(READ).answers::<PriceList>(),
    Operation::replace(LIST_AT, "replacePriceList", replace).summary("Replace a price list")
        .description("Full replacement: an omitted description becomes null, AN OMITTED VISIBILITY BECOMES INTERNAL, which hides \
            a PUBLIC list from API clients at once. Code and currency must be the stored ones.")
        .needs(WRITE).body::<PriceListInput>().answers::<PriceList>()
        .writes(AUDIT, &["pricing.list.updated"]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/tenants/{tenantId}/pricing/price-lists/{id}/archive", "archivePriceList", archive)
        .summary("Archive a price list").description("Its prices stay as they are and resolve no more.")
        .needs(WRITE).body::<EmptyBody>().answers::<PriceList>()
        .writes(AUDIT, &["pricing.list.archived"]).problems(&["ARCHIVED"]),
    Operation::read(CLIENT_LISTS_AT, "apiListPriceLists", api_list).summary("Public price lists")
        .machine(READ).query::<ListPublicPriceLists>().answers::<Page<PublicPriceList>>(),
    Operation::read(CLIENT_LIST_AT, "apiGetPriceList", api_read).summary("A public price list")
        .machine(READ).answers::<PublicPriceList>(),
];

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPriceLists {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    status: Status,
    visibility: Option<Visibility>,
    /// Part of the name or code, in any case.
    text: Option<Text<1, 200>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPublicPriceLists {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    /// Only ACTIVE ones are shown.
    #[serde(default)]
    #[allow(dead_code, reason = "there is one status to ask for")]
    status: OnlyActive,
    /// Changed at or after this instant.
    updated_since: Option<Instant>,
}

pub fn list(call: &Call) -> Answer {
    let query: ListPriceLists = call.query()?;
    let visibility = query.visibility.map(|visibility| ListRow::visibility.eq(visibility));
    let text = query.text.as_deref().map(|text| contains("text", text));
    let filter = all([ListRow::status.eq(query.status)].into_iter().chain(visibility).chain(text));
    let rows = paged(query.limit, |limit| run(select::<ListRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| PriceList::of(row, tenant))))
}

pub fn read(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?;
    row.map(show).ok_or_else(Problem::not_found)
}

pub fn create(call: &Call) -> Answer {
    let input: PriceListInput = call.body()?;
    if !currency::is_active(&input.currency_code) {
        return Err(Problem::invalid(vec![item("/currencyCode", "FORMAT")]));
    }
    let row = insert_list(input)?;
    Ok(show(row))
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: PriceListInput = call.body()?;
    let row = writable(call, run(get(id).locked())?)?;
    let fixed = [("/code", input.code != row.code), ("/currencyCode", input.currency_code != row.currency_code)];
    let fixed: Vec<String> = fixed.into_iter().filter(|(_, differs)| *differs).map(|(at, _)| at.to_owned()).collect();
    if !fixed.is_empty() {
        return Err(Problem::immutable(fixed));
    }
    let after = ListRow {
        name: input.name.into(),
        description: input.description.map(String::from),
        visibility: input.visibility,
        updated_at: Instant(facts().now),
        version: row.version + 1,
        ..row.clone()
    };
    run(update::<ListRow>(id)
        .set(ListRow::name, &after.name)
        .set(ListRow::description, &after.description)
        .set(ListRow::visibility, &after.visibility))?;
    emit(&[event("pricing.list.updated", AUDIT, id, None, &ListEvent::of(&after))]);
    let members = [
        ("name", row.name != after.name),
        ("description", row.description != after.description),
        ("visibility", row.visibility != after.visibility),
    ];
    let changed = members.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
    Ok(show(after).changed(changed))
}

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let row = writable(call, run(get(id).locked())?)?;
    let now = Instant(facts().now);
    let after =
        ListRow { status: Status::Archived, archived_at: Some(now), updated_at: now, version: row.version + 1, ..row };
    run(update::<ListRow>(id).set(ListRow::status, &after.status).set(ListRow::archived_at, &after.archived_at))?;
    emit(&[event("pricing.list.archived", AUDIT, id, None, &ListIdentity { id })]);
    Ok(show(after).changed(vec!["status", "archivedAt"]))
}

fn writable(call: &Call, row: Option<ListRow>) -> Result<ListRow, Problem> {
    let row = row.ok_or_else(Problem::not_found)?;
    call.matches(row.id, row.version)?;
    row.unarchived()
}

pub fn api_list(call: &Call) -> Answer {
    let query: ListPublicPriceLists = call.query()?;
    let shown = [ListRow::visibility.eq(Visibility::Public), ListRow::status.eq(Status::Active)];
    let since = query.updated_since.map(|since| ListRow::updated_at.ge(since));
    let filter = all(shown.into_iter().chain(since));
    let rows = paged(query.limit, |limit| run(select::<ListRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    Ok(Reply::json(&Page::of(&rows.items, rows.more, |row| row.id, PublicPriceList::of)))
}

pub fn api_read(call: &Call) -> Answer {
    let row: Option<ListRow> = run(get(call.path_id("listId")?))?;
    let row = row.filter(ListRow::is_public).ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&PublicPriceList::of(&row)).of(row.id, row.version))
}
