//! The page of a form, what its submit does, and its result.

use axum::response::Response;
use http::{Method, StatusCode};
use maud::{Markup, html};
use serde_json::Value;
use uuid::Uuid;

use super::encode_segment;
use super::value::View;
use crate::call::{Problem, Reply, to_address};
use crate::clock::Clock;
use crate::form::draw::Drawer;
use crate::form::field::{Field, Kind};
use crate::form::read::{VERSION, fill};
use crate::form::reference::{Entries, Names, Offers, find_field};
use crate::form::{Fault, Faults, Values, read};
use crate::page::{self, Visit};
use crate::pairs::Pairs;
use crate::site::collection::Collection;
use crate::site::operation::Operation;
use crate::site::{self, words};

type Known = [(String, String)];

/// Characters of a key or a secret, at least.
const SECRET: usize = 20;

/// The form of an operation at the address of a page.
pub async fn draw(visit: &Visit, operation: &Operation, known: &Known) -> Result<Response, Problem> {
    if !operation.access.permits(&visit.context().await?.permissions) {
        let detail = "You do not have the permission that this needs.";
        return Err(Problem::new(StatusCode::FORBIDDEN, "PERMISSION_DENIED", detail));
    }
    let field = Field::of_body(&visit.site, operation, known);
    let is_edit = matches!(operation.method, Method::PUT | Method::PATCH);
    let version = field.as_ref().and_then(|field| find_field(field, &format!("/{VERSION}")));
    let asked: Vec<&str> = list_asked(operation, known).collect();
    let needs_record = is_edit || version.is_some() || operation.if_match || !asked.is_empty();
    let record = if needs_record { read_record(visit, asked.is_empty()).await? } else { None };
    let body = record.as_ref().map_or(&Value::Null, |record| &record.body);
    let clock = visit.clock().await?;
    let mut pairs = Pairs::default();
    let mut add = |name: &str, value: Option<String>| pairs.0.extend(value.map(|value| (name.to_owned(), value)));
    add("key", operation.key.then(|| Uuid::now_v7().to_string()));
    add("etag", record.as_ref().and_then(|record| record.etag.clone()).filter(|_| operation.if_match));
    // That of a row is in the link to the form.
    let stated = visit.query.get("version").map(str::to_owned);
    add("version", version.and_then(|_| stated.or_else(|| body.get("version").map(Value::to_string))));
    add("zone", Some(clock.zone.name().to_owned()));
    pairs.0.extend(visit.query.0.iter().filter(|(name, _)| name.starts_with("p/")).cloned());
    let mut source = is_edit.then_some(body);
    let mut parts = Vec::new();
    for name in asked {
        let (entries, found) = list_entries(visit, operation, name, body, &pairs);
        if is_edit && found.is_none() && !entries.is_empty() {
            return Ok(page::draw(
                &visit.frame().await?,
                &operation.summary,
                choose_part(visit, operation, name, &entries),
            ));
        }
        source = source.and(found);
        parts.push((name.to_owned(), entries));
    }
    let mut missing = Vec::new();
    if let Some(field) = &field {
        fill(field, source, "", &clock, &mut pairs);
        if let (Some(source), Kind::Object(members)) = (source.and_then(Value::as_object), &field.kind) {
            let names = members.iter().map(|member| member.name).filter(|name| *name != VERSION);
            missing = names.filter(|name| !source.contains_key(*name)).map(str::to_owned).collect();
        }
    }
    let form = Form { operation, known, field, pairs, parts, missing };
    form.draw(visit, body, Faults::default(), StatusCode::OK).await
}

