//! `POST /onboarding/companies`: a company, its owner and every module's defaults, in one transaction. A module that refuses
//! leaves nothing.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use stoa_descriptor::Route;

use super::routes::{array, object, reference, text, uuid, write};
use super::{Call, Operation, wrote};
use crate::database::{Cell, Error, Session};
use crate::ids::Ids;
use crate::pipeline::facts::facts;
use crate::pipeline::run::{Done, Outcome, Refused, failed, refused};
use crate::problem::Problem;
use crate::sandbox::call::Entry;
use crate::sandbox::{self, Generation, Limits, Module};
use crate::wit::context::Facts;
use crate::wit::events::Event;

/// Members of the body that the host itself reads; the rest belongs to modules.
pub const OWN_MEMBERS: [&str; 4] = ["name", "countryCode", "currencyCode", "withDefaults"];

pub fn routes(modules: &[Arc<Module>]) -> Vec<(Route, Operation)> {
    let route = Route {
        audit: Some("TENANT".into()),
        description:
            "One transaction over every module's defaults: all of it or nothing. The caller becomes OWNER. A new \
            company has no entitlements: an operator grants them."
                .into(),
        ..write(
            "POST",
            "/onboarding/companies",
            "createCompany",
            "Make a company.",
            company_schema(modules),
            reference("CreatedCompany"),
        )
    };
    vec![(route, Operation::CreateCompany)]
}

pub fn schemas() -> Vec<(&'static str, Json)> {
    let made = object(json!({ "module": text(), "resourceType": text(), "id": uuid() }));
    let created = object(json!({ "tenantId": uuid(), "membershipId": uuid(), "created": array(made) }));
    vec![("CreatedCompany", created)]
}

