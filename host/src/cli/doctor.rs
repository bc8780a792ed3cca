//! `stoa doctor`: checks settings, database and deployment, also while hosts serve. Exit code 1 if a check fails.

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::data_flags::DataFlags;
use super::json_flag::JsonFlag;
use super::logging;
use crate::doctor::probes::PROBES;
use crate::doctor::{self, Examined, Status};
use crate::settings::Settings;

#[derive(Args, Serialize)]
pub struct Flags {
    #[command(flatten)]
    #[serde(skip)]
    output: JsonFlag,
    /// Print the list of checks and exit.
    #[arg(long)]
    #[serde(skip)]
    list: bool,
    #[command(flatten)]
    #[serde(flatten)]
    data: DataFlags,
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    if flags.list {
        for probe in PROBES {
            println!("{:<25} {}", probe.id, probe.about);
        }
        return Ok(());
    }
    let examined = match Settings::load(&flags) {
        Err(error) => doctor::explain_unread(&error),
        Ok(settings) => {
            logging::start("error", settings.log_format)?;
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
            let examined = runtime.block_on(doctor::examine(settings));
            // A check that is late is not waited for.
            runtime.shutdown_background();
            examined
        }
    };
    print(&examined, flags.output.json)
}

fn print(examined: &[Examined], as_json: bool) -> anyhow::Result<()> {
    let count = |status: Status| examined.iter().filter(|check| check.status == status).count();
    let (failed, warned) = (count(Status::Fail), count(Status::Warn));
    if as_json {
        println!("{}", json!({ "checks": examined, "failed": failed, "warned": warned }));
    } else {
        for Examined { id, status, says, remedy } in examined {
            let status = match status {
                Status::Pass => "pass",
                Status::Warn => "WARN",
                Status::Fail => "FAIL",
                Status::Skipped => "skipped",
            };
            let remedy = remedy.map(|remedy| format!(". Remedy: {remedy}")).unwrap_or_default();
            println!("{status:<8} {id:<25} {says}{remedy}");
        }
        println!("{} checks, {failed} failed, {warned} warned", examined.len());
    }
    anyhow::ensure!(failed == 0, "{failed} checks failed");
    Ok(())
}
