//! Builds everything that the suite needs: the host, the modules, the guests, its own program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::Selection;
use crate::clock::Clock;
use crate::scratch::Scratch;
use crate::workspace::Workspace;
use crate::{build_modules, program};

/// Folders of the suite whose tests load no guest and no example.
const WITHOUT_GUESTS: &[&str] = &["catalog::", "http::", "identity::", "pos::", "pricing::", "procurement::", "soak::"];

/// All that a whole run needs.
pub fn everything(workspace: &Workspace, clock: &mut Clock) -> Result<()> {
    let targets: Vec<&str> = workspace.integration_tests().flat_map(|name| ["--test", name]).collect();
    clock.time("build of modules, host and tests", || build(workspace, workspace.cargo(), &targets, true))?;
    precompile(workspace, clock)
}

/// Builds everything that the tests of a narrow selection need.
pub fn what_tests_need(workspace: &Workspace, selection: &Selection, clock: &mut Clock) -> Result<()> {
    let needs_no_guests = |name: &String| WITHOUT_GUESTS.iter().any(|folder| name.starts_with(folder));
    let guests = selection.names.is_empty() || !selection.names.iter().all(needs_no_guests);
    let cargo = selection.cargo(workspace);
    clock.time("build of modules and host", || build(workspace, cargo, &["--test", SUITE], guests))?;
    precompile(workspace, clock)
}

/// Builds the modules while the host is built: each of the two ends with crates that only one core compiles.
fn build(workspace: &Workspace, cargo: Command, beside: &[&str], guests: bool) -> Result<()> {
    std::thread::scope(|scope| {
        let host = scope.spawn(|| workspace.build_host(cargo, beside));
        build_modules::modules(workspace)?;
        if guests {
            build_modules::guests(workspace)?;
            build_modules::examples(workspace)?;
        }
        host.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).map(drop)
    })
}

/// Else every host of the suite that is first would compile the modules, several at once.
fn precompile(workspace: &Workspace, clock: &mut Clock) -> Result<()> {
    clock.time("compilation of modules for this machine", || {
        build_modules::precompile(workspace, &workspace.host_binary())
    })
}

/// Runs every test that is not the suite's; `all`: those of the benchmark too. Tests within crates are built with the
/// profile `bench`, which compiles large crates without optimization; a crate whose tests lie next to it was compiled as
/// it ships, and is not again.
pub fn unit_tests(workspace: &Workspace, all: bool) -> Result<()> {
    let command = |profile: &str, targets: &[&str]| {
        let mut command = workspace.cargo();
        // One failure must not hide the others.
        command.args(["test", "--profile", profile, "--no-fail-fast"]).args(all.then_some("--workspace"));
        command.args(targets);
        command
    };
    let within_crates = |targets: &[&str]| program::run(&mut command("bench", targets));
    let programs = workspace.tested_programs(all).flat_map(|name| ["--bin", name]);
    let within: Vec<&str> = ["--lib"].into_iter().chain(programs).collect();
    let others = workspace.integration_tests().filter(|name| *name != SUITE);
    let beside: Vec<&str> = others.flat_map(|name| ["--test", name]).collect();
    let outcome = within_crates(&within).and(within_crates(&["--doc"]));
    // Those of the store compare what both databases answer.
    let scratch = Scratch::make()?;
    outcome.and(super::with_server(command("release", &beside), scratch.path()))
}

/// The test target that is the suite.
const SUITE: &str = "suite";

/// A line of cargo's JSON messages; only `reason` is read of most kinds.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    executable: Option<PathBuf>,
    #[serde(default)]
    target: Target,
}

#[derive(Deserialize, Default)]
struct Target {
    #[serde(default)]
    name: String,
    #[serde(default)]
    kind: Vec<String>,
}

/// The suite's program, built where it is not.
pub fn suite_program(mut command: Command) -> Result<PathBuf> {
    command.args(["test", "--release", "--no-run", "--test", SUITE, "--message-format=json-render-diagnostics"]);
    let output = command.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("the suite does not build");
    }
    for line in String::from_utf8(output.stdout)?.lines() {
        let message: Message = serde_json::from_str(line).context("a message of cargo is not as expected")?;
        let Message { reason, executable, target } = message;
        let is_suite = target.name == SUITE && target.kind.iter().any(|kind| kind == "test");
        if let ("compiler-artifact", true, Some(program)) = (reason.as_str(), is_suite, executable) {
            return Ok(program);
        }
    }
    bail!("cargo built no program of the suite")
}

/// Where cargo runs the tests of a package: its folder.
pub fn suite_folder(workspace: &Workspace) -> Result<&Path> {
    workspace.package("stoa-tests").map(crate::workspace::Package::folder).context("there is no package stoa-tests")
}
