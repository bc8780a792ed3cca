//! Verification: every module re-derives what it keeps from its ledgers and checks what it promises, of one company after another, in
//! bounded batches, each in a read snapshot of its own. The host compares its directory with the memberships. Nothing is written.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::database::{Cell, Database, Error, Row, Session, Shard, Verdict, work};
use crate::pipeline::company_clock;
use crate::platform::{self, iam::directory};
use crate::sandbox::call::{self, CallContext};
use crate::sandbox::{Failure, Limits, Module, RequestFacts};
use crate::wit::module::Findings;

/// Batches of one module and company; a module that never comes to an end is at fault.
const BATCHES: usize = 1_000_000;
/// How often a batch is tried that a time limit ended: the limits are those of requests, and a check may wait.
const TRIES: usize = 3;

/// How companies are verified.
pub struct Verification<'a> {
    pub database: &'a Database,
    pub modules: &'a [Arc<Module>],
    /// Limits of one batch.
    pub limits: Limits,
    /// No batch begins after it: the rest is unfinished.
    pub deadline: Option<Instant>,
}

/// Violations, and checks that did not come to their end.
#[derive(Default)]
pub struct VerifyReport {
    pub companies: usize,
    pub findings: Vec<Finding>,
    pub unfinished: Vec<Stopped>,
}

/// An invariant that does not hold.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    pub tenant_id: Uuid,
    pub module: String,
    pub invariant: String,
    pub resource_id: Option<Uuid>,
    pub message: String,
}

/// A module's check of a company that did not come to its end, as on a machine that is too busy.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stopped {
    pub tenant_id: Uuid,
    pub module: String,
    pub reason: String,
}

#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("there is no company {0}")]
    UnknownCompany(Uuid),
    #[error("{0}")]
    Database(#[from] Error),
}

impl VerifyReport {
    /// `unfinished` is there only where a check did not come to its end.
    pub fn to_json(&self) -> Json {
        let mut report = json!({ "companies": self.companies, "findings": self.findings });
        if !self.unfinished.is_empty() {
            report["unfinished"] = json!(self.unfinished);
        }
        report
    }
}

