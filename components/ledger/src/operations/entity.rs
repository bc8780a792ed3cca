//! Legal entities: listing, creating, replacing and archiving them.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{aggregate, get, lock, run, select};
use stoa_sdk::{
    Answer, Call, Client, Column, Date, Filter, Id, Instant, Operation, Page, Problem, Text, all, item, text, today,
    totals,
};
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::{changed_since, mentions};
use stoa_trade::refusal::{invalid, list_faults, refuse_invalid};
use stoa_trade::{Caller, Change, EmptyBody, Status, country, currency, list_query, require_unarchived};

use crate::records::account::{AccountId, AccountRow};
use crate::records::branch::{BranchId, BranchRow};
use crate::records::entity::{ApiLegalEntity, EntityRow, LEGAL_ENTITY, LegalEntity, answer};
use crate::records::hold::{HoldId, HoldRow};
use crate::records::money_account::{MoneyId, MoneyRow};
use crate::records::permission::{CLIENT_READ, SETTINGS};
use crate::rules::books::books_lock;
use crate::rules::charts::Chart;
use crate::rules::refusal::refuse_while;
use crate::work::balance::{self, Scope};
use crate::work::chart;
use crate::work::entities::insert_entity;

const ENTITIES_AT: &str = "/ledger/legal-entities";
const ENTITY_AT: &str = "/ledger/legal-entities/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(ENTITIES_AT, "listLegalEntities", list).summary("Legal entities")
        .for_members().query::<ListLegalEntities>().answers::<Page<LegalEntity>>()
        .and_client(Client::new(CLIENT_READ).answers::<Page<ApiLegalEntity>>().cache_control("no-store")),
    Operation::create(ENTITIES_AT, "createLegalEntity", create).summary("Create a legal entity")
        .description("At most 100 in a company. Books, their currency, start and scale cannot change later; an entity without \
            books may begin them once.")
        .needs(SETTINGS).body::<LegalEntityInput>().answers::<LegalEntity>()
        .writes(LEGAL_ENTITY, &[]).problems(&["DUPLICATE", "LIMIT_EXCEEDED"]),
    Operation::read(ENTITY_AT, "getLegalEntity", read).summary("A legal entity")
        .for_members().answers::<LegalEntity>()
        .and_client(Client::new(CLIENT_READ).answers::<ApiLegalEntity>().cache_control("no-store")),
    Operation::replace(ENTITY_AT, "replaceLegalEntity", replace).summary("Replace a legal entity")
        .description("Full replacement of the changeable members: an omitted optional member becomes null.")
        .without_if_match().needs(SETTINGS).body::<LegalEntityChange>().answers::<LegalEntity>()
        .writes(LEGAL_ENTITY, &[]).problems(&["ARCHIVED", "IMMUTABLE_FIELD", "VERSION_CONFLICT"]),
    Operation::transition("/ledger/legal-entities/{id}/archive", "archiveLegalEntity",
        archive)
        .summary("Archive a legal entity")
        .description("Rejected while it has an active branch or money account, a warehouse or register uses it, or a control \
            account has a balance.")
        .without_if_match().needs(SETTINGS).body::<EmptyBody>().answers::<LegalEntity>()
        .writes(LEGAL_ENTITY, &[]).problems(&["ARCHIVED", "ILLEGAL_STATE", "LIMIT_EXCEEDED"])
        .item_codes(&["ACTIVE_BRANCH", "ACTIVE_MONEY_ACCOUNT", "CONTROL_BALANCE_NOT_ZERO", "HELD"]),
];

/// Entities that a company has at most, archived ones too.
const MOST_ENTITIES: i64 = 100;

totals! { Entities of EntityRow by [] { count: i64 = count } }

/// A new legal entity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LegalEntityInput {
    /// Stored as typed. Unique for ever, ignoring case, archived entities included. Immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64))]
    pub code: String,
    pub name: Text<1, 200>,
    pub legal_name: Option<Text<0, 300>>,
    /// Stored as sent; the service verifies nothing.
    pub tax_id: Option<Text<0, 64>>,
    /// An assigned code of ISO 3166-1 alpha-2.
    #[schemars(with = "Option<text::CountryCode>")]
    pub country_code: Option<String>,
    /// True if every covered operation posts an entry. Cannot be turned off.
    #[serde(default)]
    pub keeps_books: bool,
    /// Book currency, converted to upper case: an active ISO 4217 code. Required with books, not allowed without. Immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CURRENCY), extend("x-normalize" = ["upper"]))]
    pub currency_code: Option<String>,
    /// With books only: first day on which entries may be dated, today or earlier. Omitted: today. Immutable.
    pub books_start_on: Option<Date>,
    /// With books only: maximum number of decimal places of an amount in the journal. Omitted: 6. Choose more if cost times
    /// quantity of your goods needs them. Immutable.
    #[schemars(range(min = 6, max = 12))]
    pub amount_scale: Option<i64>,
    /// A chart of accounts with mappings and money accounts.
    #[serde(default)]
    pub chart: Chart,
}

/// Members of a legal entity that may change. Any other member must have its current value.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LegalEntityChange {
    #[schemars(range(min = 1, max = 2_147_483_646))]
    expected_version: i64,
    name: Text<1, 200>,
    legal_name: Option<Text<0, 300>>,
    tax_id: Option<Text<0, 64>>,
    /// An assigned code of ISO 3166-1 alpha-2.
    #[schemars(with = "Option<text::CountryCode>")]
    country_code: Option<String>,
    #[schemars(length(max = 64))]
    code: Option<String>,
    keeps_books: Option<bool>,
    #[schemars(regex(pattern = text::ANY_CASE_CURRENCY), extend("x-normalize" = ["upper"]))]
    currency_code: Option<String>,
    books_start_on: Option<Date>,
    amount_scale: Option<i64>,
}

