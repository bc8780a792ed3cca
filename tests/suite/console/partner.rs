//! A partner's module: its pages are there with the first request after its activation, and go with it.

use std::fs;
use std::path::Path;

use serde_json::json;
use stoa_tests::company::fresh;
use stoa_tests::host::workspace;
use stoa_tests::pages::{Browser, Page};
use stoa_tests::selling::Counter;
use stoa_tests::{Company, Database, Stoa, modules, on_both_databases};

on_both_databases![a_module_of_a_partner_has_pages_while_it_is_active];
stoa_tests::tests![no_file_of_the_console_names_an_example];

/// A user of a company of its own, and the pages of the company.
struct Shop {
    company: Company,
    browser: Browser,
}

impl Shop {
    fn new(stoa: &Stoa) -> Shop {
        let email = format!("{}@example.test", fresh("owner-"));
        let company = stoa.company_of(&email);
        let browser = stoa.browser();
        browser.sign_in(&email).is(200);
        Shop { company, browser }
    }

    #[track_caller]
    fn open(&self, path: &str) -> Page {
        self.browser.open(&format!("/console/{}{path}", self.company.tenant))
    }

    /// The headings and links of the navigation as one text.
    fn navigation(&self) -> String {
        let home = self.open("").is(200);
        home.html.split("<nav").nth(1).and_then(|rest| rest.split("</nav>").next()).expect("a navigation").to_owned()
    }
}

fn a_module_of_a_partner_has_pages_while_it_is_active(database: Database) {
    let stoa = Stoa::start(database);
    let shop = Shop::new(&stoa);
    assert!(!shop.navigation().contains("loyalty"));
    shop.open("/loyalty/program").is(404);

    let operator = stoa.console();
    let bytes = fs::read(modules::example("loyalty")).expect("the example");
    let digest = operator.pushed(&bytes);
    operator.activate(&digest, json!({ "allow": modules::CONSENT })).is(200);
    stoa.forget_contract();
    let navigation = shop.navigation();
    assert!(navigation.contains("<p class=\"group\">Loyalty</p>"), "{navigation}");
    for path in ["/loyalty/entries", "/loyalty/program"] {
        assert!(navigation.contains(&format!("/console/{}{path}\"", shop.company.tenant)), "{navigation}");
    }

    // The program by its form: what the API then returns.
    let form = shop.open("/loyalty/program?_form=setLoyaltyProgram").is(200).form("setLoyaltyProgram");
    let form = form.fill("v/currencyCode", "EUR").fill("v/pointsPerAmount", "1").fill("v/pointValue", "0.1");
    let done = form.submit("send").is(200);
    let program = shop.company.get("loyalty/program").is(200);
    assert_eq!([program.text("currencyCode"), program.text("pointValue")], ["EUR", "0.100000"]);
    assert!(done.has("0.10"), "{}", done.text());

    // Its hints: the columns of the list, in their sequence.
    let counter = Counter::new(shop.company.clone());
    let good = counter.good("12.5", "9");
    counter.deliver(json!([{ "variantId": good, "quantity": "2" }]));
    let entries = shop.open("/loyalty/entries").is(200);
    let rows = entries.rows();
    assert_eq!(rows.len(), 2, "{}", entries.text());
    assert_eq!(rows[0], ["On date", "Kind", "Points", "Customer", "Receipt"]);
    assert_eq!(rows[1][1..3], ["Earn", "25"]);

    // A read of a customer's points is on the customer's page.
    let customer = &counter.customer;
    let page = shop.open(&format!("/sales/customers/{customer}")).is(200);
    let balance = format!("/console/{}/loyalty/balances/{customer}", shop.company.tenant);
    assert!(page.links().iter().any(|(_, address)| *address == balance), "{:?}", page.links());

    operator.post("modules/loyalty/deactivate", json!({})).is(200);
    stoa.forget_contract();
    assert!(!shop.navigation().contains("loyalty"));
    shop.open("/loyalty/program").is(404);
}

fn no_file_of_the_console_names_an_example() {
    let mut folders = vec![workspace().join("console")];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let text = fs::read_to_string(&path).expect("a text").to_ascii_lowercase();
                    for name in ["loyalty", "group-prices", "credit-limit", "tiers"] {
                        assert!(!text.contains(name), "{} names {name}", name_of(&path));
                    }
                    read += 1;
                }
            }
        }
    }
    assert!(read > 40, "{read} files");
}

fn name_of(path: &Path) -> String {
    path.strip_prefix(workspace()).unwrap_or(path).display().to_string()
}
