//! The basket: scan and search, lines, the customer, and the step to payment.

use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::{MOST_CALLS, Problem, ProblemItem};
use crate::page::{self, Frame};
use crate::shop::figures::{amount, from_millionths, quantity, to_millionths};
use crate::shop::till::{address, pay, salesperson};
use crate::shop::{Visit, find_record, items, list, text, word};

/// Records that a search offers.
const MOST_HITS: &str = "10";

/// The outcome of a button at the till.
pub enum Step {
    /// It is done: where the browser goes.
    Done(String),
    /// The page is shown again with this.
    Show(Box<Said>),
}

/// What the page says above the basket.
#[derive(Default)]
pub struct Said {
    pub message: String,
    /// A rejection, with the operation that was rejected.
    pub problem: Option<(&'static str, Problem)>,
    /// Records of which one is to be chosen.
    variants: Vec<Value>,
    customers: Vec<Value>,
    /// The order, if it was read and did not change.
    order: Option<Value>,
}

impl Step {
    pub fn reject(operation: &'static str, problem: Problem) -> Step {
        Step::show(Said { problem: Some((operation, problem)), ..Said::default() })
    }

    fn show(said: Said) -> Step {
        Step::Show(Box::new(said))
    }

    fn say(message: impl Into<String>) -> Step {
        Step::show(Said { message: message.into(), ..Said::default() })
    }
}

pub async fn respond(visit: &Visit<'_>, session: &str) -> Result<Response, Problem> {
    let step = match visit.field("action") {
        "" => Step::show(Said::default()),
        "add" => add(visit, session).await?,
        "choose" => put(visit, session, &Hit { variant: visit.field("variant"), unit: None }).await?,
        "set" => set(visit, session).await?,
        "customer" => find_customer(visit, session).await?,
        "take-customer" => take_customer(visit, session, visit.field("customer")).await?,
        "confirm" => pay::confirm(visit, session).await,
        "cancel" => pay::cancel(visit, session).await,
        _ => pay::check_out(visit, session).await,
    };
    match step {
        Step::Done(address) => Ok(page::redirect(&address)),
        Step::Show(said) => show(visit, session, *said).await,
    }
}

/// What a scan or a search found: a variant, and one of its units.
struct Hit<'a> {
    variant: &'a str,
    unit: Option<&'a str>,
}

/// The order in the basket. None: the next line begins one.
async fn read_order(visit: &Visit<'_>) -> Result<Option<Value>, Problem> {
    let id = visit.form.and_then(|form| form.get("order")).or_else(|| visit.query.get("order")).unwrap_or_default();
    if id.is_empty() { Ok(None) } else { visit.read("getSalesOrder", &[id], &[]).await.map(Some) }
}

async fn add(visit: &Visit<'_>, session: &str) -> Result<Step, Problem> {
    let scan = visit.field("scan");
    if scan.is_empty() {
        return Ok(Step::say("Scan an article, or type its number or a part of its name."));
    }
    let is_number = scan.bytes().all(|byte| byte.is_ascii_digit());
    for name in if is_number { ["barcode", "sku"] } else { ["sku", "barcode"] } {
        let found = match visit.read("listVariants", &[], &[(name, scan), ("limit", MOST_HITS)]).await {
            Ok(found) => found,
            Err(problem) => return Ok(Step::reject("listVariants", problem)),
        };
        match items(&found) {
            [] => {}
            [one] => return put(visit, session, &Hit { variant: text(one, "id"), unit: None }).await,
            several => return Ok(offer_variants(several)),
        }
    }
    if let Ok(found) = visit.read("listUnits", &[], &[("identity", scan), ("limit", MOST_HITS)]).await {
        match items(&found).iter().find(|unit| text(unit, "status") == "AVAILABLE").or(items(&found).first()) {
            None => {}
            Some(unit) if text(unit, "status") != "AVAILABLE" => {
                return Ok(Step::say(format!("The unit {scan} is {}.", word(text(unit, "status")))));
            }
            Some(unit) => {
                return put(visit, session, &Hit { variant: text(unit, "variantId"), unit: Some(text(unit, "id")) })
                    .await;
            }
        }
    }
    match visit.read("listVariants", &[], &[("text", scan), ("limit", MOST_HITS)]).await {
        Err(problem) => Ok(Step::reject("listVariants", problem)),
        Ok(found) => match items(&found) {
            [] => Ok(Step::say(format!("Nothing was found for {scan}."))),
            [one] => put(visit, session, &Hit { variant: text(one, "id"), unit: None }).await,
            several => Ok(offer_variants(several)),
        },
    }
}

