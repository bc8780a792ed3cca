//! Reads: lists with their columns, filters, paging and file, reports, and settings.

use axum::response::Response;
use chrono::Datelike as _;
use http::{HeaderValue, StatusCode, header};
use maud::{Markup, html};
use serde_json::Value;

use super::value::View;
use crate::call::{Problem, Reply, to_address};
use crate::clock::Clock;
use crate::form::draw::{self, Drawer};
use crate::form::field::{Field, Kind};
use crate::form::reference::Offers;
use crate::form::{Faults, Values, read};
use crate::page::{self, Visit};
use crate::pairs::Pairs;
use crate::site::collection::Collection;
use crate::site::operation::{Operation, Place};
use crate::site::words;

/// Parameters of a list that are not filters.
const NO_FILTERS: [&str; 4] = ["cursor", "limit", "ids", "updatedSince"];
const ROWS: &str = "50";

/// The filters of a read, with what is typed into them.
struct Filters<'a> {
    visit: &'a Visit,
    operation: &'a Operation,
    fields: Vec<Field<'a>>,
    pairs: Pairs,
    clock: Clock,
    /// True if the form of the filters was sent, which writes the names of its fields into the address.
    is_sent: bool,
}

impl<'a> Filters<'a> {
    fn new(visit: &'a Visit, operation: &'a Operation, clock: Clock) -> Filters<'a> {
        let is_filter = |name: &str| !NO_FILTERS.contains(&name);
        let asked = operation.parameters.iter().filter(|one| one.place == Place::Query && is_filter(&one.name));
        let fields: Vec<Field<'_>> = asked.map(|asked| Field::from_parameter(&visit.site, operation, asked)).collect();
        let is_sent = visit.query.0.iter().any(|(name, _)| name.starts_with("v/"));
        let mut pairs = if is_sent { visit.query.clone() } else { Pairs::default() };
        for field in fields.iter().filter(|_| !is_sent) {
            let value = visit.query.get(field.name).map(Value::from);
            read::fill(field, value.as_ref(), &format!("/{}", field.name), &clock, &mut pairs);
        }
        Filters { visit, operation, fields, pairs, clock, is_sent }
    }

    async fn load(&self, known: &[(String, String)]) -> Result<Offers, Problem> {
        let fields: Vec<&Field<'_>> = self.fields.iter().collect();
        Offers::load(self.visit, self.operation, known, &fields, &Value::Null, &self.pairs).await
    }

    /// The path of the read below the company, with the parameters that are stated and these.
    fn path(&self, more: &[(&str, &str)]) -> String {
        let values = Values::new(&self.pairs);
        let stated = self.fields.iter().map(|field| {
            let text = values.text(&format!("v/{}", field.name));
            let text = if matches!(field.kind, Kind::Instant) { self.clock.read_text(text) } else { text.to_owned() };
            (field.name, text)
        });
        let stated: Vec<(&str, String)> = stated.filter(|(_, text)| !text.is_empty()).collect();
        let query = stated.iter().map(|(name, text)| (*name, text.as_str())).chain(more.iter().copied());
        to_address(&self.visit.path, &query.collect::<Vec<_>>())
    }

    /// Required parameters that have no value.
    fn list_blank(&self) -> Vec<&Field<'a>> {
        let values = Values::new(&self.pairs);
        let is_blank = |field: &&Field<'_>| field.required && values.text(&format!("v/{}", field.name)).is_empty();
        self.fields.iter().filter(is_blank).collect()
    }

    /// Fills required parameters in that have an obvious value: the only record and its members, the present month.
    fn complete(&mut self, offers: &Offers) {
        let today = self.clock.today();
        let owners = || {
            self.fields.iter().filter_map(|field| match &field.kind {
                Kind::Reference(collection) if field.required => Some(*collection),
                _ => None,
            })
        };
        let filled = self.list_blank().into_iter().filter_map(|field| {
            let value = match (&field.kind, field.name) {
                (Kind::Reference(collection), _) => offers.find_only(collection, "id")?.to_owned(),
                (Kind::Date, "from") => today.with_day(1)?.to_string(),
                (Kind::Date, _) => today.to_string(),
                (Kind::Integer, "year") => today.year().to_string(),
                (_, name) => owners().find_map(|owner| offers.find_only(owner, name))?.to_owned(),
            };
            Some((format!("v/{}", field.name), value))
        });
        let filled: Vec<(String, String)> = filled.collect();
        self.pairs.0.extend(filled);
    }

    /// A rejected parameter is a fault of its field.
    fn find_faults(&self, problem: &Problem) -> Faults {
        let names = self.fields.iter().map(|field| field.name);
        let places = names.map(|name| (format!("/query/{name}"), format!("v/{name}"))).collect();
        Faults::from_problem(&self.visit.site, self.operation, &[], problem, &places, &self.visit.base)
    }

    fn draw(&self, offers: &Offers, faults: &Faults) -> Markup {
        let (visit, address) = (self.visit, self.visit.address());
        let (base, path, zone) = (&visit.base, &visit.path, self.clock.zone.name());
        let values = &Values::new(&self.pairs);
        let drawer = Drawer { visit, values, offers, faults, missing: &[], zone };
        let (search, others): (Vec<_>, Vec<_>) = self.fields.iter().partition(|field| field.name == "text");
        let draw = |field: &Field<'_>| drawer.field(field, &format!("/{}", field.name));
        let is_stated = |field: &&Field<'_>| !values.text(&format!("v/{}", field.name)).is_empty();
        let is_open = others.iter().any(is_stated) || !self.list_blank().is_empty();
        html! {
            @if !self.fields.is_empty() {
                (draw::summary(faults, &address))
                form.filters #filters method="get" action=(address) data-base=(base) data-at=(path) data-form=(self.operation.id) {
                    button.visually-hidden tabindex="-1" aria-hidden="true" { "Show" }
                    @for field in search { (draw(field)) }
                    @if !others.is_empty() {
                        details open[is_open] { summary { "Filters" } div.fields { @for field in others { (draw(field)) } } }
                    }
                    div.actions { button { "Show" } a.button.plain href=(address) { "Clear" } }
                }
            }
        }
    }
}

