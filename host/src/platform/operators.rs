//! Operators' actions on companies, outside any request: make, suspend, resume, entitle. The command line calls them,
//! also while hosts run, and so does the operators' API of each host; every change leaves its audit entry.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use stoa_descriptor::LAST_VERSION;
use uuid::Uuid;

use super::audit_entry::AuditEntry;
use super::company_settings::lock;
use super::founding::{CreatedCompany, Founding, found_company, found_elsewhere};
use super::onboarding::{CREATE_COMPANY, NewCompany};
use crate::calendar::time;
use crate::database::{Cell, Database, Error, Row, Session, Shard, Verdict, Work};
use crate::ids::Ids;
use crate::pipeline::facts::of_system;
use crate::pipeline::opening::PUBLIC_API;
use crate::pipeline::outcome::Refused;
use crate::problem::Problem;
use crate::sandbox::{Generation, Limits};
use crate::wit::events::Event;

/// Entitlements that a company can have.
pub const ENTITLEMENTS: [&str; 1] = [PUBLIC_API];

/// The actor of the audit entries.
const OPERATOR: &str = "system:operator";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompanyChange {
    Suspend,
    Resume,
    Entitle(String),
    Revoke(String),
}

/// The owner of a new company: a user who has signed in.
#[derive(Debug, Clone)]
pub enum Owner {
    Id(Uuid),
    Email(String),
}

