//! Comparing an answer with what a fixture expects: exactly, but for what the fixture leaves open.
//!
//! Texts that begin with `$` are words of the fixture: `$any` is whatever is there, `$name` the answer that a step saved under
//! that name, `$name/items/0/id` a part of it by JSON pointer, `$$...` a text that itself begins with `$`.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// Answers by the names that steps gave them.
pub type Saved = BTreeMap<String, Json>;

const ANY: &str = "$any";

/// A value of the fixture with its words replaced by their values.
pub fn substitute(value: &Json, saved: &Saved) -> Result<Json, String> {
    Ok(match value {
        Json::String(text) => word(text, saved)?.unwrap_or_else(|| value.clone()),
        Json::Array(items) => Json::Array(items.iter().map(|item| substitute(item, saved)).collect::<Result<_, _>>()?),
        Json::Object(members) => Json::Object(
            members
                .iter()
                .map(|(name, member)| Ok((name.clone(), substitute(member, saved)?)))
                .collect::<Result<_, String>>()?,
        ),
        plain => plain.clone(),
    })
}

/// The value of a word; `None` where the text is no word.
fn word(text: &str, saved: &Saved) -> Result<Option<Json>, String> {
    let Some(rest) = text.strip_prefix('$') else { return Ok(None) };
    if rest.starts_with('$') {
        return Ok(Some(Json::from(rest)));
    }
    let (name, pointer) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
    let value = saved.get(name).ok_or_else(|| format!("no step before saved `{name}`"))?;
    let part = value.pointer(pointer).ok_or_else(|| format!("what was saved as `{name}` has no `{pointer}`"))?;
    Ok(Some(part.clone()))
}

/// Adds a line for every place where `actual` is not what is expected.
pub fn compare(expected: &Json, actual: &Json, saved: &Saved, pointer: &str, differences: &mut Vec<String>) {
    let position = if pointer.is_empty() { "the answer" } else { pointer };
    match (expected, actual) {
        (Json::String(text), _) if text == ANY => {}
        (Json::String(text), _) if text.starts_with('$') => match word(text, saved) {
            Ok(meant) => plain(&meant.unwrap_or_else(|| expected.clone()), actual, position, differences),
            Err(why) => differences.push(format!("{position}: {why}")),
        },
        (Json::Object(expected), Json::Object(actual)) => {
            for (name, member) in expected {
                match actual.get(name) {
                    Some(found) => compare(member, found, saved, &format!("{pointer}/{name}"), differences),
                    None => differences.push(format!("{pointer}/{name}: expected, but not there")),
                }
            }
            for (name, member) in actual.iter().filter(|(name, _)| !expected.contains_key(*name)) {
                differences.push(format!("{pointer}/{name}: not expected, found {member}"));
            }
        }
        (Json::Array(expected), Json::Array(actual)) => {
            if expected.len() != actual.len() {
                differences.push(format!("{position}: expected {} items, found {}", expected.len(), actual.len()));
            }
            for (index, (item, found)) in expected.iter().zip(actual).enumerate() {
                compare(item, found, saved, &format!("{pointer}/{index}"), differences);
            }
        }
        _ => plain(expected, actual, position, differences),
    }
}

fn plain(expected: &Json, actual: &Json, position: &str, differences: &mut Vec<String>) {
    if expected != actual {
        differences.push(format!("{position}: expected {expected}, found {actual}"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sample_answers() -> Saved {
        Saved::from([("made".to_owned(), json!({ "id": "7", "lines": [{ "n": 1 }] }))])
    }

    fn differences(expected: Json, actual: Json) -> Vec<String> {
        let mut found = Vec::new();
        compare(&expected, &actual, &sample_answers(), "", &mut found);
        found
    }

    #[test]
    fn words_stand_for_what_was_saved() {
        let given = json!({ "id": "$made/id", "all": ["$made/lines/0"], "text": "$$made", "plain": "7" });
        let meant = json!({ "id": "7", "all": [{ "n": 1 }], "text": "$made", "plain": "7" });
        assert_eq!(substitute(&given, &sample_answers()), Ok(meant));
        assert!(substitute(&json!("$other"), &sample_answers()).is_err());
        assert!(substitute(&json!("$made/none"), &sample_answers()).is_err());
    }

    #[test]
    fn whatever_is_not_left_open_is_compared() {
        let actual = json!({ "id": "7", "at": "now", "text": "$x", "lines": [{ "n": 1 }] });
        let expected = json!({ "id": "$made/id", "at": "$any", "text": "$$x", "lines": "$made/lines" });
        assert_eq!(differences(expected, actual.clone()), [""; 0]);
        for (expected, beginning) in [
            (json!({ "id": "8", "at": "$any", "text": "$any", "lines": "$any" }), "/id: expected \"8\""),
            (json!({ "id": "7", "at": "$any", "text": "$any" }), "/lines: not expected"),
            (json!({ "id": "7", "at": "$any", "text": "$any", "lines": "$any", "more": "$any" }), "/more: expected"),
            (json!({ "id": "7", "at": "$any", "text": "$any", "lines": [] }), "/lines: expected 0 items"),
            (json!({ "id": "7", "at": "$any", "text": "$any", "lines": [{ "n": "1" }] }), "/lines/0/n: expected"),
            (json!({ "id": "$gone", "at": "$any", "text": "$any", "lines": "$any" }), "/id: no step"),
            (json!([]), "the answer: expected []"),
        ] {
            let found = differences(expected, actual.clone());
            assert!(found.len() == 1 && found[0].starts_with(beginning), "{beginning}: {found:?}");
        }
    }
}
