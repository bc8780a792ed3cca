//! Texts that people review: a change of what the service promises shows as a change of a file in `tests/contract`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::host::workspace;

/// Fails unless `tests/contract/NAME` says this. The expected text is left in `target/contract`, to be reviewed and copied.
#[track_caller]
pub fn reviewed(name: &str, text: &str) {
    if let Some(change) = change(name, text) {
        panic!("{change}");
    }
}

/// Fails unless `tests/contract/NAME` has each of these lines.
#[track_caller]
pub fn reviewed_in_part(name: &str, lines: &[String]) {
    let known = std::fs::read_to_string(folder().join(name)).unwrap_or_default();
    let known: BTreeSet<&str> = known.lines().collect();
    let unknown: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !known.contains(line)).collect();
    assert!(!lines.is_empty() && unknown.is_empty(), "{name} does not have:\n{}", unknown.join("\n"));
}

/// Fails unless each of these files says this, and `tests/contract` has no other of their kind.
#[track_caller]
pub fn reviewed_all(texts: BTreeMap<String, String>) {
    let mut changes: Vec<String> = texts.iter().filter_map(|(name, text)| change(name, text)).collect();
    let kind = |path: &Path| path.extension().map(std::ffi::OsStr::to_owned);
    let kinds: Vec<_> = texts.keys().map(|name| kind(Path::new(name))).collect();
    let files = std::fs::read_dir(folder()).expect("no tests/contract").flatten().map(|entry| entry.path());
    for path in files.filter(|path| kinds.contains(&kind(path))) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !texts.contains_key(&name) {
            changes.push(format!("{} is of nothing that there is: git rm it", path.display()));
        }
    }
    assert!(changes.is_empty(), "{}", changes.join("\n\n"));
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("contract")
}

/// The difference, and how to accept it.
fn change(name: &str, text: &str) -> Option<String> {
    let path = folder().join(name);
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    if known == text {
        return None;
    }
    let beside = workspace().join("target/contract");
    let written = std::fs::create_dir_all(&beside).and_then(|()| std::fs::write(beside.join(name), text));
    written.unwrap_or_else(|error| panic!("cannot write {}: {error}", beside.display()));
    let gone = known.lines().filter(|line| !text.lines().any(|other| other == *line)).map(|line| format!("- {line}"));
    let new = text.lines().filter(|line| !known.lines().any(|other| other == *line)).map(|line| format!("+ {line}"));
    let changes: Vec<String> = gone.chain(new).collect();
    Some(format!(
        "{} does not say what the service does:\n{}\nafter a review: cp {} {}",
        path.display(),
        changes.join("\n"),
        beside.join(name).display(),
        path.display()
    ))
}
