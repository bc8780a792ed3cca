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
use crate::form::reference::{Entries, Offers, find_field};
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
    let mut form = Form::new(visit, operation, known, Pairs::default());
    let is_edit = matches!(operation.method, Method::PUT | Method::PATCH);
    let version = form.field.as_ref().and_then(|field| find_field(field, &format!("/{VERSION}")));
    let needs_record = is_edit || version.is_some() || operation.if_match || form.asked.is_some();
    let record = if needs_record { form.read_record().await? } else { None };
    let body = record.as_ref().map_or(&Value::Null, |record| &record.body);
    let clock = visit.clock().await?;
    // That of a row is in the link to the form.
    let stated = visit.query.get("version").map(str::to_owned);
    let version = version.and_then(|_| stated.or_else(|| body.get("version").map(Value::to_string)));
    let hidden = [
        ("key", operation.key.then(|| Uuid::now_v7().to_string())),
        ("etag", record.as_ref().and_then(|record| record.etag.clone()).filter(|_| operation.if_match)),
        ("version", version),
        ("zone", Some(clock.zone.name().to_owned())),
    ];
    let hidden = hidden.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let chosen = visit.query.0.iter().filter(|(name, _)| name.starts_with("p/")).cloned();
    form.pairs.0.extend(hidden.chain(chosen));
    let mut source = is_edit.then_some(body);
    if let Some(asked) = form.asked.filter(|_| is_edit) {
        let rows = form.list_rows(body);
        let chosen = visit.query.get(&format!("p/{asked}"));
        source = chosen.and_then(|chosen| rows.iter().find(|row| find_id(row, asked) == Some(chosen)));
        if source.is_none() && !rows.is_empty() {
            return page::draw(visit, &operation.summary, form.choose_part(asked, rows)).await;
        }
    }
    if let Some(field) = &form.field {
        fill(field, source, "", &clock, &mut form.pairs);
        if let (Some(Value::Object(source)), Kind::Object(members)) = (source, &field.kind) {
            let names = members.iter().map(|member| member.name).filter(|name| *name != VERSION);
            form.missing = names.filter(|name| !source.contains_key(*name)).map(str::to_owned).collect();
        }
    }
    form.draw(body, &Faults::default(), StatusCode::OK).await
}

/// A form that was sent: another row, a search, or the write itself.
pub async fn send(visit: &Visit, operation: &Operation, known: &Known) -> Result<Response, Problem> {
    let mut form = Form::new(visit, operation, known, visit.form.clone());
    let clock = match visit.form.get("zone").and_then(|zone| zone.parse().ok()) {
        Some(zone) => Clock { zone },
        None => visit.clock().await?,
    };
    let button = visit.form.get("do").unwrap_or("send");
    if button != "send" {
        if let Some(field) = &form.field {
            change_rows(&mut form.pairs, field, button, &clock);
        }
        return form.draw_again(&Faults::default(), StatusCode::OK).await;
    }
    let sent = match read(&visit.site, operation, &visit.form, &clock) {
        Ok(sent) => sent,
        Err(faults) => return form.draw_again(&faults, StatusCode::BAD_REQUEST).await,
    };
    let asked = sent.path.iter().map(|(_, value)| encode_segment(value));
    let values: Vec<String> = known.iter().map(|(_, value)| value.clone()).chain(asked).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let Some(path) = site::fill(&operation.path, &values) else {
        let place = form.asked.map(|name| format!("p/{name}"));
        let faults = Faults::not_sent(vec![Fault { place, text: "State this.".to_owned(), link: None }]);
        return form.draw_again(&faults, StatusCode::BAD_REQUEST).await;
    };
    match visit.calls.write(operation, &path, sent.body.as_ref(), sent.key.as_deref(), sent.etag.as_deref()).await {
        Ok(reply) => finish(visit, operation, known, &reply.body).await,
        Err(problem) if problem.status == StatusCode::UNAUTHORIZED => Err(problem),
        Err(problem) => {
            let faults = Faults::from_problem(&visit.site, operation, known, &problem, &sent.places, &visit.base);
            if operation.key && !faults.keeps_key {
                form.pairs.0.retain(|(name, _)| name != "key");
                form.pairs.0.push(("key".to_owned(), Uuid::now_v7().to_string()));
            }
            form.draw_again(&faults, problem.status).await
        }
    }
}

/// A form as it is drawn.
struct Form<'a> {
    visit: &'a Visit,
    operation: &'a Operation,
    known: &'a Known,
    /// The parameter of the path that the address does not have.
    asked: Option<&'a str>,
    field: Option<Field<'a>>,
    pairs: Pairs,
    missing: Vec<String>,
}

