//! Price lists.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{Failure, get, insert, run, select, update};
use stoa_sdk::{
    Answer, Call, Id, Instant, Limit, Page, Problem, Reply, Text, all, collection, contains, emit, event, facts, item,
    new_id, paged, text, text_enum,
};

use crate::{EmptyBody, LIST, currency, public};

text_enum! {
    /// ARCHIVED records are immutable.
    #[derive(Default)]
    pub enum Status { #[default] Active => "ACTIVE", Archived => "ARCHIVED" }
}

text_enum! {
    /// PUBLIC lists may be read by API clients.
    #[derive(Default)]
    pub enum Visibility { #[default] Internal => "INTERNAL", Public => "PUBLIC" }
}

collection! {
    pub record ListRow in "price_list" {
        code: String,
        name: String,
        description: Option<String>,
        currency_code: String,
        visibility: Visibility,
        status: Status,
        archived_at: Option<Instant>,
    }
    unique { code: [code] }
    index { [status, id], [visibility, status] }
    search { text: [name, code] }
}

/// Who asks: an API client knows nothing of INTERNAL lists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    Person,
    Client,
}

/// Input of a price list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PriceListInput {
    /// Upper-cased; unique for ever, archived lists included; immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64), extend("x-normalize" = ["upper"]))]
    pub code: String,
    pub name: Text<1, 200>,
    #[serde(default)]
    pub description: Option<Text<0, 2000>>,
    /// An active code of ISO 4217; immutable.
    #[schemars(regex(pattern = text::CURRENCY))]
    pub currency_code: String,
    /// AN OMITTED VISIBILITY IS INTERNAL, in a replacement too.
    #[serde(default)]
    pub visibility: Visibility,
}

/// A price list as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceList {
    pub id: Id,
    pub tenant_id: Id,
    pub status: Status,
    pub archived_at: Option<Instant>,
    pub created_at: Instant,
    pub updated_at: Instant,
    pub code: String,
    pub name: String,
    pub description: Option<String>,
    pub currency_code: String,
    pub visibility: Visibility,
}

impl PriceList {
    fn of(row: ListRow, tenant: Id) -> PriceList {
        PriceList {
            id: row.id,
            tenant_id: tenant,
            status: row.status,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            code: row.code,
            name: row.name,
            description: row.description,
            currency_code: row.currency_code,
            visibility: row.visibility,
        }
    }
}

impl ListRow {
    /// Whether API clients may read it.
    pub fn is_public(&self) -> bool {
        self.status == Status::Active && self.visibility == Visibility::Public
    }

    /// The row, if there is one for whoever asks.
    ///
    /// # Errors
    /// NOT_FOUND.
    pub fn known_to(asker: Asker, row: Option<ListRow>) -> Result<ListRow, Problem> {
        let known = |row: &ListRow| asker == Asker::Person || row.visibility == Visibility::Public;
        row.filter(known).ok_or_else(Problem::not_found)
    }

    /// The row unless it is archived.
    ///
    /// # Errors
    /// ARCHIVED.
    pub fn unarchived(self) -> Result<ListRow, Problem> {
        if self.status == Status::Archived { Err(Problem::archived()) } else { Ok(self) }
    }
}

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
    row.map(answer).ok_or_else(Problem::not_found)
}

pub fn create(call: &Call) -> Answer {
    let input: PriceListInput = call.body()?;
    if !currency::is_active(&input.currency_code) {
        return Err(Problem::invalid(vec![item("/currencyCode", "FORMAT")]));
    }
    let row = add(input)?;
    Ok(answer(row))
}

/// Inserts a list whose currency was checked, and tells of it.
pub fn add(input: PriceListInput) -> Result<ListRow, Problem> {
    let now = Instant(facts().now);
    let row = ListRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        code: input.code,
        name: input.name.into(),
        description: input.description.map(String::from),
        currency_code: input.currency_code,
        visibility: input.visibility,
        status: Status::Active,
        archived_at: None,
    };
    run(insert([&row])).map_err(|failure| match failure {
        Failure::Duplicate(_) => Problem::duplicate("/code"),
        other => other.into(),
    })?;
    emit(&[event("pricing.list.created", LIST, row.id, None, &public::List::of(&row))]);
    Ok(row)
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
    emit(&[event("pricing.list.updated", LIST, id, None, &public::List::of(&after))]);
    let members = [
        ("name", row.name != after.name),
        ("description", row.description != after.description),
        ("visibility", row.visibility != after.visibility),
    ];
    let changed = members.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
    Ok(answer(after).changed(changed))
}

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let row = writable(call, run(get(id).locked())?)?;
    let now = Instant(facts().now);
    let after =
        ListRow { status: Status::Archived, archived_at: Some(now), updated_at: now, version: row.version + 1, ..row };
    run(update::<ListRow>(id).set(ListRow::status, &after.status).set(ListRow::archived_at, &after.archived_at))?;
    emit(&[event("pricing.list.archived", LIST, id, None, &public::Identity { id })]);
    Ok(answer(after).changed(vec!["status", "archivedAt"]))
}

fn writable(call: &Call, row: Option<ListRow>) -> Result<ListRow, Problem> {
    let row = row.ok_or_else(Problem::not_found)?;
    call.matches(row.id, row.version)?;
    row.unarchived()
}

fn answer(row: ListRow) -> Reply {
    let (id, version) = (row.id, row.version);
    Reply::json(&PriceList::of(row, facts().tenant.into())).of(id, version)
}
