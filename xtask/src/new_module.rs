//! `new-module NAME`: writes a module that builds, tests and activates as it stands, from `components/template`. The template
//! is itself a module of the workspace: what every check and test covers cannot rot.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::program;
use crate::workspace::Workspace;

/// Files of the template by their path in the module's folder.
const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("../../components/template/Cargo.toml")),
    ("src/lib.rs", include_str!("../../components/template/src/lib.rs")),
    ("src/entry.rs", include_str!("../../components/template/src/entry.rs")),
    ("src/entry/tests.rs", include_str!("../../components/template/src/entry/tests.rs")),
];

/// Longest name of a module, as the host takes it.
const LONGEST: usize = 32;

/// Names that mean something else to the host, to the folders or to Rust.
const TAKEN: &[&str] = &[
    "stoa",
    "platform",
    "sdk",
    "template",
    "examples",
    "alloc",
    "core",
    "std",
    "test",
    "proc-macro",
    "as",
    "break",
    "const",
    "crate",
    "else",
    "enum",
    "extern",
    "fn",
    "for",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "match",
    "mod",
    "move",
    "mut",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "struct",
    "super",
    "trait",
    "true",
    "false",
    "type",
    "unsafe",
    "use",
    "where",
    "while",
    "async",
    "await",
    "dyn",
    "abstract",
    "become",
    "box",
    "do",
    "final",
    "gen",
    "macro",
    "override",
    "priv",
    "try",
    "typeof",
    "unsized",
    "virtual",
    "yield",
];

#[derive(clap::Args)]
pub struct Args {
    /// Lower-case letters, digits and hyphens: `gift-cards`
    name: String,
}

pub fn run(workspace: &Workspace, args: Args) -> Result<()> {
    let name = args.name;
    if !is_name(&name) {
        bail!("a module's name is at most {LONGEST} lower-case letters and digits, in words joined by single hyphens");
    }
    let folder = workspace.root.join("components").join(&name);
    if TAKEN.contains(&name.as_str()) || workspace.package(&name).is_some() || folder.exists() {
        bail!("the name {name} is taken");
    }
    for (path, text) in FILES {
        let file = folder.join(path);
        let parent = file.parent().context("a file lies in a folder")?;
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        fs::write(&file, filled(text, &name)).with_context(|| format!("cannot write {}", file.display()))?;
    }
    // Longer or shorter names move line breaks and the order of imports.
    program::run(workspace.cargo().args(["fmt", "--package", &name]))?;
    println!("components/{name} is a module with one collection and three operations. Now:");
    println!("  cargo test --release --package {name}");
    println!("  cargo xtask run");
    Ok(())
}

fn is_name(name: &str) -> bool {
    let word = |word: &str| !word.is_empty() && word.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    name.len() <= LONGEST && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('-').all(word)
}

/// The template's text with the module's name wherever the template's stands: `template`, `Template`, `TEMPLATE`.
fn filled(text: &str, name: &str) -> String {
    let mut type_name = String::new();
    for word in name.split('-') {
        let mut letters = word.chars();
        type_name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        type_name.push_str(letters.as_str());
    }
    let constant = name.replace('-', "_").to_ascii_uppercase();
    // Comments of the manifest are about the template.
    let lines = text.lines().filter(|line| !line.starts_with("# "));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    text.replace("template", name).replace("Template", &type_name).replace("TEMPLATE", &constant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_joined_by_hyphens() {
        for good in ["loyalty", "gift-cards", "b2b"] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "-a", "a-", "a--b", "Gift", "2go", "gift_cards", "gift/cards", &"a".repeat(33)] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn nothing_of_the_template_is_left() {
        for (path, text) in FILES {
            let filled = filled(text, "gift-cards");
            assert!(!filled.to_ascii_lowercase().contains("template"), "{path}");
        }
        assert!(filled(FILES[1].1, "gift-cards").contains("pub struct GiftCards;"));
        assert!(filled(FILES[2].1, "gift-cards").contains("\"GIFT_CARDS_ENTRY\""));
    }
}
