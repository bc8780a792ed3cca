//! Pages of commerce that are more than tables, each with the operations that it needs.

pub mod chart;
pub mod figures;
pub mod overview;
pub mod prices;
pub mod receive;
pub mod till;
pub mod timeline;

use std::sync::Arc;

use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use uuid::Uuid;

use crate::call::{Calls, Context, Problem, ProblemItem};
use crate::host::Later;
use crate::page::{Frame, Link};
use crate::pairs::Pairs;
use crate::site::Site;
use crate::site::operation::Operation;

pub struct ShopPage {
    /// Below the company; addresses below it are of the same page.
    pub path: &'static str,
    pub label: &'static str,
    /// Heading in the navigation; "": above all headings.
    pub group: &'static str,
    /// Not in the navigation: the page is reached from a record.
    pub is_of_record: bool,
    /// Operations without which there is no such page.
    pub needs: &'static [&'static str],
    pub respond: for<'a> fn(&'a Visit<'a>) -> Later<'a, Result<Response, Problem>>,
}

pub const PAGES: &[ShopPage] = &[
    ShopPage {
        path: "",
        label: "Overview",
        group: "",
        is_of_record: false,
        needs: &[],
        respond: |visit| Box::pin(overview::respond(visit)),
    },
    ShopPage {
        path: "/-/till",
        label: "Sell at a till",
        group: "Till",
        is_of_record: false,
        needs: till::NEEDS,
        respond: |visit| Box::pin(till::respond(visit)),
    },
    ShopPage {
        path: "/-/receive",
        label: "Receive goods",
        group: "Purchases",
        is_of_record: false,
        needs: &["listPurchaseOrders", "getPurchaseOrder", "createGoodsReceipt", "listVariants"],
        respond: |visit| Box::pin(receive::respond(visit)),
    },
    ShopPage {
        path: "/-/prices",
        label: "Price grid",
        group: "Goods",
        is_of_record: false,
        needs: &["listPriceLists", "listVariants", "resolvePrices", "schedulePrices"],
        respond: |visit| Box::pin(prices::respond(visit)),
    },
    ShopPage {
        path: "/-/orders",
        label: "Timeline",
        group: "Sales",
        is_of_record: true,
        needs: &["getSalesOrder"],
        respond: |visit| Box::pin(timeline::respond(visit)),
    },
];

impl ShopPage {
    /// True if the contract has every operation that the page needs.
    pub fn is_served(&self, site: &Site) -> bool {
        self.needs.iter().all(|id| site.operation(id).is_some())
    }

    /// True if the user may send all of them as well.
    fn is_offered(&self, site: &Site, context: &Context) -> bool {
        self.needs.iter().all(|id| is_permitted(site, context, id))
    }
}

/// The page at a path below the company, and the rest of the path.
pub fn find(path: &str) -> Option<(&'static ShopPage, &str)> {
    PAGES.iter().find_map(|page| {
        let rest = path.strip_prefix(page.path).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
        // The overview is one address.
        (!page.path.is_empty() || rest.is_empty() || rest == "/").then_some((page, rest))
    })
}

/// The pages of commerce that a user of this company is offered in the navigation.
pub fn offer(site: &Site, context: &Context) -> Vec<Link> {
    let pages = PAGES.iter().filter(|page| !page.is_of_record && page.is_offered(site, context));
    pages.map(|page| link(context, page, page.label, "")).collect()
}

/// The pages of commerce of a record.
pub fn links(frame: &Frame, operation: &Operation, id: &str) -> Vec<Link> {
    let (path, label, rest) = match operation.id.as_str() {
        "getSalesOrder" => ("/-/orders", "Timeline", format!("/{}", encode(id))),
        "getPosSession" => ("/-/till", "Sell at the till", format!("/{}", encode(id))),
        "getPurchaseOrder" => ("/-/receive", "Receive goods", format!("/{}", encode(id))),
        _ => return Vec::new(),
    };
    let page = PAGES.iter().find(|page| page.path == path && page.is_offered(&frame.site, &frame.context));
    page.map(|page| link(&frame.context, page, label, &rest)).into_iter().collect()
}