fn offer_variants(variants: &[Value]) -> Step {
    let message = "Several articles fit. Choose one.".to_owned();
    Step::show(Said { message, variants: variants.to_vec(), ..Said::default() })
}

/// Puts one more of a variant into the basket.
async fn put(visit: &Visit<'_>, session: &str, hit: &Hit<'_>) -> Result<Step, Problem> {
    let Some(order) = read_order(visit).await? else {
        let line =
            json!({ "variantId": hit.variant, "quantity": "1", "unitIds": hit.unit.into_iter().collect::<Vec<_>>() });
        let body = json!({
            "legalEntityId": visit.field("entity"), "warehouseId": visit.field("warehouse"),
            "priceListId": visit.field("priceList"), "customerId": visit.field("customer"),
            "salesperson": salesperson(visit), "items": [line],
        });
        return Ok(match visit.write("createSalesOrder", &[], &body).await {
            Ok(order) => Step::Done(address(visit, session, text(&order, "id"))),
            Err(problem) => Step::reject("createSalesOrder", problem),
        });
    };
    let mut lines: Vec<Value> = list(&order, "items").iter().map(restate).collect();
    match lines.iter_mut().find(|line| text(line, "variantId") == hit.variant) {
        None => {
            let units: Vec<&str> = hit.unit.into_iter().collect();
            lines.push(json!({ "variantId": hit.variant, "quantity": "1", "unitIds": units }));
        }
        Some(line) => {
            if !add_one(line, hit.unit) {
                return Ok(Step::say("The unit is in the basket already."));
            }
        }
    }
    Ok(replace(visit, session, &order, lines, None).await)
}

/// One more of a line. A unit fills a place that has none yet before it raises the quantity. False: the unit is there already.
fn add_one(line: &mut Value, unit: Option<&str>) -> bool {
    let mut units: Vec<Value> = list(line, "unitIds").to_vec();
    if let Some(unit) = unit {
        if units.iter().any(|known| known == unit) {
            return false;
        }
        units.push(Value::from(unit));
    }
    let before = to_millionths(text(line, "quantity")).unwrap_or_default();
    let identified = i128::try_from(units.len()).unwrap_or(i128::MAX).saturating_mul(1_000_000);
    let after = if unit.is_some() { before.max(identified) } else { before.saturating_add(1_000_000) };
    line["quantity"] = Value::from(from_millionths(after));
    line["unitIds"] = Value::from(units);
    true
}

/// A line of an order as a body states it: at its agreed price, or at the list's.
fn restate(item: &Value) -> Value {
    let mut line =
        json!({ "variantId": item["variantId"], "quantity": item["quantity"], "unitIds": item["chosenUnitIds"] });
    if item["priceNegotiated"] == true {
        line["unitPrice"] = item["unitPrice"].clone();
        line["priceReason"] = item["priceReason"].clone();
    }
    line
}

async fn replace(visit: &Visit<'_>, session: &str, order: &Value, lines: Vec<Value>, customer: Option<&str>) -> Step {
    let id = text(order, "id");
    let mut body = json!({ "expectedVersion": order["version"], "items": lines });
    for name in [
        "number",
        "legalEntityId",
        "warehouseId",
        "customerId",
        "priceListId",
        "notes",
        "deliveryAddress",
        "carrier",
        "requiredOn",
        "salesperson",
    ] {
        body[name] = order[name].clone();
    }
    if let Some(customer) = customer {
        body["customerId"] = Value::from(customer);
    }
    match visit.write("replaceSalesOrder", &[id], &body).await {
        Ok(_) => Step::Done(address(visit, session, id)),
        Err(problem) => {
            let (problem, order) = (Some(("replaceSalesOrder", problem)), Some(order.clone()));
            Step::show(Said { problem, order, ..Said::default() })
        }
    }
}

