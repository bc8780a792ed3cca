//! The forms of tables, and what a read takes of them: pages through children, indexes that leave nulls out, tables that an older
//! host made.

use std::collections::BTreeSet;

use crate::children::has_movement;
use crate::*;
use serde_json::json;
use stoa::database::Session;
use stoa::database::postgres::Transaction;
use stoa::store::{Scope, Tables, apply, find_reindex, plan, run};
use stoa::wit::store::*;
use stoa_descriptor::Collection;

const ITEMS: u64 = 400;

/// Items, every other active, and their movements: "all" of each item three, "third" of every third one.
async fn fill(database: &Database, schema: &Tables) {
    let items = (0..ITEMS).map(|n| vec![id(n), text(&format!("C-{n}")), text("t"), Value::Boolean(n % 2 == 0)]);
    let movement = |n, kind: &str| vec![id(n), text(kind), dec("1"), day("2024-01-01")];
    let every = (0..3).flat_map(|_| (0..ITEMS).map(|n| movement(n, "all")));
    let third = (0..ITEMS).filter(|n| n % 3 == 0).map(|n| movement(n, "third"));
    let batch = vec![
        insert("item", "id code title active", items.collect()),
        insert("movement", "item kind amount day", every.chain(third).collect()),
    ];
    once(database, schema, batch).await.expect("rows");
}

/// Goes through all pages; answers the ids as they came.
async fn pages(database: &Database, schema: &Tables, where_: Vec<Node>, by: &str, limit: u32) -> Vec<u64> {
    let mut found = Vec::new();
    let mut last = None;
    loop {
        let page = select("item", "id", where_.clone(), by, limit);
        let page = last.map_or(page.clone(), |row: Vec<Value>| after(page, row));
        let replies = once(database, schema, vec![page]).await.expect("a page");
        let Some(Reply::Rows(page)) = replies.into_iter().next() else { panic!("no rows") };
        found.extend(page.rows.iter().map(|row| match row[0] {
            Value::Id((_, low)) => low & 0xffff,
            _ => panic!("no id"),
        }));
        last = page.rows.into_iter().last();
        if !page.more {
            return found;
        }
    }
}

/// Independent of the page's size, a list through children misses none of their parents and returns none twice.
#[tokio::test]
async fn pages_through_children_have_each_parent_once() {
    let schema = schema();
    let active = || term("active", Compare::Eq, vec![Value::Boolean(true)]);
    for database in Database::all().await {
        fill(&database, &schema).await;
        for limit in [1, 7, 100, 127, 128, 129, 399, 400, 2000] {
            if limit == 1 && !database.is_sqlite() {
                continue;
            }
            let (every, third) = (|| has_movement("all", vec![]), || has_movement("third", vec![]));
            let ids = |holds: fn(u64) -> bool| (0..ITEMS).filter(|n| holds(*n)).collect::<Vec<u64>>();
            assert_eq!(pages(&database, &schema, vec![every()], "", limit).await, ids(|_| true));
            assert_eq!(pages(&database, &schema, vec![third(), active()], "", limit).await, ids(|n| n % 6 == 0));
            assert_eq!(pages(&database, &schema, vec![every(), third()], "", limit).await, ids(|n| n % 3 == 0));
            let mut back = pages(&database, &schema, vec![every(), third()], "-id", limit).await;
            back.reverse();
            assert_eq!(back, ids(|n| n % 3 == 0));
        }
    }
}

/// Entries that this transaction has read of an index so far.
async fn entries_read(session: &mut Session, index: &str) -> i64 {
    let sql = format!("select pg_stat_get_xact_tuples_returned('{index}'::regclass)");
    session.query_composed(sql, &[]).await.expect("a count")[0].integer(0).expect("a number")
}

