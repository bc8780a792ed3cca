//! A company moves from one database into another, of either kind.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value as Json, json};
use stoa_tests::billing::Office;
use stoa_tests::books::day;
use stoa_tests::host::Settings;
use stoa_tests::{Company, Database, Folder, Machine, Receiver, Stoa, eventually_within, on_both_databases, receiver};

on_both_databases![
    a_company_moves_to_the_other_kind_of_database,
    a_company_moves_to_the_same_kind_of_database,
    a_user_has_one_id_in_the_target,
    a_file_that_is_not_whole_leaves_nothing,
    a_company_arrives_once,
    a_company_needs_its_modules_and_its_key,
    only_a_suspended_company_where_that_is_asked_for,
];

const KEY: &str = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";

/// Tables to which reads of a running host write.
const OF_READS: [&str; 4] = ["stoa_audit", "stoa_audit_subject", "stoa_permit", "stoa_api_usage"];
/// The directory, which is at home, wherever the company is.
const OF_HOME: &str = "stoa_user_company";
/// Tables to which a relay writes.
const OF_RELAYS: [&str; 3] = ["stoa_webhook_lane", "stoa_webhook_cursor", "stoa_webhook_delivery"];

fn settings() -> Settings {
    let targets: Vec<String> = receiver::list_addresses().iter().map(ToString::to_string).collect();
    Settings::default().set("STOA_ENCRYPTION_KEY", KEY).set("STOA_WEBHOOK_DEV_TARGETS", targets.join(","))
}

/// A deployment with the key that all of this file have; shared by the tests of this database.
fn deployment(database: Database) -> Stoa {
    static HOSTS: [OnceLock<Result<Stoa, String>>; 2] = [OnceLock::new(), OnceLock::new()];
    let started = HOSTS[database as usize].get_or_init(|| Stoa::try_start(database, settings())).clone();
    started.unwrap_or_else(|said| panic!("the deployment did not start: {said}"))
}

fn other(database: Database) -> Database {
    match database {
        Database::Sqlite => Database::Postgres,
        Database::Postgres => Database::Sqlite,
    }
}

/// A company that sold, bought and was paid.
fn busy(host: &Stoa) -> Office {
    let shop = host.company_with(json!({ "keepsBooks": true }));
    let office = Office::from_shop(shop.clone(), shop.entity());
    let good = office.counter.good_of(3, "12.55", "10.125");
    let order = office.counter.draft_of(&good, "2.5");
    office.counter.confirm(&order).is(200);
    let invoice = office.sales.owe("99.99");
    office.sales.pay_for("33.33", &[(&invoice, "33.33")]);
    office.purchases.owe("10.01");
    shop.request("POST", "catalog/lookups/brands").json(&json!({ "name": "Ärmel \"麻\"", "code": "A" })).send().is(201);
    office
}

/// Exports to a file, as it must succeed.
#[track_caller]
fn export(shop: &Company, file: &Path) {
    let output = shop.host.command().args(["export", &shop.tenant, "--output"]).arg(file).output();
    let output = output.expect("cannot run the binary");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn import(target: &Stoa, file: &Path) -> Output {
    target.command().arg("import-company").arg(file).output().expect("cannot run the binary")
}

/// Exports and imports, as both must succeed: the company in the target, as its owner sees it.
#[track_caller]
fn move_to(target: &Stoa, shop: &Company) -> Company {
    let folder = Folder::new("moves");
    let file = folder.path().join("company.ndjson");
    export(shop, &file);
    let output = import(target, &file);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.ends_with("1 companies, 0 findings\n"), "{printed}");
    there(target, shop)
}

/// The company of this id on another host, whether or not it is there.
fn there(target: &Stoa, shop: &Company) -> Company {
    Company { host: target.clone(), token: target.token("owner@example.test"), ..shop.clone() }
}

/// Rows by table, but for tables that change without a write.
fn counts(shop: &Company) -> BTreeMap<String, i64> {
    let mut tables = shop.tables();
    tables.retain(|table| {
        !OF_READS.contains(&table.as_str()) && !OF_RELAYS.contains(&table.as_str()) && table != OF_HOME
    });
    tables.into_iter().map(|table| (table.clone(), shop.count(&table, "1 = 1"))).filter(|(_, rows)| *rows > 0).collect()
}

/// Lists and reports of the company's goods, trade and books.
fn reports(shop: &Company, entity: &str) -> BTreeMap<&'static str, Json> {
    let of_entity = [("legalEntityId", entity)];
    let lists = [
        "inventory/stock",
        "inventory/movements",
        "inventory/cost-layers",
        "inventory/valuation",
        "inventory/reservations",
        "sales/orders",
        "sales/customers",
        "catalog/products",
        "catalog/lookups/brands",
    ];
    let mut reports: BTreeMap<&str, Json> =
        lists.into_iter().map(|path| (path, Json::from(shop.all(path, &[("limit", "100")])))).collect();
    reports.insert("entries", Json::from(shop.all("ledger/journal-entries", &of_entity)));
    reports.insert("reconciliation", Json::from(shop.all("reports/reconciliation", &of_entity)));
    let tomorrow = day(1);
    let until = [("legalEntityId", entity), ("to", tomorrow.as_str())];
    reports.insert("trial", shop.list("ledger/trial-balance", &until).is(200).body["rows"].clone());
    reports
}

