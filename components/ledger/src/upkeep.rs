//! The ledger's set-up of a new company: its entity MAIN with the branch MAIN, with books where they are wanted; and the
//! checklist.

use serde::Deserialize;
use serde_json::{Value as Json, json};
use stoa_sdk::store::{insert, read, run, select};
use stoa_sdk::{Created, Id, Problem, ProvisionOptions, Step, all, has, item, view};
use stoa_trade::{Status, currency};

use crate::records::branch::{BRANCH, BranchId, BranchRow};
use crate::records::entity::{EntityId, EntityRow, LEGAL_ENTITY};
use crate::records::mapping::MappingSetRow;
use crate::rules::charts::TemplateCode;
use crate::work::chart;
use crate::work::day_totals::SNAPSHOTS;
use crate::work::entities::insert_entity;

view! { SetId of MappingSetRow { id: Id } }

/// The onboarding members that the ledger reads.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct OnboardingRequest {
    legal_entity: Option<EntityRequest>,
    keeps_books: bool,
    chart_template: Option<TemplateCode>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EntityRequest {
    name: String,
    tax_id: Option<String>,
}

/// The schema of these members.
pub fn onboarding() -> Json {
    let text = |most: u32| json!({ "type": "string", "minLength": 1, "maxLength": most, "x-normalize": ["trim"] });
    let mut tax_id = text(64);
    tax_id["type"] = json!(["string", "null"]);
    tax_id["default"] = Json::Null;
    tax_id["description"] = json!("Tax number, as free text.");
    json!({
        "type": "object",
        "properties": {
            "legalEntity": {
                "type": "object",
                "description": "The company's first legal entity, with code MAIN. Omitted: it has the name of the company.",
                "properties": { "name": text(200), "taxId": tax_id },
                "required": ["name"],
                "additionalProperties": false,
            },
            "keepsBooks": {
                "type": "boolean",
                "default": false,
                "description": "True starts the books of the first legal entity today, in the company's currency.",
            },
            "chartTemplate": {
                "type": ["string", "null"],
                "enum": ["STANDARD", "DETAILED", null],
                "default": null,
                "description": "Chart of accounts to install. Omitted: STANDARD with books, else none.",
            },
        },
    })
}

/// Creates what the options state, even where no defaults are wanted.
pub fn provision(options: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
    let request: OnboardingRequest = options.read_own();
    if !options.with_defaults
        && request.legal_entity.is_none()
        && !request.keeps_books
        && request.chart_template.is_none()
    {
        return Ok(Vec::new());
    }
    if request.keeps_books && !currency::is_active(&options.currency_code) {
        return Err(Problem::invalid(vec![item("/currencyCode", "FORMAT")]));
    }
    let (name, tax_id) = match request.legal_entity {
        Some(stated) => (stated.name, stated.tax_id),
        None => (options.name.clone(), None),
    };
    let entity = EntityRow { tax_id, country_code: options.country_code.clone(), ..EntityRow::new("MAIN", name) };
    let entity = match request.keeps_books {
        true => entity.with_books(options.currency_code.clone(), None, None),
        false => entity,
    };
    let wanted = request.chart_template.or(request.keeps_books.then_some(TemplateCode::Standard));
    insert_entity(&entity, wanted.is_some())?;
    let branch = BranchRow::new(entity.id, "MAIN", entity.name.clone(), None);
    run(insert([&branch]))?;
    if let Some(wanted) = wanted {
        chart::install(entity.id, wanted.template())?;
    }
    let made = |kind: &str, id: Id| Created { resource_type: kind.to_owned(), resource: id.into() };
    Ok(vec![made(LEGAL_ENTITY, entity.id), made(BRANCH, branch.id)])
}

/// Brings the day totals of one entity forward, over lines that are older than they.
pub fn upgrade(cursor: Option<String>) -> Result<Option<String>, Problem> {
    let next = |after: Option<Id>| {
        let entity = run(select::<EntityId>(EntityRow::keeps_books.eq(true)).after(after).limit(1))?;
        Ok(entity.items.first().map(|entity| entity.id))
    };
    Ok(SNAPSHOTS.upgrade(cursor, next)?)
}

pub fn checklist() -> Vec<Step> {
    let unfinished = has::<EntityRow, _, _>(
        MappingSetRow::legal_entity_id,
        EntityRow::id,
        all([EntityRow::keeps_books.eq(true), EntityRow::status.eq(Status::Active)]),
    );
    let (entity, branch, unfinished) = read((
        select::<EntityId>(EntityRow::status.eq(Status::Active)).first(),
        select::<BranchId>(BranchRow::status.eq(Status::Active)).first(),
        select::<SetId>(all([MappingSetRow::complete.eq(false), unfinished])).first(),
    ));
    let step = |code: &str, done: bool, hint: &str| Step { code: code.to_owned(), done, hint: hint.to_owned() };
    vec![
        step("LEGAL_ENTITY", entity.is_some(), "Create a legal entity."),
        step("BRANCH", branch.is_some(), "Create a branch."),
        step("BOOKS", unfinished.is_none(), "Map every posting role and method of payment of entities with books."),
    ]
}
