//! Records of sales: customers, quotations and orders in their states, lines and units of orders, and customer returns.

use serde_json::{Value as Json, json};
use stoa_tests::Answer;
use stoa_tests::company::{price, with};

use super::super::records::Records;
use super::{GoodId, Kind, Part, PutAway, units};

/// Why a document comes to its end.
const WHY: &str = "tried";
/// The reason that keys are rejected for before anything is looked up.
const NO_UNITS: &str = "an API client names no units";

pub const PART: Part = Part {
    kinds: KINDS,
    special: &[
        ("createCustomer", "defaultPriceListId", "price list"),
        ("apiCreateCustomer", "defaultPriceListId", "price list"),
        ("replaceCustomer", "defaultPriceListId", "price list"),
        ("apiReplaceCustomer", "defaultPriceListId", "price list"),
        ("acceptQuotation", "id", "sent quotation"),
        ("apiAcceptQuotation", "id", "sent quotation"),
        ("expireQuotation", "id", "sent quotation"),
        ("reviseQuotation", "id", "sent quotation"),
        ("listSalesOrders", "quotationId", "accepted quotation"),
        ("apiListSalesOrders", "quotationId", "accepted quotation"),
        ("confirmSalesOrder", "id", "draft of a unit"),
        ("confirmSalesOrder", "itemId", "line of a draft"),
        ("confirmSalesOrder", "unitId", "unit of a draft"),
        ("completeSalesOrder", "id", "confirmed sale"),
        ("apiCompleteSalesOrder", "id", "confirmed sale"),
        ("exchangeSalesOrderUnit", "id", "sale of a unit"),
        ("exchangeSalesOrderUnit", "itemId", "line of a unit"),
        ("exchangeSalesOrderUnit", "releaseUnitId", "unit of a sale"),
        ("exchangeSalesOrderUnit", "chooseUnitId", "unit to spare"),
        ("listSalesReturns", "orderId", "completed sale"),
        ("apiListSalesReturns", "orderId", "completed sale"),
        ("createSalesReturn", "orderId", "completed sale"),
        ("apiCreateSalesReturn", "orderId", "completed sale"),
        ("replaceSalesReturn", "orderId", "completed sale"),
        ("apiReplaceSalesReturn", "orderId", "completed sale"),
        ("createSalesReturn", "itemId", "line that was sold"),
        ("apiCreateSalesReturn", "itemId", "line that was sold"),
        ("replaceSalesReturn", "itemId", "line that was sold"),
        ("apiReplaceSalesReturn", "itemId", "line that was sold"),
        ("createSalesReturn", "unitId", "unit that was sold"),
        ("replaceSalesReturn", "unitId", "unit that was sold"),
        ("createSalesReturn", "warehouseLocationId", "location"),
        ("apiCreateSalesReturn", "warehouseLocationId", "location"),
        ("replaceSalesReturn", "warehouseLocationId", "location"),
        ("apiReplaceSalesReturn", "warehouseLocationId", "location"),
    ],
    exempt: &[
        ("apiCreateSalesOrder", "unitId", NO_UNITS),
        ("apiReplaceSalesOrder", "unitId", NO_UNITS),
        ("apiCreateSalesReturn", "unitId", NO_UNITS),
        ("apiReplaceSalesReturn", "unitId", NO_UNITS),
    ],
    needs: &[
        ("listQuotations", "quotation"),
        ("apiListQuotations", "quotation"),
        ("createQuotation", "price"),
        ("apiCreateQuotation", "price"),
        ("replaceQuotation", "price"),
        ("apiReplaceQuotation", "price"),
        ("listSalesOrders", "sales order"),
        ("apiListSalesOrders", "sales order"),
        ("createSalesOrder", "price"),
        ("apiCreateSalesOrder", "price"),
        ("replaceSalesOrder", "price"),
        ("apiReplaceSalesOrder", "price"),
        ("listSalesReturns", "customer return"),
        ("apiListSalesReturns", "customer return"),
    ],
    values: &[],
    amends: &[
        ("createSalesOrder", of_units),
        ("replaceSalesOrder", of_units),
        ("createSalesReturn", of_sold_units),
        ("replaceSalesReturn", of_sold_units),
    ],
};

