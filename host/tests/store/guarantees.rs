//! Guarantees of the store beyond its replies: no foreign row, no changed ledger, tables that
//! grow with their rows in place.

use crate::*;
use proptest::prelude::*;
use serde_json::json;
use sqlx::Connection as _;
use stoa::database::Error;
use stoa::store::{Scope, StoreError, Tables, apply, merge, plan, run};
use stoa::wit::store::*;

pub fn stock(count: u64) -> Call {
    let rows = (0..count).map(|n| vec![id(n), id(1), id(1000 + n), dec("1000")]).collect();
    insert("stock", "id place item on_hand", rows)
}

/// [A28]: the store refuses the change, whatever the module asked for; a caller with an old version receives that first.
#[tokio::test]
async fn the_last_version_takes_no_change() {
    let schema = schema();
    for database in Database::all().await {
        let item = insert("item", "id code title", vec![vec![id(1), text("a"), text("old")]]);
        once(&database, &schema, vec![item]).await.expect("an item");
        let mut session = database.begin(tenant(1)).await;
        execute(&mut session, "update demo_item set version = 2147483645").await;
        commit(session).await;
        let rename = |version: Option<i64>, title: &str| {
            let change = Change { version, ..change(vec![id(1)], vec![text(title)], &[]) };
            vec![Call::Update(update("item", "title", "", vec![change], "version"))]
        };
        let replies = once(&database, &schema, rename(Some(2_147_483_645), "last")).await.expect("the last change");
        assert_eq!(rows(&replies, 0), ["2147483646"]);
        for version in [None, Some(2_147_483_646)] {
            let refused = failure(once(&database, &schema, rename(version, "one too many")).await);
            assert!(matches!(&refused, Failure::OutOfRange(Spot { column, .. }) if column == "version"), "{refused:?}");
        }
        let refused = failure(once(&database, &schema, rename(Some(2_147_483_645), "stale")).await);
        assert!(
            matches!(&refused, Failure::RefusedChange(misses) if matches!(misses[0].why, Why::Stale)),
            "{refused:?}"
        );
        let replies = once(&database, &schema, vec![get("item", "version title", &[1])]).await.expect("the item");
        assert_eq!(rows(&replies, 0), ["2147483646 | \"last\""]);
    }
}

#[tokio::test]
async fn all_clashes_of_a_hundred_identities_are_reported() {
    let schema = schema();
    for database in Database::all().await {
        let taken = [7, 50, 99].iter().map(|n| vec![id(500 + n), text(&format!("unit-{n}")), text("x")]).collect();
        once(&database, &schema, vec![insert("item", "id code title", taken)]).await.expect("three");
        let all = (0..100).map(|n| vec![id(n), text(&format!("unit-{n}")), text("x")]).collect();
        let mut session = database.begin(tenant(1)).await;
        let mut scope = Scope::new(tenant(1), NOW, false);
        let outcome = run(&mut session, &schema, &mut scope, vec![insert("item", "id code title", all)]).await;
        let Failure::Duplicate(clashes) = failure(outcome) else { panic!("no clashes") };
        let reported: Vec<(u32, &str)> = clashes.iter().map(|clash| (clash.row, clash.key.as_str())).collect();
        assert_eq!(reported, [(7, "code"), (50, "code"), (99, "code")]);
        let closed = run(&mut session, &schema, &mut scope, vec![get("item", "", &[1])]).await;
        assert_eq!(failure(closed), Failure::Closed);
        roll_back(session).await;
    }
}

#[tokio::test]
async fn a_ledger_is_shut_in_the_database_too() {
    let schema = schema();
    let moved = || {
        vec![insert(
            "movement",
            "id item kind amount day",
            vec![vec![id(1), id(1), text("in"), dec("1"), day("2024-01-01")]],
        )]
    };
    for database in Database::all().await {
        once(&database, &schema, moved()).await.expect("a movement");
        let mut statements = vec!["update demo_movement set kind = 'out'", "delete from demo_movement"];
        if !database.is_sqlite() {
            statements.push("truncate demo_movement");
        }
        for statement in statements {
            let mut session = database.begin(tenant(1)).await;
            let refused = try_execute(&mut session, statement).await.expect_err(statement);
            let why = if database.is_sqlite() { "only ever appended" } else { "P0001" };
            assert!(refused.contains(why), "{refused}");
            roll_back(session).await;
        }
    }
}