/// A form that was sent: another row, a search, or the write itself.
pub async fn send(visit: &Visit, operation: &Operation, known: &Known) -> Result<Response, Problem> {
    let field = Field::of_body(&visit.site, operation, known);
    let mut form = Form { operation, known, field, pairs: visit.form.clone(), parts: Vec::new(), missing: Vec::new() };
    let clock = match visit.form.get("zone").and_then(|zone| zone.parse().ok()) {
        Some(zone) => Clock { zone },
        None => visit.clock().await?,
    };
    let button = visit.form.get("do").unwrap_or("send");
    if button != "send" {
        if let Some(field) = &form.field {
            change_rows(&mut form.pairs, field, button, &clock);
        }
        return form.draw_again(visit, Faults::default(), StatusCode::OK).await;
    }
    let sent = match read(&visit.site, operation, &visit.form, &clock) {
        Ok(sent) => sent,
        Err(faults) => return form.draw_again(visit, faults, StatusCode::BAD_REQUEST).await,
    };
    let stated: Vec<String> = known
        .iter()
        .map(|(_, value)| value.clone())
        .chain(sent.path.iter().map(|(_, value)| encode_segment(value)))
        .collect();
    let stated: Vec<&str> = stated.iter().map(String::as_str).collect();
    let Some(path) = site::fill(&operation.path, &stated) else {
        let faults = list_asked(operation, known).map(|name| Fault {
            place: Some(format!("p/{name}")),
            text: "State this.".to_owned(),
            link: None,
        });
        let faults = Faults::not_sent(faults.collect());
        return form.draw_again(visit, faults, StatusCode::BAD_REQUEST).await;
    };
    match visit.calls.write(operation, &path, sent.body.as_ref(), sent.key.as_deref(), sent.etag.as_deref()).await {
        Ok(reply) => finish(visit, operation, known, &reply).await,
        Err(problem) if problem.status == StatusCode::UNAUTHORIZED => Err(problem),
        Err(problem) => {
            let faults = Faults::of(&visit.site, operation, known, &problem, &sent.places, &visit.base);
            if operation.key && !faults.keeps_key {
                form.pairs.0.retain(|(name, _)| name != "key");
                form.pairs.0.push(("key".to_owned(), Uuid::now_v7().to_string()));
            }
            form.draw_again(visit, faults, problem.status).await
        }
    }
}

/// A form as it is drawn.
struct Form<'a> {
    operation: &'a Operation,
    known: &'a Known,
    field: Option<Field<'a>>,
    pairs: Pairs,
    parts: Vec<(String, Entries)>,
    missing: Vec<String>,
}

impl Form<'_> {
    /// After a submit: the parts of the record are read again.
    async fn draw_again(mut self, visit: &Visit, faults: Faults, status: StatusCode) -> Result<Response, Problem> {
        let asked: Vec<&str> = list_asked(self.operation, self.known).collect();
        let record = if asked.is_empty() { None } else { read_record(visit, false).await? };
        let body = record.map_or(Value::Null, |record| record.body);
        for name in asked {
            let (entries, _) = list_entries(visit, self.operation, name, &body, &self.pairs);
            self.parts.push((name.to_owned(), entries));
        }
        self.draw(visit, &body, faults, status).await
    }

    async fn draw(
        self,
        visit: &Visit,
        record: &Value,
        faults: Faults,
        status: StatusCode,
    ) -> Result<Response, Problem> {
        let fields: Vec<&Field<'_>> = self.field.iter().collect();
        let offers = Offers::load(visit, self.operation, self.known, &fields, record, &self.pairs).await?;
        let frame = visit.frame().await?;
        let (values, zone) = (&Values::new(&self.pairs), frame.context.zone.name());
        let drawer = Drawer { visit, values, offers: &offers, faults: &faults, missing: &self.missing, zone };
        let has_page = visit.site.read_at(&visit.path).is_some();
        let markup = html! {
            @if has_page { p { a href=(visit.address()) { "Back" } } }
            p.hint { (words::first_sentence(&self.operation.description)) }
            (drawer.form(self.operation, self.field.as_ref(), &self.parts))
        };
        Ok(page::draw_with_status(&frame, status, &self.operation.summary, markup))
    }
}

/// The record at the address of the page; `or_above`: of a list of a record that one.
async fn read_record(visit: &Visit, or_above: bool) -> Result<Option<Reply>, Problem> {
    let is_record = |path: &&str| {
        let read = visit.site.read_at(path);
        read.is_some_and(|(read, values)| visit.site.collection_at(read, &values).is_none())
    };
    let above = || visit.path.rsplit_once('/').map(|(above, _)| above).filter(|_| or_above);
    match Some(visit.path.as_str()).filter(is_record).or_else(|| above().filter(is_record)) {
        Some(path) => Ok(Some(visit.calls.get(path, &[]).await?)),
        None => Ok(None),
    }
}

/// Parameters of the path that the address does not have.
fn list_asked<'a>(operation: &'a Operation, known: &Known) -> impl Iterator<Item = &'a str> {
    operation.path_parameters().skip(known.len()).map(|parameter| parameter.name.as_str())
}

