//! Companies apart: another's record is a record that does not exist. [P18] Every field of every operation that holds
//! an id is tried with the id of another company's record, with one that does not exist, and with one of an archived
//! record; the results are in `tests/contract/tenancy-*.txt`, one file for each tag of the contract. A module that
//! comes later adds a file to `tenancy/kinds`, and its tag here.

pub mod fields;
pub mod kinds;
pub mod records;
pub mod requests;

use std::cell::OnceCell;

use serde_json::json;
use stoa_tests::company::{product, with};
use stoa_tests::contract::{Audience, Contract, Operation};
use stoa_tests::reviewed::{reviewed, reviewed_in_part};
use stoa_tests::{Answer, Company, Database, cuts, eventually, on_both_databases};
use uuid::Uuid;

use self::fields::{Field, Form, Place};
use self::kinds::kind_of;
use self::records::Records;
use self::requests::Caller;

on_both_databases![
    p18_fields_of_catalog,
    p18_fields_of_pricing,
    p18_fields_of_sales,
    p18_fields_of_inventory,
    p18_fields_of_procurement,
    p18_fields_of_finance,
    p18_fields_of_ledger,
    p18_fields_of_pos,
    p18_fields_of_platform,
    p18_foreign_codes,
    p18_lists_never_mix,
    codes_and_skus_are_per_company,
];

/// Tags of the contract: the fields of each are tried by a test of their own, above.
const TAGS: &[&str] =
    &["catalog", "pricing", "sales", "inventory", "procurement", "finance", "ledger", "pos", "platform"];
/// Part of every text of the other company.
const CANARY: &str = "CANARY";

/// Two companies of two people on the shared host.
fn two(database: Database) -> (Company, Company) {
    let host = stoa_tests::host::shared(database);
    (host.company_of("ada@example.test"), host.company_of("bob@example.test"))
}

/// Why the test below cannot call an operation as it should; empty where it can.
pub fn faults(contract: &Contract, operation: &Operation) -> Vec<String> {
    let mut faults = Vec::new();
    for form in fields::forms(contract, operation) {
        for field in fields::fields(contract, &form) {
            let company = field.place == Place::Tenant;
            if !company && kinds::exempt(&form, &field).is_none() && kind_of(&form, &field).is_none() {
                faults.push(format!("no kind of record for {field}"));
            }
        }
        faults.extend(requests::faults(contract, &form));
    }
    faults.sort();
    faults.dedup();
    faults
}

fn p18_fields_of_catalog(database: Database) {
    try_fields(database, "catalog");
}

fn p18_fields_of_pricing(database: Database) {
    try_fields(database, "pricing");
}

fn p18_fields_of_sales(database: Database) {
    try_fields(database, "sales");
}

fn p18_fields_of_inventory(database: Database) {
    try_fields(database, "inventory");
}

fn p18_fields_of_procurement(database: Database) {
    try_fields(database, "procurement");
}

fn p18_fields_of_finance(database: Database) {
    try_fields(database, "finance");
}

fn p18_fields_of_ledger(database: Database) {
    try_fields(database, "ledger");
}

fn p18_fields_of_pos(database: Database) {
    try_fields(database, "pos");
}

fn p18_fields_of_platform(database: Database) {
    try_fields(database, "platform");
}