/// A page takes as many children as it needs, however many match, also by a plan without values.
#[tokio::test]
async fn a_page_reads_no_more_children_than_it_needs() {
    let Some(database) = Database::postgres().await else { return };
    let schema = schema();
    fill(&database, &schema).await;
    let mut session = database.begin(tenant(1)).await;
    execute(&mut session, "set local plan_cache_mode = force_generic_plan; analyze").await;
    let mut read = 0;
    for (where_, by, most) in [
        (vec![has_movement("all", vec![])], "", 260),
        (vec![has_movement("all", vec![])], "-id", 260),
        (vec![has_movement("all", vec![]), has_movement("third", vec![])], "", 300),
    ] {
        let mut scope = Scope::new(tenant(1), NOW, false);
        let page = select("item", "id", where_, by, 10);
        run(&mut session, &schema, &mut scope, vec![page]).await.expect("a page");
        let total = entries_read(&mut session, "demo_movement__i_kind_item").await;
        assert!(total - read > 0 && total - read <= most, "{} of {} children", total - read, 3 * ITEMS);
        read = total;
    }
}

/// An index without the nulls serves a value, a list of them, and keys that are joined.
#[tokio::test]
async fn an_index_without_nulls_serves_every_look_up() {
    let Some(database) = Database::postgres().await else { return };
    let schema = schema();
    let items = (0..2000).map(|n| {
        vec![text(&format!("C-{n}")), text("t"), if n % 20 == 0 { text(&format!("N-{n}")) } else { Value::Null }]
    });
    once(&database, &schema, vec![insert("item", "code title note", items.collect())]).await.expect("items");
    let mut session = database.begin(tenant(1)).await;
    execute(&mut session, "set local plan_cache_mode = force_generic_plan; analyze").await;
    let by_note = |where_, each: Option<Each>| match select("item", "code", where_, "", 20) {
        Call::Select(select) => Call::Select(SelectCall { each, ..select }),
        other => other,
    };
    let keys = vec![vec![text("N-20")], vec![text("N-40")]];
    let calls = [
        by_note(vec![term("note", Compare::Eq, vec![text("N-20")])], None),
        aggregate(
            "item",
            vec![term("note", Compare::OneOf, vec![text("N-20"), text("N-40")])],
            "",
            vec![measure(Agg::Count, "")],
        ),
        by_note(vec![], Some(Each { columns: names("note"), keys, limit: 3 })),
    ];
    let mut read = 0;
    for (nth, call) in calls.into_iter().enumerate() {
        let mut scope = Scope::new(tenant(1), NOW, false);
        run(&mut session, &schema, &mut scope, vec![call]).await.expect("a page");
        let total = entries_read(&mut session, "demo_item__p_note").await;
        assert!(total > read, "call {nth} does not use the index");
        read = total;
    }
}

fn schema_with(change: impl Fn(&mut serde_json::Value)) -> (Vec<Collection>, Result<Tables, Vec<String>>) {
    let mut list = serde_json::to_value(collections()).expect("json");
    change(&mut list);
    let list: Vec<Collection> = serde_json::from_value(list).expect("collections");
    let schema = Tables::new("demo", &list);
    (list, schema)
}

#[test]
fn an_index_that_leads_with_a_decimal_is_refused() {
    let (_, refused) = schema_with(|list| list[0]["indexes"] = json!([["price"]]));
    let reported = refused.expect_err("refused").join("\n");
    assert!(reported.contains("index price: it leads with the decimal column price"), "{reported}");
    let (_, allowed) = schema_with(|list| list[0]["indexes"] = json!([["active", "price"]]));
    assert!(allowed.is_ok(), "behind another column it is what an order takes");
}

/// The tables of a later version, whose items and stocks have a derived column more.
fn schema_with_sums() -> (Vec<Collection>, Tables) {
    let (list, schema) = schema_with(|list| {
        for nth in [0, 1] {
            let columns = list[nth]["columns"].as_array_mut().expect("columns");
            columns.push(json!({ "name": "sum", "type": "integer", "nullable": true, "derived": true }));
        }
    });
    (list, schema.expect("a schema"))
}

