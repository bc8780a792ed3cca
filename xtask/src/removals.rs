//! `removals`: takes rules out of the code, a line each, in a copy of what is committed, and sees that the test of each rule fails
//! for it. `tests/evidence/removals.txt` lists them; `check removals` sees that it stays true.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::program;
use crate::workspace::Workspace;

const LIST: &str = "tests/evidence/removals.txt";

#[derive(clap::Args)]
pub struct Args {
    /// Only the rules with these ids
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    only: Vec<String>,
    /// Only this batch
    #[arg(long)]
    batch: Option<u32>,
}

/// A rule, and the line without which its test fails.
#[derive(Debug, PartialEq)]
struct Removal {
    /// Removals of one batch are built together: none of them reaches the test of another.
    batch: u32,
    id: String,
    test: String,
    file: String,
    line: String,
    /// What stands in the line's place.
    instead: String,
}

/// The entries of the list: blank lines part them, and `#` begins a comment.
fn parse(text: &str) -> Result<Vec<Removal>> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let entries = lines.split(|line| line.trim().is_empty()).filter(|entry| !entry.is_empty());
    entries.map(|entry| parse_entry(entry).with_context(|| format!("{LIST}: {}", entry.join("\n")))).collect()
}

fn parse_entry(entry: &[&str]) -> Result<Removal> {
    let (head, file, line, instead) = match *entry {
        [head, file, line] => (head, file, line, "+ "),
        [head, file, line, instead] => (head, file, line, instead),
        _ => bail!("an entry has three lines or four"),
    };
    let [batch, id, test] = head.split(' ').collect::<Vec<_>>()[..] else { bail!("batch, id and test are expected") };
    let strip = |line: &str, mark: &str| line.strip_prefix(mark).map(str::to_string);
    Ok(Removal {
        batch: batch.parse()?,
        id: id.to_string(),
        test: test.to_string(),
        file: file.trim().to_string(),
        line: strip(line, "- ").context("the line begins with `- `")?,
        instead: strip(instead, "+ ").context("what replaces it begins with `+ `")?,
    })
}

fn read(root: &Path) -> Result<Vec<Removal>> {
    parse(&fs::read_to_string(root.join(LIST)).with_context(|| format!("cannot read {LIST}"))?)
}

impl Removal {
    /// The file without the line.
    ///
    /// # Errors
    /// Where the line does not stand there exactly once.
    fn apply(&self, text: &str) -> Result<String> {
        let found = text.lines().filter(|line| line.trim() == self.line).count();
        ensure!(found == 1, "{}: {} has the line {found} times: {}", self.id, self.file, self.line);
        let replace = |line: &str| match line.trim() == self.line {
            true => format!("{}{}\n", &line[..line.len() - line.trim_start().len()], self.instead),
            false => format!("{line}\n"),
        };
        Ok(text.lines().map(replace).collect())
    }

    fn check(&self, root: &Path) -> Result<()> {
        let text = fs::read_to_string(root.join(&self.file)).with_context(|| format!("{}: {}", self.id, self.file))?;
        self.apply(&text)?;
        let (path, name) = (self.test.split_once("::sqlite::"))
            .or_else(|| self.test.split_once("::once::"))
            .context("a test is named as it runs on SQLite, or once")?;
        let file = root.join("tests/suite").join(format!("{}.rs", path.replace("::", "/")));
        let tests = fs::read_to_string(&file).with_context(|| format!("{}: {}", self.id, self.test))?;
        ensure!(tests.contains(&format!("fn {name}(")), "{}: there is no test {}", self.id, self.test);
        Ok(())
    }
}

/// Whether every line stands in its file once, and every test is there.
pub fn check(workspace: &Workspace) -> Result<()> {
    let list = read(&workspace.root)?;
    let faults = list.iter().filter_map(|removal| removal.check(&workspace.root).err());
    let mut faults: Vec<String> = faults.map(|fault| format!("{fault:#}")).collect();
    let mut ids = BTreeSet::new();
    faults.extend(list.iter().filter(|removal| !ids.insert(&removal.id)).map(|again| format!("{} twice", again.id)));
    if !faults.is_empty() {
        bail!("{LIST}:\n{}", faults.join("\n"));
    }
    Ok(())
}

pub fn run(workspace: &Workspace, args: Args) -> Result<()> {
    let mut batches: BTreeMap<u32, Vec<Removal>> = BTreeMap::new();
    for removal in read(&workspace.root)? {
        let is_wanted = (args.only.is_empty() || args.only.contains(&removal.id))
            && args.batch.is_none_or(|batch| batch == removal.batch);
        if is_wanted {
            batches.entry(removal.batch).or_default().push(removal);
        }
    }
    ensure!(!batches.is_empty(), "no rule of {LIST} is meant");
    let folder = workspace.target.join("removals");
    fs::create_dir_all(&folder)?;
    let tree = copy_head(workspace, &folder)?;
    let mut missed = Vec::new();
    for (batch, removals) in &batches {
        eprintln!("== batch {batch}: {} rules", removals.len());
        program::run(Command::new("git").args(["checkout", "--quiet", "--force", "."]).current_dir(&tree))?;
        for removal in removals {
            let file = tree.join(&removal.file);
            fs::write(&file, removal.apply(&fs::read_to_string(&file)?)?)?;
        }
        let told = run_tests(workspace, &folder, &tree, *batch, removals)?;
        for removal in removals {
            let verdict = judge(&told, &removal.test);
            fs::write(folder.join(format!("{}.txt", removal.id)), section(&told, &removal.test).unwrap_or_default())?;
            println!("{:<8} {}", removal.id, verdict.as_deref().unwrap_or_else(|why| why));
            missed.extend(verdict.is_err().then_some(removal.id.as_str()));
        }
    }
    if !missed.is_empty() {
        bail!("no test was seen to fail for {}; see {}", missed.join(", "), folder.display());
    }
    Ok(())
}

