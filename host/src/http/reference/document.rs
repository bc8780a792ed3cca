//! The document that the reference shows: the contract, with the pages of the guide in its description, and among them every
//! refusal and what to do about it. The contract itself stays as lean as generators need it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use stoa_descriptor::ProblemCode;

use crate::problem;

/// The pages, in the order of reading. They are texts for integrators, and may speak of what modules do.
const PAGES: &[&str] = &[
    include_str!("../../../../docs/guide/first-call.md"),
    include_str!("../../../../docs/guide/keys.md"),
    include_str!("../../../../docs/guide/idempotency.md"),
    include_str!("../../../../docs/guide/errors.md"),
    include_str!("../../../../docs/guide/paging.md"),
    include_str!("../../../../docs/guide/money-and-time.md"),
    include_str!("../../../../docs/guide/limits.md"),
    include_str!("../../../../docs/guide/webhooks.md"),
];

/// The section of remedies, in whose place the chapters of codes come. The renderer's search covers the titles of
/// chapters and of their sections, and nothing deeper: each code is a section.
const REMEDIES: &str = "## What to do\n\n| code | what to do |\n|---|---|\n";

const REASONS: &str = "# Reasons in errors\n\nAn entry of `errors` has one of these codes or an error code. An operation lists those \
    that are its own.\n";

/// In the examples of writes; `page.js` sends a key of its own in its place.
const EXAMPLE_KEY: &str = "5f0c3c1e-6a53-4b2e-9d57-0f4d8f2b9a10";

/// The document, from a contract and the codes that its modules add. A contract that cannot be read is shown as it is.
pub fn compose<'a>(contract: &[u8], added: impl Iterator<Item = &'a ProblemCode>) -> Vec<u8> {
    let amended = serde_json::from_slice(contract).and_then(|mut document: Value| {
        let stated = document.pointer("/info/description").and_then(Value::as_str).unwrap_or_default();
        let (first, rest) = stated.split_once("\n\n").unwrap_or((stated, ""));
        let description = format!("{first}\n\n{}\n# Schemas\n\n{rest}", guide(&refusals(added), &reasons(&document)));
        if let Some(stated) = document.pointer_mut("/info/description") {
            *stated = description.into();
        }
        for name in ["IdempotencyKey", "OptionalIdempotencyKey"] {
            if let Some(parameter) = document.pointer_mut(&format!("/components/parameters/{name}")) {
                parameter["example"] = json!(EXAMPLE_KEY);
            }
        }
        // The renderer hides operations with this member, which is for generators.
        let webhooks =
            document.get_mut("webhooks").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut);
        for sent in webhooks.filter_map(|webhook| webhook.get_mut("post")).filter_map(Value::as_object_mut) {
            sent.shift_remove("x-internal");
        }
        serde_json::to_vec(&document)
    });
    amended.unwrap_or_else(|error| {
        tracing::error!(%error, "the contract cannot be read");
        contract.to_vec()
    })
}

/// Every code by its status, with what it means.
fn refusals<'a>(added: impl Iterator<Item = &'a ProblemCode>) -> BTreeMap<u16, Vec<(&'a str, &'a str)>> {
    let host_codes =
        problem::CODES.iter().map(|(code, status, detail)| -> (&'a str, u16, &'a str) { (code, *status, detail) });
    let all = host_codes.chain(added.map(|added| (added.code.as_str(), added.status, added.detail.as_str())));
    let mut by_status: BTreeMap<u16, Vec<(&str, &str)>> = BTreeMap::new();
    for (code, status, detail) in all {
        let same = by_status.entry(status).or_default();
        if !same.iter().any(|(known, _)| *known == code) {
            same.push((code, detail));
        }
    }
    by_status
}

/// Every code of an item and what it says, as the contract lists them; problem codes are among them.
fn reasons(contract: &Value) -> Vec<(&str, &str)> {
    let texts = |member: &str| {
        let listed = contract.pointer(&format!("/components/schemas/ItemCode/{member}")).and_then(Value::as_array);
        listed.into_iter().flatten().filter_map(Value::as_str)
    };
    texts("enum").zip(texts("x-enum-descriptions")).collect()
}

fn guide(refusals: &BTreeMap<u16, Vec<(&str, &str)>>, reasons: &[(&str, &str)]) -> String {
    let pages = PAGES.iter().map(|page| match page.split_once(REMEDIES) {
        Some((text, remedies)) => {
            format!("{text}{}\n{}", list_refusals(refusals, remedies), list_reasons(reasons, refusals))
        }
        None => (*page).to_owned(),
    });
    pages.collect::<Vec<_>>().join("\n")
}

