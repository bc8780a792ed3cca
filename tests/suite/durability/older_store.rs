//! A store that an older host left opens again, and holds what it held: the steps of its tables carry the rows over.

use serde_json::json;
use stoa_tests::host::Settings;
use stoa_tests::{Company, Database, Receiver, Stoa, eventually, on_both_databases};

use crate::webhooks::await_end;

on_both_databases![
    an_audit_entry_of_one_subject_keeps_it,
    an_answer_stays_until_it_is_purged,
    indexes_become_what_new_tables_have,
    members_find_their_companies,
    a_cursor_of_webhooks_goes_on,
];

/// Ids of the entries that a product finds.
fn find_entries(shop: &Company, product: &str) -> Vec<String> {
    let entries = shop.all("audit", &[("productId", product)]);
    entries.iter().filter_map(|entry| entry["id"].as_str().map(String::from)).collect()
}

/// Undoes step 4 for the audit: one subject in a column of the entry.
fn undo_audit_subjects(database: Database) -> Vec<&'static str> {
    let (open, column, close) = match database {
        Database::Sqlite => (
            "drop trigger stoa_audit_update",
            "alter table stoa_audit add column subject_id blob",
            "create trigger stoa_audit_update before update on stoa_audit begin
               select raise(abort, 'rows of stoa_audit are never changed'); end",
        ),
        Database::Postgres => (
            "drop trigger append_only on stoa_audit",
            "alter table stoa_audit add column subject_id uuid",
            "create trigger append_only before update or delete on stoa_audit
               for each row execute function stoa_append_only()",
        ),
    };
    vec![
        open,
        column,
        "update stoa_audit set subject_id = (
           select subject_id from stoa_audit_subject as s
           where s.tenant_id = stoa_audit.tenant_id and s.audit_id = stoa_audit.id)",
        close,
        "drop table stoa_audit_subject",
        "create index stoa_audit_subject on stoa_audit (tenant_id, subject_id, id)",
        "delete from _sqlx_migrations where version = 4",
    ]
}

fn an_audit_entry_of_one_subject_keeps_it(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company();
    let (product, variant) = shop.article("OLD");
    let medium = json!({ "url": "https://media.example.test/a.jpg" });
    shop.post(&format!("catalog/products/{product}/media"), medium).is(201);
    shop.archive(&format!("catalog/variants/{variant}")).is(200);
    let before = find_entries(&shop, &product);
    assert_eq!(before.len(), 3);
    host.kill9();
    for statement in undo_audit_subjects(database) {
        shop.change(statement);
    }
    host.restart();
    assert_eq!(find_entries(&shop, &product), before);
    shop.variant(&product, "NEW");
    assert_eq!(find_entries(&shop, &product)[1..], before);
    let left = shop.try_write("update stoa_audit_subject set audit_id = subject_id where {tenant}");
    assert!(left.is_err(), "subjects are never changed");
}

/// Undoes step 6 for memberships and, on PostgreSQL, for tables.
fn undo_places(database: Database) -> Vec<&'static str> {
    let mut statements = vec![
        "drop table stoa_user_company",
        "create index stoa_membership_user on stoa_membership (user_id)",
        // Step 12 adds a column to the table of step 6.
        "delete from _sqlx_migrations where version in (6, 12)",
    ];
    if database == Database::Postgres {
        statements.push("drop function stoa_place(regclass, text)");
        statements.push("comment on table stoa_role is null");
        statements.push("comment on table catalog_product is null");
    }
    statements
}

fn members_find_their_companies(database: Database) {
    // An older host has one database.
    let host = Stoa::start_with(database, Settings::default().places(1));
    let shops = [host.company(), host.company()];
    let (_, member) = shops[0].member("member", &[]);
    let me = |shop: &Company| host.get_with("/v1/auth/me", &shop.token).is(200)["memberships"].clone();
    let before = (me(&shops[0]), me(&member));
    assert_eq!(before.0.as_array().map(Vec::len), Some(2));
    host.kill9();
    for statement in undo_places(database) {
        shops[0].change(statement);
    }
    host.restart();
    assert_eq!((me(&shops[0]), me(&member)), before);
    if database == Database::Postgres {
        let without =
            "select relname::text from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace
             and relname <> '_sqlx_migrations' and obj_description(c.oid, 'pg_class') is null";
        assert_eq!(host.rows(without), [[""; 0]; 0], "tables without a place");
    }
}

