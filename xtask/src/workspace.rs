//! Where things are: the workspace's root, its target folder, its packages as cargo lists them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::program;

pub struct Workspace {
    pub root: PathBuf,
    pub target: PathBuf,
    /// Where cargo keeps what it compiles on the way: outside the clone, for all clones of this user.
    pub intermediate: PathBuf,
    pub packages: Vec<Package>,
    /// Ids of the packages that cargo takes where none is named.
    default_members: Vec<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_default_members: Vec<String>,
    target_directory: PathBuf,
    build_directory: PathBuf,
    workspace_root: PathBuf,
}

/// A package of the workspace.
#[derive(Deserialize)]
pub struct Package {
    pub name: String,
    id: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    crate_types: Vec<String>,
    /// The manifest does not say `test = false`.
    test: bool,
}

impl Workspace {
    /// The workspace that this program was built from.
    pub fn find() -> Result<Workspace> {
        // From its root: in the folder of a member, cargo takes that one for the only default member.
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let mut command = cargo();
        command.args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(root);
        let text = program::output(&mut command)?;
        let metadata: Metadata = serde_json::from_str(&text).context("cargo metadata is not as expected")?;
        Ok(Workspace {
            root: metadata.workspace_root,
            target: metadata.target_directory,
            intermediate: metadata.build_directory,
            packages: metadata.packages,
            default_members: metadata.workspace_default_members,
        })
    }

    /// Cargo, at the root.
    pub fn cargo(&self) -> Command {
        let mut command = cargo();
        command.current_dir(&self.root);
        command
    }

    pub fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// Builds the host and the program of `stoa import` next to it; answers the path of the host. With the features of
    /// all default members, as tests have them: for only the packages, cargo would build wasmtime once more. `additional`:
    /// other packages that cargo builds in the same run.
    pub fn build_host(&self, mut cargo: Command, additional: &[&str]) -> Result<PathBuf> {
        program::run(cargo.args(["build", "--release", "--bin", "stoa", "--bin", "stoa-import"]).args(additional))?;
        let binary = self.host_binary();
        if !binary.is_file() {
            bail!("cargo built no {}", binary.display());
        }
        Ok(binary)
    }

    /// Where the host's binary is once it is built.
    pub fn host_binary(&self) -> PathBuf {
        self.target.join("release").join(format!("stoa{}", std::env::consts::EXE_SUFFIX))
    }

    /// Names of the test targets of default members: programs of tests in addition to those within crates.
    pub fn integration_tests(&self) -> impl Iterator<Item = &str> {
        self.targets(false, "test").map(|target| target.name.as_str())
    }

    /// Names of the programs that hold tests; `all`: those of other members than the default ones too.
    pub fn tested_programs(&self, all: bool) -> impl Iterator<Item = &str> {
        self.targets(all, "bin").filter(|target| target.test).map(|target| target.name.as_str())
    }

    fn targets(&self, all: bool, kind: &str) -> impl Iterator<Item = &Target> {
        let members = self.packages.iter().filter(move |package| all || self.default_members.contains(&package.id));
        let targets = members.flat_map(|package| &package.targets);
        targets.filter(move |target| target.kind.iter().any(|other| other == kind))
    }
}

impl Package {
    /// The folder of the package.
    pub fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }

    /// Returns whether it builds to a WebAssembly module.
    pub fn is_cdylib(&self) -> bool {
        self.targets.iter().any(|target| target.crate_types.iter().any(|kind| kind == "cdylib"))
    }
}

/// The cargo that started this program, as `cargo run` names it. Its variables about this package are not passed on:
/// build scripts look at them, and would run again whenever cargo is called by hand in between.
fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let of_package = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(of_package) {
            command.env_remove(name);
        }
    }
    command
}
