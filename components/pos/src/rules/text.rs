//! Texts beside money: none may be shaped like a card number (sales-pos.md 11.3). A text of that shape is never repeated.

use stoa_sdk::{Item, card_number, item};

/// The fault of a text that is shaped like a card number.
pub fn find_card_number(pointer: &str, text: Option<&str>) -> Option<Item> {
    text.filter(|text| card_number::is_shaped_like_one(text)).map(|_| item(pointer, "CARD_NUMBER_REFUSED"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e315_texts_shaped_like_a_card_number_are_faults() {
        for text in [
            "4111111111111111",
            "4111 1111 1111 1112",
            "4111-1111-1111-1111 12/26",
            "3782 822463 10005",
            "\u{FF14}\u{FF11}\u{FF11}\u{FF11} \u{FF11}\u{FF11}\u{FF11}\u{FF11} 1111 1111",
            "4111\u{FF0D}1111\u{FF0D}1111\u{FF0D}1111",
            "4111\u{200B}1111\u{200B}1111\u{200B}1111",
        ] {
            let fault = find_card_number("/reason", Some(text)).unwrap();
            assert_eq!((fault.pointer.as_str(), fault.code.as_str()), ("/reason", "CARD_NUMBER_REFUSED"), "{text}");
        }
        for text in ["**** 4242", "AB-99812", "1234567890123456789012", "2026-11-21 000124", ""] {
            assert!(find_card_number("/reason", Some(text)).is_none(), "{text}");
        }
        assert!(find_card_number("/reason", None).is_none());
    }
}
