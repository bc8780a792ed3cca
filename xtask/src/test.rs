//! `test`: the whole suite, on SQLite and on PostgreSQL, against the real binary and the real modules.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::scratch::Scratch;
use crate::workspace::Workspace;
use crate::{build_modules, postgres, program};

#[derive(clap::Args)]
pub struct Args {
    /// Passed to `cargo test`: a filter, `--package NAME`, `-- --nocapture`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

pub fn run(workspace: &Workspace, args: Args) -> Result<()> {
    run_with(workspace, &args.arguments, &[])
}

/// The same, with these variables.
pub fn run_with(workspace: &Workspace, arguments: &[String], variables: &[(&str, String)]) -> Result<()> {
    let packages = ["-p", "--package", "--workspace", "--all", "--exclude"];
    let is_whole = !arguments.iter().any(|word| packages.iter().any(|option| word == option));
    let host = build(workspace, is_whole)?;
    // Else every host of the suite that is first would compile them, several at once.
    build_modules::precompile(workspace, &host)?;
    let mut command = workspace.cargo();
    // One failure must not hide the others.
    command.args(["test", "--release", "--no-fail-fast"]);
    if is_whole {
        command.arg("--workspace");
    }
    command.args(arguments).envs(variables.iter().map(|(name, value)| (name, value)));
    if !names_threads(arguments) {
        command.env("RUST_TEST_THREADS", THREADS);
    }
    command.env("STOA_TEST_BINARY", &host).env("STOA_TEST_MODULES", build_modules::modules_folder(workspace));
    let scratch = Scratch::make()?;
    command.env("TMPDIR", scratch.path());
    with_server(command, scratch.path())
}

/// Builds the modules beside the host: each of the two ends with crates that one core compiles alone. With the host the programs of
/// the tests, where all of them run.
fn build(workspace: &Workspace, with_tests: bool) -> Result<PathBuf> {
    std::thread::scope(|scope| {
        let host = scope.spawn(|| workspace.build_host(if with_tests { &["--tests"] } else { &[] }));
        build_modules::modules(workspace)?;
        build_modules::guests(workspace)?;
        build_modules::examples(workspace)?;
        host.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Tests wait more than they compute: for hosts that start, for a limit's minute to end.
const THREADS: &str = "6";

/// Whether the caller says himself how many tests run at once.
fn names_threads(arguments: &[String]) -> bool {
    std::env::var_os("RUST_TEST_THREADS").is_some() || arguments.iter().any(|word| word.starts_with("--test-threads"))
}

/// Runs a program that needs a PostgreSQL server, which lies under this folder; it ends when the program does, also when both are
/// told to stop.
pub fn with_server(mut command: Command, under: &Path) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut stop = program::Stop::listen()?;
        let server = postgres::provide(under)?;
        server.tell(&mut command)?;
        program::run_until_stopped(command, &mut stop).await
    })
}
