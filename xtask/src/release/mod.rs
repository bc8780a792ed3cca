//! `release`: everything that an operator installs, in one folder and one archive.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::build_modules::{self, compiled_folder, modules_folder};
use crate::program;
use crate::workspace::Workspace;

mod archive;
mod checksums;
mod glibc;
mod notices;
mod sbom;
mod shipped;

use shipped::Shipped;

#[derive(clap::Args)]
pub struct Args {
    /// The deployment's key, as `stoa module keygen --role deployment` makes it
    #[arg(long)]
    key: PathBuf,
    /// Folder of the release: a former release is replaced, other files stay [default: target/dist]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Take the programs and modules of the last build
    #[arg(long)]
    built: bool,
}

/// Programs of a release, by their names in cargo's folder.
const PROGRAMS: &[&str] = &["stoa", "stoa-import"];
/// Files and folders of the repository that a release has as they are.
const COPIED: &[&str] = &["CHANGELOG.md", "LICENSE", "deploy"];
/// Files and folders that are made for a release.
const MADE: &[&str] = &["modules", "precompiled", "precompiled.sha256", "NOTICES.txt", "sbom.cdx.json"];
/// Settings that decide the generated code: a release is compiled with those of the environment.
const CODE_SETTINGS: &[&str] = &["STOA_SANDBOX", "STOA_MODULE_MEMORY"];

pub fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let key = args.key.canonicalize().with_context(|| format!("cannot read {}", args.key.display()))?;
    if !args.built {
        build_modules::modules(workspace)?;
        workspace.build_host(name_commit(workspace), &[])?;
    }
    let out = args.out.clone().unwrap_or_else(|| workspace.target.join("dist"));
    fs::create_dir_all(&out).with_context(|| format!("cannot create {}", out.display()))?;
    let out = out.canonicalize()?;
    for name in parts().chain([checksums::LIST, checksums::SIGNATURE]) {
        remove(&out.join(name))?;
    }
    for name in PROGRAMS {
        copy_program(&workspace.host_binary().with_file_name(name), &out.join(name))?;
    }
    for name in COPIED {
        copy(&workspace.root.join(name), &out.join(name))?;
    }
    copy_modules(workspace, &out, &key)?;
    precompile(workspace, &out)?;
    let shipped = Shipped::find(workspace)?;
    fs::write(out.join("sbom.cdx.json"), sbom::write(&shipped)?)?;
    fs::write(out.join("NOTICES.txt"), notices::write(&shipped)?)?;
    let files = checksums::write(&out, parts())?;
    sign_list(workspace, &out, &key)?;
    let archive = archive::write(&out, &files)?;
    println!("{}", out.display());
    println!("{}", archive.display());
    println!("its programs need glibc {} or later", glibc::find_newest(&out.join("stoa"))?);
    Ok(())
}

fn parts() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().chain(COPIED).chain(MADE).copied()
}

/// Cargo with the commit for the host's build information. Without git, or outside a clone, nothing is named.
fn name_commit(workspace: &Workspace) -> Command {
    let mut git = Command::new("git");
    git.args(["describe", "--always", "--dirty", "--abbrev=12"]).current_dir(&workspace.root);
    let mut cargo = workspace.cargo();
    if let Some(commit) = program::output_quietly(&mut git) {
        cargo.env("STOA_COMMIT", commit.trim());
    }
    cargo
}

fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Without tables of lines, which are most of the file; the names of functions stay, for traces of faults.
fn copy_program(from: &Path, to: &Path) -> Result<()> {
    program::run(Command::new("strip").arg("--strip-debug").arg("-o").arg(to).arg(from))
}

/// Copies a file, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let copied = || format!("cannot copy {}", from.display());
    if from.is_dir() {
        fs::create_dir(to).with_context(copied)?;
        for entry in fs::read_dir(from).with_context(copied)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
    } else {
        fs::copy(from, to).with_context(copied)?;
    }
    Ok(())
}

/// The host that was built, apart from settings of this shell. It keeps what it compiles for the next release.
fn stoa(workspace: &Workspace, folder: &Path) -> Command {
    let mut command = Command::new(workspace.host_binary());
    for (name, _) in std::env::vars_os() {
        let is_setting = |name: &str| name.starts_with("STOA_") && !CODE_SETTINGS.contains(&name);
        if name.to_str().is_some_and(is_setting) {
            command.env_remove(name);
        }
    }
    // A `stoa.toml` of the working folder would count.
    command.current_dir(folder).env("STOA_MODULE_CACHE_DIR", compiled_folder(workspace));
    command
}

fn copy_modules(workspace: &Workspace, out: &Path, key: &Path) -> Result<()> {
    let folder = out.join("modules");
    fs::create_dir(&folder)?;
    let built = fs::read_dir(modules_folder(workspace)).context("no modules were built")?;
    let mut files = built.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|kind| kind == "wasm"));
    files.sort();
    for file in files {
        let name = file.file_name().context("a module without a name")?;
        fs::copy(&file, folder.join(name))?;
        program::run(stoa(workspace, &folder).args(["module", "sign"]).arg(name).arg("--key").arg(key))?;
    }
    Ok(())
}

fn precompile(workspace: &Workspace, out: &Path) -> Result<()> {
    let folder = out.join("precompiled");
    fs::create_dir(&folder)?;
    let mut command = stoa(workspace, &folder);
    command.args(["module", "precompile", "--out", ".", "--modules-dir", "../modules"]);
    fs::write(out.join("precompiled.sha256"), program::output(&mut command)?)?;
    Ok(())
}

fn sign_list(workspace: &Workspace, out: &Path, key: &Path) -> Result<()> {
    let mut command = stoa(workspace, &out.join("precompiled"));
    command.args(["module", "sign", "--list"]).arg(out.join(checksums::LIST)).arg("--key").arg(key);
    program::run(&mut command)
}