/// The host's members and those that the modules read.
fn company_schema(modules: &[Arc<Module>]) -> Json {
    let mut properties = json!({
        "name": { "type": "string", "minLength": 1, "maxLength": 200, "x-normalize": ["trim"] },
        "countryCode": {
            "type": ["string", "null"], "pattern": "^[A-Z]{2}$", "default": null,
            "description": "ISO 3166-1 alpha-2."
        },
        "currencyCode": {
            "type": "string", "pattern": "^[A-Z]{3}$", "description": "ISO 4217: the company's default currency."
        },
        "withDefaults": {
            "type": "boolean", "default": true, "description": "Whether modules make their usual first records."
        },
    });
    let mut required = vec![json!("name"), json!("currencyCode")];
    for schema in modules.iter().filter_map(|module| module.descriptor.onboarding.as_ref()) {
        if let (Some(own), Some(theirs)) = (properties.as_object_mut(), schema["properties"].as_object()) {
            own.extend(theirs.iter().map(|(name, schema)| (name.clone(), schema.clone())));
        }
        required.extend(schema["required"].as_array().into_iter().flatten().cloned());
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// A company to be made, whoever asked for it.
pub struct Founding<'a> {
    pub generation: &'a Arc<Generation>,
    pub limits: Limits,
    /// What modules are told of the request; the company's id is filled in.
    pub facts: Facts,
    pub owner: Uuid,
    /// Valid by the operation's schema.
    pub body: &'a Map<String, Json>,
}

/// A company that was made.
pub struct Founded {
    pub tenant: Uuid,
    pub emitted: Vec<Event>,
    /// As the operation answers.
    pub body: Json,
}

pub async fn create(call: &Call<'_>, session: Session) -> Outcome {
    let Call { platform, request, opened, .. } = *call;
    if !platform.onboarding_open {
        return Outcome { session: Some(session), result: Err(Problem::of("PERMISSION_DENIED").into()) };
    }
    let body: Map<String, Json> = match call.body() {
        Ok(body) => body,
        Err(problem) => return Outcome { session: Some(session), result: Err(problem.into()) },
    };
    let founding = Founding {
        generation: &request.generation,
        limits: platform.limits,
        facts: facts(request, opened, Uuid::nil()),
        owner: request.caller.id(),
        body: &body,
    };
    let (session, founded) = found(&founding, session).await;
    let result = founded.map(|founded| Done {
        tenant: Some(founded.tenant),
        emitted: founded.emitted,
        ..wrote(founded.tenant, founded.body)
    });
    Outcome { session, result }
}

/// Makes a company in the open transaction: its own rows, then every module's defaults.
pub async fn found(founding: &Founding<'_>, mut session: Session) -> (Option<Session>, Result<Founded, Refused>) {
    let now = founding.facts.now;
    let request = Uuid::from_u64_pair(founding.facts.request.0, founding.facts.request.1);
    let mut ids = Ids::new(now);
    let (tenant, membership) = (ids.make(), ids.make());
    if let Err(error) = company(&mut session, founding, tenant, membership, ids.make()).await {
        return (Some(session), Err(Refused::Database(error)));
    }
    let mut created: Vec<Json> = Vec::new();
    let mut emitted: Vec<Event> = Vec::new();
    let mut session = Some(session);
    for module in &founding.generation.modules {
        let Some(open) = session.take() else { break };
        let options = Json::Object(options(founding.body, module.descriptor.onboarding.as_ref())).to_string();
        let entry = Entry {
            module: module.clone(),
            session: open,
            facts: Facts { tenant: tenant.as_u64_pair(), ..founding.facts.clone() },
            read_only: false,
            limits: founding.limits,
        };
        let ran = sandbox::call::provision(entry, &options).await;
        session = ran.session;
        emitted.extend(ran.emitted.into_iter().map(|(_, event)| event));
        let refusal = match ran.result {
            Ok(Ok(made)) if !ran.closed => {
                created.extend(made.into_iter().map(|made| {
                    json!({
                        "module": module.name,
                        "resourceType": made.resource_type,
                        "id": Uuid::from_u64_pair(made.resource.0, made.resource.1),
                    })
                }));
                continue;
            }
            Ok(Ok(_)) => {
                let fault = sandbox::call::Failure::Fault("it provisioned after a store failure".into());
                failed(&fault, module, request)
            }
            Ok(Err(problem)) => refused(founding.generation, module, problem, request),
            Err(failure) => failed(&failure, &ran.blamed, request),
        };
        return (session, Err(refusal));
    }
    let body = json!({ "tenantId": tenant, "membershipId": membership, "created": created });
    (session, Ok(Founded { tenant, emitted, body }))
}

/// The company's own rows: itself, the OWNER role, its owner's membership.
async fn company(
    session: &mut Session,
    founding: &Founding<'_>,
    tenant: Uuid,
    membership: Uuid,
    role: Uuid,
) -> Result<(), Error> {
    let member = |name: &str| founding.body.get(name).and_then(Json::as_str).map(str::to_string);
    let now = Cell::Instant(founding.facts.now);
    session
        .query(
            "insert into stoa_tenant (id, name, status, country_code, default_currency_code, created_at, updated_at)
             values ($1, $2, 'ACTIVE', $3, $4, $5, $5)",
            &[
                Cell::Id(tenant),
                Cell::optional(member("name"), Cell::Text),
                Cell::optional(member("countryCode"), Cell::Text),
                Cell::optional(member("currencyCode"), Cell::Text),
                now.clone(),
            ],
        )
        .await?;
    session
        .query(
            "insert into stoa_role (tenant_id, id, code, name, status, system, created_at, updated_at)
             values ($1, $2, 'OWNER', 'Owner', 'ACTIVE', $3, $4, $4)",
            &[Cell::Id(tenant), Cell::Id(role), Cell::Boolean(true), now.clone()],
        )
        .await?;
    session
        .query(
            "insert into stoa_membership (tenant_id, id, user_id, status, created_at, updated_at)
             values ($1, $2, $3, 'ACTIVE', $4, $4)",
            &[Cell::Id(tenant), Cell::Id(membership), Cell::Id(founding.owner), now],
        )
        .await?;
    session
        .query(
            "insert into stoa_membership_role (tenant_id, membership_id, role_id) values ($1, $2, $3)",
            &[Cell::Id(tenant), Cell::Id(membership), Cell::Id(role)],
        )
        .await?;
    session.stand_for(tenant).await
}

/// What a module is told: the host's members and those that it declares.
pub fn options(body: &Map<String, Json>, declared: Option<&Json>) -> Map<String, Json> {
    let theirs = declared.and_then(|schema| schema["properties"].as_object());
    body.iter()
        .filter(|(name, _)| {
            OWN_MEMBERS.contains(&name.as_str()) || theirs.is_some_and(|theirs| theirs.contains_key(*name))
        })
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
