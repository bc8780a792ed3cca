//! The basket: scan and search, lines, the customer, and the step to payment.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::{Context, MOST_CALLS, Problem};
use crate::page::{self, Visit};
use crate::shop::figures::{from_millionths, quantity, to_millionths};
use crate::shop::parts::{Hidden, cell, form, line, link, table, value_of};
use crate::shop::till::{address, basket, pay, salesperson};
use crate::shop::{Done, Said, finish, items, list, name_of, read, text, word, write};
use crate::show::value::amount;

/// Records that a search offers.
const MOST_HITS: &str = "10";

pub async fn respond(visit: &Visit, session: &str) -> Result<Response, Problem> {
    let done = match value_of(visit, "action") {
        "" => Err(Box::default()),
        "add" => add(visit, session).await,
        "choose" => put(visit, session, value_of(visit, "choice"), None).await,
        "set" => set(visit, session).await,
        "customer" => find_customer(visit, session).await,
        "take" => take_customer(visit, session, value_of(visit, "choice")).await,
        "confirm" => pay::confirm(visit, session).await,
        "cancel" => pay::cancel(visit).await.map(|()| basket(visit, session, "")),
        _ => pay::check_out(visit, session).await,
    };
    match done {
        Ok(address) => Ok(page::redirect(&address)),
        Err(said) => draw(visit, session, *said).await,
    }
}

/// The order in the basket. None: the first line makes one.
async fn read_order(visit: &Visit) -> Result<Option<Value>, Problem> {
    let id = visit.form.get("order").or_else(|| visit.query.get("order")).unwrap_or_default();
    if id.is_empty() { Ok(None) } else { read(visit, "getSalesOrder", &[id], &[]).await.map(Some) }
}

async fn read_lines(visit: &Visit) -> Result<Option<(Value, Vec<Value>)>, Box<Said>> {
    let order = read_order(visit).await.map_err(|problem| Said::reject("getSalesOrder", problem))?;
    Ok(order.map(|order| {
        let lines = list(&order, "items").iter().map(restate).collect();
        (order, lines)
    }))
}

/// Finds what was scanned or typed: by its exact number, as a unit, then by a part of its names.
async fn add(visit: &Visit, session: &str) -> Done {
    let scan = value_of(visit, "scan");
    let is_number = scan.bytes().all(|byte| byte.is_ascii_digit());
    let [first, second] = if is_number { ["barcode", "sku"] } else { ["sku", "barcode"] };
    for name in [first, second, "identity", "text"] {
        let operation = if name == "identity" { "listUnits" } else { "listVariants" };
        let found = match read(visit, operation, &[], &[(name, scan), ("limit", MOST_HITS)]).await {
            Ok(found) => found,
            // Serials are for users with a permission, and inventory may be inactive.
            Err(problem) if name == "identity" && [403, 404].contains(&problem.status.as_u16()) => continue,
            Err(problem) => return Err(Said::reject(operation, problem)),
        };
        match items(&found) {
            [] => {}
            [first, ..] if name == "identity" => {
                let unit = items(&found).iter().find(|unit| text(unit, "status") == "AVAILABLE");
                return match unit {
                    Some(unit) => put(visit, session, text(unit, "variantId"), Some(text(unit, "id"))).await,
                    None => Err(Said::say(&format!("This unit is {}.", word(text(first, "status"))))),
                };
            }
            [one] => return put(visit, session, text(one, "id"), None).await,
            several => return Err(Said::choose("Several articles fit. Choose one.", several)),
        }
    }
    Err(Said::say(&format!("Nothing was found for {scan}.")))
}

