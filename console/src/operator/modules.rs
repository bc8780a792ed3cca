//! Modules: their list, the push, the comparison, and the changes of one module.

use std::collections::BTreeSet;

use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{StatusCode, header};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::hosts::count_failures;
use super::upload::Upload;
use super::values::{cell, instant, list, short, show, table, text};
use super::{Drawn, OperatorProblem, OperatorRequest, address};
use crate::page;
use crate::pairs::Pairs;

/// Lines of a module's log that its page shows.
const MOST_LINES: usize = 100;
/// Seconds after which the page of a push reads itself again.
const PAUSE: u32 = 2;

pub async fn draw_list(asked: &OperatorRequest) -> Drawn {
    let shown = asked.get("modules").await?;
    let active = list(&shown, "modules").iter().map(|module| {
        let (name, health) = (text(module, "name"), &module["health"]);
        vec![
            html! { a href=(address(&format!("active/{name}"))) { (name) } },
            cell(text(module, "version")),
            cell(show(&module["signer"])),
            cell(show(&health["calls"])),
            cell(count_failures(health).to_string()),
            cell(format!("{} / {} µs", show(&health["p50Us"]), show(&health["p99Us"]))),
        ]
    });
    let digests: BTreeSet<&str> = list(&shown, "modules").iter().map(|module| text(module, "digest")).collect();
    let pushed = list(&shown, "artifacts").iter().map(|artifact| {
        let digest = text(artifact, "digest");
        vec![
            html! { a href=(address(&format!("module/{digest}"))) { (text(artifact, "name")) " " (short(digest)) } },
            cell(text(artifact, "version")),
            cell(if digests.contains(digest) { "active" } else { "" }),
            cell(show(&artifact["signer"])),
            instant(&artifact["pushedAt"]),
            cell(text(artifact, "pushedBy")),
        ]
    });
    let body = html! {
        (table("Active modules", &["Module", "Version", "Signer", "Calls", "Failures", "p50 / p99"], active))
        h2 { "Push a module" }
        form id="push" method="post" action=(address("modules")) enctype="multipart/form-data" {
            (asked.token_field())
            p.field { label for="component" { "Component (.wasm)" } input id="component" name="component" type="file" required; }
            p.field {
                label for="admission" { "Admission" }
                textarea id="admission" name="admission" rows="4" aria-describedby="admission-help" {}
                span.help id="admission-help" { "The content of the file that stoa module sign writes." }
            }
            p.actions { button { "Push" } }
        }
        (table("Pushed modules", &["Module", "Version", "State", "Signer", "Pushed", "By"], pushed))
    };
    Ok(asked.draw("Modules", body))
}

/// The bytes go as the operators' API takes them. A component that is compiled for long has a page that reads itself again.
pub async fn push(asked: &OperatorRequest, upload: &Upload) -> Drawn {
    let mut request = http::Request::post("/operator/modules")
        .header(header::CONTENT_TYPE, "application/wasm")
        .header("prefer", "respond-async, wait=20");
    let admission = upload.text("admission").trim();
    if !admission.is_empty() {
        request = request.header("stoa-admission", BASE64_STANDARD.encode(admission));
    }
    let component = upload.get("component").cloned().unwrap_or_default();
    let (status, pushed) = asked.send(request, component).await?;
    let path = address(&format!("module/{}", text(&pushed, "digest")));
    Ok(if status == StatusCode::ACCEPTED { draw_wait(asked, &format!("{path}?push=1")) } else { page::redirect(&path) })
}

fn draw_wait(asked: &OperatorRequest, path: &str) -> Response {
    let body = html! { p role="status" { "The host compiles the module. " a href=(path) { "Read again" } } };
    asked.draw_with(StatusCode::OK, "Push of a module", Some((PAUSE, path)), body)
}

/// A pushed module: what its activation would change, and the activation.
pub async fn draw_pushed(asked: &OperatorRequest, digest: &str) -> Drawn {
    if asked.query.get("push").is_some() {
        let request = http::Request::get(format!("/operator/modules/{digest}"));
        match asked.send(request, Bytes::new()).await {
            Ok((StatusCode::ACCEPTED, _)) => return Ok(draw_wait(asked, &address(&format!("module/{digest}?push=1")))),
            // Another page has read the result.
            Err(problem) if problem.status == StatusCode::NOT_FOUND => {}
            Err(problem) => return Err(problem),
            Ok(_) => {}
        }
        return Ok(page::redirect(&address(&format!("module/{digest}"))));
    }
    let compared = asked.get(&format!("modules/{digest}/diff")).await?;
    let (changes, conflicts) = (list(&compared, "changes"), list(&compared, "conflicts"));
    let against = &compared["against"];
    let fields = html! {
        input type="hidden" name="generation" value=(show(&compared["generation"]));
        (draw_changes(changes, true))
        p { label { input type="checkbox" name="again" value="true"; " A version that was withdrawn may come back" } }
        p.actions { button { "Activate" } }
    };
    let body = html! {
        dl.record {
            dt { "Version" } dd { (text(&compared, "version")) }
            dt { "Digest" } dd { code { (text(&compared, "digest")) } }
            dt { "Active now" } dd {
                @if against.is_null() { "no version" } @else { (text(against, "version")) " " code { (short(text(against, "digest"))) } }
            }
        }
        @if !conflicts.is_empty() {
            div.problem role="alert" {
                p { "The host would reject an activation of this module by itself:" }
                ul { @for conflict in conflicts { li { (show(conflict)) } } }
            }
        }
        (asked.form("activate", &format!("module/{digest}"), fields))
    };
    Ok(asked.draw(&format!("Module {}", text(&compared, "name")), body))
}

