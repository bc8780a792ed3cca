//! `sdks`: what integrators generate from the contract, by five generators: generated, compiled, and taken on a tour of a host. It needs
//! Node, Python and Java, and ways to the npm registry and to PyPI.

use anyhow::Result;

use crate::test;
use crate::workspace::Workspace;

pub fn run(workspace: &Workspace) -> Result<()> {
    let words = ["--workspace", "--test", "suite", "--", "evidence::sdks", "--nocapture"];
    test::run_with(workspace, &words.map(str::to_owned), &[("STOA_TEST_SDKS", "all".to_owned())])
}