/// A copy of the last commit: rules are never taken out of the tree that somebody works in.
fn copy_head(workspace: &Workspace, folder: &Path) -> Result<std::path::PathBuf> {
    let tree = folder.join("tree");
    if tree.exists() {
        fs::remove_dir_all(&tree)?;
    }
    program::run(Command::new("git").args(["clone", "--quiet", "--shared"]).arg(&workspace.root).arg(&tree))?;
    Ok(tree)
}

/// Builds the tree and runs the tests of these rules: what the suite wrote to stdout.
fn run_tests(workspace: &Workspace, folder: &Path, tree: &Path, batch: u32, removals: &[Removal]) -> Result<String> {
    let log = folder.join(format!("batch-{batch}.log"));
    let mut command = workspace.cargo();
    command.current_dir(tree).env("CARGO_TARGET_DIR", folder.join("build"));
    command.args(["xtask", "test", "--workspace", "--test", "suite", "--", "--exact"]);
    command.args(removals.iter().map(|removal| &removal.test));
    // It fails, as it should.
    command.stdout(fs::File::create(&log)?).status()?;
    Ok(fs::read_to_string(&log)?)
}

/// How a test failed, by the first words of its assertion; an error where it did not, or not in the suite.
fn judge(told: &str, test: &str) -> Result<String, String> {
    let ran = |end: &str| told.lines().any(|line| line == format!("test {test} ... {end}"));
    if ran("ok") {
        return Err("NOT CAUGHT: the test passed".into());
    }
    let Some(section) = section(told, test).filter(|_| ran("FAILED")) else {
        return Err("NOT RUN: did it build?".into());
    };
    // A host that does not start says nothing of the rule.
    let in_suite = |at: &str| at.contains("panicked at tests/") && !at.contains("tests/src/host.rs");
    // A table that differs is told by the crate that compares it.
    let is_assertion = |at: &str| in_suite(at) || at.contains("panicked at") && at.contains("/insta-");
    let mut lines = section.lines().skip_while(|line| !is_assertion(line));
    match (lines.next(), lines.next()) {
        (Some(_), Some(message)) => Ok(message.chars().take(160).collect()),
        _ => Err("FAILED ELSEWHERE: no assertion of the suite".into()),
    }
}

/// What the suite tells of a failed test.
fn section<'a>(told: &'a str, test: &str) -> Option<&'a str> {
    let (_, rest) = told.split_once(&format!("---- {test} stdout ----\n"))?;
    let ends = ["\n---- ", "\nfailures:\n"].iter().filter_map(|end| rest.find(end)).min();
    Some(&rest[..ends.unwrap_or(rest.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "# words\n\n2 E1 inventory::a::sqlite::e1_b\n  a/b.rs\n- if x {\n+ if false {\n\n1 C1 c::sqlite::d\n  c.rs\n- y();\n";

    #[test]
    fn entries_have_three_lines_or_four() {
        let list = parse(ENTRY).unwrap();
        let shown =
            |removal: &Removal| (removal.batch, removal.id.clone(), removal.line.clone(), removal.instead.clone());
        let expected = [(2, "E1", "if x {", "if false {"), (1, "C1", "y();", "")];
        let expected = expected.map(|(batch, id, line, instead)| (batch, id.into(), line.into(), instead.into()));
        assert_eq!(list.iter().map(shown).collect::<Vec<_>>(), expected);
        assert!(parse("1 C1 c::sqlite::d\n  c.rs\n").is_err());
        assert!(parse("1 C1\n  c.rs\n- y();\n").is_err());
    }

    #[test]
    fn a_line_is_replaced_where_it_stands_once() {
        let list = parse(ENTRY).unwrap();
        assert_eq!(list[0].apply("a\n    if x {\n    }\n").unwrap(), "a\n    if false {\n    }\n");
        assert!(list[0].apply("a\n").is_err());
        assert!(list[0].apply("if x {\n  if x {\n").is_err());
    }

    #[test]
    fn a_failure_is_told_by_its_assertion() {
        let told = "test a ... FAILED\ntest b ... ok\ntest c ... FAILED\n\nfailures:\n\n---- a stdout ----\n\n\
            thread 'a' (7) panicked at tests/suite/x.rs:3:5:\nexpected 409: POST /v1\n  answered 201\n\n---- c stdout ----\n\n\
            thread 'c' (8) panicked at tests/src/host.rs:1:1:\nthe host did not start\n\n\nfailures:\n    a\n    c\n";
        assert_eq!(judge(told, "a").unwrap(), "expected 409: POST /v1");
        assert!(judge(told, "b").unwrap_err().starts_with("NOT CAUGHT"));
        assert!(judge(told, "c").unwrap_err().starts_with("FAILED ELSEWHERE"));
        assert!(judge(told, "d").unwrap_err().starts_with("NOT RUN"));
        assert!(!section(told, "c").unwrap().contains("    a"));
    }
}
