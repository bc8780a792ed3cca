//! `stoa module test`: fixtures in, answers out. The component runs in the host's own engine, linked to what it needs, on the
//! host's own store in a temporary database: the real contract on both sides, and no HTTP. Each answer is printed with
//! its use of the limits. A fixture that begins with an earlier version goes the way of an activation: tables grow,
//! `upgrade` fills the rows, and the way back and a second upgrade find what the versions left each other.

mod answer;
mod background;
mod fixture;
mod matching;
mod stage;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::{Value as Json, json};
use stoa_descriptor::Descriptor;

use crate::cli;
use crate::cli::logging;
use crate::deployment::Edition;
use crate::gate::artifact::Artifact;
use crate::sandbox::limits::{Limits, Used};
use crate::sandbox::{Arrangement, Vetted};
use crate::settings::LogFormat;
use fixture::{Fixture, FixtureStep, Phase};
use stage::{Backfill, Company, Stage};

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

/// Result of one step, or of a backfill between two phases.
struct Verdict {
    phase: &'static str,
    /// Its position in the phase, from 1; none: a backfill.
    number: Option<usize>,
    name: String,
    /// None where nothing was answered.
    status: Option<u16>,
    /// Where the answer is not what the fixture expects; none: as it should be.
    differences: Vec<String>,
    /// Nothing where the module was not asked.
    used: Option<(Used, usize, Limits)>,
}

/// The editions that fixtures run on.
struct Editions {
    new: Arc<Edition>,
    /// By the file of the earlier version.
    old: BTreeMap<PathBuf, Arc<Edition>>,
}

