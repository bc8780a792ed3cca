//! A record: its members, transitions and lists.

use axum::response::Response;
use futures_util::future::{join_all, try_join};
use maud::{Markup, html};
use serde_json::Value;
use uuid::Uuid;

use super::list;
use super::value::View;
use crate::call::{Context, Problem, to_address};
use crate::form::field::{Field, Kind};
use crate::form::read::VERSION;
use crate::form::reference::{Names, Offers};
use crate::page::{self, Frame, Visit};
use crate::site::collection::Collection;
use crate::site::operation::Operation;
use crate::site::record::Record;
use crate::site::{self, words};

/// Children whose rows are on the record's page; others are links.
const MOST_CHILDREN: usize = 2;
const ROWS: &str = "20";
/// Beginnings of the ids of operations that are asked for again before they are done.
const GRAVE: [&str; 5] = ["archive", "void", "cancel", "revoke", "delete"];

/// True if the page of the operation is shown before it is done, though it asks nothing.
pub fn is_grave(operation: &Operation) -> bool {
    operation.method == http::Method::DELETE || GRAVE.iter().any(|start| operation.id.starts_with(start))
}

/// True if the form of the operation has no field. `has_version`: the record has the version that it expects.
pub fn asks_nothing(visit: &Visit, operation: &Operation, has_version: bool) -> bool {
    match Field::of_body(&visit.site, operation, &[]).map(|field| field.kind) {
        None => true,
        Some(Kind::Object(members)) => members.iter().all(|member| member.name == VERSION && has_version),
        Some(_) => false,
    }
}

/// A list of the record, with its first rows.
struct Child<'a> {
    collection: &'a Collection,
    operation: &'a Operation,
    path: String,
    rows: Vec<Value>,
    has_more: bool,
}

pub async fn respond(
    visit: &Visit,
    operation: &Operation,
    record: &Record,
    known: &[(String, String)],
) -> Result<Response, Problem> {
    let site = &visit.site;
    if let Some(address) = find_asked_read(visit, record, known) {
        return Ok(page::redirect(&address));
    }
    let (reply, context) = try_join(visit.calls.get(&visit.path, &[]), visit.context()).await?;
    let body = &reply.body;
    let clock = visit.clock().await?;
    let mut view = View { visit, operation, known, clock, names: Names::default() };
    let children: Vec<Child<'_>> = find_children(visit, record, known, context);
    let (shown, linked) = children.split_at(children.len().min(MOST_CHILDREN));
    let reads: Vec<_> = shown.iter().map(|child| read_child(visit, child)).collect();
    let shown: Vec<Child<'_>> = join_all(reads).await;
    view.names = list::name_rows(&view, None, std::slice::from_ref(body), &Offers::default()).await;
    let collection = site.collection_of_record(operation, known);
    let title = collection.map_or_else(|| operation.summary.clone(), |collection| site.title_of(collection, body));
    let id =
        body.get("id").and_then(Value::as_str).or(known.last().map(|(_, value)| value.as_str())).unwrap_or_default();
    let frame = visit.frame().await?;
    let mut drawn = Vec::new();
    for child in &shown {
        let mut rows = View { visit, operation: child.operation, known, clock, names: Names::default() };
        rows.names = list::name_rows(&rows, Some(child.collection), &child.rows, &Offers::default()).await;
        drawn.push(draw_child(&rows, context, child));
    }
    let list_path = visit.path.rsplit_once('/').map_or("", |(list, _)| list);
    let has_list = collection.is_some() && site.read_at(list_path).is_some();
    let markup = html! {
        @if let (true, Some(collection)) = (has_list, collection) {
            p { a href=(format!("{}{list_path}", visit.base)) { (collection.label) } }
        }
        (draw_buttons(visit, record, context, body, reply.etag.as_deref()))
        (view.object(&operation.response, body, &[], 0))
        @for child in drawn { (child) }
        (draw_links(visit, &frame, operation, record, known, id, linked))
    };
    Ok(page::draw(&frame, &title, markup))
}

/// The address of a read of the record whose last parameter was typed: `?_read=ID&value=..`.
fn find_asked_read(visit: &Visit, record: &Record, known: &[(String, String)]) -> Option<String> {
    let (id, value) = visit.query.get("_read").zip(visit.query.get("value"))?;
    let mut reads = record.reads.iter().filter_map(|read| visit.site.operations.get(read.operation));
    let read = reads.find(|read| read.id == id)?;
    let value = super::encode_segment(value);
    let values = known.iter().map(|(_, value)| value.as_str()).chain([value.as_str()]);
    Some(format!("{}{}", visit.base, site::fill(&read.path, &values.collect::<Vec<_>>())?))
}

/// The lists of the record that the user may read.
fn find_children<'a>(
    visit: &'a Visit,
    record: &Record,
    known: &[(String, String)],
    context: &Context,
) -> Vec<Child<'a>> {
    let children = record.children.iter().filter_map(|number| {
        let collection = visit.site.collections.get(*number)?;
        let operation = visit.site.operations.get(collection.list)?;
        let path = visit.site.list_path(collection, known)?;
        let is_permitted = operation.access.permits(&context.permissions);
        is_permitted.then_some(Child { collection, operation, path, rows: Vec::new(), has_more: true })
    });
    children.collect()
}