/// Changes, the breaking ones first; with `choice`, each code of these has a box that allows it.
pub fn draw_changes(changes: &[Value], choice: bool) -> Markup {
    let (breaking, others): (Vec<&Value>, Vec<&Value>) = changes.iter().partition(|change| change["breaking"] == true);
    let codes: BTreeSet<&str> = breaking.iter().map(|change| text(change, "code")).collect();
    let rows = |changes: &[&Value]| -> Vec<Vec<Markup>> {
        let row = |change: &&Value| ["code", "item", "detail"].map(|name| cell(text(change, name))).to_vec();
        changes.iter().map(row).collect()
    };
    let heads = ["Change", "Item", "Detail"];
    html! {
        (table("Breaking changes", &heads, rows(&breaking)))
        @if choice && !codes.is_empty() {
            fieldset.choices {
                legend { "Changes that may break callers" }
                @for code in codes { p { label { input type="checkbox" name="allow" value=(code); " Allow " (code) } } }
            }
        }
        (table("Compatible changes", &heads, rows(&others)))
    }
}

pub async fn activate(asked: &OperatorRequest, digest: &str, form: &Pairs) -> Drawn {
    let allow: Vec<&str> = form.all("allow").collect();
    let again = form.get("again") == Some("true");
    let body = json!({ "expectedGeneration": read_generation(form)?, "allow": allow, "again": again });
    asked.post(&format!("modules/{digest}/activate"), &body).await?;
    Ok(page::redirect(&address("modules")))
}

/// The generation of the page that the operator saw: another one in the meantime is no ground for the change.
pub fn read_generation(form: &Pairs) -> Result<u64, OperatorProblem> {
    let missing = "The form names no generation. Open the page again.";
    let invalid = || OperatorProblem::new(StatusCode::BAD_REQUEST, "VALIDATION_FAILED", missing);
    form.get("generation").and_then(|number| number.parse().ok()).ok_or_else(invalid)
}

/// An active module: its part in points, its log, and its way out.
pub async fn draw_active(asked: &OperatorRequest, name: &str) -> Drawn {
    let shown = asked.get("modules").await?;
    let Some(module) = list(&shown, "modules").iter().find(|module| text(module, "name") == name) else {
        return Err(OperatorProblem::new(StatusCode::NOT_FOUND, "NOT_FOUND", "No module of this name is active."));
    };
    let (path, generation) = (format!("active/{name}"), show(&shown["generation"]));
    if asked.query.get("ask") == Some("deactivate") {
        let fields = html! {
            input type="hidden" name="generation" value=(generation);
            p { "Its operations end, its data remain. Modules that import it must leave together with it." }
            p.field { label for="others" { "Modules that leave too, separated by blanks" } input id="others" name="others"; }
            p.actions { button.danger name="do" value="deactivate" { "Deactivate " (name) } " " a href=(address(&path)) { "Keep it" } }
        };
        return Ok(asked.draw(&format!("Deactivate {name}?"), asked.form("deactivate", &path, fields)));
    }
    let points = asked.get("points").await?;
    let journal = asked.get(&format!("modules/{name}/logs")).await?;
    let extensions = list(&points, "points")
        .iter()
        .flat_map(|point| list(point, "extensions").iter().map(move |extension| (point, extension)))
        .filter(|(_, extension)| text(extension, "module") == name)
        .map(|(point, extension)| {
            let counts = ["calls", "rejections", "failures"].map(|member| cell(show(&extension[member])));
            [vec![cell(text(point, "point"))], counts.to_vec()].concat()
        });
    let entries = |member: &str| -> Vec<Vec<Markup>> {
        let kept = list(&journal, member);
        kept[kept.len().saturating_sub(MOST_LINES)..]
            .iter()
            .rev()
            .map(|entry| {
                let texts = ["kind", "operation", "text", "request"].map(|name| cell(text(entry, name)));
                [vec![instant(&entry["at"])], texts.to_vec()].concat()
            })
            .collect()
    };
    let heads = ["Time", "Kind", "Operation", "Text", "Request"];
    let fields = html! {
        input type="hidden" name="generation" value=(generation);
        button name="do" value="rollback" { "Roll back " (name) }
    };
    let body = html! {
        dl.record {
            dt { "Version" } dd { (text(module, "version")) }
            dt { "Digest" } dd { code { (text(module, "digest")) } }
            dt { "Signer" } dd { (show(&module["signer"])) }
            dt { "Calls" } dd { (show(&module["health"]["calls"])) }
        }
        div.actions {
            (asked.form("rollback", &path, fields))
            a.button href=(address(&format!("{path}?ask=deactivate"))) { "Deactivate" }
        }
        (table("Points that it extends", &["Point", "Calls", "Rejections", "Failures"], extensions))
        (table(&format!("Failures on {}", text(&journal, "host")), &heads, entries("failures")))
        (table(&format!("Log on {}", text(&journal, "host")), &heads, entries("lines")))
    };
    Ok(asked.draw(&format!("Module {name}"), body))
}

pub async fn change_active(asked: &OperatorRequest, name: &str, form: &Pairs) -> Drawn {
    let mut body = json!({ "expectedGeneration": read_generation(form)? });
    let verb = match form.get("do") {
        Some("deactivate") => {
            let others = form.get("others").unwrap_or_default();
            body["others"] = others.split_whitespace().collect();
            "deactivate"
        }
        _ => "rollback",
    };
    asked.post(&format!("modules/{name}/{verb}"), &body).await?;
    Ok(page::redirect(&address("modules")))
}
