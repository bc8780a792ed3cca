//! Creating, replacing and archiving legal entities.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Failure, aggregate, get, insert, lock, run, select, update};
use stoa_sdk::{
    Answer, Call, Column, Date, Field, Filter, Id, Instant, Problem, Text, all, currency, facts, item, new_id, text,
    view,
};

use crate::account::AccountRow;
use crate::balance::{self, Scope};
use crate::branch::BranchRow;
use crate::entity::{EntityRow, Status, answer, books_lock};
use crate::hold::HoldRow;
use crate::install;
use crate::mapping::MappingSetRow;
use crate::money_account::MoneyRow;
use crate::month::today;
use crate::refusal::{EmptyBody, changed, differs, expect_version, fixed, illegal_state, invalid};
use crate::template::Template;

/// Entities that a company has at most, archived ones too.
const MOST_ENTITIES: i64 = 100;
pub const SMALLEST_SCALE: i64 = 6;
pub const LARGEST_SCALE: i64 = 12;

/// A new legal entity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LegalEntityInput {
    /// Kept as typed, unique in any case for ever, archived entities included; immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64))]
    pub code: String,
    pub name: Text<1, 200>,
    #[serde(default)]
    pub legal_name: Option<Text<0, 300>>,
    /// As the company writes it; nothing is verified.
    #[serde(default)]
    pub tax_id: Option<Text<0, 64>>,
    /// ISO 3166-1 alpha-2.
    #[serde(default)]
    #[schemars(regex(pattern = "^[A-Z]{2}$"))]
    pub country_code: Option<String>,
    /// Whether every covered operation posts an entry; never turned off.
    #[serde(default)]
    pub keeps_books: bool,
    /// The book currency, upper-cased, an active code of ISO 4217: stated if and only if books are kept; immutable.
    #[serde(default)]
    #[schemars(regex(pattern = text::ANY_CASE_CURRENCY), extend("x-normalize" = ["upper"]))]
    pub currency_code: Option<String>,
    /// With books only: the first day on which an entry may be dated, today or earlier; omitted: today. Immutable.
    #[serde(default)]
    pub books_start_on: Option<Date>,
    /// With books only: digits after the point that amounts of the journal may have; omitted: 6. Goods whose cost times
    /// quantity is finer need more. Immutable.
    #[serde(default)]
    #[schemars(range(min = 6, max = 12))]
    pub amount_scale: Option<i64>,
    /// A chart of accounts with mappings and money accounts to begin with.
    #[serde(default)]
    pub chart: Chart,
}

stoa_sdk::text_enum! {
    /// Which chart of accounts is installed.
    #[derive(Default)]
    pub enum Chart { #[default] None => "NONE", Standard => "STANDARD", Detailed => "DETAILED" }
}

impl Chart {
    pub fn template(self) -> Option<&'static Template> {
        match self {
            Chart::None => None,
            Chart::Standard => Some(&crate::template::STANDARD),
            Chart::Detailed => Some(&crate::template_detailed::DETAILED),
        }
    }
}

/// The members of a legal entity that may change; others may be stated if they are the stored ones.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LegalEntityChange {
    #[schemars(range(min = 1, max = 2_147_483_646))]
    expected_version: i64,
    name: Text<1, 200>,
    #[serde(default)]
    legal_name: Option<Text<0, 300>>,
    #[serde(default)]
    tax_id: Option<Text<0, 64>>,
    #[serde(default)]
    #[schemars(regex(pattern = "^[A-Z]{2}$"))]
    country_code: Option<String>,
    #[serde(default)]
    #[schemars(length(max = 64))]
    code: Option<String>,
    #[serde(default)]
    keeps_books: Option<bool>,
    #[serde(default)]
    #[schemars(regex(pattern = text::ANY_CASE_CURRENCY), extend("x-normalize" = ["upper"]))]
    currency_code: Option<String>,
    #[serde(default)]
    books_start_on: Option<Date>,
    #[serde(default)]
    amount_scale: Option<i64>,
}

/// What the schema cannot tell.
fn check(input: &LegalEntityInput) -> Result<(), Problem> {
    let mut faults = Vec::new();
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
        faults.extend(stated.into_iter().filter(|(_, stated)| *stated).map(|(at, _)| item(at, "NOT_ALLOWED")));
    }
    if faults.is_empty() { Ok(()) } else { Err(Problem::invalid(faults)) }
}

pub fn create(call: &Call) -> Answer {
    let input: LegalEntityInput = call.body()?;
    check(&input)?;
    let (_, count) =
        run((lock("legal-entities".to_owned()), aggregate::<EntityRow>(Filter::default()).count(Filter::default())))?;
    let template = input.chart.template();
    let row = new_row(input);
    let count = count.into_iter().flatten().next().and_then(i64::take);
    if count.is_some_and(|count| count >= MOST_ENTITIES) {
        return Err(Problem::limit_exceeded());
    }
    add(&row, template.is_some())?;
    if let Some(template) = template {
        install::install(row.id, template)?;
    }
    Ok(answer(row))
}

/// The row of a checked input.
pub fn new_row(input: LegalEntityInput) -> EntityRow {
    let now = Instant(facts().now);
    let keeps_books = input.keeps_books;
    EntityRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        code_key: input.code.to_ascii_lowercase(),
        code: input.code,
        name: input.name.into(),
        legal_name: input.legal_name.map(String::from),
        tax_id: input.tax_id.map(String::from),
        country_code: input.country_code,
        keeps_books,
        currency_code: input.currency_code,
        books_start_on: keeps_books.then(|| input.books_start_on.unwrap_or_else(today)),
        amount_scale: keeps_books.then(|| input.amount_scale.unwrap_or(SMALLEST_SCALE)),
        status: Status::Active,
        archived_at: None,
    }
}