impl<'a> Form<'a> {
    fn new(visit: &'a Visit, operation: &'a Operation, known: &'a Known, pairs: Pairs) -> Form<'a> {
        let asked = operation.path_parameters().nth(known.len()).map(|parameter| parameter.name.as_str());
        let field = Field::from_body(&visit.site, operation, known);
        Form { visit, operation, known, asked, field, pairs, missing: Vec::new() }
    }

    /// The record at the address of the page; of a list of a record that one, unless a row of the list is asked for.
    async fn read_record(&self) -> Result<Option<Reply>, Problem> {
        let (site, path) = (&self.visit.site, self.visit.path.as_str());
        let is_record = |path: &&str| {
            let read = site.read_at(path);
            read.is_some_and(|(read, values)| site.collection_at(read, &values).is_none())
        };
        let above = path.rsplit_once('/').map(|(above, _)| above).filter(|_| self.asked.is_none());
        match [Some(path), above].into_iter().flatten().find(is_record) {
            Some(path) => super::list::read_if_there(self.visit, path).await,
            None => Ok(None),
        }
    }

    /// The rows of the record among which the parameter chooses.
    fn list_rows<'r>(&self, record: &'r Value) -> &'r [Value] {
        let transitions = self.visit.site.records.iter().flat_map(|record| &record.transitions);
        let mut own = transitions.filter(|one| is_at(self.visit, one.operation, self.operation));
        let member = own.find_map(|one| one.part.as_ref()?.member.as_deref());
        member.and_then(|member| record.get(member)?.as_array()).map(Vec::as_slice).unwrap_or_default()
    }

    /// Links to the forms of the parts: each is filled with its part.
    fn choose_part(&self, asked: &str, rows: &[Value]) -> Markup {
        let name = format!("p/{asked}");
        let address =
            |id: &str| to_address(&self.visit.address(), &[("_form", self.operation.id.as_str()), (name.as_str(), id)]);
        html! {
            ul {
                @for row in rows { li { a href=(address(find_id(row, asked).unwrap_or_default())) { (find_title(row)) } } }
            }
        }
    }

    /// After a submit: the parts of the record are read again.
    async fn draw_again(self, faults: &Faults, status: StatusCode) -> Result<Response, Problem> {
        let record = if self.asked.is_some() { self.read_record().await? } else { None };
        self.draw(&record.map_or(Value::Null, |record| record.body), faults, status).await
    }

    async fn draw(self, record: &Value, faults: &Faults, status: StatusCode) -> Result<Response, Problem> {
        let Form { visit, operation, .. } = self;
        let fields: Vec<&Field<'_>> = self.field.iter().collect();
        let offers = Offers::load(visit, operation, self.known, &fields, record, &self.pairs).await?;
        let parts = self.asked.map(|asked| {
            let rows = self.list_rows(record).iter();
            let entries = rows.filter_map(|row| Some((find_id(row, asked)?.to_owned(), find_title(row))));
            (asked.to_owned(), entries.collect::<Entries>())
        });
        let (values, zone) = (&Values::new(&self.pairs), visit.clock().await?.zone.name());
        let drawer = Drawer { visit, values, offers: &offers, faults, missing: &self.missing, zone };
        let markup = html! {
            @if visit.site.read_at(&visit.path).is_some() { p { a href=(visit.address()) { "Back" } } }
            p.hint { (words::first_sentence(&operation.description)) }
            (drawer.form(operation, self.field.as_ref(), parts.as_slice()))
        };
        page::draw_with_status(visit, status, &operation.summary, markup).await
    }
}

fn is_at(visit: &Visit, number: usize, operation: &Operation) -> bool {
    visit.site.operations.get(number).is_some_and(|own| own.id == operation.id)
}

/// The value of a parameter that chooses a row.
fn find_id<'r>(row: &'r Value, parameter: &str) -> Option<&'r str> {
    row.get("id").or_else(|| row.get(parameter))?.as_str()
}

/// A title for a part, from the members that distinguish parts.
fn find_title(row: &Value) -> String {
    let members = ["number", "name", "code", "type", "amount", "month", "status"];
    let texts: Vec<&str> = members.iter().filter_map(|member| row.get(*member)?.as_str()).collect();
    let id = row.get("id").and_then(Value::as_str).unwrap_or_default();
    if texts.is_empty() { id.chars().take(8).collect() } else { texts.join(" ") }
}

