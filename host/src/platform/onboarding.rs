//! `POST /onboarding/companies`: the members of a new company, and who may make one.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use stoa_descriptor::Route;
use stoa_descriptor::schemas::{CountryCode, CurrencyCode};
use uuid::Uuid;

use super::audit_entry::AuditEntry;
use super::founding::{CreatedCompany, Founded, Founding, found_company, found_elsewhere};
use super::operation::{PlatformOperation, through_modules};
use super::reply::answer_about;
use super::values::Instant;
use super::{Call, Performed};
use crate::database::{Cell, Error, Session, Shard};
use crate::ids::{first_of, instant_of};
use crate::pipeline::Request;
use crate::pipeline::facts::facts;
use crate::pipeline::outcome::{Done, Outcome, Refused};
use crate::problem::Problem;
use crate::sandbox::Module;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The operation that makes a company.
pub const CREATE_COMPANY: &str = "createCompany";

/// Members of the body that the host itself reads; the rest belongs to modules.
pub const OWN_MEMBERS: [&str; 5] = ["name", "countryCode", "currencyCode", "withDefaults", HISTORY_FROM];
/// Modules learn when the company begins from their clock, and get no such member.
const HISTORY_FROM: &str = "historyFrom";

pub const OPERATIONS: &[PlatformOperation] = &[PlatformOperation::create(
    "/onboarding/companies",
    CREATE_COMPANY,
    through_modules!(create).amend(add_members),
)
.summary("Create a company")
.description(
    "Creates the company with the defaults of every module in one transaction: all of it or nothing. The caller becomes OWNER. \
        A new company has no entitlements: an operator grants them.",
)
.body::<NewCompany>()
.answers::<CreatedCompany>()
.writes("TENANT", &[])
.problems(&["COMPANY_LIMIT_REACHED"])];

/// A company to be made: the host's members, and those that modules read.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields, description = "")]
pub struct NewCompany {
    #[schemars(length(min = 1, max = 200), extend("x-normalize" = ["trim"]))]
    pub(super) name: String,
    /// An assigned code of ISO 3166-1 alpha-2.
    #[serde(default)]
    #[schemars(with = "Option<CountryCode>")]
    pub(super) country_code: Option<String>,
    /// Active ISO 4217 code. It becomes the company's default currency.
    #[schemars(with = "CurrencyCode")]
    pub(super) currency_code: String,
    /// True lets the modules create their default records.
    #[serde(default = "yes")]
    with_defaults: bool,
    /// First instant of the company's clock. Set it to import earlier records; `endHistory` ends that import. Omitted or null: the
    /// company begins now.
    #[serde(default)]
    pub(super) history_from: Option<Instant>,
    #[serde(flatten)]
    #[schemars(skip)]
    of_modules: Map<String, Json>,
}

fn yes() -> bool {
    true
}

/// The members that the active modules read.
fn add_members(route: &mut Route, modules: &[Arc<Module>]) {
    let Some(Json::Object(body)) = &mut route.body else { return };
    for schema in modules.iter().filter_map(|module| module.descriptor.onboarding.as_ref()) {
        if let (Some(Json::Object(properties)), Some(theirs)) =
            (body.get_mut("properties"), schema["properties"].as_object())
        {
            for (name, schema) in theirs {
                // No module changes a member of the host's, or of another module.
                properties.entry(name).or_insert_with(|| schema.clone());
            }
        }
        if let (Some(Json::Array(required)), Some(theirs)) = (body.get_mut("required"), schema["required"].as_array()) {
            required.extend(theirs.iter().cloned());
        }
    }
}

async fn create(session: Session, call: &Call<'_>) -> Outcome {
    let Call { platform, request, opened, .. } = *call;
    if !platform.onboarding_open {
        return Outcome { session: Some(session), result: Err(Problem::new("PERMISSION_DENIED").into()) };
    }
    let (session, within) = within_the_day(session, call, platform.companies_per_day).await;
    if let Err(refused) = within {
        return Outcome { session: Some(session), result: Err(refused) };
    }
    let company = match call.body() {
        Ok(company) => company,
        Err(problem) => return Outcome { session: Some(session), result: Err(problem.into()) },
    };
    let place = match platform.database.choose_place().await {
        Ok(place) => place,
        Err(error) => return Outcome { session: Some(session), result: Err(error.into()) },
    };
    let founding = Founding {
        generation: request.generation.clone(),
        limits: platform.limits,
        facts: facts(request, opened, Uuid::nil()),
        owner: request.caller.id(),
        by_owner: true,
        company: Arc::new(company),
    };
    let (session, result) = match place {
        Shard::Global => {
            let (session, founded) = found_company(&founding, session).await;
            (session, founded.and_then(answer_founded))
        }
        place => {
            let entry = make_entry(request);
            let (session, founded) = found_elsewhere(session, &platform.database, place, founding, entry).await;
            // The company's entry and events are at its place; home keeps the answer under the request's key.
            (session, founded.and_then(|founded| Ok(Done { tenant: None, ..answer_founded(founded)? })))
        }
    };
    Outcome { session, result }
}

