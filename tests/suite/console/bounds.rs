//! The cost of pages: round trips to PostgreSQL, counted by a proxy, and the time that the overview takes.

use std::time::{Duration, Instant};

use serde_json::json;
use stoa_tests::pages::{Browser, Form, Page};
use stoa_tests::purchases::{Buyer, line};
use stoa_tests::round_trips::{REQUESTS, Watched};
use stoa_tests::selling::Counter;
use stoa_tests::tills::{Session, Till, cash};
use stoa_tests::{Company, Database, Stoa, modules};
use uuid::Uuid;

use super::till::{browse, open, sku};

stoa_tests::tests![
    timed: pages_of_commerce_take_few_round_trips, pages_of_records_take_few_round_trips,
    an_overview_without_books_takes_few_round_trips, steps_of_the_till_take_few_round_trips, the_overview_is_quick
];

/// Eight calls of three, and one to spare.
const MOST: usize = 25;
const QUICK: Duration = Duration::from_millis(50);

/// A shop with books that has bought, has sold, and is open.
struct Place {
    till: Till,
    session: Session,
    buyer: Buyer,
    browser: Browser,
    good: String,
    /// A sale that was checked out.
    order: String,
    receipt: String,
    /// A purchase order that waits.
    purchase: String,
}

fn place(host: &Stoa) -> Place {
    let till = Till::new(Counter::new(host.company_with(json!({ "keepsBooks": true }))));
    let good = till.counter.good("10", "1000");
    let order = till.order(json!([{ "variantId": good, "quantity": "2" }]));
    let session = till.open("100");
    let receipt = session.try_check_out(&order, cash("20")).is(201).id();
    let buyer = Buyer::from_shop(till.shop().clone());
    let purchase = buyer.place(json!([line(&good, "100", "1"), line(&buyer.shop.phone(), "2", "100")])).id;
    let browser = browse(till.shop());
    Place { till, session, buyer, browser, good, order, receipt, purchase }
}

impl Place {
    fn shop(&self) -> &Company {
        self.till.shop()
    }

    /// Prints what was counted and asserts the bound.
    fn check(&self, counted: &[(String, usize)]) {
        counted.iter().for_each(|(what, count)| println!("{what} {count}"));
        assert!(counted.iter().all(|(_, count)| *count > 0), "nothing was counted");
        let over: Vec<_> = counted.iter().filter(|(_, count)| *count > MOST).collect();
        assert!(over.is_empty(), "{over:?}");
    }

    fn count_pages(&self, watched: &Watched, paths: &[String]) {
        let count = |path: &String| {
            let read = || {
                let page = open(&self.browser, self.shop(), path).is(200);
                assert!(!page.text().to_lowercase().contains("not loaded"), "{path}: {}", page.text());
            };
            (path.clone(), watched.count(read))
        };
        self.check(&paths.iter().map(count).collect::<Vec<_>>());
    }

    fn draft(&self) -> String {
        self.till.counter.draft_of(&self.good, "1")
    }

    fn sale(&self, order: &str) -> Page {
        open(&self.browser, self.shop(), &format!("/-/till/{}?order={order}", self.session.id)).is(200)
    }
}

fn pages_of_commerce_take_few_round_trips() {
    let watched = Watched::start();
    let place = place(&watched.host);
    let (session, open_order) = (&place.session.id, place.draft());
    let confirmed = place.till.order(json!([{ "variantId": place.good, "quantity": "1" }]));
    (0..4).for_each(|nth| drop(place.shop().price_list(&format!("GRID-{nth}"))));
    place.count_pages(
        &watched,
        &[
            String::new(),
            format!("/-/waiting?entity={}&currency=EUR&books=1", place.shop().entity()),
            "/-/till".to_owned(),
            format!("/-/till/{session}"),
            format!("/-/till/{session}?order={open_order}"),
            format!("/-/till/{session}?order={confirmed}&pay=1"),
            format!("/-/till/{session}/receipts/{}", place.receipt),
            format!("/-/till/{session}/close"),
            "/-/receive".to_owned(),
            format!("/-/receive/{}", place.purchase),
            "/-/prices".to_owned(),
            format!("/-/orders/{}", place.order),
        ],
    );
}

/// Its currency is that of a price list, which is a call more.
fn an_overview_without_books_takes_few_round_trips() {
    let watched = Watched::start();
    let till = Till::new(Counter::new(watched.host.company()));
    till.open("100").sell("25", cash("25"));
    let browser = browse(till.shop());
    let read = || {
        let page = open(&browser, till.shop(), "").is(200);
        assert!(page.has("Net sales today 25.00 EUR"), "{}", page.text());
    };
    let sent = watched.count(read);
    assert!((1..=MOST).contains(&sent), "{sent}");
}