/// The parts of the record among which a parameter chooses, and the one that is chosen.
fn list_entries<'a>(
    visit: &Visit,
    operation: &Operation,
    name: &str,
    record: &'a Value,
    pairs: &Pairs,
) -> (Vec<(String, String)>, Option<&'a Value>) {
    let transitions = visit.site.records.iter().flat_map(|record| &record.transitions);
    let is_own = |number: usize| visit.site.operations.get(number).is_some_and(|own| own.id == operation.id);
    let part = transitions.filter(|one| is_own(one.operation)).find_map(|one| one.part.as_ref());
    let member = part.and_then(|part| part.member.as_deref());
    let rows = member.and_then(|member| record.get(member)?.as_array()).map(Vec::as_slice).unwrap_or_default();
    let id = |row: &'a Value| row.get("id").or_else(|| row.get(name)).and_then(Value::as_str);
    let entries = rows.iter().filter_map(|row| Some((id(row)?.to_owned(), find_title(row))));
    let chosen = pairs.get(&format!("p/{name}")).unwrap_or_default();
    (entries.collect(), rows.iter().find(|row| id(row) == Some(chosen)))
}

/// A part by the members that tell parts apart.
fn find_title(row: &Value) -> String {
    let members = ["number", "name", "code", "type", "amount", "month", "status"];
    let texts: Vec<&str> = members.iter().filter_map(|member| row.get(*member)?.as_str()).collect();
    let id = row.get("id").and_then(Value::as_str).unwrap_or_default();
    if texts.is_empty() { id.chars().take(8).collect() } else { texts.join(" ") }
}

/// Links to the forms of the parts: each is filled with its part.
fn choose_part(visit: &Visit, operation: &Operation, name: &str, entries: &[(String, String)]) -> Markup {
    let name = format!("p/{name}");
    let address = |id: &str| to_address(&visit.address(), &[("_form", operation.id.as_str()), (name.as_str(), id)]);
    html! { ul { @for (id, title) in entries { li { a href=(address(id)) { (title) } } } } }
}

/// `add:/items` adds a row, `remove:/items/2` removes one.
fn change_rows(pairs: &mut Pairs, field: &Field<'_>, button: &str, clock: &Clock) {
    let count = |pairs: &Pairs, list: &str| {
        pairs.get(&format!("n{list}")).and_then(|text| text.parse::<usize>().ok()).unwrap_or(0)
    };
    let set_count = |pairs: &mut Pairs, list: &str, count: usize| {
        pairs.0.retain(|(name, _)| *name != format!("n{list}"));
        pairs.0.push((format!("n{list}"), count.to_string()));
    };
    if let Some(list) = button.strip_prefix("add:") {
        let row = count(pairs, list);
        let pointer = format!("{list}/{row}");
        if let Some(item) = find_field(field, &pointer) {
            fill(item, None, &pointer, clock, pairs);
        }
        set_count(pairs, list, row + 1);
    }
    let removed = button.strip_prefix("remove:").and_then(|pointer| pointer.rsplit_once('/'));
    if let Some((list, Ok(row))) = removed.map(|(list, row)| (list, row.parse::<usize>())) {
        let before = std::mem::take(&mut pairs.0);
        pairs.0 = before.into_iter().filter_map(|(name, value)| Some((shift(name, list, row)?, value))).collect();
        let rest = count(pairs, list).saturating_sub(1);
        set_count(pairs, list, rest);
    }
}

/// The name of a field after a row was removed. None: it was in that row.
fn shift(name: String, list: &str, removed: usize) -> Option<String> {
    let Some(below) = name.get(1..).and_then(|pointer| pointer.strip_prefix(list)?.strip_prefix('/')) else {
        return Some(name);
    };
    let (row, rest) = below.split_once('/').map_or((below, String::new()), |(row, rest)| (row, format!("/{rest}")));
    match row.parse::<usize>() {
        Ok(row) if row == removed => None,
        Ok(row) if row > removed => Some(format!("{}{list}/{}{rest}", name.get(..1)?, row - 1)),
        _ => Some(name),
    }
}

