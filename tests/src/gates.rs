//! Tools of others that judge the served contract, and the host by it. Each finding is allowed by
//! `tests/gates/allowed.json`, with a reason, or a failure. Where a tool is missing, an `Err` says which. The versions
//! are in `tests/gates`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::Value as Json;

use crate::folder::Folder;
use crate::host::workspace;
use crate::{npm, pip};

/// The part of the suite that needs these tools.
const PART: &str = "evidence::gates";
const FILES: &[&str] = &["package.json", "package-lock.json"];
/// So many findings are printed.
const MOST_PRINTED: usize = 60;
/// Redocly lists 100 problems if nothing is said.
const MOST_PROBLEMS: &str = "100000";
/// The code of Schemathesis for a valid request that was rejected. `hooks.py` writes down the reason of each.
const REJECTED: &str = "ST202";

/// One finding of a gate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub rule: String,
    /// A JSON pointer into the contract, or `METHOD /path`; of a valid request that was rejected, with pointer and code
    /// of the item: `METHOD /path /items/*/quantity RANGE minimum`.
    pub place: String,
    pub text: String,
}

/// Who sends the requests of Schemathesis.
pub struct Caller<'a> {
    pub name: &'static str,
    pub url: String,
    pub credential: &'a str,
    pub tenant: &'a str,
    /// True if it calls operations of API clients, and no others.
    pub is_machine: bool,
    /// Cases for an operation, at most.
    pub cases: u32,
}

/// An entry of the list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Allowed {
    gate: String,
    rule: String,
    /// A place; `*` matches any text.
    r#where: String,
    /// For readers of the list.
    reason: String,
}

/// The rules `recommended-strict` of Redocly.
pub fn redocly(contract: &Json) -> Result<Vec<Finding>, String> {
    let (tools, place) = (tools()?, place(contract));
    let mut command = node_program(&tools, "redocly", place.path());
    command.args(["lint", "contract.json", "--extends", "recommended-strict", "--format", "json"]);
    command.args(["--max-problems", MOST_PROBLEMS]);
    command.env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
    let output = run("redocly", &mut command);
    let report = parse("redocly", &output.stdout, &output);
    let problems = report["problems"].as_array().unwrap_or_else(|| panic!("redocly lists no problems: {report}"));
    let finding = |problem: &Json| Finding {
        rule: text(&problem["ruleId"]),
        place: text(&problem["location"][0]["pointer"]).trim_start_matches('#').to_owned(),
        text: text(&problem["message"]),
    };
    Ok(problems.iter().map(finding).collect())
}

/// The rules `oas` of Spectral, of every severity.
pub fn spectral(contract: &Json) -> Result<Vec<Finding>, String> {
    let (tools, place) = (tools()?, place(contract));
    let mut command = node_program(&tools, "spectral", place.path());
    command.arg("lint").arg("--ruleset").arg(sources().join("spectral.yaml"));
    command.args(["--format", "json", "--output", "report.json", "--quiet", "contract.json"]);
    let output = run("spectral", &mut command);
    let report = fs::read(place.path().join("report.json")).unwrap_or_default();
    let report = parse("spectral", &report, &output);
    let problems = report.as_array().unwrap_or_else(|| panic!("spectral lists no problems: {report}"));
    let finding = |problem: &Json| Finding {
        rule: text(&problem["code"]),
        place: pointer(problem["path"].as_array().map_or(&[], Vec::as_slice)),
        text: text(&problem["message"]),
    };
    Ok(problems.iter().map(finding).collect())
}

