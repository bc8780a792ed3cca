//! `stoa verify`: every module re-derives what it keeps from its ledgers and checks what it promises, over every company,
//! in bounded batches, each in a read snapshot of its own; the host compares its directory with the memberships. Also beside a
//! running host. Exit code 1 and a list where it fails.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::Unfinished;
use super::data_flags::DataFlags;
use crate::database::{Database, Error, Place, Session, Verdict, work};
use crate::deployment::first;
use crate::pipeline::facts::of_system;
use crate::platform::{self, iam::directory};
use crate::sandbox::call::{self, CallContext, Failure};
use crate::sandbox::{Limits, Module, RequestFacts};
use crate::settings::Settings;
use crate::wit::module::Findings;

/// Batches of one module and company; a module that never comes to an end is at fault.
const BATCHES: usize = 1_000_000;

#[derive(Args, Serialize)]
pub struct Flags {
    /// Check only this company; repeatable.
    #[arg(long)]
    #[serde(skip)]
    tenant: Vec<Uuid>,
    /// Print a JSON object instead of lines.
    #[arg(long)]
    #[serde(skip)]
    json: bool,
    #[command(flatten)]
    #[serde(flatten)]
    data: DataFlags,
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    modules_dir: Option<PathBuf>,
}

/// What is wrong.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    tenant_id: Uuid,
    module: String,
    invariant: String,
    resource_id: Option<Uuid>,
    message: String,
}

/// A module's check of a company that did not come to its end, as on a machine that is too busy.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Stopped {
    tenant_id: Uuid,
    module: String,
    reason: String,
}

#[derive(Default)]
struct Report {
    companies: usize,
    findings: Vec<Finding>,
    unfinished: Vec<Stopped>,
}

/// How often a batch is tried that a time limit ended: the limits are those of requests, and a check may wait.
const TRIES: usize = 3;

pub fn run(flags: Flags) -> anyhow::Result<()> {
    let (wanted, as_json) = (flags.tenant.clone(), flags.json);
    let settings = Settings::load(flags)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let Report { companies, findings, unfinished } =
        runtime.block_on(verify(&settings, &wanted)).map_err(|error| error.context(Unfinished))?;
    if as_json {
        let mut report = json!({ "companies": companies, "findings": findings });
        if !unfinished.is_empty() {
            report["unfinished"] = json!(unfinished);
        }
        println!("{report}");
    } else {
        for Finding { tenant_id, module, invariant, resource_id, message } in &findings {
            let resource = resource_id.map(|id| format!(" {id}")).unwrap_or_default();
            println!("{tenant_id} {module} {invariant}{resource}: {message}");
        }
        for Stopped { tenant_id, module, reason } in &unfinished {
            println!("{tenant_id} {module} not finished: {reason}");
        }
        println!("{companies} companies, {} findings", findings.len());
    }
    anyhow::ensure!(findings.is_empty(), "the data breaks an invariant");
    if unfinished.is_empty() { Ok(()) } else { Err(Unfinished.into()) }
}

