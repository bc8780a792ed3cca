//! `stoa import`: a file of rows becomes products, variants and prices; bad lines are reported; a stopped run is continued.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;
use stoa_tests::folder::Folder;
use stoa_tests::host::binary;
use stoa_tests::proxy::Proxy;
use stoa_tests::{Company, Database, company, on_both_databases};

on_both_databases![
    a_shop_with_variants_lookups_and_prices,
    run_again_it_does_nothing,
    bad_lines_are_reported_and_the_rest_goes_in,
    a_product_is_never_made_in_part,
    corrected_lines_go_in_with_the_next_run,
    stopped_before_the_answer_nothing_is_made_twice,
    stopped_among_prices,
    the_service_goes_away_meanwhile,
    prices_of_what_exists,
    what_cannot_begin,
    many_batches,
];

stoa_tests::tests![
    the_message_names_a_missing_program,
    the_program_receives_each_argument,
    an_import_ends_as_its_program_does,
];

/// A file of a company that is imported.
pub struct Run {
    pub folder: Folder,
    pub shop: Company,
}

impl Run {
    pub fn new(shop: &Company, csv: &str) -> Run {
        let run = Run { folder: Folder::new("import"), shop: shop.clone() };
        run.write(csv);
        run
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("shop.csv")
    }

    pub fn write(&self, csv: &str) {
        fs::write(self.file(), csv).expect("cannot write the file");
    }

    pub fn command(&self, url: &str, options: &[&str]) -> Command {
        self.command_with(url, &[&["--token", &self.shop.token, "--tenant", &self.shop.tenant], options].concat())
    }

