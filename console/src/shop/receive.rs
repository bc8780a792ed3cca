//! Receiving goods of a purchase order, with serials as a scanner types them.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::Problem;
use crate::page::{self, Visit};
use crate::shop::figures::{quantity, to_millionths};
use crate::shop::parts::{cell, choices, decimal, form, line, link, number, select, table, value_of};
use crate::shop::{
    Done, Said, address_of, finish, is_permitted, items, join_ids, list, name_of, read, read_if, text, word, write,
};
use crate::show::value::amount;

const OPERATION: &str = "createGoodsReceipt";
/// Orders of which goods are outstanding.
const STATUSES: [&str; 2] = ["PARTIALLY_RECEIVED", "APPROVED"];

pub async fn respond(visit: &Visit, rest: &str) -> Result<Response, Problem> {
    let order = rest.trim_matches('/');
    if order.is_empty() {
        return draw_orders(visit).await;
    }
    let done = if visit.is_post { receive(visit, order).await } else { Err(Box::default()) };
    match done {
        Ok(address) => Ok(page::redirect(&address)),
        Err(said) => draw_order(visit, order, &said).await,
    }
}

/// An import order is not among them: its receipts name a shipment, which the form of the operation asks.
async fn draw_orders(visit: &Visit) -> Result<Response, Problem> {
    let read_all = |status: &'static str| async move {
        read(visit, "listPurchaseOrders", &[], &[("kind", "STANDARD"), ("status", status)]).await
    };
    let (context, begun, approved) = tokio::join!(visit.context(), read_all(STATUSES[0]), read_all(STATUSES[1]));
    let (_, begun, approved) = (context?, begun?, approved?);
    let orders = || items(&begun).iter().chain(items(&approved));
    let ids = join_ids(orders(), "supplierId");
    let suppliers = match ids.is_empty() {
        true => None,
        false => read_if(visit, "listSuppliers", &[("ids", ids.as_str()), ("limit", "100")]).await.transpose()?,
    };
    let suppliers = suppliers.unwrap_or_default();
    let is_cut = [&begun, &approved].iter().any(|page| !text(page, "nextCursor").is_empty());
    let row = |order: &Value| {
        let address = format!("{}/-/receive/{}", visit.base, text(order, "id"));
        let supplier = name_of(items(&suppliers), text(order, "supplierId"), "name");
        let total = format!("{} {}", amount(text(order, "total")), text(order, "currencyCode"));
        let [status, expected] = [word(text(order, "status")), text(order, "expectedOn").to_owned()];
        [link(address, text(order, "number")), cell(supplier), cell(status), cell(expected), cell(total)]
    };
    let body = html! {
        @if ids.is_empty() { p { "No goods are outstanding." } } @else {
            (table(["Order", "Supplier", "Status", "Expected", ">Total"], orders().map(row)))
        }
        @if is_cut { p { "There are more: " (link(address_of(visit, "listPurchaseOrders", &[]), "Purchase orders")) } }
    };
    finish(visit, "Receive goods", &Said::default(), body).await
}

/// The lines that state something, in the sequence of the form.
fn read_lines(visit: &Visit) -> Vec<Value> {
    visit.form.all("line").filter_map(|id| read_line(id, &|name| value_of(visit, &format!("{name}-{id}")))).collect()
}

