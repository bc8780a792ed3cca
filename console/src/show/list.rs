//! Reads: lists with their columns, filters, paging and file, reports, and settings.

use axum::response::Response;
use chrono::Datelike as _;
use http::{HeaderValue, StatusCode, header};
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::value::{View, member};
use crate::call::{Context, Problem, to_address};
use crate::clock::Clock;
use crate::form::draw::{self, Drawer};
use crate::form::field::{Field, Kind};
use crate::form::reference::{Names, Offers, names};
use crate::form::{Faults, Places, Values, read};
use crate::page::{self, Visit};
use crate::pairs::Pairs;
use crate::site::collection::Collection;
use crate::site::operation::{Operation, Place};
use crate::site::words;

/// Parameters of a list that are no filters.
const NO_FILTERS: [&str; 4] = ["cursor", "limit", "ids", "updatedSince"];
const ROWS: &str = "50";
/// Collections whose titles a page reads, at most.
const MOST_NAMES: usize = 4;

/// The filters of a read, with what is typed into them.
struct Filters<'a> {
    operation: &'a Operation,
    fields: Vec<Field<'a>>,
    pairs: Pairs,
    offers: Offers,
    clock: Clock,
}

impl<'a> Filters<'a> {
    /// The filters of a page; the error is the page that has their values in its address: a form writes the names of its fields there.
    async fn read(
        visit: &'a Visit,
        operation: &'a Operation,
        known: &[(String, String)],
    ) -> Result<Result<Filters<'a>, Response>, Problem> {
        let asked = operation
            .parameters
            .iter()
            .filter(|parameter| parameter.place == Place::Query && !NO_FILTERS.contains(&parameter.name.as_str()));
        let fields: Vec<Field<'_>> = asked.map(|asked| Field::of_parameter(&visit.site, operation, asked)).collect();
        let clock = visit.clock().await?;
        let (offers, is_sent) = (Offers::default(), visit.query.0.iter().any(|(name, _)| name.starts_with("v/")));
        let mut pairs = if is_sent { visit.query.clone() } else { Pairs::default() };
        for field in fields.iter().filter(|_| !is_sent) {
            let value = visit.query.get(field.name).map(Value::from);
            read::fill(field, value.as_ref(), &format!("/{}", field.name), &clock, &mut pairs);
        }
        let mut filters = Filters { operation, fields, pairs, offers, clock };
        if is_sent && visit.query.get("do").is_none_or(|button| !button.starts_with("find:")) {
            let address = to_address(&visit.address(), &as_texts(&filters.query()));
            return Ok(Err(page::redirect(&address)));
        }
        if !filters.is_complete() {
            filters.load(visit, known).await?;
            filters.complete();
        }
        Ok(Ok(filters))
    }

    async fn load(&mut self, visit: &Visit, known: &[(String, String)]) -> Result<(), Problem> {
        let fields: Vec<&Field<'_>> = self.fields.iter().collect();
        self.offers = Offers::load(visit, self.operation, known, &fields, &Value::Null, &self.pairs).await?;
        Ok(())
    }

    /// Parameters of the call.
    fn query(&self) -> Vec<(String, String)> {
        let values = Values::new(&self.pairs);
        let stated = self.fields.iter().filter_map(|field| {
            let text = values.text(&format!("v/{}", field.name));
            let text = if matches!(field.kind, Kind::Instant) { self.clock.from_text(text) } else { text.to_owned() };
            (!text.is_empty()).then(|| (field.name.to_owned(), text))
        });
        stated.collect()
    }

    /// True if each required parameter has a value.
    fn is_complete(&self) -> bool {
        let query = self.query();
        let is_stated = |field: &Field<'_>| query.iter().any(|(name, _)| name == field.name);
        self.fields.iter().all(|field| !field.required || is_stated(field))
    }

    /// Fills required parameters in that have an obvious value: the only record and its members, the present month.
    fn complete(&mut self) {
        let today = self.clock.today();
        let stated = self.query();
        let owners = self.fields.iter().filter(|field| field.required).filter_map(|field| match &field.kind {
            Kind::Reference(collection) => Some(*collection),
            _ => None,
        });
        let owners: Vec<&Collection> = owners.collect();
        let is_blank = |field: &&Field<'_>| field.required && !stated.iter().any(|(name, _)| name == field.name);
        for field in self.fields.iter().filter(is_blank) {
            let value = match (&field.kind, field.name) {
                (Kind::Reference(collection), _) => self.offers.find_only(collection, "id").map(str::to_owned),
                (Kind::Date, "from") => today.with_day(1).map(|day| day.to_string()),
                (Kind::Date, _) => Some(today.to_string()),
                (Kind::Integer, "year") => Some(today.year().to_string()),
                (_, name) => owners.iter().find_map(|owner| self.offers.find_only(owner, name)).map(str::to_owned),
            };
            self.pairs.0.extend(value.map(|value| (format!("v/{}", field.name), value)));
        }
    }

    fn draw(&self, visit: &Visit, faults: &Faults) -> Markup {
        let (values, zone) = (&Values::new(&self.pairs), self.clock.zone.name());
        let drawer = Drawer { visit, values, offers: &self.offers, faults, missing: &[], zone };
        let (search, others): (Vec<&Field<'_>>, Vec<&Field<'_>>) =
            self.fields.iter().partition(|field| field.name == "text");
        let draw = |field: &&Field<'_>| drawer.field(field, &format!("/{}", field.name));
        let is_open = self.query().iter().any(|(name, _)| name != "text") || !self.is_complete();
        html! {
            @if !self.fields.is_empty() {
                (draw::summary(faults, &visit.address()))
                form.filters #filters method="get" action=(visit.address()) data-base=(visit.base) data-at=(visit.path)
                    data-form=(self.operation.id) {
                    button.visually-hidden tabindex="-1" aria-hidden="true" { "Show" }
                    @for field in &search { (draw(field)) }
                    @if !others.is_empty() {
                        details open[is_open] { summary { "Filters" } div.fields { @for field in &others { (draw(field)) } } }
                    }
                    div.actions { button { "Show" } a.button.plain href=(visit.address()) { "Clear" } }
                }
            }
        }
    }
}