/// The page of a list, or of another read: a report, settings.
pub async fn respond(
    visit: &Visit,
    operation: &Operation,
    collection: Option<&Collection>,
    known: &[(String, String)],
) -> Result<Response, Problem> {
    let mut view = View::new(visit, operation, known).await?;
    let mut filters = Filters::new(visit, operation, view.clock);
    if filters.is_sent && visit.query.get("do").is_none_or(|button| !button.starts_with("find:")) {
        return Ok(page::redirect(&format!("{}{}", visit.base, filters.path(&[]))));
    }
    let mut offers = None;
    if !filters.list_blank().is_empty() {
        filters.complete(offers.insert(filters.load(known).await?));
    }
    if visit.query.get("_as") == Some("csv") && operation.csv {
        let mut response = visit.calls.download(&filters.path(&[]), &[], "text/csv").await?;
        let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{}.csv\"", operation.id));
        response.headers_mut().extend(disposition.ok().map(|value| (header::CONTENT_DISPOSITION, value)));
        return Ok(response);
    }
    let cursor = visit.query.get("cursor").map(|cursor| ("cursor", cursor));
    let limit = operation.parameters.iter().any(|one| one.name == "limit").then_some(("limit", ROWS));
    let paging: Vec<(&str, &str)> = limit.into_iter().chain(cursor).collect();
    let (mut body, mut faults) = (Value::Null, Faults::default());
    if filters.list_blank().is_empty() {
        match read_if_there(visit, &filters.path(&paging)).await {
            Ok(reply) => body = reply.map_or(Value::Null, |reply| reply.body),
            Err(problem) if problem.status == StatusCode::BAD_REQUEST => faults = filters.find_faults(&problem),
            Err(problem) => return Err(problem),
        }
    }
    let items = body.get("items").and_then(Value::as_array).filter(|_| collection.is_some());
    view.name_rows(collection, items.map_or(std::slice::from_ref(&body), Vec::as_slice), offers.as_ref()).await;
    let offers = match offers {
        Some(offers) => offers,
        None => filters.load(known).await?,
    };
    offers.add_to(&mut view.names);
    let address = |more: &[(&str, &str)]| format!("{}{}", visit.base, filters.path(more));
    let next = body.get("nextCursor").and_then(Value::as_str);
    let shown_below: &[&str] = if collection.is_some() { &["items"] } else { &[] };
    let above = collection.and_then(|collection| collection.parent).and_then(|_| visit.path.rsplit_once('/'));
    let title = collection.map_or_else(|| words::to_title(&operation.id, &operation.summary), |one| one.label.clone());
    let status = if faults.title.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let markup = html! {
        @if let Some((above, _)) = above { p { a href=(format!("{}{above}", visit.base)) { "Back to the record" } } }
        (draw_actions(&view, collection, &visit.path))
        @if operation.csv { p { a.button.plain href=(address(&[("_as", "csv")])) { "CSV" } } }
        (filters.draw(&offers, &faults))
        @if !filters.list_blank().is_empty() { p.hint { "State the filters to see the page." } }
        @else if body.is_null() && faults.title.is_none() { p.hint { "There is nothing yet." } }
        (view.object(&operation.response, &body, shown_below, 0))
        @if let (Some(collection), Some(rows)) = (collection, items) { (draw_table(&view, collection, rows, &visit.path)) }
        @if cursor.is_some() || next.is_some() {
            nav.pager aria-label="Pages of the list" {
                @if cursor.is_some() { a href=(address(&[])) { "First" } " " }
                @if let Some(next) = next { a href=(address(&[("cursor", next)])) rel="next" { "Next" } }
            }
        }
    };
    page::draw_with_status(visit, status, &title, markup).await
}