/// Another quantity of a line, or none: the button says which. An order without lines is cancelled.
async fn set(visit: &Visit<'_>, session: &str) -> Result<Step, Problem> {
    let Some(order) = read_order(visit).await? else { return Ok(Step::Done(address(visit, session, ""))) };
    let variant = visit.field("variant");
    let mut lines: Vec<Value> = list(&order, "items").iter().map(restate).collect();
    if visit.field("do") == "remove" {
        lines.retain(|line| text(line, "variantId") != variant);
    } else if let Some(line) = lines.iter_mut().find(|line| text(line, "variantId") == variant) {
        line["quantity"] = Value::from(visit.field("quantity"));
    }
    if !lines.is_empty() {
        return Ok(replace(visit, session, &order, lines, None).await);
    }
    let body = json!({ "expectedVersion": order["version"], "reason": "The basket was emptied" });
    Ok(match visit.write("cancelSalesOrder", &[text(&order, "id")], &body).await {
        Ok(_) => Step::Done(address(visit, session, "")),
        Err(problem) => Step::reject("cancelSalesOrder", problem),
    })
}

async fn find_customer(visit: &Visit<'_>, session: &str) -> Result<Step, Problem> {
    let found = visit.read("listCustomers", &[], &[("text", visit.field("text")), ("limit", MOST_HITS)]).await;
    Ok(match found.as_ref().map(items) {
        Err(problem) => Step::reject("listCustomers", problem.clone()),
        Ok([]) => Step::say("No customer was found."),
        Ok([one]) => take_customer(visit, session, text(one, "id")).await?,
        Ok(several) => {
            let message = "Several customers fit. Choose one.".to_owned();
            Step::show(Said { message, customers: several.to_vec(), ..Said::default() })
        }
    })
}

async fn take_customer(visit: &Visit<'_>, session: &str, customer: &str) -> Result<Step, Problem> {
    let Some(order) = read_order(visit).await? else { return Ok(Step::Done(address(visit, session, ""))) };
    let lines = list(&order, "items").iter().map(restate).collect();
    Ok(replace(visit, session, &order, lines, Some(customer)).await)
}

async fn show(visit: &Visit<'_>, id: &str, mut said: Said) -> Result<Response, Problem> {
    let known = said.order.take();
    let read_order = async {
        match known {
            Some(order) => Ok(Some(order)),
            None => read_order(visit).await,
        }
    };
    let (frame, session, order) = tokio::join!(visit.frame(), visit.read("getPosSession", &[id], &[]), read_order);
    let (frame, session, order) = (frame?, session?, order?);
    let status = said.problem.as_ref().map_or(StatusCode::OK, |(_, problem)| problem.status);
    if text(&session, "status") != "OPEN" {
        return Ok(page::redirect(&visit.address(&format!("/-/till/{id}/close"))));
    }
    if let Some(order) = order.as_ref().filter(|order| text(order, "status") != "DRAFT") {
        let body =
            html! { (draw_said(visit, id, Some(order), &said)) (pay::draw(visit, &frame, &session, order, &said)) };
        return Ok(page::draw_with_status(&frame, status, "Payment", body));
    }
    let query = match &order {
        Some(order) => ("ids", text(order, "customerId")),
        None => ("code", "WALK-IN"),
    };
    let customers = match visit.calls.count() < MOST_CALLS {
        true => visit.read("listCustomers", &[], &[query]).await?,
        false => Value::Null,
    };
    let body = html! {
        (draw_said(visit, id, order.as_ref(), &said))
        div.till {
            div.basket { (draw_basket(visit, &session, order.as_ref(), items(&customers), &said)) }
            div.side { (draw_side(visit, &frame, &session, order.as_ref(), items(&customers), &said)) }
        }
    };
    Ok(page::draw_with_status(&frame, status, "Sale", body))
}

