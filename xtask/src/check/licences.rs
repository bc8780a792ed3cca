//! Every dependency's licence expression must be met by licences of the list in `deny.toml`, and what was taken over whole be
//! what its package published. Needs no network and no tool.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::vendored;
use crate::program;
use crate::workspace::Workspace;

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Dependency>,
}

#[derive(Deserialize)]
pub struct Dependency {
    pub name: String,
    pub version: String,
    license: Option<String>,
}

pub fn check(workspace: &Workspace) -> Result<()> {
    let text = std::fs::read_to_string(workspace.root.join("deny.toml")).context("cannot read deny.toml")?;
    let allowed = read_allowed(&text);
    let mut refused = Vec::new();
    for package in packages(workspace)? {
        let expression = package.license.as_deref().unwrap_or("");
        if !meets(expression, &allowed) {
            refused.push(format!("{} {}: {expression:?}", package.name, package.version));
        }
    }
    if !refused.is_empty() {
        bail!("licences outside the list of deny.toml:\n{}", refused.join("\n"));
    }
    vendored::check(&workspace.root.join("host/vendor"), &allowed)
}

/// Every package that the workspace builds with on this platform, its own included.
pub fn packages(workspace: &Workspace) -> Result<Vec<Dependency>> {
    let mut command = workspace.cargo();
    command.args(["metadata", "--format-version", "1", "--filter-platform", &platform()?]);
    let text = program::output(&mut command)?;
    let metadata: Metadata = serde_json::from_str(&text).context("cargo metadata is not as expected")?;
    Ok(metadata.packages)
}

/// The platform that this machine builds for, as cargo names it.
pub fn platform() -> Result<String> {
    let version = program::output(std::process::Command::new("rustc").arg("-vV"))?;
    let platform = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    Ok(platform.to_owned())
}

/// The quoted words of `allow = [...]` below `[licenses]`.
fn read_allowed(deny: &str) -> BTreeSet<String> {
    let section = deny.split("[licenses]").nth(1).unwrap_or_default();
    let list = section.split("allow = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default();
    list.split('"').skip(1).step_by(2).map(str::to_string).collect()
}

/// Returns whether a choice of allowed licences satisfies an SPDX expression. `MIT/Apache-2.0` is the old spelling of OR.
pub fn meets(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut position = 0;
    either(&words, &mut position, allowed) == Some(true) && position == words.len()
}

fn either(words: &[&str], position: &mut usize, allowed: &BTreeSet<String>) -> Option<bool> {
    let mut met = both(words, position, allowed)?;
    while words.get(*position) == Some(&"OR") {
        *position += 1;
        met |= both(words, position, allowed)?;
    }
    Some(met)
}

fn both(words: &[&str], position: &mut usize, allowed: &BTreeSet<String>) -> Option<bool> {
    let mut met = one(words, position, allowed)?;
    while words.get(*position) == Some(&"AND") {
        *position += 1;
        met &= one(words, position, allowed)?;
    }
    Some(met)
}

fn one(words: &[&str], position: &mut usize, allowed: &BTreeSet<String>) -> Option<bool> {
    let word = *words.get(*position)?;
    *position += 1;
    if word == "(" {
        let met = either(words, position, allowed)?;
        let closed = words.get(*position) == Some(&")");
        *position += 1;
        return closed.then_some(met);
    }
    if words.get(*position) == Some(&"WITH") {
        let exception = *words.get(*position + 1)?;
        *position += 2;
        return Some(allowed.contains(&format!("{word} WITH {exception}")));
    }
    Some(allowed.contains(word))
}

#[cfg(test)]
mod tests {
    use super::{meets, read_allowed};

    #[test]
    fn an_expression_is_met_by_a_choice_of_allowed_licences() {
        let allowed =
            read_allowed("[licenses]\nallow = [\n  \"MIT\",\n  \"ISC\",\n  \"Apache-2.0 WITH LLVM-exception\",\n]\n");
        for (expression, met) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("MIT OR GPL-3.0", true),
            ("GPL-3.0/MIT", true),
            ("MIT AND GPL-3.0", false),
            ("ISC AND (GPL-3.0 OR MIT)", true),
            ("GPL-3.0 OR ISC AND MIT", true),
            ("Apache-2.0", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("", false),
            ("(MIT", false),
            ("MIT MIT", false),
        ] {
            assert_eq!(meets(expression, &allowed), met, "{expression}");
        }
    }
}