/// The chapter of the codes of items that are not problem codes.
fn list_reasons(reasons: &[(&str, &str)], refusals: &BTreeMap<u16, Vec<(&str, &str)>>) -> String {
    let is_problem = |code: &str| refusals.values().flatten().any(|(known, _)| *known == code);
    let mut text = REASONS.to_owned();
    for (code, sentence) in reasons.iter().filter(|(code, _)| !is_problem(code)) {
        text.push_str(&format!("\n## {code}\n\n{sentence}\n"));
    }
    text
}

/// The chapter of the refusals, each with its remedy. A code that is not in the guide is one of a module that came later.
fn list_refusals(refusals: &BTreeMap<u16, Vec<(&str, &str)>>, remedies: &str) -> String {
    let remedy = |code: &str| {
        let row = format!("| `{code}` | ");
        remedies.lines().find_map(|line| line.strip_prefix(&row)?.strip_suffix(" |"))
    };
    let mut text = "# Error codes\n\nEach code with its status, what it means and what to do.\n".to_owned();
    for (status, codes) in refusals {
        let phrase = http::StatusCode::from_u16(*status).ok().and_then(|status| status.canonical_reason());
        let phrase = phrase.unwrap_or_default();
        for (code, detail) in codes {
            let remedy = remedy(code).map(|remedy| format!(" *{remedy}*")).unwrap_or_default();
            text.push_str(&format!("\n## {code}\n\n**{status} {phrase}.** {detail}{remedy}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of_module(code: &str, status: u16) -> ProblemCode {
        ProblemCode { code: code.into(), status, detail: "What it means.".into() }
    }

    fn description(added: &[ProblemCode]) -> String {
        let item_code = json!({
            "enum": ["REQUIRED", "DUPLICATE", "NEWLY_FULL"],
            "x-enum-descriptions": ["The member is missing.", "A record exists.", "It is full."],
        });
        let components = json!({"parameters": {}, "schemas": {"ItemCode": item_code}});
        let contract =
            json!({"info": {"description": "What it is.\n\nIts schemas."}, "components": components}).to_string();
        let document: Value = serde_json::from_slice(&compose(contract.as_bytes(), added.iter())).unwrap();
        document["info"]["description"].as_str().unwrap().to_owned()
    }

    #[test]
    fn guide_stands_in_what_the_contract_says_of_itself() {
        let text = description(&[]);
        assert!(text.starts_with("What it is.\n\n# First call"), "{}", text.get(..40).unwrap_or_default());
        assert!(text.ends_with("\n# Schemas\n\nIts schemas."));
        assert_eq!(text.lines().filter(|line| line.starts_with("# ")).count(), PAGES.len() + 3);
    }

    #[test]
    fn each_refusal_is_reported_with_its_remedy() {
        let text = description(&[code_of_module("NEWLY_MADE", 418)]);
        for (code, _, detail) in problem::CODES {
            let section = text.split("\n## ").find_map(|section| section.strip_prefix(&format!("{code}\n\n**")));
            let line = section.and_then(|section| section.lines().next()).unwrap_or_default();
            assert!(line.contains(&format!(".** {detail} *")) && line.ends_with(".*"), "{code}: {line}");
        }
        assert!(text.contains("\n## NEWLY_MADE\n\n**418 I'm a teapot.** What it means.\n"));
        assert!(!text.contains(REMEDIES));
    }

    #[test]
    fn each_reason_is_a_section_once() {
        let text = description(&[]);
        let (_, chapter) = text.split_once("\n# Reasons in errors\n").unwrap();
        let (chapter, _) = chapter.split_once("\n# ").unwrap();
        assert!(chapter.contains("\n## REQUIRED\n\nThe member is missing.\n"));
        assert!(chapter.contains("\n## NEWLY_FULL\n\nIt is full.\n"));
        assert!(!chapter.contains("DUPLICATE"), "a problem code is among the error codes");
    }

    #[test]
    fn examples_of_writes_carry_a_key_that_the_page_replaces() {
        let contract =
            json!({"info": {}, "components": {"parameters": {"IdempotencyKey": {"name": "Idempotency-Key"}}}});
        let document: Value =
            serde_json::from_slice(&compose(contract.to_string().as_bytes(), std::iter::empty())).unwrap();
        assert_eq!(document["components"]["parameters"]["IdempotencyKey"]["example"], EXAMPLE_KEY);
        assert!(document["components"]["parameters"].get("OptionalIdempotencyKey").is_none());
        assert!(include_str!("page.js").contains(EXAMPLE_KEY));
    }

    #[test]
    fn what_cannot_be_read_is_shown_as_it_is() {
        assert_eq!(compose(b"no json", std::iter::empty()), b"no json");
    }
}
