//! The audit of operators: what each of them did, and what the host rejected.

use maud::html;

use super::values::{cell, instant, list, query, show, table, text};
use super::{Drawn, OperatorRequest, address};

pub async fn draw(asked: &OperatorRequest) -> Drawn {
    let found = asked.get(&format!("audit{}", query(&[("before", asked.query.get("before"))]))).await?;
    let rows = list(&found, "items").iter().map(|entry| {
        let texts = ["actor", "operation", "result"].map(|name| cell(text(entry, name)));
        let metadata = html! { code { (show(&entry["metadata"])) } };
        [vec![instant(&entry["createdAt"])], texts.to_vec(), vec![metadata]].concat()
    });
    let next = show(&found["nextBefore"]);
    let body = html! {
        (table("Entries", &["Time", "Operator", "Operation", "Result", "Details"], rows))
        @if !next.is_empty() { p.pager { a href=(address(&format!("audit{}", query(&[("before", Some(&next))])))) { "Older" } } }
    };
    Ok(asked.draw("Audit of operators", body))
}