/// `add:/items` adds a row, `remove:/items/2` removes one.
fn change_rows(pairs: &mut Pairs, field: &Field<'_>, button: &str, clock: &Clock) {
    let Some((verb, pointer)) = button.split_once(':') else { return };
    let count = |pairs: &Pairs, list: &str| Values::new(pairs).count(list);
    let (list, count) = match (verb, pointer.rsplit_once('/')) {
        ("add", _) => {
            let row = count(pairs, pointer);
            let place = format!("{pointer}/{row}");
            if let Some(item) = find_field(field, &place) {
                fill(item, None, &place, clock, pairs);
            }
            (pointer, row + 1)
        }
        ("remove", Some((list, row))) => {
            let Ok(row) = row.parse::<usize>() else { return };
            let before = std::mem::take(&mut pairs.0).into_iter();
            pairs.0 = before.filter_map(|(name, value)| Some((shift(name, list, row)?, value))).collect();
            (list, count(pairs, list).saturating_sub(1))
        }
        _ => return,
    };
    let name = format!("n{list}");
    pairs.0.retain(|(other, _)| *other != name);
    pairs.0.push((name, count.to_string()));
}

/// The name of a field after a row was removed. None: it was in that row.
fn shift(name: String, list: &str, removed: usize) -> Option<String> {
    let below = name.split_once(&format!("{list}/")).filter(|(kind, _)| kind.len() == 1);
    let Some((kind, below)) = below else { return Some(name) };
    let (row, rest) = below.split_at(below.find('/').unwrap_or(below.len()));
    match row.parse::<usize>() {
        Ok(row) if row == removed => None,
        Ok(row) if row > removed => Some(format!("{kind}{list}/{}{rest}", row - 1)),
        _ => Some(name),
    }
}

/// After a success: the page of the record, or the response itself.
async fn finish(visit: &Visit, operation: &Operation, known: &Known, body: &Value) -> Result<Response, Problem> {
    if let (false, Some(tenant)) = (operation.of_company, body.get("tenantId").and_then(Value::as_str)) {
        return Ok(page::redirect(&format!("/console/{tenant}")));
    }
    let collection = find_collection(visit, operation, known);
    let is_there = |path: &&str| visit.site.read_at(path).is_some();
    let own = Some(visit.path.as_str()).filter(is_there);
    // The record at the address has its own page already.
    let shown = known.last().map(|(_, id)| id.as_str()).filter(|_| own.is_some());
    let id = body.get("id").and_then(Value::as_str).filter(|id| shown != Some(*id));
    let made = collection.zip(id).and_then(|(collection, id)| {
        visit.site.record_path(collection, if collection.parent.is_some() { known } else { &[] }, id)
    });
    let list = || visit.path.rsplit_once('/').map(|(list, _)| list).filter(is_there).unwrap_or_default();
    let target = match operation.method {
        Method::DELETE => Some(list().to_owned()),
        _ => made.or_else(|| own.map(str::to_owned)),
    };
    let is_read = operation.method == Method::POST && !operation.key;
    let is_secret = !is_read && has_secret(visit, collection, body);
    if let (Some(path), false) = (&target, is_read || is_secret) {
        return Ok(page::redirect(&to_address(&format!("{}{path}", visit.base), &[("_done", operation.id.as_str())])));
    }
    let view = View::new(visit, operation, known).await?;
    let markup = html! {
        @if is_secret { p.hint { "Copy this now: it may not be shown again." } }
        (view.object(&operation.response, body, &[], 0))
        p { a href=(format!("{}{}", visit.base, target.unwrap_or_default())) { "Continue" } }
    };
    page::draw(visit, &operation.summary, markup).await
}

/// The collection of the record that the operation makes, or of the one at the page's address.
fn find_collection<'a>(visit: &'a Visit, operation: &Operation, known: &Known) -> Option<&'a Collection> {
    let site = &visit.site;
    let component = operation.response.get("$ref").and_then(Value::as_str).and_then(|name| name.rsplit('/').next());
    let is_same = |other: &&Collection| Some(other.component.as_str()) == component;
    let made = site.collections.iter().find(|one| {
        one.create.is_some_and(|create| is_at(visit, create, operation))
            && one.bound.iter().all(|bound| known.contains(bound))
    });
    let at = || site.read_at(&visit.path).and_then(|(read, values)| site.collection_of_record(read, &values));
    // A response that is a record of another list, as the order that an accepted offer becomes.
    let others = || site.collections.iter().find(|other| is_same(other) && other.parent.is_none());
    made.or_else(|| at().filter(is_same)).or_else(others)
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
    let is_long = |text: &str| text.len() >= SECRET && Uuid::try_parse(text).is_err();
    let mut members = body.as_object().into_iter().flatten();
    members.any(|(name, value)| value.as_str().is_some_and(is_long) && !name.ends_with("At") && !is_shown(name))
}