/// Inserts an entity with its mapping set. `complete`: a chart that maps everything is installed next.
pub fn add(row: &EntityRow, complete: bool) -> Result<(), Problem> {
    let set = MappingSetRow { complete, ..MappingSetRow::empty(row.id) };
    run((insert([row]), insert([&set]))).map_err(|failure| match failure {
        Failure::Duplicate(_) => Problem::duplicate("/code"),
        other => other.into(),
    })?;
    Ok(())
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: LegalEntityChange = call.body()?;
    let row: EntityRow = run(get(id).locked())?.ok_or_else(Problem::not_found)?;
    expect_version(input.expected_version, row.version)?;
    let row = row.unarchived()?;
    fixed(&[
        ("/code", differs(input.code.as_ref(), &row.code)),
        ("/keepsBooks", differs(input.keeps_books.as_ref(), &row.keeps_books)),
        ("/currencyCode", input.currency_code.is_some() && input.currency_code != row.currency_code),
        ("/booksStartOn", input.books_start_on.is_some() && input.books_start_on != row.books_start_on),
        ("/amountScale", input.amount_scale.is_some() && input.amount_scale != row.amount_scale),
    ])?;
    let after = EntityRow {
        name: input.name.into(),
        legal_name: input.legal_name.map(String::from),
        tax_id: input.tax_id.map(String::from),
        country_code: input.country_code,
        updated_at: Instant(facts().now),
        version: row.version + 1,
        ..row.clone()
    };
    run(update::<EntityRow>(id)
        .set(EntityRow::name, &after.name)
        .set(EntityRow::legal_name, &after.legal_name)
        .set(EntityRow::tax_id, &after.tax_id)
        .set(EntityRow::country_code, &after.country_code))?;
    let members = changed([
        ("name", row.name != after.name),
        ("legalName", row.legal_name != after.legal_name),
        ("taxId", row.tax_id != after.tax_id),
        ("countryCode", row.country_code != after.country_code),
    ]);
    Ok(answer(after).changed(members))
}

view! { BranchId of BranchRow { id: Id } }
view! { MoneyId of MoneyRow { id: Id } }
view! { HoldId of HoldRow { id: Id } }
view! { AccountId of AccountRow { id: Id } }

/// Alone with the books: nothing can be posted, held or added meanwhile.
pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let active = |entity: Column<Id>, status: Column<Status>| all([entity.eq(id), status.eq(Status::Active)]);
    let (_, row, branches, money, holds, controls, base) = run((
        lock(books_lock(id)),
        get::<EntityRow>(id).locked(),
        select::<BranchId>(active(BranchRow::legal_entity_id, BranchRow::status)).limit(1),
        select::<MoneyId>(active(MoneyRow::legal_entity_id, MoneyRow::status)).limit(1),
        select::<HoldId>(all([HoldRow::legal_entity_id.eq(id), HoldRow::active.eq(true)])).limit(1),
        select::<AccountId>(all([AccountRow::legal_entity_id.eq(id), AccountRow::control_role.not_null()])),
        balance::last_closed(id, None),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?.unarchived()?;
    let controls = controls.items.into_iter().map(|account| account.id).collect();
    let moved = balance::any_balance(&Scope::accounts(id, controls), balance::base(&base))?;
    let reasons = [
        ("ACTIVE_BRANCH", !branches.items.is_empty()),
        ("ACTIVE_MONEY_ACCOUNT", !money.items.is_empty()),
        ("HELD", !holds.items.is_empty()),
        ("CONTROL_BALANCE_NOT_ZERO", moved),
    ];
    let reasons: Vec<_> =
        reasons.into_iter().filter(|(_, holds)| *holds).map(|(code, _)| item("/path/id", code)).collect();
    if !reasons.is_empty() {
        return Err(illegal_state(reasons));
    }
    let now = Instant(facts().now);
    let after = EntityRow {
        status: Status::Archived,
        archived_at: Some(now),
        updated_at: now,
        version: row.version + 1,
        ..row
    };
    run(update::<EntityRow>(id).set(EntityRow::status, &after.status).set(EntityRow::archived_at, &after.archived_at))?;
    Ok(answer(after).changed(vec!["status", "archivedAt"]))
}

/// Begins to keep the books of an entity as of today, alone with them.
///
/// # Errors
/// NOT_FOUND, VERSION_CONFLICT, ARCHIVED, BOOKS_KEPT; VALIDATION_FAILED where the currency or the scale is none.
pub fn begin(id: Id, expected_version: i64, currency_code: &str, scale: i64) -> Result<(), Problem> {
    let (_, row) = run((lock(books_lock(id)), get::<EntityRow>(id).locked()))?;
    let row = row.ok_or_else(Problem::not_found)?;
    if !currency::is_active(currency_code) {
        return Err(invalid("/currencyCode", "FORMAT"));
    }
    if !(SMALLEST_SCALE..=LARGEST_SCALE).contains(&scale) {
        return Err(invalid("/amountScale", "RANGE"));
    }
    expect_version(expected_version, row.version)?;
    let row = row.unarchived()?;
    if row.keeps_books {
        return Err(illegal_state(vec![item("/path/id", "BOOKS_KEPT")]));
    }
    run(update::<EntityRow>(id)
        .set(EntityRow::keeps_books, &true)
        .set(EntityRow::currency_code, &Some(currency_code.to_owned()))
        .set(EntityRow::books_start_on, &Some(today()))
        .set(EntityRow::amount_scale, &Some(scale)))?;
    Ok(())
}
