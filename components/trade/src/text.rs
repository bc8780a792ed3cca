//! Texts that modules share: one line and many lines of prose, and how codes are compared.

use schemars::{Schema, json_schema};
use serde::{Deserialize, Serialize};

/// No control characters, as ranges: generators of texts do not draw from the class `\P{Cc}`.
const LINE: &str = "^[^\\x00-\\x1f\\x7f-\\x9f]*$";
/// No control characters but line feed and tab.
const PROSE: &str = "^[^\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]*$";

/// One line of `MIN` to `MAX` characters (Unicode scalar values), trimmed by the host before it counts them: names, labels,
/// references. Control characters are refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Line<const MIN: usize, const MAX: usize>(pub String);

/// As [`Line`], but with line feeds and tabs: notes and reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Prose<const MIN: usize, const MAX: usize>(pub String);

/// How a code or number is compared: ignoring case. Codes are ASCII.
pub fn key(code: &str) -> String {
    code.to_ascii_lowercase()
}

/// A code or number as a replacement leaves it: in another case it is the same one and stays as it was typed first.
/// None: the body does not state it.
pub fn restate_code(before: &str, stated: Option<String>) -> String {
    stated.filter(|stated| key(stated) != key(before)).unwrap_or_else(|| before.to_owned())
}

fn schema(pattern: &str, least: usize, most: usize) -> Schema {
    let mut schema = json_schema!({ "type": "string", "pattern": pattern, "maxLength": most, "x-normalize": ["trim"] });
    if least > 0 {
        schema.insert("minLength".to_owned(), least.into());
    }
    schema
}

stoa_sdk::inline_schema!([const MIN: usize, const MAX: usize] Line<MIN, MAX>, |_| schema(LINE, MIN, MAX));

stoa_sdk::inline_schema!([const MIN: usize, const MAX: usize] Prose<MIN, MAX>, |_| schema(PROSE, MIN, MAX));

stoa_sdk::plain_text!([const MIN: usize, const MAX: usize] Line<MIN, MAX>);

stoa_sdk::plain_text!([const MIN: usize, const MAX: usize] Prose<MIN, MAX>);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::judge::admits;

    #[test]
    fn lines_have_no_control_characters_and_prose_has_two() {
        for (text, is_line, is_prose) in [
            ("Müller & Söhne", true, true),
            ("日本語 👍", true, true),
            ("two\nlines", false, true),
            ("a\tb", false, true),
            ("a\r\nb", false, false),
            ("nul\0", false, false),
            ("\u{85}", false, false),
            ("", false, true),
            ("12345678901234567890x", false, false),
        ] {
            assert_eq!(admits::<Line<1, 20>>(&json!(text)), is_line, "{text:?}");
            assert_eq!(admits::<Prose<0, 20>>(&json!(text)), is_prose, "{text:?}");
        }
    }

    #[test]
    fn keys_ignore_case() {
        assert_eq!(key("SO-000001a"), key("so-000001A"));
    }

    #[test]
    fn a_code_in_another_case_stays_as_it_was_typed_first() {
        for (stated, expected) in [(None, "So-1"), (Some("SO-1"), "So-1"), (Some("so-2"), "so-2")] {
            assert_eq!(restate_code("So-1", stated.map(str::to_owned)), expected);
        }
    }
}