impl Verification<'_> {
    /// Verifies these companies.
    pub async fn verify(&self, wanted: &BTreeSet<Uuid>) -> Result<VerifyReport, VerifyError> {
        let (mut companies, mut lost) = (Vec::new(), Vec::new());
        for company in wanted {
            if is_recorded(self.database, *company).await? {
                companies.push(*company);
            } else if directory::has_members(self.database, *company).await? {
                lost.push(*company);
            } else {
                return Err(VerifyError::UnknownCompany(*company));
            }
        }
        Ok(self.report(&companies, &lost).await)
    }

    /// Verifies every company of the database.
    pub async fn verify_all(&self) -> Result<VerifyReport, VerifyError> {
        let companies = list_companies(self.database).await?;
        let lost = directory::find_lost(self.database, &companies).await?;
        Ok(self.report(&companies, &lost).await)
    }

    async fn report(&self, companies: &[Uuid], lost: &[Uuid]) -> VerifyReport {
        let mut report = VerifyReport { companies: companies.len(), ..VerifyReport::default() };
        report.findings.extend(lost.iter().map(|tenant| Finding {
            tenant_id: *tenant,
            module: platform::NAME.to_owned(),
            invariant: "company".to_owned(),
            resource_id: None,
            message: "the company has members and no record (stoa_tenant): nothing of it was checked".to_owned(),
        }));
        for tenant in companies {
            if let Err(reason) = self.check_directory(*tenant, &mut report.findings).await {
                let (tenant_id, module) = (*tenant, platform::NAME.to_owned());
                report.unfinished.push(Stopped { tenant_id, module, reason });
            }
            for module in self.modules {
                if let Err(reason) = self.check(module, *tenant, &mut report.findings).await {
                    let (tenant_id, module) = (*tenant, module.name.clone());
                    report.unfinished.push(Stopped { tenant_id, module, reason });
                }
            }
        }
        report
    }

    /// The memberships of a company that the directory does not name. `Err` says why the check did not finish.
    async fn check_directory(&self, tenant: Uuid, findings: &mut Vec<Finding>) -> Result<(), String> {
        let missing = directory::find_missing(self.database, tenant).await.map_err(|error| error.to_string())?;
        findings.extend(missing.into_iter().map(|membership| Finding {
            tenant_id: tenant,
            module: platform::NAME.to_owned(),
            invariant: "directory".to_owned(),
            resource_id: Some(membership),
            message: "the directory of users does not name the company of this membership".to_owned(),
        }));
        Ok(())
    }

    /// All batches of one module for one company. `Err` says why it did not come to its end.
    async fn check(&self, module: &Arc<Module>, tenant: Uuid, findings: &mut Vec<Finding>) -> Result<(), String> {
        let mut cursor = None;
        for _ in 0..BATCHES {
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err("the time of this verification is over".to_owned());
            }
            let found = self.try_batch(module, tenant, cursor).await.map_err(|error| error.to_string())?;
            findings.extend(found.findings.into_iter().map(|found| Finding {
                tenant_id: tenant,
                module: module.name.clone(),
                invariant: found.invariant,
                resource_id: found.resource.map(|(high, low)| Uuid::from_u64_pair(high, low)),
                message: found.message,
            }));
            cursor = found.next;
            if cursor.is_none() {
                return Ok(());
            }
        }
        Err(format!("it did not come to its end in {BATCHES} batches"))
    }

    async fn try_batch(&self, module: &Arc<Module>, tenant: Uuid, cursor: Option<String>) -> Result<Findings, Error> {
        let mut tries = 1;
        loop {
            match self.batch(module, tenant, cursor.clone()).await {
                Err(_) if tries < TRIES => tries += 1,
                outcome => return outcome,
            }
        }
    }

    async fn batch(&self, module: &Arc<Module>, tenant: Uuid, cursor: Option<String>) -> Result<Findings, Error> {
        let limits = self.limits;
        let work = work((module.clone(), cursor), move |mut session, shared| async move {
            let (module, cursor) = &*shared;
            let facts = match begin(&mut session, tenant).await {
                Ok(facts) => facts,
                Err(error) => return (Some(session), Verdict::Fail(error)),
            };
            let (module, listeners) = (module.clone(), Arc::default());
            let entry = CallContext { module, session, facts, read_only: true, limits, listeners };
            let ran = call::verify(entry, cursor.as_deref()).await;
            let verdict = match ran.result {
                Ok(findings) => Verdict::RollBack(findings),
                Err(Failure::Database(error)) => Verdict::Fail(error),
                Err(failure) => Verdict::Fail(Error::Fault(failure.to_string())),
            };
            (ran.session, verdict)
        });
        self.database.read_heavy(Shard::Company(tenant), work).await
    }
}

/// A snapshot of the company's rows, and who looks at them.
async fn begin(session: &mut Session, tenant: Uuid) -> Result<RequestFacts, Error> {
    session.begin_plain(true).await?;
    session.stand_for(tenant).await?;
    let now = session.now().await?;
    let clock = company_clock::read(session, tenant).await?;
    Ok(company_clock::system_facts("system:verify", tenant, Uuid::now_v7(), now, clock))
}

async fn is_recorded(database: &Database, tenant: Uuid) -> Result<bool, Error> {
    let found = database.read_plain(Shard::Company(tenant), tenant, |session, tenant| {
        Box::pin(async move { session.query("select 1 from stoa_tenant where id = $1", &[Cell::Id(*tenant)]).await })
    });
    Ok(!found.await?.is_empty())
}

/// Every company. The directory names those of a place that does not answer, so that each is reported.
async fn list_companies(database: &Database) -> Result<Vec<Uuid>, Error> {
    let mut companies: Vec<Uuid> = Vec::new();
    for shard in database.shards() {
        let ids = database.read_plain(shard, (), |session, ()| {
            Box::pin(async move { read_ids(&session.query("select id from stoa_tenant", &[]).await?) })
        });
        companies.extend(match ids.await {
            Err(Error::Unavailable(_)) if shard != Shard::Global => list_placed(database, shard).await?,
            ids => ids?,
        });
    }
    companies.sort();
    Ok(companies)
}

/// The companies of a place, by the directory.
async fn list_placed(database: &Database, shard: Shard) -> Result<Vec<Uuid>, Error> {
    let place = database.place_name(shard).to_owned();
    let ids = database.read_plain(Shard::Global, place, |session, place| {
        Box::pin(async move {
            let sql = "select tenant_id from stoa_company_place where place = $1";
            read_ids(&session.query(sql, &[Cell::text(place)]).await?)
        })
    });
    ids.await
}

fn read_ids(rows: &[Row]) -> Result<Vec<Uuid>, Error> {
    rows.iter().map(|row| row.id(0)).collect()
}
