//! A nightly file of products: the importer sends the changes and nothing else.

use serde_json::json;
use stoa_tests::goods::bookkeeping;
use stoa_tests::{Company, Database, company, on_both_databases};

use super::import_csv::{Run, shop};

on_both_databases![
    only_changes_are_sent,
    a_price_that_returns_is_sent_again,
    a_dry_run_prints_the_differences_and_sends_nothing,
    variants_join_the_product_that_exists,
    every_other_member_stays,
    each_line_of_a_naive_file_is_accounted_for,
    lines_of_a_file_with_crlf_are_counted,
    a_file_that_ends_inside_a_quote_is_rejected,
    a_missing_name_is_reported_once,
    missing_lookups_are_created,
    two_products_of_the_file_are_one_of_the_service,
    an_api_client_imports,
    an_api_client_clears_no_member_that_it_cannot_read,
    an_api_client_finds_public_lists_and_counts_no_stock,
    images_are_added_once,
    stock_that_differs_is_counted,
    opening_stock_is_posted_against_an_account,
];

/// Writes by a user or an API client. An API client's request has a second entry, of its admission, which a task writes
/// some 200 ms later: it is not one of these.
const WRITES: &str = "metadata like '%SUCCESS%' and operation in ('importProducts', 'replaceProduct', 'replaceVariant', \
    'createVariant', 'schedulePrices', 'apiImportProducts', 'apiReplaceProduct', 'apiReplaceVariant', 'apiSchedulePrices', \
    'createLookup', 'createMedia', 'createStockCount', 'recordStockCount', 'postStockCount', 'createAdjustments')";

fn writes(shop: &Company) -> i64 {
    shop.count("stoa_audit", WRITES)
}

/// The operations that wrote, sorted.
fn list_writes(shop: &Company) -> Vec<Vec<String>> {
    shop.rows(&format!("select operation from stoa_audit where {WRITES} and {{tenant}} order by operation"))
}

fn operations(shop: &Company, operation: &str) -> i64 {
    shop.count("stoa_audit", &format!("operation = '{operation}'"))
}

/// A file of products that each have a name, a SKU and a price; `night` changes one in a hundred names and prices.
fn feed(products: usize, night: usize) -> String {
    let mut csv = String::from("name,sku,publicationStatus,price:BASE\n");
    for n in 0..products {
        let (name, price) = if n % 100 == 0 { (night, night + 1) } else { (0, 1) };
        csv.push_str(&format!("Product {n} of {name},F-{n},PUBLISHED,{price}.50\n"));
    }
    csv
}

fn only_changes_are_sent(database: Database) {
    let shop = company(database);
    let run = Run::new(&shop, &feed(2_000, 0));
    run.go(&[]).is(0, 2_000, 2_000, 0);
    let first = writes(&shop);
    assert_eq!(first, 4 + 4, "batches of 500");

    run.write(&feed(2_000, 1));
    let changed = run.go(&[]).is(0, 0, 20, 1_980 + 1_980);
    assert_eq!((changed.count("changed"), changed.count("importedLines")), (20, 20), "{changed:?}");
    assert_eq!(operations(&shop, "replaceProduct"), 20);
    assert_eq!(writes(&shop), first + 20 + 1);
    let found = shop.list("catalog/products", &[("sku", "F-100")]).is(200);
    assert_eq!(
        (&found.items()[0]["name"], &found.items()[0]["publicationStatus"]),
        (&"Product 100 of 1".into(), &"PUBLISHED".into())
    );

    let before = shop.digest();
    run.go(&[]).is(0, 0, 0, 4_000);
    assert_eq!((shop.digest(), writes(&shop)), (before, first + 21));
}

