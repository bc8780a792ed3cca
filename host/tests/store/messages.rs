//! Messages of the store to PostgreSQL, and their time: a batch is one message, and what is taken for granted is tried all the same.

use crate::*;
use stoa::database::{Error, Session};
use stoa::store::{Scope, StoreError, run};
use stoa::wit::store::*;

/// Values never depend on replies, so all statements of a batch travel together; and inserts at its end with the next message.
#[tokio::test]
async fn a_batch_is_one_message() {
    let Some(database) = Database::postgres().await else { return };
    let schema = schema();
    let item = |n: u64, code: &str| insert("item", "id code title", vec![vec![id(n), text(code), text("b")]]);
    let batch = || {
        vec![
            lock(&[("x", LockMode::Shared)]),
            get("item", "", &[1]),
            select("stock", "", vec![], "", 5),
            aggregate("movement", vec![], "kind", vec![measure(Agg::Sum, "amount")]),
            item(1, "a"),
            get("item", "code", &[1]),
            lock(&[("x", LockMode::Shared)]),
            item(2, "b"),
            item(3, "c"),
        ]
    };
    let mut session = database.begin_as(tenant(1), true).await;
    let mut scope = Scope::new(tenant(1), NOW, false);
    let replies = run(&mut session, &schema, &mut scope, batch()).await.expect("replies");
    assert_eq!(rows(&replies, 5), ["\"a\""], "in order, each seeing those before it");
    assert_eq!((&replies[7], &replies[8]), (&Reply::Inserted(vec![true]), &Reply::Inserted(vec![true])));
    assert_eq!(scope.round_trips, 1);
    run(&mut session, &schema, &mut scope, vec![item(4, "d")]).await.expect("replies");
    assert_eq!(scope.round_trips, 1, "no caller waits only for an insert");
    let replies = run(&mut session, &schema, &mut scope, vec![get("item", "code", &[2, 3, 4])]).await.expect("replies");
    assert_eq!(rows(&replies, 0).len(), 3, "what was put off has gone before");
    assert_eq!(scope.round_trips, 2);
    roll_back(session).await;

    let mut session = database.begin(tenant(1)).await;
    let mut scope = Scope::new(tenant(1), NOW, false);
    run(&mut session, &schema, &mut scope, batch()).await.expect("replies");
    assert_eq!(scope.round_trips, 8, "who waits for each answer does; a lock that is held costs nothing");
    roll_back(session).await;
}

/// An assumption that does not hold is a conflict, at the next message or the commit, and nothing of it stays; the next
/// try returns which rows met which.
#[tokio::test]
async fn an_insert_that_was_put_off_and_clashes_is_a_conflict() {
    let Some(database) = Database::postgres().await else { return };
    let schema = schema();
    let item = |n: u64, code: &str| insert("item", "id code title", vec![vec![id(n), text(code), text("b")]]);
    once(&database, &schema, vec![item(1, "a")]).await.expect("an item");
    let begin = async || (database.begin_as(tenant(1), true).await, Scope::new(tenant(1), NOW, false));

    let (mut session, mut scope) = begin().await;
    run(&mut session, &schema, &mut scope, vec![item(2, "b"), item(3, "a")]).await.expect("taken for granted");
    let refused = run(&mut session, &schema, &mut scope, vec![get("item", "", &[1])]).await;
    assert!(matches!(&refused, Err(StoreError::Database(Error::Conflict(_)))), "{refused:?}");
    roll_back(session).await;

    let (mut session, mut scope) = begin().await;
    run(&mut session, &schema, &mut scope, vec![item(2, "b"), item(3, "a")]).await.expect("taken for granted");
    let Session::Postgres(transaction) = &mut session else { return };
    let refused = transaction.commit().await;
    assert!(matches!(&refused, Err(Error::Conflict(_))), "{refused:?}");

    let (mut session, mut scope) = begin().await;
    let refused = run(&mut session, &schema, &mut scope, vec![item(3, "a"), get("item", "", &[1])]).await;
    assert!(matches!(&refused, Err(StoreError::Database(Error::Conflict(_)))), "{refused:?}");
    drop(session);

    let refused = failure(once(&database, &schema, vec![item(2, "b"), item(3, "a")]).await);
    assert!(
        matches!(&refused, Failure::Duplicate(clashes) if clashes[0].key == "code" && clashes[0].call == 1),
        "{refused:?}"
    );
    let left = once(&database, &schema, vec![select("item", "code", vec![], "", 5)]).await.expect("items");
    assert_eq!(rows(&left, 0), ["\"a\""]);
}
