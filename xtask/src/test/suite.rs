//! Runs the suite's program in two phases: everything but the tests of modules named `timed` with several threads, then
//! those, one at a time, since they judge times, memory or counts.
//!
//! A timed test that fails is run once more. If it passes then, it is listed as flaky and the run goes on; three of
//! them fail the run. A test that hangs ends its program, which says so; the tests that had not ended are run without
//! it, and the run fails.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::Selection;
use super::build::{suite_folder, suite_program};
use super::record::{self, End, Ended};
use crate::build_modules;
use crate::clock::Clock;
use crate::program;
use crate::scratch::Scratch;
use crate::workspace::Workspace;

/// Many tests wait more than they compute: for hosts that start, for connections, for a browser.
const THREADS: &str = "6";
/// The module of tests that run one at a time: `modules::hostile::timed::sqlite::...`.
const TIMED: &str = "::timed::";
/// Tests of rules of modules, on the second database: those of a module named `rules`.
const RULES_ON_POSTGRES: &str = "::rules::postgres::";
/// So many flaky tests fail a run.
const MOST_FLAKY: usize = 2;
/// How many of the slowest tests are printed.
const SLOWEST: usize = 20;

struct Suite<'a> {
    workspace: &'a Workspace,
    selection: &'a Selection,
    program: PathBuf,
    scratch: Scratch,
    /// Where tests leave a line each.
    record: PathBuf,
}

/// How one start of the program ended.
struct Outcome {
    ended: Vec<Ended>,
    error: Option<anyhow::Error>,
}

pub fn run(workspace: &Workspace, selection: &Selection, clock: &mut Clock) -> Result<()> {
    let scratch = Scratch::make()?;
    let record = scratch.path().join(format!("suite-{}.record", std::process::id()));
    let program = clock.time("build of the suite", || suite_program(selection.cargo(workspace)))?;
    let suite = Suite { workspace, selection, program, scratch, record };
    let selected = &selection.names;
    let mut ended = Vec::new();
    let mut faults = Vec::new();
    let mut skipped = vec!["--skip", TIMED];
    if selection.is_usual {
        skipped.extend(["--skip", RULES_ON_POSTGRES]);
    }
    let all = clock.time("suite", || suite.run_through(selected, &skipped, THREADS))?;
    faults.extend(all.error.map(|error| format!("{error:#}")));
    ended.extend(all.ended);
    let alone: Vec<String> = suite.list(selected, &[])?.into_iter().filter(|name| name.contains(TIMED)).collect();
    let timed = clock.time("suite, one at a time", || match alone.is_empty() {
        true => Ok(Outcome { ended: Vec::new(), error: None }),
        false => suite.run_through(&alone, &["--exact"], "1"),
    })?;
    ended.extend(timed.ended.iter().cloned());
    if let Some(error) = timed.error {
        match clock.time("timed tests again", || suite.try_again(&timed.ended))? {
            Some(flaky) => ended.extend(flaky),
            None => faults.push(format!("{error:#}")),
        }
    }
    print_slowest(&ended);
    print_not_run(&ended);
    print_failed(&ended);
    if let Some(strict) = &selection.strict {
        let missing: Vec<&str> = record::list_missing(&ended, strict).into_iter().collect();
        if !missing.is_empty() {
            faults.push(format!("not run, which --strict forbids: {}", missing.join(", ")));
        }
    }
    if !faults.is_empty() {
        bail!("the suite failed: {}", faults.join("; "));
    }
    Ok(())
}

fn print_slowest(ended: &[Ended]) {
    let count = ended.iter().filter(|test| test.end != End::NotRun).count();
    if count > SLOWEST {
        eprintln!("The {SLOWEST} slowest of {count} tests:");
        for test in record::slowest(ended, SLOWEST) {
            eprintln!("{:>7.1} s  {}", test.seconds, test.name);
        }
    }
}

/// The parts that did not run, so that a reader does not overrate the run.
fn print_not_run(ended: &[Ended]) {
    for (part, why) in record::list_not_run(ended) {
        eprintln!("NOT RUN {part}: {why}");
    }
}

