//! Numbers of documents: typed ones are kept as typed, generated ones are a prefix and the next figure of the entity. Both are
//! unique in the entity and kind, ignoring case.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{number, run};
use stoa_sdk::{Id, Problem, text};

/// How often a generated number may meet one that a person typed before.
const TRIES: usize = 16;

/// A number as a body states it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct DocumentNumber(#[schemars(regex(pattern = text::ANY_CASE_CODE), length(min = 1, max = 64))] pub String);

/// How a number is compared.
pub fn key(number: &str) -> String {
    number.to_ascii_lowercase()
}

/// Gives a document its number: the stated one, or the next free ones of the entity until `insert` says that the row went in.
///
/// # Errors
/// DUPLICATE at `/number`, and what `insert` answers.
pub fn give(
    prefix: &str,
    entity: Id,
    stated: Option<DocumentNumber>,
    mut insert: impl FnMut(&str) -> Result<bool, Problem>,
) -> Result<String, Problem> {
    let sequence = format!("{prefix}:{entity}");
    if let Some(DocumentNumber(stated)) = stated {
        if !insert(&stated)? {
            return Err(Problem::duplicate("/number"));
        }
        // Generated numbers go on after a typed one of their own form.
        if let Some(figure) = figure(prefix, &stated) {
            run(number(&sequence, Some(figure.saturating_sub(1))))?;
        }
        return Ok(stated);
    }
    for _ in 0..TRIES {
        let generated = format!("{prefix}-{:06}", run(number(&sequence, None))?);
        if insert(&generated)? {
            return Ok(generated);
        }
    }
    Err(Problem::at("LIMIT_EXCEEDED", "/number"))
}

/// The figure of a typed number that looks like a generated one. Larger ones than a shop can reach are left alone.
fn figure(prefix: &str, number: &str) -> Option<u64> {
    let (head, digits) = number.split_once('-')?;
    let is_figure = (6..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    (head.eq_ignore_ascii_case(prefix) && is_figure).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_figures_move_the_sequence() {
        for (number, expected) in [
            ("TO-000120", Some(120)),
            ("to-000120", Some(120)),
            ("TO-120", None),
            ("TO-0000000001", None),
            ("PO-000120", None),
            ("TO000120", None),
            ("TO-00012x", None),
        ] {
            assert_eq!(figure("TO", number), expected, "{number}");
        }
    }
}