/// An earlier import is not a reason not to send a record: the comparison is with the service, not with an earlier file.
fn a_price_that_returns_is_sent_again(database: Database) {
    let shop = shop(database);
    shop.on_sale("A-1");
    let run = Run::new(&shop, "sku,validFrom,price:WEB\nA-1,2020-01-01T00:00:00Z,5\n");
    run.go(&[]).is(0, 0, 1, 0);
    run.write("sku,validFrom,price:WEB\nA-1,2020-02-01T00:00:00Z,6\n");
    run.go(&[]).is(0, 0, 1, 0);
    run.write("sku,price:WEB\nA-1,5.00\n");
    run.go(&[]).is(0, 0, 1, 0);
    let list = shop.list("pricing/price-lists", &[("text", "WEB")]).is(200).ids();
    let prices = shop.all(&format!("pricing/price-lists/{}/prices", list[0]), &[]);
    let amounts: Vec<&str> = prices.iter().filter_map(|price| price["amount"].as_str()).collect();
    assert_eq!(amounts, ["5.000000", "6.000000", "5.000000"]);
    assert_eq!(prices[1]["validTo"], prices[2]["validFrom"], "the change begins when the run does");
    run.go(&[]).is(0, 0, 0, 1);
}

fn a_dry_run_prints_the_differences_and_sends_nothing(database: Database) {
    let shop = shop(database);
    let run = Run::new(&shop, "product,name,sku,color,brand,price:BASE\np,Phone,P-1,Blue,,10\nc,Case,C-1,,,5\n");
    run.go(&[]).is(0, 2, 2, 0);
    run.write("product,name,sku,color,brand,price:BASE\np,Telephone,P-1,Red,FAIR,10\np,,P-2,Green,,12\nc,Case,C-1,,,6.5\nn,New,N-1,,,7\n");
    let (before, written) = (shop.digest(), writes(&shop));
    let dry = run.go(&["--dry-run"]).is(0, 1, 3, 2);
    let differences: Vec<&str> =
        dry.outcome["differences"].as_array().into_iter().flatten().filter_map(|line| line.as_str()).collect();
    assert_eq!(
        differences,
        [
            "+ product \"New\" N-1",
            "+ variant P-2",
            "~ P-1 color: Blue -> Red",
            "~ P-1 brand: (none) -> FAIR",
            "~ P-1 name: Phone -> Telephone",
            "+ P-2 price:BASE: 12",
            "~ C-1 price:BASE: 5.000000 -> 6.5",
            "+ N-1 price:BASE: 7",
        ]
    );
    assert_eq!((shop.digest(), writes(&shop)), (before, written));
    assert!(run.report().is_empty());
    let text = run.command(&shop.host.url(), &["--dry-run"]).output().expect("cannot run the binary");
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("= 2 unchanged\n1 products and 3 prices to import"), "{text}");
    // The run itself does what was printed.
    let done = run.go(&[]).is(0, 1, 3, 2);
    assert_eq!((done.count("variants"), done.count("changed")), (1, 2));
    run.go(&["--dry-run"]).is(0, 0, 0, 3 + 4);
}

fn variants_join_the_product_that_exists(database: Database) {
    let shop = shop(database);
    let run = Run::new(&shop, "product,name,sku,color,publicationStatus\np,Phone,P-1,Blue,PUBLISHED\n");
    run.go(&[]).is(0, 1, 0, 0);
    run.write("product,name,sku,color,publicationStatus\np,Telephone,P-1,Blue,PUBLISHED\np,,P-2,Red,\n");
    let done = run.go(&[]).is(0, 0, 0, 0);
    assert_eq!((done.count("variants"), done.count("changed")), (1, 1), "{done:?}");
    let products = shop.all("catalog/products", &[]);
    let shown: Vec<_> = products.iter().map(|product| (&product["name"], &product["variantMode"])).collect();
    assert_eq!(shown, [(&"Telephone".into(), &"MULTIPLE".into())]);
}

fn every_other_member_stays(database: Database) {
    let shop = shop(database);
    let body = json!({
        "name": "Phone", "productType": "GOOD", "unitOfMeasure": "UNIT", "trackInventory": true, "description": "Long",
        "attributes": { "Screen": 6, "Kind": "x" }, "variants": [{ "sku": "P-1", "color": "Blue", "searchAliases": ["tel"] }]
    });
    shop.post("catalog/products", body).is(201);
    let run = Run::new(&shop, "name,sku,barcode,attribute:Kind,attribute:Screen\nTelephone,P-1,123,y,6\n");
    run.go(&[]).is(0, 0, 0, 0);
    let product = &shop.all("catalog/products", &[])[0];
    assert_eq!((&product["name"], &product["description"]), (&"Telephone".into(), &"Long".into()));
    assert_eq!(product["attributes"], json!({ "Screen": 6, "Kind": "y" }));
    assert_eq!(product["trackInventory"], true);
    let variant = &shop.all("catalog/variants", &[("sku", "P-1")])[0];
    assert_eq!((&variant["barcode"], &variant["color"]), (&"123".into(), &"Blue".into()));
    assert_eq!(variant["searchAliases"], json!(["tel"]));
}

