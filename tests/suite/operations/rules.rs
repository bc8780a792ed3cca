//! The alert rules, by Prometheus's own program. That they and the dashboard name metrics that exist, and that each alert
//! has its section in the page of incidents, are unit tests of the list (`host/src/observe/metric_list.rs`).

use std::path::{Path, PathBuf};
use std::process::Command;

use stoa_tests::host::workspace;
use stoa_tests::npm::may_fetch;
use stoa_tests::{Folder, record};

stoa_tests::tests![promtool_accepts_the_rules_and_their_tests, the_dashboard_s_queries_are_expressions];

fn promtool_accepts_the_rules_and_their_tests() {
    let Some(promtool) = find_promtool() else { return };
    let folder = workspace().join("deploy/prometheus");
    accepts(&promtool, &folder, &["check", "rules", "stoa.rules.yml"]);
    accepts(&promtool, &folder, &["test", "rules", "stoa.test.yml"]);
}

fn the_dashboard_s_queries_are_expressions() {
    let Some(promtool) = find_promtool() else { return };
    let text = std::fs::read_to_string(workspace().join("deploy/grafana/stoa.json")).expect("the dashboard");
    let dashboard: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().expect("queries"));
    // Grafana fills these in.
    let queries = targets.map(|target| target["expr"].as_str().expect("a query"));
    let queries = queries.map(|query| query.replace("$__rate_interval", "5m").replace("$__range", "1h"));
    let rules: Vec<serde_json::Value> = queries
        .enumerate()
        .map(|(nth, query)| serde_json::json!({ "record": format!("query:{nth}"), "expr": query }))
        .collect();
    assert!(rules.len() > 20, "{rules:?}");
    let folder = Folder::new("dashboard");
    // JSON is YAML.
    let file = serde_json::json!({ "groups": [{ "name": "dashboard", "rules": rules }] });
    std::fs::write(folder.path().join("queries.yml"), file.to_string()).expect("cannot write the queries");
    accepts(&promtool, folder.path(), &["check", "rules", "queries.yml"]);
}

#[track_caller]
fn accepts(promtool: &Path, folder: &Path, words: &[&str]) {
    let output = Command::new(promtool).args(words).current_dir(folder).output().expect("cannot run promtool");
    let lines = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "promtool {words:?}: {}", lines.concat());
}

/// Prometheus's program: the installed one, or the one of Debian's package, unpacked below `target`. A run that fetches
/// nothing says so and does without.
fn find_promtool() -> Option<PathBuf> {
    let installed = Command::new("promtool").arg("--version").output().is_ok_and(|output| output.status.success());
    if installed {
        return Some("promtool".into());
    }
    let kept = workspace().join("target/promtool/usr/bin/promtool");
    if kept.is_file() {
        return Some(kept);
    }
    if let Err(why) = may_fetch() {
        record::tell_not_run("operations::rules", &format!("promtool is not here, and {why}"));
        return None;
    }
    let folder = Folder::new("promtool");
    let commands = "apt-get download -qq prometheus && dpkg -x prometheus_*.deb unpacked";
    let status = Command::new("sh").args(["-c", commands]).current_dir(folder.path()).status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "no promtool here: install it (Debian: apt-get install prometheus), or run `apt-get update` first"
    );
    let fetched = folder.path().join("unpacked/usr/bin/promtool");
    std::fs::create_dir_all(kept.parent()?).expect("cannot make a folder in target");
    // Whole or not at all: another test may be reading it.
    let part = kept.with_extension(stoa_tests::company::fresh(&format!("{}-", std::process::id())));
    std::fs::copy(fetched, &part).expect("cannot keep promtool");
    std::fs::rename(part, &kept).expect("cannot keep promtool");
    Some(kept)
}