/// After a success: the page of the record, or the response itself.
async fn finish(visit: &Visit, operation: &Operation, known: &Known, reply: &Reply) -> Result<Response, Problem> {
    if let (false, Some(tenant)) = (operation.of_company, reply.body.get("tenantId").and_then(Value::as_str)) {
        return Ok(page::redirect(&format!("/console/{tenant}")));
    }
    let collection = find_collection(visit, operation, known);
    let target = find_target(visit, operation, known, collection, &reply.body);
    let is_read = operation.method == Method::POST && !operation.key;
    let is_secret = !is_read && has_secret(visit, collection, &reply.body);
    if let (Some(path), false) = (&target, is_read || is_secret) {
        return Ok(page::redirect(&to_address(&format!("{}{path}", visit.base), &[("_done", operation.id.as_str())])));
    }
    let frame = visit.frame().await?;
    let view = View { visit, operation, known, clock: visit.clock().await?, names: Names::default() };
    let markup = html! {
        @if is_secret { p.hint { "Copy this now: it may not be shown again." } }
        (view.object(&operation.response, &reply.body, &[], 0))
        @if let Some(path) = target { p { a href=(format!("{}{path}", visit.base)) { "Continue" } } }
        @else { p { a href=(visit.base) { "Continue" } } }
    };
    Ok(page::draw(&frame, &operation.summary, markup))
}

/// The collection of the record that the operation makes, or of the one at the page's address.
fn find_collection<'a>(visit: &'a Visit, operation: &Operation, known: &Known) -> Option<&'a Collection> {
    let is_own = |number: usize| visit.site.operations.get(number).is_some_and(|own| own.id == operation.id);
    let made = visit.site.collections.iter().find(|collection| {
        collection.create.is_some_and(is_own) && collection.bound.iter().all(|bound| known.contains(bound))
    });
    let at =
        || visit.site.read_at(&visit.path).and_then(|(read, values)| visit.site.collection_of_record(read, &values));
    // A response that is a record of another list, as the order that an accepted offer becomes.
    let component = component(&operation.response);
    let others = || {
        visit
            .site
            .collections
            .iter()
            .find(|other| !component.is_empty() && other.component == component && other.parent.is_none())
    };
    made.or_else(|| at().filter(|collection| collection.component == component)).or_else(others)
}

fn component(schema: &Value) -> &str {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.rsplit('/').next());
    name.unwrap_or_default()
}

/// Path of the page that shows what was done.
fn find_target(
    visit: &Visit,
    operation: &Operation,
    known: &Known,
    collection: Option<&Collection>,
    body: &Value,
) -> Option<String> {
    let is_there = |path: &&str| visit.site.read_at(path).is_some();
    if operation.method == Method::DELETE {
        let list = visit.path.rsplit_once('/').map(|(list, _)| list);
        return Some(list.filter(is_there).unwrap_or_default().to_owned());
    }
    // The record at the address has its own page already.
    let own = known.last().map(|(_, id)| id.as_str()).filter(|_| is_there(&visit.path.as_str()));
    let id = body.get("id").and_then(Value::as_str).filter(|id| own != Some(*id));
    let made = collection.zip(id).and_then(|(collection, id)| {
        let is_child = collection.parent.is_some();
        visit.site.record_path(collection, if is_child { known } else { &[] }, id)
    });
    made.or_else(|| Some(visit.path.clone()).filter(|path| is_there(&path.as_str())))
}

/// True if the response has a long text that the pages of its record do not show.
fn has_secret(visit: &Visit, collection: Option<&Collection>, body: &Value) -> bool {
    let record = collection.and_then(|collection| visit.site.operations.get(collection.record?));
    let record = record.or_else(|| visit.site.read_at(&visit.path).map(|(read, _)| read));
    let schemas = [collection.map(|collection| &collection.item), record.map(|record| &record.response)];
    let is_shown = |name: &str| {
        let mut shown = schemas.iter().flatten().map(|schema| visit.site.resolve(schema).schema);
        shown.any(|schema| schema.get("properties").is_some_and(|members| members.get(name).is_some()))
    };
    let is_long = |value: &Value| value.as_str().is_some_and(|text| text.len() >= SECRET);
    let is_id = |value: &Value| value.as_str().is_some_and(|text| Uuid::try_parse(text).is_ok());
    let mut members = body.as_object().into_iter().flatten();
    members.any(|(name, value)| is_long(value) && !is_id(value) && !name.ends_with("At") && !is_shown(name))
}
