//! `test`: the suite, on SQLite and on PostgreSQL, against the real binary and the real modules.

mod build;
mod record;
mod releases;
mod suite;

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::clock::Clock;
use crate::workspace::Workspace;
use crate::{postgres, program};

#[derive(clap::Args)]
pub struct Args {
    /// Parts of names: only these tests of the suite (`finance::payments`), and only what they need is built
    names: Vec<String>,
    /// Also rules of modules on PostgreSQL, and what needs other tools or another build: SDKs of five generators, a
    /// browser, packages of npm and PyPI, released hosts, the benchmark's own tests. Tests that depend on chance are
    /// repeated more often
    #[arg(long)]
    all: bool,
    /// Distribute the companies of each host over this many databases
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(1..=9))]
    places: Option<u8>,
    /// Fail if a part of the suite does not run because a tool is missing, and fetch the packages that it needs. With
    /// names of parts (`--strict=evidence::gates,evidence::sdks`), only parts whose names begin so
    #[arg(long, value_name = "PARTS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    strict: Option<String>,
    /// Passed to the suite's program: `-- --nocapture`
    #[arg(last = true)]
    options: Vec<String>,
}

/// The tests of the suite to run, and how.
#[derive(Default)]
pub struct Selection {
    /// None: all of it.
    pub names: Vec<String>,
    pub options: Vec<String>,
    /// The host is built for a run between two edits: incrementally, and with little optimization. Otherwise the tests
    /// run what ships.
    pub is_between_edits: bool,
    /// A whole run without `--all`: rules of modules run on one of the databases, and nothing is fetched from
    /// registries of packages.
    pub is_usual: bool,
    /// Beginnings of names of parts that must run, or none: all parts. `None`: a part that does not run is only reported.
    pub strict: Option<Vec<String>>,
    /// For the suite's program.
    pub variables: Vec<(&'static str, String)>,
}

impl Selection {
    /// Cargo, for the host and the suite.
    fn cargo(&self, workspace: &Workspace) -> Command {
        let mut command = workspace.cargo();
        if self.is_between_edits {
            // Only own crates: cargo never compiles a dependency in parts.
            command.env("CARGO_INCREMENTAL", "1");
            // Without any optimization, the host's functions need more than the stack of a module's call.
            command.args(["--config", "profile.release.package.stoa.opt-level=1"]);
        }
        command
    }

    /// For the suite: whose packages may be fetched.
    fn registries(&self) -> Option<String> {
        match &self.strict {
            Some(parts) if self.is_usual && !parts.is_empty() => Some(parts.join(",")),
            None if self.is_usual => None,
            _ => Some("asked".to_owned()),
        }
    }
}

/// The parts that `--strict=PARTS` states.
fn parse_parts(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Variables that `--all` sets for the suite.
const EVERYTHING: &[(&str, &str)] = &[
    ("STOA_TEST_SDKS", "all"),
    ("STOA_TEST_GATES", "redocly,spectral,schemathesis"),
    ("STOA_TEST_BROWSER", "required"),
    ("STOA_TEST_ROUNDS", "all"),
];

pub fn run(workspace: &Workspace, args: Args) -> Result<()> {
    let Args { names, all, places, strict, options } = args;
    let strict = strict.as_deref().map(parse_parts);
    let mut clock = Clock::start();
    let has_names = !names.is_empty();
    let variables = places.map(|count| ("STOA_TEST_PLACES", count.to_string())).into_iter().collect();
    let is_usual = !all && !has_names;
    let mut selection = Selection { names, options, is_between_edits: has_names, is_usual, strict, variables };
    let units = if has_names {
        build::what_tests_need(workspace, &selection, &mut clock)?;
        Ok(())
    } else {
        build::everything(workspace, &mut clock)?;
        clock.time("unit tests", || build::unit_tests(workspace, all))
    };
    if all {
        selection.variables.extend(EVERYTHING.iter().map(|(name, value)| (*name, (*value).to_owned())));
        let folder = clock.time("build of released hosts", || releases::build(workspace))?;
        selection.variables.push((releases::FOLDER, folder.display().to_string()));
    }
    let suite = suite::run(workspace, &selection, &mut clock);
    clock.print();
    match (units, suite) {
        (Ok(()), suite) => suite,
        (Err(units), Ok(())) => Err(units),
        (Err(units), Err(suite)) => bail!("{units:#}; {suite:#}"),
    }
}

/// Builds what these tests of the suite need, and runs them.
pub fn run_suite(workspace: &Workspace, selection: &Selection) -> Result<()> {
    let mut clock = Clock::start();
    build::what_tests_need(workspace, selection, &mut clock)?;
    let outcome = suite::run(workspace, selection, &mut clock);
    clock.print();
    outcome
}

/// Runs a program that needs a PostgreSQL server, which lies under this folder; it ends when the program does, also when both
/// receive a signal to stop.
pub fn with_server(mut command: Command, under: &Path) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut stop = program::Stop::listen()?;
        let server = postgres::provide(under)?;
        server.tell(&mut command)?;
        program::run_until_stopped(command, &mut stop).await
    })
}

#[cfg(test)]
mod tests {
    use super::{Selection, parse_parts};

    fn registries(is_usual: bool, strict: Option<&str>) -> Option<String> {
        Selection { is_usual, strict: strict.map(parse_parts), ..Selection::default() }.registries()
    }

    #[test]
    fn a_strict_run_fetches_for_the_parts_that_it_names() {
        assert_eq!(registries(true, None), None);
        assert_eq!(
            registries(true, Some("evidence::gates, evidence::sdks")).unwrap(),
            "evidence::gates,evidence::sdks"
        );
        assert_eq!(registries(true, Some("")).unwrap(), "asked");
        assert_eq!(registries(false, None).unwrap(), "asked");
        assert_eq!(registries(false, Some("evidence::gates")).unwrap(), "asked");
    }
}
