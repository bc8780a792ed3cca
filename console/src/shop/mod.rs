//! Pages of commerce that are more than tables, each with the operations that it needs.

mod overview;
mod parts;
mod prices;
mod receive;
mod till;
mod timeline;

use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde_json::Value;

use crate::call::Problem;
use crate::commerce::is_permitted;
use crate::form::fault::{Faults, Places};
use crate::page::{self, Visit};
use crate::show::encode_segment;
use crate::site::operation::Operation;
use crate::site::{Site, fill};

/// The page at the start of a company, or at an address below `/-/`. An operation that the contract lacks makes it "not found".
pub async fn respond(visit: &Visit) -> Result<Response, Problem> {
    let path: Vec<&str> = visit.path.split('/').skip(2).collect();
    let basket = if let ["till", _] = path[..] { till::read_order(visit).await? } else { Value::Null };
    let done = match path[..] {
        _ if !visit.is_post => Err(Said::Nothing),
        ["till"] => till::open(visit).await,
        ["till", session] => till::change(visit, session, &basket).await,
        ["till", session, "close"] => till::close(visit, session).await,
        ["receive", order] => receive::receive(visit, order).await,
        ["prices"] => prices::schedule(visit).await,
        _ => Err(Said::Nothing),
    };
    let said = match done {
        Ok(address) => return Ok(page::redirect(&address)),
        Err(said) => said,
    };
    match path[..] {
        [] => overview::draw(visit).await,
        ["waiting"] => overview::draw_waiting(visit).await,
        ["till"] => till::draw_registers(visit, &said).await,
        ["till", session] => till::draw_sale(visit, session, &basket, &said).await,
        ["till", session, "close"] => till::draw_close(visit, session, &said).await,
        ["till", session, "receipts", receipt] => till::draw_receipt(visit, session, receipt).await,
        ["receive"] => receive::draw_orders(visit).await,
        ["receive", order] => receive::draw_order(visit, order, &said).await,
        ["prices"] => prices::draw(visit, &said).await,
        ["orders", order] => timeline::draw(visit, order).await,
        _ => Err(Problem::not_found()),
    }
}

/// Why the page of a form is shown again.
enum Said {
    Nothing,
    Sentence(String),
    /// A word for the records that fit, and the records of which the user is to choose one.
    Choices(&'static str, Vec<Value>),
    /// The operation that was rejected.
    Rejection(&'static str, Problem),
}

/// Where the browser goes after a write, or what the page says instead.
type Done = Result<String, Said>;

type Read = Result<Value, Problem>;

impl Said {
    fn status(&self) -> StatusCode {
        if let Said::Rejection(_, problem) = self { problem.status } else { StatusCode::OK }
    }

    /// `place` names the place at a pointer.
    fn draw(&self, site: &Site, place: &dyn Fn(&str) -> Option<String>) -> Markup {
        let (id, problem) = match self {
            Said::Nothing => return html! {},
            Said::Sentence(text) => return html! { p.faults role="alert" { (text) } },
            Said::Choices(kind, _) => return html! { p.faults role="alert" { "Several " (kind) " fit. Choose one." } },
            Said::Rejection(id, problem) => (id, problem),
        };
        let faults =
            site.operation(id).map(|operation| Faults::from_problem(site, operation, &[], problem, &Places::new(), ""));
        let Faults { title, items, .. } = faults.unwrap_or_default();
        html! {
            div.faults role="alert" tabindex="-1" {
                p { strong { (title.as_deref().unwrap_or(&problem.detail)) } }
                ul { @for (item, fault) in problem.items.iter().zip(&items) {
                    li { @if let Some(place) = place(&item.pointer) { (place) ": " } (fault.text) }
                } }
            }
        }
    }
}

/// The entry of a list at a pointer such as `/items/2/quantity`, after the name of the list.
fn entry_at<'l, T>(list: &'l [T], name: &str, pointer: &str) -> Option<&'l T> {
    let mut parts = pointer.split('/').skip_while(|part| *part != name).skip(1);
    list.get(parts.next()?.parse::<usize>().ok()?)
}

/// An operation, and its path below the company. `part`: the only parameter of the path; "" without one.
fn locate<'s>(site: &'s Site, id: &str, part: &str) -> Result<(&'s Operation, String), Problem> {
    let part = encode_segment(part);
    let located = site.operation(id).and_then(|operation| Some((operation, fill(&operation.path, &[&part])?)));
    located.ok_or_else(Problem::not_found)
}

/// The address of the page of a read, such as that of a record.
fn address_of(visit: &Visit, id: &str, part: &str) -> String {
    visit.base.clone() + &locate(&visit.site, id, part).map_or_else(|_| String::new(), |(_, path)| path)
}

/// Parameters of the query that are empty are left out.
async fn read<const N: usize>(visit: &Visit, id: &str, part: &str, query: [(&str, &str); N]) -> Read {
    let stated: Vec<(&str, &str)> = query.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    visit.calls.get(&locate(&visit.site, id, part)?.1, &stated).await.map(|reply| reply.body)
}

/// The same; null if the contract has no such operation or the user may not send it.
async fn read_if<const N: usize>(visit: &Visit, id: &str, part: &str, query: [(&str, &str); N]) -> Read {
    match is_permitted(&visit.site, visit.context().await?, id) {
        true => read(visit, id, part, query).await,
        false => Ok(Value::Null),
    }
}

/// Sends a body, with the key of the form.
async fn write(visit: &Visit, id: &'static str, part: &str, body: &Value) -> Result<Value, Said> {
    let write = async {
        let (operation, path) = locate(&visit.site, id, part)?;
        visit.calls.write(operation, &path, Some(body), Some(parts::value_of(visit, "key")), None).await
    };
    write.await.map(|reply| reply.body).map_err(|problem| Said::Rejection(id, problem))
}

async fn finish(visit: &Visit, title: &str, said: &Said, body: Markup) -> Result<Response, Problem> {
    page::draw_with_status(visit, said.status(), title, body).await
}

/// A text of a response; "" for null.
fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// The items of a list, or the lines of an order.
fn items(value: &Value) -> &[Value] {
    list(value, "items")
}

fn list<'v>(value: &'v Value, member: &str) -> &'v [Value] {
    value.get(member).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A text of the record with this id, or the beginning of the id.
fn name_of<'v>(records: &'v [Value], id: &'v str, member: &str) -> &'v str {
    let record = records.iter().find(|record| text(record, "id") == id);
    record.map_or(id.get(..8).unwrap_or(id), |record| text(record, member))
}

/// The distinct values of a member, separated by commas, as `ids` takes them: 100 at most.
fn join_ids<'v>(records: impl IntoIterator<Item = &'v Value>, member: &str) -> String {
    let mut ids: Vec<&str> = records.into_iter().map(|one| text(one, member)).filter(|id| !id.is_empty()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.truncate(100);
    ids.join(",")
}
