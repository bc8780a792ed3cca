//! `sdks/python` as a reader of its readme has it: the suite follows the commands that build the package, and runs the
//! page's Python as one program with the wheel that they made. Where a tool is missing, an `Err` says which.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder::Folder;
use crate::host::workspace;
use crate::tour::{blocks, blocks_of, follow, mark};
use crate::{Company, pip};

/// The part of the suite that needs the generator. `--strict=evidence::sdks` wants it too.
pub const PART: &str = "evidence::sdks: sdks/python";

const VECTORS: &str = "docs/webhooks/vectors.json";

/// Folders that the commands of the page write.
const WRITTEN: &[&str] = &[".mypy_cache", ".venv", "__pycache__", "build", "dist", "stoa.egg-info", "v1"];

/// After the commands of the page: a reader's own program, judged by the strictest rules, and the wheel that it runs with.
const INSTALL: &str =
    "python -m mypy tour.py\npython -m pip install --quiet --no-deps --no-index --target installed dist/*.whl\n";

pub fn sources() -> PathBuf {
    workspace().join("sdks/python")
}

/// Follows the readme in a copy of the package.
pub fn follow_readme(company: &Company) -> Result<(), String> {
    let tools = pip::install(PART, &sources(), "sdks/stoa-python")?;
    let place = Folder::new("sdk-python");
    let package = place.path().join("sdks/python");
    copy_sources(&sources(), &package);
    let vectors = place.path().join(VECTORS);
    fs::create_dir_all(vectors.parent().expect("a file lies in a folder")).expect("cannot make a folder");
    fs::copy(workspace().join(VECTORS), vectors).expect("cannot copy the vectors");

    let page = fs::read_to_string(package.join("README.md")).expect("no README.md");
    let (mut commands, program) = (blocks(&page), blocks_of("python", &page).concat());
    assert_eq!(commands.len(), 1, "{commands:?}");
    fs::write(package.join("tour.py"), &program).expect("cannot write the program");
    commands.push(INSTALL.to_owned());
    let path = format!("{}:{}", tools.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let url = company.host.url();
    let variables = [
        ("PATH", path.as_str()),
        ("URL", url.as_str()),
        ("TOKEN", company.token.as_str()),
        ("TENANT", company.tenant.as_str()),
        ("STOA_WEBHOOK_SECRET", "whsec_of_an_endpoint"),
    ];
    follow(&commands, &package, &variables);

    let output = Command::new(tools.join("bin/python"))
        .arg("tour.py")
        .current_dir(&package)
        .envs(variables)
        .env("PYTHONPATH", package.join("installed"))
        .output()
        .expect("cannot run python");
    let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "the readme's program fails:\n{printed}\n{said}");
    let marks: Vec<&str> = program.lines().filter_map(mark).collect();
    assert!(marks.len() > 5, "{marks:?}");
    let mut rest = printed.as_ref();
    for mark in marks {
        rest = rest.split_once(mark).unwrap_or_else(|| panic!("expected {mark:?} in:\n{rest}")).1;
    }
    Ok(())
}

fn copy_sources(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap_or_else(|error| panic!("cannot make {}: {error}", to.display()));
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("cannot read {}: {error}", from.display())).flatten()
    {
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if !path.is_dir() {
            fs::copy(&path, &copy).unwrap_or_else(|error| panic!("cannot copy {}: {error}", path.display()));
        } else if !WRITTEN.iter().any(|name| entry.file_name() == *name) {
            copy_sources(&path, &copy);
        }
    }
}
