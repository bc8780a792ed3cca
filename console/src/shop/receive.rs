//! Receiving goods of a purchase order, with serials as a scanner types them.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::Problem;
use crate::page::Visit;
use crate::shop::parts::{
    cell, choices, decimal, field, form, line, link, money, number, quantity, select, table, to_millionths, value_of,
    word,
};
use crate::shop::{
    Done, Said, address_of, entry_at, finish, items, join_ids, list, name_of, read, read_if, text, write,
};

const OPERATION: &str = "createGoodsReceipt";
/// Orders of which goods are outstanding.
const STATUSES: [&str; 2] = ["PARTIALLY_RECEIVED", "APPROVED"];

/// An import order is not among them: its receipts name a shipment, which the form of the operation asks.
pub async fn draw_orders(visit: &Visit) -> Result<Response, Problem> {
    let [begun, approved] =
        STATUSES.map(|status| read(visit, "listPurchaseOrders", "", [("kind", "STANDARD"), ("status", status)]));
    let (_, begun, approved) = tokio::try_join!(visit.context(), begun, approved)?;
    let orders = || items(&begun).iter().chain(items(&approved));
    let ids = join_ids(orders(), "supplierId");
    let suppliers = read_if(visit, "listSuppliers", "", [("ids", ids.as_str()), ("limit", "100")]).await?;
    let row = |order: &Value| {
        let address = format!("{}/-/receive/{}", visit.base, text(order, "id"));
        let supplier = name_of(items(&suppliers), text(order, "supplierId"), "name");
        let status = word(text(order, "status"));
        let order_link = link(address, text(order, "number"));
        [order_link, cell(supplier), cell(status), cell(text(order, "expectedOn")), cell(money(order, "total"))]
    };
    let is_cut = [&begun, &approved].iter().any(|page| !text(page, "nextCursor").is_empty());
    let body = html! {
        @if ids.is_empty() { p { "No goods are outstanding." } } @else {
            (table(["Order", "Supplier", "Status", "Expected", ">Total"], orders().map(row)))
        }
        @if is_cut { p { "There are more: " (link(address_of(visit, "listPurchaseOrders", ""), "Purchase orders")) } }
    };
    finish(visit, "Receive goods", &Said::Nothing, body).await
}

/// The lines that state something, in the sequence of the form.
fn read_lines(visit: &Visit) -> Vec<Value> {
    visit.form.all("line").filter_map(|id| read_line(id, &|name| value_of(visit, &format!("{name}-{id}")))).collect()
}

fn read_line<'v>(id: &str, field: &dyn Fn(&str) -> &'v str) -> Option<Value> {
    let serials = field("serials").lines().map(str::trim).filter(|serial| !serial.is_empty());
    let unit = |serial: &str| {
        let is_imei = serial.len() == 15 && serial.bytes().all(|byte| byte.is_ascii_digit());
        let mut unit = json!({ (if is_imei { "imei1" } else { "serialNumber" }): serial });
        for name in ["condition", "grade"].into_iter().filter(|name| !field(name).is_empty()) {
            unit[name] = Value::from(field(name));
        }
        unit
    };
    let units: Vec<Value> = serials.map(unit).collect();
    match (units.len(), field("quantity")) {
        (0, "") => None,
        (0, stated) => Some(json!({ "orderItemId": id, "quantity": stated })),
        (count, _) => Some(json!({ "orderItemId": id, "quantity": count.to_string(), "units": units })),
    }
}

pub async fn receive(visit: &Visit, order: &str) -> Done {
    let mut body = json!({
        "expectedVersion": number(visit, "version"), "reason": value_of(visit, "reason"), "items": read_lines(visit),
    });
    if !value_of(visit, "location").is_empty() {
        body["warehouseLocationId"] = Value::from(value_of(visit, "location"));
    }
    let receipt = write(visit, OPERATION, order, &body).await?;
    Ok(address_of(visit, "getGoodsReceipt", text(&receipt, "id")) + "?_done=" + OPERATION)
}