/// At the end, where it is found in the longest log.
fn print_failed(ended: &[Ended]) {
    for test in ended.iter().filter(|test| test.end == End::Failed) {
        eprintln!("FAILED {}: {}", test.name, test.why);
    }
}

impl Suite<'_> {
    /// Runs these tests to the end, also where one hangs.
    fn run_through(&self, names: &[String], options: &[&str], threads: &str) -> Result<Outcome> {
        let wanted = self.list(names, options)?;
        if wanted.is_empty() {
            return Ok(Outcome { ended: Vec::new(), error: None });
        }
        let mut outcome = self.start(names, options, threads)?;
        while outcome.ended.iter().any(|test| test.end == End::Hung) {
            let done: BTreeSet<&str> = outcome.ended.iter().map(|test| test.name.as_str()).collect();
            let rest: Vec<String> = wanted.iter().filter(|name| !done.contains(name.as_str())).cloned().collect();
            if rest.is_empty() {
                break;
            }
            eprintln!("A test hung: the {} that had not ended run without it.", rest.len());
            let next = self.start(&rest, &["--exact"], threads)?;
            let hangs = next.ended.iter().any(|test| test.end == End::Hung);
            outcome.ended.extend(next.ended);
            if !hangs {
                break;
            }
        }
        Ok(outcome)
    }

    /// Runs the timed tests that failed once more: those that pass now, or none if one fails again or too many are flaky.
    fn try_again(&self, ended: &[Ended]) -> Result<Option<Vec<Ended>>> {
        let failed: Vec<String> = ended
            .iter()
            .filter(|test| matches!(test.end, End::Failed | End::Hung))
            .map(|test| test.name.clone())
            .collect();
        let are_timed = failed.iter().all(|name| name.contains(TIMED));
        if failed.is_empty() || failed.len() > MOST_FLAKY || !are_timed {
            return Ok(None);
        }
        let again = self.start(&failed, &["--exact"], "1")?;
        if again.error.is_some() {
            return Ok(None);
        }
        let list = self.workspace.target.join("flaky.txt");
        std::fs::write(&list, failed.join("\n") + "\n").with_context(|| format!("cannot write {}", list.display()))?;
        eprintln!("FLAKY, listed in {}: failed once and passed the second time: {}", list.display(), failed.join(", "));
        Ok(Some(again.ended))
    }

    /// Names of the tests that would run.
    fn list(&self, names: &[String], options: &[&str]) -> Result<Vec<String>> {
        let mut command = Command::new(&self.program);
        command.args(names).args(options).args(["--list", "--format", "terse"]);
        let reported = program::output(&mut command)?;
        Ok(reported.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
    }

    /// Starts the program once.
    fn start(&self, names: &[String], options: &[&str], threads: &str) -> Result<Outcome> {
        let before = record::read(&self.record)?.len();
        let mut command = Command::new(&self.program);
        command.current_dir(suite_folder(self.workspace)?).args(names).args(options).args(&self.selection.options);
        command.envs(self.selection.variables.iter().map(|(name, value)| (*name, value)));
        let states = self.selection.options.iter().any(|word| word.starts_with("--test-threads"));
        if !states && (threads == "1" || std::env::var_os("RUST_TEST_THREADS").is_none()) {
            command.arg(format!("--test-threads={threads}"));
        }
        command.env("STOA_TEST_BINARY", self.workspace.host_binary());
        command.env("STOA_TEST_MODULES", build_modules::modules_folder(self.workspace));
        command.env("STOA_TEST_MODULE_CACHE", build_modules::compiled_folder(self.workspace));
        command.env("STOA_TEST_XTASK", std::env::current_exe()?);
        if let Some(registries) = self.selection.registries() {
            command.env("STOA_TEST_REGISTRIES", registries);
        }
        command.env(record::FILE, &self.record).env("TMPDIR", self.scratch.path());
        let error = super::with_server(command, self.scratch.path()).err();
        let ended = record::read(&self.record)?.split_off(before);
        Ok(Outcome { ended, error })
    }
}