/// All checks of Schemathesis on a host. Its output goes to `target/contract/CALLER.log`, with the requests to repeat; the
/// rejections of valid requests go to `CALLER.rejections`, a line of JSON each.
pub fn schemathesis(contract: &Json, caller: &Caller) -> Result<Vec<Finding>, String> {
    let (tools, place) = (python()?, place(contract));
    // The contract says that no text has U+0000.
    let settings =
        format!("[generation]\nallow-x00 = false\n\n[parameters]\n\"path.tenantId\" = \"{}\"\n", caller.tenant);
    fs::write(place.path().join("schemathesis.toml"), settings).expect("cannot write the settings");
    fs::copy(sources().join("hooks.py"), place.path().join("hooks.py")).expect("cannot copy the hooks");
    let mut command = Command::new(tools.join("bin/schemathesis"));
    command.current_dir(place.path()).env("SCHEMATHESIS_HOOKS", "hooks").env("PYTHONPATH", place.path());
    command.args(["--config-file", "schemathesis.toml", "run", "contract.json", "--checks", "all", "--no-color"]);
    command.args(["--continue-on-failure", "--request-timeout", "60", "--report", "json"]);
    command.args(["--report-json-path", "report.json", "--url", &format!("{}/v1", caller.url)]);
    command.args(["--max-examples", &caller.cases.to_string()]);
    command.args(["--header", &format!("Authorization: Bearer {}", caller.credential)]);
    command.args([if caller.is_machine { "--include-path-regex" } else { "--exclude-path-regex" }, "^/api-client/"]);
    let output = run("schemathesis", &mut command);
    let log = workspace().join("target/contract").join(format!("{}.log", caller.name));
    fs::create_dir_all(log.parent().expect("a place in target")).expect("cannot make a folder in target");
    fs::write(&log, &output.stdout).unwrap_or_else(|error| panic!("cannot write {}: {error}", log.display()));
    let report = parse("schemathesis", &fs::read(place.path().join("report.json")).unwrap_or_default(), &output);
    assert_eq!(report["complete"], true, "schemathesis did not end its run: {}", log.display());
    println!(
        "schemathesis as {}: {} in {}; its log: {}",
        caller.name,
        report["test_cases"],
        report["operations"],
        log.display()
    );
    let rejections = fs::read_to_string(place.path().join("rejections.jsonl")).unwrap_or_default();
    let kept = log.with_extension("rejections");
    fs::write(&kept, &rejections).unwrap_or_else(|error| panic!("cannot write {}: {error}", kept.display()));
    let mut findings = read_report(&report, &log);
    findings.extend(read_rejections(&rejections));
    Ok(findings)
}

/// One finding for each operation, pointer and code of the rejections, which are lines of JSON.
fn read_rejections(rejections: &str) -> BTreeSet<Finding> {
    let mut findings = BTreeSet::new();
    for line in rejections.lines() {
        let rejection: Json = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let operation = text(&rejection["operation"]);
        let new_finding =
            |place: String| Finding { rule: REJECTED.into(), place, text: "a valid request is rejected".into() };
        let items = rejection["problem"]["errors"].as_array().map_or(&[][..], Vec::as_slice);
        if items.is_empty() {
            findings.insert(new_finding(format!("{operation} {}", text(&rejection["problem"]["code"]))));
        }
        for item in items {
            let pointer = hide_indices(item["pointer"].as_str().unwrap_or_default());
            let bounds =
                item["expected"].as_object().map(|bounds| bounds.keys().map(String::as_str).collect::<Vec<_>>());
            let bounds = bounds.map_or_else(String::new, |bounds| format!(" {}", bounds.join(" ")));
            findings.insert(new_finding(format!("{operation} {pointer} {}{bounds}", text(&item["code"]))));
        }
    }
    findings
}

/// A pointer with `*` in the place of every index.
fn hide_indices(pointer: &str) -> String {
    let is_index = |step: &str| !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    pointer.split('/').map(|step| if is_index(step) { "*" } else { step }).collect::<Vec<_>>().join("/")
}

fn read_report(report: &Json, log: &Path) -> Vec<Finding> {
    let list = |value: &Json| value.as_array().cloned().unwrap_or_default();
    let mut findings = Vec::new();
    for failure in list(&report["failures"]).iter().filter(|failure| failure["code"] != REJECTED) {
        let about = |operation: &Json| Finding {
            rule: text(&failure["code"]),
            place: text(operation),
            text: format!("{}: {}", text(&failure["title"]), log.display()),
        };
        findings.extend(list(&failure["operations"]).iter().map(about));
    }
    // An error has no place: the log says which operations it stopped.
    findings.extend(list(&report["errors"]).iter().map(|error| Finding {
        rule: text(&error["title"]),
        place: String::new(),
        text: format!("{} times: {}", error["count"], log.display()),
    }));
    findings
}