pub async fn draw_order(visit: &Visit, id: &str, said: &Said) -> Result<Response, Problem> {
    let (_, order) = tokio::try_join!(visit.context(), read(visit, "getPurchaseOrder", id, []))?;
    let ids = join_ids(items(&order), "variantId");
    let (variants, locations) = tokio::try_join!(
        read(visit, "listVariants", "", [("ids", ids.as_str()), ("limit", "100")]),
        read_if(visit, "listLocations", text(&order, "warehouseId"), [("limit", "100")]),
    )?;
    let name = |line: &Value| name_of(items(&variants), text(line, "variantId"), "sku").to_owned();
    let sent = read_lines(visit);
    // The article, and the serial that was scanned.
    let place = |pointer: &str| {
        let line = entry_at(&sent, "items", pointer)?;
        let ordered = items(&order).iter().find(|one| one["id"] == line["orderItemId"])?;
        let unit = entry_at(list(line, "units"), "units", pointer).unwrap_or(&Value::Null);
        Some([&name(ordered), " ", text(unit, "imei1"), text(unit, "serialNumber")].concat().trim().to_owned())
    };
    let is_due = STATUSES.contains(&text(&order, "status"));
    let open = items(&order).iter().filter(|line| is_due && to_millionths(text(line, "pendingQuantity")) > 0);
    let open: Vec<&Value> = open.collect();
    let location = |one: &Value| format!("{} {}", text(one, "code"), text(one, "name"));
    let places: Vec<(&str, String)> = items(&locations).iter().map(|one| (text(one, "id"), location(one))).collect();
    let fields = html! {
        @for line in &open { (draw_line(visit, line, &name(line))) }
        @if !places.is_empty() { (select(visit, "location", "Location in the warehouse", "none", &places)) }
        (line(visit, "reason", "Reason, such as the number of the delivery note", 1_000))
        button { "Receive" }
    };
    let body = html! {
        (said.draw(&visit.site, &place))
        p { "Order " (link(address_of(visit, "getPurchaseOrder", id), text(&order, "number"))) ", " (word(text(&order, "status"))) }
        @if open.is_empty() { p { "Nothing of this order can be received." } } @else {
            (form(visit, said, "receive", &[("version", &order["version"])], fields))
        }
    };
    finish(visit, "Receive goods", said, body).await
}

fn draw_line(visit: &Visit, line: &Value, name: &str) -> Markup {
    let [serials, quantity_name] = ["serials", "quantity"].map(|part| format!("{part}-{}", text(line, "id")));
    let of_units = |part: &'static str, label: &str| {
        let values = choices(visit, OPERATION, &["items", "units", part]);
        select(visit, &format!("{part}-{}", text(line, "id")), label, "of the article", &values)
    };
    let area = html! { textarea id=(serials) name=(serials) rows="4" { (value_of(visit, &serials)) } };
    html! {
        fieldset.fields {
            legend { (name) ", outstanding " (quantity(text(line, "pendingQuantity"))) }
            input type="hidden" name="line" value=(text(line, "id"));
            @if text(line, "trackingMode") == "SERIALIZED" {
                (field(&serials, "Serial numbers or IMEIs, one a line", area))
                (of_units("condition", "Condition of all of them"))
                (of_units("grade", "Grade of all of them"))
            } @else {
                (decimal(visit, &quantity_name, "Quantity", false))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scanned_line_counts_its_serials() {
        let read = |serials: &'static str, quantity: &'static str| {
            read_line("1", &|name| match name {
                "serials" => serials,
                "quantity" => quantity,
                "condition" => "USED",
                _ => "",
            })
        };
        let units = json!([
            { "imei1": "350000000000001", "condition": "USED" }, { "serialNumber": "S-1", "condition": "USED" },
        ]);
        let scanned = json!({ "orderItemId": "1", "quantity": "2", "units": units });
        assert_eq!(read("350000000000001\r\n\r\n S-1 \r\n", ""), Some(scanned));
        assert_eq!(read("", "1,5"), Some(json!({ "orderItemId": "1", "quantity": "1,5" })));
        assert_eq!(read("\r\n", ""), None);
    }
}
