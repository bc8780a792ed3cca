//! Records of finance: invoices, payments, credits and refunds of both sides in their states, and supplier returns.

use serde_json::{Value as Json, json};
use stoa_tests::Answer;
use stoa_tests::company::with;

use super::super::records::Records;
use super::{GoodId, Kind, Part, PutAway};

/// A day on which the entity keeps books, long past.
const DAY: &str = "2020-02-15";
/// Why a document changes.
const WHY: &str = "tried";
/// Documents that only a register makes.
const OF_REGISTERS: &str = "only a register collects: the suite's tests of tills name them";
/// Members that a body of a sale may not name.
const OF_SUPPLIERS: &str = "only of suppliers' credits";
/// Members that a body of a purchase may not name.
const OF_CUSTOMERS: &str = "only of customers' credits";
const OF_DELIVERIES: &str = "only of deliveries, which are of today";

pub const PART: Part = Part {
    kinds: KINDS,
    special: &[
        ("sales/", "partyId", "customer"),
        ("purchases/", "partyId", "supplier"),
        ("getReceivablesAgeing", "partyId", "customer"),
        ("getPayablesAgeing", "partyId", "supplier"),
        ("sales/", "orderItemId", "line that was sold"),
        ("sales/", "invoiceId", "owed sale"),
        ("purchases/", "invoiceId", "owed purchase"),
        ("sales/", "originInvoiceId", "owed sale"),
        ("purchases/", "originInvoiceId", "owed purchase"),
        ("listSalesInvoices", "orderId", "completed sale"),
        ("apiListSalesInvoices", "orderId", "completed sale"),
        ("draftSalesInvoiceFromOrder", "orderId", "completed sale"),
        ("draftPurchaseInvoiceFromOrder", "orderId", "received purchase"),
        ("createSalesInvoice", "accountId", "income account"),
        ("replaceSalesInvoice", "accountId", "income account"),
        ("confirmSalesInvoice", "id", "sale of goods"),
        ("confirmPurchaseInvoice", "id", "purchase of goods"),
        ("confirmPurchaseInvoice", "warehouseLocationId", "location"),
        ("sales/payments/", "accountId", "money account"),
        ("purchases/payments/", "accountId", "money account"),
        ("sales/credit-notes/", "accountId", "money account"),
        ("purchases/credit-notes/", "accountId", "money account"),
        ("createSalesPayment", "accountId", "money account"),
        ("createPurchasePayment", "accountId", "money account"),
        ("listSalesPayments", "accountId", "money account"),
        ("apiListSalesPayments", "accountId", "money account"),
        ("listPurchasePayments", "accountId", "money account"),
        ("apiListPurchasePayments", "accountId", "money account"),
        ("replaceSalesPayment", "id", "expected sales payment"),
        ("replacePurchasePayment", "id", "expected purchase payment"),
        ("confirmSalesPayment", "id", "expected sales payment"),
        ("confirmPurchasePayment", "id", "expected purchase payment"),
        ("reverseSalesPayment", "id", "applied sales payment"),
        ("reversePurchasePayment", "id", "applied purchase payment"),
        ("applySalesCredit", "id", "granted sales credit"),
        ("applyPurchaseCredit", "id", "granted purchase credit"),
        ("refundSalesCredit", "id", "granted sales credit"),
        ("refundPurchaseCredit", "id", "granted purchase credit"),
        ("listSalesRefunds", "paymentId", "sales payment"),
        ("apiListSalesRefunds", "paymentId", "sales payment"),
        ("listPurchaseRefunds", "paymentId", "purchase payment"),
        ("listSalesRefunds", "creditId", "granted sales credit"),
        ("apiListSalesRefunds", "creditId", "granted sales credit"),
        ("listPurchaseRefunds", "creditId", "granted purchase credit"),
        ("startBooks", "id", "bare legal entity"),
    ],
    exempt: &[
        ("refundSalesPayment", "sessionId", OF_REGISTERS),
        ("refundSalesCredit", "sessionId", OF_REGISTERS),
        ("refundPurchasePayment", "sessionId", OF_REGISTERS),
        ("refundPurchaseCredit", "sessionId", OF_REGISTERS),
        ("voidSalesRefund", "sessionId", OF_REGISTERS),
        ("voidPurchaseRefund", "sessionId", OF_REGISTERS),
        ("listSalesRefunds", "sessionId", OF_REGISTERS),
        ("apiListSalesRefunds", "sessionId", OF_REGISTERS),
        ("listPurchaseRefunds", "sessionId", OF_REGISTERS),
        ("apiListPurchaseRefunds", "sessionId", OF_REGISTERS),
        ("listSalesPayments", "receiptId", OF_REGISTERS),
        ("apiListSalesPayments", "receiptId", OF_REGISTERS),
        ("listSalesPayments", "orderId", OF_REGISTERS),
        ("apiListSalesPayments", "orderId", OF_REGISTERS),
        ("listPurchasePayments", "receiptId", OF_REGISTERS),
        ("apiListPurchasePayments", "receiptId", OF_REGISTERS),
        ("listPurchasePayments", "orderId", OF_REGISTERS),
        ("apiListPurchasePayments", "orderId", OF_REGISTERS),
        ("replaceSalesPayment", "invoiceId", "an expected payment pays nothing"),
        ("replacePurchasePayment", "invoiceId", "an expected payment pays nothing"),
        ("createSalesCredit", "supplierReturnId", OF_SUPPLIERS),
        ("replaceSalesCredit", "supplierReturnId", OF_SUPPLIERS),
        ("listSalesCredits", "supplierReturnId", OF_SUPPLIERS),
        ("apiListSalesCredits", "supplierReturnId", OF_SUPPLIERS),
        ("createSalesCredit", "receiptItemId", OF_SUPPLIERS),
        ("replaceSalesCredit", "receiptItemId", OF_SUPPLIERS),
        ("createSalesCredit", "/costLines/0/inventoryUnitId", OF_SUPPLIERS),
        ("replaceSalesCredit", "/costLines/0/inventoryUnitId", OF_SUPPLIERS),
        ("createPurchaseCredit", "/costLines/0/inventoryUnitId", "only of the line's own units: [F56]"),
        ("replacePurchaseCredit", "/costLines/0/inventoryUnitId", "only of the line's own units: [F56]"),
        ("createPurchaseCredit", "/lines/0/variantId", OF_CUSTOMERS),
        ("replacePurchaseCredit", "/lines/0/variantId", OF_CUSTOMERS),
        ("getSalesReport", "warehouseId", OF_DELIVERIES),
        ("getMarginReport", "warehouseId", OF_DELIVERIES),
        ("getCostReport", "variantId", "of goods that moved, which is today"),
        ("getCashReport", "branchId", OF_REGISTERS),
    ],
    needs: &[
        ("listSalesInvoices", "billed sale"),
        ("apiListSalesInvoices", "billed sale"),
        ("listPurchaseInvoices", "billed purchase"),
        ("apiListPurchaseInvoices", "billed purchase"),
        ("listSalesPayments", "sales payment"),
        ("apiListSalesPayments", "sales payment"),
        ("listPurchasePayments", "purchase payment"),
        ("apiListPurchasePayments", "purchase payment"),
        ("listSalesCredits", "sales credit"),
        ("apiListSalesCredits", "sales credit"),
        ("listPurchaseCredits", "purchase credit"),
        ("apiListPurchaseCredits", "purchase credit"),
        ("listSalesRefunds", "sales refund"),
        ("apiListSalesRefunds", "sales refund"),
        ("listPurchaseRefunds", "purchase refund"),
        ("listSalesRefunds", "refund of a sales credit"),
        ("apiListSalesRefunds", "refund of a sales credit"),
        ("listPurchaseRefunds", "refund of a purchase credit"),
        ("listSupplierReturns", "supplier return"),
        ("apiListSupplierReturns", "supplier return"),
        ("getCustomerBalance", "owed sale"),
        ("apiGetCustomerBalance", "owed sale"),
        ("getSupplierBalance", "owed purchase"),
        ("getCustomerStatement", "owed sale"),
        ("getSupplierStatement", "owed purchase"),
        ("getReceivablesAgeing", "owed sale"),
        ("getPayablesAgeing", "owed purchase"),
        ("getSalesReport", "recognised sale"),
        ("getMarginReport", "recognised sale"),
        ("getValuationReport", "movement"),
    ],
    values: &[("issuedOn", DAY), ("recognizedOn", DAY), ("paidOn", DAY), ("refundedOn", DAY)],
    amends: &[
        ("createSalesInvoice", of_prices),
        ("replaceSalesInvoice", of_prices),
        ("createPurchaseInvoice", of_costs),
        ("replacePurchaseInvoice", of_costs),
        ("confirmSalesInvoice", with_place_and_list),
        ("confirmPurchaseInvoice", with_place),
        ("refundSalesPayment", by_account),
        ("refundSalesCredit", by_account),
        ("refundPurchasePayment", by_account),
        ("refundPurchaseCredit", by_account),
        ("createSalesCredit", of_corrections),
        ("createPurchaseCredit", of_corrections),
        ("replaceSalesCredit", of_corrections),
        ("replacePurchaseCredit", of_corrections),
        ("replaceSupplierReturn", |body, _| keep(&mut body["lines"], &["receiptItemId", "quantity", "unitIds"])),
    ],
};

