//! `soak`: the fault harness of the suite, with many rounds of each fault, and a hundred moves of companies: what was lost, what was
//! done twice, and how soon service was back.

use anyhow::Result;

use crate::test::{self, Selection};
use crate::workspace::Workspace;

/// Rounds of each fault.
const MANY: usize = 25;
const FEW: usize = 2;
/// Seconds of one test: many failovers and moves take longer than any test of the suite.
const LIMIT: &str = "1800";

#[derive(clap::Args)]
pub struct Args {
    /// Two rounds of each fault
    #[arg(long)]
    quick: bool,
}

pub fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let rounds = if args.quick { FEW } else { MANY };
    test::run_suite(
        workspace,
        &Selection {
            names: vec!["soak::".to_owned()],
            options: vec!["--nocapture".to_owned()],
            variables: vec![("STOA_SOAK_ROUNDS", rounds.to_string()), ("STOA_TEST_LIMIT", LIMIT.to_owned())],
            ..Selection::default()
        },
    )
}