#[tokio::test]
async fn declared_checks_stand_in_the_database_too() {
    let schema = schema();
    for database in Database::all().await {
        once(&database, &schema, vec![stock(1)]).await.expect("stock");
        let mut session = database.begin(tenant(1)).await;
        let refused = try_execute(&mut session, "update demo_stock set reserved = on_hand + 1").await;
        assert!(refused.expect_err("a check").contains("reserved_there"));
        roll_back(session).await;
    }
}

#[tokio::test]
async fn one_tenant_never_meets_another() {
    let schema = schema();
    for database in Database::all().await {
        let item = |title: &str| vec![insert("item", "id code title", vec![vec![id(1), text("same"), text(title)]])];
        for n in [1, 2] {
            let mut session = database.begin(tenant(n)).await;
            let mut scope = Scope::new(tenant(n), NOW, false);
            run(&mut session, &schema, &mut scope, item(&format!("of {n}"))).await.expect("the same id and code");
            commit(session).await;
        }
        let mut session = database.begin(tenant(2)).await;
        let mut scope = Scope::new(tenant(2), NOW, false);
        let batch = vec![
            get("item", "title", &[1]),
            find("item", "title", "code", vec![vec![text("same")]]),
            select("item", "title", vec![], "", 10),
            aggregate("item", vec![], "title", vec![measure(Agg::Count, "")]),
            Call::Update(update("item", "title", "", vec![change(vec![id(1)], vec![text("changed")], &[])], "title")),
        ];
        let replies = run(&mut session, &schema, &mut scope, batch).await.expect("replies");
        assert_eq!(rows(&replies, 0), ["\"of 2\""]);
        assert_eq!(rows(&replies, 1), ["\"of 2\""]);
        assert_eq!(rows(&replies, 2), ["\"of 2\""]);
        assert_eq!(rows(&replies, 3), ["\"of 2\" | 1"]);
        commit(session).await;
        let replies = once(&database, &schema, vec![get("item", "title", &[1])]).await.expect("a reply");
        assert_eq!(rows(&replies, 0), ["\"of 1\""]);
    }
}

/// Row-level security, asked by plain SQL of a role without privileges of its own.
#[tokio::test]
async fn a_plain_role_sees_the_rows_of_its_tenant_only() {
    let Some(database) = Database::postgres().await else { return };
    let Database::Postgres(url) = &database else { return };
    let schema = schema();
    once(&database, &schema, vec![insert("item", "id code title", vec![vec![id(1), text("a"), text("a")]])])
        .await
        .expect("an item");
    let mut connection = sqlx::PgConnection::connect(url).await.expect("a connection");
    let above = "select rolsuper or rolbypassrls from pg_roles where rolname = current_user";
    let above: bool = sqlx::query_scalar(above).fetch_one(&mut connection).await.expect("the role");
    let role = if above {
        let plain = "do $$ begin create role stoa_store_plain; exception when duplicate_object or unique_violation \
                     then null; end $$; \
                     do $$ begin execute format('grant usage on schema %I to stoa_store_plain', current_schema()); \
                     end $$; grant all on demo_item, demo_stock, demo_movement to stoa_store_plain";
        sqlx::raw_sql(plain).execute(&mut connection).await.expect("a role");
        "begin; set local role stoa_store_plain"
    } else {
        // The tables' owner: FORCE is what holds it.
        "begin"
    };
    let count = async |connection: &mut sqlx::PgConnection, tenant: Option<uuid::Uuid>| -> i64 {
        sqlx::raw_sql(role).execute(&mut *connection).await.expect("the role");
        if let Some(tenant) = tenant {
            let set = "select set_config('stoa.tenant', $1, true)";
            sqlx::query(set).bind(tenant.to_string()).execute(&mut *connection).await.expect("a tenant");
        }
        let count =
            sqlx::query_scalar("select count(*) from demo_item").fetch_one(&mut *connection).await.expect("a count");
        sqlx::raw_sql("rollback").execute(&mut *connection).await.expect("rollback");
        count
    };
    assert_eq!(count(&mut connection, Some(tenant(1))).await, 1);
    assert_eq!(count(&mut connection, Some(tenant(2))).await, 0);
    assert_eq!(count(&mut connection, None).await, 0, "no tenant, no rows");
    sqlx::raw_sql(role).execute(&mut connection).await.expect("the role");
    let set = "select set_config('stoa.tenant', $1, true)";
    sqlx::query(set).bind(tenant(2).to_string()).execute(&mut connection).await.expect("a tenant");
    let foreign = "insert into demo_item (tenant_id, id, version, created_at, updated_at, code, title) \
                   select $1, $1, 1, now(), now(), 'x', 'x'";
    let refused = sqlx::query(foreign).bind(tenant(1)).execute(&mut connection).await.expect_err("a foreign row");
    assert!(refused.to_string().contains("row-level security"), "{refused}");
    sqlx::raw_sql("rollback").execute(&mut connection).await.expect("rollback");
}