/// Moves a company, and compares it with itself.
fn assert_moves(source: &Stoa, target: &Stoa) {
    let receiver = Receiver::friendly();
    let office = busy(source);
    let shop = &office.shop;
    let neighbour = source.company();
    let machine = shop.machine(&["catalog.read"]);
    let webhook = json!({
        "name": "Hook", "url": receiver.url(), "status": "ACTIVE", "subscriptions": ["catalog.lookup.created"]
    });
    let secret = shop.post("webhooks", webhook).is(201).text("signingSecret");
    let (key, brand) = (uuid::Uuid::new_v4().to_string(), json!({ "name": "Replayed", "code": "R" }));
    let made = shop.request("POST", "catalog/lookups/brands").key(&key).json(&brand).send().is(201);

    let (rows, before) = (counts(shop), reports(shop, &office.entity));
    assert!(rows.len() > 30, "{rows:?}");
    assert!(before.values().all(|report| report.as_array().is_some_and(|rows| !rows.is_empty())), "{before:#?}");
    let moved = move_to(target, shop);
    assert_eq!(counts(&moved), rows);
    assert_eq!(reports(&moved, &office.entity), before);
    moved.verified();
    assert!(counts(&there(target, &neighbour)).is_empty(), "another company's rows");

    // The company goes on where it was.
    let replayed = moved.request("POST", "catalog/lookups/brands").key(&key).json(&brand).send().is(201);
    assert!(replayed.replayed() && replayed.id() == made.id(), "{replayed}");
    Machine { host: target.clone(), ..machine }.get("context").is(200);
    let order = office.counter.order(json!([{ "variantId": first(&before, "inventory/stock"), "quantity": "1" }]));
    let number = |shop: &Company| shop.post("sales/orders", order.clone()).is(201).text("number");
    assert_eq!(number(&moved), number(shop), "the next number");
    let code = stoa_tests::company::fresh("HOOK");
    moved.brand(&code);
    let sent = eventually_within(Duration::from_secs(90), || {
        receiver.list_received().into_iter().find(|sent| String::from_utf8_lossy(&sent.body).contains(&code))
    });
    assert!(sent.is_signed("x-webhook-signature", &secret), "the secret is another");
    moved.verified();
}

/// The variant of the first row.
fn first(reports: &BTreeMap<&str, Json>, list: &str) -> String {
    reports[list][0]["variantId"].as_str().expect("a variant").to_string()
}

fn a_company_moves_to_the_other_kind_of_database(database: Database) {
    assert_moves(&deployment(database), &deployment(other(database)));
}

fn a_company_moves_to_the_same_kind_of_database(database: Database) {
    assert_moves(&deployment(database), &Stoa::start_with(database, settings()));
}

/// The owner has signed in at the target before, under another id; the other member has not.
fn a_user_has_one_id_in_the_target(database: Database) {
    let (source, target) = (deployment(database), deployment(other(database)));
    let email = format!("{}@example.test", uuid::Uuid::new_v4().simple());
    let (earlier, shop) = (target.company_of(&email), source.company_of(&email));
    let owner = |shop: &Company| shop.rows("select user_id from stoa_membership where {tenant}").remove(0).remove(0);
    assert_ne!(owner(&shop), owner(&earlier), "two deployments gave one id");
    let folder = Folder::new("moves");
    let file = folder.path().join("company.ndjson");
    export(&shop, &file);
    let output =
        target.command().args(["import-company", "--json"]).arg(&file).output().expect("cannot run the binary");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let objects: Vec<Json> = printed.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let [imported, checked] = objects.as_slice() else { panic!("{printed}") };
    assert_eq!(imported["company"], shop.tenant);
    assert_eq!(imported["users"].as_object().map(serde_json::Map::len), Some(1), "{imported}");
    assert_eq!(checked["findings"], json!([]));
    assert_eq!(owner(&there(&target, &shop)), owner(&earlier));
    let newcomer = source.company_of(&format!("{}@example.test", uuid::Uuid::new_v4().simple()));
    assert_eq!(owner(&move_to(&target, &newcomer)), owner(&newcomer), "an id is kept where no record has it");
}

/// A company's file, and the target that has no row of the company.
fn export_to(database: Database, folder: &Folder) -> (Company, Stoa, Vec<String>) {
    let shop = deployment(database).company();
    shop.brand("CUT");
    let file = folder.path().join("company.ndjson");
    export(&shop, &file);
    let text = fs::read_to_string(&file).expect("the file");
    (shop, deployment(other(database)), text.lines().map(str::to_owned).collect())
}