/// A message, a rejection, or records to choose from.
fn draw_said(visit: &Visit<'_>, session: &str, order: Option<&Value>, said: &Said) -> Markup {
    let lines = order.map(|order| list(order, "items")).unwrap_or_default();
    let place = |item: &ProblemItem| name_place(lines, &item.pointer);
    html! {
        @if let Some((operation, problem)) = &said.problem { (visit.explain(operation, problem, &place)) }
        @if !said.message.is_empty() { p.problem role="alert" { (said.message) } }
        @for variant in &said.variants {
            form.buttons method="post" action=(address(visit, session, "")) {
                (visit.hide("choose", None))
                (keep_basket(visit))
                input type="hidden" name="variant" value=(text(variant, "id"));
                button { (text(variant, "sku")) " " (describe(variant)) }
            }
        }
        @for customer in &said.customers {
            form.buttons method="post" action=(address(visit, session, "")) {
                (visit.hide("take-customer", None))
                (keep_basket(visit))
                input type="hidden" name="customer" value=(text(customer, "id"));
                button { (text(customer, "code")) " " (text(customer, "name")) }
            }
        }
    }
}

/// `/items/1/quantity` as the name of its article. A write changes the lines, so that the one at this place may be a new one.
fn name_place(lines: &[Value], pointer: &str) -> String {
    let mut parts = pointer.split('/').skip(1);
    let line = (parts.next() == Some("items")).then(|| parts.next()?.parse::<usize>().ok()).flatten();
    match line {
        Some(line) => lines.get(line).map_or("The new line:".to_owned(), |line| format!("{}:", text(line, "sku"))),
        None => String::new(),
    }
}

fn describe(variant: &Value) -> String {
    let parts = ["color", "storage", "modelNumber"].map(|name| text(variant, name));
    parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(" ")
}

/// The fields that a form of this page sends with each button: the order, or the places of the next one.
fn keep_basket(visit: &Visit<'_>) -> Markup {
    let names = ["order", "entity", "warehouse", "priceList"];
    html! {
        @for name in names { input type="hidden" name=(name) value=(visit.field(name)); }
        @if visit.field("action") == "add" { input type="hidden" name="customer" value=(visit.field("customer")); }
    }
}

fn draw_basket(visit: &Visit<'_>, session: &Value, order: Option<&Value>, customers: &[Value], said: &Said) -> Markup {
    let id = order.map_or("", |order| text(order, "id"));
    let customer = order.map(|order| text(order, "customerId")).or(customers.first().map(|one| text(one, "id")));
    let problem = said.problem.as_ref().map(|(_, problem)| problem);
    html! {
        form.scan method="post" action=(address(visit, text(session, "id"), "")) {
            (visit.hide("add", problem))
            input type="hidden" name="order" value=(id);
            input type="hidden" name="entity" value=(text(session, "legalEntityId"));
            input type="hidden" name="warehouse" value=(text(session, "warehouseId"));
            input type="hidden" name="priceList" value=(text(session, "priceListId"));
            input type="hidden" name="customer" value=(customer.unwrap_or_default());
            label for="scan" { "Scan, or search an article" }
            input id="scan" name="scan" maxlength="100" autocomplete="off" autofocus data-scan
                value=(if said.message.is_empty() && problem.is_none() { "" } else { visit.field("scan") });
            button { "Add" }
        }
        @if customer.is_none() { p.problem role="alert" { "There is no customer WALK-IN. Create one, and load this page again." } }
        @match order {
            None => p { "The basket is empty." },
            Some(order) => {
                table {
                    thead { tr {
                        th scope="col" { "Article" } th.amount scope="col" { "Price" } th scope="col" { "Quantity" }
                        th.amount scope="col" { "Total" }
                    } }
                    tbody { @for line in list(order, "items") { (draw_line(visit, session, id, line)) } }
                }
            }
        }
    }
}