#[test]
fn a_schema_names_its_own_collections_only() {
    let wrong = |module: &str, list: serde_json::Value| {
        let collections: Vec<stoa_descriptor::Collection> = serde_json::from_value(list).expect("collections");
        Tables::new(module, &collections).expect_err("refused").join("\n")
    };
    for module in ["stoa", "stoa-x", "Demo", "a_b", "a--b", "", "a-", "pg", "sqlite", "x\"; drop table y; --"] {
        assert!(Tables::new(module, &[]).is_err(), "{module}");
    }
    let text = wrong(
        "demo",
        json!([{ "name": "a", "kind": "ledger",
            "columns": [
                { "name": "tenant_id", "type": "uuid" },
                { "name": "x\" text", "type": "text" },
                { "name": "big", "type": { "decimal": { "precision": 39, "scale": 2 } } },
                { "name": "n", "type": "integer", "default": "one" },
                { "name": "j", "type": "json" },
                { "name": "p18", "type": { "decimal": { "precision": 18, "scale": 6 } } },
                { "name": "p38", "type": { "decimal": { "precision": 38, "scale": 6 } } }
            ],
            "unique": [{ "name": "k", "columns": ["missing", "j"] }],
            "indexes": [[]],
            "search": [{ "name": "s", "columns": ["n"] }],
            "checks": [
                { "name": "c", "all": [{ "column": "p18", "op": ">=", "right": { "column": "p38" } }] },
                { "name": "d", "all": [{ "column": "p18", "op": ">=", "right": { "constant": "0.0000001" } }] }
            ],
            "counters": ["n"] },
          { "name": "a", "kind": "record", "columns": [] }]),
    );
    let reported = [
        "column tenant_id",
        "column x\"",
        "column big",
        "column n: the default",
        "unique key k: no column missing",
        "column j is json",
        "index",
        "search group s",
        "check c",
        "check d",
        "a ledger has no counters",
        "declared twice",
    ];
    for item in reported {
        assert!(text.contains(item), "{item} is not reported in:\n{text}");
    }
    let (one, other) = (Tables::new("one", &collections()).unwrap(), schema());
    assert!(one.tables().all(|table| other.tables().all(|name| name != table)));
}

#[tokio::test]
async fn the_third_limit_ends_the_request() {
    let schema = schema();
    let database = Database::sqlite().await;
    let mut session = database.begin(tenant(1)).await;
    let mut scope = Scope::new(tenant(1), NOW, false);
    let too_much = || vec![select("item", "", vec![], "", 5000)];
    for _ in 0..2 {
        assert!(matches!(failure(run(&mut session, &schema, &mut scope, too_much()).await), Failure::Limit(_)));
        run(&mut session, &schema, &mut scope, vec![get("item", "", &[1])]).await.expect("still open");
    }
    let third = run(&mut session, &schema, &mut scope, too_much()).await;
    assert!(matches!(third, Err(StoreError::LimitAgain)));
    roll_back(session).await;
}

#[tokio::test]
async fn limits_of_rows_and_bytes_hold_for_a_request() {
    let schema = schema();
    for database in Database::all().await {
        once(&database, &schema, vec![stock(100)]).await.expect("stock");
        let mut session = database.begin(tenant(1)).await;
        let mut scope = Scope::new(tenant(1), NOW, false);
        scope.limits.rows = 250;
        let read = || vec![select("stock", "id", vec![], "", 100)];
        for _ in 0..2 {
            run(&mut session, &schema, &mut scope, read()).await.expect("rows");
        }
        assert!(matches!(failure(run(&mut session, &schema, &mut scope, read()).await), Failure::Limit(_)));
        let mut scope = Scope::new(tenant(1), NOW, false);
        scope.limits.reply = 1_000;
        assert!(matches!(failure(run(&mut session, &schema, &mut scope, read()).await), Failure::Limit(_)));
        run(&mut session, &schema, &mut scope, vec![get("stock", "", &[1])]).await.expect("the connection is well");
        roll_back(session).await;
    }
}

