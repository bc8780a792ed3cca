//! The basket: scan and search, lines, the customer, and the step to payment.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::{Context, Problem};
use crate::page::{self, Visit};
use crate::shop::parts::{
    action, cell, field, form, from_millionths, line, link, money, quantity, table, to_millionths, value_of, word,
};
use crate::shop::till::{address, basket, pay, salesperson};
use crate::shop::{Done, Said, entry_at, finish, items, list, name_of, read, text, write};
use crate::show::value::amount;

/// Records that a search offers.
const MOST_HITS: &str = "10";

/// The order in the basket. Null: the first line makes one.
pub async fn read_order(visit: &Visit) -> Result<Value, Problem> {
    match visit.query.get("order").unwrap_or_default() {
        "" => Ok(Value::Null),
        id => read(visit, "getSalesOrder", id, []).await,
    }
}

/// Does what the form of a sale says. An order that was cancelled leaves the basket.
pub async fn change(visit: &Visit, session: &str, order: &Value) -> Done {
    let id = text(order, "id");
    let order = match action(visit) {
        "add" => add(visit, order).await?,
        "choose" => put(visit, order, value_of(visit, "choice"), None).await?,
        "set" => set(visit, order).await?,
        "customer" => find_customer(visit, order).await?,
        "take" => replace(visit, order, restate(order), value_of(visit, "choice")).await?,
        "cancel" => pay::cancel(visit, id).await?,
        "confirm" => return pay::confirm(visit, session, id).await,
        _ => return pay::check_out(visit, session, id).await,
    };
    Ok(basket(visit, session, if text(&order, "status") == "CANCELLED" { "" } else { text(&order, "id") }))
}

/// Finds what was scanned or typed: by its exact number, as a unit, then by a part of its names.
async fn add(visit: &Visit, order: &Value) -> Result<Value, Said> {
    let scan = value_of(visit, "scan");
    let is_number = scan.bytes().all(|byte| byte.is_ascii_digit());
    let [first, second] = if is_number { ["barcode", "sku"] } else { ["sku", "barcode"] };
    for name in [first, second, "identity", "text"] {
        let operation = if name == "identity" { "listUnits" } else { "listVariants" };
        let found = match read(visit, operation, "", [(name, scan), ("limit", MOST_HITS)]).await {
            Ok(found) => found,
            // Serials are for users with a permission, and inventory may be inactive.
            Err(problem) if name == "identity" && [403, 404].contains(&problem.status.as_u16()) => continue,
            Err(problem) => return Err(Said::Rejection(operation, problem)),
        };
        match items(&found) {
            [] => {}
            [first, ..] if name == "identity" => {
                let unit = items(&found).iter().find(|unit| text(unit, "status") == "AVAILABLE");
                let unavailable = || Said::Sentence(format!("This unit is {}.", word(text(first, "status"))));
                let unit = unit.ok_or_else(unavailable)?;
                return put(visit, order, text(unit, "variantId"), Some(text(unit, "id"))).await;
            }
            [one] => return put(visit, order, text(one, "id"), None).await,
            several => return Err(Said::Choices("articles", several.to_vec())),
        }
    }
    Err(Said::Sentence(format!("Nothing was found for {scan}.")))
}

/// Puts one more of a variant into the basket.
async fn put(visit: &Visit, order: &Value, variant: &str, unit: Option<&str>) -> Result<Value, Said> {
    let new = json!({ "variantId": variant, "quantity": "1", "unitIds": unit.into_iter().collect::<Vec<_>>() });
    if order.is_null() {
        let body = json!({
            "legalEntityId": value_of(visit, "entity"), "warehouseId": value_of(visit, "warehouse"),
            "priceListId": value_of(visit, "priceList"), "customerId": value_of(visit, "customer"),
            "salesperson": salesperson(visit), "items": [new],
        });
        return write(visit, "createSalesOrder", "", &body).await;
    }
    let mut lines = restate(order);
    match lines.iter_mut().find(|line| text(line, "variantId") == variant) {
        None => lines.push(new),
        Some(line) => {
            if !add_one(line, unit) {
                return Err(Said::Sentence("The unit is in the basket already.".to_owned()));
            }
        }
    }
    replace(visit, order, lines, text(order, "customerId")).await
}