/// The entry of the company's audit, as a request of the company would leave it.
fn make_entry(request: &Request) -> AuditEntry {
    AuditEntry {
        request: request.request_id,
        actor_type: request.caller.actor_type(),
        actor: request.caller.id().to_string(),
        operation: CREATE_COMPANY,
        resource_type: "TENANT",
        ip_address: request.peer.map(|peer| peer.to_string()),
        user_agent: request.user_agent.clone(),
        metadata: json!({ "result": "SUCCESS", "responseCode": 201 }),
    }
}

/// Rejects a user who has made the most companies of a day. Their ids show when they were made. Companies that others
/// made, and of which the user became a member, do not count.
async fn within_the_day(mut session: Session, call: &Call<'_>, most: u32) -> (Session, Result<(), Refused>) {
    let (user, since) = (call.request.caller.id(), first_of(call.opened.now - DAY_MS));
    if let Err(error) = lock_user(&mut session, user).await {
        return (session, Err(error.into()));
    }
    let sql = "select tenant_id from stoa_user_company where user_id = $1 and tenant_id >= $2 and founded
               order by tenant_id desc limit $3";
    let cells = [Cell::Id(user), Cell::Id(since), Cell::Integer(i64::from(most))];
    let rows = session.query(sql, &cells).await;
    let made = rows.and_then(|rows| rows.iter().map(|row| row.id(0)).collect::<Result<Vec<Uuid>, Error>>());
    let refused = match made {
        Err(error) => Err(error.into()),
        Ok(made) if made.len() >= most as usize => {
            let again = made.last().map_or(DAY_MS, |oldest| instant_of(*oldest) + DAY_MS - call.opened.now);
            let seconds = u32::try_from(again / 1000 + 1).unwrap_or(1);
            let (retry_after, window) = (Some(seconds), Some(most));
            Err(Problem { retry_after, window, ..Problem::new("COMPANY_LIMIT_REACHED") }.into())
        }
        Ok(_) => Ok(()),
    };
    (session, refused)
}

/// Two requests of one user count one after the other: the second sees the company that the first made.
async fn lock_user(session: &mut Session, user: Uuid) -> Result<(), Error> {
    // SQLite has one writer at a time.
    if matches!(session, Session::Postgres(_)) {
        session.query("select 1 from stoa_user where id = $1 for no key update", &[Cell::Id(user)]).await?;
    }
    Ok(())
}

fn answer_founded(founded: Founded) -> Performed {
    let tenant = founded.company.tenant_id;
    Ok(Done { tenant: Some(tenant), emitted: founded.emitted, ..answer_about(tenant, &founded.company)? })
}

/// The part of a company's members that a module gets: the host's members and those that it declares.
pub fn options(members: &Map<String, Json>, declared: Option<&Json>) -> Map<String, Json> {
    let theirs = declared.and_then(|schema| schema["properties"].as_object());
    members
        .iter()
        .filter(|(name, _)| {
            let shared = OWN_MEMBERS.contains(&name.as_str()) && *name != HISTORY_FROM;
            shared || theirs.is_some_and(|theirs| theirs.contains_key(*name))
        })
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn every_member_of_the_body_is_the_hosts_own() {
        let schema = schemars::schema_for!(NewCompany).to_value();
        let read: BTreeSet<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(read, BTreeSet::from(OWN_MEMBERS));
    }

    #[test]
    fn a_module_gets_what_it_declares_and_no_more() {
        let Json::Object(members) = json!({
            "name": "Shop", "countryCode": null, "currencyCode": "EUR", "withDefaults": true, "historyFrom": null,
            "loyalty": { "tier": 1 }, "others": 2,
        }) else {
            panic!("no object")
        };
        let declared = json!({ "properties": { "loyalty": { "type": "object" } } });
        let given = options(&members, Some(&declared));
        let names: Vec<&str> = given.keys().map(String::as_str).collect();
        assert_eq!(
            BTreeSet::from_iter(names),
            BTreeSet::from(["name", "countryCode", "currencyCode", "withDefaults", "loyalty"])
        );
    }
}
