//! Lists: order, pages, cursors and limits, the same everywhere.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value as Json, json};
use stoa_tests::contract::{Audience, Operation};
use stoa_tests::{Company, Database, company, on_both_databases};

on_both_databases![
    pages_join_to_the_whole,
    c17_listing_while_inserting,
    p16_unknown_query_parameter_on_every_list,
    limits,
    cursors_are_positions,
    status_is_closed,
];

/// Lists that hold something: path, and how to add one more.
fn fill(shop: &Company, n: usize) -> Vec<String> {
    (0..n).map(|i| shop.brand(&format!("B{i}"))).collect()
}

const BRANDS: &str = "catalog/lookups/brands";

fn pages_join_to_the_whole(database: Database) {
    let shop = company(database);
    let made = fill(&shop, 23);
    assert!(made.is_sorted(), "ids ascend");
    for limit in ["1", "2", "7", "22", "23", "24", "100"] {
        let items = shop.all(BRANDS, &[("limit", limit)]);
        let ids: Vec<&str> = items.iter().filter_map(|item| item["id"].as_str()).collect();
        assert_eq!(ids, made, "pages of {limit}");
    }
    let page = shop.list(BRANDS, &[("limit", "22")]).is(200);
    assert_eq!(page["nextCursor"], json!(made[21]), "a cursor is the last id of the page before");
    let exact = shop.list(BRANDS, &[("limit", "23")]).is(200);
    assert_eq!(exact["nextCursor"], Json::Null, "no page follows an exactly full last one");
}

/// Every record that existed when the listing began is listed exactly once, whatever is added or archived elsewhere meanwhile.
fn c17_listing_while_inserting(database: Database) {
    let shop = company(database);
    let start: BTreeSet<String> = fill(&shop, 60).into_iter().collect();
    let done = AtomicBool::new(false);
    let (shop, done) = (&shop, &done);
    thread::scope(|scope| {
        for writer in 0..3 {
            scope.spawn(move || {
                let mut n = 0;
                while !done.load(Ordering::Relaxed) && n < 400 {
                    shop.brand(&format!("W{writer}-{n}"));
                    n += 1;
                }
            });
        }
        for limit in ["3", "7", "10", "1"] {
            let items = shop.all(BRANDS, &[("limit", limit)]);
            let ids: Vec<&str> = items.iter().filter_map(|item| item["id"].as_str()).collect();
            assert!(ids.is_sorted(), "ascending");
            let distinct: BTreeSet<String> = ids.iter().map(|id| id.to_string()).collect();
            assert_eq!(distinct.len(), ids.len(), "no duplicate");
            assert!(start.is_subset(&distinct), "no gap among those that existed at the start");
        }
        done.store(true, Ordering::Relaxed);
    });
}

/// Every read of the contract, of people and of keys, takes exactly the parameters that it shows; no list is left out.
fn p16_unknown_query_parameter_on_every_list(database: Database) {
    let shop = company(database);
    let scopes = shop.get("api-clients/scopes").is(200);
    let scopes: Vec<&Json> = scopes.items().iter().map(|scope| &scope["code"]).collect();
    shop.entitle();
    let machine = shop.machine_of(json!({ "scopes": scopes, "requestsPerMinute": 6000 }));
    let contract = shop.host.contract();
    let mut tried = BTreeSet::new();
    for operation in contract.operations.iter().filter(|operation| operation.method == "GET") {
        let token = match operation.audience() {
            Audience::Anybody => continue,
            Audience::User => &shop.token,
            Audience::Machine => &machine.key,
        };
        let path = operation.filled(&shop.tenant, |name| match name {
            "kind" => "brands".to_string(),
            _ => uuid::Uuid::now_v7().to_string(),
        });
        for query in ["bogus=1", "limit=10&Bogus=", "%6Cimit2=1", "tenantId=x", "Limit=10", "&&=&x"] {
            let answer = shop.host.get_with(&format!("{path}?{query}"), token);
            let reported = (answer.status, answer["code"].as_str());
            assert_eq!(reported, (400, Some("UNKNOWN_QUERY_PARAMETER")), "{} with {query}: {answer}", operation.id);
        }
        tried.insert(operation.id.as_str());
    }
    let is_list = |operation: &&Operation| contract.parameters(operation).any(|stated| stated["name"] == "cursor");
    let left_out: Vec<&str> = contract
        .operations
        .iter()
        .filter(is_list)
        .map(|operation| operation.id.as_str())
        .filter(|id| !tried.contains(id))
        .collect();
    assert!(left_out.is_empty(), "lists that were not tried: {left_out:?}");
    for list in ["listProducts", "apiListProducts"] {
        assert!(tried.contains(list), "{list} is no read of the contract");
    }
}

fn limits(database: Database) {
    let shop = company(database);
    fill(&shop, 3);
    for wrong in ["0", "101", "-1", "1.5", "x", "", "01", "+5", " 5", "1e1", "9999999999999999999999", "٣", "5&limit=6"]
    {
        let answer = shop.request("GET", &format!("{BRANDS}?limit={}", wrong.replace(' ', "%20"))).send();
        assert_eq!((answer.status, &answer["code"]), (400, &json!("VALIDATION_FAILED")), "{wrong}: {answer}");
        answer.at("/query/limit");
    }
    for right in ["1", "100"] {
        shop.list(BRANDS, &[("limit", right)]).is(200);
    }
}

/// Any uuid is a position and names no record: no look-up and no leak. [P17]
fn cursors_are_positions(database: Database) {
    let (shop, other) = (company(database), company(database));
    let made = fill(&shop, 4);
    let foreign = other.brand("FOREIGN");
    let after = |cursor: &str| shop.list(BRANDS, &[("cursor", cursor)]).is(200).ids();
    assert_eq!(after(&made[1]), made[2..]);
    assert_eq!(after("00000000-0000-0000-0000-000000000000"), made);
    assert_eq!(after("ffffffff-ffff-ffff-ffff-ffffffffffff"), Vec::<String>::new());
    assert_eq!(after(&foreign), Vec::<String>::new(), "made later than all of ours");
    assert_eq!(after(&made[1].to_uppercase()), made[2..]);
    for wrong in ["", "x", "1", "' or 1=1", &made[0][..35], &format!("{{{}}}", made[0])] {
        shop.list(BRANDS, &[("cursor", wrong)]).refused(400, "VALIDATION_FAILED").at("/query/cursor");
    }
}

fn status_is_closed(database: Database) {
    let shop = company(database);
    for path in [BRANDS, "catalog/products", "pricing/price-lists"] {
        for wrong in ["", "active", "DELETED", "ACTIVE,ARCHIVED", "*"] {
            shop.list(path, &[("status", wrong)]).refused(400, "VALIDATION_FAILED").at("/query/status");
        }
    }
}
