//! `stoa module test`: fixtures in, answers out. The component runs in the host's own engine, linked to what it needs, on the
//! host's own store in a temporary database: the real contract on both sides, and no HTTP. Beside each answer stands what it
//! used of the limits.

mod answer;
mod fixture;
mod matching;
mod stage;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::{Value as Json, json};

use crate::cli;
use crate::cli::logging;
use crate::deployment::Release;
use crate::gate::artifact::Artifact;
use crate::sandbox::limits::{Limits, Used};
use crate::settings::LogFormat;
use fixture::Fixture;
use stage::Stage;

/// Log filter: shows the component's log, and nothing else of the host's.
const LOG: &str = "off,stoa::module=debug";

#[derive(clap::Args)]
pub struct Flags {
    /// The component: NAME.wasm
    file: PathBuf,
    /// The folder of the fixtures, or one of them
    #[arg(long, value_name = "DIR")]
    fixtures: PathBuf,
    /// A component whose services it needs; may be repeated
    #[arg(long = "with", value_name = "FILE")]
    with: Vec<PathBuf>,
    /// One JSON document
    #[arg(long)]
    json: bool,
}

/// Result of one step.
struct Verdict {
    /// Its position in the fixture, from 1.
    number: usize,
    name: String,
    status: u16,
    /// Where the answer is not what the fixture expects; none: as it should be.
    differences: Vec<String>,
    /// Nothing where the module was not asked.
    used: Option<(Used, usize, Limits)>,
}

pub fn run(flags: &Flags) -> anyhow::Result<()> {
    logging::start(LOG, LogFormat::Text)?;
    let fixtures = fixtures(&flags.fixtures)?;
    let release = release(std::iter::once(&flags.file).chain(&flags.with))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let reported = runtime.block_on(async {
        let stage = Stage::open(release).await?;
        let mut reported = Vec::new();
        for (file, fixture) in &fixtures {
            let verdicts = play(&stage, fixture).await.with_context(|| file.display().to_string())?;
            if !flags.json {
                print!("{}", lines(file, fixture, &verdicts));
            }
            reported.push((file, verdicts));
        }
        stage.close().await;
        Ok::<_, anyhow::Error>(reported)
    })?;
    let steps: usize = reported.iter().map(|(_, verdicts)| verdicts.len()).sum();
    let failed =
        reported.iter().flat_map(|(_, verdicts)| verdicts).filter(|verdict| !verdict.differences.is_empty()).count();
    if flags.json {
        let fixtures: Vec<Json> = reported.iter().map(|(file, verdicts)| as_json(file, verdicts)).collect();
        println!("{}", json!({ "ok": failed == 0, "fixtures": fixtures }));
    } else {
        println!("{steps} steps, {failed} not as expected");
    }
    anyhow::ensure!(failed == 0, "{failed} of {steps} steps are not as expected");
    Ok(())
}

/// The component linked to those that it needs.
fn release<'a>(files: impl Iterator<Item = &'a PathBuf>) -> anyhow::Result<Release> {
    let gate = cli::gate_of_strangers(2)?;
    let mut vetted = Vec::new();
    for file in files {
        let artifact = Artifact::read(file)?;
        vetted.push(Arc::new(gate.vet(&artifact).with_context(|| file.display().to_string())?));
    }
    Release::link(&gate, 1, &vetted).context("the components do not fit together; --with names others")
}

/// The fixtures in the order of their names.
fn fixtures(path: &Path) -> anyhow::Result<Vec<(PathBuf, Fixture)>> {
    let shown = path.display();
    let mut files = vec![path.to_path_buf()];
    if path.is_dir() {
        let entries = std::fs::read_dir(path).with_context(|| format!("cannot read {shown}"))?;
        files = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        files.retain(|file| file.extension() == Some("json".as_ref()));
        files.sort();
    }
    anyhow::ensure!(!files.is_empty(), "there is no fixture (*.json) in {shown}");
    let read = |file: PathBuf| {
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let fixture = serde_json::from_str(&text).with_context(|| format!("{} is no fixture", file.display()))?;
        Ok((file, fixture))
    };
    files.into_iter().map(read).collect()
}

/// Every step, each seeing what those before it wrote; then what the modules find wrong with the rows.
async fn play(stage: &Stage, fixture: &Fixture) -> anyhow::Result<Vec<Verdict>> {
    let mut company = stage.company(fixture).await?;
    let mut verdicts = Vec::new();
    for (index, step) in fixture.steps.iter().enumerate() {
        let number = index + 1;
        let name =
            step.about.clone().map_or_else(|| step.operation.clone(), |about| format!("{}: {about}", step.operation));
        let answer = company.ask(step, index).await.with_context(|| format!("step {number}"))?;
        verdicts.push(Verdict {
            number,
            name,
            status: answer.status,
            differences: company.judge(step, &answer),
            used: answer.used,
        });
    }
    let findings = company.verify().await?;
    if let (Some(last), false) = (verdicts.last_mut(), findings.is_empty()) {
        last.differences.extend(findings);
    }
    Ok(verdicts)
}

fn lines(file: &Path, fixture: &Fixture, verdicts: &[Verdict]) -> String {
    let about = fixture.about.as_deref().map(|about| format!(": {about}")).unwrap_or_default();
    let mut text = format!("{}{about}\n", file.display());
    for Verdict { number, name, status, differences, used } in verdicts {
        let mark = if differences.is_empty() { "ok  " } else { "FAIL" };
        text.push_str(&format!("  {mark} {number:>2} {status} {name}\n"));
        if let Some((used, output, limits)) = used {
            text.push_str(&format!("          {}\n", usage(used, *output, limits)));
        }
        for difference in differences {
            text.push_str(&format!("          {difference}\n"));
        }
    }
    text
}

/// Usage of a call beside its limits.
fn usage(used: &Used, output: usize, limits: &Limits) -> String {
    let kib = |bytes: usize| bytes.div_ceil(1 << 10);
    format!(
        "guest {:.2} of {} ms, memory {} of {} KiB, store calls {} of {}, rows {} of {}, output {output} of {} bytes",
        used.guest_time.as_secs_f64() * 1_000.0,
        limits.deadline.as_millis(),
        kib(used.memory),
        kib(limits.memory),
        used.store_calls,
        limits.store_calls,
        used.rows,
        limits.rows,
        limits.output,
    )
}

fn as_json(file: &Path, verdicts: &[Verdict]) -> Json {
    let step = |verdict: &Verdict| {
        let used = verdict.used.as_ref().map(|(used, output, limits)| {
            json!({
                "guestMicros": { "used": micros(used.guest_time), "limit": micros(limits.deadline) },
                "memoryBytes": { "used": used.memory, "limit": limits.memory },
                "storeCalls": { "used": used.store_calls, "limit": limits.store_calls },
                "rows": { "used": used.rows, "limit": limits.rows },
                "outputBytes": { "used": output, "limit": limits.output },
            })
        });
        json!({
            "step": verdict.number,
            "name": verdict.name,
            "status": verdict.status,
            "ok": verdict.differences.is_empty(),
            "differences": verdict.differences,
            "used": used,
        })
    };
    json!({ "file": file, "steps": verdicts.iter().map(step).collect::<Vec<_>>() })
}

fn micros(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
