//! The till's pages in a browser without script: from the scan to the count, with the host's prices, books and rejections.

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::host::Settings;
use stoa_tests::pages::{Browser, Page};
use stoa_tests::people::somebody;
use stoa_tests::selling::Counter;
use stoa_tests::tills::{Till, till, till_with_books};
use stoa_tests::{Company, Database, Stoa, assert_table, modules, on_both_databases, on_one_database};

on_both_databases![
    a_day_from_the_scan_to_the_count,
    serials_fill_their_lines,
    lines_change_and_the_last_one_cancels_the_order,
    a_search_offers_what_fits,
    a_customer_is_found_for_the_order,
    an_open_basket_is_found_again,
    a_sale_is_paid_in_several_ways,
    a_confirmed_sale_is_cancelled_with_a_reason,
    a_total_that_changed_is_shown_before_it_is_paid,
    a_form_that_is_sent_twice_sells_once,
];
on_one_database![pages_of_an_inactive_module_are_not_offered, a_user_is_offered_what_the_permissions_allow];

/// The owner's browser, signed in.
pub fn browse(shop: &Company) -> Browser {
    let browser = shop.host.browser();
    browser.sign_in("owner@example.test").is(200);
    browser
}

/// A page of the company.
pub fn open(browser: &Browser, shop: &Company, path: &str) -> Page {
    browser.open(&format!("/console/{}{path}", shop.tenant))
}

/// The number of a variant, as a label has it.
pub fn sku(shop: &Company, variant: &str) -> String {
    shop.get(&format!("catalog/variants/{variant}")).is(200).text("sku")
}

/// Opens the register at its page: the page of the sale.
fn start(till: &Till, browser: &Browser, amount: &str) -> Page {
    let form = open(browser, till.shop(), "/-/till").is(200).form(&format!("open-{}", till.register));
    form.fill(&format!("opening-{}", till.register), amount).submit("Open").is(200)
}

fn scan(page: &Page, text: &str) -> Page {
    page.form("add").fill("scan", text).submit("Add")
}

/// The id after a name in the address of a page.
fn id_in(page: &Page, name: &str) -> String {
    let rest = page.path.split_once(name).unwrap_or_else(|| panic!("{} has no {name}", page.path)).1;
    rest.split(['/', '?', '&']).next().unwrap_or_default().to_owned()
}

fn order_of(till: &Till, page: &Page) -> Json {
    till.counter.read(&id_in(page, "order=")).body
}