/// A request may read all that a company has, however much it is; one that asks for little at a time, and ever again, may not.
#[tokio::test]
async fn full_pages_buy_more_rows() {
    let schema = schema();
    for database in Database::all().await {
        once(&database, &schema, vec![stock(100)]).await.expect("stock");
        let mut session = database.begin(tenant(1)).await;
        let mut scope = Scope::new(tenant(1), NOW, false);
        (scope.limits.rows, scope.limits.rows_per_call) = (60, 50);
        let read = || vec![select("stock", "id", vec![], "", 50)];
        for _ in 0..5 {
            run(&mut session, &schema, &mut scope, read()).await.expect("a full page");
        }
        assert_eq!((scope.full_pages, scope.most_rows()), (5, 360));
        // The same page is none that is full where a call may answer more.
        scope.limits.rows_per_call = 100;
        for _ in 0..2 {
            run(&mut session, &schema, &mut scope, read()).await.expect("within the limit");
        }
        assert!(matches!(failure(run(&mut session, &schema, &mut scope, read()).await), Failure::Limit(_)));
        assert_eq!(scope.full_pages, 5);
        roll_back(session).await;
    }
}

#[tokio::test]
async fn a_reading_request_neither_writes_nor_locks() {
    let schema = schema();
    for database in Database::all().await {
        let mut session = database.begin(tenant(1)).await;
        let batches = [
            vec![stock(1)],
            vec![Call::Update(update("stock", "", "", vec![], ""))],
            vec![lock(&[("x", LockMode::Shared)])],
            vec![Call::Get(GetCall { ask: ask_locked("item", "", LockMode::Shared), ids: vec![] })],
            vec![Call::Number(NumberCall { sequence: "n".to_owned(), at_least: None })],
        ];
        for batch in batches {
            let mut scope = Scope::new(tenant(1), NOW, true);
            assert!(matches!(failure(run(&mut session, &schema, &mut scope, batch).await), Failure::Misuse(_)));
        }
        roll_back(session).await;
    }
}

#[tokio::test]
async fn ids_of_a_request_ascend() {
    let mut scope = Scope::new(tenant(1), NOW, false);
    let ids: Vec<uuid::Uuid> = (0..2_000).map(|_| scope.new_id()).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(ids.iter().all(|id| id.get_version_num() == 7 && id.as_u128() >> 80 == NOW as u128));
    assert!(ids.iter().all(|id| id.get_variant() == uuid::Variant::RFC4122));
}