list_query! {
    pub struct ListLegalEntities of EntityRow {
        /// ARCHIVED records are immutable and keep their codes reserved.
        #[serde(default)]
        status: Status = EntityRow::status.eq(status),
        /// Only these legal entities, at most 100, separated by commas.
        ids: Option<Ids> = among(EntityRow::id, ids.as_ref()),
        /// Only records whose name or code contains the text, ignoring case.
        text: Option<Text<1, 200>> = mentions("text", text.as_deref()),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(EntityRow::updated_at, updated_since),
    }
}

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListLegalEntities>()?.page([])?;
    Caller::current().answer_page(rows, LegalEntity::from_row, ApiLegalEntity::from_row)
}

pub fn read(call: &Call) -> Answer {
    run(get(call.path_id("id")?))?.as_ref().map(answer).ok_or_else(Problem::not_found)
}

/// Returns whether the code is that of a country, where one is stated.
fn is_country(code: Option<&str>) -> bool {
    code.is_none_or(country::is_assigned)
}

/// Checks that the schema cannot express.
fn check(input: &LegalEntityInput) -> Result<(), Problem> {
    let mut faults = Vec::new();
    if !is_country(input.country_code.as_deref()) {
        faults.push(item("/countryCode", "FORMAT"));
    }
    if input.keeps_books {
        match &input.currency_code {
            None => faults.push(item("/currencyCode", "REQUIRED")),
            Some(code) if !currency::is_active(code) => faults.push(item("/currencyCode", "FORMAT")),
            Some(_) => {}
        }
        if input.books_start_on.is_some_and(|day| day > today()) {
            faults.push(item("/booksStartOn", "DATE_IN_FUTURE"));
        }
    } else {
        let stated = [
            ("/currencyCode", input.currency_code.is_some()),
            ("/booksStartOn", input.books_start_on.is_some()),
            ("/amountScale", input.amount_scale.is_some()),
        ];
        faults.extend(list_faults("NOT_ALLOWED", stated));
    }
    refuse_invalid(faults)
}

pub fn create(call: &Call) -> Answer {
    let input: LegalEntityInput = call.body()?;
    check(&input)?;
    let (_, entities) = run((lock("legal-entities".to_owned()), aggregate::<Entities>(Filter::default()).one()))?;
    let template = input.chart.template();
    let row = new_row(input);
    if entities.count >= MOST_ENTITIES {
        return Err(Problem::limit_exceeded("", MOST_ENTITIES, "LEGAL_ENTITIES"));
    }
    insert_entity(&row, template.is_some())?;
    if let Some(template) = template {
        chart::install(row.id, template)?;
    }
    Ok(answer(&row))
}

/// The row of a checked input.
fn new_row(input: LegalEntityInput) -> EntityRow {
    let row = EntityRow {
        legal_name: input.legal_name.map(String::from),
        tax_id: input.tax_id.map(String::from),
        country_code: input.country_code,
        ..EntityRow::new(&input.code, input.name.into())
    };
    match input.currency_code {
        Some(currency) if input.keeps_books => row.with_books(currency, input.books_start_on, input.amount_scale),
        _ => row,
    }
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: LegalEntityChange = call.body()?;
    if !is_country(input.country_code.as_deref()) {
        return Err(invalid("/countryCode", "FORMAT"));
    }
    let row: EntityRow = run(get(id).locked())?.ok_or_else(Problem::not_found)?;
    ExpectedVersion(input.expected_version).check(row.version)?;
    let row = require_unarchived(row)?;
    let after = EntityRow {
        code: input.code.unwrap_or_else(|| row.code.clone()),
        keeps_books: input.keeps_books.unwrap_or(row.keeps_books),
        currency_code: input.currency_code.or_else(|| row.currency_code.clone()),
        books_start_on: input.books_start_on.or(row.books_start_on),
        amount_scale: input.amount_scale.or(row.amount_scale),
        name: input.name.into(),
        legal_name: input.legal_name.map(String::from),
        tax_id: input.tax_id.map(String::from),
        country_code: input.country_code,
        ..row.clone()
    };
    Change::new(&row, after)?.write(answer)
}

/// Holds the books exclusively: nothing can be posted, held or added meanwhile.
pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let active = |entity: Column<Id>, status: Column<Status>| all([entity.eq(id), status.eq(Status::Active)]);
    let (_, row, branch, money, hold, controls) = run((
        lock(books_lock(id)),
        get::<EntityRow>(id).locked(),
        select::<BranchId>(active(BranchRow::legal_entity_id, BranchRow::status)).first(),
        select::<MoneyId>(active(MoneyRow::legal_entity_id, MoneyRow::status)).first(),
        select::<HoldId>(all([HoldRow::legal_entity_id.eq(id), HoldRow::active.eq(true)])).first(),
        select::<AccountId>(all([AccountRow::legal_entity_id.eq(id), AccountRow::control_role.not_null()])).whole(),
    ))?;
    let row = require_unarchived(row.ok_or_else(Problem::not_found)?)?;
    let controls = controls.into_iter().map(|account| account.id).collect();
    let moved = balance::any_balance(&Scope::accounts(id, controls))?;
    refuse_while(&[
        ("ACTIVE_BRANCH", branch.is_some()),
        ("ACTIVE_MONEY_ACCOUNT", money.is_some()),
        ("HELD", hold.is_some()),
        ("CONTROL_BALANCE_NOT_ZERO", moved),
    ])?;
    Change::archive(row).write(answer)
}
