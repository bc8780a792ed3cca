//! SDKs as integrators generate them: by the usual generators with their default flags, from the contract as it is
//! served, compiled by the strictest rules that their language has, and taken on a tour of the host. Each generator's
//! version is in `tests/sdks`; its dependencies are installed to `target/sdks`. Where a tool is missing, an `Err` says
//! which.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::host::workspace;
use crate::{Company, npm, pip};

/// The part of the suite that needs their tools.
pub(crate) const PART: &str = "evidence::sdks";

/// How a generator is called, its result judged, and the tour begun; each a command of `FOLDER`, the folder with the contract.
pub struct Sdk {
    pub name: &'static str,
    /// The file of `tests/sdks/LANGUAGE` that is the tour.
    pub tour: &'static str,
    pub language: Language,
    pub steps: &'static [&'static [&'static str]],
    pub needs_java: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Language {
    TypeScript,
    Python,
}

const TYPE_CHECK: &[&str] = &["node", "{tools}/node_modules/typescript/bin/tsc", "--project", "."];
const BUNDLE: &[&str] = &[
    "{tools}/node_modules/.bin/esbuild",
    "tour.ts",
    "--bundle",
    "--platform=node",
    "--format=esm",
    "--log-level=warning",
    "--outfile=tour.mjs",
];
const RUN_BUNDLE: &[&str] = &["node", "tour.mjs"];
const RUN_PYTHON: &[&str] = &["{tools}/bin/python", "tour.py"];
const GENERATOR: &str = "{tools}/bin/openapi-generator-cli";

pub const SDKS: &[Sdk] = &[
    Sdk {
        name: "openapi-typescript",
        tour: "openapi-typescript.ts",
        language: Language::TypeScript,
        steps: &[
            &["{tools}/node_modules/.bin/openapi-typescript", "contract.json", "--output", "generated/schema.d.ts"],
            TYPE_CHECK,
            BUNDLE,
            RUN_BUNDLE,
        ],
        needs_java: false,
    },
    Sdk {
        name: "hey-api",
        tour: "hey-api.ts",
        language: Language::TypeScript,
        steps: &[
            &["{tools}/node_modules/.bin/openapi-ts", "--input", "contract.json", "--output", "generated"],
            TYPE_CHECK,
            BUNDLE,
            RUN_BUNDLE,
        ],
        needs_java: false,
    },
    Sdk {
        name: "openapi-generator typescript-fetch",
        tour: "typescript-fetch.ts",
        language: Language::TypeScript,
        steps: &[
            &[
                "{python}/bin/openapi-generator-cli",
                "generate",
                "-i",
                "contract.json",
                "-g",
                "typescript-fetch",
                "-o",
                "generated",
            ],
            TYPE_CHECK,
            BUNDLE,
            RUN_BUNDLE,
        ],
        needs_java: true,
    },
    Sdk {
        name: "openapi-python-client",
        tour: "openapi_python_client.py",
        language: Language::Python,
        steps: &[
            &[
                "{tools}/bin/openapi-python-client",
                "generate",
                "--path",
                "contract.json",
                "--meta",
                "none",
                "--output-path",
                "stoa_client",
            ],
            &["{tools}/bin/mypy", "--config-file", "{source}/openapi_python_client.ini", "stoa_client", "tour.py"],
            RUN_PYTHON,
        ],
        needs_java: false,
    },
    Sdk {
        name: "openapi-generator python",
        tour: "openapi_generator.py",
        language: Language::Python,
        steps: &[
            &[GENERATOR, "generate", "-i", "contract.json", "-g", "python", "-o", "."],
            // All of the SDK by the rules that the generator itself writes to `pyproject.toml`, which are not the
            // strictest; the tour's use of it by those.
            &["{tools}/bin/mypy", "openapi_client"],
            &["{tools}/bin/mypy", "--strict", "--follow-imports=silent", "tour.py"],
            RUN_PYTHON,
        ],
        needs_java: true,
    },
];

/// The result of an SDK: how long each step took.
pub fn tour(sdk: &Sdk, company: &Company) -> Result<Vec<Duration>, String> {
    if sdk.needs_java {
        Command::new("java").arg("-version").output().map_err(|_| "java is not installed".to_owned())?;
    }
    let language = match sdk.language {
        Language::TypeScript => "typescript",
        Language::Python => "python",
    };
    let tools = match sdk.language {
        Language::TypeScript => typescript()?,
        Language::Python => python()?,
    };
    let python = if sdk.needs_java { python()? } else { PathBuf::new() };
    let source = sources().join(language);
    let place = Folder::new("sdk");
    let copy = |from: &str, to: &str| std::fs::copy(source.join(from), place.path().join(to)).expect("cannot copy");
    match sdk.language {
        Language::TypeScript => {
            copy(sdk.tour, "tour.ts");
            copy("tsconfig.json", "tsconfig.json");
            // As in a project of theirs: packages next to the sources.
            std::os::unix::fs::symlink(tools.join("node_modules"), place.path().join("node_modules")).expect("a link");
        }
        Language::Python => {
            copy(sdk.tour, "tour.py");
        }
    }
    let contract = company.host.get("/v1/openapi.json").is(200).body;
    std::fs::write(place.path().join("contract.json"), contract.to_string()).expect("cannot write the contract");
    let path = [python.join("bin"), tools.join("bin")].map(|folder| folder.display().to_string()).join(":");
    let path = format!("{path}:{}", std::env::var("PATH").unwrap_or_default());
    let took = sdk.steps.iter().map(|step| {
        let began = Instant::now();
        let fill = |word: &str| {
            let folders = [("{tools}", &tools), ("{python}", &python), ("{source}", &source)];
            folders
                .iter()
                .fold(word.to_owned(), |word, (name, folder)| word.replace(name, &folder.display().to_string()))
        };
        let words: Vec<String> = step.iter().map(|word| fill(word)).collect();
        let output = Command::new(&words[0])
            .args(&words[1..])
            .current_dir(place.path())
            .env("PATH", &path)
            .env("URL", company.host.url())
            .env("TOKEN", &company.token)
            .env("TENANT", &company.tenant)
            .output()
            .unwrap_or_else(|error| panic!("{}: cannot run {}: {error}", sdk.name, words[0]));
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        let end = said.char_indices().rev().nth(6000).map_or(0, |(offset, _)| offset);
        assert!(output.status.success(), "{}: {} fails:\n{}", sdk.name, words.join(" "), &said[end..]);
        began.elapsed()
    });
    Ok(took.collect())
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sdks")
}

/// One at a time: two tests want the same tools.
static INSTALLING: Mutex<()> = Mutex::new(());

/// The folder with the packages of the npm registry, installed once for each lock file.
fn typescript() -> Result<PathBuf, String> {
    let _lock = INSTALLING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let files = ["package.json", "package-lock.json"];
    let source = sources().join("typescript");
    let folder = workspace().join("target/sdks").join(format!("typescript-{}", npm::digest(&source, &files)));
    if !folder.is_dir() {
        npm::install(PART, &source, &files)?.keep(&folder);
    }
    Ok(folder)
}

/// The virtual environment with the packages of PyPI.
fn python() -> Result<PathBuf, String> {
    let _lock = INSTALLING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    pip::install(PART, &sources().join("python"), "sdks/python")
}
