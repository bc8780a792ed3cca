//! `build-modules`: compiles modules for wasm32-unknown-unknown and makes components of them, with no tool but cargo.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use stoa_kit::component;
use wasmparser::{Parser, Payload};

use crate::program;
use crate::workspace::{Package, Workspace};

#[derive(clap::Args)]
pub struct Args {
    /// The example modules and the template, to target/examples, where no host activates them by itself
    #[arg(long)]
    examples: bool,
}

pub fn run(workspace: &Workspace, args: Args) -> Result<()> {
    for module in if args.examples { examples(workspace)? } else { modules(workspace)? } {
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

/// Where `examples` leaves the example modules and the template.
pub fn examples_folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("examples")
}

/// Where `guests` leaves the suite's guests.
pub fn guests_folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("test-modules")
}

/// Where compiled modules are kept, whatever data folder a host has: a module that was compiled once is ready for every first
/// start, also of another clone. A host loads from there only what this user's key signed.
pub fn compiled_folder(workspace: &Workspace) -> PathBuf {
    workspace.intermediate.join("compiled")
}

/// Compiles the modules of `modules` for this machine, those that are not there yet, before a host starts.
pub fn precompile(workspace: &Workspace, host: &Path) -> Result<()> {
    remove_unused_code(&compiled_folder(workspace))?;
    let mut command = Command::new(host);
    command.args(["module", "precompile", "--modules-dir"]).arg(modules_folder(workspace));
    command.env("STOA_MODULE_CACHE_DIR", compiled_folder(workspace));
    program::run(&mut command)
}

/// Each change of a module leaves its old code behind, and the suite leaves code of modules that it makes up.
fn remove_unused_code(folder: &Path) -> Result<()> {
    const KEPT: Duration = Duration::from_secs(14 * 24 * 60 * 60);
    if !folder.exists() {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)?.flatten() {
        let written = entry.metadata().and_then(|file| file.modified()).ok();
        let is_old = written.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > KEPT);
        // Not the key: the modules that it signed would be compiled again.
        if is_old && entry.file_name() != "key" {
            // A failure means that a run of another clone was faster.
            let _ = std::fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// Builds the modules of `components/`, without examples and the template, to `target/modules`.
pub fn modules(workspace: &Workspace) -> Result<Vec<Module>> {
    build(workspace, &module_packages(workspace), &modules_folder(workspace))
}

/// Builds the guests of `tests/guests/`, which only the suite loads, to `target/test-modules`.
pub fn guests(workspace: &Workspace) -> Result<Vec<Module>> {
    let folder = workspace.root.join("tests/guests");
    let packages = cdylibs(workspace).filter(|package| package.folder().starts_with(&folder)).collect::<Vec<_>>();
    build(workspace, &packages, &guests_folder(workspace))
}

/// Builds the modules of `components/examples/`, and the template, to `target/examples/`. Not together with the deployment's:
/// an example that takes a module's place has it as a library, without its exports.
pub fn examples(workspace: &Workspace) -> Result<Vec<Module>> {
    let packages = cdylibs(workspace).filter(|package| is_example(workspace, package)).collect::<Vec<_>>();
    build(workspace, &packages, &examples_folder(workspace))
}

/// The deployment's modules: no example, no template.
pub fn module_packages(workspace: &Workspace) -> Vec<&Package> {
    let components = workspace.root.join("components");
    cdylibs(workspace)
        .filter(|package| package.folder().starts_with(&components) && !is_example(workspace, package))
        .collect()
}

fn is_example(workspace: &Workspace, package: &Package) -> bool {
    let components = workspace.root.join("components");
    ["examples", "template"].iter().any(|folder| package.folder().starts_with(components.join(folder)))
}

/// Every package of the workspace that is built for the wasm target.
pub fn cdylibs(workspace: &Workspace) -> impl Iterator<Item = &Package> {
    workspace.packages.iter().filter(|package| package.is_cdylib())
}

/// Builds packages to `<folder of the package>.wasm` and removes components that have no package any more.
fn build(workspace: &Workspace, packages: &[&Package], into: &Path) -> Result<Vec<Module>> {
    std::fs::create_dir_all(into)?;
    let mut built = Vec::new();
    if !packages.is_empty() {
        let names: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
        let cores = component::compile(workspace.cargo(), &names, &workspace.root)?;
        for package in packages {
            let name = name(package)?;
            let core = cores.iter().find(|core| core.manifest == package.folder().join("Cargo.toml"));
            let core = core.with_context(|| format!("cargo built no WebAssembly for {name}"))?;
            built.push(componentize(&core.file, &name, into).with_context(|| format!("module {name}"))?);
        }
    }
    remove_others(into, &built)?;
    Ok(built)
}

/// The folder's name is the component's.
fn name(package: &Package) -> Result<String> {
    let name = package.folder().file_name().and_then(|name| name.to_str());
    Ok(name.with_context(|| format!("{} lies in no folder", package.name))?.to_string())
}

/// Writes the component and prints it.
fn componentize(core: &Path, name: &str, into: &Path) -> Result<Module> {
    reject_debug_sections(&std::fs::read(core)?)?;
    let component = component::encode(core)?;
    component::write(&component, &into.join(format!("{name}.wasm")))?;
    Ok(Module { name: name.to_string(), size: component.len(), sha256: hex(&Sha256::digest(&component)) })
}

/// Debug sections make a component ten times as large: every start, push and fresh database pays for them. They come back where a
/// profile of cargo loses `debug = false`.
fn reject_debug_sections(core: &[u8]) -> Result<()> {
    for payload in Parser::new(0).parse_all(core) {
        if let Payload::CustomSection(section) = payload.context("cargo built no WebAssembly")?
            && section.name().starts_with(".debug")
        {
            bail!("it has the section {}: profile.module in Cargo.toml must say debug = false", section.name());
        }
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of a module, and one empty custom section.
    fn module_with(section: &str) -> Vec<u8> {
        let mut bytes = b"\0asm\x01\0\0\0".to_vec();
        let name = u8::try_from(section.len()).unwrap();
        bytes.extend([0, name + 1, name]);
        bytes.extend(section.as_bytes());
        bytes
    }

    #[test]
    fn a_module_with_a_debug_section_is_rejected() {
        for section in [".debug_info", ".debug_str", ".debug_line"] {
            let error = reject_debug_sections(&module_with(section)).unwrap_err();
            assert!(error.to_string().contains(section), "{error}");
        }
        // Names of functions, for the traces of traps.
        reject_debug_sections(&module_with("name")).unwrap();
        assert!(reject_debug_sections(b"no module").is_err());
    }
}
