//! How far a signer's word goes: the modules that it may bring, and the services that these may offer. What is written behind the key
//! in an entry of the trusted signers: `loyalty-*+gift-cards+shelf/items`.
//!
//! Words are parted by `+`; `*` at the end of one stands for any rest. A word without a slash names modules, one with a slash services
//! as WIT does, without `commerce:` and version. A module always may offer services of its own name (`loyalty/points` of `loyalty`).

use std::fmt;
use std::str::FromStr;

/// The names of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    modules: Vec<Word>,
    services: Vec<Word>,
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
}

impl Word {
    fn fits(&self, name: &str) -> bool {
        if self.open { name.starts_with(&self.text) } else { name == self.text }
    }
}

impl FromStr for Reach {
    type Err = String;

    fn from_str(text: &str) -> Result<Reach, String> {
        let mut reach = Reach { modules: Vec::new(), services: Vec::new() };
        for written in text.split('+') {
            let (name, open) = written.strip_suffix('*').map_or((written, false), |begin| (begin, true));
            let plain = |part: &str| part.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
            let parts: Vec<&str> = name.split('/').collect();
            let known = match parts[..] {
                [module] => plain(module) && (open || !module.is_empty()),
                [area, interface] => {
                    plain(area) && !area.is_empty() && plain(interface) && (open || !interface.is_empty())
                }
                _ => false,
            };
            if !known {
                return Err(format!("`{written}` names no modules (`loyalty-*`) and no services (`shelf/items`)"));
            }
            let word = Word { text: name.to_string(), open };
            if parts.len() == 1 { &mut reach.modules } else { &mut reach.services }.push(word);
        }
        Ok(reach)
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, word) in self.modules.iter().chain(&self.services).enumerate() {
            let (join, end) = (if at == 0 { "" } else { "+" }, if word.open { "*" } else { "" });
            write!(out, "{join}{}{end}", word.text)?;
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
    fn what_names_nothing_is_refused() {
        for text in ["", "a+", "A", "a*b", "/b", "a/", "a/b/c", "*/b", "a b", "a:b", "commerce:a/b", "/"] {
            assert!(text.parse::<Reach>().is_err(), "{text}");
        }
    }
}
