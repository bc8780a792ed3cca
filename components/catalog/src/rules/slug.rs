//! Slugs: the readable, unique name of a product in addresses, made from its name where none is stated.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use stoa_sdk::set;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Characters of a slug at most.
pub const LENGTH: usize = 160;
/// Candidates that the first look-up tries and each later one: about how many in all, and how many at most of one stem.
const FIRST: (usize, usize) = (2_000, 50);
const NEXT: (usize, usize) = (20_000, 1_000);
/// Look-ups of one request: some 11,000 products of one name.
const LOOKUPS: usize = 12;

/// The slug of a name: Latin letters lower-cased and freed of their marks, digits, and one hyphen wherever something else
/// stood; `product` where nothing is left.
pub fn from_name(name: &str) -> String {
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

/// Slugs for the products of one request, looked up for all of them together.
pub struct Slugs {
    stems: BTreeMap<String, Candidates>,
    /// Given out or stated in this request.
    used: BTreeSet<String>,
    lookups: usize,
}

/// Of one stem: how many products want one, the number that was looked up last, and what is free.
#[derive(Default)]
struct Candidates {
    wanted: usize,
    last: usize,
    free: VecDeque<String>,
}

impl Slugs {
    /// `stems`: one for each product that states no slug; `stated`: the slugs of the others.
    pub fn new(stems: impl Iterator<Item = String>, stated: impl Iterator<Item = String>) -> Slugs {
        let mut slugs = Slugs { stems: BTreeMap::new(), used: set(stated), lookups: 0 };
        stems.for_each(|stem| slugs.stems.entry(stem).or_default().wanted += 1);
        slugs
    }

    /// The next candidates, of which must be found out which are taken. Only stems that have none left get new ones; how many
    /// follows from how many stems these are.
    pub fn propose(&mut self) -> Vec<String> {
        let (keys, most) = if self.lookups == 0 { FIRST } else { NEXT };
        self.lookups += 1;
        let bare = self.stems.values().filter(|candidates| candidates.free.is_empty()).count();
        let more = (keys / bare.max(1)).clamp(1, most);
        let mut asked = Vec::new();
        for (stem, candidates) in self.stems.iter_mut().filter(|(_, candidates)| candidates.free.is_empty()) {
            let numbers = candidates.last + 1..=candidates.last + candidates.wanted.max(1) - 1 + more;
            candidates.last = *numbers.end();
            candidates.free = numbers.map(|number| add_number(stem, number)).collect();
            asked.extend(candidates.free.iter().cloned());
        }
        asked
    }

    /// Strikes out what is taken.
    pub fn learn(&mut self, taken: &BTreeSet<String>) {
        for candidates in self.stems.values_mut() {
            candidates.free.retain(|slug| !taken.contains(slug));
        }
    }

    /// The next free slug of a stem; None where more must be looked up.
    pub fn next(&mut self, stem: &str) -> Option<String> {
        let candidates = self.stems.get_mut(stem)?;
        loop {
            let slug = candidates.free.pop_front()?;
            if self.used.insert(slug.clone()) {
                return Some(slug);
            }
        }
    }

    /// Whether as much was looked up as may be for one request.
    pub fn are_exhausted(&self) -> bool {
        self.lookups >= LOOKUPS
    }
}

fn add_number(stem: &str, number: usize) -> String {
    if number == 1 {
        return stem.to_owned();
    }
    let suffix = format!("-{number}");
    let head = stem.get(..LENGTH - suffix.len()).unwrap_or(stem).trim_end_matches('-');
    format!("{head}{suffix}")
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
            assert_eq!(from_name(name), slug, "{name}");
        }
    }

    #[test]
    fn long_names_are_cut_at_a_hyphen() {
        let name = format!("{} {}", "a".repeat(100), "b".repeat(100));
        assert_eq!(from_name(&name), "a".repeat(100));
        assert_eq!(from_name(&"a".repeat(200)), "a".repeat(160));
        let name = format!("{} b", "a".repeat(160));
        assert_eq!(from_name(&name), "a".repeat(160));
    }

    #[test]
    fn numbers_stay_within_the_length() {
        let stem = format!("{}-b", "a".repeat(158));
        assert_eq!(stem.len(), LENGTH);
        assert_eq!(add_number(&stem, 2), format!("{}-2", "a".repeat(158)));
        assert_eq!(add_number("cafe", 10), "cafe-10");
    }

    fn slugs(stems: &[&str], stated: &[&str]) -> Slugs {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>().into_iter();
        Slugs::new(owned(stems), owned(stated))
    }

    fn texts(slugs: &[&str]) -> BTreeSet<String> {
        slugs.iter().map(|&slug| slug.to_owned()).collect()
    }

    #[test]
    fn numbers_follow_one_another_over_the_proposals() {
        let mut slugs = slugs(&["x"], &[]);
        slugs.propose();
        slugs.learn(&texts(&["x", "x-3"]));
        let given: Vec<String> = std::iter::from_fn(|| slugs.next("x")).collect();
        assert_eq!((&given[..2], given.last().unwrap().as_str()), (&["x-2".to_owned(), "x-4".to_owned()][..], "x-50"));
        assert_eq!(given.len(), 48);
        assert_eq!(slugs.propose().len(), 1_000);
        assert_eq!(slugs.next("x").as_deref(), Some("x-51"));
    }

    #[test]
    fn products_of_one_request_take_nothing_from_one_another() {
        let mut slugs = slugs(&["x", "x", "x-2", "x"], &["x-3"]);
        slugs.propose();
        slugs.learn(&BTreeSet::new());
        let given: Vec<_> = ["x", "x", "x-2", "x"].iter().map(|stem| slugs.next(stem).unwrap()).collect();
        assert_eq!(given, ["x", "x-2", "x-2-2", "x-4"]);
    }

    #[test]
    fn many_stems_are_proposed_with_few_numbers_each() {
        let stems: Vec<String> = (0..500).map(|n| format!("s{n}")).collect();
        let mut slugs = Slugs::new(stems.iter().cloned(), std::iter::empty());
        assert_eq!(slugs.propose().len(), 2_000);
        stems.iter().for_each(|stem| while slugs.next(stem).is_some() {});
        assert_eq!(slugs.propose().len(), 20_000);
        while !slugs.are_exhausted() {
            slugs.propose();
        }
    }
}
