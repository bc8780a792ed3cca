//! Adjustments that name the account that their value is posted against, such as equity for opening stock.

use serde_json::{Value as Json, json};
use stoa_tests::company::with;
use stoa_tests::goods::{bookkeeping, inbound, outbound};
use stoa_tests::{Company, Database, company, on_both_databases};

use super::adjustments::balances;

on_both_databases![
    the_value_is_posted_against_the_account,
    a_batch_is_posted_against_several_accounts,
    an_account_that_takes_no_documents_is_rejected,
];

on_both_databases![
    rules:
    the_posting_role_needs_no_account_then,
    without_books_there_is_nothing_to_post,
];

const ADJUST: &str = "inventory/adjustments";
/// Codes of the standard chart: capital, and opening balances.
const CAPITAL: &str = "3000";
const OPENING: &str = "3200";

fn account(shop: &Company, code: &str) -> String {
    let entity = shop.entity();
    let all = shop.all("ledger/accounts", &[("legalEntityId", &entity), ("limit", "100")]);
    let found = all.into_iter().find(|account| account["code"] == code).unwrap_or_else(|| panic!("no account {code}"));
    found["id"].as_str().unwrap_or_default().to_string()
}

fn against(body: &Json, account: &str) -> Json {
    with(body, json!({ "counterAccountId": account }))
}

fn texts<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
    pairs.map(|(code, closing)| (code.to_string(), closing.to_string())).to_vec()
}

fn the_value_is_posted_against_the_account(database: Database) {
    let shop = bookkeeping(database);
    let (main, variant, opening) = (shop.main(), shop.counted(0), account(&shop, OPENING));
    shop.post(ADJUST, against(&inbound(&variant, &main, "10", Some("2")), &opening)).is(201);
    assert_eq!(balances(&shop), texts([("1200", "20.000000000000"), ("3200", "-20.000000000000")]));
    for kind in ["ADJUSTMENT_OUT", "DAMAGE", "LOSS"] {
        shop.post(ADJUST, against(&outbound(kind, &variant, &main, "1"), &opening)).is(201);
    }
    assert_eq!(balances(&shop), texts([("1200", "14.000000000000"), ("3200", "-14.000000000000")]));
    shop.verified();
}

fn a_batch_is_posted_against_several_accounts(database: Database) {
    let shop = bookkeeping(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    let one = inbound(&variant, &main, "1", Some("2"));
    let adjustments =
        [against(&one, &account(&shop, OPENING)), against(&one, &account(&shop, CAPITAL)), one.clone(), one];
    shop.post("inventory/adjustments/batch", json!({ "adjustments": adjustments })).is(201);
    let expected = [
        ("1200", "8.000000000000"),
        ("3000", "-2.000000000000"),
        ("3200", "-2.000000000000"),
        ("5200", "-4.000000000000"),
    ];
    assert_eq!(balances(&shop), texts(expected));
    let entity = shop.entity();
    assert_eq!(shop.all("ledger/journal-entries", &[("legalEntityId", &entity)]).len(), 1);
    shop.verified();
}

fn an_account_that_takes_no_documents_is_rejected(database: Database) {
    let shop = bookkeeping(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    let new = |members: Json| {
        let head = json!({ "legalEntityId": shop.entity(), "code": "3900", "name": "Other", "type": "EQUITY" });
        shop.post("ledger/accounts", with(&head, members)).is(201).id()
    };
    let (heading, archived) = (new(json!({ "postable": false })), new(json!({ "code": "3901" })));
    shop.archive(&format!("ledger/accounts/{archived}")).is(200);
    let foreign = new(json!({ "legalEntityId": shop.other_entity() }));
    let absent = uuid::Uuid::now_v7().to_string();
    let good = inbound(&variant, &main, "1", Some("2"));
    for account in [&account(&shop, "1200"), &heading, &archived, &foreign, &absent] {
        let refused = shop.post(ADJUST, against(&good, account)).refused(409, "REFERENCE_INVALID");
        refused.fault("/counterAccountId", "ACCOUNT_UNUSABLE");
        let batch = json!({ "adjustments": [good, against(&good, account)] });
        let refused = shop.post("inventory/adjustments/batch", batch).refused(409, "REFERENCE_INVALID");
        assert_eq!(refused.pointers(), ["/adjustments/1/counterAccountId"], "{refused}");
    }
    assert_eq!(shop.level(&variant, &main), Json::Null);
}

fn the_posting_role_needs_no_account_then(database: Database) {
    let shop = bookkeeping(database);
    let (main, variant, opening) = (shop.main(), shop.counted(0), account(&shop, OPENING));
    let path = format!("ledger/legal-entities/{}/mappings", shop.entity());
    let set = shop.get(&path).is(200);
    let roles = set["roles"].as_array().into_iter().flatten();
    let roles: Vec<&Json> = roles.filter(|row| row["role"] != "INVENTORY_ADJUSTMENT").collect();
    let body = json!({ "expectedVersion": set["version"], "roles": roles, "methods": set["methods"] });
    shop.put(&path, body).is(200);
    let good = inbound(&variant, &main, "1", Some("2"));
    shop.post(ADJUST, good.clone()).refused(409, "ACCOUNTING_SETUP_REQUIRED");
    shop.post(ADJUST, against(&good, &opening)).is(201);
}

fn without_books_there_is_nothing_to_post(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    let head = json!({ "legalEntityId": shop.entity(), "code": "3900", "name": "Other", "type": "EQUITY" });
    let account = shop.post("ledger/accounts", head).is(201).id();
    let good = inbound(&variant, &main, "1", None);
    let refused = shop.post(ADJUST, against(&good, &account)).refused(409, "ILLEGAL_STATE");
    refused.fault("/counterAccountId", "BOOKS_NOT_KEPT");
    shop.post(ADJUST, with(&good, json!({ "counterAccountId": null }))).is(201);
}
