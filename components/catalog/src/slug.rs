//! Slugs: the readable, unique name of a product in addresses, made from its name where none is stated.

use std::collections::BTreeSet;

use stoa_sdk::store::{Find, find};
use stoa_sdk::{Field, view};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::product::ProductRow;

/// Characters of a slug at most.
pub const LENGTH: usize = 160;
/// Candidates that the first look-up tries, and each later one.
const FIRST: usize = 50;
const NEXT: usize = 1_000;
/// Look-ups for one slug: some 12,000 products of one name.
pub const LOOKUPS: usize = 12;

view! { pub Taken of ProductRow { slug: Option<String> } }

/// The slug of a name: Latin letters lower-cased and freed of their marks, digits, and one hyphen wherever something else
/// stood; `product` where nothing is left.
pub fn of_name(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars().flat_map(char::to_lowercase) {
        match latin(letter) {
            Some(letters) => slug.push_str(letters),
            None => letter.nfkd().for_each(|part| push(&mut slug, part)),
        }
    }
    let slug = cut(slug.trim_end_matches('-'), LENGTH);
    if slug.is_empty() { "product".to_owned() } else { slug.to_owned() }
}

fn push(slug: &mut String, part: char) {
    let part = part.to_ascii_lowercase();
    if part.is_ascii_alphanumeric() {
        slug.push(part);
    } else if !is_combining_mark(part) && !matches!(part, '\'' | '\u{2019}') && !slug.is_empty() && !slug.ends_with('-')
    {
        slug.push('-');
    }
}

/// Letters that do not decompose.
fn latin(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'ı' => "i",
        'þ' => "th",
        _ => return None,
    })
}

/// At most `length` characters (a slug is ASCII), cut at a hyphen where there is one.
fn cut(slug: &str, length: usize) -> &str {
    let Some(head) = slug.get(..length).filter(|_| slug.len() > length) else { return slug };
    if slug.as_bytes().get(length) == Some(&b'-') {
        return head;
    }
    match head.rfind('-') {
        Some(at) => head.get(..at).unwrap_or(head),
        None => head,
    }
}

/// The candidates of one look-up, in order: the stem, then `-2`, `-3` and so on, the stem cut so that the whole fits.
pub fn candidates(stem: &str, lookup: usize) -> Vec<String> {
    let (from, to) = match lookup {
        0 => (1, FIRST + 1),
        later => (FIRST + 1 + (later - 1) * NEXT, FIRST + 1 + later * NEXT),
    };
    (from..to).map(|number| numbered(stem, number)).collect()
}

fn numbered(stem: &str, number: usize) -> String {
    if number == 1 {
        return stem.to_owned();
    }
    let suffix = format!("-{number}");
    let head = stem.get(..LENGTH - suffix.len()).unwrap_or(stem).trim_end_matches('-');
    format!("{head}{suffix}")
}

/// The batch that finds which of the candidates are taken, by archived products too.
pub fn taken(candidates: &[String]) -> Find<Taken> {
    find("slug", candidates.iter().map(|slug| vec![slug.put()]))
}

/// The candidates that are not taken, in order.
pub fn free(mut candidates: Vec<String>, taken: &[Taken]) -> Vec<String> {
    let taken: BTreeSet<&str> = taken.iter().filter_map(|row| row.slug.as_deref()).collect();
    candidates.retain(|slug| !taken.contains(slug.as_str()));
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_slugs() {
        for (name, slug) in [
            ("Café Crème!", "cafe-creme"),
            ("  iPhone 15 Pro (256 GB) ", "iphone-15-pro-256-gb"),
            ("Straße Ærø Łódź Þór Đà œuvre ıİ", "strasse-aero-lodz-thor-da-oeuvre-ii"),
            ("Levi's 501\u{2019}s", "levis-501s"),
            ("8GB+256GB", "8gb-256gb"),
            ("ﬁne № ½", "fine-no-1-2"),
            ("中文", "product"),
            ("!!!", "product"),
            ("--a--", "a"),
        ] {
            assert_eq!(of_name(name), slug, "{name}");
        }
    }

    #[test]
    fn long_names_are_cut_at_a_hyphen() {
        let name = format!("{} {}", "a".repeat(100), "b".repeat(100));
        assert_eq!(of_name(&name), "a".repeat(100));
        assert_eq!(of_name(&"a".repeat(200)), "a".repeat(160));
        let name = format!("{} b", "a".repeat(160));
        assert_eq!(of_name(&name), "a".repeat(160));
    }

    #[test]
    fn numbers_stay_within_the_length() {
        let stem = format!("{}-b", "a".repeat(158));
        assert_eq!(stem.len(), LENGTH);
        assert_eq!(numbered(&stem, 2), format!("{}-2", "a".repeat(158)));
        assert_eq!(numbered("cafe", 10), "cafe-10");
        assert_eq!(candidates("x", 0)[..3], ["x", "x-2", "x-3"]);
        assert_eq!(candidates("x", 0).last().map(String::as_str), Some("x-50"));
        assert_eq!(candidates("x", 1)[0], "x-51");
        assert_eq!(candidates("x", 2)[0], "x-1051");
    }
}
