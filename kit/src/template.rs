//! A new module from `components/template`, which is itself a module of the workspace: code that every check and test
//! covers cannot rot. Inside the repository its manifest takes everything from the workspace; outside, [`crate::manifest`]
//! spells it out.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::manifest::{self, Sdk};

/// The template's manifest.
const MANIFEST: &str = include_str!("../../components/template/Cargo.toml");

/// The other files of the template by their path in the module's folder.
const FILES: &[(&str, &str)] = &[
    ("src/lib.rs", include_str!("../../components/template/src/lib.rs")),
    ("src/records/mod.rs", include_str!("../../components/template/src/records/mod.rs")),
    ("src/records/entry.rs", include_str!("../../components/template/src/records/entry.rs")),
    ("src/records/permission.rs", include_str!("../../components/template/src/records/permission.rs")),
    ("src/operations/mod.rs", include_str!("../../components/template/src/operations/mod.rs")),
    ("src/operations/entry.rs", include_str!("../../components/template/src/operations/entry.rs")),
    ("src/tests.rs", include_str!("../../components/template/src/tests.rs")),
    ("examples/create.json", include_str!("../../components/template/examples/create.json")),
    ("fixtures/entries.json", include_str!("../../components/template/fixtures/entries.json")),
];

/// Files that a module inside the repository finds in the folders above it.
const SURROUNDINGS: &[(&str, &str)] = &[
    ("clippy.toml", include_str!("../../components/clippy.toml")),
    ("rustfmt.toml", include_str!("../../rustfmt.toml")),
    (".gitignore", "/target\n"),
];

/// Writes a module of this name that is a member of the repository's workspace.
pub fn write_member(name: &str, folder: &Path) -> Result<()> {
    write(folder, "Cargo.toml", &fill(MANIFEST, name))?;
    write_sources(name, folder)
}

/// Writes a module of this name outside the workspace, against this SDK.
pub fn write_alone(name: &str, folder: &Path, sdk: &Sdk) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let place = folder.canonicalize().context("the module's folder has no path")?;
    write(folder, "Cargo.toml", &manifest::alone(&fill(MANIFEST, name), sdk, &place))?;
    write_sources(name, folder)?;
    for (path, text) in SURROUNDINGS {
        write(folder, path, text)?;
    }
    // The versions that the SDK was tested with; cargo drops what the module does not need.
    if let Some(lock) = sdk.lock_file() {
        fs::copy(&lock, folder.join("Cargo.lock")).with_context(|| format!("cannot copy {}", lock.display()))?;
    }
    Ok(())
}

fn write_sources(name: &str, folder: &Path) -> Result<()> {
    FILES.iter().try_for_each(|(path, text)| write(folder, path, &fill(text, name)))
}

fn write(folder: &Path, path: &str, text: &str) -> Result<()> {
    let file = folder.join(path);
    let parent = file.parent().context("a file lies in a folder")?;
    fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// The template's text with the module's name in place of the template's: `template`, `Template`, `TEMPLATE`.
fn fill(text: &str, name: &str) -> String {
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
    fn nothing_of_the_template_is_left() {
        for (path, text) in FILES.iter().chain([&("Cargo.toml", MANIFEST)]) {
            let filled = fill(text, "gift-cards");
            assert!(!filled.to_ascii_lowercase().contains("template"), "{path}");
        }
        let text = |name: &str| FILES.iter().find(|(path, _)| *path == name).map(|(_, text)| fill(text, "gift-cards"));
        assert!(text("src/lib.rs").is_some_and(|text| text.contains("pub struct GiftCards;")));
        assert!(text("src/records/entry.rs").is_some_and(|text| text.contains("\"GIFT_CARDS_ENTRY\"")));
    }
}
