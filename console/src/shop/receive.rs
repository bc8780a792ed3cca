//! Receiving goods of a purchase order, with serials as a scanner types them.

use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::{Problem, ProblemItem};
use crate::page;
use crate::shop::figures::{amount, quantity, to_millionths};
use crate::shop::{Visit, encode, find_record, is_permitted, items, join_ids, list, shorten, text, word};

const OPERATION: &str = "createGoodsReceipt";

pub async fn respond(visit: &Visit<'_>) -> Result<Response, Problem> {
    match visit.rest.trim_matches('/') {
        "" => start(visit).await,
        order if visit.form.is_some() => receive(visit, order).await,
        order => draw(visit, order, None).await,
    }
}

/// Orders of which goods are outstanding. An import order is received by its own form, which asks for the shipment.
async fn start(visit: &Visit<'_>) -> Result<Response, Problem> {
    let read = |status: &'static str| async move {
        visit.read("listPurchaseOrders", &[], &[("status", status), ("kind", "STANDARD"), ("limit", "50")]).await
    };
    let (frame, approved, begun) = tokio::join!(visit.frame(), read("APPROVED"), read("PARTIALLY_RECEIVED"));
    let (frame, approved, begun) = (frame?, approved?, begun?);
    let orders: Vec<Value> = items(&begun).iter().chain(items(&approved)).cloned().collect();
    let ids = join_ids(&orders, "supplierId");
    let suppliers = match ids.is_empty() {
        true => None,
        false => visit.read_if(&frame, "listSuppliers", &[("ids", &ids), ("limit", "100")]).await.transpose()?,
    };
    let suppliers = suppliers.unwrap_or_default();
    let name = |order: &Value| {
        let known =
            find_record(items(&suppliers), text(order, "supplierId")).map(|supplier| text(supplier, "name").to_owned());
        known.unwrap_or_else(|| shorten(text(order, "supplierId")).to_owned())
    };
    let is_cut = [&approved, &begun].iter().any(|page| !text(page, "nextCursor").is_empty());
    let body = html! {
        @if orders.is_empty() { p { "No approved order is outstanding." } } @else {
            table {
                thead { tr {
                    th scope="col" { "Order" } th scope="col" { "Supplier" } th scope="col" { "Status" } th scope="col" { "Expected" }
                    th.amount scope="col" { "Total" }
                } }
                tbody { @for order in &orders {
                    tr {
                        td data-label="Order" {
                            a href={ (visit.address("/-/receive/")) (encode(text(order, "id"))) } { (text(order, "number")) }
                        }
                        td data-label="Supplier" { (name(order)) }
                        td data-label="Status" { (word(text(order, "status"))) }
                        td data-label="Expected" { (text(order, "expectedOn")) }
                        td.amount data-label="Total" { (amount(text(order, "total"))) " " (text(order, "currencyCode")) }
                    }
                } }
            }
        }
        @if is_cut { p { "There are more orders: " a href=(visit.page_of("listPurchaseOrders", &[])) { "Purchase orders" } } }
    };
    Ok(page::draw(&frame, "Receive goods", body))
}

/// The lines that state something, in the sequence of the form: a line's id, and the serials that were typed.
fn read_lines<'a>(visit: &Visit<'a>) -> Vec<(&'a str, Value)> {
    let Some(form) = visit.form else { return Vec::new() };
    let lines = form.all("line").map(|id| (id, read_line(visit, id)));
    lines.filter_map(|(id, line)| line.map(|line| (id, line))).collect()
}

fn read_line(visit: &Visit<'_>, id: &str) -> Option<Value> {
    let field = |name: &str| visit.field(&format!("{name}-{id}"));
    let serials: Vec<&str> = field("serials").lines().map(str::trim).filter(|serial| !serial.is_empty()).collect();
    if serials.is_empty() {
        let stated = field("quantity");
        return (!stated.is_empty()).then(|| json!({ "orderItemId": id, "quantity": stated }));
    }
    let unit = |serial: &&str| {
        let is_imei = serial.len() == 15 && serial.bytes().all(|byte| byte.is_ascii_digit());
        let mut unit = json!({ (if is_imei { "imei1" } else { "serialNumber" }): serial });
        for name in ["condition", "grade"] {
            if !field(name).is_empty() {
                unit[name] = Value::from(field(name));
            }
        }
        unit
    };
    let units: Vec<Value> = serials.iter().map(unit).collect();
    Some(json!({ "orderItemId": id, "quantity": units.len().to_string(), "units": units }))
}

async fn receive(visit: &Visit<'_>, order: &str) -> Result<Response, Problem> {
    let items: Vec<Value> = read_lines(visit).into_iter().map(|(_, line)| line).collect();
    let mut body =
        json!({ "expectedVersion": visit.number("version"), "reason": visit.field("reason"), "items": items });
    if !visit.field("location").is_empty() {
        body["warehouseLocationId"] = Value::from(visit.field("location"));
    }
    match visit.write(OPERATION, &[order], &body).await {
        Ok(receipt) => Ok(page::redirect(&match visit.site.operation("getGoodsReceipt") {
            Some(_) => visit.page_of("getGoodsReceipt", &[text(&receipt, "id")]) + "?_done=" + OPERATION,
            None => visit.address("/-/receive"),
        })),
        Err(problem) => draw(visit, order, Some(problem)).await,
    }
}