fn a_day_from_the_scan_to_the_count(database: Database) {
    let till = till_with_books(database);
    let (shop, good) = (till.shop(), till.counter.good("12.5", "10"));
    let browser = browse(shop);
    let page = start(&till, &browser, "100");
    assert!(page.has("The basket is empty."));
    let article = sku(shop, &good);
    let page = scan(&scan(&page, &article).is(200), &article.to_lowercase()).is(200);
    let order = order_of(&till, &page);
    assert_eq!(
        (&order["items"][0]["quantity"], &order["salesperson"]),
        (&json!("2.000000"), &json!("owner@example.test"))
    );
    assert!(page.has("25.00 EUR"), "{}", page.text());
    let page = page.form("confirm").submit("To payment").is(200);
    assert!(page.path.ends_with("&pay=1"), "{}", page.path);
    let receipt = page.form("cash").fill("tendered", "50").submit("Pay in cash").is(200);
    for text in ["Total 25.00 EUR", "Received 50.00", "Change 25.00", &article] {
        assert!(receipt.has(text), "{text}: {}", receipt.text());
    }
    let page = receipt.follow("Next sale").is(200).follow("Close the session").is(200);
    for text in ["At the opening 100.00", "Sales in cash 25.00", "Expected in the drawer 125.00"] {
        assert!(page.has(text), "{text}: {}", page.text());
    }
    let page = page.form("close").fill("counted", "125").submit("Close the session").is(200);
    assert!(
        page.has("Counted 125.00") && page.has("Variance 0.00") && page.has("The session is closed."),
        "{}",
        page.text()
    );
    assert_eq!(shop.figure(&good, &till.counter.main, "onHand"), "8.000000");
    assert_table!(shop.journal_table(&till.counter.entity), @r"
    entry  account                     debit  credit
        1  1200 Inventory                 10
           5200 Inventory adjustments             10
        2  1160 Sales clearing            25
           4000 Sales                             25
           5000 Cost of goods sold         2
           1200 Inventory                          2
        3  1000 Cash                      25
           1160 Sales clearing                    25
    ");
    shop.verified();
}

fn serials_fill_their_lines(database: Database) {
    let till = till(database);
    let (phone, units) = till.counter.phone("300", 2);
    let serial = |unit: &String| till.shop().serial_unit(unit).text("serialNumber");
    let page = start(&till, &browse(till.shop()), "0");
    // By only its article it has no unit yet, and cannot be paid.
    let page = scan(&page, &sku(till.shop(), &phone)).is(200);
    assert!(page.has("Scan its serial: 0 of 1"), "{}", page.text());
    let rejected = page.form("confirm").submit("To payment").is(409);
    assert!(rejected.has(&format!("{}:", sku(till.shop(), &phone))), "{}", rejected.text());
    let page = scan(&page, &serial(&units[0])).is(200);
    assert!(!page.has("Scan its serial"), "{}", page.text());
    assert!(scan(&page, &serial(&units[0])).is(200).has("The unit is in the basket already."));
    let page = scan(&page, &serial(&units[1])).is(200);
    let line = &order_of(&till, &page)["items"][0];
    assert_eq!((&line["quantity"], &line["chosenUnitIds"]), (&json!("2.000000"), &json!(units)));
    let page = page.form("confirm").submit("To payment").is(200).form("cash").submit("Exact amount").is(200);
    assert!(page.has(&serial(&units[0])) && page.has(&serial(&units[1])), "{}", page.text());
    let page = scan(&page.follow("Next sale"), &serial(&units[0])).is(200);
    assert!(page.has("This unit is sold."), "{}", page.text());
}

fn lines_change_and_the_last_one_cancels_the_order(database: Database) {
    let till = till(database);
    let (good, other) = (till.counter.good("12.5", "10"), till.counter.good("3", "10"));
    let article = sku(till.shop(), &good);
    let page = scan(&scan(&start(&till, &browse(till.shop()), "0"), &article), &sku(till.shop(), &other)).is(200);
    let set = |page: &Page, line: usize| {
        let id = order_of(&till, page)["items"][line]["id"].as_str().expect("an id").to_owned();
        page.form(&format!("set-{id}"))
    };
    let page = set(&page, 0).fill("quantity", "4").submit("Set").is(200);
    assert!(page.has("53.00 EUR"), "{}", page.text());
    // A comma is not a decimal: the host says so at the line, and nothing changes.
    let rejected = set(&page, 0).fill("quantity", "1,5").submit("Set").is(400);
    assert!(rejected.has(&format!("{article}:")), "{}", rejected.text());
    let page = set(&page, 0).submit("remove").is(200);
    let order = order_of(&till, &page);
    assert_eq!((&order["items"][0]["variantId"], &order["items"][1]), (&json!(other), &Json::Null));
    let emptied = set(&page, 0).submit("remove").is(200);
    assert!(emptied.has("The basket is empty.") && !emptied.path.contains("order="), "{}", emptied.path);
    assert_eq!(till.counter.read(&id_in(&page, "order="))["status"], "CANCELLED");
}

fn a_search_offers_what_fits(database: Database) {
    let till = till(database);
    let stem = fresh("LAMP-");
    let skus = ["A", "B"].map(|end| json!({ "sku": format!("{stem}-{end}"), "barcode": fresh("40000") }));
    let lamp = till.shop().good(json!({ "variants": skus }));
    till.counter.price(&lamp, "7");
    let page = start(&till, &browse(till.shop()), "0");
    assert!(scan(&page, "nothing like it").is(200).has("Nothing was found for nothing like it."));
    let offered = scan(&page, &stem).is(200);
    assert!(offered.has("Several articles fit. Choose one."), "{}", offered.text());
    let page = offered.form(&format!("choose-{lamp}")).submit("").is(200);
    assert_eq!(order_of(&till, &page)["items"][0]["variantId"], json!(lamp));
    // A label's barcode is found before anything else.
    let barcode = till.shop().get(&format!("catalog/variants/{lamp}")).text("barcode");
    let page = scan(&page, &barcode).is(200);
    assert_eq!(order_of(&till, &page)["items"][0]["quantity"], "2.000000");
}

fn a_customer_is_found_for_the_order(database: Database) {
    let till = till(database);
    let good = till.counter.good("12.5", "10");
    let page = scan(&start(&till, &browse(till.shop()), "0"), &sku(till.shop(), &good)).is(200);
    assert!(page.has("customer: Walk-in customer"), "{}", page.text());
    let name = fresh("Miller ");
    let customer = till.shop().post("sales/customers", json!({ "code": fresh("C-"), "name": name })).is(201).id();
    let page = page.form("customer").fill("text", &name).submit("Find").is(200);
    assert!(page.has(&format!("customer: {name}")), "{}", page.text());
    assert_eq!(order_of(&till, &page)["customerId"], json!(customer));
}

fn an_open_basket_is_found_again(database: Database) {
    let till = till(database);
    let good = till.counter.good("12.5", "10");
    let browser = browse(till.shop());
    let page = scan(&start(&till, &browser, "0"), &sku(till.shop(), &good)).is(200);
    let order = id_in(&page, "order=");
    let again = open(&browser, till.shop(), "/-/till").is(200).follow("Continue").is(200);
    assert_eq!(again.path, page.path);
    let page = open(&browser, till.shop(), "/-/till").form(&format!("cancel-{order}")).submit("Cancel").is(200);
    assert!(!page.has("Your open baskets"), "{}", page.text());
    assert_eq!(till.counter.read(&order)["status"], "CANCELLED");
}

fn a_sale_is_paid_in_several_ways(database: Database) {
    let till = till_with_books(database);
    let service = till.counter.service("25");
    let page = scan(&start(&till, &browse(till.shop()), "10"), &sku(till.shop(), &service)).is(200);
    let page = page.form("confirm").submit("To payment").is(200);
    let fill = |page: &Page, reference: &str| {
        let form = page.form("split").fill("method-0", "CARD").fill("amount-0", "20").fill("card-0", "DEBIT");
        let form = form.fill("reference-0", reference).fill("method-1", "CASH").fill("amount-1", "5");
        form.fill("cashTendered", "10").submit("Pay")
    };
    // Without the reference of the card payment nothing is paid, and the fields are as they were.
    let rejected = fill(&page, "").is(400);
    assert_eq!(rejected.form("split").value("amount-0"), "20");
    let receipt = fill(&rejected, "AB-99812").is(200);
    for text in ["card AB-99812 20.00", "cash 5.00", "Received 30.00", "Change 5.00"] {
        assert!(receipt.has(text), "{text}: {}", receipt.text());
    }
    till.shop().verified();
}

fn a_confirmed_sale_is_cancelled_with_a_reason(database: Database) {
    let till = till(database);
    let good = till.counter.good("12.5", "10");
    let page = scan(&start(&till, &browse(till.shop()), "0"), &sku(till.shop(), &good)).is(200);
    let page = page.form("confirm").submit("To payment").is(200);
    let order = id_in(&page, "order=");
    assert_eq!(till.shop().figure(&good, &till.counter.main, "reserved"), "1.000000");
    let page = page.form("cancel").fill("reason", "No money").submit("Cancel the sale").is(200);
    assert!(page.has("The basket is empty."), "{}", page.text());
    let cancelled = till.counter.read(&order);
    assert_eq!((&cancelled["status"], &cancelled["cancelReason"]), (&json!("CANCELLED"), &json!("No money")));
    assert_eq!(till.shop().figure(&good, &till.counter.main, "reserved"), "0.000000");
}

fn a_total_that_changed_is_shown_before_it_is_paid(database: Database) {
    let till = till(database);
    let variant = till.shop().good(json!({ "productType": "SERVICE" }));
    let price = till.counter.price(&variant, "10");
    let page = scan(&start(&till, &browse(till.shop()), "0"), &sku(till.shop(), &variant)).is(200);
    till.counter.reprice(&price, &variant, "11");
    let rejected = page.form("confirm").submit("To payment").is(409);
    let page = rejected.form("set-prices").submit("Take the new prices").is(200);
    assert!(page.has("11.00 EUR"), "{}", page.text());
    page.form("confirm").submit("To payment").is(200).form("cash").submit("Exact amount").is(200);
}

fn a_form_that_is_sent_twice_sells_once(database: Database) {
    let till = till(database);
    let service = till.counter.service("25");
    let page = scan(&start(&till, &browse(till.shop()), "0"), &sku(till.shop(), &service)).is(200);
    let page = page.form("confirm").submit("To payment").is(200);
    let receipts = [0, 1].map(|_| page.form("cash").fill("tendered", "25").submit("Pay in cash").is(200).path);
    assert_eq!(receipts[0], receipts[1]);
    assert_eq!(till.events("pos.receipt.created"), 1);
}

/// The modules of the suite without one.
fn start_without(database: Database, module: &str) -> Stoa {
    let files = std::fs::read_dir(modules::folder()).expect("the modules").map(|entry| entry.expect("a file").path());
    let kept = files.filter(|path| path.extension().is_some_and(|end| end == "wasm"));
    let kept = kept.filter(|path| path.file_stem().is_some_and(|name| name != module));
    let name = |path: &std::path::PathBuf| path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
    let kept: Vec<(String, Vec<u8>)> =
        kept.map(|path| (name(&path), std::fs::read(&path).expect("a module"))).collect();
    let kept: Vec<(&str, &[u8])> = kept.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    Stoa::start_with(database, Settings::default().modules_in(modules::empty_with(&kept)))
}

fn pages_of_an_inactive_module_are_not_offered(database: Database) {
    let shop = start_without(database, "pos").company();
    let browser = browse(&shop);
    let start = open(&browser, &shop, "").is(200);
    let offered: Vec<String> = start.links().into_iter().map(|(text, _)| text).collect();
    assert!(!offered.contains(&"Sell at a till".to_owned()), "{offered:?}");
    assert!(["Receive goods", "Price grid"].iter().all(|text| offered.contains(&(*text).to_owned())), "{offered:?}");
    open(&browser, &shop, "/-/till").is(404);
    // The timeline leaves out the receipts only.
    let counter = Counter::new(shop);
    let order = counter.draft_of(&counter.service("5"), "1");
    assert!(open(&browser, &counter.shop, &format!("/-/orders/{order}")).is(200).has("Drafted"));
}

fn a_user_is_offered_what_the_permissions_allow(database: Database) {
    let till = till(database);
    let shop = till.shop();
    let email = somebody("keeper");
    let member = shop.iam("create_membership", json!({ "userId": shop.host.user_id(&email) })).is(201).id();
    let role = shop.role(&fresh("KEEPER-"), &["catalog.read", "sales.read", "customers.read"]);
    shop.iam("assign_role", json!({ "membershipId": member, "roleId": role })).is(201);
    let browser = shop.host.browser();
    browser.sign_in(&email);
    let start = open(&browser, shop, "").is(200);
    for text in ["Sell at a till", "Receive goods", "Price grid"] {
        assert!(start.links().iter().all(|(shown, _)| shown != text), "{text} is offered");
    }
    // The host decides, whatever the console offers: the page is read, and the session is not opened.
    let page = open(&browser, shop, "/-/till").is(200);
    let form = page.form(&format!("open-{}", till.register));
    form.fill(&format!("opening-{}", till.register), "1").submit("Open").is(403);
    assert_eq!(till.events("pos.session.opened"), 0);
}