/// One more of a line. A unit fills a place that has none yet before it raises the quantity. False: the unit is there already.
fn add_one(line: &mut Value, unit: Option<&str>) -> bool {
    let mut units: Vec<Value> = list(line, "unitIds").to_vec();
    if units.iter().any(|known| unit.is_some_and(|unit| known == unit)) {
        return false;
    }
    units.extend(unit.map(Value::from));
    let before = to_millionths(text(line, "quantity"));
    let identified = i128::try_from(units.len()).unwrap_or_default() * 1_000_000;
    let after = if unit.is_some() { before.max(identified) } else { before + 1_000_000 };
    line["quantity"] = Value::from(from_millionths(after));
    line["unitIds"] = Value::from(units);
    true
}

/// The lines of an order as a body states them: each at its agreed price, or at the list's.
fn restate(order: &Value) -> Vec<Value> {
    let restate = |item: &Value| {
        let mut line =
            json!({ "variantId": item["variantId"], "quantity": item["quantity"], "unitIds": item["chosenUnitIds"] });
        for name in ["unitPrice", "priceReason"].into_iter().filter(|_| item["priceNegotiated"] == true) {
            line[name] = item[name].clone();
        }
        line
    };
    items(order).iter().map(restate).collect()
}

async fn replace(visit: &Visit, order: &Value, lines: Vec<Value>, customer: &str) -> Result<Value, Said> {
    let mut body = json!({ "expectedVersion": order["version"], "customerId": customer, "items": lines });
    #[rustfmt::skip]
    let kept = [
        "number", "legalEntityId", "warehouseId", "priceListId", "notes", "deliveryAddress", "carrier", "requiredOn",
        "salesperson",
    ];
    for name in kept {
        body[name] = order[name].clone();
    }
    write(visit, "replaceSalesOrder", text(order, "id"), &body).await
}

/// Another quantity of a line, or none: the button says which. Without a line the order is drafted again, at the prices
/// of now. An order without lines is cancelled.
async fn set(visit: &Visit, order: &Value) -> Result<Value, Said> {
    let (mut lines, variant) = (restate(order), value_of(visit, "variant"));
    if value_of(visit, "do") == "remove" {
        lines.retain(|line| text(line, "variantId") != variant);
    } else if let Some(line) = lines.iter_mut().find(|line| text(line, "variantId") == variant) {
        line["quantity"] = Value::from(value_of(visit, "quantity"));
    }
    if !lines.is_empty() {
        return replace(visit, order, lines, text(order, "customerId")).await;
    }
    let body = json!({ "expectedVersion": order["version"], "reason": "The basket was emptied" });
    write(visit, "cancelSalesOrder", text(order, "id"), &body).await
}

async fn find_customer(visit: &Visit, order: &Value) -> Result<Value, Said> {
    let found = read(visit, "listCustomers", "", [("text", value_of(visit, "text")), ("limit", MOST_HITS)]).await;
    let found = found.map_err(|problem| Said::Rejection("listCustomers", problem))?;
    match items(&found) {
        [] => Err(Said::Sentence("No customer was found.".to_owned())),
        [one] => replace(visit, order, restate(order), text(one, "id")).await,
        several => Err(Said::Choices("customers", several.to_vec())),
    }
}