async fn verify(settings: &Settings, wanted: &[Uuid]) -> anyhow::Result<Report> {
    // It goes through what a company has: as long as a report may take.
    let limits = settings.limits().for_heavy_read();
    // It only reads, whoever it connects as.
    let database = crate::database::DatabaseSettings { plain_role_only: false, ..settings.database() };
    let database = Database::open(&database, false).await?;
    let gate = Arc::new(super::gate_of_hosts(settings)?);
    let generation = first::read_active_release(&database, &gate, &settings.modules_dir()).await?.generation;
    let mut companies = tenants(&database).await?;
    let lost = directory::find_lost(&database, &companies).await?;
    if !wanted.is_empty() {
        companies.retain(|company| wanted.contains(company));
        let is_known = |company: &&Uuid| companies.contains(company) || lost.contains(company);
        if let Some(unknown) = wanted.iter().find(|company| !is_known(company)) {
            anyhow::bail!("there is no company {unknown}");
        }
    }
    let mut report = Report { companies: companies.len(), ..Report::default() };
    let findings = &mut report.findings;
    for tenant in lost.iter().filter(|tenant| wanted.is_empty() || wanted.contains(tenant)) {
        findings.push(Finding {
            tenant_id: *tenant,
            module: platform::NAME.to_owned(),
            invariant: "company".to_owned(),
            resource_id: None,
            message: "the company has members and no record (stoa_tenant): nothing of it was checked".to_owned(),
        });
    }
    for tenant in &companies {
        for membership in directory::find_missing(&database, *tenant).await? {
            findings.push(Finding {
                tenant_id: *tenant,
                module: platform::NAME.to_owned(),
                invariant: "directory".to_owned(),
                resource_id: Some(membership),
                message: "the directory of users does not name the company of this membership".to_owned(),
            });
        }
        for module in &generation.modules {
            let check = Check { database: &database, module, tenant: *tenant, limits };
            let mut cursor = None;
            for _ in 0..BATCHES {
                let found = match check.try_batch(cursor.take()).await {
                    Ok(found) => found,
                    Err(reason) => {
                        let (tenant_id, module) = (*tenant, module.name.clone());
                        report.unfinished.push(Stopped { tenant_id, module, reason: format!("{reason:#}") });
                        break;
                    }
                };
                findings.extend(found.findings.into_iter().map(|found| Finding {
                    tenant_id: *tenant,
                    module: module.name.clone(),
                    invariant: found.invariant,
                    resource_id: found.resource.map(|(high, low)| Uuid::from_u64_pair(high, low)),
                    message: found.message,
                }));
                cursor = found.next;
                if cursor.is_none() {
                    break;
                }
            }
            anyhow::ensure!(cursor.is_none(), "module {} never comes to an end", module.name);
        }
    }
    database.close();
    Ok(report)
}

/// A module's check of a company.
struct Check<'a> {
    database: &'a Database,
    module: &'a Arc<Module>,
    tenant: Uuid,
    limits: Limits,
}

impl Check<'_> {
    async fn try_batch(&self, cursor: Option<String>) -> anyhow::Result<Findings> {
        let mut tries = 1;
        loop {
            match self.batch(cursor.clone()).await {
                Err(_) if tries < TRIES => tries += 1,
                outcome => return outcome,
            }
        }
    }

    async fn batch(&self, cursor: Option<String>) -> anyhow::Result<Findings> {
        let (tenant, limits) = (self.tenant, self.limits);
        let work = work((self.module.clone(), cursor), move |mut session, shared| async move {
            let (module, cursor) = &*shared;
            let facts = match begin(&mut session, tenant).await {
                Ok(facts) => facts,
                Err(error) => return (Some(session), Verdict::Fail(error)),
            };
            let entry = CallContext { module: module.clone(), session, facts, read_only: true, limits };
            let ran = call::verify(entry, cursor.as_deref()).await;
            let verdict = match ran.result {
                Ok(findings) => Verdict::RollBack(findings),
                Err(Failure::Database(error)) => Verdict::Fail(error),
                Err(failure) => Verdict::Fail(Error::Fault(format!("{failure:?}"))),
            };
            (ran.session, verdict)
        });
        let read = self.database.read_heavy(Place::Company(tenant), work).await;
        read.map_err(|error| anyhow::anyhow!("{error}"))
    }
}

async fn tenants(database: &Database) -> anyhow::Result<Vec<Uuid>> {
    let mut companies: Vec<Uuid> = Vec::new();
    for place in database.places() {
        let ids = database.read_plain(place, (), |session, ()| {
            Box::pin(async move {
                let rows = session.query("select id from stoa_tenant", &[]).await?;
                rows.iter().map(|row| row.id(0)).collect::<Result<Vec<Uuid>, Error>>()
            })
        });
        companies.extend(ids.await?);
    }
    companies.sort();
    Ok(companies)
}

/// A snapshot of the company's rows, and who looks at them.
async fn begin(session: &mut Session, tenant: Uuid) -> Result<RequestFacts, Error> {
    session.begin_plain(true).await?;
    session.stand_for(tenant).await?;
    let now = session.now().await?;
    Ok(of_system("system:verify", tenant, Uuid::now_v7(), now))
}
