//! Code that exists twice: runs of lines that a crate has in two places. The figure of each crate is today's, and may
//! only shrink: look for the existing function before you write one.
//!
//! A line counts without its indent; blank lines, comments, imports and lone brackets do not. A run is as long as both
//! places agree, and counts once for each place after the first.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Result, bail};

use super::tidy::{File, files};
use crate::workspace::Workspace;

/// Shorter runs are a matter of shape.
const LINES: usize = 8;

/// Runs of today, by crate. Lower a figure as they go; one that is too high is itself a fault.
const KNOWN: &[(&str, usize)] =
    &[("components/inventory", 1), ("components/ledger", 1), ("components/sales", 1), ("tests", 2)];

pub fn check(workspace: &Workspace) -> Result<()> {
    let mut crates: BTreeMap<String, Vec<File>> = BTreeMap::new();
    let sources = files(workspace)?.into_iter().filter(|file| file.path.ends_with(".rs"));
    let folders: Vec<String> = workspace
        .packages
        .iter()
        .filter_map(|package| Some(package.folder().strip_prefix(&workspace.root).ok()?.to_str()?.to_string()))
        .collect();
    for file in sources {
        // The innermost: a crate may lie in another one's folder.
        let holders = folders.iter().filter(|folder| file.path.starts_with(&format!("{folder}/")));
        if let Some(folder) = holders.max_by_key(|folder| folder.len()) {
            crates.entry(folder.clone()).or_default().push(file);
        }
    }
    let mut faults = Vec::new();
    for (name, files) in &crates {
        let known = KNOWN.iter().find(|(listed, _)| listed == name).map_or(0, |(_, count)| *count);
        let runs = find_runs(files);
        if runs.len() > known {
            let list: Vec<String> = runs.iter().map(|run| format!("  {run}")).collect();
            faults.push(format!("{name}: {} runs occur twice, {known} are known:\n{}", runs.len(), list.join("\n")));
        } else if runs.len() < known {
            faults.push(format!("{name}: {} runs occur twice, not {known}: lower it", runs.len()));
        }
    }
    let gone = KNOWN.iter().filter(|(listed, _)| !crates.contains_key(*listed));
    faults.extend(gone.map(|(listed, _)| format!("{listed}: a figure of a crate that is gone")));
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

/// The lines of a file that count, each with its number.
fn significant_lines(file: &File) -> Vec<(usize, &str)> {
    let mut in_import = false;
    let mut found = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let line = line.trim();
        let begins_import = line.starts_with("use ") || line.starts_with("pub use ");
        let is_import = in_import || begins_import;
        in_import = is_import && !line.ends_with(';');
        let is_words = line.chars().any(char::is_alphanumeric) && !line.starts_with("//");
        if is_words && !is_import {
            found.push((index + 1, line));
        }
    }
    found
}

/// Where a run is repeated, and where it was first.
fn find_runs(files: &[File]) -> Vec<String> {
    let lines: Vec<Vec<(usize, &str)>> = files.iter().map(significant_lines).collect();
    let mut first: HashMap<Vec<&str>, (usize, usize)> = HashMap::new();
    let mut runs = Vec::new();
    for (file_index, lines_of) in lines.iter().enumerate() {
        let mut is_in_run = false;
        for (start, window) in lines_of.windows(LINES).enumerate() {
            let text: Vec<&str> = window.iter().map(|(_, line)| *line).collect();
            let earlier = first.get(&text).copied();
            // Places that overlap are a list of lines that are alike.
            let earlier = earlier.filter(|(file, place)| *file != file_index || place + LINES <= start);
            match earlier {
                Some((file, place)) if !is_in_run => {
                    let stood = lines.get(file).and_then(|lines| lines.get(place)).map_or(0, |(number, _)| *number);
                    let number = window.first().map_or(0, |(number, _)| *number);
                    let path = |index: usize| files.get(index).map_or("", |file| file.path.as_str());
                    runs.push(format!("{}:{number} as in {}:{stood}", path(file_index), path(file)));
                }
                _ => {}
            }
            is_in_run = earlier.is_some();
            first.entry(text).or_insert((file_index, start));
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: String) -> File {
        File { path: path.to_string(), text }
    }

    fn body(name: &str, lines: usize) -> String {
        let lines: String = (0..lines).map(|n| format!("    let {name}{n} = {n};\n    // why\n\n")).collect();
        format!("//! Head.\nuse std::{{\n    {name},\n}};\nfn f() {{\n{lines}}}\n")
    }

    #[test]
    fn a_run_counts_once_for_each_place_after_the_first() {
        let known = [file("a.rs", body("x", LINES + 5)), file("b.rs", body("y", LINES + 5))];
        // The line of the function before it, too.
        assert_eq!(find_runs(&known), [""; 0]);
        let again =
            [file("a.rs", body("x", LINES + 5)), file("b.rs", body("x", LINES)), file("c.rs", body("x", LINES))];
        assert_eq!(find_runs(&again), ["b.rs:5 as in a.rs:5", "c.rs:5 as in a.rs:5"]);
        let short = [file("a.rs", body("x", LINES - 2)), file("b.rs", body("x", LINES - 2))];
        assert_eq!(find_runs(&short), [""; 0]);
    }

    #[test]
    fn a_list_of_lines_that_are_alike_is_no_run() {
        assert_eq!(find_runs(&[file("a.rs", "same(1);\n".repeat(LINES + 3))]), [""; 0]);
    }
}
