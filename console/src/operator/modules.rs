//! Modules: their list, the push, the comparison, and the changes of one module.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{StatusCode, header};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::reports::count_failures;
use super::upload::Upload;
use super::values::Cell::{At, By};
use super::values::{list, show, table, text};
use super::{Drawn, OperatorRequest, address, link};
use crate::call::Problem;
use crate::page;
use crate::pairs::Pairs;

/// Lines of a module's log that its page shows.
const MOST_LINES: usize = 100;

pub async fn draw_list(asked: &OperatorRequest) -> Drawn {
    let shown = asked.get("modules").await?;
    let link_active = |module: &Value| link(&format!("active/{}", text(module, "name")), text(module, "name"));
    let draw_failures = |module: &Value| html! { (count_failures(&module["health"])) };
    let link_pushed = |artifact: &Value| {
        let digest = text(artifact, "digest");
        let label = format!("{} {digest:.12}", text(artifact, "name"));
        link(&format!("module/{digest}"), &label)
    };
    let body = html! {
        (table("Active modules", list(&shown, "modules"), &[
            ("Module", By(&link_active)), ("Version", At("/version")), ("Signer", At("/signer")), ("Calls", At("/health/calls")),
            ("Failures", By(&draw_failures)), ("p50, µs", At("/health/p50Us")), ("p99, µs", At("/health/p99Us")),
        ]))
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
        (table("Pushed modules", list(&shown, "artifacts"), &[
            ("Module", By(&link_pushed)), ("Version", At("/version")), ("Signer", At("/signer")),
            ("Pushed", At("/pushedAt")), ("By", At("/pushedBy")),
        ]))
    };
    Ok(asked.draw("Modules", body))
}

/// The bytes go as the operators' API takes them. A component that is compiled for long has a page that reads itself again.
pub async fn push(asked: &OperatorRequest, upload: &Upload) -> Drawn {
    let mut request = http::Request::post("/operator/modules")
        .header(header::CONTENT_TYPE, "application/wasm")
        .header("prefer", "respond-async, wait=20");
    let admission = upload.text("admission");
    if !admission.trim().is_empty() {
        request = request.header("stoa-admission", BASE64_STANDARD.encode(admission.trim()));
    }
    let pushed = asked.send(request, upload.get("component").unwrap_or_default()).await?;
    let query = if pushed.status == StatusCode::ACCEPTED { "?push" } else { "" };
    Ok(page::redirect(&address(&format!("module/{}{query}", text(&pushed.body, "digest")))))
}

/// A pushed module: the changes that its activation makes, and the activation.
pub async fn draw_pushed(asked: &OperatorRequest, digest: &str) -> Drawn {
    if asked.query.get("push").is_some() {
        return match asked.send(http::Request::get(format!("/operator/modules/{digest}")), Bytes::new()).await {
            Ok(reply) if reply.status == StatusCode::ACCEPTED => {
                let again = asked.address() + "?push";
                let link =
                    html! { p role="status" { "The host compiles the module. " a href=(again) { "Read again" } } };
                Ok(asked.draw_with(StatusCode::OK, "Push of a module", Some((2, &again)), link))
            }
            // Not found: another page has read the result.
            Err(problem) if problem.status != StatusCode::NOT_FOUND => Err(problem),
            _ => Ok(page::redirect(&asked.address())),
        };
    }
    let compared = asked.get(&format!("modules/{digest}/diff")).await?;
    let conflicts = list(&compared, "conflicts");
    let fields = html! {
        (draw_generation(&compared["generation"]))
        (draw_changes(list(&compared, "changes"), true))
        p { label { input type="checkbox" name="again" value="true"; " A version that was withdrawn may come back" } }
        p.actions { button { "Activate" } }
    };
    let body = html! {
        dl.record {
            dt { "Version" } dd { (text(&compared, "version")) }
            dt { "Digest" } dd { code { (text(&compared, "digest")) } }
            dt { "Active version" } dd { (show(&compared["against"]["version"])) }
        }
        @if !conflicts.is_empty() {
            div.problem role="alert" {
                p { "The host would reject an activation of this module by itself:" }
                ul { @for conflict in conflicts { li { (show(conflict)) } } }
            }
        }
        (asked.form("activate", &asked.path, fields))
    };
    Ok(asked.draw(&format!("Module {}", text(&compared, "name")), body))
}

