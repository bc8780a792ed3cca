//! Records of the point of sale: registers, cash sessions, and receipts of orders that were collected.

use serde_json::{Value as Json, json};
use stoa_tests::Answer;

use super::super::records::Records;
use super::{GoodId, Kind, Part, PutAway};

/// The price of two pieces of the variant.
const TOTAL: &str = "19.98";
const PEOPLE: &str = "people belong to no company";

pub const PART: Part = Part {
    kinds: KINDS,
    special: &[
        ("createPosRegister", "cashAccountId", "till"),
        ("createPosCashMovement", "counterAccountId", "bank"),
        ("checkoutPosSession", "orderId", "confirmed sale"),
        ("checkoutPosSession", "accountId", "bank"),
        ("listPosReceipts", "sessionId", "session that sold"),
        ("apiListPosReceipts", "sessionId", "session that sold"),
        ("listPosReceipts", "orderId", "collected sale"),
        ("apiListPosReceipts", "orderId", "collected sale"),
    ],
    exempt: &[("listPosSessions", "operatorId", PEOPLE), ("apiListPosSessions", "operatorId", PEOPLE)],
    needs: &[
        ("listPosRegisters", "register"),
        ("listPosSessions", "cash session"),
        ("apiListPosSessions", "cash session"),
        ("listPosReceipts", "receipt"),
        ("apiListPosReceipts", "receipt"),
    ],
    values: &[],
    amends: &[("checkoutPosSession", pay)],
};

/// The whole is paid: in cash, or where an account is named into that account.
fn pay(body: &mut Json, _: GoodId) {
    body["expectedOrderVersion"] = 2.into();
    body["expectedSessionVersion"] = 1.into();
    match body.pointer_mut("/payments/0/accountId").map(Json::take) {
        Some(account) => {
            let part = json!({ "method": "TRANSFER", "amount": TOTAL, "reference": "tried", "accountId": account });
            body["payments"] = json!([part]);
        }
        None => {
            body.as_object_mut().map(|members| members.remove("payments"));
            body["tenderedAmount"] = TOTAL.into();
        }
    }
}

const KINDS: &[Kind] = &[
    Kind {
        name: "till",
        collection: "",
        names: &[],
        make: |records| money(records, json!({ "kind": "CASH", "till": true })),
        put_away: PutAway::Other(|records, id| records.company.archive(&format!("ledger/money-accounts/{id}"))),
    },
    Kind {
        name: "bank",
        collection: "",
        names: &[],
        make: |records| money(records, json!({ "kind": "BANK" })),
        put_away: PutAway::Other(|records, id| records.company.archive(&format!("ledger/money-accounts/{id}"))),
    },
    Kind {
        name: "register",
        collection: "pos/registers",
        names: &["registerId"],
        make: |records| {
            let word = records.word();
            let (warehouse, list) = (records.id_of("warehouse"), records.id_of("price list"));
            let body = json!({ "code": word, "name": word, "warehouseId": warehouse, "priceListId": list });
            records.company.post("pos/registers", body)
        },
        put_away: PutAway::Other(put_register_away),
    },
    Kind {
        name: "cash session",
        collection: "pos/sessions",
        names: &["sessionId"],
        make: |records| {
            let body = json!({ "registerId": records.id_of("register"), "openingAmount": "100" });
            records.company.post("pos/sessions", body)
        },
        put_away: PutAway::Other(close),
    },
    Kind {
        name: "receipt",
        collection: "pos/receipts",
        names: &[],
        make: |records| {
            let path = format!("pos/sessions/{}", records.id_of("cash session"));
            let version = records.company.get(&path).is(200)["version"].clone();
            let body = json!({
                "orderId": records.id_of("confirmed sale"), "expectedOrderVersion": 2, "expectedSessionVersion": version,
                "tenderedAmount": TOTAL,
            });
            records.company.post(&format!("{path}/checkout"), body)
        },
        put_away: PutAway::Never,
    },
    Kind {
        name: "session that sold",
        collection: "",
        names: &[],
        make: |records| of_receipt(records, "pos/sessions", "sessionId"),
        put_away: PutAway::Other(close),
    },
    Kind {
        name: "collected sale",
        collection: "",
        names: &[],
        make: |records| of_receipt(records, "sales/orders", "orderId"),
        put_away: PutAway::Never,
    },
];

/// A money account of the entity, with a ledger account of its own.
fn money(records: &Records, members: Json) -> Answer {
    let (word, entity) = (records.word(), records.id_of("legal entity"));
    let account = json!({ "code": word, "name": word, "type": "ASSET", "legalEntityId": entity });
    let account = records.company.post("ledger/accounts", account).is(201).id();
    let mut body = json!({ "code": word, "name": word, "legalEntityId": entity, "accountId": account });
    for (name, value) in members.as_object().into_iter().flatten() {
        body[name.as_str()] = value.clone();
    }
    records.company.post("ledger/money-accounts", body)
}

/// Reads the record that the receipt names.
fn of_receipt(records: &Records, collection: &str, member: &str) -> Answer {
    let receipt = records.record(super::named("receipt"));
    records.company.get(&format!("{collection}/{}", receipt[member].as_str().unwrap_or_default()))
}

fn close(records: &Records, session: &str) -> Answer {
    let path = format!("pos/sessions/{session}");
    let read = records.company.get(&path).is(200);
    let body = json!({ "expectedVersion": read["version"], "countedAmount": read["expectedCash"] });
    records.company.post(&format!("{path}/close"), body)
}

fn put_register_away(records: &Records, register: &str) -> Answer {
    let open = [("registerId", register), ("status", "OPEN")];
    for session in records.company.list("pos/sessions", &open).is(200).ids() {
        close(records, &session).is(200);
    }
    records.company.archive(&format!("pos/registers/{register}"))
}

/// Registers keep the records that they use from being archived.
pub fn put_registers_away(records: &Records, query: &[(&str, &str)]) {
    for register in records.company.list("pos/registers", query).is(200).ids() {
        put_register_away(records, &register).is(200);
    }
}