fn link(context: &Context, page: &ShopPage, label: &str, rest: &str) -> Link {
    let address = format!("/console/{}{}{rest}", context.tenant, page.path);
    Link { group: page.group.to_owned(), label: label.to_owned(), address }
}

/// True if the contract has the operation and the user may send it. The host decides anyway.
pub fn is_permitted(site: &Site, context: &Context, id: &str) -> bool {
    site.operation(id).is_some_and(|operation| operation.access.permits(&context.permissions))
}

/// A request for a page of commerce.
pub struct Visit<'a> {
    pub site: &'a Arc<Site>,
    pub calls: &'a Calls,
    pub tenant: &'a str,
    /// Id and e-mail address of the user.
    pub user: &'a str,
    pub email: &'a str,
    pub csrf: &'a str,
    /// Path and query of the request.
    pub path: &'a str,
    /// The part of the path below the page's own.
    pub rest: &'a str,
    pub query: &'a Pairs,
    /// Of a POST, which came from a page of this session.
    pub form: Option<&'a Pairs>,
}

impl<'a> Visit<'a> {
    /// The surroundings of the page, by a call of its own.
    pub async fn frame(&self) -> Result<Frame, Problem> {
        let context = self.calls.context().await?;
        Ok(Frame {
            site: self.site.clone(),
            links: offer(self.site, &context),
            context,
            email: self.email.to_owned(),
            csrf: self.csrf.to_owned(),
            path: self.path.to_owned(),
            done: None,
        })
    }

    pub fn operation(&self, id: &str) -> Result<&'a Operation, Problem> {
        self.site.operation(id).ok_or_else(|| Problem {
            status: StatusCode::NOT_FOUND,
            code: "NOT_FOUND".to_owned(),
            detail: "The module with this operation is not active.".to_owned(),
            items: Vec::new(),
            request_id: None,
            retry_after: None,
        })
    }

    /// `parts`: values of the parameters of the path, in their sequence.
    pub async fn read(&self, id: &str, parts: &[&str], query: &[(&str, &str)]) -> Result<Value, Problem> {
        let path = fill_path(&self.operation(id)?.path, parts);
        self.calls.get(&path, query).await.map(|reply| reply.body)
    }

    /// The same; None if the user may not or the contract lacks it.
    pub async fn read_if(&self, frame: &Frame, id: &str, query: &[(&str, &str)]) -> Option<Result<Value, Problem>> {
        if !is_permitted(self.site, &frame.context, id) {
            return None;
        }
        Some(self.read(id, &[], query).await)
    }

    /// Sends a body, with the key of the form.
    pub async fn write(&self, id: &str, parts: &[&str], body: &Value) -> Result<Value, Problem> {
        let operation = self.operation(id)?;
        let key = operation.key.then(|| self.field("key"));
        let path = fill_path(&operation.path, parts);
        self.calls.write(operation, &path, Some(body), key, None).await.map(|reply| reply.body)
    }

    /// A field of the form; "" if it is absent.
    pub fn field(&self, name: &str) -> &'a str {
        self.form.and_then(|form| form.get(name)).unwrap_or_default().trim()
    }

    /// A number of the form, such as a version that was seen; another text as it is, which the host rejects at its member.
    pub fn number(&self, name: &str) -> Value {
        let text = self.field(name);
        text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from)
    }

    /// The address of a page of this company.
    pub fn address(&self, path: &str) -> String {
        format!("/console/{}{path}", self.tenant)
    }

    /// The address of the page of a read, such as that of a record.
    pub fn page_of(&self, id: &str, parts: &[&str]) -> String {
        let path = self.site.operation(id).map(|operation| fill_path(&operation.path, parts));
        self.address(&path.unwrap_or_default())
    }

    /// The hidden fields of a form and the name of its action. After a 5xx, a 429 or no response the form keeps its key, so that sending
    /// it again has no second effect.
    pub fn hide(&self, action: &str, problem: Option<&Problem>) -> Markup {
        let is_open = |problem: &Problem| problem.status.is_server_error() || problem.status.as_u16() == 429;
        let kept = problem.filter(|problem| is_open(problem)).filter(|_| self.field("action") == action);
        let key = kept.map(|_| self.field("key").to_owned()).unwrap_or_else(|| Uuid::now_v7().to_string());
        html! {
            input type="hidden" name="csrf" value=(self.csrf);
            input type="hidden" name="key" value=(key);
            input type="hidden" name="action" value=(action);
        }
    }

    /// A rejection, with the sentences of its items. `place` names the place of a pointer.
    pub fn explain(&self, id: &str, problem: &Problem, place: &dyn Fn(&ProblemItem) -> String) -> Markup {
        let sentence = |item: &ProblemItem| match self.site.operation(id) {
            Some(operation) => self.site.sentence(operation, &item.code),
            None => item.code.clone(),
        };
        html! {
            div.problem role="alert" tabindex="-1" {
                p { strong { (problem.detail) } }
                @if !problem.items.is_empty() {
                    ul { @for item in &problem.items { li { (place(item)) " " (sentence(item)) } } }
                }
                @if let Some(seconds) = problem.retry_after { p { "Send it again after " (seconds) " seconds." } }
                @if let Some(request) = problem.request_id.as_ref().filter(|_| problem.status.is_server_error()) {
                    p { "Request " code { (request) } }
                }
            }
        }
    }

    /// Values of an enumeration in the body of an operation; `path`: names of its members, through lists.
    pub fn choices(&self, id: &str, path: &[&str]) -> Vec<&'a str> {
        let Some(body) = self.site.operation(id).and_then(|operation| operation.body.as_ref()) else {
            return Vec::new();
        };
        let site: &'a Site = self.site;
        let mut schema = site.resolve(body).schema;
        for name in path {
            let member = schema.get("properties").and_then(|members| members.get(name));
            schema = site.resolve(member.unwrap_or(&Value::Null)).schema;
            if let Some(items) = schema.get("items") {
                schema = site.resolve(items).schema;
            }
        }
        schema.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

