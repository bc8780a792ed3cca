//! The released hosts that `--all` upgrades from, each built once from its commit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::workspace::Workspace;
use crate::{build_modules, program};

/// Names the folder to the suite: `VERSION/stoa` and `VERSION/modules`.
pub const FOLDER: &str = "STOA_TEST_RELEASES";

/// Builds the hosts and modules of `tests/releases.txt` that are not built yet, and compiles the modules for this
/// machine. A clone without the history lacks a release's commit: the suite reports that its tests did not run.
pub fn build(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target.join("releases");
    let list = workspace.root.join("tests/releases.txt");
    let text = fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    for (version, commit) in parse(&text)? {
        let release = folder.join(version);
        if !has_commit(workspace, commit) {
            eprintln!("{version} is not built: git has no commit {commit} here");
            continue;
        }
        let mark = release.join("commit");
        if fs::read_to_string(&mark).ok().as_deref() != Some(commit) {
            build_release(workspace, &release, commit).with_context(|| format!("the release {version}"))?;
            fs::write(&mark, commit)?;
        }
        precompile(workspace, &release)?;
    }
    Ok(folder)
}

/// Version and commit of each line.
fn parse(text: &str) -> Result<Vec<(&str, &str)>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(' ').with_context(|| format!("no version and commit: {line}"))).collect()
}

fn has_commit(workspace: &Workspace, commit: &str) -> bool {
    let mut git = Command::new("git");
    git.args(["cat-file", "-e", &format!("{commit}^{{commit}}")]).current_dir(&workspace.root);
    git.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn build_release(workspace: &Workspace, release: &Path, commit: &str) -> Result<()> {
    let (source, target) = (release.join("source"), release.join("target"));
    if release.exists() {
        fs::remove_dir_all(release)?;
    }
    fs::create_dir_all(&source)?;
    let packed = release.join("source.tar");
    let mut git = Command::new("git");
    git.args(["archive", "--format=tar", "--output"]).arg(&packed).arg(commit).current_dir(&workspace.root);
    program::run(&mut git)?;
    program::run(Command::new("tar").arg("-xf").arg(&packed).arg("-C").arg(&source))?;
    let cargo = |words: &[&str]| {
        let mut cargo = workspace.cargo();
        cargo.args(words).current_dir(&source).env("CARGO_TARGET_DIR", &target);
        // Cargo distinguishes packages by their folder: each clone needs a folder of its own.
        cargo.env("CARGO_BUILD_BUILD_DIR", workspace.intermediate.join("releases"));
        program::run(&mut cargo)
    };
    cargo(&["xtask", "build-modules"])?;
    cargo(&["build", "--release", "--bin", "stoa", "--bin", "stoa-import"])?;
    fs::rename(target.join("release/stoa"), release.join("stoa"))?;
    fs::rename(target.join("modules"), release.join("modules"))?;
    fs::remove_file(packed)?;
    fs::remove_dir_all(source)?;
    Ok(fs::remove_dir_all(target)?)
}

/// Both hosts run the release's modules: the released one, and the one under test unless their platform is another.
fn precompile(workspace: &Workspace, release: &Path) -> Result<()> {
    let compile = |host: &Path| {
        let mut command = Command::new(host);
        command.args(["module", "precompile", "--modules-dir"]).arg(release.join("modules"));
        program::run(command.env("STOA_MODULE_CACHE_DIR", build_modules::compiled_folder(workspace)))
    };
    compile(&release.join("stoa"))?;
    if let Err(error) = compile(&workspace.host_binary()) {
        eprintln!("this host does not run the modules of {}: {error:#}", release.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_line_is_a_version_and_a_commit() {
        assert_eq!(parse("# comment\n0.1.0 abc\n0.2.0 def\n").unwrap(), [("0.1.0", "abc"), ("0.2.0", "def")]);
        assert!(parse("0.1.0\n").is_err());
    }
}