pub async fn draw_sale(visit: &Visit, id: &str, order: &Value, said: &Said) -> Result<Response, Problem> {
    let (context, session) = tokio::try_join!(visit.context(), read(visit, "getPosSession", id, []))?;
    if text(&session, "status") != "OPEN" {
        return Ok(page::redirect(&address(visit, &format!("/{id}/close"))));
    }
    // A line that was added has no place in the order yet.
    let place = |pointer: &str| {
        let sku = entry_at(items(order), "items", pointer).map_or("The new line", |line| text(line, "sku"));
        pointer.starts_with("/items/").then(|| sku.to_owned())
    };
    let notice = said.draw(&visit.site, &place);
    if !order.is_null() && text(order, "status") != "DRAFT" {
        let body = html! { (notice) (pay::draw(visit, said, &session, order, context)) };
        return finish(visit, "Payment", said, body).await;
    }
    let query = if order.is_null() { ("code", "WALK-IN") } else { ("ids", text(order, "customerId")) };
    // After a search that took all calls of the page the customer has no name.
    let customers = read(visit, "listCustomers", "", [query]).await.unwrap_or_default();
    let body = html! {
        (notice)
        div.till {
            div.basket {
                (draw_scan(visit, said, &session, order, items(&customers)))
                @if order.is_null() { p { "The basket is empty." } } @else { (draw_lines(visit, said, order)) }
            }
            div.side {
                @if !order.is_null() { (draw_order(visit, said, order, items(&customers), context)) }
                p { (link(address(visit, ""), "Registers and open baskets")) }
                p { (link(address(visit, &format!("/{id}/close")), "Close the session")) }
            }
        }
    };
    finish(visit, "Sale", said, body).await
}

/// The field of the scanner, below records of which the user chooses one, each as a button.
fn draw_scan(visit: &Visit, said: &Said, session: &Value, order: &Value, customers: &[Value]) -> Markup {
    let customer = customers.first().map_or(&Value::Null, |customer| &customer["id"]);
    let hidden = [
        ("entity", &session["legalEntityId"]),
        ("warehouse", &session["warehouseId"]),
        ("priceList", &session["priceListId"]),
        ("customer", customer),
    ];
    let input = html! {
        input id="scan" name="scan" required maxlength="100" autocomplete="off" autofocus data-scan value=(value_of(visit, "scan"));
    };
    let fields = html! { (field("scan", "Scan, or search an article", input)) button { "Add" } };
    html! {
        @if let Said::Choices(kind, records) = said {
            @for choice in records {
                @let id = format!("{}-{}", if *kind == "articles" { "choose" } else { "take" }, text(choice, "id"));
                @let label = ["code", "sku", "name", "color", "storage"].map(|name| text(choice, name)).join(" ");
                @let hidden = [&hidden[..], &[("choice", &choice["id"])]].concat();
                (form(visit, said, &id, &hidden, html! { button { (label.trim()) } }))
            }
        }
        @if order.is_null() && customers.is_empty() { p.faults role="alert" { "There is no customer WALK-IN: create one first." } }
        (form(visit, said, "add", &hidden, fields))
    }
}

fn draw_lines(visit: &Visit, said: &Said, order: &Value) -> Markup {
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
        let change =
            form(visit, said, &format!("set-{}", text(line, "id")), &[("variant", &line["variantId"])], fields);
        let mark = if line["priceNegotiated"] == true { " agreed" } else { "" };
        let price = cell(amount(text(line, "unitPrice")) + mark);
        [article, price, change, cell(amount(text(line, "lineTotal")))]
    };
    table(["Article", ">Price", "Quantity", ">Total"], items(order).iter().map(row))
}

fn draw_order(visit: &Visit, said: &Said, order: &Value, customers: &[Value], context: &Context) -> Markup {
    let hidden = [("version", &order["version"]), ("total", &order["total"])];
    let search = html! { (line(visit, "text", "Another customer", 100)) button.plain { "Find" } };
    html! {
        p.total { (money(order, "total")) }
        (form(visit, said, "confirm", &hidden, html! { button { "To payment" } }))
        @if matches!(said, Said::Rejection(_, problem) if problem.code == "TOTAL_CHANGED") {
            (form(visit, said, "set-prices", &[], html! { button.plain { "Take the new prices" } }))
        }
        p { "Order " (text(order, "number")) ", customer: " (name_of(customers, text(order, "customerId"), "name")) }
        (form(visit, said, "customer", &[], search))
        (pay::draw_cancel(visit, said, order, context))
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
        let state = |is_agreed: bool| {
            let price = json!({ "priceNegotiated": is_agreed, "unitPrice": "9.500000", "priceReason": "a regular" });
            restate(&json!({ "items": [price] })).remove(0)
        };
        assert_eq!((state(false).get("unitPrice"), state(false).get("priceReason")), (None, None));
        assert_eq!((&state(true)["unitPrice"], &state(true)["priceReason"]), (&json!("9.500000"), &json!("a regular")));
    }
}
