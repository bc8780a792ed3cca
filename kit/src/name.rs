//! Names of modules: a name that the host, folders and Rust all take.

/// Longest name of a module, as the host takes it.
pub const LONGEST: usize = 32;

/// Names that mean something else to the host, to the folders or to cargo.
#[rustfmt::skip]
const TAKEN: &[&str] = &[
    "stoa", "platform", "sdk", "template", "examples", "alloc", "core", "std", "test", "proc-macro",
];

/// Words that no library of Rust can be named by.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "as", "break", "const", "crate", "else", "enum", "extern", "fn", "for", "if", "impl", "in", "let",
    "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "false", "type", "unsafe", "use", "where", "while", "async", "await", "dyn", "abstract",
    "become", "box", "do", "final", "gen", "macro", "override", "priv", "try", "typeof", "unsized",
    "virtual", "yield",
];

/// Judges a name.
pub fn check(name: &str) -> Result<(), String> {
    let word = |word: &str| !word.is_empty() && word.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let is_name =
        name.len() <= LONGEST && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('-').all(word);
    if !is_name {
        return Err(format!(
            "a module's name is at most {LONGEST} lower-case letters and digits, in words joined by single hyphens"
        ));
    }
    if KEYWORDS.contains(&name) {
        return Err(format!("{name} is a keyword of Rust, and no library can be named by it"));
    }
    if TAKEN.contains(&name) { Err(format!("the name {name} means something else")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_joined_by_hyphens() {
        for good in ["loyalty", "gift-cards", "b2b"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in ["", "-a", "a-", "a--b", "Gift", "2go", "gift_cards", "gift/cards", "stoa", "fn", &"a".repeat(33)] {
            assert!(check(bad).is_err(), "{bad}");
        }
        assert!(check("loop").is_err_and(|why| why.starts_with("loop is a keyword of Rust")));
    }
}