/// Puts one more of a variant into the basket.
async fn put(visit: &Visit, session: &str, variant: &str, unit: Option<&str>) -> Done {
    let new = json!({ "variantId": variant, "quantity": "1", "unitIds": unit.into_iter().collect::<Vec<_>>() });
    let Some((order, mut lines)) = read_lines(visit).await? else {
        let body = json!({
            "legalEntityId": value_of(visit, "entity"), "warehouseId": value_of(visit, "warehouse"),
            "priceListId": value_of(visit, "priceList"), "customerId": value_of(visit, "customer"),
            "salesperson": salesperson(visit), "items": [new],
        });
        let order = write(visit, "createSalesOrder", &[], &body).await?;
        return Ok(basket(visit, session, text(&order, "id")));
    };
    match lines.iter_mut().find(|line| text(line, "variantId") == variant) {
        None => lines.push(new),
        Some(line) => {
            if !add_one(line, unit) {
                return Err(Said::say("The unit is in the basket already."));
            }
        }
    }
    replace(visit, session, order, lines, None).await
}

/// One more of a line. A unit fills a place that has none yet before it raises the quantity. False: the unit is there already.
fn add_one(line: &mut Value, unit: Option<&str>) -> bool {
    let mut units: Vec<Value> = list(line, "unitIds").to_vec();
    if units.iter().any(|known| unit.is_some_and(|unit| known == unit)) {
        return false;
    }
    units.extend(unit.map(Value::from));
    let before = to_millionths(text(line, "quantity")).unwrap_or_default();
    let identified = i128::try_from(units.len()).unwrap_or_default() * 1_000_000;
    let after = if unit.is_some() { before.max(identified) } else { before + 1_000_000 };
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

async fn replace(visit: &Visit, session: &str, order: Value, lines: Vec<Value>, customer: Option<&str>) -> Done {
    let mut body = json!({ "expectedVersion": order["version"], "items": lines });
    #[rustfmt::skip]
    let kept = [
        "number", "legalEntityId", "warehouseId", "customerId", "priceListId", "notes", "deliveryAddress", "carrier",
        "requiredOn", "salesperson",
    ];
    for name in kept {
        body[name] = order[name].clone();
    }
    if let Some(customer) = customer {
        body["customerId"] = Value::from(customer);
    }
    let written = write(visit, "replaceSalesOrder", &[text(&order, "id")], &body).await;
    match written {
        Ok(order) => Ok(basket(visit, session, text(&order, "id"))),
        Err(mut said) => {
            said.order = Some(order);
            Err(said)
        }
    }
}

/// Another quantity of a line, or none: the button says which. Without a line the order is drafted again, at the prices of now. An
/// order without lines is cancelled.
async fn set(visit: &Visit, session: &str) -> Done {
    let Some((order, mut lines)) = read_lines(visit).await? else { return Ok(basket(visit, session, "")) };
    let variant = value_of(visit, "variant");
    if value_of(visit, "do") == "remove" {
        lines.retain(|line| text(line, "variantId") != variant);
    } else if let Some(line) = lines.iter_mut().find(|line| text(line, "variantId") == variant) {
        line["quantity"] = Value::from(value_of(visit, "quantity"));
    }
    if !lines.is_empty() {
        return replace(visit, session, order, lines, None).await;
    }
    let body = json!({ "expectedVersion": order["version"], "reason": "The basket was emptied" });
    write(visit, "cancelSalesOrder", &[text(&order, "id")], &body).await?;
    Ok(basket(visit, session, ""))
}

async fn find_customer(visit: &Visit, session: &str) -> Done {
    let found = read(visit, "listCustomers", &[], &[("text", value_of(visit, "text")), ("limit", MOST_HITS)]).await;
    let found = found.map_err(|problem| Said::reject("listCustomers", problem))?;
    match items(&found) {
        [] => Err(Said::say("No customer was found.")),
        [one] => take_customer(visit, session, text(one, "id")).await,
        several => Err(Said::choose("Several customers fit. Choose one.", several)),
    }
}

async fn take_customer(visit: &Visit, session: &str, customer: &str) -> Done {
    let Some((order, lines)) = read_lines(visit).await? else { return Ok(basket(visit, session, "")) };
    replace(visit, session, order, lines, Some(customer)).await
}

async fn draw(visit: &Visit, id: &str, mut said: Said) -> Result<Response, Problem> {
    let known = said.order.take();
    let order = async {
        match known {
            Some(order) => Ok(Some(order)),
            None => read_order(visit).await,
        }
    };
    let parts = [id];
    let (context, session, order) = tokio::join!(visit.context(), read(visit, "getPosSession", &parts, &[]), order);
    let (context, session, order) = (context?, session?, order?);
    if text(&session, "status") != "OPEN" {
        return Ok(page::redirect(&address(visit, &format!("/{id}/close"))));
    }
    let lines = order.as_ref().map(|order| list(order, "items")).unwrap_or_default();
    let notice = said.draw(&visit.site, &|item| name_place(lines, &item.pointer));
    if let Some(order) = order.as_ref().filter(|order| text(order, "status") != "DRAFT") {
        return finish(visit, "Payment", &said, html! { (notice) (pay::draw(visit, &said, &session, order, context)) })
            .await;
    }
    let query = order.as_ref().map_or(("code", "WALK-IN"), |order| ("ids", text(order, "customerId")));
    let customers = match visit.calls.count() < MOST_CALLS {
        true => read(visit, "listCustomers", &[], &[query]).await?,
        false => Value::Null,
    };
    let body = html! {
        (notice)
        (draw_choices(visit, id, &said))
        div.till {
            div.basket {
                (draw_scan(visit, &said, &session, order.as_ref(), items(&customers)))
                @match &order {
                    None => p { "The basket is empty." },
                    Some(order) => (draw_lines(visit, &said, id, order)),
                }
            }
            div.side {
                @if let Some(order) = &order { (draw_order(visit, &said, id, order, items(&customers), context)) }
                p { (link(address(visit, ""), "Registers and open baskets")) }
                p { (link(address(visit, &format!("/{id}/close")), "Close the session")) }
            }
        }
    };
    finish(visit, "Sale", &said, body).await
}

/// `/items/1/quantity` as the article of the line. A line that was added has no place in the order yet.
fn name_place(lines: &[Value], pointer: &str) -> String {
    let line = pointer.strip_prefix("/items/").and_then(|rest| rest.split('/').next()?.parse::<usize>().ok());
    line.map_or_else(String::new, |line| {
        lines.get(line).map_or("The new line", |line| text(line, "sku")).to_owned() + ":"
    })
}

/// Records of which the user chooses one, each as a button: with what the form had.
fn draw_choices(visit: &Visit, session: &str, said: &Said) -> Markup {
    let action = if value_of(visit, "action") == "add" { "choose" } else { "take" };
    let names = ["order", "entity", "warehouse", "priceList", "customer"];
    let kept = names.map(|name| (name, Value::from(value_of(visit, name))));
    html! {
        @for choice in &said.choices {
            @let hidden: Vec<(&str, &Value)> =
                kept.iter().map(|(name, value)| (*name, value)).chain([("choice", &choice["id"])]).collect();
            @let label = ["code", "sku", "name", "color", "storage"].map(|name| text(choice, name)).join(" ");
            (form(visit, said, &basket(visit, session, ""), &format!("{action}-{}", text(choice, "id")), &hidden,
                html! { button { (label.trim()) } }))
        }
    }
}

fn draw_scan(visit: &Visit, said: &Said, session: &Value, order: Option<&Value>, customers: &[Value]) -> Markup {
    let (none, customer) =
        (Value::from(""), order.map(|order| &order["customerId"]).or(customers.first().map(|one| &one["id"])));
    let hidden: Hidden<'_> = &[
        ("order", order.map_or(&none, |order| &order["id"])),
        ("entity", &session["legalEntityId"]),
        ("warehouse", &session["warehouseId"]),
        ("priceList", &session["priceListId"]),
        ("customer", customer.unwrap_or(&none)),
    ];
    let fields = html! {
        div.field {
            label for="scan" { "Scan, or search an article" }
            input id="scan" name="scan" required maxlength="100" autocomplete="off" autofocus data-scan value=(value_of(visit, "scan"));
        }
        button { "Add" }
    };
    html! {
        @if customer.is_none() { p.faults role="alert" { "There is no customer WALK-IN: create one first." } }
        (form(visit, said, &basket(visit, text(session, "id"), ""), "add", hidden, fields))
    }
}

