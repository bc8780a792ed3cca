//! `bench`: builds what is measured and runs the benchmark on the same kind of PostgreSQL server as the suite.

use anyhow::{Result, bail};

use crate::workspace::Workspace;
use crate::{build_modules, test};

#[derive(clap::Args)]
pub struct Args {
    /// Fewer rounds: for a look, not for a claim
    #[arg(long)]
    quick: bool,
    /// Passed to the benchmark
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

pub fn run(workspace: &Workspace, args: Args) -> Result<()> {
    const PACKAGE: &str = "stoa-bench";
    if workspace.package(PACKAGE).is_none() {
        bail!("the workspace has no package {PACKAGE} yet");
    }
    build_modules::modules(workspace)?;
    build_modules::examples(workspace)?;
    build_modules::guests(workspace)?;
    let host = workspace.build_host(workspace.cargo(), &[])?;
    build_modules::precompile(workspace, &host)?;
    let mut command = workspace.cargo();
    // No default member, so that what users build lacks its features.
    command.args(["run", "--release", "--package", PACKAGE, "--"]);
    command.args(args.quick.then_some("--quick")).args(&args.arguments);
    command.env("STOA_TEST_BINARY", host).env("STOA_TEST_MODULES", build_modules::modules_folder(workspace));
    command.env("STOA_TEST_EXAMPLES", build_modules::examples_folder(workspace));
    command.env("STOA_TEST_GUESTS", build_modules::guests_folder(workspace));
    command.env("STOA_TEST_MODULE_CACHE", build_modules::compiled_folder(workspace));
    // On the disk: durable writes are measured.
    test::with_server(command, &std::env::temp_dir())
}
