//! A record: its members, transitions and lists.

use axum::response::Response;
use futures_util::future::{try_join, try_join_all};
use maud::{Markup, html};
use serde_json::Value;
use uuid::Uuid;

use super::list;
use super::value::View;
use crate::call::{Problem, to_address};
use crate::commerce;
use crate::form::field::{Field, Kind};
use crate::form::read::VERSION;
use crate::form::reference::find_required;
use crate::page::{self, Visit};
use crate::site::collection::Collection;
use crate::site::fill;
use crate::site::operation::Operation;
use crate::site::record::Record;

/// Children whose rows are on the record's page; others are links.
const MOST_CHILDREN: usize = 2;
const ROWS: &str = "20";
/// Beginnings of the ids of operations that are asked for again before they are done.
const GRAVE: [&str; 5] = ["archive", "void", "cancel", "revoke", "delete"];

/// A list of the record.
struct Child<'a> {
    collection: &'a Collection,
    operation: &'a Operation,
    path: String,
}

pub async fn respond(
    visit: &Visit,
    operation: &Operation,
    record: &Record,
    known: &[(String, String)],
) -> Result<Response, Problem> {
    let site = &visit.site;
    let (reply, mut view) = try_join(visit.calls.get(&visit.path, &[]), View::new(visit, operation, known)).await?;
    let body = &reply.body;
    view.name_rows(None, std::slice::from_ref(body), None).await;
    let children = record.children.iter().filter_map(|number| {
        let collection = site.collections.get(*number)?;
        let operation = site.operations.get(collection.list).filter(|list| view.permits(list))?;
        Some(Child { collection, operation, path: site.list_path(collection, known)? })
    });
    let children: Vec<Child<'_>> = children.collect();
    let (shown, linked) = children.split_at(children.len().min(MOST_CHILDREN));
    let shown = try_join_all(shown.iter().map(|child| draw_child(visit, known, child))).await?;
    let collection = site.collection_of_record(operation, known);
    let title = collection.map_or_else(|| operation.summary.clone(), |collection| site.title_of(collection, body));
    let list = visit.path.rsplit_once('/').map(|(list, _)| list).filter(|list| site.read_at(list).is_some());
    let markup = html! {
        @if let Some((list, collection)) = list.zip(collection) {
            p { a href=(format!("{}{list}", visit.base)) { (collection.label) } }
        }
        (draw_buttons(&view, record, body, reply.etag.as_deref()))
        (view.object(&operation.response, body, &[], 0))
        @for child in shown { (child) }
        (draw_links(&view, record, body, linked))
    };
    page::draw(visit, &title, markup).await
}

/// The first rows of a list, if it needs no filter.
async fn draw_child(visit: &Visit, known: &[(String, String)], child: &Child<'_>) -> Result<Markup, Problem> {
    let Child { collection, operation, path } = child;
    let mut view = View::new(visit, operation, known).await?;
    let needs_more = find_required(operation).next().is_some();
    let reply = if needs_more { None } else { visit.calls.get(path, &[("limit", ROWS)]).await.ok() };
    let rows = reply.as_ref().and_then(|reply| reply.body.get("items")?.as_array());
    let has_more = reply.as_ref().is_none_or(|reply| reply.body.get("nextCursor").is_some_and(Value::is_string));
    view.name_rows(Some(collection), rows.map(Vec::as_slice).unwrap_or_default(), None).await;
    Ok(html! {
        section {
            h2 { (collection.label) }
            (list::draw_actions(&view, Some(collection), path))
            @if let Some(rows) = rows { (list::draw_table(&view, collection, rows, path)) }
            @if has_more { p { a href=(format!("{}{path}", visit.base)) { "All " (collection.label.to_lowercase()) } } }
        }
    })
}

/// Buttons of the writes that the user may call: those that ask nothing are done at once.
fn draw_buttons(view: &View<'_>, record: &Record, body: &Value, etag: Option<&str>) -> Markup {
    let (site, address) = (&view.visit.site, view.visit.address());
    let version = body.get("version").map(Value::to_string);
    // A part of a list of the record is a row of that list.
    let lists = record.children.iter().filter_map(|number| site.operations.get(site.collections.get(*number)?.list));
    let rows: Vec<String> = lists.map(|list| format!("{}/{{", list.path)).collect();
    let is_row = |operation: &Operation| rows.iter().any(|row| operation.path.starts_with(row));
    let edits = record.edits.iter().map(|number| (number, false));
    let delete = record.delete.iter().map(|number| (number, false));
    let transitions = record.transitions.iter().map(|one| (&one.operation, one.part.is_some()));
    let operations = edits.chain(transitions).chain(delete);
    let operations = operations.filter_map(|(number, is_part)| Some((site.operations.get(*number)?, is_part)));
    let is_grave = |operation: &Operation| GRAVE.iter().any(|start| operation.id.starts_with(start));
    let asks_nothing = |operation: &Operation| match Field::from_body(site, operation, &[]).map(|field| field.kind) {
        None => true,
        Some(Kind::Object(members)) => members.iter().all(|member| member.name == VERSION && version.is_some()),
        Some(_) => false,
    };
    html! {
        div.actions {
            @for (operation, is_part) in operations.filter(|(one, _)| view.permits(one) && !is_row(one)) {
                @let form = format!("{address}?_form={}", operation.id);
                @if !is_part && !is_grave(operation) && asks_nothing(operation) {
                    form method="post" action=(form) id=(operation.id) {
                        input type="hidden" name="csrf" value=(view.visit.csrf);
                        input type="hidden" name="key" value=(Uuid::now_v7());
                        @if let Some(version) = &version { input type="hidden" name="version" value=(version); }
                        @if let (true, Some(etag)) = (operation.if_match, etag) { input type="hidden" name="etag" value=(etag); }
                        button name="do" value="send" { (operation.summary) }
                    }
                } @else {
                    a.button.danger[is_grave(operation)] href=(form) { (operation.summary) }
                }
            }
        }
    }
}

/// Links to other reads, to lists that are not shown, to the page of commerce, and to the audit of the record.
fn draw_links(view: &View<'_>, record: &Record, body: &Value, children: &[Child<'_>]) -> Markup {
    let (visit, site, base) = (view.visit, &view.visit.site, &view.visit.base);
    let values: Vec<&str> = view.known.iter().map(|(_, value)| value.as_str()).collect();
    let id = body.get("id").and_then(Value::as_str).or(values.last().copied()).unwrap_or_default();
    let reads = record.reads.iter().filter(|read| read.asked.is_none()).filter_map(|read| {
        let read = site.operations.get(read.operation).filter(|read| view.permits(read))?;
        Some((read.summary.as_str(), format!("{base}{}", fill(&read.path, &values)?)))
    });
    let lists = children.iter().map(|child| (child.collection.label.as_str(), format!("{base}{}", child.path)));
    let shop = commerce::find_link((&visit.site, &visit.base), view.context, view.operation, id)
        .map(|link| (link.label, link.address));
    let audit = site.operation("listAuditEntries").filter(|audit| view.permits(audit));
    let audit = audit.map(|audit| ("Audit", to_address(&format!("{base}{}", audit.path), &[("resourceId", id)])));
    let links: Vec<(&str, String)> = reads.chain(lists).chain(shop).chain(audit).collect();
    html! {
        @if !links.is_empty() {
            nav aria-label="Of this record" {
                ul { @for (label, address) in &links { li { a href=(address) { (label) } } } }
            }
        }
    }
}