fn draw_lines(visit: &Visit, said: &Said, session: &str, order: &Value) -> Markup {
    let row = |line: &Value| {
        let (identified, wanted) = (list(line, "chosenUnitIds").len(), quantity(text(line, "quantity")));
        let (id, sku) = (format!("quantity-{}", text(line, "id")), text(line, "sku"));
        let is_open = text(line, "trackingMode") == "SERIALIZED" && wanted != identified.to_string();
        let article = html! {
            (text(line, "description")) br; small { (sku) }
            @if is_open { br; strong { "Scan its serial: " (identified) " of " (wanted) } }
        };
        let fields = html! {
            label.visually-hidden for=(id) { "Quantity of " (sku) }
            input id=(id) name="quantity" inputmode="decimal" size="4" maxlength="40" value=(wanted);
            button.plain name="do" value="set" aria-label={ "Set the quantity of " (sku) } { "Set" }
            button.plain name="do" value="remove" aria-label={ "Remove " (sku) } { "Remove" }
        };
        let hidden: Hidden<'_> = &[("order", &order["id"]), ("variant", &line["variantId"])];
        let change =
            form(visit, said, &basket(visit, session, ""), &format!("set-{}", text(line, "id")), hidden, fields);
        let mark = if line["priceNegotiated"] == true { " agreed" } else { "" };
        let price = cell(amount(text(line, "unitPrice")) + mark);
        [article, price, change, cell(amount(text(line, "lineTotal")))]
    };
    table(["Article", ">Price", "Quantity", ">Total"], list(order, "items").iter().map(row))
}

