//! `check`: everything that can be judged without running the service. Warnings are errors.

use anyhow::{Result, bail};
use stoa_kit::component::set_flags;
use stoa_kit::target::{self, TARGET};

use crate::build_modules::cdylibs;
use crate::clock::Clock;
use crate::program;
use crate::workspace::Workspace;

mod advisories;
mod directions;
pub mod licences;
mod names;
mod places;
mod repeats;
mod tidy;
pub mod vendored;
mod wit;
mod words;

#[derive(clap::Args)]
pub struct Args {
    /// Only these steps: format, rules, directions, names, words, places, repeats, wit, licences, advisories, lints,
    /// module-lints, docs
    steps: Vec<String>,
}

type Step = fn(&Workspace) -> Result<()>;

/// Cheap ones first: a person waits for the first fault.
const STEPS: &[(&str, Step)] = &[
    ("format", format),
    ("rules", tidy::check),
    ("directions", directions::check),
    ("names", names::check),
    ("words", words::check),
    ("places", places::check),
    ("repeats", repeats::check),
    ("wit", wit::check),
    ("licences", licences::check),
    ("advisories", advisories::check),
    ("lints", lints),
    ("module-lints", module_lints),
    ("docs", documentation),
];

pub fn run(workspace: &Workspace, args: Args) -> Result<()> {
    if let Some(unknown) = args.steps.iter().find(|wanted| !STEPS.iter().any(|(name, _)| name == wanted)) {
        bail!("check has no step {unknown}");
    }
    let mut failed = Vec::new();
    let mut clock = Clock::start();
    for (name, step) in STEPS {
        if !args.steps.is_empty() && !args.steps.iter().any(|wanted| wanted == name) {
            continue;
        }
        eprintln!("== {name}");
        if let Err(error) = clock.time(name, || step(workspace)) {
            eprintln!("{error:#}");
            failed.push(*name);
        }
    }
    clock.print();
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

fn format(workspace: &Workspace) -> Result<()> {
    program::run(workspace.cargo().args(["fmt", "--all", "--check"]))
}

fn lints(workspace: &Workspace) -> Result<()> {
    let mut command = workspace.cargo();
    program::run(command.args(["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// Code behind `cfg(target_arch = "wasm32")` is seen by this run only.
fn module_lints(workspace: &Workspace) -> Result<()> {
    target::ensure()?;
    let mut command = workspace.cargo();
    command.args(["clippy", "--profile", "module", "--target", TARGET, "--lib"]);
    for package in cdylibs(workspace) {
        command.args(["--package", &package.name]);
    }
    set_flags(&workspace.root, &mut command);
    program::run(command.args(["--", "-D", "warnings"]))
}

/// Documents the default members: the benchmark builds on the host, which would be checked once more for it.
fn documentation(workspace: &Workspace) -> Result<()> {
    let mut command = workspace.cargo();
    program::run(command.args(["doc", "--release", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}
