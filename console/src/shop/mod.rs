//! Pages of commerce that are more than tables, each with the operations that it needs.

mod chart;
mod figures;
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

use crate::call::{Context, Problem, ProblemItem};
use crate::form::fault::{Faults, Places};
use crate::host::Later;
use crate::page::{self, Frame, Link, Visit};
use crate::show::encode_segment;
use crate::site::operation::Operation;
use crate::site::{Site, fill};

pub struct ShopPage {
    /// Below the company: "" is its start. Addresses below it are of the same page.
    pub path: &'static str,
    /// In the navigation; "": the page is reached in another way.
    pub label: &'static str,
    pub group: &'static str,
    /// Operations without which there is no such page.
    pub needs: &'static [&'static str],
    pub respond: for<'a> fn(&'a Visit, &'a str) -> Later<'a, Result<Response, Problem>>,
}

#[rustfmt::skip]
pub const PAGES: &[ShopPage] = &[
    ShopPage { path: "", label: "", group: "", needs: &[],
        respond: |visit, _| Box::pin(overview::respond(visit)) },
    ShopPage { path: "/-/till", label: "Sell at a till", group: "Till", needs: till::NEEDS,
        respond: |visit, rest| Box::pin(till::respond(visit, rest)) },
    ShopPage { path: "/-/receive", label: "Receive goods", group: "Purchases",
        needs: &["listPurchaseOrders", "getPurchaseOrder", "createGoodsReceipt", "listVariants"],
        respond: |visit, rest| Box::pin(receive::respond(visit, rest)) },
    ShopPage { path: "/-/prices", label: "Price grid", group: "Goods",
        needs: &["listPriceLists", "listVariants", "resolvePrices", "schedulePrices"],
        respond: |visit, _| Box::pin(prices::respond(visit)) },
    ShopPage { path: "/-/orders", label: "", group: "Sales", needs: &["getSalesOrder"],
        respond: |visit, rest| Box::pin(timeline::respond(visit, rest)) },
];

/// The page at a path below the company, and the rest of the path.
pub fn find(path: &str) -> Option<(&'static ShopPage, &str)> {
    PAGES.iter().find_map(|page| {
        let rest = path.strip_prefix(page.path).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
        (!page.path.is_empty() || rest.is_empty()).then_some((page, rest))
    })
}

impl ShopPage {
    /// True if the contract has every operation that the page needs.
    pub fn is_served(&self, site: &Site) -> bool {
        self.needs.iter().all(|id| site.operation(id).is_some())
    }

    fn is_offered(&self, site: &Site, context: &Context) -> bool {
        self.needs.iter().all(|id| is_permitted(site, context, id))
    }

    fn link(&self, context: &Context, label: &str, rest: &str) -> Link {
        let address = format!("/console/{}{}{rest}", context.tenant, self.path);
        Link { group: self.group.to_owned(), label: label.to_owned(), address }
    }
}

/// The pages that a user of this company is offered in the navigation. The layout itself has the start.
pub fn offer(site: &Site, context: &Context) -> Vec<Link> {
    let pages = PAGES.iter().filter(|page| !page.label.is_empty() && page.is_offered(site, context));
    pages.map(|page| page.link(context, page.label, "")).collect()
}

/// The pages of commerce of a record.
pub fn links(frame: &Frame, operation: &Operation, id: &str) -> Vec<Link> {
    let (path, label) = match operation.id.as_str() {
        "getSalesOrder" => ("/-/orders", "Timeline"),
        "getPosSession" => ("/-/till", "Sell at the till"),
        "getPurchaseOrder" => ("/-/receive", "Receive goods"),
        _ => return Vec::new(),
    };
    let page = PAGES.iter().find(|page| page.path == path && page.is_offered(&frame.site, &frame.context));
    page.map(|page| page.link(&frame.context, label, &format!("/{id}"))).into_iter().collect()
}

/// True if the contract has the operation and the user may send it. The host decides anyway.
fn is_permitted(site: &Site, context: &Context, id: &str) -> bool {
    site.operation(id).is_some_and(|operation| operation.access.permits(&context.permissions))
}

/// Why the page of a form is shown again, or nothing.
#[derive(Default)]
struct Said {
    message: String,
    /// A rejection, with the operation that was rejected.
    rejection: Option<(&'static str, Problem)>,
    /// Records of which the user is to choose one.
    choices: Vec<Value>,
    /// A sales order that was read and did not change.
    order: Option<Value>,
}

/// Where the browser goes after a write, or what the page says instead.
type Done = Result<String, Box<Said>>;

impl Said {
    fn reject(operation: &'static str, problem: Problem) -> Box<Said> {
        Box::new(Said { rejection: Some((operation, problem)), ..Said::default() })
    }

    fn choose(message: &str, choices: &[Value]) -> Box<Said> {
        Box::new(Said { message: message.to_owned(), choices: choices.to_vec(), ..Said::default() })
    }