/// Tries every field of the operations with a tag.
fn try_fields(database: Database, tag: &str) {
    let (mine, theirs) = two(database);
    let contract = mine.host.contract();
    let tag_of = |operation: &Operation| operation.document["tags"][0].as_str().unwrap_or_default().to_string();
    let untried: Vec<&str> =
        contract.operations.iter().filter(|one| !TAGS.contains(&tag_of(one).as_str())).map(|one| &*one.id).collect();
    assert!(untried.is_empty(), "operations of no test: {untried:?}");
    let foreign = Records::new(&theirs, CANARY);
    foreign.fill(&contract);
    let before = settled(&theirs);
    let is_meant = |operation: &&Operation| operation.audience() != Audience::Anybody && tag_of(operation) == tag;
    let shared = (Caller::new(&mine), Records::new(&mine, "OWN"));
    for operation in contract.operations.iter().filter(is_meant) {
        // A list shows what its filters find.
        fields::forms(&contract, operation).iter().for_each(|form| shared.1.all_of(form, &contract));
    }
    let each = fields_between(database);
    let (mut met, mut lines) = (0, Vec::new());
    for operation in contract.operations.iter().filter(is_meant) {
        // A caller of a company of its own: a company may have only so many of some records.
        let owner = OnceCell::new();
        for form in fields::forms(&contract, operation) {
            for field in fields::fields(&contract, &form) {
                if kinds::exempt(&form, &field).is_some() {
                    continue;
                }
                met += 1;
                if met % each == 0 {
                    let caller = owner.get_or_init(|| Caller::new(&requests::company_for(&mine.host, operation)));
                    let outcome = try_field(&contract, caller, &shared, &foreign, &form, &field);
                    lines.push(format!("{form} {field} | {outcome}"));
                }
            }
        }
    }
    assert_eq!(theirs.digest(), before, "the other company changed");
    let file = format!("tenancy-{tag}.txt");
    match each {
        1 => {
            lines.sort();
            reviewed(&file, &(lines.join("\n") + "\n"));
        }
        _ => reviewed_in_part(&file, &lines),
    }
}

/// Every field is tried on SQLite, where nothing but the statement keeps companies apart. PostgreSQL hides a statement
/// without a company behind its row-level security: there one field in ten is tried, the same ones in each usual run.
fn fields_between(database: Database) -> usize {
    match database {
        Database::Sqlite => 1,
        Database::Postgres => cuts::rounds(10, 1),
    }
}

/// A company's digest, once what is written behind its answers is written: admissions and disclosures follow within a second.
fn settled(company: &Company) -> std::collections::BTreeMap<String, (usize, u64)> {
    let mut before = company.digest();
    eventually(|| {
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        let now = company.digest();
        (std::mem::replace(&mut before, now.clone()) == now).then_some(now)
    })
}

/// Tries one field with a foreign id, an absent one, an archived one and a good one. Returns the results of the last
/// three. Operations that only read share their good records.
fn try_field(
    contract: &Contract,
    writer: &Caller,
    reader: &(Caller, Records),
    foreign: &Records,
    form: &Form,
    field: &Field,
) -> String {
    let reads = form.operation.method == "GET" || form.operation.id.starts_with("resolve");
    let (caller, records) = match reads {
        true => (&reader.0, reader.1.clone()),
        false => (writer, Records::new(&writer.company, "OWN")),
    };
    let reported = |answer: &Answer| match answer.body["code"].as_str().filter(|_| answer.status >= 400) {
        Some(code) => format!("{} {code}", answer.status),
        None => answer.status.to_string(),
    };

    // With everything else in order.
    let absent_id = Uuid::now_v7().to_string();
    let foreign_id = match &field.place {
        Place::Tenant => foreign.company.tenant.clone(),
        _ => foreign.id(kind_of(form, field).unwrap_or_else(|| panic!("no kind of record for {form} {field}"))),
    };
    let absent = caller.ask(contract, form, field, &records, Some(&absent_id));
    let of_others = caller.ask(contract, form, field, &records, Some(&foreign_id));
    alike(form, field, (&of_others, &foreign_id), (&absent, &absent_id), foreign);
    // A whole path of the other company's ids, each fitting the other.
    if let Place::Path(_) = field.place {
        let whole = caller.ask_path(contract, form, foreign);
        let nothing = caller.ask_absent_path(contract, form);
        assert_eq!(whole.0.status, nothing.0.status, "{form}: {}", whole.0);
        assert_eq!(masked(&whole.0, &whole.1), masked(&nothing.0, &nothing.1), "{form}: {}", whole.0);
    }

    let archived = match (&field.place, kind_of(form, field)) {
        (Place::Tenant, _) | (_, None) => "-".to_string(),
        (_, Some(kind)) => {
            let records = Records::new(&writer.company, "OLD");
            // All other records that the request names are made before its parent is put away.
            records.all_of(form, contract);
            let id = records.id(kind);
            if records.archive(kind) {
                let answer = writer.ask(contract, form, field, &records, Some(&id));
                assert!(answer.status < 500 && ![400, 401, 403].contains(&answer.status), "{form} {field}: {answer}");
                reported(&answer)
            } else {
                "-".to_string()
            }
        }
    };
    let own_answer = caller.ask(contract, form, field, &records, None);
    assert!(
        (200..300).contains(&own_answer.status),
        "{form} {field}: a request in which nothing is wrong: {own_answer}"
    );
    assert_ne!(
        masked(&own_answer, &[]),
        masked(&absent, &[absent_id]),
        "{form} {field}: the field makes no difference: {own_answer}"
    );
    format!("own {} | absent {} | archived {archived}", reported(&own_answer), reported(&absent))
}

