//! Price lists: read and changed by people, read by API clients.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Client, Instant, Operation, Page, Problem, Text, all, currency, emit, item};
use stoa_trade::lists::{changed_since, equals, mentions, read_page};
use stoa_trade::{Caller, Change, EmptyBody, Identity, list_query, writable};

use crate::records::permission::{READ, WRITE};
use crate::records::price_list::{
    ARCHIVED, AUDIT, ApiPriceList, CREATED, ListRow, PriceList, PriceListEvent, UPDATED, Visibility, show,
};
use crate::work::price_list::{PriceListInput, insert_list};

const LISTS: &str = "/pricing/price-lists";
const LIST: &str = "/pricing/price-lists/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(LISTS, "listPriceLists", list).summary("Price lists")
        .needs(READ).query::<ListPriceLists>().answers::<Page<PriceList>>()
        .and_client(Client::new(READ).summary("Public price lists")
            .query::<ListApiPriceLists>().answers::<Page<ApiPriceList>>()),
    Operation::create(LISTS, "createPriceList", create).summary("Create a price list")
        .description("A code remains reserved after archiving. API clients can read the list if `visibility` is PUBLIC.")
        .needs(WRITE).body::<PriceListInput>().answers::<PriceList>()
        .writes(AUDIT, &[CREATED.code]).problems(&["DUPLICATE"]),
    Operation::read(LIST, "getPriceList", read).summary("A price list").needs(READ).answers::<PriceList>()
        .and_client(Client::new(READ).run(read_public).at("/pricing/price-lists/{listId}").summary("A public price list")
            .answers::<ApiPriceList>()),
    Operation::replace(LIST, "replacePriceList", replace).summary("Replace a price list")
        .description("Full replacement: an omitted description becomes null. Caution: an omitted `visibility` becomes \
            INTERNAL, which hides a PUBLIC list from API clients at once. Code and currency must be the current ones.")
        .needs(WRITE).body::<PriceListInput>().answers::<PriceList>()
        .writes(AUDIT, &[UPDATED.code]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/pricing/price-lists/{id}/archive", "archivePriceList", archive)
        .summary("Archive a price list").description("Its prices remain and are no longer in effect.")
        .needs(WRITE).body::<EmptyBody>().answers::<PriceList>()
        .writes(AUDIT, &[ARCHIVED.code]).problems(&["ARCHIVED"]),
];

list_query! {
    pub struct ListPriceLists of Status {
        /// Only this code, ignoring case.
        code: Option<Text<1, 64>>,
        visibility: Option<Visibility>,
        /// Only records whose name or code contains the text, ignoring case.
        text: Option<Text<1, 200>>,
        /// Only records changed at or after this instant.
        updated_since: Option<Instant>,
    }
}

list_query! {
    pub struct ListApiPriceLists of OnlyActive {
        /// Only this code, ignoring case.
        code: Option<Text<1, 64>>,
        /// Only records changed at or after this instant.
        updated_since: Option<Instant>,
    }
}

pub fn list(call: &Call) -> Answer {
    let query: ListPriceLists = call.query()?;
    let caller = Caller::current();
    let visibility = if caller.is_client() { Some(Visibility::Public) } else { query.visibility };
    let filter = all([
        ListRow::status.eq(query.status),
        equals(ListRow::visibility, visibility),
        equals(ListRow::code, query.code.as_deref().map(str::to_uppercase)),
        mentions("text", query.text.as_deref()),
        changed_since(ListRow::updated_at, query.updated_since),
    ]);
    let rows = read_page(&filter, query.cursor, query.limit)?;
    caller.show_page::<PriceList, ApiPriceList, _>(rows, |row: &ListRow| row.id)
}

pub fn read(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?;
    row.map(show).ok_or_else(Problem::not_found)
}

/// The path of an API client names the list by another parameter.
pub fn read_public(call: &Call) -> Answer {
    let row = run(get(call.path_id("listId")?))?;
    row.filter(ListRow::is_public).map(show).ok_or_else(Problem::not_found)
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
    let row = writable(call, run(get::<ListRow>(id).locked())?)?;
    let after = ListRow {
        code: input.code,
        name: input.name.into(),
        description: input.description.map(String::from),
        currency_code: input.currency_code,
        visibility: input.visibility,
        ..row.clone()
    };
    let change = Change::new(&row, after)?;
    run(change.update())?;
    emit([UPDATED.of(id, None, &PriceListEvent::from_row(change.after()))]);
    Ok(change.show(show))
}

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let change = Change::archive(writable(call, run(get::<ListRow>(id).locked())?)?);
    run(change.update())?;
    emit([ARCHIVED.of(id, None, &Identity { id })]);
    Ok(change.show(show))
}
