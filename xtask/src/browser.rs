//! `browser`: the suite's tests in a browser, for a contributor who changed the reference or the console. They need
//! Chromium, Node and a way to the npm registry, and fail without them where the suite only leaves them out.

use anyhow::Result;

use crate::test::{self, Selection};
use crate::workspace::Workspace;

pub fn run(workspace: &Workspace) -> Result<()> {
    test::run_suite(
        workspace,
        &Selection {
            names: vec!["http::reference".to_owned(), "console::browser".to_owned()],
            options: vec!["--nocapture".to_owned()],
            variables: vec![("STOA_TEST_BROWSER", "required".to_owned())],
            is_between_edits: true,
            ..Selection::default()
        },
    )
}