    /// The command without a credential of its own.
    fn command_with(&self, url: &str, options: &[&str]) -> Command {
        let mut command = self.shop.host.command();
        command.arg("import").arg(self.file()).args(["--url", url]).args(options);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn go(&self, options: &[&str]) -> ImportRun {
        self.go_to(&self.shop.host.url(), options)
    }

    fn go_to(&self, url: &str, options: &[&str]) -> ImportRun {
        let options: Vec<&str> = [options, &["--json"]].concat();
        ImportRun::from_output(self.command(url, &options).output().expect("cannot run the binary"))
    }

    /// The run of an API client.
    pub fn go_with_key(&self, key: &str, options: &[&str]) -> ImportRun {
        let options = [&["--api-key", key, "--json"], options].concat();
        let mut command = self.command_with(&self.shop.host.url(), &options);
        ImportRun::from_output(command.output().expect("cannot run the binary"))
    }

    /// The report's lines.
    pub fn report(&self) -> Vec<Json> {
        let text = fs::read_to_string(self.folder.path().join("shop.csv.report.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("a line of the report is JSON")).collect()
    }
}

/// The result of a run.
#[derive(Debug)]
pub struct ImportRun {
    pub code: Option<i32>,
    pub outcome: Json,
    pub errors: String,
}

impl ImportRun {
    fn from_output(output: Output) -> ImportRun {
        ImportRun {
            code: output.status.code(),
            outcome: serde_json::from_slice(&output.stdout).unwrap_or_default(),
            errors: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// A number of the outcome.
    pub fn count(&self, name: &str) -> u64 {
        self.outcome[name].as_u64().unwrap_or(u64::MAX)
    }

    /// Asserts the exit code, how many products and prices were created and how many records were unchanged, and that each
    /// line of the file is accounted for.
    #[track_caller]
    pub fn is(self, code: i32, products: u64, prices: u64, unchanged: u64) -> ImportRun {
        let counts = ["products", "prices", "unchanged"].map(|name| self.count(name));
        assert_eq!((self.code, counts), (Some(code), [products, prices, unchanged]), "{self:?}");
        let ended = ["importedLines", "unchangedLines", "failedLines"].map(|name| self.count(name));
        assert_eq!(ended.iter().sum::<u64>(), self.count("lines"), "{self:?}");
        assert_eq!(self.count("unsentLines"), 0, "{self:?}");
        self
    }

    /// Lines that were reported, with column and code.
    pub fn faults(&self) -> Vec<(u64, &str, &str)> {
        let faults = self.outcome["faults"].as_array().into_iter().flatten();
        let text = |fault: &'_ Json, member: &str| fault[member].as_str().map(str::to_string);
        faults
            .map(|fault| {
                let line = fault["line"].as_u64().unwrap_or_default();
                let code = fault["code"].as_str().unwrap_or_default();
                assert!(self.errors.contains(&format!("shop.csv:{line}:")), "{self:?}");
                assert!(text(fault, "column").is_some());
                (line, fault["column"].as_str().unwrap_or_default(), code)
            })
            .collect()
    }
}

const PHONES: &str = "\
Name,Product,Product Type,Unit of measure,Track inventory,Publication status,Brand,Category,Description,SKU,Barcode,Color,Condition,Search aliases,attribute:Screen,variantAttribute:Box,price:BASE,price:web
Fairphone 5,fp5,GOOD,UNIT,yes,PUBLISHED,FAIR,PHONES,\"A phone, with
two lines\",FP5-BLUE,4006381333931,Sky Blue,NEW,blauw | \u{6a}asny,6.46,full,629.00,699
,fp5,,,,,,,,FP5-USED,,Black,USED,,,,,450.5
Case,case,,,,PUBLISHED,,,,CASE-1,,,,,,,9.99,12
Engraving,engraving,SERVICE,,,PUBLISHED,,,,ENGRAVE,,,,,,,,5
Catalogue entry,entry,,,,,,,,,,,,,,,,
";

/// A company with the lookups and price lists that the files name.
pub fn shop(database: Database) -> Company {
    let shop = company(database);
    let lookup = |kind: &str, code: &str| {
        let body = serde_json::json!({ "name": code, "code": code });
        shop.post(&format!("catalog/lookups/{kind}"), body).is(201);
    };
    lookup("brands", "FAIR");
    lookup("categories", "PHONES");
    shop.price_list("WEB");
    shop
}

fn a_shop_with_variants_lookups_and_prices(database: Database) {
    let shop = shop(database);
    let run = Run::new(&shop, PHONES);
    run.go(&[]).is(0, 4, 6, 0);
    let products = shop.all("catalog/products", &[]);
    let names: Vec<&str> = products.iter().filter_map(|product| product["name"].as_str()).collect();
    assert_eq!(names, ["Fairphone 5", "Case", "Engraving", "Catalogue entry"]);
    let phone = &products[0];
    assert_eq!((&phone["description"], &phone["trackInventory"]), (&"A phone, with\ntwo lines".into(), &true.into()));
    assert_eq!((&phone["attributes"]["Screen"], &phone["variantMode"]), (&"6.46".into(), &"MULTIPLE".into()));
    let brand = shop.list("catalog/lookups/brands", &[]).is(200).ids();
    assert_eq!(phone["brandId"], brand[0].as_str());
    assert!(phone["categoryId"].is_string());
    assert_eq!(products[2]["productType"], "SERVICE");
    assert_eq!((&products[3]["publicationStatus"], &products[3]["variantCount"]), (&"DRAFT".into(), &0.into()));
    let blue = shop.list("catalog/variants", &[("sku", "FP5-BLUE")]).is(200);
    let blue = &blue.items()[0];
    assert_eq!((&blue["barcode"], &blue["attributes"]["Box"]), (&"4006381333931".into(), &"full".into()));
    assert_eq!(blue["searchAliases"], serde_json::json!(["blauw", "jasny"]));
    let list = shop.list("pricing/price-lists", &[("text", "WEB")]).is(200).ids();
    let prices = shop.all(&format!("pricing/price-lists/{}/prices", list[0]), &[]);
    let amounts: Vec<&str> = prices.iter().filter_map(|price| price["amount"].as_str()).collect();
    assert_eq!(amounts, ["699.000000", "450.500000", "12.000000", "5.000000"]);
}

fn run_again_it_does_nothing(database: Database) {
    let shop = shop(database);
    let run = Run::new(&shop, PHONES);
    run.go(&[]).is(0, 4, 6, 0);
    let before = shop.digest();
    run.go(&[]).is(0, 0, 0, 10);
    assert_eq!(shop.digest(), before);
    assert!(run.report().is_empty(), "a run that reached its end leaves no report");
    // Text for people.
    let output = run.command(&shop.host.url(), &[]).output().expect("cannot run the binary");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("10 unchanged; 5 lines: 0 imported, 5 unchanged, 0 failed"), "{said}");
}

const BAD: &str = "\
name,sku,brand,trackInventory,position,price:BASE
Good,G-1,,,,1
Taken,TAKEN,,,,1
No brand,N-1,NONE,,,1
Flag,F-1,,perhaps,,1
Lower,lower,,,,1
Serial,S-1,,,,abc
Twice,G-1,,,,1
Short,X-1
,Y-1,,,,1
Fine,G-2,FAIR,true,,2
";

/// A SKU that an archived variant keeps.
fn reserve(shop: &Company, sku: &str) {
    let (_, variant) = shop.article(sku);
    shop.archive(&format!("catalog/variants/{variant}")).is(200);
}

fn bad_lines_are_reported_and_the_rest_goes_in(database: Database) {
    let shop = shop(database);
    reserve(&shop, "TAKEN");
    let run = Run::new(&shop, BAD);
    // A header that is not a column is refused before anything is sent.
    let before = shop.digest();
    let reported = run.go(&[]);
    assert!(reported.code == Some(1) && reported.errors.contains("position"), "{reported:?}");
    assert_eq!(shop.digest(), before);
    let reported = run.go(&["--ignore-unknown"]).is(1, 3, 2, 0);
    assert_eq!(
        reported.faults(),
        [
            (3, "sku", "DUPLICATE"),
            (4, "brand", "NOT_FOUND"),
            (5, "trackInventory", "FORMAT"),
            (6, "sku", "FORMAT"),
            (7, "price:BASE", "FORMAT"),
            (8, "sku", "REPEATED"),
            (9, "", "UNREADABLE"),
            (10, "name", "REQUIRED"),
        ]
    );
    assert!(reported.errors.contains("8 of 10 lines failed"), "{reported:?}");
    let names: BTreeSet<String> =
        shop.all("catalog/products", &[]).iter().map(|product| product["name"].to_string()).collect();
    let expected = ["\"Fine\"", "\"Good\"", "\"Product TAKEN\"", "\"Serial\""];
    assert_eq!(names, expected.iter().map(|name| name.to_string()).collect());
    assert!(reported.errors.contains("shop.csv:6: sku: FORMAT: must match ^[A-Z0-9]"), "{reported:?}");
    assert!(reported.errors.contains("NONE does not exist or is archived; 1 line names it"), "{reported:?}");
}

/// One bad row leaves out its product with all its rows and prices, and no other.
fn a_product_is_never_made_in_part(database: Database) {
    let shop = shop(database);
    reserve(&shop, "TAKEN");
    let csv = "product,name,sku,brand,price:BASE\np,Phone,P-1,,1\np,,TAKEN,,2\np,,P-2,,3\nq,Case,Q-1,NONE,1\nq,,Q-2,,1\nr,Rest,R-1,,1\n";
    let run = Run::new(&shop, csv);
    let reported = run.go(&[]).is(1, 1, 1, 0);
    assert_eq!(
        reported.faults(),
        [
            (2, "", "SKIPPED"),
            (3, "sku", "DUPLICATE"),
            (4, "", "SKIPPED"),
            (5, "brand", "NOT_FOUND"),
            (6, "", "SKIPPED")
        ]
    );
    assert_eq!((shop.count("catalog_variant", "1 = 1"), shop.count("pricing_price", "1 = 1")), (2, 1));
}

fn corrected_lines_go_in_with_the_next_run(database: Database) {
    let shop = shop(database);
    reserve(&shop, "TAKEN");
    let run = Run::new(&shop, BAD);
    run.go(&["--ignore-unknown"]).is(1, 3, 2, 0);
    let corrected = BAD
        .replace("Taken,TAKEN", "Free,FREE")
        .replace("NONE", "FAIR")
        .replace("perhaps", "no")
        .replace("Lower,lower", "Upper,UPPER")
        .replace(",abc", ",7")
        .replace("Twice,G-1", "Once,G-3")
        .replace("Short,X-1\n", "Short,X-1,,,,1\n")
        .replace("\n,Y-1", "\nNamed,Y-1");
    run.write(&corrected);
    // Three products and two prices were there; the price of a line whose product was there goes in now.
    run.go(&["--ignore-unknown"]).is(0, 7, 8, 5);
    run.go(&["--ignore-unknown"]).is(0, 0, 0, 20);
    // A record that the file states otherwise is changed.
    run.write(&corrected.replace("Good,G-1,,,,1", "Better,G-1,,,,1"));
    assert_eq!(run.go(&["--ignore-unknown"]).is(0, 0, 0, 19).count("changed"), 1);
    let found = shop.list("catalog/products", &[("sku", "G-1")]).is(200);
    assert_eq!(found.items()[0]["name"], "Better");
}

fn stopped_before_the_answer_nothing_is_made_twice(database: Database) {
    let shop = shop(database);
    let rows: String = (0..1_200).map(|n| format!("Product {n},P-{n},{n}.5\n")).collect();
    let run = Run::new(&shop, &format!("name,sku,price:BASE\n{rows}"));
    // The host does the second batch, but the answer is lost, and the program is killed as by a power cut.
    let proxy = Proxy::losing(&shop.host.address(), "/catalog/imports", 2);
    let mut child = run.command(proxy.url(), &[]).spawn().expect("cannot run the binary");
    proxy.wait_for_the_loss();
    child.kill().expect("it is running");
    child.wait().expect("it has ended");
    drop(proxy);
    assert_eq!(shop.count("catalog_product", "1 = 1"), 1_000);
    let outcomes = |run: &Run| -> Vec<String> {
        run.report().iter().filter_map(|line| line["outcome"].as_str().map(str::to_string)).collect()
    };
    assert_eq!(outcomes(&run), ["sent", "done", "sent"]);
    // As if the machine had stopped within a line.
    let report = run.folder.path().join("shop.csv.report.jsonl");
    let mut text = fs::read_to_string(&report).expect("there is a report");
    text.push_str("{\"batch\":3,\"ke");
    fs::write(&report, text).expect("cannot write the report");

    // The comparison finds the second batch, whose answer was lost.
    run.go(&[]).is(0, 200, 1_200, 1_000);
    assert_eq!(shop.count("catalog_product", "1 = 1"), 1_200);
    assert_eq!(shop.count("catalog_variant", "1 = 1"), 1_200);
    assert_eq!(shop.count("pricing_price", "1 = 1"), 1_200);
    assert_eq!(shop.count("stoa_audit", "operation = 'importProducts'"), 3);
    assert_eq!(shop.count("stoa_audit", "operation = 'schedulePrices'"), 3);
    assert!(!report.exists(), "a run that reached its end needs no report");
}

fn stopped_among_prices(database: Database) {
    let shop = shop(database);
    let rows: String = (0..700).map(|n| format!("Product {n},P-{n},{n},1\n")).collect();
    let run = Run::new(&shop, &format!("name,sku,price:BASE,price:WEB\n{rows}"));
    let proxy = Proxy::losing(&shop.host.address(), "/prices/batch", 2);
    let mut child = run.command(proxy.url(), &[]).spawn().expect("cannot run the binary");
    proxy.wait_for_the_loss();
    child.kill().expect("it is running");
    child.wait().expect("it has ended");
    drop(proxy);
    assert_eq!(shop.count("pricing_price", "1 = 1"), 700);
    run.go(&[]).is(0, 0, 700, 1_400);
    assert_eq!(shop.count("pricing_price", "1 = 1"), 1_400);
    assert_eq!(shop.count("stoa_audit", "operation = 'schedulePrices'"), 4);
}

fn the_service_goes_away_meanwhile(database: Database) {
    let shop = shop(database);
    let run = Run::new(&shop, "name,sku\nA,A\nB\n");
    let reported = run.go_to("http://127.0.0.1:1", &[]);
    assert!(reported.code == Some(1) && reported.errors.contains("not answered"), "{reported:?}");
    let stranger = Run { shop: shop.as_user("stranger@example.test"), ..run };
    let reported = stranger.go(&[]);
    assert!(reported.code == Some(1) && reported.errors.contains("MEMBERSHIP_REQUIRED"), "{reported:?}");
    assert!(reported.errors.contains("shop.csv:3:"), "bad lines are reported all the same: {reported:?}");
    assert!(!reported.errors.contains(&stranger.shop.token));
    let again = Run { shop: shop.clone(), ..stranger };
    again.go(&[]).is(1, 1, 0, 0);
}

fn prices_of_what_exists(database: Database) {
    let shop = shop(database);
    let variant = shop.on_sale("A-1");
    shop.on_sale("A-2");
    let list = shop.list("pricing/price-lists", &[("text", "WEB")]).is(200).ids().remove(0);
    let old = shop.price(&list, &variant, None, None).is(201).id();
    let csv = "sku;validFrom;price:WEB\nA-1;2026-01-01T00:00:00Z;5\nA-2;;6\nNONE;;7\nA-3;x;\n";
    let run = Run::new(&shop, csv);
    let semicolon = ["--delimiter", ";"];
    let reported = run.go(&semicolon).is(1, 0, 2, 0);
    assert_eq!(reported.faults(), [(4, "sku", "NOT_FOUND")]);
    let closed = shop.get(&format!("pricing/price-lists/{list}/prices/{old}")).is(200);
    assert_eq!(closed["validTo"], "2026-01-01T00:00:00.000Z");
    run.go(&[&semicolon[..], &["--replace"]].concat()).is(1, 0, 0, 2);
    // A price of the same begin is in the way, and the advice names the option that helps.
    run.write(&csv.replace("00Z;5", "00Z;4"));
    let reported = run.go(&semicolon).is(1, 0, 0, 1);
    assert_eq!(reported.faults()[0], (2, "price:WEB", "PRICE_PERIOD_OVERLAP"));
    assert!(reported.errors.contains("state with --valid-from when the new price begins"), "{reported:?}");
    // The same price begins at the instant that the command states.
    run.write("sku;price:WEB\nA-1;4\n");
    run.go(&[&semicolon[..], &["--valid-from", "2026-02-01T00:00:00Z"]].concat()).is(0, 0, 1, 0);
    run.go(&[&semicolon[..], &["--valid-from", "2026-02-01T00:00:00Z"]].concat()).is(0, 0, 0, 1);
}

fn what_cannot_begin(database: Database) {
    let shop = shop(database);
    let run = Run::new(&shop, "name,sku,price:NONE\nA,A,1\n");
    let before = shop.digest();
    let reported = run.go(&[]);
    assert!(reported.code == Some(1) && reported.errors.contains("no active price list NONE"), "{reported:?}");
    run.write("title,sku\nA,A\n");
    let reported = run.go(&[]);
    assert!(reported.code == Some(1) && reported.errors.contains("title"), "{reported:?}");
    assert_eq!(shop.digest(), before);
    run.go(&["--map", "name=title"]).is(0, 1, 0, 0);
    // The report of a stopped run is one company's.
    let begun = format!("{{\"report\":2,\"tenant\":\"{}\"}}\n", shop.tenant);
    fs::write(run.folder.path().join("shop.csv.report.jsonl"), begun).expect("cannot write the report");
    let other = company(database);
    let elsewhere = Run { shop: other, ..run };
    let reported = elsewhere.go(&["--map", "name=title"]);
    assert!(reported.code == Some(1) && reported.errors.contains("another company"), "{reported:?}");
    let help = shop.host.command().args(["import", "--help"]).output().expect("cannot run the binary");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    for word in [
        "--url",
        "--token",
        "--api-key",
        "--tenant",
        "--dry-run",
        "--create-missing",
        "--report",
        "--replace",
        "searchAliases",
        "price:CODE",
        "variantAttribute:NAME",
    ] {
        assert!(help.contains(word), "{word}: {help}");
    }
}

/// Variants bound a batch as products do, and a product is never split.
fn many_batches(database: Database) {
    let shop = company(database);
    let mut csv = String::from("product,name,sku,color\n");
    for product in 0..60 {
        for variant in 0..90 {
            let name = if variant == 0 { format!("Product {product}") } else { String::new() };
            csv.push_str(&format!("p{product},{name},S-{product}-{variant},c{variant}\n"));
        }
    }
    let run = Run::new(&shop, &csv);
    run.go(&[]).is(0, 60, 0, 0);
    assert_eq!(shop.count("catalog_product", "active_variants = 90"), 60);
    assert_eq!(shop.count("stoa_audit", "operation = 'importProducts'"), 3);
}

/// The binary in a folder of its own, where no `stoa-import` is. It is a link: a program that was just written cannot
/// be run while another thread starts a process.
struct LoneBinary(PathBuf);

impl LoneBinary {
    fn new(purpose: &str) -> LoneBinary {
        let folder = binary().with_file_name(format!("lone-{purpose}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("cannot make the folder");
        fs::hard_link(binary(), folder.join("stoa")).expect("cannot link the binary");
        LoneBinary(folder)
    }

    /// Runs `stoa import` where PATH has this one folder besides.
    fn import(&self, path: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new(self.0.join("stoa"));
        command.arg("import").args(arguments).env("PATH", path).output().expect("cannot run the binary")
    }
}

impl Drop for LoneBinary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A folder with a program `stoa-import` that is this one.
fn disguise(program: &str) -> Folder {
    let folder = Folder::new("import-program");
    std::os::unix::fs::symlink(program, folder.path().join("stoa-import")).expect("cannot link the program");
    folder
}

fn the_message_names_a_missing_program() {
    let (lone, empty) = (LoneBinary::new("missing"), Folder::new("import-missing"));
    let output = lone.import(empty.path(), &["--help"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("the program stoa-import is missing"), "{errors}");
}

fn the_program_receives_each_argument() {
    let (lone, echo) = (LoneBinary::new("arguments"), disguise("/bin/echo"));
    let output = lone.import(echo.path(), &["--", "-a b", "--help"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "-- -a b --help\n");
}

fn an_import_ends_as_its_program_does() {
    let (lone, shell) = (LoneBinary::new("end"), disguise("/bin/sh"));
    assert_eq!(lone.import(shell.path(), &["-c", "exit 7"]).status.code(), Some(7));
    assert_eq!(lone.import(shell.path(), &["-c", "kill -TERM $$"]).status.signal(), Some(15));
}
