//! `build-modules`: compiles modules for wasm32-unknown-unknown and makes components of them, with no tool but cargo.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use wit_component::ComponentEncoder;

use crate::wasm_target::{self, TARGET};
use crate::workspace::{Package, Workspace};

#[derive(clap::Args)]
pub struct Args {}

pub fn run(workspace: &Workspace, _args: Args) -> Result<()> {
    for module in modules(workspace)? {
        println!("{:<16} {:>9} bytes  sha256 {}", module.name, module.size, module.sha256);
    }
    Ok(())
}

/// A built component.
pub struct Module {
    pub name: String,
    pub size: usize,
    pub sha256: String,
}

/// Where `modules` leaves the deployment's modules.
pub fn modules_folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("modules")
}

/// Builds the modules of `components/`, without examples and the template, to `target/modules`.
pub fn modules(workspace: &Workspace) -> Result<Vec<Module>> {
    build(workspace, &module_packages(workspace), &modules_folder(workspace))
}

/// Builds the guests of `tests/guests/`, which only the suite loads, to `target/test-modules`.
pub fn guests(workspace: &Workspace) -> Result<Vec<Module>> {
    let folder = workspace.root.join("tests/guests");
    let packages = cdylibs(workspace).filter(|package| package.folder().starts_with(&folder)).collect::<Vec<_>>();
    build(workspace, &packages, &workspace.target.join("test-modules"))
}

fn module_packages(workspace: &Workspace) -> Vec<&Package> {
    let components = workspace.root.join("components");
    let others = [components.join("examples"), components.join("template")];
    cdylibs(workspace)
        .filter(|package| package.folder().starts_with(&components))
        .filter(|package| !others.iter().any(|other| package.folder().starts_with(other)))
        .collect()
}

/// Every package of the workspace that is built for the wasm target.
pub fn cdylibs(workspace: &Workspace) -> impl Iterator<Item = &Package> {
    workspace.packages.iter().filter(|package| package.is_cdylib())
}

/// Builds packages to `<folder of the package>.wasm` and removes components that no package stands for any more.
fn build(workspace: &Workspace, packages: &[&Package], into: &Path) -> Result<Vec<Module>> {
    wasm_target::ensure()?;
    std::fs::create_dir_all(into)?;
    let mut built = Vec::new();
    if !packages.is_empty() {
        let cores = compile(workspace, packages)?;
        for package in packages {
            let name = name(package)?;
            let core = cores.iter().find(|core| core.manifest_path == package.folder().join("Cargo.toml"));
            let core = core.with_context(|| format!("cargo built no WebAssembly for {name}"))?;
            built.push(componentize(&core.file, &name, into).with_context(|| format!("module {name}"))?);
        }
    }
    remove_others(into, &built)?;
    Ok(built)
}

/// The folder's name is the module's.
fn name(package: &Package) -> Result<String> {
    let name = package.folder().file_name().and_then(|name| name.to_str());
    Ok(name.with_context(|| format!("{} lies in no folder", package.name))?.to_string())
}

struct Core {
    manifest_path: PathBuf,
    file: PathBuf,
}

/// A line of cargo's JSON messages; of most kinds only `reason` is read.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

fn compile(workspace: &Workspace, packages: &[&Package]) -> Result<Vec<Core>> {
    let mut command = workspace.cargo();
    command.args(["build", "--profile", "module", "--target", TARGET, "--lib"]);
    command.arg("--message-format=json-render-diagnostics");
    for package in packages {
        command.args(["--package", &package.name]);
    }
    set_flags(workspace, &mut command);
    let output = command.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("the modules do not build");
    }
    let mut cores = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let message: Message = serde_json::from_str(line).context("a message of cargo is not as expected")?;
        let file = message.filenames.into_iter().find(|file| file.extension().is_some_and(|kind| kind == "wasm"));
        if let ("compiler-artifact", Some(file)) = (message.reason.as_str(), file) {
            cores.push(Core { manifest_path: message.manifest_path, file });
        }
    }
    Ok(cores)
}

/// Panic messages hold file names: without the folders of this machine, the same sources give the same bytes everywhere.
pub fn set_flags(workspace: &Workspace, command: &mut std::process::Command) {
    let mut flags = OsString::from("--remap-path-prefix=");
    flags.push(&workspace.root);
    flags.push("=stoa");
    if let Some(home) = cargo_home() {
        flags.push("\u{1f}--remap-path-prefix=");
        flags.push(home);
        flags.push("=cargo");
    }
    command.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", flags);
}

fn cargo_home() -> Option<PathBuf> {
    let stated = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    stated.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
}

/// Writes only changed bytes, so that whoever watches the folder sees a module only when it is another.
fn componentize(core: &Path, name: &str, into: &Path) -> Result<Module> {
    let core = std::fs::read(core)?;
    let component = ComponentEncoder::default().validate(true).module(&core)?.encode()?;
    let file = into.join(format!("{name}.wasm"));
    if std::fs::read(&file).ok().as_deref() != Some(&component) {
        // By a rename: a host that starts meanwhile reads the old module or the new one, never a part.
        let fresh = into.join(format!("{name}.wasm.new"));
        std::fs::write(&fresh, &component)?;
        std::fs::rename(&fresh, &file)?;
    }
    Ok(Module { name: name.to_string(), size: component.len(), sha256: hex(&Sha256::digest(&component)) })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A module whose sources are gone must not be activated by the next start.
fn remove_others(folder: &Path, built: &[Module]) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if path.extension().is_some_and(|kind| kind == "wasm") && !built.iter().any(|module| module.name == stem) {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}
