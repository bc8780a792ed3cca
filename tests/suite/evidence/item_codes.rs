//! Reasons in `errors`: each is declared, has a sentence, and is in the contract and in the reference.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value as Json;
use stoa_tests::{Database, host, on_one_database};

use super::contract::contract_of_modules;

stoa_tests::tests![each_reason_has_a_sentence, the_enum_is_the_union, reasons_in_sources_are_declared];

// Checked before a request reaches the database, or independent of it.
on_one_database![the_reference_explains_each_reason];

/// Codes that every module may answer besides those of problems.
const SHARED: &[&str] = &[
    "REQUIRED",
    "TYPE",
    "FORMAT",
    "RANGE",
    "TOO_MANY",
    "TOO_FEW",
    "REPEATED",
    "NOT_ALLOWED",
    "DATE_IN_FUTURE",
    "QUANTITY_SCALE",
    "FINER_THAN_COIN",
    "CARD_NUMBER_REFUSED",
];

/// Functions whose texts of upper-case words are codes of items.
const CALLS: &[&str] =
    &["illegal(", "unusable(", "item(", "refuse_while(", "faults(", "refused(", "unit_count_mismatch("];

/// Every operation's reasons, and the sentence of each.
fn reasons() -> Vec<(&'static str, &'static str, &'static str)> {
    let paths = contract_of_modules()["paths"].as_object().into_iter().flatten();
    let operations = paths.flat_map(|(_, methods)| methods.as_object().into_iter().flatten().map(|(_, one)| one));
    let reasons = operations.flat_map(|operation| {
        let name = operation["operationId"].as_str().unwrap_or_default();
        let listed = operation["x-stoa-item-codes"].as_object().into_iter().flatten();
        listed.map(move |(code, sentence)| (name, code.as_str(), sentence.as_str().unwrap_or_default()))
    });
    reasons.collect()
}

/// The values of an enum of the contract.
fn values(schema: &str) -> BTreeSet<&'static str> {
    let listed = contract_of_modules()["components"]["schemas"][schema]["enum"].as_array();
    listed.into_iter().flatten().filter_map(Json::as_str).collect()
}

fn each_reason_has_a_sentence() {
    let reasons = reasons();
    assert!(reasons.len() > 100, "{} reasons", reasons.len());
    let bare: Vec<_> = reasons.iter().filter(|(_, _, sentence)| !sentence.ends_with('.')).collect();
    assert!(bare.is_empty(), "{bare:?}");
}

fn the_enum_is_the_union() {
    let listed = reasons().into_iter().map(|(_, code, _)| code);
    let all: BTreeSet<&str> = listed.chain(SHARED.iter().copied()).chain(values("ProblemCode")).collect();
    // The left ones are declared and no operation lists them; the right ones are listed and missing in the enum.
    let declared = values("ItemCode");
    let (unlisted, missing): (Vec<_>, Vec<_>) =
        (declared.difference(&all).collect(), all.difference(&declared).collect());
    assert!(unlisted.is_empty() && missing.is_empty(), "no operation lists {unlisted:?}, the enum lacks {missing:?}");
}

fn the_reference_explains_each_reason(database: Database) {
    let bytes = host::shared(database).get("/v1/docs/reference.json").is(200).bytes;
    let shown: Json = serde_json::from_slice(&bytes).expect("JSON");
    let text = shown["info"]["description"].as_str().unwrap_or_default();
    let sections: BTreeSet<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let missing: Vec<&str> = values("ItemCode").into_iter().filter(|code| !sections.contains(code)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Modules without codes of their own are left out.
fn reasons_in_sources_are_declared() {
    let common: BTreeSet<&str> = SHARED.iter().copied().chain(values("ProblemCode")).collect();
    let folders = std::fs::read_dir(host::workspace().join("components")).expect("the folder").flatten();
    let (mut undeclared, mut modules) = (BTreeSet::new(), 0);
    for folder in folders.map(|entry| entry.path().join("src")) {
        let declared = std::fs::read_to_string(folder.join("item_codes.rs")).unwrap_or_default();
        let declared: BTreeSet<&str> = declared.split(|letter: char| !is_of_code(letter)).collect();
        if !declared.contains("ITEM_CODES") || declared.iter().filter(|word| word.len() > 3).count() < 2 {
            continue;
        }
        modules += 1;
        let mut stated = BTreeSet::new();
        collect_codes(&folder, &mut stated);
        let unknown = |code: &&String| !common.contains(code.as_str()) && !declared.contains(code.as_str());
        undeclared.extend(stated.iter().filter(unknown).map(|code| format!("{}: {code}", folder.display())));
    }
    assert!(modules > 1 && undeclared.is_empty(), "{modules} modules, undeclared: {undeclared:#?}");
}

/// The codes of items that the sources of a folder state.
fn collect_codes(folder: &Path, codes: &mut BTreeSet<String>) {
    for path in std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()) {
        if path.is_dir() && !path.ends_with("tests") {
            collect_codes(&path, codes);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let source = std::fs::read_to_string(&path).expect("a source");
            let (code, _) = source.split_once("#[cfg(test)]").unwrap_or((source.as_str(), ""));
            for call in CALLS {
                let arguments = code.split(call).skip(1).map(first_arguments);
                let texts = arguments.flat_map(|arguments| arguments.split('"').skip(1).step_by(2));
                codes.extend(texts.filter(|text| text.len() > 3 && text.chars().all(is_of_code)).map(str::to_owned));
            }
        }
    }
}

fn is_of_code(letter: char) -> bool {
    letter.is_ascii_uppercase() || letter == '_'
}

/// The text up to the parenthesis that closes the call. Texts of these sources hold no quotes, and their parentheses are pairs.
fn first_arguments(rest: &str) -> &str {
    let mut depth = 1;
    let end = rest.find(|letter: char| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth == 0
    });
    rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
}