async fn read_child<'a>(visit: &'a Visit, child: &Child<'a>) -> Child<'a> {
    let needs_more = crate::form::reference::find_required(child.operation).next().is_some();
    let reply = if needs_more { None } else { visit.calls.get(&child.path, &[("limit", ROWS)]).await.ok() };
    let rows = reply.as_ref().and_then(|reply| reply.body.get("items")?.as_array().cloned());
    let is_whole = reply.is_some_and(|reply| reply.body.get("nextCursor").is_none_or(Value::is_null));
    Child { path: child.path.clone(), rows: rows.unwrap_or_default(), has_more: !is_whole, ..*child }
}

fn draw_child(view: &View<'_>, context: &Context, child: &Child<'_>) -> Markup {
    let address = format!("{}{}", view.visit.base, child.path);
    html! {
        section {
            h2 { (child.collection.label) }
            (list::draw_actions(view.visit, context, list::list_writes(view.visit, child.operation, Some(child.collection)), &child.path))
            @if !child.rows.is_empty() || !child.has_more {
                (list::draw_table(view, context, child.collection, &child.rows, &child.path))
            }
            @if child.has_more { p { a href=(address) { "All " (child.collection.label.to_lowercase()) } } }
        }
    }
}

/// Buttons of the writes that the user may call: those that ask nothing are done at once.
fn draw_buttons(visit: &Visit, record: &Record, context: &Context, body: &Value, etag: Option<&str>) -> Markup {
    let version = body.get("version").map(Value::to_string);
    // A part of a list of the record is a row of that list.
    let is_row = |operation: &Operation| {
        let lists = record.children.iter().filter_map(|number| visit.site.collections.get(*number));
        let mut paths = lists.filter_map(|list| visit.site.operations.get(list.list));
        paths.any(|list| operation.path.starts_with(&format!("{}/{{", list.path)))
    };
    let edits = record.edits.iter().map(|number| (number, false));
    let transitions = record.transitions.iter().map(|one| (&one.operation, one.part.is_some()));
    let deletes = record.delete.iter().map(|number| (number, false));
    let operations = edits.chain(transitions).chain(deletes);
    let operations = operations.filter_map(|(number, is_part)| Some((visit.site.operations.get(*number)?, is_part)));
    let permitted = operations.filter(|(one, _)| one.access.permits(&context.permissions) && !is_row(one));
    let address = visit.address();
    html! {
        div.actions {
            @for (operation, is_part) in permitted {
                @if !is_part && !is_grave(operation) && asks_nothing(visit, operation, version.is_some()) {
                    form method="post" action=(format!("{address}?_form={}", operation.id)) id=(operation.id) {
                        input type="hidden" name="csrf" value=(visit.csrf);
                        input type="hidden" name="key" value=(Uuid::now_v7());
                        @if let Some(version) = &version { input type="hidden" name="version" value=(version); }
                        @if let (true, Some(etag)) = (operation.if_match, etag) { input type="hidden" name="etag" value=(etag); }
                        button name="do" value="send" { (operation.summary) }
                    }
                } @else {
                    a.button.danger[is_grave(operation)] href=(format!("{address}?_form={}", operation.id)) { (operation.summary) }
                }
            }
        }
    }
}

/// Links to other reads, to lists that are not shown, to pages of commerce, and to the audit of the record.
fn draw_links(
    visit: &Visit,
    frame: &Frame,
    operation: &Operation,
    record: &Record,
    known: &[(String, String)],
    id: &str,
    children: &[Child<'_>],
) -> Markup {
    let values: Vec<&str> = known.iter().map(|(_, value)| value.as_str()).collect();
    let reads =
        record.reads.iter().filter_map(|read| Some((visit.site.operations.get(read.operation)?, read.asked.as_ref())));
    let (asked, open): (Vec<_>, Vec<_>) = reads
        .filter(|(read, _)| read.access.permits(&frame.context.permissions))
        .partition(|(_, asked)| asked.is_some());
    let (base, mut links) = (&visit.base, Vec::<(String, String)>::new());
    for (read, _) in open {
        links.extend(site::fill(&read.path, &values).map(|path| (read.summary.clone(), format!("{base}{path}"))));
    }
    links.extend(children.iter().map(|child| (child.collection.label.clone(), format!("{base}{}", child.path))));
    links.extend((visit.shop_links)(frame, operation, id).into_iter().map(|link| (link.label, link.address)));
    let audit =
        visit.site.operation("listAuditEntries").filter(|audit| audit.access.permits(&frame.context.permissions));
    links.extend(
        audit.map(|audit| ("Audit".to_owned(), to_address(&format!("{base}{}", audit.path), &[("resourceId", id)]))),
    );
    html! {
        @if !links.is_empty() {
            nav aria-label="Of this record" {
                ul { @for (label, address) in &links { li { a href=(address) { (label) } } } }
            }
        }
        @for (read, parameter) in &asked {
            form.filters method="get" action=(visit.address()) id=(read.id) {
                input type="hidden" name="_read" value=(read.id);
                label for=(format!("{}-value", read.id)) {
                    (read.summary) ": " (words::to_label(parameter.map(String::as_str).unwrap_or_default()))
                }
                input id=(format!("{}-value", read.id)) name="value" autocomplete="off";
                button { "Show" }
            }
        }
    }
}
