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
/// Numbers of one stem that are tried one after the other. Beyond them what is free is searched, so that any number of products
/// may share a name.
const IN_A_ROW: u64 = 1_050;

/// The slug of a name: Latin letters lower-cased and freed of their marks, digits, and one hyphen in place of anything
/// else; `product` where nothing is left.
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
        Some(hyphen) => head.get(..hyphen).unwrap_or(head),
        None => head,
    }
}

/// Slugs for the products of one request, looked up for all of them together.
pub struct Slugs {
    stems: BTreeMap<String, Candidates>,
    /// Given out or stated in this request.
    used: BTreeSet<String>,
    first: bool,
}

/// The candidates of one stem: how many products want one, and what is known of its numbers.
struct Candidates {
    wanted: usize,
    /// The last number that is known to be taken, or was tried.
    last: u64,
    /// Up to this one, numbers are tried one after the other.
    in_a_row: u64,
    /// The lowest number above it that is known to be free, once one is searched.
    above: Option<u64>,
    /// Numbers that a search tries, in order.
    probes: Vec<u64>,
    free: VecDeque<String>,
}

impl Default for Candidates {
    fn default() -> Candidates {
        let (probes, free) = (Vec::new(), VecDeque::new());
        Candidates { wanted: 0, last: 0, in_a_row: IN_A_ROW, above: None, probes, free }
    }
}

impl Candidates {
    /// The next numbers to look up, about `most`: one after the other, or, once many were taken, as a search needs them.
    fn propose(&mut self, stem: &str, most: usize) -> Vec<String> {
        let gap = self.above.map(|above| above - self.last);
        self.probes = match gap {
            _ if self.last < self.in_a_row => Vec::new(),
            // From here on ever further, until one is free.
            None => (1..62).take(most.max(8)).map_while(|power| self.last.checked_add(1 << power)).collect(),
            Some(gap) if gap <= most as u64 => Vec::new(),
            // Between a taken one and a free one, evenly.
            Some(gap) => {
                let step = gap.div_ceil(most.max(2) as u64).max(1);
                (1..).map(|nth| self.last + nth * step).take_while(|number| *number < self.last + gap).collect()
            }
        };
        if !self.probes.is_empty() {
            return self.probes.iter().map(|number| add_number(stem, *number)).collect();
        }
        let end = self.last + (most + self.wanted.max(1) - 1) as u64;
        self.free = (self.last + 1..=end).map(|number| add_number(stem, number)).collect();
        (self.last, self.above) = (end, None);
        self.free.iter().cloned().collect()
    }

    /// Strikes out what is taken, or narrows the search.
    fn learn(&mut self, stem: &str, taken: &BTreeSet<String>) {
        self.free.retain(|slug| !taken.contains(slug));
        let probes = std::mem::take(&mut self.probes);
        let free = probes.iter().position(|number| !taken.contains(&add_number(stem, *number)));
        let last_taken = free.unwrap_or(probes.len()).checked_sub(1).and_then(|index| probes.get(index)).copied();
        self.above = free.and_then(|index| probes.get(index)).copied().or(self.above);
        match (self.above, last_taken) {
            (Some(_), Some(taken)) => self.last = taken,
            // Stated slugs are in the way of every probe: some more are tried one after the other.
            (None, Some(_)) => self.in_a_row = self.last + 1,
            (_, None) => {}
        }
    }
}

impl Slugs {
    /// `stems`: one for each product that states no slug; `stated`: the slugs of the others.
    pub fn new(stems: impl Iterator<Item = String>, stated: impl Iterator<Item = String>) -> Slugs {
        let mut slugs = Slugs { stems: BTreeMap::new(), used: set(stated), first: true };
        stems.for_each(|stem| slugs.stems.entry(stem).or_default().wanted += 1);
        slugs
    }

    /// The next candidates, of which must be found out which are taken. Only stems that have none left get new ones; how many
    /// follows from how many stems these are.
    pub fn propose(&mut self) -> Vec<String> {
        let (keys, most) = if self.first { FIRST } else { NEXT };
        self.first = false;
        let bare = self.stems.values().filter(|candidates| candidates.free.is_empty()).count();
        let most = (keys / bare.max(1)).clamp(1, most);
        let bare = self.stems.iter_mut().filter(|(_, candidates)| candidates.free.is_empty());
        bare.flat_map(|(stem, candidates)| candidates.propose(stem, most)).collect()
    }

    /// Records which of the proposed slugs are taken.
    pub fn learn(&mut self, taken: &BTreeSet<String>) {
        self.stems.iter_mut().for_each(|(stem, candidates)| candidates.learn(stem, taken));
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
}

fn add_number(stem: &str, number: u64) -> String {
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
    }

    /// Names `count` products in a shop where these numbers of the name `x` are taken: their slugs, and how many
    /// look-ups that took.
    fn name_products(count: usize, is_taken: impl Fn(u64) -> bool) -> (Vec<String>, usize) {
        let stems = vec!["x"; count];
        let (mut slugs, mut given, mut lookups) = (slugs(&stems, &[]), Vec::new(), 0);
        while given.len() < count {
            match slugs.next("x") {
                Some(slug) => given.push(slug),
                None => {
                    let is_taken = |slug: &String| {
                        let number = slug.strip_prefix("x-").map_or(1, |number| number.parse().unwrap());
                        is_taken(number)
                    };
                    let taken = slugs.propose().into_iter().filter(is_taken).collect();
                    slugs.learn(&taken);
                    lookups += 1;
                }
            }
        }
        (given, lookups)
    }

    #[test]
    fn any_number_of_products_may_share_a_name() {
        for taken in [49, 50, 51, 1_049, 1_050, 1_051, 2_050, 11_050, 11_051, 1_000_000, 3_000_000_000_000] {
            let (given, lookups) = name_products(3, |number| number <= taken);
            let next: Vec<String> = (taken + 1..=taken + 3).map(|number| format!("x-{number}")).collect();
            assert_eq!(given, next);
            assert!(lookups <= 8, "{taken} taken: {lookups} look-ups");
        }
    }

    #[test]
    fn a_search_ends_whatever_is_taken() {
        // All powers of two beyond those that are tried first, so that no probe of the first search is free.
        let (given, _) = name_products(1, |number| number <= 1_050 || (number - 1_050).is_power_of_two());
        assert_eq!(given, ["x-1053"]);
        // Every second one, and an import that needs many.
        let (given, lookups) = name_products(500, |number| number <= 5_000 || number % 2 == 0);
        let distinct: BTreeSet<&String> = given.iter().collect();
        assert_eq!(distinct.len(), 500);
        assert!(lookups <= 12, "{lookups} look-ups");
    }
}