fn draw_order(
    visit: &Visit,
    said: &Said,
    session: &str,
    order: &Value,
    customers: &[Value],
    context: &Context,
) -> Markup {
    let target = basket(visit, session, "");
    let hidden: Hidden<'_> = &[("order", &order["id"]), ("version", &order["version"]), ("total", &order["total"])];
    let search = html! { (line(visit, "text", "Another customer", 100)) button.plain { "Find" } };
    html! {
        p.total { (amount(text(order, "total"))) " " (text(order, "currencyCode")) }
        (form(visit, said, &target, "confirm", hidden, html! { button { "To payment" } }))
        @if said.rejection.as_ref().is_some_and(|(_, problem)| problem.code == "TOTAL_CHANGED") {
            (form(visit, said, &target, "set-prices", hidden, html! { button.plain { "Take the new prices" } }))
        }
        p { "Order " (text(order, "number")) ", customer: " (name_of(customers, text(order, "customerId"), "name")) }
        (form(visit, said, &target, "customer", hidden, search))
        (pay::draw_cancel(visit, said, &target, order, context))
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
        let mut item = json!({
            "variantId": "v", "quantity": "1.000000", "chosenUnitIds": ["u"], "priceNegotiated": false,
            "unitPrice": "9.500000", "priceReason": "a regular", "lineTotal": "9.500000000000",
        });
        assert_eq!(restate(&item), json!({ "variantId": "v", "quantity": "1.000000", "unitIds": ["u"] }));
        item["priceNegotiated"] = json!(true);
        assert_eq!(
            (&restate(&item)["unitPrice"], &restate(&item)["priceReason"]),
            (&json!("9.500000"), &json!("a regular"))
        );
    }

    #[test]
    fn a_rejected_line_has_the_name_of_its_article() {
        let place = |pointer: &str| name_place(&[json!({ "sku": "A-1" })], pointer);
        assert_eq!(["/items/0/quantity", "/items/1", "/customerId"].map(place), ["A-1:", "The new line:", ""]);
    }
}
