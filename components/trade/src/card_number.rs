//! Texts shaped like a card number: no record about money keeps one, and no answer repeats one (sales-pos.md 11.3).

use stoa_sdk::{Item, Problem, item};
use unicode_normalization::UnicodeNormalization;

use crate::refusal::refuse_invalid;

/// The zeros of Unicode's decimal digits; the other nine follow each.
const ZEROS: [u32; 66] = [
    0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6,
    0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40,
    0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x11066, 0x110F0,
    0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50,
    0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950,
    0x1FBF0,
];

/// Zero-width characters, which part no digits.
const INVISIBLE: [char; 6] = ['\u{200B}', '\u{200C}', '\u{200D}', '\u{2060}', '\u{FEFF}', '\u{00AD}'];

/// The groupings in which card numbers are printed.
const PRINTED: [&[usize]; 7] =
    [&[4, 4, 4, 4], &[4, 4, 4, 4, 1], &[4, 4, 4, 4, 2], &[4, 4, 4, 4, 3], &[4, 6, 5], &[4, 6, 4], &[4, 4, 5]];

/// Refuses texts that are shaped like a card number, each stated with its pointer.
///
/// # Errors
/// VALIDATION_FAILED with CARD_NUMBER_REFUSED at each.
pub fn refuse_card_numbers(texts: &[(&str, Option<&str>)]) -> Result<(), Problem> {
    refuse_invalid(texts.iter().filter_map(|(pointer, text)| find_card_number(pointer, *text)).collect())
}

/// The fault of a text that is shaped like a card number, for bodies that gather their faults.
pub fn find_card_number(pointer: &str, text: Option<&str>) -> Option<Item> {
    text.filter(|text| is_card_number(text)).map(|_| item(pointer, "CARD_NUMBER_REFUSED"))
}

/// Returns whether a part of the text (a) is 13 to 19 digits in one group, (b) is grouped as cards are printed, by single spaces,
/// hyphens or points, or (c) is a run of whole groups, joined by at most two of space, `-`, `.`, `/`, `_`, `*`, of 13 to 19
/// digits that pass the Luhn check. Groups of 20 digits and more (bank account keys) and masked forms pass.
fn is_card_number(text: &str) -> bool {
    let groups = groups(text);
    groups.iter().any(|group| (13..=19).contains(&group.digits.len()))
        || (0..groups.len()).any(|start| begins_one(&groups[start..]))
}

/// Digits without anything between them, and the text before them since the group before.
struct Group {
    before: String,
    digits: Vec<u8>,
}

fn groups(text: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let (mut between, mut open) = (String::new(), false);
    for letter in text.nfkc().filter(|letter| !INVISIBLE.contains(letter)) {
        match (digit(letter), groups.last_mut()) {
            (Some(digit), Some(group)) if open => group.digits.push(digit),
            (Some(digit), _) => {
                groups.push(Group { before: std::mem::take(&mut between), digits: vec![digit] });
                open = true;
            }
            (None, _) => {
                between.push(letter);
                open = false;
            }
        }
    }
    groups
}

fn digit(letter: char) -> Option<u8> {
    let code = u32::from(letter);
    let zero = ZEROS.iter().rev().find(|zero| **zero <= code)?;
    u8::try_from(code - zero).ok().filter(|digit| *digit <= 9)
}

/// Returns whether whole groups from the first of these on are shaped like a card number.
fn begins_one(groups: &[Group]) -> bool {
    let mut lengths: Vec<usize> = Vec::new();
    let mut digits: Vec<u8> = Vec::new();
    let mut is_printed = true;
    for (index, group) in groups.iter().enumerate() {
        if index > 0 {
            is_printed &= matches!(group.before.as_str(), " " | "-" | ".");
            let joins = group.before.chars().all(|letter| " -./_*".contains(letter));
            if !joins || group.before.chars().count() > 2 {
                return false;
            }
        }
        lengths.push(group.digits.len());
        digits.extend(&group.digits);
        if is_printed && PRINTED.contains(&lengths.as_slice()) {
            return true;
        }
        match digits.len() {
            0..13 => {}
            13..=19 if passes_luhn(&digits) => return true,
            13..=19 => {}
            _ => return false,
        }
    }
    false
}

fn passes_luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| match (index % 2, u32::from(*digit)) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_card_numbers() {
        for text in [
            "4111111111111111",
            "4111 1111 1111 1111",
            "4111-1111-1111-1112",
            "4111-1111-1111-1111 12/26",
            "paid by 4111.1111.1111.1111 today",
            "3782 822463 10005",
            "4111 1111 1111 1111 123",
            "41 11/11-11 11.11_11*11 11",
            "\u{FF14}\u{FF11}\u{FF11}\u{FF11} 1111 1111 1111",
            "4111\u{FF0D}1111\u{FF0D}1111\u{FF0D}1111",
            "\u{664}\u{661}\u{661}\u{661} 1111 1111 1111",
            "4111\u{200B}111111111111",
            // A bank account's number in fours holds such a group: a text in the form of a card's is rejected.
            "DE89 3704 0044 0532 0130 00",
        ] {
            assert!(is_card_number(text), "{text}");
        }
        for text in [
            "",
            "DE89370400440532013000",
            "**** **** **** 4242",
            "AB-99812",
            "2026-01-31 order 12",
            "123456789012",
            "12345678901234567890",
            "4111 1111, 1111 1111",
        ] {
            assert!(!is_card_number(text), "{text}");
        }
    }
    #[test]
    fn f40_e315_card_numbers_are_refused_where_they_stand() {
        let problem = refuse_card_numbers(&[
            ("/number", Some("INV-1")),
            ("/reference", Some("4111 1111 1111 1111")),
            ("/notes", None),
            ("/reason", Some("4111111111111111")),
        ])
        .unwrap_err();
        let reported: Vec<(&str, &str)> =
            problem.errors.iter().map(|error| (error.pointer.as_str(), error.code.as_str())).collect();
        assert_eq!(reported, [("/reference", "CARD_NUMBER_REFUSED"), ("/reason", "CARD_NUMBER_REFUSED")]);
        assert_eq!(refuse_card_numbers(&[("/number", Some("123456789012"))]), Ok(()));
    }
}