#[tokio::test]
async fn a_version_that_does_not_know_a_derived_column_empties_it() {
    let (_, newer) = schema_with_sums();
    for database in Database::all().await {
        let older = schema();
        let mut session = database.begin(tenant(1)).await;
        let changes = plan(&collections(), &newer).expect("a plan");
        apply(&mut session, &newer, &changes).await.expect("columns");
        commit(session).await;
        let item = |n: u64| vec![id(n), text(&format!("C-{n}")), text("t"), int(7)];
        let stock = |n: u64| vec![id(n), id(n), id(n), int(7)];
        let made = vec![
            insert("item", "id code title sum", (1..=5).map(item).collect()),
            insert("stock", "id place item sum", (1..=2).map(stock).collect()),
        ];
        once(&database, &newer, made).await.expect("rows");
        let by_key = UpdateCall {
            key: Some("code".to_owned()),
            ..update("item", "active", "", vec![change(vec![text("C-2")], vec![Value::Boolean(false)], &[])], "")
        };
        let added = UpdateCall {
            key: Some("place_item".to_owned()),
            ..update("stock", "", "moves", vec![change(vec![id(1), id(1)], vec![], &["1"])], "")
        };
        let retitled = (3..=4).map(|n| change(vec![id(n)], vec![text("u")], &["1"])).collect();
        let changes = vec![
            Call::Update(update("item", "note", "", vec![change(vec![id(1)], vec![text("n")], &[])], "")),
            Call::Update(by_key),
            Call::Update(update("item", "title", "sold", retitled, "")),
            Call::Update(or_insert(added, "", vec![Some(vec![])])),
            insert("item", "id code title", vec![vec![id(6), text("C-6"), text("t")]]),
        ];
        once(&database, &older, changes).await.expect("changes");
        let looks = vec![select("item", "id sum", vec![], "", 50), select("stock", "id sum", vec![], "", 50)];
        let replies = once(&database, &newer, looks).await.expect("rows");
        let items = ["#1 | null", "#2 | null", "#3 | null", "#4 | null", "#5 | 7", "#6 | null"];
        assert_eq!(rows(&replies, 0), items, "those that were changed or made, and no other");
        assert_eq!(rows(&replies, 1), ["#1 | null", "#2 | 7"]);
        // The version that has the column keeps a value that it does not set.
        let kept = update("item", "note", "", vec![change(vec![id(5)], vec![text("n")], &[])], "sum");
        let replies = once(&database, &newer, vec![Call::Update(kept)]).await.expect("a change");
        assert_eq!(rows(&replies, 0), ["7"]);
    }
}

#[test]
fn a_derived_column_is_nullable_and_bare() {
    let refuse = |collection: usize, change: &dyn Fn(&mut serde_json::Value)| {
        let (_, refused) = schema_with(|list| change(&mut list[collection]));
        let reported = refused.expect_err("refused").join("\n");
        assert!(reported.contains("a derived column is nullable"), "{reported}");
    };
    let derive =
        |nth: usize| move |collection: &mut serde_json::Value| collection["columns"][nth]["derived"] = json!(true);
    refuse(0, &derive(6)); // `active` is required and has a default.
    refuse(0, &derive(10)); // `family` is in a unique key.
    refuse(0, &derive(2)); // `note` is searched.
    refuse(2, &derive(3)); // `small` is nullable and bare, but a ledger's.
    refuse(0, &|collection| {
        collection["columns"][4]["derived"] = json!(true);
        let comparison = json!({ "column": "wide", "op": ">=", "right": { "constant": "0" } });
        collection["checks"] = json!([{ "name": "wide_some", "all": [comparison] }]);
    });
    assert!(schema_with(|list| list[0]["columns"][4]["derived"] = json!(true)).1.is_ok(), "`wide` is bare");
}

/// Otherwise a way back would turn it round again, and what it promised meanwhile would not hold.
#[test]
fn a_column_stays_derived_or_plain() {
    let (recorded, _) = schema_with_sums();
    let (plain, schema) = schema_with(|list| {
        let columns = list[0]["columns"].as_array_mut().expect("columns");
        columns.push(json!({ "name": "sum", "type": "integer", "nullable": true }));
    });
    let faults = plan(&recorded, &schema.expect("a schema")).expect_err("refused");
    assert_eq!(faults, ["collection item: column sum is no longer derived"]);
    let faults = plan(&plain, &schema_with_sums().1).expect_err("refused");
    assert_eq!(faults, ["collection item: column sum is now derived"]);
}

