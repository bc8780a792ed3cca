//! The SDK of `sdks/typescript` as a user has it: generated from the served contract, built, packed and installed. Its
//! unit tests run, and its README's tour, compiled by the strictest rules, on a host. Where a tool is missing, an `Err`
//! says which.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::host::workspace;
use crate::tour::blocks_of;
use crate::{Company, npm, sdks};

/// The marker of the tour's output, behind the line that prints it.
const MARK: &str = "// => ";
const PACKAGES: &[&str] = &["package.json", "package-lock.json"];
/// The project of a user who compiles more strictly than `strict` asks.
const PROJECT: &str = r#"{
  "compilerOptions": {
    "strict": true, "exactOptionalPropertyTypes": true, "noUncheckedIndexedAccess": true,
    "target": "es2022", "module": "nodenext", "types": ["node"]
  },
  "files": ["tour.ts"]
}"#;

/// How long each step took. The host must accept a receiver of webhooks on this port of the machine.
pub fn tour(company: &Company, port: u16) -> Result<Vec<Duration>, String> {
    let tools = tools()?;
    let place = Folder::new("sdk-typescript");
    let package = place.path().join("sdks/typescript");
    let vectors = "docs/webhooks/vectors.json";
    for folder in ["src", "test"] {
        let files = fs::read_dir(source().join(folder)).expect("a folder of the SDK").flatten();
        // One that an earlier build left is not of this contract.
        for file in files.map(|file| file.file_name()).filter(|name| name != "contract.ts") {
            copy(&source().join(folder).join(&file), &package.join(folder).join(&file));
        }
    }
    for file in ["package.json", "tsconfig.json", "README.md"] {
        copy(&source().join(file), &package.join(file));
    }
    copy(&workspace().join(vectors), &place.path().join(vectors));
    link(&tools.join("node_modules"), &package.join("node_modules"));
    let contract = company.host.get("/v1/openapi.json").is(200).body;
    fs::write(package.join("contract.json"), contract.to_string()).expect("cannot write the contract");

    let mut took = Vec::new();
    let mut run = |command: &mut Command| {
        let began = Instant::now();
        let printed = output(command);
        took.push(began.elapsed());
        printed
    };
    let script = |name: &str, arguments: &[&str]| {
        let mut command = Command::new("npm");
        command.args(["run", name, "--"]).args(arguments).current_dir(&package);
        command
    };
    run(&mut script("generate", &["contract.json"]));
    run(&mut script("build", &[]));
    run(&mut script("test", &[]));
    let mut pack = Command::new("npm");
    run(pack.args(["pack", "--ignore-scripts", "--pack-destination"]).arg(place.path()).current_dir(&package));

    let project = place.path().join("project");
    let modules = project.join("node_modules");
    unpack(place.path(), &modules.join("stoa-client"));
    for name in ["openapi-fetch", "openapi-typescript-helpers", "@types", "undici-types"] {
        link(&tools.join("node_modules").join(name), &modules.join(name));
    }
    let page = fs::read_to_string(package.join("README.md")).expect("a README");
    let blocks = blocks_of("ts", &page);
    let marks: Vec<&str> = page.lines().filter_map(|line| Some(line.split_once(MARK)?.1)).collect();
    assert!(blocks.len() >= 5 && marks.len() >= 7, "a tour of {} blocks and {} marks", blocks.len(), marks.len());
    for (name, text) in [("tour.ts", blocks.join("\n")), ("tsconfig.json", PROJECT.into())] {
        fs::write(project.join(name), text).expect("cannot write the tour");
    }
    fs::write(project.join("package.json"), r#"{"type": "module"}"#).expect("cannot write the project");
    let compiler = tools.join("node_modules/typescript/bin/tsc");
    run(Command::new("node").arg(compiler).args(["--project", "."]).current_dir(&project));
    let printed = run(Command::new("node")
        .arg("tour.js")
        .current_dir(&project)
        .env("URL", company.host.url())
        .env("TOKEN", &company.token)
        .env("TENANT", &company.tenant)
        .env("PORT", port.to_string()));
    assert_eq!(printed.lines().collect::<Vec<_>>(), marks, "the tour of sdks/typescript/README.md");
    Ok(took)
}

fn source() -> PathBuf {
    workspace().join("sdks/typescript")
}

/// The folder with the SDK's packages, installed once for each lock file.
fn tools() -> Result<PathBuf, String> {
    let folder = workspace().join("target/sdks").join(format!("client-{}", npm::digest(&source(), PACKAGES)));
    if !folder.is_dir() {
        npm::install(sdks::PART, &source(), PACKAGES)?.keep(&folder);
    }
    Ok(folder)
}

/// The files of the package that npm packed to this folder, and no others.
fn unpack(packed: &Path, to: &Path) {
    let entries = fs::read_dir(packed).expect("a folder").flatten().map(|entry| entry.path());
    let archives: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|kind| kind == "tgz")).collect();
    let [archive] = archives.as_slice() else { panic!("npm packed {archives:?}") };
    fs::create_dir_all(to).expect("cannot make a folder");
    output(
        Command::new("tar").arg("--extract").arg("--strip-components=1").arg("--file").arg(archive).arg("-C").arg(to),
    );
    assert!(!to.join("src").exists() && !to.join("test").exists(), "the package has more than its build");
}

/// The output of a command; it must succeed.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr);
    let end = printed.char_indices().rev().nth(6000).map_or(0, |(offset, _)| offset);
    assert!(output.status.success(), "{command:?} fails:\n{}\n{said}", &printed[end..]);
    printed
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().expect("a file in a folder")).expect("cannot make a folder");
    fs::copy(from, to).unwrap_or_else(|error| panic!("cannot copy {}: {error}", from.display()));
}

fn link(from: &Path, to: &Path) {
    symlink(from, to).unwrap_or_else(|error| panic!("cannot link {}: {error}", from.display()));
}