/// Tries to import these lines; the import fails, says this and leaves nothing.
#[track_caller]
fn assert_rejected(target: &Stoa, shop: &Company, folder: &Folder, text: &str, says: &str) {
    let file = folder.path().join("rejected.ndjson");
    fs::write(&file, text).expect("cannot write the file");
    let output = import(target, &file);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains(says), "{says:?}: {said}");
    assert!(counts(&there(target, shop)).is_empty(), "{says:?}: rows were left");
    assert_eq!(target.rows(&company_row(target, shop))[0][0], "0", "{says:?}: the company was left");
}

fn company_row(target: &Stoa, shop: &Company) -> String {
    format!("select count(*) from stoa_tenant where id = {}", there(target, shop).literal(&shop.tenant))
}

fn a_file_that_is_not_whole_leaves_nothing(database: Database) {
    let folder = Folder::new("rejected");
    let (shop, target, lines) = export_to(database, &folder);
    let text = lines.join("\n");
    let reject = |text: &str, says: &str| assert_rejected(&target, &shop, &folder, text, says);
    reject(&lines[..lines.len() - 1].join("\n"), "it was cut");
    reject(&text.replace("\"CUT\"", "\"cut\""), "it was changed");
    let brand = lines.iter().position(|line| line.contains("\"CUT\"")).expect("a brand");
    reject(&format!("{}\n{}", lines[..brand].join("\n"), &lines[brand][..20]), "line ");
    let mut shorter = lines.clone();
    shorter.remove(brand);
    reject(&shorter.join("\n"), "it was changed");
    reject(&format!("{text}\n{}", lines[brand]), "goes on after its end");
    reject(&lines[1..].join("\n"), "does not begin with a manifest");
    reject(&text.replacen("stoa-company/1", "stoa-company/9", 1), "the file's format");
    reject(
        &text.replacen("stoa_tenant\":\"id uuid, name text", "stoa_tenant\":\"id uuid, naming text", 1),
        "no column",
    );
    reject("", "does not begin with a manifest");
}

fn a_company_arrives_once(database: Database) {
    let folder = Folder::new("once");
    let (shop, target, lines) = export_to(database, &folder);
    let file = folder.path().join("company.ndjson");
    assert!(import(&target, &file).status.success());
    let before = counts(&there(&target, &shop));
    let output = import(&target, &file);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("is in this database already"), "{said}");
    assert_eq!(counts(&there(&target, &shop)), before);
    let entries = target.rows("select metadata from stoa_operator_audit where operation = 'importCompany'");
    let of_this = entries.iter().filter(|row| row[0].contains(&shop.tenant)).count();
    assert_eq!((of_this, lines.is_empty()), (1, false), "one audit entry");
    // A file is written once, too.
    let again = shop.host.command().args(["export", &shop.tenant, "--output"]).arg(&file).output();
    assert!(!again.expect("cannot run the binary").status.success(), "a file was overwritten");
}

fn a_company_needs_its_modules_and_its_key(database: Database) {
    let folder = Folder::new("needs");
    let (shop, target, lines) = export_to(database, &folder);
    let manifest: Json = serde_json::from_str(&lines[0]).expect("a manifest");
    let version = manifest["manifest"]["modules"]["catalog"].as_str().expect("a version");
    let text = lines.join("\n");
    let older = text.replacen(&format!("\"catalog\":\"{version}\""), "\"catalog\":\"0.0.9\"", 1);
    assert_rejected(&target, &shop, &folder, &older, "the file needs catalog 0.0.9");

    let webhook = json!({ "name": "Hook", "url": "https://hooks.example.com/stoa", "status": "DISABLED",
        "subscriptions": ["catalog.lookup.created"] });
    shop.post("webhooks", webhook).is(201);
    let file = folder.path().join("with-secret.ndjson");
    export(&shop, &file);
    let text = fs::read_to_string(&file).expect("the file");
    assert!(!text.contains("whsec_"), "a secret in the clear");
    let mut command = target.command();
    let output = command.env("STOA_ENCRYPTION_KEY", "a5".repeat(32)).arg("import-company").arg(&file).output();
    let output = output.expect("cannot run the binary");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("append it to STOA_ENCRYPTION_KEY"), "{said}");
    assert!(counts(&there(&target, &shop)).is_empty(), "rows were left");
}

fn only_a_suspended_company_where_that_is_asked_for(database: Database) {
    let shop = deployment(database).company();
    let stoa = |arguments: &[&str]| {
        let output = shop.host.command().args(arguments).output().expect("cannot run the binary");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), output.stdout.len(), said)
    };
    let (done, written, said) = stoa(&["export", &shop.tenant, "--suspended"]);
    assert!(!done && written == 0 && said.contains("stoa tenant suspend"), "{said}");
    assert!(stoa(&["tenant", "suspend", &shop.tenant]).0);
    let (done, written, said) = stoa(&["export", &shop.tenant, "--suspended"]);
    assert!(done && written > 0, "{said}");
    let (done, _, said) = stoa(&["export", &uuid::Uuid::now_v7().to_string()]);
    assert!(!done && said.contains("there is no company"), "{said}");
}