/// The reason that the host rejects an operator's change.
#[derive(Debug, thiserror::Error)]
pub enum CompanyRefusal {
    #[error("there is no company {0}")]
    NoCompany(Uuid),
    /// The kind of the record: a key, an endpoint, a delivery.
    #[error("the company has no such {0}")]
    NoRecord(&'static str),
    #[error("{0}")]
    State(&'static str),
    #[error("no user {0} has signed in")]
    NoUser(String),
    #[error("{0} users of several issuers have this address: name one by id ({1})")]
    SeveralUsers(usize, String),
    #[error("the company's row has reached its last version")]
    LastVersion,
    #[error("{0}")]
    Problem(String),
}

/// The result of an operator's action, or why it was not done.
pub type CompanyResult<T> = Result<T, CompanyRefusal>;

/// Changes a company; answers it, and whether anything differs now.
pub async fn change(
    database: &Database,
    tenant: Uuid,
    change: CompanyChange,
) -> Result<CompanyResult<(Json, bool)>, Error> {
    let work: Work<CompanyResult<(Json, bool)>> = Arc::new(move |mut session| {
        let change = change.clone();
        Box::pin(async move {
            match apply(&mut session, tenant, &change).await {
                Ok(Ok(change)) => (Some(session), Verdict::Commit(Ok(change))),
                Ok(Err(refusal)) => (Some(session), Verdict::RollBack(Err(refusal))),
                Err(error) => (Some(session), Verdict::Fail(error)),
            }
        })
    });
    database.write(Shard::Company(tenant), work).await
}

/// A company that an operator makes.
pub struct NewFounding {
    pub generation: Arc<Generation>,
    pub limits: Limits,
    pub owner: Owner,
    pub company: Arc<NewCompany>,
    /// Where it is made.
    pub place: Shard,
}

/// Makes a company as onboarding does. Its owner is looked up at home, where the directory is.
pub async fn create(database: &Arc<Database>, founding: NewFounding) -> Result<CompanyResult<CreatedCompany>, Error> {
    let asked = Arc::new((database.clone(), founding));
    let work: Work<CompanyResult<CreatedCompany>> = Arc::new(move |session| {
        let asked = asked.clone();
        Box::pin(async move { make(session, &asked.0, &asked.1).await })
    });
    database.write(Shard::Global, work).await
}

async fn apply(
    session: &mut Session,
    tenant: Uuid,
    change: &CompanyChange,
) -> Result<CompanyResult<(Json, bool)>, Error> {
    session.begin_plain(false).await?;
    let now = session.now().await?;
    lock(session, tenant).await?;
    let rows = session
        .query(
            "select id, name, status, entitlements, created_at, version from stoa_tenant where id = $1",
            &[Cell::Id(tenant)],
        )
        .await?;
    let Some(row) = rows.first() else { return Ok(Err(CompanyRefusal::NoCompany(tenant))) };
    let (mut company, version) = (Company::read(row)?, row.integer(5)?);
    let Some((operation, changed)) = company.change(change) else { return Ok(Ok((company.json(), false))) };
    if version >= LAST_VERSION {
        return Ok(Err(CompanyRefusal::LastVersion));
    }
    session
        .query(
            "update stoa_tenant set status = $2, entitlements = $3, version = $4, updated_at = $5 where id = $1",
            &[
                Cell::Id(tenant),
                Cell::text(&company.status),
                Cell::text(json!(company.entitlements).to_string()),
                Cell::Integer(version + 1),
                Cell::Instant(now),
            ],
        )
        .await?;
    let metadata = json!({ "result": "SUCCESS", "changed": [changed] });
    audit(session, now, tenant, ("TENANT", tenant), Uuid::now_v7(), operation, &metadata).await?;
    Ok(Ok((company.json(), true)))
}

async fn make(
    mut session: Session,
    database: &Arc<Database>,
    asked: &NewFounding,
) -> (Option<Session>, Verdict<CompanyResult<CreatedCompany>>) {
    let begun = async {
        session.begin_plain(false).await?;
        let now = session.now().await?;
        Ok::<_, Error>((now, user(&mut session, &asked.owner).await?))
    };
    let (now, owner) = match begun.await {
        Ok((now, Ok(owner))) => (now, owner),
        Ok((_, Err(refusal))) => return (Some(session), Verdict::RollBack(Err(refusal))),
        Err(error) => return (Some(session), Verdict::Fail(error)),
    };
    let request = Uuid::now_v7();
    let founding = Founding {
        generation: asked.generation.clone(),
        limits: asked.limits,
        facts: of_system(OPERATOR, Uuid::nil(), request, now),
        owner,
        by_owner: false,
        company: asked.company.clone(),
    };
    let metadata = json!({ "result": "SUCCESS", "detail": { "userId": owner } });
    let entry = entry(request, CREATE_COMPANY, "TENANT", metadata);
    let (session, founded) = match asked.place {
        Shard::Global => found_company(&founding, session).await,
        place => found_elsewhere(session, database, place, founding, entry.clone()).await,
    };
    let Some(mut session) = session else {
        return (None, Verdict::Fail(Error::Fault("the session was lost".into())));
    };
    let founded = match founded {
        Ok(founded) => founded,
        Err(Refused::Problem(problem)) => {
            return (Some(session), Verdict::RollBack(Err(CompanyRefusal::Problem(explain(&problem)))));
        }
        Err(Refused::Database(error)) => return (Some(session), Verdict::Fail(error)),
    };
    let tenant = founded.company.tenant_id;
    let written = match asked.place {
        Shard::Global => write_records(&mut session, now, &entry, tenant, &founded.emitted).await,
        // The other place has them.
        _ => Ok(()),
    };
    match written {
        Ok(()) => (Some(session), Verdict::Commit(Ok(founded.company))),
        Err(error) => (Some(session), Verdict::Fail(error)),
    }
}

/// Writes the audit entry of a new company and the events of its modules.
pub(super) async fn write_records(
    session: &mut Session,
    now: i64,
    entry: &AuditEntry,
    tenant: Uuid,
    emitted: &[Event],
) -> Result<(), Error> {
    entry.write(session, now, tenant, tenant).await?;
    emit(session, now, tenant, entry.request, emitted).await
}

/// A problem in a line: its code, its sentence, and where.
pub fn explain(problem: &Problem) -> String {
    let items: Vec<String> = problem.errors.iter().map(|item| format!("{} {}", item.pointer, item.code)).collect();
    match items.is_empty() {
        true => format!("{}: {}", problem.code, problem.detail),
        false => format!("{}: {} ({})", problem.code, problem.detail, items.join(", ")),
    }
}

async fn user(session: &mut Session, owner: &Owner) -> Result<CompanyResult<Uuid>, Error> {
    let (rows, named) = match owner {
        Owner::Id(id) => {
            (session.query("select id from stoa_user where id = $1", &[Cell::Id(*id)]).await?, id.to_string())
        }
        Owner::Email(email) => {
            let statement = "select id from stoa_user where email = $1 order by id";
            (session.query(statement, &[Cell::text(email)]).await?, email.clone())
        }
    };
    let ids = rows.iter().map(|row| row.id(0)).collect::<Result<Vec<Uuid>, Error>>()?;
    Ok(match ids[..] {
        [] => Err(CompanyRefusal::NoUser(named)),
        [only] => Ok(only),
        _ => {
            let all: Vec<String> = ids.iter().map(Uuid::to_string).collect();
            Err(CompanyRefusal::SeveralUsers(ids.len(), all.join(", ")))
        }
    })
}

/// Writes an entry of the company's audit about this resource of it.
pub(super) async fn audit(
    session: &mut Session,
    now: i64,
    tenant: Uuid,
    (resource_type, resource): (&'static str, Uuid),
    request: Uuid,
    operation: &'static str,
    metadata: &Json,
) -> Result<(), Error> {
    entry(request, operation, resource_type, metadata.clone()).write(session, now, tenant, resource).await
}

fn entry(request: Uuid, operation: &'static str, resource_type: &'static str, metadata: Json) -> AuditEntry {
    AuditEntry {
        request,
        actor_type: "SYSTEM",
        actor: OPERATOR.to_owned(),
        operation,
        resource_type,
        ip_address: None,
        user_agent: None,
        metadata,
    }
}

/// Writes events that modules emitted outside of a request.
pub async fn emit(session: &mut Session, now: i64, tenant: Uuid, request: Uuid, events: &[Event]) -> Result<(), Error> {
    let mut ids = Ids::new(now);
    for event in events {
        session
            .query(
                // Versions begin at 1: 0 is none.
                "insert into stoa_event (tenant_id, id, kind, resource_type, resource_id, resource_version, data,
                   request_id, created_at) values ($1, $2, $3, $4, $5, nullif($6, 0), $7, $8, $9)",
                &[
                    Cell::Id(tenant),
                    Cell::Id(ids.make()),
                    Cell::text(&event.kind),
                    Cell::text(&event.resource_type),
                    Cell::Id(Uuid::from_u64_pair(event.resource.0, event.resource.1)),
                    Cell::Integer(event.version.unwrap_or(0)),
                    Cell::text(&event.data),
                    Cell::Id(request),
                    Cell::Instant(now),
                ],
            )
            .await?;
    }
    Ok(())
}

/// A company as operators see it.
pub(super) struct Company {
    id: Uuid,
    name: String,
    status: String,
    entitlements: Vec<String>,
    created_at: i64,
}

impl Company {
    /// From id, name, status, entitlements and time of making.
    pub(super) fn read(row: &Row) -> Result<Company, Error> {
        let entitlements = serde_json::from_str(&row.text(3)?).map_err(|error| Error::Fault(error.to_string()))?;
        Ok(Company {
            id: row.id(0)?,
            name: row.text(1)?,
            status: row.text(2)?,
            entitlements,
            created_at: row.instant(4)?,
        })
    }

    /// Makes a change; answers its operation and the member that differs now, or nothing where that is so already.
    fn change(&mut self, change: &CompanyChange) -> Option<(&'static str, &'static str)> {
        let before = (self.status.clone(), self.entitlements.clone());
        let made = match change {
            CompanyChange::Suspend => {
                self.status = "SUSPENDED".into();
                ("suspendTenant", "status")
            }
            CompanyChange::Resume => {
                self.status = "ACTIVE".into();
                ("resumeTenant", "status")
            }
            CompanyChange::Entitle(to) => {
                if !self.entitlements.contains(to) {
                    self.entitlements.push(to.clone());
                    self.entitlements.sort();
                }
                ("entitleTenant", "entitlements")
            }
            CompanyChange::Revoke(from) => {
                self.entitlements.retain(|held| held != from);
                ("revokeEntitlement", "entitlements")
            }
        };
        (before != (self.status.clone(), self.entitlements.clone())).then_some(made)
    }

    pub(super) fn json(&self) -> Json {
        json!({
            "id": self.id,
            "name": self.name,
            "status": self.status,
            "entitlements": self.entitlements,
            "createdAt": time(self.created_at),
        })
    }
}