/// Leaves the members of each line that a request may state.
fn keep(lines: &mut Json, members: &[&str]) {
    for line in lines.as_array_mut().into_iter().flatten().filter_map(Json::as_object_mut) {
        line.retain(|name, value| members.contains(&name.as_str()) && !value.is_null());
    }
}

fn of_prices(body: &mut Json, _: GoodId) {
    of_lines(body, "unitPrice");
}

fn of_costs(body: &mut Json, _: GoodId) {
    of_lines(body, "unitCost");
}

/// A line says what its order does not.
fn of_lines(body: &mut Json, amount: &str) {
    let members =
        ["variantId", "description", "quantity", amount, "orderItemId", "receiptItemId", "unitIds", "accountId"];
    keep(&mut body["lines"], &members);
    for line in body["lines"].as_array_mut().into_iter().flatten() {
        let has_order = ["orderItemId", "receiptItemId"].iter().any(|member| !line[member].is_null());
        let line_members = line.as_object_mut().expect("a line");
        if has_order {
            ["description", "accountId", amount].iter().for_each(|member| drop(line_members.remove(*member)));
        } else {
            line_members.insert(amount.to_string(), "1".into());
            line_members.insert("description".to_string(), "Work".into());
        }
    }
}

fn with_place(body: &mut Json, good_id: GoodId) {
    if body["warehouseId"].is_null() {
        body["warehouseId"] = good_id("warehouse").into();
    }
}

