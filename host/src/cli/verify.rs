//! `stoa verify`: checks every company, or some, also while hosts serve. Exit code 1 and a list where an invariant is broken.

use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use uuid::Uuid;

use super::Unfinished;
use super::data_flags::ModuleDataFlags;
use super::json_flag::JsonFlag;
use crate::database::Database;
use crate::deployment::first;
use crate::deployment::verify::{Finding, Stopped, Verification, VerifyReport};
use crate::settings::Settings;

#[derive(Args, Serialize)]
pub struct Flags {
    /// Check only this company; repeatable.
    #[arg(long)]
    #[serde(skip)]
    tenant: Vec<Uuid>,
    #[command(flatten)]
    #[serde(skip)]
    output: JsonFlag,
    #[command(flatten)]
    #[serde(flatten)]
    data: ModuleDataFlags,
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    let (wanted, as_json) = (flags.tenant.clone(), flags.output.json);
    let settings = Settings::load(flags)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let report = runtime.block_on(verify(&settings, &wanted)).map_err(|error| error.context(Unfinished))?;
    print(report, as_json)
}

/// Prints what was checked and what breaks an invariant.
///
/// # Errors
/// A broken invariant, or a check that did not finish.
pub(super) fn print(report: VerifyReport, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        println!("{}", report.to_json());
    }
    let VerifyReport { companies, findings, unfinished } = report;
    if !as_json {
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

/// Checks the companies that are wanted, or all where none is named.
pub(super) async fn verify(settings: &Settings, wanted: &[Uuid]) -> anyhow::Result<VerifyReport> {
    // It only reads, whichever role it connects as.
    let database = crate::database::DatabaseSettings { plain_role_only: false, ..settings.database() };
    let database = Database::open(&database, false).await?;
    let gate = Arc::new(super::gate_of_hosts(settings)?);
    let generation = first::read_active_edition(&database, &gate, &settings.modules_dir()).await?.generation;
    // It goes through what a company has: as long as a report may take.
    let limits = settings.limits().for_heavy_read();
    let verification = Verification { database: &database, modules: &generation.modules, limits, deadline: None };
    let report = match wanted {
        [] => verification.verify_all().await?,
        wanted => verification.verify(&wanted.iter().copied().collect()).await?,
    };
    database.close();
    Ok(report)
}
