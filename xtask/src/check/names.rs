//! The names of the house: one public type name has one meaning in its crate, and a function says what it does.
//!
//! A participle says neither effect nor object (`told`: who is told what?), so it names no function. Read from the
//! text. The words themselves are in `docs/glossary.md`.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::directions::code;
use super::tidy::{File, files};
use crate::workspace::Workspace;

/// A rule: its name, and the faults of the files of one crate.
type Rule = (&'static str, fn(&[&File]) -> Vec<String>);

const RULES: &[Rule] = &[("one type, one name", types), ("participle", participles)];

/// Faults of a crate that are known and accepted for now: rule, crate, how many. Lower the number as they go; an entry
/// that is too generous is itself a fault.
const DEBTS: &[(&str, &str, usize)] = &[("participle", "tests", 63), ("participle", "tests/guests/hostile", 2)];

/// A command line has one of these for each of its verbs, in the verb's own file.
const ONE_PER_VERB: &[&str] = &["Args", "Flags"];

/// Words that end as participles do and are not participles.
#[rustfmt::skip]
const NO_PARTICIPLES: &[&str] = &[
    "bed", "bleed", "breed", "deed", "feed", "heed", "need", "red", "seed", "shed", "speed", "weed",
    "embed", "exceed", "proceed", "succeed",
    // Nouns, those of commerce as well: a `Finding`, a `Posting`.
    "everything", "finding", "heading", "mapping", "nothing", "onboarding", "posting", "ring", "setting", "something", "string",
    "thing", "tracking",
    // Verbs.
    "bring", "ping", "sing", "swing",
];

/// Demanded by traits of other crates.
const NOT_OURS: &[&str] = &["elapsed", "expecting"];

/// Those that do not end in -ed, but for the ones that are the plain verb as well (`read`, `run`, `set`, `put`, `split`).
#[rustfmt::skip]
const IRREGULAR: &[&str] = &[
    "begun", "bent", "bitten", "blown", "borne", "bought", "bound", "broken", "brought", "built", "caught", "chosen", "dealt", "done",
    "drawn", "driven", "fallen", "felt", "forbidden", "forgotten", "found", "frozen", "given", "gone", "grown", "had", "heard", "held",
    "hidden", "hung", "kept", "known", "laid", "led", "left", "lent", "lost", "made", "meant", "met", "overridden", "paid", "risen",
    "said", "seen", "sent", "shaken", "shown", "sold", "sought", "spent", "spoken", "stolen", "struck", "stuck", "sworn",
    "taken", "taught", "thought", "thrown", "told", "torn", "understood", "withdrawn", "won", "woken", "written",
];

pub fn check(workspace: &Workspace) -> Result<()> {
    let files = files(workspace)?;
    let mut crates: BTreeMap<&str, Vec<&File>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        crates.entry(crate_folder(&files, &file.path)).or_default().push(file);
    }
    let mut faults = Vec::new();
    let mut debts: BTreeMap<(&str, &str), usize> =
        DEBTS.iter().map(|(rule, name, count)| ((*rule, *name), *count)).collect();
    for (name, files) in &crates {
        for (rule, find) in RULES {
            let found = find(files);
            let debt = debts.remove(&(*rule, *name)).unwrap_or(0);
            if found.len() > debt {
                faults.push(format!("{name}: {rule}: {} faults, {debt} are known:", found.len()));
                faults.extend(found);
            } else if found.len() < debt {
                faults.push(format!("{name}: {rule}: {} faults, not {debt}: lower the debt", found.len()));
            }
        }
    }
    faults.extend(debts.keys().map(|(rule, name)| format!("{name}: {rule}: a debt of a crate that is gone")));
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

/// The folder of the package that a file is part of.
fn crate_folder<'f>(files: &'f [File], path: &str) -> &'f str {
    let folders = files.iter().filter_map(|file| file.path.strip_suffix("/Cargo.toml"));
    let around = folders.filter(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')));
    around.max_by_key(|folder| folder.len()).unwrap_or("")
}

/// A second public type of one name.
fn types(files: &[&File]) -> Vec<String> {
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    let mut faults = Vec::new();
    let tests = |path: &str| path.ends_with("/tests.rs") || path.split('/').any(|folder| folder == "tests");
    for file in files.iter().filter(|file| !tests(&file.path)) {
        for (index, line) in code(&file.text).lines().enumerate() {
            let Some(name) = public_type(line).filter(|name| !ONE_PER_VERB.contains(name)) else { continue };
            let place = format!("{}:{}", file.path, index + 1);
            match first.get(name) {
                Some(before) => faults.push(format!("{place}: `{name}` is the name of {before} already")),
                None => {
                    first.insert(name.to_owned(), place);
                }
            }
        }
    }
    faults
}

fn public_type(line: &str) -> Option<&str> {
    let item = line.trim_start().strip_prefix("pub ")?;
    let item = item.strip_prefix("unsafe ").unwrap_or(item);
    let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
    let name = kinds.into_iter().find_map(|kind| item.strip_prefix(kind))?;
    first_word(name)
}

/// Functions whose name is only a participle.
fn participles(files: &[&File]) -> Vec<String> {
    let mut faults = Vec::new();
    for file in files {
        let lines: Vec<&str> =
            file.text.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code)).collect();
        for (index, line) in lines.iter().enumerate() {
            let Some(name) = function(line).filter(|name| is_participle(name)) else { continue };
            if !NOT_OURS.contains(&name) && !gives_back_self(&lines[index..]) {
                faults.push(format!("{}:{}: `{name}` says neither effect nor object", file.path, index + 1));
            }
        }
    }
    faults
}