fn with_place_and_list(body: &mut Json, good_id: GoodId) {
    with_place(body, good_id);
    if body["priceListId"].is_null() {
        body["priceListId"] = good_id("price list").into();
    }
}

/// Cash of the stated account, else money of the bank: cash of the mapped one is a till's.
fn by_account(body: &mut Json, _: GoodId) {
    body["method"] = if body["accountId"].is_null() { "TRANSFER" } else { "CASH" }.into();
}

/// Lines of costs are of a correction. They add up to it, as lines of goods do.
fn of_corrections(body: &mut Json, _: GoodId) {
    let has = |member: &str| body[member].as_array().is_some_and(|lines| !lines.is_empty());
    let (has_goods, has_costs) = (has("lines"), has("costLines"));
    if has_goods {
        body["amount"] = "1".into();
        body["lines"][0]["amount"] = "1".into();
    }
    if has_costs {
        body["reasonType"] = "COST_CORRECTION".into();
        body["amount"] = "1".into();
        body["costLines"][0]["amount"] = "1".into();
    } else {
        body.as_object_mut().map(|members| members.remove("costLines"));
    }
}

/// Members of every document.
fn head(records: &Records, party: &str) -> Json {
    json!({
        "number": records.word(),
        "legalEntityId": records.id_of("legal entity"),
        "partyId": records.id_of(party),
        "currencyCode": "EUR",
    })
}

