//! `browser`: the suite's reader of the reference, for whoever changed its page or took over another renderer. It needs Chromium,
//! Node and a way to the npm registry, and says so where the suite only leaves it out.

use anyhow::Result;

use crate::test;
use crate::workspace::Workspace;

pub fn run(workspace: &Workspace) -> Result<()> {
    let words = ["--workspace", "--test", "suite", "--", "http::reference", "--nocapture"];
    test::run_with(workspace, &words.map(str::to_owned), &[("STOA_TEST_BROWSER", "required".to_owned())])
}
