//! The audit of operators: what each of them did, and what the host rejected.

use maud::html;

use super::values::Cell::At;
use super::values::{draw_next, list, query, table};
use super::{Drawn, OperatorRequest};

pub async fn draw(asked: &OperatorRequest) -> Drawn {
    let found = asked.get(&format!("audit{}", query(&[("before", asked.query.get("before"))]))).await?;
    let body = html! {
        (table("Entries", list(&found, "items"), &[
            ("Time", At("/createdAt")), ("Operator", At("/actor")), ("Operation", At("/operation")),
            ("Result", At("/result")), ("Details", At("/metadata")),
        ]))
        (draw_next("audit", &[], "before", &found["nextBefore"]))
    };
    Ok(asked.draw("Audit of operators", body))
}
