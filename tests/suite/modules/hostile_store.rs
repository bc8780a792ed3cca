//! Store calls that a module must not make: other people's rows, changed ledgers, invalid values.

use serde_json::json;
use stoa_tests::{Answer, Company, Database, on_both_databases};

use crate::modules::hostile::{commit, host, notes, well};

on_both_databases![
    collections_of_others,
    columns_of_the_host,
    rows_of_another_company,
    ledgers_stay_as_written,
    values_that_are_none,
    limits_of_calls,
    a_closed_store_stays_closed,
    locks,
];

/// The store must have answered a failure of this kind: reported by the module, or taken as the module's fault.
#[track_caller]
fn refused(answer: Answer, codes: &[&str]) {
    let code = answer["code"].as_str().unwrap_or_default();
    let fault = (answer.status, code) == (500, "MODULE_FAILED");
    assert!(fault || codes.contains(&code), "expected one of {codes:?}: {answer}");
}

#[track_caller]
fn misuse(shop: &Company, mode: &str, text: &str) {
    refused(commit(shop, mode, text), &["HOSTILE_MISUSE"]);
}

fn collections_of_others(database: Database) {
    let shop = host(database).company();
    shop.product("Not yours");
    let before = shop.digest();
    for name in [
        "product",
        "catalog_product",
        "catalog.product",
        "catalog/product",
        "commerce:catalog/product",
        "pricing_price",
        "hostile_note",
        "public.catalog_product",
        "main.catalog_product",
        "stoa_user",
        "stoa_tenant",
        "stoa_audit",
        "sqlite_master",
        "pg_catalog.pg_class",
        "note; drop table catalog_product",
        "note\" union select * from stoa_user --",
        "note'",
        "Note",
        "NOTE",
        "note ",
        " note",
        "note\t",
        "*",
        "",
    ] {
        misuse(&shop, "collection", name);
        misuse(&shop, "collection-write", name);
    }
    assert_eq!(shop.digest(), before);
    well(&shop);
}

fn columns_of_the_host(database: Database) {
    let shop = host(database).company();
    let before = shop.digest();
    for column in [
        "tenant_id",
        "tenantId",
        "TENANT_ID",
        "rowid",
        "ctid",
        "xmin",
        "nothing",
        "label, (select 1)",
        "label\"",
        "note.label",
        "*",
        "count(*)",
        "",
    ] {
        for mode in ["column", "column-filter", "column-order", "column-insert", "column-update"] {
            misuse(&shop, mode, column);
        }
        misuse(&shop, "key", column);
    }
    // The host's own columns are read, never written.
    for column in ["version", "created_at", "updated_at"] {
        misuse(&shop, "column-insert", column);
        misuse(&shop, "column-update", column);
    }
    misuse(&shop, "column-update", "id");
    assert_eq!(shop.digest(), before);
}

fn rows_of_another_company(database: Database) {
    let host = host(database);
    let (mine, theirs) = (host.company(), host.company_of("bob@example.test"));
    commit(&theirs, "behave", "").is(201);
    let rows = theirs.rows("select id from hostile_note where {tenant}");
    let id = &rows[0][0];
    assert_eq!(commit(&theirs, "other-tenant-id", id).is(201)["seen"], json!(1));
    assert_eq!(commit(&mine, "other-tenant-id", id).is(201)["seen"], json!(0), "another company's row does not exist");
    let before = theirs.digest();
    refused(commit(&mine, "other-tenant-update", id), &["HOSTILE_CHANGE"]);
    assert_eq!(theirs.digest(), before);
    assert_eq!(notes(&mine), json!(0));
}