    fn say(message: &str) -> Box<Said> {
        Said::choose(message, &[])
    }

    fn status(&self) -> StatusCode {
        self.rejection.as_ref().map_or(StatusCode::OK, |(_, problem)| problem.status)
    }

    /// True after a 5xx, a 429 or no response: with the same key, the form that is sent again has no second effect.
    fn keeps_key(&self) -> bool {
        self.status().is_server_error() || self.status() == StatusCode::TOO_MANY_REQUESTS
    }

    /// `place` names the place of an item.
    fn draw(&self, site: &Site, place: &dyn Fn(&ProblemItem) -> String) -> Markup {
        let Some((id, problem)) = &self.rejection else {
            return html! { @if !self.message.is_empty() { p.faults role="alert" { (self.message) } } };
        };
        let faults = site.operation(id).map(|operation| Faults::of(site, operation, &[], problem, &Places::new(), ""));
        let Faults { title, items, .. } = faults.unwrap_or_default();
        html! {
            div.faults role="alert" tabindex="-1" {
                p { strong { (title.as_deref().unwrap_or(&problem.detail)) } }
                @if !items.is_empty() {
                    ul { @for (item, fault) in problem.items.iter().zip(&items) { li { (place(item)) " " (fault.text) } } }
                }
            }
        }
    }
}

/// An operation, and its path below the company with these values.
fn locate<'s>(site: &'s Site, id: &str, parts: &[&str]) -> Result<(&'s Operation, String), Problem> {
    let parts: Vec<String> = parts.iter().map(|part| encode_segment(part)).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let located = site.operation(id).and_then(|operation| Some((operation, fill(&operation.path, &parts)?)));
    located.ok_or_else(Problem::not_found)
}

/// The address of the page of a read, such as that of a record.
fn address_of(visit: &Visit, id: &str, parts: &[&str]) -> String {
    visit.base.clone() + &locate(&visit.site, id, parts).map_or_else(|_| String::new(), |(_, path)| path)
}

async fn read(visit: &Visit, id: &str, parts: &[&str], query: &[(&str, &str)]) -> Result<Value, Problem> {
    visit.calls.get(&locate(&visit.site, id, parts)?.1, query).await.map(|reply| reply.body)
}

/// A list or a report. None: the contract has none, or the user may not read it.
async fn read_if(visit: &Visit, id: &str, query: &[(&str, &str)]) -> Option<Result<Value, Problem>> {
    let context = match visit.context().await {
        Ok(context) => context,
        Err(problem) => return Some(Err(problem)),
    };
    if !is_permitted(&visit.site, context, id) {
        return None;
    }
    Some(read(visit, id, &[], query).await)
}

/// Sends a body, with the key of the form.
async fn write(visit: &Visit, id: &'static str, parts: &[&str], body: &Value) -> Result<Value, Box<Said>> {
    let write = async {
        let (operation, path) = locate(&visit.site, id, parts)?;
        let key = operation.key.then(|| parts::value_of(visit, "key"));
        visit.calls.write(operation, &path, Some(body), key, None).await
    };
    write.await.map(|reply| reply.body).map_err(|problem| Said::reject(id, problem))
}

async fn finish(visit: &Visit, title: &str, said: &Said, body: Markup) -> Result<Response, Problem> {
    Ok(page::draw_with_status(&visit.frame().await?, said.status(), title, body))
}

/// A text of a response; "" for null.
fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// The items of a list.
fn items(page: &Value) -> &[Value] {
    list(page, "items")
}

fn list<'v>(value: &'v Value, member: &str) -> &'v [Value] {
    value.get(member).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A text of the record with this id, or the beginning of the id.
fn name_of<'v>(records: &'v [Value], id: &'v str, member: &str) -> &'v str {
    let record = records.iter().find(|record| text(record, "id") == id);
    record.map(|record| text(record, member)).unwrap_or(id.get(..8).unwrap_or(id))
}

/// `PARTIALLY_RECEIVED` as "partially received".
fn word(code: &str) -> String {
    code.replace('_', " ").to_lowercase()
}

/// The distinct values of a member, separated by commas, as `ids` takes them: 100 at most.
fn join_ids<'v>(records: impl IntoIterator<Item = &'v Value>, member: &str) -> String {
    let mut ids: Vec<&str> = records.into_iter().map(|one| text(one, member)).filter(|id| !id.is_empty()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.truncate(100);
    ids.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_its_page() {
        let found = |path| find(path).map(|(page, rest)| (page.path, rest));
        assert_eq!(found(""), Some(("", "")));
        assert_eq!(found("/-/till"), Some(("/-/till", "")));
        assert_eq!(found("/-/till/1/close"), Some(("/-/till", "/1/close")));
        assert_eq!([found("/-/tills"), found("/-/find/listVariants"), found("/catalog/products")], [None, None, None]);
    }
}