/// Foreign and absent answer alike, byte for byte but for the request's id and the id that was asked for, and nothing
/// of the other company's record shows.
#[track_caller]
fn alike(form: &Form, field: &Field, foreign: (&Answer, &str), absent: (&Answer, &str), records: &Records) {
    let ((answer, id), (other, other_id)) = (foreign, absent);
    assert!(answer.status < 500, "{form} {field}: {answer}");
    let ids = [id.to_string()];
    assert_eq!(masked(answer, &ids), masked(other, &[other_id.to_string()]), "{form} {field}: {answer}\n{other}");
    let text = String::from_utf8_lossy(&answer.bytes).to_uppercase().replace(&id.to_uppercase(), "");
    assert!(!text.contains(CANARY), "{form} {field}: the other company's text: {answer}");
    for known in records.known() {
        assert!(!text.contains(&known.to_uppercase()), "{form} {field}: the other company's id {known}: {answer}");
    }
}

/// Status, headers and bytes without what differs from request to request, and with the ids that were asked for made alike.
fn masked(answer: &Answer, ids: &[String]) -> (u16, Vec<(String, String)>, String) {
    const OWN: &[&str] =
        &["date", "x-request-id", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "content-length"];
    let mut headers: Vec<(String, String)> = answer
        .headers
        .iter()
        .filter(|(name, _)| !OWN.contains(&name.as_str()))
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    headers.sort();
    let mut text = String::from_utf8_lossy(&answer.bytes).into_owned();
    for id in ids.iter().map(String::as_str).chain(answer.header("x-request-id")) {
        text = text.replace(id, "(id)");
    }
    (answer.status, headers, text)
}

/// Codes name records too.
fn p18_foreign_codes(database: Database) {
    let (mine, theirs) = two(database);
    theirs.unit("THEIRS", 0);
    let named = |code: &str| mine.post("catalog/products", with(&product("P"), json!({ "unitOfMeasure": code })));
    let missing = |code: &str| named(code).refused(404, "NOT_FOUND").at("/unitOfMeasure");
    let (foreign, absent) = (missing("THEIRS"), missing("NOBODYS"));
    assert_eq!(masked(&foreign, &[]), masked(&absent, &[]));
}

fn p18_lists_never_mix(database: Database) {
    let (mine, theirs) = two(database);
    let (_, variant) = theirs.article("THEIRS");
    theirs.brand("THEIRS");
    let list = theirs.price_list("THEIRS");
    theirs.price(&list, &variant, None, None).is(201);
    assert!(mine.get("catalog/products").is(200).items().is_empty());
    assert!(mine.list("catalog/variants", &[("sku", "THEIRS")]).is(200).items().is_empty());
    assert!(mine.list("catalog/products", &[("text", "theirs")]).is(200).items().is_empty());
    assert!(mine.get("catalog/lookups/brands").is(200).items().is_empty());
    let codes: Vec<String> =
        mine.get("pricing/price-lists").is(200).items().iter().map(|l| l["code"].to_string()).collect();
    assert!(!codes.contains(&"\"THEIRS\"".to_string()), "{codes:?}");
}

fn codes_and_skus_are_per_company(database: Database) {
    let (mine, theirs) = two(database);
    for shop in [&mine, &theirs] {
        shop.brand("SAME");
        shop.article("SAME");
        shop.price_list("SAME");
    }
}