fn each_line_of_a_naive_file_is_accounted_for(database: Database) {
    let shop = shop(database);
    let csv = "name,sku,brand,color,price:BASE\n\
        Lamp,LAMP-1,,red,1\n\
        Lamp,lamp-2,,blue,1\n\
        Lamp,LAMP-3,,green,x\n\
        Chair,CHAIR,,,2\n\
        Table,TABLE,NONE,,3\n\
        Table,TABLE-2,,,3\n\
        Bad price,BP,,,1.1234567\n\
        ,NAMELESS,,,1\n\
        Short,S\n\
        Chair,CHAIR,,,2\n\
        Bare,,,,\n\
        Rug,RUG,FAIR,,4\n";
    let run = Run::new(&shop, csv);
    // The second line of the chair takes the chair with it.
    let reported = run.go(&[]).is(1, 3, 1, 0);
    let faults = reported.faults();
    let expected = [
        (2, "", "SKIPPED"),
        (3, "sku", "FORMAT"),
        (4, "", "SKIPPED"),
        (5, "", "SKIPPED"),
        (6, "brand", "NOT_FOUND"),
        (7, "", "SKIPPED"),
        (8, "price:BASE", "FORMAT"),
        (9, "name", "REQUIRED"),
        (10, "", "UNREADABLE"),
        (11, "sku", "REPEATED"),
    ];
    assert_eq!(faults, expected);
    assert_eq!((reported.count("lines"), reported.count("failedLines")), (12, 10));
    assert!(reported.errors.contains("shop.csv:4: SKIPPED: the product's line 3 has an error"), "{reported:?}");
    assert!(reported.errors.contains("10 of 12 lines failed"), "{reported:?}");
    // The same again: nothing is new, and every line is accounted for as before.
    let again = run.go(&[]).is(1, 0, 0, 3 + 1);
    assert_eq!((again.count("failedLines"), again.count("unchangedLines")), (10, 2));
}

fn lines_of_a_file_with_crlf_are_counted(database: Database) {
    let shop = shop(database);
    let run = Run::new(&shop, "name,sku,description\r\nA,A,\r\nB,B,\"x,\r\ny\"\r\nC,c,\r\nShort\r\n");
    let reported = run.go(&[]).is(1, 2, 0, 0);
    assert_eq!(reported.faults(), [(5, "sku", "FORMAT"), (6, "", "UNREADABLE")]);
    let found = shop.list("catalog/products", &[("sku", "B")]).is(200);
    assert_eq!(found.items()[0]["description"], "x,\ny");
    run.go(&[]).is(1, 0, 0, 2);
}

fn a_file_that_ends_inside_a_quote_is_rejected(database: Database) {
    let shop = shop(database);
    let run = Run::new(&shop, "name,sku\r\nA,A\r\nB,\"B\r\nC,C\r\n");
    let before = shop.digest();
    let reported = run.go(&[]);
    assert_eq!(reported.code, Some(1), "{reported:?}");
    assert!(reported.errors.contains("line 3: UNREADABLE: the file ends inside a quoted cell"), "{reported:?}");
    assert_eq!(shop.digest(), before);
}

fn a_missing_name_is_reported_once(database: Database) {
    let shop = shop(database);
    let rows: String = (0..30).map(|n| format!("Product {n},P-{n},ACME\n")).collect();
    let run = Run::new(&shop, &format!("name,sku,brand\n{rows}Other,O-1,FAIR\n"));
    let reported = run.go(&[]).is(1, 1, 0, 0);
    assert_eq!(reported.faults(), [(2, "brand", "NOT_FOUND")]);
    let fault = &reported.outcome["faults"][0];
    assert_eq!((&fault["name"], &fault["lines"]), (&"ACME".into(), &30.into()));
    assert_eq!(reported.count("failedLines"), 30);
    assert!(reported.errors.contains("ACME does not exist or is archived; 30 lines name it"), "{reported:?}");
}

