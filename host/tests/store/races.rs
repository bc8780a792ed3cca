//! Transactions that meet in one row, or in one lock: no deadlock, no lost change, the newest version decides.

use stoa::database::{Error, Session};
use stoa::store::{Scope, StoreError, Tables, run};
use stoa::wit::store::*;

use crate::guarantees::stock;
use crate::*;

async fn in_session(session: &mut Session, schema: &Tables, calls: Vec<Call>) -> Vec<Reply> {
    let mut scope = Scope::new(tenant(1), NOW, false);
    run(session, schema, &mut scope, calls).await.expect("a reply")
}

/// Four hundred transactions that change the same hundred rows, half of them in opposite order.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn crossing_updates_never_deadlock() {
    let Some(database) = Database::postgres().await else { return };
    let schema = schema();
    once(&database, &schema, vec![stock(100)]).await.expect("stock");
    let rounds = 100;
    let update_all = |reverse: bool| {
        let mut changes: Vec<Change> = (0..100).map(|n| change(vec![id(n)], vec![], &["1", "1"])).collect();
        if reverse {
            changes.reverse();
        }
        vec![Call::Update(update("stock", "", "on_hand moves", changes, "id"))]
    };
    let work = |reverse: bool| {
        let (database, schema) = (&database, &schema);
        async move {
            for _ in 0..rounds {
                once(database, schema, update_all(reverse)).await.expect("no deadlock");
            }
        }
    };
    tokio::join!(work(false), work(true), work(false), work(true));
    let replies =
        once(&database, &schema, vec![aggregate("stock", vec![], "", vec![measure(Agg::Sum, "moves")])]).await;
    assert_eq!(rows(&replies.expect("a sum"), 0), [(100 * 4 * rounds).to_string()]);
}

/// Eight workers request 640 pieces of 40 that are there.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn checks_hold_on_the_newest_version() {
    let Some(database) = Database::postgres().await else { return };
    let schema = schema();
    once(
        &database,
        &schema,
        vec![insert("stock", "id place item on_hand", vec![vec![id(1), id(1), id(1), dec("40")]])],
    )
    .await
    .expect("stock");
    let work = || {
        let (database, schema) = (&database, &schema);
        async move {
            let mut won = 0;
            for _ in 0..80 {
                let take = Call::Update(update("stock", "", "reserved", vec![change(vec![id(1)], vec![], &["1"])], ""));
                match once(database, schema, vec![take]).await {
                    Ok(_) => won += 1,
                    outcome => assert!(matches!(failure(outcome), Failure::RefusedChange(_))),
                }
            }
            won
        }
    };
    let won = tokio::join!(work(), work(), work(), work(), work(), work(), work(), work());
    assert_eq!(won.0 + won.1 + won.2 + won.3 + won.4 + won.5 + won.6 + won.7, 40);
}

/// A request that reserves waits for goods that come in. PostgreSQL judges its own check before it looks for the newest
/// version of the row.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_reads_the_columns_that_the_lock_waited_for() {
    let Some(database) = Database::postgres().await else { return };
    let schema = schema();
    let empty = insert("stock", "id place item on_hand", vec![vec![id(1), id(1), id(1), dec("0")]]);
    once(&database, &schema, vec![empty]).await.expect("stock");
    let add = |column: &str, amount: &str| {
        Call::Update(update("stock", "", column, vec![change(vec![id(1)], vec![], &[amount])], ""))
    };
    let mut incoming = database.begin(tenant(1)).await;
    in_session(&mut incoming, &schema, vec![add("on_hand", "9")]).await;
    let arrive = async {
        await_lock_wait(&database).await;
        commit(incoming).await;
    };
    let (reserved, ()) = tokio::join!(once(&database, &schema, vec![add("reserved", "1")]), arrive);
    reserved.expect("what came in may be reserved");
}

/// Returns when a transaction in the database waits for a lock.
async fn await_lock_wait(database: &Database) {
    let waiting =
        "select pid::text from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    loop {
        // A transaction sees the same activity to its end.
        let mut session = database.begin(tenant(1)).await;
        let found = session.query(waiting, &[]).await.expect("the server's activity");
        roll_back(session).await;
        if !found.is_empty() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_after_a_lock_sees_what_the_lock_waited_for() {
    let Some(database) = Database::postgres().await else { return };
    let schema = schema();
    once(&database, &schema, vec![insert("item", "id code title", vec![vec![id(1), text("a"), text("old")]])])
        .await
        .expect("an item");
    let mut first = database.begin(tenant(1)).await;
    in_session(
        &mut first,
        &schema,
        vec![
            lock(&[("gate", LockMode::Exclusive)]),
            Call::Update(update("item", "title", "", vec![change(vec![id(1)], vec![text("new")], &[])], "")),
        ],
    )
    .await;
    let second = async {
        let mut session = database.begin(tenant(1)).await;
        // A read of its own before: the snapshot that must not be kept.
        in_session(&mut session, &schema, vec![get("item", "title", &[1])]).await;
        let batch = vec![lock(&[("gate", LockMode::Shared)]), get("item", "title", &[1])];
        let replies = in_session(&mut session, &schema, batch).await;
        roll_back(session).await;
        rows(&replies, 1)
    };
    let first = async {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        commit(first).await;
    };
    assert_eq!(tokio::join!(second, first).0, ["\"new\""]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn numbers_are_distinct() {
    let schema = schema();
    for database in Database::all().await {
        if database.is_sqlite() {
            continue;
        }
        let one = || async {
            let call = vec![Call::Number(NumberCall { sequence: "n".to_owned(), at_least: None })];
            match once(&database, &schema, call).await.expect("a number").as_slice() {
                [Reply::Number(number)] => *number,
                other => panic!("{other:?}"),
            }
        };
        let mut all = futures_util::future::join_all((0..64).map(|_| one())).await;
        all.sort_unstable();
        assert_eq!(all, (1..=64).collect::<Vec<u64>>());
    }
}

/// Twelve workers change rows that are not there yet, some of them at the same moment: each change is made once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn rows_that_many_insert_by_a_change_are_inserted_once() {
    let Some(database) = Database::postgres().await else { return };
    let schema = schema();
    let add = |item: u64| {
        let changes = [item, item + 1].map(|item| change(vec![id(1), id(item)], vec![], &["1"]));
        let by_key = UpdateCall {
            key: Some("place_item".to_owned()),
            ..update("stock", "", "on_hand", changes.to_vec(), "on_hand")
        };
        vec![Call::Update(or_insert(by_key, "moves", vec![Some(vec![int(7)]), Some(vec![int(7)])]))]
    };
    let work = || {
        let (database, schema) = (&database, &schema);
        async move {
            for item in 0..40 {
                // As a request does: who met a row that went in meanwhile runs again.
                loop {
                    match once(database, schema, add(item)).await {
                        Ok(_) => break,
                        Err(StoreError::Database(Error::Conflict(_))) => {}
                        other => panic!("{other:?}"),
                    }
                }
            }
        }
    };
    let four = || async { tokio::join!(work(), work(), work(), work()) };
    tokio::join!(four(), four(), four());
    let sums = [measure(Agg::Count, ""), measure(Agg::Sum, "on_hand"), measure(Agg::Sum, "moves")];
    let replies = once(&database, &schema, vec![aggregate("stock", vec![], "", sums.to_vec())]).await.expect("sums");
    assert_eq!(rows(&replies, 0), ["41 | 960.000000d | 287"]);
}