/// The indexes of the items, with their definitions.
async fn indexes(database: &Database) -> BTreeSet<(String, String)> {
    let mut session = database.begin(tenant(1)).await;
    let query = match database.is_sqlite() {
        true => "select name, coalesce(sql, '') from sqlite_schema where type = 'index' and tbl_name = 'demo_item'",
        false => "select indexname::text, indexdef from pg_indexes where tablename = 'demo_item'",
    };
    let rows = session.query(query, &[]).await.expect("indexes");
    let found = rows.iter().map(|row| (row.text(0).expect("a name"), row.text(1).expect("a text"))).collect();
    roll_back(session).await;
    found
}

/// Runs what a reindex of the tables says; answers how many statements that were.
async fn reindex(database: &Database, recorded: &[Collection], schema: &Tables) -> (usize, Vec<Collection>) {
    let mut session = database.begin(tenant(1)).await;
    let (statements, record) = find_reindex(&mut session, recorded, schema).await.expect("a reindex");
    match database {
        Database::Sqlite(_) => {
            for statement in &statements {
                execute(&mut session, statement).await;
            }
            commit(session).await;
        }
        Database::Postgres(url) => {
            // An index is built while writers run, and waits for every transaction that has read something.
            commit(session).await;
            for statement in &statements {
                let mut alone = Transaction::connect(url, false).await.expect("a connection");
                alone.send_text(statement).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
            }
        }
    }
    (statements.len(), record)
}

#[tokio::test]
async fn tables_of_an_older_host_get_the_indexes_of_new_ones() {
    let schema = schema();
    for database in Database::all().await {
        let new = indexes(&database).await;
        let partial = new.iter().find(|(name, _)| name == "demo_item__p_note").expect("the index");
        assert!(partial.1.to_lowercase().contains("is not null"), "{}", partial.1);
        assert_eq!(reindex(&database, &collections(), &schema).await, (0, vec![]));
        let mut statements = vec![
            "drop index demo_item__p_note",
            "create index demo_item__i_note on demo_item (tenant_id, note, id)",
            "create index somebodys_own on demo_item (tenant_id, sold)",
        ];
        if !database.is_sqlite() {
            statements.push("alter table demo_stock reset (fillfactor)");
        }
        let mut session = database.begin(tenant(1)).await;
        for statement in statements {
            execute(&mut session, statement).await;
        }
        commit(session).await;
        let count = if database.is_sqlite() { 2 } else { 3 };
        assert_eq!(reindex(&database, &collections(), &schema).await, (count, vec![]));
        let mut left = indexes(&database).await;
        left.retain(|(name, _)| name != "somebodys_own");
        assert_eq!(left, new);
        assert_eq!(indexes(&database).await.len(), new.len() + 1, "an index that no declaration made stays");
        assert_eq!(reindex(&database, &collections(), &schema).await, (0, vec![]));
    }
}

#[tokio::test]
async fn an_index_that_is_no_longer_declared_goes() {
    for database in Database::all().await {
        let (wanted, schema) = schema_with(|list| list[0]["indexes"] = json!([["active", "title"]]));
        let schema = schema.expect("a schema");
        let (count, record) = reindex(&database, &collections(), &schema).await;
        assert_eq!((count, record.len()), (3, 1));
        assert_eq!(record[0].indexes, wanted[0].indexes);
        let left: Vec<String> = indexes(&database).await.into_iter().map(|(name, _)| name).collect();
        assert!(left.iter().all(|name| !name.contains("note") && !name.contains("__p_")), "{left:?}");
        assert!(left.iter().any(|name| name == "demo_item__i_active_title"));
        assert_eq!(reindex(&database, &record, &schema).await, (0, vec![]));
    }
}