fn names_units(body: &Json) -> bool {
    body["items"][0]["unitIds"].as_array().is_some_and(|units| !units.is_empty())
}

/// A line that names units is one of serialized goods.
fn of_units(body: &mut Json, good_id: GoodId) {
    if names_units(body) {
        good_id("price of phones");
        body["items"][0]["variantId"] = good_id("serialized variant").into();
    }
}

fn of_sold_units(body: &mut Json, good_id: GoodId) {
    if names_units(body) {
        body["items"][0]["itemId"] = good_id("line of sold units").into();
    }
}

const KINDS: &[Kind] = &[
    Kind {
        name: "customer",
        collection: "sales/customers",
        names: &["customerId"],
        make: |records| {
            let word = records.word();
            records.company.post("sales/customers", json!({ "code": word, "name": word }))
        },
        put_away: PutAway::Archive,
    },
    Kind {
        name: "price of phones",
        collection: "",
        names: &[],
        make: |records| {
            let path = format!("pricing/price-lists/{}/prices", records.id_of("price list"));
            records.company.post(&path, price(&records.id_of("serialized variant"), "9.99", None, None))
        },
        put_away: PutAway::Never,
    },
    Kind {
        name: "quotation",
        collection: "sales/quotations",
        names: &[],
        make: quotation,
        put_away: PutAway::Other(|records, id| end(records, &format!("sales/quotations/{id}/reject"), 1)),
    },
    Kind {
        name: "sent quotation",
        collection: "",
        names: &[],
        make: send,
        put_away: PutAway::Other(|records, id| end(records, &format!("sales/quotations/{id}/reject"), 2)),
    },
    Kind {
        name: "accepted quotation",
        collection: "",
        names: &[],
        make: |records| {
            let path = format!("sales/quotations/{}/accept", send(records).is(200).id());
            records.company.post(&path, json!({ "expectedVersion": 2 }))
        },
        put_away: PutAway::Never,
    },
    Kind {
        name: "sales order",
        collection: "sales/orders",
        names: &[],
        make: |records| order(records, pieces(records)),
        put_away: PutAway::Other(|records, id| end(records, &format!("sales/orders/{id}/cancel"), 1)),
    },
    Kind {
        name: "confirmed sale",
        collection: "",
        names: &[],
        make: |records| confirm(records, order(records, pieces(records))),
        put_away: PutAway::Other(|records, id| end(records, &format!("sales/orders/{id}/cancel"), 2)),
    },
    Kind {
        name: "draft of a unit",
        collection: "",
        names: &[],
        make: |records| order(records, one_unit(records)),
        put_away: PutAway::Other(|records, id| end(records, &format!("sales/orders/{id}/cancel"), 1)),
    },
    Kind {
        name: "line of a draft",
        collection: "",
        names: &[],
        make: |records| part(records, "draft of a unit", |order| order["items"][0].clone()),
        put_away: PutAway::Never,
    },
    Kind {
        name: "unit of a draft",
        collection: "",
        names: &[],
        make: |records| {
            part(records, "draft of a unit", |order| json!({ "id": order["items"][0]["chosenUnitIds"][0] }))
        },
        put_away: PutAway::Other(units::lose),
    },
    Kind {
        name: "sale of a unit",
        collection: "",
        names: &[],
        make: |records| confirm(records, order(records, one_unit(records))),
        put_away: PutAway::Other(|records, id| end(records, &format!("sales/orders/{id}/cancel"), 2)),
    },
    Kind {
        name: "line of a unit",
        collection: "",
        names: &[],
        make: |records| part(records, "sale of a unit", |order| order["items"][0].clone()),
        put_away: PutAway::Never,
    },
    Kind {
        name: "unit of a sale",
        collection: "",
        names: &[],
        make: |records| {
            part(records, "sale of a unit", |order| json!({ "id": order["items"][0]["units"][0]["unitId"] }))
        },
        put_away: PutAway::Never,
    },
    Kind {
        name: "unit to spare",
        collection: "",
        names: &[],
        make: |records| units::admit(records, 1, &json!({})),
        put_away: PutAway::Other(units::lose),
    },
    Kind {
        name: "completed sale",
        collection: "",
        names: &[],
        make: |records| {
            let items = [pieces(records), one_unit(records)].map(|items| items[0].clone());
            let sale = confirm(records, order(records, json!(items))).is(200);
            records.company.post(&format!("sales/orders/{}/complete", sale.id()), json!({ "expectedVersion": 2 }))
        },
        put_away: PutAway::Never,
    },
    Kind {
        name: "line that was sold",
        collection: "",
        names: &[],
        make: |records| part(records, "completed sale", |order| order["items"][0].clone()),
        put_away: PutAway::Never,
    },
    Kind {
        name: "line of sold units",
        collection: "",
        names: &[],
        make: |records| part(records, "completed sale", |order| order["items"][1].clone()),
        put_away: PutAway::Never,
    },
    Kind {
        name: "unit that was sold",
        collection: "",
        names: &[],
        make: |records| {
            part(records, "completed sale", |order| json!({ "id": order["items"][1]["units"][0]["unitId"] }))
        },
        put_away: PutAway::Never,
    },
    Kind {
        name: "customer return",
        collection: "sales/returns",
        names: &[],
        make: |records| {
            let item = json!({ "itemId": records.id_of("line that was sold"), "quantity": "1" });
            let body = json!({ "orderId": records.id_of("completed sale"), "reason": WHY, "items": [item] });
            records.company.post("sales/returns", body)
        },
        put_away: PutAway::Other(|records, id| {
            records.company.post(&format!("sales/returns/{id}/cancel"), json!({ "expectedVersion": 1 }))
        }),
    },
];