/// The record at a path. One that is the only one of the company, such as settings, may not be there yet: None.
pub async fn read_if_there(visit: &Visit, path: &str) -> Result<Option<Reply>, Problem> {
    let is_only =
        visit.site.read_at(path.split('?').next().unwrap_or_default()).is_some_and(|(_, known)| known.is_empty());
    match visit.calls.get(path, &[]).await {
        Ok(reply) => Ok(Some(reply)),
        Err(problem) if is_only && problem.status == StatusCode::NOT_FOUND => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Links to the forms of the writes at a list, or at the path of another read, that the user may call.
pub fn draw_actions(view: &View<'_>, collection: Option<&Collection>, path: &str) -> Markup {
    let writes = view.visit.site.operations.iter().enumerate().filter(|(number, one)| {
        let is_here = match collection {
            Some(collection) => collection.create == Some(*number) || collection.actions.contains(number),
            None => one.path == view.operation.path && !one.is_read(),
        };
        is_here && view.permits(one)
    });
    html! {
        div.actions {
            @for (_, write) in writes {
                a.button href=(format!("{}{path}?_form={}", view.visit.base, write.id)) { (write.summary) }
            }
        }
    }
}

/// The rows of a list. `path`: that of the list, below the company.
pub fn draw_table(view: &View<'_>, collection: &Collection, rows: &[Value], path: &str) -> Markup {
    let (site, base) = (&view.visit.site, &view.visit.base);
    let address = |row: &Value| {
        let id = row.get("id").and_then(Value::as_str)?;
        Some(format!("{base}{}", site.record_path(collection, view.known, id)?))
    };
    // The first column leads to the record, unless it leads to another one.
    let (leading, columns) = match collection.columns.split_first() {
        Some((name, others)) if collection.title.contains(name) => (Some(name), others),
        _ => (None, collection.columns.as_slice()),
    };
    let has_page = rows.first().and_then(address).is_some();
    let first = leading.map(|name| words::to_label(name)).or_else(|| has_page.then(|| "Record".to_owned()));
    let title = |row: &Value| {
        let text = leading.and_then(|name| row.get(name)?.as_str());
        text.map_or_else(|| site.title_of(collection, row), str::to_owned)
    };
    // Operations of a row that has no page.
    let below = format!("{}/{{", site.operations.get(collection.list).map_or("", |list| list.path.as_str()));
    let parts = site.operations.iter().filter(|one| {
        collection.record.is_none() && one.path.starts_with(&below) && !one.is_read() && view.permits(one)
    });
    let parts: Vec<(&Operation, &str)> =
        parts.filter_map(|one| Some((one, one.path_parameters().last()?.name.as_str()))).collect();
    let part_address = |operation: &Operation, parameter: &str, row: &Value| {
        let id = row.get("id").or_else(|| row.get(parameter)).and_then(Value::as_str).unwrap_or_default();
        let (parameter, version) = (format!("p/{parameter}"), row.get("version").map(Value::to_string));
        let mut query = vec![("_form", operation.id.as_str()), (parameter.as_str(), id)];
        query.extend(version.as_deref().map(|version| ("version", version)));
        to_address(&format!("{base}{path}"), &query)
    };
    html! {
        @if rows.is_empty() { p.hint { "The list is empty." } }
        @else {
            table.cards {
                thead {
                    tr {
                        @if let Some(first) = &first { th scope="col" { (first) } }
                        @for name in columns { th scope="col" { (words::to_label(name)) } }
                        @if !parts.is_empty() { th scope="col" { "Actions" } }
                    }
                }
                tbody {
                    @for row in rows {
                        tr {
                            @if let (Some(first), Some(address)) = (&first, address(row)) {
                                td data-label=(first) { a href=(address) { (title(row)) } }
                            } @else if let Some(name) = leading { (view.cell(&collection.item, row, name, 1)) }
                            @for name in columns { (view.cell(&collection.item, row, name, 1)) }
                            @if !parts.is_empty() {
                                td data-label="Actions" {
                                    @for (operation, parameter) in &parts {
                                        a href=(part_address(operation, parameter, row)) { (operation.summary) }
                                        " "
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