/// Segments of a path and values of a query need no more than this.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, &RESERVED).to_string()
}

/// `/pos/sessions/{id}` with these values.
fn fill_path(path: &str, parts: &[&str]) -> String {
    let mut parts = parts.iter();
    let fill = |segment: &str| match segment.starts_with('{') {
        true => parts.next().map(|part| encode(part)).unwrap_or_default(),
        false => segment.to_owned(),
    };
    path.split('/').map(fill).collect::<Vec<_>>().join("/")
}

/// A text of a response; "" for null.
pub fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// The items of a list.
pub fn items(page: &Value) -> &[Value] {
    list(page, "items")
}

pub fn list<'v>(value: &'v Value, member: &str) -> &'v [Value] {
    value.get(member).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The entry of a list with this id.
pub fn find_record<'v>(records: &'v [Value], id: &str) -> Option<&'v Value> {
    records.iter().find(|record| text(record, "id") == id)
}

/// `PARTIALLY_RECEIVED` as "partially received".
pub fn word(code: &str) -> String {
    code.replace('_', " ").to_lowercase()
}

/// An id where the name of its record is not known.
pub fn shorten(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

/// The distinct values of a member, separated by commas, as `ids` takes them: 100 at most.
pub fn join_ids(records: &[Value], member: &str) -> String {
    let mut ids: Vec<&str> = records.iter().map(|record| text(record, member)).filter(|id| !id.is_empty()).collect();
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
        assert_eq!([found("/-/tills"), found("/catalog/products"), found("/-/find/listVariants")], [None, None, None]);
    }

    #[test]
    fn a_path_is_filled_with_what_a_segment_can_hold() {
        assert_eq!(fill_path("/pos/sessions/{id}/close", &["1-a"]), "/pos/sessions/1-a/close");
        assert_eq!(fill_path("/a/{x}/{y}", &["../b", "?"]), "/a/..%2Fb/%3F");
    }
}
