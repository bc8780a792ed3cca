//! `contract`: tools of others judge the contract that a host serves, and the host by it. Redocly and Spectral read it,
//! Schemathesis sends what fits it and what does not, as a user and as an API client. They need Node, Python and ways
//! to the npm registry and to PyPI.

use anyhow::Result;
use clap::ValueEnum as _;

use crate::test::{self, Selection};
use crate::workspace::Workspace;

/// Schemathesis takes minutes for each kind of caller: seconds after which a test counts as hung.
const LIMIT: u32 = 3_600;

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Gate {
    Redocly,
    Spectral,
    Schemathesis,
}

#[derive(clap::Args)]
pub struct Args {
    /// Only these gates
    #[arg(value_enum)]
    gates: Vec<Gate>,
    /// Cases that Schemathesis draws for an operation, at most, for each of user and API client
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    cases: u32,
    /// Fail if a gate cannot run
    #[arg(long)]
    strict: bool,
}

pub fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let gates = if args.gates.is_empty() { Gate::value_variants() } else { args.gates.as_slice() };
    let names: Vec<String> =
        gates.iter().filter_map(Gate::to_possible_value).map(|value| value.get_name().to_owned()).collect();
    test::run_suite(
        workspace,
        &Selection {
            names: vec!["evidence::gates".to_owned()],
            options: vec!["--nocapture".to_owned()],
            strict: args.strict.then(Vec::new),
            variables: vec![
                ("STOA_TEST_GATES", names.join(",")),
                ("STOA_TEST_CASES", args.cases.to_string()),
                ("STOA_TEST_LIMIT", LIMIT.to_string()),
            ],
            is_between_edits: true,
            ..Selection::default()
        },
    )
}
