//! How far a signer's word goes: the modules that it may bring, and the services that these may offer. What is written behind the key
//! in an entry of the trusted signers: `loyalty-*+gift-cards+shelf/items`.
//!
//! Words are separated by `+`; `*` at the end of one means any rest. A word without a slash names modules, one with a
//! slash services as WIT does, without `commerce:` and version. A module always may offer services of its own name
//! (`loyalty/points` of
//! `loyalty`). `acts:sales/orders` lets the modules call that service for callers who lack the permissions that it needs.

use std::fmt;
use std::str::FromStr;

/// Begins the word of a service in which modules may act for any caller.
const ACTS: &str = "acts:";

/// The names of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    modules: Vec<Word>,
    services: Vec<Word>,
    acts: Vec<Word>,
}

/// A name, or the beginning of names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    open: bool,
}

impl Reach {
    pub fn has_module(&self, name: &str) -> bool {
        self.modules.iter().any(|word| word.fits(name))
    }

    /// `service`: `area/interface`.
    pub fn has_service(&self, service: &str) -> bool {
        self.services.iter().any(|word| word.fits(service))
    }

    /// Whether its modules may call a service (`area/interface`) for callers who lack what it needs.
    pub fn acts_in(&self, service: &str) -> bool {
        self.acts.iter().any(|word| word.fits(service))
    }
}

impl Word {
    fn fits(&self, name: &str) -> bool {
        if self.open { name.starts_with(&self.text) } else { name == self.text }
    }
}

impl FromStr for Reach {
    type Err = String;

    fn from_str(text: &str) -> Result<Reach, String> {
        let mut reach = Reach { modules: Vec::new(), services: Vec::new(), acts: Vec::new() };
        for written in text.split('+') {
            let (stated, acts) = written.strip_prefix(ACTS).map_or((written, false), |service| (service, true));
            let (name, open) = stated.strip_suffix('*').map_or((stated, false), |begin| (begin, true));
            let plain = |part: &str| part.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
            let parts: Vec<&str> = name.split('/').collect();
            let known = match parts[..] {
                [module] => !acts && plain(module) && (open || !module.is_empty()),
                [area, interface] => {
                    plain(area) && !area.is_empty() && plain(interface) && (open || !interface.is_empty())
                }
                _ => false,
            };
            if !known {
                return Err(format!(
                    "`{written}` names no modules (`loyalty-*`) and no services (`shelf/items`, `acts:shelf/items`)"
                ));
            }
            let word = Word { text: name.to_string(), open };
            match (parts.len(), acts) {
                (1, _) => reach.modules.push(word),
                (_, false) => reach.services.push(word),
                (_, true) => reach.acts.push(word),
            }
        }
        Ok(reach)
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.modules.iter().chain(&self.services).map(|word| ("", word));
        for (index, (begin, word)) in named.chain(self.acts.iter().map(|word| (ACTS, word))).enumerate() {
            let (join, end) = (if index == 0 { "" } else { "+" }, if word.open { "*" } else { "" });
            write!(out, "{join}{begin}{}{end}", word.text)?;
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
    fn what_names_nothing_is_refused() {
        for text in ["", "a+", "A", "a*b", "/b", "a/", "a/b/c", "*/b", "a b", "a:b", "commerce:a/b", "/"] {
            assert!(text.parse::<Reach>().is_err(), "{text}");
        }
    }
}
