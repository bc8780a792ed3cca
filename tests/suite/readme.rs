//! The README's tour is run as it is printed: every line of its `sh` blocks, in order, with bash.

use std::process::Command;

use stoa_tests::{Database, Stoa, host, on_both_databases};

on_both_databases![every_line_works];

/// The tour's commands: the fenced `sh` blocks that talk to a running host. A block that builds or starts something
/// (`cargo`, `git`) is for the reader's own machine.
fn blocks(readme: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for line in readme.lines() {
        match (&mut block, line.trim_end()) {
            (None, "```sh") => block = Some(String::new()),
            (Some(text), "```") => {
                blocks.push(std::mem::take(text));
                block = None;
            }
            (Some(text), line) => {
                text.push_str(line);
                text.push('\n');
            }
            _ => {}
        }
    }
    blocks.retain(|text| !text.lines().any(|line| ["cargo ", "git ", "cd "].iter().any(|word| line.starts_with(word))));
    blocks
}

/// `# => MARK` at the end of a line: what the command before it must have printed.
fn mark(line: &str) -> Option<&str> {
    line.split_once("# =>").map(|(_, mark)| mark.trim())
}

fn every_line_works(database: Database) {
    let path = host::workspace().join("README.md");
    let readme = std::fs::read_to_string(&path).expect("no README.md");
    let blocks = blocks(&readme);
    let marks: Vec<&str> = blocks.iter().flat_map(|block| block.lines()).filter_map(mark).collect();
    assert!(blocks.len() >= 3 && marks.len() >= 5, "a tour of {} blocks and {} marks", blocks.len(), marks.len());

    // After each marked line a line of our own, so that a mark is looked for in the output since the one before.
    let mut script = String::from("set -euo pipefail\n");
    for line in blocks.iter().flat_map(|block| block.lines()) {
        script.push_str(line);
        script.push('\n');
        if mark(line).is_some() {
            script.push_str("printf '\\n@@mark@@\\n'\n");
        }
    }
    let stoa: Stoa = host::shared(database);
    let shop = stoa.company();
    let output = Command::new("bash")
        .args(["-c", &script])
        .env("URL", stoa.url())
        .env("TOKEN", &shop.token)
        .env("TENANT", &shop.tenant)
        .output()
        .expect("cannot run bash");
    let printed = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the tour ends with {}:\n{printed}\n{said}", output.status);
    let parts: Vec<&str> = printed.split("\n@@mark@@\n").collect();
    for (mark, part) in marks.iter().zip(&parts) {
        assert!(part.contains(mark), "expected {mark:?} in:\n{part}\n{said}");
    }
}
