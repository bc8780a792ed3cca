//! How far a signer's word goes: the modules that it may bring, and the services that these may offer. The text follows the key
//! in an entry of the trusted signers: `loyalty-*+gift-cards+shelf/items`.
//!
//! Words are separated by `+`; `*` at the end of one means any rest. A word without a slash names modules, one with a
//! slash services as WIT does, without `commerce:` and version. A module always may offer services of its own name
//! (`loyalty/points` of
//! `loyalty`). `acts:sales/orders` lets the modules call that service for callers who lack the permissions that it needs.
//! `names:catalog` lets the modules introduce names that begin with that word instead of their own.

use std::fmt;
use std::str::FromStr;

use stoa_descriptor::names::NamePattern;

/// Begins the word of a service in which modules may act for any caller.
const ACTS: &str = "acts:";
/// Begins the word with which names of modules may begin.
const NAMES: &str = "names:";

/// The names of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    modules: Vec<NamePattern>,
    services: Vec<NamePattern>,
    acts: Vec<NamePattern>,
    names: Vec<NamePattern>,
}

impl Reach {
    pub fn has_module(&self, name: &str) -> bool {
        self.modules.iter().any(|word| word.fits(name))
    }

    /// `service`: `area/interface`.
    pub fn has_service(&self, service: &str) -> bool {
        self.services.iter().any(|word| word.fits(service))
    }

    /// Returns whether its modules may call a service (`area/interface`) for callers who lack what it needs.
    pub fn acts_in(&self, service: &str) -> bool {
        self.acts.iter().any(|word| word.fits(service))
    }

    /// Words with which names may begin that its modules introduce.
    pub fn names(&self) -> &[NamePattern] {
        &self.names
    }
}

impl FromStr for Reach {
    type Err = String;

    fn from_str(text: &str) -> Result<Reach, String> {
        let (modules, services, acts, names) = Default::default();
        let mut reach = Reach { modules, services, acts, names };
        for written in text.split('+') {
            let marked = [ACTS, NAMES].into_iter().find_map(|mark| Some((mark, written.strip_prefix(mark)?)));
            let (mark, stated) = marked.unwrap_or(("", written));
            let (name, open) = stated.strip_suffix('*').map_or((stated, false), |begin| (begin, true));
            let plain = |part: &str| part.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
            let parts: Vec<&str> = name.split('/').collect();
            let known = match parts[..] {
                [word] => mark != ACTS && plain(word) && (open || !word.is_empty()),
                [area, interface] => {
                    mark != NAMES
                        && plain(area)
                        && !area.is_empty()
                        && plain(interface)
                        && (open || !interface.is_empty())
                }
                _ => false,
            };
            if !known {
                return Err(format!(
                    "`{written}` names no modules (`loyalty-*`), no services (`shelf/items`, `acts:shelf/items`) and no names \
                     (`names:gifts`)"
                ));
            }
            let list = match (mark, parts.len()) {
                (ACTS, _) => &mut reach.acts,
                (NAMES, _) => &mut reach.names,
                (_, 1) => &mut reach.modules,
                _ => &mut reach.services,
            };
            list.push(NamePattern { text: name.to_string(), open });
        }
        Ok(reach)
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = [("", &self.modules), ("", &self.services), (ACTS, &self.acts), (NAMES, &self.names)];
        let words = lists.into_iter().flat_map(|(mark, words)| words.iter().map(move |word| (mark, word)));
        for (index, (mark, word)) in words.enumerate() {
            let (join, end) = (if index == 0 { "" } else { "+" }, if word.open { "*" } else { "" });
            write!(out, "{join}{mark}{}{end}", word.text)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_beginnings_of_names_are_reached_and_nothing_else() {
        let reach: Reach = "loyalty-*+gift-cards+shelf/items+ledger/*".parse().expect("names");
        for (name, within) in [
            ("loyalty-points", true),
            ("loyalty-", true),
            ("loyalty", false),
            ("gift-cards", true),
            ("gift-cards-2", false),
            ("catalog", false),
            ("shelf/items", false),
        ] {
            assert_eq!(reach.has_module(name), within, "{name}");
        }
        for (service, within) in
            [("shelf/items", true), ("shelf/items-2", false), ("ledger/books", true), ("gift-cards", false)]
        {
            assert_eq!(reach.has_service(service), within, "{service}");
        }
        assert_eq!(reach.to_string(), "loyalty-*+gift-cards+shelf/items+ledger/*");
        assert!("*".parse::<Reach>().expect("all").has_module("anything"));
        let shop: Reach = "shop".parse().expect("a name");
        assert!(!shop.has_service("shop/anything"), "its own services are a rule of the gate");
    }

    #[test]
    fn a_service_in_which_modules_act_is_named_apart() {
        let reach: Reach = "loyalty-*+acts:sales/orders+acts:ledger/*".parse().expect("names");
        assert!(reach.acts_in("sales/orders") && reach.acts_in("ledger/books"));
        assert!(!reach.acts_in("sales/customers") && !reach.has_service("sales/orders"));
        assert_eq!(reach.to_string(), "loyalty-*+acts:sales/orders+acts:ledger/*");
        assert!("acts:loyalty".parse::<Reach>().is_err(), "modules are no services");
        assert!("acts:".parse::<Reach>().is_err());
    }

    #[test]
    fn names_are_granted_by_word() {
        let reach: Reach = "evil+names:catalog+names:sales-*".parse().expect("names");
        let grants = |word: &str| reach.names().iter().any(|pattern| pattern.fits(word));
        assert!(grants("catalog") && grants("sales-order"));
        assert!(!grants("sales") && !grants("catalog-thing") && !grants("evil"));
        assert!(!reach.has_module("catalog") && !reach.has_service("catalog/articles"));
        assert_eq!(reach.to_string(), "evil+names:catalog+names:sales-*");
        assert!("names:*".parse::<Reach>().expect("all").names()[0].fits("anything"));
        for text in ["names:", "names:catalog/articles", "names:Catalog", "names:acts:a"] {
            assert!(text.parse::<Reach>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_names_nothing_is_refused() {
        for text in ["", "a+", "A", "a*b", "/b", "a/", "a/b/c", "*/b", "a b", "a:b", "commerce:a/b", "/"] {
            assert!(text.parse::<Reach>().is_err(), "{text}");
        }
    }
}
