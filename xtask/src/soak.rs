//! `soak`: the fault harness of the suite, with many rounds of each fault: what was lost, what was done twice, and how soon service was back.

use anyhow::Result;

use crate::test;
use crate::workspace::Workspace;

/// Rounds of each fault.
const MANY: usize = 25;
const FEW: usize = 2;

#[derive(clap::Args)]
pub struct Args {
    /// Two rounds of each fault
    #[arg(long)]
    quick: bool,
}

pub fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let words = ["--workspace", "--test", "suite", "--", "soak::", "--nocapture", "--test-threads=1"];
    let rounds = if args.quick { FEW } else { MANY };
    test::run_with(workspace, &words.map(str::to_owned), &[("STOA_SOAK_ROUNDS", rounds.to_string())])
}