fn draw_line(visit: &Visit<'_>, session: &Value, order: &str, line: &Value) -> Markup {
    let field = format!("quantity-{}", text(line, "id"));
    let (identified, wanted) = (list(line, "chosenUnitIds").len(), quantity(text(line, "quantity")));
    html! {
        tr {
            td data-label="Article" {
                (text(line, "description")) br; small { (text(line, "sku")) }
                @if text(line, "trackingMode") == "SERIALIZED" && wanted != identified.to_string() {
                    br; strong { "Scan its serial: " (identified) " of " (wanted) }
                }
            }
            td.amount data-label="Price" {
                (amount(text(line, "unitPrice")))
                @if line["priceNegotiated"] == true { " agreed" }
            }
            td data-label="Quantity" {
                form.buttons method="post" action=(address(visit, text(session, "id"), "")) {
                    (visit.hide("set", None))
                    input type="hidden" name="order" value=(order);
                    input type="hidden" name="variant" value=(text(line, "variantId"));
                    label.hidden for=(field) { "Quantity of " (text(line, "sku")) }
                    input id=(field) name="quantity" inputmode="decimal" size="4" value=(wanted);
                    button name="do" value="set" { "Set" }
                    button name="do" value="remove" aria-label={ "Remove " (text(line, "sku")) } { "Remove" }
                }
            }
            td.amount data-label="Total" { (amount(text(line, "lineTotal"))) }
        }
    }
}

fn draw_side(
    visit: &Visit<'_>,
    frame: &Frame,
    session: &Value,
    order: Option<&Value>,
    customers: &[Value],
    said: &Said,
) -> Markup {
    let id = text(session, "id");
    let problem = said.problem.as_ref().map(|(_, problem)| problem);
    html! {
        @if let Some(order) = order {
            p { (text(order, "number")) }
            p.total { (amount(text(order, "total"))) " " (text(order, "currencyCode")) }
            form method="post" action=(address(visit, id, "")) {
                (visit.hide("confirm", problem))
                input type="hidden" name="order" value=(text(order, "id"));
                input type="hidden" name="version" value=(order["version"]);
                input type="hidden" name="total" value=(text(order, "total"));
                button.main { "To payment" }
            }
            form method="post" action=(address(visit, id, "")) {
                (visit.hide("customer", problem))
                input type="hidden" name="order" value=(text(order, "id"));
                p { "Customer: " (find_record(customers, text(order, "customerId")).map_or("not shown", |one| text(one, "name"))) }
                label for="customer" { "Another customer" }
                input id="customer" name="text" maxlength="100" autocomplete="off";
                button { "Find" }
            }
            (pay::draw_cancel(visit, frame, id, order, problem))
        }
        p { a href=(visit.address("/-/till")) { "Registers and open baskets" } }
        p { a href={ (address(visit, id, "")) "/close" } { "Close the session" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_fills_a_place_before_it_raises_the_quantity() {
        let line = |quantity: &str, units: &[&str]| json!({ "variantId": "v", "quantity": quantity, "unitIds": units });
        for (mut before, unit, expected) in [
            (line("1.000000", &[]), None, line("2.000000", &[])),
            (line("1.000000", &[]), Some("a"), line("1.000000", &["a"])),
            (line("1.000000", &["a"]), Some("b"), line("2.000000", &["a", "b"])),
            (line("0.250000", &[]), None, line("1.250000", &[])),
        ] {
            assert!(add_one(&mut before, unit));
            assert_eq!(before, expected);
        }
        assert!(!add_one(&mut line("1.000000", &["a"]), Some("a")));
    }

    #[test]
    fn only_an_agreed_price_is_stated_again() {
        let item = |negotiated: bool| {
            json!({
                "variantId": "v", "quantity": "1.000000", "chosenUnitIds": ["u"], "priceNegotiated": negotiated,
                "unitPrice": "9.500000", "priceReason": "a regular", "lineTotal": "9.500000000000",
            })
        };
        let plain = json!({ "variantId": "v", "quantity": "1.000000", "unitIds": ["u"] });
        assert_eq!(restate(&item(false)), plain);
        let mut agreed = plain;
        agreed["unitPrice"] = json!("9.500000");
        agreed["priceReason"] = json!("a regular");
        assert_eq!(restate(&item(true)), agreed);
    }

    #[test]
    fn a_rejected_line_has_the_name_of_its_article() {
        let lines = [json!({ "sku": "A-1" })];
        let place = |pointer: &str| name_place(&lines, pointer);
        assert_eq!(["/items/0/quantity", "/items/1", "/customerId"].map(place), ["A-1:", "The new line:", ""]);
    }
}