/// Insert only: in the host, whatever the module calls it, and in the database behind the host's back.
fn ledgers_stay_as_written(database: Database) {
    let shop = host(database).company();
    commit(&shop, "behave", "").is(201);
    let before = shop.digest();
    for mode in ["ledger-update", "ledger-add", "ledger-update-by-key", "ledger-lock", "ledger-version"] {
        misuse(&shop, mode, "");
    }
    refused(commit(&shop, "ledger-insert-again", ""), &["HOSTILE_DUPLICATE", "HOSTILE_MISUSE"]);
    assert_eq!(shop.digest(), before);
    for statement in ["update hostile_entry set number = 7 where {tenant}", "delete from hostile_entry where {tenant}"]
    {
        shop.try_write(statement).expect_err(statement);
    }
    if database == Database::Postgres {
        shop.try_write("truncate hostile_entry").expect_err("truncate");
    }
    assert_eq!(shop.digest(), before);
}

fn values_that_are_none(database: Database) {
    let shop = host(database).company();
    let before = shop.digest();
    let no_value = ["HOSTILE_MISUSE", "HOSTILE_RANGE"];
    let decimals = [
        "1e3",
        "NaN",
        "Infinity",
        "-0",
        "01",
        "+1",
        "1.",
        ".5",
        "",
        " 1",
        "1 ",
        "1,5",
        "0x1",
        "1.0000001",
        "1234567890123",
        "--1",
        "1_0",
        "1e",
        "٣",
        "99999999999999999999999999999999999999999999",
    ];
    for text in decimals {
        refused(commit(&shop, "decimal", text), &no_value);
    }
    for text in [
        "2026-02-30",
        "2026-13-01",
        "0000-01-01",
        "20260101",
        "2026-1-1",
        "2026-01-01T00:00:00Z",
        "",
        "now",
        "-1-01-01",
    ] {
        refused(commit(&shop, "date", text), &no_value);
    }
    for text in ["{", "", "nul", "{\"a\":}", "{} {}", "\u{feff}{}", "'x'"] {
        refused(commit(&shop, "json", text), &no_value);
    }
    for mode in [
        "text-nul",
        "json-nul",
        "json-surrogate",
        "instant-max",
        "instant-min",
        "type-text-as-integer",
        "type-integer-as-text",
        "null-in-required",
        "row-short",
        "row-long",
        "column-twice",
        "column-missing",
        "add-overflow",
        "add-undeclared",
    ] {
        refused(commit(&shop, mode, ""), &no_value);
    }
    for text in ["x", "", "1.5", "1e3", "9223372036854775808"] {
        refused(commit(&shop, "add-garbage", text), &no_value);
    }
    assert_eq!(shop.digest(), before);
    well(&shop);
}

fn limits_of_calls(database: Database) {
    let shop = host(database).company();
    let before = shop.digest();
    for mode in [
        "store-million",
        "store-batch",
        "store-batch-33",
        "store-ids",
        "store-ids-1001",
        "store-rows",
        "store-rows-2001",
        "store-wide-text",
        "store-select-2001",
        "store-deep",
        "store-short-tree",
    ] {
        let answer = commit(&shop, mode, "");
        let unavailable = answer["code"] == "MODULE_UNAVAILABLE";
        if !unavailable {
            refused(answer, &["HOSTILE_LIMIT", "HOSTILE_MISUSE"]);
        }
        assert_eq!(shop.digest(), before, "{mode} left something");
    }
    well(&shop);
}

/// A caller that saw a failure gets no more rows, and cannot succeed: otherwise a half-done request would commit.
fn a_closed_store_stays_closed(database: Database) {
    let shop = host(database).company();
    let before = shop.digest();
    refused(commit(&shop, "go-on", ""), &["HOSTILE_CLOSED"]);
    for mode in ["go-on-deaf", "swallow"] {
        commit(&shop, mode, "").refused(500, "MODULE_FAILED");
    }
    assert_eq!(shop.digest(), before);
    well(&shop);
}

fn locks(database: Database) {
    let shop = host(database).company();
    misuse(&shop, "lock-upgrade", "");
    misuse(&shop, "lock-garbage", "%_'\"");
    well(&shop);
}