fn missing_lookups_are_created(database: Database) {
    let shop = shop(database);
    let run = Run::new(&shop, "name,sku,brand,category\nA,A,ACME,TOOLS\nB,B,ACME,\nC,C,no code,\n");
    let before = shop.digest();
    let dry = run.go(&["--create-missing", "--dry-run"]);
    assert_eq!((dry.count("lookups"), shop.digest()), (3, before));
    let reported = run.go(&["--create-missing"]).is(1, 2, 0, 0);
    assert_eq!(reported.count("lookups"), 2);
    assert_eq!(reported.faults(), [(4, "brand", "FORMAT")]);
    let brands = shop.all("catalog/lookups/brands", &[("code", "ACME")]);
    assert_eq!(brands[0]["name"], "ACME");
    let products = shop.all("catalog/products", &[("brandId", brands[0]["id"].as_str().unwrap_or_default())]);
    assert_eq!(products.len(), 2);
}

fn two_products_of_the_file_are_one_of_the_service(database: Database) {
    let shop = shop(database);
    let run = Run::new(&shop, "product,name,sku\np,Phone,P-1\np,,P-2\nq,Case,Q-1\n");
    run.go(&[]).is(0, 2, 0, 0);
    run.write("product,name,sku\na,Phone blue,P-1\nb,Phone red,P-2\nc,Both,Q-1\nd,Mixed,P-9\n");
    let reported = run.go(&[]).is(1, 1, 0, 0);
    assert_eq!(reported.faults(), [(3, "", "SAME_PRODUCT")]);
    run.write("product,name,sku\na,Phone,P-1\na,,Q-1\n");
    let reported = run.go(&[]).is(1, 0, 0, 0);
    assert_eq!(reported.faults(), [(2, "", "SKIPPED"), (3, "sku", "OTHER_PRODUCT")]);
}

const SCOPES: &[&str] = &["catalog.read", "catalog.write", "pricing.read", "pricing.write"];

fn an_api_client_imports(database: Database) {
    let shop = shop(database);
    let machine = shop.machine(SCOPES);
    let csv = "name,sku,publicationStatus,brand,price:WEB\nA,A,PUBLISHED,FAIR,1\nB,B,PUBLISHED,,2\n";
    let run = Run::new(&shop, csv);
    run.go_with_key(&machine.key, &[]).is(0, 2, 2, 0);
    let written = list_writes(&shop);
    let again = run.go_with_key(&machine.key, &[]).is(0, 0, 0, 4);
    assert_eq!(list_writes(&shop), written, "{again:?}");
    run.write(&csv.replace(",2\n", ",2.5\n"));
    run.go_with_key(&machine.key, &[]).is(0, 0, 1, 3);
    run.go(&[]).is(0, 0, 0, 4);
}

fn an_api_client_clears_no_member_that_it_cannot_read(database: Database) {
    let shop = shop(database);
    let machine = shop.machine(SCOPES);
    let run = Run::new(&shop, "name,sku,publicationStatus,color,attribute:Kind\nA,A,PUBLISHED,red,x\n");
    run.go(&[]).is(0, 1, 0, 0);
    run.write("name,sku,publicationStatus,color\nOther,A,PUBLISHED,red\n");
    let written = writes(&shop);
    let reported = run.go_with_key(&machine.key, &[]).is(1, 0, 0, 0);
    assert_eq!(reported.faults(), [(2, "name", "HIDDEN")]);
    assert!(reported.errors.contains("--overwrite-hidden"), "{reported:?}");
    assert_eq!(writes(&shop), written);
    assert_eq!(run.go_with_key(&machine.key, &["--overwrite-hidden"]).is(0, 0, 0, 0).count("changed"), 1);
    let product = &shop.all("catalog/products", &[])[0];
    assert_eq!((&product["name"], &product["attributes"]), (&"Other".into(), &json!({})));
}

fn an_api_client_finds_public_lists_and_counts_no_stock(database: Database) {
    let shop = shop(database);
    let machine = shop.machine(SCOPES);
    let body = json!({ "code": "INNER", "name": "Inner", "currencyCode": "EUR", "visibility": "INTERNAL" });
    shop.post("pricing/price-lists", body).is(201);
    let run = Run::new(&shop, "sku,price:INNER\nA,1\n");
    let reported = run.go_with_key(&machine.key, &[]);
    assert!(reported.errors.contains("no active PUBLIC price list INNER"), "{reported:?}");
    run.write("sku,stock:MAIN\nA,1\n");
    let reported = run.go_with_key(&machine.key, &[]);
    assert!(reported.errors.contains("an API key cannot count stock"), "{reported:?}");
    let other = company(database);
    let reported = run.go_with_key(&machine.key, &["--tenant", &other.tenant]);
    assert!(reported.errors.contains("leave out --tenant"), "{reported:?}");
}