fn read_line<'v>(id: &str, field: &dyn Fn(&str) -> &'v str) -> Option<Value> {
    let serials = field("serials").lines().map(str::trim).filter(|serial| !serial.is_empty());
    let unit = |serial: &str| {
        let is_imei = serial.len() == 15 && serial.bytes().all(|byte| byte.is_ascii_digit());
        let mut unit = json!({});
        unit[if is_imei { "imei1" } else { "serialNumber" }] = Value::from(serial);
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

async fn receive(visit: &Visit, order: &str) -> Done {
    let mut body = json!({
        "expectedVersion": number(visit, "version"), "reason": value_of(visit, "reason"), "items": read_lines(visit),
    });
    if !value_of(visit, "location").is_empty() {
        body["warehouseLocationId"] = Value::from(value_of(visit, "location"));
    }
    let receipt = write(visit, OPERATION, &[order], &body).await?;
    Ok(address_of(visit, "getGoodsReceipt", &[text(&receipt, "id")]) + "?_done=" + OPERATION)
}

async fn draw_order(visit: &Visit, id: &str, said: &Said) -> Result<Response, Problem> {
    let parts = [id];
    let (context, order) = tokio::join!(visit.context(), read(visit, "getPurchaseOrder", &parts, &[]));
    let (context, order) = (context?, order?);
    let ids = join_ids(list(&order, "items"), "variantId");
    let locations = async {
        match is_permitted(&visit.site, context, "listLocations") {
            true => read(visit, "listLocations", &[text(&order, "warehouseId")], &[("limit", "100")]).await,
            false => Ok(Value::Null),
        }
    };
    let of_order = [("ids", ids.as_str()), ("limit", "100")];
    let (variants, locations) = tokio::join!(read(visit, "listVariants", &[], &of_order), locations);
    let (variants, locations) = (variants?, locations?);
    let name = |line: &Value| name_of(items(&variants), text(line, "variantId"), "sku").to_owned();
    let name_item = |id: &str| {
        let line = list(&order, "items").iter().find(|line| text(line, "id") == id);
        line.map(name).unwrap_or_default()
    };
    let sent = read_lines(visit);
    let is_open = |line: &&Value| to_millionths(text(line, "pendingQuantity")).is_some_and(|pending| pending > 0);
    let open: Vec<&Value> = list(&order, "items").iter().filter(is_open).collect();
    let location = |one: &Value| format!("{} {}", text(one, "code"), text(one, "name"));
    let places: Vec<(&str, String)> = items(&locations).iter().map(|one| (text(one, "id"), location(one))).collect();
    let fields = html! {
        @for line in &open { (draw_line(visit, line, &name(line))) }
        @if !places.is_empty() { (select(visit, "location", "Location in the warehouse", "none", &places)) }
        (line(visit, "reason", "Reason, such as the number of the delivery note", 1_000))
        button { "Receive" }
    };
    let target = format!("{}/-/receive/{id}", visit.base);
    let body = html! {
        (said.draw(&visit.site, &|item| name_place(&sent, &item.pointer, &name_item)))
        p { "Order " (link(address_of(visit, "getPurchaseOrder", &[id]), text(&order, "number"))) ", " (word(text(&order, "status"))) }
        @if open.is_empty() || !STATUSES.contains(&text(&order, "status")) {
            p { "Nothing of this order can be received." }
        } @else {
            (form(visit, said, &target, "receive", &[("version", &order["version"])], fields))
        }
    };
    finish(visit, "Receive goods", said, body).await
}

/// `/items/2/units/3/imei1` as the article and the serial that was scanned.
fn name_place(sent: &[Value], pointer: &str, name_item: &dyn Fn(&str) -> String) -> String {
    let parts: Vec<&str> = pointer.split('/').skip(1).collect();
    let entry =
        |list: &[Value], part: usize| parts.get(part)?.parse::<usize>().ok().and_then(|nth| list.get(nth).cloned());
    let line = entry(sent, 1).filter(|_| parts.first() == Some(&"items"));
    let Some(line) = line else { return String::new() };
    let unit = entry(list(&line, "units"), 3).unwrap_or_default();
    let serial = [text(&unit, "imei1"), text(&unit, "serialNumber")].concat();
    format!("{} {serial}", name_item(text(&line, "orderItemId"))).trim().to_owned() + ":"
}

fn draw_line(visit: &Visit, line: &Value, name: &str) -> Markup {
    let field = |part: &str| format!("{part}-{}", text(line, "id"));
    let of_units = |part: &'static str, label: &str| {
        select(visit, &field(part), label, "of the article", &choices(visit, OPERATION, &["items", "units", part]))
    };
    html! {
        fieldset.fields {
            legend { (name) ", outstanding " (quantity(text(line, "pendingQuantity"))) }
            input type="hidden" name="line" value=(text(line, "id"));
            @if text(line, "trackingMode") == "SERIALIZED" {
                div.field {
                    label for=(field("serials")) { "Serial numbers or IMEIs, one a line" }
                    textarea id=(field("serials")) name=(field("serials")) rows="4" { (value_of(visit, &field("serials"))) }
                }
                (of_units("condition", "Condition of all of them"))
                (of_units("grade", "Grade of all of them"))
            } @else {
                (decimal(visit, &field("quantity"), "Quantity", false))
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

    #[test]
    fn a_fault_of_a_unit_is_at_the_serial_that_was_scanned() {
        let units = json!([{ "serialNumber": "S-1" }, { "imei1": "350000000000001" }]);
        let sent = [json!({ "orderItemId": "a", "quantity": "2" }), json!({ "orderItemId": "b", "units": units })];
        let place = |pointer: &str| name_place(&sent, pointer, &|id| id.to_uppercase());
        assert_eq!(place("/items/1/units/1/imei1"), "B 350000000000001:");
        assert_eq!(place("/items/1/units/0"), "B S-1:");
        assert_eq!(place("/items/0/quantity"), "A:");
        assert_eq!(["/reason", "/items/7/quantity", "/items"].map(place), ["", "", ""]);
    }
}
