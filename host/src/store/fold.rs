//! Search text: a group's columns in lower case, separated by U+001F, so that one containment test finds a text in any of
//! them. Folded here and not by the databases, because those disagree about letters beyond ASCII.

/// Between the fields of a group.
pub const PART: char = '\u{1f}';

/// One field, folded. The separator itself becomes a space.
pub fn fold(text: &str) -> String {
    text.to_lowercase().replace(PART, " ")
}

/// The field at `at` (from zero) of a group's text; empty where there is none.
pub fn part(group: &str, index: usize) -> &str {
    group.split(PART).nth(index).unwrap_or("")
}
