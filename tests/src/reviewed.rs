//! Texts that people review: a change of what the service promises shows as a change of a file in `tests/contract`.

use std::path::Path;

use crate::host::workspace;

/// Fails unless `tests/contract/NAME` says this. What it should say is left in `target`, to be looked at and copied.
#[track_caller]
pub fn reviewed(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("contract").join(name);
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    if known == text {
        return;
    }
    let beside = workspace().join("target").join(name);
    std::fs::write(&beside, text).unwrap_or_else(|error| panic!("cannot write {}: {error}", beside.display()));
    let gone = known.lines().filter(|line| !text.lines().any(|other| other == *line)).map(|line| format!("- {line}"));
    let new = text.lines().filter(|line| !known.lines().any(|other| other == *line)).map(|line| format!("+ {line}"));
    let changes: Vec<String> = gone.chain(new).collect();
    panic!(
        "{} does not say what the service does:\n{}\nafter a review: cp {} {}",
        path.display(),
        changes.join("\n"),
        beside.display(),
        path.display()
    );
}