/// The name of the function that a line declares.
fn function(line: &str) -> Option<&str> {
    let (before, name) = line.split_once("fn ")?;
    let qualifies = |word: &str| {
        word.starts_with("pub") || word == "\"C\"" || ["const", "async", "unsafe", "extern"].contains(&word)
    };
    // `pub(in crate::path)` has a blank in it.
    let before = before.replace("(in ", "(");
    before.split_whitespace().all(qualifies).then(|| first_word(name)).flatten()
}

fn first_word(text: &str) -> Option<&str> {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
    text.get(..end).filter(|word| !word.is_empty())
}

fn is_participle(name: &str) -> bool {
    let regular = name.ends_with("ed") || name.ends_with("ing");
    let irregular =
        ["", "un", "re"].iter().filter_map(|prefix| name.strip_prefix(prefix)).any(|stem| IRREGULAR.contains(&stem));
    !name.contains('_') && (irregular || regular && !NO_PARTICIPLES.contains(&name))
}

/// A step of a builder: it takes itself and gives itself back, and reads as the property it sets (`select(..).locked()`).
fn gives_back_self(lines: &[&str]) -> bool {
    let mut signature = String::new();
    for line in lines {
        signature.push_str(line.trim());
        if line.contains('{') || line.contains(';') {
            break;
        }
    }
    let Some((_, arguments)) = signature.split_once('(') else { return false };
    let by_value = arguments.starts_with("self") || arguments.starts_with("mut self");
    by_value && signature.contains("-> Self ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(rule: fn(&[&File]) -> Vec<String>, texts: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> =
            texts.iter().map(|(path, text)| File { path: (*path).to_owned(), text: (*text).to_owned() }).collect();
        rule(&files.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_second_public_type_of_one_name_is_found_with_both_places() {
        let found = find(types, &[("a.rs", "//! A.\npub struct Entry {\n"), ("b/c.rs", "pub enum Entry<'a> {\n")]);
        assert_eq!(found, ["b/c.rs:1: `Entry` is the name of a.rs:2 already"]);
        for kind in ["struct", "enum", "trait", "type", "union", "unsafe trait"] {
            let second = format!("mod inner {{\n    pub {kind} Entry\n");
            assert_eq!(find(types, &[("a.rs", "pub struct Entry;\n"), ("b.rs", &second)]).len(), 1, "{kind}");
        }
    }

    #[test]
    fn types_that_are_not_public_or_of_tests_or_one_per_verb_may_share_a_name() {
        for (path, text) in [
            ("b.rs", "struct Entry;\n"),
            ("b.rs", "pub(crate) struct Entry;\n"),
            ("b.rs", "pub(super) struct Entry;\n"),
            ("b.rs", "pub struct EntryOfOther;\n"),
            ("b.rs", "// pub struct Entry;\n"),
            ("b.rs", "#[cfg(test)]\nmod tests {\n    pub struct Entry;\n}\n"),
            ("b/tests/c.rs", "pub struct Entry;\n"),
            ("b/tests.rs", "pub struct Entry;\n"),
        ] {
            assert_eq!(find(types, &[("a.rs", "pub struct Entry;\n"), (path, text)]), [""; 0], "{path}: {text}");
        }
        assert_eq!(find(types, &[("a.rs", "pub struct Args {\n"), ("b.rs", "pub struct Args {\n")]), [""; 0]);
    }

    #[test]
    fn a_function_that_is_named_by_a_participle_is_found() {
        for name in [
            "told",
            "shown",
            "known",
            "standing",
            "held",
            "found",
            "given",
            "rewritten",
            "unknown",
            "created",
            "resolved",
            "listed",
        ] {
            for before in
                ["", "    pub ", "pub(crate) ", "pub(in crate::a) async ", "const ", "pub unsafe extern \"C\" "]
            {
                let text = format!("//! A.\n{before}fn {name}<T>(&self) -> T {{\n");
                let expected = format!("a.rs:2: `{name}` says neither effect nor object");
                assert_eq!(find(participles, &[("a.rs", &text)]), [expected], "{text}");
            }
        }
        // A function that takes itself and returns another type, or borrows itself, is not a step of a builder.
        for text in ["fn locked(self) -> Rows {\n", "fn locked(&self) -> Self {\n", "fn locked(rows: Self) -> Self {\n"]
        {
            assert_eq!(find(participles, &[("a.rs", text)]).len(), 1, "{text}");
        }
    }

    #[test]
    fn verbs_and_steps_of_builders_are_good_names() {
        for text in [
            "fn read(&self) {\n",
            "fn run() {\n",
            "fn need(&self) {\n",
            "fn exceed(&self) {\n",
            "fn string(&self) {\n",
            "fn find_by_name(&self) {\n",
            "fn refuse_changed(&self) {\n",
            "fn elapsed(&self) -> u64 {\n",
            "// fn told() {\n",
            "let of: fn told;\n",
            "pub fn locked(mut self) -> Self {\n",
            "pub fn changed(\n    mut self,\n    members: &[&str],\n) -> Self {\n",
        ] {
            assert_eq!(find(participles, &[("a.rs", text)]), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_file_is_part_of_the_innermost_package_around_it() {
        let files = ["tests/Cargo.toml", "tests/guests/a/Cargo.toml", "test/Cargo.toml"];
        let files = files.map(|path| File { path: path.to_owned(), text: String::new() });
        assert_eq!(crate_folder(&files, "tests/suite/a.rs"), "tests");
        assert_eq!(crate_folder(&files, "tests/guests/a/src/lib.rs"), "tests/guests/a");
    }
}