/// The faults of a gate's run: findings that no entry allows, and entries that nothing meets. Schemathesis draws by
/// chance: it may find tomorrow a fault that it does not find today, so only the linters' entries must be met.
pub fn faults(gate: &str, findings: &[Finding]) -> Vec<String> {
    let file = sources().join("allowed.json");
    let list = fs::read(&file).unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()));
    let entries: Vec<Allowed> =
        serde_json::from_slice(&list).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    judge(gate, findings, &entries)
}

fn judge(gate: &str, findings: &[Finding], entries: &[Allowed]) -> Vec<String> {
    let entries: Vec<&Allowed> = entries.iter().filter(|entry| entry.gate == gate).collect();
    let allows =
        |entry: &&Allowed, finding: &Finding| entry.rule == finding.rule && fits(&entry.r#where, &finding.place);
    let open: Vec<&Finding> =
        findings.iter().filter(|finding| !entries.iter().any(|entry| allows(entry, finding))).collect();
    let mut faults: Vec<String> = open
        .iter()
        .take(MOST_PRINTED)
        .map(|finding| format!("{gate} {} at {}: {}", finding.rule, finding.place, finding.text))
        .collect();
    if open.len() > MOST_PRINTED {
        faults.push(format!("{gate}: {} more", open.len() - MOST_PRINTED));
    }
    for entry in entries {
        if entry.reason.trim().is_empty() {
            faults.push(format!("{gate} {} at {}: the entry has no reason", entry.rule, entry.r#where));
        }
        if gate != "schemathesis" && !findings.iter().any(|finding| allows(&entry, finding)) {
            faults.push(format!("{gate} {} at {}: nothing meets this entry; delete it", entry.rule, entry.r#where));
        }
    }
    faults
}

/// `*` of the pattern matches any text.
fn fits(pattern: &str, place: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == place };
    let Some(place) = place.strip_prefix(first) else { return false };
    let mut ends = place.char_indices().map(|(offset, _)| offset).chain([place.len()]);
    ends.any(|offset| fits(rest, &place[offset..]))
}

/// A JSON pointer of these members.
fn pointer(members: &[Json]) -> String {
    members.iter().map(|member| format!("/{}", text(member).replace('~', "~0").replace('/', "~1"))).collect()
}

fn text(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A folder with the contract.
fn place(contract: &Json) -> Folder {
    let place = Folder::new("gate");
    fs::write(place.path().join("contract.json"), contract.to_string()).expect("cannot write the contract");
    place
}

fn node_program(tools: &Path, name: &str, place: &Path) -> Command {
    let mut command = Command::new("node");
    command.arg(tools.join("node_modules/.bin").join(name)).current_dir(place);
    command
}

fn run(name: &str, command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("cannot run {name}: {error}"))
}

fn parse(name: &str, report: &[u8], output: &Output) -> Json {
    serde_json::from_slice(report).unwrap_or_else(|error| {
        let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
        panic!("{name} ends with {} and reports no JSON ({error}):\n{}", output.status, String::from_utf8_lossy(&said))
    })
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("gates")
}

/// One at a time: several tests want the same tools.
static INSTALLING: Mutex<()> = Mutex::new(());

/// The folder with the packages of the npm registry, installed once for each lock file.
fn tools() -> Result<PathBuf, String> {
    let _lock = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let source = sources();
    let folder = workspace().join("target/gates").join(format!("node-{}", npm::digest(&source, FILES)));
    if !folder.is_dir() {
        npm::install(PART, &source, FILES)?.keep(&folder);
    }
    Ok(folder)
}

/// The virtual environment with Schemathesis.
fn python() -> Result<PathBuf, String> {
    let _lock = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    pip::install(PART, &sources(), "gates/python")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn finding(rule: &str, place: &str) -> Finding {
        Finding { rule: rule.into(), place: place.into(), text: "why".into() }
    }

    fn new_entry(gate: &str, rule: &str, place: &str, reason: &str) -> Allowed {
        Allowed { gate: gate.into(), rule: rule.into(), r#where: place.into(), reason: reason.into() }
    }

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, place) in
            [("/info", "/info"), ("*", ""), ("*", "/a"), ("/a/*/c", "/a/b/b/c"), ("POST *é", "POST /é")]
        {
            assert!(fits(pattern, place), "{pattern} {place}");
        }
        for (pattern, place) in [("/info", "/info/x"), ("/a/*/c", "/a/b"), ("", "/a")] {
            assert!(!fits(pattern, place), "{pattern} {place}");
        }
    }

    #[test]
    fn only_what_is_listed_is_allowed() {
        let entries = [new_entry("redocly", "one", "/a/*", "why"), new_entry("spectral", "two", "/b", "why")];
        assert!(judge("redocly", &[finding("one", "/a/b")], &entries).is_empty());
        let faults = judge("redocly", &[finding("one", "/a/b"), finding("two", "/b")], &entries);
        assert_eq!(faults, ["redocly two at /b: why"]);
    }

    #[test]
    fn an_entry_that_nothing_meets_is_a_fault_of_a_linter_alone() {
        let entries = [new_entry("redocly", "one", "/a", "why"), new_entry("schemathesis", "two", "/b", "why")];
        assert_eq!(judge("redocly", &[], &entries), ["redocly one at /a: nothing meets this entry; delete it"]);
        assert!(judge("schemathesis", &[], &entries).is_empty());
    }

    #[test]
    fn an_entry_has_a_reason() {
        let entries = [new_entry("redocly", "one", "/a", " ")];
        assert_eq!(judge("redocly", &[finding("one", "/a")], &entries).len(), 1);
    }

    #[test]
    fn a_report_of_schemathesis_lists_each_operation() {
        let report = json!({
            "failures": [
                {"code": "ST101", "title": "Server error", "operations": ["GET /a", "POST /a"]},
                {"code": "ST202", "title": "Rejected", "operations": ["GET /b"]},
            ],
            "errors": [{"title": "Schema Error", "count": 2}],
        });
        let findings = read_report(&report, Path::new("a.log"));
        let found: Vec<(&str, &str)> =
            findings.iter().map(|finding| (finding.rule.as_str(), finding.place.as_str())).collect();
        assert_eq!(found, [("ST101", "GET /a"), ("ST101", "POST /a"), ("Schema Error", "")]);
    }

    #[test]
    fn a_rejection_is_found_with_the_pointer_and_code_of_each_item() {
        let lines = r#"{"operation": "POST /a", "problem": {"code": "VALIDATION_FAILED", "errors": [
            {"pointer": "/items/12/quantity", "code": "RANGE", "expected": {"minimum": "1"}}, {"pointer": "/to", "code": "REPEATED"}]}}"#
            .replace('\n', " ");
        let again = r#"{"operation": "POST /a", "problem": {"code": "VALIDATION_FAILED", "errors": [{"pointer": "/to", "code": "REPEATED"}]}}"#;
        let plain = r#"{"operation": "GET /b", "problem": {"code": "BODY_TOO_LARGE", "errors": []}}"#;
        let findings = read_rejections(&format!("{lines}\n{again}\n{plain}\n"));
        let places: Vec<&str> = findings.iter().map(|finding| finding.place.as_str()).collect();
        assert_eq!(
            places,
            ["GET /b BODY_TOO_LARGE", "POST /a /items/*/quantity RANGE minimum", "POST /a /to REPEATED"]
        );
    }

    #[test]
    fn a_pointer_is_escaped() {
        assert_eq!(pointer(&[json!("paths"), json!("/a~b"), json!(0)]), "/paths/~1a~0b/0");
    }
}