/// Changes, the breaking ones first; with `choice`, each code of these has a box that allows it.
pub fn draw_changes(changes: &[Value], choice: bool) -> Markup {
    let (breaking, others): (Vec<Value>, Vec<Value>) =
        changes.iter().cloned().partition(|change| change["breaking"] == true);
    let codes: BTreeSet<&str> = breaking.iter().map(|change| text(change, "code")).collect();
    let columns = [("Change", At("/code")), ("Item", At("/item")), ("Detail", At("/detail"))];
    html! {
        (table("Breaking changes", &breaking, &columns))
        @if choice && !codes.is_empty() {
            fieldset.choices {
                legend { "Changes that may break callers" }
                @for code in codes { p { label { input type="checkbox" name="allow" value=(code); " Allow " (code) } } }
            }
        }
        (table("Compatible changes", &others, &columns))
    }
}

pub async fn activate(asked: &OperatorRequest, digest: &str, form: &Pairs) -> Drawn {
    let (allow, again) = (form.all("allow").collect::<Vec<_>>(), form.get("again").is_some());
    let body = json!({ "expectedGeneration": read_generation(form)?, "allow": allow, "again": again });
    asked.post(&format!("modules/{digest}/activate"), &body).await?;
    Ok(page::redirect(&address("modules")))
}

/// The generation of the page that the operator saw: the host rejects the change if another one is active by now.
pub fn draw_generation(number: &Value) -> Markup {
    html! { input type="hidden" name="generation" value=(show(number)); }
}

pub fn read_generation(form: &Pairs) -> Result<u64, Problem> {
    let detail = "The form names no generation. Open the page again.";
    let invalid = || Problem::new(StatusCode::BAD_REQUEST, "VALIDATION_FAILED", detail);
    form.get("generation").and_then(|number| number.parse().ok()).ok_or_else(invalid)
}

/// An active module: its part in points, its log, and its way out.
pub async fn draw_active(asked: &OperatorRequest, name: &str) -> Drawn {
    let shown = asked.get("modules").await?;
    let Some(module) = list(&shown, "modules").iter().find(|module| text(module, "name") == name) else {
        return Err(Problem::new(StatusCode::NOT_FOUND, "NOT_FOUND", "No module of this name is active."));
    };
    let generation = draw_generation(&shown["generation"]);
    if asked.query.get("ask") == Some("deactivate") {
        let fields = html! {
            (generation)
            p { "Its operations end, its data remain. Modules that import it must leave together with it." }
            p.field { label for="others" { "Modules that leave too, separated by blanks" } input id="others" name="others"; }
            p.actions {
                button.danger name="do" value="deactivate" { "Deactivate " (name) } " " a href=(asked.address()) { "Keep it" }
            }
        };
        return Ok(asked.draw(&format!("Deactivate {name}?"), asked.form("deactivate", &asked.path, fields)));
    }
    let points = asked.get("points").await?;
    let journal = asked.get(&format!("modules/{name}/logs")).await?;
    let of_point = |point: &Value| {
        let own = list(point, "extensions").iter().find(|extension| text(extension, "module") == name);
        own.map(|extension| json!({ "point": point["point"], "counts": extension }))
    };
    let extensions: Vec<Value> = list(&points, "points").iter().filter_map(of_point).collect();
    let draw_lines = |title: &str, member: &str| {
        let lines: Vec<Value> = list(&journal, member).iter().rev().take(MOST_LINES).cloned().collect();
        table(
            &format!("{title} on {}", text(&journal, "host")),
            &lines,
            &[
                ("Time", At("/at")),
                ("Kind", At("/kind")),
                ("Operation", At("/operation")),
                ("Text", At("/text")),
                ("Request", At("/request")),
            ],
        )
    };
    let body = html! {
        dl.record {
            dt { "Version" } dd { (text(module, "version")) }
            dt { "Digest" } dd { code { (text(module, "digest")) } }
            dt { "Signer" } dd { (show(&module["signer"])) }
        }
        div.actions {
            (asked.form("rollback", &asked.path, html! { (generation) button name="do" value="rollback" { "Roll back " (name) } }))
            a.button href={ (asked.address()) "?ask=deactivate" } { "Deactivate" }
        }
        (table("Points that it extends", &extensions, &[
            ("Point", At("/point")), ("Calls", At("/counts/calls")), ("Rejections", At("/counts/rejections")),
            ("Failures", At("/counts/failures")),
        ]))
        (draw_lines("Failures", "failures"))
        (draw_lines("Log", "lines"))
    };
    Ok(asked.draw(&format!("Module {name}"), body))
}

pub async fn change_active(asked: &OperatorRequest, name: &str, form: &Pairs) -> Drawn {
    let mut body = json!({ "expectedGeneration": read_generation(form)? });
    let verb = if form.get("do") == Some("deactivate") { "deactivate" } else { "rollback" };
    if verb == "deactivate" {
        body["others"] = form.get("others").unwrap_or_default().split_whitespace().collect();
    }
    asked.post(&format!("modules/{name}/{verb}"), &body).await?;
    Ok(page::redirect(&address("modules")))
}
