//! `browser`: the suite's reader of the reference, for a contributor who changed its page or the renderer. It needs Chromium,
//! Node and a way to the npm registry, and says so where the suite only leaves it out.

use anyhow::Result;

use crate::test::{self, Selection};
use crate::workspace::Workspace;

pub fn run(workspace: &Workspace) -> Result<()> {
    test::run_suite(
        workspace,
        &Selection {
            names: vec!["http::reference".to_owned()],
            options: vec!["--nocapture".to_owned()],
            variables: vec![("STOA_TEST_BROWSER", "required".to_owned())],
            is_between_edits: true,
            ..Selection::default()
        },
    )
}
