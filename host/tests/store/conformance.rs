//! One suite for both databases: every call, its limits and its failures, run in the same order on each, with the replies
//! compared byte for byte. The transcript that SQLite gives is kept as a snapshot.

use crate::*;
use stoa::store::{Scope, Tables, run};

fn steps() -> Vec<Step> {
    let mut steps = writes::inserts();
    steps.extend(reads::reads());
    steps.extend(children::children());
    steps.extend(writes::updates());
    steps.extend(reads::sums());
    steps.extend(misuse::misuse());
    steps.extend(comparisons::comparisons());
    steps
}

async fn transcript(database: &Database, schema: &Tables) -> String {
    let mut session = database.begin(tenant(1)).await;
    let mut out = String::new();
    for (nth, (name, calls)) in steps().into_iter().enumerate() {
        execute(&mut session, "savepoint step").await;
        let mut scope = Scope::new(tenant(1), NOW + nth as i64, false);
        let outcome = run(&mut session, schema, &mut scope, calls).await;
        let end = if outcome.is_ok() { "release step" } else { "rollback to step; release step" };
        execute(&mut session, end).await;
        out.push_str(&format!(
            "== {name}{}\n{}\n",
            if scope.closed { " (closed)" } else { "" },
            describe_outcome(&outcome)
        ));
    }
    commit(session).await;
    out
}

#[tokio::test]
async fn both_databases_answer_alike() {
    let schema = schema();
    let sqlite = transcript(&Database::sqlite().await, &schema).await;
    insta::assert_snapshot!("transcript", sqlite);
    if let Some(postgres) = Database::postgres().await {
        let postgres = transcript(&postgres, &schema).await;
        for (left, right) in sqlite.split("== ").zip(postgres.split("== ")) {
            assert_eq!(left, right, "SQLite left, PostgreSQL right");
        }
        assert_eq!(sqlite, postgres);
    }
}
