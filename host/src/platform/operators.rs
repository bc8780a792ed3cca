//! Operators' actions on companies, outside any request: make, list, suspend, resume, entitle. The command line's side of the
//! platform, on the same database as the hosts that run; every change leaves its audit entry.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use stoa_descriptor::LAST_VERSION;
use uuid::Uuid;

use super::company_settings::lock;
use super::founding::{CreatedCompany, Founding, found_company};
use super::onboarding::NewCompany;
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
type CompanyResult<T> = Result<T, CompanyRefusal>;

/// Every company, the oldest first.
pub async fn list(database: &Database) -> Result<Vec<Json>, Error> {
    let work: Work<Vec<Json>> = Arc::new(|mut session| {
        Box::pin(async move {
            match all(&mut session).await {
                Ok(companies) => (Some(session), Verdict::Commit(companies)),
                Err(error) => (Some(session), Verdict::Fail(error)),
            }
        })
    });
    let mut companies = Vec::new();
    for shard in database.shards() {
        companies.extend(database.read(shard, work.clone()).await?);
    }
    companies.sort_by(|one, other| one["id"].as_str().cmp(&other["id"].as_str()));
    Ok(companies)
}

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

/// Makes a company as onboarding does: in the global shard, where its owner is looked up and where every company
/// begins.
pub async fn create(
    database: &Database,
    generation: &Arc<Generation>,
    limits: Limits,
    owner: Owner,
    company: NewCompany,
) -> Result<CompanyResult<CreatedCompany>, Error> {
    let asked = Arc::new((generation.clone(), owner, company));
    let work: Work<CompanyResult<CreatedCompany>> = Arc::new(move |session| {
        let asked = asked.clone();
        Box::pin(async move {
            let (generation, owner, company) = &*asked;
            make(session, generation, limits, owner, company).await
        })
    });
    database.write(Shard::Global, work).await
}

async fn all(session: &mut Session) -> Result<Vec<Json>, Error> {
    session.begin_plain(true).await?;
    let rows =
        session.query("select id, name, status, entitlements, created_at from stoa_tenant order by id", &[]).await?;
    rows.iter().map(|row| Ok(Company::read(row)?.json())).collect()
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
    audit(session, now, tenant, Uuid::now_v7(), operation, &metadata).await?;
    Ok(Ok((company.json(), true)))
}

async fn make(
    mut session: Session,
    generation: &Arc<Generation>,
    limits: Limits,
    owner: &Owner,
    company: &NewCompany,
) -> (Option<Session>, Verdict<CompanyResult<CreatedCompany>>) {
    let begun = async {
        session.begin_plain(false).await?;
        let now = session.now().await?;
        Ok::<_, Error>((now, user(&mut session, owner).await?))
    };
    let (now, owner) = match begun.await {
        Ok((now, Ok(owner))) => (now, owner),
        Ok((_, Err(refusal))) => return (Some(session), Verdict::RollBack(Err(refusal))),
        Err(error) => return (Some(session), Verdict::Fail(error)),
    };
    let request = Uuid::now_v7();
    let facts = of_system(OPERATOR, Uuid::nil(), request, now);
    let (session, founded) =
        found_company(&Founding { generation, limits, facts, owner, by_owner: false, company }, session).await;
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
    let written = async {
        let tenant = founded.company.tenant_id;
        let metadata = json!({ "result": "SUCCESS", "detail": { "userId": owner } });
        audit(&mut session, now, tenant, request, "createCompany", &metadata).await?;
        emit(&mut session, now, tenant, request, &founded.emitted).await
    };
    match written.await {
        Ok(()) => (Some(session), Verdict::Commit(Ok(founded.company))),
        Err(error) => (Some(session), Verdict::Fail(error)),
    }
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

async fn audit(
    session: &mut Session,
    now: i64,
    tenant: Uuid,
    request: Uuid,
    operation: &'static str,
    metadata: &Json,
) -> Result<(), Error> {
    session
        .query(
            "insert into stoa_audit (tenant_id, id, request_id, actor_type, actor_id, operation, resource_type,
               resource_id, metadata, created_at)
             values ($1, $2, $3, 'SYSTEM', $4, $5, 'TENANT', $1, $6, $7)",
            &[
                Cell::Id(tenant),
                Cell::Id(Ids::new(now).make()),
                Cell::Id(request),
                Cell::text(OPERATOR),
                Cell::text(operation),
                Cell::text(metadata.to_string()),
                Cell::Instant(now),
            ],
        )
        .await?;
    Ok(())
}

/// Writes events that modules emitted by themselves: for nobody's request.
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
struct Company {
    id: Uuid,
    name: String,
    status: String,
    entitlements: Vec<String>,
    created_at: i64,
}

impl Company {
    /// From id, name, status, entitlements and time of making.
    fn read(row: &Row) -> Result<Company, Error> {
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

    fn json(&self) -> Json {
        json!({
            "id": self.id,
            "name": self.name,
            "status": self.status,
            "entitlements": self.entitlements,
            "createdAt": time(self.created_at),
        })
    }
}
