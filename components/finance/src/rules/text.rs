//! Texts beside money: none may be shaped like a card number (`sales-pos.md` 11.3).

use stoa_sdk::{Item, Problem, card_number, item};
use stoa_trade::refusal::refuse_invalid;

/// Refuses texts that are shaped like a card number. They are never repeated.
///
/// # Errors
/// VALIDATION_FAILED with CARD_NUMBER_REFUSED at each.
pub fn check_texts(texts: &[(&str, Option<&str>)]) -> Result<(), Problem> {
    let shaped = texts.iter().filter(|(_, text)| text.is_some_and(card_number::is_shaped_like_one));
    refuse_invalid(shaped.map(|(pointer, _)| item(*pointer, "CARD_NUMBER_REFUSED")).collect::<Vec<Item>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f40_card_numbers_are_refused_where_they_stand() {
        let problem = check_texts(&[
            ("/number", Some("INV-1")),
            ("/reference", Some("4111 1111 1111 1111")),
            ("/notes", None),
            ("/reason", Some("4111111111111111")),
        ])
        .unwrap_err();
        let reported: Vec<(&str, &str)> =
            problem.errors.iter().map(|error| (error.pointer.as_str(), error.code.as_str())).collect();
        assert_eq!(reported, [("/reference", "CARD_NUMBER_REFUSED"), ("/reason", "CARD_NUMBER_REFUSED")]);
        assert_eq!(check_texts(&[("/number", Some("123456789012"))]), Ok(()));
    }
}
