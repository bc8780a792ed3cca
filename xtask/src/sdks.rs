//! `sdks`: what integrators generate from the contract, by five generators, and the SDKs of `sdks`: generated,
//! compiled, and taken on a tour of a host. It needs Node, Python and Java, and ways to the npm registry and to PyPI.

use anyhow::Result;

use crate::test::{self, Selection};
use crate::workspace::Workspace;

pub fn run(workspace: &Workspace) -> Result<()> {
    test::run_suite(
        workspace,
        &Selection {
            names: vec!["evidence::sdk".to_owned()],
            options: vec!["--nocapture".to_owned()],
            variables: vec![("STOA_TEST_SDKS", "all".to_owned())],
            is_between_edits: true,
            ..Selection::default()
        },
    )
}