/// A side: its path, its party, what it calls amounts.
type Trade = (&'static str, &'static str, &'static str);
const SALES: Trade = ("sales", "customer", "unitPrice");
const PURCHASES: Trade = ("purchases", "supplier", "unitCost");

/// The document as it is read after it was made.
fn make(records: &Records, (side, party, _): Trade, documents: &str, members: Json) -> Answer {
    let path = format!("{side}/{documents}");
    let id = records.company.post(&path, with(&head(records, party), members)).is(201).id();
    records.company.get(&format!("{path}/{id}")).is(200)
}

fn invoice(records: &Records, trade: Trade, line: Json) -> Answer {
    make(records, trade, "invoices", json!({ "issuedOn": DAY, "lines": [line] }))
}

fn free_line(trade: Trade) -> Json {
    json!({ "description": "Work", "quantity": "1", (trade.2): "100" })
}

fn goods_line(records: &Records, trade: Trade) -> Json {
    records.id_of("movement");
    records.id_of("price");
    json!({ "variantId": records.id_of("variant"), "quantity": "1", (trade.2): "5" })
}

/// A transition of a document that was just made.
fn step(records: &Records, side: &str, documents: &str, document: &Answer, verb: &str, members: Json) -> Answer {
    let path = format!("{side}/{documents}/{}/{verb}", document.id());
    records.company.post(&path, with(&json!({ "expectedVersion": document["version"] }), members))
}

fn grounds(records: &Records) -> Json {
    json!({ "documentReference": records.word(), "recognizedOn": DAY })
}

fn issue_invoice(records: &Records, trade: Trade) -> Answer {
    let draft = invoice(records, trade, free_line(trade));
    match trade.0 {
        "sales" => step(records, trade.0, "invoices", &draft, "issue", json!({})),
        _ => step(records, trade.0, "invoices", &draft, "recognize", grounds(records)),
    }
}

fn payment(records: &Records, trade: Trade, members: Json) -> Answer {
    let base = json!({ "amount": "50", "method": "CASH", "accountId": records.id_of("money account"), "paidOn": DAY });
    make(records, trade, "payments", with(&base, members))
}

fn credit(records: &Records, trade: Trade, members: Json) -> Answer {
    make(records, trade, "credit-notes", with(&json!({ "amount": "50", "reasonType": "OTHER" }), members))
}

fn grant(records: &Records, trade: Trade) -> Answer {
    let credit = credit(records, trade, json!({}));
    step(records, trade.0, "credit-notes", &credit, "recognize", grounds(records))
}

/// A refund of a record of this kind, at its present version.
fn refund(records: &Records, side: &str, documents: &str, kind: &str) -> Answer {
    let document = records.company.get(&format!("{side}/{documents}/{}", records.id_of(kind))).is(200);
    let members = json!({ "number": records.word(), "amount": "1", "method": "TRANSFER", "refundedOn": DAY });
    step(records, side, documents, &document, "refunds", members)
}

/// Voids a document at its present version.
fn void(records: &Records, path: &str) -> Answer {
    let version = records.company.get(path).is(200)["version"].clone();
    records.company.post(&format!("{path}/void"), json!({ "expectedVersion": version, "reason": WHY }))
}

const fn kind(
    name: &'static str,
    collection: &'static str,
    make: fn(&Records) -> Answer,
    put_away: fn(&Records, &str) -> Answer,
) -> Kind {
    Kind { name, collection, names: &[], make, put_away: PutAway::Other(put_away) }
}

const fn kind_for_good(name: &'static str, make: fn(&Records) -> Answer) -> Kind {
    Kind { name, collection: "", names: &[], make, put_away: PutAway::Never }
}

fn void_sales_invoice(records: &Records, id: &str) -> Answer {
    void(records, &format!("sales/invoices/{id}"))
}

fn void_purchase_invoice(records: &Records, id: &str) -> Answer {
    void(records, &format!("purchases/invoices/{id}"))
}

fn void_sales_payment(records: &Records, id: &str) -> Answer {
    void(records, &format!("sales/payments/{id}"))
}

fn void_purchase_payment(records: &Records, id: &str) -> Answer {
    void(records, &format!("purchases/payments/{id}"))
}

fn void_sales_credit(records: &Records, id: &str) -> Answer {
    void(records, &format!("sales/credit-notes/{id}"))
}

fn void_purchase_credit(records: &Records, id: &str) -> Answer {
    void(records, &format!("purchases/credit-notes/{id}"))
}

const KINDS: &[Kind] = &[
    kind("sales invoice", "sales/invoices", |records| invoice(records, SALES, free_line(SALES)), void_sales_invoice),
    kind(
        "purchase invoice",
        "purchases/invoices",
        |records| invoice(records, PURCHASES, free_line(PURCHASES)),
        void_purchase_invoice,
    ),
    kind("sale of goods", "", |records| invoice(records, SALES, goods_line(records, SALES)), void_sales_invoice),
    kind(
        "purchase of goods",
        "",
        |records| invoice(records, PURCHASES, goods_line(records, PURCHASES)),
        void_purchase_invoice,
    ),
    kind("owed sale", "", |records| issue_invoice(records, SALES), void_sales_invoice),
    kind("owed purchase", "", |records| issue_invoice(records, PURCHASES), void_purchase_invoice),
    kind_for_good("billed sale", |records| {
        let body = json!({ "orderId": records.id_of("completed sale"), "number": records.word() });
        records.company.post("sales/invoices/from-order", body)
    }),
    kind_for_good("billed purchase", |records| {
        records.id_of("received line of an import");
        let body = json!({ "orderId": records.id_of("import order"), "number": records.word(), "basis": "ORDERED" });
        records.company.post("purchases/invoices/from-order", body)
    }),
    kind_for_good("recognised sale", |records| {
        let members = json!({
            "issuedOn": DAY, "branchId": records.id_of("branch"), "lines": [goods_line(records, SALES)],
        });
        let draft = make(records, SALES, "invoices", members);
        step(records, "sales", "invoices", &draft, "recognize", json!({ "recognizedOn": DAY }))
    }),
    kind_for_good("income account", |records| {
        let word = records.word();
        let body = json!({
            "legalEntityId": records.id_of("legal entity"), "code": word, "name": word, "type": "INCOME",
        });
        records.company.post("ledger/accounts", body)
    }),
    kind("sales payment", "sales/payments", |records| payment(records, SALES, json!({})), void_sales_payment),
    kind(
        "purchase payment",
        "purchases/payments",
        |records| payment(records, PURCHASES, json!({})),
        void_purchase_payment,
    ),
    kind(
        "expected sales payment",
        "",
        |records| payment(records, SALES, json!({ "status": "PENDING" })),
        void_sales_payment,
    ),
    kind(
        "expected purchase payment",
        "",
        |records| payment(records, PURCHASES, json!({ "status": "PENDING" })),
        void_purchase_payment,
    ),
    kind_for_good("applied sales payment", |records| {
        let part = json!({ "invoiceId": records.id_of("owed sale"), "amount": "1" });
        payment(records, SALES, json!({ "applications": [part] }))
    }),
    kind_for_good("applied purchase payment", |records| {
        let part = json!({ "invoiceId": records.id_of("owed purchase"), "amount": "1" });
        payment(records, PURCHASES, json!({ "applications": [part] }))
    }),
    kind(
        "sales credit",
        "sales/credit-notes",
        |records| credit(records, SALES, json!({ "originInvoiceId": records.id_of("owed sale") })),
        void_sales_credit,
    ),
    kind(
        "purchase credit",
        "purchases/credit-notes",
        |records| {
            let members = json!({
                "originInvoiceId": records.id_of("owed purchase"), "supplierReturnId": records.id_of("supplier return"),
            });
            credit(records, PURCHASES, members)
        },
        void_purchase_credit,
    ),
    kind("granted sales credit", "", |records| grant(records, SALES), void_sales_credit),
    kind("granted purchase credit", "", |records| grant(records, PURCHASES), void_purchase_credit),
    kind(
        "sales refund",
        "sales/refunds",
        |records| refund(records, "sales", "payments", "sales payment"),
        |records, id| void(records, &format!("sales/refunds/{id}")),
    ),
    kind(
        "purchase refund",
        "purchases/refunds",
        |records| refund(records, "purchases", "payments", "purchase payment"),
        |records, id| void(records, &format!("purchases/refunds/{id}")),
    ),
    kind_for_good("refund of a sales credit", |records| {
        refund(records, "sales", "credit-notes", "granted sales credit")
    }),
    kind_for_good("refund of a purchase credit", |records| {
        refund(records, "purchases", "credit-notes", "granted purchase credit")
    }),
    Kind {
        name: "supplier return",
        collection: "purchases/returns",
        names: &["supplierReturnId"],
        make: |records| {
            let line = json!({ "receiptItemId": records.id_of("received line of an import"), "quantity": "1" });
            let members = json!({ "warehouseId": records.id_of("warehouse"), "reason": WHY, "lines": [line] });
            let mut body = with(&head(records, "supplier"), members);
            body.as_object_mut().map(|members| members.remove("currencyCode"));
            let id = records.company.post("purchases/returns", body).is(201).id();
            records.company.get(&format!("purchases/returns/{id}")).is(200)
        },
        put_away: PutAway::Other(|records, id| {
            records.company.post(&format!("purchases/returns/{id}/cancel"), json!({ "expectedVersion": 1 }))
        }),
    },
];