fn images_are_added_once(database: Database) {
    let shop = shop(database);
    let csv = "name,sku,media\nA,A,https://cdn.test/a.jpg | https://cdn.test/b.jpg\nB,B,http://cdn.test/c.jpg\n";
    let run = Run::new(&shop, csv);
    let done = run.go(&[]).is(1, 2, 0, 0);
    assert_eq!(done.count("media"), 2);
    assert_eq!(done.faults(), [(3, "media", "FORMAT")]);
    run.write("sku,media\nA,https://cdn.test/b.jpg | https://cdn.test/d.jpg\n");
    assert_eq!(run.go(&[]).is(0, 0, 0, 1).count("media"), 1);
    run.go(&[]).is(0, 0, 0, 2);
    assert_eq!(shop.count("catalog_media", "1 = 1"), 3);
}

fn stock_that_differs_is_counted(database: Database) {
    let shop = shop(database);
    let csv = "name,sku,trackInventory,stock:MAIN\nA,A,yes,5\nB,B,yes,0\nC,C,no,4\nD,D,yes,7\n";
    let run = Run::new(&shop, csv);
    let done = run.go(&[]).is(1, 4, 0, 1);
    assert_eq!(done.count("stock"), 2, "{done:?}");
    let failed: Vec<u64> = done.faults().iter().map(|(line, ..)| *line).collect();
    assert_eq!(failed, [4], "stock of C is not tracked");
    let level = |sku: &str| {
        let variant = shop.list("catalog/variants", &[("sku", sku)]).is(200).ids();
        shop.level(&variant[0], &shop.main())["onHand"].clone()
    };
    assert_eq!((level("A"), level("D")), ("5.000000".into(), "7.000000".into()));
    run.write("sku,stock:MAIN\nA,3\nD,7\n");
    let dry = run.go(&["--dry-run"]).is(0, 0, 0, 1);
    assert_eq!(dry.outcome["differences"], json!(["~ A stock:MAIN: 5.000000 -> 3"]));
    assert_eq!(run.go(&[]).is(0, 0, 0, 1).count("stock"), 1);
    assert_eq!(level("A"), "3.000000");
    let written = writes(&shop);
    run.go(&[]).is(0, 0, 0, 2);
    assert_eq!(writes(&shop), written);
    assert_eq!(shop.count("inventory_stock_count", "status = 'OPEN'"), 0);
}

/// 3200 is the account of opening balances, 1200 the one of stock.
fn opening_stock_is_posted_against_an_account(database: Database) {
    let shop = bookkeeping(database);
    let run = Run::new(&shop, "name,sku,trackInventory,unitCost,stock:MAIN\nA,A,yes,2.5,4\nB,B,yes,,3\nC,C,yes,1,0\n");
    let done = run.go(&["--counter-account", "3200"]).is(1, 3, 0, 1);
    assert_eq!((done.count("stock"), done.faults()), (1, vec![(3, "unitCost", "VALUATION_COST_REQUIRED")]));
    let entity = shop.entity();
    let trial = shop.list("ledger/trial-balance", &[("legalEntityId", &entity)]).is(200);
    let rows = trial["rows"].as_array().cloned().unwrap_or_default();
    let moved = rows.iter().filter(|row| row["closing"] != "0.000000000000");
    let closings: Vec<_> = moved.map(|row| (row["code"].clone(), row["closing"].clone())).collect();
    let expected = [("1200", "10.000000000000"), ("3200", "-10.000000000000")];
    assert_eq!(closings, expected.map(|(code, closing)| (json!(code), json!(closing))));
    run.write("sku,stock:MAIN\nA,4\n");
    run.go(&["--counter-account", "3200"]).is(0, 0, 0, 1);
    let reported = run.go(&["--counter-account", "none"]);
    assert!(reported.errors.contains("there is no active account none"), "{reported:?}");
}