/// A list, a record and a form of each module.
fn pages_of_records_take_few_round_trips() {
    let watched = Watched::start();
    let place = place(&watched.host);
    let product = place.shop().get(&format!("catalog/variants/{}", place.good)).is(200).text("productId");
    let (list, main, payment) = (&place.till.counter.list, &place.till.counter.main, place.till.prepay("25"));
    let account = place.till.books().account("1000");
    let records = [
        ("/catalog/products", product, "createProduct"),
        ("/pricing/price-lists", list.clone(), "createPriceList"),
        ("/inventory/warehouses", main.clone(), "createWarehouse"),
        ("/purchases/orders", place.purchase.clone(), "createPurchaseOrder"),
        ("/sales/orders", place.order.clone(), "createSalesOrder"),
        ("/pos/sessions", place.session.id.clone(), "openPosSession"),
        ("/sales/payments", payment, "createSalesPayment"),
        ("/ledger/accounts", account, "createAccount"),
    ];
    let addresses = |(list, id, form): &(&str, String, &str)| {
        [(*list).to_owned(), format!("{list}/{id}"), format!("{list}?_form={form}")]
    };
    place.count_pages(&watched, &records.iter().flat_map(addresses).collect::<Vec<_>>());
}

fn steps_of_the_till_take_few_round_trips() {
    let watched = Watched::start();
    let place = place(&watched.host);
    let article = sku(place.shop(), &place.good);
    let start = open(&place.browser, place.shop(), &format!("/-/till/{}", place.session.id)).is(200);
    let basket = place.sale(&place.draft());
    // As many forms as are sent, read before any is counted.
    let forms = |form: &dyn Fn(usize) -> Form| -> Vec<Form> { (0..REQUESTS).rev().map(form).collect() };
    let confirmations = forms(&|_| place.sale(&place.draft()).form("confirm"));
    let version = place.session.version();
    let items = json!([{ "variantId": place.good, "quantity": "1" }]);
    let payments = forms(&|nth| {
        let form = place.sale(&place.till.order(items.clone())).form("cash").fill("tendered", "10");
        form.fill("session", &(version + i64::try_from(nth).unwrap_or_default()).to_string())
    });
    let receiving = open(&place.browser, place.shop(), &format!("/-/receive/{}", place.purchase)).is(200);
    let goods = place.buyer.order(&place.purchase).item_id(0);
    let first = place.buyer.order(&place.purchase).version().as_i64().unwrap_or_default();
    let mut counted = Vec::new();
    let mut count = |what: &str, form: &mut dyn FnMut() -> Form| {
        let sent = watched.count(|| {
            let page = form().fill("key", &Uuid::new_v4().to_string()).send("");
            assert_eq!(page.status, 303, "{what}: {}", page.text());
        });
        counted.push((what.to_owned(), sent));
    };
    count("the first line by its number", &mut || start.form("add").fill("scan", &article));
    count("a line more by its number", &mut || basket.form("add").fill("scan", &article));
    // Found by nothing but a part of the name: after its number, its barcode and its units were asked.
    let part = article[1..].to_owned();
    count("the first line by a search", &mut || start.form("add").fill("scan", &part));
    count("a line more by a search", &mut || basket.form("add").fill("scan", &part));
    let (mut confirmations, mut payments) = (confirmations, payments);
    count("to payment", &mut || confirmations.pop().expect("enough forms"));
    // The lowest version is sent first: the forms are in the other sequence.
    count("payment in cash", &mut || payments.pop().expect("enough forms"));
    let mut orders = first..;
    count("goods received", &mut || {
        let form = receiving.form("receive").fill(&format!("quantity-{goods}"), "1").fill("reason", "counted");
        form.fill("version", &orders.next().unwrap_or_default().to_string())
    });
    place.check(&counted);
}

fn the_overview_is_quick() {
    [Database::Sqlite, Database::Postgres].into_iter().for_each(time_overview);
}

fn time_overview(database: Database) {
    let host = Stoa::start(database);
    let place = place(&host);
    let read = || {
        let start = Instant::now();
        open(&place.browser, place.shop(), "").is(200);
        start.elapsed()
    };
    let mut times: Vec<Duration> = (0..20).map(|_| read()).collect();
    times.sort();
    println!("{database:?}: the overview takes {:?}, from {:?} to {:?}", times[9], times[0], times[19]);
    assert!(times[9] < QUICK, "{times:?}");
    // Another generation has another contract, which the next request reads.
    let operator = host.console();
    let digest = operator.pushed(&std::fs::read(modules::example("loyalty")).expect("the example"));
    operator.activate(&digest, json!({ "allow": modules::CONSENT })).is(200);
    println!("{database:?}: after an activation it takes {:?}", read());
}
