//! The WIT packages of `wit/`, one folder each, and the list of those that are released: what others build against and no commit
//! changes any more.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use semver::Version;
use sha2::{Digest, Sha256};

/// Below the root of the repository.
pub const FOLDER: &str = "wit";
/// Within it: a package and its digest per line, sorted.
pub const RELEASED: &str = "released.txt";

/// A package as it lies in its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitPackage {
    /// `commerce:area`.
    pub name: String,
    pub version: Version,
    /// SHA-256 of its normalized text, hexadecimal.
    pub digest: String,
}

impl WitPackage {
    /// `commerce:area@1.0.0`.
    pub fn id(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Released {
    pub id: String,
    pub digest: String,
}

/// Every package of a folder of packages, sorted by id. A package that lies there twice is refused.
pub fn packages(folder: &Path) -> Result<Vec<WitPackage>> {
    let mut packages = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            packages.push(package(&path).with_context(|| path.display().to_string())?);
        }
    }
    packages.sort_by_key(WitPackage::id);
    if let Some(twice) = packages.windows(2).find(|two| two[0].id() == two[1].id()) {
        bail!("{} lies in two folders", twice[0].id());
    }
    Ok(packages)
}

/// The package of one folder: all its files together, by their names.
fn package(folder: &Path) -> Result<WitPackage> {
    let mut files: Vec<_> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|kind| kind == "wit"));
    files.sort();
    let mut text = String::new();
    for file in &files {
        text.push_str(&normalize(&fs::read_to_string(file)?));
        text.push('\n');
    }
    let Some(id) = text.split('\n').find_map(|file| file.strip_prefix("package ")?.split_once(';')).map(|(id, _)| id)
    else {
        bail!("no file begins with `package name@version;`");
    };
    let (name, version) = id.trim().split_once('@').with_context(|| format!("{id} has no version"))?;
    let version = Version::parse(version).with_context(|| format!("{id} has no semantic version"))?;
    Ok(WitPackage { name: name.to_owned(), version, digest: hex(&Sha256::digest(&text)) })
}

/// The text of a WIT file as far as it means anything: without comments, with one space between words and none next to signs,
/// and without a comma before a closing bracket.
fn normalize(text: &str) -> String {
    let plain = strip_comments(text);
    let mut rest = plain.as_str();
    let mut words = String::new();
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|letter: char| !is_of_word(letter)).unwrap_or(rest.len());
        let (taken, left) = rest.split_at(if word > 0 { word } else { first.len_utf8() });
        rest = left;
        if first.is_whitespace() {
            continue;
        }
        if matches!(first, '}' | ')' | '>') && words.ends_with(',') {
            words.pop();
        }
        // Two words that only space kept apart.
        if is_of_word(first) && words.ends_with(is_of_word) {
            words.push(' ');
        }
        words.push_str(taken);
    }
    words
}

/// Letters that words and versions are made of.
fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '-' | '%' | '_')
}

fn strip_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    // Block comments lie within each other.
    let mut depth = 0_u32;
    while let Some(letter) = rest.chars().next() {
        let (taken, opens, closes) = match rest.get(..2) {
            Some("/*") => (2, true, false),
            Some("*/") if depth > 0 => (2, false, true),
            Some("//") if depth == 0 => (rest.find('\n').unwrap_or(rest.len()), false, false),
            _ => (letter.len_utf8(), false, false),
        };
        if opens {
            depth += 1;
        } else if closes {
            depth -= 1;
            kept.push(' ');
        } else if depth == 0 && !rest.starts_with("//") {
            kept.push(letter);
        }
        rest = &rest[taken..];
    }
    kept
}

/// The list, or nothing where there is none yet.
pub fn read_released(folder: &Path) -> Result<Vec<Released>> {
    let file = folder.join(RELEASED);
    let text = if file.exists() { fs::read_to_string(&file)? } else { String::new() };
    let mut list: Vec<Released> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let (Some(id), Some(digest), None) = (words.next(), words.next(), words.next()) else {
            bail!("{}: {line:?} is no package with its digest", file.display());
        };
        if list.iter().any(|other| other.id == id) {
            bail!("{}: {id} is listed twice", file.display());
        }
        list.push(Released { id: id.to_owned(), digest: digest.to_owned() });
    }
    Ok(list)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_spaces_and_last_commas_mean_nothing() {
        let plain = "package a:b@1.0.0;interface i{record r{a:u8,b:list<u8>}f:func(x:r)->r;}";
        for text in [
            plain,
            "/// What it is.\npackage a:b@1.0.0;\n\ninterface i {\n  // one\n  record r { a: u8, b: list<u8>, }\n  f: func(x: r,) -> r;\n}\n",
            "package a:b@1.0.0; interface i { record r { a: u8, /* two /* three */ */ b: list<u8> } f: func(x: r) -> r; }//",
        ] {
            assert_eq!(normalize(text), plain, "{text}");
        }
        for other in [
            "package a:b@1.0.0; interface i { record r { a: u8 b: list<u8> } f: func(x: r) -> r; }",
            "package a:b@1.0.0; interface i { record r { b: list<u8>, a: u8 } f: func(x: r) -> r; }",
            "package a:b@1.0.0; interface i { record r { a: u8, b: list<u8> } f: func(y: r) -> r; }",
            "package a:b@1.0.0; interfacei { record r { a: u8, b: list<u8> } f: func(x: r) -> r; }",
        ] {
            assert_ne!(normalize(other), plain, "{other}");
        }
    }
}
