//! Pages that can be followed: every line of their `sh` blocks, in order, with bash.

use std::path::Path;
use std::process::Command;

/// The commands of a page: its fenced `sh` blocks. A block that builds or starts something (`cargo`, `git`) is for the reader's
/// own machine.
pub fn blocks(page: &str) -> Vec<String> {
    let mut blocks = blocks_of("sh", page);
    blocks.retain(|text| !text.lines().any(|line| ["cargo ", "git ", "cd "].iter().any(|word| line.starts_with(word))));
    blocks
}

/// The fenced blocks of this language.
pub fn blocks_of(language: &str, page: &str) -> Vec<String> {
    let begin = format!("```{language}");
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for line in page.lines() {
        match (&mut block, line.trim_end()) {
            (None, line) if line == begin => block = Some(String::new()),
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
    blocks
}

/// `# => MARK` at the end of a line: what the command before it must have printed.
pub fn mark(line: &str) -> Option<&str> {
    line.split_once("# =>").map(|(_, mark)| mark.trim())
}

/// Runs the blocks in a folder with these variables; each mark must be in the output since the one before.
#[track_caller]
pub fn follow(blocks: &[String], folder: &Path, variables: &[(&str, &str)]) {
    let mut shell = Command::new("bash");
    follow_in(shell.current_dir(folder).envs(variables.iter().copied()), blocks);
}

/// The same by this shell: a command that takes `-c` and a script.
#[track_caller]
pub fn follow_in(shell: &mut Command, blocks: &[String]) {
    let lines = || blocks.iter().flat_map(|block| block.lines());
    // After each marked line a line of our own, so that a mark is looked for in the output since the one before.
    let mut script = String::from("set -euo pipefail\n");
    for line in lines() {
        script.push_str(line);
        script.push('\n');
        if mark(line).is_some() {
            script.push_str("printf '\\n@@mark@@\\n'\n");
        }
    }
    let output = shell.args(["-c", &script]).output().expect("cannot run bash");
    let printed = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the tour ends with {}:\n{printed}\n{said}", output.status);
    let parts: Vec<&str> = printed.split("\n@@mark@@\n").collect();
    for (mark, part) in lines().filter_map(mark).zip(&parts) {
        assert!(part.contains(mark), "expected {mark:?} in:\n{part}\n{said}");
    }
}
