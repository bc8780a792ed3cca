//! Audit by product, over the whole contract: every write that touches goods is found by each of its products and by no other.
//! A write that comes later and is neither driven here nor listed with its reason fails.

mod acts;
mod acts_finance;
mod acts_pos;
mod acts_sales;

use std::collections::BTreeSet;

use serde_json::Value as Json;
use stoa_tests::contract::{Contract, Operation};
use stoa_tests::{Company, Database, company, on_both_databases};

use acts::{Act, Side, Stage, Touch};

stoa_tests::tests![no_write_of_goods_is_left_out];

on_both_databases![every_write_is_found_by_its_products, also_of_an_archived_variant];

/// Writes that touch no product, and why.
const WITHOUT_GOODS: &[(&str, &[&str])] = &[
    (
        "a company, its people and its keys",
        &[
            "createCompany",
            "createApiClient",
            "setApiClientStatus",
            "replaceApiClientScopes",
            "issueApiKey",
            "revokeApiKey",
            "executeIamCommand",
            "replaceTenantSettings",
            "advanceHistory",
            "endHistory",
        ],
    ),
    (
        "the receivers of events, and the deliveries that are sent to them again",
        &[
            "createWebhook",
            "replaceWebhook",
            "archiveWebhook",
            "rotateWebhookSecret",
            "testWebhook",
            "redeliverWebhookDelivery",
            "redeliverWebhookDeliveries",
        ],
    ),
    (
        "the accounts of books, and entries of only amounts",
        &[
            "createLegalEntity",
            "replaceLegalEntity",
            "archiveLegalEntity",
            "createBranch",
            "replaceBranch",
            "archiveBranch",
            "installChart",
            "createAccount",
            "replaceAccount",
            "archiveAccount",
            "replaceMappings",
            "createMoneyAccount",
            "replaceMoneyAccount",
            "archiveMoneyAccount",
            "closePeriod",
            "reopenPeriod",
            "createJournalEntry",
            "reverseJournalEntry",
        ],
    ),
    ("what products refer to; the products stay as they are", &["createLookup", "replaceLookup", "archiveLookup"]),
    ("a list; its prices stay as they are", &["createPriceList", "replacePriceList", "archivePriceList"]),
    (
        "a place; an archived one is empty",
        &[
            "createWarehouse",
            "replaceWarehouse",
            "archiveWarehouse",
            "createLocation",
            "replaceLocation",
            "archiveLocation",
        ],
    ),
    ("a count of a warehouse, without a line yet", &["createStockCount"]),
    (
        "whom goods are bought from, and how",
        &["createSupplier", "replaceSupplier", "archiveSupplier", "replaceProcurementSettings"],
    ),
    (
        "what a charge is said to come to; goods bear what is allocated of it",
        &["addCharge", "replaceCharge", "cancelCharge"],
    ),
    (
        "the place of a till, and the cash in it",
        &["createPosRegister", "archivePosRegister", "openPosSession", "createPosCashMovement", "closePosSession"],
    ),
    ("who buys", &["createCustomer", "replaceCustomer", "archiveCustomer"]),
    (
        "money that comes and goes, and what it pays",
        &[
            "createSalesPayment",
            "replaceSalesPayment",
            "confirmSalesPayment",
            "voidSalesPayment",
            "reverseSalesPayment",
            "createPurchasePayment",
            "replacePurchasePayment",
            "confirmPurchasePayment",
            "voidPurchasePayment",
            "reversePurchasePayment",
            "applySalesPayment",
            "applyPurchasePayment",
            "applySalesCredit",
            "applyPurchaseCredit",
            "refundSalesPayment",
            "refundPurchasePayment",
            "refundSalesCredit",
            "refundPurchaseCredit",
            "voidSalesRefund",
            "voidPurchaseRefund",
        ],
    ),
    (
        "what a credit is worth; goods that it names stay as they are",
        &["recognizeSalesCredit", "voidSalesCredit", "voidPurchaseCredit"],
    ),
];

/// Every write that is driven.
fn acts() -> impl Iterator<Item = &'static (&'static str, Act)> {
    acts::ACTS.iter().chain(acts_sales::ACTS).chain(acts_finance::ACTS).chain(acts_pos::ACTS)
}

/// Members and parameters that name goods.
const NAMES_OF_GOODS: &[&str] = &[
    "productId",
    "productIds",
    "variantId",
    "variantIds",
    "inventoryUnitId",
    "unitId",
    "unitIds",
    "itemId",
    "orderItemId",
    "receiptItemId",
    "priceId",
];

/// A write takes an idempotency key.
fn is_write<'a>(contract: &'a Contract, operation: &'a Operation) -> bool {
    contract.parameters(operation).any(|parameter| parameter["name"] == "Idempotency-Key")
}

