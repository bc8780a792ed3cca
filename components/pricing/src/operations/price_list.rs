//! Price lists: read and changed by people, read by API clients.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Client, Instant, Operation, Page, Problem, Text};
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::{changed_since, equals, mentions};
use stoa_trade::{Caller, Change, EmptyBody, Identity, Status, client_query, list_query, writable};

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
    pub struct ListPriceLists of ListRow {
        #[serde(default)]
        status: Status = ListRow::status.eq(status),
        /// Only these price lists, at most 100, separated by commas.
        ids: Option<Ids> = among(ListRow::id, ids.as_ref()),
        /// Only this code, ignoring case.
        code: Option<Text<1, 64>> = equals(ListRow::code, code.as_deref().map(str::to_uppercase)),
        visibility: Option<Visibility>,
        /// Only records whose name or code contains the text, ignoring case.
        text: Option<Text<1, 200>> = mentions("text", text.as_deref()),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(ListRow::updated_at, updated_since),
    }
}

client_query! {
    ListApiPriceLists of active ListPriceLists without ["visibility", "text"] but {
        "updatedSince": "Only records changed at or after this instant. To find lists that were archived or made INTERNAL, list \
            all without this parameter.",
    }
}

pub fn list(call: &Call) -> Answer {
    let caller = Caller::current();
    let public = caller.is_client().then(|| ListRow::visibility.eq(Visibility::Public));
    let rows = call.query::<ListPriceLists>()?.page(public)?;
    caller.answer_page(rows, PriceList::from_row, ApiPriceList::from_row)
}

pub fn read(call: &Call) -> Answer {
    let row: Option<ListRow> = run(get(call.path_id("id")?))?;
    row.as_ref().map(show).ok_or_else(Problem::not_found)
}

/// The path of an API client names the list by another parameter.
pub fn read_public(call: &Call) -> Answer {
    let row: Option<ListRow> = run(get(call.path_id("listId")?))?;
    row.as_ref().filter(|row| row.is_public()).map(show).ok_or_else(Problem::not_found)
}

pub fn create(call: &Call) -> Answer {
    insert_list(call.body()?).map(|row| show(&row))
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
    Change::new(&row, after)?.write_and_emit(&UPDATED, PriceListEvent::from_row, show)
}

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let change = Change::archive(writable(call, run(get::<ListRow>(id).locked())?)?);
    change.write_and_emit(&ARCHIVED, |_| Identity { id }, show)
}
