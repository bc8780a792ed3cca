//! Search aliases of a variant: other words for it, kept as people would read them and compared as they would look them up.

use std::collections::BTreeSet;

use stoa_sdk::{Bounds, Item, item};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Characters of an alias at most, after normalization.
const LENGTH: i64 = 80;

/// The aliases as they are kept: NFKC, trimmed, inner spaces folded to one.
///
/// # Errors
/// An item for each alias that is too long or empty after that, or that equals an earlier one but for case and accents.
pub fn normalize<'a>(aliases: impl IntoIterator<Item = &'a str>, pointer: &str) -> Result<Vec<String>, Vec<Item>> {
    let mut faults = Vec::new();
    let mut keys = BTreeSet::new();
    let mut kept = Vec::new();
    for (index, alias) in aliases.into_iter().enumerate() {
        let alias = fold_spaces(&alias.nfkc().collect::<String>());
        if alias.is_empty() || alias.chars().nth(LENGTH as usize).is_some() {
            let length = Bounds::between(1_i64, LENGTH).of_counted("CHARACTERS");
            faults.push(item(format!("{pointer}/{index}"), "RANGE").with_bounds(length));
        } else if !keys.insert(key(&alias)) {
            faults.push(item(format!("{pointer}/{index}"), "REPEATED"));
        }
        kept.push(alias);
    }
    if faults.is_empty() { Ok(kept) } else { Err(faults) }
}

fn fold_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Two aliases are the same where their keys are: case folded, marks removed.
fn key(alias: &str) -> String {
    let lower: String = alias.nfkd().filter(|part| !is_combining_mark(*part)).flat_map(char::to_lowercase).collect();
    // Letters that lower-casing leaves apart: sharp s and final sigma; marks that lower-casing brings (İ) go too.
    lower.replace('ß', "ss").replace('ς', "σ").nfkd().filter(|part| !is_combining_mark(*part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(aliases: &[&str]) -> Vec<(String, String)> {
        let faults = normalize(aliases.iter().copied(), "/searchAliases").err().unwrap_or_default();
        faults.into_iter().map(|item| (item.pointer, item.code)).collect()
    }

    #[test]
    fn kept_in_nfkc_with_single_spaces() {
        assert_eq!(normalize([" ｉＰｈｏｎｅ   15\u{a0}Pro ", "ﬁne"], "").unwrap(), ["iPhone 15 Pro", "fine"]);
    }

    #[test]
    fn case_and_accents_do_not_tell_two_apart() {
        for pair in [["É", "e"], ["Straße", "STRASSE"], ["ΣΑΣ", "σας"], ["İ", "i"], ["a  b", "A b"], ["①", "1"]]
        {
            assert_eq!(faults(&pair), [("/searchAliases/1".to_owned(), "REPEATED".to_owned())], "{pair:?}");
        }
        assert!(faults(&["e", "f"]).is_empty());
    }

    #[test]
    fn bounds_hold_after_normalization() {
        // The ligature is one character as sent and three as kept.
        let long = "ﬃ".repeat(27);
        assert_eq!(faults(&[&long]), [("/searchAliases/0".to_owned(), "RANGE".to_owned())]);
        assert!(faults(&["a".repeat(80).as_str()]).is_empty());
        assert_eq!(faults(&["\u{a0}"]).len(), 1);
    }
}