pub fn run(flags: &Flags) -> anyhow::Result<()> {
    logging::start(LOG, LogFormat::Text)?;
    let fixtures = fixtures(&flags.fixtures)?;
    let editions = link_editions(flags, &fixtures)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let reported = runtime.block_on(async {
        let mut reported = Vec::new();
        for (file, fixture) in &fixtures {
            let verdicts = play(&editions, fixture).await.with_context(|| file.display().to_string())?;
            if !flags.json {
                print!("{}", lines(file, fixture, &verdicts));
            }
            reported.push((file, verdicts));
        }
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

/// The component, and each earlier version that a fixture begins with, linked to those that they need.
fn link_editions(flags: &Flags, fixtures: &[(PathBuf, Fixture)]) -> anyhow::Result<Editions> {
    let gate = cli::gate_of_strangers(2)?;
    let vet = |file: &PathBuf| {
        let artifact = Artifact::read(file)?;
        Ok::<_, anyhow::Error>(Arc::new(gate.vet(&artifact).with_context(|| file.display().to_string())?))
    };
    let others = flags.with.iter().map(vet).collect::<anyhow::Result<Vec<_>>>()?;
    let link = |candidate: &Arc<Vetted>| {
        let vetted: Vec<_> = std::iter::once(candidate).chain(&others).cloned().collect();
        let edition = Edition::link(&gate, 1, &vetted, &Arrangement::new());
        edition.map(Arc::new).context("the components do not fit together; --with names others")
    };
    let candidate = vet(&flags.file)?;
    let mut editions = Editions { new: link(&candidate)?, old: BTreeMap::new() };
    for file in fixtures.iter().filter_map(|(_, fixture)| fixture.from.as_ref()) {
        if !editions.old.contains_key(file) {
            let old = vet(file)?;
            ensure_older(&old.descriptor, &candidate.descriptor).with_context(|| file.display().to_string())?;
            editions.old.insert(file.clone(), link(&old)?);
        }
    }
    Ok(editions)
}

/// A host upgrades a module that rose, and no other.
fn ensure_older(old: &Descriptor, new: &Descriptor) -> anyhow::Result<()> {
    anyhow::ensure!(old.name == new.name, "it is the module `{}`, not `{}`", old.name, new.name);
    let is_older = semver::Version::parse(&old.version)? < semver::Version::parse(&new.version)?;
    anyhow::ensure!(is_older, "version {} is not older than {}: no host upgrades it", old.version, new.version);
    Ok(())
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
        let mut fixture: Fixture =
            serde_json::from_str(&text).with_context(|| format!("{} is no fixture", file.display()))?;
        fixture.from = fixture.from.map(|from| file.parent().unwrap_or(Path::new("")).join(from));
        Ok((file, fixture))
    };
    files.into_iter().map(read).collect()
}

/// Every step, each seeing what those before it wrote. After each phase the modules report what is wrong with the rows.
async fn play(editions: &Editions, fixture: &Fixture) -> anyhow::Result<Vec<Verdict>> {
    let phases = fixture.phases()?;
    let new = Stage::open(editions.new.clone()).await?;
    let old = fixture.from.as_ref().and_then(|file| editions.old.get(file)).map(|old| new.beside(old.clone()));
    let played = play_phases(old.as_ref(), &new, fixture, &phases).await;
    new.close().await;
    played
}

async fn play_phases(
    old: Option<&Stage>,
    new: &Stage,
    fixture: &Fixture,
    phases: &[Phase<'_>],
) -> anyhow::Result<Vec<Verdict>> {
    let first = old.unwrap_or(new);
    first.activate().await?;
    let mut company = first.company(fixture).await?;
    let mut verdicts = Vec::new();
    for (nth, phase) in phases.iter().enumerate() {
        company.stage = old.filter(|_| phase.is_old).unwrap_or(new);
        if nth > 0 {
            company.stage.activate().await.with_context(|| phase.name)?;
        }
        if let (Some(old), false) = (old, phase.is_old) {
            verdicts.extend(upgrade(&mut company, old, phase.name).await?);
        }
        for (step, number) in phase.steps.iter().zip(1..) {
            verdicts.push(run_step(&mut company, phase.name, step, number).await?);
        }
        let differences = company.verify().await.with_context(|| phase.name)?;
        if !differences.is_empty() {
            let name = "verify".to_owned();
            verdicts.push(Verdict { phase: phase.name, number: None, name, status: None, differences, used: None });
        }
    }
    Ok(verdicts)
}

async fn run_step(
    company: &mut Company<'_>,
    phase: &'static str,
    step: &FixtureStep,
    number: usize,
) -> anyhow::Result<Verdict> {
    let name = step.about.iter().fold(step.describe(), |name, about| format!("{name}: {about}"));
    let answer = company.ask(step).await.with_context(|| format!("{phase} {number}"))?;
    let differences = company.judge(step, &answer);
    Ok(Verdict { phase, number: Some(number), name, status: Some(answer.status), differences, used: answer.used })
}

/// The backfills of the modules that rose.
async fn upgrade(company: &mut Company<'_>, old: &Stage, phase: &'static str) -> anyhow::Result<Vec<Verdict>> {
    let stage = company.stage;
    let mut verdicts = Vec::new();
    for module in &stage.edition.modules {
        let Some(before) = old.edition.module(&module.name).filter(|before| before.version != module.version) else {
            continue;
        };
        let Backfill { batches, trouble, used } = company.upgrade(module, &before.version).await?;
        verdicts.push(Verdict {
            phase,
            number: None,
            name: format!("upgrade from {} to {}, batches: {batches}", before.version, module.version),
            status: None,
            differences: trouble.map(|why| format!("upgrade: {why}")).into_iter().collect(),
            used: Some((used, 0, Limits::default())),
        });
    }
    Ok(verdicts)
}

fn lines(file: &Path, fixture: &Fixture, verdicts: &[Verdict]) -> String {
    let about = fixture.about.as_deref().map(|about| format!(": {about}")).unwrap_or_default();
    let mut text = format!("{}{about}\n", file.display());
    let mut phase = "steps";
    for verdict in verdicts {
        if phase != verdict.phase {
            phase = verdict.phase;
            text.push_str(&format!("  {phase}\n"));
        }
        let Verdict { number, name, status, differences, used, .. } = verdict;
        let mark = if differences.is_empty() { "ok  " } else { "FAIL" };
        let number = number.map_or_else(String::new, |number| number.to_string());
        let status = status.map_or_else(|| "   ".to_owned(), |status| status.to_string());
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

/// Usage of a call and its limits.
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
            "phase": verdict.phase,
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
