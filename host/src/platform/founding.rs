//! How a company is made: its own rows, then every module's defaults, in one transaction. A module that refuses leaves
//! nothing.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;
use stoa_iso::{country, currency};
use uuid::Uuid;

use super::audit_entry::AuditEntry;
use super::history::check_begin;
use super::iam::directory::{insert_membership, note_company};
use super::onboarding::{NewCompany, options};
use super::operators::write_records;
use super::values::{Instant, refuse_unknown};
use crate::calendar;
use crate::database::directory::insert_place;
use crate::database::{Cell, Database, Error, Session, Shard, Verdict, work};
use crate::ids::Ids;
use crate::pipeline::outcome::{ModuleCall, Refused};
use crate::problem::Problem;
use crate::sandbox::call::CallContext;
use crate::sandbox::{self, Generation, Limits, RequestFacts};
use crate::wit::events::Event;

/// The answer of the operation.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(description = "")]
pub struct CreatedCompany {
    pub tenant_id: Uuid,
    membership_id: Uuid,
    created: Vec<CreatedRecord>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct CreatedRecord {
    module: String,
    resource_type: String,
    id: Uuid,
}

/// How a company is made, by a user or by an operator.
pub struct Founding {
    pub generation: Arc<Generation>,
    pub limits: Limits,
    /// Facts for modules about the request; the company's id is filled in.
    pub facts: RequestFacts,
    pub owner: Uuid,
    /// The owner makes it, not an operator: it counts among the owner's companies of the day.
    pub by_owner: bool,
    pub company: Arc<NewCompany>,
}

/// A company that was made.
pub struct Founded {
    pub emitted: Vec<Event>,
    pub company: CreatedCompany,
}

/// Makes a company in the open transaction: its own rows, then every module's defaults.
pub async fn found_company(founding: &Founding, mut session: Session) -> (Option<Session>, Result<Founded, Refused>) {
    let company = &*founding.company;
    let known = refuse_unknown(&[
        ("/countryCode", company.country_code.as_deref().is_none_or(country::is_assigned)),
        ("/currencyCode", currency::is_active(&company.currency_code)),
    ]);
    if let Err(problem) = known {
        return (Some(session), Err(problem.into()));
    }
    let now = founding.facts.now;
    if let Some(from) = company.history_from
        && let Err(problem) = check_begin(from, now)
    {
        return (Some(session), Err(problem.into()));
    }
    let mut ids = Ids::new(now);
    let (tenant, membership) = (ids.make(), ids.make());
    if let Err(error) = insert_company(&mut session, founding, tenant, membership, ids.make()).await {
        return (Some(session), Err(Refused::Database(error)));
    }
    let Ok(Json::Object(members)) = serde_json::to_value(company) else {
        return (Some(session), Err(Error::Fault("a company that is no object".into()).into()));
    };
    let mut created: Vec<CreatedRecord> = Vec::new();
    let mut emitted: Vec<Event> = Vec::new();
    let mut session = Some(session);
    for module in &founding.generation.modules {
        let Some(open) = session.take() else { break };
        let options = Json::Object(options(&members, module.descriptor.onboarding.as_ref())).to_string();
        let entry = CallContext {
            module: module.clone(),
            session: open,
            facts: facts_of(tenant, founding),
            read_only: false,
            limits: founding.limits,
            listeners: founding.generation.listeners.clone(),
        };
        let ran = sandbox::call::provision(entry, &options).await;
        session = ran.session;
        emitted.extend(ran.emitted.into_iter().map(|(_, event)| event));
        if let Some((listener, problem)) = ran.refusal {
            let blame = ModuleCall { module: &listener, operation: "provision", trail: &founding.facts.trail };
            return (session, Err(blame.refuse_problem(&founding.generation, None, problem)));
        }
        let blame = ModuleCall { module: &ran.blamed, operation: "provision", trail: &founding.facts.trail };
        let refusal = match ran.result {
            Ok(Ok(made)) => {
                created.extend(made.into_iter().map(|made| CreatedRecord {
                    module: module.name.clone(),
                    resource_type: made.resource_type,
                    id: Uuid::from_u64_pair(made.resource.0, made.resource.1),
                }));
                continue;
            }
            Ok(Err(problem)) => blame.refuse_problem(&founding.generation, None, problem),
            Err(failure) => blame.refuse_failure(&failure),
        };
        return (session, Err(refusal));
    }
    let company = CreatedCompany { tenant_id: tenant, membership_id: membership, created };
    (session, Ok(Founded { emitted, company }))
}

/// Makes a company at another place than home, in a transaction there that commits before the one at home, which then writes the
/// directory. No list of a user shows a company that the directory does not name.
pub(super) async fn found_elsewhere(
    mut session: Session,
    database: &Arc<Database>,
    place: Shard,
    founding: Founding,
    entry: AuditEntry,
) -> (Option<Session>, Result<Founded, Refused>) {
    let (owner, by_owner, now) = (founding.owner, founding.by_owner, founding.facts.now);
    let made = work((founding, entry), |session, asked| async move {
        let (founding, entry) = &*asked;
        found_there(session, founding, entry).await
    });
    let company = match database.write(place, made).await {
        Ok(Ok(company)) => company,
        Ok(Err(problem)) => return (Some(session), Err(problem.into())),
        Err(error) => return (Some(session), Err(error.into())),
    };
    let tenant = company.tenant_id;
    let written = async {
        note_company(&mut session, owner, tenant, by_owner).await?;
        insert_place(&mut session, tenant, database.place_name(place), now).await
    };
    let written = written.await;
    (Some(session), written.map(|()| Founded { emitted: Vec::new(), company }).map_err(Refused::Database))
}

/// The whole transaction at the other place.
async fn found_there(
    mut session: Session,
    founding: &Founding,
    entry: &AuditEntry,
) -> (Option<Session>, Verdict<Result<CreatedCompany, Problem>>) {
    if let Err(error) = session.begin_plain(false).await {
        return (Some(session), Verdict::Fail(error));
    }
    let (session, founded) = found_company(founding, session).await;
    let Some(mut session) = session else {
        return (None, Verdict::Fail(Error::Fault("the session was lost".into())));
    };
    let Founded { emitted, company } = match founded {
        Ok(founded) => founded,
        Err(Refused::Problem(problem)) => return (Some(session), Verdict::RollBack(Err(problem))),
        Err(Refused::Database(error)) => return (Some(session), Verdict::Fail(error)),
    };
    match write_records(&mut session, founding.facts.now, entry, company.tenant_id, &emitted).await {
        Ok(()) => (Some(session), Verdict::Commit(Ok(company))),
        Err(error) => (Some(session), Verdict::Fail(error)),
    }
}

/// Facts for modules about the request in the company that it makes.
fn facts_of(tenant: Uuid, founding: &Founding) -> RequestFacts {
    let mut facts = founding.facts.clone();
    facts.facts.tenant = tenant.as_u64_pair();
    match founding.company.history_from {
        Some(Instant(from)) => facts.at(from, calendar::day(from, "UTC")),
        None => facts,
    }
}

/// The company's own rows: itself, the OWNER role, its owner's membership.
async fn insert_company(
    session: &mut Session,
    founding: &Founding,
    tenant: Uuid,
    membership: Uuid,
    role: Uuid,
) -> Result<(), Error> {
    let NewCompany { name, country_code, currency_code, history_from, .. } = &*founding.company;
    let now = Cell::Instant(founding.facts.now);
    session
        .query(
            "insert into stoa_tenant (id, name, status, country_code, default_currency_code, created_at, updated_at,
               history_from, history_at)
             values ($1, $2, 'ACTIVE', $3, $4, $5, $5, $6, $6)",
            &[
                Cell::Id(tenant),
                Cell::text(name),
                Cell::optional(country_code.clone(), Cell::Text),
                Cell::text(currency_code),
                now.clone(),
                Cell::optional(history_from.map(|Instant(from)| from), Cell::Instant),
            ],
        )
        .await?;
    session
        .query(
            "insert into stoa_role (tenant_id, id, code, name, status, system, created_at, updated_at)
             values ($1, $2, 'OWNER', 'Owner', 'ACTIVE', $3, $4, $4)",
            &[Cell::Id(tenant), Cell::Id(role), Cell::Boolean(true), now],
        )
        .await?;
    if !session.is_away() {
        note_company(session, founding.owner, tenant, founding.by_owner).await?;
    }
    insert_membership(session, tenant, membership, founding.owner, founding.facts.now).await?;
    session
        .query(
            "insert into stoa_membership_role (tenant_id, membership_id, role_id) values ($1, $2, $3)",
            &[Cell::Id(tenant), Cell::Id(membership), Cell::Id(role)],
        )
        .await?;
    session.stand_for(tenant).await
}