/// A rejected parameter is a fault of its field.
fn find_faults(visit: &Visit, operation: &Operation, problem: &Problem) -> Faults {
    let places = operation
        .parameters
        .iter()
        .map(|parameter| (format!("/query/{}", parameter.name), format!("v/{}", parameter.name)));
    Faults::of(&visit.site, operation, &[], problem, &places.collect::<Places>(), &visit.base)
}

/// The response as a file.
async fn download(visit: &Visit, operation: &Operation, query: &[(String, String)]) -> Result<Response, Problem> {
    let mut response = visit.calls.download(&visit.path, &as_texts(query), "text/csv").await?;
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{}.csv\"", operation.id));
    response.headers_mut().extend(disposition.ok().map(|value| (header::CONTENT_DISPOSITION, value)));
    Ok(response)
}

fn as_texts(pairs: &[(String, String)]) -> Vec<(&str, &str)> {
    pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

/// The page of a list, or of another read: a report, settings.
pub async fn respond(
    visit: &Visit,
    operation: &Operation,
    collection: Option<&Collection>,
    known: &[(String, String)],
) -> Result<Response, Problem> {
    let mut filters = match Filters::read(visit, operation, known).await? {
        Ok(filters) => filters,
        Err(response) => return Ok(response),
    };
    let filtered = filters.query();
    if visit.query.get("_as") == Some("csv") && operation.csv {
        return download(visit, operation, &filtered).await;
    }
    let mut query = as_texts(&filtered);
    if operation.parameters.iter().any(|parameter| parameter.name == "limit") {
        query.push(("limit", ROWS));
    }
    let cursor = visit.query.get("cursor");
    query.extend(cursor.map(|cursor| ("cursor", cursor)));
    let (mut body, mut faults) = (Value::Null, Faults::default());
    if filters.is_complete() {
        match visit.calls.get(&visit.path, &query).await {
            Ok(reply) => body = reply.body,
            Err(problem) if problem.status == StatusCode::BAD_REQUEST => {
                faults = find_faults(visit, operation, &problem)
            }
            Err(problem) => return Err(problem),
        }
    }
    let items = body.get("items").and_then(Value::as_array).filter(|_| collection.is_some());
    let rows = items.map_or(std::slice::from_ref(&body), Vec::as_slice);
    let mut view = View { visit, operation, known, clock: filters.clock, names: Names::default() };
    view.names = name_rows(&view, collection, rows, &filters.offers).await;
    if filters.offers.is_empty() {
        filters.load(visit, known).await?;
    }
    filters.offers.add_to(&mut view.names);
    let frame = visit.frame().await?;
    let next = body.get("nextCursor").and_then(Value::as_str);
    let find_page = |cursor: Option<&str>| {
        let pairs = as_texts(&filtered).into_iter().chain(cursor.map(|cursor| ("cursor", cursor)));
        to_address(&visit.address(), &pairs.collect::<Vec<_>>())
    };
    let shown_below: &[&str] = if collection.is_some() { &["items", "nextCursor"] } else { &["nextCursor"] };
    let has_members =
        body.as_object().is_some_and(|members| members.keys().any(|name| !shown_below.contains(&name.as_str())));
    let above = collection.and_then(|collection| collection.parent).and_then(|_| visit.path.rsplit_once('/'));
    let title = collection.map_or_else(|| words::to_title(&operation.id, &operation.summary), |one| one.label.clone());
    let file = to_address(&visit.address(), &[as_texts(&filtered).as_slice(), &[("_as", "csv")]].concat());
    let status = if faults.title.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let markup = html! {
        @if let Some((above, _)) = above { p { a href=(format!("{}{above}", visit.base)) { "Back to the record" } } }
        (draw_actions(visit, &frame.context, list_writes(visit, operation, collection), &visit.path))
        @if operation.csv { p { a.button.plain href=(file) { "CSV" } } }
        (filters.draw(visit, &faults))
        @if body.is_null() { p.hint { "State the filters to see the page." } }
        @if has_members { (view.object(&operation.response, &body, shown_below, 0)) }
        @if let (Some(collection), Some(rows)) = (collection, items) {
            (draw_table(&view, &frame.context, collection, rows, &visit.path))
        }
        @if cursor.is_some() || next.is_some() {
            nav.pager aria-label="Pages of the list" {
                @if cursor.is_some() { a href=(find_page(None)) { "First" } " " }
                @if next.is_some() { a href=(find_page(next)) rel="next" { "Next" } }
            }
        }
    };
    Ok(page::draw_with_status(&frame, status, &title, markup))
}

/// Titles of the records that the columns name; without a collection those of all members.
pub async fn name_rows(view: &View<'_>, collection: Option<&Collection>, rows: &[Value], offers: &Offers) -> Names {
    let mut wanted = Vec::new();
    for row in rows {
        let Some(collection) = collection else {
            view.collect(row, &mut wanted);
            continue;
        };
        let columns = collection.columns.iter().filter_map(|name| Some((name.clone(), row.get(name)?.clone())));
        view.collect(&Value::Object(columns.collect::<Map<_, _>>()), &mut wanted);
    }
    wanted.retain(|(collection, _)| !offers.has(collection));
    wanted.truncate(MOST_NAMES);
    names(view.visit, &wanted).await
}

/// The writes at a list, or those at the path of another read.
pub fn list_writes<'a>(visit: &'a Visit, read: &Operation, collection: Option<&Collection>) -> Vec<&'a Operation> {
    let all = visit.site.operations.iter().enumerate();
    let own = all.filter(|(number, one)| match collection {
        Some(collection) => collection.create == Some(*number) || collection.actions.contains(number),
        None => one.path == read.path && !one.is_read(),
    });
    own.map(|(_, one)| one).collect()
}