/// The test module's next generation: more of everything that can be added.
#[tokio::test]
async fn tables_grow_with_their_rows_in_place() {
    let old = collections();
    let mut list = serde_json::to_value(&old).expect("json");
    let item = &mut list[0];
    item["columns"].as_array_mut().unwrap().extend([
        json!({ "name": "colour", "type": "text", "nullable": true }),
        json!({ "name": "weight", "type": { "decimal": { "precision": 24, "scale": 3 } }, "default": "1.5" }),
        json!({ "name": "since", "type": "timestamp", "default": 1500 }),
        json!({ "name": "until", "type": "date", "default": "2030-01-31" }),
        json!({ "name": "tags", "type": "json", "default": { "b": 1, "a": ["it's"] } }),
        json!({ "name": "owner", "type": "uuid", "default": "01900000-0000-7000-8000-000000000001" }),
        json!({ "name": "open", "type": "boolean", "default": false }),
    ]);
    item["unique"].as_array_mut().unwrap().push(json!({ "name": "colour", "columns": ["colour"] }));
    item["indexes"].as_array_mut().unwrap().push(json!(["colour"]));
    item["search"].as_array_mut().unwrap().push(json!({ "name": "codes", "columns": ["code", "note"] }));
    item["checks"].as_array_mut().unwrap().push(
        json!({ "name": "weight_some", "all": [{ "column": "weight", "op": ">=", "right": { "constant": "0.001" } }] }),
    );
    list.as_array_mut().unwrap().push(json!({ "name": "fresh", "kind": "record", "columns": [] }));
    let new: Vec<stoa_descriptor::Collection> = serde_json::from_value(list).expect("collections");
    let (old_schema, new_schema) = (schema(), Tables::new("demo", &new).expect("a schema"));

    let changes = plan(&old, &new_schema).expect("additive");
    assert_eq!(changes.len(), 7 + 4 + 1, "{changes:?}");
    assert_eq!(merge(&old, &new_schema), new);
    let back = plan(&new, &old_schema).expect("the way back");
    assert_eq!(back.len(), 2, "the unique key and the check: {back:?}");

    for database in Database::all().await {
        let start = vec![insert(
            "item",
            "id code title note",
            vec![vec![id(1), text("ÄB-1"), text("x"), Value::Null], vec![id(2), text("b-2"), text("y"), text("ßtill")]],
        )];
        once(&database, &old_schema, start).await.expect("rows");
        let mut session = database.begin(tenant(1)).await;
        apply(&mut session, &new_schema, &changes).await.expect("the changes");
        commit(session).await;
        let batch = vec![
            get("item", "colour weight since until tags owner open", &[1]),
            select("item", "id", vec![term("codes", Compare::Contains, vec![text("äb")])], "", 5),
            select("item", "id", vec![term("codes", Compare::Contains, vec![text("SSTILL")])], "", 5),
            select("item", "id", vec![term("codes", Compare::Contains, vec![text("ßTILL")])], "", 5),
            Call::Update(update(
                "item",
                "colour weight",
                "",
                vec![change(vec![id(1)], vec![text("red"), dec("2")], &[])],
                "version",
            )),
        ];
        let replies = once(&database, &new_schema, batch).await.expect("replies");
        assert_eq!(rows(&replies, 0), [r##"null | 1.500d | 1500ms | 2030-01-31 | {"a":["it's"],"b":1} | #1 | false"##]);
        assert_eq!(rows(&replies, 1), ["#1"]);
        assert_eq!(rows(&replies, 2), [""; 0]);
        assert_eq!(rows(&replies, 3), ["#2"]);
        // A host on the older generation goes on: it does not name the new columns.
        let older = vec![insert("item", "id code title", vec![vec![id(3), text("c-3"), text("z")]])];
        once(&database, &old_schema, older).await.expect("the older generation");

        let mut session = database.begin(tenant(1)).await;
        let refused = try_execute(&mut session, "update demo_item set weight = 0 where code = 'c-3'").await;
        if database.is_sqlite() {
            // Texts on SQLite: the length is what refuses a number put in by hand.
            refused.expect_err("no encoded decimal");
        } else {
            assert!(refused.expect_err("a check").contains("weight_some"));
        }
        roll_back(session).await;

        let twice =
            vec![Call::Update(update("item", "colour", "", vec![change(vec![id(2)], vec![text("red")], &[])], ""))];
        let Failure::Duplicate(clashes) = failure(once(&database, &new_schema, twice).await) else {
            panic!("no clash")
        };
        assert_eq!(clashes[0].key, "colour");

        let mut session = database.begin(tenant(1)).await;
        apply(&mut session, &old_schema, &back).await.expect("the way back");
        commit(session).await;
        let mut session = database.begin(tenant(1)).await;
        let recorded = merge(&new, &old_schema);
        let again = plan(&recorded, &new_schema).expect("forth again");
        apply(&mut session, &new_schema, &again).await.expect("forth again");
        commit(session).await;
        let batch = vec![select("item", "id", vec![term("codes", Compare::Contains, vec![text("C-3")])], "", 5)];
        assert_eq!(rows(&once(&database, &new_schema, batch).await.expect("a reply"), 0), ["#3"], "folded on return");

        // A check and a key that the rows break are refused by them.
        let mut broken = serde_json::to_value(&new).expect("json");
        broken[0]["unique"].as_array_mut().unwrap().push(json!({ "name": "open", "columns": ["open"] }));
        let broken: Vec<stoa_descriptor::Collection> = serde_json::from_value(broken).expect("collections");
        let broken = Tables::new("demo", &broken).expect("a schema");
        let mut session = database.begin(tenant(1)).await;
        let changes = plan(&new, &broken).expect("additive");
        assert!(matches!(apply(&mut session, &broken, &changes).await, Err(Error::Unique(_))));
        roll_back(session).await;
    }
}

#[test]
fn what_is_not_additive_is_reported() {
    let old = collections();
    let mut list = serde_json::to_value(&old).expect("json");
    list[0]["kind"] = json!("projection");
    list[0]["columns"][0]["type"] = json!("integer");
    list[0]["columns"][2]["nullable"] = json!(false);
    list[0]["columns"].as_array_mut().unwrap().remove(1);
    list[0]["columns"].as_array_mut().unwrap().push(json!({ "name": "must", "type": "text" }));
    list[0]["unique"] = json!([{ "name": "code", "columns": ["code", "family"] }]);
    list[0]["search"] = json!([]);
    list[0]["indexes"] = json!([]);
    list[2]["search"] = json!([{ "name": "kinds", "columns": ["kind"] }]);
    let new: Vec<stoa_descriptor::Collection> = serde_json::from_value(list).expect("collections");
    let new = Tables::new("demo", &new).expect("a schema");
    let reported = plan(&old, &new).expect_err("not additive").join("\n");
    for item in [
        "another kind",
        "column code has another type",
        "column note is now required",
        "column title is gone",
        "column must is new",
        "unique key code has other",
        "search group kinds is new",
    ] {
        assert!(reported.contains(item), "{item} is not reported in:\n{reported}");
    }
}

/// Random numbers of both storage forms go in, are found and ordered, added to and summed, and come out as they were.
#[test]
fn random_decimals_survive_both_databases() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let schema = schema();
    let databases = runtime.block_on(Database::all());
    let canonical = |units: i128, scale: usize| {
        let digits = format!("{:0>width$}", units.unsigned_abs(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        format!("{}{whole}.{fraction}", if units < 0 { "-" } else { "" })
    };
    let small = -999_999_999_999_999_999i128..=999_999_999_999_999_999;
    let wide = -(10i128.pow(37))..=10i128.pow(37);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(40));
    runner
        .run(&proptest::collection::vec((small, wide), 2..8), |numbers| {
            for database in &databases {
                let rows_in = numbers.iter().enumerate().map(|(n, (small, wide))| {
                    vec![
                        id(n as u64),
                        id(1),
                        text("k"),
                        dec(&canonical(*wide, 12)),
                        dec(&canonical(*small, 6)),
                        day("2024-01-01"),
                    ]
                });
                let sum = vec![
                    measure(Agg::Sum, "amount"),
                    measure(Agg::Sum, "small"),
                    measure(Agg::Min, "amount"),
                    measure(Agg::Max, "small"),
                ];
                let batch = vec![
                    insert("movement", "id item kind amount small day", rows_in.collect()),
                    select("movement", "amount", vec![], "amount", 50),
                    aggregate("movement", vec![], "", sum),
                    select(
                        "movement",
                        "amount small",
                        vec![term("amount", Compare::Eq, vec![dec(&canonical(numbers[0].1, 12))])],
                        "id",
                        1,
                    ),
                    insert(
                        "stock",
                        "id place item value",
                        vec![vec![id(1), id(1), id(1), dec(&canonical(10i128.pow(37), 12))]],
                    ),
                    Call::Update(update(
                        "stock",
                        "",
                        "value",
                        vec![change(vec![id(1)], vec![], &[&canonical(numbers[0].1, 12)])],
                        "value",
                    )),
                ];
                let outcome = runtime.block_on(async {
                    let mut session = database.begin(tenant(1)).await;
                    let mut scope = Scope::new(tenant(1), NOW, false);
                    let outcome = run(&mut session, &schema, &mut scope, batch).await;
                    roll_back(session).await;
                    outcome
                });
                let replies = outcome.expect("replies");
                let mut wides: Vec<i128> = numbers.iter().map(|(_, wide)| *wide).collect();
                wides.sort_unstable();
                let ordered: Vec<String> = wides.iter().map(|wide| format!("{}d", canonical(*wide, 12))).collect();
                prop_assert_eq!(rows(&replies, 1), ordered);
                let sums = format!(
                    "{}d | {}d | {}d | {}d",
                    canonical(wides.iter().sum(), 12),
                    canonical(numbers.iter().map(|(small, _)| small).sum(), 6),
                    canonical(wides[0], 12),
                    canonical(numbers.iter().map(|(small, _)| *small).max().unwrap_or(0), 6)
                );
                prop_assert_eq!(rows(&replies, 2), [sums]);
                let found = rows(&replies, 3)[0].split(' ').next().map(str::to_owned);
                prop_assert_eq!(found, Some(format!("{}d", canonical(numbers[0].1, 12))));
                prop_assert_eq!(rows(&replies, 5), [format!("{}d", canonical(10i128.pow(37) + numbers[0].1, 12))]);
            }
            Ok(())
        })
        .expect("decimals");
}
