//! The texts of the contract and of `--help`, as files that a reviewer and `cargo xtask check words` read.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

use serde_json::Value as Json;
use stoa_tests::host;
use stoa_tests::reviewed::reviewed;

use super::contract::contract_of_modules;

stoa_tests::tests![contract_texts_are_reviewed, help_is_reviewed];

/// One paragraph a line, each once.
fn contract_texts_are_reviewed() {
    let mut texts = BTreeSet::new();
    collect_texts(contract_of_modules(), &mut texts);
    assert!(texts.len() > 1_000, "{} texts", texts.len());
    reviewed("words.txt", &(texts.into_iter().collect::<Vec<_>>().join("\n") + "\n"));
}

fn collect_texts(value: &Json, texts: &mut BTreeSet<String>) {
    let paragraphs = |text: &str| text.split("\n\n").map(|one| one.replace('\n', " ")).collect::<Vec<_>>();
    match value {
        Json::Object(members) => {
            for (name, value) in members {
                match (name.as_str(), value) {
                    ("description" | "summary" | "title", Json::String(text)) => texts.extend(paragraphs(text)),
                    ("x-enum-descriptions", Json::Array(all)) => {
                        texts.extend(all.iter().filter_map(Json::as_str).flat_map(paragraphs));
                    }
                    ("example" | "examples", _) => {}
                    _ => collect_texts(value, texts),
                }
            }
        }
        Json::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        _ => {}
    }
}

/// Every verb, with an example of each that runs something.
fn help_is_reviewed() {
    let (mut open, mut text) = (vec![String::new()], String::new());
    while let Some(verb) = open.pop() {
        let help = print_help(&verb);
        let verbs: Vec<&str> = find_verbs(&help);
        assert!(!verbs.is_empty() || help.contains("Example: stoa"), "`stoa{verb} --help` has no example");
        open.extend(verbs.iter().rev().map(|name| format!("{verb} {name}")));
        let _ = write!(text, "$ stoa{verb} --help\n{help}\n");
    }
    reviewed("help.txt", &text);
}

fn print_help(verb: &str) -> String {
    let output = Command::new(host::binary())
        .args(verb.split_whitespace())
        .arg("--help")
        .env_clear()
        .output()
        .expect("cannot run the binary");
    assert!(output.status.success(), "stoa{verb} --help: {}", String::from_utf8_lossy(&output.stderr));
    let help = String::from_utf8(output.stdout).expect("help is UTF-8");
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

/// The names below `Commands:`, without `help`.
fn find_verbs(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect()
}