/// Links to the forms of the writes that the user may call.
pub fn draw_actions(visit: &Visit, context: &Context, writes: Vec<&Operation>, path: &str) -> Markup {
    html! {
        div.actions {
            @for write in writes.iter().filter(|write| write.access.permits(&context.permissions)) {
                a.button href=(format!("{}{path}?_form={}", visit.base, write.id)) { (write.summary) }
            }
        }
    }
}

/// The rows of a list. `path`: that of the list, below the company.
pub fn draw_table(view: &View<'_>, context: &Context, collection: &Collection, rows: &[Value], path: &str) -> Markup {
    let site = &view.visit.site;
    let base = &view.visit.base;
    let address = |row: &Value| {
        let id = row.get("id").and_then(Value::as_str)?;
        Some(format!("{base}{}", site.record_path(collection, view.known, id)?))
    };
    // The first column leads to the record, unless it leads to another one.
    let leading = collection.columns.first().filter(|name| collection.title.contains(name));
    let columns = collection.columns.get(usize::from(leading.is_some())..).unwrap_or_default();
    let has_page = rows.first().and_then(address).is_some();
    // Operations of a row that has no page.
    let below = format!("{}/{{", site.operations.get(collection.list).map_or("", |list| list.path.as_str()));
    let parts = site.operations.iter().filter(|one| {
        one.path.starts_with(&below)
            && !one.is_read()
            && collection.record.is_none()
            && one.access.permits(&context.permissions)
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
    let label = |name: &String| words::to_label(name);
    html! {
        @if rows.is_empty() { p.hint { "The list is empty." } }
        @else {
            table.cards {
                thead {
                    tr {
                        @if let Some(name) = leading { th scope="col" { (label(name)) } }
                        @else if has_page { th scope="col" { "Record" } }
                        @for name in columns { th scope="col" { (label(name)) } }
                        @if !parts.is_empty() { th scope="col" { "Actions" } }
                    }
                }
                tbody {
                    @for row in rows {
                        tr {
                            @match (address(row), leading) {
                                (Some(address), leading) => {
                                    td data-label=(leading.map_or_else(|| "Record".to_owned(), label)) {
                                        a href=(address) { (draw_leading(view, collection, row, leading)) }
                                    }
                                }
                                (None, Some(name)) => { (view.cell(&collection.item, row, name, 1)) }
                                (None, None) => {}
                            }
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

/// The link to a record shows the first column, or the title.
fn draw_leading(view: &View<'_>, collection: &Collection, row: &Value, leading: Option<&String>) -> Markup {
    match leading.and_then(|name| Some((name, row.get(name).filter(|value| !value.is_null())?))) {
        Some((name, value)) => view.value(member(&collection.item, name), name, value, 1),
        None => html! { (view.visit.site.title_of(collection, row)) },
    }
}