async fn draw(visit: &Visit<'_>, id: &str, problem: Option<Problem>) -> Result<Response, Problem> {
    let (frame, order) = tokio::join!(visit.frame(), visit.read("getPurchaseOrder", &[id], &[]));
    let (frame, order) = (frame?, order?);
    let is_pending = |line: &&Value| to_millionths(text(line, "pendingQuantity")).is_some_and(|pending| pending > 0);
    let lines: Vec<&Value> = list(&order, "items").iter().filter(is_pending).collect();
    let ids = join_ids(list(&order, "items"), "variantId");
    let locations = async {
        match is_permitted(visit.site, &frame.context, "listLocations") {
            true => visit.read("listLocations", &[text(&order, "warehouseId")], &[("limit", "100")]).await,
            false => Ok(Value::Null),
        }
    };
    let (variants, locations) =
        tokio::join!(visit.read("listVariants", &[], &[("ids", ids.as_str()), ("limit", "100")]), locations);
    let (variants, locations) = (variants?, locations?);
    let name = |line: &Value| {
        let known =
            find_record(items(&variants), text(line, "variantId")).map(|variant| text(variant, "sku").to_owned());
        known.unwrap_or_else(|| shorten(text(line, "variantId")).to_owned())
    };
    let sent = read_lines(visit);
    let place = |item: &ProblemItem| {
        name_place(&sent, &item.pointer, &|line| {
            list(&order, "items").iter().find(|known| text(known, "id") == line).map(&name).unwrap_or_default()
        })
    };
    let can_receive = ["APPROVED", "PARTIALLY_RECEIVED"].contains(&text(&order, "status"));
    let reason = match visit.form {
        Some(_) => visit.field("reason"),
        None => "Goods received",
    };
    let body = html! {
        @if let Some(problem) = &problem { (visit.explain(OPERATION, problem, &place)) }
        p { "Order " a href=(visit.page_of("getPurchaseOrder", &[id])) { (text(&order, "number")) } ", " (word(text(&order, "status"))) }
        @if lines.is_empty() || !can_receive { p { "Nothing of this order can be received." } } @else {
            form method="post" {
                (visit.hide("receive", problem.as_ref()))
                input type="hidden" name="version" value=(order["version"]);
                @for line in &lines { (draw_line(visit, line, &name(line))) }
                @if !items(&locations).is_empty() {
                    label for="location" { "Location in the warehouse" }
                    select id="location" name="location" {
                        option value="" { "none" }
                        @for location in items(&locations) {
                            @let id = text(location, "id");
                            option value=(id) selected[visit.field("location") == id] { (text(location, "code")) " " (text(location, "name")) }
                        }
                    }
                }
                label for="reason" { "Reason" }
                input id="reason" name="reason" maxlength="1000" required value=(reason);
                button.main { "Receive" }
            }
        }
    };
    let status = problem.map_or(StatusCode::OK, |problem| problem.status);
    Ok(page::draw_with_status(&frame, status, "Receive goods", body))
}

/// `/items/2/units/3/imei1` as the article and the serial that was scanned.
fn name_place(sent: &[(&str, Value)], pointer: &str, name: &dyn Fn(&str) -> String) -> String {
    let parts: Vec<&str> = pointer.split('/').skip(1).collect();
    let nth = |text: &str| text.parse::<usize>().ok();
    let Some((id, line)) =
        parts.get(1).and_then(|part| sent.get(nth(part)?)).filter(|_| parts.first() == Some(&"items"))
    else {
        return String::new();
    };
    let unit =
        parts.get(3).filter(|_| parts.get(2) == Some(&"units")).and_then(|part| list(line, "units").get(nth(part)?));
    let serial =
        unit.map(|unit| ["imei1", "serialNumber"].map(|member| text(unit, member)).concat()).unwrap_or_default();
    format!("{} {serial}", name(id)).trim().to_owned() + ":"
}

fn draw_line(visit: &Visit<'_>, line: &Value, name: &str) -> Markup {
    let id = text(line, "id");
    let field = |part: &str| format!("{part}-{id}");
    let typed = |part: &str| visit.field(&field(part));
    let choice = |part: &'static str, label: &str| {
        html! {
            label for=(field(part)) { (label) }
            select id=(field(part)) name=(field(part)) {
                option value="" { "of the article" }
                @for value in visit.choices(OPERATION, &["items", "units", part]) {
                    option value=(value) selected[typed(part) == value] { (word(value)) }
                }
            }
        }
    };
    html! {
        fieldset {
            legend { (name) ", outstanding " (quantity(text(line, "pendingQuantity"))) }
            input type="hidden" name="line" value=(id);
            @if text(line, "trackingMode") == "SERIALIZED" {
                label for=(field("serials")) { "Serials or IMEIs, one a line" }
                textarea id=(field("serials")) name=(field("serials")) rows="4" data-scan { (typed("serials")) }
                (choice("condition", "Condition of all of them"))
                (choice("grade", "Grade of all of them"))
            } @else {
                label for=(field("quantity")) { "Quantity" }
                input id=(field("quantity")) name=(field("quantity")) inputmode="decimal" autocomplete="off" value=(typed("quantity"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_a_unit_is_at_the_serial_that_was_scanned() {
        let sent = [
            ("line-1", json!({ "quantity": "2" })),
            ("line-2", json!({ "units": [{ "serialNumber": "S-1" }, { "imei1": "350000000000001" }] })),
        ];
        let place = |pointer: &str| name_place(&sent, pointer, &|id| id.to_uppercase());
        assert_eq!(place("/items/1/units/1/imei1"), "LINE-2 350000000000001:");
        assert_eq!(place("/items/1/units/0"), "LINE-2 S-1:");
        assert_eq!(place("/items/0/quantity"), "LINE-1:");
        assert_eq!(["/reason", "/items/7/quantity", "/items"].map(place), ["", "", ""]);
    }
}
