//! Programs of Python that the suite needs, from PyPI, in a virtual environment. Where there is no Python, or no way to
//! a registry, an `Err` says why.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::host::workspace;
use crate::npm;

/// The list of packages in the folder of each tool.
const LIST: &str = "requirements.txt";

/// Words of pip where there is no way to a registry.
const NO_REGISTRY: &[&str] =
    &["Could not fetch URL", "Failed to establish a new connection", "No matching distribution found"];

/// The virtual environment with the packages that a folder lists, made once for each list: `target/NAME-DIGEST`. `part`
/// of the suite needs it.
pub fn install(part: &str, source: &Path, name: &str) -> Result<PathBuf, String> {
    let digest = npm::digest(source, &[LIST]);
    let folder = workspace().join(format!("target/{name}-{digest}"));
    let whole = folder.join("whole");
    if whole.is_file() {
        return Ok(folder);
    }
    npm::may_fetch_for(part)?;
    let run = |program: &Path, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output();
        let output = output.map_err(|_| format!("{} is not installed", program.display()))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        match NO_REGISTRY.iter().find(|text| said.contains(*text)) {
            _ if output.status.success() => Ok(()),
            Some(_) => Err("pip reaches no registry".to_owned()),
            None if said.contains("ensurepip") => Err("python3 has no venv".to_owned()),
            None => panic!("{} {} fails: {said}", program.display(), arguments.join(" ")),
        }
    };
    let (place, list) = (folder.display().to_string(), source.join(LIST).display().to_string());
    run(Path::new("python3"), &["-m", "venv", "--clear", &place])?;
    run(&folder.join("bin/python"), &["-m", "pip", "install", "--quiet", "--no-deps", "--requirement", &list])?;
    std::fs::write(whole, "").expect("cannot write to target");
    Ok(folder)
}
