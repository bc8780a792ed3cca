//! The packages whose code is in a release: those that programs and modules are linked from, and files copied whole.
//! Neither build scripts, macros that run in the compiler, nor packages that only tests use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::PROGRAMS;
use crate::build_modules;
use crate::check::licences;
use crate::check::vendored::{self, Vendored};
use crate::program;
use crate::workspace::Workspace;

pub struct Shipped {
    /// By name and version.
    pub packages: Vec<ShippedPackage>,
    /// Files of packages of npm, each with its folder.
    pub vendored: Vec<(PathBuf, Vendored)>,
}

pub struct ShippedPackage {
    pub name: String,
    pub version: String,
    /// An SPDX expression.
    pub licence: String,
    /// SHA-256 of the package in its registry; `None` for the workspace's own.
    pub checksum: Option<String>,
    pub folder: PathBuf,
    /// Places of its dependencies in the list.
    pub dependencies: Vec<usize>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Listed>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    manifest_path: PathBuf,
    source: Option<String>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
struct EdgeKind {
    /// None: a dependency of the code itself.
    kind: Option<String>,
}

impl Shipped {
    /// Modules are linked with no package that a program of this platform would not be.
    pub fn find(workspace: &Workspace) -> Result<Shipped> {
        let mut command = workspace.cargo();
        command.args(["metadata", "--format-version", "1", "--filter-platform", &licences::platform()?]);
        let metadata: Metadata =
            serde_json::from_str(&program::output(&mut command)?).context("cargo metadata is not as expected")?;
        let lock = std::fs::read_to_string(workspace.root.join("Cargo.lock")).context("cannot read Cargo.lock")?;
        let modules = build_modules::module_packages(workspace);
        let roots: BTreeSet<&str> =
            PROGRAMS.iter().copied().chain(modules.iter().map(|module| module.name.as_str())).collect();
        let vendored = vendored::read_all(&workspace.root.join("host/vendor"))?;
        Ok(Shipped { packages: select(metadata, &roots, &read_checksums(&lock)), vendored })
    }
}

/// The packages of these names of the workspace, and all that they are linked with.
fn select(
    metadata: Metadata,
    roots: &BTreeSet<&str>,
    checksums: &BTreeMap<(String, String), String>,
) -> Vec<ShippedPackage> {
    let edges: BTreeMap<&str, &Node> = metadata.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let linked: BTreeSet<&str> =
        metadata.packages.iter().filter(|package| !is_macro(package)).map(|package| package.id.as_str()).collect();
    let is_root = |package: &&Listed| package.source.is_none() && roots.contains(package.name.as_str());
    let mut waiting: Vec<&str> = metadata.packages.iter().filter(is_root).map(|package| package.id.as_str()).collect();
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    while let Some(id) = waiting.pop() {
        if found.contains_key(id) {
            continue;
        }
        let all = edges.get(id).map(|node| node.deps.as_slice()).unwrap_or_default();
        let dependencies = all.iter().filter(|edge| edge.dep_kinds.iter().any(|kind| kind.kind.is_none()));
        let dependencies: Vec<&str> =
            dependencies.map(|edge| edge.pkg.as_str()).filter(|id| linked.contains(id)).collect();
        waiting.extend(&dependencies);
        found.insert(id, dependencies);
    }
    let mut listed: Vec<&Listed> =
        metadata.packages.iter().filter(|package| found.contains_key(package.id.as_str())).collect();
    listed.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    let place = |id: &&str| listed.iter().position(|package| package.id == **id);
    let package = |package: &&Listed| ShippedPackage {
        name: package.name.clone(),
        version: package.version.clone(),
        licence: spdx(package.license.as_deref().unwrap_or("NOASSERTION")),
        checksum: checksums.get(&(package.name.clone(), package.version.clone())).cloned(),
        folder: package.manifest_path.parent().map(PathBuf::from).unwrap_or_default(),
        dependencies: found[package.id.as_str()].iter().filter_map(place).collect(),
    };
    listed.iter().map(package).collect()
}

/// Runs in the compiler.
fn is_macro(package: &Listed) -> bool {
    package.targets.iter().flat_map(|target| &target.kind).any(|kind| kind == "proc-macro")
}

/// `MIT/Apache-2.0` is the old spelling of OR.
fn spdx(expression: &str) -> String {
    expression.replace('/', " OR ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// By name and version.
fn read_checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let read = |block: &str| {
        let value = |name: &str| {
            let quoted =
                |line: &str| Some(line.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"')?.to_owned());
            block.lines().find_map(quoted)
        };
        Some(((value("name")?, value("version")?), value("checksum")?))
    };
    lock.split("[[package]]").filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_linked_packages_ship() {
        let package = |name: &str, source: Option<&str>, kind: &str| {
            json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0", "source": source,
                    "manifest_path": format!("/{name}/Cargo.toml"), "targets": [{ "kind": [kind] }] })
        };
        let edge = |name: &str, kind: Option<&str>| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [
                package("stoa", None, "bin"),
                package("suite", None, "test"),
                package("linked", Some("registry"), "lib"),
                package("deeper", Some("registry"), "lib"),
                package("derive", Some("registry"), "proc-macro"),
                package("cc", Some("registry"), "lib"),
                package("tester", Some("registry"), "lib"),
            ],
            "resolve": { "nodes": [
                { "id": "stoa", "deps": [edge("linked", None), edge("derive", None), edge("cc", Some("build")),
                                          edge("tester", Some("dev"))] },
                { "id": "linked", "deps": [edge("deeper", None)] },
                { "id": "derive", "deps": [edge("cc", None)] },
                { "id": "suite", "deps": [edge("tester", None)] },
            ]}
        });
        let lock = "[[package]]\nname = \"deeper\"\nversion = \"1.0.0\"\nsource = \"registry\"\nchecksum = \"abc\"\n";
        let metadata = serde_json::from_value(metadata).unwrap();
        let packages = select(metadata, &BTreeSet::from(["stoa"]), &read_checksums(lock));
        let names: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
        assert_eq!(names, ["deeper", "linked", "stoa"]);
        assert_eq!(packages[2].dependencies, [1]);
        assert_eq!(packages[0].checksum.as_deref(), Some("abc"));
        assert_eq!(packages[1].licence, "MIT OR Apache-2.0");
    }
}