/// Undoes step 11: a batch of a fan-out ends with an event.
const UNDO_LONG_FAN_OUTS: &[&str] =
    &["alter table stoa_webhook_cursor drop column last_endpoint", "delete from _sqlx_migrations where version = 11"];

fn a_cursor_of_webhooks_goes_on(database: Database) {
    let receiver = Receiver::friendly();
    let host = Stoa::start_with(database, Settings::default().set("STOA_WEBHOOK_DEV_TARGETS", receiver.address));
    let shop = host.company();
    let kinds = ["catalog.lookup.created"];
    let hook = json!({ "name": "Hook", "url": receiver.url(), "subscriptions": kinds });
    let endpoint = shop.post("webhooks", hook).is(201).id();
    shop.brand("OLD");
    // A delivery that was sent and not yet recorded would be sent again after the kill.
    await_end(&shop, &endpoint, 1);
    host.kill9();
    UNDO_LONG_FAN_OUTS.iter().for_each(|statement| shop.change(statement));
    host.restart();
    shop.brand("NEW");
    await_end(&shop, &endpoint, 2);
    let events: Vec<String> = receiver.list_received().iter().map(|one| one.event()).collect();
    assert!(events.len() == 2 && events[0] != events[1], "an event of before is not sent again: {events:?}");
}

/// Undoes step 5 for answers: their index is of those that have a body.
const UNDO_KEPT: &[&str] = &[
    "drop index stoa_idempotency_answer",
    "alter table stoa_idempotency drop column kept",
    "create index stoa_idempotency_answer on stoa_idempotency (created_at) where body is not null",
    "delete from _sqlx_migrations where version = 5",
];

fn an_answer_stays_until_it_is_purged(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company();
    let create = |key: &str, code: &str| {
        shop.request("POST", "catalog/lookups/brands").key(key).json(&json!({ "name": code, "code": code })).send()
    };
    let keys = [uuid::Uuid::new_v4().to_string(), uuid::Uuid::new_v4().to_string()];
    create(&keys[0], "A").is(201);
    create(&keys[1], "B").is(201);
    let purged = shop.literal(&keys[1]);
    shop.change(&format!(
        "update stoa_idempotency set body = null, headers = null where key = {purged} and {{tenant}}"
    ));
    host.kill9();
    UNDO_KEPT.iter().for_each(|statement| shop.change(statement));
    host.restart();
    assert!(create(&keys[0], "A").is(201).replayed());
    let kept = |condition: &str| shop.count("stoa_idempotency", &format!("operation = 'createLookup' and {condition}"));
    assert_eq!((kept("kept and body is not null"), kept("kept and body is null")), (1, 0), "what is left to purge");
    assert_eq!((kept("not kept and body is null"), kept("not kept and body is not null")), (1, 0));
}

/// Names of the indexes of a table.
fn find_indexes(shop: &Company, table: &str) -> Vec<String> {
    let query = match shop.host.database() {
        Database::Sqlite => format!("select name from sqlite_schema where type = 'index' and tbl_name = '{table}'"),
        Database::Postgres => format!("select indexname as name from pg_indexes where tablename = '{table}'"),
    };
    let mut names: Vec<String> = shop.rows(&query).into_iter().map(|mut row| row.remove(0)).collect();
    names.sort();
    names
}

fn indexes_become_what_new_tables_have(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company();
    let new = find_indexes(&shop, "inventory_movement");
    assert!(new.contains(&"inventory_movement__p_document_id".to_string()), "{new:?}");
    host.kill9();
    shop.change("drop index inventory_movement__p_document_id");
    shop.change("create index inventory_movement__i_document_id on inventory_movement (tenant_id, document_id, id)");
    host.restart();
    eventually(|| (find_indexes(&shop, "inventory_movement") == new).then_some(()));
}