/// The name that an operation bears for keys.
fn twin(operation: &str) -> String {
    let (first, rest) = operation.split_at(1);
    format!("api{}{rest}", first.to_uppercase())
}

/// Returns whether a person's or a key's operation of this name is `operation`.
fn is_side(id: &str, operation: &str) -> bool {
    id == operation || id == twin(operation)
}

/// Members of a schema at any depth.
fn members(contract: &Contract, schema: &Json, depth: usize, found: &mut BTreeSet<String>) {
    let schema = contract.resolve(schema);
    if depth == 0 {
        return;
    }
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        found.insert(name.clone());
        members(contract, member, depth - 1, found);
    }
    members(contract, &schema["items"], depth - 1, found);
    for kind in ["allOf", "anyOf", "oneOf"] {
        for branch in schema[kind].as_array().into_iter().flatten() {
            members(contract, branch, depth - 1, found);
        }
    }
}

/// Returns whether the request says by its path or body that it is about goods.
fn names_goods(contract: &Contract, operation: &Operation) -> bool {
    let body = contract.resolve(&operation.document["requestBody"]);
    let mut found: BTreeSet<String> = operation.path_parameters().into_iter().map(String::from).collect();
    members(contract, &body["content"]["application/json"]["schema"], 12, &mut found);
    found.iter().any(|name| NAMES_OF_GOODS.contains(&name.as_str()))
}

fn no_write_of_goods_is_left_out() {
    let contract = Contract::new(super::contract::contract_of_modules().clone());
    let listed = || WITHOUT_GOODS.iter().flat_map(|(_, operations)| operations.iter().copied());
    let driven = || acts().map(|(operation, _)| *operation);
    let writes: Vec<&Operation> =
        contract.operations.iter().filter(|operation| is_write(&contract, operation)).collect();
    assert!(writes.len() > 80, "only {} writes", writes.len());
    let mut faults = Vec::new();
    for operation in &writes {
        let is_driven = driven().any(|known| is_side(&operation.id, known));
        let is_listed = listed().any(|known| is_side(&operation.id, known));
        match (is_driven, is_listed) {
            (false, false) => faults.push(format!("{}: neither driven nor listed", operation.id)),
            (true, true) => faults.push(format!("{}: driven and listed", operation.id)),
            (false, true) if names_goods(&contract, operation) => {
                faults.push(format!("{}: listed though its request names goods", operation.id));
            }
            _ => {}
        }
    }
    let gone = listed().chain(driven()).filter(|known| !writes.iter().any(|operation| operation.id == *known));
    faults.extend(gone.map(|known| format!("{known}: no write of the contract")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns whether an entry of this request is among those that the product finds.
fn is_found(shop: &Company, product: &str, operation: &str, request: &str) -> bool {
    let entries = shop.all("audit", &[("productId", product), ("operation", operation)]);
    entries.iter().any(|entry| entry["requestId"] == request)
}

fn every_write_is_found_by_its_products(database: Database) {
    let stage = Stage::new(company(database));
    let contract = stage.shop.host.contract();
    let (unrelated, _) = stage.goods();
    for (operation, act) in acts() {
        for key in [false, true] {
            let id = if key { twin(operation) } else { (*operation).to_string() };
            if !contract.operations.iter().any(|known| known.id == id) {
                assert!(key, "{id} is no operation");
                continue;
            }
            let Touch { answer, products } = act(&Side { stage: &stage, key });
            assert!((200..300).contains(&answer.status), "{id}: {answer}");
            let request = answer.header("x-request-id").expect("every answer has one");
            assert!(!products.is_empty(), "{id} touched nothing");
            for product in &products {
                assert!(is_found(&stage.shop, product, &id, request), "{id} is not found by {product}");
            }
            assert!(!is_found(&stage.shop, &unrelated, &id, request), "{id} is found by an unrelated product");
        }
    }
}

/// Acts on goods and prices of an archived variant are found by the product all the same.
fn also_of_an_archived_variant(database: Database) {
    let stage = Stage::new(company(database));
    let shop = &stage.shop;
    let (product, variant) = stage.goods();
    let price = shop.price(&stage.list, &variant, None, None).is(201).id();
    shop.variant(&product, "STAYS");
    shop.archive(&format!("catalog/variants/{variant}")).is(200);
    let taken = shop.take("DAMAGE", &variant, &stage.main, "1").is(201);
    let ended = shop.archive(&format!("pricing/price-lists/{}/prices/{price}", stage.list)).is(200);
    for (operation, answer) in [("createAdjustment", taken), ("archivePrice", ended)] {
        let request = answer.header("x-request-id").expect("every answer has one");
        assert!(is_found(shop, &product, operation, request), "{operation}");
    }
}