/// Two pieces of the variant, of which there are some and which have a price.
fn pieces(records: &Records) -> Json {
    records.id_of("movement");
    records.id_of("price");
    json!([{ "variantId": records.id_of("variant"), "quantity": "2" }])
}

/// A unit of its own, chosen.
fn one_unit(records: &Records) -> Json {
    records.id_of("price of phones");
    let unit = units::admit(records, 1, &json!({})).is(201).id();
    json!([{ "variantId": records.id_of("serialized variant"), "quantity": "1", "unitIds": [unit] }])
}

fn body(records: &Records, items: Json) -> Json {
    json!({
        "legalEntityId": records.id_of("legal entity"),
        "warehouseId": records.id_of("warehouse"),
        "customerId": records.id_of("customer"),
        "priceListId": records.id_of("price list"),
        "items": items,
    })
}

fn order(records: &Records, items: Json) -> Answer {
    records.company.post("sales/orders", body(records, items))
}

fn confirm(records: &Records, draft: Answer) -> Answer {
    records.company.post(&format!("sales/orders/{}/confirm", draft.is(201).id()), json!({ "expectedVersion": 1 }))
}

fn quotation(records: &Records) -> Answer {
    records.company.post("sales/quotations", body(records, pieces(records)))
}

fn send(records: &Records) -> Answer {
    let path = format!("sales/quotations/{}/send", quotation(records).is(201).id());
    records.company.post(&path, json!({ "expectedVersion": 1 }))
}

fn end(records: &Records, path: &str, version: i64) -> Answer {
    records.company.post(path, with(&json!({ "reason": WHY }), json!({ "expectedVersion": version })))
}

/// Something of an order.
fn part(records: &Records, order: &str, part: impl Fn(&Json) -> Json) -> Answer {
    let order = records.company.get(&format!("sales/orders/{}", records.id_of(order))).is(200);
    let body = part(&order.body);
    Answer { body, ..order }
}
